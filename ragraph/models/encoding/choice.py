"""Which encoder a model's texts go by on this machine: tried on texts of the store, and remembered below RAGRAPH_HOME.

A trial has a candidate encode texts that the plain way has just encoded. The first is taken that is faster and finds,
for those texts as queries encoded plainly, the same ten neighbours for ``OVERLAP`` of them: queries always go the plain
way, so this is what a search of the store would notice.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import json
import os
import platform
import tempfile
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ragraph.errors import ModelError
from ragraph.models.encoding.encoders import BACKENDS, folder_of, is_there, make_encoder
from ragraph.models.encoding.loaded import has_graphics_card
from ragraph.models.encoding.plain import plain_encoder
from ragraph.models.encoding.trials import Trial, hold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.models.encoding import Encoder, Vectors
    from ragraph.models.encoding.loaded import LoadedModel

OVERLAP = 0.99
"""Share of the ten nearest neighbours that an encoder has to find."""

FEW = 64
"""Texts at once that always go the plain way: nothing else pays for being loaded."""

ENOUGH = 512
"""Texts after which the plain way has taken longer than a trial does."""

_SAMPLE = 256
"""Texts that are timed, and whose neighbours are compared."""

_BUSY = 3
"""Load of each processor from which on what is measured holds for this process alone."""

_FASTER = 1.1
"""Times as fast as the plain way that an encoder has to be to be taken by ``auto``."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The encoder that a machine takes for a model, and the trials that decided."""

    encoder: str
    trials: tuple[Trial, ...] = ()


class ChosenEncoder:
    """Encodes texts the plain way until there are enough for a trial, and from then on by what was chosen.

    Args:
        model: the model.
        backend: as of ``encoders.check_backend``.

    Attributes:
        name: of the encoder that the last texts went by.
    """

    def __init__(self, model: LoadedModel, backend: str) -> None:
        self._model = model
        self._backend = backend
        self._plain = plain_encoder(model)
        self._settled: Encoder | None = self._plain if backend == "plain" else None
        self._asked = False
        self._seen = 0
        self.name = self._plain.name

    def encode(self, texts: Sequence[str]) -> Vectors:
        """See ``Encoder.encode``.

        Raises:
            ModelError: a backend that was asked for cannot compute the model, or not exactly enough.
        """
        encoder = self._encoder(len(texts))
        self.name = encoder.name
        vectors = encoder.encode(texts)
        if self._settled is None and len(texts) >= FEW and self._seen >= self._enough():
            self._settle(texts, vectors)
        return vectors

    def _encoder(self, count: int) -> Encoder:
        if count < FEW:
            return self._settled if self._settled is not None and count > 1 else self._plain
        self._seen += count
        if not self._asked and self._settled is None:
            self._asked = True
            self._settled = self._known()
        return self._settled or self._plain

    def _enough(self) -> int:
        return FEW if self._backend != "auto" or has_graphics_card() else ENOUGH

    def _known(self) -> Encoder | None:
        """Return the encoder that was asked for by its full name, or that an earlier run chose."""
        if "/" in self._backend:
            return make_encoder(self._backend, self._model)
        remembered = recall(self._model, self._backend)
        if remembered is None:
            return None
        with contextlib.suppress(ModelError):  # what is kept of it is damaged, say: the plain way always goes
            return make_encoder(remembered.encoder, self._model)
        return self._plain

    def _settle(self, texts: Sequence[str], vectors: Vectors) -> None:
        choice = choose(self._model, self._backend, texts, vectors)
        if self._backend != "auto" and choice.encoder not in BACKENDS[self._backend]:
            raise ModelError(
                f"the backend {self._backend} does not do for the model {self._model.name!r} ({_told(choice.trials)}); "
                "use auto, or another one"
            )
        if os.getloadavg()[0] <= _BUSY * (os.cpu_count() or 1):
            remember(self._model, self._backend, choice)
        self._settled = make_encoder(choice.encoder, self._model)


def choose(model: LoadedModel, backend: str, texts: Sequence[str], reference: Vectors) -> Choice:
    """Try encoders in the order of ``BACKENDS`` and return the first that is faster than the plain way and exact.

    Those after it are not tried: a trial of torch takes a gigabyte and most of a minute.

    Args:
        model: the model.
        backend: ``auto``, or one of ``BACKENDS``.
        texts: of the kind that the store holds.
        reference: their vectors, by the plain way.

    Returns:
        For ``auto`` the plain way if nothing is faster and exact enough; for a backend no name if none of its encoders
        is exact enough, however fast.
    """
    places = np.linspace(0, len(texts) - 1, min(_SAMPLE, len(texts))).astype(int)
    sample, vectors = [texts[place] for place in places], reference[places]
    if backend != "auto":
        libraries = [backend]
    elif has_graphics_card():
        libraries = ["torch"]
    else:
        libraries = [library for library in BACKENDS if is_there(library)]
    plain, at_least = (plain_encoder(model).name, _FASTER) if backend == "auto" else ("", 0.0)
    trials = []
    for name in (name for library in libraries for name in BACKENDS[library] if name != plain):
        trials.append(trial := hold(name, model, sample, vectors, at_least))
        if trial.overlap is not None and trial.overlap >= OVERLAP:
            return Choice(name, tuple(trials))
    return Choice(plain, tuple(trials))


def recall(model: LoadedModel, backend: str) -> Choice | None:
    """Return what was chosen on this machine for a model and a backend; None if nothing was, or it cannot be read."""
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
        found = _read(folder_of(model))[f"{_machine()} {backend}"]
        return Choice(found["encoder"], tuple(Trial(**trial) for trial in found["trials"]))
    return None


def remember(model: LoadedModel, backend: str, choice: Choice) -> None:
    """Keep a choice; where the folder cannot be written, the next run chooses again."""
    folder = folder_of(model)
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        known: dict[str, Any] = {}
        with contextlib.suppress(OSError, ValueError):
            known = _read(folder)
        known[f"{_machine()} {backend}"] = asdict(choice) | {
            "model": model.name,
            "at": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        handle, new = tempfile.mkstemp(dir=folder, suffix=".json")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(known, file, indent=2)
        Path(new).replace(folder / "choice.json")


def _read(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "choice.json").read_text(encoding="utf-8"))
    return found


def _machine() -> str:
    """Return what decides how fast an encoder is: the processor, how many, a graphics card, and the libraries."""
    parts = [platform.machine(), str(os.cpu_count()), str(has_graphics_card())]
    with contextlib.suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        parts += [line for line in lines if line.startswith(("model name", "flags", "Features"))][:2]
    for name in ("torch", "sentence-transformers", "openvino", "onnx", "onnxruntime", "numpy"):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            parts.append(f"{name} {importlib.metadata.version(name)}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _told(trials: Sequence[Trial]) -> str:
    return "; ".join(f"{trial.encoder}: {trial.failed or f'{trial.overlap} of the ten nearest'}" for trial in trials)
