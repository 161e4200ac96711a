"""Furniture of short documents, in which nothing comes back: what a page alone tells to be a head, a foot, a number."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from test_reader_pdf import HEIGHT, Sheet, of_type, read, words

from ragraph.schema.enums import ContentNodeType

pytest.importorskip("reportlab")

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft

GOING_ON = "members should state this in their schedule and"
LEFT, RIGHT = 72, 400
"""Left edge of the text, and where a number at its right edge begins."""


def page(
    path: Path, *rows: tuple[str, float, float], first: str = "", size: float = 9, rule: float | None = None
) -> Draft:
    """Read a page of text with rows (text, distance from the top, left) at its edges; ``first`` opens the text."""
    sheet = Sheet()
    for text, top, left in rows:
        sheet.line(text, top, left, size=size)
    if rule is not None:
        sheet.canvas.line(LEFT, HEIGHT - rule, 540, HEIGHT - rule)
    sheet.paragraph([*first.split(), *words(200)], 110)
    sheet.paragraph(words(120, 5), 400)
    return read(sheet.save(path / "page.pdf"))


def furniture(draft: Draft) -> list[str]:
    within = {container.key for container in draft.containers if container.type in {"HEADER", "FOOTER"}}
    return [node.text for node in draft.nodes if node.container in within]


@pytest.mark.parametrize(
    "rows",
    [
        [("317", 760, 300)],
        [("xii", 760, LEFT)],
        [("24", 40, LEFT), ("Yarrow", 40, 360)],
        [("Chapter 3. The bridge", 40, LEFT), ("35", 40, 500)],
        [("The Library of the Town", 760, LEFT), ("6", 760, 500)],
        [("80 A MANUAL OF THE BRIDGE", 760, LEFT)],
        [("132 | The bridge and the river", 760, LEFT)],
        [("Chapter 3 The bridge over the river and its", 750, 300), ("piers | 99", 760, 300)],
    ],
)
def test_a_number_apart_from_the_text_is_one_of_the_page_with_the_words_beside_it(
    tmp_path: Path, rows: list[tuple[str, float, float]]
) -> None:
    draft = page(tmp_path, *rows)
    assert " ".join(furniture(draft)).split() == " ".join(text for text, *_ in rows).split()
    assert len(of_type(draft, ContentNodeType.PAGE_NUMBER)) == 1
    assert not of_type(draft, ContentNodeType.HEADING)


@pytest.mark.parametrize(
    "rows",
    [
        [("23", 760, LEFT), ("The rawdata of the second year.", 760, 90)],
        [("2", 40, 300)],
        [("The bridge", 40, LEFT), ("1974", 40, 500)],
        [("Built in 175", 760, LEFT)],
    ],
)
def test_other_numbers_at_the_edge_are_text(tmp_path: Path, rows: list[tuple[str, float, float]]) -> None:
    assert not furniture(page(tmp_path, *rows))


def test_the_sum_under_a_column_is_no_page_number(tmp_path: Path) -> None:
    column = [(f"Part {number} of it", 660.0 + 14 * number, LEFT) for number in range(4)]
    amounts = [(str(12 + number), 660.0 + 14 * number, RIGHT) for number in range(4)]
    assert not furniture(page(tmp_path, *column, *amounts, ("Total", 760, LEFT), ("54", 760, RIGHT)))


def test_a_numbered_title_at_the_top_is_one(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.line("2", 60, font="Times-Bold", size=11)
    sheet.line("The bridge", 60, 110, font="Times-Bold", size=11)
    sheet.paragraph(words(200), 90)
    draft = read(sheet.save(tmp_path / "page.pdf"))
    assert not furniture(draft)
    assert [node.text for node in of_type(draft, ContentNodeType.HEADING)] == ["2 The bridge"]


def test_a_line_over_the_middle_of_a_sentence_is_a_running_head(tmp_path: Path) -> None:
    draft = page(
        tmp_path, ("Land and Water of the Town", 40, 200), first="members should state this in their schedule and"
    )
    assert furniture(draft) == ["Land and Water of the Town"]
    assert not of_type(draft, ContentNodeType.HEADING)


@pytest.mark.parametrize("head", ["Figure 3. Land and water", "It was said:", "6.1 Land and water"])
def test_captions_sentences_and_numbered_titles_over_the_middle_of_a_sentence_are_none(
    tmp_path: Path, head: str
) -> None:
    assert not furniture(page(tmp_path, (head, 40, 200), first=GOING_ON))


def test_words_at_both_ends_over_a_rule_are_a_running_head(tmp_path: Path) -> None:
    rows = ("COLLEGE OF THE TOWN", 40, LEFT), ("BIO 181", 40, 480)
    assert furniture(page(tmp_path, *rows, size=14, rule=46)) == ["COLLEGE OF THE TOWN", "BIO 181"]
    assert not furniture(page(tmp_path, *rows, size=14))
