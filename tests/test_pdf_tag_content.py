"""What the elements of a structure tree hold: trees made here, without a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ragraph.pdf.model import Box, Kind, Word, font_of
from ragraph.pdf.stated import tags
from ragraph.pdf.stated.tag_content import is_table
from ragraph.pdf.stated.tag_tree import Element, Piece, TaggedPage

if TYPE_CHECKING:
    from collections.abc import Sequence

_SECTION = "Cedar / see the note on cedar below the table"
"""A heading and a paragraph: what stands behind the stroke is one."""
_LONG = "Whoever opens the lid of the box keeps all others from it until it is shut"


def test_the_pieces_of_an_item_are_told_apart_without_comparing_each_with_all(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[object] = []

    def equal(one: Piece, other: object) -> bool:
        compared.append(other)
        return tuple.__eq__(one, other)

    monkeypatch.setattr(Piece, "__eq__", equal, raising=False)
    pieces = [Piece(mark, Box(80.0, 30.0 * mark, 400.0, 30.0 * mark + 10), False, True) for mark in range(50)]
    body = Element("LBody", [Element("P", [piece.mark]) for piece in pieces])
    parts = list(tags._parts(TaggedPage(1, [Element("LI", [body])], pieces)))
    assert [part.kind for part in parts] == [Kind.LIST_ITEM, *[Kind.TEXT] * 49]
    assert [box for part in parts for box in part.boxes] == [piece.box for piece in pieces]
    assert compared == []


def _table(rows: Sequence[Sequence[str]], heads: int = 0) -> tuple[Element, TaggedPage]:
    """Make a table of cells 100 points wide: "" is blank, and a stroke stands between a heading and a paragraph.

    The first ``heads`` rows are heads.
    """
    pieces: list[Piece] = []
    words: list[Word] = []
    table = Element("Table")
    for row, texts in enumerate(rows):
        cells = []
        for column, text in enumerate(texts):
            kids: list[Element | int] = []
            for line, part in enumerate(text.split(" / ") if text else []):
                left, top = 50.0 + 100 * column, 20.0 + 30 * row + 12 * line
                box = Box(left, top, left + 2.0 * len(part), top + 10)
                kids.append(Element(("H4", "P")[line] if " / " in text else "P", [len(pieces)]))
                pieces.append(Piece(len(pieces), box, False, True))
                words.append(Word(*box, part, font_of("Helvetica")))
            cells.append(Element("TH" if row < heads else "TD", kids))
        table.kids.append(Element("TR", list(cells)))
    return table, TaggedPage(1, [table], pieces, words)


_PRICES = [["Kind", "Monday", "Friday"], *([name, "1.20", "1.31"] for name in ("Alder", "Birch", "Elm", "Fir", "Oak"))]


@pytest.mark.parametrize(
    ("rows", "heads"),
    [
        ([*_PRICES, [_SECTION, "3.10", "3.30"]], 0),
        ([[f"Part {row}", "left", "right", "both"] for row in range(39)] + [[_SECTION, "left", "right", "both"]], 0),
        ([["Kind", "Price"], *([_SECTION, f"{row}.20"] for row in range(5))], 0),
        ([["Kind", "Colour"], *([_SECTION, "red"] for _ in range(5))], 1),
        ([["Kind", "Colour", "Place", "Use"], *([_SECTION, "red", "hill", "roofs"] for _ in range(39))], 0),
    ],
    ids=["one of few", "one of many", "numbers", "heads", "many"],
)
def test_a_heading_over_text_in_a_cell_unmakes_no_table_of_data(rows: list[list[str]], heads: int) -> None:
    assert is_table(*_table(rows, heads))


@pytest.mark.parametrize(
    "rows",
    [
        [[f"Is lid {row} on?", "", "", ""] for row in range(40)],
        [["What to see to", "Yes", "No"], *([f"Is lid {row} on?", "", ""] for row in range(4))],
        [["What to see to", "Yes", "No"], *([f"Is lid {row} on?"] for row in range(4))],
    ],
    ids=["large", "named", "left out"],
)
def test_blank_columns_of_a_form_unmake_no_table(rows: list[list[str]]) -> None:
    assert is_table(*_table(rows))


@pytest.mark.parametrize(
    "rows",
    [
        [["", "", ""], ["", _SECTION, ""], ["Home", "Search", "Help"], ["", "", ""]],
        [["Denial of service", "high"], ["What it is"], ["no more use"], ["Why"], [_LONG]],
        [["a picture with words", ""], ["", "another"]],
    ],
    ids=["frame of a page", "card", "places"],
)
def test_tables_for_the_look_are_none(rows: list[list[str]]) -> None:
    assert not is_table(*_table(rows))
    assert not is_table(*_table(rows, len(rows)))
