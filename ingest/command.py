"""The commands that put documents in: ``ragraph ingest`` and ``ragraph embed``."""

from __future__ import annotations

import contextlib
import re
import signal
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.markup import escape
from rich.table import Table

from ragraph.cli.output import (
    JsonOption,
    console,
    errors,
    is_narrow,
    open_store,
    print_error,
    print_json,
    print_prose,
    shown,
)
from ragraph.embedding import DEFAULT_MODEL
from ragraph.errors import IngestEndedError, IngestInterrupt
from ragraph.ingest.parts import PartSettings, Strategy
from ragraph.ingest.preflight import MEMORY_BYTES, TIMEOUT_S, Limits
from ragraph.ingest.readers import ReadOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.progress import TaskID

    from ragraph.schema.reports import FileReport, IngestReport, ProgressEvent

_MIB = 1024 * 1024
_DETAILED = 40
"""Files that a table still shows one by one when nothing happened to them."""
_NAMED = 5
"""Documents whose files are gone that are named."""

_STYLES = {
    "added": "green",
    "changed": "cyan",
    "moved": "cyan",
    "record": "green",
    "failed": "bold red",
    "duplicate": "yellow",
}

_Layout = Literal["auto", "rules", "model"]

BackendOption = Annotated[
    str | None,
    typer.Option(
        envvar="RAGRAPH_BACKEND",
        help="What computes the vectors: auto, the fastest on this machine that finds the same neighbours; plain; "
        "torch, openvino or onnx, also with /f32 or /bf16.",
    ),
]
_MODEL_HELP = "Embedding model: the default, a name on the hub, a folder, or openai:NAME behind an endpoint."
UrlOption = Annotated[
    str | None,
    typer.Option(metavar="URL", help="Endpoint of openai:NAME; default RAGRAPH_EMBEDDING_URL, else OpenAI's."),
]
TokensOption = Annotated[
    int | None, typer.Option(min=16, help="Tokens that the model of openai:NAME reads; default 512.")
]
_PARTS = "Long texts"
StrategyOption = Annotated[
    Strategy,
    typer.Option(
        rich_help_panel=_PARTS,
        help="node: whole nodes, longer ones cut where sentences end; sentence: about --target tokens of whole "
        "sentences; recursive: paragraphs, then lines, sentences, words; fixed: every --target tokens.",
    ),
]
TargetOption = Annotated[
    int | None, typer.Option(min=1, rich_help_panel=_PARTS, help="Tokens per part; default what the model reads.")
]
MinimumOption = Annotated[
    int | None, typer.Option(min=0, rich_help_panel=_PARTS, help="Fewest tokens; default a quarter of the target.")
]
MaximumOption = Annotated[
    int | None, typer.Option(min=1, rich_help_panel=_PARTS, help="Most tokens; default what the model reads.")
]
OverlapOption = Annotated[
    int | None, typer.Option(min=0, rich_help_panel=_PARTS, help="Tokens shared with the part before; default 15 %.")
]


def register(app: typer.Typer) -> None:
    """Add the commands of this module to the command line."""
    app.command()(ingest)
    app.command()(embed)
    app.command("import")(import_drafts)


def path(given: str) -> Path:
    """Read a path; its name is what the help calls the argument."""
    if not given:  # an unset variable of a shell; it would mean the current folder
        raise typer.BadParameter("a path is empty; the current folder is '.'")
    return Path(given)


def ingest(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="PATH...", parser=path, help="Files, folders, or publication records (JSON)."),
    ],
    id: Annotated[
        str | None, typer.Option("--id", help="Id of the document; for a single file. Default: from its bytes.")
    ] = None,
    collection: Annotated[str, typer.Option(help="Namespace that the documents belong to.")] = "default",
    tag: Annotated[list[str] | None, typer.Option(help="Label of the publications; may be repeated.")] = None,
    images: Annotated[
        bool,
        typer.Option(
            "--images",
            help="Take in images beside documents too, as scanned pages; a folder of nothing but images is anyway.",
        ),
    ] = False,
    list_left_out: Annotated[
        bool, typer.Option("--list-left-out", help="Name the files of folders that were left out, and why.")
    ] = False,
    model: Annotated[str, typer.Option(help=_MODEL_HELP)] = DEFAULT_MODEL,
    backend: BackendOption = None,
    base_url: UrlOption = None,
    max_tokens: TokensOption = None,
    no_embed: Annotated[bool, typer.Option("--no-embed", help="Leave the embedding to `ragraph embed`.")] = False,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Files read at the same time; default one per core, at most 4.")
    ] = None,
    timeout: Annotated[
        float, typer.Option(min=0.1, help="Seconds that reading a file may take; a page read by OCR adds up to 60.")
    ] = TIMEOUT_S,
    memory: Annotated[
        int, typer.Option(min=128, metavar="MIB", help="Memory that reading a file may take.")
    ] = MEMORY_BYTES // _MIB,
    max_size: Annotated[int, typer.Option(min=1, metavar="MIB", help="Largest file, packed and unpacked.")] = 1024,
    password: Annotated[str | None, typer.Option(help="Opens PDFs that need one.", envvar="RAGRAPH_PASSWORD")] = None,
    layout: Annotated[
        _Layout,
        typer.Option(
            help="How the structure of PDFs is found: rules; model, docling's layout model beneath the rules; auto, "
            "the model where its weights are on this machine, else rules."
        ),
    ] = "auto",
    no_ocr: Annotated[
        bool, typer.Option("--no-ocr", help="Leave PDF pages that are images unread, though the extra ocr is there.")
    ] = False,
    no_keep: Annotated[
        bool,
        typer.Option("--no-keep", help="Keep no copy of the files; pages can be shown while they stay in place."),
    ] = False,
    strategy: StrategyOption = "node",
    target: TargetOption = None,
    minimum: MinimumOption = None,
    maximum: MaximumOption = None,
    overlap: OverlapOption = None,
    json: JsonOption = False,
) -> None:
    """Take in files, folders and publication records. What is known and unchanged is passed over.

    A file that cannot be taken in is reported with the reason, leaves the store as it was, and does not stop the
    others; the exit code is then 1.

    Examples:
        ragraph ingest report.pdf papers/ --collection climate --tag 2026
        ragraph ingest publications.json
        ragraph ingest book.epub --id dl_smith --no-embed
        ragraph ingest scans/
    """
    parts = _parts(strategy, target, minimum, maximum, overlap)
    code = 0
    with _terminable(), open_store(create=True) as store:
        try:
            with _bars(show=not json) as progress:
                report = store.ingest(
                    paths,
                    collection=collection,
                    tags=tag or (),
                    document_id=id,
                    keep=not no_keep,
                    images=images,
                    model=None if no_embed else model,
                    backend=backend,
                    base_url=base_url,
                    max_tokens=max_tokens,
                    options=ReadOptions(password=password, layout=layout, ocr=not no_ocr),
                    parts=parts,
                    limits=Limits(file_bytes=max_size * _MIB, unpacked_bytes=max_size * _MIB),
                    workers=workers,
                    timeout_s=timeout,
                    memory_bytes=memory * _MIB,
                    progress=progress,
                )
        except IngestEndedError as error:
            report = error.report
        except IngestInterrupt as error:
            report = error.report
            code = 1 if isinstance(error.__cause__, _Terminated) else 130
        _show(report, json=json, list_left_out=list_left_out)
    if code or not report.ok:
        raise typer.Exit(code or 1)


def embed(
    model: Annotated[str, typer.Option(help=_MODEL_HELP)] = DEFAULT_MODEL,
    document: Annotated[list[str] | None, typer.Option(help="Only this document; may be repeated.")] = None,
    name: Annotated[str | None, typer.Option(help="Name of the model in the store; default its own.")] = None,
    query_prefix: Annotated[str | None, typer.Option(help="Put before queries; default as the model states.")] = None,
    document_prefix: Annotated[str | None, typer.Option(help="Put before texts; default as the model states.")] = None,
    backend: BackendOption = None,
    base_url: UrlOption = None,
    max_tokens: TokensOption = None,
    strategy: StrategyOption = "node",
    target: TargetOption = None,
    minimum: MinimumOption = None,
    maximum: MaximumOption = None,
    overlap: OverlapOption = None,
    json: JsonOption = False,
) -> None:
    """Embed what has no current vector under a model. Models live side by side.

    Examples:
        ragraph embed
        ragraph embed --model sentence-transformers/all-mpnet-base-v2
        ragraph embed --model ./e5 --query-prefix 'query: '
        ragraph embed --model openai:bge-m3 --base-url http://localhost:11434/v1
    """
    parts = _parts(strategy, target, minimum, maximum, overlap)
    with open_store() as store, _bars(show=not json) as progress:
        report = store.embed(
            model,
            document,
            name=name,
            query_prefix=query_prefix,
            document_prefix=document_prefix,
            backend=backend,
            base_url=base_url,
            max_tokens=max_tokens,
            progress=progress,
            settings=parts,
        )
    if json:
        print_json(report)
        return
    console.print(
        f"{report.embeddings:,} vectors of {report.documents:,} documents under {escape(report.model)}, "
        f"{report.deleted:,} outdated ones removed, {report.seconds:.1f} s"
    )
    for warning in report.warnings:
        errors.print(f"[yellow]warning:[/] {escape(warning)}", soft_wrap=True)


def import_drafts(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="JSON lines, a draft each; - reads standard input.")],
    collection: Annotated[str, typer.Option(help="Namespace that the documents belong to.")] = "default",
    model: Annotated[str, typer.Option(help=_MODEL_HELP)] = DEFAULT_MODEL,
    backend: BackendOption = None,
    base_url: UrlOption = None,
    max_tokens: TokensOption = None,
    no_embed: Annotated[bool, typer.Option("--no-embed", help="Leave the embedding to `ragraph embed`.")] = False,
    json: JsonOption = False,
) -> None:
    """Take in drafts that a program wrote, one a line.

    What a draft is says docs/drafts.md. One that is known is passed over, of one that changed what did is written.

    Examples:
        ragraph import drafts.jsonl --collection wiki
        my-export | ragraph import -
    """
    with open_store(create=True) as store, contextlib.ExitStack() as stack:
        lines = sys.stdin.buffer if str(file) == "-" else stack.enter_context(file.open("rb"))
        report = store.add_many(
            (line for line in lines if line.strip()),
            collection=collection,
            model=None if no_embed else model,
            backend=backend,
            base_url=base_url,
            max_tokens=max_tokens,
        )
    _show(report, json=json, list_left_out=False)
    if not report.ok:
        raise typer.Exit(1)


class _Terminated(KeyboardInterrupt):
    """SIGTERM, which ends a run as Ctrl-C does: after the report."""


@contextlib.contextmanager
def _terminable() -> Iterator[None]:
    def end(*_: object) -> None:
        raise _Terminated("ended by SIGTERM")

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _parts(
    strategy: Strategy, target: int | None, minimum: int | None, maximum: int | None, overlap: int | None
) -> PartSettings:
    try:
        return PartSettings(strategy=strategy, target=target, minimum=minimum, maximum=maximum, overlap=overlap)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


@contextlib.contextmanager
def _bars(*, show: bool) -> Iterator[Callable[[ProgressEvent], None] | None]:
    """Draw a bar for files and one for vectors on the error stream, if that is a terminal."""
    if not show or not errors.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, TextColumn("{task.fields[doing]}"), console=errors, transient=True) as bars:
        tasks: dict[str, TaskID] = {}

        def task(name: str) -> TaskID:
            if name not in tasks:
                tasks[name] = bars.add_task(name, total=None, doing="")
            return tasks[name]

        def show_event(event: ProgressEvent) -> None:
            update: dict[str, Any] = {"completed": event.done, "total": event.total}
            if event.kind == "embedded":
                bars.update(task("vectors"), **update)
            elif event.kind == "started":
                bars.update(task("files"), doing=escape(Path(event.path or "").name), **update)
            else:
                bars.update(task("files"), **update)

        yield show_event


_WORDED = {
    "timeout_s=": "--timeout",
    "memory_bytes=": "--memory",
    "limits=": "--max-size",
    "collection=": "--collection",
    "images=True": "--images",
    "password=": "--password",
    "ocr=False": "--no-ocr",
    "layout='rules'": "--layout rules",
}
"""Arguments of ``Store.ingest`` and ``ReadOptions`` that reasons name, and the options for them."""


def _worded(text: str | None) -> str | None:
    """Return what a report says in the words of the command line."""
    for argument, option in _WORDED.items():
        text = text and re.sub(rf"\b{argument}(?=\W|$)", option, text)
    return text


def _in_options(report: IngestReport) -> IngestReport:
    files = tuple(
        replace(file, reason=_worded(file.reason), warnings=tuple(_worded(line) or "" for line in file.warnings))
        for file in report.files
    )
    left_out = tuple(replace(file, reason=_worded(file.reason) or "") for file in report.left_out)
    return replace(report, files=files, left_out=left_out)


def _show(report: IngestReport, *, json: bool, list_left_out: bool) -> None:
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
            errors.print(f"[yellow]warning:[/] {escape(file.path)}: {escape(warning)}", soft_wrap=True)
    if report.left_out:
        _print_left_out(report, named=list_left_out)
    if report.gone:
        count = len(report.gone)
        named = ", ".join(f"{file.document_id} ({file.path})" for file in report.gone[:_NAMED])
        more = f" and {len(report.gone) - _NAMED:,} more" if len(report.gone) > _NAMED else ""
        console.print(
            f"{count:,} {_plural('document', count)} without a file, until `ragraph delete` or the file turns up: "
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
    console.print(
        f"{', '.join(counted) or 'no files'}; {totals['nodes']:,} nodes, {totals['components']:,} components, "
        f"{totals['relations']:,} relations, {totals['embeddings']:,} vectors computed in {report.seconds:.1f} s"
    )


def _print_left_out(report: IngestReport, *, named: bool) -> None:
    if named:
        table = Table(box=None, pad_edge=False)
        for name in ("Left out", "Kind", "Why"):
            table.add_column(name, overflow="fold")
        for file in report.left_out:
            table.add_row(escape(file.path), file.kind, escape(file.reason))
        console.print(table)
    kinds = ", ".join(f"{count:,} {_plural(kind, count)}" for kind, count in report.left_out_kinds.items())
    total = len(report.left_out)
    hint = "" if named else "; --list-left-out names them"
    console.print(f"{total:,} {_plural('file', total)} left out: {kinds}{hint}", soft_wrap=True)


def _plural(kind: str, count: int) -> str:
    if count == 1 or kind in ("hidden", "unreadable"):
        return kind
    return kind.replace("link", "links") if kind.startswith("link") else f"{kind}s"


def _cells(file: FileReport) -> tuple[str, ...]:
    style = _STYLES.get(file.status, "dim")
    counts = (file.nodes, file.components, file.relations, file.embeddings)
    return (
        f"[{style}]{file.status}[/]",
        escape(file.path),
        escape(file.document_id or ""),
        *(f"{count:,}" if count else "" for count in counts),
        f"{file.seconds:.1f}",
        escape(file.reason or ""),
    )
