"""Over HTTP: earlier versions, explained searches, contexts as the command line has them, jobs that go on."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import httpx
import pikepdf
import psycopg
import pytest
from command_line import CommandLine
from sheets import SHEETS, write_sheets
from web_tools import served

import ragraph

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from ragraph import Store

ACT = "dl_act"
FIRST = "# Act\n\n## Tolls\n\nOne coin is taken at the bridge.\n\n| a | b |\n|---|---|\n| one | coin |\n"
SECOND = "# Act\n\n## Fees\n\nTwo coins are taken at the bridge.\n"


@pytest.fixture(scope="module")
def store(make_shared_database: Callable[[], str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    folder = tmp_path_factory.mktemp("versions")
    with pytest.MonkeyPatch.context() as patch, ragraph.open(make_shared_database()) as opened:
        patch.setenv("RAGRAPH_ASSETS", str(folder / "assets"))
        opened.keep_versions()
        for text in (FIRST, SECOND):
            (folder / "act.md").write_text(text)
            assert opened.ingest(folder / "act.md", document_id=ACT).ok
        assert opened.ingest(b"# Letter\n\nOne coin of a letter.\n", name="letter.md", document_id="dl_letter").ok
        yield opened


@pytest.fixture(scope="module")
def client(store: Store) -> Iterator[httpx.Client]:
    with served(store) as url, httpx.Client(base_url=url, timeout=60) as opened:
        yield opened


def get(client: httpx.Client, path: str, **query: Any) -> Any:
    answer = client.get(path, params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_an_earlier_version_is_read_as_python_reads_it(client: httpx.Client, store: Store) -> None:
    with store.as_of(ACT, 1) as then:
        words = next(node for node in then.nodes(ACT) if "One coin" in node.content)
        python = {
            "": then.document(ACT).to_json(),
            "/outline": [entry.to_json() for entry in then.toc(ACT)],
            "/nodes": [node.to_json() for node in then.nodes(ACT)],
            f"/nodes/{words.id}": words.to_json(),
            "/tables": [table.to_json() for table in then.tables(ACT)],
            "/relations": [relation.to_json() for relation in then.relations(ACT)],
        }
        text = then.render(ACT)
        hits = [hit.node_id for hit in then.search("coin bridge", mode="text", document=ACT)]
    for path, expected in python.items():
        assert get(client, f"/api/documents/{ACT}{path}", as_of="1") == expected, path
    assert get(client, f"/api/documents/{ACT}/text", as_of="1")["text"] == text
    assert "One coin" in text
    assert "Two coins" in get(client, f"/api/documents/{ACT}/text")["text"]
    assert client.get(f"/api/documents/{ACT}/original", params={"as_of": "1"}).text == FIRST
    cited = get(client, f"/api/documents/{ACT}/nodes/{words.id}/citation", as_of="1", quote="One coin")
    assert cited["citation"]["excerpt"] == "One coin"
    for place in ("search", "search/sections", "context"):
        found = get(client, f"/api/{place}", q="coin bridge", mode="text", document=ACT, as_of="1")
        assert "One coin" in str(found)
        assert "Two coins" not in str(found)
    found = get(client, "/api/search", q="coin bridge", mode="text", document=ACT, as_of="1")
    assert [hit["node_id"] for hit in found] == hits


def test_a_version_of_nothing_is_told(client: httpx.Client) -> None:
    for path, query, status, said in (
        ("/api/search", {"q": "coin"}, 422, "as_of needs one document"),
        ("/api/context", {"q": "coin", "document": [ACT, "dl_letter"]}, 422, "as_of needs one document"),
        ("/api/search", {"q": "coin", "document": ACT, "as_of": "9"}, 404, "version 9"),
        (f"/api/documents/{ACT}/text", {"as_of": "9"}, 404, "version 9"),
        (f"/api/documents/{ACT}/text", {"as_of": "soon"}, 422, "soon"),
        ("/api/documents/nope/text", {}, 404, "nope"),
    ):
        answer = client.get(path, params={"as_of": "1", **query})
        assert answer.status_code == status, answer.text
        assert said in answer.json()["message"]


def test_a_search_tells_its_steps(client: httpx.Client, store: Store) -> None:
    found = get(client, "/api/search", q="coin", mode="text", explain=True)
    assert [hit["node_id"] for hit in found["hits"]] == [hit.node_id for hit in store.search("coin", mode="text")]
    assert {"part", "way", "ms"} <= set(found["steps"][0])


def test_contexts_have_the_options_of_the_command_line(client: httpx.Client, store: Store) -> None:
    context = get(client, "/api/context", q="coin", explain=True, per_document=1)
    assert context == store.context("coin", explain=True, per_document=1).to_json()
    assert len(context["documents"]) == 2
    for strategy in ("none", "section"):
        there = get(client, "/api/context", q="coin", expand=strategy, k=1, mode="text", tuned=False)
        assert there["strategy"] == strategy
        assert there["text"] == str(store.context("coin", strategy=strategy, k=1, mode="text", tuned=False))
    assert client.get("/api/context", params={"q": "coin", "expand": "all"}).status_code == 422


def test_furniture_is_left_out_unless_asked_for(client: httpx.Client, store: Store) -> None:
    page = b"<html><body><header><p>Running words</p></header><main><h1>T</h1><p>The text.</p></main></body></html>"
    store.ingest(page, name="page.html", document_id="dl_page", model=None)
    with_it = store.render("dl_page", furniture=True)
    assert "Running words" in with_it
    assert get(client, "/api/documents/dl_page/text", furniture=True)["text"] == with_it
    assert "Running words" not in get(client, "/api/documents/dl_page/text")["text"]


def test_a_cancelled_job_goes_on(own_library: Store, tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.md").write_text(f"# Bridge {number}\n\nA toll.\n")
    own_library.ingest(tmp_path, model=None, job=True)
    job = own_library.jobs()[0].id
    with own_library.database.write() as connection:
        connection.execute("UPDATE ragraph.ingest_job SET status = 'running', heartbeat_at = now() - interval '1 day'")
        connection.execute("UPDATE ragraph.ingest_file SET status = 'pending' WHERE name LIKE '%2.md'")
    assert own_library.cancel_job(job).status == "cancelled"
    (last,) = own_library.documents(filter={"title": "Bridge 2"})
    own_library.delete(last.id)
    with served(own_library, write=True) as url, httpx.Client(base_url=url, timeout=60) as client:
        assert client.post(f"/api/jobs/{job}/resume").status_code == 202
        end = time.monotonic() + 60
        while get(client, f"/api/jobs/{job}")["status"] != "completed":
            assert time.monotonic() < end
            time.sleep(0.05)
        assert own_library.documents(filter={"title": "Bridge 2"})
        assert client.post(f"/api/jobs/{job}/resume").json()["status"] == "completed"
        assert client.post("/api/jobs/nope/resume").status_code == 404


def test_pages_are_read_as_the_command_line_reads_them(client: httpx.Client, store: Store, tmp_path: Path) -> None:
    write_sheets(tmp_path / "bridges.pdf")
    assert store.ingest(tmp_path / "bridges.pdf", document_id=SHEETS, model=None).ok
    both = get(client, f"/api/documents/{SHEETS}/pages/1-2")
    assert both == [node.to_json() for node in store.page(SHEETS, (1, 2))]
    labels = [page.page_logical for page in store.pages(SHEETS) if page.page_logical]
    for label in labels[:2]:
        printed = get(client, f"/api/documents/{SHEETS}/pages/{label}", logical=True)
        assert printed == [node.to_json() for node in store.page(SHEETS, label)]
    answer = client.get(f"/api/documents/{SHEETS}/pages/2-1")
    assert (answer.status_code, answer.json()["message"]) == (422, "page: 2 comes after 1; put the first one first")
    assert client.get(f"/api/documents/{SHEETS}/pages/800-900").status_code == 404
    assert get(client, f"/api/documents/{SHEETS}/nodes", page="1-2") == both


def test_an_earlier_version_is_refused_on_a_cluster(own_library: Store) -> None:
    own_library.keep_versions()
    assert own_library.ingest(FIRST.encode(), name="act.md", document_id=ACT, model=None).ok
    with psycopg.connect(own_library.database.url, autocommit=True) as connection:
        connection.execute("ALTER FUNCTION ragraph_private.is_distributed() RENAME TO is_really_distributed")
        connection.execute("CREATE FUNCTION ragraph_private.is_distributed() RETURNS boolean RETURN true")
    with served(own_library) as url:
        answer = httpx.get(f"{url}/api/documents/{ACT}/nodes", params={"as_of": "1"}, timeout=60)
    assert (answer.status_code, answer.json()["error"]) == (422, "ArgumentError")
    assert "a store on a cluster cannot be read as of a version" in answer.json()["message"]


def test_a_page_that_is_labelled_as_a_range_looks_is_that_page(
    store: Store,
    client: httpx.Client,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_sheets(tmp_path / "chapters.pdf")
    with pikepdf.open(tmp_path / "chapters.pdf", allow_overwriting_input=True) as pdf:
        pdf.Root.PageLabels = pikepdf.Dictionary(Nums=[0, pikepdf.Dictionary(S=pikepdf.Name.D, P="1-")])
        pdf.save()
    assert store.ingest(tmp_path / "chapters.pdf", document_id="dl_chapters", model=None).ok
    third = [node.to_json() for node in store.page("dl_chapters", "1-3")]
    assert third == [node.to_json() for node in store.page("dl_chapters", 3)]
    assert get(client, "/api/documents/dl_chapters/pages/1-3") == third
    assert get(client, "/api/documents/dl_chapters/nodes", page="1-3") == third
    assert get(client, "/api/documents/dl_chapters/tables", page="1-3") == []
    assert len(get(client, "/api/documents/dl_chapters/pages/2-3")) > len(third)
    run = CommandLine(store.database.url, monkeypatch, capsys)
    assert json.loads(run("page", "dl_chapters", "1-3", "--json").out) == third
    assert run("page", "dl_chapters", "3-2").code == 2


def test_a_citation_of_an_earlier_version_tells_what_became_of_it(client: httpx.Client, store: Store) -> None:
    with store.as_of(ACT, 1) as then:
        node = next(node.id for node in then.nodes(ACT) if "One coin" in node.content)
    told = get(client, f"/api/documents/{ACT}/nodes/{node}/citation/state", version="1", quote="One coin")
    assert told == store.citation_state(ACT, node, 1, "One coin").to_json()
    assert told["state"] in ("moved", "gone")
