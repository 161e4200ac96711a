"""What belongs to all documents is brought up to date over tables that the planner has looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from ingest_tools import one_pool, rows, run

import ragraph
from ragraph.ingest.draft import DraftDocument, DraftNode
from ragraph.ingest.jobs import finishing
from ragraph.ingest.supplied import adding
from ragraph.ingest.vectors import maintenance

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ragraph.database.connection import Database

NODES = 1500
"""More than the fewest that have the tables looked at."""


@pytest.fixture(autouse=True, scope="module")
def shared_pool() -> Iterator[None]:
    with one_pool():
        yield


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The nodes that the planner knows of when words are counted."""
    known: list[float] = []
    count = maintenance.count_words

    def watched(database: Database) -> tuple[str, ...]:
        ((found,),) = rows(database, "SELECT reltuples FROM pg_class WHERE oid = 'ragraph.content_node'::regclass")
        known.append(found)
        return count(database)

    for module in (adding, finishing):
        monkeypatch.setattr(module, "count_words", watched)
    return known


def test_after_drafts(database_url: str, looked: list[float]) -> None:
    draft = DraftDocument(
        nodes=[DraftNode(key=str(place), type="PARAGRAPH", text=f"Rain number {place}.") for place in range(NODES)]
    )
    with ragraph.open(database_url) as store:
        assert store.add(draft, model=None).nodes == NODES
    assert looked == [NODES]


def test_after_files(database: Database, tmp_path: Path, looked: list[float]) -> None:
    page = "".join(f"<p>Rain number {place}.</p>" for place in range(NODES))
    (tmp_path / "rain.html").write_text(f"<html><body>{page}</body></html>")
    assert run(database, tmp_path / "rain.html", model=None).ok
    assert looked == [NODES]
