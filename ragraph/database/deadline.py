"""A limit on the time of a transaction, not only of each of its statements."""

from __future__ import annotations

import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import psycopg

if TYPE_CHECKING:
    from collections.abc import Iterator

_AGAIN_S = 1.0
"""Seconds until the next statement is cancelled too, if the first one had just ended."""


class DeadlineError(Exception):
    """A block took longer than its limit, and its statement was cancelled."""


@contextmanager
def deadline(connection: psycopg.Connection[Any], seconds: float) -> Iterator[None]:
    """Cancel the statements of a connection once a block has taken longer than a limit.

    The transaction is then rolled back by whoever opened it.

    Args:
        connection: a connection with an open transaction; a thread of its own cancels its statements.
        seconds: limit of wall-clock time for the block.

    Raises:
        DeadlineError: the block took longer.
    """
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
            raise DeadlineError from error
        raise
    finally:
        ended.set()
        watcher.join()
    if expired.is_set():
        raise DeadlineError
