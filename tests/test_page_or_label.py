"""The number of a page is that in the file; a number that the file does not have is a printed one."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from command_line import CommandLine
from reportlab.pdfgen.canvas import Canvas
from web_tools import served

from ragraph.errors import PageNotFoundError
from ragraph.tools.toolbox import reading_tools

if TYPE_CHECKING:
    from ragraph import Store

BOOK = "dl_labelled"


@pytest.fixture
def store(store: Store) -> Store:
    drawn = io.BytesIO()
    canvas = Canvas(drawn, pagesize=(420, 595))
    canvas.addPageLabel(0, style="ARABIC", start=2)
    for words in ("ferries", "weirs", "locks"):
        canvas.drawString(50, 500, f"All that is known of {words} is written on this page of the book.")
        canvas.showPage()
    canvas.save()
    assert store.ingest(drawn.getvalue(), name="book.pdf", document_id=BOOK, model=None).ok
    assert [page.page_logical for page in store.pages(BOOK)] == ["2", "3", "4"]
    return store


BOTH = "this is page 2 of the file; the one on which 2 is printed is page 1 of the file"


def test_tools_read_the_page_that_is_printed_in_citations(store: Store) -> None:
    tools = reading_tools(store)

    def read(page: Any) -> dict[str, Any]:
        return tools["read_page"].call({"document": BOOK, "page": page}).body.model_dump()

    for page in (4, "4"):
        found = read(page)
        assert (found["page"], found["printed"], found["notices"]) == (3, "4", [])
    for page in (2, "2"):
        found = read(page)
        assert (found["page"], found["printed"], found["notices"]) == (2, "3", [BOTH])
    assert read(1)["notices"] == []
    with pytest.raises(PageNotFoundError):
        read(5)


def test_rest_and_pages_read_it_too(store: Store) -> None:
    with served(store) as url, httpx.Client(base_url=url, timeout=60) as client:
        assert "locks" in client.get(f"/api/documents/{BOOK}/pages/4").text
        both = client.get(f"/api/documents/{BOOK}/pages/2")
        assert "weirs" in both.text
        assert "page 1 of the file" in both.headers["Ragraph-Notices"]
        assert client.get(f"/api/documents/{BOOK}/pages/5").status_code == 404
        assert client.get(f"/documents/{BOOK}?page=4").status_code == 200
        shown = client.get(f"/documents/{BOOK}?page=2")
        assert "of the file" not in shown.text


def test_the_command_line_reads_it_too(
    store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = CommandLine(store.database.url, monkeypatch, capsys)
    assert "locks" in run("page", BOOK, "4").out
    both = run("page", BOOK, "2")
    assert "weirs" in both.out
    assert "page 1 of the file" in both.err
