"""The Python interface on documents that were really ingested."""

from __future__ import annotations

import contextlib
import re
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import pytest
from factories import make_document
from sample_library import BOOK, GUIDE
from server_tools import kill_server, postmasters, wait_until

import ragraph
from ragraph import errors
from ragraph.database import migrate
from ragraph.database.connection import Database
from ragraph.database.retry import with_retry
from ragraph.ingest.draft import DraftDocument, DraftNode
from ragraph.schema.enums import ContentNodeType
from ragraph.schema.results import ExplainedHits

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragraph import Store


def test_documents_know_their_publication(library: Store) -> None:
    titles = {item.title for item in library.documents()}
    assert titles == {"A Field Guide to Document Structure", "The Wealth of Nations: Book III"}
    details = library.document(GUIDE)
    assert details.document.authors == "The ragraph developers"
    assert details.embeddings == {"all-MiniLM-L6-v2": details.embeddings["all-MiniLM-L6-v2"]}
    assert details.unresolved_relations == 0
    assert details.characters == len(library.text(GUIDE))
    assert details.words == sum(
        len(re.findall(r"[^\W_]+(?:['’.,_‐-][^\W_]+)*", node.content)) for node in library.nodes(GUIDE)
    )


def test_contents_show_sections_in_reading_order(library: Store) -> None:
    entries = library.toc(GUIDE)
    assert [entry.title for entry in entries if entry.component_type in ("SECTION", "INTRODUCTION", "CONCLUSION")] == [
        "Introduction",
        "Components",
        "Matter",
        "Content nodes",
        "Conclusion",
    ]
    matter = next(entry for entry in entries if entry.title == "Matter")
    assert matter.path[-2:] == ["Components", "Matter"]


@pytest.mark.parametrize(
    ("title", "called", "wrong"),
    [
        ("CHAPTER XV THE CALCULUS", "XV: The Calculus.", "XVI: The Calculus of Sets"),
        ("CHAPTER XV THE CALCULUS", "The Calculus", "Calculus"),
        ("6 Zero Trust", "6. Zero trust", "6. Zero"),
        ("VII: Of Colonies", "Of colonies", "colonies"),
        ("The “Press” Reports—First", "The Press reports: first", "The Press"),
        ("Civil rights", "civil rights.", "rights"),
        ("第一章　总则", "第一章 总则", "总则"),
    ],
)
def test_a_section_is_found_by_the_words_of_its_title(store: Store, title: str, called: str, wrong: str) -> None:
    draft = DraftDocument(
        id="dl_named",
        nodes=[
            DraftNode(key="h", type=ContentNodeType.HEADING, text=title, level=1),
            DraftNode(key="p", type=ContentNodeType.PARAGRAPH, text="What it says."),
            DraftNode(key="i", type=ContentNodeType.HEADING, text="Another", level=1),
            DraftNode(key="q", type=ContentNodeType.PARAGRAPH, text="What this says."),
        ],
    )
    store.add(draft, model=None)
    assert [node.content for node in store.nodes("dl_named", called)] == [title, "What it says."]
    with pytest.raises(errors.ComponentNotFoundError):
        store.nodes("dl_named", wrong)


def test_of_sections_of_one_title_the_outermost_is_meant(store: Store) -> None:
    headings = [("Summary", 1), ("Methods", 2), ("Methods", 1), ("Details", 2), ("Details", 2)]
    nodes = [
        node
        for place, (title, level) in enumerate(headings)
        for node in (
            DraftNode(key=f"h{place}", type=ContentNodeType.HEADING, text=title, level=level),
            DraftNode(key=f"p{place}", type=ContentNodeType.PARAGRAPH, text=f"Mice were weighed {place} times."),
        )
    ]
    store.add(DraftDocument(id="dl_twice", nodes=nodes), model=None)
    assert store.nodes("dl_twice", "Methods")[1].content == "Mice were weighed 2 times."
    found = store.search("mice weighed", 10, document="dl_twice", section="methods", mode="text")
    assert {hit.content for hit in found} == {f"Mice were weighed {place} times." for place in (2, 3, 4)}
    with pytest.raises(errors.ArgumentError, match="'Details' names 2 sections of 'dl_twice'; use one of cmp_"):
        store.nodes("dl_twice", "Details")


def test_search_in_a_section_stays_in_it(library: Store) -> None:
    hits = library.search("front matter and numerals", k=50, document=GUIDE, section="Components")
    inside = {node.id for node in library.nodes(GUIDE, "Components")}
    assert hits
    assert {hit.node_id for hit in hits} <= inside
    assert all(hit.citation.section_path[-1] in ("Components", "Matter") for hit in hits)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_search_in_several_sections_and_documents(library: Store) -> None:
    one, other = "Introduction", "Conclusion"
    inside = {node.id for section in (one, other) for node in library.nodes(GUIDE, section)}
    for mode in ("vector", "text", "hybrid", "graph"):
        hits = library.search(
            "documents", 50, document=GUIDE, section=[one, other], mode=mode, match="any" if mode == "text" else "all"
        )
        assert hits
        assert {hit.node_id for hit in hits} <= inside
    # of several documents, each that has a section of this name is searched within it
    named = {node.id for document in (GUIDE, BOOK) for node in library.nodes(document, one)}
    found = library.search("documents", 50, document=[GUIDE, BOOK], section=one)
    assert {hit.document_id for hit in found} == {GUIDE, BOOK}
    assert {hit.node_id for hit in found} <= named
    chapter = library.toc(BOOK)[-1].component_id
    both = library.search("towns and documents", 50, document=[GUIDE, BOOK], section=["Matter", chapter])
    assert {hit.document_id for hit in both} == {GUIDE, BOOK}
    assert {hit.node_id for hit in both} <= {
        node.id
        for document, section in ((GUIDE, "Matter"), (BOOK, chapter))
        for node in library.nodes(document, section)
    }
    only = library.search("towns and documents", 50, document=[GUIDE, BOOK], section="Matter")
    assert {hit.document_id for hit in only} == {GUIDE}
    assert library.search("towns", section=[]) == []
    with pytest.raises(errors.ComponentNotFoundError):
        library.search("towns", document=[GUIDE, BOOK], section=[one, "Nowhere"])


def test_a_hit_cites_its_words_in_the_text_of_the_document(library: Store) -> None:
    text = library.text(BOOK)
    for hit in library.search("growth of towns and cities", k=5, document=BOOK):
        citation = hit.citation
        assert text[citation.char_start : citation.char_end] == hit.content
        start, end = citation.excerpt_span
        assert text[start:end] == citation.excerpt
        assert library.cite(BOOK, hit.node_id).section_path == citation.section_path


def test_a_search_says_how_it_went(library: Store) -> None:
    plain = library.search("trade", k=3, mode="graph")
    told = library.search("trade", k=3, mode="graph", explain=True)
    assert isinstance(told, ExplainedHits)
    assert list(told) == plain
    assert not isinstance(plain, ExplainedHits)
    parts = {step.part: step for step in told.steps}
    assert {"vectors", "words", "graph", "search_hybrid", "query"} <= parts.keys()
    assert parts["vectors"].way.startswith("exact")
    assert parts["search_hybrid"].rows == 3
    assert all(step.ms >= 0 for step in told.steps)
    (best,) = library.search_sections("trade", 1)
    within = library.search("trade", document=best.document_id, section=best.component_id, explain=True)
    assert isinstance(within, ExplainedHits)
    assert {step.way for step in within.steps if step.part == "vectors"} == {"exact: within sections"}


def test_search_gives_k_while_k_exist(library: Store) -> None:
    embedded = sum(library.document(item).embeddings["all-MiniLM-L6-v2"] for item in (GUIDE, BOOK))
    assert len(library.search("anything", k=embedded + 10)) <= embedded
    assert len(library.search("anything", k=50)) == 50


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"query": "  "}, errors.ArgumentError),
        ({"query": "x", "k": 0}, errors.ArgumentError),
        ({"query": "x", "mode": "telepathy"}, errors.ArgumentError),
        ({"query": "x", "types": ["POEM"]}, errors.ArgumentError),
        ({"query": "x", "section": "Components"}, errors.ArgumentError),
        ({"query": "x", "document": "dl_'; drop table ragraph.document; --%s"}, errors.DocumentNotFoundError),
        ({"query": "x", "document": GUIDE, "section": "cmp_nowhere"}, errors.ComponentNotFoundError),
        ({"query": "x", "k": 10**12}, errors.ArgumentError),
        ({"query": "x", "pages": (5, 3)}, errors.ArgumentError),
        ({"query": "x", "pages": (1, 10**12)}, errors.ArgumentError),
        ({"query": "x", "published": (date(2021, 1, 1), date(2020, 1, 1))}, errors.ArgumentError),
        ({"query": "x", "collection": "a\0b"}, errors.ArgumentError),
        ({"query": "x\udcff"}, errors.ArgumentError),
    ],
)
def test_what_search_refuses(library: Store, arguments: dict[str, object], error: type[Exception]) -> None:
    with pytest.raises(error):
        library.search(**arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("page", [2.5, None, (1, 2, 3), (5, 3), 10**12, "a\0b", "\udcff"])
def test_what_is_no_page(library: Store, page: object) -> None:
    with pytest.raises(errors.ArgumentError):
        library.page(GUIDE, page)  # type: ignore[arg-type]


def test_one_string_stands_for_a_list_of_one(library: Store) -> None:
    assert [hit.node_type for hit in library.search("what refers to what", types="TABLE")] == ["TABLE"]
    assert library.search("towns", languages="en", k=1)
    assert library.embed(documents=GUIDE).encoded == 0


def test_several_sections_are_searched_in_one_call(library: Store) -> None:
    sections = [entry for entry in library.toc(GUIDE) if entry.title in ("Introduction", "Matter", "Components")]
    one = {hit.node_id for hit in library.search("the", 1000, document=GUIDE, section=sections[0].component_id)}
    all_of_them = {
        hit.node_id
        for hit in library.search("the", 1000, document=GUIDE, section=[entry.component_id for entry in sections])
    }
    each = [
        {hit.node_id for hit in library.search("the", 1000, document=GUIDE, section=entry.component_id)}
        for entry in sections
    ]
    assert one
    assert one < all_of_them == set().union(*each)
    with pytest.raises(errors.ComponentNotFoundError, match="cmp_nowhere"):
        library.search("the", document=GUIDE, section=[sections[0].component_id, "cmp_nowhere"])


def test_sections_are_found_by_title_without_number(own_library: Store) -> None:
    with own_library.database.write() as connection:
        connection.execute(
            "UPDATE ragraph.document_component SET title = '2. ' || title"
            " WHERE document_id = %s AND title = 'Components'",
            [GUIDE],
        )
    titled = own_library.nodes(GUIDE, "components")
    assert titled
    assert titled == own_library.nodes(GUIDE, "2") == own_library.nodes(GUIDE, "2. Components")


def test_an_unknown_document_is_never_an_empty_answer(library: Store) -> None:
    for ask in (library.nodes, library.toc, library.text, library.render, library.graph, library.check):
        with pytest.raises(errors.DocumentNotFoundError):
            ask("dl_nowhere")


def test_an_empty_path_is_not_the_current_folder(library: Store) -> None:
    with pytest.raises(errors.ArgumentError):
        library.ingest("")


@pytest.mark.parametrize("length", [5, 2000])
def test_what_was_found_by_a_description_is_cited_and_expanded_whole(own_library: Store, length: int) -> None:
    """The vector says what was embedded, not what the node asks for; its span was once taken for one of the content."""
    (table,) = own_library.search("what refers to what", types="TABLE")
    with own_library.database.write() as connection:
        connection.execute(
            "UPDATE ragraph.embedding SET char_end = %s, embedding_source = 'DESCRIPTION' WHERE node_id = %s",
            [length, table.node_id],
        )
    (found,) = own_library.search("what refers to what", types="TABLE")
    assert found.span is None
    assert found.citation.excerpt == table.citation.excerpt
    for strategy in ("none", "focus", "auto"):
        context = own_library.expand([found], strategy, query="what refers to what")
        assert context.blocks[0].node_ids[0] == table.node_id


def test_scope_by_type_and_date(library: Store) -> None:
    tables = library.search("what refers to what", types=["table"])
    assert [hit.node_type for hit in tables] == ["TABLE"]
    assert library.search("towns", published=(date(2099, 1, 1), None)) == []


def test_a_note_is_reached_from_its_paragraph(library: Store) -> None:
    introduction = next(
        node for node in library.nodes(GUIDE, "Introduction") if node.content.startswith("A document is more")
    )
    (note,) = library.related(GUIDE, introduction.id, types=["REFERENCES_NOTE"])
    assert note.node.content.startswith("The order of reading")
    assert note.marker_text == "1"
    (back,) = library.related(GUIDE, note.node.id, types=["REFERENCES_NOTE"], direction="in")
    assert back.node.id == introduction.id


def test_cross_references_lead_to_their_sections(library: Store) -> None:
    source = next(node for node in library.nodes(GUIDE) if node.content.startswith("This guide names"))
    targets = [item.node.content for item in library.related(GUIDE, source.id, types=["CROSS_REFERENCES"])]
    assert targets == ["Components", "Content nodes"]


def test_all_endnotes_of_the_book_are_linked(library: Store) -> None:
    graph = library.graph(BOOK)
    targets = {target for _, target, data in graph.edges(data=True) if data["type"] == "REFERENCES_NOTE"}
    notes = {node for node, data in graph.nodes(data=True) if data["type"] == "NOTE"}
    assert len(notes) == 93
    assert targets == notes


def test_graph_contains_every_node_below_the_document(library: Store) -> None:
    import networkx

    graph = library.graph(GUIDE)
    tree = networkx.DiGraph((a, b) for a, b, data in graph.edges(data=True) if data["type"] == "CONTAINS")
    assert networkx.is_arborescence(tree)
    assert set(tree) == set(graph)


def test_rendering_a_section_is_part_of_rendering_the_document(library: Store) -> None:
    whole = library.render(GUIDE, format="text")
    section = library.render(GUIDE, section="Matter", format="text")
    assert section.strip() in whole
    with pytest.raises(errors.ArgumentError):
        library.render(GUIDE, format="papyrus")  # type: ignore[arg-type]


def test_what_does_not_exist_cannot_be_cited(library: Store) -> None:
    with pytest.raises(errors.NodeNotFoundError):
        library.cite(GUIDE, "cn_nowhere")
    with pytest.raises(errors.DocumentNotFoundError):
        library.document("dl_nowhere")


def test_the_store_is_sound(library: Store) -> None:
    assert library.check() == []
    assert library.check(GUIDE) == []


def test_deleting_leaves_nothing(own_library: Store) -> None:
    own_library.delete(GUIDE)
    assert [item.id for item in own_library.documents()] == [BOOK]
    with own_library.database.read() as connection:
        for table in ("publication", "document_component", "content_node", "relation", "embedding", "document_page"):
            column = "id" if table == "publication" else "document_id"
            wanted = GUIDE.replace("dl_", "pub_") if table == "publication" else GUIDE
            query = f"SELECT count(*) FROM ragraph.{table} WHERE {column} = %s"
            assert connection.execute(query, [wanted]).fetchone() == (0,), table
    assert own_library.check() == []
    with pytest.raises(errors.DocumentNotFoundError):
        own_library.delete(GUIDE)


def test_public_names_exist() -> None:
    assert all(hasattr(ragraph, name) for name in ragraph.__all__)


def test_reading_starts_a_killed_server_again(tmp_path: Path) -> None:
    with ragraph.open(home=tmp_path) as store:
        assert store.documents() == []
        (pid_file,) = tmp_path.rglob("postmaster.pid")
        server = psutil.Process(int(pid_file.read_text().split()[0]))
        for process in [server, *server.children(recursive=True)]:
            with contextlib.suppress(psutil.NoSuchProcess):  # they end by themselves when the first is gone
                process.kill()
        psutil.wait_procs([server], timeout=10)
        assert store.documents() == []


def test_writing_starts_a_killed_server_again(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("# A note\n\nA line of text.\n")
    with ragraph.open(home=tmp_path / "home") as store:
        name = store.ingest(file, model=None).files[0].document_id or ""
        kill_server(tmp_path / "home")
        assert store.update(name, collection="archive", language="en").document.collection == "archive"
        kill_server(tmp_path / "home")
        with pytest.raises(errors.TuningError, match="nothing to forget"):
            store.forget_ranker("archive")
        kill_server(tmp_path / "home")
        with pytest.raises(errors.DocumentNotFoundError):
            store.delete("dl_none")
        kill_server(tmp_path / "home")
        store.delete(name)
        assert store.documents() == []


def test_a_document_is_deleted_once_though_the_answer_is_lost(own_library: Store) -> None:
    """The commit reached the server: to delete once more finds nothing, and that is no error."""
    database = own_library.database
    lost = []

    class Losing(Database):
        def retry_once(self, unit: Callable[[], Any]) -> Any:
            unit()
            lost.append(1)
            return unit()

    with Losing(database.url) as losing:
        ragraph.Store(losing).delete(GUIDE)
    assert lost
    assert [item.id for item in own_library.documents()] == [BOOK]


def test_a_closed_store_never_starts_a_server(tmp_path: Path) -> None:
    store = ragraph.open(home=tmp_path)
    assert store.documents() == []
    store.close()
    wait_until(lambda: not postmasters(tmp_path))
    tries: list[int] = []

    def unit() -> None:
        tries.append(1)
        store.documents()

    for use in (
        store.documents,
        lambda: store.delete("dl_a"),
        lambda: store.ingest(tmp_path / "none.md", model=None),
        lambda: with_retry(store.database, unit),
        lambda: store.update("dl_a", title="x"),
        store.__enter__,
        store.database.__enter__,
    ):
        with pytest.raises(errors.StoreClosedError, match="open it again"):
            use()
    assert len(tries) == 1
    assert not postmasters(tmp_path)


def test_a_look_into_another_database_leaves_it_as_it_is(make_database: Callable[..., str]) -> None:
    url = make_database(schema=False)
    with pytest.raises(errors.SchemaVersionError):
        ragraph.open(url, create=False)
    assert migrate.current(url) is None
    ragraph.open(url).close()
    assert migrate.current(url) is not None


def test_the_publication_of_a_record_goes_with_its_last_document(database: Database) -> None:
    """Title and abstract are words of it: nothing is left of what was deleted."""
    with database.write() as connection:
        make_document(connection, "dl_r", ingested_with={"record": True})
        make_document(connection, "dl_s", publication_id="pub_r")
    store = ragraph.Store(database)
    for document, left in (("dl_r", [("pub_r",)]), ("dl_s", [])):
        store.delete(document)
        with database.read() as connection:
            assert connection.execute("SELECT id FROM ragraph.publication").fetchall() == left
