"""Candidates for tables: all that cells were found in, with what the rules say, apart from the tables taken."""

from __future__ import annotations

from ragraph.pdf.model import Box, Line, Page, Word, font_of
from ragraph.pdf.tables.candidates import Way
from ragraph.pdf.tables.finding import candidates, find_tables

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


def test_what_the_rules_take_is_a_candidate() -> None:
    rows = [["River", "Length", "Basin"], ["Alder", "1,204", "88.1"], ["Birch", "310", "9.4"], ["Cedar", "95", "2.2"]]
    page = _page(rows, [72, 200, 300])
    tables, found = candidates(page, page.lines)
    assert [candidate.says for candidate in found] == [True]
    assert found[0].way is Way.AMOUNTS
    assert [table.grid.texts() for table in tables if table.grid] == [rows]
    assert [table.box for table in tables] == [table.box for table in find_tables(page, page.lines)]


def test_what_the_rules_refuse_is_a_candidate_too_and_no_table() -> None:
    page = _page([["Alder", "an old tree"], ["Birch", "a white tree"], ["Cedar", "a tall tree"]], [72, 200])
    tables, found = candidates(page, page.lines)
    assert tables == []
    assert [(candidate.way, candidate.says) for candidate in found] == [(Way.WHITE, False)]
    assert [row[0] for row in found[0].grid.texts()] == ["Alder", "Birch", "Cedar"]
    built = found[0].build(())
    assert built is not None
    assert built.box == Box(72, 100, *built.box[2:])
