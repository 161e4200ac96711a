"""How likely a page or a table was read wrong: from 0 to 1, more where something is wrong, and told everywhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import psycopg
import pytest
from command_line import CommandLine
from drawn_letters import row, write_letters
from reportlab.pdfgen.canvas import Canvas
from test_reader_pdf import Sheet, words

import ragraph
from bench.doubts import learning
from ragraph.base.defaults import LIKELY
from ragraph.errors import ArgumentError
from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.pdf import PdfReader
from ragraph.ingest.readers.pdf.reader import named_worst
from ragraph.pdf.doubts import weighing
from ragraph.pdf.doubts.signs import PAGE, TABLE, table_signs_of
from ragraph.pdf.model import Block, Grid, Kind, Line, Page, Word, font_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.ingest.draft import Draft

ROWS = [("Mill", "Wheels", "Output"), ("Upper", "2", "310"), ("Lower", "3", "425"), ("Old", "1", "96")]


def _read(path: Path) -> Draft:
    return PdfReader().read(path, ReadOptions(layout="rules"))


def _page(path: Path, rows: Sequence[tuple[str, ...]]) -> Draft:
    """Write a page with a paragraph and a table, and read it."""
    canvas = Canvas(str(path), pagesize=(612, 792))
    canvas.setFont("Helvetica", 10)
    for line in range(6):
        canvas.drawString(72, 700 - 13 * line, f"The wheels of mill {line} turn by the water of the river below it.")
    for place, cells in enumerate(rows):
        for column, cell in enumerate(cells):
            canvas.drawString(72 + 120 * column, 560 - 15 * place, cell)
    canvas.showPage()
    canvas.save()
    return _read(path)


def _grid(cells: Sequence[tuple[str, ...]], doubts: list[tuple[int, int]]) -> Block:
    font = font_of("Helvetica")
    grid = Grid(len(cells), [0.0, 100.0, 200.0, 300.0], header_rows=1, doubts=doubts)
    for place, texts in enumerate(cells):
        for column, text in enumerate(texts):
            left, top = 100.0 * column, 15.0 * place
            grid.words[place, column] = [Word(left, top, left + 50, top + 10, text, font)]
    return Block(1, [], Kind.TABLE, grid=grid)


def test_every_page_and_table_has_a_probability_and_every_node_carries_it(tmp_path: Path) -> None:
    draft = _page(tmp_path / "mills.pdf", ROWS)
    (page,) = draft.pages
    assert page.doubt is not None
    assert 0 <= page.doubt <= 1
    table = next(node for node in draft.nodes if node.type == "TABLE")
    assert 0 <= table.data["fault"] <= 1
    assert {node.data["fault"] for node in draft.nodes if node.type != "TABLE"} == {page.doubt}


def test_a_value_under_another_column_makes_a_table_likelier_wrong() -> None:
    weights = weighing.read_weights()["table"]
    sound, faulty = _grid(ROWS, []), _grid(ROWS, [(2, 1)])
    assert weights.probability(table_signs_of(faulty)) > weights.probability(table_signs_of(sound))


@pytest.mark.parametrize("names", [("unknown", "restored"), ("doubted",), ("near headings",), ("unsure",)])
def test_a_sign_of_a_fault_never_makes_a_page_less_likely_wrong(names: tuple[str, ...]) -> None:
    weights = weighing.read_weights()["page"]
    for name in names:
        assert weights.weight[PAGE.index(name)] >= 0, name


def test_a_page_of_unknown_letters_is_likelier_wrong_than_its_sound_twin(tmp_path: Path) -> None:
    letters = [*row("The arches of", 300, 400), *row("the five bridges", 300, 380)]
    sound = _read(write_letters(tmp_path / "sound.pdf", letters)).pages[0].doubt
    letters = [*row("The arches of", 300, 400), *row("the \ufffdive bridges", 300, 380)]
    faulty = _read(write_letters(tmp_path / "unknown.pdf", letters)).pages[0].doubt
    assert sound is not None
    assert faulty is not None
    assert faulty >= weighing.KNOWN > sound


def test_a_page_that_is_an_image_left_unread_is_surely_wrong_and_an_empty_one_is_not(tmp_path: Path) -> None:
    from PIL import Image
    from reportlab.lib.utils import ImageReader

    path = tmp_path / "mixed.pdf"
    canvas = Canvas(str(path), pagesize=(612, 792))
    canvas.drawString(72, 700, "The first page has text, the second is a picture, and the third is empty.")
    canvas.showPage()
    canvas.drawImage(ImageReader(Image.new("RGB", (60, 80), (90, 90, 90))), 0, 0, 612, 792)
    canvas.showPage()
    canvas.showPage()
    canvas.save()
    draft = PdfReader().read(path, ReadOptions(layout="rules", ocr=False))
    assert [page.doubt for page in draft.pages][1:] == [1.0, 0.0]
    assert any(line.endswith("left unread, as asked for: 2") for line in draft.warnings)


def test_weights_are_those_that_the_measured_pages_teach() -> None:
    stored = json.loads((Path(weighing.__file__).parent / "weights.json").read_text(encoding="utf-8"))
    learnt = json.loads(learning.weights_of(learning.rows()))
    for of, names in (("page", PAGE), ("table", TABLE)):
        assert tuple(stored[of]["names"]) == names
        for key in ("mean", "scale", "weight", "bias"):
            assert stored[of][key] == pytest.approx(learnt[of][key], abs=2e-3)


def test_a_file_is_judged_by_other_files_alone() -> None:
    rows = [learning.Row("page", "golden", f"{place % 20}.pdf", 1, place % 3 == 0, [float(place % 3 == 0), 1.0])
            for place in range(60)]  # fmt: skip
    seen: list[tuple[set[str], set[str]]] = []

    def learn(found: Sequence[learning.Row]) -> learning.Fitted:
        seen.append(({row.file for row in rows} - {row.file for row in found}, {row.file for row in found}))
        return learning.fitted(found)

    odds = learning.unseen(rows, learn, 5)
    assert all(left and not left & used for left, used in seen)
    assert learning.auc(np.array([row.fault for row in rows]), odds) == 1.0


def test_the_worst_pages_are_named_and_no_more_than_a_handful() -> None:
    line = Line([Word(72, 90, 100, 100, "text", font_of("Helvetica"))])
    pages = [Page(number, 612, 792, lines=[line], doubt=round(0.7 + 0.03 * number, 2)) for number in range(1, 11)]
    pages.append(Page(11, 612, 792, doubt=1.0))  # left unread, as another warning says
    assert named_worst(pages) == "10 (1.00), 9 (0.97), 8 (0.94), 7 (0.91), 6 (0.88) and 2 more"
    assert named_worst(pages[:3]) == ""


def test_it_is_stored_searched_and_told(
    tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sheet = Sheet()
    for number in range(1, 3):
        sheet.line(f"{number} Of mills", 90, font="Times-Bold", size=16)
        sheet.paragraph(words(60, number), 120)
        sheet.page()
    sheet.page()
    path = sheet.save(tmp_path / "mills.pdf")
    with ragraph.open(database_url) as store:
        (file,) = store.ingest(path, model=None).files
        assert file.reason is None
        document = file.document_id
        assert document
        pages = store.pages(document)
        doubts = [page.doubt for page in pages]
        assert all(doubt is not None and 0 <= doubt < LIKELY for doubt in doubts)
        assert store.ingest(path, model=None).files[0].status == "unchanged"
        with psycopg.connect(database_url, autocommit=True) as connection:
            connection.execute("UPDATE ragraph.document_page SET doubt = 0.95 WHERE page_pdf = 2")
            connection.execute("UPDATE ragraph.document_page SET doubt = 1 WHERE page_pdf = 3")  # it has no nodes
            connection.execute(
                "UPDATE ragraph.content_node SET data = data || '{\"fault\": 0.95}' WHERE first_page = 2"
            )
        found = store.search("mills", mode="text", document=document)
        assert {hit.citation.pages[0] for hit in found} == {1, 2}
        kept = store.search("mills", mode="text", document=document, max_fault=0.9)
        assert {hit.citation.pages[0] for hit in kept} == {1}
        for wrong in (1.5, -0.1, "much"):
            with pytest.raises(ArgumentError, match="max_fault"):
                store.search("mills", mode="text", max_fault=wrong)  # type: ignore[arg-type]
        told = {finding.what: finding for finding in store.doctor()}["pages"]
        assert told.ok
        assert len(pages) == 3
        assert f"{document} page 2 (0.95)" in told.detail
        assert "page 3" not in told.detail
    run = CommandLine(database_url, monkeypatch, capsys)
    assert "page 2 (0.95)" in run("doctor").out.replace("\n", " ")
    ended = run("explain", str(path), "--page", "1")
    assert f"Likely read wrong: this page {doubts[0]:.2f}; the worst pages: none" in ended.out
