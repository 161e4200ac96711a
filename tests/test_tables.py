"""Tables of a document as rows, data frames, CSV and HTML; nodes by type and page."""

from __future__ import annotations

import csv
import io
import json
import sys
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from command_line import CommandLine
from ingest_tools import WordModel
from sample_library import BOOK, GUIDE
from web_tools import served

from ragraph.errors import (
    ArgumentError,
    ComponentNotFoundError,
    DocumentNotFoundError,
    IngestError,
    PageNotFoundError,
)

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph import Store

PAGE = """<html><body><h1>Accounts</h1>
<table><caption>Sales by <b>region</b></caption>
<thead><tr><th rowspan="2">Region</th><th colspan="2">2023</th></tr><tr><th>Units</th><th>Price</th></tr></thead>
<tbody><tr><td>North, "upper"</td><td>4</td><td><b>1.50</b></td></tr>
<tr><td>South</td><td colspan="2">none</td></tr></tbody>
</table><h2>Staff</h2><p>Few.</p><table><tr><td>a</td><td>b</td></tr><tr><td>&lt;c&gt;</td></tr></table></body></html>"""


@pytest.fixture
def document(store: Store, tmp_path: Path) -> str:
    (tmp_path / "accounts.html").write_text(PAGE)
    (file,) = store.ingest(tmp_path / "accounts.html", model=WordModel()).files
    assert file.document_id is not None
    return file.document_id


def test_tables_have_heads_spans_and_captions(store: Store, document: str) -> None:
    sales, staff = store.tables(document)
    assert sales.caption == "Sales by **region**"
    assert sales.header_rows == 2
    assert sales.columns == [("Region", "Region"), ("2023", "Units"), ("2023", "Price")]
    assert sales.rows[2] == ['North, "upper"', "4", "1.50"]
    assert staff.caption is None
    assert staff.header_rows == 0
    assert staff.rows == [["a", "b"], ["<c>", ""]]


def test_a_table_is_a_data_frame(store: Store, document: str) -> None:
    sales, staff = store.tables(document)
    frame = sales.to_pandas()
    assert list(frame.columns) == [("Region", "Region"), ("2023", "Units"), ("2023", "Price")]
    assert frame["2023", "Units"].tolist() == ["4", "none"]
    assert staff.to_pandas().values.tolist() == [["a", "b"], ["<c>", ""]]


def test_cells_that_span_others_are_in_each_row_of_a_frame(store: Store) -> None:
    page = b"""<html><body><table><tr><th>Kind</th><th>Rate</th><th>Bonus</th></tr>
    <tr><td>Air</td><td>30 %</td><td rowspan="2">20 %</td></tr><tr><td>Brine</td><td>35 %</td></tr></table>
    </body></html>"""
    (file,) = store.ingest(page, name="rates.html", model=None).files
    assert file.document_id is not None
    (table,) = store.tables(file.document_id)
    assert table.to_pandas()["Bonus"].tolist() == ["20 %", "20 %"]
    assert table.to_csv() == "Kind,Rate,Bonus\nAir,30 %,20 %\nBrine,35 %,\n"


def test_cells_that_span_others_are_the_heads_of_all_of_them(store: Store) -> None:
    cells = [["Region", "2023", ""], ["", "Units", "Price"], ["North", "4", "1.50"]]
    spans = [[0, 0, 2, 1], [0, 1, 1, 2], [9, 9, 1, 1], "none"]
    node = {"key": "t", "type": "TABLE", "text": "Sales", "data": {"cells": cells, "header_rows": 2, "spans": spans}}
    report = store.add({"reader": "own/1", "nodes": [node]}, model=None)
    assert report.document_id is not None
    (table,) = store.tables(report.document_id)
    assert table.spans == [(0, 0, 2, 1), (0, 1, 1, 2)]
    assert table.columns == [("Region", "Region"), ("2023", "Units"), ("2023", "Price")]
    assert '<th rowspan="2">Region</th><th colspan="2">2023</th>' in table.to_html()


def test_a_table_is_csv_and_html(store: Store, document: str) -> None:
    sales, staff = store.tables(document)
    assert list(csv.reader(io.StringIO(sales.to_csv()))) == sales.rows
    assert "<th>Units</th><th>Price</th>" in sales.to_html()
    assert "&lt;c&gt;" in staff.to_html()
    assert sales._repr_html_() == sales.to_html()


def test_without_pandas_its_extra_is_named(store: Store, document: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(IngestError, match=r"^a data frame needs: pip install 'ragraph-store\[ingest\]'$"):
        store.tables(document)[0].to_pandas()


def test_tables_of_a_section(store: Store, document: str) -> None:
    (staff,) = store.tables(document, "Staff")
    assert staff.rows[0] == ["a", "b"]
    with pytest.raises(ComponentNotFoundError):
        store.tables(document, "Nowhere")
    with pytest.raises(DocumentNotFoundError):
        store.tables("dl_none")


def test_nodes_by_type_and_page(library: Store) -> None:
    nodes = library.nodes(GUIDE)
    headings = library.nodes(GUIDE, type="heading")
    assert headings == [node for node in nodes if node.content_node_type == "HEADING"]
    assert headings
    both = library.nodes(GUIDE, type=["HEADING", "TABLE"])
    assert both == [node for node in nodes if node.content_node_type in ("HEADING", "TABLE")]
    with pytest.raises(PageNotFoundError, match="read it by section"):
        library.nodes(BOOK, page=1)
    with pytest.raises(ArgumentError, match="SENTENCE"):
        library.nodes(GUIDE, type="sentence")


def test_the_service_and_the_command_give_the_same(
    own_library: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    expected: list[dict[str, Any]] = [table.to_json() for table in own_library.tables(GUIDE)]
    assert expected
    with served(own_library) as url:
        assert httpx.get(f"{url}/api/documents/{GUIDE}/tables").json() == json.loads(json.dumps(expected))
        answer = httpx.get(f"{url}/api/documents/{GUIDE}/nodes", params={"type": "TABLE"}).json()
        assert [node["id"] for node in answer] == [table["node_id"] for table in expected]
    run = CommandLine(own_library.database.url, monkeypatch, capsys)
    assert json.loads(run("tables", GUIDE, "--json").out) == json.loads(json.dumps(expected))
    assert run("tables", GUIDE, "1").out.strip() == own_library.tables(GUIDE)[0].to_csv().strip()
    assert run("tables", GUIDE, "99").err.startswith("error: there is no table 99")
    assert run("tables", GUIDE).code == 0
    rows = "".join(f"<tr><td>weir {number}</td><td>long words</td></tr>" for number in range(30))
    (file,) = own_library.ingest(f"<p>Weirs.</p><table>{rows}</table>".encode(), name="weirs.html", model=None).files
    listed = run("tables", str(file.document_id)).out
    assert "weir 0 | long words" in listed
    assert "weir 1" not in listed, "the first row names a table without a caption"
