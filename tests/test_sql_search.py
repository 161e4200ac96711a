"""search_vector: exact in a narrow scope, by index in a wide one, never short of k."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, LiteralString

import psycopg
import pytest
from factories import (
    MODEL,
    insert,
    make_document,
    make_embedding,
    make_model,
    make_node,
    make_tree,
    positions,
    rolled_back,
    vector,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Connection = psycopg.Connection[tuple[Any, ...]]

QUERY = str(vector(3))


def search(connection: Connection, arguments: LiteralString = "", values: dict[str, Any] | None = None) -> list[str]:
    """Search from vector(3) with further arguments; "document/node" of each hit."""
    rows = connection.execute(
        f"SELECT document_id || '/' || node_id FROM ragraph.search_vector(%(query)s, %(model)s{arguments})"
        " ORDER BY rank",
        {"query": QUERY, "model": MODEL, **(values or {})},
    )
    return [hit for (hit,) in rows]


def count_scans(connection: Connection, index: str) -> int:
    """How often this transaction has scanned an index."""
    row = connection.execute("SELECT pg_stat_get_xact_numscans(%s::regclass::oid)", [f"ragraph.{index}"]).fetchone()
    assert row
    return int(row[0])


def vector_index(connection: Connection, model: str) -> str:
    row = connection.execute("SELECT ragraph_private.vector_index_name(%s)", [model]).fetchone()
    assert row
    return str(row[0])


def _fill_many(connection: Connection) -> None:
    """40 documents of 50 nodes each with random vectors of 16 dimensions under model "wide", and its index."""
    make_model(connection, "wide", dimensions=16, normalized=False)
    connection.execute(
        """
        INSERT INTO ragraph.publication (id, title, tags)
        SELECT 'pub_' || d, 'P', ARRAY['tag' || d % 4] FROM generate_series(1, 40) AS d;
        INSERT INTO ragraph.document (id, publication_id, language, page_count)
        SELECT 'dl_' || d, 'pub_' || d, CASE WHEN d % 2 = 0 THEN 'en-US' ELSE 'de' END, 5
        FROM generate_series(1, 40) AS d;
        INSERT INTO ragraph.document_page (document_id, page_pdf)
        SELECT 'dl_' || d, p FROM generate_series(1, 40) AS d, generate_series(1, 5) AS p;
        INSERT INTO ragraph.document_component
            (document_id, id, component_type, depth, sequence_in_parent_major, first_sequence, last_sequence)
        SELECT 'dl_' || d, 'cmp_' || c, 'SECTION', 0, c, c * 10, c * 10 + 9
        FROM generate_series(1, 40) AS d, generate_series(0, 4) AS c;
        INSERT INTO ragraph.content_node
            (document_id, id, parent_component_id, content_node_type, content, sequence_in_parent_major,
             sequence_in_document, positional_data, content_hash)
        SELECT 'dl_' || d, 'cn_' || n, 'cmp_' || n / 10,
            CASE WHEN n = 7 THEN 'TABLE' ELSE 'PARAGRAPH' END::ragraph.content_node_type, 'Node ' || n, n % 10, n,
            jsonb_build_array(jsonb_build_object('page_pdf', n / 10 + 1)), repeat('0', 64)
        FROM generate_series(1, 40) AS d, generate_series(0, 49) AS n;
        SELECT setseed(0.5);
        INSERT INTO ragraph.embedding
            (document_id, id, node_id, model_name, char_start, char_end, content_hash, embedding_vector, normalized)
        SELECT n.document_id, 'em_' || n.id, n.id, 'wide', 0, 4, repeat('0', 64),
            (SELECT array_agg(random() - 0.5) FROM generate_series(1, 16) WHERE n.id IS NOT NULL)::vector, false
        FROM ragraph.content_node AS n;
        ANALYZE ragraph.content_node;
        ANALYZE ragraph.embedding;
        """
    )
    row = connection.execute("SELECT ragraph.ensure_vector_index('wide', 1)").fetchone()
    assert row == (True,)


@pytest.fixture(scope="module")
def many_url(make_shared_database: Callable[..., str]) -> str:
    return make_shared_database(_fill_many)


@pytest.fixture
def many(many_url: str) -> Iterator[Connection]:
    with rolled_back(many_url) as opened:
        yield opened


PROBE = "[" + ",".join(["0.3", "-0.2"] * 8) + "]"


def probe(connection: Connection, arguments: LiteralString = "", k: int = 10) -> list[tuple[str, str]]:
    return connection.execute(
        f"SELECT document_id, node_id FROM ragraph.search_vector('{PROBE}', 'wide', {k}{arguments})"
    ).fetchall()


def truth(connection: Connection, where: LiteralString = "true", k: int = 10) -> list[tuple[str, str]]:
    return connection.execute(
        f"""
        SELECT e.document_id, e.node_id FROM ragraph.embedding e
        JOIN ragraph.content_node n ON n.document_id = e.document_id AND n.id = e.node_id
        WHERE e.model_name = 'wide' AND {where}
        ORDER BY e.embedding_vector <=> '{PROBE}', e.document_id COLLATE "C", e.node_id COLLATE "C" LIMIT {k}
        """
    ).fetchall()


def test_best_first_with_score_rank_and_span(connection: Connection) -> None:
    make_tree(connection, sections=2, nodes=3)
    rows = connection.execute(
        "SELECT node_id, score, rank, part, char_start, char_end FROM ragraph.search_vector(%s, 'tiny', 3)", [QUERY]
    ).fetchall()
    ((before,),) = connection.execute("SELECT char_start FROM ragraph.content_node WHERE id = 'cn_3'").fetchall()
    assert before > 0
    assert rows[0] == ("cn_3", pytest.approx(1), 1, 0, before, before + len("Text 3 of section 0."))
    assert [row[2] for row in rows] == [1, 2, 3]
    assert rows[0][1] >= rows[1][1] >= rows[2][1]


def test_every_filter(connection: Connection) -> None:
    make_tree(connection, "dl_a", sections=2, nodes=2, language="en-US")
    make_tree(connection, "dl_b", sections=2, nodes=2, language="de", collection="other")
    connection.execute(
        "UPDATE ragraph.publication SET tags = '{x,y}', publication_date = '2024-05-01' WHERE id = 'pub_a'"
    )
    connection.execute(
        "UPDATE ragraph.content_node SET content_node_type = 'TABLE' WHERE document_id = 'dl_b' AND id = 'cn_4'"
    )
    everything = {f"dl_{d}/cn_{n}" for d in "ab" for n in (1, 2, 4, 5)}
    only_a = {hit for hit in everything if hit.startswith("dl_a")}
    only_b = everything - only_a
    cases: dict[LiteralString, set[str]] = {
        "": everything,
        ", document_ids => '{dl_a}'": only_a,
        ", document_ids => '{dl_a,dl_b}'": everything,
        ", document_ids => '{}'": set(),
        ", document_ids => '{dl_a}', component_id => 'cmp_s1'": {"dl_a/cn_4", "dl_a/cn_5"},
        ", document_ids => '{dl_a}', component_id => 'cmp_body'": only_a,
        ", node_types => '{TABLE}'": {"dl_b/cn_4"},
        ", node_types => '{}'": set(),
        ", pages => '[2,2]'": {"dl_a/cn_4", "dl_a/cn_5", "dl_b/cn_4", "dl_b/cn_5"},
        ", pages => '[3,)'": set(),
        ", pages => 'empty'": set(),
        ", collection => 'other'": only_b,
        ", collection => 'none'": set(),
        ", tags => '{y,z}'": only_a,
        ", tags => '{z}'": set(),
        ", languages => '{EN}'": only_a,
        ", languages => '{en-US,de}'": everything,
        ", languages => '{e}'": set(),
        ", published => '[2024-01-01,2025-01-01)'": only_a,
        ", published => '[2025-01-01,)'": set(),
        ", tags => '{x}', collection => 'other'": set(),
        ", tags => '{x}', document_ids => '{dl_b}'": set(),
        ", tags => '{x}', document_ids => '{dl_a}', component_id => 'cmp_s0', node_types => '{PARAGRAPH}'": {
            "dl_a/cn_1",
            "dl_a/cn_2",
        },
    }
    for limit in (20000, 0):
        for arguments, expected in cases.items():
            found = search(connection, ", 100" + arguments + f", exact_limit => {limit}")
            assert set(found) == expected, (arguments, limit)
            assert len(found) == len(expected)


@pytest.mark.parametrize("hostile", ["it's", '"quoted"', "100%", "%s", "$1", "a'); DROP TABLE ragraph.relation; --"])
def test_filter_values_are_data(connection: Connection, hostile: str) -> None:
    make_tree(connection, hostile, collection=hostile, language=hostile)
    connection.execute("UPDATE ragraph.publication SET tags = ARRAY[%s]", [hostile])
    found = search(
        connection,
        ", document_ids => %(ids)s, component_id => 'cmp_s0', collection => %(id)s, tags => %(ids)s,"
        " languages => %(ids)s",
        {"id": hostile, "ids": [hostile]},
    )
    assert len(found) == 3


@pytest.mark.parametrize("name", ["it's", "100% model", '"q"', "m" * 200, "a'; DROP TABLE ragraph.relation; --"])
def test_names_of_models_are_data(connection: Connection, name: str) -> None:
    make_tree(connection)
    make_model(connection, name)
    make_embedding(connection, "dl_a", "cn_1", vector(1), model_name=name, id="em_other")
    assert connection.execute("SELECT ragraph.ensure_vector_index(%s, 1)", [name]).fetchone() == (True,)
    assert connection.execute("SELECT ragraph.ensure_vector_index(%s, 1)", [name]).fetchone() == (False,)
    for limit in (0, 20000):
        rows = connection.execute(
            "SELECT node_id FROM ragraph.search_vector(%s, %s, exact_limit => %s)", [QUERY, name, limit]
        )
        assert rows.fetchall() == [("cn_1",)]


def test_one_row_per_node_its_best_part(connection: Connection) -> None:
    make_document(connection)
    make_model(connection)
    for place in range(3):
        make_node(connection, "dl_a", f"cn_{place}", place)
        for part in range(20):
            make_embedding(
                connection,
                "dl_a",
                f"cn_{place}",
                vector(place * 100 + part + 2),
                part=part,
                char_start=part,
                char_end=part + 1,
            )
    connection.execute("SELECT ragraph.ensure_vector_index('tiny', 1)")
    for limit in (0, 20000):
        rows = connection.execute(
            "SELECT node_id, part, char_start FROM ragraph.search_vector(%s, 'tiny', 3, exact_limit => %s)",
            [QUERY, limit],
        ).fetchall()
        assert rows[0] == ("cn_0", 1, 1)
        assert {row[0] for row in rows} == {"cn_0", "cn_1", "cn_2"}


def test_ties_come_in_the_order_of_ids(connection: Connection) -> None:
    make_tree(connection, "dl_b", sections=1, nodes=3)
    make_tree(connection, "dl_a", sections=1, nodes=3)
    connection.execute("UPDATE ragraph.embedding SET embedding_vector = %s", [QUERY])
    expected = [f"dl_{d}/cn_{n}" for d in "ab" for n in (1, 2, 3)]
    connection.execute("SELECT ragraph.ensure_vector_index('tiny', 1)")
    for limit in (0, 20000):
        assert search(connection, ", 6, exact_limit => %(limit)s", {"limit": limit}) == expected
        assert search(connection, ", 2, exact_limit => %(limit)s", {"limit": 20000}) == expected[:2]


@pytest.mark.parametrize(("distance", "sign"), [("l2", "<->"), ("inner_product", "<#>")])
def test_other_distances(connection: Connection, distance: str, sign: LiteralString) -> None:
    make_tree(connection, sections=2, nodes=3, embed=False)
    make_model(connection, "other", dimensions=2, distance=distance, normalized=False)
    for number, node in enumerate(["cn_1", "cn_2", "cn_5"]):
        make_embedding(connection, "dl_a", node, [number + 1, 3 - number], model_name="other", normalized=False)
    connection.execute("SELECT ragraph.ensure_vector_index('other', 1)")
    expected = connection.execute(
        f"SELECT node_id, -(embedding_vector {sign} '[3,0.5]') FROM ragraph.embedding WHERE model_name = 'other'"
        f" ORDER BY embedding_vector {sign} '[3,0.5]'"
    ).fetchall()
    for limit in (0, 20000):
        rows = connection.execute(
            "SELECT node_id, score FROM ragraph.search_vector('[3,0.5]', 'other', exact_limit => %s)", [limit]
        ).fetchall()
        assert [row[0] for row in rows] == [row[0] for row in expected]
        assert [row[1] for row in rows] == pytest.approx([row[1] for row in expected])


def test_models_side_by_side_do_not_mix(connection: Connection) -> None:
    make_tree(connection, sections=1, nodes=2)
    make_model(connection, "second", dimensions=2)
    make_embedding(connection, "dl_a", "cn_0", [0.6, 0.8], model_name="second", id="em_second")
    connection.execute("SELECT ragraph.ensure_vector_index('second', 1)")
    rows = connection.execute("SELECT node_id FROM ragraph.search_vector('[1,0]', 'second', exact_limit => 0)")
    assert rows.fetchall() == [("cn_0",)]


def test_a_wide_search_uses_the_index_and_is_ranked_by_whole_vectors(many: Connection) -> None:
    index = vector_index(many, "wide")
    before = count_scans(many, index)
    found = probe(many, ", exact_limit => 0")
    assert count_scans(many, index) == before + 1
    assert len(set(found) & set(truth(many))) >= 9
    order = truth(many, k=2000)
    assert found == sorted(found, key=order.index)


def test_a_limit_without_end_searches_exactly(many: Connection) -> None:
    assert probe(many, ", exact_limit => 2147483647") == truth(many)
    assert probe(many, ", exact_limit => 2147483647, node_types => '{PARAGRAPH}'")


def test_a_document_named_twice_is_one(many: Connection) -> None:
    once = probe(many, ", '{dl_7}'")
    assert once == probe(many, ", '{dl_7,dl_7}'") == probe(many, ", '{{dl_7}}'")


def test_a_wide_search_with_filters_uses_the_index(many: Connection) -> None:
    index = vector_index(many, "wide")
    for arguments in (", node_types => '{PARAGRAPH}'", ", pages => '[1,4]'"):
        before = count_scans(many, index)
        assert len(probe(many, arguments + ", exact_limit => 0")) == 10
        assert count_scans(many, index) > before, arguments


def test_a_narrow_search_is_exact_and_leaves_the_index_alone(many: Connection) -> None:
    index = vector_index(many, "wide")
    before = count_scans(many, index)
    cases: dict[LiteralString, LiteralString] = {
        ", '{dl_7}', 'cmp_3'": "n.document_id = 'dl_7' AND n.sequence_in_document BETWEEN 30 AND 39",
        ", '{dl_7}'": "n.document_id = 'dl_7'",
        ", '{dl_7,dl_9}'": "n.document_id IN ('dl_7', 'dl_9')",
        ", node_types => '{TABLE}'": "n.content_node_type = 'TABLE'",
        ", tags => '{tag3}', node_types => '{TABLE}'": "n.content_node_type = 'TABLE'"
        " AND substr(n.document_id, 4)::int % 4 = 3",
    }
    for arguments, where in cases.items():
        limit = ", exact_limit => 600"
        assert probe(many, arguments + limit) == truth(many, where), arguments
    assert count_scans(many, index) == before


CODE = "UPDATE ragraph.content_node SET content_node_type = 'CODE' WHERE substr(id, 4)::int % 4 = 0"
"""Of a quarter of the nodes: below the limit of the tests that do so, and yet quicker found by the index."""


def test_of_a_type_that_many_nodes_have_the_index_finds_the_nearest(many: Connection) -> None:
    many.execute(CODE)
    index = vector_index(many, "wide")
    before = count_scans(many, index)
    found = probe(many, ", node_types => '{CODE}', exact_limit => 600")
    assert count_scans(many, index) == before + 1
    best = truth(many, "n.content_node_type = 'CODE'", k=600)
    assert len(set(found) & set(best[:10])) >= 9
    assert found == sorted(found, key=best.index)


def test_a_type_that_stands_far_from_the_query_is_searched_exactly(many: Connection) -> None:
    many.execute(CODE)
    many.execute(
        f"UPDATE ragraph.embedding SET embedding_vector = embedding_vector - '{PROBE}'::vector WHERE"
        " substr(node_id, 4)::int % 4 = 0"
    )
    index = vector_index(many, "wide")
    before = count_scans(many, index)
    assert probe(many, ", node_types => '{CODE}', exact_limit => 600") == truth(many, "n.content_node_type = 'CODE'")
    assert count_scans(many, index) == before + 1


def test_a_section_is_found_by_its_interval(many: Connection) -> None:
    """The nodes of a section come from a range of (document_id, sequence_in_document), not from a scan of all."""
    read = "SELECT pg_stat_get_xact_tuples_returned('ragraph.content_node'::regclass)"
    read_embeddings = "SELECT pg_stat_get_xact_tuples_returned('ragraph.embedding'::regclass)"
    before = [many.execute(statement).fetchone() for statement in (read, read_embeddings)]
    scans = count_scans(many, "content_node_reading_order_key")
    assert len(probe(many, ", '{dl_7}', 'cmp_3'")) == 10
    assert count_scans(many, "content_node_reading_order_key") > scans
    assert [many.execute(statement).fetchone() for statement in (read, read_embeddings)] == before, "sequential scan"


def test_pages_come_from_the_gin_index(connection: Connection) -> None:
    make_document(connection, pages=0, page_count=500)
    connection.execute(
        """
        INSERT INTO ragraph.document_page (document_id, page_pdf) SELECT 'dl_a', p FROM generate_series(1, 500) AS p;
        INSERT INTO ragraph.content_node (document_id, id, content_node_type, content, sequence_in_parent_major,
            sequence_in_document, positional_data, content_hash)
        SELECT 'dl_a', 'cn_' || n, 'PARAGRAPH', 'Node', n, n,
            jsonb_build_array(jsonb_build_object('page_pdf', n / 10 + 1, 'page_logical', 'L' || n / 10)),
            repeat('0', 64)
        FROM generate_series(0, 4999) AS n;
        ANALYZE ragraph.content_node;
        """
    )
    for call in (
        "nodes_on_page('dl_a', 77)",
        "nodes_on_logical_page('dl_a', 'L76')",
        "nodes_on_pages('dl_a', '[77,77]')",
    ):
        before = count_scans(connection, "content_node_positional_data_idx")
        rows = connection.execute(f"SELECT id FROM ragraph.{call}").fetchall()
        assert [node for (node,) in rows] == [f"cn_{n}" for n in range(760, 770)]
        assert count_scans(connection, "content_node_positional_data_idx") == before + 1, call


def test_equal_vectors_do_not_cost_results(connection: Connection) -> None:
    """An HNSW scan ends early among many equal vectors: 60,000 rows of 4,850 vectors once gave 350 of 1,000."""
    make_document(connection)
    make_model(connection)
    connection.execute(
        """
        INSERT INTO ragraph.content_node (document_id, id, content_node_type, content, sequence_in_parent_major,
            sequence_in_document, content_hash)
        SELECT 'dl_a', 'cn_' || n, 'PARAGRAPH', 'Boilerplate', n, n, repeat('0', 64) FROM generate_series(0, 2999) AS n;
        INSERT INTO ragraph.embedding (document_id, id, node_id, model_name, char_start, char_end, content_hash,
            embedding_vector, normalized)
        SELECT 'dl_a', 'em_' || n, 'cn_' || n, 'tiny', 0, 1, repeat('0', 64),
            ARRAY[cos(n % 5), sin(n % 5), 0]::vector, true
        FROM generate_series(0, 2999) AS n;
        ANALYZE ragraph.embedding;
        """
    )
    connection.execute("SELECT ragraph.ensure_vector_index('tiny', 1)")
    for k in (1, 10, 1000, 2999, 5000):
        assert len(set(search(connection, ", %(k)s, exact_limit => 0", {"k": k}))) == min(k, 3000)
        # all of those that are as near as the last, in the order of their ids
        expected = connection.execute(
            "SELECT 'dl_a/' || node_id FROM ragraph.embedding"
            ' ORDER BY embedding_vector <=> %s::vector, node_id COLLATE "C" LIMIT %s',
            [QUERY, k],
        ).fetchall()
        assert search(connection, ", %(k)s, exact_limit => 20000", {"k": k}) == [name for (name,) in expected]
    connection.execute("UPDATE ragraph.embedding SET embedding_vector = %s", [QUERY])
    assert search(connection, ", 1, exact_limit => 20000") == ["dl_a/cn_0"]


def test_many_parts_of_the_nearest_nodes_do_not_hide_the_next(connection: Connection) -> None:
    """An exact search sorts a few of the nearest vectors first: these are parts of three nodes only."""
    make_document(connection)
    make_model(connection)
    connection.execute(
        """
        INSERT INTO ragraph.content_node (document_id, id, content_node_type, content, sequence_in_parent_major,
            sequence_in_document, content_hash)
        SELECT 'dl_a', 'cn_' || n, 'PARAGRAPH', 'Text', n, n, repeat('0', 64) FROM generate_series(0, 39) AS n;
        INSERT INTO ragraph.embedding (document_id, id, node_id, model_name, char_start, char_end, content_hash,
            embedding_vector, normalized, part)
        SELECT 'dl_a', 'em_' || n || '_' || p, 'cn_' || n, 'tiny', 0, 1, repeat('0', 64),
            ARRAY[cos(n * 0.05 + p * 0.00001), sin(n * 0.05 + p * 0.00001), 0]::vector, true, p
        FROM generate_series(0, 39) AS n CROSS JOIN generate_series(0, CASE WHEN n < 3 THEN 299 ELSE 0 END) AS p;
        """
    )
    for k in (1, 3, 10, 40):
        rows = connection.execute("SELECT node_id, part FROM ragraph.search_vector('[1,0,0]', 'tiny', %s)", [k])
        assert rows.fetchall() == [(f"cn_{n}", 0) for n in range(k)]


def test_a_filter_that_keeps_a_thousandth_returns_k(many: Connection) -> None:
    many.execute(
        "UPDATE ragraph.content_node SET content_node_type = 'CODE'"
        " WHERE id IN ('cn_11', 'cn_23') AND document_id = 'dl_5'"
    )
    for limit in (0, 1, 20000):
        found = probe(many, f", node_types => '{{CODE}}', exact_limit => {limit}", k=2)
        assert found == truth(many, "n.content_node_type = 'CODE'", k=2)


def test_row_level_security_does_not_cost_results(many: Connection) -> None:
    """Rows that a policy hides are passed over, not counted; a plan kept from another tenant would return none."""
    tables = ["publication", "document", "document_page", "document_component", "content_node", "relation", "embedding"]
    for document in ("dl_small", "dl_tiny"):
        make_tree(many, document, sections=1, nodes=8, embed=False, collection=document)
        many.execute(
            """
            INSERT INTO ragraph.embedding (document_id, id, node_id, model_name, char_start, char_end, content_hash,
                embedding_vector, normalized, collection)
            SELECT n.document_id, 'em_' || n.id, n.id, 'wide', 0, 1, repeat('0', 64),
                (SELECT array_agg(sin(i * n.sequence_in_document + 1)) FROM generate_series(1, 16) AS i)::vector, false,
                n.collection
            FROM ragraph.content_node AS n WHERE n.document_id = %s
            """,
            [document],
        )
    for table in tables:
        many.execute(f"ALTER TABLE ragraph.{table} ENABLE ROW LEVEL SECURITY")
        many.execute(f"ALTER TABLE ragraph.{table} FORCE ROW LEVEL SECURITY")
        many.execute(
            f"CREATE POLICY own ON ragraph.{table} USING (collection = current_setting('ragraph.collection', true))"
        )
    if many.execute("SELECT rolsuper FROM pg_roles WHERE rolname = current_user").fetchone() == (True,):
        # superusers pass every policy
        many.execute("CREATE ROLE ragraph_test_reader")
        many.execute("GRANT USAGE ON SCHEMA ragraph TO ragraph_test_reader")
        many.execute("GRANT SELECT ON ALL TABLES IN SCHEMA ragraph TO ragraph_test_reader")
        many.execute("SET LOCAL ROLE ragraph_test_reader")
    for limit in (0, 5, 20000):
        for tenant, documents in {"default": None, "dl_small": {"dl_small"}, "dl_tiny": {"dl_tiny"}}.items():
            many.execute("SELECT set_config('ragraph.collection', %s, true)", [tenant])
            for _ in range(7):  # past the fifth run, where plans begin to be kept
                found = probe(many, f", exact_limit => {limit}", k=9)
                assert len(set(found)) == 9, (tenant, limit)
                assert documents is None or {document for document, _ in found} == documents
    with pytest.raises(psycopg.Error) as raised, many.transaction():
        probe(many, ", '{dl_small}'")
    assert raised.value.sqlstate == "RG001", "a hidden document is not there"


def test_settings_are_left_as_they_were(many: Connection) -> None:
    many.execute("SET LOCAL hnsw.ef_search = 77")
    many.execute(CODE)
    for arguments in (", exact_limit => 0", ", node_types => '{CODE}', exact_limit => 600"):
        probe(many, arguments)
        assert many.execute(
            "SELECT current_setting('hnsw.ef_search'), current_setting('hnsw.iterative_scan')"
        ).fetchone() == ("77", "off")


def test_workers_are_left_as_they_were(many: Connection) -> None:
    """All vectors are compared without workers, because for so many nodes that costs less than the index."""
    many.execute("SET LOCAL max_parallel_workers_per_gather = 5")
    assert len(probe(many, ", exact_limit => 1200", k=400)) == 400
    assert many.execute("SHOW max_parallel_workers_per_gather").fetchone() == ("5",)


def test_the_index_is_built_when_it_pays(connection: Connection) -> None:
    make_tree(connection, sections=1, nodes=4)

    def build(minimum: int) -> Any:
        return (connection.execute("SELECT ragraph.ensure_vector_index('tiny', %s)", [minimum]).fetchone() or (None,))[
            0
        ]

    memory = connection.execute("SHOW maintenance_work_mem").fetchone()
    assert [build(5), build(4), build(4)] == [False, True, False]
    assert connection.execute("SHOW maintenance_work_mem").fetchone() == memory
    definition = connection.execute(
        "SELECT indexdef FROM pg_indexes WHERE indexname = %s", [vector_index(connection, "tiny")]
    ).fetchone()
    assert definition
    assert "halfvec(3)" in definition[0]
    assert "halfvec_cosine_ops" in definition[0]
    assert "WHERE (model_name = 'tiny'::text)" in definition[0]


def test_vectors_too_long_for_an_index_are_searched_exactly(connection: Connection) -> None:
    make_tree(connection, sections=1, nodes=1, embed=False)
    make_model(connection, "long", dimensions=4001)
    insert(
        connection,
        "embedding",
        document_id="dl_a",
        id="em_long",
        node_id="cn_1",
        model_name="long",
        char_start=0,
        char_end=1,
        content_hash="0" * 64,
        embedding_vector=str([1] + [0] * 4000),
        normalized=True,
    )
    assert connection.execute("SELECT ragraph.ensure_vector_index('long', 1)").fetchone() == (False,)
    rows = connection.execute("SELECT node_id FROM ragraph.search_vector(%s, 'long')", [str([1] + [0] * 4000)])
    assert rows.fetchall() == [("cn_1",)]


def test_a_node_between_two_pages_of_a_range_is_not_on_it(connection: Connection) -> None:
    make_document(connection, pages=5)
    make_model(connection)
    make_node(connection, "dl_a", "cn_0", 0, positional_data=positions(1, 5))
    make_embedding(connection, "dl_a", "cn_0", vector(1))
    assert search(connection, ", pages => '[2,4]'") == []
    assert search(connection, ", pages => '[2,5]'") == ["dl_a/cn_0"]
