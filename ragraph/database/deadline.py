"""Limits of a transaction: on its time, also if its client is gone, on its memory and its temporary files."""

from __future__ import annotations

import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import psycopg

from ragraph.base.queries import QUERIES

if TYPE_CHECKING:
    from collections.abc import Iterator

_AGAIN_S = 1.0
"""Seconds until the next statement is cancelled too, if the first one had just ended."""

_LATER_S = 10.0
"""Seconds after the limit at which the server itself ends a statement, for a client that is stopped or lost."""

_MEMORY_KB = 64 << 10
"""Maximum memory of each sort or hash table of a statement; the rest goes into temporary files."""

_FILES_KB = 10 << 20
"""Maximum size of the temporary files of a session, which only roles with the right to set it can limit."""


class DeadlineError(Exception):
    """A block took longer than its limit, or needed larger temporary files; its statement was cancelled."""


@contextmanager
def deadline(connection: psycopg.Connection[Any], seconds: float) -> Iterator[None]:
    """Cancel the statements of a connection once a block has taken longer than a limit.

    The transaction is then rolled back by whoever opened it. Until it ends, the server limits its statements too: their
    time, in case this process is stopped, their memory and, if the role may set it, their temporary files. Lower limits
    of the server or of the role stay.

    Args:
        connection: a connection with an open transaction; a thread of its own cancels its statements.
        seconds: limit of wall-clock time for the block.

    Raises:
        DeadlineError: the block took longer, or its temporary files were larger than 10 GiB; the message says which.
    """
    limits = {"milliseconds": round(1000 * (seconds + _LATER_S)), "memory": _MEMORY_KB, "files": _FILES_KB}
    connection.execute(QUERIES["limit_transaction"], limits)
    too_long = f"took longer than {seconds:g} s"
    ended = threading.Event()
    expired = threading.Event()

    def watch() -> None:
        wait = seconds
        while not ended.wait(wait):
            expired.set()
            with suppress(psycopg.Error):
                connection.cancel()
            wait = _AGAIN_S

    watcher = threading.Thread(target=watch, name="ragraph-deadline", daemon=True)
    watcher.start()
    try:
        yield
    except psycopg.errors.QueryCanceled as error:
        if expired.is_set():
            raise DeadlineError(too_long) from error
        raise
    except psycopg.errors.ConfigurationLimitExceeded as error:
        raise DeadlineError(f"needed temporary files of more than {_FILES_KB >> 20} GiB") from error
    finally:
        ended.set()
        watcher.join()
    if expired.is_set():
        raise DeadlineError(too_long)
