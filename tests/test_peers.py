"""Ten mistakes that users of other stores reported, and one more: a test for each, by its name.

Thin on purpose: each feature is tested in full where it is.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, LiteralString, cast

import psycopg
import pytest
from factories import make_document, make_embedding, make_model, make_node, make_tree, rolled_back
from ingest_drafts import DOCUMENT
from ingest_tools import WordModel, rows
from psycopg.errors import ForeignKeyViolation
from psycopg.types.json import Jsonb

from ragraph import errors
from ragraph.ingest.common.graph_rows import DocumentRow
from ragraph.ingest.draft import Draft, DraftNode, DraftPage, Position
from ragraph.ingest.storing.linking import ingest_draft
from ragraph.ingest.vectors.embed import embed_documents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ragraph.database.connection import Database

    Connection = psycopg.Connection[tuple[Any, ...]]

CALLS: dict[str, LiteralString] = {
    "vector": "search_vector('[1,0,0]', 'tiny', %(k)s",
    "text": "search_text('water', %(k)s",
    "hybrid": "search_hybrid('water', '[1,0,0]', 'tiny', %(k)s",
}


def search(connection: Connection, method: str, k: int, arguments: LiteralString = "") -> list[tuple[str, str]]:
    return connection.execute(
        f"SELECT document_id, node_id FROM ragraph.{CALLS[method]}{arguments}) ORDER BY rank", {"k": k}
    ).fetchall()


def scans(connection: Connection, index: str) -> int:
    row = connection.execute("SELECT pg_stat_get_xact_numscans(%s::regclass::oid)", [f"ragraph.{index}"]).fetchone()
    assert row
    return int(row[0])


def _fill(connection: Connection) -> None:
    """12,000 nodes with vectors in twelve documents of collection "many", twelve in one of "few"; one in a thousand
    is a TABLE."""
    make_model(connection)
    connection.execute(
        """
        INSERT INTO ragraph.publication (id, title, collection)
        SELECT 'pub_' || d, 'P', CASE WHEN d = 0 THEN 'few' ELSE 'many' END FROM generate_series(0, 12) AS d;
        INSERT INTO ragraph.document (id, publication_id, collection)
        SELECT 'dl_' || d, 'pub_' || d, CASE WHEN d = 0 THEN 'few' ELSE 'many' END FROM generate_series(0, 12) AS d;
        INSERT INTO ragraph.content_node (document_id, id, content_node_type, content, sequence_in_parent_major,
            sequence_in_document, content_hash, collection)
        SELECT 'dl_' || d, 'cn_' || n, CASE WHEN n = 500 THEN 'TABLE' ELSE 'PARAGRAPH' END::ragraph.content_node_type,
            'Some water ' || d * n, n, n, repeat('0', 64), CASE WHEN d = 0 THEN 'few' ELSE 'many' END
        FROM generate_series(0, 12) AS d, generate_series(0, CASE WHEN d = 0 THEN 11 ELSE 999 END) AS n;
        INSERT INTO ragraph.embedding (document_id, id, node_id, model_name, char_start, char_end, content_hash,
            embedding_vector, normalized, collection)
        SELECT n.document_id, 'em_' || n.id, n.id, 'tiny', 0, 1, repeat('0', 64),
            ARRAY[cos(x.angle), sin(x.angle), 0]::vector, true, n.collection
        FROM ragraph.content_node AS n
        CROSS JOIN LATERAL (SELECT hashtext(n.document_id || n.id) / 1e6 AS angle) AS x;
        ANALYZE ragraph.content_node; ANALYZE ragraph.embedding;
        SELECT ragraph.ensure_vector_index('tiny');
        SELECT ragraph.ensure_text_statistics();
        """
    )


@pytest.fixture(scope="module")
def full_url(make_shared_database: Callable[..., str]) -> str:
    return make_shared_database(_fill)


@pytest.fixture
def full(full_url: str) -> Iterator[Connection]:
    with rolled_back(full_url) as opened:
        yield opened


def test_1_explain_shows_the_gin_and_hnsw_index_used(full: Connection) -> None:
    (name,) = full.execute("SELECT ragraph_private.vector_index_name('tiny')").fetchone() or ("",)
    plans = {
        name: "SELECT 1 FROM ragraph.embedding WHERE model_name = 'tiny'"
        " ORDER BY embedding_vector::halfvec(3) <=> '[1,0,0]'::halfvec(3) LIMIT 10",
        "content_node_text_search_idx": "SELECT 1 FROM ragraph.content_node WHERE text_search @@ '''77'''::tsquery",
    }
    for index, statement in plans.items():
        assert index in str(full.execute(f"EXPLAIN {statement}").fetchall())
    before = scans(full, name), scans(full, "content_node_text_search_idx")
    assert len(search(full, "vector", 10)) == 10
    assert full.execute("SELECT count(*) FROM ragraph.search_text('water 77')").fetchone() != (0,)
    assert scans(full, name) > before[0]
    assert scans(full, "content_node_text_search_idx") > before[1]


@pytest.mark.parametrize("method", CALLS)
@pytest.mark.parametrize("limit", [0, 10_000])
def test_2_top_k_is_full_where_a_filter_keeps_a_thousandth(full: Connection, method: str, limit: int) -> None:
    exact = f", exact_limit => {limit}"
    assert len(set(search(full, method, 12, ", node_types => '{TABLE}'" + exact))) == 12
    assert len(set(search(full, method, 12, ", collection => 'few'" + exact))) == 12
    assert len(set(search(full, method, 12, ", document_ids => '{dl_0}'" + exact))) == 12


@pytest.mark.parametrize("method", CALLS)
def test_2_top_k_is_full_under_row_level_security(full: Connection, method: str) -> None:
    tables = full.execute(
        "SELECT relname FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid"
        " WHERE relnamespace = 'ragraph'::regnamespace AND relkind = 'r' AND attname = 'collection'"
    ).fetchall()
    for (table,) in tables:
        full.execute(f"ALTER TABLE ragraph.{table} ENABLE ROW LEVEL SECURITY")
        full.execute(f"ALTER TABLE ragraph.{table} FORCE ROW LEVEL SECURITY")
        full.execute(
            f"CREATE POLICY own ON ragraph.{table} USING (collection = current_setting('ragraph.collection', true))"
        )
    if full.execute("SELECT rolsuper FROM pg_roles WHERE rolname = current_user").fetchone() == (True,):
        full.execute("CREATE ROLE ragraph_test_plain")
        full.execute("GRANT USAGE ON SCHEMA ragraph TO ragraph_test_plain")
        full.execute("GRANT SELECT ON ALL TABLES IN SCHEMA ragraph TO ragraph_test_plain")
        full.execute("SET LOCAL ROLE ragraph_test_plain")
    for tenant, k in (("few", 12), ("many", 200), ("nobody", 0)):
        full.execute("SELECT set_config('ragraph.collection', %s, true)", [tenant])
        for limit in (", exact_limit => 0", ""):
            for _ in range(3):
                found = search(full, method, max(k, 1), limit)
                assert len(set(found)) == k, (tenant, limit)
                assert {document == "dl_0" for document, _ in found} == ({tenant == "few"} if k else set())


@pytest.mark.parametrize("key", ["it's", "'; DROP TABLE relation; --", 'a"b', "a\\'b", "%s", "metadata.$1"])
def test_3_a_filter_key_may_hold_a_quote(connection: Connection, key: str) -> None:
    for document, value in (("dl_a", "o'clock"), ("dl_b", "other")):
        make_tree(connection, document, sections=1, nodes=2)
        connection.execute(
            "UPDATE ragraph.publication SET metadata = %s WHERE id = %s",
            [Jsonb({key.removeprefix("metadata."): value}), "pub_" + document.removeprefix("dl_")],
        )
    for asked in ({key: "o'clock"}, {key: {"$in": ["o'clock"]}}, {key: {"$lt": "other"}}, {key: {"$contains": "o'"}}):
        for call in ("search_vector('[1,0,0]', 'tiny', filter => %s)", "search_text('text', filter => %s)"):
            found = connection.execute(f"SELECT document_id FROM ragraph.{call}", [Jsonb(asked)]).fetchall()
            assert set(found) == {("dl_a",)}, (asked, call)


def drafted(*texts: str, **values: Any) -> Draft:
    nodes = [DraftNode(key=str(place), type="PARAGRAPH", text=text) for place, text in enumerate(texts)]
    return Draft(reader="test/1", nodes=nodes, **values)


def take_in(database: Database, draft: Draft, document: DocumentRow = DOCUMENT) -> int:
    """Ingest a draft and return how many vectors that cost."""
    with database.write() as connection:
        connection.execute(
            "INSERT INTO ragraph.publication (id, title) VALUES (%s, 'P') ON CONFLICT (id) DO NOTHING",
            [document.publication_id],
        )
        ingest_draft(connection, draft, document)
    return embed_documents(database, cast("Any", WordModel())).embeddings


def ids(database: Database) -> list[list[tuple[Any, ...]]]:
    tables = ("content_node", "document_component", "relation", "embedding")
    return [rows(database, f"SELECT document_id, id FROM ragraph.{table} ORDER BY 1, 2") for table in tables]


def test_4_to_6_ingesting_again_and_identical_paragraphs(database: Database) -> None:
    """Re-ingest twice: same counts and ids. Edit one paragraph: one vector. Identical paragraphs stay two nodes."""
    other = DocumentRow(id="dl_other", publication_id="pub_other")
    assert take_in(database, drafted("Same words.", "Own words.", "More words.")) == 3
    assert take_in(database, drafted("Same words.", "Words of its own."), other) == 2
    first = ids(database)
    same = "SELECT document_id, id FROM ragraph.content_node WHERE content = 'Same words.'"
    assert len({node for _, node in rows(database, same)}) == 2
    for _ in range(2):
        assert take_in(database, drafted("Same words.", "Own words.", "More words.")) == 0
        assert ids(database) == first
    assert take_in(database, drafted("Same words.", "Other words.", "More words.")) == 1
    for before, after in zip(first, ids(database), strict=True):
        assert len(before) == len(after)
        assert len(set(before) - set(after)) <= 1
    # the paragraph of one goes, the other's stays
    take_in(database, drafted("Own words."))
    assert [document for document, _ in rows(database, same)] == ["dl_other"]


def test_7_two_tables_repeated_verbatim_stay_two_nodes(database: Database) -> None:
    tables = [
        DraftNode(key=str(place), type="TABLE", text="a | b\n1 | 2", data={"cells": [["a", "b"], ["1", "2"]]})
        for place in range(2)
    ]
    take_in(database, Draft(reader="test/1", nodes=tables))
    found = rows(database, "SELECT id FROM ragraph.content_node WHERE content_node_type = 'TABLE'")
    assert len(set(found)) == 2


def test_8_deleting_and_ingesting_linked_documents_at_once_does_not_deadlock(database: Database) -> None:
    failures: list[Exception] = []

    def work(number: int) -> None:
        document = DocumentRow(id=f"dl_{number % 2}", publication_id=f"pub_{number % 2}")
        try:
            for _ in range(4):
                with database.write() as connection:
                    connection.execute(
                        "INSERT INTO ragraph.publication (id, title) VALUES (%s, 'P') ON CONFLICT (id) DO NOTHING",
                        [document.publication_id],
                    )
                    ingest_draft(connection, drafted(*(f"Words {place}." for place in range(20))), document)
                with database.write() as connection:
                    connection.execute(
                        "INSERT INTO ragraph.document_relation (document_id, id, source_node_id, target_document_id,"
                        " relation_type) SELECT document_id, 'rel_' || id, id, %s, 'CROSS_REFERENCES'"
                        " FROM ragraph.content_node WHERE document_id = %s ON CONFLICT DO NOTHING",
                        [f"dl_{1 - number % 2}", document.id],
                    )
                if number < 2:
                    with database.write() as connection:
                        connection.execute("SELECT ragraph.delete_document(%s)", [document.id])
        except Exception as error:
            # the other thread was first: nothing there to delete, or nothing any more to hang a relation on
            gone = isinstance(error, errors.ConstraintError) and isinstance(error.__cause__, ForeignKeyViolation)
            if not gone and not isinstance(error, errors.DocumentNotFoundError):
                failures.append(error)

    threads = [threading.Thread(target=work, args=[number]) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    dangling = "SELECT rule FROM ragraph.check_store() WHERE rule NOT LIKE '%%target%%'"
    assert rows(database, dangling.replace("%%", "%")) == []


def test_9_a_model_of_3072_dimensions_gets_an_index(connection: Connection) -> None:
    make_document(connection)
    make_model(connection, "large", dimensions=3072)
    make_node(connection, "dl_a", "cn_0", 0)
    make_embedding(connection, "dl_a", "cn_0", [1.0] + [0.0] * 3071, model_name="large")
    assert connection.execute("SELECT ragraph.ensure_vector_index('large', 1)").fetchone() == (True,)
    rows_ = connection.execute(
        "SELECT node_id FROM ragraph.search_vector(%s, 'large', exact_limit => 0)", [str([1.0] + [0.0] * 3071)]
    )
    assert rows_.fetchall() == [("cn_0",)]


def test_10_a_table_over_two_pages_gives_two_boxes(database: Database) -> None:
    boxes = [{"x1": 10.0, "y1": 10.0, "x2": 90.0, "y2": 90.0}, {"x1": 10.0, "y1": 5.0, "x2": 90.0, "y2": 40.0}]
    table = DraftNode(
        key="t",
        type="TABLE",
        text="a | b\n1 | 2",
        positions=[Position(page_pdf=page, bbox=box) for page, box in enumerate(boxes, 1)],
        data={"cells": [["a", "b"], ["1", "2"]]},
    )
    pages = [DraftPage(page_pdf=page, width=100, height=100) for page in (1, 2)]
    take_in(database, Draft(reader="test/1", nodes=[table], pages=pages))
    ((cited,),) = rows(
        database,
        "SELECT c.boxes FROM ragraph.content_node AS n"
        " CROSS JOIN LATERAL ragraph.node_citation(n.document_id, n.id) AS c",
    )
    assert [(box["page_pdf"], box["bbox"]) for box in cited] == list(enumerate(boxes, 1))
