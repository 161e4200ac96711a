"""The PDF reader: structure from the page itself, without model weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ragraph.errors import DamagedFileError, NoTextError
from ragraph.ingest.readers.pdf.blocks.assembly import in_order, make_blocks
from ragraph.ingest.readers.pdf.blocks.figures import drop_repeated, find_figures
from ragraph.ingest.readers.pdf.blocks.frames import set_boxes, set_frames
from ragraph.ingest.readers.pdf.blocks.joining import join_paragraphs
from ragraph.ingest.readers.pdf.blocks.kinds import set_items, set_kinds
from ragraph.ingest.readers.pdf.drafting import make_draft
from ragraph.ingest.readers.pdf.furniture.running import take_furniture
from ragraph.ingest.readers.pdf.headings.choosing import set_headings
from ragraph.ingest.readers.pdf.headings.contents import take_contents
from ragraph.ingest.readers.pdf.model import Kind
from ragraph.ingest.readers.pdf.notes.entries import bind_endnotes, set_entries
from ragraph.ingest.readers.pdf.notes.footnotes import mark_notes
from ragraph.ingest.readers.pdf.page.lines import make_lines, running_style
from ragraph.ingest.readers.pdf.page.ocr import EXTRA, available, is_scanned, recognise
from ragraph.ingest.readers.pdf.page.parse import parse_pages
from ragraph.ingest.readers.pdf.page.sizes import set_sizes
from ragraph.ingest.readers.pdf.page.typography import restore_typography
from ragraph.ingest.readers.pdf.stated import engines
from ragraph.ingest.readers.pdf.stated.facts import open_pdf, read_facts
from ragraph.ingest.readers.pdf.stated.regions import (
    in_stated_order,
    join_items,
    settle_notes,
    split_lines,
    stated_blocks,
    take_stated_furniture,
)
from ragraph.ingest.readers.pdf.stated.tags import evidence, state_tags
from ragraph.ingest.readers.pdf.tables.finding import find_tables, keep_heads
from ragraph.ingest.readers.pdf.tables.pages import join_tables
from ragraph.ingest.readers.pdf.text import Vocabulary

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft
    from ragraph.ingest.readers import ReadOptions
    from ragraph.ingest.readers.pdf.model import Page, Style
    from ragraph.ingest.readers.pdf.notes.marks import NoteMark
    from ragraph.ingest.readers.pdf.stated.facts import Facts

_DOUBTFUL = 0.9
"""Confidence below which a user is told to look at a page: sound scans have 0.98 and more, letters unknown to the
models 0.84."""


class PdfReader:
    """Reads PDF files; pages that are images by OCR, where that is installed."""

    name = "pdf"
    version = 2

    def read(self, path: Path, options: ReadOptions) -> Draft:
        """Return the draft of a PDF; the same file always gives the same draft.

        Raises:
            EncryptedFileError: the file needs a password, or another one than that of the options.
            DamagedFileError: no page of the file can be read.
            NoTextError: the pages are images, and their text cannot be or is not to be recognised.
            IngestError: the options name a layout engine that is not there.
        """
        layout = engines.choose(options.layout)
        document = open_pdf(path, options.password)
        try:
            facts = read_facts(document)
            pages = list(parse_pages(path, options.password, options.pages))
            made_by, warnings = prepare(path.name, pages, document, ocr=options.ocr)
            set_frames(pages, document)
            tags = state_tags(pages, document, facts.outline)
            if tags.used:  # they say all that a model could
                layout = engines.Rules()
            layout.state_regions(pages, document)
            made_by |= {"layout": layout.name, **evidence(facts, tags)}
        finally:
            document.close()
        marks, vocabulary = analyse(pages, facts)
        return make_draft(f"{self.name}/{self.version}", pages, facts, marks, vocabulary, warnings, made_by)


def prepare(
    name: str, pages: list[Page], document: Any, *, ocr: bool, silent: bool = False
) -> tuple[dict[str, Any], list[str]]:
    """Set sizes of type and typography, and recognise pages that are images.

    Args:
        name: of the file, for messages.
        pages: from ``parse_pages``; they change.
        document: the file, opened by ``facts.open_pdf``.
        ocr: whether text may be recognised.
        silent: whether a file without text is let through.

    Returns:
        What to record of the work, and lines for the user.

    Raises:
        DamagedFileError: no page can be read.
        NoTextError: no page holds text, and none could be recognised.
    """
    if all(page.failed for page in pages):
        raise DamagedFileError(f"{name}: no page can be read; repair the file, or print it to PDF anew")
    warnings = []
    failed = [page.number for page in pages if page.failed]
    if failed:
        warnings.append(f"pages that could not be read: {_listed(failed)}")
    set_sizes(pages, document)
    for page in pages:
        restore_typography(page, document)
    made_by: dict[str, Any] = {}
    scanned = [page for page in pages if is_scanned(page)]
    if scanned and ocr and available():
        found = recognise(scanned, document)
        made_by["ocr"] = {
            "engine": found.engine,
            "pages": sorted(found.pages),
            "confidence": round(sum(found.pages.values()) / len(found.pages), 3) if found.pages else None,
        }
        doubtful = [number for number, sure in sorted(found.pages.items()) if sure < _DOUBTFUL]
        if doubtful:
            warnings.append(f"pages whose text was hard to recognise, look at them: {_listed(doubtful)}")
    elif scanned:
        numbers = _listed([page.number for page in scanned])
        if ocr:
            made_by["lacks"] = ["ocr"]
            warnings.append(f"pages that are images were left unread: {numbers}; to recognise their text: {EXTRA}")
        else:
            warnings.append(f"pages that are images were left unread, as asked for: {numbers}")
    if not silent and not any(page.words or page.sideways for page in pages):
        raise NoTextError(f"{name} {_why_silent(bool(scanned), ocr)}")
    return made_by, warnings


def _why_silent(scanned: bool, ocr: bool) -> str:
    if not scanned:
        return "holds no text and no images; there is nothing to take in"
    if not ocr:
        return "has no text layer, its pages are images; leave out --no-ocr to recognise their text"
    if not available():
        return f"has no text layer, its pages are images; to recognise their text: {EXTRA}"
    return "has no text layer, and none was recognised in the images of its pages"


def _listed(numbers: list[int]) -> str:
    return f"{', '.join(map(str, numbers[:20]))}{' ...' if len(numbers) > 20 else ''}"


def analyse(pages: list[Page], facts: Facts) -> tuple[list[NoteMark], Vocabulary]:
    """Set furniture and blocks of all pages; return the marks of notes and the words of the document.

    Args:
        pages: with words, prepared; they change.
        facts: what the file says of itself.
    """
    for page in pages:
        make_lines(page)
        split_lines(page)
    style = running_style(pages)
    vocabulary = Vocabulary(pages)
    take_furniture(pages, style)
    for page in pages:
        take_stated_furniture(page)
        keep_heads(page)
    drop_repeated(pages)
    entries = take_contents(pages)
    for page in pages:
        _make_page(page, style)
    set_headings(pages, style, facts.outline, entries)
    marks = mark_notes(pages, style)
    settle_notes(pages)
    set_items(pages)
    join_tables(pages)
    join_items(pages)
    join_paragraphs(pages, style)
    set_entries(pages)
    marks += bind_endnotes(pages, marks)
    set_boxes(pages, style)
    return marks, vocabulary


def _make_page(page: Page, style: Style) -> None:
    """Set the blocks of a page in reading order."""
    stated, free = stated_blocks(page, page.lines)
    tables = find_tables(page, free, style.mono)
    free = [line for line in free if not any(line in table.lines for table in tables)]
    figures = find_figures(page, free, [*tables, *(block for block in stated if block.kind is Kind.FIGURE)])
    inside = {id(line) for figure in figures for line in figure.lines}
    free = [line for line in free if id(line) not in inside]
    blocks = [*page.blocks, *stated, *tables, *figures, *make_blocks(page, free, style)]
    page.blocks = in_stated_order(blocks) or in_order(page, blocks)
    set_kinds(page, style)
