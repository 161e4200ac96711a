"""Tables in places that a layout model sees: the rules found no cells there, or two tables as one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from test_pdf_candidates import add_line

from ragraph.pdf.model import Box, Kind, Page, Sighting
from ragraph.pdf.tables.finding import find_tables
from ragraph.pdf.tables.sighted import sighted_grid, sighted_place

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS = (
    ("Command", "Effect"),
    ("dir", "Lists the files of a folder with\nsizes and dates, and says how\nmuch room there is left on it"),
    ("type notes.txt", "Shows what is in the file, as far as\nit is text, on the screen of whoever\nis at the machine"),
    ("del notes.txt", "Removes the file from the folder"),
    ("net start", "Lists the services that run, with the\nnames that they go by in the windows\nof the system"),
)
"""Cells of several lines, which are running text to the rules."""


def _page(rows: Sequence[tuple[float, Sequence[tuple[float, str]]]]) -> Page:
    page = Page(1, 612, 792)
    for top, cells in rows:
        for left, text in cells:
            add_line(page, left, top, text)
    return page


def _commands(*, ruled: bool) -> Page:
    rows, rules, top = [], [100.0], 103.0
    for name, effect in COMMANDS:
        lines = effect.split("\n")
        rows.append((top, [(72, name), (300, lines[0])]))
        rows += [(top + 12 * at, [(300, line)]) for at, line in enumerate(lines) if at]
        top += 12 * len(lines) + 4
        rules.append(top - 3)
    page = _page(rows)
    if ruled:
        page.horizontals = [(70, 540, height) for height in rules]
    page.seen = [Sighting(Kind.TABLE, 0.93, Box(66, 96, 545, top + 4))]
    return page


def _texts(page: Page) -> list[list[list[str]]]:
    return [table.grid.texts() for table in find_tables(page, page.lines) if table.grid]


def test_a_table_of_words_is_found_where_the_model_sees_one() -> None:
    page = _commands(ruled=True)
    assert _texts(page) == [[[name, " ".join(effect.split("\n"))] for name, effect in COMMANDS]]
    (table,) = find_tables(page, page.lines)
    assert table.claims == {"layout": None}
    page.seen = []
    assert _texts(page) == []


def test_what_it_is_unsure_of_is_no_place() -> None:
    page = _commands(ruled=True)
    page.seen = [page.seen[0]._replace(score=0.39)]
    assert _texts(page) == []


@pytest.mark.parametrize("second", [300, 320])
def test_running_text_in_columns_is_none(second: float) -> None:
    left = ["of", "the", "state", "and", "its", "people", "who", "hold", "power", "until", "the", "term", "ends"]
    page = _page([
        (100 + 12.0 * at, [(72, f"{word} and the members of the house met"), (second, f"which {word} of them, as")])
        for at, word in enumerate(left)
    ])  # fmt: skip
    page.seen = [Sighting(Kind.TABLE, 0.98, Box(66, 96, 545, 260))]
    assert _texts(page) == []


def test_items_with_bullets_are_none() -> None:
    rows = [(100 + 14.0 * at, [(72, "•"), (90, f"Loading {name}")]) for at, name in enumerate(("text", "maps", "keys"))]
    page = _page(rows)
    page.horizontals = [(70, 200, 97 + 14.0 * at) for at in range(4)]
    place = sighted_place(Box(66, 96, 200, 142), page.lines)
    assert place is not None
    cells = sighted_grid(page, place, page.lines)
    assert cells is not None
    grid, sound = cells
    assert (grid.rows, grid.columns, sound) == (3, 2, False)


def test_a_caption_is_not_of_the_place_and_the_head_above_is() -> None:
    head = [(84.0, [(72.0, "Table 3. What was spent")]), (100.0, [(72.0, "Item"), (300.0, "Cost"), (360.0, "Share")])]
    body = [
        (118 + 14.0 * at, [(72.0, item), (300.0, "250"), (360.0, "0.5")]) for at, item in enumerate(("Keys", "Maps"))
    ]
    page = _page([*head, *body])
    place = sighted_place(Box(66, 82, 390, 99), page.lines)
    assert place is None
    place = sighted_place(Box(66, 116, 390, 145), page.lines)
    assert place is not None
    cells = sighted_grid(page, place, page.lines)
    assert cells is not None
    assert cells[1]
    assert cells[0].texts()[0] == ["Item", "Cost", "Share"]


def _two() -> Page:
    body = [
        ("1.1", "Keep the keys apart", "L1", "250"),
        ("1.2", "Check what comes in", "L1", "306"),
        ("1.3", "Write it all down", "L2", "778"),
    ]
    cells = [(72, 100, 300, 360)]
    rows = [(100 + 14.0 * at, [*zip(cells[0], row, strict=True)]) for at, row in enumerate(body)]
    rows += [(150.0, [(72, "Passwords")])]
    rows += [(172 + 14.0 * at, [*zip(cells[0], row, strict=True)]) for at, row in enumerate(body)]
    page = _page(rows)
    page.seen = [Sighting(Kind.TABLE, 0.8, Box(68, 98, 380, 141)), Sighting(Kind.TABLE, 0.5, Box(68, 170, 380, 213))]
    return page


def test_two_tables_that_were_found_as_one_are_parted() -> None:
    page = _two()
    assert [table.claims for table in find_tables(page, page.lines)] == [{"layout": None}] * 2
    first, second = _texts(page)
    assert first == second
    assert first[0] == ["1.1", "Keep the keys apart", "L1", "250"]
    seen, page.seen = page.seen, []
    ((*rows,),) = _texts(page)
    assert [row[0] for row in rows] == ["1.1", "1.2", "1.3 Passwords", "1.1", "1.2", "1.3"]
    page.seen = seen[:1]
    assert _texts(page) == [rows]  # it sees a part of it alone
