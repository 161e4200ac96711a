"""The index of a model may hold the signs of vectors alone; searches keep what they promise, whatever it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import psycopg
import pytest
from factories import insert, make_model, make_tree, sha256
from ingest_tools import rows
from tiny_models import save_word_axes
from typer.testing import CliRunner

import ragraph
from ragraph.errors import ArgumentError, ModelError
from ragraph.faces.cli import app
from ragraph.ingest.vectors import maintenance
from ragraph.models.registry import register_model

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from ragraph.database.connection import Database

    Connection = psycopg.Connection[tuple[Any, ...]]

DIMENSIONS = 64
NODES = 600
INDEXES = "SELECT i.index_kind::text FROM ragraph_private.vector_indexes('signs') AS i ORDER BY 1"


def _vectors() -> NDArray[np.float32]:
    """Vectors around 30 topics, as those of texts stand."""
    draw = np.random.default_rng(3)
    vectors = draw.standard_normal((30, DIMENSIONS))[np.arange(NODES) % 30] + draw.standard_normal((NODES, DIMENSIONS))
    made: NDArray[np.float32] = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return made


VECTORS = _vectors()
QUESTION = VECTORS[7] + 0.3 * VECTORS[8]
NEAREST = [f"dl_{node % 3}/cn_{node // 3}" for node in np.argsort(-(VECTORS @ QUESTION))]


def _fill(connection: Connection, *, kind: str = "bit", equal: bool = False) -> None:
    """Three documents of two sections of a hundred nodes, with a vector each."""
    make_model(connection, "signs", dimensions=DIMENSIONS, index_kind=kind)
    for document in range(3):
        make_tree(connection, f"dl_{document}", sections=0, nodes=0, embed=False)
        for section in range(2):
            insert(
                connection,
                "document_component",
                document_id=f"dl_{document}",
                id=f"cmp_s{section}",
                component_type="SECTION",
                depth=0,
                sequence_in_parent_major=section + 100,
                first_sequence=100 * section,
                last_sequence=100 * section + 99,
            )
    for node, found in enumerate(VECTORS):
        inside, place = f"dl_{node % 3}", node // 3
        insert(
            connection,
            "content_node",
            document_id=inside,
            id=f"cn_{place}",
            parent_component_id=f"cmp_s{place // 100}",
            content_node_type="TABLE" if place % 50 == 3 else "PARAGRAPH",
            content=f"Node {node}",
            sequence_in_parent_major=place % 100,
            sequence_in_document=place,
            content_hash=sha256(str(node)),
        )
        insert(
            connection,
            "embedding",
            document_id=inside,
            id=f"em_{place}",
            node_id=f"cn_{place}",
            model_name="signs",
            char_start=0,
            char_end=4,
            content_hash=sha256(str(node)),
            embedding_vector=VECTORS[node % 5] if equal else found,
            normalized=True,
        )


def _search(connection: Connection, k: int = 10, **scope: Any) -> list[str]:
    given = "".join(f", {name} => %({name})s" for name in scope)
    found = connection.execute(
        "SELECT s.document_id || '/' || s.node_id FROM ragraph.search_vector(%(query)s::vector, 'signs', %(k)s"
        f"{given}) AS s ORDER BY s.rank",
        {"query": str(QUESTION.tolist()), "k": k, **scope},
    ).fetchall()
    return [hit for (hit,) in found]


def _way(connection: Connection, **scope: Any) -> tuple[list[str], str]:
    """Return the hits, and what ``explain`` says."""
    said: list[str] = []
    connection.add_notice_handler(lambda told: said.append(told.message_detail or ""))
    connection.execute("SET LOCAL ragraph.explain = 'on'")
    return _search(connection, **scope), " ".join(said)


@pytest.fixture
def signs(connection: Connection) -> Connection:
    _fill(connection)
    assert connection.execute("SELECT ragraph.ensure_vector_index('signs', 1)").fetchone() == (True,)
    connection.execute("ANALYZE ragraph.embedding")
    connection.execute("SET LOCAL enable_seqscan = off")
    return connection


def test_the_index_holds_signs_and_what_it_finds_is_ranked_by_whole_vectors(signs: Connection) -> None:
    (definition,) = signs.execute(
        "SELECT indexdef FROM pg_indexes WHERE indexname LIKE 'embedding_hnsw_bit_%'"
    ).fetchone() or ("",)
    assert "bit(64)" in definition
    assert "bit_hamming_ops" in definition
    found, said = _way(signs, exact_limit=0)
    assert '"way": "index"' in said
    assert found == NEAREST[:10]
    (scanned,) = signs.execute(
        "SELECT sum(pg_stat_get_xact_numscans(c.oid)) FROM pg_class AS c WHERE c.relname LIKE 'embedding_hnsw_bit_%'"
    ).fetchone() or (0,)
    assert scanned == 1


def test_it_brings_k_while_there_are_k(signs: Connection) -> None:
    for k in (1, 100, NODES, NODES + 5):
        assert len(set(_search(signs, k, exact_limit=0))) == min(k, NODES)
    tables = _search(signs, 12, exact_limit=0, node_types=["TABLE"])
    assert tables == [hit for hit in NEAREST if int(hit.partition("_")[2].partition("cn_")[2]) % 50 == 3][:12]


def test_equal_signs_do_not_cost_results(connection: Connection) -> None:
    _fill(connection, equal=True)
    connection.execute("SELECT ragraph.ensure_vector_index('signs', 1)")
    for k in (10, 130, NODES):
        assert len(set(_search(connection, k, exact_limit=0))) == k


def test_sections_are_searched_exactly(signs: Connection) -> None:
    found, said = _way(signs, k=5, exact_limit=0, document_ids=["dl_1"], component_ids=["cmp_s1"])
    assert "exact: within sections" in said
    inside = [hit for hit in NEAREST if hit.startswith("dl_1/") and int(hit.rpartition("_")[2]) >= 100]
    assert found == inside[:5]


def test_going_from_one_kind_to_the_other_searches_are_served_by_what_is_there(signs: Connection) -> None:
    signs.execute("UPDATE ragraph.embedding_model SET index_kind = 'halfvec'")
    found, said = _way(signs, exact_limit=0)
    assert '"way": "index"' in said
    assert found == NEAREST[:10]
    assert signs.execute(INDEXES).fetchall() == [("bit",)]
    assert signs.execute("SELECT ragraph.ensure_vector_index('signs', 1)").fetchone() == (True,)
    assert signs.execute(INDEXES).fetchall() == [("halfvec",)]
    assert _search(signs, exact_limit=0) == NEAREST[:10]


def test_others_read_and_write_while_the_kind_changes(database: Database) -> None:
    with database.write() as connection:
        _fill(connection, kind="halfvec")
    assert maintenance.build_index(database, "signs", 1) == ()
    with database.write() as connection:
        connection.execute("UPDATE ragraph.embedding_model SET index_kind = 'bit'")
    assert maintenance.build_index(database, "signs", NODES + 1) == ()
    assert rows(database, INDEXES) == [("halfvec",)]  # too few for an index by now: the old one goes on
    assert maintenance.build_index(database, "signs", 1) == ()
    assert rows(database, INDEXES) == [("bit",)]
    assert maintenance.build_index(database, "signs", 1) == ()
    with database.read() as connection:
        assert _search(connection, exact_limit=0) == NEAREST[:10]


def test_an_old_index_that_a_kill_left_goes_with_the_next_run(database: Database) -> None:
    with database.write() as connection:
        _fill(connection, kind="halfvec")
    assert maintenance.build_index(database, "signs", 1) == ()
    with database.write() as connection:
        connection.execute("UPDATE ragraph.embedding_model SET index_kind = 'bit'")
        (plan,) = connection.execute(
            "SELECT statement FROM ragraph_private.vector_index_plan('signs', 1, false)"
        ).fetchone() or ("",)
        connection.execute(plan)
    assert rows(database, INDEXES) == [("bit",), ("halfvec",)]
    assert maintenance.build_index(database, "signs", 1) == ()
    assert rows(database, INDEXES) == [("bit",)]


def test_vectors_too_long_for_half_precision_have_an_index_of_signs(connection: Connection) -> None:
    make_tree(connection, sections=1, nodes=1, embed=False)
    make_model(connection, "long", dimensions=4001, index_kind="bit")
    insert(
        connection,
        "embedding",
        document_id="dl_a",
        id="em_long",
        node_id="cn_1",
        model_name="long",
        char_start=0,
        char_end=1,
        content_hash=sha256("long"),
        embedding_vector=[1.0] + [0.0] * 4000,
        normalized=True,
    )
    assert connection.execute("SELECT ragraph.ensure_vector_index('long', 1)").fetchone() == (True,)


def test_the_euclidean_distance_is_refused(connection: Connection) -> None:
    with pytest.raises(psycopg.errors.CheckViolation), connection.transaction():
        make_model(connection, "euclid", distance="l2", index_kind="bit")


def test_the_face_of_it(database_url: str, tmp_path: Path) -> None:
    folder = str(save_word_axes(tmp_path / "axes"))
    (tmp_path / "weather.md").write_text("# Weather\n\nThe cost of rain.\n\nA cost of snow.\n\nRain.\n")
    with ragraph.open(database_url) as store:
        assert store.add_model(folder, index_kind="bit").index_kind == "bit"
        assert store.ingest(tmp_path / "weather.md", model="axes").ok
        store.switch_model("axes")
        with store.database.write() as connection:
            connection.execute("SELECT ragraph.ensure_vector_index('axes', 1)")
        (model,) = store.models()
        assert (model.index_kind, model.indexed) == ("bit", True)
        assert store.search("rain", mode="vector")[0].content == "Rain."
        model = store.index_model("axes", "halfvec")  # too few vectors: the old one stays until there are more
        assert (model.index_kind, model.indexed) == ("halfvec", True)
        with pytest.raises(ArgumentError, match="index_kind"):
            store.index_model("axes", "int8")  # type: ignore[arg-type]
        with store.database.write() as connection:
            connection.execute("UPDATE ragraph.embedding_model SET distance = 'l2'")
        with pytest.raises(ModelError, match="'axes' is made for the Euclidean distance"):
            store.index_model("axes", "bit")
    run = CliRunner().invoke(app, ["--url", database_url, "models", "index", "axes", "halfvec"])
    assert "the index of axes holds halfvec vectors" in run.output
    wrong = CliRunner().invoke(app, ["--url", database_url, "models", "index", "axes", "int8"])
    assert wrong.exit_code == 2


def test_a_dropped_model_leaves_no_index_of_signs(database: Database, tmp_path: Path) -> None:
    from ragraph.models.embedding import load_model
    from ragraph.schema.enums import IndexKind

    model = load_model(str(save_word_axes(tmp_path / "axes")))
    with database.write() as connection:
        register_model(connection, model, IndexKind.BIT)
        connection.execute("SELECT ragraph.ensure_vector_index('axes', 0)")
    with ragraph.open(database.url) as store:
        assert store.drop_model("axes").index_kind == "bit"
    assert rows(database, "SELECT 1 FROM pg_class WHERE relname LIKE 'embedding_hnsw%'") == []
