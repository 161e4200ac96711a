"""Processor time of the tests: elapsed time says little on a shared machine.

``python tests/processor_time.py COMMAND...`` runs a command and prints the processor time of all processes that it
started. It includes detached servers and watchers: this process becomes their parent when theirs ends (Linux).
``Spent`` is for tests/conftest.py, which prints the time of each file.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import subprocess
import sys
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
FAMILIES: list[int] = []
"""Processes that are not children of this one: the server of the tests, and the forking one of forked_python.py."""
TICKS = os.sysconf("SC_CLK_TCK")


class Spent:
    """Measures this process, its ended children, and ``FAMILIES``."""

    def __init__(self) -> None:
        self._last = self._total()

    def take(self) -> float:
        """Return the seconds of processor time since the last call."""
        now = self._total()
        seconds, self._last = now - self._last, now
        return seconds

    def _total(self) -> float:
        return sum(os.times()[:4]) + sum(map(_family, FAMILIES))


def _family(pid: int) -> float:
    """Return the seconds of a process and its children, running or ended; 0 if the system does not report them."""
    total = 0.0
    with contextlib.suppress(OSError):
        total = _seconds(pid, 4)
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            with contextlib.suppress(OSError):  # it ended meanwhile, and is counted with its parent next time
                total += _seconds(int(child), 4)
    return total


def _seconds(pid: int, values: int) -> float:
    """Return utime and stime of a process, with ``values=4`` cutime and cstime too; see proc_pid_stat(5)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11 : 11 + values])) / TICKS


def main(command: list[str]) -> int:
    """Run a command, wait for all processes that it left behind, and print their processor time."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    first = subprocess.Popen(command)
    status = 1
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, ended = os.wait()
            if pid == first.pid:
                first.returncode = status = os.waitstatus_to_exitcode(ended)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"processor time: {used.ru_utime + used.ru_stime:.1f} s ({used.ru_stime:.1f} s in the kernel)")
    return status


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
