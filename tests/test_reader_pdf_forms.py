"""Forms: labels with their values, fields that are filled in, boxes, comments of readers, attached files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pikepdf
import pytest
from tagged_files import Tag, write_tagged
from test_reader_pdf import HEIGHT, Sheet, of_type, read, words

from ragraph.schema.enums import ContentNodeType, RelationType

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft

PAIRS = [
    ("Invoice no.", "2031-77"),
    ("Sold to", "Lund Shipyard"),
    ("Attention", "Ida Lund"),
    ("Due", "9 June 2031"),
    ("Terms", "Net 30"),
]


@pytest.fixture
def sheet() -> Sheet:
    return Sheet()


def tables(draft: Draft) -> list[list[list[str]]]:
    return [node.data["cells"] for node in of_type(draft, ContentNodeType.TABLE)]


@pytest.mark.parametrize("colon", [":", ""])
@pytest.mark.parametrize("font", ["Helvetica", "Helvetica-Bold"])
@pytest.mark.parametrize("step", [12, 17, 26])
@pytest.mark.parametrize("left", [135, 270])
def test_each_label_is_a_row_with_its_value(
    sheet: Sheet, tmp_path: Path, colon: str, font: str, step: int, left: int
) -> None:
    sheet.line("INVOICE", 60, font="Helvetica-Bold", size=16)
    for number, (label, value) in enumerate(PAIRS):
        sheet.line(label + colon, 110 + step * number, font=font, size=9)
        sheet.line(value, 110 + step * number, left, font="Helvetica", size=9)
    sheet.paragraph(words(60), 300)
    assert tables(read(sheet.save(tmp_path / "a.pdf"))) == [[[label + colon, value] for label, value in PAIRS]]


def test_blocks_of_labels_side_by_side_are_tables_of_their_own(sheet: Sheet, tmp_path: Path) -> None:
    right = [("Ship:", "Alma"), ("Master:", "Otto Berg"), ("Port:", "Bergen")]
    sheet.line("BERTH ORDER", 60, font="Helvetica-Bold", size=16)
    for number, (label, value) in enumerate(PAIRS):
        sheet.line(label + ":", 110 + 13 * number, size=9)
        sheet.line(value, 110 + 13 * number, 150, size=9)
    for number, (label, value) in enumerate(right):
        sheet.line(label, 110 + 13 * number, 340, size=9)
        sheet.line(value, 110 + 13 * number, 420, size=9)
    sheet.paragraph(words(60), 300)
    found = tables(read(sheet.save(tmp_path / "a.pdf")))
    assert found == [[[label + ":", value] for label, value in PAIRS], [list(pair) for pair in right]]


def test_blocks_without_colons_side_by_side_are_each_told_by_bold_labels(sheet: Sheet, tmp_path: Path) -> None:
    blocks = [("Vessel", "Terna"), ("Master", "Otto Berg"), ("From", "Bergen"), ("To", "Lerwick")]
    right = [("Left", "2 May 06:00"), ("Arrived", "3 May 04:30"), ("Way", "182 M"), ("Fuel", "12.4 t")]
    for number, pairs in enumerate(zip(blocks, right, strict=True)):
        for left, (label, value) in zip((60, 320), pairs, strict=True):
            sheet.line(label, 110 + 16 * number, left, font="Helvetica-Bold", size=9)
            sheet.line(value, 110 + 16 * number, left + 80, font="Helvetica", size=9)
    sheet.paragraph(words(60), 300)
    assert tables(read(sheet.save(tmp_path / "a.pdf"))) == [[list(pair) for pair in rows] for rows in (blocks, right)]


def test_labels_beside_fields_need_no_colon_and_values_may_have_several_lines(sheet: Sheet, tmp_path: Path) -> None:
    for number, (label, value) in enumerate(
        [("First name", "Ada"), ("Notes", "No dogs\nNo fires"), ("Town", "Bergen")]
    ):
        sheet.line(label, 110 + 40 * number, font="Helvetica", size=10)
        options = {"fieldFlags": "multiline", "height": 32} if "\n" in value else {"height": 16}
        y = HEIGHT - 113 - 40 * number - (18 if "\n" in value else 0)
        sheet.canvas.acroForm.textfield(name=label, value=value, x=180, y=y, width=130, fontSize=9, **options)
    sheet.paragraph(words(60), 300)
    rows = [["First name", "Ada"], ["Notes", "No dogs No fires"], ["Town", "Bergen"]]
    assert tables(read(sheet.save(tmp_path / "a.pdf"))) == [rows]


@pytest.mark.parametrize("ruled", [False, True])
def test_paragraphs_that_tags_state_one_by_one_are_rows_of_labels_and_values(ruled: bool, tmp_path: Path) -> None:
    rows = [["Buyer:", "Lund Yard"], ["Order:", "A-71"], ["Sum:", "1.204,50"], ["Place:", "Bergen"], ["Day:", "3 May"]]
    prose = [Tag("P", [(72, y - 14 * line, 10, " ".join(words(14, line))) for line in range(5)]) for y in (500, 400)]
    tags = [Tag("P", [(76 + 100 * column, 700 - 18 * row, 10, text)])
            for row, pair in enumerate(rows) for column, text in enumerate(pair)]  # fmt: skip
    level = [f"72 {713 - 18 * row} m 300 {713 - 18 * row} l S" for row in range(6)]
    upright = [f"{x} 713 m {x} 623 l S" for x in (72, 172, 300)]
    title = Tag("H1", [(72, 740, 16, "Order of the yard")])
    write_tagged(tmp_path / "a.pdf", [title, *tags, *prose], drawn="\n".join([*level, *upright]) if ruled else "")
    assert tables(read(tmp_path / "a.pdf")) == [rows]


def test_further_lines_of_a_value_and_empty_fields_stay_in_their_rows(sheet: Sheet, tmp_path: Path) -> None:
    rows = [("Name:", "Ida Lund"), ("Address:", "5 Quay Street"), ("", "Bergen"), ("Phone:", ""), ("Mail:", "i@l.no")]
    for number, (label, value) in enumerate(rows):
        sheet.line(label, 110 + 13 * number, size=9)
        sheet.line(value, 110 + 13 * number, 150, size=9)
    sheet.paragraph(words(60), 300)
    assert tables(read(sheet.save(tmp_path / "a.pdf"))) == [
        [["Name:", "Ida Lund"], ["Address:", "5 Quay Street Bergen"], ["Phone:", ""], ["Mail:", "i@l.no"]]
    ]


def test_a_long_label_that_touches_its_value_is_parted_from_it(sheet: Sheet, tmp_path: Path) -> None:
    for number, (label, value) in enumerate([("Name:", "Ida Lund"), ("Date of the order:", "3 May"), ("To:", "Oslo")]):
        sheet.line(label, 110 + 13 * number, size=9)
        sheet.line(value, 110 + 13 * number, 144, size=9)
    sheet.paragraph(words(60), 300)
    (table,) = tables(read(sheet.save(tmp_path / "a.pdf")))
    assert table == [["Name:", "Ida Lund"], ["Date of the order:", "3 May"], ["To:", "Oslo"]]


def test_names_with_speeches_beside_them_are_no_labels(sheet: Sheet, tmp_path: Path) -> None:
    top = 100.0
    for name in ("Anna:", "Otto:", "Anna:", "Otto:"):
        sheet.line(name, top)
        top = sheet.paragraph(words(33, int(top)), top, left=150, per_line=11) + 6
    assert not tables(read(sheet.save(tmp_path / "a.pdf")))


def test_titles_that_begin_with_a_label_are_no_rows_of_a_form(sheet: Sheet, tmp_path: Path) -> None:
    top, titles = sheet.paragraph(words(60), 80) + 20, ["pump does not start", "water is lost at night"]
    for title in titles:
        sheet.line("Problem:", top, font="Helvetica-Bold")
        sheet.line(title, top, 126, font="Helvetica-Bold")
        sheet.line("Look at the valve of the house first, and then ask for this:", top + 18)
        sheet.line("$ show valve", top + 36, font="Courier")
        top += 62
    sheet.paragraph(words(60), top)
    draft = read(sheet.save(tmp_path / "a.pdf"))
    assert not tables(draft)
    assert [node.text for node in of_type(draft, ContentNodeType.HEADING)] == [f"Problem: {title}" for title in titles]


def test_a_row_of_values_under_names_is_a_table(sheet: Sheet, tmp_path: Path) -> None:
    sheet.line("Summary", 80, font="Helvetica-Bold", size=12)
    rows = [("Start", "End", "Lamps", "Net"), ("03/05/31", "09/06/31", "48", "11,250.00")]
    for number, row in enumerate(rows):
        for column, text in enumerate(row):
            sheet.line(text, 110 + 13 * number, 72 + 100 * column, size=9)
    sheet.paragraph(words(60), 180)
    assert tables(read(sheet.save(tmp_path / "a.pdf"))) == [[list(row) for row in rows]]


def form(sheet: Sheet, path: Path, *, appearances: bool) -> Path:
    """Draw a form with a text, a choice, a box that is checked and one that is not."""
    sheet.line("Application for a berth", 60, font="Helvetica-Bold", size=16)
    for number, label in enumerate(("Name:", "Payment:", "Insured:", "Guest:")):
        sheet.line(label, 120 + 30 * number, size=10)
    fields = sheet.canvas.acroForm
    fields.textfield(name="name", value="Ada Krog", x=140, y=HEIGHT - 124, width=160, height=18)
    fields.choice(
        name="pay", value="monthly", options=["monthly", "yearly"], x=140, y=HEIGHT - 154, width=160, height=18
    )
    fields.checkbox(name="insured", checked=True, x=140, y=HEIGHT - 184, size=14)
    fields.checkbox(name="guest", checked=False, x=140, y=HEIGHT - 214, size=14)
    sheet.save(path)
    if not appearances:
        with pikepdf.open(path, allow_overwriting_input=True) as pdf:
            pdf.Root.AcroForm.NeedAppearances = True
            for field in pdf.Root.AcroForm.Fields:
                if field.FT != "/Btn" and "/AP" in field:
                    del field.AP
            pdf.save(path)
    return path


@pytest.mark.parametrize("appearances", [True, False])
def test_values_and_boxes_of_a_form_are_text(sheet: Sheet, tmp_path: Path, appearances: bool) -> None:
    draft = read(form(sheet, tmp_path / "a.pdf", appearances=appearances))
    rows = [["Name:", "Ada Krog"], ["Payment:", "monthly"], ["Insured:", "☒"], ["Guest:", "☐"]]
    assert tables(draft) == [rows]


def test_values_on_a_turned_page_are_reported_as_left_out(sheet: Sheet, tmp_path: Path) -> None:
    path = form(sheet, tmp_path / "a.pdf", appearances=False)
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        pdf.pages[0].Rotate = 90
        pdf.save(path)
    assert any("values of a form that were left out: 1" in warning for warning in read(path).warnings)


def test_comments_are_notes_at_their_place(sheet: Sheet, tmp_path: Path) -> None:
    sheet.paragraph(words(60), 100)
    sheet.paragraph(words(60, 20), 220)
    path = sheet.save(tmp_path / "a.pdf")

    def annotation(kind: str, text: str, top: float, **more: Any) -> pikepdf.Dictionary:
        place = [100, HEIGHT - top - 12, 180, HEIGHT - top]
        values = {"Type": pikepdf.Name.Annot, "Subtype": pikepdf.Name("/" + kind), "Rect": place, "Contents": text}
        return pikepdf.Dictionary(**values, **more)

    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        corners = [100, HEIGHT - 220, 180, HEIGHT - 220, 100, HEIGHT - 232, 180, HEIGHT - 232]
        pdf.pages[0].Annots = pdf.make_indirect(
            pikepdf.Array(
                [
                    annotation("Text", "Ask Kim\nabout the rent", 100, T="Ada"),
                    annotation("Highlight", "wrong year", 220, QuadPoints=corners),
                    annotation("Highlight", "", 100, QuadPoints=corners),
                    annotation("Text", "nobody sees this", 100, F=2),
                ]
            )
        )
        pdf.save(path)
    draft = read(path)
    first, ask, second, wrong = draft.nodes
    assert (ask.type, ask.text, ask.data["comment"]) == (
        ContentNodeType.NOTE, "Ask Kim about the rent", {"kind": "note", "author": "Ada"}
    )  # fmt: skip
    assert (wrong.type, wrong.text, wrong.data["comment"]) == (
        ContentNodeType.NOTE, "wrong year", {"kind": "highlight"}
    )  # fmt: skip
    bound = [(relation.source, relation.type, relation.target) for relation in draft.relations]
    kind = RelationType.REFERENCES_NOTE
    assert bound == [(first.key, kind, ask.key), (second.key, kind, wrong.key)]


def test_attached_files_are_named(sheet: Sheet, tmp_path: Path) -> None:
    sheet.paragraph(words(60), 100)
    path = sheet.save(tmp_path / "a.pdf")
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        pdf.attachments["appendix.txt"] = b"the ledger"
        pdf.save(path)
    (warning,) = read(path, attachments="none").warnings
    assert warning == "1 attached file was not read: appendix.txt; save attached files to ingest them"


def test_sums_at_the_foot_of_an_invoice_are_rows(sheet: Sheet, tmp_path: Path) -> None:
    sheet.paragraph(words(60), 100)
    for number, (label, value) in enumerate([("Net", "1,658.20"), ("VAT 20 %", "331.64"), ("Total", "1,989.84")]):
        sheet.line(label, 200 + 14 * number, 380, size=9)
        sheet.canvas.drawRightString(540, HEIGHT - 200 - 14 * number, value)
    sheet.paragraph(words(60), 300)
    assert tables(read(sheet.save(tmp_path / "a.pdf"))) == [
        [["Net", "1,658.20"], ["VAT 20 %", "331.64"], ["Total", "1,989.84"]]
    ]


@pytest.mark.parametrize("frame", [False, True])
def test_columns_of_text_and_lists_between_rules_are_read_column_by_column(
    sheet: Sheet, tmp_path: Path, frame: bool
) -> None:
    for y in (80, 330):
        sheet.canvas.line(66, HEIGHT - y, 546, HEIGHT - y)
    if frame:
        for x in (66, 306, 546):
            sheet.canvas.line(x, HEIGHT - 80, x, HEIGHT - 330)
    for column in range(2):
        left = 72 + 240 * column
        sheet.line(f"Module {column + 1}: Wood and Nails", 100, left, font="Times-Bold")
        top = sheet.paragraph(words(24, column), 126, left, per_line=6)
        for number in range(8):
            sheet.line(f"•  topic {number + 1} of part {column + 1} and what it is for", top + 13.2 * number, left + 12)
    draft = read(sheet.save(tmp_path / "a.pdf"))
    assert not tables(draft)
    parts = [node.text for node in draft.nodes if node.text.startswith(("Module", "topic"))]
    assert [text[:7] for text in parts] == ["Module ", *(f"topic {n}" for n in range(1, 9))] * 2
