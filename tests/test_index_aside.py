"""A run that writes many vectors sets the index aside and builds it again, whatever happens in between."""

from __future__ import annotations

import random
import subprocess
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ingest_tools import rows

import ragraph
from ragraph.ingest.draft import DraftDocument, DraftNode
from ragraph.ingest.supplied import adding
from ragraph.ingest.vectors import embed, index_aside, maintenance
from ragraph.ingest.vectors.index_aside import IndexAside, is_worth
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ragraph import Store

NUMBERS = "SELECT indexrelid FROM pg_index WHERE indexrelid::regclass::text LIKE '%embedding_hnsw%'"
INDEXES = "SELECT indisvalid FROM pg_index WHERE indexrelid::regclass::text LIKE '%embedding_hnsw%'"
HELD = 20
"""Vectors that are there, and indexed."""


def draft(number: int, nodes: int = HELD) -> DraftDocument:
    texts = [f"The cost of rain and snow, {number} {place}." for place in range(nodes)]
    kind = ContentNodeType.PARAGRAPH
    lines = [DraftNode(key=str(place), type=kind, text=text) for place, text in enumerate(texts)]
    return DraftDocument(id=f"dl_{number}", reader="test/1", nodes=lines)


def given_draft(number: int, dimensions: int, nodes: int = HELD, **fields: Any) -> DraftDocument:
    """A draft with all its vectors."""
    vectors = {"axes": [1.0] * dimensions}
    filled = [node.model_copy(update={"vectors": vectors}) for node in draft(number, nodes).nodes]
    return DraftDocument(id=f"dl_{number}", reader="test/1", nodes=filled, **fields)


@pytest.fixture
def store(database_url: str, axes: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setattr(index_aside, "LEAST", 50)
    for module in (adding, embed):
        monkeypatch.setattr(module, "build_index", partial(maintenance.build_index, minimum=1))
        monkeypatch.setattr(module, "BATCH", HELD, raising=False)
    with ragraph.open(database_url) as opened:
        opened.add(draft(0), model=str(axes))
        opened.switch_model("axes")
        assert rows(opened.database, INDEXES) == [(True,)]
        yield opened


def found(store: Store) -> int:
    return len(store.search("snow", 1000, mode="vector", model="axes"))


def test_a_large_run_does_without_the_index_and_a_search_misses_nothing(
    store: Store, axes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adding, "TOGETHER", 1)  # at most seven wait to be written or embedded
    seen: list[tuple[list[Any], int, int]] = []

    def drafts() -> Iterator[DraftDocument]:
        for number in range(1, 13):
            there = rows(store.database, INDEXES)
            ((vectors,),) = rows(store.database, "SELECT count(*) FROM ragraph.embedding")
            seen.append((there, vectors, found(store)))
            yield draft(number)

    report = store.add_many(drafts(), model=str(axes))
    assert report.ok
    assert not report.warnings
    assert seen[0][0] == [(True,)]
    assert seen[-1][0] == []
    assert all(vectors <= hits for _, vectors, hits in seen)
    assert rows(store.database, INDEXES) == [(True,)]
    assert found(store) == 13 * HELD
    assert store.check() == []


def test_a_small_run_leaves_it_in_its_place(store: Store, axes: Path) -> None:
    before = rows(store.database, NUMBERS)
    assert store.add_many([draft(1), draft(2)], model=str(axes)).ok
    after = rows(store.database, NUMBERS)
    assert len(before) == 1
    assert before == after
    assert found(store) == 3 * HELD


def test_vectors_that_the_store_has_already_leave_it_in_its_place(store: Store) -> None:
    (dimensions,) = (model.dimensions for model in store.models())
    drafts = [given_draft(number, dimensions) for number in range(1, 9)]
    before = rows(store.database, NUMBERS)
    assert store.add_many(drafts, model=None).ok
    built = rows(store.database, NUMBERS)
    assert len(built) == 1
    assert built != before
    report = store.add_many(drafts, model=None)
    assert {file.status for file in report.files} == {"unchanged"}
    assert rows(store.database, NUMBERS) == built


def test_it_is_built_again_where_nothing_could_be_written(store: Store) -> None:
    (dimensions,) = (model.dimensions for model in store.models())
    before = rows(store.database, NUMBERS)
    letters = random.Random(0)
    too_long = "".join(letters.choices("0123456789abcdef", k=20_000))  # for an index
    report = store.add_many([given_draft(1, dimensions, 100, source_uri=too_long)], model=None)
    assert [file.status for file in report.files] == ["failed"]
    assert rows(store.database, NUMBERS) != before
    assert rows(store.database, INDEXES) == [(True,)]


def test_what_a_whole_export_brings_is_counted_too(store: Store, axes: Path) -> None:
    store.add_many([draft(number) for number in range(1, 13)], model=str(axes))
    lines = list(store.export())
    for number in range(1, 13):
        store.delete(f"dl_{number}")
    seen: list[list[Any]] = []

    def again() -> Iterator[str]:
        for line in lines:
            seen.append(rows(store.database, INDEXES))
            yield line

    assert store.add_many(again(), model=None).ok
    assert (seen[0], seen[-1]) == ([(True,)], [])
    assert rows(store.database, INDEXES) == [(True,)]
    assert found(store) == 13 * HELD
    built = rows(store.database, NUMBERS)
    assert {file.status for file in store.add_many(lines, model=None).files} == {"unchanged"}
    assert rows(store.database, NUMBERS) == built


def test_the_last_of_several_builds(store: Store) -> None:
    first, second = IndexAside(store.database, "axes"), IndexAside(store.database, "axes")
    first.coming(1000)
    second.coming(1000)
    assert rows(store.database, INDEXES) == []
    first.close()
    assert maintenance.build_index(store.database, "axes", 1) == ()
    assert rows(store.database, INDEXES) == []
    second.close()
    assert maintenance.build_index(store.database, "axes", 1) == ()
    assert rows(store.database, INDEXES) == [(True,)]


def test_an_index_that_somebody_uses_for_long_is_replaced_later(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_aside, "_PATIENCE", "100ms")
    aside = IndexAside(store.database, "axes")
    with psycopg.connect(store.database.url) as reader:
        reader.execute("SELECT count(*) FROM ragraph.embedding")
        aside.coming(1000)
        assert found(store) == HELD
    assert maintenance.build_index(store.database, "axes", 1) == ()
    assert rows(store.database, INDEXES) == [(True,)]
    assert found(store) == HELD


KILLED = """
import os, signal, sys
import ragraph
from ragraph.ingest.vectors import index_aside
from ragraph.ingest.draft import DraftDocument
index_aside.LEAST = 50
url, model = sys.argv[1:]
draft = DraftDocument.model_validate_json(sys.stdin.read())
def drafts():
    number = 0
    while True:
        number += 1
        with store.database.read() as connection:
            there = connection.execute("SELECT 1 FROM pg_class WHERE relname LIKE 'embedding_hnsw%'").fetchone()
        if there is None:
            os.kill(os.getpid(), signal.SIGKILL)
        yield draft.model_copy(update={"id": f"dl_killed_{number}"})
with ragraph.open(url) as store:
    store.add_many(drafts(), model=model)
"""


def test_after_a_kill_searches_are_complete_and_the_next_run_builds(store: Store, axes: Path) -> None:
    command = [sys.executable, "-c", KILLED, store.database.url, str(axes)]
    done = subprocess.run(command, input=draft(1, 600).model_dump_json().encode(), check=False, timeout=120)
    assert done.returncode == -9
    assert rows(store.database, INDEXES) == []
    ((vectors,),) = rows(store.database, "SELECT count(*) FROM ragraph.embedding")
    assert found(store) == min(vectors, 1000)
    assert store.add(draft(2), model=str(axes)).status == "added"
    assert rows(store.database, INDEXES) == [(True,)]


@given(st.integers(1, 10**9), st.integers(0, 10**9))
def test_the_more_there_is_the_more_has_to_come(coming: int, held: int) -> None:
    if is_worth(coming, held):
        assert is_worth(coming + 1, held)
    else:
        assert not is_worth(coming, held + 1)
    assert is_worth(coming, 2 * coming)
    assert not is_worth(coming, 3 * coming)
