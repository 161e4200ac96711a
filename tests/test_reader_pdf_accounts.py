"""Tables of accounts: amounts with their signs, heads over the columns, grounds of shading; on pages drawn here."""

from __future__ import annotations

from collections import Counter
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest

from bench.structure.strict.drafts import items_of
from bench.structure.strict.signs import compare, printed_runs
from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.pdf import PdfReader
from ragraph.pdf.model import Grid, Page, Word, font_of
from ragraph.pdf.page.numbers import join_numbers
from ragraph.pdf.tables.signs import with_signs
from ragraph.schema.enums import ContentNodeType

canvas_module = pytest.importorskip("reportlab.pdfgen.canvas")

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft

HEIGHT = 792
ROWS = [
    ("Net income", "$", "8,017", "$", "19,868"),
    ("Depreciation", "", "11,128", "", "9,953"),
    ("Losses on equity investments", "", "(4,254)", "", "(1,458)"),
    ("Gains on divestitures", "", "(1,059)", "", "—"),
    ("Total adjustments", "", "7,416", "", "9,588"),
    ("Cash at the end of the period", "$", "15,433", "$", "29,456"),
]
READ = [[label, f"{one} {first}".strip(), f"{two} {second}".strip()] for label, one, first, two, second in ROWS]


class Accounts:
    """A page with one table: labels at the left, signs and amounts at the edges of two columns."""

    def __init__(self, path: Path) -> None:
        self.path, self.buffer = path, BytesIO()
        self.canvas = canvas_module.Canvas(self.buffer, pagesize=(612, HEIGHT), invariant=1)

    def body(self, top: float, step: float = 15, signs: int = 6) -> float:
        """Draw the rows, the first so many with their signs, with rules under sums; return the last baseline."""
        self.canvas.setFont("Helvetica", 9)
        for number, (label, one, first, two, second) in enumerate(ROWS):
            y = HEIGHT - top
            self.canvas.drawString(54, y, label)
            for sign, amount, left, right in ((one, first, 400, 475), (two, second, 485, 560)):
                self.canvas.drawString(left + 2, y, sign if number < signs else "")
                hang = 3 if amount.endswith(")") else 0
                self.canvas.drawRightString(right - 5 + hang, y, amount)
                if label.startswith(("Gains", "Total")):
                    self.canvas.line(left, y - 4, right, y - 4)
            top += step
        return top - step

    def text(self, text: str, top: float, left: float, middle: bool = False) -> None:
        """Write a line of small bold type."""
        self.canvas.setFont("Helvetica-Bold", 9)
        (self.canvas.drawCentredString if middle else self.canvas.drawString)(left, HEIGHT - top, text)

    def read(self) -> Draft:
        """Read the page."""
        self.canvas.save()
        self.path.write_bytes(self.buffer.getvalue())
        return PdfReader().read(self.path, ReadOptions())


@pytest.fixture
def accounts(tmp_path: Path) -> Accounts:
    """Return an empty page."""
    return Accounts(tmp_path / "accounts.pdf")


def only_table(draft: Draft) -> dict[str, Any]:
    """Return what is kept of the one table of a draft; it has no figure."""
    assert not [node for node in draft.nodes if node.type is ContentNodeType.FIGURE]
    (table,) = (node for node in draft.nodes if node.type is ContentNodeType.TABLE)
    assert table.data is not None
    return table.data


def test_signs_stay_with_their_amounts_and_rules_of_sums_join_no_columns(accounts: Accounts) -> None:
    accounts.body(120)
    assert only_table(accounts.read())["cells"] == READ


def test_a_sign_in_the_first_row_alone_stands_in_the_column_of_its_number(accounts: Accounts) -> None:
    accounts.text("Current", 104, 421, middle=True)
    accounts.text("Other", 104, 506, middle=True)
    accounts.body(120, signs=1)
    _, first, *others = only_table(accounts.read())["cells"]
    assert [text for text in first if text] == READ[0]
    places = [[column for column, text in enumerate(row) if text] for row in (first, *others)]
    assert places == [places[0]] * len(ROWS)


def test_heads_over_the_amounts_stand_in_the_table(accounts: Accounts) -> None:
    accounts.text("The amounts of the two years that ended in December are set out below.", 72, 54)
    accounts.text("Years ended", 90, 480, middle=True)
    accounts.canvas.line(400, HEIGHT - 93, 560, HEIGHT - 93)
    accounts.text("(In millions; unaudited)", 104, 54)
    accounts.text("2022", 104, 437, middle=True)
    accounts.text("2021", 104, 522, middle=True)
    accounts.body(120)
    table = only_table(accounts.read())
    assert table["cells"] == [["(In millions; unaudited)", "Years ended", ""], ["", "2022", "2021"], *READ]
    assert table["spans"] == [[0, 0, 2, 1], [0, 1, 1, 2]]
    assert table["header_rows"] == 2


def test_a_label_between_the_head_and_the_first_amounts_is_a_row_of_the_table(accounts: Accounts) -> None:
    accounts.text("Years ended", 76, 480, middle=True)
    accounts.text("2022", 90, 437, middle=True)
    accounts.text("2021", 90, 522, middle=True)
    accounts.text("Cash from operations", 105, 54)
    accounts.body(120)
    table = only_table(accounts.read())
    assert table["cells"] == [["", "Years ended", ""], ["", "2022", "2021"], ["Cash from operations", "", ""], *READ]
    assert table["header_rows"] == 2


def test_years_on_a_band_set_apart_from_the_first_rows_are_the_head(accounts: Accounts) -> None:
    accounts.canvas.setFillGray(0.85)
    accounts.canvas.rect(54, HEIGHT - 82, 506, 20, stroke=0, fill=1)
    accounts.canvas.setFillGray(0)
    accounts.text("2022", 76, 437, middle=True)
    accounts.text("2021", 76, 522, middle=True)
    accounts.text("Cash from operations", 105, 54)
    accounts.body(120)
    table = only_table(accounts.read())
    assert table["cells"][:2] == [["", "2022", "2021"], ["Cash from operations", "", ""]]
    assert table["header_rows"] == 1


def test_a_last_row_set_out_below_amounts_in_brackets_is_of_the_table(accounts: Accounts) -> None:
    end = accounts.body(120)
    for number, (label, one, two) in enumerate(
        [
            ("Paid", "(5,997)", "(5,644)"),
            ("Other", "(689)", "(1,480)"),
            ("Taken", "1,361", "(6,045)"),
            ("Changed", "6,317", "(1,038)"),
        ],
        1,
    ):
        accounts.canvas.drawString(64, HEIGHT - end - 15 * number, label)
        accounts.canvas.drawRightString(474, HEIGHT - end - 15 * number, one)
        accounts.canvas.drawRightString(559, HEIGHT - end - 15 * number, two)
    accounts.canvas.drawString(50, HEIGHT - end - 75, "Cash and cash equivalents, at the end")
    accounts.canvas.drawRightString(470, HEIGHT - end - 75, "$     11,144")
    accounts.canvas.drawRightString(555, HEIGHT - end - 75, "$     4,827")
    assert only_table(accounts.read())["cells"][-1] == ["Cash and cash equivalents, at the end", "$ 11,144", "$ 4,827"]


def test_a_table_on_a_ground_of_shading_is_no_figure(accounts: Accounts) -> None:
    accounts.canvas.setFillGray(0.9)
    accounts.canvas.rect(50, HEIGHT - 230, 512, 125, stroke=0, fill=1)
    accounts.canvas.setFillGray(0)
    accounts.body(120, step=20)
    assert only_table(accounts.read())["cells"] == READ


def tables_of(draft: Draft) -> list[list[list[str]]]:
    """Return the cells of each table."""
    return [node.data["cells"] for node in draft.nodes if node.type is ContentNodeType.TABLE and node.data]


def test_a_link_to_the_contents_over_a_page_of_accounts_makes_no_contents_of_it(accounts: Accounts) -> None:
    accounts.text("Table of Contents", 40, 54)
    accounts.text("2022", 90, 437, middle=True)
    accounts.text("2021", 90, 522, middle=True)
    accounts.body(105)
    small = [("Leases", "88", "56"), ("Inventory", "(12)", "42"), ("Other", "7", "313"), ("Taxes", "19", "(86)")]
    accounts.canvas.setFont("Helvetica", 9)
    for number, row in enumerate(small):
        for text, right in zip(row, (90, 470, 555), strict=True):
            accounts.canvas.drawRightString(right, HEIGHT - 195 - 15 * number, text)
    (cells,) = tables_of(accounts.read())
    assert cells == [["", "2022", "2021"], *READ, *map(list, small)]


def test_dots_that_lead_to_amounts_make_no_contents_and_are_left_out(accounts: Accounts) -> None:
    top = 90
    for label, first, second in (
        ("Inventories", "3,771", "1,955"),
        ("Receivables", "4,126", "2,706"),
        ("Goodwill", "24,177", "289"),
        ("Deferred tax", "58", "931"),
        ("Other", "2", "—"),
    ):
        accounts.canvas.setFont("Helvetica", 9)
        accounts.canvas.drawString(54, HEIGHT - top, f"{label} " + ". " * 60)
        accounts.canvas.drawRightString(470, HEIGHT - top, first)
        accounts.canvas.drawRightString(555, HEIGHT - top, second)
        top += 15
    (cells,) = tables_of(accounts.read())
    assert cells[0] == ["Inventories", "3,771", "1,955"]
    assert cells[-1] == ["Other", "2", "—"]


def test_tables_with_a_sentence_between_are_two(accounts: Accounts) -> None:
    end = accounts.body(90)
    accounts.canvas.setFont("Helvetica", 9)
    accounts.canvas.drawString(
        54,
        HEIGHT - end - 22,
        "The amounts of the year before, which have been restated since, are set out in the table below (in millions):",
    )
    accounts.body(end + 44)
    assert tables_of(accounts.read()) == [READ, READ]


def test_a_rule_over_all_heads_parts_none_of_them_from_the_table(accounts: Accounts) -> None:
    accounts.text("Successor", 76, 480, middle=True)
    accounts.canvas.line(400, HEIGHT - 79, 560, HEIGHT - 79)
    for middle, lines in ((437, ("January 3,", "2016", "(53 weeks)")), (522, ("December 28,", "2014", "(52 weeks)"))):
        for number, text in enumerate(lines):
            accounts.text(text, 88 + 9 * number, middle, middle=True)
    accounts.canvas.line(400, HEIGHT - 109, 475, HEIGHT - 109)
    accounts.canvas.line(485, HEIGHT - 109, 560, HEIGHT - 109)
    accounts.body(120)
    table = only_table(accounts.read())
    assert table["cells"][:2] == [
        ["", "Successor", ""],
        ["", "January 3, 2016 (53 weeks)", "December 28, 2014 (52 weeks)"],
    ]
    assert table["cells"][2:] == READ
    assert table["header_rows"] == 2


def test_heads_that_come_again_on_every_page_are_no_running_heads(accounts: Accounts) -> None:
    written = []
    for page in range(6):
        accounts.text("Annual report of the company", 40, 54)
        accounts.text("December 26, 2020", 60, 437, middle=True)
        accounts.text("December 28, 2019", 60, 522, middle=True)
        accounts.canvas.setFont("Helvetica", 9)
        rows = [[f"{name} of part {page}", f"{(page + 3) * 417:,}", f"({(page + 2) * 319:,})"]
                for name in ("Sales", "Cost", "Interest", "Taxes", "Income")]  # fmt: skip
        for number, (label, one, other) in enumerate(rows):
            accounts.canvas.drawString(54, HEIGHT - 75 - 15 * number, label)
            accounts.canvas.drawRightString(470, HEIGHT - 75 - 15 * number, one)
            accounts.canvas.drawRightString(555, HEIGHT - 75 - 15 * number, other)
        for number in range(12):
            accounts.canvas.drawString(54, HEIGHT - 220 - 12 * number, f"Page {page} says this in line {number} of it.")
        accounts.canvas.showPage()
        written.append([["", "December 26, 2020", "December 28, 2019"], *rows])
    assert tables_of(accounts.read()) == written


def test_a_year_may_be_the_label_of_a_group(accounts: Accounts) -> None:
    accounts.text("Currency", 70, 437, middle=True)
    accounts.text("Price", 70, 522, middle=True)
    accounts.text("2020", 84, 54)
    accounts.body(96)
    accounts.text("2019", 200, 54)
    accounts.body(212)
    (cells,) = tables_of(accounts.read())
    assert cells == [["", "Currency", "Price"], ["2020", "", ""], *READ, ["2019", "", ""], *READ]


def test_words_may_stand_for_amounts_and_labels_be_set_in_two_lines_beside_them(accounts: Accounts) -> None:
    for top, text, middle in ((60, "GAAP", 440), (74, "Q1 2023", 400), (74, "vs. Q1 2022", 480)):
        accounts.text(text, top, middle, middle=True)
    accounts.canvas.line(360, HEIGHT - 63, 540, HEIGHT - 63)
    accounts.canvas.setFont("Helvetica", 9)
    for top, label, amount, change in (
        (90, "Revenue", "$11.7", "down 36%"),
        (106, "Gross margin", "34.2%", "down 2 pts"),
        (122, "Tax rate", "16.0%", "—"),
        (143, "", "$(0.66)", "down 133%"),
    ):
        accounts.canvas.drawString(54, HEIGHT - top, label)
        accounts.canvas.drawCentredString(400, HEIGHT - top, amount)
        accounts.canvas.drawCentredString(480, HEIGHT - top, change)
    accounts.canvas.drawString(54, HEIGHT - 139, "Earnings (loss) per share")
    accounts.canvas.drawString(54, HEIGHT - 148, "attributable to the company")
    table = only_table(accounts.read())
    assert table["cells"] == [
        ["", "GAAP", ""],
        ["", "Q1 2023", "vs. Q1 2022"],
        ["Revenue", "$11.7", "down 36%"],
        ["Gross margin", "34.2%", "down 2 pts"],
        ["Tax rate", "16.0%", "—"],
        ["Earnings (loss) per share attributable to the company", "$(0.66)", "down 133%"],
    ]


def test_rules_around_some_of_the_columns_double_no_amount(accounts: Accounts) -> None:
    accounts.body(90)
    for top in (78, 93, 108, 123, 138, 153, 168):
        accounts.canvas.line(400, HEIGHT - top, 562, HEIGHT - top)
    for left in (400, 480, 562):
        accounts.canvas.line(left, HEIGHT - 78, left, HEIGHT - 168)
    assert tables_of(accounts.read()) == [READ]


def test_a_label_of_two_lines_joins_its_row_and_the_label_of_a_group_does_not(accounts: Accounts) -> None:
    accounts.body(90)
    accounts.canvas.setFont("Helvetica", 9)
    for top, label, amounts in (
        (180, "Long-term assets:", ()),
        (195, "Purchases of property that is accrued but not", ()),
        (205, "paid, net of refunds", ("49", "50")),
    ):
        accounts.canvas.drawString(54, HEIGHT - top, label)
        for amount, right in zip(amounts, (470, 555), strict=False):
            accounts.canvas.drawRightString(right, HEIGHT - top, amount)
    (cells,) = tables_of(accounts.read())
    assert cells[len(READ) :] == [
        ["Long-term assets:", "", ""],
        ["Purchases of property that is accrued but not paid, net of refunds", "49", "50"],
    ]


def test_no_digit_point_comma_or_sign_changes(accounts: Accounts, tmp_path: Path) -> None:
    accounts.text("2022(1)", 74, 437, middle=True)
    accounts.text("2021", 74, 522, middle=True)
    end = accounts.body(90) + 15
    rows = [
        ("Margin", "(12.5)", "%", "$", ".25"),
        ("Change", "–3.1", "%", "€", "1,234,567.89"),
        ("Rate", "0.45", "%", "", "n/a"),
    ]
    accounts.canvas.setFont("Helvetica", 9)
    for number, (label, one, sign, money, other) in enumerate(rows):
        y = HEIGHT - end - 15 * number
        accounts.canvas.drawString(54, y, f"{label} of part {number + 1}.{number}, 100.0%")
        accounts.canvas.drawRightString(470, y, one)
        accounts.canvas.drawString(476, y, sign)
        accounts.canvas.drawString(487, y, money)
        accounts.canvas.drawRightString(555, y, other)
    items = items_of(accounts.read())
    (printed,) = printed_runs(tmp_path / "accounts.pdf", [1]).values()
    changed = compare(printed, items, 1)
    assert (changed.lost, changed.added) == (Counter(), Counter())
    assert changed.total == 25


def test_pieces_of_a_number_are_one_word() -> None:
    font = font_of("Arial")

    def word(left: float, right: float, text: str, bottom: float = 110.0) -> Word:
        made = Word(left, bottom - 10, right, bottom, text, font)
        made.size = 8.0
        return made

    page = Page(1, 600, 800)
    page.words = [
        word(10, 14, "1"),
        word(14, 16, ","),
        word(16, 30, "879"),
        word(40, 44, "0"),
        word(44, 46, ".", 110.5),
        word(46, 54, "21"),
        word(60, 64, "8"),
        word(68, 70, "."),
        word(72, 80, "15"),
        word(90, 98, "27,"),
        word(104, 120, "1965"),
        word(130, 138, "12."),
        word(138, 141, "3", 104.0),
    ]
    join_numbers([page])
    assert [one.text for one in page.words] == ["1,879", "0.21", "8", ".", "15", "27,", "1965", "12.", "3"]
    assert page.words[0].box == (10, 100, 30, 110)


def test_signs_in_cells_of_their_own_join_their_numbers_and_heads_follow() -> None:
    font = font_of("Arial")

    def cell(text: str, left: float) -> list[Word]:
        return [Word(left, 0, left + 5, 8, text, font)]

    words = {
        (0, 2): cell("2022", 30),
        (1, 0): cell("Sales", 0),
        (1, 2): cell("$", 20),
        (1, 3): cell("12", 30),
        (1, 5): cell("4.0", 50),
        (1, 6): cell("%", 60),
    }
    words |= {(2, 0): cell("Costs", 0), (2, 3): cell("(3", 30), (2, 4): cell(")", 40), (2, 5): cell("1.5", 50)}
    grid = Grid(3, [0, 10, 20, 30, 40, 50, 60, 70], words, {(0, 2): (1, 3)}, header_rows=1)
    joined = with_signs(grid)
    assert joined.texts() == [["", "2022", ""], ["Sales", "$ 12", "4.0 %"], ["Costs", "(3 )", "1.5"]]
    assert joined.spans == {}
    assert joined.header_rows == 1
    assert with_signs(joined) is joined


def test_a_head_stands_further_above_its_rows_if_it_names_most_columns(accounts: Accounts) -> None:
    accounts.text("Level 1", 82, 437, middle=True)
    accounts.text("Level 2", 82, 522, middle=True)
    accounts.body(120)
    table = only_table(accounts.read())
    assert table["cells"] == [["", "Level 1", "Level 2"], *READ]
    assert table["header_rows"] == 1


def columns_of_five(accounts: Accounts, rows: list[list[str]], top: float, left: float = 54) -> None:
    """Draw rows of a label and five amounts that end under each other."""
    accounts.canvas.setFont("Helvetica", 9)
    for number, (label, *amounts) in enumerate(rows):
        accounts.canvas.drawString(left, HEIGHT - top - 14 * number, label)
        for amount, right in zip(amounts, (250, 320, 390, 460, 530), strict=True):
            accounts.canvas.drawRightString(right, HEIGHT - top - 14 * number, amount)


FIVE = [
    ["Cost, beginning of year", "2,592,112", "8,479,879", "255,473", "616,130", "11,943,594"],
    ["Disposals", "(48,855)", "-", "-", "-", "(48,855)"],
    ["Cost, end of year", "2,543,257", "8,479,879", "255,473", "616,130", "11,894,739"],
]


def test_the_first_line_of_a_name_spans_no_columns_in_the_middle_of_which_it_stands(
    accounts: Accounts,
) -> None:
    accounts.text("Furniture,", 76, 371, middle=True)
    accounts.text("Land", 87, 301, middle=True)
    accounts.text("fixtures and", 87, 371, middle=True)
    for name, middle in (("Buildings", 231), ("improvement", 301), ("equipment", 371), ("Roads", 441), ("Total", 511)):
        accounts.text(name, 98, middle, middle=True)
    columns_of_five(accounts, FIVE, 114)
    table = only_table(accounts.read())
    head = ["", "Buildings", "Land improvement", "Furniture, fixtures and equipment", "Roads", "Total"]
    assert table["cells"] == [head, *FIVE]
    assert not table.get("spans")


def test_words_of_a_label_are_one_text_in_a_face_with_wide_blanks(accounts: Accounts) -> None:
    rows = [[name.replace(" ", "  "), *amounts] for name, *amounts in FIVE]
    rows.insert(1, ["Net  book  value,", "", "", "", "", ""])
    rows.insert(2, ["at  the  end", "1,511,770", "3,474,832", "88,233", "-", "5,074,835"])
    accounts.canvas.setFont("Helvetica", 9)
    for number, (label, *amounts) in enumerate(rows):
        left = 54.0
        for word in label.split():
            accounts.canvas.drawString(left, HEIGHT - 120 - 14 * number, word)
            left += accounts.canvas.stringWidth(word) + 0.36 * 9
        for amount, right in zip(amounts, (250, 320, 390, 460, 530), strict=True):
            accounts.canvas.drawRightString(right, HEIGHT - 120 - 14 * number, amount)
    net = ["Net book value, at the end", "1,511,770", "3,474,832", "88,233", "-", "5,074,835"]
    assert only_table(accounts.read())["cells"] == [FIVE[0], net, *FIVE[1:]]


def test_a_label_that_names_the_rows_below_is_no_part_of_the_first(accounts: Accounts) -> None:
    amounts = ["1", "2", "3", "4", "5"]
    groups = ("Major field", "Highest degree that had been earned by 2003")
    labels = ["Total", groups[0], "Law, history or languages", groups[1], "Master", "Doctor"]
    for number, label in enumerate(labels):
        row = [label, *([""] * 5 if label in groups else amounts)]
        columns_of_five(accounts, [row], 120 + 11 * number, left=54 if label in (*groups, "Total") else 64)
    assert [row[0] for row in only_table(accounts.read())["cells"]] == labels


def test_justified_text_with_numbers_below_a_table_is_none_of_its_rows(accounts: Accounts) -> None:
    columns_of_five(accounts, FIVE, 120)
    accounts.canvas.setFont("Helvetica", 9)
    first = "In 2007, only one of the four that wrote found any of them at"
    for number, text in enumerate((first, "all (2.4%). Data from 2007 are what was seen in years before.")):
        left = 54.0
        for word in text.split():
            accounts.canvas.drawString(left, HEIGHT - 170 - 12 * number, word)
            left += accounts.canvas.stringWidth(word) + 0.37 * 9
    assert only_table(accounts.read())["cells"] == FIVE
