"""What Python users reach for: tables of hits, notebooks, bytes, deletion by filter, comparison, asyncio."""

from __future__ import annotations

import asyncio
import copy
import inspect
import io
import pickle
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from ingest_tools import WordModel
from sample_library import BOOK, GUIDE
from sheets import SHEETS

import ragraph
from ragraph import Store
from ragraph.answers.claims import CitedAnswer
from ragraph.base import content_names
from ragraph.errors import ArgumentError, DocumentNotFoundError, RagraphNotice, StoreClosedError
from ragraph.filters import field
from ragraph.retrieval.context import Switches
from ragraph.retrieval.scope import ScopeOptions
from ragraph.search import SearchOptions
from ragraph.store.async_store import AsyncStore
from ragraph.store.ingest_options import IngestOptions

if TYPE_CHECKING:
    from collections.abc import Callable

PAGE = b"""<html><body><h1>Accounts</h1><table><caption>Sales</caption>
<thead><tr><th rowspan="2">Region</th><th colspan="2">2023</th></tr><tr><th>Units</th><th>Price</th></tr></thead>
<tbody><tr><td>North</td><td>4</td><td>1.50</td></tr></tbody></table><p>Clerks &amp; others.</p></body></html>"""


@pytest.fixture
def accounts(store: Store) -> str:
    report = store.ingest(PAGE, name="accounts.html", model=WordModel())
    assert report.files[0].document_id is not None
    return report.files[0].document_id


def test_a_hit_knows_its_table(store: Store, accounts: str) -> None:
    (hit,) = store.search("North", mode="text", types="TABLE")
    assert hit.table is not None
    assert hit.table.columns == [("Region", "Region"), ("2023", "Units"), ("2023", "Price")]
    assert list(hit.table.to_pandas()["2023", "Price"]) == ["1.50"]
    assert hit.table == store.tables(accounts)[0]
    assert copy.deepcopy(hit).table == hit.table
    assert pickle.loads(pickle.dumps(hit)) == hit
    (text,) = store.search("clerks", mode="text")
    assert text.table is None


def test_a_table_of_an_earlier_version_is_read_within_its_block(store: Store, accounts: str) -> None:
    with store.as_of(accounts, 1) as past:
        (hit,) = past.search("North", mode="text", types="TABLE")
        assert hit.table is not None
    with pytest.raises(StoreClosedError, match="block of as_of has ended"):
        _ = hit.table


def test_results_are_shown_as_html(paged_library: Store, store: Store, accounts: str) -> None:
    hits: Any = paged_library.search("bridge", document=SHEETS, mode="text")
    assert hits
    shown = hits._repr_html_()
    assert shown.count("<li") == len(hits)
    assert "data:image/jpeg;base64," in shown
    assert "border:2px solid" in hits[0]._repr_html_()
    page: Any = paged_library.page(SHEETS, 1)
    assert "data:image/jpeg;base64," in page._repr_html_()
    every: Any = paged_library.pages(SHEETS)
    some: Any = paged_library.page(SHEETS, (1, 2))
    for pages in (every, some):
        assert pages._repr_html_().count("data:image/jpeg;base64,") == min(len(every), 3 if pages is every else 2)
        assert "border:2px solid" in pages._repr_html_()
    # a table goes over pages, and only the one that was asked for is drawn
    places = [{"page_pdf": number, "page_logical": None, "bbox": None} for number in (1, 2)]
    page[0] = replace(page[0], positional_data=places)
    assert page[:1]._repr_html_().count('alt="page') == page[:1]._repr_html_().count('alt="page 1"') == 1
    documents: Any = paged_library.documents()
    assert all(item.id in documents._repr_html_() for item in documents)
    contents: Any = paged_library.toc(BOOK)
    assert contents._repr_html_().count("<tr>") == len(contents) + 1
    assert BOOK in paged_library.document(BOOK)._repr_html_()
    context: Any = store.context("clerks", 200, mode="text")
    assert "Clerks &amp; others." in context._repr_html_()
    assert "of 200 tokens" in context._repr_html_()
    quoted = {
        "document_id": hits[0].document_id,
        "node_id": hits[0].node_id,
        "text": " ".join(hits[0].content.split()[:5]),
    }
    claims = [{"text": "It <crosses> it.", "quotes": [quoted]}]
    answer: Any = CitedAnswer(question="a & b?", claims=claims).verified(paged_library)
    assert "<p>It &lt;crosses&gt; it. [1]</p>" in answer._repr_html_()
    assert "a &amp; b?" in answer._repr_html_()
    assert answer._repr_html_().count("<li>") == 1
    tables: Any = store.tables(accounts)
    assert '<th colspan="2">2023</th>' in tables._repr_html_()
    text: Any = store.search("clerks", mode="text")
    assert "Clerks &amp; others." in text._repr_html_()
    assert "2023" in store.search("North", mode="text", types="TABLE")[0]._repr_html_()
    assert paged_library.page_image(SHEETS, 1)._repr_mimebundle_().keys() == {"image/jpeg"}


def test_slices_and_parts_of_results_are_shown_too(paged_library: Store) -> None:
    hits: Any = paged_library.search("bridge", document=SHEETS, mode="text")
    assert hits[:1]._repr_html_().count("<li") == 1
    assert hits[0] in hits[:1]
    explained: Any = paged_library.search("bridge", document=SHEETS, mode="text", explain=True)
    assert explained[:1].steps == explained.steps
    page: Any = paged_library.page(SHEETS, 1)
    assert "data:image/jpeg;base64," in page[:1]._repr_html_()
    assert page[0].id in page[0]._repr_html_()
    for found in (paged_library.documents(), paged_library.toc(BOOK), paged_library.tables(BOOK)):
        assert type(found[:1]) is type(found)
    sections: Any = paged_library.search_sections("bridge", mode="text")
    assert sections[0].hits[0].content[:20] in sections[:1]._repr_html_() == sections[0]._repr_html_()
    assert str(hits[0].citation) in hits[0].citation._repr_html_()


def test_results_are_shown_after_their_store_was_closed(paged_library_url: str, store: Store, accounts: str) -> None:
    """Without the pictures and tables, which only an open store has."""
    with ragraph.open(paged_library_url) as closed:
        found: list[Any] = [closed.search("bridge", document=SHEETS, mode="text"), closed.page(SHEETS, 1)]
    with ragraph.open(store.database.url) as closed:
        tables: Any = closed.search("North", mode="text", types="TABLE")
    for results in [*found, tables]:
        assert results[0].content[:20] in results._repr_html_()
        assert results[0].content[:20] in results[0]._repr_html_()
    with pytest.raises(StoreClosedError):
        _ = tables[0].table
    gone: Any = store.search("North", mode="text", types="TABLE")
    store.delete(accounts)
    assert "North" in gone._repr_html_()
    with pytest.raises(DocumentNotFoundError):
        _ = gone[0].table


def test_a_notebook_shows_passages_on_their_pages(paged_library_url: str) -> None:
    import nbformat
    from nbclient import NotebookClient

    cells = [
        f"import ragraph\nstore = ragraph.open({paged_library_url!r})",
        f"store.search('bridge', document={SHEETS!r}, mode='text')",
        f"store.document({SHEETS!r})",
        f"store.toc({SHEETS!r})",
        f"store.page({SHEETS!r}, 1)",
        f"store.page_image({SHEETS!r}, 1)",
        "store.close()",
    ]
    made: Any = nbformat.v4
    notebook = made.new_notebook(cells=[made.new_code_cell(cell) for cell in cells])
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    outputs = [cell["outputs"][0]["data"] for cell in notebook.cells[1:-1]]
    assert [("text/html" in shown, "image/jpeg" in shown) for shown in outputs] == [
        *[(True, False)] * 4,
        (False, True),
    ]
    assert "data:image/jpeg" in outputs[0]["text/html"]


def test_bytes_and_file_objects_are_ingested(store: Store, tmp_path: Path) -> None:
    (first,) = store.ingest(PAGE, name="accounts.html", model=None).files
    assert (first.status, first.path) == ("added", "accounts.html")
    (tmp_path / "accounts.html").write_bytes(PAGE)
    with (tmp_path / "accounts.html").open("rb") as file:
        (again,) = store.ingest(file, model=None).files
    assert (again.status, again.document_id) == ("unchanged", first.document_id)
    report = store.ingest([io.BytesIO(b"# Notes\n\nOne."), tmp_path / "accounts.html"], name="notes.md", model=None)
    assert [file.status for file in report.files] == ["added", "duplicate"]
    assert report.files[0].path == "notes.md"


def test_content_of_the_same_name_is_the_same_document(store: Store, tmp_path: Path) -> None:
    """Its place is its name: not the folder of a copy, which is gone afterwards."""
    (first,) = store.ingest(PAGE, name="accounts of 2023.html", model=None).files
    (document,) = store.documents()
    assert (document.title, document.source_uri) == ("Accounts", "upload:///accounts%20of%202023.html")
    (again,) = store.ingest(PAGE.replace(b"Clerks", b"Scribes"), name="accounts of 2023.html", model=None).files
    assert (again.status, again.document_id) == ("changed", first.document_id)
    (other,) = store.ingest(b"Only words", name="a b.txt", model=None).files
    assert store.document(str(other.document_id)).document.title == "a b.txt"
    packed = tmp_path / "packed.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("inner.md", "# Inside\n\nText.\n")
    content = packed.read_bytes()
    assert [file.status for file in store.ingest(content, name="packed.zip", model=None).files] == ["added"]
    assert [file.status for file in store.ingest(content, name="packed.zip", model=None).files] == ["unchanged"]
    assert "zip://inner.md::upload:///packed.zip" in {one.source_uri for one in store.documents()}


def test_content_of_the_same_name_in_two_folders_is_two_documents(store: Store) -> None:
    for folder in ("a", "/b", "b/c"):
        (file,) = store.ingest(f"# Page {folder}\n\nText.".encode(), name=f"{folder}/index.md", model=None).files
        assert (file.status, file.path) == ("added", f"{folder.lstrip('/')}/index.md")
    places = {"upload:///a/index.md", "upload:///b/index.md", "upload:///b/c/index.md"}
    assert {one.source_uri for one in store.documents()} == places


def test_a_name_is_never_the_place_of_another_file(store: Store, tmp_path: Path) -> None:
    (tmp_path / "contract.txt").write_text("The notice period is a month.")
    (own,) = store.ingest(tmp_path / "contract.txt", model=None).files
    address = quote((tmp_path / "contract.txt").as_uri(), safe="")
    for name in (f"address:{address}", f"_{address}", f"ragraph-download-a/_{address}", f"ragraph-upload-a/_{address}"):
        (file,) = store.ingest(f"The notice period is a day, {name}.".encode(), name=f"{name}/c.txt", model=None).files
        assert (file.status, file.document_id != own.document_id) == ("added", True), name
        assert str(store.document(str(file.document_id)).document.source_uri).startswith("upload:///")


@pytest.mark.parametrize("address", ["http://h/a.html?x=1", f"https://h/{'x' * 401}..", "http://h:80/ü b", "http://h"])
def test_a_fetched_file_has_its_address_as_place(address: str) -> None:
    copied = Path("/tmp/ragraph-download-a") / content_names.folders_of(address) / "page.html"
    assert content_names.stable(copied.as_uri()) == address


def test_a_file_object_that_fails_is_refused(store: Store) -> None:
    class Lost(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise OSError("the line is cut")

    with pytest.raises(ArgumentError, match="cannot be read: the line is cut"):
        store.ingest(Lost(), name="a.md", model=None)
    assert store.documents() == []


@pytest.mark.parametrize(
    ("given", "options", "said"),
    [
        (PAGE, {}, "bytes without a file name"),
        (PAGE, {"name": "a/.."}, "bytes without a file name"),
        (PAGE, {"name": "a/" * 3000 + "a.html"}, "more than 32 folders"),
        (io.StringIO("text"), {"name": "a.txt"}, "open for text"),
        (PAGE, {"name": "a.html", "job": True}, "a job records files"),
        ("a.html", {"name": "b.html"}, "name is for bytes"),
        (5, {}, "paths takes a path, bytes, a file object"),
        (PAGE, {"name": "a" * 300 + ".md"}, "more than 255 bytes"),
        ([b"# P\n\nalpha", b"# Q\n\nbeta"], {"name": "multi.md"}, "several contents are called 'multi.md'"),
    ],
)
def test_content_that_cannot_be_ingested(store: Store, given: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises(ArgumentError, match=said):
        store.ingest(given, **options)

    assert store.documents() == []


def test_file_objects_that_cannot_be_ingested(store: Store, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "readme.md").write_text(f"# {name}\n\nText.\n")
    with (tmp_path / "one" / "readme.md").open("rb") as one, (tmp_path / "two" / "readme.md").open("rb") as two:
        with pytest.raises(ArgumentError, match=r"several contents are called 'readme\.md'.*paths"):
            store.ingest([one, two], model=None)
        assert store.documents() == []
    with pytest.raises(ArgumentError, match=r"cannot be read: .*closed"):
        store.ingest(one, model=None)
    with (tmp_path / "new.md").open("wb") as file, pytest.raises(ArgumentError, match="cannot be read"):
        store.ingest(file, model=None)


def test_documents_are_deleted_by_filter_and_collection(store: Store) -> None:
    names = {}
    for name, collection in (("a", "one"), ("b", "one"), ("c", "two")):
        text = f"# Text {name}\n\nWords.".encode()
        (file,) = store.ingest(text, name=f"{name}.md", collection=collection, model=None).files
        names[name] = str(file.document_id)
    with pytest.raises(ArgumentError, match="needs a document, a filter or a collection"):
        store.delete()
    with pytest.raises(DocumentNotFoundError):
        store.delete([names["a"], "dl_none"])
    with pytest.raises(ArgumentError, match="every document passes"):
        store.delete(filter={"$and": [{}]})
    assert len(store.documents()) == 3
    assert store.delete(filter=field("title") == "Text a") == [names["a"]]
    assert store.delete([names["b"], names["c"]], collection="two") == [names["c"]]
    assert store.delete(names["b"]) == [names["b"]]
    assert store.documents() == []


def test_two_documents_are_compared(store: Store) -> None:
    ids: list[str] = []
    for text in ("# Act\n\nFirst rule.\n\nSecond rule.\n", "# Act\n\nFirst rule.\n\nAnother rule.\n\nThird rule.\n"):
        (file,) = store.ingest(text.encode(), name=f"act{len(ids)}.md", model=None).files
        ids.append(str(file.document_id))
    changes = store.compare(*ids)
    assert [(item.change, item.before, item.after) for item in changes] == [
        ("changed", "Second rule.", "Another rule."),
        ("added", None, "Third rule."),
    ]
    assert all(store.node(ids[1], item.node_id).content == item.after for item in changes)
    back = store.compare(ids[1], ids[0])
    assert [item.change for item in back] == ["changed", "removed"]
    assert store.node(ids[1], back[1].node_id).content == "Third rule."
    assert store.compare(ids[0], ids[0]) == []
    with pytest.raises(DocumentNotFoundError):
        store.compare(ids[0], "dl_none")


def test_options_are_typed() -> None:
    def untyped(method: Callable[..., Any]) -> list[str]:
        return [
            name
            for name, parameter in inspect.signature(method).parameters.items()
            if parameter.kind is parameter.VAR_KEYWORD and parameter.annotation == "Any"
        ]

    methods = inspect.getmembers(ragraph.Store, inspect.isfunction)
    assert {name: found for name, method in methods if (found := untyped(method)) and name[0] != "_"} == {}


def test_signatures_name_the_options() -> None:
    methods = inspect.getmembers(ragraph.Store, inspect.isfunction)
    signatures = {name: inspect.signature(method).parameters for name, method in methods if name[0] != "_"}
    assert not [name for name, of in signatures.items() if any(one.kind is one.VAR_KEYWORD for one in of.values())]
    assert signatures["search"].keys() > ScopeOptions.__annotations__.keys()
    assert signatures["context"].keys() > SearchOptions.__annotations__.keys()
    assert signatures["expand"].keys() > Switches.__annotations__.keys()
    assert signatures["ingest"].keys() > IngestOptions.__annotations__.keys()
    ingest = str(inspect.signature(ragraph.Store.ingest))
    assert "Ellipsis" not in ingest
    assert "Any" not in ingest
    assert "document: 'str | Sequence[str] | None' = ..." in str(inspect.signature(ragraph.Store.search))


def test_a_warning_points_to_the_line_of_the_caller(library_url: str) -> None:
    with ragraph.open(library_url) as store, pytest.warns(RagraphNotice) as told:
        store.search("price", mode="text", collection="none")
    assert {one.filename for one in told} == {__file__}


def test_a_notebook_completes_options(store: Store) -> None:
    from IPython.core.completer import IPCompleter, provisionalcompleter

    typed = "store.search('x', doc"
    with provisionalcompleter():
        found = list(IPCompleter(namespace={"store": store}).completions(typed, len(typed)))  # type: ignore[no-untyped-call]
    assert "document=" in [one.text for one in found]


def test_the_methods_are_awaited(library_url: str) -> None:
    async def ask() -> None:
        async with ragraph.aopen(library_url) as store:
            hits, documents = await asyncio.gather(store.search("price", mode="text"), store.documents())
            assert hits == store.store.search("price", mode="text")
            assert {item.id for item in documents} >= {GUIDE, BOOK}
            lines = [line async for line in store.export(document=GUIDE, vectors=False)]
            assert len(lines) == 1
            async with store.as_of(GUIDE, 1) as past:
                assert (await past.document(GUIDE)).document.id == GUIDE
            with pytest.raises(DocumentNotFoundError):
                await store.document("dl_none")
            with pytest.raises(AttributeError):
                _ = store.nothing  # type: ignore[attr-defined]
        with pytest.raises(StoreClosedError):
            await store.documents()
        async with await ragraph.aopen(library_url) as store:
            assert (await store.document(GUIDE)).document.id == GUIDE

    asyncio.run(ask())


def test_the_asynchronous_store_has_methods_with_signatures_and_documentation() -> None:
    """For completion and help; the stub serves type checkers alone."""
    named = {name for name, _ in inspect.getmembers(Store, inspect.isfunction) if not name.startswith("_")}
    assert named <= set(dir(AsyncStore))
    for name in named - {"close"}:
        method, own = getattr(Store, name), getattr(AsyncStore, name)
        assert inspect.signature(own) == inspect.signature(method)
        assert inspect.getdoc(own) == inspect.getdoc(method)
        assert inspect.iscoroutinefunction(own) or name in ("export", "as_of")


def test_a_cancelled_call_ends_its_statement(library_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The statement waits for a lock that this test holds; a cancelled task ends it."""
    import psycopg

    async def ask() -> None:
        async with await ragraph.aopen(library_url) as store:
            await store.documents()
            with psycopg.connect(library_url) as blocking:
                blocking.execute("LOCK TABLE ragraph.document IN ACCESS EXCLUSIVE MODE")
                task = asyncio.create_task(store.documents())
                waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted"
                with psycopg.connect(library_url, autocommit=True) as watching:
                    while not (row := watching.execute(waiting).fetchone()) or not row[0]:
                        await asyncio.sleep(0.01)
                    task.cancel()
                    with pytest.raises(asyncio.CancelledError):
                        await task
                    row = watching.execute(waiting).fetchone()
                    assert row == (0,)
            assert await store.documents()

    asyncio.run(ask())


def test_a_cancelled_ingestion_ends_at_its_next_event(store: Store, tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"{number}.md").write_text(f"# Number {number}\n")

    async def ask() -> int:
        faced = AsyncStore(store)
        begun = asyncio.Event()
        loop = asyncio.get_running_loop()

        def tell(_: object) -> None:
            loop.call_soon_threadsafe(begun.set)

        task = asyncio.create_task(faced.ingest(tmp_path, model=None, progress=tell))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return len(await faced.documents())

    assert asyncio.run(ask()) < 20


def test_the_stub_has_every_method() -> None:
    from docs.async_stub import STORE, stub

    assert (STORE / "async_store.pyi").read_text() == stub()
