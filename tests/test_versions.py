"""Earlier versions of documents: kept where asked, read as they were, restored, pruned, gone for good."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from command_line import CommandLine
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from ingest_drafts import DOCUMENT, draft_of

import ragraph
from ragraph.errors import ArgumentError, NodeNotFoundError, QuoteNotFoundError
from ragraph.ingest.common.graph_rows import PublicationRow
from ragraph.ingest.draft import DraftPage
from ragraph.ingest.storing.linking import ingest_draft
from ragraph.ingest.structure.assembling import assemble_graph

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from conftest import MakeDatabase

    from ragraph import Store

ID = DOCUMENT.id
FIRST = "# One\nAlpha wolves hunt.\nBeta testers test.\n# Two\nGamma rays shine."
SECOND = "# One\nNews.\nAlpha wolves hunt.\n# Two\nBeta testers test.\nGamma rays shine on."


@pytest.fixture
def store(make_database: MakeDatabase) -> Iterator[Store]:
    with ragraph.open(make_database()) as opened:
        yield opened


def take_in(store: Store, text: str, document: str = ID, *, fault: float | None = None) -> None:

    from ragraph.ingest.storing.write import _upsert

    row = replace(DOCUMENT, id=document)
    with store.database.write() as connection:
        draft = draft_of(text)
        if fault is not None:
            nodes = [node.model_copy(update={"data": {**node.data, "fault": fault}}) for node in draft.nodes]
            pages = [DraftPage(page_pdf=1, doubt=fault)]
            draft = draft.model_copy(update={"nodes": nodes, "pages": pages})
        if not store.documents(document=document):
            graph = assemble_graph(draft, row, continues=False)
            publication = PublicationRow(row.publication_id, "A draft")
            _upsert(connection, replace(graph, publication=publication))
        ingest_draft(connection, draft, row)


def count(store: Store, table: str) -> Any:
    with store.database.read() as connection:
        row = connection.execute(f"SELECT count(*) FROM ragraph.{table}").fetchone()  # a name of ours
        assert row
        return row[0]


def everything(store: Store) -> Any:
    toc = [entry.to_json() for entry in store.toc(ID)]
    nodes = [node.to_json() for node in store.nodes(ID)]
    return store.render(ID), toc, nodes


def test_nothing_is_kept_where_it_is_not_asked_for(store: Store) -> None:
    take_in(store, FIRST)
    take_in(store, SECOND)
    assert count(store, "document_version") == count(store, "document_version_row") == 0
    assert [item.version for item in store.history(ID)] == [1]


def test_a_version_is_read_as_it_was_and_the_live_one_stays(store: Store) -> None:
    store.keep_versions()
    take_in(store, FIRST)
    first = everything(store)
    take_in(store, SECOND)
    second = everything(store)
    take_in(store, SECOND)  # the same makes no version
    assert [(item.version, item.live) for item in store.history(ID)] == [(1, False), (2, True)]
    with store.as_of(ID, 1) as past:
        assert everything(past) == first
        assert [hit.content for hit in past.search("shine", mode="text", document=ID)] == ["Gamma rays shine."]
        (node,) = [node for node in past.nodes(ID) if node.content == "Gamma rays shine."]
        assert past.cite(ID, node.id).excerpt == "Gamma rays shine."
    assert everything(store) == second
    assert store.check() == []
    with pytest.raises(ArgumentError, match="there are 1, 2"), store.as_of(ID, 7):
        pass
    with pytest.raises(ArgumentError, match="as it was then"), store.as_of(ID, "2001-01-01"):
        pass


def test_how_likely_a_fault_is_makes_no_version_and_stores_no_row(store: Store) -> None:
    """It depends on the whole page, so one edited paragraph would store all nodes of its page."""
    store.keep_versions()
    take_in(store, "# One\n@1 Alpha wolves hunt.\n@1 Beta testers test.", fault=0.1)
    take_in(store, "# One\n@1 Alpha wolves hunt.\n@1 Beta testers test.", fault=0.2)
    assert [item.version for item in store.history(ID)] == [1]
    take_in(store, "# One\n@1 Alpha wolves hunt.\n@1 Beta testers rest.", fault=0.3)
    assert [(item.change, item.after) for item in store.diff(ID)] == [("changed", "Beta testers rest.")]
    with store.database.read() as connection:
        stored = connection.execute(
            "SELECT r.kind, r.content ->> 'content' FROM ragraph.document_version_row AS r WHERE r.kind <> 'places'"
        ).fetchall()
    assert sorted(stored, key=str) == [("node", "Beta testers test."), ("node", None)]
    with store.as_of(ID, 1) as past:
        assert {node.content: node.data["fault"] for node in past.nodes(ID)} == {
            "One": 0.3,
            "Alpha wolves hunt.": 0.3,
            "Beta testers test.": 0.2,
        }
    store.restore_version(ID, 1)
    assert store.render(ID).endswith("Alpha wolves hunt.\n\nBeta testers test.")
    assert store.check() == []


def test_what_changed_is_told_by_section(store: Store) -> None:
    store.keep_versions()
    take_in(store, FIRST)
    take_in(store, SECOND)
    found = [(item.change, item.section, item.before, item.after) for item in store.diff(ID)]
    assert sorted(found, key=str) == sorted(
        [
            ("added", ["One"], None, "News."),
            ("moved", ["Two"], "Beta testers test.", "Beta testers test."),
            ("changed", ["Two"], "Gamma rays shine.", "Gamma rays shine on."),
        ],
        key=str,
    )


def test_a_citation_says_whether_its_words_stand(store: Store) -> None:
    store.keep_versions()
    take_in(store, FIRST)
    ids = {node.content: node.id for node in store.nodes(ID)}
    take_in(store, SECOND)
    states = {text: store.citation_state(ID, name, 1) for text, name in ids.items()}
    assert states["Alpha wolves hunt."].state == "stands"
    assert (states["Beta testers test."].state, states["Beta testers test."].section) == ("moved", ["Two"])
    assert states["Gamma rays shine."].state == "gone"
    words = store.citation_state(ID, ids["Gamma rays shine."], 1, quote="Gamma rays")
    assert words.state == "moved"
    with pytest.raises(QuoteNotFoundError):
        store.citation_state(ID, ids["Gamma rays shine."], 1, quote="Delta")
    with pytest.raises(NodeNotFoundError):
        store.citation_state(ID, "cn_none", 1)


def test_restored_pruned_and_deleted(store: Store) -> None:
    store.keep_versions()
    take_in(store, FIRST)
    first = everything(store)
    take_in(store, SECOND)
    assert store.restore_version(ID, 1) == 3
    assert everything(store) == first
    assert store.check() == []
    assert store.prune_versions(ID) == 2
    assert count(store, "document_version_row") == 0
    assert [item.version for item in store.history(ID)] == [3]
    take_in(store, SECOND)
    assert [item.version for item in store.history(ID)] == [3, 4]
    store.delete(ID)
    assert store.erased(ID) == {}
    for table in ("document_version", "document_version_row", "embedding", "content_node"):
        assert count(store, table) == 0


def test_vectors_of_what_went_come_back(store: Store) -> None:
    store.keep_versions()
    take_in(store, FIRST)
    store.embed()
    before = [(hit.content, round(hit.score, 6)) for hit in store.search("rays", mode="vector", document=ID)]
    take_in(store, SECOND)
    store.embed()
    with store.as_of(ID, 1) as past:
        found = [(hit.content, round(hit.score, 6)) for hit in past.search("rays", mode="vector", document=ID)]
    assert [text for text, _ in found] == [text for text, _ in before]


def test_it_moves_with_its_document(store: Store) -> None:
    store.keep_versions()
    take_in(store, FIRST)
    first = store.render(ID)
    take_in(store, SECOND)
    store.update(ID, collection="archive")
    assert store.check() == []
    with store.as_of(ID, 1) as past:
        assert past.render(ID) == first


LINES = st.lists(
    st.sampled_from(["# One", "# Two", "## Three", "Alpha.", "Beta.", "Gamma.", "- item", "N:1 note", "See 1."]),
    min_size=1,
    max_size=10,
)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drafts=st.lists(LINES, min_size=2, max_size=6), keep=st.sampled_from([None, 1, 2]), end=st.booleans())
def test_every_version_is_what_it_was(store: Store, drafts: list[list[str]], keep: int | None, end: bool) -> None:
    store.keep_versions(keep=keep)
    was: dict[int, Any] = {}
    for draft in drafts:
        take_in(store, "\n".join(draft))
        was[store.history(ID)[-1].version] = everything(store)
    versions = [item.version for item in store.history(ID)]
    assert versions == sorted(was)[-len(versions) :]
    assert len(versions) == (len(was) if keep is None else min(len(was), keep + 1))
    for version in versions:
        with store.as_of(ID, version) as past:
            assert everything(past) == was[version]
    if end:
        store.restore_version(ID, versions[0])
        assert everything(store) == was[versions[0]]
    assert store.check() == []
    store.delete(ID)
    assert store.erased(ID) == {}
    assert count(store, "document_version") == 0


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drafts=st.lists(st.tuples(LINES, st.sampled_from([None, 0, 1, 2])), min_size=2, max_size=6))
@example(drafts=[(["Alpha."], None), (["Beta."], None), (["Gamma."], 0)])
def test_no_version_is_what_it_never_was(store: Store, drafts: list[tuple[list[str], int | None]]) -> None:
    """However many are kept by now: a change that is not noted would show in those before it."""
    was: dict[int, Any] = {}
    for draft, keep in drafts:
        store.keep_versions(keep=keep)
        take_in(store, "\n".join(draft))
        versions = [item.version for item in store.history(ID)]
        was[versions[-1]] = everything(store)
        for version in versions:
            with store.as_of(ID, version) as past:
                assert everything(past) == was[version]
    store.delete(ID)


def test_the_command_line_keeps_shows_and_restores(
    make_database: MakeDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = CommandLine(make_database(), monkeypatch, capsys)
    file = tmp_path / "notes.md"
    ingest = ("ingest", str(file), "--id", "dl_notes", "--no-embed")
    file.write_text("# One\n\nAlpha wolves hunt.\n\nBeta testers test.\n")
    assert run(*ingest, "--keep-versions", "all").code == 0
    first = run("render", "dl_notes").out
    file.write_text("# One\n\nAlpha wolves sleep.\n\nBeta testers test.\n")
    assert run(*ingest).code == 0
    assert "live" in run("history", "dl_notes").out
    said = run("diff", "dl_notes").out
    assert "~ changed PARAGRAPH" in said
    assert "- Alpha wolves hunt." in said
    for as_of in ("1", datetime.now(UTC).isoformat()):
        there = run("render", "dl_notes", "--as-of", as_of).out
        assert there == (first if as_of == "1" else run("render", "dl_notes").out)
    for command in ("show", "toc"):
        assert run(command, "dl_notes", "--as-of", "1").code == 0
    found = run("search", "hunt", "--mode", "text", "--document", "dl_notes", "--as-of", "1", "--json")
    (hit,) = json.loads(found.out)
    cited = json.loads(run("cite", "dl_notes", hit["node_id"], "--as-of", "1", "--json").out)
    assert (cited["version"], cited["state"]) == (1, "gone")
    assert run("render", "dl_notes", "--as-of", "9").code == 1  # as for all that does not exist
    assert run("restore-version", "dl_notes", "1").code == 0
    assert run("render", "dl_notes").out == first
    assert run("prune", "dl_notes").out.startswith("2 versions")
    assert run(*ingest, "--keep-versions", "few").code == 2
    assert run("delete", "dl_notes", "--yes").code == 0


def test_words_below_a_renamed_heading_have_not_moved(store: Store) -> None:
    store.keep_versions()
    take_in(store, "# One\nAlpha wolves hunt.\n## Sub\nBeta testers test.\n# Two\nGamma rays shine.")
    take_in(store, "# First\nAlpha wolves hunt.\n## Sub\nBeta testers test.\n# Two\nGamma rays shine.")
    found = [(item.change, item.node_type, item.before, item.after) for item in store.diff(ID)]
    assert found == [("changed", "HEADING", "One", "First")]


def test_a_place_on_the_page_is_no_change_of_words(store: Store) -> None:
    store.keep_versions()
    take_in(store, "# One\n@1 Alpha wolves hunt.\n@1 Beta testers test.")
    take_in(store, "# One\nNews.\n@1 Alpha wolves hunt.\n@2 Beta testers test.")
    assert [(item.change, item.after) for item in store.diff(ID)] == [("added", "News.")]
