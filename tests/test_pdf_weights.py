"""The learnt weights of headings: how they are evaluated, and what they find that no rule did."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from test_reader_pdf import Sheet, words
from test_reader_pdf_headings import BOLD, ITALIC, headings, read

from ragraph.pdf.blocks import breaks, drawn
from ragraph.pdf.blocks.assembly import make_blocks
from ragraph.pdf.furniture import features as furniture
from ragraph.pdf.headings.claims import _trust
from ragraph.pdf.headings.contents import _leading_labels
from ragraph.pdf.headings.features import NAMES
from ragraph.pdf.model import Line, Page, Word, font_of
from ragraph.pdf.page.lines import running_style
from ragraph.pdf.trees import Trees, read_trees

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("package", "name", "columns"),
    [
        ("ragraph.pdf.headings", "weights.npz", NAMES),
        ("ragraph.pdf.furniture", "weights.npz", furniture.NAMES),
        ("ragraph.pdf.blocks", "breaks.npz", breaks.NAMES),
        ("ragraph.pdf.blocks", "labels.npz", drawn.NAMES),
    ],
)
def test_the_weights_are_of_the_features_that_are_measured(package: str, name: str, columns: tuple[str, ...]) -> None:
    trees = read_trees(package, name, columns)
    assert trees is read_trees(package, name, columns), "they are read once"
    assert trees.feature.max() < len(columns)
    leaves = trees.left == np.arange(len(trees.left))
    assert (trees.right == np.arange(len(trees.right)))[leaves].all(), "a leaf has itself below it"
    assert np.isfinite(trees.log_odds(np.zeros((1, len(columns)), np.float32))).all()
    with pytest.raises(ValueError, match="other features"):
        read_trees(package, name, columns[::-1])


def test_trees_add_up() -> None:
    # Two trees: "a" up to 1 gives -1, else "b" up to 5 gives 2, else 3; and one leaf that gives 0.5 in any case.
    trees = Trees(
        ("a", "b"),
        feature=np.array([0, 0, 1, 0, 0, 0]),
        threshold=np.array([1, 0, 5, 0, 0, 0], dtype=np.float32),
        left=np.array([1, 1, 3, 3, 4, 5]),
        right=np.array([2, 1, 4, 3, 4, 5]),
        value=np.array([0, -1, 0, 2, 3, 0.5]),
        root=np.array([0, 5]),
        depth=2,
        start=10.0,
    )
    rows = np.array([[1, 9], [2, 5], [2, 6]], dtype=np.float32)
    assert trees.log_odds(rows).tolist() == [9.5, 12.5, 13.5]
    assert trees.log_odds(np.repeat(rows, 300, axis=0)).tolist() == np.repeat([9.5, 12.5, 13.5], 300).tolist()
    assert trees.log_odds(rows[:0]).tolist() == []


@pytest.mark.parametrize("font", [BOLD, ITALIC])
def test_headings_are_found_where_they_are_much_of_the_text(tmp_path: Path, font: str) -> None:
    sheet, titles = (
        Sheet(),
        [f"{name} and what came of it" for name in ("Rivers", "Lakes", "Ponds", "Bridges", "Roads")],
    )
    top = 80.0
    for index, title in enumerate(titles):
        sheet.line(title, top, font=font, size=12)
        top = sheet.paragraph(words(24, start=5 * index), top + 20) + 22
    assert [text for _, text in headings(read(sheet, tmp_path))] == titles


def test_circled_numbers_in_contents_are_no_page_numbers() -> None:
    rows = [[Line([_word("②", 72, 100 + 14 * row)]), Line([_word("Rivers", 110, 100 + 14 * row)])] for row in range(5)]
    assert _leading_labels(rows) is None


def test_type_of_no_size_does_not_end_the_reading() -> None:
    word = _word("lake", 72, 100)
    word.size = 0.0
    page = Page(1, 595, 842)
    page.lines = [Line([word])]
    style = running_style([page])
    assert style.size > 0
    assert [block.text for block in make_blocks(page, page.lines, style)] == ["lake"]


def _word(text: str, left: float, top: float) -> Word:
    return Word(left, top, left + 20, top + 10, text, font_of("Times-Roman"))


def test_a_large_title_of_several_lines_stands_over_its_text(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.line("The state of the towns", 60, font="Helvetica", size=30)
    sheet.paragraph(words(400), 100)
    sheet.page()
    for place, line in enumerate(("Quality of work", "differs from one", "town to the next")):
        sheet.line(line, 90 + 28 * place, font="Helvetica", size=24)
    top = sheet.paragraph(words(120), 175)
    sheet.line("43 % of all", top + 60, font="Helvetica", size=24)  # a number on display is no title
    sheet.paragraph(words(120), top + 80)
    assert [text for _, text in headings(read(sheet, tmp_path))] == [
        "Quality of work differs from one town to the next"
    ]


def test_paragraphs_of_two_lines_parted_by_blank_lines_are_apart(tmp_path: Path) -> None:
    sheet, top = Sheet(), 80.0
    for place in range(12):
        top = sheet.paragraph(words(24 if place % 2 else 14, start=5 * place), top) + 13.2
    assert len(read(sheet, tmp_path).nodes) == 12


def test_titles_of_one_type_are_weighed_together(tmp_path: Path) -> None:
    """Of titles in italics those of years are weaker alone; four of five set alike carry them."""
    sheet, top = Sheet(), 80.0
    titles = [
        "The eleventh century",
        "Schools of the towns",
        "The third century before it",
        "Rivers",
        "Education of all",
    ]
    for place, title in enumerate(titles):
        sheet.line(title, top, left=297 - 3 * len(title), font=ITALIC, size=11)
        top = sheet.paragraph(words(70, start=4 * place), top + 20) + 20
    assert [text for _, text in headings(read(sheet, tmp_path))] == titles


def test_a_line_that_stands_over_its_text_as_a_heading_of_the_page_does_is_one(tmp_path: Path) -> None:
    """A leaflet with labels in bold: one over a paragraph, which its type alone tells, and one over a sum."""
    sheet = Sheet()
    for part in range(4):
        sheet.line(f"Robots in ring {part}", 60, font=BOLD, size=30)
        for row in range(8 if part < 3 else 2):
            sheet.line(" ".join(words(6, start=6 * row)), 120 + 36 * row, font="Helvetica", size=18)
        sheet.page() if part < 3 else None
    fees = ("Everybody pays at the gate of the hall", "before the games of the evening begin", "and nobody later.")
    for top, label, lines in ((300, "Registration Fee", fees), (390, "Prize money of all games", ("Rs. 1500",))):
        sheet.line(label, top, font=BOLD, size=20)
        for place, line in enumerate(lines):
            sheet.line(line, top + 24 + 16 * place, font="Helvetica", size=12.5)
    assert [text for _, text in headings(read(sheet, tmp_path))][-2:] == [
        "Registration Fee",
        "Prize money of all games",
    ]


@pytest.mark.parametrize(
    ("seen", "share"),
    [
        ([-4.5, 3.0, 3.0, 3.0], 1.0),
        ([-9.0, -9.0], 1.0),
        ([-9.0] * 3, 1 / 3),
        ([-9.0] * 3 + [3.0] * 3, 0.5),
        ([-9.0] * 3 + [3.0] * 9, 0.75),
        ([-3.9] * 9, 1.0),
    ],
    ids=["one of four", "two of two", "three of three", "half", "a quarter", "nothing tells"],
)
def test_a_source_weighs_less_the_more_the_page_speaks_against_what_it_names(seen: list[float], share: float) -> None:
    named = dict.fromkeys(range(len(seen) + 5))  # of five the weights know nothing: they are too long
    assert _trust(named, dict(enumerate(seen))) == pytest.approx(share)
