"""How far searches look through a vector index is measured on the store, kept with the model, and used."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import psycopg
import pytest
from factories import insert, make_model, make_tree, sha256
from ingest_tools import rows
from typer.testing import CliRunner

import ragraph
from ragraph.faces.cli import app
from ragraph.ingest.vectors import calibrating, maintenance
from ragraph.models.embedding import DEFAULT_MODEL
from ragraph.schema.enums import Distance

if TYPE_CHECKING:
    from ragraph.database.connection import Database

    Connection = psycopg.Connection[tuple[Any, ...]]

DIMENSIONS = 64
NODES = 2000
VECTORS = np.random.default_rng(5).standard_normal((NODES, DIMENSIONS)).astype(np.float32)
"""Scattered everywhere: nothing is harder for an index."""
MEASURED = "SELECT ef_search, index_recall, measured_vectors FROM ragraph.embedding_model WHERE name = 'far'"
HAVE_INDEX = "SELECT ragraph.ensure_vector_index('far', 1)"


def _fill(connection: Connection, distance: str = "cosine", model: str = "far") -> None:
    make_model(connection, model, dimensions=DIMENSIONS, distance=distance, normalized=False)
    make_tree(connection, "dl_far", sections=0, nodes=0, embed=False)
    connection.execute(
        "INSERT INTO ragraph.content_node (document_id, id, content_node_type, content, sequence_in_parent_major,"
        " sequence_in_document, content_hash) SELECT 'dl_far', 'cn_' || n, 'PARAGRAPH', 'Node ' || n, n, n, %s"
        " FROM generate_series(0, %s) AS n",
        [sha256("Node"), NODES - 1],
    )
    connection.cursor().executemany(
        "INSERT INTO ragraph.embedding (document_id, id, node_id, model_name, char_start, char_end, content_hash,"
        " embedding_vector, normalized) VALUES ('dl_far', %s, %s, %s, 0, 1, %s, %s, false)",
        [(f"em_{n}", f"cn_{n}", model, sha256("Node"), vector) for n, vector in enumerate(VECTORS)],
    )


def _found(connection: Connection, question: Any) -> set[str]:
    asked = "SELECT node_id FROM ragraph.search_vector(%s, 'far', 10, exact_limit => 0)"
    return {node for (node,) in connection.execute(asked, [question])}


def _recall(connection: Connection) -> float:
    """Of the ten nearest to questions that the store has not seen, by the index."""
    connection.execute("SET LOCAL enable_seqscan = off")
    questions = np.random.default_rng(6).standard_normal((40, DIMENSIONS)).astype(np.float32)
    unit = VECTORS / np.linalg.norm(VECTORS, axis=1, keepdims=True)
    best = np.argsort(-(questions @ unit.T), axis=1)[:, :10]
    found = [
        len(_found(connection, question) & {f"cn_{number}" for number in near})
        for question, near in zip(questions, best, strict=True)
    ]
    return sum(found) / (10 * len(questions))


def test_searches_look_as_far_as_was_measured(database: Database) -> None:
    with database.write() as connection:
        _fill(connection)
        connection.execute("ANALYZE ragraph.embedding")
    assert rows(database, MEASURED) == [(None, None, None)]
    assert maintenance.build_index(database, "far", 1) == ()
    ((ef_search, recall, vectors),) = rows(database, MEASURED)
    assert ef_search > calibrating.LADDER[0], "scattered vectors take more than others"
    assert recall >= calibrating.ENOUGH
    assert vectors == NODES
    with database.read() as connection:
        assert _recall(connection) >= 0.98
    with database.write() as connection:
        connection.execute("UPDATE ragraph.embedding_model SET ef_search = 1")
        assert _recall(connection) < 0.98
        connection.execute("SET LOCAL ragraph.ef_search = 1000")
        assert _recall(connection) >= 0.99, "the caller's own number wins"


def test_what_was_not_measured_is_looked_at_as_before(connection: Connection) -> None:
    _fill(connection)
    connection.execute(HAVE_INDEX)
    connection.execute("ANALYZE ragraph.embedding")
    before = _recall(connection)
    connection.execute("SET LOCAL ragraph.ef_search = 200")
    assert _recall(connection) == before


def test_an_index_is_measured_again_when_it_has_grown_by_half(database: Database) -> None:
    with database.write() as connection:
        _fill(connection)
    assert maintenance.build_index(database, "far", 1) == ()
    with database.write() as connection:
        connection.execute("UPDATE ragraph.embedding_model SET ef_search = 7, measured_vectors = 1500")
    assert maintenance.build_index(database, "far", 1) == ()
    assert rows(database, MEASURED)[0][0] == 7
    with database.write() as connection:
        connection.execute("UPDATE ragraph.embedding_model SET measured_vectors = 1000")
    assert maintenance.build_index(database, "far", 1) == ()
    assert rows(database, MEASURED)[0][::2] != (7, 1000)


def test_one_session_measures_and_the_others_go_on(database: Database) -> None:
    with database.write() as connection:
        _fill(connection)
        connection.execute(HAVE_INDEX)
    with database.write() as other:
        other.execute("SELECT pg_advisory_xact_lock(hashtextextended('far', 8241982534023407621))")
        assert maintenance.measure_index(database, "far") == ()
    assert rows(database, MEASURED) == [(None, None, None)]


@pytest.mark.parametrize("distance", list(Distance))
def test_what_is_nearest_is_what_an_exact_search_finds(connection: Connection, distance: Distance) -> None:
    _fill(connection, distance)
    questions = calibrating.strayed(VECTORS[:10], distance)
    assert questions.shape == (10, DIMENSIONS)
    for question, scores in zip(questions, calibrating.nearest(connection, "far", questions, distance), strict=True):
        asked = "SELECT score FROM ragraph.search_vector(%s, 'far', 10, exact_limit => 100000)"
        exact = [score for (score,) in connection.execute(asked, [question])]
        assert scores == pytest.approx(exact, rel=1e-4, abs=1e-4)


def test_of_nodes_in_several_parts_the_best_one_counts(connection: Connection) -> None:
    make_model(connection, "far", dimensions=2)
    make_tree(connection, "dl_far", sections=0, nodes=0, embed=False)
    for number in range(12):
        insert(
            connection,
            "content_node",
            document_id="dl_far",
            id=f"cn_{number}",
            content_node_type="PARAGRAPH",
            sequence_in_parent_major=number,
            content=f"Node {number}",
            sequence_in_document=number,
            content_hash=sha256(f"Node {number}"),
        )
        for part in range(3):
            angle = (number + part / 4) / 10
            insert(
                connection,
                "embedding",
                document_id="dl_far",
                id=f"em_{number}_{part}",
                node_id=f"cn_{number}",
                model_name="far",
                part=part,
                char_start=part,
                char_end=part + 1,
                content_hash=sha256(f"Node {number} {part}"),
                embedding_vector=np.array([np.cos(angle), np.sin(angle)], dtype=np.float32),
                normalized=True,
            )
    question = np.array([[1.0, 0.0]], dtype=np.float32)
    (scores,) = calibrating.nearest(connection, "far", question, Distance.COSINE)
    assert scores == pytest.approx([np.cos(number / 10) for number in range(10)], abs=1e-5)


def test_another_kind_of_index_is_measured_anew(database: Database) -> None:
    with database.write() as connection:
        _fill(connection)
    with ragraph.open(database.url) as store:
        assert store.measure_index("far").ef_search is None, "nothing to measure without an index"
        assert maintenance.build_index(database, "far", 1) == ()
        model = store.models()[-1]
        assert model.ef_search is not None
        assert model.measured_vectors == NODES
        with database.write() as connection:
            connection.execute("UPDATE ragraph.embedding_model SET ef_search = 7")
        assert store.index_model("far", "bit").ef_search is None, "that was of the other kind"
    assert maintenance.build_index(database, "far", 1) == ()
    assert rows(database, MEASURED) == [(None, None, None)], "signs are looked at as before"


def test_the_commands_say_what_was_measured(database: Database) -> None:
    with database.write() as connection:
        _fill(connection)
        connection.execute(HAVE_INDEX)
    environment = {"RAGRAPH_DATABASE_URL": database.url, "COLUMNS": "200"}
    told = CliRunner().invoke(app, ["models", "measure", "far", "--json"], env=environment)
    assert told.exit_code == 0, told.output
    measured = json.loads(told.stdout)
    ((ef_search, recall, _),) = rows(database, MEASURED)
    assert (measured["ef_search"], measured["index_recall"]) == (ef_search, recall)
    listed = CliRunner().invoke(app, ["models", "list"], env=environment)
    assert f"halfvec, {ef_search} candidates find" in listed.stdout


def test_the_doctor_says_what_was_measured_and_when_the_index_has_grown_since(database: Database) -> None:
    with database.write() as connection:
        _fill(connection, model=DEFAULT_MODEL)
    assert maintenance.build_index(database, DEFAULT_MODEL, 1) == ()

    def said() -> str:
        with ragraph.open(database.url) as store:
            return next(item.detail for item in store.doctor() if item.what == f"model {DEFAULT_MODEL}")

    assert "candidates of its index found" in said()
    assert "when it held" not in said()
    with database.write() as connection:
        connection.execute("UPDATE ragraph.embedding_model SET measured_vectors = 100")
    assert f"when it held 100 vectors, now {NODES:,}" in said()


@pytest.mark.parametrize("own", ["abc", "0", "-1", "1001"])
def test_a_number_of_candidates_that_none_can_look_at_is_an_error(connection: Connection, own: str) -> None:
    _fill(connection)
    connection.execute("SELECT set_config('ragraph.ef_search', %s, true)", [own])
    with pytest.raises(psycopg.Error, match=r"ragraph\.ef_search is") as caught:
        _found(connection, VECTORS[0])
    assert caught.value.sqlstate == "RG005"


def test_where_time_runs_out_searches_look_no_less_far_than_before(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    with database.write() as connection:
        _fill(connection)
    monkeypatch.setattr(calibrating, "_PATIENCE_S", -1.0)
    assert maintenance.build_index(database, "far", 1) == ()
    ((ef_search, recall, _),) = rows(database, MEASURED)
    assert (ef_search,) == rows(database, "SELECT ragraph_private.usual_candidates()")[0]
    assert recall < calibrating.ENOUGH
