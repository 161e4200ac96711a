"""A PDF file after all passes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.base.pages_done import count_pages, tell_share
from ragraph.pdf.page.parse import parse_pages
from ragraph.pdf.passes import ANALYSING, PASSES, PREPARING, STATING, Work, run
from ragraph.pdf.stated import engines
from ragraph.pdf.stated.facts import open_pdf, read_facts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from ragraph.pdf.model import Page
    from ragraph.pdf.work import Pass

PARSED = 0.4
"""Share of the time that parsing takes, measured on a book of 228 pages. Each pass counts the same."""

MADE = 0.97
"""Share of the time until all passes are done; the draft and its account take the rest."""


def analyse(
    path: Path,
    *,
    password: str | None = None,
    pages: tuple[int, int] | None = None,
    layout: str = "auto",
    ocr: bool = True,
    ocr_model: str | None = None,
) -> Work:
    """Return a file after all passes: pages with their blocks in reading order, facts, notes, warnings.

    Args:
        path: the file.
        password: opens an encrypted file.
        pages: first and last page to read, from 1, inclusive; None = all.
        layout: how structure is found: ``rules``, ``model`` or ``auto`` (``engines.choose``).
        ocr: recognise the text of pages that are images, where the packages are installed.
        ocr_model: file of another model that recognises lines; None = the packaged one.

    Raises:
        EncryptedFileError: the file needs a password, or another one.
        DamagedFileError: no page of the file can be read.
        NoTextError: the pages are images, and their text cannot be or is not to be recognised.
        IngestError: there is no such layout engine.
    """
    engine = engines.choose(layout)
    file = open_pdf(path, password)
    try:
        facts = read_facts(file)
        total = min(pages[1], len(file)) - pages[0] + 1 if pages else len(file)
        count_pages(total)
        parsed: list[Page] = []
        for page in parse_pages(path, password, pages):
            parsed.append(page)
            tell_share(PARSED * len(parsed) / total)
        work = Work(path.name, parsed, facts, file, ocr, engine, ocr_model)
        run(work, _told((*PREPARING, *STATING), 0))
    finally:
        file.close()
    work.file = None
    run(work, _told(ANALYSING, len(PREPARING) + len(STATING)))
    return work


def _told(passes: Iterable[Pass], before: int) -> Iterator[Pass]:
    """Yield passes, and tell after each how much is done; ``before`` have run already."""
    for number, step in enumerate(passes, before + 1):
        yield step
        tell_share(PARSED + (MADE - PARSED) * number / len(PASSES))
