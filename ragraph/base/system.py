"""Calls that depend on the operating system: limits, locks, memory, processors, users. A port is a matter of this file.

ragraph is tested on Linux. On another POSIX system, calls that it lacks have a fallback that does less.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import pwd
import resource
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Literal

LINUX = sys.platform == "linux"
"""Tests set it to False to use the fallbacks."""

SHARED = fcntl.LOCK_SH
EXCLUSIVE = fcntl.LOCK_EX

_LIMITS = {
    "core": resource.RLIMIT_CORE,
    "file": resource.RLIMIT_FSIZE,
    "processor": resource.RLIMIT_CPU,
    "memory": resource.RLIMIT_DATA,
}


_ACCESS_LIST = "system.posix_acl_access"


def try_lock(descriptor: int, kind: int = EXCLUSIVE) -> bool:
    """Lock an open file (flock) without waiting; return False if another process holds it."""
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def lower_limit(name: Literal["core", "file", "processor", "memory"], value: int) -> None:
    """Set a soft limit of this process, up to the hard one; bytes, for the processor seconds since its start.

    Memory is limited on Linux only: other systems accept the limit and do not enforce it, or refuse it.
    """
    limit = _LIMITS[name]
    if name == "memory" and not LINUX:
        return
    _, hard = resource.getrlimit(limit)
    with suppress(OSError, ValueError):
        resource.setrlimit(limit, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


def free_memory() -> int:
    """Return the bytes of memory that this machine, or this container, can still give."""
    return _memory("available", "memory.current")


def all_memory() -> int:
    """Return the bytes of memory of this machine, or of this container."""
    return _memory("total", None)


def _memory(of_machine: str, used: str | None) -> int:
    import psutil

    memory = int(getattr(psutil.virtual_memory(), of_machine))
    group = Path("/sys/fs/cgroup")
    with suppress(OSError, ValueError):  # no container, or one without a limit
        limit = int((group / "memory.max").read_text())
        memory = min(memory, limit - (int((group / used).read_text()) if used else 0))
    return max(memory, 0)


def processor_limit() -> int | None:
    """Return the soft limit of processor time in seconds, None if there is none."""
    soft, _ = resource.getrlimit(resource.RLIMIT_CPU)
    return None if soft == resource.RLIM_INFINITY else soft


def processor_seconds() -> float:
    """Return the processor time that this process has used."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def processors() -> int:
    """Return how many processors this process may use; elsewhere than on Linux, how many there are."""
    return len(os.sched_getaffinity(0)) if LINUX else os.cpu_count() or 1


def processor_description() -> list[str]:
    """Return lines that describe the processor, its name and what it can; none elsewhere than on Linux."""
    if not LINUX:
        return []
    with suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return [line for line in lines if line.startswith(("model name", "flags", "Features"))][:2]
    return []


def process_namespace() -> int | None:
    """Return the number of the namespace that process ids are of (containers have their own); None if unknown."""
    if LINUX:
        with suppress(OSError):
            return Path("/proc/self/ns/pid").stat().st_ino
    return None


def set_allocator(option: int, value: int) -> None:
    """Set an option of glibc's allocator (``mallopt``); without glibc nothing happens."""
    if LINUX:
        with suppress(AttributeError, OSError):
            ctypes.CDLL(None).mallopt(option, value)


def trim_memory() -> None:
    """Have glibc return free memory to the system; without glibc nothing happens."""
    if LINUX:
        with suppress(AttributeError, OSError):
            ctypes.CDLL(None).malloc_trim(0)


def kill_group(leader: int) -> None:
    """Kill a process that leads a process group, with all its children; nothing happens if it has ended."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def kill_below(process: int) -> None:
    """Kill a process and all that it has started, at any depth; nothing happens if it has ended."""
    import psutil

    with suppress(psutil.Error):
        top = psutil.Process(process)
        for one in [*top.children(recursive=True), top]:
            with suppress(psutil.Error):
                one.kill()


def user_named(name: str) -> pwd.struct_passwd | None:
    """Return a user of the system by name, None if there is none."""
    try:
        return pwd.getpwnam(name)
    except KeyError:
        return None


def user_numbered(uid: int) -> pwd.struct_passwd | None:
    """Return a user of the system by id, None if the id has no entry."""
    try:
        return pwd.getpwuid(uid)
    except KeyError:
        return None


def access_list(path: Path) -> bytes | None:
    """Return the packed access control list of a folder; None if it has none, or if the system keeps them elsewhere."""
    if LINUX:
        with suppress(OSError):
            return os.getxattr(path, _ACCESS_LIST)
    return None


def set_access_list(path: Path, packed: bytes) -> None:
    """Set the access control list of a folder.

    Raises:
        OSError: it cannot be set, with ``errno`` ENOTSUP if the file system or system has no such lists.
    """
    if not LINUX:
        raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP), str(path))
    os.setxattr(path, _ACCESS_LIST, packed)
