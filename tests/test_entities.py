"""Entities in a store: found, resolved, looked up, searched by, and gone with what supports them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from command_line import CommandLine
from factories import insert, make_document, make_node, make_tree

import ragraph
from ragraph.entities.definitions import Definitions
from ragraph.entities.found import Found, FoundEntity, FoundRelation, Span
from ragraph.errors import ArgumentError, EntityNotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragraph import Store
    from ragraph.entities.found import NodeText

    Connection = psycopg.Connection[tuple[Any, ...]]

ARTICLE = [
    "Access is granted by a policy decision point (PDP) and a policy enforcement point (PEP).",
    "The PDP decides; the PEP \N{GRINNING FACE} enforces what the PDP decided.",
    "Nothing is said here.",
]
CONTRACT = ['This agreement is made by Acme Inc. (the "Company").', '"Services" means what the Company does.']


def fill(connection: Connection, document: str, texts: Sequence[str], **values: Any) -> None:
    make_document(connection, document, **values)
    for place, text in enumerate(texts):
        make_node(
            connection, document, f"cn_{place}", place, content=text, collection=values.get("collection", "default")
        )


@pytest.fixture
def connection(database_url: str) -> Iterator[Connection]:
    with psycopg.connect(database_url, autocommit=True) as opened:
        yield opened


@pytest.fixture
def store(database_url: str, connection: Connection) -> Iterator[Store]:
    fill(connection, "dl_a", ARTICLE)
    fill(connection, "dl_b", ["A Policy Decision Point decides.", "It (PDP) is a policy decision point (PDP)."])
    fill(connection, "dl_c", CONTRACT)
    fill(connection, "dl_d", ['Beta Ltd. (the "Company") sells.'])
    with ragraph.open(database_url) as opened:
        opened.extract_entities()
        yield opened


def broken(store: Store) -> set[str]:
    ours = ("entit", "mention", "defin")
    return {found.rule for found in store.check() if any(word in found.rule for word in ours)}


def test_acronyms_are_one_entity_in_all_documents_and_terms_one_in_each(store: Store) -> None:
    found = {(entity.name, entity.documents, entity.mentions) for entity in store.entities(kinds="acronym")}
    assert found == {("policy decision point", 2, 8), ("policy enforcement point", 1, 3)}
    companies = store.entities("Company")
    assert [(entity.documents, entity.kinds) for entity in companies] == [(1, ["term"]), (1, ["term"])]
    with pytest.raises(ArgumentError, match="names 2 entities"):
        store.entity("Company")
    assert store.entity("PDPs").aliases == ["PDP"]
    assert broken(store) == set()


def test_mentions_say_where(store: Store) -> None:
    mentions = store.mentions("policy-enforcement point")
    assert [(m.node_id, m.surface, m.defines) for m in mentions] == [
        ("cn_0", "policy enforcement point", True),
        ("cn_0", "PEP", True),
        ("cn_1", "PEP", False),
    ]
    for mention in mentions:
        text = store.node("dl_a", mention.node_id).content
        assert text[mention.char_start : mention.char_end] == mention.surface
    assert "\N{GRINNING FACE}" in mentions[2].citation.excerpt
    with pytest.raises(EntityNotFoundError, match="policy decision"):
        store.mentions("policy decision pint")


def test_a_search_within_an_entity_is_exact(store: Store) -> None:
    hits = store.search("decides", 50, mode="text", match="any", entity="PDP")
    assert {(hit.document_id, hit.node_id) for hit in hits} == {("dl_a", "cn_1"), ("dl_b", "cn_0")}
    assert hits[0].entities
    assert store.search("decides", mode="text", entity="PDP", document="dl_c") == []
    assert store.search("decides", mode="text", entity=[]) == []
    with pytest.raises(EntityNotFoundError):
        store.search("decides", mode="text", entity="nobody")


def test_hits_that_mention_an_entity_come_further_up_and_none_is_lost(store: Store, connection: Connection) -> None:
    store.embed()
    plain = store.search("grants permission", 9)  # no word of any node: by vector alone
    boosted = store.search("grants permission", 9, boost="Services")
    before = {(hit.document_id, hit.node_id): hit.score or 0.0 for hit in plain}
    assert {(hit.document_id, hit.node_id) for hit in boosted} == before.keys()
    naming = ["Services" in hit.entities for hit in boosted]
    assert naming == [True, *[False] * (len(plain) - 1)]
    assert "Services" not in plain[0].entities
    for hit, named in zip(boosted, naming, strict=True):
        gain = (hit.score or 0.0) - before[hit.document_id, hit.node_id]
        assert gain == pytest.approx(1 / 61 if named else 0)
    assert store.search("Company", 9, boost=[]) == store.search("Company", 9)
    assert len(store.search("Company", 9, boost="PDP", document="dl_c")) == 2
    with pytest.raises(EntityNotFoundError, match="nobody"):
        store.search("Company", boost="nobody")
    with pytest.raises(ArgumentError, match="boost is for modes"):
        store.search("Company", mode="text", boost="PDP")
    rows = connection.execute(
        "SELECT h.rank, e.names FROM ragraph.search_text('decides enforces', 9, match => 'any') AS h"
        " INNER JOIN ragraph.entities_in_nodes("
        "   (SELECT array_agg(t.document_id) FROM ragraph.search_text('decides enforces', 9, match => 'any') AS t),"
        "   (SELECT array_agg(t.node_id) FROM ragraph.search_text('decides enforces', 9, match => 'any') AS t)"
        " ) AS e ON h.document_id = e.document_id AND h.node_id = e.node_id ORDER BY h.rank"
    ).fetchall()
    assert rows == [(1, ["policy decision point", "policy enforcement point"]), (2, ["policy decision point"])]


def test_what_people_say_of_entities_stays_and_can_be_taken_back(store: Store) -> None:
    (before,) = store.entities("PDP")
    store.split_entity("PDP", "dl_b")
    assert [entity.documents for entity in store.entities("PDP")] == [1, 1]
    store.extract_entities(again=True)
    assert len(store.entities("PDP")) == 2
    store.reset_entities("PDP")
    assert store.entities("PDP") == [before]
    store.merge_entities(["PDP", "PEP"])
    assert store.entity("PEP").identity == store.entity("PDP").identity
    assert {m.rule for m in store.mentions("PDP")} == {"hand"}
    store.reset_entities("PDP")
    assert store.entities("PDP") == [before]
    with pytest.raises(ArgumentError, match="one entity"):
        store.merge_entities(["PDP"])
    with pytest.raises(EntityNotFoundError):
        store.split_entity("PDP", "dl_d")


def test_nothing_is_left_without_support(store: Store, connection: Connection) -> None:
    connection.execute("DELETE FROM ragraph.content_node WHERE document_id = 'dl_a' AND id = 'cn_0'")
    assert broken(store) == {"entities that a document defines have a defining mention"}
    connection.execute("SELECT ragraph_private.prune_entities('dl_a')")
    assert broken(store) == set()
    assert [entity.documents for entity in store.entities("PDP")] == [1]
    store.delete("dl_b")
    with pytest.raises(EntityNotFoundError):
        store.entities("PDP")
    assert connection.execute(
        "SELECT count(*) FROM ragraph.mention WHERE document_id IN ('dl_a', 'dl_b')"
    ).fetchone() == (0,)


def test_only_what_changed_is_read_again(store: Store, connection: Connection) -> None:
    assert store.extract_entities().nodes == 0
    make_node(connection, "dl_d", "cn_9", 9, content="The Company buys.")
    report = store.extract_entities()
    assert (report.documents, report.read, report.nodes) == (4, 1, 2)
    assert len(store.mentions("Company", document="dl_d")) == 2


class Batches:
    """Finds the word "decides", two nodes at a time; stops when told."""

    name, batch = "words", 2

    def __init__(self, version: str = "1", stop_after: int = 99) -> None:
        self.version = version
        self.calls: list[list[str]] = []
        self.stop_after = stop_after

    def extract(self, nodes: Sequence[NodeText]) -> Found:
        if len(self.calls) == self.stop_after:
            raise KeyboardInterrupt
        self.calls.append([node.id for node in nodes])
        spans = [Span(node.id, at, at + 3) for node in nodes if (at := node.content.find("PDP")) >= 0]
        found = Found([FoundEntity("WORD", "PDP", [], spans), FoundEntity("WORD", "PEP", [], [])])
        for node in nodes:
            if (at := node.content.find("PEP")) >= 0:
                found.entities[1].spans.append(Span(node.id, at, at + 3))
                found.relations.append(FoundRelation(1, 0, "enforces for", node.id, "enforces what the PDP decided"))
                found.relations.append(FoundRelation(1, 0, "likes", node.id, "the PEP likes the PDP"))
        return found


def test_an_extractor_goes_on_where_it_was_cut_off(store: Store) -> None:
    cut = Batches(stop_after=1)
    with pytest.raises(KeyboardInterrupt):
        store.extract_entities(cut, "dl_a")
    rest = Batches()
    report = store.extract_entities(rest, "dl_a")
    assert (cut.calls, rest.calls) == ([["cn_0", "cn_1"]], [["cn_2"]])
    assert report.relations == 1
    newer = Batches("2")
    report = store.extract_entities(newer, "dl_a")
    assert newer.calls == [["cn_0", "cn_1"], ["cn_2"]]
    assert (report.entities, report.mentions, report.relations, report.refused) == (2, 4, 1, 3)
    assert broken(store) == set()


def test_a_model_s_entity_is_what_the_document_says_it_stands_for(store: Store) -> None:
    store.extract_entities(Batches(), "dl_a")
    entity = store.entity("PDP")
    assert (entity.kinds, entity.documents) == (["WORD", "acronym"], 2)
    assert {m.rule for m in store.mentions("PDP", document="dl_a")} == {"name", "alias"}
    (relation,) = store.entity_relations("PEP")
    assert (relation.source_name, relation.target_name, relation.quote) == (
        "PEP",
        "PDP",
        "enforces what the PDP decided",
    )
    text = store.node("dl_a", relation.node_id).content
    assert text[relation.char_start : relation.char_end] == relation.quote


@pytest.mark.parametrize(
    ("statement", "rule"),
    [
        ("UPDATE ragraph.entity SET keys = '{x}' WHERE document_id = 'dl_c'", "entities are found by their names"),
        ("DELETE FROM ragraph.mention WHERE document_id = 'dl_d'", "an entity is mentioned"),
        (
            "UPDATE ragraph.mention SET defines = false WHERE document_id = 'dl_d'",
            "entities that a document defines have a defining mention",
        ),
        ("UPDATE ragraph.mention SET surface = upper(surface)", "mentions hold the words of their node"),
        ("UPDATE ragraph.entity_relation SET quote = upper(quote)", "relations of entities quote their node"),
    ],
)
def test_the_check_sees_each_broken_rule(store: Store, connection: Connection, statement: str, rule: str) -> None:
    store.extract_entities(Batches(), "dl_a")
    connection.execute(statement)
    assert broken(store) == {rule}


def test_the_check_sees_what_constraints_would_refuse(store: Store, connection: Connection) -> None:
    store.extract_entities(Batches(), "dl_a")
    connection.execute("ALTER TABLE ragraph.mention DROP CONSTRAINT mention_entity_fkey")
    for end in ("source", "target"):
        connection.execute(f"ALTER TABLE ragraph.entity_relation DROP CONSTRAINT entity_relation_{end}_fkey")
    connection.execute("DELETE FROM ragraph.entity WHERE document_id = 'dl_a' AND extractor = 'words'")
    assert {"mentions have a node and an entity", "relations of entities have both ends"} <= {
        found.rule for found in store.check()
    }


def test_a_document_takes_its_entities_to_another_collection(store: Store) -> None:
    before = store.entity("PDP")
    store.update("dl_b", collection="other")
    assert len(store.entities("PDP")) == 2
    assert store.entities("PDP", collection="other")[0].identity != before.identity
    assert broken(store) == set()
    store.update("dl_b", collection="default")
    assert store.entity("PDP") == before


def test_the_words_in_a_large_scope_are_found_by_vector_too(database_url: str, connection: Connection) -> None:
    tree = make_tree(connection)
    entity = {"document_id": tree.document_id, "id": "en_1", "extractor": "x", "kind": "K", "name": "Thing"}
    insert(connection, "entity", **entity, keys=["thing"], shared=True, identity="ent_1")
    for node in tree.nodes[:3]:
        insert(
            connection,
            "mention",
            **{"document_id": tree.document_id, "entity_id": "en_1", "node_id": node, "char_start": 0, "char_end": 1},
            surface=connection.execute(
                "SELECT left(content, 1) FROM ragraph.content_node WHERE id = %s", [node]
            ).fetchone()[0],  # type: ignore[index]
        )
    for limit in (0, 10000):
        rows = connection.execute(
            "SELECT node_id"
            " FROM ragraph.search_vector('[1,0,0]', 'tiny', 10, entities => '{Thing}', exact_limit => %s)",
            [limit],
        ).fetchall()
        embedded = connection.execute(
            "SELECT DISTINCT node_id FROM ragraph.embedding WHERE node_id = any(%s)", [tree.nodes[:3]]
        ).fetchall()
        assert sorted(rows) == sorted(embedded)


def test_the_command_line_lists_shows_and_scopes(
    store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cli = CommandLine(store.database.url, monkeypatch, capsys)
    assert "policy decision point" in cli("entities", "--kind", "acronym").out
    shown = cli("entity", "PDP").out
    assert "defined: " in shown and "8 mentions in 2 documents" in shown
    assert json.loads(cli("entity", "PDP", "--limit", "1", "--json").out)["mentions"][0]["node_id"] == "cn_0"
    assert "Services" in cli("search", "services", "--mode", "text", "--entity", "Services").out
    (hit,) = json.loads(cli("search", "Acme", "--mode", "text", "--json").out)
    assert hit["entities"] == ["Company"]
    store.embed()
    (first,) = json.loads(cli("search", "grants permission", "--boost", "Services", "-k", "1", "--json").out)
    assert first["entities"] == ["Company", "Services"]
    assert cli("search", "Company", "--boost", "PDP", "--mode", "text").code == 2
    assert "0 nodes of 0 documents" in cli("entities", "extract").out
    failed = cli("entity", "nobody")
    assert (failed.code, len(failed.err.splitlines())) == (1, 1)
    assert cli("entities", "extract", "--with", "nothing").code == 2
    for words in (["merge", "PDP", "PEP"], ["reset", "PDP"], ["split", "PDP", "--document", "dl_a"]):
        assert cli("entities", *words).code == 0, words


def test_many_mentions_in_one_node_and_names_that_are_none(database_url: str, connection: Connection) -> None:
    fill(
        connection, "dl_many", ["A policy decision point (PDP). " + "The PDP decides. " * 10_000, "", "()", '(the "")']
    )
    with ragraph.open(database_url) as store:
        assert store.extract_entities().mentions == 10_002
        assert Definitions().extract([]).entities == []
        with pytest.raises(EntityNotFoundError):
            store.entities("")
