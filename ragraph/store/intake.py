"""Ingest documents through the ingest package, and delete documents with their originals."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg

from ragraph.base.arguments import only_text, refusal, several, text, texts
from ragraph.base.content_names import relative
from ragraph.base.scratch import ScratchFolder
from ragraph.documents.assets import release
from ragraph.documents.deleting import attached_to, delete_rows
from ragraph.errors import ArgumentError, DocumentNotFoundError, RagraphError
from ragraph.models.registry import load_for, recorded_models

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import BinaryIO, TypeAlias, TypeGuard

    from ragraph.database.connection import Database
    from ragraph.documents.assets import Assets
    from ragraph.schema.reports import EmbedReport, FileReport, IngestReport, ProgressEvent

    Given: TypeAlias = str | Path | bytes | BinaryIO
    """What ``Store.ingest`` takes: a path, a pattern or an address, or the content of a file."""

_PATHS = "a path, bytes, a file object, or a list of these"

_BLOCK = 1024 * 1024

_HOW = ("workers", "progress", "job", "lease_s")
"""Options of ``Store.ingest`` for this process, which are not part of the job request."""


def ingest(
    database: Database,
    paths: Given | Iterable[Given],
    options: Mapping[str, Any],
    assets: Assets | None,
) -> IngestReport:
    """Ingest files, folders, records, bytes and file objects; see ``Store.ingest``."""
    chosen = [paths] if isinstance(paths, str | Path) or is_content(paths) else several("paths", _PATHS, paths)
    names = _names([path for path in chosen if is_content(path)], options)
    with ExitStack() as stack:
        named: list[str | Path] = []
        own: dict[str, str] = {}
        for path in chosen:
            if is_content(path):
                folder = stack.enter_context(ScratchFolder("upload")).path
                file = _written(path, folder / names[len(own)])
                own[str(file)] = names[len(own)]
                named.append(file)
                continue
            if not isinstance(path, str | Path):
                raise refusal("paths", _PATHS, path)
            if path == "":
                raise ArgumentError("a path is empty; the current folder is '.'")
            with only_text():
                os.fsencode(path)
            named.append(path if "://" in str(path) and isinstance(path, str) else Path(path))
        if options.get("name") is not None and not own:
            raise ArgumentError("name is for bytes and file objects; files have theirs")
        report = _ingest(database, named, {name: options[name] for name in options if name != "name"}, assets)
    return report if not own else replace(report, files=tuple(_of_content(file, own) for file in report.files))


def is_content(given: Any) -> TypeGuard[bytes | BinaryIO]:
    """Return True for bytes and file objects."""
    return isinstance(given, bytes | bytearray | memoryview) or callable(getattr(given, "read", None))


def _names(contents: Sequence[bytes | BinaryIO], options: Mapping[str, Any]) -> list[str]:
    """Return the file name of each content; equal names are refused, because the last would replace the others."""
    if contents and (options.get("job") or options.get("ray") is not None):
        raise ArgumentError("a job records files: bytes and file objects cannot be resumed", hint="use files")
    names = [_name(content, options.get("name")) for content in contents]
    if again := [name for number, name in enumerate(names) if name in names[:number]]:
        raise ArgumentError(
            f"several contents are called {again[0]!r}, so one would replace the other",
            hint="pass paths, or ingest each by a call of its own with a name= of its own",
        )
    return names


def _name(content: bytes | BinaryIO, name: str | None) -> str:
    """Return the file name of content: the given one with its folders, else that of the file object."""
    own = getattr(content, "name", None)
    called = relative(text("name", name if name is not None else Path(own).name if isinstance(own, str) else ""))
    if called is None:
        raise ArgumentError(
            "paths has bytes without a file name", hint="pass it as name='report.pdf'; its ending tells the format"
        )
    return called.as_posix()


def _written(content: bytes | BinaryIO, file: Path) -> Path:
    """Write bytes or a file object into a new file and return it.

    Raises:
        ArgumentError: the file object is closed, cannot be read, or is text.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("wb") as copy:
        if isinstance(content, bytes | bytearray | memoryview):
            copy.write(content)
            return file
        while block := _block(content):
            copy.write(block)
    return file


def _block(content: BinaryIO) -> bytes:
    try:
        block = content.read(_BLOCK)
    except (ValueError, OSError) as error:  # closed, open for writing only, or lost
        raise ArgumentError(f"the file object cannot be read: {error}", hint="open it with mode 'rb'") from error
    if isinstance(block, str):
        raise ArgumentError("the file object is open for text", hint="open it with mode 'rb'")
    return block


def _of_content(file: FileReport, own: Mapping[str, str]) -> FileReport:
    """Return a report with the name in place of the temporary path."""
    return replace(file, path=own.get(file.path, file.path))


def _ingest(
    database: Database, paths: Sequence[str | Path], options: Mapping[str, Any], assets: Assets | None
) -> IngestReport:
    how = {name: value for name, value in options.items() if name in _HOW}
    what = {name: value for name, value in options.items() if name not in (*_HOW, "ray")}
    jobs = from_ingester("ingest")
    request = jobs.IngestRequest.of(paths, **what)
    report: IngestReport
    if (ray := options.get("ray")) is None:
        report = jobs.ingest_paths(database, request, assets=assets, **how)
    else:
        how.pop("job", None)  # a run on Ray is always a job
        report = from_ingester("ray").ingest_on_ray(database, request, ray=ray, assets=assets, **how)
    return report


def resume(database: Database, job: str, options: Mapping[str, Any], assets: Assets | None) -> IngestReport:
    """Resume a job; see ``Store.resume_job``."""
    how = {name: value for name, value in options.items() if name != "ray"}
    report: IngestReport
    if (ray := options.get("ray")) is None:
        report = from_ingester("ingest").resume_job(database, job, assets=assets, **how)
    else:
        report = from_ingester("ray").resume_on_ray(database, job, ray=ray, assets=assets, **how)
    return report


def embed(
    database: Database,
    model: str,
    documents: str | Sequence[str] | None,
    naming: Mapping[str, Any],
    progress: Callable[[ProgressEvent], None] | None,
    settings: Any,
) -> EmbedReport:
    """Embed texts without a current vector; see ``Store.embed``, which lists the keys of ``naming``."""
    chosen = texts("documents", documents)
    loaded = load_for(database.retry_once(lambda: recorded_models(database)), model, **naming)
    report: EmbedReport = from_ingester("embed")(database, loaded, chosen, progress, settings)
    return report


def add(database: Database, drafts: Iterable[Any], options: Mapping[str, Any]) -> IngestReport:
    """Ingest drafts made by a program; see ``Store.add_many``."""
    if isinstance(drafts, str | bytes | Mapping) or not isinstance(drafts, Iterable):
        raise refusal("drafts", "an iterable of drafts", drafts)
    report: IngestReport = from_ingester("add")(database, drafts, **options)
    return report


def delete(database: Database, document: str, assets: Assets | None) -> list[str]:
    """Delete a document with everything derived from it and attached to it; see ``Store.delete``.

    Returns:
        Its id, and those of the documents that were attached to it.
    """
    done = False
    kept: set[str] = set()
    attached: list[str] = []

    def delete_it() -> None:
        nonlocal done, attached
        with database.write() as connection, only_text():
            try:
                attached = attached_to(connection, document) or attached
                kept.update(delete_rows(connection, document))
            except psycopg.Error as error:
                if not (done and error.sqlstate == DocumentNotFoundError.sqlstate):
                    raise
                connection.rollback()  # it was already committed, and only the answer was lost
            done = True

    database.retry_once(delete_it)
    if assets is not None and kept:
        with suppress(RagraphError):  # the document is deleted; clean_assets removes what remains
            release(database, assets, sorted(kept), warn=True)
    return [document, *attached]


def from_ingester(name: str) -> Any:
    """Return a function or module of the ingest package by its entry point; ragraph never imports that package."""
    return _registered()[name].load()


@cache
def _registered() -> dict[str, EntryPoint]:
    """Return the entry points of the ingest package by name; a search reads a file of each installed package.

    The first on the path counts, because an environment on top of another one may list the package twice.
    """
    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group="ragraph.ingester"):
        found.setdefault(entry.name, entry)
    return found
