"""What speaks for a heading: numbers that count on, type, tags; small files drawn here, one test per fault met."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tagged_files import Tag, write_tagged
from test_reader_pdf import Sheet, of_type, read, words
from test_reader_pdf_headings import BOLD, headings, sections

from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from pathlib import Path

_SENTENCE = "This line of running text goes on for as long as the page is wide and says little."


def _clause(sheet: Sheet, top: float, start: str, number: int) -> float:
    """Set a paragraph that begins with some words in the type of the text."""
    sheet.line(f"{start} {' '.join(words(9, number))}", top)
    return sheet.paragraph(words(30, number), top + 13.2) + 10


def test_sections_of_a_contract_in_one_type_are_cut_out_of_their_paragraphs(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.line("SUPPLY AGREEMENT", 60, left=215, font=BOLD, size=16)
    top = sheet.paragraph(words(30), 90) + 10
    for number, title in enumerate(("Definitions", "Supply of Goods", "Price and Payment", "Term"), 1):
        top = _clause(sheet, top, f"{number}. {title}. The parties", number)
        top = _clause(sheet, top, "(a) the party", number)
    draft = read(sheet.save(tmp_path / "contract.pdf"))
    assert headings(draft) == [
        (1, "1. Definitions."), (1, "2. Supply of Goods."), (1, "3. Price and Payment."), (1, "4. Term."),
    ]  # fmt: skip
    assert len(of_type(draft, ContentNodeType.LIST_ITEM)) == 4
    assert of_type(draft, ContentNodeType.HEADING)[0].data["claims"] == {"numbering": None}


def test_a_numbered_list_in_a_report_is_no_series_of_sections(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.line("On bridges", 60, font=BOLD, size=16)
    top = sheet.paragraph(words(260), 90) + 10
    for number, title in enumerate(("Timber", "Stone", "Iron"), 1):
        sheet.line(f"{number}. {title}. Many bridges are of it.", top + 14 * number)
    sheet.paragraph(words(200), top + 80)
    draft = read(sheet.save(tmp_path / "list.pdf"))
    assert [node.marker for node in of_type(draft, ContentNodeType.LIST_ITEM)] == ["1.", "2.", "3."]


def test_numbered_titles_on_lines_of_their_own_need_no_other_type(tmp_path: Path) -> None:
    sheet = Sheet()
    top = 60.0
    for part, title in enumerate(("TERMINATION", "COSTS AND TAXES", "INDEMNITY"), 6):
        sheet.line(f"{part}. {title}", top)
        for number, name in enumerate(("Obligations Clarified", "Right to Counsel"), 1):
            sheet.line(f"{part}.{number} {name}", top + 26)
            top = sheet.paragraph(words(40, number), top + 44)
        top += 26
    found = headings(read(sheet.save(tmp_path / "own.pdf")))
    assert [level for level, _ in found] == [1, 2, 2, 1, 2, 2, 1, 2, 2]
    assert found[1] == (2, "6.1 Obligations Clarified")


def test_plain_numbers_begin_below_a_title_without_number(tmp_path: Path) -> None:
    sheet = Sheet()
    top = sheet.paragraph(words(60), 60) + 20
    sheet.line("AGREEMENT", top, left=270, font=BOLD)
    top += 26
    for number, title in enumerate(("Definitions", "Supply", "Price", "Term"), 1):
        top = _clause(sheet, top, f"{number}. {title}. The parties", number)
    levels = [level for level, _ in headings(read(sheet.save(tmp_path / "below.pdf")))]
    assert levels == [1, 2, 2, 2, 2]


def test_lines_of_a_poster_are_one_title_whatever_their_sizes(tmp_path: Path) -> None:
    sheet = Sheet()
    for number, (upper, lower) in enumerate((("EXPLORE", "CAMPUS"), ("WIDEN YOUR", "WORLDVIEW"), ("MAKE", "FRIENDS"))):
        sheet.line(upper, 120 + 20 * number, font=BOLD, size=24)
        sheet.line(lower, 152 + 20 * number, font=BOLD, size=40)
        sheet.paragraph(words(120, number), 260)
        sheet.page()
    found = [text for _, text in headings(read(sheet.save(tmp_path / "poster.pdf")))]
    assert "WIDEN YOUR WORLDVIEW" in found


def test_headings_over_paragraphs_side_by_side_are_no_terms_of_a_table(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.line("Our services", 60, font=BOLD, size=24)
    top = sheet.paragraph(words(140), 90) + 30
    names = ["Career coaching", "Work abroad", "Mentors for all", "Authentic learning"]
    for index, name in enumerate(names):
        left, at = 72 + 250 * (index % 2), top + 110 * (index // 2)
        sheet.line(name, at, left=left, font=BOLD, size=13)
        sheet.paragraph(words(24, index), at + 17, left=left, per_line=5)
    assert {text for _, text in headings(read(sheet.save(tmp_path / "cards.pdf")))} >= set(names)


def test_a_bold_title_stays_apart_from_a_paragraph_with_bold_words(tmp_path: Path) -> None:
    sheet = Sheet()
    top = 60.0
    for number in range(4):
        sheet.line(f"Set the schedule {'ABCD'[number]}", top, font=BOLD)
        sheet.line("Go to", top + 14)
        sheet.line("Settings and Display and Brightness and Comfort", top + 14, left=102, font=BOLD)
        top = sheet.paragraph(words(40, number), top + 28) + 20
    found = [text for _, text in headings(read(sheet.save(tmp_path / "bold.pdf")))]
    assert found == [f"Set the schedule {letter}" for letter in "ABCD"]


def test_the_kind_of_a_publication_or_a_publisher_in_larger_type_is_no_title(tmp_path: Path) -> None:
    for large in ("News Release", "Bridges and Roads Commission"):
        sheet = Sheet()
        sheet.line(large, 60, font=BOLD, size=24)
        sheet.line("Bridges opened in the first quarter", 110, font=BOLD, size=16)
        sheet.paragraph(words(120), 140)
        draft = read(sheet.save(tmp_path / "release.pdf"))
        assert [node.text for node in of_type(draft, ContentNodeType.TITLE)] == ["Bridges opened in the first quarter"]


def test_numbers_that_start_again_stand_below_all_titles_in_larger_type(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.line("A guide to the phone", 60, font=BOLD, size=28)
    sections(
        sheet,
        [
            ("Camera", BOLD, 20), ("Taking photos", BOLD, 15), ("1. Open the lens", BOLD, 12), ("2. Wait", BOLD, 12),
            ("Phone", BOLD, 20), ("Calling people", BOLD, 15), ("1. Dial slowly", BOLD, 12), ("2. Speak", BOLD, 12),
        ],
        start=110,
    )  # fmt: skip
    levels = [level for level, _ in headings(read(sheet.save(tmp_path / "again.pdf")))]
    assert levels == [1, 2, 3, 3, 1, 2, 3, 3]


def test_parts_hold_items_and_items_what_is_set_like_them(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.line("Table of contents", 60, left=240, font=BOLD)
    rows = [
        ("PART I", 280),
        ("Item 1. Business", 72),
        ("Item 2. Properties", 72),
        ("PART II", 280),
        ("Item 3. Results", 72),
    ]
    for row, (text, left) in enumerate(rows):
        sheet.line(text, 90 + 16 * row, left=left)
        if left == 72:
            sheet.line(str(row + 2), 90 + 16 * row, left=500)
    sheet.page()
    titles = ["PART I", "Item 1. Business", "Overview", "Customers", "Competition", "Backlog", "Item 2. Properties",
              "Land", "Buildings", "PART II", "Item 3. Results", "Sales", "Margins", "Note 1. Leases"]  # fmt: skip
    for number, title in enumerate(titles):
        part = title.startswith("PART")
        sheet.line(title, 56 if part else 90, font=BOLD, left=280 if part else 72)
        if not part:
            sheet.paragraph(words(90, number), 120)
            sheet.page()
    found = headings(read(sheet.save(tmp_path / "items.pdf")))
    found = [(level, text) for level, text in found if "contents" not in text]
    assert [text for _, text in found] == titles
    assert [level for level, _ in found] == [1, 2, 3, 3, 3, 3, 2, 3, 3, 1, 2, 3, 3, 3]


def test_the_name_of_a_company_alone_is_no_heading(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.line("A report on roads", 60, font=BOLD, size=24)
    sections(sheet, [("Business", BOLD, 14), ("Bridges and Roads, Inc.", BOLD, 14), ("Risks", BOLD, 14)], start=110)
    assert [text for _, text in headings(read(sheet.save(tmp_path / "name.pdf")))] == ["Business", "Risks"]


def _body(y: float) -> Tag:
    return Tag("P", [(72, y - 14 * line, 11, _SENTENCE) for line in range(4)])


def test_what_is_set_like_the_tagged_headings_is_one_though_tagged_a_paragraph(tmp_path: Path) -> None:
    path = tmp_path / "silent.pdf"
    tags = [
        Tag("H1", [(72, 740, 16, "Of wages")]), _body(715),
        Tag("P", [(72, 640, 16, "Of rents")]), _body(615),
        Tag("L", kids=[Tag("LI", kids=[Tag("LBody", [(72, 540, 11, "an item of a list")])])]),
    ]  # fmt: skip
    write_tagged(path, tags)
    draft = read(path)
    assert [text for _, text in headings(draft)] == ["Of wages", "Of rents"]
    (first, second) = of_type(draft, ContentNodeType.HEADING)
    assert first.data["claims"] == {"tags": 1, "type": None}
    assert second.data["claims"] == {"type": None}


def test_lines_of_one_title_that_are_tagged_one_by_one_are_joined(tmp_path: Path) -> None:
    path = tmp_path / "two.pdf"
    tags = [
        Tag("H1", [(72, 740, 16, "Of wages in the towns")]),
        Tag("P", [(72, 722, 16, "and of their rents")]), _body(690),
        Tag("L", kids=[Tag("LI", kids=[Tag("LBody", [(72, 600, 11, "an item of a list")])])]),
    ]  # fmt: skip
    write_tagged(path, tags)
    titles = of_type(read(path), ContentNodeType.TITLE)
    assert [node.text for node in titles] == ["Of wages in the towns and of their rents"]


def test_the_title_of_a_list_of_figures_tagged_as_its_entry_is_a_heading(tmp_path: Path) -> None:
    path = tmp_path / "figures.pdf"
    entries = [
        Tag("TOCI", [(72, 700 - 20 * row, 11, f"Figure {row}: A bridge {'.' * 60} {row + 4}")]) for row in (1, 2, 3, 4)
    ]
    tags = [
        Tag("TOC", kids=[Tag("TOCI", [(230, 720, 14, "List of Figures")]), *entries]),
        Tag("H1", [(72, 560, 16, "Of wages")]), _body(540), Tag("H1", [(72, 460, 16, "Of rents")]), _body(440),
    ]  # fmt: skip
    write_tagged(path, tags)
    assert [text for _, text in headings(read(path))] == ["List of Figures", "Of wages", "Of rents"]
