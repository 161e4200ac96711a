"""store.expand on documents that were really ingested, and its command."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, get_args

import pytest
from factories import make_component, make_document, make_node, make_relation
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sample_library import BOOK, GUIDE

import ragraph
from ragraph import errors
from ragraph.base.defaults import Strategy
from ragraph.models.embedding import load_model
from ragraph.retrieval.context import GAP, STRATEGIES

if TYPE_CHECKING:
    import psycopg

    from ragraph import Store
    from ragraph.schema.context import Context

    Connection = psycopg.Connection[tuple[Any, ...]]

QUERY = "the expense of great landlords and the growth of towns"


def present(context: Context) -> set[tuple[str, str]]:
    return {(block.document_id, node) for block in context.blocks for node in block.node_ids}


@pytest.mark.parametrize("strategy", sorted(set(get_args(Strategy)) - {"focus"}))
def test_every_strategy_keeps_the_hits_and_the_budget(library: Store, strategy: Strategy) -> None:
    hits = library.search(QUERY, k=6)
    alone = library.expand(hits, "none", token_budget=700)
    context = library.expand(hits, strategy, token_budget=700)
    assert context.strategy == strategy
    assert present(alone) <= present(context)
    assert alone.tokens <= context.tokens <= 700
    assert context.hits_left_out == alone.hits_left_out
    for block in context.blocks:
        text = library.text(block.document_id)
        spans = block.spans
        assert spans == sorted(spans)
        for part in block.parts:
            assert text[part.char_start : part.char_end] == part.text
            assert part.citation.excerpt_span[0] == part.char_start


def test_the_text_has_headings_once_and_signs_where_text_is_left_out(library: Store) -> None:
    hits = library.search("front matter and numerals", k=3, document=GUIDE)
    context = library.expand(hits, "none", token_budget=None)
    title = library.document(GUIDE).document.title
    assert context.text.count(title) == 1
    assert context.text.startswith(title)
    assert str(context) == context.text
    for block in context.blocks:
        assert block.section_path[-1] in block.head[-1]
        assert block.text.count(GAP) == sum(part.before == GAP for part in block.parts)
    bare = library.expand(hits, "none", token_budget=None, breadcrumbs=False)
    assert title not in bare.text
    assert bare.tokens < context.tokens


def test_a_block_is_the_text_between_its_first_and_last_character(library: Store) -> None:
    """A whole section without footnotes or furniture reads as in the document."""
    hits = library.search("what holds other parts", k=1, document=GUIDE, section="Components")
    context = library.expand(hits, "section", token_budget=None)
    for block in context.blocks:
        (span,) = block.spans
        text = library.text(GUIDE)[span[0] : span[1]]
        assert block.text.split() == text.split()


def test_pages_boxes_and_citations_of_a_block(library: Store) -> None:
    hits = library.search(QUERY, k=4, document=BOOK)
    context = library.expand(hits, "neighbours")
    assert len(context.citations) == sum(len(block.parts) for block in context.blocks)
    for block in context.blocks:
        nodes = [library.cite(block.document_id, node) for node in block.node_ids]
        assert block.pages == sorted({page for node in nodes for page in node.pages})
        assert len(block.boxes) == sum(len(node.boxes) for node in nodes)
        assert all(node.section_path[-len(block.section_path) :] == block.section_path for node in nodes)


def test_switches_go_before_the_strategy(library: Store) -> None:
    hits = library.search(QUERY, k=2, document=BOOK)
    roles = {part.role for block in library.expand(hits, "none", after=1).blocks for part in block.parts}
    assert roles == {"hit", "after"}
    assert present(library.expand(hits, "neighbours", before=0, after=0)) == present(library.expand(hits, "none"))


def test_notes_of_a_paragraph_come_with_it(library: Store) -> None:
    paragraph = next(
        node
        for node in library.nodes(BOOK)
        if node.content_node_type == "PARAGRAPH" and library.related(BOOK, node.id, types="REFERENCES_NOTE")
    )
    context = library.expand([{"document_id": BOOK, "node_id": paragraph.id}], "graph", token_budget=None)
    notes = {item.node.id for item in library.related(BOOK, paragraph.id, types="REFERENCES_NOTE")}
    parts = [part for block in context.blocks for part in block.parts]
    assert notes <= {part.node_id for part in parts if part.role == "note"}
    assert {part.of_node_id for part in parts} == {paragraph.id}


def test_only_the_part_of_a_long_node_that_was_found(library: Store) -> None:
    hits = [hit for hit in library.search(QUERY, k=20, document=BOOK) if hit.span]
    hit = hits[0]
    assert hit.span
    (block,) = library.expand([hit], "none").blocks
    assert block.text == library.text(BOOK)[hit.span[0] : hit.span[1]]
    (whole,) = library.expand([hit], "none", whole_nodes=True).blocks
    assert whole.text == hit.content


def test_a_hit_too_long_for_the_budget_is_cut_and_says_so(library: Store) -> None:
    hits = library.search(QUERY, k=3, document=BOOK)
    context = library.expand(hits, "section", token_budget=60)
    assert context.cut
    assert context.tokens <= 60
    assert hits[0].content.startswith(context.blocks[0].parts[0].text) or hits[0].span
    assert not library.expand(hits, "section", token_budget=2000).cut


def test_nothing_found_is_an_empty_context(library: Store) -> None:
    context = library.expand([])
    assert (context.text, context.tokens, context.blocks) == ("", 0, ())


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"strategy": "everything"}, errors.ArgumentError),
        ({"window": 3}, errors.ArgumentError),
        ({"token_budget": 0}, errors.ArgumentError),
        ({"merge_share": 2.0}, errors.ArgumentError),
        ({"hits": ["cn_1"]}, errors.ArgumentError),
        ({"hits": [{"document_id": "dl_none", "node_id": "cn_1"}]}, errors.DocumentNotFoundError),
        ({"hits": [{"document_id": GUIDE, "node_id": "cn_none"}]}, errors.NodeNotFoundError),
    ],
)
def test_what_cannot_be_expanded_is_refused(
    library: Store, arguments: dict[str, Any], error: type[errors.RagraphError]
) -> None:
    hits = [{"document_id": GUIDE, "node_id": library.nodes(GUIDE)[0].id}]
    with pytest.raises(error):
        library.expand(**{"hits": hits, **arguments})


def test_every_strategy_sets_every_switch() -> None:
    assert {frozenset(switches) for switches in STRATEGIES.values()} == {frozenset(STRATEGIES["none"])}
    assert set(STRATEGIES) == set(get_args(Strategy))


def test_a_context_as_json(library: Store) -> None:
    context = library.expand(library.search(QUERY, k=3), "section", token_budget=500)
    data = json.loads(json.dumps(context.to_json()))
    assert data["text"] == context.text
    assert data["tokens"] == context.tokens == sum(block["tokens"] for block in data["blocks"])
    assert {part["role"] for block in data["blocks"] for part in block["parts"]} <= {"hit", "section", "note", "noted"}


def test_lists_tables_and_figures_without_words(database_url: str) -> None:
    with ragraph.open(database_url) as store:
        with store.database.write() as connection:
            make_document(connection, "dl_x")
            make_component(connection, "dl_x", "cmp_s", title="Things", first_sequence=0, last_sequence=4)
            offset = 0
            for place, (node, kind, content, description) in enumerate(
                [
                    ("li1", "LIST_ITEM", "One", None),
                    ("li2", "LIST_ITEM", "Two", None),
                    ("fig", "FIGURE", "", "A red square."),
                    ("void", "FIGURE", "", None),
                    ("cap", "CAPTION", "Figure 2", None),
                ]
            ):
                make_node(
                    connection, "dl_x", node, place, content=content, content_node_type=kind, description=description,
                    parent_component_id="cmp_s", char_start=offset, char_end=offset + len(content), token_count=1,
                )  # fmt: skip
                offset += len(content) + 2
            make_relation(connection, "dl_x", "r", "void", "cap", relation_type="IS_CAPTIONED_BY")
        context = store.expand([{"document_id": "dl_x", "node_id": "li2"}], "section")
        assert context.text == "Publication pub_x\nThings\n\nOne\nTwo\n\nA red square.\n\nFigure 2"
        assert context.tokens == load_model().count_tokens([context.text])[0]
        captioned = store.expand([{"document_id": "dl_x", "node_id": "cap"}], "graph")
        assert [part.node_id for part in captioned.blocks[0].parts] == ["void", "cap"]
        assert captioned.blocks[0].text == "Figure 2"


@pytest.mark.parametrize("strategy", sorted(get_args(Strategy)))
def test_tokens_are_those_of_the_tokenizer_and_within_every_budget(library: Store, strategy: Strategy) -> None:
    count = load_model().count_tokens
    for query, document in ((QUERY, None), ("the price of silver in 1687", BOOK), ("notes, lists and tables", GUIDE)):
        hits = library.search(query, k=12, mode="text", match="any", document=document)
        assert hits
        for budget in (7, 25, 60, 119, 250, 512, 1024):
            context = library.expand(hits, strategy, token_budget=budget, query=query)
            assert context.tokens == count([context.text])[0] <= budget
            assert sum(block.tokens for block in context.blocks) == context.tokens
            for block in context.blocks:
                assert [part.tokens for part in block.parts] == count([part.text for part in block.parts])


def test_sections_first_then_nodes_within(library: Store) -> None:
    sections = library.search_sections(QUERY, k=3, nodes=2, document=BOOK)
    assert len(sections) == 3
    assert [section.score for section in sections] == sorted((section.score for section in sections), reverse=True)
    for section in sections:
        inside = {node.id for node in library.nodes(BOOK, section.component_id)}
        assert 1 <= len(section.hits) <= 2
        assert {hit.node_id for hit in section.hits} <= inside
        assert section.hits[0].citation.section_path[: len(section.section_path)] == section.section_path
        assert json.dumps(section.to_json())
    with pytest.raises(errors.ArgumentError):
        library.search_sections(QUERY, k=0)


@given(
    nodes=st.lists(st.integers(0, 150), min_size=1, max_size=6),
    strategy=st.sampled_from(sorted(set(STRATEGIES) - {"focus", "pagerank"})),
    budget=st.integers(20, 900),
)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_context_exceeds_its_budget(library: Store, nodes: list[int], strategy: Strategy, budget: int) -> None:
    everything = library.nodes(BOOK)
    hits = [{"document_id": BOOK, "node_id": everything[place].id} for place in nodes]
    context = library.expand(hits, strategy, token_budget=budget)
    assert context.tokens == load_model().count_tokens([context.text])[0] <= budget
    # as many as the words say: titles are estimated, rather too high
    assert len(context.text.split()) <= context.tokens * 1.1 + 5


def test_a_hit_is_shown_with_its_relevance_or_else_its_score(library: Store) -> None:
    hybrid, vector = (library.search(QUERY, k=1, mode=mode)[0] for mode in ("hybrid", "vector"))
    assert f"<small>relevance {hybrid.relevance:.2f}</small>" in hybrid._repr_html_()
    assert f"<small>score {vector.score:.3f}</small>" in vector._repr_html_()
