"""Trials of an encoder: how fast it is beside the plain way, and how many of its neighbours it finds.

Each is held in a process of its own, whose libraries go with it: tracing a graph takes torch and a gigabyte, and one
that kills its process, as a library built for another processor does, is no more than an encoder that does not do.
"""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ragraph.models.encoding.encoders import make_encoder
from ragraph.models.encoding.loaded import LoadedModel, has_graphics_card, short
from ragraph.models.encoding.plain import plain_encoder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.models.encoding import Encoder, Vectors

_NEAREST = 10
_WARM = 8
"""Texts that are encoded first, since libraries make something at the first call."""

_PATIENCE_S = 600.0
_LEAST_BY_CLOCK = 0.8
"""As fast as the plain way that an encoder has to be by the clock too: less is one that leaves cores idle. Not 1, since
what others do at the same time is in it."""


class _Spent(NamedTuple):
    """Seconds that texts take, of the processor (all threads) and by the clock."""

    processor: float
    clock: float


@dataclass(frozen=True, slots=True)
class Trial:
    """What came out for one encoder.

    Attributes:
        encoder: its name.
        times: as fast as the plain way, in processor time; by the clock where a graphics card computes, or where that
            is what rules it out.
        overlap: share of the ten nearest neighbours that it finds; None where it was not fast enough to be asked.
        failed: why it does not do at all.
    """

    encoder: str
    times: float | None = None
    overlap: float | None = None
    failed: str | None = None


def overlap(reference: Vectors, vectors: Vectors, k: int = _NEAREST) -> float:
    """Return which share of the k nearest of each reference vector among the others is found among other vectors."""
    k = min(k, len(reference) - 1)
    if k < 1:
        return 1.0
    found = 0
    for place, query in enumerate(reference):
        nearest = []
        for among in (reference, vectors):
            scores = among @ query
            scores[place] = -np.inf
            nearest.append(set(np.argpartition(-scores, k - 1)[:k].tolist()))
        found += len(nearest[0] & nearest[1])
    return found / (k * len(reference))


def judge(encoder: Encoder, plain: Encoder, texts: Sequence[str], reference: Vectors, at_least: float) -> Trial:
    """Try an encoder on texts.

    Args:
        encoder: what is tried.
        plain: the plain way.
        texts: of the kind that the store holds.
        reference: their vectors by the plain way.
        at_least: times as fast as the plain way that it has to be for its neighbours to be looked at.

    All of them are timed: batches of few texts hold the long beside the short, which only what pads pays for. Processor
    time counts, since a run keeps all cores busy and the clock would tell chance apart where others are at work.
    """
    encoder.encode(texts[:_WARM])
    usual, _ = _timed(plain, texts)
    own, vectors = _timed(encoder, texts)
    by_clock = usual.clock / own.clock
    times = by_clock if has_graphics_card() else usual.processor / own.processor
    if times < at_least or by_clock < _LEAST_BY_CLOCK:
        return Trial(encoder.name, round(min(times, by_clock), 2))
    if vectors.shape != reference.shape or not np.isfinite(vectors).all():
        return Trial(encoder.name, failed="its vectors are of another shape, or not finite")
    return Trial(encoder.name, round(times, 2), round(overlap(reference, vectors), 4))


def hold(name: str, model: LoadedModel, texts: Sequence[str], reference: Vectors, at_least: float) -> Trial:
    """Try an encoder by name in a process of its own; arguments as of ``judge``."""
    asked = {
        "name": name,
        "model": {"folder": str(model.folder), "name": model.name, "packaged": model.packaged},
        "max_tokens": model.max_tokens,
        "normalized": model.normalized,
        "texts": list(texts),
        "reference": base64.b64encode(np.ascontiguousarray(reference, dtype="<f4").tobytes()).decode(),
        "at_least": at_least,
    }
    command = [sys.executable, "-m", __name__]
    try:
        done = subprocess.run(
            command, input=json.dumps(asked).encode(), capture_output=True, timeout=_PATIENCE_S, check=False
        )
        return Trial(**json.loads(done.stdout))
    except subprocess.TimeoutExpired:
        return Trial(name, failed=f"it did not end within {_PATIENCE_S:g} s")
    except OSError as error:
        return Trial(name, failed=short(error))
    except ValueError:
        said = done.stderr.decode(errors="replace").strip().splitlines() or [""]
        return Trial(name, failed=f"its process ended with {done.returncode}: {said[-1]}"[:200])


def main() -> None:
    """Hold the trial that standard input asks for, and write what came out as JSON."""
    asked = json.loads(sys.stdin.buffer.read())
    model = LoadedModel(Path(asked["model"].pop("folder")), **asked["model"])
    model.max_tokens, model.normalized = asked["max_tokens"], asked["normalized"]
    reference = np.frombuffer(base64.b64decode(asked["reference"]), dtype="<f4").reshape(len(asked["texts"]), -1)
    answer, sys.stdout = sys.stdout, sys.stderr  # libraries may print
    try:
        encoder = make_encoder(asked["name"], model)
        trial = judge(encoder, plain_encoder(model), asked["texts"], reference, asked["at_least"])
    except Exception as error:  # of libraries: whatever it is, the encoder does not do
        trial = Trial(asked["name"], failed=short(error))
    answer.write(json.dumps(asdict(trial)))


def _timed(encoder: Encoder, texts: Sequence[str]) -> tuple[_Spent, Vectors]:
    """Return what texts take, and their vectors."""
    clock, processor = time.perf_counter(), time.process_time()
    vectors = encoder.encode(texts)
    return _Spent(time.process_time() - processor, time.perf_counter() - clock), vectors


if __name__ == "__main__":
    main()
