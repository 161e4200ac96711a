"""A look over the store says what is wrong and what to do, a line each; and how large it is."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from administrators import administrator
from command_line import CommandLine
from psycopg import sql
from server_tools import wait_until

import ragraph
from ragraph.base import extras
from ragraph.documents.assets import Assets
from ragraph.documents.deleting import delete_rows
from ragraph.ingest.vectors.index_aside import IndexAside
from ragraph.models.embedding import DEFAULT_MODEL
from ragraph.store import doctor

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragraph import Store


@pytest.fixture
def store(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setenv("RAGRAPH_ASSETS", str(tmp_path / "assets"))
    (tmp_path / "wages.md").write_text("# Of wages\n\nWages are paid by the day.\n")
    with ragraph.open(database_url) as opened:
        opened.ingest(tmp_path / "wages.md")
        yield opened


def wrong(store: Store) -> dict[str, str]:
    return {finding.what: finding.detail for finding in store.doctor() if not finding.ok}


def test_nothing_is_wrong_with_a_fresh_store(store: Store) -> None:
    found = {finding.what: finding.detail for finding in store.doctor()}
    assert wrong(store) == {}
    assert found["server"].startswith("PostgreSQL 1")
    assert found["documents"] == "1, all complete"
    assert "1 file" in found["originals"]
    assert found[f"model {DEFAULT_MODEL}"] == "can be loaded, every document has vectors"


def test_an_original_that_a_deletion_left_is_named(store: Store, tmp_path: Path) -> None:
    """Rows are deleted before the original: a process that is killed in between leaves it."""
    (document,) = store.documents()
    with store.database.write() as connection:
        delete_rows(connection, document.id)
    assert wrong(store)["originals"].startswith(f"no document names 1 file in {tmp_path / 'assets'}")
    assert len(store.clean_assets().removed) == 1
    assert wrong(store) == {}


def _changes(store: Store) -> int:
    with store.database.read() as connection:
        ((number,),) = connection.execute("SELECT count(*) FROM ragraph.text_change").fetchall()
    return int(number)


def test_originals_that_are_elsewhere_are_named(store: Store, tmp_path: Path) -> None:
    """The folder of originals goes by the address of the store, so those of another address are not found."""
    (path,) = (path for path in (tmp_path / "assets").rglob("*") if path.is_file())
    path.rename(tmp_path / "elsewhere")
    told = wrong(store)["originals"]
    assert told.startswith(f"1 file that documents name is not in {tmp_path / 'assets'}")
    assert "set RAGRAPH_ASSETS" in told


def test_the_original_of_a_document_that_is_stored_meanwhile_is_not_missed(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked, other = Assets.sizes, tmp_path / "meanwhile.md"

    def then_another(assets: Assets) -> dict[str, int]:
        found = looked(assets)
        if not other.exists():
            other.write_text("# Meanwhile\n\nIt came while the doctor looked.\n")
            assert store.ingest(other, model=None).ok
        return found

    monkeypatch.setattr(Assets, "sizes", then_another)
    assert "originals" not in wrong(store)


def test_who_only_reads_is_not_told_to_write(store: Store) -> None:
    role_reads = {"role_name": "me", "may_read": True, "may_write": True, "only_reads": True}
    assert "may read only" in doctor._rights(role_reads).detail
    assert "may read and write" in doctor._rights({**role_reads, "only_reads": False}).detail


def test_a_deletion_counts_the_words_of_one_that_was_cut_off(store: Store) -> None:
    """A process is killed between the rows and the statistics of words; the deletion is repeated, and finds nothing."""
    (document,) = store.documents()
    with store.database.write() as own:
        delete_rows(own, document.id)
    assert _changes(store) == 1
    assert store.delete([]) == []
    assert _changes(store) == 0


def test_documents_with_nothing_to_embed_lack_no_vectors(store: Store, tmp_path: Path) -> None:
    (tmp_path / "heading.md").write_text("# Nothing but a heading\n")
    assert store.ingest(tmp_path / "heading.md").ok
    assert wrong(store) == {}
    (tmp_path / "other.md").write_text("# Nothing but another heading\n")
    assert store.ingest(tmp_path / "other.md", model=None).ok
    assert wrong(store)[f"model {DEFAULT_MODEL}"].startswith("1 document without vectors")
    store.embed()
    assert wrong(store) == {}


def test_what_is_wrong_is_named(store: Store, tmp_path: Path) -> None:
    first = store.documents()[0].id
    (tmp_path / "rent.md").write_text("# Of rent\n\nRent is paid by the year.\n")
    store.ingest(tmp_path / "rent.md", model=None)
    with store.database.write() as connection:
        connection.execute(
            "INSERT INTO ragraph.embedding_model (name, location, dimensions, max_tokens, distance, normalized)"
            " VALUES ('gone', '/nowhere/model', 8, 256, 'cosine', true)"
        )
        connection.execute(
            "INSERT INTO ragraph.text_statistics (collection, ts_config, nodes, sampled)"
            " VALUES ('x', 'simple', 5000, 10)"
        )
        connection.execute("UPDATE ragraph.document SET processing_status = 'failed' WHERE id = %s", [first])
    found = wrong(store)
    assert found[f"model {DEFAULT_MODEL}"].startswith("1 document without vectors")
    assert "/nowhere/model" in found["model gone"]
    assert found["word statistics"].startswith("1 are outdated: SELECT ragraph.ensure_text_statistics()")
    assert found["documents"].startswith("1 failed, 0 not finished, of 2")


def test_an_index_that_is_missing_is_named_unless_a_run_set_it_aside(store: Store) -> None:
    of_vectors = f"model {DEFAULT_MODEL}"
    with store.database.write() as connection:
        connection.execute(
            "INSERT INTO ragraph.embedding (document_id, id, node_id, model_name, embedding_source, part, char_start,"
            " char_end, content_hash, embedding_vector, normalized, collection)"
            " SELECT e.document_id, 'em_' || i, e.node_id, e.model_name, e.embedding_source, i, 0, 1, e.content_hash,"
            " e.embedding_vector, e.normalized, e.collection"
            " FROM (SELECT * FROM ragraph.embedding LIMIT 1) AS e CROSS JOIN generate_series(1, 10000) AS i"
        )
    assert wrong(store)[of_vectors].startswith("its index is missing")
    aside = IndexAside(store.database, DEFAULT_MODEL)
    aside.coming(20_000)
    assert of_vectors not in wrong(store)
    aside.close()
    assert of_vectors in wrong(store)


def test_sizes_are_those_of_the_store(store: Store, tmp_path: Path) -> None:
    found = store.stats()
    assert {table.table_name for table in found.tables} >= {"document", "content_node", "embedding", "ingest_job"}
    assert found.database_bytes > sum(table.table_bytes + table.index_bytes for table in found.tables)
    assert all(index.is_valid for index in found.indexes)
    assert (found.assets, found.asset_bytes) == (1, (tmp_path / "wages.md").stat().st_size)


def test_searches_are_timed_by_the_server(store: Store) -> None:
    def calls() -> dict[str, int]:
        return {search.function_name: search.calls for search in store.stats().searches or []}

    def count(what: str) -> None:
        with psycopg.connect(administrator(store.database.url)) as connection:
            name = sql.Identifier(connection.info.dbname)
            connection.execute(sql.SQL("ALTER DATABASE {} SET track_functions = {}").format(name, what))

    count("none")
    with ragraph.open(store.database.url) as untimed:
        assert untimed.stats().searches is None
    count("pl")
    with ragraph.open(store.database.url) as timed:
        timed.search("wages")
        timed.search("wages", mode="text")
        timed.context("wages", mode="text")
    # the server counts when a session is idle
    wait_until(lambda: calls().keys() >= {"search_hybrid", "search_text", "context_sentences"}, 60)
    assert calls()["search_hybrid"] == 1


def test_a_database_that_takes_signs_for_letters_is_named() -> None:
    assert doctor._word_splitting("C.UTF-8").ok
    assert doctor._word_splitting("tr_TR.UTF-8").ok
    found = doctor._word_splitting("C")
    assert not found.ok
    assert "LC_CTYPE 'C.UTF-8'" in found.detail


def test_every_extra_is_looked_for() -> None:
    declared = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())
    assert extras.EXTRAS.keys() == declared["project"]["optional-dependencies"].keys() - {"all", "bench", "dev"}


def test_an_extra_is_there_with_all_that_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    assert extras.EXTRAS["layout"] == ("rapid_layout", "onnxruntime")
    monkeypatch.setattr(extras, "EXTRAS", {"half": ("json", "nobody_has_this"), "whole": ("json", "tomllib")})
    assert doctor._extras().detail == "whole; pip install 'ragraph-store[half]' for the rest"


def test_the_commands(store: Store, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    command = CommandLine(store.database.url, monkeypatch, capsys)
    ended = command("doctor")
    assert ended.code == 0
    assert "ok  server: PostgreSQL" in ended.out
    with store.database.write() as connection:
        connection.execute("UPDATE ragraph.document SET processing_status = 'failed'")
    ended = command("doctor", "--json")
    assert ended.code == 1
    assert [line["what"] for line in json.loads(ended.out) if not line["ok"]] == ["documents"]
    told = command("stats").out
    assert "content_node" in told
    assert "earches" in told
    assert json.loads(command("stats", "--json").out)["assets"] == 1
