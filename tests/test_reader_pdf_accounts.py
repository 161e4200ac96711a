"""Tables of accounts: amounts with their signs, heads over the columns, grounds of shading; on pages drawn here."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest

from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.pdf import PdfReader
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
