"""Memory that is free goes back to the system."""

from __future__ import annotations

import ctypes
import os
from contextlib import suppress

LIMITS = {"MALLOC_ARENA_MAX": 2, "MALLOC_MMAP_THRESHOLD_": 1 << 20, "MALLOC_TRIM_THRESHOLD_": 1 << 20}
"""Has glibc give back what a page or a table took (bytes), where it would keep up to 64 MB of it for each thread; by
the variables that say so to a process that is started."""

_OPTIONS = {"MALLOC_ARENA_MAX": -8, "MALLOC_MMAP_THRESHOLD_": -3, "MALLOC_TRIM_THRESHOLD_": -1}
"""What ``mallopt`` calls them (malloc.h)."""


def keep_little() -> None:
    """Set ``LIMITS`` for this process, one of our own, but what its environment sets; without glibc nothing happens."""
    with suppress(AttributeError, OSError):
        for name in LIMITS.keys() - os.environ.keys():
            ctypes.CDLL(None).mallopt(_OPTIONS[name], LIMITS[name])


def give_back() -> None:
    """Have glibc return what is free to the system: it keeps for each thread what that once took.

    Milliseconds; elsewhere nothing happens.
    """
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)
