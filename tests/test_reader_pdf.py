"""The PDF reader on small files made here: every page is drawn with reportlab, so that what is on it is known."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest

from ragraph.errors import DamagedFileError, EncryptedFileError
from ragraph.ingest.readers import ReadOptions, reader_for
from ragraph.ingest.readers.pdf import PdfReader
from ragraph.ingest.structure.references import text_references
from ragraph.schema.enums import ComponentType, ContentNodeType, RelationType

canvas_module = pytest.importorskip("reportlab.pdfgen.canvas")

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ragraph.ingest.draft import Draft, DraftNode

WIDTH, HEIGHT = 612, 792
LOREM_TEXT = (
    "The committee met in the old hall and spoke of the bridge that was to be built over the river before the "
    "winter came and of the money that the town would have to find for it in the years that were to follow then"
)
LOREM = LOREM_TEXT.split()


def words(count: int, start: int = 0) -> list[str]:
    return [LOREM[(start + index) % len(LOREM)] for index in range(count)]


class Sheet:
    """A canvas on which lines are set from the top."""

    def __init__(self, **options: Any) -> None:
        self.buffer = BytesIO()
        self.canvas = canvas_module.Canvas(self.buffer, pagesize=(WIDTH, HEIGHT), invariant=1, **options)

    def line(self, text: str, top: float, left: float = 72, font: str = "Times-Roman", size: float = 11) -> float:
        self.canvas.setFont(font, size)
        self.canvas.drawString(left, HEIGHT - top, text)
        return top

    def paragraph(self, text: list[str], top: float, left: float = 72, per_line: int = 14, end: str = ".") -> float:
        for index in range(0, len(text), per_line):
            last = index + per_line >= len(text)
            self.line(" ".join(text[index : index + per_line]) + (end if last else ""), top, left)
            top += 13.2
        return top

    def page(self) -> None:
        self.canvas.showPage()

    def save(self, path: Path) -> Path:
        self.canvas.save()
        path.write_bytes(self.buffer.getvalue())
        return path


def read(path: Path, **options: Any) -> Draft:
    return PdfReader().read(path, ReadOptions(**options))


def of_type(draft: Draft, kind: ContentNodeType) -> list[DraftNode]:
    return [node for node in draft.nodes if node.type is kind]


@pytest.fixture
def report(tmp_path: Path) -> Path:
    """Six pages: numbered headings, running head, page numbers, footnotes, a bookmarked outline."""
    sheet = Sheet()
    for number in range(1, 7):
        sheet.line("Annual Report of the Bridge Committee", 40, size=9)
        sheet.line(str(number), 760, left=300, size=9)
        if number == 1:
            sheet.canvas.bookmarkPage("one")
            sheet.canvas.addOutlineEntry("1 Introduction", "one", level=0)
        top = sheet.line(f"{number} Part {'ABCDEF'[number - 1]} of the report", 90, font="Helvetica-Bold", size=15)
        top = sheet.paragraph(words(60, number), top + 30)
        top = sheet.line(f"{number}.1 Details of part {'ABCDEF'[number - 1]}", top + 14, font="Helvetica-Bold", size=12)
        sheet.paragraph(words(40, number), top + 26)
        sheet.line("See Section 2.1 and the accounts", 500)
        end = 72 + sheet.canvas.stringWidth("See Section 2.1 and the accounts", "Times-Roman", 11)
        sheet.canvas.setFont("Times-Roman", 7)
        sheet.canvas.drawString(end, HEIGHT - 496, str(number))
        sheet.line("for all that was spent in this year of the works on the bridge.", 513.2)
        sheet.canvas.setFont("Times-Roman", 6)
        sheet.canvas.drawString(72, HEIGHT - 703, str(number))
        sheet.line(f"Ledger of the town, volume {number}, kept in the archive.", 706, left=76, size=8.5)
        sheet.page()
    return sheet.save(tmp_path / "report.pdf")


def test_headings_have_the_levels_of_their_numbers(report: Path) -> None:
    found = [(node.text, node.level) for node in of_type(read(report), ContentNodeType.HEADING)]
    letters = "ABCDEF"
    expected = [
        item
        for number, letter in enumerate(letters, 1)
        for item in ((f"{number} Part {letter} of the report", 1), (f"{number}.1 Details of part {letter}", 2))
    ]
    assert found == expected


def test_running_heads_of_several_lines_vary_by_chapter(tmp_path: Path) -> None:
    chapters = (
        ("THE BRIDGES OF THE TOWN AND WHAT THE COUNCIL HAD TO SAY OF THEM IN THE", "COUNTRY"),
        ("THE BOATS ON THE RIVER AND WHO HAD TO PAY FOR THEM IN THE WINTER OF THE", "COMMITTEE"),
    )
    sheet = Sheet()
    for number in range(8):
        first, second = chapters[number // 4]
        sheet.line(f"Records of the Town (draft{'-' if number == 2 else ' '}3)", 60, left=230, size=8)
        sheet.line(first, 70, left=100, size=8)
        sheet.line(second, 80, left=280, size=8)
        sheet.paragraph([*words(60, number), "committee", *words(40, number)], 110)
        sheet.canvas.showPage()
    draft = read(sheet.save(tmp_path / "a.pdf"))
    edges = {item.key for item in draft.containers if item.type is ComponentType.HEADER}
    body = [node.text for node in draft.nodes if node.container not in edges]
    assert sum(node.container in edges for node in draft.nodes) == 24
    assert not any("COMMITTEE" in text or "COUNTRY" in text or "Records" in text for text in body)


def test_running_heads_and_page_numbers_leave_the_body(report: Path) -> None:
    draft = read(report)
    types = {container.key: container.type for container in draft.containers}
    numbers = of_type(draft, ContentNodeType.PAGE_NUMBER)
    assert [(node.text, node.positions[0].page_pdf) for node in numbers] == [(str(n), n) for n in range(1, 7)]
    assert {types[node.container or ""] for node in numbers} == {ComponentType.FOOTER}
    heads = [node for node in draft.nodes if node.text == "Annual Report of the Bridge Committee"]
    assert len(heads) == 6
    assert {types[node.container or ""] for node in heads} == {ComponentType.HEADER}


def test_marks_are_bound_to_footnotes_and_leave_the_text(report: Path) -> None:
    draft = read(report)
    by_key = {node.key: node for node in draft.nodes}
    bound = [relation for relation in draft.relations if relation.type is RelationType.REFERENCES_NOTE]
    assert [relation.marker for relation in bound] == [str(number) for number in range(1, 7)]
    for number, relation in enumerate(bound, 1):
        source, target = by_key[relation.source], by_key[relation.target or ""]
        assert target.type is ContentNodeType.NOTE
        assert target.marker == str(number)
        assert target.text == f"Ledger of the town, volume {number}, kept in the archive."
        assert source.text[: relation.marker_start] == "See Section 2.1 and the accounts"
        assert source.text[relation.marker_start or 0 :].startswith(" for all that was spent")


def test_sections_are_cross_referenced(report: Path) -> None:
    draft = read(report)
    by_key = {node.key: node for node in draft.nodes}
    said = text_references(draft.nodes, draft.relations)
    found = [relation for relation in said if relation.type is RelationType.CROSS_REFERENCES]
    assert len(found) == 6
    for relation in found:
        assert by_key[relation.target or ""].text == "2.1 Details of part B"
        assert relation.marker == "Section 2.1"
        start = relation.marker_start or 0
        assert by_key[relation.source].text[start : start + len("Section 2.1")] == "Section 2.1"


def test_every_box_lies_on_its_page_and_holds_words_of_the_page(report: Path) -> None:
    draft = read(report)
    sizes = {page.page_pdf: (page.width, page.height) for page in draft.pages}
    assert set(sizes.values()) == {(WIDTH, HEIGHT)}
    for node in draft.nodes:
        assert node.positions
        for place in node.positions:
            assert place.bbox is not None
            width, height = sizes[place.page_pdf]
            assert 0 <= place.bbox.x1 < place.bbox.x2 <= (width or 0)
            assert 0 <= place.bbox.y1 < place.bbox.y2 <= (height or 0)


def test_the_same_file_gives_the_same_draft(report: Path) -> None:
    assert read(report).model_dump_json() == read(report).model_dump_json()


def test_the_registry_finds_the_reader(report: Path) -> None:
    assert reader_for(report).name == "pdf"


def test_pages_of_a_range_keep_their_numbers(report: Path) -> None:
    draft = read(report, pages=(3, 4))
    assert [page.page_pdf for page in draft.pages] == [3, 4]
    assert {place.page_pdf for node in draft.nodes for place in node.positions} == {3, 4}


def test_a_paragraph_over_two_columns_and_pages_is_one_node(tmp_path: Path) -> None:
    sheet = Sheet()
    text = words(250)
    at = 0
    for page in range(2):
        for left in (60, 320):
            for row in range(8):
                last = page == 1 and left == 320 and row == 7
                line = " ".join(text[at : at + 7])
                sheet.line(line + ("." if last else ""), 100 + 13 * row, left, size=10)
                at += 7
        sheet.page()
    paragraphs = of_type(read(sheet.save(tmp_path / "columns.pdf")), ContentNodeType.PARAGRAPH)
    assert [node.text for node in paragraphs] == [" ".join(text[:at]) + "."]
    assert [place.page_pdf for place in paragraphs[0].positions] == [1, 1, 2, 2]


def test_a_divided_word_is_joined_and_a_compound_keeps_its_hyphen(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.line("It is a well-known fact that the construction of the bridge was put off and that the con-", 100)
    sheet.line("struction began a year later, which is a well-", 113.2)
    sheet.line("known story.", 126.4)
    draft = read(sheet.save(tmp_path / "hyphens.pdf"))
    assert "the construction began a year later, which is a well-known story." in draft.nodes[0].text


def test_page_labels_of_the_file_are_taken_over(tmp_path: Path) -> None:
    pikepdf = pytest.importorskip("pikepdf")
    sheet = Sheet()
    for number in range(4):
        sheet.paragraph(words(40, number), 100)
        sheet.page()
    plain = sheet.save(tmp_path / "plain.pdf")
    with pikepdf.open(plain) as pdf:
        labels = pikepdf.Dictionary(
            Nums=pikepdf.Array([0, pikepdf.Dictionary(S=pikepdf.Name.r), 2, pikepdf.Dictionary(S=pikepdf.Name.D, St=1)])
        )
        pdf.Root.PageLabels = labels
        pdf.save(tmp_path / "labels.pdf")
    draft = read(tmp_path / "labels.pdf")
    assert [page.page_logical for page in draft.pages] == ["i", "ii", "1", "2"]
    assert {(place.page_pdf, place.page_logical) for node in draft.nodes for place in node.positions} == {
        (1, "i"), (2, "ii"), (3, "1"), (4, "2"),
    }  # fmt: skip


def test_a_ruled_table_has_its_cells_and_its_caption(tmp_path: Path) -> None:
    sheet = Sheet()
    top = sheet.paragraph(words(60), 100)
    sheet.line("Table 1: Cost of the bridge", top + 20, font="Times-Bold")
    rows = [["Year", "Stone", "Wood"], ["1901", "12", "7"], ["1902", "15", "9"]]
    edge = top + 30
    for index, row in enumerate(rows):
        for column, text in enumerate(row):
            sheet.line(text, edge + 14 + 20 * index, 80 + 100 * column)
    for index in range(len(rows) + 1):
        sheet.canvas.line(72, HEIGHT - edge - 20 * index, 372, HEIGHT - edge - 20 * index)
    for index in range(4):
        sheet.canvas.line(72 + 100 * index, HEIGHT - edge, 72 + 100 * index, HEIGHT - edge - 20 * len(rows))
    sheet.paragraph(words(60), edge + 100)
    draft = read(sheet.save(tmp_path / "table.pdf"))
    (table,) = of_type(draft, ContentNodeType.TABLE)
    assert table.data["cells"] == rows
    assert table.text == "Year | Stone | Wood\n1901 | 12 | 7\n1902 | 15 | 9"
    (relation,) = [item for item in draft.relations if item.type is RelationType.IS_CAPTIONED_BY]
    assert relation.source == table.key
    assert next(node.text for node in draft.nodes if node.key == relation.target) == "Table 1: Cost of the bridge"


def test_contents_pages_are_read_as_such_and_name_the_headings(tmp_path: Path) -> None:
    sheet = Sheet()
    titles = ["First steps", "The second year", "Great floods", "A new hope", "Last accounts"]
    sheet.line("Contents", 80, font="Times-Bold", size=14)
    for index, title in enumerate(titles):
        sheet.line(f"{title} {'.' * (70 - len(title))} {index + 1}", 120 + 18 * index)
    sheet.page()
    for index, title in enumerate(titles):
        sheet.line(str(index + 1), 760, left=300)
        top = sheet.line(title, 90)  # set in the running type: only the contents page tells that it is a heading
        sheet.paragraph(words(80, index), top + 40)
        sheet.page()
    draft = read(sheet.save(tmp_path / "contents.pdf"))
    headings = [node.text for node in of_type(draft, ContentNodeType.HEADING)]
    assert headings == ["Contents", *titles]
    assert [node.text for node in of_type(draft, ContentNodeType.LIST_ITEM)] == [
        f"{title} {index}" for index, title in enumerate(titles, 1)
    ]


def test_citations_reach_their_entries(tmp_path: Path) -> None:
    sheet = Sheet()
    top = sheet.line("1 Method", 80, font="Times-Bold", size=14)
    top = sheet.paragraph([*words(30), "as", "shown", "before", "[2]"], top + 30)
    top = sheet.paragraph([*words(30), "and", "by", "Miller", "(1999)"], top + 13)
    top = sheet.line("2 Results", top + 30, font="Times-Bold", size=14)
    top = sheet.paragraph(words(70), top + 30)
    top = sheet.line("References", top + 30, font="Times-Bold", size=14)
    top = sheet.line("[1] Miller, A. (1999). Bridges of stone. Town Press.", top + 30)
    sheet.line("[2] Olsen, B. (2004). Bridges of wood. Town Press.", top + 18)
    draft = read(sheet.save(tmp_path / "cited.pdf"))
    by_key = {node.key: node for node in draft.nodes}
    found = {
        relation.marker: by_key[relation.target or ""].marker
        for relation in text_references(draft.nodes, draft.relations)
        if relation.type is RelationType.REFERENCES_CITATION
    }
    assert found == {"[2]": "[2]", "Miller (1999)": "[1]"}


def _encrypted(path: Path) -> Path:
    from reportlab.lib.pdfencrypt import StandardEncryption

    sheet = Sheet(encrypt=StandardEncryption("secret", canPrint=1))
    sheet.paragraph(words(40), 100)
    return sheet.save(path)


def test_an_encrypted_file_asks_for_the_password(tmp_path: Path) -> None:
    path = _encrypted(tmp_path / "locked.pdf")
    with pytest.raises(EncryptedFileError, match=r"locked\.pdf needs a password"):
        read(path)
    with pytest.raises(EncryptedFileError, match="another password"):
        read(path, password="wrong")
    assert read(path, password="secret").nodes[0].text.startswith("The committee met")


def _empty(path: Path) -> Path:
    path.write_bytes(b"%PDF-1.7\n")
    return path


def _cut(path: Path) -> Path:
    path.write_bytes(b"%PDF-1.7\n1 0 obj << /Type /Catalog >>\nendobj\n" + b"\x00" * 200)
    return path


@pytest.mark.parametrize("make", [_empty, _cut])
def test_a_damaged_file_is_refused(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    with pytest.raises(DamagedFileError, match=r"bad\.pdf"):
        read(make(tmp_path / "bad.pdf"))


def test_typographic_quotes_and_dashes_are_kept(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.line("The mayor said “yes” – and the town’s people cheered.", 100)
    draft = read(sheet.save(tmp_path / "quotes.pdf"))
    assert draft.nodes[0].text == "The mayor said “yes” – and the town’s people cheered."


def test_reading_needs_no_torch(report: Path) -> None:
    import subprocess
    import sys

    code = (
        "import sys; from pathlib import Path; from ragraph.ingest.readers import ReadOptions; "
        "from ragraph.ingest.readers.pdf import PdfReader; "
        f"PdfReader().read(Path({str(report)!r}), ReadOptions()); sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
