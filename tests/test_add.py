"""Content that a program has: drafts into the store, as ingestion would have put it there."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from typer.testing import CliRunner

from ragraph.base.queries import QUERIES
from ragraph.errors import ArgumentError, EndpointError, IngestError
from ragraph.faces.cli import app
from ragraph.ingest.common.graph_rows import DocumentRow
from ragraph.ingest.draft import Draft, DraftContainer, DraftDocument, DraftMetadata, DraftNode, DraftRelation, Position
from ragraph.ingest.storing.linking import ingest_draft
from ragraph.ingest.supplied import adding
from ragraph.ingest.vectors.embed import BATCH
from ragraph.models.embedding import SentenceModel
from ragraph.schema.enums import ComponentType, ContentNodeType, RelationType

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from ragraph import Store


def weather(**changes: Any) -> DraftDocument:
    paragraph, note = ContentNodeType.PARAGRAPH, ContentNodeType.NOTE
    given: dict[str, Any] = {
        "id": "dl_weather",
        "metadata": DraftMetadata(title="Weather", authors=["A. Rain"], language="en", extra={"source_id": 7}),
        "tags": ["own"],
        "nodes": [
            DraftNode(key="h", type=ContentNodeType.HEADING, text="Costs", level=1),
            DraftNode(key="p", type=paragraph, text="The cost of rain.", positions=[Position(page_pdf=2)]),
            DraftNode(key="b", type=paragraph, text="A cost of snow.", container="box"),
            DraftNode(key="n", type=note, text="Rain falls.", marker="1"),
        ],
        "containers": [DraftContainer(key="box", type=ComponentType.TEXT_BOX, title="Snow")],
        "relations": [DraftRelation(source="p", type=RelationType.REFERENCES_NOTE, target="n", marker="1")],
    }
    return DraftDocument(**(given | changes))


def test_a_draft_becomes_a_document_with_tree_pages_relations_and_vectors(store: Store, axes: Path) -> None:
    report = store.add(weather(), model=str(axes))
    assert (report.status, report.document_id, report.nodes, report.embeddings) == ("added", "dl_weather", 4, 3)
    details = store.document("dl_weather")
    assert (details.document.title, details.document.language, details.document.page_count) == ("Weather", "en", 2)
    assert [entry.title for entry in store.toc("dl_weather")][1] == "Costs"
    boxes = [data for _, data in store.graph("dl_weather").nodes(data=True) if data.get("title") == "Snow"]
    assert len(boxes) == 1
    (node,) = store.page("dl_weather", 2)
    assert [found.node.content for found in store.related("dl_weather", node.id)] == ["Rain falls."]
    assert store.search("snow", 1, mode="vector", model="axes")[0].content == "A cost of snow."
    assert store.filter_documents({"tags": {"$contains": "own"}}) == ["dl_weather"]
    assert store.filter_documents({"source_id": 7}) == ["dl_weather"]
    assert store.check() == []


def test_a_draft_that_is_known_is_left_alone_and_one_that_changed_keeps_what_did_not(store: Store, axes: Path) -> None:
    store.add(weather(), model=str(axes))
    before = {node.content: node.id for node in store.nodes("dl_weather")}
    assert store.add(weather(), model=str(axes)).status == "unchanged"
    nodes = [*weather().nodes, DraftNode(key="new", type=ContentNodeType.PARAGRAPH, text="A cost of the rain.")]
    report = store.add(weather(nodes=nodes), model=str(axes))
    assert (report.status, report.embeddings, report.nodes) == ("changed", 1, 5)
    after = {node.content: node.id for node in store.nodes("dl_weather")}
    assert before.items() <= after.items()
    assert store.check() == []


def test_without_an_id_the_draft_is_its_document(store: Store) -> None:
    first = store.add(Draft(reader="own/1", nodes=weather().nodes[:2]), model=None)
    again = store.add({"reader": "own/1", "nodes": [node.model_dump() for node in weather().nodes[:2]]}, model=None)
    other = store.add(Draft(reader="own/1", nodes=weather().nodes[1:2]), model=None)
    assert (first.status, again.status, other.status) == ("added", "unchanged", "added")
    assert first.document_id == again.document_id != other.document_id
    assert store.embed(documents=[]).documents == 0


def test_drafts_are_taken_one_at_a_time_and_one_that_fails_does_not_stop_the_others(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adding, "TOGETHER", 1)  # so few are written together elsewhere
    written: list[int] = []

    def drafts() -> Iterator[Any]:
        for number in range(3):
            written.append(len(store.documents()))
            yield weather(id=f"dl_{number}")
        yield weather(id="dl_empty", nodes=[], containers=[], relations=[])
        yield {"nodes": [{"key": "a", "type": "NONSENSE"}]}
        yield weather(id="dl_last")

    report = store.add_many(drafts(), model=None)
    # the two before may still be written
    assert all(number - 3 < before <= number for number, before in enumerate(written))
    assert [file.status for file in report.files] == ["added"] * 3 + ["failed"] * 2 + ["added"]
    assert "holds no text" in (report.files[3].reason or "")
    assert (report.files[4].reason or "").startswith("nodes.0.type: ")
    assert [document.id for document in store.documents()] == ["dl_0", "dl_1", "dl_2", "dl_last"]
    assert not report.ok


class Breaking(SentenceModel):
    """Breaks down, as an endpoint does that is gone."""

    def encode_documents(self, texts: Sequence[str]) -> Any:
        raise EndpointError("the endpoint is gone")


def test_a_model_that_breaks_down_ends_the_run_and_what_was_written_is_embedded_later(store: Store, axes: Path) -> None:
    kind = ContentNodeType.PARAGRAPH
    nodes = [DraftNode(key=str(place), type=kind, text=f"The rain, {place}.") for place in range(BATCH)]
    broken = Breaking(axes, name="axes", location=str(axes))
    with pytest.raises(EndpointError, match="gone"):
        store.add_many(
            (weather(id=f"dl_{number}", nodes=nodes, containers=[], relations=[]) for number in itertools.count()),
            model=broken,
        )
    there = store.documents()
    assert there
    assert {document.processing_status for document in there} == {"processing"}
    assert store.embed(str(axes)).embeddings == len(there) * BATCH
    assert store.check() == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"nodes": [weather().nodes[0], weather().nodes[0]]}, "two nodes with the key 'h'"),
        ({"containers": []}, "no container 'box'"),
        ({"relations": [DraftRelation(source="x", type=RelationType.REFERENCES_NOTE, marker="1")]}, "the node 'x'"),
        ({"id": "dl_" + "x" * 300}, "200 characters"),
    ],
)
def test_a_draft_that_breaks_a_rule_is_refused(store: Store, changes: dict[str, Any], said: str) -> None:
    given = weather().model_dump(mode="json") | {
        name: [row.model_dump(mode="json") for row in rows] if isinstance(rows, list) else rows
        for name, rows in changes.items()
    }
    with pytest.raises(IngestError, match=said):
        store.add(given, model=None)
    assert store.documents() == []
    for nothing in (5, None, ["text"], object()):
        with pytest.raises(ArgumentError, match="draft takes a DraftDocument, a mapping or JSON, not"):
            store.add(nothing, model=None)


def test_another_collection_is_not_written_over(store: Store) -> None:
    store.add(weather(), model=None)
    with pytest.raises(IngestError, match="is in the collection 'default'"):
        store.add(weather(tags=[]), model=None, collection="other")


def test_the_command_line_imports_lines(store: Store, tmp_path: Path) -> None:
    lines = [weather(id=f"dl_{number}").model_dump_json(exclude_defaults=True) for number in range(2)]
    (tmp_path / "drafts.jsonl").write_text("\n\n".join(lines) + "\n")
    run = ["--url", store.database.url, "import", str(tmp_path / "drafts.jsonl"), "--no-embed", "--json"]
    done = CliRunner().invoke(app, run)
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["totals"]["added"] == 2
    assert json.loads(CliRunner().invoke(app, run).stdout)["totals"]["unchanged"] == 2
    piped = CliRunner().invoke(app, ["--url", store.database.url, "import", "-", "--no-embed"], input="{\n")
    assert piped.exit_code == 1
    assert [document.id for document in store.documents()] == ["dl_0", "dl_1"]


def test_checks_made_for_empty_tables_are_planned_anew_while_a_store_is_filled(store: Store) -> None:
    # each vector is checked against its node: by an index that leads there, not over all nodes of the document
    nodes = [DraftNode(key=str(key), type=ContentNodeType.PARAGRAPH, text=f"Line {key}.") for key in range(600)]
    document = DocumentRow(id="dl_long", publication_id="pub_long")
    check = "SELECT 1 FROM ONLY ragraph.content_node AS x WHERE document_id = $1 AND id = $2 FOR KEY SHARE OF x"
    with store.database.write() as connection:
        connection.execute("SET LOCAL plan_cache_mode = force_generic_plan")
        connection.execute(f"PREPARE check_node (text, text) AS {check}")
        plans = []
        for _ in range(2):
            plans.append([line for (line,) in connection.execute("EXPLAIN EXECUTE check_node ('dl_long', 'cn_1')")])
            ingest_draft(connection, Draft(reader="test/1", nodes=nodes), document)
        connection.execute("DEALLOCATE check_node")
    assert any("Index Cond: ((document_id = $1) AND (id = $2))" in line for line in plans[1]), plans


def test_many_new_nodes_are_analyzed_at_once(store: Store) -> None:
    def known() -> float:
        with store.database.read() as connection:
            row = connection.execute(
                "SELECT reltuples FROM pg_class WHERE oid = 'ragraph.content_node'::regclass"
            ).fetchone()
        assert row is not None
        return float(row[0])

    nodes = [DraftNode(key=str(key), type=ContentNodeType.PARAGRAPH, text=f"Line {key}.") for key in range(1200)]
    store.add(weather(), model=None)
    assert known() < 1000  # too few to look at
    store.add(DraftDocument(id="dl_long", nodes=nodes), model=None)
    assert known() == 1204
    with store.database.read() as connection:
        pages = connection.execute(
            "SELECT relpages, relallvisible FROM pg_class WHERE oid = 'ragraph.content_node'::regclass"
        ).fetchone()
    assert pages is not None
    # a count of what a filter keeps reads the index alone, but for pages with rows that were changed
    assert pages[1] > 0.9 * pages[0]
    with psycopg.connect(store.database.url, autocommit=True) as connection:
        waiting = connection.execute("SELECT gin_clean_pending_list('ragraph.content_node_text_search_idx')").fetchone()
    assert waiting == (0,)  # new words are in the index, and no search reads through a list of them


def test_a_look_at_the_tables_is_not_due_again_however_often_their_rows_were_replaced(store: Store) -> None:
    nodes = [DraftNode(key=str(key), type=ContentNodeType.PARAGRAPH, text=f"Line {key}.") for key in range(600)]
    store.add(DraftDocument(id="dl_long", nodes=nodes), model=None)
    with psycopg.connect(store.database.url, autocommit=True) as connection:

        def due(nodes: int) -> bool:
            (found,) = connection.execute(QUERIES["ingest_look_due"], {"nodes": nodes}).fetchone() or (None,)
            assert found is not None
            return bool(found)

        for _ in range(4):
            connection.execute("UPDATE ragraph.content_node SET data = data")
        connection.execute("SELECT pg_stat_force_next_flush()")
        connection.execute(QUERIES["ingest_look"])
        assert not due(1)
        assert due(2000)
