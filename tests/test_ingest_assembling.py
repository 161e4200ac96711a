"""Assembling a draft: flat rows whose ids, spans and relations can be relied on."""

from __future__ import annotations

import hashlib
import math
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from ingest_drafts import DOCUMENT, containers, draft_of, drafts

from ragraph.errors import DamagedFileError
from ragraph.ingest.common import ids
from ragraph.ingest.draft import Box, Draft, DraftMetadata, DraftNode, DraftRelation, Position
from ragraph.ingest.structure.assembling import assemble_graph
from ragraph.schema.enums import RelationType


def by_content(draft: Draft) -> dict[str, str]:
    return {node.content: node.id for node in assemble_graph(draft, DOCUMENT).nodes}


@settings(max_examples=50, suppress_health_check=[HealthCheck.too_slow])
@given(drafts())
def test_rows_of_any_draft_are_sound(draft: Draft) -> None:
    graph = assemble_graph(draft, DOCUMENT)
    text = "\n\n".join(node.content for node in graph.nodes)
    names = {node.id for node in graph.nodes}
    assert len(names) == len(draft.nodes)
    for place, (node, drafted) in enumerate(zip(graph.nodes, draft.nodes, strict=True)):
        assert node.content == drafted.text == text[node.char_start : node.char_end]
        assert node.sequence_in_document == node.sequence_in_parent_major == place
        assert node.parent_component_id is None
        pages = [position["page_pdf"] for position in node.positional_data]
        assert pages == sorted(pages)
        assert set(pages) <= {page.page_pdf for page in graph.pages}
    assert len({relation.id for relation in graph.relations}) == len(graph.relations)
    for relation in graph.relations:
        assert relation.source_node_id in names
        assert relation.target_node_id in names | {None}
        assert relation.source_node_id != relation.target_node_id


def test_ids_are_what_the_brief_of_the_model_says() -> None:
    def digits(*parts: str) -> str:
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]

    (node,) = assemble_graph(draft_of("hello"), DOCUMENT).nodes
    assert node.id == "cn_" + digits("dl_draft", "PARAGRAPH", "hello", "0")
    assert node.content_hash == hashlib.sha256(b"hello").hexdigest()
    assert ids.document_id("default", "c0ffee", 0) == "dl_" + digits("default", "c0ffee", "0")
    assert ids.publication_id("dl_5") == "pub_5"


def test_changing_one_paragraph_keeps_every_other_id() -> None:
    before = by_content(draft_of("# One\nfirst\nsecond\n# Two\nthird"))
    after = by_content(draft_of("# One\nfirst\nsecond, changed\nnew\n# Two\nthird"))
    assert {text: after[text] for text in ("One", "first", "Two", "third")} == {
        text: before[text] for text in ("One", "first", "Two", "third")
    }
    assert after["second, changed"] not in before.values()


def test_alike_nodes_stay_apart() -> None:
    one = assemble_graph(draft_of("same\nsame"), DOCUMENT)
    assert len({node.id for node in one.nodes}) == 2
    other = assemble_graph(draft_of("same"), replace(DOCUMENT, id="dl_other"))
    assert other.nodes[0].id not in {node.id for node in one.nodes}


def test_a_copy_put_first_shifts_the_count_and_nothing_else() -> None:
    before = [node.id for node in assemble_graph(draft_of("same\nx"), DOCUMENT).nodes]
    after = [node.id for node in assemble_graph(draft_of("same\nsame\nx"), DOCUMENT).nodes]
    assert [after[0], after[2]] == before


def test_continues_leads_from_the_later_node_to_the_one_before() -> None:
    graph = assemble_graph(draft_of("a\nb\nc"), DOCUMENT)
    a, b, c = (node.id for node in graph.nodes)
    edges = [(edge.source_node_id, edge.target_node_id) for edge in graph.relations]
    assert edges == [(b, a), (c, b)]
    assert not assemble_graph(draft_of("a\nb"), DOCUMENT, continues=False).relations


def test_relations_keep_what_resolving_needs_and_drop_what_says_nothing() -> None:
    nodes = [DraftNode(key="p", type="PARAGRAPH", text="abc", anchors=["self"]), DraftNode(key="n", type="NOTE")]
    note = RelationType.REFERENCES_NOTE
    stated = [
        DraftRelation(source="p", type=note, target="n", marker="1", marker_start=3),
        DraftRelation(source="p", type=note, target="n", marker="1", marker_start=3),  # the same
        DraftRelation(source="p", type=note, target="n", marker="1", marker_start=1),  # another place
        DraftRelation(source="p", type=note, anchor="n1", marker="2", marker_start=99),  # place outside the text
        DraftRelation(source="p", type=note, target="p", marker="3"),  # itself
        DraftRelation(source="p", type=note, anchor="self"),  # itself
        DraftRelation(source="gone", type=note, target="n"),
        DraftRelation(source="p", type=note, target="gone"),
        DraftRelation(source="p", type=note, target="gone", marker="4"),
        DraftRelation(source="n", type=RelationType.CONTINUES, target="p"),
    ]
    draft = Draft(reader="t/1", nodes=nodes, relations=stated)
    graph = assemble_graph(draft, DOCUMENT, continues=False)
    p, n = (node.id for node in graph.nodes)
    found = [(r.target_node_id, r.marker_text, r.marker_start, r.target_anchor) for r in graph.relations]
    assert found == [(n, "1", 3, None), (n, "1", 1, None), (None, "2", None, "n1"), (None, "4", None, None)]
    assert {relation.source_node_id for relation in graph.relations} == {p}


def test_positions_lie_between_first_and_last_page_and_numbers_are_finite() -> None:
    node = DraftNode(
        key="a",
        type="TABLE",
        text="x",
        positions=[
            Position(page_pdf=3, bbox=Box(x1=0, y1=0, x2=math.inf, y2=1)),
            Position(page_pdf=2, bbox=Box(x1=0, y1=1, x2=2, y2=3)),
        ],
        data={"cells": [[1.5, math.nan]]},
    )
    (row,) = (graph := assemble_graph(Draft(reader="t/1", nodes=[node]), DOCUMENT)).nodes
    assert row.positional_data == [
        {"page_pdf": 2, "page_logical": None, "bbox": {"x1": 0, "y1": 1, "x2": 2, "y2": 3}},
        {"page_pdf": 3, "page_logical": None},
    ]
    assert row.data == {"cells": [[1.5, None]]}
    assert [page.page_pdf for page in graph.pages] == [1, 2, 3]
    assert graph.document.page_count == 3


def test_a_page_number_beyond_reason_is_refused() -> None:
    with pytest.raises(DamagedFileError):
        assemble_graph(draft_of("@2000000000 x"), DOCUMENT)


def test_data_holds_level_container_anchors_and_marker() -> None:
    node = DraftNode(key="a", type="HEADING", level=2, container="c", anchors=["x"], marker="3.", data={"k": 1})
    (row,) = assemble_graph(Draft(reader="t/1", nodes=[node]), DOCUMENT).nodes
    assert row.data == {"k": 1, "level": 2, "container": "c", "anchors": ["x"], "marker": "3."}


def test_entries_and_notes_are_typed_by_the_section_they_stand_in() -> None:
    draft = draft_of(
        """
        # Method
        1. a paragraph with a number, 1999
        # Notes
        An introduction to them.
        1. First note.
        - second
        # References
        Smith, J. 2001. A title.
        [2] Without a year
        No entry at all.
        - Item
        """
    )
    graph = assemble_graph(draft, DOCUMENT)
    assert [(str(node.content_node_type), node.data.get("marker")) for node in graph.nodes] == [
        ("HEADING", None),
        ("PARAGRAPH", None),
        ("HEADING", None),
        ("PARAGRAPH", None),
        ("NOTE", "1."),
        ("LIST_ITEM", None),
        ("HEADING", None),
        ("BIBLIOGRAPHIC_ENTRY", None),
        ("BIBLIOGRAPHIC_ENTRY", "[2]"),
        ("PARAGRAPH", None),
        ("BIBLIOGRAPHIC_ENTRY", None),
    ]


def test_a_stated_bibliography_types_its_paragraphs_without_a_heading() -> None:
    draft = draft_of("{b} Smith 2001\nSmith 2001", containers=containers(("b", "BIBLIOGRAPHY")))
    assert [node.content_node_type for node in assemble_graph(draft, DOCUMENT).nodes] == [
        "BIBLIOGRAPHIC_ENTRY",
        "PARAGRAPH",
    ]


def test_publication_is_made_up_for_a_plain_file_only() -> None:
    draft = draft_of("T: The title\ntext").model_copy(
        update={"metadata": DraftMetadata(authors=["A", "B"], language="de-AT")}
    )
    graph = assemble_graph(draft, DOCUMENT)
    assert graph.publication is not None
    assert (graph.publication.title, graph.publication.authors) == ("The title", "A, B")
    assert (graph.document.language, graph.document.ts_config) == ("de-AT", "german")
    assert assemble_graph(draft, replace(DOCUMENT, publication_id="pub_record")).publication is None


def test_a_link_to_an_entry_or_a_note_is_a_reference_of_that_kind() -> None:
    draft = draft_of(
        "# One\nSee Smith and 1 and below.\n# References\nSmith, J. A paper. 2020.\n# Notes\n1. A note.\n# End"
    )
    nodes = [node.model_copy(update={"anchors": [f"a{place}"]}) for place, node in enumerate(draft.nodes)]
    links = [
        DraftRelation(source="k1", type=RelationType.CROSS_REFERENCES, anchor="a3", marker="Smith"),
        DraftRelation(source="k1", type=RelationType.CROSS_REFERENCES, target="k5", marker="1"),
        DraftRelation(source="k1", type=RelationType.CROSS_REFERENCES, anchor="a6", marker="below"),
    ]
    graph = assemble_graph(draft.model_copy(update={"nodes": nodes, "relations": links}), DOCUMENT, continues=False)
    assert [relation.relation_type for relation in graph.relations] == [
        RelationType.REFERENCES_CITATION,
        RelationType.REFERENCES_NOTE,
        RelationType.CROSS_REFERENCES,
    ]
