"""The log of ingestion: structlog on top of the standard library's logging, whose handlers and levels apply.

Loggers are named ``ragraph...``. Nothing is printed unless the program has handlers of its own or calls ``print_log``.
The fields of an event become attributes of its log record (its ``extra``). The log never contains text of documents.
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
# Without this handler, failed files would be printed in programs that configured no logging. Other warnings of the
# store are still printed.
logging.getLogger(_INGEST).addHandler(logging.NullHandler())


def logger(name: str, **fields: Any) -> BoundLogger:
    """Return a standard library logger that takes fields: ``log.info("file done", document=..., seconds=...)``.

    Args:
        name: ``ragraph`` or a child of it.
        fields: added to each event; fields that are None are left out.
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
    """Print the log on standard error during a block, one line for each event.

    Args:
        kind: ``json`` prints one object a line; ``text`` prints readable lines; ``none`` prints nothing.
        worded: rewrites reasons for the reader of the log, because they name Python arguments.
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
    """Writes to the current ``sys.stderr``, so that progress bars drawn there move out of the way."""

    def emit(self, record: logging.LogRecord) -> None:
        self.stream = sys.stderr
        super().emit(record)


def _without_none(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    return {key: value for key, value in event.items() if value is not None}


def _printable(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """Remove control characters from names before they reach a terminal, and keep each event on one line."""
    return {key: _on_one_line(value) if isinstance(value, str) else value for key, value in event.items()}


def _on_one_line(text: str) -> str:
    return " ".join(clean(text).splitlines())
