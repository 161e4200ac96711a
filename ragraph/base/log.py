"""The log of ingestion: structlog over the standard library's logging, whose handlers and levels hold.

Loggers are called ``ragraph...``. Nothing is printed unless a program has handlers of its own, or has ``print_log``
called; the fields of an event are attributes of its record then (its ``extra``). Texts of documents are never told.
"""

from __future__ import annotations

import logging
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

import structlog
from structlog.processors import JSONRenderer, TimeStamper
from structlog.stdlib import BoundLogger, ExtraAdder, ProcessorFormatter, add_log_level, filter_by_level

from ragraph.base.terminal import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from structlog.typing import EventDict, Processor, WrappedLogger

    from ragraph.base.settings import LogKind

_ROOT = "ragraph"
_INGEST = f"{_ROOT}.ingest"
# else files that failed were printed where no program asked for a log; other warnings of the store still are
logging.getLogger(_INGEST).addHandler(logging.NullHandler())


def logger(name: str, **fields: Any) -> BoundLogger:
    """Return a logger of the standard library that takes fields: ``log.info("file done", document=..., seconds=...)``.

    Args:
        name: ``ragraph`` or beneath.
        fields: told with each event; None is left out.
    """
    given = {key: value for key, value in fields.items() if value is not None}
    log: BoundLogger = structlog.wrap_logger(
        logging.getLogger(name),
        processors=[filter_by_level, _without_none, structlog.stdlib.render_to_log_kwargs],
        wrapper_class=BoundLogger,
        cache_logger_on_first_use=False,
    ).bind(**given)
    return log


@contextmanager
def print_log(kind: LogKind, worded: Callable[[str], str | None] | None = None) -> Iterator[None]:
    """Print the log on standard error for a block, a line for each event.

    Args:
        kind: ``json``, an object a line; ``text``; ``none`` prints nothing.
        worded: puts reasons into the words of whoever reads the log; they name arguments of Python.
    """
    if kind == "none":
        yield
        return
    last: list[Processor] = [JSONRenderer()]
    if kind == "text":
        last = [_printable, structlog.dev.ConsoleRenderer(colors=False, pad_event_to=0)]

    def reason_worded(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
        if worded is not None and isinstance(said := event.get("reason"), str):
            event["reason"] = worded(said)
        return event

    handler = _StandardError()
    handler.setFormatter(
        ProcessorFormatter(
            processors=[ProcessorFormatter.remove_processors_meta, reason_worded, *last],
            foreign_pre_chain=[add_log_level, ExtraAdder(), TimeStamper(fmt="iso", utc=True)],
        )
    )
    log = logging.getLogger(_ROOT)
    before = log.level
    log.addHandler(handler)
    log.setLevel(min(before or logging.INFO, logging.INFO))
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(before)


class _StandardError(logging.StreamHandler[TextIO]):
    """Writes to what standard error is at that moment: bars that are drawn there move out of the way."""

    def emit(self, record: logging.LogRecord) -> None:
        self.stream = sys.stderr
        super().emit(record)


def _without_none(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    return {key: value for key, value in event.items() if value is not None}


def _printable(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """Control characters of names never reach a terminal, and an event stays on its line."""
    return {key: _on_one_line(value) if isinstance(value, str) else value for key, value in event.items()}


def _on_one_line(text: str) -> str:
    return " ".join(clean(text).splitlines())
