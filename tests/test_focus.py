"""focus_hits and strategy focus: of each hit the sentences that are about the query."""

from __future__ import annotations

import functools
import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from command_line import CommandLine
from factories import make_component, make_document, make_node, make_tree, refused, vector
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg.rows import dict_row
from sample_library import BOOK

import ragraph
from ragraph import errors
from ragraph.database.runner import QueryRunner
from ragraph.errors import ArgumentError
from ragraph.models.embedding import load_model
from ragraph.retrieval.context import within
from ragraph.store import searching

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph import Hit, Store

    Connection = psycopg.Connection[tuple[Any, ...]]

LONG = (
    "The valley was settled early by farmers from the coast. Floods reached the upper town in spring of that year. "
    "Nobody kept a record of the harvest for many years."
)
OTHER = "Trade with the northern towns began after the war. The bridge was rebuilt twice at great cost to the town."


def focus(connection: Connection, query: str, hits: list[Any], **options: Any) -> list[tuple[Any, ...]]:
    rows = [hit if isinstance(hit, dict) else {"document_id": "dl_a", "node_id": hit} for hit in hits]
    options = {"shortest": 0, **options}
    named = ", ".join(f"{name} => %({name})s" for name in options)
    call = f"ragraph.focus_hits(%(query)s, %(hits)s::jsonb, {named})"
    texts = (
        f"SELECT f.node_id, substr(ragraph.document_text(f.document_id), f.char_start + 1, f.char_end - f.char_start),"
        f" f.score, f.rank FROM {call} AS f ORDER BY f.rank"
    )
    return connection.execute(texts, {"query": query, "hits": json.dumps(rows), **options}).fetchall()


@pytest.fixture
def document(connection: Connection) -> Connection:
    make_document(connection)
    texts = {"cn_a": LONG, "cn_b": OTHER, "cn_c": "3.6 Fees. The buyer pays the fee within thirty days of delivery."}
    start = 0
    for place, (node, text) in enumerate(texts.items()):
        span = {"char_start": start, "char_end": start + len(text)}
        make_node(connection, "dl_a", node, place, content=text, ts_config="english", **span)
        start += len(text) + 2
    return connection


def test_the_sentence_about_the_query_comes_first(document: Connection) -> None:
    found = focus(document, "floods in the upper town", ["cn_b", "cn_a"])
    assert found[0][:2] == ("cn_a", "Floods reached the upper town in spring of that year.")
    assert [row[3] for row in found] == list(range(1, len(found) + 1))
    assert {row[0] for row in found} == {"cn_a", "cn_b"}


def test_words_are_compared_as_the_language_inflects_them(document: Connection) -> None:
    assert focus(document, "flooding", ["cn_a"])[0][1].startswith("Floods reached")


def test_the_sentences_of_a_hit_are_its_text(document: Connection) -> None:
    found = sorted(focus(document, "harvest", ["cn_a"]), key=lambda row: LONG.index(row[1]))
    assert " ".join(row[1] for row in found) == LONG


def test_what_a_document_says_twice_comes_once(document: Connection) -> None:
    """As abstract and body do; another document may say the same, and the rows of two tables may mean two things."""
    said, row = "Floods reached the upper town, in spring of that  year!", "Floods | 12"
    (start,) = document.execute("SELECT max(char_end) + 2 FROM ragraph.content_node").fetchone() or (0,)
    for place, (node, kind, text) in enumerate(
        [("cn_d", "PARAGRAPH", said), ("cn_t", "TABLE", row), ("cn_u", "TABLE", row)], 3
    ):
        own = {"content_node_type": kind, "content": text, "char_start": start, "char_end": start + len(text)}
        make_node(document, "dl_a", node, place, ts_config="english", **own)
        start += len(text) + 2
    make_document(document, "dl_b")
    make_node(document, "dl_b", "cn_e", 0, content=said, ts_config="english", char_start=0, char_end=len(said))
    other = {"document_id": "dl_b", "node_id": "cn_e"}
    found = focus(document, "floods in the upper town", ["cn_d", "cn_a", "cn_t", "cn_u", other])
    about = [node for node, text, *_ in found if text.startswith("Floods")]
    assert sorted(about) == ["cn_d", "cn_e", "cn_t", "cn_u"]


def test_a_heading_in_the_text_stays_with_what_follows(document: Connection) -> None:
    (row,) = focus(document, "fees", ["cn_c"], shortest=60)
    assert row[1] == "3.6 Fees. The buyer pays the fee within thirty days of delivery."


def test_without_words_in_common_the_order_of_the_hits_stays(document: Connection) -> None:
    found = focus(document, "zebra", ["cn_b", "cn_a"])
    assert [row[0] for row in found] == ["cn_b", "cn_b", "cn_a", "cn_a", "cn_a"]


def test_the_share_of_words_decides_between_hit_and_sentence(document: Connection) -> None:
    hits = [
        {"document_id": "dl_a", "node_id": "cn_b", "score": 0.9},
        {"document_id": "dl_a", "node_id": "cn_a", "score": 0.1},
    ]
    assert focus(document, "floods", hits, words_share=0.0, headings_share=0.0)[0][0] == "cn_b"
    assert focus(document, "floods", hits, words_share=1.0, headings_share=0.0)[0][0] == "cn_a"


@pytest.fixture
def chapters(connection: Connection) -> Connection:
    """Two sections that say the same; what they are about stands in the headings above."""
    make_document(connection)
    titles = {"cmp_rent": "Rents", "cmp_trade": "Foreign trade", "cmp_ports": "Ports"}
    for place, (component, title) in enumerate(titles.items()):
        within = {"parent_component_id": "cmp_trade", "depth": 1} if component == "cmp_ports" else {}
        own = {"sequence_in_parent_major": place, "title": title}
        make_component(connection, "dl_a", component, component_type="SECTION", **own, **within)
    for place, (node, component) in enumerate({"cn_r": "cmp_rent", "cn_p": "cmp_ports"}.items()):
        text = "They rose in every year of that decade."
        within = {"parent_component_id": component, "char_start": 50 * place, "char_end": 50 * place + len(text)}
        make_node(connection, "dl_a", node, place, content=text, ts_config="english", **within)
    return connection


@pytest.mark.parametrize(
    ("query", "first"), [("rent", "cn_r"), ("trading with foreigners", "cn_p"), ("a port", "cn_p")]
)
def test_headings_say_what_a_sentence_is_about(chapters: Connection, query: str, first: str) -> None:
    other = {"cn_r": "cn_p", "cn_p": "cn_r"}[first]
    assert [row[0] for row in focus(chapters, query, [other, first], headings_share=0.3)] == [first, other]
    assert [row[0] for row in focus(chapters, query, [other, first], headings_share=0)] == [other, first]


def test_a_query_is_no_syntax(document: Connection) -> None:
    assert focus(document, "'; drop table x -- & | ! :*", ["cn_a"])


@pytest.mark.parametrize(
    ("query", "options"),
    [
        (" ", {}),
        ("x", {"words_share": 2.0}),
        ("x", {"shortest": -1}),
        ("x", {"words_share": None}),
        ("x", {"headings_share": -0.1}),
        ("x", {"headings_share": None}),
        ("x", {"words_share": 0.7, "headings_share": 0.4}),
    ],
)
def test_what_it_does_not_take_is_refused(document: Connection, query: str, options: dict[str, Any]) -> None:
    refused(document, lambda: focus(document, query, ["cn_a"], **options), psycopg.Error)


def test_focus_fits_more_places_into_a_budget(library: Store) -> None:
    query = "the expense of great landlords and the growth of towns"
    hits = library.search(query, k=12, document=BOOK)
    whole = library.expand(hits, "none", token_budget=500)
    focused = library.expand(hits, "focus", token_budget=500, query=query)
    assert focused.strategy == "focus"
    assert focused.tokens <= 500
    given = {(hit.document_id, hit.node_id) for hit in hits}
    nodes = {(block.document_id, node) for block in focused.blocks for node in block.node_ids}
    assert nodes <= given
    assert len(nodes) > len({node for block in whole.blocks for node in block.node_ids})


def test_what_words_and_headings_count_can_be_set(library: Store) -> None:
    query = "the expense of great landlords and the growth of towns"
    hits = library.search(query, k=12, document=BOOK)
    by_hits = library.expand(hits, "focus", token_budget=200, query=query, words_share=0, headings_share=0)
    by_words = library.expand(hits, "focus", token_budget=200, query=query, words_share=1, headings_share=0)
    assert hits[0].node_id in by_hits.blocks[0].node_ids
    assert by_hits.text != by_words.text
    with pytest.raises(errors.ArgumentError, match="for strategy 'focus', not 'none'"):
        library.expand(hits, "none", words_share=1)


def test_focus_needs_the_query(library: Store) -> None:
    hits = library.search("towns", k=1)
    with pytest.raises(errors.ArgumentError, match="query"):
        library.expand(hits, "focus")
    assert library.expand([], "focus").blocks == ()


def test_a_context_in_one_go_is_focused(library: Store) -> None:
    query = "the expense of great landlords and the growth of towns"
    context = library.context(query, 500, document=BOOK)
    by_hand = library.expand(library.search(query, 200, document=BOOK), token_budget=500, query=query)
    assert context.text == by_hand.text
    assert context.strategy == "focus"
    assert 0 < context.tokens <= 500
    assert library.context(query, 500, document=BOOK, strategy="section", k=3).strategy == "section"


def test_a_short_sentence_says_more_with_the_same_words(connection: Connection) -> None:
    """The length norm of BM25: of two sentences that say a word once, the shorter one comes first, by so much."""
    make_document(connection, ts_config="simple")
    connection.execute("UPDATE ragraph.publication SET title = 'Birds'")  # counts as a word of each sentence
    long = "one two three four five six seven eight heron ten"
    texts = [f"{long}.", "Heron five.", "Nothing of the kind is said here."]
    content = " ".join(texts)
    make_node(connection, "dl_a", "cn_a", 0, content=content, char_start=0, char_end=len(content), ts_config="simple")
    found = focus(connection, "heron", ["cn_a"], words_share=1, headings_share=0)
    assert [text.strip() for _, text, _, _ in found[:2]] == ["Heron five.", f"{long}."]
    lengths = [len(text.split()) + 1 for text in texts]
    mean = sum(lengths) / 3

    def norm(length: int) -> float:
        return 1 / (1 + 0.9 * (0.25 + 0.75 * length / mean))

    assert found[0][2] == pytest.approx(2 * norm(lengths[1]))
    assert found[1][2] == pytest.approx(2 * norm(lengths[0]))


@pytest.mark.parametrize("text", ["a", "heron heron, herons", "tern " * 300 + "gull", "naïve zoölogy", "so " * 9000])
def test_the_words_of_a_text_are_counted_without_reading_them(connection: Connection, text: str) -> None:
    """passages_about divides by a rank for that; a server that ranks otherwise would change all contexts."""
    ((counted, words),) = connection.execute(
        "SELECT round(1e-20 / ts_rank(w.words, E'''\\x01'' & ''\\x02''', 2)),"
        " (SELECT sum(cardinality(u.positions)) FROM unnest(w.words) AS u)"
        " FROM (SELECT ragraph_private.word_vector('simple', %s) AS words) AS w",
        [text],
    ).fetchall()
    assert counted == words


def test_words_of_the_title_tell_documents_apart_and_not_the_sentences_of_one(connection: Connection) -> None:
    sentences = {"dl_a": "Herons nest in colonies of herons. The eggs hatch in May.", "dl_b": "The eggs hatch in June."}
    for document, text in sentences.items():
        make_document(connection, document)
        make_node(connection, document, "cn_a", 0, content=text, char_end=len(text), ts_config="english")
    connection.execute("UPDATE ragraph.publication SET title = 'Of herons' WHERE id = 'pub_a'")
    connection.execute("UPDATE ragraph.publication SET title = 'Of gulls' WHERE id = 'pub_b'")
    hits = [{"document_id": document, "node_id": "cn_a"} for document in sentences]
    weights = {"words_share": 1, "headings_share": 0}
    assert focus(connection, "when do eggs of herons hatch", hits[:1], **weights)[0][1] == "The eggs hatch in May."
    for asked, month in (("herons", "May"), ("gulls", "June")):
        found = focus(connection, f"when do eggs of {asked} hatch", hits, **weights)
        assert found[0][1] == f"The eggs hatch in {month}."


@pytest.fixture
def figures(connection: Connection) -> Connection:
    """A table, a paragraph and an entry of a bibliography."""
    make_document(connection)
    make_component(connection, "dl_a", "cmp_s", title="Energy use")
    make_component(connection, "dl_a", "cmp_p", title="By plant", parent_component_id="cmp_s", depth=1)
    cells = [
        ["Plant", "2021", "2022"],
        *([f"Plant {name}", str(place * 3), "7"] for place, name in enumerate("ABCDEF")),
    ]
    table = "\n".join(" | ".join(row) for row in cells)
    texts = [
        ("cn_t", "TABLE", table, "cmp_p", {"cells": cells}),
        ("cn_p", "PARAGRAPH", "Energy was dear in both years.", "cmp_s", {}),
        ("cn_b", "BIBLIOGRAPHIC_ENTRY", "Plant D and Plant E, a history of energy, 2022.", None, {}),
    ]
    start = 0
    for place, (node, kind, text, component, data) in enumerate(texts):
        make_node(
            connection, "dl_a", node, place, content=text, content_node_type=kind, parent_component_id=component,
            data=data, char_start=start, char_end=start + len(text), token_count=len(text.split()), ts_config="english",
        )  # fmt: skip
        start += len(text) + 2
    return connection


def expanded(connection: Connection, query: str, nodes: list[str], budget: int | None = None) -> list[dict[str, Any]]:
    """Return the rows of focus_hits, expanded, with the text of each span."""
    hits = json.dumps([{"document_id": "dl_a", "node_id": node} for node in nodes])
    statement = (
        "WITH focused AS (SELECT jsonb_agg(to_jsonb(f)) AS hits FROM ragraph.focus_hits(%s, %s) AS f WHERE f.rank = 1)"
        " SELECT e.*, substr(ragraph.document_text('dl_a'), e.char_start + 1, e.char_end - e.char_start) AS text"
        " FROM focused CROSS JOIN ragraph.expand_hits(hits, %s, whole_nodes => false) AS e"
    )
    return connection.cursor(row_factory=dict_row).execute(statement, [query, hits, budget]).fetchall()


def test_a_row_of_a_table_comes_with_the_head(figures: Connection) -> None:
    rows = expanded(figures, "energy use of plant D", ["cn_t"])
    assert [row["text"].strip() for row in rows] == ["Plant | 2021 | 2022", "Plant D | 9 | 7"]
    assert [row["gap"] for row in rows] == [False, True]
    (row,) = expanded(figures, "the plant that used 0", ["cn_t"])
    assert row["text"] == "Plant | 2021 | 2022\nPlant A | 0 | 7"


def test_the_head_of_a_table_is_charged(figures: Connection) -> None:
    rows = expanded(figures, "energy use of plant D", ["cn_t"])
    cost = sum(row["tokens"] + row["breadcrumb_tokens"] for row in rows)
    assert len(expanded(figures, "energy use of plant D", ["cn_t"], cost)) == 2
    assert [row["cut"] for row in expanded(figures, "energy use of plant D", ["cn_t"], cost - 1)] == [True]


def test_the_rows_around_the_best_one_come_with_it(figures: Connection) -> None:
    """As if they were as good, where a quarter of the budget holds the table; what each row got is explained."""
    statement = (
        "SELECT node_id, score, why FROM ragraph.search_context("
        "'energy of D', token_budget => %s, per_document => %s, explain => true)"
    )
    for budget, per_document, around in ((200, None, True), (120, None, False), (200, 2, False)):
        found = figures.execute(statement, [budget, per_document]).fetchall()
        scores = [score for node, score, _ in found if node == "cn_t"]
        assert (len(scores) > 2 and len(set(scores)) == 1) is around
        explained = [(score, why) for _, score, why in found if why]
        assert explained
        assert all(sum(why.values()) == pytest.approx(score) for score, why in explained)
        assert any("table" in why for _, why in explained) is around


@pytest.mark.parametrize("per_document", [None, 2])
def test_sentences_for_a_budget_are_those_for_a_smaller_one(figures: Connection, per_document: int | None) -> None:
    """As long as the same tables fit into a quarter of it."""
    chosen = (
        "SELECT s.sentences, s.largest_table FROM ragraph_private.context_sentences("
        "'energy of D', null, null, %s, '{}', 200, true, true, %s, null) AS s"
    )
    found = {budget: figures.execute(chosen, [budget, per_document]).fetchone() or () for budget in range(40, 240, 8)}
    same = {
        (larger, smaller): sentences == found[smaller][0]
        for larger, (sentences, largest) in found.items()
        for smaller in found
        if smaller <= larger and (largest is None or largest <= smaller // 4)
    }
    assert all(same.values())
    assert (len(same) < len(found) * (len(found) + 1) / 2) is (per_document is None), "one table stops to fit"


def test_a_row_is_asked_for_by_the_words_of_its_page(connection: Connection) -> None:
    make_tree(connection, sections=3, nodes=3)
    connection.execute(
        "UPDATE ragraph.content_node SET content_node_type = 'TABLE', content = 'Income | 5'"
        " WHERE id IN ('cn_1', 'cn_5')"
    )
    connection.execute("UPDATE ragraph.content_node SET content = 'The Asian segment' WHERE id = 'cn_6'")
    connection.execute(
        "UPDATE ragraph.content_node SET char_start = 100 * sequence_in_document,"
        " char_end = 100 * sequence_in_document + length(content)"
    )
    rows = connection.execute(
        "SELECT node_id, (why ->> 'table')::double precision FROM ragraph.search_context("
        "'income of the Asian segment', %s, 'tiny', explain => true) WHERE why IS NOT NULL",
        [str(vector(1))],
    ).fetchall()
    of_page: dict[str, float | None] = dict(rows)
    assert of_page["cn_5"] == pytest.approx(0.2), "its page says it all"
    assert of_page["cn_1"] == pytest.approx(0.1)
    assert of_page["cn_6"] is None, "no table"


@pytest.mark.parametrize(
    ("cells", "lines"),
    [
        ([["Plant", "2021", "2022"], ["A", "1", "2"]], 1),
        ([["", "Energy", "Energy"], ["Plant", "31 December 2021", "2022"], ["A", "1", "2"]], 2),
        ([["Plant", "Owner"], ["A", "Smith"], ["B", "Jones"]], 1),
        ([["Plant", "2021"]], 0),
        ([], 0),
        ("none", 1),
    ],
)
def test_the_head_of_a_table_ends_where_figures_begin(connection: Connection, cells: Any, lines: int) -> None:
    content = "\n".join(" | ".join(row) for row in cells) if isinstance(cells, list) else "Plant | 2021\nA | 1"
    query = "SELECT ragraph_private.table_head(%s, %s::jsonb)"
    (place,) = connection.execute(query, [content, json.dumps({"cells": cells})]).fetchone() or (None,)
    assert place == sum(len(line) + 1 for line in content.split("\n")[:lines])


def test_entries_of_a_bibliography_answer_nothing(figures: Connection) -> None:
    found = focus(figures, "plant D and plant E", ["cn_b", "cn_t", "cn_p"])
    assert "cn_b" not in {row[0] for row in found}
    assert [row[0] for row in focus(figures, "plant D and plant E", ["cn_b"])] == ["cn_b"]


def test_a_path_is_said_once_and_long_titles_are_cut(figures: Connection) -> None:
    title = "A clause of a contract, which runs on for many words as clauses of contracts do, and never comes to an end"
    figures.execute("UPDATE ragraph.document_component SET title = %s WHERE id = 'cmp_p'", [title])
    hits = json.dumps([{"document_id": "dl_a", "node_id": node} for node in ("cn_p", "cn_t")])
    rows = figures.execute("SELECT heading FROM ragraph.expand_hits(%s)", [hits]).fetchall()
    short = "A clause of a contract, which runs on for many words as clauses of contracts…"
    assert [row[0] for row in rows] == [f"Publication pub_a\nEnergy use > {short}", "Energy use"]
    figures.execute("UPDATE ragraph.content_node SET sequence_in_document = 3 WHERE id = 'cn_t'")
    figures.execute(
        "UPDATE ragraph.content_node SET char_start = char_start + 500, char_end = char_end + 500 WHERE id = 'cn_t'"
    )
    rows = figures.execute("SELECT heading FROM ragraph.expand_hits(%s)", [hits]).fetchall()
    assert [row[0] for row in rows] == ["Publication pub_a\nEnergy use", f"> {short}"]


QUERY = "the expense of great landlords and the growth of towns"


@functools.cache
def _hits(library: Store, query: str) -> list[Hit]:
    return library.search(query, 20)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    query=st.sampled_from([QUERY, "front matter and numerals", "table of contents 1776", "a page is a page"]),
    budget=st.integers(1, 900),
    breadcrumbs=st.booleans(),
)
def test_a_context_has_the_tokens_it_says_and_no_more_than_the_budget(
    library: Store, query: str, budget: int, breadcrumbs: bool
) -> None:
    """Counted on the very text, by the tokenizer of the default model."""
    context = library.context(query, budget)
    assert context.tokens == load_model().count_tokens([context.text])[0] <= budget
    context = library.expand(_hits(library, query), "focus", budget, query=query, breadcrumbs=breadcrumbs)
    assert context.tokens == load_model().count_tokens([context.text])[0] <= budget


@pytest.mark.parametrize("options", [{}, {"explain": True}, {"per_document": 2}, {"mode": "text"}], ids=str)
def test_a_smaller_context_is_made_of_the_sentences_found(
    library: Store, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]
) -> None:
    asked: list[tuple[QueryRunner, Any, Any]] = []
    rows = QueryRunner.rows

    def noted(runner: QueryRunner, query: str, factory: Any, parameters: Any) -> list[Any]:
        if query == "search_context":
            asked.append((runner, factory, parameters))
        return rows(runner, query, factory, parameters)

    with monkeypatch.context() as patch:
        patch.setattr(QueryRunner, "rows", noted)
        library.context(QUERY, 1500, **options)
    runner, factory, parameters = asked[0]
    found = runner.rows("search_context", factory, parameters)
    limits = {name: parameters[name] for name in ("per_document", "explain")}
    largest = found[0][0]["largest_table"] or 0
    for budget in range(100, 1500, 200):
        smaller = within(runner.rows, found, budget, **limits)
        if largest > budget // 4:
            assert smaller is None, "its rows do not come together any more"
            continue
        assert smaller
        searched = runner.rows("search_context", factory, {**parameters, "token_budget": budget})
        assert [part for _, part in smaller] == [part for _, part in searched]
        assert [row for row, _ in smaller] == [{name: row[name] for name in smaller[0][0]} for row, _ in searched]
    row, part = found[0]
    gone = {"document_id": "dl_gone", "node_id": "cn_gone"}
    changed = [({**row, "sentences": json.dumps([gone, *json.loads(row["sentences"])])}, part)]
    assert within(runner.rows, changed, 500, **limits) is None, "a document was deleted meanwhile"


def test_a_context_above_its_budget_is_not_searched_again(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sentence of signs has more tokens than its share of the letters of its node."""
    words = "Understanding international communication requires considerable preparation everywhere."
    signs = (
        f"The harbour code {place} is {';'.join(str(place * sign % 10) for sign in range(30))}." for place in range(9)
    )
    (tmp_path / "codes.md").write_text("# Codes\n\n" + "\n\n".join(f"{sentence} {words}" for sentence in signs))
    asked: list[str] = []
    rows = QueryRunner.rows

    def noted(runner: QueryRunner, query: str, *rest: Any) -> list[Any]:
        asked.append(query)
        return rows(runner, query, *rest)

    with ragraph.open(database_url) as store:
        store.ingest(tmp_path, model=None)
        monkeypatch.setattr(QueryRunner, "rows", noted)
        budgets = range(150, 500, 50)
        contexts = [store.context("harbour code", budget, mode="text") for budget in budgets]
        assert asked.count("search_context") == len(budgets)
        assert asked.count("expand_hits") > 0
        monkeypatch.setattr(searching, "within", lambda *_, **__: None)
        assert [store.context("harbour code", budget, mode="text") for budget in budgets] == contexts


def test_sql_alone_gives_the_same_context(library: Store) -> None:
    context = library.context(QUERY, None, k=30)
    spans = [(block.document_id, part.char_start, part.char_end) for block in context.blocks for part in block.parts]
    model = load_model()
    statement = (
        "SELECT c.document_id, c.char_start, c.char_end"
        " FROM ragraph.search_context(%s, %s::vector, %s, null, k => 30) AS c"
        " ORDER BY c.block, c.sequence_in_document, c.char_start"
    )
    with library.database.read() as connection:
        rows = connection.execute(statement, [QUERY, str(model.encode_query(QUERY).tolist()), model.name]).fetchall()
    assert rows == spans


def test_a_context_by_words_alone_loads_no_model(library: Store) -> None:
    context = library.context(QUERY, 300, mode="text")
    assert context.blocks
    with library.database.read() as connection:
        found = connection.execute("SELECT count(*) FROM ragraph.search_context(%s, token_budget => 300)", [QUERY])
        assert found.fetchone() == (sum(len(block.parts) for block in context.blocks),)


def test_each_document_has_a_say(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, places in (("long", 40), ("short", 2), ("other", 2)):
        text = "\n\n".join(f"The harbour of {name} {place} was closed in the winter." for place in range(places))
        (tmp_path / f"{name}.md").write_text(f"# The {name} one\n\n{text}\n")
    with ragraph.open(database_url) as store:
        store.ingest(tmp_path)
        asked = "Which harbour was closed in the winter?"

        def sentences(**options: Any) -> Counter[str]:
            blocks = store.context(asked, 200, **options).blocks
            return Counter(block.document_id for block in blocks for _ in block.parts)

        assert max(sentences(k=10).values()) > 2
        spread = sentences(k=30, per_document=2)
        assert len(spread) == 3
        assert max(spread.values()) == 2
        assert len(sentences(k=30, per_document=1, mode="text")) == 3
        with store.database.write() as connection:
            connection.execute(
                "UPDATE ragraph.publication SET authors = 'A. Harbourmaster', publication_date = '1999-05-01'"
                " WHERE title = 'The short one'"
            )
        context = store.context(asked, 200, k=30, per_document=2)
        assert [document.title for document in context.documents] == list(
            dict.fromkeys(b.title for b in context.blocks)
        )
        assert tuple(block for document in context.documents for block in document.blocks) == context.blocks
        by_title = {document.title: document for document in context.documents}
        assert by_title["The short one"].source == "A. Harbourmaster (1999)"
        assert by_title["The long one"].source == ""
        cli = CommandLine(store.database.url, monkeypatch, capsys)
        shown = cli("search", asked, "--expand", "auto", "--per-document", "1", "--budget", "200", "-k", "30")
        place = [line.split(". ")[-1] for line in shown.out.splitlines()].index("The short one")
        assert shown.out.splitlines()[place + 1] == "A. Harbourmaster (1999)"
        told = json.loads(cli("search", asked, "--expand", "auto", "--per-document", "1", "--json").out)["documents"]
        assert {document["title"]: document["authors"] for document in told} == {
            "The short one": "A. Harbourmaster",
            "The long one": None,
            "The other one": None,
        }
        with pytest.raises(ArgumentError, match="per_document is 0"):
            sentences(per_document=0)
        with pytest.raises(ArgumentError, match="per_document is for strategy"):
            sentences(per_document=1, strategy="section")
