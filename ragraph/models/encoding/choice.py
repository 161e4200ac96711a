"""Choose the encoder for a model on this machine by trials on texts of the store; choices are stored in RAGRAPH_HOME.

In a trial, a candidate encodes texts that the plain encoder has just encoded. The first candidate is taken that is
faster and finds the same ten neighbours for a share of ``OVERLAP``. The texts serve as queries, encoded by the plain
encoder as queries always are, so the trial measures what a search of the store would notice.
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

from ragraph.base.system import processor_description
from ragraph.errors import ModelError
from ragraph.models.encoding.encoders import BACKENDS, folder_of, is_installed, make_encoder
from ragraph.models.encoding.loaded import has_graphics_card
from ragraph.models.encoding.plain import plain_encoder
from ragraph.models.encoding.trials import Trial, hold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.models.encoding import Encoder, Vectors
    from ragraph.models.encoding.loaded import LoadedModel

OVERLAP = 0.99
"""Minimum share of the ten nearest neighbours that an encoder must find."""

FEW = 64
"""Fewer texts than this in a call use the plain encoder, because loading another one does not pay off."""

ENOUGH = 512
"""Number of texts after which the plain encoder has taken longer than a trial takes."""

_SAMPLE = 256
"""Number of texts that are timed and whose neighbours are compared."""

_BUSY = 3
"""Maximum load average per processor at which a choice is stored. Above it, measured times apply to this process alone.
"""

_FASTER = 1.1
"""Minimum speed of an encoder for ``auto``, as a multiple of the plain encoder's."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The encoder chosen for a model on this machine, and the trials behind the choice."""

    encoder: str
    trials: tuple[Trial, ...] = ()


class ChosenEncoder:
    """Encodes by the plain encoder until there are enough texts for a trial, and then by the chosen encoder.

    Args:
        model: the model.
        backend: a name that ``encoders.check_backend`` accepts.

    Attributes:
        name: name of the encoder used last.
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
            ModelError: the requested backend cannot compute the model, or not exactly enough.
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
        """Return the encoder requested by its full name, or chosen by an earlier run; None if there is neither."""
        if "/" in self._backend:
            return make_encoder(self._backend, self._model)
        remembered = recall(self._model, self._backend)
        if remembered is None:
            return None
        with contextlib.suppress(ModelError):  # for example damaged files; the plain encoder always works
            return make_encoder(remembered.encoder, self._model)
        return self._plain

    def _settle(self, texts: Sequence[str], vectors: Vectors) -> None:
        choice = choose(self._model, self._backend, texts, vectors)
        if self._backend != "auto" and choice.encoder not in BACKENDS[self._backend]:
            raise ModelError(
                f"the backend {self._backend} cannot be used for {self._model.name!r} ({_failures(choice.trials)}); "
                "use auto, or another one"
            )
        if os.getloadavg()[0] <= _BUSY * (os.cpu_count() or 1):
            remember(self._model, self._backend, choice)
        self._settled = make_encoder(choice.encoder, self._model)


def choose(model: LoadedModel, backend: str, texts: Sequence[str], reference: Vectors) -> Choice:
    """Try encoders in the order of ``BACKENDS`` and return the first that is faster than the plain encoder and exact.

    The encoders after it are not tried, because a trial of torch takes a gigabyte and most of a minute.

    Args:
        model: the model.
        backend: ``auto``, or one of ``BACKENDS``.
        texts: texts like those of the store.
        reference: their vectors by the plain encoder.

    Returns:
        For ``auto``, the plain encoder if none is faster and exact enough. For a backend, an empty name if none of its
        encoders is exact enough, however fast.
    """
    places = np.linspace(0, len(texts) - 1, min(_SAMPLE, len(texts))).astype(int)
    sample, vectors = [texts[place] for place in places], reference[places]
    if backend != "auto":
        libraries = [backend]
    elif has_graphics_card():
        libraries = ["torch"]
    else:
        libraries = [library for library in BACKENDS if is_installed(library)]
    plain, at_least = (plain_encoder(model).name, _FASTER) if backend == "auto" else ("", 0.0)
    trials = []
    for name in (name for library in libraries for name in BACKENDS[library] if name != plain):
        trials.append(trial := hold(name, model, sample, vectors, at_least))
        if trial.overlap is not None and trial.overlap >= OVERLAP:
            return Choice(name, tuple(trials))
    return Choice(plain, tuple(trials))


def recall(model: LoadedModel, backend: str) -> Choice | None:
    """Return the stored choice for a model and a backend on this machine; None if there is none or it is unreadable."""
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
        found = _read(folder_of(model))[f"{_machine()} {backend}"]
        return Choice(found["encoder"], tuple(Trial(**trial) for trial in found["trials"]))
    return None


def remember(model: LoadedModel, backend: str, choice: Choice) -> None:
    """Store a choice; if the folder cannot be written, the next run chooses again."""
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
    """Return a hash of what affects an encoder's speed: the processor, their number, a graphics card, the libraries."""
    parts = [platform.machine(), str(os.cpu_count()), str(has_graphics_card())]
    parts += processor_description()
    for name in ("torch", "sentence-transformers", "openvino", "onnx", "onnxruntime", "numpy"):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            parts.append(f"{name} {importlib.metadata.version(name)}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _failures(trials: Sequence[Trial]) -> str:
    return "; ".join(f"{trial.encoder}: {trial.failed or f'{trial.overlap} of the ten nearest'}" for trial in trials)
