"""What people change of a document, and what ingesting again makes of it."""

from __future__ import annotations

import json
import re
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest
from command_line import CommandLine
from factories import make_document, make_relation, make_tree

import ragraph
from ragraph.errors import ArgumentError, DocumentNotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ragraph import Store
    from ragraph.documents.updating import DocumentChanges

TABLES = ("document_page", "document_component", "content_node", "relation", "embedding", "document")
NEAR = "did you mean 'dl_a' (Publication pub_a)?"


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    with ragraph.open(database_url) as opened, opened.database.write() as connection:
        make_tree(connection, "dl_a", sections=2, nodes=2)
        make_relation(connection, "dl_a", "rel_0", "cn_1", "cn_2")
        connection.commit()
        yield opened


@pytest.fixture
def command(database_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(database_url, monkeypatch, capsys)


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
        ({}, "there is nothing to update; there are title, "),
        ({"titel": "x"}, "a document has no 'titel' to update; there are title, "),
        ({"title": None}, "title takes text, not None (NoneType)"),
        ({"title": " "}, "title is empty; a title is needed"),
        ({"authors": " "}, "authors is empty; None empties it"),
        ({"title": 5}, "title takes text, not 5 (int)"),
        ({"publication_date": "soon"}, "publication_date takes a date, or text such as 2024-12-31, not 'soon' (str)"),
        ({"publication_date": 2020}, "publication_date takes a date, or text such as 2024-12-31, not 2020 (int)"),
        ({"metadata": [1]}, "metadata takes a mapping with text for keys, not [1] (list)"),
        (
            {"tags": "a", "add_tags": "b"},
            "tags are set, and added or removed at the same time; use one of them",
        ),
        ({"tags": [" "]}, "a tag is empty; leave it out"),
        ({"collection": None}, "collection takes text, not None (NoneType)"),
        ({"collection": ""}, "the collection has no name; a name has 1 to 100 letters and digits"),
        ({"collection": "two words"}, "'two words' cannot be the name of a collection; a name has 1 to 100 letters"),
        ({"collection": "-dash"}, "'-dash' cannot be the name of a collection; a name has 1 to 100 letters"),
        ({"collection": "x" * 101}, "x' cannot be the name of a collection; a name has 1 to 100 letters"),
        ({"language": "no such"}, "'no such' is not a language tag (BCP 47); write it as en, pt-BR or zh-Hans"),
        ({"language": "German"}, "'German' is not a language tag (BCP 47); did you mean 'de'?"),
        ({"title": "a\x00b"}, "title has a character that is not text (NUL or a lone surrogate); remove it"),
        ({"title": "a\udcffb"}, "title has a character that is not text (NUL or a lone surrogate); remove it"),
    ],
)
def test_what_cannot_be_updated_is_told(store: Store, changes: dict[str, Any], told: str) -> None:
    before = store.document("dl_a")
    with pytest.raises(ArgumentError, match=re.escape(told)):
        store.update("dl_a", **changes)
    assert store.document("dl_a") == before


@pytest.mark.parametrize(
    ("language", "config"),
    [
        ("de-AT", "german"),
        ("zh-Hans-CN", "simple"),
        ("ger", "german"),
        ("sl-rozaj-biske-1994", "simple"),
        ("en-x-us", "english"),
    ],
)
def test_the_language_says_how_words_are_indexed(store: Store, language: str, config: str) -> None:
    details = store.update("dl_a", language=language)
    assert (details.document.language, details.ts_config) == (language, config)
    assert rows(store, "SELECT DISTINCT ts_config::text FROM ragraph.content_node") == [(config,)]


def test_an_unknown_document_is_not_updated(store: Store) -> None:
    changes: list[DocumentChanges] = [{"title": "x"}, {"collection": "x"}]
    for change in changes:
        with pytest.raises(DocumentNotFoundError, match=re.escape(f"no document 'dl_b'; {NEAR} store.documents")):
            store.update("dl_b", **change)


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


def test_the_command_line_updates(store: Store, command: CommandLine) -> None:
    given = ("--title", "New", "--date", "2020-08-11", "--add-tag", "x", "--meta", "year=2020", "--meta", "k=v")
    done = command("update", "dl_a", *given, "--language", "de", "--json")
    told = json.loads(done.out)
    assert (done.code, done.err) == (0, "")
    assert told["document"]["title"] == "New"
    assert (told["tags"], told["metadata"], told["ts_config"]) == (["x"], {"year": 2020, "k": "v"}, "german")
    done = command("update", "dl_a", "--meta", "k=", "--unset", "date", "--collection", "archive", "--json")
    told = json.loads(done.out)
    assert (done.code, done.err) == (0, "")
    assert (told["metadata"], told["document"]["publication_date"]) == ({"year": 2020}, None)
    assert told["document"]["collection"] == "archive"
    done = command("update", "dl_a", "--unset", "meta", "--unset", "doc-version", "--unset", "download_url")
    assert (done.code, done.err) == (0, "")
    assert store.document("dl_a").metadata == {}


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["dl_a"], 2, "there is nothing to change; give an option such as --title or --add-tag"),
        (["dl_a", "--meta", "nothing"], 2, "--meta: 'nothing' has no key; write it like year=2020"),
        (["dl_a", "--unset", "colour"], 2, "--unset: 'colour' is not one of authors, abstract, citation, date, "),
        (["dl_a", "--unset", "title"], 2, "--unset: 'title' is not one of authors, "),
        (["dl_a", "--unset", "date", "--date", "2020-01-01"], 2, "--date is both given and unset; leave one out"),
        (["dl_a", "--date", "soon"], 2, "--date: 'soon' is not a date; write it like 2024-12-31"),
        (["dl_a", "--authors", ""], 2, "--authors: it is empty; --unset authors empties it"),
        (["dl_a", "--doc-version", " "], 2, "--doc-version: it is empty; --unset doc-version empties it"),
        (["dl_a", "--title", ""], 2, "--title: it is empty"),
        (["dl_a", "--tag", "a", "--add-tag", "b"], 2, "--tag sets all tags and cannot be combined with --add-tag"),
        (["dl_a", "--language", "German"], 2, "'German' is not a language tag (BCP 47); did you mean 'de'?"),
        (["dl_a", "--collection", "two words"], 2, "cannot be the name of a collection; a name has 1 to 100 letters"),
        (["dl_b", "--title", "x"], 1, f"no document 'dl_b'; {NEAR} `ragraph list` shows the ids"),
    ],
)
def test_the_command_line_speaks_of_options(
    store: Store, command: CommandLine, arguments: list[str], code: int, told: str
) -> None:
    before = store.document("dl_a")
    done = command("update", *arguments)
    assert (done.code, done.out) == (code, "")
    assert told in done.err
    assert done.err.count("\n") == 1
    assert store.document("dl_a") == before


def test_unknown_documents_come_with_a_near_miss(store: Store, command: CommandLine) -> None:
    for arguments in (("show", "dl_b"), ("embed", "--document", "dl_b")):
        done = command(*arguments)
        assert (done.code, f"{NEAR} `ragraph list` shows the ids" in done.err) == (1, True), done
    for call in (lambda: store.document("dl_b"), lambda: store.embed(documents="dl_b")):
        with pytest.raises(DocumentNotFoundError, match=re.escape(f"{NEAR} store.documents() lists the ids")):
            call()
    done = command("search", "text", "--mode", "text", "--filter", "[]")
    assert (done.code, '[] is not a filter; write it as {"year": {"$gte": 2020}}' in done.err) == (2, True), done
