"""Files read for learning: where they lie, up to a pass of the reader without what they state, and what was read kept.

What is kept is kept by the code that read it, so that nothing is learnt from what an older reader made.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import pickle
import tempfile
import zlib
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from bench.structure.strict.drafts import code_digest
from ragraph.errors import IngestError
from ragraph.pdf import passes
from ragraph.pdf.blocks import frames
from ragraph.pdf.page import direction
from ragraph.pdf.page.parse import parse_pages
from ragraph.pdf.stated.facts import Facts, open_pdf, read_facts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ragraph.pdf.model import Page

HERE = Path(__file__).parent
CACHE = Path(tempfile.gettempdir()) / "ragraph-learn"
"""Folder for what was read, if no other is given."""
Read = TypeVar("Read")


class Open(NamedTuple):
    """A file whose words are known, and nothing of what it states.

    Attributes:
        file: opened by ``open_pdf``.
        pages: with words and frames, as they are before tags are asked.
        facts: what the file says of itself.
    """

    file: Any
    pages: list[Page]
    facts: Facts


def options(about: str | None) -> argparse.ArgumentParser:
    """Return what every learner of lines is told on its command line: files, cache, and whether only to judge."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pdfs", type=Path, required=True, help="folder of the files of its list, by SHA-256")
    parser.add_argument("--cache", type=Path, default=CACHE, help="folder for what was read")
    parser.add_argument("--judge", action="store_true", help="cross-validate, write nothing")
    return parser


def listed(name: str) -> list[dict[str, Any]]:
    """Return the rows of a list of files that lies beside the modules."""
    return [json.loads(line) for line in (HERE / name).read_text(encoding="utf-8").splitlines()]


def places(pdfs: Path) -> dict[str, Path]:
    """Return the PDF files of a folder, in any folders below it, by their names, without ``.pdf``."""
    return {path.stem: path for path in sorted(pdfs.rglob("*.pdf"))}


def kept_in(cache: Path) -> Path:
    """Return the folder, below one for what was read, for what this code reads."""
    return cache / _digest()


def kept(cache: Path | None, path: Path, name: str, read: Callable[[], Read | None]) -> Read | None:
    """Return what is read of a file, which is read once by the same code; None if it is not there or cannot be read.

    Args:
        cache: folder for what was read; None reads anew.
        path: of the file; of one that is not there nothing is kept, as it may come.
        name: of what is read.
        read: reads; an ``IngestError`` says that the file cannot be read.
    """
    if not path.exists():
        return None
    place = kept_in(cache) / name if cache else None
    if place is not None and place.exists():
        known: Read | None = pickle.loads(zlib.decompress(place.read_bytes()))
        return known
    try:
        found = read()
    except IngestError:
        found = None
    if place is not None:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(zlib.compress(pickle.dumps(found), 1))
    return found


def read_pages(
    path: Path,
    window: tuple[int, int] | None,
    until: Callable[..., None],
    stated: Callable[[Open], Read],
) -> tuple[passes.Work, Read]:
    """Return a file up to a pass, read from its pages alone, and what it states.

    Args:
        path: of the file.
        window: first and last page that are read, from 1; None for all.
        until: the pass before which the reading stops, one of ``passes.ANALYSING``.
        stated: asks the open file what it states. What it changes in regions, images and drawings of the pages is put
            back, so that the passes see none of it.

    Raises:
        IngestError: the file cannot be read.
    """
    file = open_pdf(path, None)
    try:
        facts = read_facts(file)
        pages = list(parse_pages(path, None, window))
        work = passes.Work(path.name, pages, Facts(facts.page_count), file, False)
        passes.run(work, passes.PREPARING)
        passes.check_text(work)
        frames.set_frames(pages, file)
        passes.set_fields(work)
        drawn = [(page.images, page.drawings) for page in pages]
        found = stated(Open(file, pages, facts))
        for page, (images, drawings) in zip(pages, drawn, strict=True):
            page.regions, page.images, page.drawings = [], images, drawings
        direction.set_direction(pages)
    finally:
        file.close()
    work.file = None
    passes.run(work, _before(until))
    return work, found


def _before(until: Callable[..., None]) -> Sequence[passes.Pass]:
    at = next(at for at, step in enumerate(passes.ANALYSING) if step.run.__name__ == until.__name__)
    return passes.ANALYSING[:at]


@lru_cache(maxsize=1)
def _digest() -> str:
    """Return a digest of the modules of ingestion and of those that read for learning."""
    modules = b"".join(module.read_bytes() for module in sorted(HERE.glob("*.py")))
    return hashlib.sha256(code_digest().encode() + modules).hexdigest()[:16]
