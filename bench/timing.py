"""Timing for the benchmarks: medians of repeated calls, taken in turn so that drift affects all alike."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass
class Clock:
    """Seconds of a ``with timed() as clock:`` block."""

    seconds: float = 0.0


@contextmanager
def timed() -> Iterator[Clock]:
    """Measure a block."""
    clock = Clock()
    start = time.perf_counter()
    yield clock
    clock.seconds = time.perf_counter() - start


def medians(calls: Mapping[str, Callable[[int], object]], repeats: int, warmup: int = 2) -> dict[str, float]:
    """Run several calls in turn and return the median milliseconds of each; calls get the number of the round."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for number in range(-warmup, repeats):
        for name, call in calls.items():
            with timed() as clock:
                call(number)
            if number >= 0:
                times[name].append(clock.seconds * 1000)
    return {name: statistics.median(values) for name, values in times.items()}
