"""Small documents that are new are written together; each of them becomes what it becomes alone."""

from __future__ import annotations

import logging
import random
import time
from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import Event
from typing import TYPE_CHECKING, Any

import pytest
from lost_answers import LostAnswers

import ragraph
from ragraph.errors import ServerUnavailableError
from ragraph.ingest.draft import DraftContainer, DraftDocument, DraftNode, DraftRelation, Position
from ragraph.ingest.supplied import adding
from ragraph.ingest.supplied.writing import DraftWriter
from ragraph.ingest.vectors import embed as embed_module
from ragraph.schema.enums import ComponentType, ContentNodeType, RelationType

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from conftest import MakeDatabase

    from ragraph import Store

HEADING, PARAGRAPH, NOTE = ContentNodeType.HEADING, ContentNodeType.PARAGRAPH, ContentNodeType.NOTE
FIGURE, CAPTION = ContentNodeType.FIGURE, ContentNodeType.CAPTION


def plain(number: int, vectors: Any = None, **fields: Any) -> DraftDocument:
    nodes = [
        DraftNode(key="h", type=HEADING, text=f"Costs of {number}", level=1),
        DraftNode(key="p", type=PARAGRAPH, text="The cost of rain.", vectors=vectors or {}),
        DraftNode(key="b", type=PARAGRAPH, text=f"A cost of snow, {number}.", container="box", vectors=vectors or {}),
        DraftNode(key="f", type=FIGURE, storage_url="file:///f.png", vectors=vectors or {}),
        DraftNode(key="c", type=CAPTION, text="Rain by month.", vectors=vectors or {}),
    ]
    return DraftDocument(
        id=f"dl_{number}",
        nodes=nodes,
        containers=[DraftContainer(key="box", type=ComponentType.TEXT_BOX, title="Snow")],
        relations=[DraftRelation(source="f", type=RelationType.IS_CAPTIONED_BY, target="c")],
        **fields,
    )


def with_notes(number: int) -> DraftDocument:
    """A document that the database has work with: a note that moves, and pages."""
    nodes = [
        DraftNode(key="n", type=NOTE, text="Rain falls.", marker="1", positions=[Position(page_pdf=2)]),
        DraftNode(key="p", type=PARAGRAPH, text="The cost of rain.", positions=[Position(page_pdf=2)]),
    ]
    stated = [DraftRelation(source="p", type=RelationType.REFERENCES_NOTE, marker="1")]
    return DraftDocument(id=f"dl_{number}", nodes=nodes, relations=stated)


def drafts(dimensions: int) -> list[DraftDocument]:
    given = {"axes": [3.0, *[1.0] * (dimensions - 1)]}
    return [
        plain(0),
        plain(1, tags=["own", "first"]),
        with_notes(2),
        plain(3, given),
        plain(4, given, tags=["own"]),
        DraftDocument(nodes=plain(5).nodes[:2]),
    ]


def rows(store: Store) -> tuple[list[str], Any]:
    """Return all that the store has of its documents, but for times, and how their vectors were made."""
    made = "SELECT id, ingested_with, processing_status::text FROM ragraph.document ORDER BY id"
    with store.database.read() as connection:
        return sorted(store.export()), connection.execute(made).fetchall()


def written_together(monkeypatch: pytest.MonkeyPatch) -> list[set[str]]:
    """Have drafts wait until there are enough or no more; return the ids that go together from now on."""
    seen: list[set[str]] = []
    write = DraftWriter._write_new

    def watched(self: DraftWriter, drafts: Any) -> set[str]:
        seen.append(write(self, drafts))
        return seen[-1]

    monkeypatch.setattr(adding, "_PATIENCE_S", 60)
    monkeypatch.setattr(DraftWriter, "_write_new", watched)
    return seen


@pytest.mark.parametrize("embed", [False, True])
def test_documents_written_together_are_those_that_are_written_alone(
    make_database: MakeDatabase, monkeypatch: pytest.MonkeyPatch, axes: Path, embed: bool
) -> None:
    stored: list[Any] = []
    together = written_together(monkeypatch)
    for _ in range(2):
        with ragraph.open(make_database()) as store:
            store.embed(str(axes), documents=[])
            model = str(axes) if embed else None
            (dimensions,) = (item.dimensions for item in store.models())
            report = store.add_many(drafts(dimensions), model=model)
            assert [file.status for file in report.files] == ["added"] * 6
            counts = [(file.document_id, file.nodes, file.components, file.relations) for file in report.files]
            if not stored:
                assert together == [{file.document_id for file in report.files}]
            again = store.add_many(drafts(dimensions), model=model)
            assert [file.status for file in again.files] == ["unchanged"] * 6
            assert store.check() == []
            stored.append((counts, [file.embeddings for file in report.files], rows(store)))
        monkeypatch.setattr(DraftWriter, "_write_new", lambda self, drafts: set())
    assert stored[0] == stored[1]


@pytest.mark.parametrize("count", [1, 3, 6])
def test_what_was_written_is_told_though_the_answer_to_its_commit_is_lost(
    database_url: str, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    monkeypatch.setattr(adding, "_PATIENCE_S", 60)
    with LostAnswers(database_url, 1) as proxy, ragraph.open(proxy.url) as store:
        report = store.add_many([plain(number) for number in range(count)], model=None)
        assert proxy.lost == 1
        assert [(file.status, file.nodes) for file in report.files] == [("added", 5)] * count
        again = store.add_many([plain(number) for number in range(count)], model=None)
        assert [file.status for file in again.files] == ["unchanged"] * count
        assert store.check() == []


def test_no_more_go_together_than_the_server_has_locks_for(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adding, "DOCUMENTS", 3)
    together = written_together(monkeypatch)
    assert store.add_many([plain(number) for number in range(8)], model=None).ok
    assert [len(documents) for documents in together] == [3, 3, 2]


def test_of_documents_written_together_one_that_the_database_refuses_leaves_the_others(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(adding, "_PATIENCE_S", 60)
    caplog.set_level(logging.DEBUG, logger="ragraph")
    letters = random.Random(0)
    too_long = "".join(letters.choices("0123456789abcdef", k=20_000))  # for an index
    report = store.add_many([plain(0), plain(1, source_uri=too_long), plain(2)], model=None)
    assert [file.status for file in report.files] == ["added", "failed", "added"]
    (told,) = (vars(record) for record in caplog.records if record.message == "written one by one")
    assert told["documents"] == 3
    assert told["reason"] == report.files[1].reason
    assert [document.id for document in store.documents()] == ["dl_0", "dl_2"]
    assert store.check() == []


def test_two_drafts_with_one_id_follow_each_other(store: Store) -> None:
    report = store.add_many([plain(0), plain(0, tags=["own"]), plain(0, tags=["own"])], model=None)
    assert [file.status for file in report.files] == ["added", "changed", "unchanged"]


def test_a_draft_is_written_though_none_follows_yet(store: Store) -> None:
    def slowly() -> Iterator[DraftDocument]:
        for number in range(2):
            yield plain(number)
            deadline = time.monotonic() + 60
            while len(store.documents()) <= number:
                assert time.monotonic() < deadline, "the draft waits for the next"
                time.sleep(0.01)

    assert store.add_many(slowly(), model=None).ok


def test_vectors_of_a_draft_that_is_written_do_not_wait_for_two_more(
    store: Store, monkeypatch: pytest.MonkeyPatch, axes: Path
) -> None:
    started: list[Future[Any]] = []

    class Watched(ThreadPoolExecutor):
        def submit(self, *args: Any, **named: Any) -> Future[Any]:
            started.append(super().submit(*args, **named))
            return started[-1]

    def slowly() -> Iterator[DraftDocument]:
        for number in range(2):
            yield plain(number)
            wait(started)
        vectors = "SELECT count(*) FROM ragraph.embedding WHERE document_id = 'dl_0'"
        with store.database.read() as connection:
            assert connection.execute(vectors).fetchone() != (0,)

    monkeypatch.setattr(adding, "ThreadPoolExecutor", Watched)
    monkeypatch.setattr(embed_module, "BATCH", 1)
    assert store.add_many(slowly(), model=str(axes)).ok


def test_what_was_taken_before_an_error_of_the_program_is_written(store: Store) -> None:
    def breaking() -> Iterator[DraftDocument]:
        yield plain(0)
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        store.add_many(breaking(), model=None)
    assert [document.id for document in store.documents()] == ["dl_0"]


def test_of_a_server_that_is_gone_what_has_not_begun_does_not_wait_for_it(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each group would wait for the server for a minute, one after the other."""
    tried: list[int] = []
    closing = Event()

    def write(self: DraftWriter, made: Any) -> Any:
        tried.append(len(made))
        if len(tried) == 2:  # it has begun before the error of the first is known
            closing.wait(60)
        raise ServerUnavailableError("the server is gone")

    def waited(futures: Any) -> Any:
        closing.set()
        return wait(futures)

    monkeypatch.setattr(DraftWriter, "write", write)
    monkeypatch.setattr(adding, "wait", waited)
    monkeypatch.setattr(adding, "TOGETHER", 1)
    with pytest.raises(ServerUnavailableError):
        store.add_many([plain(number) for number in range(9)], model=None)
    assert 1 <= len(tried) <= 2
