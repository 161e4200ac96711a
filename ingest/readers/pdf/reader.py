"""The PDF reader: structure from the page itself, without model weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ragraph.errors import DamagedFileError, IngestError, NoTextError
from ragraph.ingest.readers.pdf.blocks import in_order, make_blocks
from ragraph.ingest.readers.pdf.contents import take_contents
from ragraph.ingest.readers.pdf.drafting import make_draft
from ragraph.ingest.readers.pdf.entries import bind_endnotes, set_entries
from ragraph.ingest.readers.pdf.facts import open_pdf, read_facts
from ragraph.ingest.readers.pdf.figures import drop_repeated, find_figures
from ragraph.ingest.readers.pdf.furniture import take_furniture
from ragraph.ingest.readers.pdf.headings import set_headings
from ragraph.ingest.readers.pdf.joining import join_paragraphs
from ragraph.ingest.readers.pdf.kinds import set_items, set_kinds
from ragraph.ingest.readers.pdf.layout import Kind
from ragraph.ingest.readers.pdf.lines import make_lines, running_style
from ragraph.ingest.readers.pdf.notes import find_notes
from ragraph.ingest.readers.pdf.parse import parse_pages
from ragraph.ingest.readers.pdf.regions import in_stated_order, split_lines, stated_blocks, take_stated_furniture
from ragraph.ingest.readers.pdf.sizes import set_sizes
from ragraph.ingest.readers.pdf.tables import find_tables
from ragraph.ingest.readers.pdf.text import Vocabulary
from ragraph.ingest.readers.pdf.typography import restore_typography

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft
    from ragraph.ingest.readers import ReadOptions
    from ragraph.ingest.readers.pdf.facts import Facts
    from ragraph.ingest.readers.pdf.layout import Page, Style

RULES = "rules"
"""Name of the layout engine of this reader, recorded with every draft."""


class PdfReader:
    """Reads PDF files with a text layer."""

    name = "pdf"
    version = 1

    def read(self, path: Path, options: ReadOptions) -> Draft:
        """Return the draft of a PDF; the same file always gives the same draft.

        Raises:
            EncryptedFileError: the file needs a password, or another one than that of the options.
            DamagedFileError: no page of the file can be read.
            NoTextError: the pages are images.
            IngestError: the options name a layout engine that is not there.
        """
        if options.layout not in {"auto", RULES}:
            raise IngestError(f"layout {options.layout!r} is not known; take {RULES!r} or 'auto'")
        document = open_pdf(path, options.password)
        try:
            facts = read_facts(document)
            pages = list(parse_pages(path, options.password, options.pages))
            _check(path, pages)
            set_sizes(pages, document)
            for page in pages:
                restore_typography(page, document)
        finally:
            document.close()
        return _analyse(f"{self.name}/{self.version}", pages, facts)


def _check(path: Path, pages: list[Page]) -> None:
    if all(page.failed for page in pages):
        raise DamagedFileError(f"{path.name}: no page can be read; repair the file, or print it to PDF anew")
    if not any(page.words or page.sideways for page in pages):
        raise NoTextError(
            f"{path.name} has no text layer, its pages are images: recognise the text first (for example with ocrmypdf)"
        )


def _analyse(reader: str, pages: list[Page], facts: Facts) -> Draft:
    for page in pages:
        make_lines(page)
        split_lines(page)
    style = running_style(pages)
    vocabulary = Vocabulary(pages)
    take_furniture(pages, style)
    for page in pages:
        take_stated_furniture(page)
    drop_repeated(pages)
    entries = take_contents(pages)
    for page in pages:
        _make_page(page, style)
    set_headings(pages, style, facts.outline, entries)
    marks = find_notes(pages, style)
    set_items(pages)
    join_paragraphs(pages, style)
    set_entries(pages)
    marks += bind_endnotes(pages, marks)
    return make_draft(reader, pages, facts, marks, vocabulary, list(_warnings(pages)))


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


def _warnings(pages: list[Page]) -> Any:
    failed = [str(page.number) for page in pages if page.failed]
    if failed:
        yield f"pages that could not be read: {', '.join(failed[:20])}{' ...' if len(failed) > 20 else ''}"
    silent = [str(page.number) for page in pages if not page.failed and not page.words and page.images]
    if silent:
        shown = f"{', '.join(silent[:20])}{' ...' if len(silent) > 20 else ''}"
        yield f"pages without a text layer, whose text has to be recognised first: {shown}"
