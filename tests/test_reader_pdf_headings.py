"""Headings of PDF files and their tree, on small files drawn here: one test per weakness met in the wild."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from reportlab.pdfgen.canvas import Canvas
from test_reader_pdf import Sheet, words

from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.pdf import PdfReader
from ragraph.pdf.headings.levels import schemes_of
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from pathlib import Path
    from types import FrameType

    from ragraph.ingest.draft import Draft

BOLD = "Times-Bold"
ITALIC = "Times-Italic"


@pytest.fixture
def sheet() -> Sheet:
    return Sheet()


def read(sheet: Sheet, folder: Path) -> Draft:
    return PdfReader().read(sheet.save(folder / "sample.pdf"), ReadOptions())


def headings(draft: Draft) -> list[tuple[int | None, str]]:
    return [(node.level, node.text) for node in draft.nodes if node.type is ContentNodeType.HEADING]


def sections(sheet: Sheet, titles: list[tuple[str, str, float]], start: float = 80) -> None:
    """Set titles, each with font and size, over paragraphs; a new page where one is full."""
    top = start
    for index, (text, font, size) in enumerate(titles):
        if top > 640:
            sheet.page()
            top = 80
        sheet.line(text, top, font=font, size=size)
        top = sheet.paragraph(words(56, start=5 * index), top + 22) + 24


def run_in(sheet: Sheet, top: float, title: str, rest: list[str], font: str = BOLD) -> float:
    """Set a paragraph that begins with a title in another type on the same line."""
    sheet.line(title, top, font=font)
    sheet.line(" ".join(rest[:8]), top, left=72 + sheet.canvas.stringWidth(title + " ", font, 11))
    return sheet.paragraph(rest[8:], top + 13.2)


def test_decimal_numbers_rule_the_tree_whatever_the_type(sheet: Sheet, tmp_path: Path) -> None:
    sections(
        sheet,
        [
            ("1 Bridges", BOLD, 14),
            ("1.1 Of wood", BOLD, 12),
            ("1.2 Of stone", BOLD, 12),
            ("1.2.1 Arches", ITALIC, 11),
            ("2 Roads", BOLD, 14),
            ("2.1 Gravel", BOLD, 12),
        ],
    )
    levels = {title: level for level, title in headings(read(sheet, tmp_path))}
    assert levels == {
        "1 Bridges": 1, "1.1 Of wood": 2, "1.2 Of stone": 2, "1.2.1 Arches": 3, "2 Roads": 1, "2.1 Gravel": 2,
    }  # fmt: skip


def test_numbers_that_start_again_stand_below_larger_titles(sheet: Sheet, tmp_path: Path) -> None:
    sheet.line("A survey", 60, left=200, font=BOLD, size=26)
    sections(
        sheet,
        [
            ("The method of the survey", BOLD, 18),
            ("1. Aims", BOLD, 12),
            ("2. Notions", BOLD, 12),
            ("The results of the survey", BOLD, 18),
            ("1. Persons", BOLD, 12),
            ("2. Households", BOLD, 12),
        ],
        start=110,
    )
    assert [level for level, _ in headings(read(sheet, tmp_path))] == [1, 2, 2, 1, 2, 2]


def test_no_level_is_left_out_on_the_way_down(sheet: Sheet, tmp_path: Path) -> None:
    sections(
        sheet,
        [
            ("Rivers", BOLD, 18),
            ("Of the north", BOLD, 14),
            ("In winter", ITALIC, 11),
            ("Lakes", BOLD, 18),
            ("In summer", ITALIC, 11),
            ("In autumn", ITALIC, 11),
        ],
    )
    assert headings(read(sheet, tmp_path))[-3:] == [(1, "Lakes"), (2, "In summer"), (2, "In autumn")]


def test_letters_are_told_from_roman_numbers_by_what_leads_up_to_them() -> None:
    texts = ["I. Persons", "A. Age", "B. Work", "C. Income", "D. Health", "II. Places", "A. Towns", "V. Summary"]
    found = schemes_of(texts)
    assert found == ["ROMAN", "LETTER", "LETTER", "LETTER", "LETTER", "ROMAN", "LETTER", "ROMAN"]


def test_a_numbered_title_that_runs_into_its_paragraph_is_cut_off(sheet: Sheet, tmp_path: Path) -> None:
    top = 80.0
    for number, title in (("2.1", "Scope of work."), ("2.2", "Payment."), ("2.3", "Delivery of goods.")):
        top = run_in(sheet, top, f"{number} {title}", words(50, start=len(title))) + 14
    draft = read(sheet, tmp_path)
    assert [text for _, text in headings(draft)] == ["2.1 Scope of work.", "2.2 Payment.", "2.3 Delivery of goods."]
    paragraphs = [node.text for node in draft.nodes if node.type is ContentNodeType.PARAGRAPH]
    assert all(not text.startswith("2.") for text in paragraphs)
    assert len(paragraphs) == 3


def test_sections_of_a_contract_run_in_with_single_numbers(sheet: Sheet, tmp_path: Path) -> None:
    top = 80.0
    for number, title in enumerate(("Grant of licence.", "Term.", "Fees.", "Governing law."), 1):
        top = run_in(sheet, top, f"{number}. {title}", words(50, start=number)) + 14
    assert [text for _, text in headings(read(sheet, tmp_path))] == [
        "1. Grant of licence.", "2. Term.", "3. Fees.", "4. Governing law.",
    ]  # fmt: skip


def test_items_with_bold_lead_words_that_start_again_are_no_sections(sheet: Sheet, tmp_path: Path) -> None:
    top = 80.0
    for start in (1, 4):
        for number, title in enumerate(("Wood.", "Stone.", "Iron."), 1):
            top = run_in(sheet, top, f"{number}. {title}", words(30, start=start + number)) + 10
        top = sheet.paragraph(words(40, start=start), top + 8) + 16
    assert headings(read(sheet, tmp_path)) == []


def test_two_headings_under_one_another_are_two(sheet: Sheet, tmp_path: Path) -> None:
    sheet.paragraph(words(60), 80)
    sheet.line("3. Related work", 180, font=BOLD, size=12)
    sheet.line("3.1 Peers", 194.4, font=BOLD, size=12)
    sheet.paragraph(words(60, 3), 220)
    assert headings(read(sheet, tmp_path)) == [(1, "3. Related work"), (2, "3.1 Peers")]


def test_a_number_apart_from_its_title_on_one_line_is_one_heading(sheet: Sheet, tmp_path: Path) -> None:
    top = 80.0
    for number, title in enumerate(("Background", "Method", "Outcome"), 1):
        sheet.line(f"Appendix {'ABC'[number - 1]}.", top, font=BOLD, size=13)
        sheet.line(title, top, left=190, font=BOLD, size=13)
        top = sheet.paragraph(words(60, number), top + 24) + 26
    assert [text for _, text in headings(read(sheet, tmp_path))] == [
        "Appendix A. Background", "Appendix B. Method", "Appendix C. Outcome",
    ]  # fmt: skip


def test_headings_of_the_right_column_are_no_signatures(sheet: Sheet, tmp_path: Path) -> None:
    for left, titles in ((54, ("1 Roads that were built", "2 Means")), (320, ("3 Results of all the works", "4 End"))):
        top = 80.0 if left < 300 else 120.0
        for title in titles:
            sheet.line(title, top, left=left, font=BOLD, size=13)
            top = sheet.paragraph(words(130, len(title)), top + 20, left=left, per_line=7) + 22
    assert [text for _, text in headings(read(sheet, tmp_path))] == [
        "1 Roads that were built", "2 Means", "3 Results of all the works", "4 End",
    ]  # fmt: skip


def test_columns_with_a_narrow_gutter_stay_apart(sheet: Sheet, tmp_path: Path) -> None:
    left, right = words(240), [word.upper() for word in words(240)]
    for index in range(30):
        line = " ".join(left[8 * index : 8 * index + 8]) + ("." if index == 29 else "")
        sheet.line(line, 80 + 13.2 * index, left=300 - sheet.canvas.stringWidth(line, "Times-Roman", 11))
        sheet.line(" ".join(right[6 * index : 6 * index + 6]), 80 + 13.2 * index, left=308)
    texts = [node.text for node in read(sheet, tmp_path).nodes if node.text]
    assert all(text.isupper() or not any(word.isupper() and len(word) > 1 for word in text.split()) for text in texts)


@pytest.mark.parametrize(
    "line",
    [
        "By: ________________________",
        "HARBOUR COMPANY, INC. By:",
        "September 26, 2018",
        "jane.doe@example.org",
        "Theorem 1. Every bridge falls",
        "x = v(a) = v(b) - v(c)",
        "| PLUS { ( + ) }",
        "30.3 25.1 40.2 8",
        "7",
        "THE END",
        "\u00d6rsted, 22",
        "Newton, 16, 37\u201340, 214",
        "Source: Office of the Harbour, Norway (2022)",
    ],
)
def test_lines_in_bold_that_are_no_titles(sheet: Sheet, tmp_path: Path, line: str) -> None:
    sections(sheet, [("Rivers", BOLD, 12), ("Lakes", BOLD, 12), (line, BOLD, 12), ("Ponds", BOLD, 12)])
    assert [text for _, text in headings(read(sheet, tmp_path))] == ["Rivers", "Lakes", "Ponds"]


def test_authors_under_the_title_are_no_headings(sheet: Sheet, tmp_path: Path) -> None:
    sheet.line("Of Bridges and of Roads", 90, left=180, font=BOLD, size=20)
    sheet.line("Ada North", 130, left=260, font=BOLD, size=13)
    sheet.line("Harbour University", 150, left=245, font=ITALIC, size=12)
    sections(sheet, [("Rivers", BOLD, 12), ("Lakes", BOLD, 12), ("Ponds", BOLD, 12)], start=200)
    assert [text for _, text in headings(read(sheet, tmp_path))] == ["Rivers", "Lakes", "Ponds"]


def test_what_stands_between_title_and_abstract_is_no_heading_though_set_like_one(sheet: Sheet, tmp_path: Path) -> None:
    sheet.line("Of Bridges and of Roads", 90, left=180, font=BOLD, size=20)
    sheet.line("Ada North, Ben South, Cleo West and Dan East", 120, left=180, size=12)
    sheet.line("Harbour University, Norway", 140, left=225, font=BOLD, size=12)
    sheet.line("{ada, ben, cleo, dan}@harbour.example", 160, left=210, font="Courier", size=10)
    sections(sheet, [("Abstract", BOLD, 12), ("1 Rivers", BOLD, 12), ("2 Lakes", BOLD, 12)], start=200)
    assert [text for _, text in headings(read(sheet, tmp_path))] == ["Abstract", "1 Rivers", "2 Lakes"]


def test_the_end_of_a_sentence_is_neither_title_nor_heading_however_large(sheet: Sheet, tmp_path: Path) -> None:
    sheet.line("cropping.", 80, font=BOLD, size=16)
    sheet.paragraph(words(90), 120)
    draft = read(sheet, tmp_path)
    assert not headings(draft)
    assert not [node for node in draft.nodes if node.type is ContentNodeType.TITLE]


def test_an_entry_of_a_list_is_none_for_being_an_acronym(sheet: Sheet, tmp_path: Path) -> None:
    entries = "Overview of the Pack", "Product Services and Key Features", "Detail Specification", "Policy", "FAQ"
    sheet.line("Contents", 80, font="Helvetica", size=26)
    for number, text in enumerate(entries, 1):
        sheet.line(f"{number}. {text}", 150 + 33 * number, left=200, font="Helvetica", size=14)
    assert [text for _, text in headings(read(sheet, tmp_path))] == ["Contents"]


def test_an_item_that_hangs_from_its_letter_begins_below_a_short_title(sheet: Sheet, tmp_path: Path) -> None:
    top = 80.0
    for title, label in (("Replace", "l."), ("Trash", "m.")):
        sheet.line(title, top, font=BOLD)
        sheet.line(label, top + 15, font=BOLD)
        lead = "Recycling in the Store."
        sheet.line(lead, top + 15, left=99, font=BOLD)
        end = 99 + sheet.canvas.stringWidth(lead + " ", BOLD, 11)
        sheet.line("The committee spoke of the bridge that was", top + 15, left=end)
        top = sheet.paragraph(words(48, 5), top + 30, left=99, per_line=12) + 30
    assert [text for _, text in headings(read(sheet, tmp_path)) if "." not in text] == ["Replace", "Trash"]


def test_a_number_beside_the_middle_of_a_sentence_begins_no_item(sheet: Sheet, tmp_path: Path) -> None:
    sheet.paragraph(words(40), 80, left=110, per_line=10)
    end = sheet.paragraph(words(120), 160, left=110, per_line=10)
    sheet.line("(9)", 160 + 3 * 13.2, left=80)
    sheet.paragraph(words(60), end + 20, left=110, per_line=10)
    draft = read(sheet, tmp_path)
    assert not [node for node in draft.nodes if node.type is ContentNodeType.LIST_ITEM]


def test_the_title_of_a_contract_is_its_title(sheet: Sheet, tmp_path: Path) -> None:
    sheet.line("ENDORSEMENT AGREEMENT", 80, left=165, font=BOLD)
    sheet.paragraph(words(60), 110)
    sections(sheet, [("ARTICLE 1 TERM", BOLD, 11), ("ARTICLE 2 FEES", BOLD, 11)], start=200)
    draft = read(sheet, tmp_path)
    assert [node.text for node in draft.nodes if node.type is ContentNodeType.TITLE] == ["ENDORSEMENT AGREEMENT"]
    assert headings(draft) == [(1, "ARTICLE 1 TERM"), (1, "ARTICLE 2 FEES")]


def test_numbers_stand_alike_though_the_outline_puts_one_of_them_elsewhere(sheet: Sheet, tmp_path: Path) -> None:
    titles = [
        ("1 Bridges", 0),
        ("1.1 Of wood", 1),
        ("1.2 Of stone", 1),
        ("2 Roads", 0),
        ("2.1 Gravel", 0),
        ("2.2 Sand", 1),
    ]
    top = 80.0
    for index, (title, depth) in enumerate(titles):
        if top > 640:
            sheet.page()
            top = 80
        sheet.canvas.bookmarkPage(title)
        sheet.canvas.addOutlineEntry(title, title, level=depth)
        sheet.line(title, top, font=BOLD, size=14 - 2 * depth)
        top = sheet.paragraph(words(56, start=5 * index), top + 22) + 24
    levels = {title: level for level, title in headings(read(sheet, tmp_path))}
    assert levels == {title: len(title.split()[0].split(".")) for title, _ in titles}


def test_a_chapter_that_the_outline_names_and_no_page_shows_is_a_level_as_the_others_are(
    sheet: Sheet, tmp_path: Path
) -> None:
    shown = ["Bridges", "Of wood", "Roads", "Of gravel", "Harbours", "Of sand", "Of tar"]
    sheet.line("On the works of the town", 60, font=BOLD, size=20)
    for title in [*shown, "Canals"]:
        sheet.canvas.bookmarkPage(title)
    entries = [
        *[("Bridges", 0), ("Of wood", 1), ("Roads", 0), ("Of gravel", 1), ("Harbours", 0)],
        *[("Canals", 0), ("Of sand", 1), ("Of tar", 1)],
    ]
    top = 100.0
    for title, depth in entries:
        sheet.canvas.addOutlineEntry(title, title, level=depth)
        if title in shown:
            sheet.line(title, top, font=BOLD, size=14 - 2 * depth)
            top = sheet.paragraph(words(28, start=len(title)), top + 22) + 18
    levels = {title: level for level, title in headings(read(sheet, tmp_path))}
    assert {title: levels.get(title) for title in shown if title.startswith("Of")} == dict.fromkeys(
        ("Of wood", "Of gravel", "Of sand", "Of tar"), 2
    )


def test_a_label_and_its_title_on_one_row_are_one_heading(sheet: Sheet, tmp_path: Path) -> None:
    top = 80.0
    for place, title in enumerate(("Risk Factors.", "Properties.", "Legal Proceedings.", "Other Information.")):
        sheet.line(f"Item {place + 1}{'A' if place == 2 else ''}.", top, font=BOLD)
        sheet.line(title, top, left=130, font=BOLD)
        top = sheet.paragraph(words(70, start=5 * place), top + 22) + 24
    assert [text for _, text in headings(read(sheet, tmp_path))] == [
        "Item 1. Risk Factors.", "Item 2. Properties.", "Item 3A. Legal Proceedings.", "Item 4. Other Information.",
    ]  # fmt: skip


def test_a_title_right_below_a_row_does_not_join_what_stands_above_the_row(sheet: Sheet, tmp_path: Path) -> None:
    sheet.line("PART I", 80, left=150, font=BOLD)
    sheet.line("Item 1.", 96, font=BOLD)
    sheet.line("Business of the towns along the rivers in the hills", 96, left=130, font=BOLD)
    sheet.line("The committee and its members", 118, left=140, font=BOLD)
    sheet.paragraph(words(90), 140)
    texts = [node.text for node in read(sheet, tmp_path).nodes]
    assert "Item 1. Business of the towns along the rivers in the hills" in texts
    assert {"PART I", "The committee and its members"} <= set(texts)


def test_sentences_in_bold_over_their_paragraphs_are_titles(sheet: Sheet, tmp_path: Path) -> None:
    top, titles = 80.0, []
    for place, kind in enumerate(("rivers", "bridges", "roads", "winters")):
        first = f"We depend on {kind} that others keep, and what they decide may harm the committee and"
        second = "the town for many years."
        sheet.line(first, top, font="Times-BoldItalic")
        sheet.line(second, top + 13.2, font="Times-BoldItalic")
        titles.append(f"{first} {second}")
        top = sheet.paragraph(words(60, start=3 * place), top + 36) + 20
    assert [text for _, text in headings(read(sheet, tmp_path))] == titles


def test_beginnings_of_paragraphs_in_one_type_are_titles_together(sheet: Sheet, tmp_path: Path) -> None:
    top, titles = 80.0, ["Sales:", "New members of the committee:", "Fairs in the towns along the river:", "Prizes:"]
    for place, title in enumerate(titles):
        top = run_in(sheet, top, title, ["Nobody", *words(50, start=3 * place)]) + 13.2
    assert [text for _, text in headings(read(sheet, tmp_path))] == titles


def test_names_of_cases_do_not_end_at_their_v(sheet: Sheet, tmp_path: Path) -> None:
    top, titles = 80.0, []
    for number, name in enumerate(("Hill", "Dale", "Wood", "Moor"), 1):
        titles.append(f"{number}. Bridges Board v. {name}.")
        top = run_in(sheet, top, titles[-1], ["Nobody", *words(50, start=3 * number)], font="Times-Roman") + 13.2
    assert [text for _, text in headings(read(sheet, tmp_path))] == titles


def test_contents_that_name_a_few_titles_of_paragraphs_do_not_set_them_apart(sheet: Sheet, tmp_path: Path) -> None:
    sheet.line("Contents", 80, font=BOLD, size=16)
    chapters = ("Rivers and bridges", "Winters and roads")
    for place, (text, page) in enumerate(((chapters[0], 2), ("Thales.", 2), (chapters[1], 3))):
        sheet.line(text, 120 + 16 * place)
        sheet.line(str(page), 120 + 16 * place, left=500)
    names = iter(("Thales.", "Archytas of the hills.", "Pythagoras.", "Hippias of the river.", "Plato.", "Euclid."))
    for chapter in chapters:
        sheet.page()
        sheet.line(chapter, 80, font=BOLD, size=16)
        top = sheet.paragraph(words(40, start=len(chapter)), 110) + 13.2
        for _ in range(3):
            name = next(names)
            top = run_in(sheet, top, name, ["Nobody", *words(50, start=len(name))]) + 13.2
    found = headings(read(sheet, tmp_path))
    assert {level for level, text in found if text.endswith(".")} == {2}


def test_the_work_for_a_page_grows_as_its_pieces_do(tmp_path: Path) -> None:
    called = []
    for rows in (20, 60):
        canvas = Canvas(str(tmp_path / "numbers.pdf"), pagesize=(2000, 2000))
        canvas.setFont("Times-Roman", 6)
        for row in range(rows):
            for column in range(30):
                canvas.drawString(40 + column * 64, 1960 - row * 13, str(row * column * 37 % 9999))
        canvas.save()
        calls = 0

        def count(frame: FrameType, event: str, arg: object) -> None:
            nonlocal calls
            calls += event == "call"

        sys.setprofile(count)
        try:
            PdfReader().read(tmp_path / "numbers.pdf", ReadOptions(ocr=False))
        finally:
            sys.setprofile(None)
        called.append(calls)
    assert called[1] < 4 * called[0], called
