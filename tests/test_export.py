"""Export and import: a store that takes in the lines of another holds the same rows."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import psycopg
import pyarrow.parquet
import pytest
from command_line import CommandLine
from judged_library import PARAGRAPHS, judged, write
from lost_answers import LostAnswers
from psycopg import sql
from sample_library import BOOK, GUIDE
from tiny_models import save_word_axes

import ragraph
from ragraph.errors import ArgumentError, DocumentNotFoundError, IngestError
from ragraph.ingest.supplied import adding
from ragraph.ingest.supplied.parquet import read_parquet, write_parquet

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from conftest import MakeDatabase

    from ragraph import Store

TABLES = ("publication", "document", "document_page", "document_component", "content_node", "relation", "embedding")


def digest(store: Store, *, vectors: bool = True) -> dict[str, tuple[int, str]]:
    """Give rows and digest of each table, all columns but times."""
    found = {}
    with psycopg.connect(store.database.url) as connection:
        for table in TABLES[: None if vectors else -1]:
            query = sql.SQL(
                "SELECT (to_jsonb(t) - '{{created_at,updated_at,processed_at}}'::text[])::text FROM {} AS t ORDER BY 1"
            ).format(sql.Identifier("ragraph", table))
            rows = [row[0] for row in connection.execute(query)]
            found[table] = len(rows), hashlib.sha256("\n".join(rows).encode()).hexdigest()
    return found


@pytest.fixture
def empty(make_database: MakeDatabase) -> Iterator[Store]:
    with ragraph.open(make_database()) as store:
        yield store


def test_a_round_trip_makes_the_same_rows(own_library: Store, empty: Store) -> None:
    with own_library.database.write() as connection:
        write(connection, judged()[0][:2], pages=PARAGRAPHS)  # pages and boxes
    own_library.update(GUIDE, title="By hand", add_tags=["own"])
    before = digest(own_library)
    assert all(rows for rows, _ in before.values())
    report = empty.add_many(own_library.export(), model=None)
    assert [file.status for file in report.files] == ["added"] * 4, report
    assert digest(empty) == before
    assert empty.check() == own_library.check()
    query = "the price of corn"
    assert [hit.to_json() for hit in empty.search(query)] == [hit.to_json() for hit in own_library.search(query)]
    text = [hit.to_json() for hit in empty.search(query, mode="text", match="any")]
    assert text == [hit.to_json() for hit in own_library.search(query, mode="text", match="any")]
    again = empty.add_many(own_library.export(), model=None)
    assert [file.status for file in again.files] == ["unchanged"] * 4
    assert digest(empty) == before


def test_a_parquet_file_holds_all_that_lines_do(own_library: Store, empty: Store, tmp_path: Path) -> None:
    with own_library.database.write() as connection:
        write(connection, judged()[0][:2], pages=PARAGRAPHS)
    own_library.update(GUIDE, title="By hand", add_tags=["own"])
    path = tmp_path / "library.parquet"
    assert write_parquet(own_library.export(), path) == 4
    assert [len(row["vectors"]) for row in read_parquet(path)] == [
        len(json.loads(line)["vectors"]) for line in own_library.export()
    ]
    report = empty.add_many(read_parquet(path), model=None)
    assert [file.status for file in report.files] == ["added"] * 4, report
    assert digest(empty) == digest(own_library)
    assert [path.name for path in tmp_path.iterdir()] == ["library.parquet"]


def test_parquet_on_the_command_line(
    library_url: str, empty: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "library.parquet"
    assert CommandLine(library_url, monkeypatch, capsys)("export", "-o", str(path), "--no-vectors").code == 0
    run = CommandLine(empty.database.url, monkeypatch, capsys)
    assert run("import", str(path), "--no-embed", "--json").code == 0
    assert {item.id for item in empty.documents()} == {GUIDE, BOOK}
    (tmp_path / "lines.parquet").write_text("{}")
    ended = run("import", str(tmp_path / "lines.parquet"), "--no-embed")
    assert (ended.code, "is not a Parquet file" in ended.err) == (2, True)
    assert run("import", str(tmp_path / "none.parquet"), "--no-embed").code == 1


def test_rows_of_parquet_may_be_drafts(empty: Store, tmp_path: Path) -> None:
    rows = [
        {"id": "dl_rain", "nodes": [{"key": "a", "type": "PARAGRAPH", "text": "Rain.", "level": None}], "tags": None},
        {"id": None, "nodes": [{"key": "h", "type": "HEADING", "text": "Snow", "level": 1}], "tags": ["white"]},
    ]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "drafts.parquet")
    report = empty.add_many(read_parquet(tmp_path / "drafts.parquet"), model=None)
    assert [file.status for file in report.files] == ["added", "added"], report
    assert [node.content for node in empty.nodes("dl_rain")] == ["Rain."]


def test_without_vectors_they_are_computed_anew(library: Store, empty: Store) -> None:
    lines = list(library.export(document=GUIDE, vectors=False))
    assert "vectors" not in json.loads(lines[0])
    (file,) = empty.add_many(lines).files
    assert (file.status, file.embeddings) == ("added", library.document(GUIDE).embeddings["all-MiniLM-L6-v2"])
    assert list(empty.export(vectors=False)) == lines


def test_documents_come_one_at_a_time_and_may_be_chosen(library: Store) -> None:
    lines = library.export(vectors=False)
    assert json.loads(next(lines))["graph"]["document"]["id"] in (GUIDE, BOOK)
    assert len(list(lines)) == 1
    assert list(library.export(collection="none")) == []
    with pytest.raises(DocumentNotFoundError):
        library.export(document="dl_none")


def test_a_document_that_changed_becomes_what_the_line_says(
    database_url: str, empty: Store, tmp_path_factory: pytest.TempPathFactory
) -> None:
    axes = save_word_axes(tmp_path_factory.mktemp("models") / "axes")

    def rain(*texts: str) -> dict[str, Any]:
        nodes = [{"key": text, "type": "PARAGRAPH", "text": text, "positions": [{"page_pdf": 1}]} for text in texts]
        return {
            "id": "dl_rain",
            "nodes": nodes,
            "tags": ["own"],
            "metadata": {"title": "Rain", "extra": {"year": 2024}},
        }

    with ragraph.open(database_url) as store:
        store.add(rain("The cost of rain.", "A cost of snow."), model=str(axes))
        (first,) = store.export()
        store.add(rain("A rain of snow.", "The cost of rain."), model=str(axes))
        (second,) = store.export()
        for line, status in ((first, "added"), (second, "changed"), (second, "unchanged")):
            (file,) = empty.add_many([line], model=None).files
            assert file.status == status
        assert digest(empty) == digest(store)
        assert empty.search("snow", 1, mode="vector", model="axes")[0].content == "A rain of snow."


def broken(line: str, *path: Any, value: Any) -> str:
    held = json.loads(line)
    place = held
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = value
    return json.dumps(held)


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("format",), "ragraph/9", "format"),
        (("graph", "nodes", 0, "content_node_type"), "NONSENSE", "content_node_type"),
        (("graph", "nodes"), None, "graph.nodes"),
        (("graph", "publication"), None, "no publication of its document"),
        (("graph", "document", "id"), "", "id"),
        (("graph", "nodes", 1, "content"), "Something else.", "has another text than its hash says"),
        (("graph", "nodes", 1, "parent_component_id"), "cmp_none", "cmp_none"),
        (("vectors", 0, "parts", 0, "vector"), [1.0], "has 1 numbers, not 384"),
        (("vectors", 0, "parts", 0, "node_id"), "cn_none", "a vector is of the node 'cn_none'"),
        (("vectors", 0, "model", "query_prefix"), "other: ", "another model as 'all-MiniLM-L6-v2'"),
    ],
)
def test_a_line_that_is_not_right_is_refused_and_leaves_the_store_as_it_was(
    library: Store, own_library: Store, path: tuple[Any, ...], value: Any, said: str
) -> None:
    (line,) = library.export(document=GUIDE)
    before = digest(own_library)
    with pytest.raises(IngestError, match=said):
        own_library.add(broken(line, *path, value=value), model=None)
    assert digest(own_library) == before


def test_a_line_of_a_new_document_that_is_refused_at_its_end_leaves_nothing(library: Store, empty: Store) -> None:
    (line,) = library.export(document=GUIDE)
    before = digest(empty)
    with pytest.raises(IngestError, match="a vector is of the node 'cn_none'"):
        empty.add(broken(line, "vectors", 0, "parts", 0, "node_id", value="cn_none"), model=None)
    assert digest(empty) == before


def test_what_was_imported_is_told_though_the_answer_to_its_commit_is_lost(
    library: Store, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adding, "_PATIENCE_S", 60)
    lines = list(library.export())
    with LostAnswers(database_url, 1) as proxy, ragraph.open(proxy.url) as store:
        report = store.add_many(lines, model=None)
        assert proxy.lost == 1
        assert [file.status for file in report.files] == ["added"] * len(lines)
        assert digest(store) == digest(library)


def test_the_command_line_exports_and_imports(
    library_url: str, empty: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "library.jsonl"
    exported = CommandLine(library_url, monkeypatch, capsys)("export", "-o", str(path))
    assert (exported.code, exported.out) == (0, ""), exported.err
    imported = CommandLine(empty.database.url, monkeypatch, capsys)("import", str(path), "--no-embed", "--json")
    assert imported.code == 0, imported.err
    assert json.loads(imported.out)["totals"]["added"] == 2
    with ragraph.open(library_url) as store:
        assert digest(empty) == digest(store)


def test_markdown_where_no_folder_can_be_made_is_refused(library: Store, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(ArgumentError, match="cannot be written: Not a directory"):
        library.export_markdown(tmp_path / "file", document=GUIDE)
