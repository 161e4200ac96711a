"""Return free memory to the system."""

from __future__ import annotations

import os

from ragraph.base import system

LIMITS = {"MALLOC_ARENA_MAX": 2, "MALLOC_MMAP_THRESHOLD_": 1 << 20, "MALLOC_TRIM_THRESHOLD_": 1 << 20}
"""Settings, in bytes, with which glibc gives back the memory that a page or a table took. By default it keeps up to
64 MB for each thread. The names are the environment variables for processes that are started."""

_OPTIONS = {"MALLOC_ARENA_MAX": -8, "MALLOC_MMAP_THRESHOLD_": -3, "MALLOC_TRIM_THRESHOLD_": -1}
"""The numbers of these settings in ``mallopt`` (malloc.h)."""


def keep_little() -> None:
    """Apply ``LIMITS`` to this process, except those that its environment sets. Without glibc nothing happens."""
    for name in LIMITS.keys() - os.environ.keys():
        system.set_allocator(_OPTIONS[name], LIMITS[name])


def give_back() -> None:
    """Have glibc return free memory to the system; it keeps for each thread as much as that once took.

    Takes milliseconds. Without glibc nothing happens.
    """
    system.trim_memory()
