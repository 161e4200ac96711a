"""The commands that put documents in: ``ragraph ingest`` and ``ragraph embed``."""

from __future__ import annotations

import contextlib
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from ragraph.base.counts import many
from ragraph.base.defaults import CURRENT_MODEL
from ragraph.base.settings import LogKind
from ragraph.errors import IngestEndedError, IngestInterrupt, RagraphError
from ragraph.faces.cli import jobs
from ragraph.faces.cli.output import JsonOption, console, errors, open_store, print_error, print_json, worded
from ragraph.ingest.cli.background import changes, go_on_detached
from ragraph.ingest.cli.explain import explain
from ragraph.ingest.cli.progress import ProgressKind, show_report, tell_progress
from ragraph.ingest.common import priority
from ragraph.ingest.common.memory import keep_little
from ragraph.ingest.files.addresses import is_address
from ragraph.ingest.readers import Layout, ReadOptions
from ragraph.ingest.reading.preflight import MEMORY_BYTES, TIMEOUT_S, Limits
from ragraph.ingest.vectors.parts import PartSettings, Strategy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ragraph.ingest.cli.progress import Progress
    from ragraph.schema.reports import IngestReport, ProgressEvent

_MIB = 1024 * 1024

BackendOption = Annotated[
    str | None,
    typer.Option(
        envvar="RAGRAPH_BACKEND",
        help="What computes the vectors: auto, the first that is faster on this machine and finds the same "
        "neighbours; plain; torch, openvino or onnx, also with /f32 or /bf16.",
    ),
]
_MODEL_HELP = "Embedding model: the one in use, a name on the hub, a folder, or openai:NAME behind an endpoint."
UrlOption = Annotated[
    str | None,
    typer.Option(metavar="URL", help="Endpoint of openai:NAME; default RAGRAPH_EMBEDDING_URL, else OpenAI's."),
]
TokensOption = Annotated[
    int | None, typer.Option(min=16, help="Tokens that the model of openai:NAME reads; default 512.")
]
WorkersOption = Annotated[
    int | None, typer.Option(min=1, help="Files read at the same time; default one per core, at most 4.")
]
RayOption = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Share the job among the nodes of a Ray cluster: auto, HOST:PORT, ray://HOST:PORT; local starts one.",
    ),
]
PasswordOption = Annotated[str | None, typer.Option(help="Opens PDFs that need one.", envvar="RAGRAPH_PASSWORD")]
ProgressOption = Annotated[
    ProgressKind,
    typer.Option(help="How far it is, on standard error: bar, on a terminal; json, a line for each file; none."),
]
LogOption = Annotated[
    LogKind | None,
    typer.Option(
        envvar="RAGRAPH_LOG",
        help="The log on standard error: json, a line an event with job, file, document, stage, seconds; text; none.",
    ),
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
    app.command()(explain)
    jobs.app.command()(resume)


def path(given: str) -> str | Path:
    """Read a path or an address; its name is what the help calls the argument."""
    if not given:  # an unset variable of a shell; it would mean the current folder
        raise typer.BadParameter("a path is empty; the current folder is '.'")
    return given if is_address(given) else Path(given)


def ingest(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="PATH...", parser=path, help="Files, folders, patterns, addresses, or publication records (JSON)."
        ),
    ] = None,
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
    model: Annotated[str, typer.Option(help=_MODEL_HELP)] = CURRENT_MODEL,
    backend: BackendOption = None,
    base_url: UrlOption = None,
    max_tokens: TokensOption = None,
    no_embed: Annotated[bool, typer.Option("--no-embed", help="Leave the embedding to `ragraph embed`.")] = False,
    workers: WorkersOption = None,
    timeout: Annotated[
        float, typer.Option(min=0.1, help="Seconds that reading a file may take; a page read by OCR adds up to 60.")
    ] = TIMEOUT_S,
    memory: Annotated[
        int, typer.Option(min=128, metavar="MIB", help="Memory that reading a file may take.")
    ] = MEMORY_BYTES // _MIB,
    max_size: Annotated[int, typer.Option(min=1, metavar="MIB", help="Largest file, packed and unpacked.")] = 1024,
    password: PasswordOption = None,
    layout: Annotated[
        Layout,
        typer.Option(
            help="How the structure of PDFs is found: rules; model, docling's layout model beneath the rules where its "
            "weights are on this machine, else the votes of that of the extra layout; auto, docling's, else rules."
        ),
    ] = "auto",
    no_ocr: Annotated[
        bool, typer.Option("--no-ocr", help="Leave PDF pages that are images unread, though the extra ocr is there.")
    ] = False,
    ocr_model: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Recognise such pages by this model, for letters that the packaged one does not know: one of "
            "PaddleOCR's that recognise lines, as ONNX.",
        ),
    ] = None,
    no_keep: Annotated[
        bool,
        typer.Option("--no-keep", help="Keep no copy of the files; pages can be shown while they stay in place."),
    ] = False,
    keep_versions: Annotated[
        str | None,
        typer.Option(
            metavar="N|all",
            help="Keep what documents were before they change, of each so many versions; 0 ends it. Stays so for the "
            "collection.",
        ),
    ] = None,
    strategy: StrategyOption = "node",
    target: TargetOption = None,
    minimum: MinimumOption = None,
    maximum: MaximumOption = None,
    overlap: OverlapOption = None,
    manifest: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Take in the files that it lists, a JSON object a line: path or url; id, collection, tags, metadata, "
            "record.",
        ),
    ] = None,
    retry_failed: Annotated[
        bool,
        typer.Option(
            "--retry-failed", help="In place of PATH: the files of the collection whose last try failed, in any job."
        ),
    ] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Stay, and take in what is new or changed in the paths, until Ctrl-C.")
    ] = False,
    detach: Annotated[
        bool, typer.Option("--detach", help="Leave the job to a process in the background; prints its id.")
    ] = False,
    ray: RayOption = None,
    progress: ProgressOption = "bar",
    log: LogOption = None,
    json: JsonOption = False,
) -> None:
    """Take in files, folders and publication records. What is known and unchanged is passed over.

    A file that cannot be taken in is reported with the reason, leaves the store as it was, and does not stop the
    others; the exit code is then 1. Each run is a job: `ragraph status` says how far it is, `ragraph jobs resume` goes
    on with one that was cut off, here or on another machine.

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
    if retry_failed == bool(paths or manifest):
        raise typer.BadParameter("give paths, or --manifest, or --retry-failed for the files that failed")
    if watch and (detach or retry_failed or manifest or not all(isinstance(given, Path) for given in paths or ())):
        raise typer.BadParameter(
            "--watch is for paths on this machine, without --detach, --manifest and --retry-failed"
        )
    if ray is not None and detach:
        raise typer.BadParameter("--ray is for a job that this process waits for, not with --detach")
    asked: dict[str, Any] = {
        "manifest": manifest,
        "collection": collection,
        "tags": tag or (),
        "document_id": id,
        "keep": not no_keep,
        "images": images,
        "model": None if no_embed else model,
        "backend": backend,
        "base_url": base_url,
        "max_tokens": max_tokens,
        "options": ReadOptions(
            password=password,
            layout=layout,
            ocr=not no_ocr,
            ocr_model=str(ocr_model.resolve()) if ocr_model else None,
        ),
        "parts": _parts(strategy, target, minimum, maximum, overlap),
        "limits": Limits(file_bytes=max_size * _MIB, unpacked_bytes=max_size * _MIB),
        "timeout_s": timeout,
        "memory_bytes": memory * _MIB,
    }
    kept = _kept(keep_versions)
    with open_store(create=True) as store:
        priority.give_way()
        keep_little()
        if keep_versions is not None:
            store.keep_versions(collection, kept)

        def take_in(chosen: Sequence[str | Path]) -> int:
            return _run(
                lambda told: store.ingest(
                    chosen, retry_failed=retry_failed, workers=workers, progress=told, job=True, ray=ray, **asked
                ),
                progress,
                log or "none",
                json=json,
                list_left_out=list_left_out,
            )

        if detach:
            from ragraph.ingest.jobs.start import plan_job  # here: the help prints without what it needs

            job_id = plan_job(store.database, paths or (), retry_failed=retry_failed, **asked)
            file = go_on_detached(job_id, workers=workers, password=password, log=log)
            if json:
                print_json({"job_id": job_id, "log": str(file)})
            else:
                console.print(
                    f"{job_id} goes on in the background; `ragraph status` says how far it is, {file} the rest"
                )
            return
        for chosen in changes(paths or (), images=images) if watch else (paths or (),):
            code = take_in(chosen)
            if code and (code != 1 or not watch):
                raise typer.Exit(code)


def resume(
    job: jobs.JobArgument,
    workers: WorkersOption = None,
    password: PasswordOption = None,
    ray: RayOption = None,
    progress: ProgressOption = "bar",
    log: LogOption = None,
    json: JsonOption = False,
) -> None:
    """Go on with a job, or help with one.

    One that was cut off, ended early or was cancelled goes on with what was asked for it; one that is running gets
    help: several processes may be at a job, on machines that see the same files, and each file is done by one of them.

    Examples:
        ragraph jobs resume job_1b9f3c2a7d40
        ragraph jobs resume job_1b9f3c2a7d40 --ray auto
    """
    with open_store() as store:
        priority.give_way()
        keep_little()
        code = _run(
            lambda told: store.resume_job(
                job, workers=workers, options=ReadOptions(password=password), progress=told, ray=ray
            ),
            progress,
            log or "none",
            json=json,
            list_left_out=False,
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
    run: Callable[[Progress | None], IngestReport],
    progress: ProgressKind,
    log: LogKind,
    *,
    json: bool,
    list_left_out: bool,
) -> int:
    """Ingest, print the report, and return the exit code, however the run ends."""
    from ragraph.base.log import print_log  # here: the help prints without what it needs

    code = 0
    with _terminable(), print_log(log, worded):
        try:
            # what libraries print meanwhile, as Ray does of a node that was lost, is no part of the report
            with contextlib.redirect_stdout(sys.stderr), tell_progress(progress, bars=not json) as told:
                report = run(told)
        except IngestEndedError as error:
            report = error.report
        except IngestInterrupt as error:
            report = error.report
            code = 1 if isinstance(error.__cause__, _Terminated) else 130
        show_report(report, json=json, list_left_out=list_left_out)
    return code or int(not report.ok)


def embed(
    model: Annotated[str, typer.Option(help=_MODEL_HELP)] = CURRENT_MODEL,
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
    with open_store() as store, tell_progress("bar", bars=not json) as progress, _counted(progress) as counted:
        priority.give_way()
        keep_little()
        report = store.embed(
            model,
            document,
            name=name,
            query_prefix=query_prefix,
            document_prefix=document_prefix,
            backend=backend,
            base_url=base_url,
            max_tokens=max_tokens,
            progress=counted,
            settings=parts,
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


def import_drafts(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="JSON lines or rows of Parquet, a draft each; - reads lines from standard input."
        ),
    ],
    collection: Annotated[str, typer.Option(help="Namespace that the documents belong to.")] = "default",
    model: Annotated[str, typer.Option(help=_MODEL_HELP)] = CURRENT_MODEL,
    backend: BackendOption = None,
    base_url: UrlOption = None,
    max_tokens: TokensOption = None,
    no_embed: Annotated[bool, typer.Option("--no-embed", help="Leave the embedding to `ragraph embed`.")] = False,
    json: JsonOption = False,
) -> None:
    """Take in drafts of documents that a program wrote.

    What a draft is says docs/drafts.md. One that is known is passed over, of one that changed what did is written.

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
            model=None if no_embed else model,
            backend=backend,
            base_url=base_url,
            max_tokens=max_tokens,
        )
    show_report(report, json=json, list_left_out=False)
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


@contextlib.contextmanager
def _counted(progress: Progress | None) -> Iterator[Progress]:
    """Say how many vectors were written, should Ctrl-C or SIGTERM end what is in here."""
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
        said = f"{ended}; {done:,} of {many(total, 'vector')} were written: run the same again to go on"
        print_error(RagraphError(said))
        raise typer.Exit(1 if isinstance(error, _Terminated) else 130) from error


def _parts(
    strategy: Strategy, target: int | None, minimum: int | None, maximum: int | None, overlap: int | None
) -> PartSettings:
    try:
        return PartSettings(strategy=strategy, target=target, minimum=minimum, maximum=maximum, overlap=overlap)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
