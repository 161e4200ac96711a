"""Vectors in half precision: the same answers, exact over the rounded vectors, and back again."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
import psycopg
import pytest
from administrators import administrator
from command_line import CommandLine
from ingest_tools import WordModel, digest, rows
from psycopg.rows import tuple_row

import ragraph
from ragraph.base.queries import QUERIES
from ragraph.database import migrate
from ragraph.database.precision import half_vectors, store_vectors
from ragraph.database.retry import with_retry
from ragraph.database.roles import make_roles, with_role
from ragraph.documents import exporting
from ragraph.errors import ArgumentError, ConstraintError, RagraphError, ServerLoginError
from ragraph.ingest.draft import DraftDocument, DraftNode
from ragraph.ingest.vectors.embed import embed_documents
from ragraph.models.registry import register_model
from ragraph.schema.enums import ContentNodeType, Distance

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from ragraph import Store

SECTIONS, PARAGRAPHS = 4, 12
SAYINGS = ("Rivers carry snow.", "A mint strikes 12 coins daily!", "Nobody voted; why?")
"""Paragraphs of one version each."""
VECTOR_OF = """
    SELECT e.embedding_vector::text
    FROM ragraph.embedding AS e
    INNER JOIN ragraph.content_node AS n ON n.document_id = e.document_id AND n.id = e.node_id
    WHERE n.content = %s
"""
TYPES = "SELECT DISTINCT pg_typeof(embedding_vector)::text FROM ragraph.embedding"
INDEXES = "SELECT indisvalid, indexrelid::regclass::text FROM pg_index WHERE indexrelid::regclass::text LIKE '%hnsw%'"


class Dense(WordModel):
    """Makes vectors of 32 numbers that half precision rounds, so that rounded and other scores differ."""

    dimensions = 32

    def __init__(self, name: str = "dense", *, normalized: bool = True, scale: float = 1.0) -> None:
        super().__init__(name)
        self.normalized = normalized
        self.distance = Distance.COSINE if normalized else Distance.L2
        self.scale = scale

    def encode_documents(self, texts: Sequence[str]) -> Any:
        seeds = [int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) for text in texts]
        vectors = np.array([np.random.default_rng(seed).normal(size=self.dimensions) for seed in seeds], np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True) if self.normalized else vectors * self.scale


def library(number: int = 0, model: Any = None, **fields: Any) -> DraftDocument:
    """Return a document of sections with paragraphs; with a model it brings vectors of its own, of any length."""
    nodes = []
    for section in range(SECTIONS):
        nodes.append(DraftNode(key=f"h{section}", type=ContentNodeType.HEADING, text=f"Part {section}", level=1))
        for place in range(PARAGRAPHS):
            text = f"Sentence {number}.{section}.{place} of the book."
            given = {model.name: (model.encode_query(text + "!") * 3).tolist()} if model else {}
            nodes.append(DraftNode(key=f"{section}.{place}", type=ContentNodeType.PARAGRAPH, text=text, vectors=given))
    return DraftDocument(id=f"dl_{number}", nodes=nodes, **fields)


@pytest.fixture
def model() -> Dense:
    return Dense()


@pytest.fixture
def half(store: Store, model: Dense) -> Store:
    """A store of two documents, changed to half precision while it is open."""
    store.add_many([library(0), library(1)], model=model)
    assert store_vectors(store.database.url, half=True)
    return store


def exact(store: Store, query: Any, section: str | None = None) -> dict[str, float]:
    """Return the cosine of the rounded query with each stored vector, in float64, by node."""
    statement = """
        SELECT e.node_id, e.embedding_vector::real[]
        FROM ragraph.embedding AS e
        WHERE %s::text IS NULL OR e.document_id = 'dl_0' AND e.node_id IN (
            SELECT n.id FROM ragraph.nodes_in_component('dl_0', %s) AS n
        )
    """
    held = rows(store.database, statement, section, section)
    asked = np.asarray(query, np.float16).astype(np.float64)
    vectors = np.array([numbers for _, numbers in held], np.float32).astype(np.float64)
    assert np.array_equal(vectors, vectors.astype(np.float16))
    scores = vectors @ asked / np.linalg.norm(vectors, axis=1) / np.linalg.norm(asked)
    return dict(zip([node for node, _ in held], scores.tolist(), strict=True))


def found(store: Store, query: Any, model: Dense, k: int, **scope: Any) -> dict[str, float]:
    statement = "SELECT node_id, score FROM ragraph.search_vector(%s, %s, %s, scope => %s, exact_limit => %s)"
    limit = scope.pop("exact_limit", 40_000)
    return dict(rows(store.database, statement, query, model.name, k, psycopg.types.json.Jsonb(scope), limit))


@pytest.mark.parametrize("seed", range(5))
def test_searches_are_exact_over_the_rounded_vectors(half: Store, model: Dense, seed: int) -> None:
    query = model.encode_query(f"question {seed}")
    section = half.toc("dl_0")[seed % SECTIONS].component_id
    for k in (3, PARAGRAPHS, 1000):
        for scope, within in (({"document_ids": ["dl_0"], "component_id": section}, section), ({}, None)):
            true = exact(half, query, within)
            got = found(half, query, model, k, **scope)
            assert len(got) == min(k, len(true))
            assert list(got.values()) == pytest.approx(sorted(true.values(), reverse=True)[:k], abs=1e-6)
            assert all(true[node] == pytest.approx(score, abs=1e-6) for node, score in got.items())


@pytest.mark.parametrize("scale", [1e-8, 1e6])
def test_a_query_may_be_of_any_length(half: Store, model: Dense, scale: float) -> None:
    query = model.encode_query("question")
    with half.database.write() as connection:
        connection.execute("SELECT ragraph.ensure_vector_index('dense', 0)")
    for limit in (40_000, 0):
        got = found(half, query * np.float32(scale), model, 10, exact_limit=limit)
        assert got == pytest.approx(found(half, query, model, 10, exact_limit=limit), abs=1e-3)


def test_searches_meanwhile_find_k_while_k_exist(store: Store, model: Dense) -> None:
    """A snapshot from before the rewrite sees an empty table, so such a search begins anew."""
    store.add(library(), model=model)
    query, done = model.encode_query("question"), threading.Event()
    statement = "SELECT node_id FROM ragraph.search_vector(%(query)s, 'dense', 3, scope => %(scope)s)"

    def search(scope: dict[str, Any]) -> set[int]:
        counts, asked = set(), {"query": query, "scope": psycopg.types.json.Jsonb(scope)}
        while not done.is_set():
            counts.add(len(store.database.rows(statement, asked, tuple_row, prepare=None)))
        return counts

    with ThreadPoolExecutor() as pool:
        scopes: tuple[dict[str, Any], ...] = ({}, {"document_ids": ["dl_0"]}, {"filter": {"year": None}})
        searching = [pool.submit(search, scope) for scope in scopes]
        try:
            for half in (True, False) * 5:
                assert store_vectors(store.database.url, half=half)
        finally:
            done.set()
        assert [one.result() for one in searching] == [{3}] * 3


def test_a_transaction_that_began_before_the_rewrite_is_told(store: Store, model: Dense) -> None:
    store.add(library(), model=model)
    with store.database.read() as connection:
        connection.execute("SELECT count(*) FROM ragraph.document")
        assert store_vectors(store.database.url, half=True)
        with pytest.raises(psycopg.errors.SerializationFailure, match="were rewritten after this transaction began"):
            connection.execute("SELECT * FROM ragraph.search_vector(%s, 'dense', 3)", [model.encode_query("question")])
        connection.rollback()
    assert len(found(store, model.encode_query("question"), model, 3)) == 3


@pytest.mark.parametrize(
    "read",
    [
        lambda store: [len(model["parts"]) for model in exporting._vectors(store._ask.rows, "dl_0")],
        lambda store: [model.vectors for model in store.models()],
        lambda store: store.check(),
        lambda store: [n for _, n in rows(store.database, QUERIES["models_to_verify"])],
    ],
    ids=["export", "models", "check", "verify"],
)
def test_what_else_reads_vectors_does_not_miss_them_meanwhile(
    store: Store, model: Dense, read: Callable[[Store], Any]
) -> None:
    """Each waits for the rewrite with a snapshot from before it."""
    store.add(library(), model=model)
    before, waiting = read(store), "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
    with psycopg.connect(store.database.url) as other, ThreadPoolExecutor() as pool:
        other.execute("SELECT ragraph_private.store_vectors(true)")
        reading = pool.submit(with_retry, store.database, lambda: read(store))
        with psycopg.connect(store.database.url, autocommit=True) as watching:
            while watching.execute(waiting).fetchone() == (0,):
                time.sleep(0.01)
        other.commit()
    assert reading.result() == before


def test_own_constraints_are_kept(store: Store) -> None:
    """Only those on the vector or its length are made again; a text that has such a name in it stays as it is."""
    named = "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE conname LIKE 'own %' ORDER BY 1"
    with store.database.write() as connection:
        connection.execute(
            """ALTER TABLE ragraph.embedding
            ADD CONSTRAINT "own ""long"" ones" CHECK (dimensions < 5000) NOT VALID,
            ADD CONSTRAINT "own embedding_vector" CHECK (vector_dims(embedding_vector) > 1),
            ADD CONSTRAINT "own names" CHECK (model_name <> 'embedding_vector')"""
        )
    before = rows(store.database, named)
    assert store_vectors(store.database.url, half=True)
    assert store_vectors(store.database.url, half=False)
    assert rows(store.database, named) == before


def test_a_search_in_an_earlier_version_is_told_too(store: Store, model: Dense) -> None:
    store.keep_versions()
    store.add(library(), model=model)
    again = library()
    again.nodes.pop()
    store.add(again, model=model)

    def search(past: Store) -> Any:
        statement = "SELECT count(*) FROM ragraph_past.search_vector(%s, 'dense', 3)"
        return rows(past.database, statement, model.encode_query("question"))

    with store.as_of("dl_0", 1) as past:
        assert store_vectors(store.database.url, half=True)
        with pytest.raises(RagraphError, match="were rewritten after this transaction began"):
            search(past)
    with store.as_of("dl_0", 1) as past:
        assert search(past) == [(3,)]


def test_its_indexes_are_there_again_and_find_k_while_k_exist(store: Store, model: Dense) -> None:
    signs = Dense("signs")
    with store.database.write() as connection:
        for one in (model, signs):
            register_model(connection, one)
        connection.execute("UPDATE ragraph.embedding_model SET index_kind = 'bit' WHERE name = 'signs'")
    store.add_many([library(0), library(1)], model=model)
    embed_documents(store.database, signs)
    for name in ("dense", "signs"):
        with store.database.write() as connection:
            connection.execute("SELECT ragraph.ensure_vector_index(%s, 0)", [name])
    before = sorted(rows(store.database, INDEXES))
    assert len(before) == 2
    for half in (True, False):
        assert store_vectors(store.database.url, half=half)
        assert sorted(rows(store.database, INDEXES)) == before
        for one in (model, signs):
            held = rows(store.database, "SELECT count(*) FROM ragraph.embedding WHERE model_name = %s", one.name)[0][0]
            for k in (10, 1000):
                assert len(found(store, model.encode_query("x"), one, k, exact_limit=0)) == min(k, held)


def test_forth_and_back_leaves_rounded_vectors_and_the_table_as_it_was(store: Store, model: Dense) -> None:
    url = store.database.url
    store.add(library(), model=model)
    constraints = "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = %s::regclass"
    described = (
        "SELECT attname, format_type(atttypid, atttypmod), attnotnull, col_description(attrelid, attnum)"
        " FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped"
    )
    view = "SELECT pg_get_viewdef(oid), reloptions, relacl::text, relowner FROM pg_class WHERE oid = %s::regclass"
    live, past = "ragraph.embedding", "ragraph_past.embedding"

    def shape() -> list[Any]:
        asked = [(constraints, live), (described, live), (described, past), (view, past)]
        return [sorted(rows(store.database, *one), key=str) for one in asked]

    first, full = shape(), exact_numbers(store)
    assert not half_vectors(url)
    assert not store_vectors(url, half=False)
    assert store_vectors(url, half=True)
    assert half_vectors(url)
    assert rows(store.database, TYPES) == [("halfvec",)]
    assert not store_vectors(url, half=True)
    assert store_vectors(url, half=False)
    assert shape() == first
    assert exact_numbers(store) == rounded(full)
    assert store.check() == []


def exact_numbers(store: Store) -> dict[str, list[float]]:
    """Return all stored vectors by their nodes."""
    held = rows(store.database, "SELECT node_id, embedding_vector::real[] FROM ragraph.embedding")
    return {node: np.array(numbers, np.float32).tolist() for node, numbers in held}


def rounded(vectors: dict[str, list[float]]) -> dict[str, list[float]]:
    return {node: np.array(numbers, np.float16).tolist() for node, numbers in vectors.items()}


def test_ingesting_again_changes_nothing(half: Store, model: Dense) -> None:
    before = digest(half.database)
    assert half.add(library(), model=model).status == "unchanged"
    given = library(2, model)
    assert half.add(given, model=model).embeddings == SECTIONS * PARAGRAPHS
    for _ in range(3):
        report = half.add(given, model=model)
        assert (report.status, report.embeddings) == ("unchanged", 0)
        known = half.add_many([library(2, model), library(3, model)], model=model).files[0]
        assert (known.status, known.embeddings) == ("unchanged", 0)
    assert half.add_many([library(3, model)], model=model).files[0].status == "unchanged"
    for document in ("dl_2", "dl_3"):
        half.delete(document)
    assert digest(half.database) == before
    assert half.check() == []


def test_vectors_of_equal_texts_are_copied(half: Store, model: Dense) -> None:
    again = library(0).model_copy(update={"id": "dl_copy"})
    report = half.add(again, model=model)
    numbers = "SELECT embedding_vector::text FROM ragraph.embedding WHERE document_id = %s ORDER BY 1"
    assert report.embeddings
    assert rows(half.database, numbers, "dl_copy") == rows(half.database, numbers, "dl_0")


@pytest.mark.parametrize("to_half", [True, False])
def test_what_was_exported_is_imported_into_a_store_of_either_precision(
    half: Store, model: Dense, make_database: Callable[..., str], to_half: bool
) -> None:
    half.add(library(2, model), model=model)
    lines = list(half.export())
    with ragraph.open(make_database()) as other:
        if to_half:
            store_vectors(other.database.url, half=True)
        report = other.add_many(lines, model=None)
        assert {one.status for one in report.files} == {"added"}
        assert exact_numbers(other) == exact_numbers(half)
        assert list(other.export()) == lines
        assert {one.status for one in other.add_many(lines, model=None).files} == {"unchanged"}


def test_a_backup_comes_back_in_its_precision(half: Store, tmp_path: Path, make_database: Callable[..., str]) -> None:
    half.backup(tmp_path / "store.ragraph")
    other = make_database(schema=False)
    report = ragraph.restore(tmp_path / "store.ragraph", other)
    assert report.warnings == []
    with ragraph.open(other) as restored:
        assert half_vectors(other)
        assert digest(restored.database) == digest(half.database)
        assert restored.verify().ok


def test_versions_of_either_precision_are_searched_and_come_back(store: Store, model: Dense) -> None:
    store.keep_versions()
    first: dict[str, list[float]] | None = None
    asked: list[str] = []
    for place, half in enumerate((False, True, True)):
        draft = library()
        only = DraftNode(key=f"only {place}", type=ContentNodeType.PARAGRAPH, text=SAYINGS[place])
        draft.nodes.insert(14 * place + 1, only)
        store_vectors(store.database.url, half=half)
        store.add(draft, model=model)
        first = first or exact_numbers(store)
        asked += rows(store.database, VECTOR_OF, SAYINGS[place])[0]
    for half in (True, False):
        store_vectors(store.database.url, half=half)
        for version in (1, 2):
            said = SAYINGS[version - 1]
            with store.as_of("dl_0", version) as past, past.database.read() as connection:
                nearest = connection.execute(
                    "SELECT v.score, n.content FROM ragraph_past.search_vector(%s, 'dense', 1) AS v"
                    " INNER JOIN ragraph_past.content_node AS n ON v.node_id = n.id",
                    [np.array(json.loads(asked[version - 1]), np.float32)],
                ).fetchall()
            assert nearest == [(pytest.approx(1, abs=1e-6), said)]
    store_vectors(store.database.url, half=True)
    store.restore_version("dl_0", 1)
    assert exact_numbers(store) == rounded(first or {})
    assert store.check() == []


def test_a_number_out_of_range_is_refused_and_nothing_changes(store: Store) -> None:
    url = store.database.url
    great = Dense("great", normalized=False, scale=1e5)
    store.add(library(), model=great)
    before = digest(store.database)
    with pytest.raises(ArgumentError, match="beyond 65504") as refused:
        store_vectors(url, half=True)
    assert "\n" not in str(refused.value)
    assert not half_vectors(url)
    assert digest(store.database) == before
    store.delete("dl_0")
    assert store_vectors(url, half=True)
    with pytest.raises(RagraphError, match="beyond 65504"):
        store.add(library(), model=great)
    small = Dense("small", normalized=False, scale=1e-12)
    with pytest.raises(ConstraintError, match="not_zero"):
        store.add(library(1), model=small)


def test_a_store_that_was_open_continues(store: Store, model: Dense) -> None:
    """Its connections have prepared a statement whose result had the other type."""
    store.add(library(), model=model)

    def read() -> int:
        with store.database.read() as connection:
            query = {"document_id": "dl_0", "model_name": "dense", "with_vectors": True}
            return len(connection.execute(QUERIES["embedded"], query).fetchall())

    for half in (False, True, False):
        store_vectors(store.database.url, half=half)
        for _ in range(8):
            assert with_retry(store.database, read)


def test_functions_are_made_again_over_either_precision(half: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migrate, "_digest", lambda _: "of another version")
    assert migrate.upgrade(half.database.url)
    assert half_vectors(half.database.url)
    assert half.check() == []


def test_only_the_owner_changes_it(make_database: Callable[..., str]) -> None:
    url = administrator(make_database())
    make_roles(url)
    for role in ("ragraph_reader", "ragraph_writer"):
        own = with_role(url, role)
        assert not half_vectors(own)
        with pytest.raises(ServerLoginError, match=r"permission denied|owner"):
            store_vectors(own, half=True)
    assert store_vectors(with_role(url, "ragraph_owner"), half=True)


def test_the_command_tells_the_precision(
    store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = CommandLine(store.database.url, monkeypatch, capsys)
    assert command("db", "vectors").out == "vectors are stored in full precision\n"
    assert command("db", "vectors", "half").out == "vectors are stored in half precision, changed now\n"
    assert command("db", "vectors", "half").out == "vectors are stored in half precision, nothing to do\n"
    assert "vectors in half precision" in command("doctor").out
    told = json.loads(command("db", "vectors", "full", "--json").out)
    assert told == {"vectors": "full", "changed": True}
