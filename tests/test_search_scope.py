"""The scope as one value: ``scope`` of the search functions says what their arguments say."""

from __future__ import annotations

import json
from datetime import date
from typing import TYPE_CHECKING, Any, LiteralString

import psycopg
import pytest
from factories import MODEL, insert, make_tree
from psycopg.types.json import Jsonb

from ragraph.retrieval.scope import Scope
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    Connection = psycopg.Connection[tuple[Any, ...]]

SEARCHES: tuple[LiteralString, ...] = (
    "search_text('text section', match => 'any'",
    f"search_vector('[1,0,0]'::vector, '{MODEL}'",
    f"search_hybrid('text section', '[1,0,0]'::vector, '{MODEL}'",
    f"search_context('text section', '[1,0,0]'::vector, '{MODEL}'",
    "search_context('text section'",
)
HINT = (
    "Use document_ids, component_id, component_ids, node_types, pages, collection, tags, languages, published, filter,"
    " entities, without, max_fault."
)
ONCE = "Give it once."
FILTER = {"$and": [{"language": "en"}, {"year": {"$gte": 2020}}]}
IN_A = {"document_ids": ["dl_a"]}
# An argument, what goes with it, its value, and how many documents it leaves of two.
CONDITIONS: list[tuple[LiteralString, LiteralString, dict[str, Any], Any, int]] = [
    ("document_ids", "'{dl_a}'", {}, ["dl_a"], 1),
    ("document_ids", "'{}'", {}, [], 0),
    ("component_ids", "'{cmp_s0,cmp_s1}'", IN_A, ["cmp_s0", "cmp_s1"], 1),
    ("component_ids", "'{}'", IN_A, [], 0),
    ("node_types", "'{PARAGRAPH,TABLE}'", {}, ["PARAGRAPH", "TABLE"], 2),
    ("node_types", "'{}'", {}, [], 0),
    ("pages", "'[1,1]'", {}, "[1,1]", 2),
    ("pages", "'(,)'", {}, "[,]", 2),
    ("pages", "'empty'", {}, "empty", 0),
    ("collection", "'other'", {}, "other", 1),
    ("tags", "'{x}'", {}, ["x"], 1),
    ("tags", "'{}'", {}, [], 0),
    ("languages", "'{en}'", {}, ["en"], 1),
    ("published", "'[2020-01-01,)'", {}, "[2020-01-01,]", 1),
    ("filter", f"'{json.dumps(FILTER)}'", {}, FILTER, 1),
    ("entities", "'{heron}'", {}, ["heron"], 1),
    ("entities", "'{}'", {}, [], 0),
]


@pytest.fixture
def two(connection: Connection) -> Connection:
    """Two documents that differ in collection, tags, language, date and what they mention."""
    make_tree(connection, "dl_a", language="en")
    make_tree(connection, "dl_b", language="de", collection="other")
    connection.execute(
        "UPDATE ragraph.publication SET tags = '{x}', publication_date = '2020-05-05' WHERE id = 'pub_a'"
    )
    named = {"document_id": "dl_a", "id": "en_1", "extractor": "x", "kind": "K", "name": "heron", "identity": "en_1"}
    insert(connection, "entity", **named, keys=["heron"], shared=True)
    said = {"node_id": "cn_1", "entity_id": "en_1", "char_start": 0, "char_end": 4, "surface": "Text"}
    insert(connection, "mention", document_id="dl_a", **said)
    return connection


def found(connection: Connection, search: LiteralString, more: LiteralString, *values: Any) -> list[tuple[Any, ...]]:
    """Return the rows of a search; those of a context come in no order."""
    rows = connection.execute(f"SELECT t.* FROM ragraph.{search}, k => 20{more}) AS t", values).fetchall()
    return sorted(rows, key=repr)


@pytest.mark.parametrize("search", SEARCHES)
def test_a_key_of_scope_says_what_the_argument_of_its_name_says(two: Connection, search: LiteralString) -> None:
    for name, literal, beside, value, documents in CONDITIONS:
        ids: LiteralString = ", document_ids => '{dl_a}'" if beside else ""
        by_argument = found(two, search, f", {name} => {literal}{ids}")
        by_scope = found(two, search, ", scope => %s", Jsonb({**beside, name: value}))
        assert by_scope == by_argument, name
        assert len({row[0] for row in by_scope}) == documents, (name, value)
        assert found(two, search, ids + ", scope => %s", Jsonb({name: value})) == by_argument, name
    assert len({name for name, *_ in CONDITIONS}) == 10
    assert found(two, search, "") == found(two, search, ", scope => null") == found(two, search, ", scope => '{}'")


def test_a_component_of_the_only_document(two: Connection) -> None:
    for search in SEARCHES[:3]:
        argument = found(two, search, ", document_ids => '{dl_a}', component_id => 'cmp_s1'")
        assert argument == found(two, search, ", scope => %s", Jsonb({**IN_A, "component_id": "cmp_s1"})) != []


@pytest.mark.parametrize("search", SEARCHES)
def test_arguments_and_scope_go_together(two: Connection, search: LiteralString) -> None:
    both = found(
        two, search, ", node_types => '{PARAGRAPH}', scope => %s", Jsonb({"languages": ["de"], "pages": "[2,2]"})
    )
    assert both == found(two, search, ", node_types => '{PARAGRAPH}', languages => '{de}', pages => '[2,2]'") != []
    assert {row[0] for row in both} == {"dl_b"}


@pytest.mark.parametrize("search", SEARCHES)
def test_null_is_no_condition(two: Connection, search: LiteralString) -> None:
    names = [*dict.fromkeys(name for name, *_ in CONDITIONS), "component_id"]
    assert found(two, search, ", scope => %s", Jsonb(dict.fromkeys(names))) == found(two, search, "")
    given = found(two, search, ", tags => '{x}', scope => %s", Jsonb({"tags": None, "filter": None}))
    assert given == found(two, search, ", tags => '{x}'") != []


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize(
    ("more", "code", "said", "hint"),
    [
        (""", scope => '{"tag": ["x"]}'""", "RG005", 'scope has no condition "tag"', HINT),
        (""", scope => '[]'""", "RG005", "scope is a JSON object, not []", "Give conditions by their names"),
        (
            """, tags => '{x}', scope => '{"tags": []}'""",
            "RG005",
            "tags is given both as an argument and in scope",
            ONCE,
        ),
        (
            """, filter => '{}', scope => '{"filter": {}}'""",
            "RG005",
            "filter is given both as an argument and in scope",
            ONCE,
        ),
        (""", scope => '{"component_ids": ["cmp_s0"]}'""", "RG005", "component_ids are given without their", "Give"),
        (""", scope => '{"document_ids": ["dl_x"]}'""", "RG001", "there is no document 'dl_x'", ""),
        (""", scope => '{"entities": ["stork"]}'""", "RG014", "no document mentions an entity 'stork'", ""),
        (""", scope => '{"document_ids": "dl_a"}'""", "RG005", "document_ids in scope is a list of texts", ""),
        (""", scope => '{"node_types": ["PARAGRAF"]}'""", "RG005", "node_types in scope", ""),
        # a null within a filter is its own, and as an argument a JSON null is no filter
        (""", scope => '{"filter": {"language": {"$gt": null}}}'""", "RG005", "$gt takes a string, not null", ""),
        (""", filter => '{"language": {"$gt": null}}', scope => '{}'""", "RG005", "$gt takes a string, not null", ""),
        (""", filter => '{"language": {"$in": ["en", null]}}'""", "RG005", "$in takes a string, not null", ""),
        (""", filter => 'null'""", "RG005", "a filter is a JSON object, not null", ""),
    ],
)
def test_what_is_wrong_is_refused(
    two: Connection, search: LiteralString, more: LiteralString, code: str, said: str, hint: str
) -> None:
    with pytest.raises(psycopg.Error) as raised, two.transaction():
        found(two, search, more)
    assert raised.value.sqlstate == code
    assert said in str(raised.value.diag.message_primary)
    assert (raised.value.diag.message_hint or "").startswith(hint)


def test_every_condition_is_known(two: Connection) -> None:
    rows = two.execute(
        "SELECT attname FROM pg_attribute WHERE attrelid = 'ragraph_private.conditions'::regclass ORDER BY attnum"
    ).fetchall()
    assert f"Use {', '.join(name for (name,) in rows)}." == HINT


def test_python_hands_all_conditions_on_as_one_value() -> None:
    scope = Scope.of(
        document="dl_a",
        section=["1", "2"],
        types="table",
        pages=(None, 4),
        collection="c",
        tags=[],
        languages=["en"],
        published=(date(1, 1, 1), None),
        filter={"a": {"$gt": 1}},
        entity="heron",
    )
    assert scope.asked(["cmp_1"]).obj == {
        "document_ids": ("dl_a",),
        "component_ids": ["cmp_1"],
        "node_types": (ContentNodeType.TABLE,),
        "pages": "[,4]",
        "collection": "c",
        "tags": (),
        "languages": ("en",),
        "published": "[0001-01-01,]",
        "filter": {"a": {"$gt": 1}},
        "entities": ("heron",),
    }
    assert Scope().asked(None).obj == {}
