"""The list of passes: what is done to a file after it is parsed, in this order, and what each reads and sets."""

from __future__ import annotations

from ragraph.base.hyphens import Vocabulary
from ragraph.errors import DamagedFileError, NoTextError
from ragraph.pdf.blocks import asides, assembly, figures, frames, joining, kinds, order, parting
from ragraph.pdf.doubts import weighing
from ragraph.pdf.doubts.signs import Decided, Document
from ragraph.pdf.furniture import linenumbers, running, slanted
from ragraph.pdf.headings import choosing, claims, contents, displayed, runins
from ragraph.pdf.model import Kind, by_panel
from ragraph.pdf.notes import entries, footnotes, tabled, tablenotes
from ragraph.pdf.page import (
    bullets,
    comments,
    direction,
    fields,
    folds,
    fractions,
    initials,
    letters,
    lines,
    numbers,
    ocr,
    overprints,
    sheets,
    sizes,
    spaced,
    symbols,
    typography,
    underlines,
    upright,
)
from ragraph.pdf.page import hidden as hiding
from ragraph.pdf.stated import engines, regions, tags
from ragraph.pdf.tables import finding as tables
from ragraph.pdf.tables import lost_heads, placed, sideways, titled
from ragraph.pdf.tables import pages as table_pages
from ragraph.pdf.work import Pass, Work, each, over, run

__all__ = ["ANALYSING", "PASSES", "PREPARING", "STATING", "UNSEEN", "Pass", "Work", "run"]

UNSEEN = "pages with text that they do not show"
"""Beginning of the warning that lists these pages."""

_DOUBTFUL = 0.9
"""Confidence below which a user is told to look at a page: sound scans have 0.98 and more, letters unknown to the
models 0.84."""
_NAMED = 20
"""Numbers of pages that a warning lists at most."""


# ---- the open file: words as they are printed


def note_failed(work: Work) -> None:
    """Warn of pages that could not be read; raise ``DamagedFileError`` if none could."""
    failed = [page.number for page in work.pages if page.failed]
    if len(failed) == len(work.pages):
        raise DamagedFileError(f"{work.name}: no page can be read; repair the file, or print it to PDF anew")
    if failed:
        work.warnings.append(f"pages that could not be read: {_listed(failed)}")


def drop_hidden(work: Work) -> None:
    """Drop words that pages do not show, and say on which."""
    hidden = [page.number for page in work.pages if hiding.drop_hidden(page, work.file)]
    if hidden:
        work.warnings.append(f"{UNSEEN}, which was left out: {_listed(hidden)}")


def restore_letters(work: Work) -> None:
    """Give words the letters that PDFium reads, where the parser knows none or takes them for others."""
    letters.restore_letters([page for page in work.pages if not page.failed], work.file)


def recognise_scans(work: Work) -> None:
    """Recognise the words of pages that are images, or warn that they are left unread."""
    scanned = [page for page in work.pages if ocr.is_scanned(page)]
    if not scanned:
        return
    work.scanned = [page.number for page in scanned]
    if work.ocr and ocr.available():
        found = ocr.recognise(scanned, work.file, work.ocr_model)
        work.sure = found.pages
        work.made_by["ocr"] = {
            "engine": found.engine,
            "pages": sorted(found.pages),
            "confidence": round(sum(found.pages.values()) / len(found.pages), 3) if found.pages else None,
        }
        doubtful = [number for number, sure in sorted(found.pages.items()) if sure < _DOUBTFUL]
        if doubtful:
            work.warnings.append(f"pages whose text was hard to recognise, look at them: {_listed(doubtful)}")
        language = (work.facts.language or "").casefold()
        if found.pages and work.ocr_model is None and language.partition("-")[0] in ocr.UNREAD:
            work.warnings.append(
                f"the file says that it is in {language!r}, whose letters the packaged model for recognition does not"
                f" know; do not believe the text of pages {_listed(sorted(found.pages))}, or name another: ocr_model"
            )
        return
    numbers = _listed(work.scanned)
    if work.ocr:
        work.made_by["lacks"] = ["ocr"]
        work.warnings.append(f"pages that are images were left unread: {numbers}; to recognise their text: {ocr.EXTRA}")
    else:
        work.warnings.append(f"pages that are images were left unread, as asked for: {numbers}")


def note_unknown(work: Work) -> None:
    """Warn of pages with letters for which the file gives no text, or none that any language has."""
    work.unknown = [page.number for page in work.pages if symbols.has_unknown(page)]
    if work.unknown:
        pages = _listed(work.unknown)
        work.warnings.append(f"pages with letters whose text the file does not give, look at them: {pages}")


# ---- the open file: what it states


def check_text(work: Work) -> None:
    """Raise ``NoTextError`` if no page holds text and none could be recognised."""
    if any(page.words or page.sideways for page in work.pages):
        return
    why = "has no text layer, and none was recognised in the images of its pages"
    if not work.scanned:
        why = "holds no text and no images; there is nothing to take in"
    elif not work.ocr:
        why = "has no text layer, its pages are images; leave out ocr=False to recognise their text"
    elif not ocr.available():
        why = f"has no text layer, its pages are images; to recognise their text: {ocr.EXTRA}"
    raise NoTextError(f"{work.name} {why}")


def set_fields(work: Work) -> None:
    """Find the fields of forms, and add values that the page does not print to its words."""
    lost = fields.set_fields(work.pages, work.file)
    if lost:
        work.warnings.append(f"turned or cropped pages with values of a form that were left out: {_listed(lost)}")


def state_tags(work: Work) -> None:
    """Take the tags of the file as regions, where they can be believed."""
    work.tags = tags.state_tags(work.pages, work.file, work.facts.outline)


def ask_engine(work: Work) -> None:
    """Let the layout engine state regions, or vote; not where tags do, which say all that a model could."""
    engine = engines.Rules() if work.tags.used else work.engine
    unseen = engine.state_regions(work.pages, work.file)
    if unseen:
        work.warnings.append(f"pages that could not be drawn for the layout model: {_listed(unseen)}")
    work.made_by |= {"layout": engine.name, **tags.evidence(work.facts, work.tags)}


# ---- the pages: lines, and what is no text of theirs


def know_style(work: Work) -> None:
    """Find the type that most of the document is set in."""
    work.style = lines.running_style(work.pages)


def know_words(work: Work) -> None:
    """Count the words of the document."""
    work.vocabulary = Vocabulary(line.text for page in work.pages for line in page.lines)


def take_furniture(work: Work) -> None:
    """Take numbers of lines, running heads and feet, page numbers and repeated sideways text out of the lines."""
    linenumbers.take_line_numbers(work.pages)
    laid = {page.number: sheet for page in work.pages if (sheet := sheets.level_sheet(page)) is not None}
    running.take_furniture(work.pages, work.style, [*laid.values()])
    for page in work.pages:
        if page.number in laid:
            sheets.lay_back(page, laid[page.number])
    running.take_sideways(work.pages)


# ---- the pages: lines to blocks


def take_contents(work: Work) -> None:
    """Make blocks of the entries of contents pages."""
    work.entries = contents.take_contents(work.pages)


def make_stated_blocks(work: Work) -> None:
    """Make blocks of the lines in stated regions; the others are free."""
    for page in work.pages:
        stated, page.free = regions.stated_blocks(page, page.lines)
        page.blocks += stated


def make_tables(work: Work) -> None:
    """Make tables of free lines that stand in rows and columns."""
    for page in work.pages:
        tables.settle_stated(page)
        tables.take_cells(page, work.style.mono)
        panels = by_panel(page.free, page.folds)
        found = [table for panel in panels for table in tables.find_tables(page, panel, work.style.mono)]
        found = titled.part_at_titles(page, found, work.style.mono)
        page.take(found)
        page.blocks += found
        for table in found:
            sideways.add_side_labels(page, table)


def make_figures(work: Work) -> None:
    """Make code of listings in frames, and figures of images and drawings, with the free lines printed in them."""
    for page in work.pages:
        listings = [] if page.number in work.scanned else figures.find_listings(page, page.free, work.style)
        page.take(listings)
        page.blocks += listings
        known = [block for block in page.blocks
                 if block.kind is Kind.FIGURE or (block.kind is Kind.TABLE and block.region is None)]  # fmt: skip
        known += listings
        found = figures.find_figures(page, page.free, known, work.style, recognised=page.number in work.scanned)
        page.take(found)
        page.blocks += found
        figures.add_sideways(page, found)


def make_blocks(work: Work) -> None:
    """Make blocks of the lines that are still free: paragraphs, items, headings and the like."""
    for page in work.pages:
        page.blocks += assembly.make_blocks(page, page.free, work.style)
        page.free = []


def set_order(work: Work) -> None:
    """Put the blocks of each page in reading order, and cut them there where one surely ends, as learnt."""
    for page in work.pages:
        page.blocks = regions.in_stated_order(page.blocks) or order.in_order(page, page.blocks)
        assembly.cut_blocks(page, work.style)


# ---- the pages: what the blocks are


def mark_notes(work: Work) -> None:
    """Tell footnotes and side notes, and bind marks to the notes that they mean."""
    work.marks = footnotes.mark_notes(work.pages, work.style)


def mark_table_notes(work: Work) -> None:
    """Tell notes under tables, and bind the marks in the cells to them."""
    work.marks += tablenotes.mark_table_notes(work.pages, work.marks)


# ---- the document: what goes on over columns and pages


def join_tables(work: Work) -> None:
    """Join tables that go on over pages, but for bibliographies, whose rows become blocks."""
    tabled.part_tables(work.pages)
    table_pages.join_tables(work.pages)
    doubtful: set[int] = set()
    for page in work.pages:
        for table in page.blocks:
            if table.grid is not None and table.region is None:
                table.grid.doubts = placed.put_right(table.grid)
                doubtful |= {table.page} if table.grid.doubts else set()
    if doubtful:
        work.warnings.append(f"tables with values under another column, look at pages: {_listed(sorted(doubtful))}")


def bind_endnotes(work: Work) -> None:
    """Bind the marks that no footnote has claimed to endnotes and numbered entries."""
    work.marks += entries.bind_endnotes(work.pages, work.marks)


def weigh_doubts(work: Work) -> None:
    """Weigh how likely a reader would find a fault in each page, and in each table."""
    numbered = sum(any(block.kind is Kind.PAGE_NUMBER for block in page.furniture) for page in work.pages)
    document = Document(
        decided=Decided(claims.ENOUGH, running.DOUBTED),
        scanned=frozenset(work.scanned),
        unknown=frozenset(work.unknown),
        sure=work.sure,
        numbered=2 * numbered > len(work.pages),
        marks=frozenset(id(mark.word) for mark in work.marks),
    )
    weighing.set_doubts(work.pages, document)


PREPARING = (
    Pass(note_failed, "failed", "warnings"),
    Pass(over(sizes.set_sizes, "file"), "words sideways file turn", "words size font"),
    Pass(over(symbols.restore_signs), "words sideways font", "text"),
    Pass(drop_hidden, "words sideways slanted size images file failed turn", "words sideways slanted warnings"),
    Pass(each(overprints.drop_overprinted), "words size font", "words"),
    Pass(over(numbers.join_numbers), "words size font", "words"),
    Pass(each(spaced.join_spaced), "words size font", "words size"),
    Pass(restore_letters, "failed words text turn size font file", "words restored"),
    Pass(each(typography.restore_typography, "file"), "words sideways slanted file", "text"),
    Pass(each(fractions.join_fractions), "words text size font horizontals drawings", "words horizontals"),
    Pass(
        each(upright.set_upright),
        "words letters sideways slanted upside_down size images drawings spots striped horizontals verticals",
        "words sideways slanted images drawings spots striped horizontals verticals turn",
    ),
    Pass(over(slanted.take_slanted, "file"), "words slanted size images turn file", "words slanted furniture"),
    Pass(note_unknown, "words", "unknown warnings"),
    Pass(
        recognise_scans,
        "failed words sideways images drawings facts file ocr",
        "words images drawings horizontals verticals turn scanned sure made_by warnings",
    ),
)
"""On the open file: words, their type and text."""
STATING = (
    Pass(set_fields, "failed turn words file size text", "words fields warnings"),
    Pass(over(comments.read_comments, "file"), "failed turn words fields file", "comments fields"),
    Pass(check_text, "words sideways scanned ocr", ""),
    Pass(over(frames.set_frames, "file"), "failed turn words drawings file", "frames"),
    Pass(state_tags, "failed turn words images drawings facts file", "regions images drawings tags"),
    Pass(ask_engine, "failed turn regions engine tags facts file", "regions seen made_by warnings"),
    Pass(
        over(direction.set_direction),
        "failed turn letters words sideways horizontals verticals images drawings spots striped frames regions seen",
        "turn directed letters words size sideways horizontals verticals images drawings spots striped frames regions"
        " seen furniture",
    ),
)
"""On the open file: what it states, or a layout model of it."""
ANALYSING = (
    Pass(each(underlines.set_underlines), "words size horizontals", "underlined"),
    Pass(over(initials.join_initials, "facts.language"), "words size directed facts", "words text"),
    Pass(each(lines.make_lines), "words size font underlined directed drawings images", "lines gutter raised"),
    Pass(over(folds.set_folds), "words size directed lines horizontals", "folds lines"),
    Pass(each(regions.split_lines), "lines regions", "lines"),
    Pass(each(bullets.mark_items), "lines images drawings spots", "bulleted"),
    Pass(know_style, "lines", "style"),
    Pass(know_words, "lines", "vocabulary"),
    Pass(
        take_furniture,
        *("lines sideways turn style underlined horizontals", "lines sideways furniture blocks kind group parts edges"),
    ),
    Pass(each(regions.take_stated_furniture), "lines regions", "lines furniture"),
    Pass(
        each(lost_heads.keep_heads),
        "horizontals verticals lines furniture drawings kind parts regions",
        "lines furniture",
    ),
    Pass(over(figures.drop_repeated), "images drawings", "images drawings"),
    Pass(take_contents, "lines underlined", "lines blocks entries text"),
    Pass(make_stated_blocks, "lines regions", "blocks free kind region marker grid"),
    Pass(each(parting.part_stated, "style"), "blocks kind region style", "blocks"),
    Pass(
        make_tables,
        "free fields folds sideways horizontals verticals images drawings striped regions seen style region",
        "blocks free sideways kind grid parts claims",
    ),
    Pass(
        make_figures,
        "free lines horizontals verticals images drawings frames sideways scanned blocks kind region style",
        "blocks free sideways kind parts",
    ),
    Pass(make_blocks, "free style raised bulleted", "blocks free"),
    Pass(each(displayed.join_labels, "style"), "blocks kind region style", "blocks parts"),
    Pass(set_order, "blocks region gutter folds frames grid images kind parts style bulleted turn", "blocks"),
    Pass(each(kinds.set_kinds, "style"), "blocks kind region style bulleted parts", "blocks kind marker caption parts"),
    Pass(each(asides.set_asides, "style"), "blocks kind region frames style parts", "blocks kind goes_on"),
    Pass(
        over(runins.cut_run_ins, "style"),
        "blocks kind goes_on style underlined marker parts region",
        "blocks rest goes_on",
    ),
    Pass(each(displayed.join_titles, "style"), "blocks kind region style rest", "blocks parts"),
    Pass(
        over(choosing.set_headings, "style", "facts.outline", "entries"),
        "blocks kind region seen furniture fields facts entries style frames grid horizontals marker parts rest turn",
        "blocks kind level claims odds",
    ),
    Pass(each(runins.join_run_ins), "blocks kind rest", "blocks parts rest"),
    Pass(mark_notes, "blocks kind marker raised style", "blocks kind marker parts raised marks"),
    Pass(mark_table_notes, "blocks kind grid raised marks", "blocks kind marker marks"),
    Pass(over(regions.settle_notes), "blocks kind region", "kind marker"),
    Pass(over(kinds.set_items), "blocks kind", "kind marker"),
    Pass(join_tables, "blocks kind level grid caption region", "blocks grid parts warnings"),
    Pass(over(regions.join_items), "blocks kind region marker", "blocks parts"),
    Pass(over(joining.join_paragraphs, "style"), "blocks kind goes_on frames style", "blocks parts"),
    Pass(over(entries.set_entries), "blocks kind level raised", "blocks kind marker"),
    Pass(bind_endnotes, "blocks kind marker marks raised", "marks"),
    Pass(over(frames.set_boxes, "style"), "blocks kind frames style parts", "blocks frame"),
    Pass(each(comments.add_comments), "blocks comments turn parts", "blocks about comment"),
    Pass(
        weigh_doubts,
        "failed lines words sideways images drawings gutter folds raised furniture regions restored edges scanned sure"
        " unknown blocks kind level parts grid caption region odds marks",
        "signs doubt",
    ),
)
"""On the pages alone, over the whole document."""
PASSES = (*PREPARING, *STATING, *ANALYSING)


def _listed(numbers: list[int]) -> str:
    return f"{', '.join(map(str, numbers[:_NAMED]))}{' ...' if len(numbers) > _NAMED else ''}"
