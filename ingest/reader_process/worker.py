"""The reader's process: takes requests on standard input, answers on what was its standard output.

A request is a line of JSON, ``{"path", "options", "limits", "cpu_s", "data_bytes"}``. An answer is one byte, ``D`` for
a draft or ``E`` for an error, eight bytes of length, big endian, and that many bytes of JSON. Any number of ``T`` may
come before it: additional seconds that the reader asks for, for work that the size of the file did not show. ``P`` may
come too: the pages read and the pages of the file. Nothing is pickled. Libraries that print cannot disturb the answers,
because their standard output is the error stream.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import shutil
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from ragraph import errors
from ragraph.base.counts import many
from ragraph.base.extra_time import on_request
from ragraph.base.extras import needed
from ragraph.base.notices import collect
from ragraph.base.pages_done import count_pages, on_pages, tell_share
from ragraph.base.scratch import prefix
from ragraph.base.system import lower_limit, processor_limit, processor_seconds
from ragraph.base.unseen_characters import counting
from ragraph.ingest.account.sources import account_of
from ragraph.ingest.common.charset import guessed_charsets
from ragraph.ingest.common.long_texts import cut_long_texts
from ragraph.ingest.common.memory import give_back
from ragraph.ingest.common.unseen import collecting, leave_out, letters
from ragraph.ingest.common.written import in_a_line
from ragraph.ingest.reader_process.figures import keep_pictures, without_assets
from ragraph.ingest.reader_process.preflight import Limits, preflight
from ragraph.ingest.readers import AUTO, FORMATS, ReadOptions, format_of, reader_for
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from ragraph.ingest.draft import Draft

HEADER_BYTES = 9

_NAMED = 8
"""Unaccounted words that a warning names."""

_TOLD = 0.00005
"""Share of unaccounted letters from which a warning tells of them: it would be shown as 0.00 % else."""

_LARGEST_TEMPORARY_FILE = 4 << 30

_COLLECT_AFTER = 100_000
"""New objects after which those that nobody reaches are looked for. Most objects of a document live until its end. By
Python's usual number they were looked through again and again, in a thirtieth of the time."""

_PAGES_EVERY_S = 0.5
"""Minimum seconds between two reports of the pages read."""


def read_draft(path: Path, options: ReadOptions, limits: Limits) -> Draft:
    """Return the draft of a file, read in this process.

    Raises:
        IngestError: the file cannot be read.
    """
    if options.charset == AUTO:
        options = replace(options, charset=None)
    with collect() as warnings, counting() as removed, collecting() as unseen, guessed_charsets() as guessed:
        try:
            preflight(path, limits, options.password)
            draft = without_assets(reader_for(path).read(path, options))
            if not options.hidden:
                draft = without_hidden(draft)
        except ModuleNotFoundError as error:
            reading = f"reading {FORMATS[format_of(path)].label} files"
            raise errors.IngestError(needed(reading, error.name)) from error
    if removed:
        warnings.append(f"{many(sum(removed), 'character')} left out: nobody sees them, and they can hide text")
    if unseen:
        warnings.append(f"{many(sum(map(letters, unseen)), 'letter')} left out: no person sees them in the file")
    if guessed:
        draft = draft.model_copy(update={"made_by": {**draft.made_by, "charset": guessed[0]}})
    if warnings:
        draft = draft.model_copy(update={"warnings": [*warnings, *draft.warnings]})
    draft = _accounted(path, draft, options, unseen)
    if options.pictures is not None:
        draft = keep_pictures(path, draft, Path(options.pictures), options.password)
    if not any(_holds_something(node) for node in draft.nodes if node.type is not ContentNodeType.PAGE_NUMBER):
        with path.open("rb") as file:
            if b"%PDF-" in file.read(1024):
                raise errors.NoTextError("its pages hold no text")
        raise errors.EmptyFileError("the file holds no text")
    tell_share(1)
    return cut_long_texts(draft)


def without_hidden(draft: Draft) -> Draft:
    """Return the draft without content that a program hides."""
    nodes = [node for node in draft.nodes if node.data.get("layer") != "invisible"]
    if len(nodes) == len(draft.nodes):
        return draft
    for node in draft.nodes:
        if node.data.get("layer") == "invisible":
            leave_out(node.text or node.description)
    keys = {node.key for node in nodes}
    relations = [one for one in draft.relations if one.source in keys and (one.target is None or one.target in keys)]
    used: set[str | None] = set()
    parents = {one.key: one.parent for one in draft.containers}
    for node in nodes:
        key = node.container
        while key is not None and key not in used:
            used.add(key)
            key = parents.get(key)
    containers = [one for one in draft.containers if one.key in used]
    return draft.model_copy(update={"nodes": nodes, "relations": relations, "containers": containers})


def _accounted(path: Path, draft: Draft, options: ReadOptions, unseen: list[str]) -> Draft:
    """Return the draft with the account of its file, and a warning if some of the text is unaccounted.

    Raises:
        IngestError: more is unaccounted than ``options.strict`` allows.
    """
    account = account_of(path, draft, options, unseen)
    if account is None:
        return draft
    made_by = {**draft.made_by, "account": account.to_json()}
    if not account.unaccounted:
        return draft.model_copy(update={"made_by": made_by})
    lost = 1 - account.share
    said = (
        f"{account.unaccounted:,} of {account.letters:,} letters of the file ({lost:.2%}) are not in the store:"
        f" {', '.join(account.samples[:_NAMED])}{' ...' if len(account.samples) > _NAMED else ''}"
    )
    if options.strict is not None and lost > options.strict:
        raise errors.IngestError(f"{said}; --strict allows {options.strict:.2%}")
    warnings = [*draft.warnings, *([f"{said}; `ragraph show` lists the account"] if lost >= _TOLD else [])]
    return draft.model_copy(update={"made_by": made_by, "warnings": warnings})


def _holds_something(node: Any) -> bool:
    return bool(node.text.strip() or node.description or node.storage_url or node.data.get("cells"))


def described(error: BaseException) -> tuple[str, str]:
    """Return the class of ragraph.errors and the one-line message for an exception of a reader."""
    said = in_a_line(error)
    match error:
        case errors.IngestError():
            return type(error).__name__, said[:500]  # our own message, short unless it quotes
        case MemoryError():
            return (
                "ReaderMemoryError",
                "reading the file took more memory than the limit; raise memory_bytes= or split it",
            )
        case RecursionError():
            return "DamagedFileError", "the file is nested too deeply to be read"
        case ImportError():
            return "IngestError", f"a library that reads this format is missing: {said[:300]}"
        case FileNotFoundError() | PermissionError() | IsADirectoryError():
            return "IngestError", f"cannot be opened: {said[:300]}"
        case _:
            cause = error.__cause__
            more = f" ({type(cause).__name__}: {' '.join(str(cause).split())[:200]})" if cause else ""
            return "DamagedFileError", f"the file cannot be read: {type(error).__name__}: {said[:300]}{more}"


def main() -> None:
    """Answer requests until standard input ends."""
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    gc.set_threshold(_COLLECT_AFTER)
    lower_limit("core", 0)
    lower_limit("file", _LARGEST_TEMPORARY_FILE)
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    _answer(answers, b"R", b"")
    on_request(lambda seconds: _more_time(answers, seconds))
    pages = _Pages(answers)
    on_pages(pages.tell)
    for line in requests:
        pages.begin()
        _answer(answers, *_answered(json.loads(line)))
        give_back()  # the next file may come much later


def _answered(request: dict[str, Any]) -> tuple[bytes, bytes]:
    # If the parent is killed while this process is stuck in C code, these limits still end it.
    lower_limit("processor", int(processor_seconds()) + int(request["cpu_s"]))
    lower_limit("memory", int(request["data_bytes"]))
    try:
        draft = read_draft(Path(request["path"]), _options(request["options"]), Limits(**request["limits"]))
        return b"D", draft.model_dump_json().encode()
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        name, message = described(error)
        # a module imported by half, or memory that ran out in C code, makes the next file fail as well
        spoiled = isinstance(error, MemoryError | ImportError | SystemError)
        return b"E", json.dumps({"error": name, "message": message, "spoiled": spoiled}).encode()


def _more_time(answers: Any, seconds: float) -> None:
    """Ask the parent for more seconds, and raise the limit of processor time by as much."""
    if (allowed := processor_limit()) is not None:
        lower_limit("processor", allowed + int(seconds * (os.cpu_count() or 1)))
    _answer(answers, b"T", json.dumps(seconds).encode())


class _Pages:
    """Tells the parent how many pages are read, now and then; never fewer than before."""

    def __init__(self, answers: Any) -> None:
        self._answers = answers
        self._told = 0.0
        self._done = 0.0

    def begin(self) -> None:
        """Begin a file."""
        self._done = 0.0
        count_pages(0)

    def tell(self, done: float, total: int) -> None:
        """Tell the pages, unless that was done a moment ago, but always the last."""
        now = time.monotonic()
        if done > self._done and (now - self._told >= _PAGES_EVERY_S or done >= total):
            self._told, self._done = now, done
            _answer(self._answers, b"P", json.dumps([done, total]).encode())


def _options(given: dict[str, Any]) -> ReadOptions:
    return TypeAdapter(ReadOptions).validate_python(given)


def _answer(stream: Any, kind: bytes, content: bytes) -> None:
    stream.write(kind + len(content).to_bytes(HEADER_BYTES - 1, "big"))
    stream.write(content)
    stream.flush()


def _end_with_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    _end(1)


def _end(code: int) -> None:
    """End at once, without waiting for threads of libraries. If the parent is gone, delete temporary files."""
    folder = Path(os.environ.get("TMPDIR", ""))
    if folder.name.startswith(prefix("read")):
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(code)


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):
        main()
    sys.stderr.flush()
    _end(0)
