"""The benchmark of PDF structure: its figures are right on small outlines and texts."""

from __future__ import annotations

import pytest

from bench.structure.documents import TexHeading
from bench.structure.metrics import Ratio, Scores, score
from bench.structure.outlines import levels_right, match, parents_right, similar, tree_similarity
from bench.structure.peers import plain_markdown
from bench.structure.reading import Caption, Heading, Note, Piece, Reading
from bench.structure.report import Line, means
from bench.structure.tex import footnotes_of, headings_of, running_text
from bench.structure.truth import Row, Truth

TRUTH = [Heading("Alpha", 1), Heading("Beta gamma", 2), Heading("Delta", 2), Heading("Epsilon", 1)]


def test_the_same_outline_is_wholly_right() -> None:
    pairs = match(TRUTH, TRUTH)
    assert len(pairs) == levels_right(TRUTH, TRUTH, pairs) == parents_right(TRUTH, TRUTH, pairs) == 4
    assert tree_similarity(TRUTH, TRUTH) == 1.0


def test_a_flat_outline_has_one_level_right_and_the_top_parents() -> None:
    flat = [Heading(heading.title, 3) for heading in TRUTH]
    pairs = match(TRUTH, flat)
    assert levels_right(TRUTH, flat, pairs) == 2
    assert parents_right(TRUTH, flat, pairs) == 2
    assert tree_similarity(TRUTH, flat) == pytest.approx(0.5)


def test_levels_may_be_named_otherwise_but_not_turned_round() -> None:
    shifted = [Heading(heading.title, heading.depth + 2) for heading in TRUTH]
    turned = [Heading(heading.title, 3 - heading.depth) for heading in TRUTH]
    assert levels_right(TRUTH, shifted, match(TRUTH, shifted)) == 4
    assert levels_right(TRUTH, turned, match(TRUTH, turned)) == 2


def test_an_invented_heading_costs_one_of_the_tree() -> None:
    more = [*TRUTH, Heading("Zeta zeta", 1)]
    assert tree_similarity(TRUTH, more) == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("found", "truth", "same"),
    [
        ("2.1 The Store", "The store", True),
        ("The Stone Age", "The store", False),
        ("CHAPTER II. Greeks", "Greeks", True),
    ],
)
def test_titles_are_the_same_but_for_numbers_and_case(found: str, truth: str, same: bool) -> None:
    assert similar(found, truth) is same


def test_figures_of_a_reading() -> None:
    truth = Truth(
        headings=TRUTH,
        notes=["See the first book for more of this matter.", "And the second."],
        captions=[("Figure 1: A map", "figure", 1)],
        labels={1: "i", 2: "1"},
        page_texts=["A head alpha beta gamma", "delta epsilon"],
        order=["alpha", "beta", "gamma", "delta", "epsilon"],
        furniture=[Row(1, "A running head")],
    )
    reading = Reading(
        headings=[*TRUTH[:2], Heading("The Book", 1)],
        pieces=[
            Piece("alpha beta gamma", frozenset({1})),
            Piece("A running head", frozenset({1})),
            Piece("a note", frozenset({2}), "note"),
        ],
        notes=[Note("See the first book for more of this matter, and on.", True)],
        labels={1: "i", 2: "2"},
        captions=[Caption("Figure 1: A map", "table", 1)],
        seconds=2.0,
        links=True,
    )
    scores = score(reading, truth, title="The Book")
    assert scores.ratios["P"] == Ratio(2, 2)
    assert scores.ratios["R"] == Ratio(2, 4)
    assert scores.value("F1") == pytest.approx(2 / 3)
    assert scores.ratios["notes"] == scores.ratios["linked"] == Ratio(1, 2)
    assert scores.ratios["pages"] == Ratio(1, 2)
    assert scores.ratios["furniture"] == Ratio(0, 1)
    assert scores.ratios["captions"] == Ratio(0, 1)


def test_marks_of_notes_may_touch_words_and_furniture_may_repeat_them() -> None:
    truth = Truth(
        page_texts=["PRESIDENT the president9 said so in 2017"], order=["said"], furniture=[Row(1, "PRESIDENT")]
    )
    kept = Piece("PRESIDENT", frozenset({1}), "furniture")
    body = Piece("to the President of the President 9 said so in 2017", frozenset({1, 2}))
    assert score(Reading(pieces=[kept, body]), truth, "").ratios["recall"] == Ratio(8, 8)
    assert score(Reading(pieces=[kept, body]), truth, "").ratios["furniture"] == Ratio(1, 1)
    assert score(Reading(pieces=[body]), truth, "").ratios["furniture"] == Ratio(0, 1)


def test_a_reader_without_a_notion_has_no_figure_and_one_that_finds_nothing_has_zero() -> None:
    truth = Truth(notes=["A note of some length."], labels={1: "1"}, page_texts=["x"])
    assert {"notes", "linked", "pages"}.isdisjoint(score(Reading(), truth, "").ratios)
    nothing = score(Reading(notes=[], labels={}, links=True), truth, "")
    assert nothing.value("linked") == nothing.value("pages") == 0.0


def test_means_count_every_document_once_and_leave_out_what_is_held_out() -> None:
    one, other = Scores({"R": Ratio(1, 1)}, pages=1, seconds=1.0), Scores({"R": Ratio(0, 9)}, pages=9, seconds=4.0)
    lines = [
        Line("a", "as is", "r", one),
        Line("b", "as is", "r", other),
        Line("c", "as is", "r", other, held_out=True),
    ]
    (mean,) = means(lines)
    assert mean.value("R") == 0.5
    assert mean.value("pages/s") == 2.0


def test_tex_sources_tell_headings_notes_and_words() -> None:
    source = (
        "\\begin{document}\\chapter*{\\pdfbookmark[1]{X}{X}Preface}\nOne two\\footnote{Of {some} length.} three"
        "\\index{three}.\n\\textbf{Bold of its own}\n\n$a+b$ four\n\\printindex\n\\end{document}"
    )
    rules = [TexHeading("chapter", 1), TexHeading("textbf", 2), TexHeading("printindex", 1, title="Index")]
    assert headings_of([source], rules) == [("Preface", 1), ("Bold of its own", 2), ("Index", 1)]
    assert footnotes_of([source], ["footnote"]) == ["Of some length."]
    assert [word.strip(".") for word in running_text([source], ["footnote"])] == [
        "Preface", "One", "two", "three", "Bold", "of", "its", "own", "four",
    ]  # fmt: skip


def test_markdown_of_peers_is_compared_as_plain_text() -> None:
    assert plain_markdown("## **2.1** The _store_ of<sup>3</sup> [all](http://x/(y))") == "2.1 The store of 3 all"
