"""The order of labels beside their text, tables of words and columns under a title: rows are read across."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from reportlab.pdfgen.canvas import Canvas
from test_pdf_order import BOLD, LETTER, _order, _sentence, _texts, _title, _write
from test_reader_pdf import of_type, read, words

from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from pathlib import Path


def _label(canvas: Canvas, text: str, left: float, top: float, font: str = "Helvetica", size: float = 10) -> None:
    canvas.setFont(font, size)
    canvas.drawString(left, canvas._pagesize[1] - top, text)


@pytest.mark.parametrize("font", [BOLD, "Helvetica"])
@pytest.mark.parametrize("gap", [12, 60])
def test_dates_beside_titles_and_paragraphs_stand_before_them(tmp_path: Path, font: str, gap: float) -> None:
    canvas = Canvas(str(tmp_path / "events.pdf"), pagesize=LETTER)
    _title(canvas, "Events of the valley", 54, 60, 20)
    top, expected = 100.0, ["Events of the valley"]
    for day in range(3, 9):
        _label(canvas, f"{day} May", 54, top, font)
        _title(canvas, f"Event {day} at the mill", 200, top, 10)
        top = _write(canvas, _sentence(f"e{day}", 20 + 3 * day, day), 200, top + 16, 350) + gap
        expected += [f"{day} May", f"Event {day} at the mill", f"e{day}"]
    canvas.save()
    assert _order(tmp_path / "events.pdf") == expected


def test_two_labels_in_a_box_stand_before_what_is_beside_them(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "course.pdf"), pagesize=LETTER)
    canvas.setFillColorRGB(0.85, 0.9, 1)
    canvas.rect(48, 792 - 330, 516, 250, stroke=0, fill=1)
    canvas.setFillColorRGB(0, 0, 0)
    _label(canvas, "Unit 8", 60, 100, BOLD, 13)
    _label(canvas, "Rivers and mills", 130, 100, BOLD, 13)
    _label(canvas, "No 265", 60, 122, BOLD, 11)
    _label(canvas, "Floods of the valley and their causes", 130, 122, BOLD, 11)
    _write(canvas, _sentence("aims", 40, 1), 130, 142, 400)
    _write(canvas, _sentence("below", 60, 2), 60, 230, 480)
    _write(canvas, _sentence("after", 60, 3), 54, 380, 500)
    canvas.save()
    labels = ["Unit 8", "Rivers and mills", "No 265", "Floods of the valley and their causes"]
    assert _order(tmp_path / "course.pdf") == [*labels, "aims", "below", "after"]


def test_labels_of_a_form_stand_before_what_is_filled_in(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "form.pdf"), pagesize=LETTER)
    _title(canvas, "Report on a flood", 54, 60, 14)
    _write(canvas, _sentence("intro", 40, 1), 54, 90, 500)
    upper = [("Case number:", 54, 9), ("15-FOND-581", 140, 11), ("Agency:", 300, 9), ("County of the mill", 350, 11)]
    lower = [("Age:", 54, 9), ("3 years", 86, 11), ("Kind: Female", 220, 9), ("Male", 322, 9)]
    for row, top in ((upper, 150), (lower, 196)):
        for text, left, size in row:
            _label(canvas, text, left, top, BOLD if text.endswith(":") else "Helvetica", size)
    _label(canvas, "Child (when it was)", 54, 173, size=9)
    _write(canvas, _sentence("end", 120, 4), 54, 225, 500)
    canvas.save()
    labels = [text for text, *_ in (*upper, ("Child (when it was)",), *lower)]
    assert _order(tmp_path / "form.pdf")[2:] == [*labels, "end"]


def test_a_label_level_with_an_item_of_another_column_is_no_row_with_it(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "columns.pdf"), pagesize=LETTER)
    _title(canvas, "A year at the mill", 54, 60, 20)
    _title(canvas, "Work", 54, 100, 12)
    top = _write(canvas, _sentence("work", 60, 1), 54, 118, 230)
    _title(canvas, "Learning", 320, 100, 12)
    _write(canvas, _sentence("learning", 40, 2), 320, 118, 230)
    _label(canvas, "Kinds of work:", 54, top + 12, BOLD)
    _write(canvas, _sentence("kinds", 60, 3), 54, top + 28, 230)
    for place, item in enumerate(("Corn", "Stones", "Water", "Accounts"), -2):
        _label(canvas, f"• {item}", 320, top + 12 + 13 * place)
    canvas.save()
    found = _order(tmp_path / "columns.pdf")
    assert found.index("kinds") < found.index("Learning") < found.index("learning")
    assert [text for text in found if text in {"Corn", "Stones", "Water", "Accounts"}] == [
        "Corn",
        "Stones",
        "Water",
        "Accounts",
    ]


@pytest.mark.parametrize("ruled", [True, False])
@pytest.mark.parametrize("heads", [True, False])
def test_a_table_of_words_is_read_row_by_row(tmp_path: Path, ruled: bool, heads: bool) -> None:
    canvas = Canvas(str(tmp_path / "duties.pdf"), pagesize=LETTER)
    _title(canvas, "Duties of the offices", 54, 60, 16)
    top, expected = 100.0, []
    if heads:
        expected = ["Office", "Duty", "Remark"]
        for head, left in zip(expected, (54, 224, 394), strict=True):
            _title(canvas, head, left, top, 10)
        top += 20
    for row in range(5):
        if ruled:
            canvas.line(54, 792 - top + 13, 550, 792 - top + 13)
        ends = [
            _write(canvas, _sentence(f"{row}{column}", 12 + 5 * ((row + column) % 3), column), left, top, 145)
            for column, left in enumerate((54, 224, 394))
        ]
        top = max(ends) + 12
        expected += [f"{row}{column}" for column in range(3)]
    canvas.save()
    text = "\n".join(_texts(tmp_path / "duties.pdf"))
    places = [text.index(f"Begin{key} " if key[0].isdigit() else key) for key in expected]
    assert places == sorted(places)


def test_long_cells_between_rules_stay_in_the_table_of_the_short_ones(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "offices.pdf"), pagesize=LETTER)
    _write(canvas, _sentence("intro", 80, 9), 54, 90, 500)
    top = 190.0
    for row in range(5):
        canvas.line(54, 792 - top + 13, 550, 792 - top + 13)
        _write(canvas, _sentence(f"{row}0", 5, 0), 54, top, 228)
        top = _write(canvas, _sentence(f"{row}1", 6 + 5 * ((row + 1) % 3), 1), 302, top, 228) + 8
    canvas.line(54, 792 - top + 13, 550, 792 - top + 13)
    _write(canvas, _sentence("after", 120, 9), 54, top + 30, 500)
    canvas.save()
    (table,) = of_type(read(tmp_path / "offices.pdf"), ContentNodeType.TABLE)
    assert all(f"end{row}1." in (table.text or "") for row in range(5))


def test_columns_of_text_and_lists_of_names_under_heads_are_no_table(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "columns.pdf"), pagesize=LETTER)
    for column, left in enumerate((54, 224, 394)):
        _title(canvas, f"Part {words(1, column)[0]}", left, 60)
        for row in range(4):
            _label(canvas, f"{words(1, row + column)[0]} {row}{column}", left, 80 + 14 * row)
        top = 180.0
        _title(canvas, f"Side {words(1, column)[0]}", left, 160)
        for part in range(4):
            top = _write(canvas, _sentence(f"{part}{column}", 20 + 7 * column + 3 * part, part), left, top, 150) + 14
    canvas.save()
    assert not of_type(read(tmp_path / "columns.pdf"), ContentNodeType.TABLE)


def test_lists_of_pairs_in_groups_are_read_row_by_row(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "members.pdf"), pagesize=(792, 612))
    _title(canvas, "Members and their towns", 54, 50, 16)
    for group in range(3):
        for at, head in enumerate(("Name", "Town")):
            left = 54 + 240 * group + 120 * at
            _title(canvas, head, left, 90, 10)
            for row in range(20):
                _label(canvas, f"{head} of {words(1, row + group)[0]} {group}x{row}", left, 106 + 20 * row, size=9)
    canvas.save()
    text = "\n".join(_texts(tmp_path / "members.pdf"))
    keys = [f"{group}x{row}" for row in range(20) for group in range(3)]
    assert [word for word in text.split() if "x" in word and word[0].isdigit()] == [key for key in keys for _ in "ab"]


@pytest.mark.parametrize("title", ["On the banks of rivers", "A study of the banks of northern rivers and mills"])
@pytest.mark.parametrize("aligned", [True, False])
@pytest.mark.parametrize("gutter", [30, 100])
def test_a_centred_title_stands_before_columns_that_are_read_down(
    tmp_path: Path, title: str, aligned: bool, gutter: float
) -> None:
    canvas = Canvas(str(tmp_path / "paper.pdf"), pagesize=LETTER)
    canvas.setFont(BOLD, 18)
    canvas.drawCentredString(306, 792 - 50, title)
    canvas.setFont("Helvetica", 11)
    canvas.drawCentredString(306, 792 - 72, "A. Smith and B. Jones")
    expected = [title, "A. Smith and B. Jones"]
    wide = (504 - gutter) / 2
    for column in range(2):
        left, top = 54 + column * (wide + gutter), 105.0
        for part in range(3):
            number = 1 + 3 * column + part
            top = 105.0 + 190 * part if aligned else top
            _title(canvas, f"{number} Section {number} of it", left, top)
            top = _write(canvas, _sentence(f"s{number}", 52 + 7 * (number % 2), number), left, top + 18, wide) + 16
            expected += [f"{number} Section {number} of it", f"s{number}"]
    canvas.save()
    assert _order(tmp_path / "paper.pdf") == expected


def test_cards_whose_numbers_go_on_across_are_read_across(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "steps.pdf"), pagesize=LETTER)
    expected = []
    for number in range(6):
        left, top = 54 + 260 * (number % 2), 100 + 150 * (number // 2)
        _title(canvas, f"{number + 1} Step {number + 1} of all", left, top)
        _write(canvas, _sentence(f"s{number}", 20 + 5 * (number % 3), number), left, top + 18, 230)
        expected += [f"{number + 1} Step {number + 1} of all", f"s{number}"]
    canvas.save()
    assert _order(tmp_path / "steps.pdf") == expected
