"""Running heads and feet, told from titles, heads of tables and copies of pages that come back, too."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from test_reader_pdf import Sheet, read, words

from ragraph.pdf.furniture import running
from ragraph.pdf.model import Line, Page, Style, Word, font_of

pytest.importorskip("reportlab")

if TYPE_CHECKING:
    from types import FrameType

    from ragraph.ingest.draft import Draft

SLIP = (
    "Meadow Savings Bank",
    "Transfer of rent",
    "To: Anna Berg",
    "Purpose: rent for May",
    "Sum: 480",
    "Signed: Karl Nord",
)


def furniture(draft: Draft) -> list[str]:
    within = {container.key for container in draft.containers if container.type in {"HEADER", "FOOTER"}}
    return [node.text for node in draft.nodes if node.container in within]


def test_of_two_copies_of_a_page_nothing_is_furniture_for_coming_back(tmp_path: Path) -> None:
    sheet = Sheet()
    for _ in range(2):
        for row, text in enumerate(SLIP):
            sheet.line(text, 60 + 18 * row)
        sheet.page()
    draft = read(sheet.save(tmp_path / "slip.pdf"))
    assert furniture(draft) == []
    text = " ".join(node.text for node in draft.nodes)
    assert all(text.count(line) == 2 for line in SLIP)


def test_pages_of_a_table_that_differ_in_numbers_alone_are_no_copies(tmp_path: Path) -> None:
    sheet = Sheet()
    for page in range(3):
        sheet.line("Register of ships", 40, size=9)
        for row in range(40):
            for text, left in ((f"Ship {40 * page + row}", 72), (str(1900 + 2 * page + row), 250), ("Bergen", 400)):
                sheet.line(text, 80 + 15 * row, left)
        sheet.page()
    assert furniture(read(sheet.save(tmp_path / "register.pdf"))) == ["Register of ships"] * 3


def test_a_head_of_which_one_part_comes_back_is_furniture_on_all_pages(tmp_path: Path) -> None:
    sheet = Sheet()
    chapters = ["Ships", "Ships", "Quays", "Quays", "Fees"]
    for number, chapter in enumerate(chapters):
        sheet.line("Report of the Harbour", 40, size=9)
        sheet.line(chapter, 40, left=480, size=9)
        sheet.paragraph(words(14 * 45, start=7 * number), 80)
        sheet.page()
    heads = furniture(read(sheet.save(tmp_path / "report.pdf")))
    assert heads == [text for chapter in chapters for text in ("Report of the Harbour", chapter)]


def test_of_copies_of_copies_nothing_is_furniture_for_coming_back(tmp_path: Path) -> None:
    """The third is like the second but not like the first: each was filled in anew from the one before."""
    second = ("Meadow Savings Bank", "Transfer of rent", "To: Anna Berg", "For the garden", "Sum: 480", SLIP[-1])
    third = ("Meadow Savings Bank", "Transfer of rent", "To: Anna Berg", "For the garden", "Paid in cash", SLIP[-1])
    sheet = Sheet()
    for slip in (SLIP, second, third):
        for row, text in enumerate(slip):
            sheet.line(text, 60 + 18 * row)
        sheet.page()
    assert furniture(read(sheet.save(tmp_path / "slips.pdf"))) == []


def test_the_title_of_a_part_that_opens_some_pages_is_no_running_head(tmp_path: Path) -> None:
    sheet = Sheet()
    for page in range(1, 13):
        sheet.line("The Bridge over the River", 30, size=8)
        sheet.line(f"Page {page}", 770, left=500, size=8)
        top = 72.0
        if page in {4, 7, 11}:
            sheet.line("Recommendations", top, font="Times-Bold", size=13)
            top += 22
        top = sheet.paragraph(words(14 * 20, start=page * 7), top)
        sheet.line(f"Finding {page}", top + 12, font="Times-Bold", size=13)
        sheet.paragraph(words(14 * 15, start=page * 11), top + 36)
        sheet.page()
    draft = read(sheet.save(tmp_path / "report.pdf"))
    assert "Recommendations" not in furniture(draft)
    assert furniture(draft).count("The Bridge over the River") == 12


def test_the_work_grows_with_the_pages_and_no_faster() -> None:
    assert _work(400) < 2.2 * _work(200)


def _work(count: int) -> int:
    """Return how many steps the rules and measures of furniture take for pages with a head, a foot and a number."""
    folder = str(Path(running.__file__).parent)
    steps = 0

    def count_steps(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal steps
        if not frame.f_code.co_filename.startswith(folder):
            return None
        steps += event == "line"  # each round of a loop is one, also within one line
        return count_steps

    pages = [_page(number) for number in range(1, count + 1)]
    before = sys.gettrace()
    sys.settrace(count_steps)
    try:
        running.take_furniture(pages, Style(10.0, False, 12.0))
    finally:
        sys.settrace(before)
    assert all(len(page.furniture) == 3 for page in pages)
    return steps


def _page(number: int) -> Page:
    text = [_line(" ".join(words(12, start=number * 7 + row)), 72 + 12 * row) for row in range(4)]
    page = Page(number, 612, 792)
    page.lines = [
        _line("The Bridge over the River", 30),
        *text,
        _line(f"Works of spring {number}", 740),
        _line(str(number), 770),
    ]
    return page


def _line(text: str, top: float) -> Line:
    font = font_of("Times-Roman")
    return Line([
        Word(72 + 40 * place, top, 107 + 40 * place, top + 10, part, font) for place, part in enumerate(text.split())
    ])  # fmt: skip


def test_what_stands_beside_the_number_of_a_page_goes_with_it(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.line("A Toolkit for Layouts", 102, left=220, font="Times-Bold", size=15)
    sheet.line("Zoe Lake, Anna Lee", 122, left=250, size=10)
    sheet.paragraph(words(14 * 40), 152)
    sheet.page()
    sheet.line("2", 115, size=9)
    sheet.line("Z. Lake et al.", 115, left=97, size=9)
    sheet.paragraph(words(14 * 40, start=9), 152)
    sheet.page()
    assert furniture(read(sheet.save(tmp_path / "paper.pdf"))) == ["2", "Z. Lake et al."]


def test_the_lines_of_a_row_on_all_its_pages_are_furniture_or_none_is(tmp_path: Path) -> None:
    sheet = Sheet()
    for page in range(1, 6):
        for text, left in (("Anna Lee", 72), ("Essay 2", 250), ("12 May 2024", 400)):
            sheet.line(text, 120, left=left, size=9)
        sheet.paragraph(words(14 * 40 if page % 2 else 14 * 12, start=page * 7), 150)
        sheet.page()
    heads = furniture(read(sheet.save(tmp_path / "essay.pdf")))
    assert len({heads.count(text) for text in ("Anna Lee", "Essay 2", "12 May 2024")}) == 1


def test_the_lines_of_a_letterhead_are_furniture_or_none_is(tmp_path: Path) -> None:
    sheet = Sheet()
    head = ("Dr. Maria Nord, Harbour Works", "Harbour Street 14", "D 10000 Meadow Town", "harbour.example")
    for page in range(1, 7):
        for row, text in enumerate(head):
            sheet.line(text, 73 + 10.5 * row, left=400, font="Helvetica", size=9)
        sheet.paragraph(words(14 * (40 if page % 2 else 9), start=page * 7), 140)
        sheet.line(f"{page}/6", 770, left=500, size=8)
        sheet.page()
    heads = furniture(read(sheet.save(tmp_path / "letter.pdf")))
    assert len({heads.count(text) for text in head}) == 1


def test_labels_at_one_place_of_which_some_come_back_are_text(tmp_path: Path) -> None:
    sheet = Sheet()
    labels = ("Low", "Low", "High", "Low", "Medium", "Low", "Low", "High")
    for page, label in enumerate(labels, 1):
        sheet.line(f"Severity: {label}", 80, font="Helvetica", size=10)
        sheet.line(f"Finding {page}: {' '.join(words(4, start=page * 5))}", 104, font="Helvetica-Bold", size=14)
        sheet.paragraph(words(14 * 12, start=page * 7), 130)
        sheet.page()
    assert furniture(read(sheet.save(tmp_path / "findings.pdf"))) == []


def test_a_line_of_text_on_the_row_of_a_running_foot_is_text(tmp_path: Path) -> None:
    sheet = Sheet()
    for page in range(1, 6):
        lowest = 742 if page == 4 else 500
        count = (lowest - 72) // 13 + 1
        for row in range(count):
            end = "." if row == count - 1 else ""
            sheet.line(" ".join(words(21, start=page * 7 + row * 21)) + end, lowest - 13 * (count - 1 - row), size=10)
        sheet.line("Harbour Works", 745, left=500, size=8)
        sheet.line(str(page), 745, left=570, size=8)
        sheet.page()
    assert set(furniture(read(sheet.save(tmp_path / "offer.pdf")))) == {"Harbour Works", *"12345"}


def test_what_weights_alone_keep_in_the_text_is_no_heading_for_its_type(tmp_path: Path) -> None:
    sheet = Sheet()
    for page in (1, 2):
        sheet.line(("Home Page:", "Backend:")[page - 1], 90, font="Helvetica-Bold", size=12)
        sheet.paragraph(words(14 * (14 if page == 1 else 4), start=page * 7), 106)
        sheet.line("Harbour Street 14 Meadow Town", 716, left=176, font="Helvetica-Bold", size=14)
        sheet.line("office@harbour.example", 734, left=180, font="Helvetica-Bold", size=11)
        sheet.line("+49 30 5550 1234", 734, left=350, font="Helvetica-Bold", size=11)
        sheet.page()
    draft = read(sheet.save(tmp_path / "offer.pdf"))
    headings = [node.text for node in draft.nodes if node.type == "HEADING"]
    assert headings == ["Home Page:", "Backend:"]
    assert sum("Harbour Street 14 Meadow Town" in node.text for node in draft.nodes) == 2


@pytest.mark.parametrize("title", ["Record {}", "{}. Item of the list"])
def test_titles_that_count_with_the_pages_are_no_running_heads(tmp_path: Path, title: str) -> None:
    sheet = Sheet()
    for number in range(1, 8):
        sheet.line(title.format(number), 60, size=16, font="Times-Bold")
        sheet.paragraph(words(60 + 20 * number, number), 100)
        sheet.line(f"Page {number}", 760)
        sheet.page()
    draft = read(sheet.save(tmp_path / "records.pdf"))
    assert furniture(draft) == [f"Page {number}" for number in range(1, 8)]
    texts = [node.text for node in draft.nodes if node.container is None or node.text not in furniture(draft)]
    assert [text for text in texts if "Record" in text or "Item" in text] == [title.format(n) for n in range(1, 8)]


@pytest.mark.parametrize("head", ["Bridge Committee Report Page {}", "The Bridge Committee | {}", "Bridges {}"])
def test_large_running_heads_with_the_number_of_the_page_are_no_titles(tmp_path: Path, head: str) -> None:
    sheet = Sheet()
    for number in range(1, 13):
        sheet.line(head.format(number + 4), 50, size=14)
        sheet.paragraph(words(200, number), 90)
        sheet.page()
    draft = read(sheet.save(tmp_path / "report.pdf"))
    assert len(furniture(draft)) >= 12
    assert not [node.text for node in draft.nodes if node.type in {"TITLE", "HEADING"}]


def test_titles_that_count_but_not_with_the_pages_are_no_running_heads(tmp_path: Path) -> None:
    sheet = Sheet()
    for number in range(1, 8):
        sheet.line(f"Record {number}", 60, size=16, font="Times-Bold")
        sheet.paragraph(words(300, number), 100)
        sheet.page()
        sheet.paragraph(words(300, number + 9), 60)
        sheet.page()
    draft = read(sheet.save(tmp_path / "records.pdf"))
    assert [node.text for node in draft.nodes if "Record" in node.text and node.text not in furniture(draft)] == [
        f"Record {number}" for number in range(1, 8)
    ]
