"""The commands that ingest documents: ``ragraph ingest``, ``import``, ``embed``, ``explain`` and ``jobs resume``."""

from __future__ import annotations

import contextlib
import signal
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from ragraph.base.counts import many
from ragraph.base.defaults import CURRENT_MODEL
from ragraph.errors import (
    ArgumentError,
    IngestEndedError,
    IngestInterrupt,
    RagraphError,
    SchemaVersionError,
    ServerNotFoundError,
)
from ragraph.faces.cli import jobs
from ragraph.faces.cli.output import JsonOption, console, errors, open_store, print_error, print_json, worded
from ragraph.ingest.cli.background import changes, go_on_detached
from ragraph.ingest.cli.explain import explain
from ragraph.ingest.cli.options import (
    CollectionOption,
    DocumentOptions,
    EmbeddingOptions,
    EncoderOptions,
    LimitOptions,
    ModelOption,
    PartOptions,
    PasswordOption,
    PrintingOptions,
    RayOption,
    ReaderOptions,
    WorkersOption,
    grouped,
)
from ragraph.ingest.cli.progress import show_report, tell_progress
from ragraph.ingest.common import priority
from ragraph.ingest.common.memory import keep_little
from ragraph.ingest.files.addresses import is_address
from ragraph.ingest.readers import ReadOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ragraph.ingest.cli.progress import Progress
    from ragraph.ingest.jobs.request import IngestRequest
    from ragraph.schema.reports import IngestReport, ProgressEvent
    from ragraph.store.store import Store


def register(app: typer.Typer) -> None:
    """Add the commands of this module to the command line."""
    app.command()(ingest)
    app.command()(embed)
    app.command("import")(import_drafts)
    app.command()(explain)
    jobs.app.command()(resume)


def path(given: str) -> str | Path:
    """Return an argument as a path or an address. The help shows the name of this function."""
    if not given:  # an unset variable of a shell, which would mean the current folder
        raise typer.BadParameter("a path is empty; the current folder is '.'")
    return given if is_address(given) else Path(given)


@grouped
def ingest(
    *,
    paths: Annotated[
        list[Any] | None,  # what the parser returns: Typer makes a Path, and no address, of whatever a list[Path] has
        typer.Argument(
            metavar="PATH...", parser=path, help="Files, folders, patterns, addresses, or publication records (JSON)."
        ),
    ] = None,
    documents: DocumentOptions,
    list_left_out: Annotated[
        bool, typer.Option("--list-left-out", help="List the files in folders that were left out, with the reason.")
    ] = False,
    embedding: EmbeddingOptions,
    workers: WorkersOption = None,
    limits: LimitOptions,
    readers: ReaderOptions,
    no_keep: Annotated[
        bool,
        typer.Option("--no-keep", help="Store no copy of the files; pages can be shown while they stay in place."),
    ] = False,
    keep_versions: Annotated[
        str | None,
        typer.Option(
            metavar="N|all",
            help="Store this many earlier versions of each document; 0 stops it. The setting stays with the "
            "collection.",
        ),
    ] = None,
    parts: PartOptions,
    manifest: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Ingest the files that it lists, one JSON object per line: path or url; id, collection, tags, "
            "metadata, record.",
        ),
    ] = None,
    retry_failed: Annotated[
        bool,
        typer.Option(
            "--retry-failed", help="Instead of PATH: the files of the collection whose last attempt failed, in any job."
        ),
    ] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Keep running, and ingest new and changed files in the paths, until Ctrl-C.")
    ] = False,
    detach: Annotated[
        bool, typer.Option("--detach", help="Run the job in a background process, and print its id.")
    ] = False,
    ray: RayOption = None,
    printing: PrintingOptions,
) -> None:
    """Ingest files, folders and publication records. Known, unchanged files are skipped.

    A file that fails is reported with the reason, leaves the store as it was, and does not stop the others; the exit
    code is then 1 (130 after Ctrl-C, 143 after SIGTERM). Each run is a job: `ragraph status` shows its progress, and
    `ragraph jobs resume` resumes an interrupted one, here or on another machine.

    Examples:
        ragraph ingest report.pdf papers/ --collection climate --tag 2026
        ragraph ingest --retry-failed --timeout 1800
        ragraph ingest publications.json
        ragraph ingest book.epub --id dl_smith --no-embed
        ragraph ingest scans/ 'reports/**/*.pdf'
        ragraph ingest papers/ --detach
        ragraph ingest s3://bucket/papers/ https://example.org/report.pdf
        ragraph ingest papers/ --ray auto
    """
    _refuse_together(paths or (), manifest, ray, retry_failed=retry_failed, watch=watch, detach=detach)
    from ragraph.ingest.jobs.request import IngestRequest  # imported here so that --help stays fast

    request = IngestRequest.of(
        paths or (),
        collection=documents.collection,
        tags=documents.tag or (),
        document_id=documents.id,
        images=documents.images,
        **embedding.named(),
        options=readers.settings(),
        parts=parts.settings(),
        **limits.named(),
        keep=not no_keep,
        manifest=manifest,
        retry_failed=retry_failed,
    )
    kept = _kept(keep_versions)
    with _opened(request) as store:
        priority.give_way()
        keep_little()
        if keep_versions is not None:
            store.keep_versions(documents.collection, kept)
        if detach:
            _leave_to_background(store, request, workers, printing)
            return
        for chosen in changes(paths or (), images=documents.images) if watch else (request.paths,):
            now = replace(request, paths=tuple(chosen))
            run = partial(_take_in, store, now, workers=workers, ray=ray)
            code = _run(run, printing, list_left_out=list_left_out)
            if code and (code != 1 or not watch):
                raise typer.Exit(code)


def _opened(request: IngestRequest) -> Store:
    """Open the store, and create a missing one only if there is something to ingest: a path may be mistyped.

    Raises:
        ArgumentError: there is no store, and no file or folder at any of the paths.
    """
    from ragraph.ingest.files.discover import nothing_there

    named = request.paths or ((request.manifest,) if request.manifest else ())
    missing = nothing_there(named)
    try:
        return open_store(create=not missing)
    except (ServerNotFoundError, SchemaVersionError):
        if not missing:
            raise
        names = ", ".join(map(str, named))
        raise ArgumentError(f"there is no such file or folder: {names}", hint="no store was created") from None


def _refuse_together(
    paths: Sequence[str | Path],
    manifest: Path | None,
    ray: str | None,
    *,
    retry_failed: bool,
    watch: bool,
    detach: bool,
) -> None:
    """Refuse options of ``ingest`` that exclude each other."""
    if retry_failed == bool(paths or manifest):
        raise typer.BadParameter("give paths, or --manifest, or --retry-failed for the files that failed")
    if watch and (detach or retry_failed or manifest or not all(isinstance(given, Path) for given in paths)):
        raise typer.BadParameter(
            "--watch is for paths on this machine, without --detach, --manifest and --retry-failed"
        )
    if ray is not None and detach:
        raise typer.BadParameter("--ray is for a job that this process waits for, not with --detach")


def _take_in(
    store: Store, request: IngestRequest, progress: Progress | None, *, workers: int | None, ray: str | None
) -> IngestReport:
    """Ingest the request as a job, in this process or on the nodes of a cluster."""
    how: dict[str, Any] = {"workers": workers, "progress": progress, "assets": store.assets}
    if ray is None:
        from ragraph.ingest.jobs.start import ingest_paths

        return ingest_paths(store.database, request, job=True, **how)
    from ragraph.ingest.jobs.on_ray import ingest_on_ray

    return ingest_on_ray(store.database, request, ray=ray, **how)


def _leave_to_background(store: Store, request: IngestRequest, workers: int | None, printing: PrintingOptions) -> None:
    """Create the job, start a process that runs it, and print its id."""
    from ragraph.ingest.jobs.start import plan_job

    job_id = plan_job(store.database, request)
    file = go_on_detached(job_id, workers=workers, password=request.options.password, log=printing.log)
    if printing.json:
        print_json({"job_id": job_id, "log": str(file)})
    else:
        console.print(f"{job_id} runs in the background; `ragraph status` shows its progress, {file} its output")


@grouped
def resume(
    *,
    job: jobs.JobArgument,
    workers: WorkersOption = None,
    password: PasswordOption = None,
    ray: RayOption = None,
    printing: PrintingOptions,
) -> None:
    """Resume a job, or help with one.

    A job that was interrupted, ended early or cancelled is resumed with its own options. A running job gets help:
    several processes may work on a job, on machines that see the same files, and each file is done by one of them.

    Examples:
        ragraph jobs resume job_1b9f3c2a7d40
        ragraph jobs resume job_1b9f3c2a7d40 --ray auto
    """
    with open_store() as store:
        priority.give_way()
        keep_little()
        options = ReadOptions(password=password)
        code = _run(
            lambda progress: store.resume_job(job, workers=workers, options=options, progress=progress, ray=ray),
            printing,
        )
    if code:
        raise typer.Exit(code)


def _kept(given: str | None) -> int | None:
    if given is None or given == "all":
        return None
    if not given.isdecimal():
        raise typer.BadParameter(f"{given!r} is neither a number nor 'all'", param_hint="--keep-versions")
    return int(given)


def _run(
    run: Callable[[Progress | None], IngestReport], printing: PrintingOptions, *, list_left_out: bool = False
) -> int:
    """Ingest, print the report, and return the exit code, however the run ends."""
    from ragraph.base.log import print_log  # imported here so that --help stays fast

    code = 0
    with _terminable(), print_log(printing.log or "none", worded):
        try:
            # libraries may print meanwhile, as Ray does when a node is lost; that is not part of the report
            with (
                contextlib.redirect_stdout(sys.stderr),
                tell_progress(printing.progress, bars=not printing.json) as told,
            ):
                report = run(told)
        except IngestEndedError as error:
            report = error.report
        except IngestInterrupt as error:
            report = error.report
            code = _exit_code(error.__cause__)
        show_report(report, json=printing.json, list_left_out=list_left_out)
    return code or int(not report.ok)


@grouped
def embed(
    *,
    model: ModelOption = CURRENT_MODEL,
    document: Annotated[list[str] | None, typer.Option(help="Only this document; may be repeated.")] = None,
    name: Annotated[str | None, typer.Option(help="Name of the model in the store; default its own.")] = None,
    query_prefix: Annotated[str | None, typer.Option(help="Text before queries; default as the model states.")] = None,
    document_prefix: Annotated[str | None, typer.Option(help="Text before texts; default as the model states.")] = None,
    encoder: EncoderOptions,
    parts: PartOptions,
    json: JsonOption = False,
) -> None:
    """Embed texts that have no current vector under a model. A store may have several models.

    Examples:
        ragraph embed
        ragraph embed --model sentence-transformers/all-mpnet-base-v2
        ragraph embed --model ./e5 --query-prefix 'query: '
        ragraph embed --model openai:bge-m3 --base-url http://localhost:11434/v1
    """
    settings = parts.settings()
    with open_store() as store, tell_progress("bar", bars=not json) as progress, _counted(progress) as counted:
        priority.give_way()
        keep_little()
        report = store.embed(
            model,
            document,
            name=name,
            query_prefix=query_prefix,
            document_prefix=document_prefix,
            **encoder.named(),
            progress=counted,
            settings=settings,
        )
    if json:
        print_json(report)
        return
    console.print(
        f"{many(report.embeddings, 'vector')} of {many(report.documents, 'document')} under {escape(report.model)}, "
        f"{report.deleted:,} outdated ones removed, {report.seconds:.1f} s"
    )
    for warning in report.warnings:
        errors.print(f"[yellow]warning:[/] {escape(warning)}", soft_wrap=True)


@grouped
def import_drafts(
    *,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="JSON lines, or rows of a Parquet file, one draft each; - reads standard input."
        ),
    ],
    collection: CollectionOption = "default",
    embedding: EmbeddingOptions,
    json: JsonOption = False,
) -> None:
    """Import drafts of documents that a program wrote.

    Drafts are described in docs/how-to/drafts.md. A known draft is skipped; of a changed one, the changes are written.

    Examples:
        ragraph import drafts.jsonl --collection wiki
        ragraph import library.parquet --no-embed
        my-export | ragraph import -
    """
    with open_store(create=True) as store, contextlib.ExitStack() as stack:
        given: Iterable[Any]
        if file.suffix == ".parquet":
            from ragraph.ingest.supplied.parquet import read_parquet

            given = read_parquet(file)
        else:
            lines = sys.stdin.buffer if str(file) == "-" else stack.enter_context(file.open("rb"))
            given = (line for line in lines if line.strip())
        report = store.add_many(
            given,
            collection=collection,
            **embedding.named(),
        )
    show_report(report, json=json, list_left_out=False)
    if not report.ok:
        raise typer.Exit(1)


class _Terminated(KeyboardInterrupt):
    """SIGTERM, which ends a run as Ctrl-C does, after the report."""


def _exit_code(error: BaseException | None) -> int:
    """Return 128 and the number of the signal, which is what shells report of a program ended by one."""
    return 128 + (signal.SIGTERM if isinstance(error, _Terminated) else signal.SIGINT)


@contextlib.contextmanager
def _terminable() -> Iterator[None]:
    def end(*_: object) -> None:
        raise _Terminated("ended by SIGTERM")

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextlib.contextmanager
def _counted(progress: Progress | None) -> Iterator[Progress]:
    """Count the vectors written, and report the number if Ctrl-C or SIGTERM ends the context."""
    done, total = 0, 0

    def count(event: ProgressEvent) -> None:
        nonlocal done, total
        done, total = event.done, event.total
        if progress:
            progress(event)

    try:
        with _terminable():
            yield count
    except KeyboardInterrupt as error:
        ended = str(error) or "ended by Ctrl-C"
        said = f"{ended}; {done:,} of {many(total, 'vector')} were written: run it again to continue"
        print_error(RagraphError(said))
        raise typer.Exit(_exit_code(error)) from error
