"""One rule for the page that somebody names, and one label for the page that somebody reads, in every interface."""

from __future__ import annotations

import asyncio
import io
import json
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from command_line import CommandLine
from reportlab.pdfgen.canvas import Canvas
from web_tools import served

import ragraph
from ragraph.errors import PageNotFoundError
from ragraph.retrieval.pages import page_named
from ragraph.schema.pictures import Page
from ragraph.tools.toolbox import reading_tools

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

REPORT = "dl_report"
LABEL = "p. 3 (2)"


@pytest.fixture(scope="module")
def url(make_shared_database: Callable[[], str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield a store with a report of four pages, the last one empty, that are printed 2 to 5."""
    path = tmp_path_factory.mktemp("printed") / "report.pdf"
    drawn = io.BytesIO()
    canvas = Canvas(drawn, pagesize=(420, 595))
    canvas.addPageLabel(0, style="ARABIC", start=2)
    for words in ("ferries", "weirs", "locks", ""):
        canvas.setFont("Helvetica", 11)
        if words:
            canvas.drawString(50, 500, f"All that is known of {words} is written on this page of the book.")
        canvas.showPage()
    canvas.save()
    path.write_bytes(drawn.getvalue())
    made = make_shared_database()
    with ragraph.open(made) as store:
        assert store.ingest(path, document_id=REPORT).ok
    yield made


@pytest.fixture
def store(url: str) -> Iterator[ragraph.Store]:
    with ragraph.open(url) as opened:
        yield opened


@pytest.fixture
def command(url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(url, monkeypatch, capsys)


def texts(nodes: Any) -> str:
    return " ".join(node["content"] if isinstance(node, dict) else node.content for node in nodes)


def test_a_number_is_a_page_of_the_file_and_text_is_what_is_printed(store: ragraph.Store) -> None:
    assert "weirs" in texts(store.page(REPORT, 2))
    assert "ferries" in texts(store.page(REPORT, "2"))
    with pytest.raises(PageNotFoundError, match="its pages are 1 to 4, and page 4 is printed '5'"):
        store.page(REPORT, 5)
    with pytest.raises(PageNotFoundError, match="its pages are 1 to 4, printed 2 to 5"):
        store.page(REPORT, "1")


@pytest.mark.parametrize("page", [99, 0, "xii", (50, 60), (50, None)])
def test_a_page_that_is_not_there_is_an_error_and_an_empty_page_is_not(store: ragraph.Store, page: Any) -> None:
    for read in (store.page, lambda document, page: store.nodes(document, page=page)):
        with pytest.raises(PageNotFoundError):
            read(REPORT, page)
    with pytest.raises(PageNotFoundError):
        store.tables(REPORT, page=page)
    with pytest.raises(PageNotFoundError):
        store.page_image(REPORT, 99)
    assert store.page(REPORT, 4) == store.page(REPORT, "5") == store.nodes(REPORT, page=(4, 9)) == []
    assert store.tables(REPORT, page=4) == []


def test_pages_that_are_not_there_are_errors_when_awaited(url: str) -> None:
    async def read() -> None:
        async with ragraph.aopen(url) as store:
            with pytest.raises(PageNotFoundError):
                await store.page(REPORT, 99)

    asyncio.run(read())


def test_commands_show_one_label_and_read_the_page_that_was_named(command: CommandLine) -> None:
    found = command("search", "weirs", "--mode", "text", "-k", "1")
    assert LABEL in found.out
    node = json.loads(command("search", "weirs", "--mode", "text", "-k", "1", "--json").out)[0]["node_id"]
    cited = command("cite", REPORT, node)
    assert LABEL in cited.out
    assert "p. 3)" in cited.out  # a citation in a style has the printed page alone
    assert LABEL in command("ask", "what is known of weirs?", "--mode", "text").out
    assert LABEL in command("search", "weirs", "--mode", "text", "--expand", "auto").out

    for arguments in (("2",), ("3", "-l"), (LABEL,), ("3 (2)",)):
        shown = command("page", REPORT, *arguments)
        assert "weirs" in shown.out, arguments
        assert f"{node} {LABEL}" in shown.out
        assert "p. 2" not in shown.out.replace(LABEL, "")
    noticed = command("page", REPORT, "2").err
    assert noticed == "note: this is page 2 of the file; the page printed '2' is page 1 of the file\n"
    assert command("page", REPORT, "2", "-l").err == ""


def test_a_number_that_is_only_printed_is_taken_as_printed(command: CommandLine) -> None:
    shown = command("page", REPORT, "5")
    assert (shown.code, shown.out, shown.err) == (0, f"Nothing on page 5 of {REPORT}.\n", "")
    gone = command("page", REPORT, "6")
    assert (gone.code, gone.out) == (1, "")
    assert "its pages are 1 to 4, printed 2 to 5" in gone.err


def test_a_model_finds_the_page_that_its_tools_named(store: ragraph.Store) -> None:
    tools = reading_tools(store)

    def call(name: str, **arguments: Any) -> dict[str, Any]:
        body = tools[name].call(arguments).body
        return body.model_dump()

    hit = call("search", query="weirs", k=1)["hits"][0]
    assert hit["source"].endswith(LABEL)
    assert "pp. 2\u20134 (1\u20133)" in call("context", query="weirs")["blocks"][0]["source"]
    for named in ("3", LABEL, "3 (2)"):
        read = call("read_page", document=REPORT, page=named)
        assert (read["page"], read["printed"]) == (2, "3")
        assert hit["node_id"] in [passage["node_id"] for passage in read["passages"]]
    assert call("read_page", document=REPORT, page="3")["notices"] == [
        "the page printed '3' is page 2 of the file; page 3 of the file is another"
    ]
    both = call("read_page", document=REPORT, page=2)
    assert both["page"] == 2
    assert both["notices"] == ["this is page 2 of the file; the page printed '2' is page 1 of the file"]
    assert call("read_page", document=REPORT, page=5)["page"] == 4
    assert call("read_page", document=REPORT, page="1")["page"] == 1


def test_addresses_name_pages_by_the_same_rule(store: ragraph.Store) -> None:
    with served(store) as site, httpx.Client(base_url=site) as client:
        base = f"/api/documents/{REPORT}"
        twice = client.get(f"{base}/pages/2")
        assert "weirs" in texts(twice.json())
        assert "the page printed '2' is page 1 of the file" in twice.headers["ragraph-notices"]
        assert "ferries" in texts(client.get(f"{base}/pages/2?logical=true").json())
        assert "ragraph-notices" not in client.get(f"{base}/pages/1").headers
        assert client.get(f"{base}/pages/5").json() == client.get(f"{base}/nodes?page=5").json() == []
        for path in ("pages/6", "nodes?page=6", "tables?page=6", "pages/9/image"):
            assert (client.get(f"{base}/{path}").status_code, path) == (404, path)
        opened = client.get(f"/documents/{REPORT}?page=5")
        assert opened.status_code == 200
        assert "Page 5 (4 of 4)" in opened.text
        assert client.get(f"/documents/{REPORT}?page=6").status_code == 404
        assert "of the file" not in client.get(f"/documents/{REPORT}?page=2").text  # links name pages of the file


def test_a_notebook_shows_the_same_label(store: ragraph.Store) -> None:
    hit = store.search("weirs", 1, mode="text")[0]
    assert hit.citation.page_label == LABEL
    assert str(hit.citation).endswith(LABEL)
    assert LABEL in hit._repr_html_()


def test_a_page_is_found_by_the_label_of_one_number() -> None:
    pages = [Page(page_pdf=number, page_logical=None, width=1, height=1) for number in (1, 2, 3)]
    assert page_named("dl_x", "p. 3", pages) == 3
    assert page_named("dl_x", "3", pages) == 3
    with pytest.raises(PageNotFoundError, match="1 to 3"):
        page_named("dl_x", "p. 4", pages)
