"""Output of ingestion: progress, and the report."""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from rich.markup import escape
from rich.table import Table

from ragraph.base.counts import duration, many
from ragraph.base.extras import extra_there
from ragraph.errors import IngestEndedError
from ragraph.faces.cli.output import (
    console,
    errors,
    is_narrow,
    print_error,
    print_json,
    print_prose,
    shown,
    shown_path,
    worded,
)
from ragraph.schema.reports import ProgressEvent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.progress import Task, TaskID
    from rich.text import Text

    from ragraph.schema.reports import FileReport, IngestReport

Progress = Callable[[ProgressEvent], None]
ProgressKind = Literal["bar", "json", "none"]

_DETAILED = 40
"""Up to this many files, the table also lists unchanged ones."""
_TOO_SOON = 0.02
"""Share done up to which the time left would be a guess."""
_NAMED = 5
"""Maximum documents with missing files that are listed."""

_STYLES = {
    "added": "green",
    "changed": "cyan",
    "moved": "cyan",
    "record": "green",
    "failed": "bold red",
    "duplicate": "yellow",
}


@contextlib.contextmanager
def tell_progress(kind: ProgressKind, *, bars: bool = True) -> Iterator[Progress | None]:
    """Report the progress of a run on the error stream.

    Args:
        kind: ``bar`` draws one bar for files and one for vectors, on a terminal; ``json`` writes a line per event.
        bars: whether bars may be drawn at all.
    """
    if kind == "json":
        begin = time.monotonic()
        pace = _Pace()

        def write(event: ProgressEvent) -> None:
            seconds = time.monotonic() - begin
            pace.see(event, seconds)
            sys.stderr.write(json.dumps(_told(event, pace, seconds)) + "\n")
            sys.stderr.flush()

        yield write
    elif kind == "bar" and bars and errors.is_terminal:
        with _bars() as draw:
            yield draw
    else:
        yield None


def _told(event: ProgressEvent, pace: _Pace, seconds: float) -> dict[str, Any]:
    """Return an event as plain values, with the rates and the estimated time left."""
    told: dict[str, Any] = {"event": event.kind, "done": event.done, "total": event.total, "seconds": round(seconds, 3)}
    rate, left = pace.rate(seconds), pace.left(seconds)
    if event.kind == "embedded":
        told |= {"characters_done": event.characters_done, "characters_total": event.characters_total}
    else:
        told |= {"bytes_done": event.bytes_done, "bytes_read": event.bytes_read, "bytes_total": event.bytes_total}
    told |= {"bytes_per_second": rate and round(rate), "seconds_left": left and round(left, 1)}
    if event.path is not None:
        told["path"] = event.path
    if event.kind == "reading":
        told |= {"pages_done": event.pages_done, "pages_total": event.pages_total}
    if event.file is not None:
        file = event.file
        told |= {"status": file.status, "document_id": file.document_id, "reason": worded(file.reason)}
    return told


class _Pace:
    """Estimates the time left from the bytes that were read and the characters that have vectors.

    Files are read while earlier ones get their vectors, so the slower of the two says when the run ends. The rate of
    vectors counts from the first that are reported, because a model is loaded before these. How many characters files
    have that are not read is estimated from those that are.
    """

    def __init__(self) -> None:
        self._files = self._files_done = self._bytes = self._bytes_read = self._bytes_done = 0
        self._parts: dict[str | None, float] = {}  # share of the pages read of files that are being read
        self._characters = 0
        self._first: tuple[float, int] | None = None  # seconds, and characters with vectors
        self._last = (0.0, 0)
        self._ends: float | None = None

    def see(self, event: ProgressEvent, seconds: float) -> None:
        """Note the counts of an event, ``seconds`` after the begin."""
        if event.kind == "embedded":
            self._characters, self._last = event.characters_total, (seconds, event.characters_done)
            self._first = self._first or self._last
        else:
            self._files, self._files_done = event.total, event.done
            self._bytes, self._bytes_read, self._bytes_done = event.bytes_total, event.bytes_read, event.bytes_done
            if event.kind == "reading":
                self._parts[event.path] = event.pages_done / max(event.pages_total, 1)
            elif event.kind in ("stored", "finished"):
                self._parts.pop(event.path, None)
        parts = (self._reading_left(seconds), self._vectors_left())
        self._ends = None if None in parts else seconds + max(part for part in parts if part is not None)

    def rate(self, seconds: float) -> float | None:
        """Return the bytes read per second; None if nothing is read yet."""
        return self._bytes_read / seconds if self._bytes_read and seconds > 0 else None

    def left(self, seconds: float) -> float | None:
        """Return the seconds left at this time; None if nothing shows them yet, or more have passed meanwhile."""
        if self._files and self._files_done >= self._files:
            return 0.0
        return self._ends - seconds if self._ends is not None and self._ends > seconds else None

    def _reading_left(self, seconds: float) -> float | None:
        if not self._files:  # vectors alone
            return 0.0
        if not self._bytes or not self._bytes_read:  # how long vectors take shows after a file is read
            return None
        read = self._bytes_read + sum(self._parts.values()) * self._bytes / max(self._files, 1)
        share = min(read / self._bytes, 1.0)
        return seconds * (1 - share) / share if share > _TOO_SOON else None

    def _vectors_left(self) -> float | None:
        if self._first is None:
            return 0.0 if self._bytes_read <= self._bytes_done else None  # no file waits for vectors
        (began, before), (now, done) = self._first, self._last
        if done <= before or now <= began:
            return None
        expected = self._characters * self._bytes / self._bytes_read if self._bytes_read else self._characters
        return max(expected - done, 0) * (now - began) / (done - before)


@contextlib.contextmanager
def _bars() -> Iterator[Progress]:
    from rich.progress import BarColumn, MofNCompleteColumn, ProgressColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars
    from rich.text import Text as Words

    begin = time.monotonic()
    pace = _Pace()

    class Left(ProgressColumn):
        """The time left, which runs on between two events."""

        def render(self, task: Task) -> Text:
            left = pace.left(time.monotonic() - begin) if task.description == next(reversed(tasks), None) else None
            return Words(f"{duration(left)} left" if left is not None else "")

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    more = (TextColumn("{task.fields[pace]}"), Left(), TextColumn("{task.fields[doing]}"))
    with Bars(*columns, *more, console=errors, transient=True) as bars:
        read: set[str | None] = set()
        parts: dict[str | None, float] = {}  # share of the pages read of files that are being read
        tasks: dict[str, TaskID] = {}

        def task(name: str) -> TaskID:
            if name not in tasks:
                tasks[name] = bars.add_task(name, total=None, doing="", pace="")
            return tasks[name]

        def show_event(event: ProgressEvent) -> None:
            seconds = time.monotonic() - begin
            pace.see(event, seconds)
            if event.kind == "embedded":
                bars.update(task("vectors"), completed=event.done, total=event.total)
                return
            if event.kind in ("stored", "finished"):
                read.add(event.path)
                parts.pop(event.path, None)
            if event.kind == "reading":
                parts[event.path] = event.pages_done / max(event.pages_total, 1)
            # a file counts by its pages until its text is stored; the other bar counts its vectors
            done = max(event.done, len(read)) + sum(parts.values())
            update: dict[str, Any] = {"completed": min(done, event.total or done), "total": event.total}
            if (rate := pace.rate(seconds)) is not None:
                update["pace"] = f"{rate / 1e6:,.2f} MB/s"
            if event.kind in ("started", "reading"):
                update["doing"] = shown_path(Path(event.path or "").name)
            if event.kind == "reading":
                update["doing"] += f", page {event.pages_done:,} of {event.pages_total:,}"
            bars.update(task("files"), **update)

        yield show_event


def _in_options(report: IngestReport) -> IngestReport:
    files = tuple(
        replace(file, reason=worded(file.reason), warnings=tuple(worded(line) or "" for line in file.warnings))
        for file in report.files
    )
    left_out = tuple(replace(file, reason=worded(file.reason) or "") for file in report.left_out)
    return replace(report, files=files, left_out=left_out)


def show_report(report: IngestReport, *, json: bool, list_left_out: bool) -> None:
    """Print the results of the files, in the words of the command line."""
    report = _in_options(report)
    if json:
        print_json(report)
    else:
        _print(report, list_left_out=list_left_out)
    if report.ended:
        print_error(IngestEndedError(report.ended, report))


def _print(report: IngestReport, *, list_left_out: bool) -> None:
    narrow = is_narrow()
    table = Table(box=None, pad_edge=False, expand=narrow)
    table.add_column("Status")
    table.add_column("File", overflow="fold", ratio=1 if narrow else None)
    table.add_column("Document", overflow="fold")
    for name in ("Nodes",) if narrow else ("Nodes", "Components", "Relations", "Vectors", "Seconds"):
        table.add_column(name, justify="right")
    if not narrow:
        table.add_column("Why", overflow="fold")
    quiet = len(report.files) > _DETAILED
    for file in report.files:
        if not (quiet and file.status in {"unchanged", "pending"}):
            table.add_row(*_cells(file)[: len(table.columns)])
    if table.row_count:
        console.print(table)
    for file in report.files if narrow else ():
        if file.reason and file.status not in {"unchanged", "pending"}:
            print_prose(
                f"[{_STYLES.get(file.status, 'dim')}]{file.status}:[/] {shown(file.path)}: {shown(file.reason)}"
            )
    for file in report.files:
        for warning in file.warnings:
            errors.print(f"[yellow]warning:[/] {shown_path(file.path)}: {escape(warning)}", soft_wrap=True)
    if report.left_out:
        _print_left_out(report, named=list_left_out)
    if report.gone:
        count = len(report.gone)
        named = ", ".join(f"{file.document_id} ({file.path})" for file in report.gone[:_NAMED])
        more = f" and {len(report.gone) - _NAMED:,} more" if len(report.gone) > _NAMED else ""
        console.print(
            f"{many(count, 'document')} without a file, until `ragraph delete` or the file turns up: "
            f"{escape(named)}{more}",
            soft_wrap=True,
        )
    for warning in report.warnings:
        errors.print(f"[yellow]warning:[/] {escape(warning)}", soft_wrap=True)
    totals = report.totals
    counted = [
        f"{totals[status]:,} {status}"
        for status in ("added", "changed", "moved", "unchanged", "duplicate", "record", "failed", "pending")
        if status in totals
    ]
    rows = ", ".join(many(totals[f"{what}s"], what) for what in ("node", "component", "relation"))
    vectors = f"{many(totals['embeddings'], 'vector')} computed in {report.seconds:.1f} s"
    console.print(f"{', '.join(counted) or 'no files'}; {rows}, {vectors}")
    if console.is_terminal and (document := next((f.document_id for f in report.files if f.status == "added"), None)):
        _print_next(document)


def _print_next(document: str) -> None:
    """Print the commands that usually follow; only people at a terminal get them."""
    look = "ragraph serve --open" if extra_there("web") else f"ragraph render {document}"
    for line in ("Next:", '  ragraph search "a question" -k 3', f"  ragraph toc {document} --depth 2", f"  {look}"):
        console.print(line, soft_wrap=True, markup=False, highlight=False)


def _print_left_out(report: IngestReport, *, named: bool) -> None:
    if named:
        table = Table(box=None, pad_edge=False)
        for name in ("Left out", "Kind", "Why"):
            table.add_column(name, overflow="fold")
        for file in report.left_out:
            table.add_row(shown_path(file.path), file.kind, shown(file.reason))
        console.print(table)
    kinds = ", ".join(f"{many(count, kind)}" for kind, count in report.left_out_kinds.items())
    total = len(report.left_out)
    hint = "" if named else "; --list-left-out names them"
    console.print(f"{many(total, 'file')} left out: {kinds}{hint}", soft_wrap=True)


def _cells(file: FileReport) -> tuple[str, ...]:
    style = _STYLES.get(file.status, "dim")
    counts = (file.nodes, file.components, file.relations, file.embeddings)
    return (
        f"[{style}]{file.status}[/]",
        shown_path(file.path),
        escape(file.document_id or ""),
        *(f"{count:,}" if count else "" for count in counts),
        f"{file.seconds:.1f}",
        shown(file.reason or ""),
    )
