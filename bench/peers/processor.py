"""Processor time of this process and of a server, for machines with other load. Needs only Linux.

``stores.py`` runs in an environment without ragraph and imports this module as a neighbour.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

_TICK = os.sysconf("SC_CLK_TCK")


class Spent:
    """Processor time of a block.

    Attributes:
        client: seconds of this process.
        server: seconds of the server, including processes that ended meanwhile.
        clock: seconds by the clock.
    """

    def __init__(self, postmaster: int) -> None:
        self._postmaster = postmaster
        self.client = self.server = self.clock = 0.0

    def __enter__(self) -> Spent:
        self._begin = time.process_time(), server_seconds(self._postmaster), time.perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        client, server, clock = self._begin
        self.client = time.process_time() - client
        self.server = server_seconds(self._postmaster) - server
        self.clock = time.perf_counter() - clock


def server_seconds(postmaster: int) -> float:
    """Return the processor seconds of a server: of its processes, and of those that have ended."""
    total = 0
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        with suppress(OSError, ValueError, IndexError):
            # after the name in brackets: state, parent, ...; 11 and 12 are its own time, 13 and 14 its children's
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            if int(entry.name) == postmaster:
                total += int(fields[13]) + int(fields[14])
            elif int(fields[1]) == postmaster:
                total += int(fields[11]) + int(fields[12])
    return total / _TICK
