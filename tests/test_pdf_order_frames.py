"""Reading order where frames stand on a page: every line is read once, terms stand in front of what explains them."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from reportlab.pdfgen.canvas import Canvas
from test_reader_pdf import read

from ragraph.pdf.blocks.order import in_order
from ragraph.pdf.model import Block, Box, Font, Line, Page, Word

if TYPE_CHECKING:
    from pathlib import Path

FONT = Font("Helvetica", False, False, False, False)


def _line(text: str, left: float, bottom: float) -> Line:
    words = []
    for part in text.split():
        words.append(Word(left, bottom - 10, left + 5 * len(part), bottom, part, FONT))
        left += 5 * len(part) + 3
    return Line(words)


def _block(text: str, left: float, bottom: float, lines: int = 1) -> Block:
    return Block(1, [_line(f"{text}.{row} goes on so", left, bottom + 12 * row) for row in range(lines)])


def _glossary(top: float, rows: int) -> list[Block]:
    terms = [_block(f"t{row}", 60, top + 24 * row) for row in range(rows)]
    lines = [_line(f"e{row} says what it is in words that go on", 200, top + 12 * row) for row in range(2 * rows)]
    return [*terms, Block(1, lines)]


def test_what_a_frame_holds_is_stored_once(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "frame.pdf"), pagesize=(612, 792))
    canvas.setFont("Helvetica", 10)
    canvas.drawString(60, 700, "Outside the frame there is a sentence that goes before the words explained.")
    canvas.rect(50, 452, 500, 160)
    for row in range(5):
        canvas.drawString(60, 592 - 24 * row, f"term{row}")
        canvas.drawString(200, 592 - 24 * row, f"explains{row} these are words that go on to say it")
        canvas.drawString(200, 580 - 24 * row, f"more{row} these are words that go on to say it too.")
    canvas.drawString(60, 400, "Outside the frame there is a sentence that goes behind the words explained.")
    canvas.save()
    text = " ".join(node.text for node in read(tmp_path / "frame.pdf").nodes)
    keys = [word for word in text.split() if word[-1].isdigit()]
    assert keys == [f"{word}{row}" for row in range(5) for word in ("term", "explains", "more")]


@pytest.mark.parametrize("frames", [[], [Box(50, 480, 520, 560)]])
def test_a_frame_elsewhere_leaves_terms_in_front_of_what_explains_them(frames: list[Box]) -> None:
    page = Page(1, 612, 792, frames=frames)
    boxed = [_block("b0", 60, 510), _block("b1", 60, 540)]
    found = in_order(page, [_block("a", 60, 100), *_glossary(200, 5), *boxed])
    rows = [f"{key}{row * (1 + (key == 'e'))}" for row in range(5) for key in "te"]
    assert [block.text.split()[0].split(".")[0] for block in found] == ["a", *rows, "b0", "b1"]


def _frame(dice: random.Random) -> Box:
    left, top = dice.uniform(0, 400), dice.uniform(0, 600)
    return Box(left, top, left + dice.uniform(40, 500), top + dice.uniform(20, 500))


@pytest.mark.parametrize("seed", range(120))
def test_no_line_is_read_twice_and_none_is_lost(seed: int) -> None:
    dice = random.Random(seed)
    page = Page(1, 612, 792)
    blocks: list[Block] = []
    for part in range(dice.randint(1, 3)):
        blocks += _glossary(40 + 250 * part + dice.choice((0, 0, 3)), dice.randint(2, 8))
    for number in range(dice.randint(0, 14)):
        place = dice.choice((60, 62, 200, 300, 330, 450)), dice.randint(2, 60) * 12.0
        blocks.append(_block(f"x{number}", *place, dice.choice((1, 1, 2, 5))))
    around = [Box(block.left - 2, block.top - 2, 560, block.bottom + dice.uniform(0, 200)) for block in blocks]
    page.frames = [*dice.sample(around, min(len(around), dice.randint(0, 3)))]
    page.frames += [_frame(dice) for _ in range(dice.randint(0, 4))]
    before = sorted(id(word) for block in blocks for line in block.lines for word in line.words)
    found = in_order(page, blocks)
    assert sorted(id(word) for block in found for line in block.lines for word in line.words) == before
    for block in found:
        if block.grid is not None:
            cells = [id(word) for words in block.grid.words.values() for word in words]
            assert sorted(cells) == sorted(id(word) for line in block.lines for word in line.words)


def _key(block: Block) -> str:
    return block.text.split()[0]


def _one(text: str, left: float, bottom: float, size: float = 10) -> Block:
    line = _line(text, left, bottom)
    return Block(
        1, [Line([Word(word.left, bottom - size, word.right, bottom, word.text, FONT) for word in line.words])]
    )


def test_a_line_over_the_parts_of_a_formula_is_over_no_columns() -> None:
    left = [_one("a0 it holds that", 60, 112), _one("f0 x", 80, 140), _one("f1 y", 150, 140)]
    left += [_one("a1 goes on over the parts of it all", 60, 160), _one("a2 and ends here", 60, 190)]
    right = [_block("b0", 320, 112, lines=2), _block("b1", 320, 176, lines=6)]
    found = [_key(block).split(".")[0] for block in in_order(Page(1, 612, 792), [*left, *right])]
    assert found == ["a0", "f0", "f1", "a1", "a2", "b0", "b1"]


@pytest.mark.parametrize(("gutter", "beside"), [(300.0, 5), (None, 1)])
def test_a_title_of_a_column_is_no_label_of_text_in_the_next(gutter: float | None, beside: int) -> None:
    titles = [_one("t0 BRIDGES", 60, 100, 11), _one("t1 Of Wood", 60, 116, 11)]
    text = [_block("a0", 60, 130, lines=4), _block("a1", 60, 190, lines=4), _block("a2", 60, 250, lines=4)]
    other = [_one("b0 these go on", 320, 99.5, 9.5), _block("b1", 320, 130, lines=4)]
    page = Page(1, 612, 792)
    page.gutter = gutter
    found = [_key(block).split(".")[0] for block in in_order(page, [*titles, *text, *other])]
    assert found.index("b0") == beside, found
