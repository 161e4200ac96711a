"""Which processes wait for others."""

from __future__ import annotations

import contextlib
import os

from ragraph.base import settings


def give_way() -> None:
    """Lower the priority of this process and of those it starts: who searches meanwhile waits less.

    An idle machine lends them all it has. Call it when the store is open, so that a server that was started for it
    keeps its own.

    Raises:
        ArgumentError: ``RAGRAPH_NICE`` is no number from 0 to 19.
    """
    wanted = settings.nice()
    with contextlib.suppress(AttributeError, OSError):  # where there is no such thing, or it is not allowed
        if os.getpriority(os.PRIO_PROCESS, 0) < wanted:
            os.setpriority(os.PRIO_PROCESS, 0, wanted)
