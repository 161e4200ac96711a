"""Tables, figures, captions and formulas of the PDF reader, on pages drawn here."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

import pikepdf
import pytest
from reportlab.pdfbase.ttfonts import TTFont

from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.pdf import PdfReader
from ragraph.schema.enums import ContentNodeType, RelationType

canvas_module = pytest.importorskip("reportlab.pdfgen.canvas")

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ragraph.ingest.draft import Draft, DraftNode

WIDTH, HEIGHT = 612, 792
PROSE = (
    "The committee met in the old hall and spoke of the bridge that was to be built over the river before the "
    "winter came and of the money that the town would have to find for it in the years that were to follow then "
)
RIVERS = [
    ["River", "Length", "Basin", "Bridges"],
    ["Alder", "1,204", "88.1", "12"],
    ["Birch", "310", "9.4", "3"],
    ["Cedar", "95", "2.2", "1"],
    ["Dogwood", "640", "41.0", "7"],
]


class Sheet:
    """A canvas measured from the top."""

    def __init__(self, path: Path) -> None:
        self.path, self.buffer = path, BytesIO()
        self.canvas = canvas_module.Canvas(self.buffer, pagesize=(WIDTH, HEIGHT), invariant=1)

    def text(self, text: str, top: float, left: float = 72, font: str = "Times-Roman", size: float = 10) -> None:
        self.canvas.setFont(font, size)
        self.canvas.drawString(left, HEIGHT - top, text)

    def prose(self, top: float, lines: int, left: float = 72, width: int = 88) -> float:
        text = PROSE * 20
        start = 0
        for _ in range(lines):
            end = text.rfind(" ", start, start + width)
            self.text(text[start:end], top, left)
            start, top = end + 1, top + 12
        return top

    def rule(self, left: float, top: float, right: float, bottom: float) -> None:
        self.canvas.setLineWidth(0.6)
        self.canvas.line(left, HEIGHT - top, right, HEIGHT - bottom)

    def rows(self, rows: Sequence[Sequence[str]], top: float, lefts: Sequence[float], step: float = 14) -> float:
        for row in rows:
            for text, left in zip(row, lefts, strict=True):
                if text:
                    self.text(text, top, left)
            top += step
        return top

    def grid(self, rows: Sequence[Sequence[str]], top: float, xs: Sequence[float], step: float = 16) -> float:
        """Draw a table with all its lines; the first baseline stands 12 below the top."""
        bottom = top + step * len(rows)
        for index in range(len(rows) + 1):
            self.rule(xs[0], top + step * index, xs[-1], top + step * index)
        for x in xs:
            self.rule(x, top, x, bottom)
        self.rows(rows, top + 12, [x + 4 for x in xs[:-1]], step)
        return bottom

    def page(self) -> None:
        self.canvas.showPage()

    def read(self) -> Draft:
        self.canvas.save()
        self.path.write_bytes(self.buffer.getvalue())
        return PdfReader().read(self.path, ReadOptions())


@pytest.fixture
def sheet(tmp_path: Path) -> Sheet:
    return Sheet(tmp_path / "page.pdf")


def of_type(draft: Draft, kind: ContentNodeType) -> list[DraftNode]:
    return [node for node in draft.nodes if node.type is kind]


def only_table(draft: Draft) -> DraftNode:
    (table,) = of_type(draft, ContentNodeType.TABLE)
    return table


def words_of(draft: Draft) -> list[str]:
    return sorted(word for node in draft.nodes for word in node.text.replace(" | ", " ").split())


def test_a_ruled_table_gives_its_grid(sheet: Sheet) -> None:
    top = sheet.prose(80, 6)
    sheet.grid(RIVERS, top + 20, [72, 180, 260, 340, 420])
    table = only_table(sheet.read())
    assert table.data["cells"] == RIVERS
    assert table.data["header_rows"] == 1
    assert table.text.splitlines()[1] == "Alder | 1,204 | 88.1 | 12"


def test_cells_that_cover_several_places_are_told(sheet: Sheet) -> None:
    xs = [72, 170, 250, 330]
    for y in (100, 118, 136, 154, 172):
        sheet.rule(xs[1] if y == 118 else xs[0], y, xs[-1], y)
    for x in xs:
        sheet.rule(x, 118 if x == xs[2] else 100, x, 172)
    sheet.text("Station", 121, 76)
    sheet.text("Depth in metres", 112, 210)
    sheet.rows([["", "spring", "autumn"], ["North", "1.5", "2.5"], ["South", "3.5", "4.5"]], 130, [76, 174, 254], 18)
    table = only_table(sheet.read())
    assert table.data["cells"] == [
        ["Station", "Depth in metres", ""],
        ["", "spring", "autumn"],
        ["North", "1.5", "2.5"],
        ["South", "3.5", "4.5"],
    ]
    assert table.data["spans"] == [[0, 0, 2, 1], [0, 1, 1, 2]]
    assert table.data["header_rows"] == 2


def test_lines_of_a_cell_are_joined_and_hyphens_undone(sheet: Sheet) -> None:
    sheet.prose(60, 3)
    sheet.text("The foundations of the bridge are deep.", 98)
    xs = [72, 180, 420]
    for y in (120, 138, 170, 188):
        sheet.rule(xs[0], y, xs[-1], y)
    for x in xs:
        sheet.rule(x, 120, x, 188)
    sheet.rows([["Part", "Remark"]], 132, [76, 184])
    sheet.text("Pier", 150, 76)
    sheet.text("stands on foun-", 150, 184)
    sheet.text("dations of stone", 162, 184)
    sheet.rows([["Deck", "oak"]], 182, [76, 184])
    assert only_table(sheet.read()).data["cells"][1] == ["Pier", "stands on foundations of stone"]


def test_level_rules_alone_make_a_table(sheet: Sheet) -> None:
    top = sheet.prose(80, 6)
    sheet.text("Table 1. Rivers of the county.", top + 14, font="Times-Bold")
    head = top + 24
    sheet.rule(72, head, 420, head)
    sheet.rows(RIVERS[:1], head + 11, [76, 180, 260, 340])
    sheet.rule(72, head + 16, 420, head + 16)
    end = sheet.rows(RIVERS[1:], head + 28, [76, 180, 260, 340])
    sheet.rule(72, end - 8, 420, end - 8)
    sheet.prose(end + 30, 6)
    draft = sheet.read()
    table = only_table(draft)
    assert table.data["cells"] == RIVERS
    assert table.data["header_rows"] == 1
    (bound,) = [relation for relation in draft.relations if relation.type is RelationType.IS_CAPTIONED_BY]
    caption = next(node for node in draft.nodes if node.key == bound.target)
    assert bound.source == table.key
    assert caption.text == "Table 1. Rivers of the county."


def test_rows_of_figures_that_align_make_a_table_without_any_line(sheet: Sheet) -> None:
    top = sheet.prose(80, 6)
    end = sheet.rows(RIVERS, top + 20, [76, 200, 280, 360])
    sheet.prose(end + 24, 6)
    draft = sheet.read()
    assert only_table(draft).data["cells"] == RIVERS
    paragraphs = of_type(draft, ContentNodeType.PARAGRAPH)
    assert not any("Alder" in node.text for node in paragraphs)


def test_a_label_of_two_lines_is_one_row(sheet: Sheet) -> None:
    top = sheet.prose(80, 4) + 20
    sheet.rows([["", "1901", "1902"], ["Tolls", "100", "120"]], top, [76, 300, 360])
    sheet.text("Money lent by the town and", top + 28, 76)
    sheet.rows([["by the parishes", "55", "60"], ["Rents", "17", "19"], ["Fines", "4", "2"]], top + 40, [76, 300, 360])
    cells = only_table(sheet.read()).data["cells"]
    assert cells == [
        ["", "1901", "1902"],
        ["Tolls", "100", "120"],
        ["Money lent by the town and by the parishes", "55", "60"],
        ["Rents", "17", "19"],
        ["Fines", "4", "2"],
    ]


@pytest.mark.parametrize("repeats", [True, False])
def test_a_table_over_two_pages_is_one_node_with_two_boxes(sheet: Sheet, repeats: bool) -> None:
    xs = [72, 180, 260, 340, 420]
    rows = [[f"River {number}", str(100 + number), f"{number}.5", str(number)] for number in range(1, 41)]
    top = sheet.prose(80, 12)
    sheet.text("Table 4. All rivers.", top + 14, font="Times-Bold")
    sheet.grid([RIVERS[0], *rows[:30]], top + 24, xs)
    sheet.page()
    if repeats:
        sheet.text("Table 4 (continued)", 70, font="Times-Bold")
    end = sheet.grid([RIVERS[0], *rows[30:]] if repeats else rows[30:], 80, xs)
    sheet.prose(end + 30, 12)
    draft = sheet.read()
    table = only_table(draft)
    assert [place.page_pdf for place in table.positions] == [1, 2]
    assert table.data["cells"] == [RIVERS[0], *rows]
    assert sum(relation.type is RelationType.IS_CAPTIONED_BY for relation in draft.relations) == 1


def test_rows_that_white_space_parts_go_on_below_others_of_another_width(sheet: Sheet) -> None:
    def draw(rows: Sequence[Sequence[str]], top: float) -> float:
        for row in rows:
            for text, left in zip(row, (50, 120, 350, 430, 510), strict=True):
                sheet.text(text, top, left + (0 if left < 300 else 60 - sheet.canvas.stringWidth(text)))
            top += 14
        return top

    rows = [[f"{n % 28 + 1:02}.05.2031", f"Fee {n}", *((f"{n}.50", "") if n % 3 else ("", f"{7 * n}.25")), f"{n}.75"]
            for n in range(10, 70)]  # fmt: skip
    draw([["Date", "Text", "Debit", "Credit", "Balance"], *rows[:40]], sheet.prose(80, 6) + 20)
    sheet.page()
    sheet.prose(draw(rows[40:], 80) + 30, 6)
    assert only_table(sheet.read()).data["cells"][1:] == rows


_EMPTY = ("", "", "")


@pytest.mark.parametrize(
    "rows",
    [
        [("Port", "Master", "Depth", "Notes"), ("Molde", "A. Holm", "11.0", "pilot"), ("Bodo", "", "9.5", ""),
         ("Alta", "S. Moe", "12.0", "ice"), ("Vardo", "", "", "no fuel")],
        [("", "30.06.2031", "30.06.2030", "Change"), ("Dues", "1,204", "998", "206"), ("Rents", "310", "402", "(92)"),
         ("Quays", "88", "90", "(2)")],
        [("Coast", "Fish", "2030", "2031"), ("North", "Cod", "1,204", "1,310"), ("", "Haddock", "402", "398"),
         ("South", "Herring", "8,810", "9,004"), ("", "Sprat", "55", "61")],
        [("Species", "2029", "2030", "2031"), ("North coast", *_EMPTY), ("  Cod", "1,204", "1,310", "1,288"),
         ("  Haddock", "402", "398", "(12)"), ("South coast", *_EMPTY), ("  Herring", "8,810", "9,004", "7,950"),
         ("  Sprat", "55", "61", "70")],
        [("No.", "What", "Each", "Sum"), ("1", "Pump with ten metres of hose", "1.250,00", "2.500,00"),
         ("2", "Filter", "12,50", "125,00"), ("3", "Travel of two fitters", "95,00", "760,00"),
         ("4", "Discount", "", "-85,00")],
        [("Time", "Session", "Room", "Chair"), ("09:00", "Opening", "Hall A", "Ida Lund"),
         ("10:15", "Lights", "Hall B", ""), ("12:00", "Lunch", "", ""), ("13:30", "Workshops", "Hall A", "Bo Ek")],
    ],
    ids=["last row of text", "dates as names", "groups beside", "groups above", "numbered", "words"],
)  # fmt: skip
def test_sparse_rows_without_lines_keep_their_columns(sheet: Sheet, rows: list[tuple[str, ...]]) -> None:
    for number, row in enumerate(rows):
        for text, left in zip(row, (72, 180, 360, 450), strict=True):
            inset = 12 if text.startswith(" ") else 0
            face = "Times-Bold" if not number else "Times-Italic" if row[1:] == _EMPTY else "Times-Roman"
            sheet.text(text.strip(), 100 + 14 * number, left + inset, face)
    sheet.prose(100 + 14 * len(rows) + 20, 6)
    assert only_table(sheet.read()).data["cells"] == [[text.strip() for text in row] for row in rows]


def test_names_of_two_lines_over_sparse_columns_are_one_row(sheet: Sheet) -> None:
    names = [("Name of", "vessel"), ("Year", "built"), ("Gross", "tonnage"), ("Number of", "berths")]
    rows = [("Terna", "1998", "4 210", "120"), ("Skarv", "2003", "8 930", ""), ("Lom", "", "1 050", "12")]
    for (upper, lower), left in zip(names, (72, 200, 300, 400), strict=True):
        sheet.text(upper, 100, left, "Times-Bold")
        sheet.text(lower, 111, left, "Times-Bold")
    for number, row in enumerate(rows):
        for text, left in zip(row, (72, 200, 300, 400), strict=True):
            sheet.text(text, 128 + 15 * number, left)
    sheet.prose(200, 6)
    head = [f"{upper} {lower}".strip() for upper, lower in names]
    assert only_table(sheet.read()).data["cells"] == [head, *(list(row) for row in rows)]


def test_dashes_of_text_that_is_set_sideways_are_those_that_are_printed(sheet: Sheet) -> None:
    sheet.prose(80, 40)
    sheet.canvas.translate(WIDTH, 0)
    sheet.canvas.rotate(90)
    sheet.text("Draft — 3 May", HEIGHT - 20, 300, "Helvetica")
    assert "Draft — 3 May" in [node.text for node in sheet.read().nodes]


def test_tables_with_other_columns_stay_apart(sheet: Sheet) -> None:
    top = sheet.prose(80, 30)
    sheet.grid(RIVERS, top + 24, [72, 180, 260, 340, 420])
    sheet.page()
    end = sheet.grid([row[:2] for row in RIVERS], 80, [72, 250, 420])
    sheet.prose(end + 30, 12)
    assert len(of_type(sheet.read(), ContentNodeType.TABLE)) == 2


def test_words_under_a_caption_between_rules_drawn_cell_by_cell_are_a_table(sheet: Sheet) -> None:
    rows = [
        ["Variable", "Assumption"],
        ["Population", "Projections are consistent with what the bureau has estimated"],
        ["Young people", "Annual changes are taken to range between 1.0% and 2.2% here"],
        ["Older people", "Annual changes are taken to range between 1.1% and 2.3% here"],
        ["Prices", "Annual changes are taken to range between 1.3% and 2.4% here"],
    ]
    sheet.prose(60, 6)
    sheet.text("Table 1. Summary of assumptions", 160)
    for top in (168, 183, 244):
        for left, right in ((72, 200), (200, 330), (330, 540)):
            sheet.rule(left, top, right, top)
    sheet.rows(rows, 179, (72, 230), step=15)
    sheet.prose(280, 6)
    table = only_table(sheet.read())
    assert table.data["cells"] == rows


def test_columns_of_prose_are_no_table(sheet: Sheet) -> None:
    for left in (60, 240, 420):
        sheet.prose(80, 40, left, 38)
    draft = sheet.read()
    assert not of_type(draft, ContentNodeType.TABLE)


def test_signatures_addresses_indexes_and_formulas_are_no_tables(sheet: Sheet) -> None:
    sheet.prose(60, 6)
    sheet.rows(
        [
            ["ALDER COMPANY", "BIRCH COMPANY"],
            ["By: ____________________", "By: ____________________"],
            ["Name: John Alder", "Name: Jane Birch"],
            ["Title: President", "Title: Secretary"],
            ["Date: 1 May 1901", "Date: 2 May 1901"],
        ],
        160,
        [72, 320],
    )
    sheet.rows(
        [["bridges, 12, 40", "piers, 3, 19"], ["deck, 7", "river, 22, 31"], ["money, 9, 14", "stone, 41"],
         ["oak, 5, 6", "town, 2"], ["parish, 8", "winter, 1, 44"]],
        300,
        [72, 320],
    )  # fmt: skip
    sheet.rows(
        [["(a)", "the first of these"], ["(b)", "the second"], ["(c)", "the third"], ["(d)", "and more"]],
        420,
        [90, 120],
    )
    assert not of_type(sheet.read(), ContentNodeType.TABLE)


def test_no_word_is_lost_or_doubled(sheet: Sheet) -> None:
    top = sheet.prose(80, 6)
    end = sheet.grid(RIVERS, top + 20, [72, 180, 260, 340, 420])
    end = sheet.rows(RIVERS, end + 40, [76, 200, 280, 360])
    sheet.prose(end + 24, 2)
    prose = PROSE * 20
    draft = sheet.read()
    expected = [word for row in RIVERS * 2 for word in row]
    found = words_of(draft)
    for word in set(expected):
        assert found.count(word) >= expected.count(word)
    assert found.count("Dogwood") == 2
    assert set(found) <= set(expected) | set(prose.split())


def test_truth_and_similarity_of_tables() -> None:
    teds = pytest.importorskip("bench.teds")
    pytest.importorskip("apted")
    truth = teds.table_of_grid(RIVERS, [1])
    assert teds.teds(truth, truth) == 1.0
    without = teds.table_of_grid(RIVERS[:-1], [1])
    # A row of four cells is missing: 5 of 26 nodes.
    assert teds.teds(truth, without) == pytest.approx(1 - 5 / 26)
    scores = teds.score_tables([without], [truth, teds.table_of_grid(RIVERS, [7])], "made")
    assert scores.teds == pytest.approx((1 - 5 / 26) / 2)
    assert (scores.recall, scores.precision) == (0.5, 1.0)


def test_a_drawing_is_a_figure_with_its_words_and_its_caption(sheet: Sheet) -> None:
    top = sheet.prose(80, 6) + 20
    for shift in (0, 60, 130):
        sheet.canvas.rect(120, HEIGHT - top - 150, 240, 150)
        sheet.canvas.circle(170 + shift, HEIGHT - top - 80, 30)
    sheet.canvas.line(120, HEIGHT - top - 150, 360, HEIGHT - top)
    sheet.text("tolls", top + 20, 130, size=8)
    sheet.text("years", top + 140, 300, size=8)
    sheet.text("Figure 2. Tolls by year.", top + 168, 120, size=9)
    sheet.prose(top + 200, 6)
    draft = sheet.read()
    (figure,) = of_type(draft, ContentNodeType.FIGURE)
    assert figure.text == "tolls years"
    (bound,) = [relation for relation in draft.relations if relation.type is RelationType.IS_CAPTIONED_BY]
    assert bound.source == figure.key
    assert not any("tolls" in node.text for node in of_type(draft, ContentNodeType.PARAGRAPH))


def test_a_label_alone_and_the_title_below_are_one_caption(sheet: Sheet) -> None:
    top = sheet.prose(80, 6)
    sheet.text("Table 3.", top + 12, font="Times-Bold")
    sheet.text("Rivers by length and basin", top + 24, font="Times-Bold")
    sheet.grid(RIVERS, top + 32, [72, 180, 260, 340, 420])
    (caption,) = of_type(sheet.read(), ContentNodeType.CAPTION)
    assert caption.text == "Table 3. Rivers by length and basin"


def _tall_font(pdf: pikepdf.Pdf, program: bytes, bullet: int) -> pikepdf.Dictionary:
    """Return a font of bullets that claims two and a half times its size."""
    known = f"1 begincodespacerange <0000> <ffff> endcodespacerange 1 beginbfchar <{bullet:04x}> <2022> endbfchar"
    descriptor = pikepdf.Dictionary(
        Type=pikepdf.Name.FontDescriptor, FontName=pikepdf.Name.Bullets, Flags=4, ItalicAngle=0, StemV=80,
        Ascent=2059, Descent=-450, CapHeight=2059, FontBBox=[-1, -450, 2279, 2059],
        FontFile2=pdf.make_stream(program, Length1=len(program)),
    )  # fmt: skip
    cid = pikepdf.Dictionary(
        Type=pikepdf.Name.Font, Subtype=pikepdf.Name.CIDFontType2, BaseFont=pikepdf.Name.Bullets, DW=460,
        CIDSystemInfo=pikepdf.Dictionary(Registry=b"Adobe", Ordering=b"Identity", Supplement=0),
        FontDescriptor=pdf.make_indirect(descriptor), CIDToGIDMap=pikepdf.Name.Identity,
    )  # fmt: skip
    return pikepdf.Dictionary(
        Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type0, BaseFont=pikepdf.Name.Bullets,
        Encoding=pikepdf.Name("/Identity-H"), DescendantFonts=[pdf.make_indirect(cid)],
        ToUnicode=pdf.make_stream(f"/CIDInit /ProcSet findresource begin begincmap {known} endcmap end".encode()),
    )  # fmt: skip


def test_lines_of_a_cell_stay_apart_under_bullets_in_a_font_that_claims_much_room(tmp_path: Path) -> None:
    rows: list[tuple[str, list[str]]] = [
        ("Clarity", ["Reported as not relevant by many", "Generates an unacceptably large amount", "Patients differ"]),
        ("Range", ["A high share of patients respond at the floor", "None of the choices applies to them"]),
        ("Redundancy", ["Item duplicates information collected with others"]),
    ]
    face = TTFont("Bullets", "Vera.ttf").face
    bullet = face.charToGlyph[0x2022]
    bullets = []
    sheet = Sheet(tmp_path / "made.pdf")
    top = sheet.prose(80, 6) + 20
    sheet.rule(72, top, 500, top)
    first = top
    for label, items in rows:
        sheet.text(label, top + 12, 76)
        for item in items:
            bullets.append(f"1 0 0 1 180 {HEIGHT - top - 13} Tm <{bullet:04x}> Tj")
            sheet.text(item, top + 12, 198, size=9)
            top += 14
        top += 4
        sheet.rule(72, top, 500, top)
    for x in (72, 170, 500):
        sheet.rule(x, first, x, top)
    sheet.canvas.save()
    with pikepdf.open(BytesIO(sheet.buffer.getvalue())) as pdf:
        page = pdf.pages[0]
        page.Resources.Font.Bullets = pdf.make_indirect(_tall_font(pdf, face._ttf_data, bullet))
        page.contents_add(f"BT /Bullets 12 Tf {' '.join(bullets)} ET".encode())
        pdf.save(tmp_path / "page.pdf")
    table = only_table(PdfReader().read(tmp_path / "page.pdf", ReadOptions()))
    assert table.data["cells"] == [[label, " ".join(f"\u2022 {item}" for item in items)] for label, items in rows]
