"""The two stages on a real server: one result by every way, and what a second reading leaves alone."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from factories import make_embedding, make_model, vector
from hypothesis import HealthCheck, Phase, given, settings
from ingest_drafts import DOCUMENT, containers, draft_of, drafts
from psycopg import sql

from ragraph.errors import DocumentNotFoundError, IngestError
from ragraph.ingest.common.graph_rows import Tally
from ragraph.ingest.draft import Draft, DraftContainer, DraftNode, DraftPage, DraftRelation, Position
from ragraph.ingest.storing.linking import ingest_draft, link_document, load_graph, store_flat
from ragraph.ingest.storing.write import write_graph
from ragraph.ingest.structure.assembling import assemble_graph
from ragraph.ingest.structure.tree import build_tree
from ragraph.schema.enums import ComponentType, ContentNodeType, RelationType

if TYPE_CHECKING:
    Connection = psycopg.Connection[Any]

TABLES = ("document", "document_page", "document_component", "content_node", "relation")


def rows(connection: Connection, document_id: str = DOCUMENT.id) -> dict[str, list[Any]]:
    """Give all rows of a document, times left out."""
    found = {}
    for table in TABLES:
        query = sql.SQL(
            "SELECT to_jsonb(t) - '{{created_at,updated_at,processed_at}}'::text[]"
            " FROM {} AS t WHERE {} = %s ORDER BY 1"
        ).format(sql.Identifier("ragraph", table), sql.Identifier("id" if table == "document" else "document_id"))
        found[table] = [row[0] for row in connection.execute(query, [document_id])]
    return found


def versions(connection: Connection) -> set[tuple[str, str]]:
    """Give id and transaction-and-place of each node's row: another place is another version."""
    return set(connection.execute("SELECT id, ctid::text FROM ragraph.content_node").fetchall())


def check(connection: Connection) -> list[Any]:
    return connection.execute("SELECT * FROM ragraph.check_document(%s)", [DOCUMENT.id]).fetchall()


def paper() -> Draft:
    draft = draft_of(
        """
        @1 T: A paper
        @1 # Abstract
        @1 abs
        @1 # 1 Introduction
        @1 first
        @1 second
        @1 N: a note
        @2 third
        @2 # References
        @2 E: Smith, J. 2001. On it.
        @2 {f} P: 12
        """,
        containers=containers(("f", "FOOTER")),
        pages=[DraftPage(page_pdf=1), DraftPage(page_pdf=2)],
        relations=[
            DraftRelation(source="k4", type="REFERENCES_NOTE", marker="1", marker_start=5),
            DraftRelation(source="k6", type="REFERENCES_CITATION", marker="(Smith, 2001)", marker_start=2),
        ],
    )
    nodes = [node.model_copy(update={"marker": "1"}) if node.key == "k6" else node for node in draft.nodes]
    return draft.model_copy(update={"nodes": nodes})


def changed(draft: Draft, text: str, new: str) -> Draft:
    nodes = [node.model_copy(update={"text": new}) if node.text == text else node for node in draft.nodes]
    return draft.model_copy(update={"nodes": nodes})


# shrinking takes minutes here; tests/test_ingest_tree.py shrinks without a database
@settings(max_examples=15, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(drafts())
def test_every_way_gives_the_same_sound_graph(connection: Connection, draft: Draft) -> None:
    with connection.transaction(force_rollback=True):
        ingest_draft(connection, draft, DOCUMENT)
        job = rows(connection)
        assert check(connection) == []
        link_document(connection, DOCUMENT.id)
        assert rows(connection) == job
        ingest_draft(connection, draft, DOCUMENT)
        assert rows(connection) == job
        store_flat(connection, draft, DOCUMENT)
        flat = rows(connection)
        store_flat(connection, draft, DOCUMENT)
        assert rows(connection) == flat
        link_document(connection, DOCUMENT.id, keep_continues=True)
        kept = rows(connection)
        assert check(connection) == []
        link_document(connection, DOCUMENT.id, keep_continues=True)
        assert rows(connection) == kept
        link_document(connection, DOCUMENT.id)
        assert rows(connection) == job
    with connection.transaction(force_rollback=True):
        store_flat(connection, draft, DOCUMENT)
        link_document(connection, DOCUMENT.id)
        assert rows(connection) == job


def test_pages_of_a_section_go_with_the_last_node_that_had_some(connection: Connection) -> None:
    """A note moved away, and what was left of the section lay on no page: its pages stayed until the next time."""
    draft = Draft(
        reader="test/1",
        pages=[DraftPage(page_pdf=page) for page in (1, 2)],
        containers=[DraftContainer(key="c0", type=ComponentType.ABSTRACT, title="Summary")],
        nodes=[
            DraftNode(key="k0", type=ContentNodeType.PARAGRAPH, text="of no page", container="c0"),
            DraftNode(
                key="k1", type=ContentNodeType.NOTE, text="a note", container="c0", positions=[Position(page_pdf=1)]
            ),
            DraftNode(
                key="k2", type=ContentNodeType.PARAGRAPH, text="which a note explains", positions=[Position(page_pdf=2)]
            ),
        ],
        relations=[DraftRelation(source="k2", type=RelationType.REFERENCES_NOTE, target="k1", marker="1")],
    )
    ingest_draft(connection, draft, DOCUMENT)
    first = rows(connection)
    (section,) = (row for row in first["document_component"] if row["title"] == "Summary")
    assert (section["first_page"], section["last_page"]) == (None, None)
    link_document(connection, DOCUMENT.id)
    assert rows(connection) == first


def test_notes_that_go_round_are_the_same_when_they_come_again(connection: Connection) -> None:
    draft = draft_of(
        """
        # Notes
        N: see 2
        N: see 1
        """,
        relations=[
            DraftRelation(source="k1", type="REFERENCES_NOTE", marker="2", marker_start=4),
            DraftRelation(source="k2", type="REFERENCES_NOTE", marker="1", marker_start=4),
        ],
    )
    marks = {"k1": "1", "k2": "2"}
    nodes = [node.model_copy(update={"marker": marks.get(node.key)}) for node in draft.nodes]
    draft = draft.model_copy(update={"nodes": nodes})
    ingest_draft(connection, draft, DOCUMENT)
    first = rows(connection)
    assert sorted(row["relation_type"] for row in first["relation"]) == ["CROSS_REFERENCES", "REFERENCES_NOTE"]
    assert all(row["target_node_id"] for row in first["relation"])
    ingest_draft(connection, draft, DOCUMENT)
    assert rows(connection) == first


def test_stated_notes_that_go_round_are_cut_by_every_way(connection: Connection) -> None:
    draft = draft_of(
        """
        N: one
        N: two
        """,
        relations=[
            DraftRelation(source="k0", type="REFERENCES_NOTE", target="k1"),
            DraftRelation(source="k1", type="REFERENCES_NOTE", target="k0"),
        ],
    )
    ingest_draft(connection, draft, DOCUMENT)
    first = rows(connection)
    assert sorted(row["relation_type"] for row in first["relation"]) == ["CROSS_REFERENCES", "REFERENCES_NOTE"]
    assert check(connection) == []
    link_document(connection, DOCUMENT.id)
    assert rows(connection) == first


@settings(max_examples=15, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(drafts())
def test_steps_that_are_passed_over_would_change_nothing(connection: Connection, draft: Draft) -> None:
    plain = {
        "nodes": [node for node in draft.nodes if node.type is not ContentNodeType.NOTE],
        "containers": [row for row in draft.containers if row.type not in (ComponentType.HEADER, ComponentType.FOOTER)],
    }
    with connection.transaction(force_rollback=True):
        ingest_draft(connection, draft.model_copy(update=plain), DOCUMENT)
        for step in ("resolve_relations", "sequence_document", "number_pages"):
            assert connection.execute(f"SELECT ragraph.{step}(%s)", [DOCUMENT.id]).fetchone() == (0,)


def test_a_paper_comes_out_with_note_citation_and_page_number(connection: Connection) -> None:
    changes = ingest_draft(connection, paper(), DOCUMENT)
    assert changes.new
    assert changes.nodes == Tally(added=11)
    texts = connection.execute(
        "SELECT content, sequence_in_parent_minor FROM ragraph.content_node ORDER BY sequence_in_document"
    ).fetchall()
    assert texts[3:7] == [("1 Introduction", None), ("first", None), ("a note", 1), ("second", None)]
    edges = connection.execute(
        "SELECT s.content, t.content FROM ragraph.relation AS r"
        " JOIN ragraph.content_node AS s ON r.source_node_id = s.id"
        " JOIN ragraph.content_node AS t ON r.target_node_id = t.id"
    ).fetchall()
    assert set(edges) == {("first", "a note"), ("a note", "Smith, J. 2001. On it.")}
    labels = connection.execute("SELECT page_logical FROM ragraph.document_page ORDER BY page_pdf").fetchall()
    assert labels[1] == ("12",)
    assert check(connection) == []


def test_tokens_are_counted_whichever_way_a_document_came(connection: Connection) -> None:
    counts = "SELECT content, token_count FROM ragraph.content_node ORDER BY sequence_in_document"
    ingest_draft(connection, paper(), DOCUMENT)
    counted = connection.execute(counts).fetchall()
    assert all(count for _, count in counted)
    connection.execute("SELECT ragraph.delete_document(%s)", [DOCUMENT.id])
    store_flat(connection, paper(), DOCUMENT)
    link_document(connection, DOCUMENT.id)
    assert connection.execute(counts).fetchall() == counted
    # a store whose nodes nobody counted is mended by ingesting again
    connection.execute("UPDATE ragraph.content_node SET token_count = 0")
    assert {rule for _, rule, _, _ in check(connection)} == {"tokens of a node are counted"}
    ingest_draft(connection, paper(), DOCUMENT)
    assert connection.execute(counts).fetchall() == counted
    assert check(connection) == []


def test_a_flat_document_is_ordered_and_searchable(connection: Connection) -> None:
    document = replace(DOCUMENT, language="en")
    store_flat(connection, paper(), document)
    found = connection.execute(
        "SELECT content FROM ragraph.content_node WHERE text_search @@ to_tsquery('english', 'notes')"
    ).fetchall()
    assert found == [("a note",)]
    stored = connection.execute(
        "SELECT sequence_in_document, parent_component_id FROM ragraph.content_node ORDER BY 1"
    ).fetchall()
    assert stored == [(place, None) for place in range(11)]
    (chain,) = connection.execute(
        "SELECT count(*) FROM ragraph.relation WHERE relation_type = 'CONTINUES'"
    ).fetchone() or (0,)
    assert chain == 10
    assert store_flat(connection, paper(), document).nodes == Tally(unchanged=11)


def test_linking_follows_the_chain_and_keeps_it_when_asked(connection: Connection) -> None:
    store_flat(connection, draft_of("a\nb\nc"), DOCUMENT)
    order = {row[0]: row[1] for row in connection.execute("SELECT content, id FROM ragraph.content_node")}
    with connection.transaction():
        connection.execute("DELETE FROM ragraph.relation")
        for source, target in (("a", "c"), ("b", "a")):
            connection.execute(
                "INSERT INTO ragraph.relation (document_id, id, source_node_id, target_node_id, relation_type)"
                " VALUES (%s, %s, %s, %s, 'CONTINUES')",
                [DOCUMENT.id, f"rel_{source}", order[source], order[target]],
            )
    link_document(connection, DOCUMENT.id, keep_continues=True)
    found = connection.execute("SELECT content FROM ragraph.content_node ORDER BY sequence_in_document").fetchall()
    assert [row[0] for row in found] == ["c", "a", "b"]
    kept = connection.execute("SELECT id, source_node_id, target_node_id FROM ragraph.relation").fetchall()
    assert {row[1:] for row in kept} == {(order["a"], order["c"]), (order["b"], order["a"])}
    # the ids that the database makes are those that Python makes
    flat = assemble_graph(draft_of("c\na\nb"), DOCUMENT)
    assert {row[0] for row in kept} == {edge.id for edge in flat.relations}
    link_document(connection, DOCUMENT.id)
    assert rows(connection)["relation"] == []


def test_reading_again_touches_no_row_of_a_document_without_footnotes(connection: Connection) -> None:
    draft = draft_of("# One\na\nb\n# Two\nc")
    ingest_draft(connection, draft, DOCUMENT)
    before = versions(connection)
    changes = ingest_draft(connection, draft, DOCUMENT)
    assert versions(connection) == before
    assert (changes.new, changes.nodes, changes.components) == (False, Tally(unchanged=5), Tally(unchanged=3))


def test_changing_one_paragraph_keeps_all_other_ids_and_embeddings(connection: Connection) -> None:
    make_model(connection)
    ingest_draft(connection, paper(), DOCUMENT)
    before = rows(connection)
    for node in before["content_node"]:
        make_embedding(connection, DOCUMENT.id, node["id"], vector(1))
    changes = ingest_draft(connection, changed(paper(), "third", "third, changed"), DOCUMENT)
    assert changes.nodes == Tally(added=1, removed=1, unchanged=10)
    assert changes.components.unchanged == len(before["document_component"])
    assert changes.relations == Tally(unchanged=2)
    after = rows(connection)
    gone = {row["id"] for row in before["content_node"]} - {row["id"] for row in after["content_node"]}
    assert len(gone) == 1
    embedded = {row[0] for row in connection.execute("SELECT node_id FROM ragraph.embedding")}
    assert embedded == {row["id"] for row in before["content_node"]} - gone
    assert check(connection) == []


def test_a_changed_graph_equals_one_written_fresh(connection: Connection) -> None:
    ways = [
        changed(paper(), "a note", "another note"),
        changed(paper(), "1 Introduction", "1 Background"),
        paper().model_copy(update={"nodes": paper().nodes[3:], "relations": [], "containers": []}),
        paper().model_copy(update={"relations": paper().relations[:1], "pages": []}),
        draft_of(""),
        draft_of("# Two\nx\n## Deeper\n# References\nSmith 2001"),
    ]
    fresh = []
    for draft in ways:
        with connection.transaction(force_rollback=True):
            ingest_draft(connection, draft, DOCUMENT)
            fresh.append(rows(connection))
    for draft, expected in zip(ways, fresh, strict=True):
        ingest_draft(connection, draft, DOCUMENT)
        assert rows(connection) == expected
        ingest_draft(connection, paper(), DOCUMENT)


def test_a_new_description_is_a_change_and_a_new_place_is_none(connection: Connection) -> None:
    ingest_draft(connection, draft_of("# One\na\nb"), DOCUMENT)
    draft = draft_of("# One\nnew\na\nb")
    nodes = [*draft.nodes[:3], draft.nodes[3].model_copy(update={"description": "in words"})]
    changes = ingest_draft(connection, draft.model_copy(update={"nodes": nodes}), DOCUMENT)
    assert changes.nodes == Tally(added=1, changed=1, unchanged=2)


def test_a_new_language_is_searched_in_that_language(connection: Connection) -> None:
    ingest_draft(connection, draft_of("Häuser"), DOCUMENT)
    ingest_draft(connection, draft_of("Häuser"), replace(DOCUMENT, language="de"))
    (config, hit) = connection.execute(
        "SELECT ts_config::text, text_search @@ to_tsquery('german', 'Haus') FROM ragraph.content_node"
    ).fetchone() or ("", False)
    assert (config, hit) == ("german", True)


def test_records_of_a_document_outlive_a_reading_that_knows_less(connection: Connection) -> None:
    ingest_draft(connection, draft_of("a"), replace(DOCUMENT, download_url="https://x", description="d"))
    ingest_draft(connection, draft_of("b"), DOCUMENT)
    found = connection.execute("SELECT download_url, description FROM ragraph.document").fetchall()
    assert found == [("https://x", "d")]


def test_odd_text_survives(connection: Connection) -> None:
    texts = ['it\'s 100% \\N "quoted" %s {} $1', "\u202bعربي\u202c", "😀" * 10, "x" * 10_000_000, "\x00\ud800kept"]
    nodes = [DraftNode(key=f"'{n}%", type="PARAGRAPH", text=text) for n, text in enumerate(texts)]
    draft = draft_of("").model_copy(update={"nodes": nodes})
    document = replace(DOCUMENT, id="dl_'; %s", publication_id="pub_'; %s")
    ingest_draft(connection, draft, document)
    found = connection.execute("SELECT content FROM ragraph.content_node ORDER BY sequence_in_document").fetchall()
    assert [row[0] for row in found] == [*texts[:4], "kept"]
    link_document(connection, document.id)


def test_another_collection_is_refused(connection: Connection) -> None:
    ingest_draft(connection, draft_of("a"), DOCUMENT)
    with pytest.raises(IngestError, match="collection default"):
        ingest_draft(connection, draft_of("a"), replace(DOCUMENT, collection="other"))


def test_linking_an_unknown_document_says_so(connection: Connection) -> None:
    with pytest.raises(DocumentNotFoundError, match="dl_nowhere"):
        link_document(connection, "dl_nowhere")


def test_what_is_loaded_is_what_was_written(connection: Connection) -> None:
    graph = assemble_graph(paper(), DOCUMENT, continues=False)
    write_graph(connection, graph)
    loaded = load_graph(connection, DOCUMENT.id)
    assert loaded.nodes == graph.nodes
    assert loaded.pages == graph.pages
    assert set(loaded.relations) == set(graph.relations)
    assert build_tree(loaded).components == build_tree(graph).components


def test_writers_of_one_document_take_turns(database_url: str) -> None:
    drafts_ = [changed(paper(), "third", f"third {number}") for number in range(4)]
    errors: list[BaseException] = []

    def ingest(draft: Draft) -> None:
        try:
            with psycopg.connect(database_url) as connection:
                for _ in range(3):
                    ingest_draft(connection, draft, DOCUMENT)
                    connection.commit()
        except BaseException as error:  # the thread hands it over
            errors.append(error)

    threads = [threading.Thread(target=ingest, args=(draft,)) for draft in drafts_]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    with psycopg.connect(database_url) as connection:
        assert len(rows(connection)["content_node"]) == 11
        assert check(connection) == []
