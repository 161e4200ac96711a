"""Levels of headings in PDF files that their type does not tell: by where they stand, by labels, by parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from test_reader_pdf import Sheet, words

from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.pdf import PdfReader
from ragraph.pdf.headings.levels import schemes_of
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from pathlib import Path

BOLD = "Times-Bold"
LEFT, SET_IN = 72.0, 96.0


def levels(sheet: Sheet, folder: Path) -> list[tuple[int | None, str]]:
    draft = PdfReader().read(sheet.save(folder / "sample.pdf"), ReadOptions())
    return [(node.level, node.text) for node in draft.nodes if node.type is ContentNodeType.HEADING]


def write(sheet: Sheet, titles: list[tuple[str, float | None]]) -> None:
    """Set titles in bold over paragraphs of one width, each at its left edge or, without one, in the middle."""
    widest = " ".join(words(14))
    wide = sheet.canvas.stringWidth(widest, "Times-Roman", 11)
    sheet.line("A handbook of leave", 60, left=180, font=BOLD, size=26)
    top = 110.0
    for index, (title, left) in enumerate(titles):
        if top > 620:
            sheet.page()
            top = 80.0
        middle = LEFT + (wide - sheet.canvas.stringWidth(title, BOLD, 13)) / 2
        sheet.line(title, top, left=middle if left is None else left, font=BOLD, size=13)
        sheet.line(widest, top + 22)
        top = sheet.paragraph(words(44, start=20 + 5 * index), top + 35.2, per_line=12) + 24


def test_a_centred_title_stands_above_those_of_its_type_at_the_edge(tmp_path: Path) -> None:
    sheet = Sheet()
    titles = [("Use by clerks", None), ("Asking for leave", LEFT), ("Taking the leave", LEFT)]
    write(sheet, [*titles, ("Use by masters", None), ("Giving of leave", LEFT), ("Lists of leaves", LEFT)])
    assert [level for level, _ in levels(sheet, tmp_path)] == [1, 2, 2, 1, 2, 2]


def test_titles_that_are_all_centred_are_of_one_level(tmp_path: Path) -> None:
    sheet = Sheet()
    titles = ["Use by clerks", "Asking for leave", "Taking the leave", "Use by masters", "Giving of leave"]
    write(sheet, [(title, None) for title in titles])
    assert [level for level, _ in levels(sheet, tmp_path)] == [1] * 5


def test_a_title_that_is_set_in_stands_below_the_one_before_it(tmp_path: Path) -> None:
    sheet = Sheet()
    titles = [("Risks of the firm", LEFT), ("Risks at home", SET_IN), ("Risks abroad", SET_IN)]
    write(sheet, [*titles, ("Costs of the firm", LEFT), ("Costs at home", SET_IN)])
    assert [level for level, _ in levels(sheet, tmp_path)] == [1, 2, 2, 1, 2]


def test_a_word_with_numbers_that_count_up_leads_the_numbers_below(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.line("A handbook of steps", 60, left=180, font=BOLD, size=26)
    for number, (first, second) in enumerate([("Aims", "Costs"), ("Lists", "Keys"), ("Tests", "Letters")], 1):
        top = 110.0
        for title in (f"Step {number}: Of the {first.lower()}", f"{number}.1 {first}", f"{number}.2 {second}"):
            sheet.line(title, top, font=BOLD, size=13)
            top = sheet.paragraph(words(56, start=9 * number), top + 22) + 24
        sheet.page()
    assert [level for level, _ in levels(sheet, tmp_path)] == [1, 2, 2] * 3


def test_a_word_with_numbers_is_a_label_only_if_they_count_up() -> None:
    assert schemes_of(["Step 1: Aims", "Step 2: Costs", "Step 3: Keys"]) == ["named step"] * 3
    assert schemes_of(["Page 7", "Page 2", "Page 12"]) == ["none"] * 3
    assert schemes_of(["Sales 2: Costs", "Sales 3: Costs", "Sales 4: Costs"]) == ["none"] * 3


def test_parts_stand_above_numbers_though_the_contents_set_both_at_one_edge(tmp_path: Path) -> None:
    sheet = Sheet()
    parts = ["Part I Of land", "1 Fields", "2 Woods", "Part II Of water", "3 Rivers", "4 Lakes"]
    sheet.line("Contents", 80, font=BOLD, size=13)
    for index, title in enumerate(parts):
        sheet.line(f"{title} {'. ' * 40}{index + 2}", 110 + 18 * index)
    for index, title in enumerate(parts):
        sheet.page()
        sheet.line(title, 80, font=BOLD, size=18 if title.startswith("Part") else 13)
        sheet.paragraph(words(70, start=5 * index), 110)
        sheet.line(str(index + 2), 760, left=300)
    found = [item for item in levels(sheet, tmp_path) if item[1] != "Contents"]
    assert [level for level, _ in found] == [1, 2, 2, 1, 2, 2]


def test_an_index_in_two_columns_states_no_levels(tmp_path: Path) -> None:
    names = ["wait for all", "close all", "open file", "read line", "sort lines", "copy file"]
    names += ["join files", "move file", "find line", "drop file", "trim line", "quit it"]
    sheet = Sheet()
    sheet.line("Functions of the Library", 60, font=BOLD, size=26)
    sheet.paragraph(words(200), 110)
    pages = {}
    for page, title in enumerate(("1 Before anything is read", "2 What is read and written", "3 At the very end"), 2):
        sheet.line(str(page - 1), 750, 300)
        sheet.page()
        sheet.line(title, 130, font=BOLD, size=16)
        top = sheet.paragraph(words(30, page), 160) + 24
        for name in names[4 * (page - 2) : 4 * (page - 1)]:
            pages[name] = page
            sheet.line(name, top, font=BOLD, size=12)
            top = sheet.paragraph(words(60, page), top + 20) + 24
    sheet.line("4", 750, 300)
    sheet.page()
    sheet.line("Index", 130, font=BOLD, size=16)
    for place, name in enumerate(sorted(names)):
        left, top = (72, 330)[place % 2], 160 + 20 * (place // 2)
        sheet.line(f"{name} {'. ' * 20}{pages[name]}", top, left)
    sheet.line("5", 750, 300)
    found = [level for level, text in levels(sheet, tmp_path) if text in names]
    assert found == [2] * len(found)
    assert len(found) >= 10
