"""Trials of an encoder: its speed compared with the plain encoder, and the share of neighbours that it finds.

Each trial runs in a process of its own, which frees the libraries at its end: tracing a graph takes torch and a
gigabyte. If an encoder kills its process, as a library built for another processor does, the trial reports a failure.
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
"""Number of texts that are encoded first, because libraries initialise at the first call."""

_PROBE = 16
"""Number of texts, spread over the sample, that are timed before all are."""

_HOPELESS = 3.0
"""Multiple of the plain encoder's time for the probe above which an encoder is rejected without timing all texts. A
number format that the processor only emulates takes 30 times as long, so a trial of all texts would take minutes."""

_PATIENCE_S = 120.0
"""Maximum seconds of a trial. Importing torch and tracing a graph takes 20 to 60 s on a busy machine."""

_MIN_CLOCK_SPEED = 0.8
"""Minimum speed by the clock, as a multiple of the plain encoder's; a slower encoder leaves cores idle. It is below 1
because other processes affect the clock."""


class _Spent(NamedTuple):
    """Seconds that texts take: of processor time (all threads) and by the clock."""

    processor: float
    clock: float


@dataclass(frozen=True, slots=True)
class Trial:
    """The result for one encoder.

    Attributes:
        encoder: its name.
        times: its speed as a multiple of the plain encoder's, in processor time. It is measured by the clock if a
            graphics card computes, or if the clock rules the encoder out.
        overlap: share of the ten nearest neighbours that it finds; None if it was not fast enough to be tested.
        failed: why it cannot be used, or None.
    """

    encoder: str
    times: float | None = None
    overlap: float | None = None
    failed: str | None = None


def overlap(reference: Vectors, vectors: Vectors, k: int = _NEAREST) -> float:
    """Return the share of each reference vector's k nearest that is found among other vectors.

    Args:
        reference: float32 of shape (texts, dimensions); each vector is also a query.
        vectors: vectors of the same texts in the same order.
        k: number of neighbours.
    """
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

    A few texts are timed first, so that a hopeless encoder costs little. Then all are timed together, because only
    batches that mix long and short texts show the cost of padding. Processor time counts: a run keeps all cores busy,
    and on a busy machine differences by the clock would be chance.

    Args:
        encoder: the encoder to try.
        plain: the plain encoder.
        texts: texts like those of the store.
        reference: their vectors by the plain encoder.
        at_least: minimum speed, as a multiple of the plain encoder's, for the neighbours to be compared.
    """
    encoder.encode(texts[:_WARM])
    if at_least and (times := _probe(encoder, plain, texts)) * _HOPELESS < 1:
        return Trial(encoder.name, round(times, 2))
    usual, _ = _timed(plain, texts)
    own, vectors = _timed(encoder, texts)
    by_clock = usual.clock / own.clock
    times = by_clock if has_graphics_card() else usual.processor / own.processor
    if times < at_least or by_clock < _MIN_CLOCK_SPEED:
        return Trial(encoder.name, round(min(times, by_clock), 2))
    if vectors.shape != reference.shape or not np.isfinite(vectors).all():
        return Trial(encoder.name, failed="its vectors are of another shape, or not finite")
    return Trial(encoder.name, round(times, 2), round(overlap(reference, vectors), 4))


def hold(name: str, model: LoadedModel, texts: Sequence[str], reference: Vectors, at_least: float) -> Trial:
    """Try an encoder by name in a process of its own; arguments as in ``judge``."""
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
    """Run the trial described on standard input, and write its result as JSON."""
    asked = json.loads(sys.stdin.buffer.read())
    model = LoadedModel(Path(asked["model"].pop("folder")), **asked["model"])
    model.max_tokens, model.normalized = asked["max_tokens"], asked["normalized"]
    reference = np.frombuffer(base64.b64decode(asked["reference"]), dtype="<f4").reshape(len(asked["texts"]), -1)
    answer, sys.stdout = sys.stdout, sys.stderr  # libraries may print
    try:
        encoder = make_encoder(asked["name"], model)
        trial = judge(encoder, plain_encoder(model), asked["texts"], reference, asked["at_least"])
    except Exception as error:  # whatever error a library raises, the encoder cannot be used
        trial = Trial(asked["name"], failed=short(error))
    answer.write(json.dumps(asdict(trial)))


def _probe(encoder: Encoder, plain: Encoder, texts: Sequence[str]) -> float:
    """Return an encoder's speed on a few of the texts by the clock, as a multiple of the plain encoder's."""
    few = texts[:: max(1, len(texts) // _PROBE)]
    usual, _ = _timed(plain, few)
    own, _ = _timed(encoder, few)
    return usual.clock / own.clock


def _timed(encoder: Encoder, texts: Sequence[str]) -> tuple[_Spent, Vectors]:
    """Return the seconds that texts take, and their vectors."""
    clock, processor = time.perf_counter(), time.process_time()
    vectors = encoder.encode(texts)
    return _Spent(time.process_time() - processor, time.perf_counter() - clock), vectors


if __name__ == "__main__":
    main()
