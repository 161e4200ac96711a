"""What the elements of a structure tree hold: trees made here, without a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.ingest.readers.pdf.model import Box, Kind
from ragraph.ingest.readers.pdf.stated import tags
from ragraph.ingest.readers.pdf.stated.tag_tree import Element, Piece, TaggedPage

if TYPE_CHECKING:
    import pytest


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
