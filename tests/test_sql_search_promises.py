"""What every search promises: exact within sections, never short of k, nothing from outside the scope.

A store is drawn at random (equal vectors, nodes without one, running heads, sections in and across each other), and
what the functions find is compared with what plain Python counts out over all of it.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from typing import TYPE_CHECKING, Any, LiteralString

import psycopg
import pytest
from factories import make_component, make_document, make_embedding, make_model, make_node
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Sequence

    Connection = psycopg.Connection[tuple[Any, ...]]

WORDS = ["heron", "reed", "marsh", "water", "nest", "tide"]
VECTORS = [(1.0, 0.0, 0.0), (0.8, 0.6, 0.0), (0.0, 0.0, 1.0), (-0.6, 0.8, 0.0)]
PROBE = (0.96, 0.28, 0.0)
ALL = 10_000

nodes = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["PARAGRAPH", "PARAGRAPH", "PARAGRAPH", "TABLE", "HEADING"]),
        "words": st.lists(st.sampled_from(WORDS), min_size=1, max_size=5),
        "vectors": st.lists(st.sampled_from(VECTORS), max_size=2),
        "running_head": st.integers(0, 4).map(lambda number: number == 0),
    }
)
spans = st.tuples(st.integers(0, 9), st.integers(0, 9)).map(sorted)
documents = st.fixed_dictionaries(
    {
        "ts_config": st.sampled_from(["simple", "english"]),
        "collection": st.sampled_from(["default", "other"]),
        "nodes": st.lists(nodes, max_size=10),
        "sections": st.lists(spans, min_size=1, max_size=3),
    }
)
scopes = st.fixed_dictionaries(
    {},
    optional={
        "documents": st.sets(st.integers(0, 2)),
        "sections": st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=4),
        "node_types": st.sets(st.sampled_from(["PARAGRAPH", "TABLE", "HEADING"])),
        "collection": st.sampled_from(["default", "other", "none"]),
    },
)
queries = st.lists(st.sampled_from([*WORDS, "absent", "-reed", '"heron reed"']), min_size=1, max_size=4).map(" ".join)


def _build(connection: Connection, drawn: list[dict[str, Any]]) -> None:
    make_model(connection)
    for number, document in enumerate(drawn):
        name, shared = f"dl_{number}", {"collection": document["collection"]}
        make_document(connection, name, ts_config=document["ts_config"], **shared)
        make_component(connection, name, "cmp_head", component_type="HEADER", sequence_in_parent_major=99, **shared)
        make_component(connection, name, f"cmp_empty_{number}", sequence_in_parent_major=98, **shared)
        last = len(document["nodes"]) - 1
        for place, (first, end) in enumerate(document["sections"]):
            inside = {"first_sequence": first, "last_sequence": min(end, last)} if first <= min(end, last) else {}
            names = {"sequence_in_parent_major": place, **inside, **shared}
            make_component(connection, name, f"cmp_{number}_{place}", **names)
        for place, node in enumerate(document["nodes"]):
            parent = {"parent_component_id": "cmp_head"} if node["running_head"] else {}
            make_node(
                connection,
                name,
                f"cn_{place}",
                place,
                content=" ".join(node["words"]),
                content_node_type=node["type"],
                ts_config=document["ts_config"],
                **parent,
                **shared,
            )
            for part, vector in enumerate(node["vectors"]):
                make_embedding(connection, name, f"cn_{place}", list(vector), part=part, **shared)


def _arguments(scope: dict[str, Any], drawn: list[dict[str, Any]]) -> tuple[dict[str, Any], set[tuple[str, str]]]:
    """Give the scope as arguments, and the nodes in it as the words of the contract say."""
    ids = scope.get("documents")
    chosen = None if ids is None else {number for number in ids if number < len(drawn)}
    sections = scope.get("sections")
    if sections is not None:
        sections = [(d, s) for d, s in sections if d < len(drawn) and s < len(drawn[d]["sections"])]
        chosen = (chosen or set()) | {d for d, _ in sections}
    arguments = {
        "document_ids": None if chosen is None else [f"dl_{number}" for number in chosen],
        # the first twice: naming a section again changes nothing
        "component_ids": None if sections is None else [f"cmp_{d}_{s}" for d, s in [*sections, *sections[:1]]],
        "node_types": None if scope.get("node_types") is None else list(scope["node_types"]),
        "collection": scope.get("collection"),
    }
    inside = {
        (f"dl_{d}", f"cn_{n}")
        for d, document in enumerate(drawn)
        for n, node in enumerate(document["nodes"])
        if (chosen is None or d in chosen)
        and (
            sections is None
            or any(
                d == owner and document["sections"][s][0] <= n <= document["sections"][s][1] for owner, s in sections
            )
        )
        and ("node_types" not in scope or node["type"] in scope["node_types"])
        and scope.get("collection", document["collection"]) == document["collection"]
    }
    return arguments, inside


def _nearness(drawn: list[dict[str, Any]], inside: set[tuple[str, str]]) -> dict[tuple[str, str], float]:
    return {
        (f"dl_{d}", f"cn_{n}"): max(sum(a * b for a, b in zip(v, PROBE, strict=True)) for v in node["vectors"])
        for d, document in enumerate(drawn)
        for n, node in enumerate(document["nodes"])
        if node["vectors"] and (f"dl_{d}", f"cn_{n}") in inside
    }


def _bm25(
    connection: Connection, query: str, inside: set[tuple[str, str]], match: set[tuple[str, str]]
) -> dict[tuple[str, str], float]:
    """BM25 of the nodes that match, each configuration by itself, counted over the scope."""
    scores = {}
    rows = connection.execute(
        "SELECT document_id, id, ts_config::text, token_count, (SELECT jsonb_object_agg(lexeme, cardinality(positions))"
        " FROM unnest(text_search)) FROM ragraph.content_node"
    ).fetchall()
    for config in ("simple", "english"):
        found = {(row[0], row[1]): row for row in rows if row[2] == config and (row[0], row[1]) in inside}
        frequencies = {node: row[4] or {} for node, row in found.items()}
        lengths = {node: max(row[3], len(frequencies[node])) for node, row in found.items()}
        words = " ".join(word for word in query.replace('"', " ").split() if not word.startswith("-"))
        asked = {word for (word,) in connection.execute("SELECT (unnest(to_tsvector(%s, %s))).lexeme", [config, words])}
        for node in found.keys() & match:
            norm = 1.2 * (0.25 + 0.75 * lengths[node] * len(lengths) / max(sum(lengths.values()), 1))
            scores[node] = sum(
                math.log(1 + (len(found) - held + 0.5) / (held + 0.5))
                * 2.2
                * frequencies[node][word]
                / (frequencies[node][word] + norm)
                for word in asked & frequencies[node].keys()
                for held in [sum(word in other for other in frequencies.values())]
            )
    return scores


def _matching(drawn: list[dict[str, Any]], query: str, inside: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """The nodes that hold any wanted word or phrase, and no excluded word; words of one form stem to themselves."""
    phrase = '"heron reed"' in query
    rest = query.replace('"heron reed"', "").split()
    wanted = {word for word in rest if not word.startswith("-")}
    excluded = {word[1:] for word in rest if word.startswith("-")}
    found = set()
    for d, document in enumerate(drawn):
        for n, node in enumerate(document["nodes"]):
            words = node["words"]
            pairs = list(itertools.pairwise(words))
            hit = wanted & set(words) or (phrase and ("heron", "reed") in pairs)
            if hit and not excluded & set(words):
                found.add((f"dl_{d}", f"cn_{n}"))
    return found & inside


HYBRID: LiteralString = """
    SELECT document_id, node_id, score, rank, vector_rank, vector_score, text_rank, text_score
    FROM ragraph.search_hybrid(%(query)s, %(vector)s::vector, 'tiny', %(k)s, document_ids => %(document_ids)s,
        component_ids => %(component_ids)s, node_types => %(node_types)s::ragraph.content_node_type[],
        collection => %(collection)s, exact_limit => %(exact_limit)s, candidates => %(candidates)s)
    ORDER BY rank"""


def _sorted_like(found: list[float], expected: list[float]) -> None:
    assert found == pytest.approx(sorted(expected, reverse=True), abs=1e-6)


_HERON_AND_REED = {
    "ts_config": "simple",
    "collection": "default",
    "nodes": [
        {"type": "PARAGRAPH", "words": [word], "vectors": [], "running_head": word == "reed"}
        for word in ("heron", "reed")
    ],
    "sections": [[0, 0]],
}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    drawn=st.lists(documents, min_size=1, max_size=3),
    scope=scopes,
    query=queries,
    k=st.integers(1, 40),
    exact_limit=st.sampled_from([0, 3, ALL]),
)
@example(drawn=[_HERON_AND_REED], scope={}, query="heron -reed", k=1, exact_limit=ALL)
def test_hybrid_keeps_its_promises(
    connection: Connection, drawn: list[dict[str, Any]], scope: dict[str, Any], query: str, k: int, exact_limit: int
) -> None:
    with connection.transaction(force_rollback=True):
        _build(connection, drawn)
        connection.execute("SELECT ragraph.ensure_vector_index('tiny', 0)")
        arguments, inside = _arguments(scope, drawn)
        values = {"query": query, "vector": str(list(PROBE)), "exact_limit": exact_limit, **arguments}

        def search(k: int, candidates: int | None = None) -> list[tuple[Any, ...]]:
            return connection.execute(HYBRID, {**values, "k": k, "candidates": candidates}).fetchall()

        kind = {
            (f"dl_{d}", f"cn_{n}"): node for d, document in enumerate(drawn) for n, node in enumerate(document["nodes"])
        }
        types = scope.get("node_types", {"PARAGRAPH", "TABLE"})
        readable = {node for node in inside if kind[node]["type"] in types}
        without_reed = {node for node in inside if "reed" not in kind[node]["words"]}
        near = _nearness(drawn, without_reed if "-reed" in query.split() else inside)
        match = _matching(drawn, query, readable)
        # nodes with an excluded word are outside the scope, so they do not count
        words = _bm25(connection, query, readable & without_reed if "-reed" in query.split() else readable, match)
        # running heads count as nodes of the scope, but are no answers unless asked for by type
        words = {
            node: score
            for node, score in words.items()
            if score > 0 and ("node_types" in scope or not kind[node]["running_head"])
        }

        # k rows while k exist, each once, none from outside, best first
        found = search(k)
        ids = [(row[0], row[1]) for row in found]
        assert len(ids) == len(set(ids)) == min(k, len(near.keys() | words.keys()))
        assert set(ids) <= near.keys() | words.keys()
        assert [row[3] for row in found] == list(range(1, len(found) + 1))
        least = math.inf
        for row in found:
            # fragments, which come last, have no higher score than the node before
            least = min(least, sum(1 / (60 + rank) for rank in (row[4], row[6]) if rank))
            assert row[2] == pytest.approx(least)
        assert [row[2] for row in found] == sorted((row[2] for row in found), reverse=True)

        # all of it: both methods find what is there, by the scores that plain counting gives
        every = search(ALL, ALL)
        by_vector = sorted((row for row in every if row[4]), key=lambda row: row[4])
        by_words = sorted((row for row in every if row[6]), key=lambda row: row[6])
        assert {(row[0], row[1]) for row in by_vector} == near.keys()
        assert {(row[0], row[1]) for row in by_words} == words.keys()
        assert [row[4] for row in by_vector] == list(range(1, len(near) + 1))
        assert [row[6] for row in by_words] == list(range(1, len(words) + 1))
        _sorted_like([row[5] for row in by_vector], list(near.values()))
        assert {(row[0], row[1]): row[5] for row in by_vector} == pytest.approx(near, abs=1e-6)
        if arguments["component_ids"] is not None or exact_limit == ALL:
            _sorted_like([row[7] for row in by_words], list(words.values()))
            assert {(row[0], row[1]): row[7] for row in by_words} == pytest.approx(words, abs=1e-6)
        assert search(k, ALL) == every[:k]


SEARCHES: dict[str, LiteralString] = {
    "vector": "search_vector(%(vector)s::vector, %(model)s, %(k)s",
    "text": "search_text('heron', %(k)s, match => 'any'",
    "hybrid": "search_hybrid('heron', %(vector)s::vector, %(model)s, %(k)s",
}
"""Searches that find every node of ``shelf``."""


@pytest.fixture
def shelf(connection: Connection) -> Connection:
    """dl_0 and dl_1: 20 nodes each with the same word and vectors that repeat; cmp_a 0-9 holds cmp_b 2-5, cmp_c 4-12
    crosses it, cmp_d 13-15 touches that, cmp_none is empty."""
    make_model(connection)
    for name in ("dl_0", "dl_1"):
        make_document(connection, name)
        spans = {"cmp_a": (0, 9), "cmp_b": (2, 5), "cmp_c": (4, 12), "cmp_d": (13, 15), "cmp_none": (None, None)}
        for place, (component, (first, last)) in enumerate(spans.items()):
            inside = {"first_sequence": first, "last_sequence": last}
            make_component(connection, name, component, sequence_in_parent_major=place, **inside)
        for place in range(20):
            make_node(connection, name, f"cn_{place}", place, content=f"heron {place}", ts_config="english")
            make_embedding(connection, name, f"cn_{place}", list(VECTORS[place % 4]))
    make_component(connection, "dl_1", "cmp_only", sequence_in_parent_major=9, first_sequence=19, last_sequence=19)
    connection.execute("SELECT ragraph.ensure_vector_index('tiny', 0)")
    return connection


def _places(
    connection: Connection,
    method: str,
    arguments: LiteralString,
    k: int = 100,
    model: str = "tiny",
    probe: Sequence[float] = (*PROBE,),
) -> list[tuple[str, int]]:
    rows = connection.execute(
        f"SELECT document_id, substr(node_id, 4)::int FROM ragraph.{SEARCHES[method]}{arguments}, exact_limit => 0)",
        {"vector": str(list(probe)), "model": model, "k": k},
    ).fetchall()
    assert len(rows) == len(set(rows)), "a node came twice"
    return rows


@pytest.mark.parametrize("method", SEARCHES)
def test_several_sections_are_searched_as_one_scope(shelf: Connection, method: str) -> None:
    def places(document: str, *numbers: int) -> set[tuple[str, int]]:
        return {(document, number) for number in numbers}

    cases: dict[LiteralString, set[tuple[str, int]]] = {
        "'{dl_0}', component_ids => '{cmp_b}'": places("dl_0", *range(2, 6)),
        "'{dl_0}', component_ids => '{cmp_b,cmp_b}'": places("dl_0", *range(2, 6)),
        "'{dl_0}', component_ids => '{cmp_a,cmp_b}'": places("dl_0", *range(10)),
        "'{dl_0}', component_ids => '{cmp_b,cmp_c}'": places("dl_0", *range(2, 13)),
        "'{dl_0}', component_ids => '{cmp_c,cmp_d}'": places("dl_0", *range(4, 16)),
        "'{dl_0}', component_ids => '{cmp_b,cmp_d}'": places("dl_0", *range(2, 6), *range(13, 16)),
        # a name that both documents have means both
        "'{dl_0,dl_1}', component_ids => '{cmp_d}'": places("dl_0", 13, 14, 15) | places("dl_1", 13, 14, 15),
        "'{dl_0,dl_1}', component_ids => '{cmp_only}'": places("dl_1", 19),
        "'{dl_1,dl_0}', component_ids => '{cmp_b,cmp_only}', pages => null": places("dl_0", *range(2, 6))
        | places("dl_1", *range(2, 6), 19),
        "'{dl_0}', component_ids => '{cmp_none}'": set(),
        "'{dl_0}', component_ids => '{cmp_none,cmp_d}'": places("dl_0", 13, 14, 15),
        "'{dl_0}', component_ids => '{}'": set(),
        "'{dl_0}', component_ids => '{cmp_a,cmp_d}', node_types => '{TABLE}'": set(),
        "'{dl_0}', component_ids => '{cmp_a,cmp_d}', collection => 'none'": set(),
        "'{dl_0}', component_id => 'cmp_d'": places("dl_0", 13, 14, 15),
    }
    for arguments, expected in cases.items():
        found = _places(shelf, method, f", document_ids => {arguments}")
        assert set(found) == expected, arguments
        # a smaller k is the beginning of it, and full
        for k in (1, 3, 7):
            assert _places(shelf, method, f", document_ids => {arguments}", k) == found[:k], arguments


@pytest.mark.parametrize("method", SEARCHES)
@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (", document_ids => '{dl_0}', component_ids => '{cmp_a,cmp_x}'", "RG002", "'dl_0' has no component 'cmp_x'"),
        (
            ", document_ids => '{dl_0,dl_1}', component_ids => '{cmp_x}'",
            "RG002",
            "no component|has a component 'cmp_x'",
        ),
        (", document_ids => '{dl_0}', component_ids => '{cmp_only}'", "RG002", "cmp_only"),
        (", document_ids => '{dl_0,dl_x}', component_ids => '{cmp_a}'", "RG001", "dl_x"),
        (", component_ids => '{cmp_a}'", "RG005", "without their documents"),
        (
            ", document_ids => '{dl_0}', component_id => 'cmp_a', component_ids => '{cmp_b}'",
            "RG005",
            "component_id and",
        ),
        (", document_ids => '{dl_0,dl_1}', component_id => 'cmp_a'", "RG005", "without its document"),
    ],
)
def test_sections_that_are_not_there_are_told(
    shelf: Connection, method: str, arguments: LiteralString, code: str, said: str
) -> None:
    with pytest.raises(psycopg.Error, match=said) as raised, shelf.transaction():
        _places(shelf, method, arguments)
    assert raised.value.sqlstate == code


@pytest.mark.parametrize("method", SEARCHES)
def test_several_sections_are_read_by_their_intervals(connection: Connection, method: str) -> None:
    """Ranges of (document_id, sequence_in_document), and nothing of the 8,000 nodes beside them."""
    make_model(connection, "broad", dimensions=128)
    for name in ("dl_0", "dl_1"):
        make_document(connection, name)
        for place, first in enumerate((100, 2000, 3000)):
            inside = {"first_sequence": first, "last_sequence": first + 9}
            make_component(connection, name, f"cmp_{place}", sequence_in_parent_major=place, **inside)
    connection.execute(
        """
        INSERT INTO ragraph.content_node (document_id, id, content_node_type, content, sequence_in_parent_major,
            sequence_in_document, content_hash, ts_config)
        SELECT d, 'cn_' || n, 'PARAGRAPH', 'heron ' || n, n, n, repeat('0', 64), 'english'
        FROM unnest('{dl_0,dl_1}'::text[]) AS d, generate_series(0, 3999) AS n;
        INSERT INTO ragraph.embedding (document_id, id, node_id, model_name, char_start, char_end, content_hash,
            embedding_vector, normalized)
        SELECT n.document_id, 'em_' || n.id, n.id, 'broad', 0, 1, repeat('0', 64),
            (ARRAY[1] || array_fill(0, ARRAY[127]))::vector, true
        FROM ragraph.content_node AS n;
        ANALYZE ragraph.content_node; ANALYZE ragraph.embedding; ANALYZE ragraph.document_component;
        """
    )
    read: LiteralString = """
        SELECT pg_stat_get_xact_tuples_returned('ragraph.content_node'::regclass)
            + pg_stat_get_xact_tuples_returned('ragraph.embedding'::regclass),
            pg_stat_get_xact_tuples_returned('ragraph.content_node_reading_order_key'::regclass),
            pg_stat_get_xact_tuples_fetched('ragraph.content_node'::regclass)"""

    def counters() -> Counter[str]:
        row = connection.execute(read).fetchone()
        assert row
        return Counter(dict(zip(("scanned", "by_interval", "nodes"), row, strict=True)))

    before = counters()
    arguments: LiteralString = ", document_ids => '{dl_0,dl_1}', component_ids => '{cmp_0,cmp_1,cmp_2}'"
    found = _places(connection, method, arguments, model="broad", probe=[1.0] + 127 * [0.0])
    assert len(found) == 60
    spent = counters()
    spent.subtract(before)
    assert spent["scanned"] == 0, "a table was read from end to end"
    assert 60 <= spent["by_interval"] <= 1000
    assert spent["nodes"] <= 2000


def test_running_heads_do_not_crowd_out_what_matches(connection: Connection) -> None:
    """They are short and many, so words rank them first: 300 of them before twelve paragraphs without a vector."""
    make_model(connection)
    make_document(connection)
    make_component(connection, "dl_a", "cmp_head", component_type="HEADER")
    for place in range(312):
        head = place < 300
        content = "heron" if head else "heron " + "and so on " * 20 + str(place)
        parent = {"parent_component_id": "cmp_head"} if head else {}
        make_node(connection, "dl_a", f"cn_{place}", place, content=content, ts_config="simple", **parent)
    for arguments in ("", ", exact_limit => 0", ", node_types => '{PARAGRAPH}'"):
        rows = connection.execute(
            f"SELECT node_id FROM ragraph.search_hybrid('heron', '[1,0,0]', 'tiny', 12{arguments})"
        ).fetchall()
        assert len(rows) == 12
        found = {int(node.removeprefix("cn_")) for (node,) in rows}
        assert (found < set(range(300))) if "node_types" in arguments else (found == set(range(300, 312)))
