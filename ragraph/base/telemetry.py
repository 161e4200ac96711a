"""OpenTelemetry spans and metrics for searches and ingestion (docs/how-to/serving.md lists them).

Only the API package is used. If the program has not loaded it, nothing is loaded or recorded. Spans and metrics never
contain text of queries or documents.
"""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from functools import cache, wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from opentelemetry.metrics import Counter, Histogram

    from ragraph.schema.reports import IngestReport

    Value = str | int | float | bool

P = ParamSpec("P")
R = TypeVar("R", bound="IngestReport")

_SCOPE = "ragraph"


@contextmanager
def measured(name: str, **attributes: Value) -> Iterator[dict[str, Value]]:
    """Record a block as a span, and its seconds in the histogram ``NAME.duration``, with the same attributes.

    Yields:
        A dict for further attributes of the span alone, read when the block ends.
    """
    found: dict[str, Value] = {}
    if not _is_loaded():
        yield found
        return
    from opentelemetry import trace

    stated = {f"{_SCOPE}.{key}": value for key, value in attributes.items()}
    begin = time.perf_counter()
    failed: dict[str, Value] = {}
    with trace.get_tracer(_SCOPE).start_as_current_span(name, attributes=stated) as span:
        try:
            yield found
        except BaseException as error:
            failed = {"error.type": type(error).__name__}
            raise
        finally:
            span.set_attributes({f"{_SCOPE}.{key}": value for key, value in found.items()} | failed)
            _histogram(f"{name}.duration").record(time.perf_counter() - begin, stated | failed)


def reported(name: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator that records a function's ingestion report: a span, and counts of files, nodes and vectors.

    Args:
        name: name of the span.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            with measured(name) as found:
                try:
                    report = function(*args, **kwargs)
                except Exception as error:
                    _record(getattr(error, "report", None), found)  # the report of a run that ended early
                    raise
                _record(report, found)
                return report

        return call

    return decorate


def _record(report: IngestReport | None, found: dict[str, Any]) -> None:
    if report is None or not _is_loaded():
        return
    found.update(report.totals)
    for file in report.files:
        status = {f"{_SCOPE}.status": file.status}
        _counter("ragraph.ingest.documents", "{document}").add(1, status)
        _histogram("ragraph.ingest.document.duration").record(file.seconds, status)
    _counter("ragraph.ingest.nodes", "{node}").add(report.totals["nodes"])
    _counter("ragraph.ingest.vectors", "{vector}").add(report.totals["embeddings"])


def _is_loaded() -> bool:
    return "opentelemetry.trace" in sys.modules and "opentelemetry.metrics" in sys.modules


@cache
def _histogram(name: str) -> Histogram:
    from opentelemetry import metrics

    return metrics.get_meter(_SCOPE).create_histogram(name, unit="s")


@cache
def _counter(name: str, unit: str) -> Counter:
    from opentelemetry import metrics

    return metrics.get_meter(_SCOPE).create_counter(name, unit=unit)
