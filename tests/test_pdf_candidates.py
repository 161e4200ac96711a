"""Which cells are a table."""

from __future__ import annotations

from ragraph.pdf.model import Line, Page, Word, font_of
from ragraph.pdf.tables.finding import find_tables

FONT = font_of("Times-Roman")


def _page(rows: list[list[str]], lefts: list[float]) -> Page:
    page = Page(1, 612, 792)
    for number, row in enumerate(rows):
        for text, left in zip(row, lefts, strict=True):
            top = 100 + 16.0 * number
            add_line(page, left, top, text)
    return page


def add_line(page: Page, left: float, top: float, text: str) -> None:
    """Add a line of 10-point words, three points apart, to a page."""
    words, edge = [], left
    for part in text.split():
        words.append(Word(edge, top, edge + 5 * len(part), top + 10, part, FONT))
        edge += 5 * len(part) + 3
    page.lines.append(Line(words))
    page.words += words


def test_amounts_below_each_other_are_a_table_and_words_in_two_columns_are_none() -> None:
    rows = [["River", "Length", "Basin"], ["Alder", "1,204", "88.1"], ["Birch", "310", "9.4"], ["Cedar", "95", "2.2"]]
    page = _page(rows, [72, 200, 300])
    assert [table.grid.texts() for table in find_tables(page, page.lines) if table.grid] == [rows]
    page = _page([["Alder", "an old tree"], ["Birch", "a white tree"], ["Cedar", "a tall tree"]], [72, 200])
    assert find_tables(page, page.lines) == []
