"""Embedder: every document gets its vectors, whatever the others hold, and each costs the same."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import psycopg
import pytest
from lost_answers import LostAnswers

from ragraph.database.connection import Database
from ragraph.errors import LeaseLostError, ModelError, RagraphNotice
from ragraph.ingest.draft import DraftDocument, DraftNode
from ragraph.ingest.vectors import embed
from ragraph.models.embedding import load_model
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph import Store


def _status(store: Store, document: str) -> str:
    return store.document(document).document.processing_status.value


def test_a_text_the_model_makes_nothing_of_gets_no_vector_and_check_tells(
    store: Store, axes: Path, tmp_path: Path
) -> None:
    (tmp_path / "odd.md").write_text("# Weather\n\nThe rain.\n\nqqqq zzzz\n\n| a | b |\n| - | - |\n| snow | rain |\n")
    report = store.ingest(tmp_path / "odd.md", document_id="dl_odd", model=str(axes))
    assert report.ok, report
    assert _status(store, "dl_odd") == "completed"
    assert report.files[0].embeddings == 2
    (node,) = [node for node in store.nodes("dl_odd") if "qqqq" in node.content]
    (told,) = store.check("dl_odd")
    assert (told.rule, told.object_id) == ("texts of embedded documents have a vector", node.id)
    assert "under the model axes" in told.detail
    assert store.check() == [told]
    assert store.ingest(tmp_path / "odd.md", document_id="dl_odd", model=str(axes)).files[0].status == "unchanged"
    assert "qqqq zzzz" not in {hit.content for hit in store.search("rain", model="axes")}


def test_a_document_of_nothing_but_such_texts_completes(store: Store, axes: Path, tmp_path: Path) -> None:
    (tmp_path / "odd.txt").write_text("qqqq zzzz\n")
    assert store.ingest(tmp_path / "odd.txt", document_id="dl_odd", model=str(axes)).ok
    assert _status(store, "dl_odd") == "completed"
    assert [told.object_id for told in store.check()] == [node.id for node in store.nodes("dl_odd")]


def test_a_vector_that_is_not_finite_fails_its_document_alone(
    store: Store, axes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "good.txt").write_text("The rain.\n")
    (tmp_path / "bad.txt").write_text("The snow.\n")
    for name in ("good", "bad"):
        assert store.ingest(tmp_path / f"{name}.txt", document_id=f"dl_{name}", model=None).ok
    model = load_model(str(axes), name="sometimes broken")
    found = model._compute

    def broken(texts: list[str], **how: Any) -> Any:
        vectors = found(texts, **how)
        vectors[["snow" in text for text in texts]] = np.nan
        return vectors

    monkeypatch.setattr(model, "_compute", broken)
    with pytest.raises(ModelError, match="not finite"):
        embed.embed_documents(store.database, model)
    with pytest.warns(RagraphNotice, match="'sometimes broken' lacks vectors of some documents"):
        assert store.search("rain", model="sometimes broken")[0].document_id == "dl_good"


def _plain(store: Store, tmp_path: Path, count: int) -> list[str]:
    """Take documents of a title and two paragraphs in, without vectors; return their ids."""
    for number in range(count):
        (tmp_path / f"{number}.md").write_text(f"# Weather {number}\n\nThe rain of {number}.\n\nSnow, {number}.\n")
    assert store.ingest(tmp_path, model=None).ok
    return sorted(document.id for document in store.documents())


def _transactions(store: Store) -> dict[str, set[str]]:
    """Which transactions wrote the vectors of each document."""
    found: dict[str, set[str]] = {}
    with store.database.read() as connection:
        for document_id, by in connection.execute("SELECT document_id, xmin::text FROM ragraph.embedding"):
            found.setdefault(document_id, set()).add(by)
    return found


def test_vectors_of_small_documents_share_a_transaction(store: Store, axes: Path, tmp_path: Path) -> None:
    ids = _plain(store, tmp_path, 5)
    report = embed.embed_documents(store.database, load_model(str(axes)))
    assert (report.documents, report.embeddings, report.by_document) == (5, 10, dict.fromkeys(ids, 2))
    wrote = _transactions(store)
    assert sorted(wrote) == ids
    assert len(set.union(*wrote.values())) == 1
    assert not store.check()
    assert {_status(store, name) for name in ids} == {"completed"}
    assert embed.embed_documents(store.database, load_model(str(axes))).embeddings == 0


def test_a_lease_that_is_lost_takes_no_vectors_from_the_others(store: Store, axes: Path, tmp_path: Path) -> None:
    first, *others = _plain(store, tmp_path, 4)
    done: list[str] = []
    lost: list[str] = []

    def guard(_: Any, document_id: str) -> None:
        if document_id == first:
            raise LeaseLostError("taken over")

    embedder = embed.Embedder(
        store.database, load_model(str(axes)), guard=guard, finished=done.append, lost=lost.append
    )
    for name in (first, *others):
        embedder.embed_document(name)
    embedder.encode_rest()
    assert (sorted(done), lost) == (others, [first])
    assert sorted(_transactions(store)) == others
    assert dict(embedder.written) == dict.fromkeys(others, 2)


def test_of_documents_embedded_together_one_that_changed_is_planned_again_and_one_with_vectors_keeps_them(
    store: Store, axes: Path, tmp_path: Path, database_url: str
) -> None:
    ids = _plain(store, tmp_path, 4)
    model = load_model(str(axes))
    done: list[str] = []
    embedder = embed.Embedder(store.database, model, finished=done.append)
    for name in ids:
        embedder.embed_document(name)
    embed.embed_documents(store.database, model, [ids[0]])
    (tmp_path / "1.md").write_text("# Weather 1\n\nThe rain of another day.\n\nSnow, 1.\n\nMore rain.\n")
    changed = store.ingest(tmp_path / "1.md", model=None).files[0].document_id
    with psycopg.connect(database_url) as away:
        away.execute("DELETE FROM ragraph.document WHERE id = %s", [next(n for n in ids[1:] if n != changed)])
    embedder.encode_rest()
    left = sorted(document.id for document in store.documents())
    assert sorted(set(done)) == left
    assert not store.check()
    assert {_status(store, name) for name in left} == {"completed"}
    assert len(left) == 3
    with store.database.read() as connection:
        counts = dict(connection.execute("SELECT document_id, count(*) FROM ragraph.embedding GROUP BY 1").fetchall())
    assert counts == {name: 3 if name == changed else 2 for name in left}


@pytest.mark.parametrize("count", [1, 4])
@pytest.mark.parametrize("table", ["document", "content_node"])
def test_what_is_deleted_while_it_is_embedded_takes_no_vectors_from_the_others(
    store: Store, axes: Path, tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch, count: int, table: str
) -> None:
    """Between the look at the documents and the writing of their vectors."""
    ids = _plain(store, tmp_path, count)
    copy, deleted = embed.Embedder._copy, ids[count // 2]
    delete = {
        "document": "DELETE FROM ragraph.document WHERE id = %s",
        "content_node": "DELETE FROM ragraph.content_node WHERE document_id = %s AND content LIKE 'Snow%%'",
    }[table]

    def late(self: embed.Embedder, connection: Any, batch: Any) -> None:
        with psycopg.connect(database_url) as away:
            away.execute(delete, [deleted])
        copy(self, connection, batch)

    monkeypatch.setattr(embed.Embedder, "_copy", late)
    report = embed.embed_documents(store.database, load_model(str(axes)))
    left = {} if table == "document" else {deleted: 1}
    assert report.by_document == {name: 2 for name in ids if name != deleted} | left
    assert sorted(_transactions(store)) == sorted(report.by_document)
    assert {_status(store, name) for name in report.by_document} <= {"completed"}


def test_a_draft_that_is_deleted_while_it_is_embedded_is_added_without_vectors(
    store: Store, axes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = embed.Embedder._copy
    drafts = [
        DraftDocument(id=f"dl_{n}", nodes=[DraftNode(key="p", type=ContentNodeType.PARAGRAPH, text=f"Rain of {n}.")])
        for n in range(4)
    ]

    def late(self: embed.Embedder, connection: Any, batch: Any) -> None:
        if any(found.id == "dl_2" for found in store.documents()):
            store.delete("dl_2")
        copy(self, connection, batch)

    monkeypatch.setattr(embed.Embedder, "_copy", late)
    report = store.add_many(drafts, model=str(axes))
    assert [(file.status, file.embeddings) for file in report.files] == [("added", int(n != 2)) for n in range(4)]
    assert sorted(_transactions(store)) == ["dl_0", "dl_1", "dl_3"]


@pytest.mark.parametrize("count", [1, 4])
def test_vectors_are_told_though_the_answer_to_their_commit_is_lost(
    store: Store, axes: Path, tmp_path: Path, database_url: str, count: int
) -> None:
    ids = _plain(store, tmp_path, count)
    embed.embed_documents(store.database, load_model(str(axes)), [])
    with LostAnswers(database_url, 1) as proxy, Database(proxy.url) as through:
        report = embed.embed_documents(through, load_model(str(axes)))
        assert proxy.lost == 1
    assert report.by_document == dict.fromkeys(ids, 2)
    assert sorted(_transactions(store)) == ids


class _Watched(Counter[str]):
    """Counts how many of its entries are looked at."""

    looked_at = 0

    def items(self) -> Any:
        self.looked_at += len(self)
        return super().items()

    def values(self) -> Any:
        self.looked_at += len(self)
        return super().values()

    def __iadd__(self, other: Any) -> Any:  # type: ignore[misc]  # Counter itself says so
        self.looked_at += len(self)
        return super().__iadd__(other)


def test_each_document_costs_the_same_however_many_came_before(
    store: Store, axes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = []
    for number in range(12):
        files.append(tmp_path / f"{number}.txt")
        files[-1].write_text("\n\n".join(f"The rain of {number} {paragraph}." for paragraph in range(3)) + "\n")
    assert store.ingest(files, model=None).ok
    monkeypatch.setattr(embed, "BATCH", 2)
    told: list[int] = []
    embedder = embed.Embedder(store.database, load_model(str(axes)), progress=lambda event: told.append(event.done))
    embedder.written = watched = _Watched()
    planned: list[int] = []
    plan = embedder._plan

    def counted(*given: Any) -> Any:
        planned.append(1)
        return plan(*given)

    monkeypatch.setattr(embedder, "_plan", counted)
    for document in store.documents():
        embedder.embed_document(document.id)
    embedder.encode_rest()
    assert sum(dict.values(watched)) == 36 == told[-1]
    assert len(planned) == 12
    assert watched.looked_at == 0
