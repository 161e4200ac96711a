"""expand_hits: each switch alone, and what holds whatever the switches are."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from factories import (
    make_component,
    make_document,
    make_embedding,
    make_model,
    make_node,
    make_relation,
    make_tree,
    refused,
    vector,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Mapping

    Connection = psycopg.Connection[tuple[Any, ...]]

OFF: dict[str, Any] = {
    "token_budget": None,
    "sections": False,
    "merge_share": None,
    "sentences": 0,
    "before": 0,
    "after": 0,
    "cross_sections": False,
    "whole_nodes": False,
    "captions": False,
    "notes": False,
    "citations": False,
    "cross_references": False,
    "supplements": False,
    "max_hops": 2,
    "breadcrumbs": True,
}
CALL = "SELECT * FROM ragraph.expand_hits(%(hits)s::jsonb, " + ", ".join(f"{name} => %({name})s" for name in OFF) + ")"


def expand(connection: Connection, hits: Any, **switches: Any) -> list[dict[str, Any]]:
    """Expand hits, which are node ids of document dl_a or whole hits, with everything off that is not named."""
    given_hits = [
        hit if isinstance(hit, dict) else {"document_id": "dl_a", "node_id": hit, "score": 1 - place / 100}
        for place, hit in enumerate(hits)
    ]
    with connection.cursor(row_factory=psycopg.rows.dict_row) as cursor:
        return cursor.execute(CALL, {**OFF, "hits": json.dumps(given_hits), **switches}).fetchall()


def roles(rows: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(row["node_id"], row["role"]) for row in rows]


def total(rows: list[dict[str, Any]]) -> int:
    return sum(row["tokens"] + row["breadcrumb_tokens"] for row in rows)


def fill(connection: Connection, document_id: str, *nodes: tuple[str, str, str] | tuple[str, str, str, str]) -> None:
    """Insert nodes (id, type, content, and the component if not cmp_s) in reading order, one token a word."""
    offset = 0
    for place, (node_id, kind, content, *component) in enumerate(nodes):
        make_node(
            connection,
            document_id,
            node_id,
            place,
            content=content,
            content_node_type=kind,
            parent_component_id=component[0] if component else "cmp_s",
            char_start=offset,
            char_end=offset + len(content),
            token_count=len(content.split()),
        )
        offset += len(content) + 2


@pytest.fixture
def article(connection: Connection) -> Connection:
    """One section with a heading, text, a table and a figure with captions, notes, an entry and page furniture."""
    make_document(connection)
    make_component(
        connection, "dl_a", "cmp_b", component_type="BODY_MATTER", first_sequence=0, last_sequence=13, title=None
    )
    shared = {"parent_component_id": "cmp_b", "depth": 1}
    make_component(
        connection,
        "dl_a",
        "cmp_s",
        title="Results",
        sequence_in_parent_major=0,
        first_sequence=0,
        last_sequence=10,
        **shared,
    )
    make_component(
        connection,
        "dl_a",
        "cmp_f",
        component_type="FOOTER",
        parent_component_id="cmp_s",
        depth=2,
        sequence_in_parent_major=50,
        sequence_in_parent_minor=0,
        first_sequence=4,
        last_sequence=4,
    )
    make_component(
        connection,
        "dl_a",
        "cmp_t",
        title="References",
        sequence_in_parent_major=1,
        first_sequence=11,
        last_sequence=13,
        **shared,
    )
    fill(
        connection,
        "dl_a",
        ("h", "HEADING", "Results"),
        ("p1", "PARAGRAPH", "First things happened. Then others did. See the table."),
        ("p2", "PARAGRAPH", "The cost of Fig. 3 was low. It rose later! Nobody knew (J. Smith et al. did)."),
        ("n1", "NOTE", "A note that cites."),
        ("foot", "PAGE_NUMBER", "17", "cmp_f"),
        ("p3", "PARAGRAPH", "Third paragraph here."),
        ("tab", "TABLE", "a | b\n1 | 2\n3 | 4"),
        ("tcap", "CAPTION", "Table 1. Letters."),
        ("fig", "FIGURE", ""),
        ("fcap", "CAPTION", "Figure 1. A view."),
        ("p4", "PARAGRAPH", "Last paragraph."),
        ("h2", "HEADING", "References", "cmp_t"),
        ("e1", "BIBLIOGRAPHIC_ENTRY", "Smith, J. On cost.", "cmp_t"),
        ("n2", "NOTE", "Second note.", "cmp_t"),
    )
    connection.execute(
        "UPDATE ragraph.content_node SET sequence_in_parent_minor = 1, sequence_in_parent_major = 2 WHERE id = 'n1'"
    )
    for number, (source, kind, target) in enumerate(
        [
            ("p2", "REFERENCES_NOTE", "n1"),
            ("n1", "REFERENCES_CITATION", "e1"),
            ("n1", "REFERENCES_NOTE", "n2"),
            ("n2", "REFERENCES_NOTE", "n1"),
            ("tab", "IS_CAPTIONED_BY", "tcap"),
            ("fig", "IS_CAPTIONED_BY", "fcap"),
            ("p1", "CROSS_REFERENCES", "tab"),
            ("p3", "CROSS_REFERENCES", "h2"),
            ("p4", "REFERENCES_CITATION", "e1"),
            ("p4", "IS_SUPPLEMENTED_BY", "p1"),
        ]
    ):
        make_relation(connection, "dl_a", f"r{number}", source, target, relation_type=kind)
    return connection


# -- each switch alone -----------------------------------------------------------------------------------------------


def test_nothing_is_brought_when_all_is_off(article: Connection) -> None:
    assert roles(expand(article, ["p4", "p2"])) == [("p2", "hit"), ("p4", "hit")]


def test_a_section_comes_without_headings_furniture_and_empty_figures(article: Connection) -> None:
    rows = expand(article, ["p3"], sections=True)
    assert [row["node_id"] for row in rows] == ["p1", "p2", "n1", "p3", "tab", "tcap", "fcap", "p4"]
    assert {row["role"] for row in rows if row["node_id"] != "p3"} == {"section"}
    assert {row["of_node_id"] for row in rows} == {"p3"}
    assert {row["block"] for row in rows} == {1}
    assert not any(row["gap"] for row in rows)


def test_what_is_nearest_in_the_section_comes_first(article: Connection) -> None:
    one = [row["node_id"] for row in expand(article, ["p3"], sections=True, token_budget=30)]
    assert {"p3", "tab"} <= set(one)
    assert "p1" not in one


def test_a_section_is_merged_when_enough_of_it_is_hit(article: Connection) -> None:
    hits = [
        {"document_id": "dl_a", "node_id": "p1", "score": 0.8},
        {"document_id": "dl_a", "node_id": "p2", "score": 0.2},
    ]
    tokens = {row["node_id"]: row["tokens"] for row in expand(article, ["p1"], sections=True)}
    share = (tokens["p1"] + tokens["p2"]) / sum(tokens.values())
    assert roles(expand(article, hits, merge_share=share + 0.01)) == [("p1", "hit"), ("p2", "hit")]
    merged = expand(article, hits, merge_share=share - 0.01)
    assert {row["node_id"] for row in merged} == set(tokens)
    (score,) = {row["score"] for row in merged if row["role"] == "section"}
    assert score == pytest.approx((0.8 * tokens["p1"] + 0.2 * tokens["p2"]) / (tokens["p1"] + tokens["p2"]))
    assert {row["of_node_id"] for row in merged if row["role"] == "section"} == {"p1"}


def test_the_largest_section_that_is_hit_enough_is_merged(connection: Connection) -> None:
    make_tree(connection, sections=2, nodes=2, embed=False)
    connection.execute("UPDATE ragraph.content_node SET token_count = 4")
    rows = expand(connection, ["cn_1", "cn_2", "cn_4"], merge_share=0.5)
    assert [row["node_id"] for row in rows] == ["cn_1", "cn_2", "cn_4", "cn_5"]
    assert [row["node_id"] for row in expand(connection, ["cn_1"], merge_share=0.5)] == ["cn_1", "cn_2"]


def test_sentences_around_a_span_within_the_node_and_beyond(article: Connection) -> None:
    text = "The cost of Fig. 3 was low. It rose later! Nobody knew (J. Smith et al. did)."
    start = 56 + 9  # of p2
    found = text.index("It rose")
    hit = {"document_id": "dl_a", "node_id": "p2", "char_start": start + found, "char_end": start + found + 7}
    one = expand(article, [hit], sentences=1)
    whole = article.execute("SELECT ragraph.document_text('dl_a')").fetchone()
    assert whole
    words = [(row["role"], whole[0][row["char_start"] : row["char_end"]]) for row in one]
    assert words == [
        ("sentence", "The cost of Fig. 3 was low."),
        ("hit", "It rose"),
        ("sentence", " later!"),
        ("sentence", "Nobody knew (J. Smith et al. did)."),
    ]
    two = [whole[0][row["char_start"] : row["char_end"]] for row in expand(article, [hit], sentences=2)]
    assert two[0] == "See the table."
    assert two[-1] == "Third paragraph here."
    assert not any(row["gap"] for row in one)


def test_neighbours_skip_furniture_and_footnotes_and_stay_in_the_section(article: Connection) -> None:
    assert roles(expand(article, ["p3"], before=1, after=1)) == [("p2", "before"), ("p3", "hit"), ("tab", "after")]
    assert roles(expand(article, ["p4"], after=3)) == [("p4", "hit")]
    assert roles(expand(article, ["p4"], after=1, cross_sections=True)) == [("p4", "hit"), ("e1", "after")]
    assert roles(expand(article, ["p1"], before=9)) == [("p1", "hit")]


def test_a_paragraph_brings_its_note_and_a_note_the_text_it_belongs_to(article: Connection) -> None:
    assert roles(expand(article, ["p2"], notes=True, max_hops=1)) == [("p2", "hit"), ("n1", "note")]
    rows = expand(article, ["n1"], notes=True, max_hops=1)
    assert roles(rows) == [("p2", "noted"), ("n1", "hit"), ("n2", "note")]


def test_notes_lead_on_to_entries_and_to_each_other_in_circles(article: Connection) -> None:
    rows = expand(article, ["p2"], notes=True, citations=True, max_hops=1000)
    assert [(row["node_id"], row["role"], row["hop"]) for row in rows] == [
        ("p2", "hit", 0),
        ("n1", "note", 1),
        ("e1", "citation", 2),
        ("n2", "note", 2),
    ]


def test_captions_come_with_tables_and_figures_both_ways(article: Connection) -> None:
    assert roles(expand(article, ["tab"], captions=True)) == [("tab", "hit"), ("tcap", "caption")]
    assert roles(expand(article, ["tcap"], captions=True)) == [("tab", "captioned"), ("tcap", "hit")]
    assert roles(expand(article, ["fcap"], captions=True)) == [("fig", "captioned"), ("fcap", "hit")]


def test_cited_entries(article: Connection) -> None:
    assert roles(expand(article, ["p4"], citations=True)) == [("p4", "hit"), ("e1", "citation")]


def test_a_referenced_table_brings_its_caption_and_a_section_its_beginning(article: Connection) -> None:
    assert roles(expand(article, ["p1"], cross_references=True)) == [("p1", "hit"), ("tab", "cross_reference")]
    rows = expand(article, ["p1"], cross_references=True, captions=True)
    assert roles(rows) == [("p1", "hit"), ("tab", "cross_reference"), ("tcap", "caption")]
    assert roles(expand(article, ["p3"], cross_references=True)) == [("p3", "hit"), ("e1", "cross_reference")]


def test_supplements(article: Connection) -> None:
    assert roles(expand(article, ["p4"], supplements=True)) == [("p1", "supplement"), ("p4", "hit")]


def test_the_rest_of_a_node_of_which_a_part_was_found(article: Connection) -> None:
    hit = {"document_id": "dl_a", "node_id": "p1", "char_start": 14, "char_end": 20}
    rows = expand(article, [hit], whole_nodes=True)
    assert [(row["role"], row["char_start"], row["char_end"]) for row in rows] == [
        ("node", 9, 14),
        ("hit", 14, 20),
        ("node", 20, 63),
    ]


def test_breadcrumbs_are_charged_once_per_document_and_block(article: Connection) -> None:
    rows = expand(article, ["p1", "p2", "e1"])
    title = -(-len("Publication pub_a") // 3)
    assert [row["breadcrumb_tokens"] for row in rows] == [title + 1, 0, 1]
    assert [row["block"] for row in rows] == [1, 1, 2]
    assert [row["breadcrumb_tokens"] for row in expand(article, ["p1", "p2", "e1"], breadcrumbs=False)] == [0, 0, 0]


def test_a_gap_is_text_that_is_left_out_and_not_a_page_number(article: Connection) -> None:
    assert [row["gap"] for row in expand(article, ["p1", "p3"])] == [False, True]
    assert [row["gap"] for row in expand(article, ["n1", "p3"])] == [False, False]
    assert [row["gap"] for row in expand(article, ["p4", "e1"])] == [False, False]


# -- hits ------------------------------------------------------------------------------------------------------------


def test_parts_of_one_node_are_merged_by_character(article: Connection) -> None:
    hits = [
        {"document_id": "dl_a", "node_id": "p1", "score": 0.9, "char_start": 9, "char_end": 31},
        {"document_id": "dl_a", "node_id": "p1", "score": 0.8, "char_start": 25, "char_end": 48},
        {"document_id": "dl_a", "node_id": "p1", "score": 0.7, "char_start": 10, "char_end": 20},
        {"document_id": "dl_a", "node_id": "p1", "score": 0.6, "char_start": 9, "char_end": 31},
    ]
    assert [(row["char_start"], row["char_end"], row["score"]) for row in expand(article, hits)] == [
        (9, 31, 0.9),
        (31, 48, 0.8),
    ]


def test_equal_documents_are_kept_apart(connection: Connection) -> None:
    for document in ("dl_a", "dl_b", "dl_c"):
        make_tree(connection, document, sections=2, nodes=2, embed=False)
        make_relation(connection, document, "r", "cn_1", "cn_4")
    hits = [{"document_id": document, "node_id": "cn_1", "score": s} for document, s in (("dl_a", 0.2), ("dl_b", 0.9))]
    rows = expand(connection, hits, sections=True, cross_references=True)
    assert [(row["document_id"], row["node_id"]) for row in rows] == [
        (document, node) for document in ("dl_b", "dl_a") for node in ("cn_1", "cn_2", "cn_4")
    ]


def test_a_document_without_sections_is_its_own_section(connection: Connection) -> None:
    make_document(connection)
    for place in range(5):
        make_node(
            connection, "dl_a", f"cn_{place}", place, char_start=place * 14, char_end=place * 14 + 12, token_count=3
        )
    assert [row["node_id"] for row in expand(connection, ["cn_2"], before=1, after=1)] == ["cn_1", "cn_2", "cn_3"]
    assert roles(expand(connection, ["cn_2"], sections=True, merge_share=0.1)) == [("cn_2", "hit")]


def test_the_matter_of_a_book_gives_only_what_stands_in_it(connection: Connection) -> None:
    make_tree(connection, sections=2, nodes=2, embed=False)
    make_node(connection, "dl_a", "cn_x", 6, parent_component_id="cmp_body", char_start=200, char_end=212)
    make_node(
        connection,
        "dl_a",
        "cn_y",
        7,
        parent_component_id="cmp_body",
        char_start=214,
        char_end=226,
        sequence_in_parent_major=8,
    )
    connection.execute("UPDATE ragraph.document_component SET last_sequence = 7 WHERE id = 'cmp_body'")
    assert roles(expand(connection, ["cn_x"], sections=True)) == [("cn_x", "hit"), ("cn_y", "section")]


def test_text_that_resumes_after_a_box_has_a_block_of_its_own(connection: Connection) -> None:
    make_document(connection)
    make_component(connection, "dl_a", "cmp_s", title="Section", first_sequence=0, last_sequence=2)
    make_component(
        connection, "dl_a", "cmp_x", component_type="TEXT_BOX", title="Box 1", parent_component_id="cmp_s", depth=1,
        sequence_in_parent_major=1, first_sequence=1, last_sequence=1,
    )  # fmt: skip
    fill(
        connection,
        "dl_a",
        ("a", "PARAGRAPH", "One."),
        ("b", "PARAGRAPH", "Two.", "cmp_x"),
        ("c", "PARAGRAPH", "Three."),
    )
    assert [row["block"] for row in expand(connection, ["a", "b", "c"])] == [1, 2, 3]
    apart = expand(connection, ["a", "c"])
    assert [(row["block"], row["gap"]) for row in apart] == [(1, False), (1, True)]
    assert total(expand(connection, ["a", "b", "c"], token_budget=20)) <= 20


def test_the_sign_for_a_gap_is_in_the_budget_where_sections_touch(connection: Connection) -> None:
    """Without headings between them, a node touches the section before it, and yet a gap may follow in its own."""
    make_document(connection)
    for place, (first, last) in enumerate([(0, 0), (1, 3)]):
        make_component(
            connection, "dl_a", f"cmp_{place}", title=f"S{place}", sequence_in_parent_major=place,
            first_sequence=first, last_sequence=last,
        )  # fmt: skip
    words = [("a", "cmp_0"), ("b", "cmp_1"), ("c", "cmp_1"), ("d", "cmp_1")]
    fill(connection, "dl_a", *((node, "PARAGRAPH", "Word.", component) for node, component in words))
    make_relation(connection, "dl_a", "r", "a", "b")
    base = total(expand(connection, ["a", "d"]))
    assert roles(expand(connection, ["a", "d"], cross_references=True, token_budget=base + 1)) == [
        ("a", "hit"),
        ("d", "hit"),
    ]
    rows = expand(connection, ["a", "d"], cross_references=True, token_budget=base + 2)
    assert [(row["node_id"], row["gap"]) for row in rows] == [("a", False), ("b", False), ("d", True)]
    assert total(rows) == base + 2


def test_the_best_hit_is_cut_at_a_sentence_when_it_does_not_fit(article: Connection) -> None:
    room = 7  # title and path
    (row,) = expand(article, ["p1", "p2"], token_budget=room + 7)
    assert (row["node_id"], row["cut"], row["char_start"], row["char_end"]) == (
        "p1",
        True,
        9,
        9 + len("First things happened. Then others did."),
    )
    assert total([row]) <= room + 7
    (row,) = expand(article, ["p1"], token_budget=room + 2)
    assert (row["cut"], row["char_end"]) == (True, 9 + len("First things"))
    assert expand(article, ["p1"], token_budget=room) == []


def test_a_hit_that_does_not_fit_makes_room_for_those_that_do(article: Connection) -> None:
    rows = expand(article, ["p4", "p2", "p3"], token_budget=15)
    assert roles(rows) == [("p3", "hit"), ("p4", "hit")]
    assert not any(row["cut"] for row in rows)


@pytest.mark.parametrize(
    ("hits", "switches", "code"),
    [
        ([{"document_id": "dl_none", "node_id": "p1"}], {}, "RG001"),
        ([{"document_id": "dl_a", "node_id": "cn_none"}], {}, "RG003"),
        (["p1", {"document_id": "dl_a", "node_id": "cn_none"}], {}, "RG003"),
        ([{"document_id": "dl_a"}], {}, "RG005"),
        ([{"document_id": "dl_a", "node_id": 3}], {}, "RG005"),
        ([{"document_id": "dl_a", "node_id": "p1", "score": "high"}], {}, "RG005"),
        ([{"document_id": "dl_a", "node_id": "p1", "char_start": 9}], {}, "RG005"),
        ([{"document_id": "dl_a", "node_id": "p1", "char_start": 9, "char_end": 900}], {}, "RG005"),
        ([{"document_id": "dl_a", "node_id": "p1", "char_start": 1e40, "char_end": 1e41}], {}, "RG005"),
        ([{"document_id": "dl_a", "node_id": "p1", "char_start": 20, "char_end": 20}], {}, "RG005"),
        (["p1"], {"token_budget": 0}, "RG005"),
        (["p1"], {"merge_share": 0}, "RG005"),
        (["p1"], {"merge_share": 1.1}, "RG005"),
        (["p1"], {"merge_share": float("nan")}, "RG005"),
        (["p1"], {"before": -1}, "RG005"),
        (["p1"], {"sentences": 1001}, "RG005"),
        (["p1"], {"max_hops": None}, "RG005"),
    ],
)
def test_what_cannot_be_expanded_is_refused(
    article: Connection, hits: Any, switches: dict[str, Any], code: str
) -> None:
    with pytest.raises(psycopg.Error) as caught, article.transaction():
        expand(article, hits, **switches)
    assert caught.value.sqlstate == code


@pytest.mark.parametrize("hits", [None, "{}", "3"])
def test_hits_are_an_array(article: Connection, hits: str | None) -> None:
    refused(article, lambda: article.execute("SELECT ragraph.expand_hits(%s::jsonb)", [hits]), psycopg.Error)


def test_no_hits_no_rows(article: Connection) -> None:
    assert expand(article, []) == []


def test_rows_of_a_search_are_hits(connection: Connection) -> None:
    make_document(connection)
    make_model(connection)
    text = "One two three. Four five six. Seven."
    make_node(connection, "dl_a", "cn_0", 0, content="Before.", char_end=7)
    make_node(connection, "dl_a", "long", 1, content=text, char_start=9, char_end=9 + len(text))
    make_node(
        connection, "dl_a", "tab", 2, content="a | b", description="Words of its own.", content_node_type="TABLE",
        char_start=100, char_end=105,
    )  # fmt: skip
    make_embedding(connection, "dl_a", "long", vector(1), part=0, char_start=0, char_end=14)
    make_embedding(connection, "dl_a", "long", vector(400), part=1, char_start=15, char_end=len(text))
    make_embedding(connection, "dl_a", "tab", vector(2), char_end=17, embedding_source="DESCRIPTION")
    rows = connection.execute(
        "SELECT node_id, char_start, char_end FROM ragraph.expand_hits((SELECT jsonb_agg(to_jsonb(h))"
        " FROM ragraph.search_vector(%s, 'tiny') AS h), whole_nodes => false)",
        [str(vector(1))],
    ).fetchall()
    assert rows == [("long", 9, 23), ("tab", 100, 105)]


@pytest.mark.parametrize(
    "search", ["search_text('costs of adaptation')", "search_hybrid('costs of adaptation', %(vector)s, 'tiny')"]
)
@pytest.mark.parametrize("take", ["expand_hits(%s, whole_nodes => false)", "focus_hits('costs of adaptation', %s)"])
def test_rows_of_a_search_by_words_are_hits(connection: Connection, search: str, take: str) -> None:
    """Their spans count the text of the document too; a part of the third node was once looked for in the first."""
    make_document(connection)
    make_model(connection)
    filler = "Nothing here is about money at all. " * 40
    text = filler + "In Kenya the costs of adaptation are high. " + filler
    for place, content in enumerate(["Before.", "Still before.", text]):
        start = 9 * place
        make_node(
            connection, "dl_a", f"cn_{place}", place, content=content, char_start=start, char_end=start + len(content),
            token_count=len(content.split()), ts_config="english",
        )  # fmt: skip
    hits = f"(SELECT jsonb_agg(to_jsonb(h)) FROM ragraph.{search} AS h)"
    rows = connection.execute(
        "SELECT substr(ragraph.document_text('dl_a'), f.char_start + 1, f.char_end - f.char_start)"
        f" FROM ragraph.{take % hits} AS f",
        {"vector": str(vector(1))},
    ).fetchall()
    assert "costs of adaptation" in rows[0][0]


# -- whatever the switches -------------------------------------------------------------------------------------------

SWITCHES = st.fixed_dictionaries(
    {
        "sections": st.booleans(),
        "merge_share": st.sampled_from([None, 0.05, 0.5]),
        "sentences": st.integers(0, 3),
        "before": st.integers(0, 3),
        "after": st.integers(0, 3),
        **{
            name: st.booleans()
            for name in (
                "cross_sections",
                "whole_nodes",
                "captions",
                "notes",
                "citations",
                "cross_references",
                "supplements",
            )
        },
        "max_hops": st.integers(0, 4),
        "breadcrumbs": st.booleans(),
    }
)
NODES = st.sampled_from(
    [("dl_a", node) for node in ("p1", "p2", "n1", "p3", "tab", "fig", "fcap", "p4", "e1", "n2")]
    + [("dl_b", "cn_1"), ("dl_b", "cn_5")]
)


@given(
    # PostgreSQL refuses to round a mean to 0, which that of the least numbers there are would be
    hits=st.lists(
        st.tuples(NODES, st.floats(-1, 1, allow_subnormal=False), st.floats(0, 1), st.floats(0, 1)), max_size=8
    ),
    switches=SWITCHES,
    budget=st.one_of(st.none(), st.integers(1, 120)),
)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_additive_within_budget_and_nothing_twice(
    article: Connection,
    hits: list[tuple[tuple[str, str], float, float, float]],
    switches: Mapping[str, Any],
    budget: int | None,
) -> None:
    if not article.execute("SELECT 1 FROM ragraph.document WHERE id = 'dl_b'").fetchone():
        make_tree(article, "dl_b", sections=2, nodes=3, embed=False)
        article.execute("UPDATE ragraph.content_node SET token_count = 5 WHERE document_id = 'dl_b'")
    spans: dict[tuple[str, str], tuple[int, int]] = {
        (document, node): (start, end)
        for document, node, start, end in article.execute(
            "SELECT document_id, id, char_start, char_end FROM ragraph.content_node"
        )
    }
    found: list[dict[str, Any]] = []
    for key, score, one, other in hits:
        start, end = spans[key]
        first, last = sorted(start + round(share * (end - start)) for share in (one, other))
        part = {} if first == last else {"char_start": first, "char_end": last}
        found.append({"document_id": key[0], "node_id": key[1], "score": score, **part})
    rows = expand(article, found, **switches, token_budget=budget)
    alone = expand(article, found, token_budget=budget, breadcrumbs=switches["breadcrumbs"])

    def characters(chosen: list[dict[str, Any]]) -> list[tuple[str, int]]:
        return [(row["document_id"], place) for row in chosen for place in range(row["char_start"], row["char_end"])]

    # additive: the hits are those that come when nothing is brought along
    columns = ("document_id", "node_id", "char_start", "char_end")
    assert [tuple(row[k] for k in columns) for row in rows if row["role"] == "hit"] == [
        tuple(row[k] for k in columns) for row in alone
    ]
    # nothing twice, and nothing without end
    assert len(characters(rows)) == len(set(characters(rows)))
    assert len({(row["document_id"], row["node_id"], row["char_start"]) for row in rows}) == len(rows)
    # within the budget
    if budget is not None:
        assert total(rows) <= budget
    # each row within its node, in reading order, documents whole
    for row in rows:
        start, end = spans[row["document_id"], row["node_id"]]
        assert start <= row["char_start"] <= row["char_end"] <= end
    for document in {row["document_id"] for row in rows}:
        places = [(row["sequence_in_document"], row["char_start"]) for row in rows if row["document_id"] == document]
        assert places == sorted(places)
    documents = [row["document_id"] for row in rows]
    assert documents == sorted(documents, key=documents.index)
    assert [row["block"] for row in rows] == sorted(row["block"] for row in rows)
    if budget is None:
        given_places = {
            (hit["document_id"], place)
            for hit in found
            for place in range(
                hit.get("char_start", spans[hit["document_id"], hit["node_id"]][0]),
                hit.get("char_end", spans[hit["document_id"], hit["node_id"]][1]),
            )
        }
        assert given_places <= set(characters(rows))
