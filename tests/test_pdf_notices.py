"""Leaflets and notices of short paragraphs, lists of numbered entries, titles that are printed again, panels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportlab.pdfgen.canvas import Canvas
from test_reader_pdf import Sheet, of_type, read, words

from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft

BOLD = "Helvetica-Bold"


def _headings(draft: Draft) -> list[tuple[int | None, str]]:
    return [(node.level, node.text) for node in of_type(draft, ContentNodeType.HEADING)]


def test_a_page_full_of_short_paragraphs_is_no_title_page(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.line("Summer Contest of Physics", 60, font=BOLD, size=18)
    sheet.page()
    titles = ("About the contest", "Theme of the year", "How to enter", "Who may enter")
    top = 60.0
    for number, title in enumerate(titles):
        sheet.line(title, top, font=BOLD)
        for row in range(3):
            sheet.paragraph([word.title() for word in words(22, number * 7 + row)], top + 24 + 40 * row, per_line=12)
        top += 160
    sheet.page()
    sheet.line("The jury decides.", 60)
    sheet.page()
    found = [text for _, text in _headings(read(sheet.save(tmp_path / "notice.pdf")))]
    assert set(titles) <= set(found)


def test_entries_of_a_numbered_list_are_no_headings(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.line("A. Transfers", 60, font=BOLD, size=14)
    top = sheet.paragraph(words(90), 84) + 20
    names = ("Michael Flood", "Richard Gaines", "Paul Manning", "Konstantin Kern", "William Pratt", "Roger Steyn")
    for number, name in enumerate((*names, "Viktor Nitsch", "Henry Fox"), 1):
        sheet.line(f"{number}. United States v. {name}", top)
        sheet.line("U.S. Attorney's Office for the District of Columbia", top + 19, left=87, font="Times-Italic")
        sheet.line("(Awaiting sentencing)", top + 38, left=87)
        top += 62
    sheet.page()
    sheet.line("B. Referrals", 60, font=BOLD, size=14)
    sheet.paragraph(words(300), 84)
    found = [text for _, text in _headings(read(sheet.save(tmp_path / "cases.pdf")))]
    assert found == ["A. Transfers", "B. Referrals"]


def test_chapters_do_not_stand_below_the_title_that_is_printed_again(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.line("transcriber's note", 90, font=BOLD, size=12)
    sheet.paragraph(words(120), 120)
    sheet.page()
    sheet.line("AN OUTLINE OF GEOLOGY", 200, left=150, size=20)
    sheet.page()
    for number, numeral in enumerate(("I", "II", "III", "IV")):
        if number == 0:
            sheet.line("AN OUTLINE OF GEOLOGY", 60, left=150, size=20)
        sheet.line(f"CHAPTER {numeral}", 100, left=230, size=13)
        sheet.line(" ".join(words(3, number)).upper(), 130, left=200, size=11)
        sheet.paragraph(words(300, number), 170)
        sheet.page()
    draft = read(sheet.save(tmp_path / "book.pdf"))
    found = _headings(draft)
    assert [level for level, text in found if text.startswith("CHAPTER")] == [1, 1, 1, 1]
    assert "AN OUTLINE OF GEOLOGY" not in [text for _, text in found]
    assert [node.text for node in of_type(draft, ContentNodeType.TITLE)] == ["AN OUTLINE OF GEOLOGY"]


def test_lines_under_each_other_on_a_coloured_panel_are_text(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "panel.pdf"), pagesize=(612, 792))
    canvas.setFillColorRGB(0.8, 0.85, 0.8)
    canvas.rect(430, 0, 182, 752, stroke=0, fill=1)
    canvas.setFillColorRGB(0, 0, 0)
    canvas.setFont("Helvetica", 10)
    for row in range(40):
        canvas.drawString(40, 730 - 12 * row, " ".join(words(9, row)))
    for row in range(24):
        canvas.setFont(BOLD if row % 2 else "Helvetica-Oblique", 9)
        canvas.drawString(455, 700 - 18 * row, " ".join(words(2, row)).title())
    canvas.save()
    draft = read(tmp_path / "panel.pdf")
    texts = " ".join(node.text for node in draft.nodes if node.type is not ContentNodeType.FIGURE)
    assert all(" ".join(words(2, row)).title() in texts for row in range(24))
    assert not of_type(draft, ContentNodeType.FIGURE)
