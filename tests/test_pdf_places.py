"""What the PDF reader looks up by place is what going through everything finds."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest

from ragraph.pdf.headings import features
from ragraph.pdf.model import Block, Line, Page, Style, Word, font_of
from ragraph.pdf.page import lines
from ragraph.pdf.tables import white
from ragraph.pdf.tables.grids import slot

FONT = font_of("Times")


@pytest.mark.parametrize("seed", range(5))
def test_words_around_a_gap_and_pieces_over_it(seed: int) -> None:
    draw = random.Random(seed)
    pieces = []
    for _ in range(30):
        left = draw.randrange(500)
        pieces.append(
            [Word(left + 9.0 * at, 0, left + 9.0 * at + 5, 10, "word", FONT) for at in range(draw.choice((1, 2, 9)))]
        )
    words = [word for piece in pieces for word in piece]
    level = lines._Level(pieces)
    for middle in range(0, 600, 7):
        before = max((word.right for word in words if word.left < middle), default=None)
        after = min((word.left for word in words if word.left >= middle), default=None)
        assert level.around(middle) == (before, after)
        over = [piece for piece in pieces if piece[0].left < middle and piece[-1].right > middle + 4]
        assert sorted(map(id, level.over(middle, middle + 4))) == sorted(map(id, over))


@pytest.mark.parametrize("seed", range(5))
def test_rows_with_a_chunk_over_a_stretch_and_slots(seed: int) -> None:
    draw = random.Random(seed)
    rows = [[(float(left), float(left + draw.randrange(40))) for left in (draw.randrange(200) for _ in range(6))]
            for _ in range(12)]  # fmt: skip
    edges = sorted({edge for row in rows for chunk in row for edge in chunk})
    counted = [sum(any(one < (left + right) / 2 < other for one, other in row) for row in rows)
               for left, right in pairwise(edges)]  # fmt: skip
    assert white._crossing(edges, rows) == counted
    for value in range(-5, 250):
        assert slot(edges, value) == min(max(sum(value > edge for edge in edges) - 1, 0), len(edges) - 2)


def test_neighbours_of_blocks_do_not_depend_on_how_many_are_compared_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(1)
    page = Page(1, 612, 792)
    for _ in range(90):
        left, top = draw.randrange(500), draw.randrange(700)
        page.blocks.append(Block(1, [Line([Word(left, top, left + draw.randrange(20, 90), top + 10, "word", FONT)])]))
    style = Style(10, False, 12)
    names = ("above", "below", "beside_left", "beside_right", "gap_above", "gap_below", "near_right")
    found = []
    for at_once in (1, 7, 1000):
        monkeypatch.setattr(features, "_AT_ONCE", at_once)
        measured = features._Page(page, style, {})
        found.append([np.asarray(getattr(measured, name)).tolist() for name in names])
    assert found[0] == found[1] == found[2]
