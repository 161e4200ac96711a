"""What becomes a block of its own, so that it can be a heading: at the top of a page, over a ground, in a paragraph."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from reportlab.lib.colors import Color
from test_reader_pdf import HEIGHT, Sheet, of_type, read, words

from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft

BOLD = "Times-Bold"


@pytest.fixture
def sheet() -> Sheet:
    return Sheet()


def texts(draft: Draft, kind: ContentNodeType) -> list[str]:
    return [node.text for node in of_type(draft, kind)]


def begun(
    sheet: Sheet, top: float, title: str, rest: list[str], font: str = "Times-Roman", line: bool = False
) -> float:
    """Set a paragraph that begins with words in another font, or underlined; return where the next may begin."""
    wide = sheet.canvas.stringWidth(title, font, 11)
    sheet.line(title, top, font=font)
    if line:
        sheet.canvas.setLineWidth(0.5)
        sheet.canvas.line(72, HEIGHT - top - 1.5, 72 + wide, HEIGHT - top - 1.5)
    sheet.line(" ".join(rest[:7]), top, left=72 + wide + 4)
    return sheet.paragraph(rest[7:], top + 13.2) + 10


def test_a_title_that_comes_back_on_some_pages_is_no_running_head(sheet: Sheet, tmp_path: Path) -> None:
    for number in range(1, 13):
        title = "Bridges of stone and iron" if 4 <= number <= 7 else f"The {words(1, number)[0]} of towns and rivers"
        sheet.line(title, 60, font="Helvetica", size=22)
        sheet.paragraph(words(90, number), 120)
        sheet.page()
    draft = read(sheet.save(tmp_path / "slides.pdf"))
    assert texts(draft, ContentNodeType.HEADING).count("Bridges of stone and iron") == 4


def test_a_number_before_a_large_title_is_not_that_of_its_page(sheet: Sheet, tmp_path: Path) -> None:
    for number, title in enumerate(("Of wood", "Of stone", "Of iron", "Of rope", "Of steel", "Of glass"), 1):
        sheet.line(f"A{number}", 60, font=BOLD, size=24)
        sheet.line(f"Bridges {title.lower()}", 60, left=130, font=BOLD, size=24)
        sheet.paragraph(words(90, number), 120)
        sheet.page()
    titles = texts(read(sheet.save(tmp_path / "parts.pdf")), ContentNodeType.HEADING)
    assert "Bridges of steel" in titles


def test_a_heading_at_the_height_of_running_heads_is_told_by_its_type(sheet: Sheet, tmp_path: Path) -> None:
    for number in range(1, 11):
        if number in {3, 6, 9}:
            sheet.line(f"{number}.1 Works of the {number}th year", 60, font=BOLD, size=12)
        else:
            sheet.line("Report on bridges", 60, font="Times-Italic", size=9)
        sheet.paragraph(words(200, number), 90)
        sheet.page()
    draft = read(sheet.save(tmp_path / "report.pdf"))
    assert [text for text in texts(draft, ContentNodeType.HEADING) if ".1" in text] == [
        "3.1 Works of the 3th year", "6.1 Works of the 6th year", "9.1 Works of the 9th year",
    ]  # fmt: skip


def test_paragraphs_over_a_coloured_ground_are_text(sheet: Sheet, tmp_path: Path) -> None:
    sheet.paragraph(words(60), 80)
    sheet.canvas.setFillColor(Color(0.8, 0.9, 0.9))
    sheet.canvas.rect(72, HEIGHT - 600, 330, 400, stroke=0, fill=1)
    sheet.canvas.rect(300, HEIGHT - 620, 150, 200, stroke=0, fill=1)
    sheet.canvas.setFillColor(Color(0, 0, 0))
    sheet.line("Why bridges matter", 230, left=90, font=BOLD, size=14)
    sheet.paragraph(words(60, 4), 250, left=90, per_line=5)
    draft = read(sheet.save(tmp_path / "panel.pdf"))
    assert texts(draft, ContentNodeType.TITLE) == ["Why bridges matter"]
    assert not texts(draft, ContentNodeType.FIGURE)


def test_words_of_a_diagram_belong_to_it(sheet: Sheet, tmp_path: Path) -> None:
    sheet.paragraph(words(60), 80)
    sheet.canvas.rect(100, HEIGHT - 500, 300, 250)
    for row in range(5):
        sheet.canvas.circle(150, HEIGHT - 280 - 40 * row, 12)
        sheet.line(f"Pier {row}", 280 + 40 * row, left=180, size=8)
    draft = read(sheet.save(tmp_path / "diagram.pdf"))
    assert len(texts(draft, ContentNodeType.FIGURE)) == 1
    assert not any("Pier" in text for text in texts(draft, ContentNodeType.PARAGRAPH))


def test_lines_of_titles_side_by_side_belong_to_the_title_above_them(sheet: Sheet, tmp_path: Path) -> None:
    for left, title in ((72, "STONE BRIDGES"), (330, "WOODEN BOATS")):
        sheet.line("SCHOOL OF", 80 + (left > 72), left=left, font="Helvetica", size=16)
        sheet.line(title, 101 + (left > 72), left=left, font="Helvetica-Bold", size=24)
        sheet.paragraph(words(60, left), 130, left=left, per_line=6)
    draft = read(sheet.save(tmp_path / "schools.pdf"))
    assert {"SCHOOL OF STONE BRIDGES", "SCHOOL OF WOODEN BOATS"} <= {node.text for node in draft.nodes}


def test_underlined_beginnings_of_paragraphs_are_headings(sheet: Sheet, tmp_path: Path) -> None:
    top = 80.0
    for number, title in enumerate(("Notices.", "Governing Law.", "Assignment.", "Force Majeure.", "Waiver."), 1):
        top = begun(sheet, top, f"7.{number} {title}", words(60, number), line=True)
    draft = read(sheet.save(tmp_path / "contract.pdf"))
    assert texts(draft, ContentNodeType.HEADING) == [
        "7.1 Notices.", "7.2 Governing Law.", "7.3 Assignment.", "7.4 Force Majeure.", "7.5 Waiver.",
    ]  # fmt: skip


def test_a_beginning_that_is_no_heading_stays_with_its_paragraph(sheet: Sheet, tmp_path: Path) -> None:
    top = 80.0
    for name in ("Upper Bridge Company and its heirs in law:", "The Lower Bridge Trust, founded by its owners:"):
        top = begun(sheet, top, name, words(60, len(name)), font="Times-Italic")
    draft = read(sheet.save(tmp_path / "names.pdf"))
    assert not [text for text in texts(draft, ContentNodeType.PARAGRAPH) if len(text) < 200]


def test_a_title_over_the_middle_of_a_paragraph_is_no_part_of_it(sheet: Sheet, tmp_path: Path) -> None:
    top = 80.0
    for title in ("ACKNOWLEDGMENTS", "INTRODUCTION", "BRIDGES OF WOOD"):
        wide = sheet.canvas.stringWidth(title, "Times-Roman", 11)
        sheet.line(title, top, left=230 - wide / 2)
        sheet.line(" ".join(words(14, len(title))).capitalize(), top + 13.2, left=96)
        top = sheet.paragraph(words(75, len(title) + 14), top + 26.4, per_line=15) + 20
    draft = read(sheet.save(tmp_path / "thesis.pdf"))
    assert not [text for text in texts(draft, ContentNodeType.PARAGRAPH) if len(text) > 60 and text.isupper()]
    assert all(
        not text.startswith(("ACKNOWLEDGMENTS ", "INTRODUCTION ", "BRIDGES OF WOOD "))
        for text in texts(draft, ContentNodeType.PARAGRAPH)
    )


def test_a_title_with_a_colon_within_is_one(sheet: Sheet, tmp_path: Path) -> None:
    top = 80.0
    titles = ["2.1 Sharing: Bridges and Towns", "2.2 Wear: Stone and Iron", "2.3 Cost: Works and Wages"]
    for number, title in enumerate(titles):
        sheet.line(title, top, font=BOLD, size=12)
        top = sheet.paragraph(words(60, number), top + 22) + 24
    assert texts(read(sheet.save(tmp_path / "colons.pdf")), ContentNodeType.HEADING) == titles


def test_labels_of_statements_and_words_that_come_back_are_no_titles(sheet: Sheet, tmp_path: Path) -> None:
    labels = ["Definition II.1.", "Overview.", "Proof (sketch):", "Explanation.", "Invariant 2.", "Explanation."]
    sheet.line("1 Bridges", 60, font=BOLD, size=14)
    top = 84.0
    for number, label in enumerate([*labels, "Wear and cost.", "Explanation."]):
        top = begun(sheet, top, label, ["The", *words(34, number)], font=BOLD)
    draft = read(sheet.save(tmp_path / "statements.pdf"))
    assert texts(draft, ContentNodeType.HEADING) == ["1 Bridges", "Overview.", "Wear and cost."]


def test_bibliographic_entries_have_no_titles(sheet: Sheet, tmp_path: Path) -> None:
    top = 80.0
    for number, title in enumerate(("1 Bridges", "2 Towns", "3 Works")):
        sheet.line(title, top, font=BOLD, size=14)
        top = sheet.paragraph(words(60, number), top + 22) + 24
    sheet.line("References", top, font=BOLD, size=14)
    top += 22
    for number, name in enumerate(("Bobrow, D.", "Chambers, C., and Ungar, D.", "Stein, L.", "Lieberman, H."), 1):
        sheet.line(f"{number}. {name} The Bridges of the Town and its River. In Proceedings of the Conference", top)
        sheet.line("on Works of Wood and Stone, Portland, OR, 1986. Published as Notes 21(11).", top + 13.2, left=90)
        top += 36
    draft = read(sheet.save(tmp_path / "entries.pdf"))
    assert texts(draft, ContentNodeType.HEADING)[-1] == "References"
    assert len(of_type(draft, ContentNodeType.BIBLIOGRAPHIC_ENTRY)) == 4


def test_a_wide_gap_ends_a_title_within_its_paragraph(sheet: Sheet, tmp_path: Path) -> None:
    sheet.line("1 Bridges", 60, font=BOLD, size=14)
    top = 90.0
    for number, title in enumerate(("Works of wood", "Works of stone", "Works of iron")):
        wide = sheet.canvas.stringWidth(title, BOLD, 10.5)
        sheet.line(title, top, font=BOLD, size=10.5)
        rest = words(50, number)
        sheet.line(" ".join(["The", *rest[:10]]), top, left=72 + wide + 11)
        top = sheet.paragraph(rest[10:], top + 13.2) + 12
    draft = read(sheet.save(tmp_path / "gaps.pdf"))
    assert texts(draft, ContentNodeType.HEADING) == ["1 Bridges", "Works of wood", "Works of stone", "Works of iron"]


def test_words_that_charts_side_by_side_share_are_no_title(sheet: Sheet, tmp_path: Path) -> None:
    sheet.line("1 Bridges", 60, font=BOLD, size=14)
    top = sheet.paragraph(words(90), 90)
    sheet.line("Error   Error   Error", top + 30, left=150, font=BOLD, size=13)
    sheet.paragraph(words(90, 3), top + 70)
    assert texts(read(sheet.save(tmp_path / "charts.pdf")), ContentNodeType.HEADING) == ["1 Bridges"]


def test_titles_within_paragraphs_stand_below_those_on_their_own(sheet: Sheet, tmp_path: Path) -> None:
    top = 80.0
    for number, title in enumerate(("I. BRIDGES", "II. TOWNS")):
        sheet.line(title, top, left=250)
        top = sheet.paragraph(words(40, number), top + 22) + 10
        for lead in ("Works of wood.", "Works of stone."):
            top = begun(sheet, top, f"{lead[:-1]} {number + 1}.", ["The", *words(40, number)], font="Times-BoldItalic")
        top += 14
    draft = read(sheet.save(tmp_path / "levels.pdf"))
    assert [node.level for node in of_type(draft, ContentNodeType.HEADING)] == [1, 2, 2, 1, 2, 2]


def test_words_printed_twice_at_one_place_are_one(sheet: Sheet, tmp_path: Path) -> None:
    sheet.line("LEADERSHIP OF WORKS", 81, left=73.5, font="Helvetica-Bold", size=30)
    sheet.line("LEADERSHIP OF WORKS", 80, left=72, font="Helvetica-Bold", size=30)
    sheet.paragraph(words(90), 120)
    sheet.line("Paid 1,204 and 1,204 in all", 300)
    sheet.line("Paid 1,204 and 1,204 in all", 300, left=72.3)  # bold by printing twice
    sheet.paragraph(words(90, 3), 330)
    read_texts = [node.text for node in read(sheet.save(tmp_path / "shadow.pdf")).nodes]
    assert "LEADERSHIP OF WORKS" in read_texts
    assert "Paid 1,204 and 1,204 in all" in read_texts


def test_entries_of_a_menu_beside_the_text_are_no_titles(sheet: Sheet, tmp_path: Path) -> None:
    for row, entry in enumerate(("Questions", "Account Maintenance", "Licensing", "Training", "Important Documents")):
        sheet.line(entry, 120 + 30 * row, left=36, font="Helvetica", size=11.6)
    for number, title in enumerate(("Single Orders", "Standing Orders")):
        top = 90 + 240 * number
        sheet.line(title, top, left=200, font=BOLD, size=14)
        sheet.paragraph(words(110, number), top + 20, left=200, per_line=11)
    draft = read(sheet.save(tmp_path / "menu.pdf"))
    found = texts(draft, ContentNodeType.HEADING) + texts(draft, ContentNodeType.TITLE)
    assert sorted(found) == ["Single Orders", "Standing Orders"]
