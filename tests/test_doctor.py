"""A look over the store says what is wrong and what to do, a line each; and how large it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from command_line import CommandLine

import ragraph
from ragraph.embedding import DEFAULT_MODEL

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
    assert "1 files" in found["originals"]
    assert found[f"model {DEFAULT_MODEL}"] == "can be loaded, every document has vectors"


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
    assert found[f"model {DEFAULT_MODEL}"].startswith("1 documents have no vectors")
    assert "/nowhere/model" in found["model gone"]
    assert found["word statistics"].startswith("1 are old: SELECT ragraph.ensure_text_statistics()")
    assert found["documents"].startswith("1 failed, 0 not finished, of 2")


def test_sizes_are_those_of_the_store(store: Store, tmp_path: Path) -> None:
    found = store.stats()
    assert {table.table_name for table in found.tables} >= {"document", "content_node", "embedding", "ingest_job"}
    assert found.database_bytes > sum(table.table_bytes + table.index_bytes for table in found.tables)
    assert all(index.is_valid for index in found.indexes)
    assert (found.assets, found.asset_bytes) == (1, (tmp_path / "wages.md").stat().st_size)


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
    assert "content_node" in command("stats").out
    assert json.loads(command("stats", "--json").out)["assets"] == 1
