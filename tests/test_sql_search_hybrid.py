"""search_hybrid: ranks fused by weight, filled up by vectors, the graph inside the scope; store.search by mode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, LiteralString

import psycopg
import pytest
from factories import make_embedding, make_node, make_relation, make_tree, vector
from hypothesis import given, settings
from hypothesis import strategies as st
from sample_library import BOOK, GUIDE

from ragraph.errors import ArgumentError
from ragraph.filters import field
from ragraph.search import Weights

if TYPE_CHECKING:
    from ragraph import Store

    Connection = psycopg.Connection[tuple[Any, ...]]

COLUMNS = "node_id, score, rank, vector_rank, text_rank, graph_rank, page_rank"


def search(
    connection: Connection, query: str, arguments: LiteralString = "", k: int = 10, at: int = 1
) -> list[tuple[Any, ...]]:
    return connection.execute(
        f"SELECT {COLUMNS} FROM ragraph.search_hybrid(%s, %s, 'tiny', %s{arguments}) ORDER BY rank",
        [query, str(vector(at)), k],
    ).fetchall()


@pytest.fixture
def tree(connection: Connection) -> Connection:
    """dl_a: sections of four nodes, heading first; cn_10 speaks of herons, all else is "Text n of section m."."""
    make_tree(connection, sections=4, nodes=3)
    connection.execute("UPDATE ragraph.content_node SET content = 'The heron waits.' WHERE id = 'cn_10'")
    return connection


def test_ranks_are_fused(tree: Connection) -> None:
    for arguments, weights in (
        ("", (1.0, 1.0)),
        (", vector_weight => 0.5, text_weight => 2, rrf_k => 10", (0.5, 2.0)),
    ):
        constant = 10 if arguments else 60
        found = search(tree, "heron text", arguments, k=12)
        ranked = tree.execute(
            "SELECT rank, share FROM ragraph_private.rank_pages('heron text', %s, '{1,2,3,4}')", [["dl_a"] * 4]
        )
        shares: dict[int, float] = dict(ranked.fetchall())
        assert max(shares.values()) == 1
        assert [row[2] for row in found] == list(range(1, len(found) + 1))
        nodes = [sum(w / (constant + r) for w, r in zip(weights, row[3:5], strict=True) if r) for row in found]
        for (_, score, _, by_vector, _, by_graph, by_page), expected in zip(found, nodes, strict=True):
            better = [
                row
                for row, other in zip(found, nodes, strict=True)
                if row[6] == by_page and (-other, row[3] or len(found) + 1) < (-expected, by_vector or len(found) + 1)
            ]
            expected += 2 * weights[1] / (constant + 1) * shares[by_page] ** 4 * (0.25 / len(better) if better else 1)
            assert score == pytest.approx(expected)
            assert by_graph is None
        assert [row[1] for row in found] == sorted((row[1] for row in found), reverse=True)
    by_node = {row[0]: row for row in found}
    assert by_node["cn_10"][4] == 1, "the rare word"
    assert by_node["cn_1"][3] == 1, "the nearest vector"
    assert {"cn_0", "cn_4", "cn_8", "cn_12"}.isdisjoint(by_node), "headings are no answers"
    assert len(by_node) == 12


def test_the_parts_agree_with_their_own_searches(tree: Connection) -> None:
    found = search(tree, "heron text", k=12)
    vectors = tree.execute(
        "SELECT node_id, rank FROM ragraph.search_vector(%s, 'tiny', 12)", [str(vector(1))]
    ).fetchall()
    assert {(row[0], row[3]) for row in found if row[3]} == set(vectors)
    texts = tree.execute(
        "SELECT node_id, rank FROM ragraph.search_text('heron text', 12, match => 'any', node_types => '{PARAGRAPH}')"
    ).fetchall()
    assert {(row[0], row[4]) for row in found if row[4]} == set(texts)


@pytest.mark.parametrize("query", ["unheard of", "the of and", "' & | ! :*", '-"x"'])
def test_vectors_fill_up_what_words_do_not_find(tree: Connection, query: str) -> None:
    for arguments in ("", ", vector_weight => 0", ", exact_limit => 0", ", vector_weight => 0, graph_weight => 1"):
        assert len({row[0] for row in search(tree, query, arguments, k=12)}) == 12
    rows = tree.execute("SELECT node_id FROM ragraph.search_vector(%s, 'tiny', 3)", [str(vector(1))]).fetchall()
    assert [row[0] for row in search(tree, query, k=3)] == [node for (node,) in rows]
    assert search(tree, query, ", vector_weight => 0, candidates => 1", k=3)[0][0] == "cn_1", "nearest first"


def test_the_scope_is_kept_by_all_parts(tree: Connection) -> None:
    make_tree(tree, "dl_b", sections=2, nodes=3, language="de", collection="other")
    tree.execute("UPDATE ragraph.publication SET publication_date = '2020-05-05', tags = '{x}' WHERE id = 'pub_b'")
    make_relation(tree, "dl_a", "rel_1", "cn_1", "cn_9")
    cases: dict[LiteralString, set[str]] = {
        ", document_ids => '{dl_a}', component_id => 'cmp_s0'": {"dl_a/cn_1", "dl_a/cn_2", "dl_a/cn_3"},
        ", document_ids => '{dl_a}', pages => '[1,1]'": {"dl_a/cn_1", "dl_a/cn_2", "dl_a/cn_3"},
        ", document_ids => '{dl_a}', node_types => '{TABLE}'": set(),
        ", languages => '{de}', pages => '[2,2]'": {"dl_b/cn_5", "dl_b/cn_6", "dl_b/cn_7"},
        ", collection => 'other', pages => '[2,2]'": {"dl_b/cn_5", "dl_b/cn_6", "dl_b/cn_7"},
        ", filter => '{\"year\": 2020}', pages => '[2,2]'": {"dl_b/cn_5", "dl_b/cn_6", "dl_b/cn_7"},
        ", filter => '{\"year\": 2021}'": set(),
        ", document_ids => '{}'": set(),
    }
    for arguments, expected in cases.items():
        for more in ("", ", graph_weight => 1", ", graph_weight => 1, exact_limit => 0"):
            rows = tree.execute(
                "SELECT document_id || '/' || node_id FROM ragraph.search_hybrid("
                f"'heron text', %s, 'tiny', 50{arguments}{more})",
                [str(vector(1))],
            )
            assert {hit for (hit,) in rows} == expected, (arguments, more)


def test_the_graph_brings_what_the_best_are_tied_to(tree: Connection) -> None:
    # cn_10 is the only node with the word; a note far away belongs to it, another relation leads to it
    make_node(tree, "dl_a", "cn_note", 100, content="Ardea stands in the water.", content_node_type="NOTE")
    make_node(tree, "dl_a", "cn_far", 200, content="Ardea stands in the water.")
    make_relation(tree, "dl_a", "rel_1", "cn_10", "cn_note", relation_type="REFERENCES_NOTE")
    make_relation(tree, "dl_a", "rel_2", "cn_13", "cn_10")
    arguments = ", vector_weight => 0, graph_weight => 1"
    found = {row[0]: row for row in search(tree, "heron", arguments, k=20)}
    assert found["cn_10"][2] == 1
    assert found["cn_note"][3:5] == (None, None), "neither vector nor word leads to it"
    assert found["cn_note"][5] is not None
    ranks = {node: row[5] for node, row in found.items() if row[5]}
    assert {"cn_note", "cn_13"} <= {node for node in ranks if ranks[node] <= 4}
    assert ranks["cn_9"] < ranks.get("cn_1", 99), "next in its section"
    assert "cn_far" not in found
    assert "cn_8" not in ranks, "headings are no answers"
    only = search(tree, "heron", ", vector_weight => 0, text_weight => 0, graph_weight => 1", k=3)
    assert all(row[5] == row[2] for row in only)


def test_the_page_that_says_it_all_comes_first(connection: Connection) -> None:
    """Each page says "operating income"; one says segment and year too, in nodes of their own, heads and heading."""
    make_tree(connection, sections=6, nodes=4)
    connection.execute(
        "UPDATE ragraph.content_node SET content = 'Operating income.', token_count = 3"
        " WHERE content_node_type = 'PARAGRAPH' AND sequence_in_parent_major = 2"
    )
    for node, content in (("cn_20", "Asia Pacific segment"), ("cn_21", "Fiscal year 2015"), ("cn_23", "12,345")):
        connection.execute("UPDATE ragraph.content_node SET content = %s WHERE id = %s", [content, node])
    question = "operating income of the Asia Pacific segment in fiscal year 2015"
    found = search(connection, question, k=30, at=1)
    pages: dict[str, int] = dict(connection.execute("SELECT id, first_page FROM ragraph.content_node").fetchall())
    assert {row[0] for row in found if row[6] == 1} == {f"cn_{number}" for number in (21, 22, 23, 24)}
    assert pages[found[0][0]] == 5
    without = search(connection, question, ", page_weight => 0", k=30, at=1)
    assert {row[6] for row in without} == {None}
    assert {row[0] for row in without} == {row[0] for row in found}
    assert [row[0] for row in search(connection, question, ", text_weight => 0", k=30, at=1)] == [
        row[0] for row in sorted(found, key=lambda row: row[3])
    ], "what is asked without words is ranked without them"


def test_a_page_brings_up_its_best_node_and_not_all_of_them(connection: Connection) -> None:
    """Nodes of the right page that say nothing themselves do not push out what other pages say."""
    make_tree(connection, sections=6, nodes=4)
    for node, content in (
        ("cn_21", "Heron colonies in winter"),
        ("cn_6", "A heron stands alone in the reeds."),
        ("cn_16", "One heron sleeps."),
    ):
        connection.execute("UPDATE ragraph.content_node SET content = %s WHERE id = %s", [content, node])
    pages: dict[str, int] = dict(connection.execute("SELECT id, first_page FROM ragraph.content_node").fetchall())
    found = [row[0] for row in search(connection, "heron colonies in winter", k=30, at=1)]
    assert found[0] == "cn_21"
    rest = [node for node in found[1:] if pages[node] == pages["cn_21"]]
    assert len(rest) == 3
    assert all(found.index(node) < found.index(other) for node in ("cn_6", "cn_16") for other in rest)


def test_a_page_is_read_by_its_words_before_a_picture_without(connection: Connection) -> None:
    make_tree(connection, sections=6, nodes=4)
    connection.execute("UPDATE ragraph.content_node SET content = 'Heron colonies in winter' WHERE id = 'cn_21'")
    connection.execute(
        "UPDATE ragraph.content_node SET content = '', content_node_type = 'FIGURE', token_count = 0 WHERE id = 'cn_22'"
    )
    arguments = ", text_weight => 0, page_weight => {}"
    without = [row[0] for row in search(connection, "heron colonies in winter", arguments.format(0), k=30, at=22)]
    assert without[0] == "cn_22", "it is the nearest"
    found = [row[0] for row in search(connection, "heron colonies in winter", arguments.format(2), k=30, at=22)]
    assert found[0] == "cn_23", "the nearest of the same page that has words"


def test_the_best_are_the_same_however_many_are_asked_for(connection: Connection) -> None:
    """If types are named, only the best nodes are read, and those that pages may bring up."""
    for number in range(4):
        make_tree(connection, f"dl_{number}", sections=12, nodes=6)
    connection.execute(
        "UPDATE ragraph.content_node SET content = 'Heron colonies in winter'"
        " WHERE document_id = 'dl_3' AND id = 'cn_80'"
    )
    arguments: LiteralString = ", candidates => 400, node_types => '{PARAGRAPH}'"
    query = "heron colonies in winter"
    every = search(connection, query, arguments, k=400, at=1)
    assert len(every) == 288
    assert sum(row[6] == 1 and row[3] > 100 for row in every[:100]) > 1, "a page brings up what is far"
    for k in (1, 10, 100, 101, 200):
        assert search(connection, query, arguments, k=k, at=1) == every[:k]


def test_words_that_stand_together_make_a_page(connection: Connection) -> None:
    """Two pages have the same words as often; on one they stand side by side, as in the question."""
    make_tree(connection, sections=3, nodes=2)
    for node, content in (
        ("cn_1", "Flow of cash, free."),
        ("cn_2", "Net change."),
        ("cn_4", "Free cash flow."),
        ("cn_5", "Change, net."),
    ):
        connection.execute(
            "UPDATE ragraph.content_node SET content = %s, token_count = 5 WHERE id = %s", [content, node]
        )
    pages = connection.execute(
        "SELECT page, rank FROM ragraph_private.rank_pages('free cash flow', '{dl_a,dl_a,dl_a,dl_a}', '{1,2,2,3}')"
    ).fetchall()
    assert dict(pages) == {2: 1, 1: 2}, "a page without a word of it has no rank"


def test_documents_without_pages_are_ranked_as_without_the_page(tree: Connection) -> None:
    tree.execute("UPDATE ragraph.content_node SET positional_data = '[]'")
    found = search(tree, "heron text", k=12)
    assert {row[6] for row in found} == {None}
    assert found == search(tree, "heron text", ", page_weight => 0", k=12)


def test_what_has_no_page_keeps_its_rank_beside_pages(connection: Connection) -> None:
    """dl_a has pages, of which the best says one word of the question; dl_b has none, and a node that says all."""
    for document in ("dl_a", "dl_b"):
        make_tree(connection, document, sections=4, nodes=3)
    connection.execute("UPDATE ragraph.content_node SET positional_data = '[]' WHERE document_id = 'dl_b'")
    connection.execute(
        "UPDATE ragraph.content_node SET content = 'The heron colonies of winter.'"
        " WHERE document_id = 'dl_b' AND id = 'cn_10'"
    )
    connection.execute(
        "UPDATE ragraph.content_node SET content = 'Winter comes.' WHERE document_id = 'dl_a' AND id = 'cn_5'"
    )
    query = (
        "SELECT document_id, node_id, score FROM ragraph.search_hybrid('heron colonies in winter', %s, 'tiny', 24{})"
    )
    found, without = (
        connection.execute(query.format(arguments) + " ORDER BY rank", [str(vector(10))]).fetchall()
        for arguments in ("", ", page_weight => 0")
    )
    assert found[0][:2] == ("dl_b", "cn_10")
    places = [[place for place, row in enumerate(rows) if row[0] == "dl_b"] for rows in (found, without)]
    assert places[0] == places[1]
    assert [row[1] for row in found if row[0] == "dl_b"] == [row[1] for row in without if row[0] == "dl_b"]
    assert found != without
    scores = [row[2] for row in found]
    assert scores == sorted(scores, reverse=True)


def test_a_part_of_a_long_node_or_a_passage_is_named(tree: Connection) -> None:
    filler = "Lorem ipsum dolor sit amet, consetetur sadipscing elitr. " * 20
    make_node(tree, "dl_a", "cn_long", 300, content=filler + "A bittern booms. " + filler)
    query = "SELECT part, char_start, char_end FROM ragraph.search_hybrid('bittern', %s, 'tiny', 1, vector_weight => 0)"
    ((part, start, end),) = tree.execute(query, [str(vector(1))]).fetchall()
    assert part is None
    assert "bittern" in (filler + "A bittern booms. " + filler)[start:end]
    make_embedding(tree, "dl_a", "cn_long", vector(400), part=3, char_start=7, char_end=99)
    assert tree.execute(query, [str(vector(400))]).fetchall() == [(3, 7, 99)]


@pytest.mark.parametrize(
    "arguments",
    [
        "vector_weight => -1",
        "text_weight => 'NaN'",
        "graph_weight => 'Infinity'",
        "vector_weight => null",
        "page_weight => -1",
        "page_weight => 'NaN'",
        "page_weight => 'Infinity'",
        "vector_weight => 0, text_weight => 0",
        "rrf_k => 0",
        "rrf_k => null",
        "candidates => 0",
        "k => 0",
        "filter => '[]'",
        "exact_limit => -1",
    ],
)
def test_wrong_arguments_are_refused(tree: Connection, arguments: str) -> None:
    with pytest.raises(psycopg.Error) as raised, tree.transaction():
        tree.execute(f"SELECT * FROM ragraph.search_hybrid('x', '{vector(1)}', 'tiny', {arguments})")
    assert raised.value.sqlstate == "RG005"


# -- by Python, on documents that were really ingested -----------------------------------------------------


def test_modes_of_the_store(library: Store) -> None:
    question = "growth of towns and cities"
    for mode in ("vector", "text", "hybrid", "graph"):
        hits = library.search(question, 5, document=BOOK, mode=mode, match="any" if mode == "text" else "all")
        assert len(hits) == 5
        assert all(hit.document_id == BOOK for hit in hits)
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
        assert all(hit.ranks for hit in hits)
        assert hits[0].to_json()["ranks"] == hits[0].ranks
    assert set(library.search(question, 1, mode="vector")[0].ranks) == {"vector"}
    assert any("graph" in hit.ranks for hit in library.search(question, 10, mode="graph"))
    # only text: the vector part fills up after it
    text = library.search("towns", 3, document=BOOK, mode="hybrid", weights=Weights(vector=0))
    assert [hit.ranks["text"] for hit in text] == [1, 2, 3]


def test_lists_of_nodes_are_hybrid_by_default(library: Store) -> None:
    question = "growth of towns and cities"
    assert library.search(question, 7) == library.search(question, 7, mode="hybrid")
    by_section = [hit for section in library.search_sections(question, 3, document=BOOK) for hit in section.hits]
    assert any(set(hit.ranks) == {"vector", "text"} for hit in by_section)


@given(st.data())
@settings(max_examples=25, deadline=None)
def test_the_default_keeps_its_promises_in_a_section(library: Store, data: st.DataObject) -> None:
    """Exact within a section, and k rows while k nodes of it are embedded."""
    sections = [entry.component_id for entry in library.toc(BOOK) if entry.nodes]
    section = data.draw(st.sampled_from(sections))
    query = data.draw(st.sampled_from(["growth of towns", "corn", "slavery and cattle", "taxes on exports -wine"]))
    k = data.draw(st.integers(1, 40))
    hits = library.search(query, k, document=BOOK, section=section)
    nearest = [hit.node_id for hit in library.search(query, 500, document=BOOK, section=section, mode="vector")]
    found = [hit.node_id for hit in hits]
    assert len(found) == len(set(found)) <= k
    assert len(found) >= min(k, len(nearest))
    assert set(found) <= {node.id for node in library.nodes(BOOK, section)}
    assert all(nearest[hit.ranks["vector"] - 1] == hit.node_id for hit in hits if "vector" in hit.ranks)
    if len(nearest) <= 50:  # all are candidates
        assert {hit.node_id for hit in hits if hit.node_id in nearest} == {
            hit.node_id for hit in hits if "vector" in hit.ranks
        }


def test_text_search_loads_no_model(library: Store) -> None:
    hits = library.search('"front matter"', document=GUIDE, mode="text", model="a-model-that-is-nowhere")
    assert hits
    assert all("front matter" in hit.content.lower() for hit in hits)
    assert library.search("the of and", mode="text") == []
    with pytest.raises(ArgumentError):
        library.search("  ", mode="text")


def test_excerpts_of_words_stand_in_the_document(library: Store) -> None:
    text = library.text(BOOK)
    for hit in library.search("commerce of the towns", 10, document=BOOK, mode="text", match="any"):
        start, end = hit.citation.excerpt_span
        assert text[start:end] == hit.citation.excerpt
        assert "commerce" in hit.citation.excerpt.lower() or "town" in hit.citation.excerpt.lower()


def test_filters_of_the_store(library: Store) -> None:
    for mode in ("vector", "text", "hybrid"):
        for asked in (field("title").contains("Wealth"), {"document_id": BOOK}, {"title": {"$contains": "Wealth"}}):
            hits = library.search("towns", 5, mode=mode, filter=asked)
            assert {hit.document_id for hit in hits} == {BOOK}
        assert library.search("towns", 5, mode=mode, filter=field("year") == 1901) == []
    for wrong in ({"year": {"$near": 1}}, {"publication_date": "soon"}):
        with pytest.raises(ArgumentError):
            library.search("towns", mode="text", filter=wrong)
