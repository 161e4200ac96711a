"""The truth about a file: TeX sources if available, else tags and outline; and the text of its pages."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from bench.structure.outlines import match, similar
from bench.structure.reading import Heading
from bench.structure.tags import captions_in, elements_of, is_heading, notes_in
from bench.structure.tex import figures_of, footnotes_of, headings_of, running_text, tex_source

if TYPE_CHECKING:
    from pathlib import Path

    from bench.structure.documents import Document
    from bench.teds import Table

_EDGE = 0.13
"""Share of the page height, at top and bottom, with page headers and footers."""
_OFTEN = 0.08
"""Minimum share of all pages on which a row at the edge must occur to be furniture; at least four pages."""
_NUMBERS = re.compile(r"\d+|\b[ivxlc]+\b", re.I)


class Row(NamedTuple):
    """A row at the edge of a page that is repeated on others: a header, a footer or a page number."""

    page: int
    text: str


@dataclass
class Truth:
    """The content of a file.

    Attributes:
        source: source of the headings: "TeX", "tags", "outline" or "".
        headings: headings in document order; None if nothing states them.
        notes: texts; None if nothing states them.
        captions: text, kind and page (0 = unknown).
        labels: printed number per page.
        page_texts: the text of every page, by PDFium.
        order: words in reading order, without notes and furniture.
        furniture: rows that are repeated at the edges of pages.
        tables: tables of the structure tree.
    """

    source: str = ""
    headings: list[Heading] | None = None
    notes: list[str] | None = None
    captions: list[tuple[str, str, int]] = field(default_factory=list)
    labels: dict[int, str] = field(default_factory=dict)
    page_texts: list[str] = field(default_factory=list)
    order: list[str] = field(default_factory=list)
    furniture: list[Row] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)


def truth_of(document: Document, path: Path, data: Path) -> Truth:
    """Return the truth about a file as it is."""
    import pypdfium2

    from bench.teds import tagged_tables

    truth = Truth(tables=tagged_tables(path))
    with pypdfium2.PdfDocument(path) as pdf:
        outline = [Heading(str(entry.get_title() or "").strip(), entry.level + 1) for entry in pdf.get_toc(12)]
        truth.labels = _labels(document, pdf)
        truth.page_texts = [_unbroken(page.get_textpage().get_text_range()) for page in pdf]
        truth.furniture = _furniture(pdf, truth.labels)
    elements = elements_of(path)
    sources = [tex_source(data / name) for name in document.tex]
    if sources:
        truth.source, truth.headings = "TeX", headings_of(sources, document.headings)
        truth.notes = footnotes_of(sources, document.notes)
        truth.captions = [(caption, "figure", 0) for caption in figures_of(sources, document.figures)]
        truth.order = running_text(sources, document.notes)
    elif elements:
        truth.source = "tags"
        tagged = [Heading(element.text.strip(), element.depth) for element in elements if is_heading(element)]
        truth.headings = _with_outline(tagged, [entry for entry in outline if not similar(entry.title, document.title)])
        truth.notes = notes_in(elements) or None
        truth.captions = captions_in(elements)
    elif outline:
        truth.source, truth.headings = "outline", [entry for entry in outline if entry.title]
    if not truth.order:
        truth.order = _page_order(truth)
    return truth


def squash(text: str) -> str:
    """Return letters and digits of a text, lower case."""
    return "".join(character for character in text.lower() if character.isalnum())


def _with_outline(tagged: list[Heading], outline: list[Heading]) -> list[Heading]:
    """Return the headings of the tags, or those of the outline if it has more and nearly all of them."""
    there = match(tagged, outline)
    return outline if len(outline) > max(len(tagged), 4) and len(there) >= 0.9 * len(tagged) else tagged


def _labels(document: Document, pdf: Any) -> dict[int, str]:
    """Return the labels that the file states, or those read off the pages by eye."""
    stated = {number: str(pdf.get_page_label(number - 1) or "") for number in range(1, len(pdf) + 1)}
    labels = {number: label for number, label in stated.items() if label}
    for run in document.printed if not labels else ():
        for number in range(run.first, run.last + 1):
            value = run.value + number - run.first
            labels[number] = _roman(value) if run.roman else str(value)
    return labels


def _roman(value: int) -> str:
    text = ""
    for size, letters in ((50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")):
        text, value = text + letters * (value // size), value % size
    return text


def _furniture(pdf: Any, labels: dict[int, str]) -> list[Row]:
    """Return the rows at top and bottom that occur on several pages, numbers aside; and page numbers."""
    pages: dict[str, list[Row]] = defaultdict(list)
    for number, page in enumerate(pdf, 1):
        for upper, text in _edge_rows(page):
            if any(character.isalpha() for character in _NUMBERS.sub("", text)) or squash(text) == labels.get(number):
                key = squash(_NUMBERS.sub("#", text))
                pages[f"{upper}{key}"].append(Row(number, text))
    least = max(4, _OFTEN * len(pdf))
    return sorted(row for rows in pages.values() if len({row.page for row in rows}) >= least for row in rows)


def _edge_rows(page: Any) -> list[tuple[bool, str]]:
    """Return the rows at the edges of a page: whether at the top, and their text from left to right."""
    height = page.get_height()
    text_page = page.get_textpage()
    rows: list[tuple[float, list[tuple[float, str]]]] = []
    for index in range(text_page.count_rects()):
        left, bottom, right, top = text_page.get_rect(index)
        middle = (bottom + top) / 2
        if _EDGE * height < middle < (1 - _EDGE) * height or top - bottom > right - left:
            continue
        text = text_page.get_text_bounded(left, bottom, right, top).strip()
        near = next((row for row in rows if abs(row[0] - middle) < 3), None)
        if near is None:
            near = (middle, [])
            rows.append(near)
        near[1].append((left, text))
    return [(middle > height / 2, " ".join(text for _, text in sorted(parts))) for middle, parts in rows]


def _page_order(truth: Truth) -> list[str]:
    """Return the words of the pages in PDFium's order, without rows of furniture."""
    words: list[str] = []
    rows: dict[int, list[str]] = defaultdict(list)
    for row in truth.furniture:
        rows[row.page].append(squash(row.text))
    for number, text in enumerate(truth.page_texts, 1):
        left_out = rows.get(number, [])
        for line in text.split("\r\n"):
            if squash(line) and not any(squash(line) in row for row in left_out):
                words += line.split()
    return words


def _unbroken(text: str) -> str:
    return re.sub(r"(?:\ufffe|\x02|-)\r\n", "", text)
