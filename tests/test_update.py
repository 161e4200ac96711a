"""What people change of a document, and what ingesting again makes of it."""

from __future__ import annotations

import json
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest
from factories import make_document, make_relation, make_tree
from typer.testing import CliRunner

import ragraph
from ragraph.errors import ArgumentError, DocumentNotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ragraph import Store

TABLES = ("document_page", "document_component", "content_node", "relation", "embedding", "document")


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    with ragraph.open(database_url) as opened, opened.database.write() as connection:
        make_tree(connection, "dl_a", sections=2, nodes=2)
        make_relation(connection, "dl_a", "rel_0", "cn_1", "cn_2")
        connection.commit()
        yield opened


def rows(store: Store, query: str) -> list[tuple[Any, ...]]:
    with store.database.read() as connection:
        return connection.execute(query).fetchall()


def test_metadata_and_tags_are_changed(store: Store) -> None:
    details = store.update(
        "dl_a", title="A Title", authors="A. Author", publication_date="2024-02-29", source="Shelf", uri="doi:1",
        metadata={"year": 2024, "kind": "report"}, tags=["b", "a", "b"], version="2", language="de",
    )  # fmt: skip
    known = details.document
    assert (known.title, known.authors, known.publication_date) == ("A Title", "A. Author", date(2024, 2, 29))
    assert (details.source, details.uri, details.tags) == ("Shelf", "doi:1", ["b", "a"])
    assert (details.metadata, known.language) == ({"year": 2024, "kind": "report"}, "de")
    assert rows(store, "SELECT DISTINCT ts_config::text FROM ragraph.content_node") == [("german",)]
    details = store.update("dl_a", add_tags="c", remove_tags=["a", "z"], metadata={"year": None, "n": 1}, authors=None)
    assert (details.tags, details.metadata, details.document.authors) == (["b", "c"], {"kind": "report", "n": 1}, None)
    assert store.update("dl_a", tags=None, metadata=None).tags == []
    assert store.document("dl_a").metadata == {}
    assert store.check() == []


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, "nothing to update"),
        ({"titel": "x"}, "no 'titel'"),
        ({"title": None}, "title"),
        ({"title": " "}, "title is empty"),
        ({"title": 5}, "title"),
        ({"publication_date": "soon"}, "publication_date"),
        ({"publication_date": 2020}, "publication_date"),
        ({"metadata": [1]}, "metadata"),
        ({"tags": "a", "add_tags": "b"}, "at the same time"),
        ({"tags": [" "]}, "a tag is empty"),
        ({"collection": None}, "collection"),
        ({"collection": ""}, "no name"),
        ({"collection": "two words"}, "letters and digits"),
        ({"collection": "-dash"}, "letters and digits"),
        ({"collection": "x" * 101}, "letters and digits"),
        ({"title": "a\x00b"}, "."),
        ({"title": "a\udcffb"}, "."),
    ],
)
def test_what_cannot_be_updated_is_told(store: Store, changes: dict[str, Any], told: str) -> None:
    before = store.document("dl_a")
    with pytest.raises(ArgumentError, match=told):
        store.update("dl_a", **changes)
    assert store.document("dl_a") == before


def test_an_unknown_document_is_not_updated(store: Store) -> None:
    with pytest.raises(DocumentNotFoundError):
        store.update("dl_nowhere", title="x")


def test_a_document_moves_with_all_that_hangs_on_it(store: Store) -> None:
    with store.database.write() as connection:
        connection.execute("SELECT ragraph.ensure_text_statistics(minimum => 0)")
    assert store.update("dl_a", collection="archiv/2024").document.collection == "archiv/2024"
    for table in TABLES:
        assert rows(store, f"SELECT DISTINCT collection FROM ragraph.{table}") == [("archiv/2024",)], table
    assert rows(store, "SELECT collection FROM ragraph.publication") == [("archiv/2024",)]
    assert rows(store, "SELECT DISTINCT collection FROM ragraph.text_statistics") == [("archiv/2024",)]
    assert [item.id for item in store.documents(collection="archiv/2024")] == ["dl_a"]
    assert store.search("text", mode="text", match="any", collection="archiv/2024")
    assert store.check() == []


def test_a_publication_stays_while_documents_of_it_do(store: Store) -> None:
    with store.database.write() as connection:
        make_document(connection, "dl_b", publication_id="pub_a")
    store.update("dl_a", collection="other")
    assert rows(store, "SELECT collection FROM ragraph.publication") == [("default",)]
    store.update("dl_b", collection="other")
    assert rows(store, "SELECT collection FROM ragraph.publication") == [("other",)]


def test_the_same_bytes_are_not_twice_in_a_collection(store: Store) -> None:
    with store.database.write() as connection:
        make_document(connection, "dl_b", collection="other")
        connection.execute(
            "UPDATE ragraph.document SET sha256 = (SELECT sha256 FROM ragraph.document WHERE id = 'dl_a')"
        )
    with pytest.raises(ArgumentError, match="'dl_b'"):
        store.update("dl_a", collection="other")
    assert store.document("dl_a").document.collection == "default"


def test_ingesting_again_leaves_what_was_changed(database_url: str, tmp_path: Path) -> None:
    file = tmp_path / "report.md"
    file.write_text("# Report\n\nThe costs rose by a third.\n")
    with ragraph.open(database_url) as store:
        (first,) = store.ingest(file, model=None, tags=["old"]).files
        name = first.document_id or ""
        store.update(name, title="My title", language="fr", authors="Me", remove_tags="old", add_tags="new")
        assert store.ingest(file, model=None).files[0].status == "unchanged"
        assert store.document(name).document.title == "My title"
        file.write_text("# Report\n\nThe costs rose by a half.\n")
        assert store.ingest(file, model=None).files[0].status == "changed"
        details = store.document(name)
        assert (details.document.title, details.document.authors) == ("My title", "Me")
        assert (details.document.language, details.tags) == ("fr", ["new"])
        assert rows(store, "SELECT DISTINCT ts_config::text FROM ragraph.content_node") == [("french",)]
        renamed = file.rename(tmp_path / "renamed.md")
        assert store.ingest(renamed, model=None).files[0].status == "moved"
        assert store.document(name).document.title == "My title"


def test_a_record_leaves_what_was_changed(database_url: str, tmp_path: Path) -> None:
    record = tmp_path / "record.json"
    link = {"id": "dl_r", "url": "https://example.org/r.pdf", "type": "MAIN", "text": "The report"}
    told = {"id": "pub_r", "title": "Its title", "metadata": {"authors": "Its authors"}, "downloadLinks": [link]}
    record.write_text(json.dumps(told))
    with ragraph.open(database_url) as store:
        assert store.ingest(record, model=None).ok
        store.update("dl_r", title="My title", description="Mine", metadata={"mine": True})
        report = store.ingest(record, model=None).files[0]
        assert "unchanged" in (report.reason or "")
        record.write_text(json.dumps({**told, "title": "Its new title", "metadata": {"authors": "Others"}}))
        assert store.ingest(record, model=None).ok
        details = store.document("dl_r")
        assert (details.document.title, details.document.authors) == ("My title", "Others")
        assert details.metadata["mine"] is True
        assert rows(store, "SELECT description FROM ragraph.document") == [("Mine",)]


def test_names_of_collections_have_rules_that_old_ones_need_not_keep(database_url: str, tmp_path: Path) -> None:
    file = tmp_path / "note.md"
    file.write_text("# Note\n\nA line of text.\n")
    with ragraph.open(database_url) as store:
        with pytest.raises(ArgumentError, match="letters and digits"):
            store.ingest(file, model=None, collection="two words")
        with store.database.write() as connection:
            make_document(connection, "dl_old", collection="two words")
        assert store.ingest(file, model=None, collection="two words").ok
        for name in ("a", "Äpfel", "报告", "team-1.2_x:y/z"):
            assert store.update("dl_old", collection=name).document.collection == name


def test_the_command_line_updates(store: Store, database_url: str) -> None:
    from ragraph.cli import app

    def run(*arguments: str, code: int = 0) -> str:
        done = CliRunner().invoke(app, ["--url", database_url, "update", "dl_a", *arguments])
        assert (0 if done.exception is None or done.exit_code == 0 else 1) == code, done.output
        return done.output

    told = json.loads(
        run(
            "--title", "New", "--date", "2020-08-11", "--add-tag", "x", "--meta", "year=2020", "--meta", "k=v", "--json"
        )
    )
    assert told["document"]["title"] == "New"
    assert (told["tags"], told["metadata"]) == (["x"], {"year": 2020, "k": "v"})
    told = json.loads(run("--meta", "k=", "--unset", "date", "--collection", "archive", "--json"))
    assert (told["metadata"], told["document"]["publication_date"]) == ({"year": 2020}, None)
    assert told["document"]["collection"] == "archive"
    run("--meta", "nothing", code=1)
    run("--unset", "colour", code=1)
    run(code=1)
