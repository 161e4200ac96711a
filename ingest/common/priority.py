"""Priority of ingesting processes."""

from __future__ import annotations

import contextlib
import os

from ragraph.base import settings


def give_way() -> None:
    """Lower the priority of this process and of those it starts, so that searches wait less.

    On an idle machine they still get all of its time. Call it after the store is open, so that a server that was
    started for it keeps its own priority.

    Raises:
        ArgumentError: ``RAGRAPH_NICE`` is not a number from 0 to 19.
    """
    wanted = settings.nice()
    with contextlib.suppress(AttributeError, OSError):  # the system has no priorities, or does not allow it
        if os.getpriority(os.PRIO_PROCESS, 0) < wanted:
            os.setpriority(os.PRIO_PROCESS, 0, wanted)
