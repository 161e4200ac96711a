"""Headings of leaflets, flyers and forms, on small files drawn here: one test per weakness met in files of the kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pikepdf
import pytest
from reportlab.lib.utils import simpleSplit
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from test_reader_pdf import HEIGHT, WIDTH, Sheet, of_type, read, words

from ragraph.pdf.model import Font, Page, Word
from ragraph.pdf.page.spaced import join_spaced
from ragraph.schema.enums import ComponentType, ContentNodeType

if TYPE_CHECKING:
    from pathlib import Path

BOLD = "Times-Bold"
HEADED = {ContentNodeType.TITLE, ContentNodeType.HEADING}


@pytest.fixture
def sheet() -> Sheet:
    return Sheet()


def headings(path: Path) -> list[str]:
    return [node.text for node in of_type(read(path), ContentNodeType.HEADING)]


def columns(sheet: Sheet) -> list[str]:
    """Fill three columns with two titles each, over short lines; return the titles."""
    names = []
    for column in range(3):
        left, top = 40 + 185 * column, 60.0
        for part in range(2):
            names.append(
                f"{('Patrons', 'Speakers', 'Topics', 'Fees', 'Venue', 'Contact')[2 * column + part]} of the day"
            )
            sheet.line(names[-1], top, left=left, font=BOLD, size=14)
            top = sheet.paragraph(words(60, 3 * column + part), top + 20, left=left, per_line=5) + 30
    return names


def test_a_page_in_columns_within_a_frame_is_no_table(sheet: Sheet, tmp_path: Path) -> None:
    names = columns(sheet)
    sheet.canvas.rect(25, 25, WIDTH - 50, HEIGHT - 50)
    for edge in (215, 400):
        sheet.canvas.line(edge, 40, edge, HEIGHT - 40)
    path = sheet.save(tmp_path / "leaflet.pdf")
    assert not of_type(read(path), ContentNodeType.TABLE)
    assert set(names) <= {node.text for node in read(path).nodes}


def test_grounds_side_by_side_along_the_page_are_panels(sheet: Sheet, tmp_path: Path) -> None:
    for column in range(3):
        sheet.canvas.setFillColorRGB(0.9, 0.95, 1)
        sheet.canvas.rect(32 + 185 * column, 30, 181, HEIGHT - 60, stroke=0, fill=1)
    sheet.canvas.setFillColorRGB(0, 0, 0)
    names = columns(sheet)
    texts = {node.text for node in read(sheet.save(tmp_path / "leaflet.pdf")).nodes}
    assert set(names) <= texts


def test_titles_between_rules_beside_framed_pictures_are_in_no_table(sheet: Sheet, tmp_path: Path) -> None:
    for part in range(3):
        top = 120 + 180 * part
        sheet.line(f"DESIGN PART {'ABC'[part]} OF THE ROBOT", top, font=BOLD, size=16)
        sheet.canvas.line(72, HEIGHT - top - 6, 340, HEIGHT - top - 6)
        sheet.canvas.rect(340, HEIGHT - top - 100, 200, 106)
        sheet.canvas.line(72, HEIGHT - top - 100, 340, HEIGHT - top - 100)
        sheet.paragraph(words(40, part), top + 24, per_line=8)
    draft = read(sheet.save(tmp_path / "flyer.pdf"))
    assert not of_type(draft, ContentNodeType.TABLE)


def test_a_line_in_bold_over_a_short_text_of_a_leaflet_is_a_heading(sheet: Sheet, tmp_path: Path) -> None:
    sheet.line("The Game of Go", 100, font=BOLD, size=30)
    top = sheet.paragraph(words(40), 200, per_line=6) + 60
    sheet.line("Did you know?", top, font=BOLD)
    sheet.paragraph(words(12, 5), top + 20, per_line=6)
    assert headings(sheet.save(tmp_path / "go.pdf")) == ["Did you know?"]


def test_the_heading_right_over_the_first_paragraph_is_no_line_of_the_title(sheet: Sheet, tmp_path: Path) -> None:
    sheet.line("Robot Factory", 90, font="Helvetica-Bold", size=34)
    top = 170.0
    for number, name in enumerate(("DESIGN ROBOTS", "BUILD THEM")):
        sheet.line(name, top, font="Helvetica-Bold", size=18 - 2 * number)
        top = sheet.paragraph(words(60, number), top + 24) + 50
    assert headings(sheet.save(tmp_path / "flyer.pdf")) == ["DESIGN ROBOTS", "BUILD THEM"]


def test_titles_of_panels_side_by_side_are_not_that_of_the_document(sheet: Sheet, tmp_path: Path) -> None:
    names = []
    for column, name in enumerate(("What is it?", "How does it work?")):
        sheet.line(name, 90, left=60 + 270 * column, font=BOLD, size=20)
        sheet.paragraph(words(90, column), 130, left=60 + 270 * column, per_line=6)
        names.append(name)
    draft = read(sheet.save(tmp_path / "leaflet.pdf"))
    assert [node.text for node in of_type(draft, ContentNodeType.HEADING)] == names
    assert not of_type(draft, ContentNodeType.TITLE)


def test_numbered_titles_on_a_line_that_ends_before_its_time_are_headings(sheet: Sheet, tmp_path: Path) -> None:
    names = ("1.2 Task Modeling", "1.3 Node Modeling", "2.1 Running a Simulation")
    top = 90.0
    for number, name in enumerate(names):
        sheet.line(name, top)
        for line in simpleSplit(" ".join(words(70, number)).capitalize() + ".", "Times-Roman", 11, 400):
            top = sheet.line(line, top + 13.2)
        top += 40
    assert headings(sheet.save(tmp_path / "guide.pdf")) == list(names)


def test_what_is_filled_into_a_form_heads_nothing(sheet: Sheet, tmp_path: Path) -> None:
    sheet.line("Application for Membership", 80, font="Helvetica-Bold", size=16)
    top = sheet.paragraph(words(60), 110) + 30
    for name, value in (("Name", "Jane Elizabeth Roe"), ("Street", "14 Elm Street"), ("City", "Springfield")):
        sheet.line(name, top)
        sheet.canvas.acroForm.textfield(
            name=name, value=value, x=150, y=HEIGHT - top - 4, width=250, height=20, fontSize=12, fontName="Helvetica"
        )
        top += 40
    sheet.paragraph(words(60, 4), top + 20)
    path = sheet.save(tmp_path / "form.pdf")
    assert headings(path) == []
    (table,) = of_type(read(path), ContentNodeType.TABLE)
    assert table.data["cells"] == [["Name", "Jane Elizabeth Roe"], ["Street", "14 Elm Street"], ["City", "Springfield"]]


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("hidden", {"F": 2}),
        ("noview", {"F": 32}),
        ("empty", {"V": None}),
        ("button", {"FT": "/Btn", "Ff": 1 << 16}),
        ("signature", {"FT": "/Sig", "V": None}),
        ("turned", {}),
    ],
)
def test_fields_that_show_no_value_leave_headings_alone(
    sheet: Sheet, tmp_path: Path, kind: str, changes: dict[str, Any]
) -> None:
    names, top = ("Purpose of this form", "Who has to file it", "Where to send it"), 90.0
    turned = kind == "turned"
    if turned:
        sheet.canvas.translate(WIDTH, HEIGHT)
        sheet.canvas.rotate(180)
    for number, name in enumerate(names):
        sheet.line(name, top, font="Helvetica-Bold", size=14)
        # on the page that is turned, fields lie as the page is stored: not over the titles as it shows these
        sheet.canvas.acroForm.textfield(
            name=f"f{number}", value="x", x=60, y=HEIGHT - top - 8, width=300, height=30, borderWidth=0, fillColor=None
        )
        top = sheet.paragraph(words(60, number), top + 24) + 30
    with pikepdf.open(sheet.save(tmp_path / "made.pdf")) as pdf:
        page = pdf.pages[0]
        if turned:
            page.Rotate = 180
        for field in page.Annots:
            for key, value in changes.items():
                if value is None:
                    del field[f"/{key}"]
                else:
                    field[f"/{key}"] = pikepdf.Name(value) if isinstance(value, str) else value
            # what is drawn of it would be text over the title
            del field["/AP"]
        pdf.save(tmp_path / "form.pdf")
    found = [node.text for node in read(tmp_path / "form.pdf").nodes if node.type in HEADED]
    assert found == list(names)


def test_steps_that_are_sentences_in_japanese_are_no_headings(sheet: Sheet, tmp_path: Path) -> None:
    pdfmetrics.registerFont(UnicodeCIDFont("HeiseiMin-W3"))
    for number in range(1, 5):
        sheet.line(
            f"{number}. この画面で音声を再生することもできます。", 100 + 120 * number, font="HeiseiMin-W3", size=12
        )
        sheet.canvas.rect(72, HEIGHT - 200 - 120 * number, 300, 80)
        sheet.canvas.line(80, HEIGHT - 190 - 120 * number, 300, HEIGHT - 140 - 120 * number)
    assert headings(sheet.save(tmp_path / "steps.pdf")) == []


@pytest.mark.parametrize("angle", [0, 45])
def test_a_watermark_on_one_page_is_furniture(sheet: Sheet, tmp_path: Path, angle: int) -> None:
    for number in range(3):
        if number == 1:
            sheet.canvas.saveState()
            sheet.canvas.setFillGray(0.85)
            # Level it lies over text, at a slant below it.
            sheet.canvas.translate(150, 560 if angle == 0 else 200)
            sheet.canvas.rotate(angle)
            sheet.canvas.setFont("Helvetica-Bold", 80)
            sheet.canvas.drawString(0, 0, "DRAFT")
            sheet.canvas.restoreState()
        sheet.line(f"The {('first', 'second', 'third')[number]} part", 90, font=BOLD, size=14)
        sheet.paragraph(words(190, number), 120)
        sheet.page()
    draft = read(sheet.save(tmp_path / "draft.pdf"))
    edges = {item.key for item in draft.containers if item.type is ComponentType.HEADER}
    assert [node.text for node in draft.nodes if node.container in edges] == ["DRAFT"]
    assert "DRAFT" not in {node.text for node in of_type(draft, ContentNodeType.TITLE)}


@pytest.mark.parametrize("spacing", [3, 4, 5])
def test_headings_set_wide_in_mixed_letters_are_words(sheet: Sheet, tmp_path: Path, spacing: int) -> None:
    names, top = ("Our Mission", "Contact and Opening Hours", "Directors"), 90.0
    for number, name in enumerate(names):
        sheet.canvas.setFont("Helvetica-Bold", 12)
        sheet.canvas.drawString(72, HEIGHT - top, name, charSpace=spacing)
        sheet.canvas.drawString(0, 0, "", charSpace=0)
        top = sheet.paragraph(words(50, number), top + 24) + 26
    assert headings(sheet.save(tmp_path / "wide.pdf")) == list(names)


@pytest.mark.parametrize(
    "text",
    [
        *("We go to it as I do so", "A TV SET BY LG IS ON", "x y z w v u p q"),
        *("Vowels a e i o u", "Sides a b c d e f", "Points x y z t u v w", "X y z t u v w"),
    ],
)
def test_short_words_are_not_joined(sheet: Sheet, tmp_path: Path, text: str) -> None:
    top = sheet.paragraph(words(60), 90)
    sheet.line(text, top + 30)
    assert any(node.text == text for node in read(sheet.save(tmp_path / "short.pdf")).nodes)


@pytest.mark.parametrize("text", ["Цена за метр|вид из окна", "Он не мог быть|там где все они", "Για να με δει|στην"])
def test_words_without_latin_letters_keep_their_blanks(text: str) -> None:
    font, left, page = Font("Serif", bold=False, italic=False, mono=False, math=False), 72.0, Page(1, WIDTH, HEIGHT)
    # two cells of a row, whose gap is wider than the blanks in them
    for part in text.replace("|", "  ").split(" "):
        if part:
            page.words.append(Word(left, 100, left + 5 * len(part), 110, part, font))
        left += 5 * len(part) + 3.2
    join_spaced(page)
    assert [word.text for word in page.words] == text.replace("|", " ").split()
