"""Which cells are a table."""

from __future__ import annotations

from ragraph.pdf.model import Font, Line, Page, Word, font_of
from ragraph.pdf.tables.finding import find_tables

FONT, BOLD = font_of("Times-Roman"), font_of("Times-Bold")


def _page(rows: list[list[str]], lefts: list[float]) -> Page:
    page = Page(1, 612, 792)
    for number, row in enumerate(rows):
        for text, left in zip(row, lefts, strict=True):
            top = 100 + 16.0 * number
            if text:
                add_line(page, left, top, text)
    return page


def add_line(page: Page, left: float, top: float, text: str, font: Font = FONT) -> None:
    """Add a line of 10-point words, three points apart, to a page."""
    words, edge = [], left
    for part in text.split():
        words.append(Word(edge, top, edge + 5 * len(part), top + 10, part, font))
        edge += 5 * len(part) + 3
    page.lines.append(Line(words))
    page.words += words


def test_amounts_below_each_other_are_a_table_and_words_in_two_columns_are_none() -> None:
    rows = [["River", "Length", "Basin"], ["Alder", "1,204", "88.1"], ["Birch", "310", "9.4"], ["Cedar", "95", "2.2"]]
    page = _page(rows, [72, 200, 300])
    assert [table.grid.texts() for table in find_tables(page, page.lines) if table.grid] == [rows]
    page = _page([["Alder", "an old tree"], ["Birch", "a white tree"], ["Cedar", "a tall tree"]], [72, 200])
    assert find_tables(page, page.lines) == []


def test_columns_of_text_are_no_table_for_a_few_prices_beside_them() -> None:
    text = [
        "Four women who need rest",
        "and find themselves drawn",
        "in by fate and an hour of",
        "good company, that leads",
    ]
    prices = ["$171.00", "$156.00", "$140.00", "", "", "", "", "", "", "", "", ""]
    rows = [[*(text[(at + column) % 4] for column in range(3)), price] for at, price in enumerate(prices)]
    page = _page(rows, [30, 200, 370, 560])
    assert find_tables(page, page.lines) == []


def test_a_bold_row_names_columns_only_if_no_row_below_is_bold_again() -> None:
    names = [["Chemistry", "Physics", "History", "Music"], ["Roads", "Ferries", "Bridges", "Boats"]]
    places = [["Rated Here", "Rated There", "Rated Twice", "Rated Once"], ["Third", "First", "Fourth", "Tenth"]]
    for again in (False, True):
        page = Page(1, 612, 792)
        for number, row in enumerate([names[0], *places, names[1], *places]):
            font = BOLD if number == 0 or (again and number == 3) else FONT
            for text, left in zip(row, [60, 190, 320, 450], strict=True):
                add_line(page, left, 100 + 22.0 * number, text, font)
        assert bool(find_tables(page, page.lines)) is not again
