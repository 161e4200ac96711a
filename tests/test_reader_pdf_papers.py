"""Papers and court files, on small files drawn here: one test per weakness met in the wild."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from test_reader_pdf import HEIGHT, WIDTH, Sheet, words

from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.pdf import PdfReader
from ragraph.pdf.page.sizes import box_factor
from ragraph.pdf.patterns import SECTION_NUMBER
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from pathlib import Path

PLAIN, BOLD, ITALIC, BOLD_ITALIC = "Times-Roman", "Times-Bold", "Times-Italic", "Times-BoldItalic"
RIGHT = 420
"""Right edge of the text, in points from the left."""


def headings(sheet: Sheet, folder: Path) -> list[str]:
    draft = PdfReader().read(sheet.save(folder / "sample.pdf"), ReadOptions())
    return [node.text for node in draft.nodes if node.type is ContentNodeType.HEADING]


def fill(
    sheet: Sheet, text: list[str], top: float, *, first: float = 72, left: float = 72, full: bool = False
) -> float:
    """Set a paragraph that is justified, up to 420 points from the left; return where its next line would stand.

    With ``full`` its last line is as long as the others.
    """
    rest, start = list(text), first
    while rest:
        line: list[str] = []
        while rest and sheet.canvas.stringWidth(" ".join([*line, rest[0]]), PLAIN, 11) < RIGHT - start:
            line.append(rest.pop(0))
        room = RIGHT - start - sheet.canvas.stringWidth(" ".join(line), PLAIN, 11)
        sheet.canvas.setFont(PLAIN, 11)
        sheet.canvas.drawString(
            start, HEIGHT - top, " ".join(line), wordSpace=room / (len(line) - 1) if rest or full else 0
        )
        top, start = top + 13.2, left
    return top


def centred(sheet: Sheet, text: str, top: float, font: str, size: float = 11) -> None:
    """Set a line over the middle of the paragraphs."""
    width = sheet.canvas.stringWidth(text, font, size)
    sheet.line(text, top, left=(72 + RIGHT - width) / 2, font=font, size=size)


def test_the_size_of_type_is_one_that_is_in_use() -> None:
    # 9.36 for 10.9 points and 8.55 for 10; a factor of 1.07 would explain all by sizes that hardly occur.
    heights = Counter({9.36: 35000, 8.55: 10500, 10.84: 400})
    assert box_factor(heights, Counter({10.9: 650, 10.0: 180, 9.0: 2, 8.0: 2})) == pytest.approx(0.86, abs=0.01)
    # Cells of tables are many objects with few letters.
    heights = Counter({7.32: 32000, 6.03: 5200, 8.62: 280})
    assert box_factor(heights, Counter({7.0: 2500, 8.5: 450, 10.0: 130})) == pytest.approx(0.86, abs=0.01)


def test_paragraphs_with_titles_and_no_white_between_them_are_apart(tmp_path: Path) -> None:
    sheet = Sheet()
    top, titles = fill(sheet, words(60), 80) + 13.2, ["Instruction.", "Common Models.", "Quality of Answers."]
    for place, title in enumerate(titles):
        sheet.line(title, top, font=BOLD)
        width = sheet.canvas.stringWidth(title, BOLD, 11)
        text = ["Nobody", *words(40, start=place), "end."]
        top = fill(sheet, text, top, first=76 + width, full=True)
    assert headings(sheet, tmp_path) == titles


def test_abstract_in_front_of_its_paragraph_is_a_heading_though_it_is_alone(tmp_path: Path) -> None:
    sheet = Sheet()
    centred(sheet, "Bridges of the Town", 80, BOLD, 18)
    sheet.line("Abstract", 140, font=BOLD)
    top = fill(sheet, ["Nobody", *words(80)], 140, first=83 + sheet.canvas.stringWidth("Abstract", BOLD, 11)) + 30
    for title in ("Introduction", "Methods", "Results"):
        sheet.line(title, top, font=BOLD, size=13)
        top = fill(sheet, words(80), top + 20) + 24
    assert headings(sheet, tmp_path)[:2] == ["Abstract", "Introduction"]


def test_an_author_with_a_mark_is_no_heading_though_headings_are_set_alike(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.line("Bridges of the Town", 80, font=BOLD, size=18)
    sheet.line("Jane Mary Roe", 110, font=BOLD, size=13)
    sheet.line("1", 105, left=74 + sheet.canvas.stringWidth("Jane Mary Roe", BOLD, 13), size=7)
    sheet.line("School of Engineering, Faraway", 134, font=ITALIC)
    top = sheet.paragraph(words(80), 180) + 24
    for title in ("Introduction", "Methods", "Results"):
        sheet.line(title, top, font=BOLD, size=13)
        top = fill(sheet, words(80), top + 20) + 24
    assert headings(sheet, tmp_path) == ["Introduction", "Methods", "Results"]


def test_centred_titles_with_letters_are_headings_where_others_are_set_alike(tmp_path: Path) -> None:
    sheet = Sheet()
    top, titles = 80.0, []
    for number in ("I", "II", "III", "IV"):
        for title in (f"{number}. The Arguments", "(a) The Rule of the Town", "(b) The Share of Each Neighbour"):
            centred(sheet, title, top, BOLD_ITALIC)
            titles.append(title)
            top = fill(sheet, words(40), top + 12.6, first=90) + 20
            if top > 640:
                sheet.page()
                top = 80.0
    assert headings(sheet, tmp_path) == titles


def test_a_named_symbol_belongs_to_the_title_that_it_ends(tmp_path: Path) -> None:
    sheet = Sheet()
    top = sheet.paragraph(words(60), 80) + 13.2
    for place, name in enumerate(("Instruction", "Prompt", "Answer")):
        sheet.line(name, top, font=BOLD)
        after = 75 + sheet.canvas.stringWidth(name, BOLD, 11)
        sheet.line(f"{name[0]}: The " + " ".join(words(8)), top, left=after)
        top = sheet.paragraph(words(40, start=place), top + 13.2) + 13.2
    assert headings(sheet, tmp_path) == ["Instruction I:", "Prompt P:", "Answer A:"]


def test_a_short_page_within_a_drawing_is_text_and_its_title_what_the_next_page_calls_it(tmp_path: Path) -> None:
    sheet = Sheet()
    lines = "CONFIDENTIAL COPY", "BRIDGES LLC", "and", "HALL AND RIVER", "SUPPLY OF STONE AGREEMENT", "May 4, 1934"
    # One path around all of it: rules at its head and foot.
    path = sheet.canvas.beginPath()
    for foot in (60, 62, 260, 262):
        path.moveTo(40, HEIGHT - foot)
        path.lineTo(WIDTH - 40, HEIGHT - foot)
    sheet.canvas.drawPath(path)
    for place, text in enumerate(lines):
        sheet.line(text, 90 + 28 * place, left=(WIDTH - sheet.canvas.stringWidth(text, PLAIN, 11)) / 2)
    sheet.page()
    parties = "This Supply of Stone Agreement is made between Bridges LLC and Hall and River"
    top = fill(sheet, [*parties.split(), *words(60)], 80)
    for _ in range(3):
        top = fill(sheet, words(60), top + 13.2)
    draft = PdfReader().read(sheet.save(tmp_path / "sample.pdf"), ReadOptions())
    first = [(node.type.value, node.text) for node in draft.nodes if node.positions[0].page_pdf == 1]
    assert [text for _, text in first] == list(lines)
    assert [text for kind, text in first if kind == "TITLE"] == ["SUPPLY OF STONE AGREEMENT"]


def test_numbered_paragraphs_without_white_between_them_are_apart(tmp_path: Path) -> None:
    sheet = Sheet()
    top, titles = 80.0, []
    for number, title in enumerate(("GRANT OF LICENSE", "FEES AND PAYMENT", "OWNERSHIP"), 1):
        sheet.line(f"{number}.", top, font=BOLD)
        sheet.line(title, top, left=100, font=BOLD)
        titles.append(f"{number}. {title}")
        for part, name in enumerate(("First Grant.", "Second Grant.", "Third Grant."), 1):
            top += 13.2
            sheet.line(f"{number}.{part}", top)
            sheet.line(name, top, left=100)
            width = sheet.canvas.stringWidth(name.rstrip("."), PLAIN, 11)
            sheet.canvas.line(100, HEIGHT - top - 1.5, 100 + width, HEIGHT - top - 1.5)
            text = ["Nobody", *words(19, start=part), "end."]
            top = fill(sheet, text, top, first=106 + width, left=100) - 13.2
            titles.append(f"{number}.{part} {name}")
        top += 13.2
    assert headings(sheet, tmp_path) == titles


def test_numbered_paragraphs_at_one_edge_in_the_running_type_are_apart(tmp_path: Path) -> None:
    sheet = Sheet()
    top, numbers = 80.0, []
    for part, name in enumerate(("Nobody", "Übersicht", "Ämter", "Nothing"), 1):
        numbers.append(f"1.{part} {name}")
        for text in (
            f"{numbers[-1]} of the bridge over the river were kept in an old house,",
            "where everybody who had a share in it came to read them in a winter,",
            "and to write down what was spent on all of the roads and the walls.",
        ):
            top = sheet.line(text, top) + 13.2
    draft = PdfReader().read(sheet.save(tmp_path / "sample.pdf"), ReadOptions())
    assert [" ".join(node.text.split()[:2]) for node in draft.nodes] == numbers


def test_a_title_that_fills_its_line_is_not_joined_with_the_paragraph_set_in_below(tmp_path: Path) -> None:
    sheet = Sheet()
    top, titles = 80.0, []
    for number, name in enumerate(("Bridges", "Rivers", "Roads")):
        titles.append(f"The {name} of the Town and the Share of Each Neighbour in Them")
        centred(sheet, titles[-1], top, BOLD)
        top = fill(sheet, ["Nobody", *words(60, start=number)], top + 13.2, first=90) + 13.2
    assert headings(sheet, tmp_path) == titles


@pytest.mark.parametrize("text", ["1.2 Übersicht", "1.2 Общие положения", "1.2. 范围", "1.2 Scope"])
def test_numbers_of_sections_stand_before_letters_of_every_script(text: str) -> None:
    found = SECTION_NUMBER.match(text)
    assert found is not None and found.groups() == ("1", "2")
    assert not SECTION_NUMBER.match("1.2 über") and not SECTION_NUMBER.match("1.2 общие")


def test_a_centred_title_in_capitals_over_several_lines_is_one(tmp_path: Path) -> None:
    sheet = Sheet()
    lines = (
        "STATEMENT PURSUANT TO",
        "RULES 13a-1(a) AND 15d-1(b) OF THE BRIDGES",
        "ACT OF 1934, AS ADOPTED BY THE COMMITTEE",
    )
    for place, text in enumerate(lines):
        centred(sheet, text, 80 + 13.2 * place, BOLD)
    top = fill(sheet, words(60), 140)
    for _ in range(3):
        top = fill(sheet, words(60), top + 13.2)
    draft = PdfReader().read(sheet.save(tmp_path / "sample.pdf"), ReadOptions())
    assert " ".join(lines) in [node.text for node in draft.nodes]
