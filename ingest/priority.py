"""Which processes wait for others."""

from __future__ import annotations

import contextlib
import os

_PRIORITY = 10
"""Of jobs among the processes of a machine, -20 to 19, the usual being 0: an idle machine lends them all it has."""


def give_way() -> None:
    """Lower the priority of this process and of those it starts: who searches meanwhile waits less.

    Call it when the store is open, so that a server that was started for it keeps its own.
    """
    with contextlib.suppress(AttributeError, OSError):  # where there is no such thing, or it is not allowed
        if os.getpriority(os.PRIO_PROCESS, 0) < _PRIORITY:
            os.setpriority(os.PRIO_PROCESS, 0, _PRIORITY)
