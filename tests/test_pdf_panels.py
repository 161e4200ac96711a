"""Panels of leaflets and slides: what stands on coloured grounds and between frames is text, with its titles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from reportlab.pdfgen.canvas import Canvas
from test_reader_pdf import Sheet, of_type, read, words

from ragraph.pdf.blocks.figures import find_figures
from ragraph.pdf.model import Box, Line, Page, Style, Word, font_of
from ragraph.pdf.tables.finding import find_tables
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ragraph.ingest.draft import Draft

BOLD = "Helvetica-Bold"
FIELDS = ("7 Street/7 | 7 Code/7", "7 Phone/7 | 7 Mail/7")


def _headings(draft: Draft) -> list[str]:
    return [node.text for node in of_type(draft, ContentNodeType.HEADING)]


def _texts(draft: Draft) -> list[str]:
    return [node.text for node in draft.nodes]


def test_panels_whose_frames_touch_are_no_table(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "panels.pdf"), pagesize=(612, 792))
    for left, bottom, wide, title in ((250, 420, 310, "Coming Events"), (50, 120, 510, "Letters and Sounds")):
        canvas.rect(left, bottom, wide, 300)
        canvas.setFont(BOLD, 14)
        canvas.drawString(left + 10, bottom + 276, title)
        canvas.setFont("Helvetica", 10)
        for row in range(9):
            canvas.drawString(left + 10, bottom + 252 - 13 * row, " ".join(words(7, row + left)))
    canvas.save()
    found = read(tmp_path / "panels.pdf")
    assert not of_type(found, ContentNodeType.TABLE)
    assert {"Coming Events", "Letters and Sounds"} <= set(_texts(found))


@pytest.mark.parametrize("title", ["", "Application for Membership"])
def test_the_fields_of_a_form_are_a_table_though_most_are_as_wide_as_it(tmp_path: Path, title: str) -> None:
    canvas = Canvas(str(tmp_path / "form.pdf"), pagesize=(612, 792))
    canvas.setFont("Helvetica", 10)
    for row in range(6):
        canvas.drawString(50, 740 - 13 * row, " ".join(words(13, row)))
    fields = (["Full name: Maria Bell"], ["Born: 1980", "Town: Newport"], ["Street: 12 Long Street"], ["Land: Wales"])
    for row, texts in enumerate(fields):
        for column, text in enumerate(texts):
            canvas.rect(50 + 250 * column, 576 - 24 * row, 500 / len(texts), 24)
            canvas.drawString(54 + 250 * column, 584 - 24 * row, text)
    if title:
        canvas.rect(50, 600, 500, 34)
        canvas.setFont(BOLD, 18)
        canvas.drawString(60, 610, title)
    canvas.save()
    found = read(tmp_path / "form.pdf")
    (table,) = of_type(found, ContentNodeType.TABLE)
    assert "Born: 1980 | Town: Newport" in table.text
    assert "Land: Wales" in table.text


@pytest.mark.parametrize("lines", [1, 3])
def test_a_checklist_whose_cells_are_to_be_filled_in_is_a_table(tmp_path: Path, lines: int) -> None:
    canvas = Canvas(str(tmp_path / "checklist.pdf"), pagesize=(612, 792))
    canvas.setFont("Helvetica", 10)
    tasks = [" ".join(words(5, number)) for number in range(6 * lines)]
    lefts, top, high = (72, 250, 380, 480), 640, 13 * lines + 9
    rows = [top, *(top - 22 - high * row for row in range(7))]
    canvas.grid(lefts, rows)
    for left, name in zip(lefts, ("Task", "Done by", "Date"), strict=False):
        canvas.drawString(left + 4, top - 15, name)
    for number, task in enumerate(tasks):
        canvas.drawString(76, rows[1 + number // lines] - 14 - 13 * (number % lines), task)
    canvas.save()
    (table,) = of_type(read(tmp_path / "checklist.pdf"), ContentNodeType.TABLE)
    assert table.text.startswith("Task | Done by | Date\n")
    assert all(task in table.text for task in tasks)


@pytest.mark.parametrize(
    ("rows", "stored"),
    [
        (
            ["7 Full name/12 Maria Bell", "7 Born/7 | 7 Town/7", *FIELDS],
            "Maria Bell",
        ),
        (
            ["7 Born/7 | 7 Town/7", *FIELDS, "7 Remarks/12 None so far"],
            "None so far",
        ),
        (
            ["9 Bolts | 9 12 | 9 4.00", "9 Nuts | 9 20 | 9 3.00", "9 Nails | 9 5 | 9 1.00", "12 Total due 8.00"],
            "Total due",
        ),
        (
            ["15 Boys | 15 Girls", "9 Low | 9 High | 9 Low | 9 High", "9 1 | 9 4 | 9 2 | 9 6", "9 3 | 9 5 | 9 1 | 9 7"],
            "Girls",
        ),
    ],
)
def test_fields_and_sums_in_large_type_are_rows(tmp_path: Path, rows: list[str], stored: str) -> None:
    canvas = Canvas(str(tmp_path / "form.pdf"), pagesize=(612, 792))
    for row, cells in enumerate(rows):
        texts = cells.split(" | ")
        wide, foot = 504 / len(texts), 600 - 30 * row
        for column, cell in enumerate(texts):
            canvas.rect(50 + wide * column, foot, wide, 30)
            for at, line in enumerate(cell.split("/")):
                size, _, text = line.partition(" ")
                canvas.setFont("Helvetica", int(size))
                canvas.drawString(54 + wide * column, foot + (20 if "/" in cell else 14) - 14 * at, text)
    canvas.save()
    (table,) = of_type(read(tmp_path / "form.pdf"), ContentNodeType.TABLE)
    assert stored in table.text


def test_displayed_words_in_a_cell_beside_all_rows_are_part_of_the_table() -> None:
    font, page = font_of("/Helvetica"), Page(1, 595, 842)
    large = ("Our partnership", "of bridges", "over", "many rivers")
    for row, (text, number) in enumerate(zip(large, ("First", "Second", "Third", "Fourth"), strict=True)):
        top = 100 + 40 * row
        beside = [Word(160, top + 14, 200, top + 24, number, font), Word(210, top + 14, 250, top + 24, "plan", font)]
        page.lines.append(Line([Word(80, top, 140, top + 20, text, font), *beside]))
    page.horizontals = [(70, 400, 95), (70, 400, 255), *((150, 400, 95 + 40 * row) for row in (1, 2, 3))]
    page.verticals = [(95, 255, at) for at in (70, 150, 205, 400)]
    (table,) = find_tables(page, page.lines)
    assert table.grid is not None
    assert table.grid.texts()[0] == ["Our partnership of bridges over many rivers", "First", "plan"]
    assert table.grid.texts()[3][1:] == ["Fourth", "plan"]


def test_short_paragraphs_on_a_ground_with_a_picture_are_text(tmp_path: Path) -> None:
    from PIL import Image

    Image.new("RGB", (80, 60), "navy").save(tmp_path / "photo.png")
    canvas = Canvas(str(tmp_path / "news.pdf"), pagesize=(612, 792))
    canvas.setFillColorRGB(0.9, 0.8, 0.3)
    canvas.rect(40, 60, 532, 380, stroke=0, fill=1)
    canvas.rect(40, 20, 532, 41)
    canvas.drawImage(str(tmp_path / "photo.png"), 20, 250, 220, 120)
    canvas.setFillColorRGB(0, 0, 0)
    canvas.setFont(BOLD, 12)
    canvas.drawString(230, 415, "Robots at the Library")
    canvas.setFont("Helvetica", 9)
    for part in range(4):
        for row in range(2):
            canvas.drawString(260, 390 - 40 * part - 11 * row, " ".join(words(9, row + part)).capitalize())
    canvas.setFont("Helvetica", 10)
    for row in range(20):
        canvas.drawString(60, 740 - 12 * row, " ".join(words(14, row)))
    canvas.save()
    found = read(tmp_path / "news.pdf")
    assert "Robots at the Library" in _texts(found)
    assert len(of_type(found, ContentNodeType.PARAGRAPH)) >= 4


def test_a_label_in_bold_and_its_plain_title_on_a_bar_are_one_heading(tmp_path: Path) -> None:
    sheet = Sheet()
    top = 80.0
    for number, title in enumerate(("Rack Installation", "Aisle Signs", "Dock Doors"), 3):
        sheet.line(f"Section {number}.", top, font=BOLD, size=16)
        sheet.line(title, top, left=180, size=16)
        top = sheet.paragraph(words(90, number), top + 30) + 40
    found = _headings(read(sheet.save(tmp_path / "survey.pdf")))
    assert [text for text in found if "Aisle" in text] == ["Section 4. Aisle Signs"]


def _wrapped(canvas: Canvas, title: str, text: list[str], top: float) -> float:
    canvas.drawString(72, top, title)
    line: list[str] = []
    for word in [*text, ""]:
        if word and canvas.stringWidth(" ".join([*line, word])) < 400:
            line.append(word)
            continue
        top -= 13
        canvas.drawString(72, top, " ".join(line))
        line = [word]
    return top - 34


def test_the_first_line_of_an_address_or_of_one_paragraph_is_no_title(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "letter.pdf"), pagesize=(612, 792))
    canvas.setFont("Helvetica", 10)
    top = _wrapped(canvas, "Terms of Delivery", " ".join(words(60)).capitalize().split(), 740)
    for number in range(3):
        for row, line in enumerate(("Harbour Office", "12 Long Street of the Old Town Hall", "Newport", "Far Country")):
            canvas.drawString(72, top - 13 * row - 80 * number, line)
    canvas.save()
    assert _headings(read(tmp_path / "letter.pdf")) == []


def test_a_row_of_dots_among_the_entries_of_contents_stays_a_line(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.line("Contents", 60, font=BOLD, size=16)
    for number, title in enumerate(("Origins", "Growth", "Decline", "Revival", "Outlook")):
        sheet.line(f"{title} {'.' * 60} {3 * number + 2}", 100 + 40 * number)
        sheet.line(" ".join("." * 40), 120 + 40 * number)
    sheet.page()
    sheet.paragraph(words(200), 60)
    texts = _texts(read(sheet.save(tmp_path / "dots.pdf")))
    assert any("Origins" in text for text in texts)
    assert any("Outlook" in text for text in texts)


class Counted(list[Line]):
    """Lines that count how often all of them are gone through."""

    times = 0

    def __iter__(self) -> Iterator[Line]:
        self.times += 1
        return super().__iter__()


def test_lines_are_not_gone_through_for_each_small_drawing() -> None:
    font, page = font_of("Times-Roman"), Page(1, 600, 800)
    page.drawings = [
        Box(at % 60 * 10.0, at // 60 * 40.0, at % 60 * 10 + 8.0, at // 60 * 40 + 38.0) for at in range(900)
    ]
    page.drawings.append(Box(20, 20, 120, 120))
    lines = Counted([Line([Word(50, 20.0 * row, 90, 20.0 * row + 10, "word", font)]) for row in range(30)])
    find_figures(page, lines, [], Style(10, bold=False, pitch=12))
    assert lines.times < 20
