"""What a search leaves out or refuses: words after a minus, null, values of wrong types, options of no use."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from command_line import CommandLine
from fastapi.testclient import TestClient
from psycopg import sql
from psycopg.conninfo import make_conninfo
from psycopg.types.json import Jsonb

import ragraph
from bench.throwaway import drop_database
from ragraph.errors import ArgumentError
from ragraph.faces.web.app import create_app
from ragraph.filters import Filter, field
from ragraph.ingest.draft import DraftDocument, DraftMetadata, DraftNode
from ragraph.retrieval.search import sought
from ragraph.schema.enums import ContentNodeType
from ragraph.search import Weights

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragraph import Store

TEXTS = (
    "The office is warm in summer.",
    "A warm room needs no heating.",
    "Warm offices are rare, said the report.",
    "The open plan is warm and loud.",
    "Warm water flows into the open sea.",
    "It fell by -7 degrees in a warm year.",
    "温暖的图书馆在城市里。",
)
MODES: tuple[Any, ...] = ("text", "vector", "hybrid", "graph")


@pytest.fixture(scope="module")
def filled(server_url: str) -> Iterator[Store]:
    name = f"ragraph_test_excluding_{os.getpid()}"
    with psycopg.connect(server_url, autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            with ragraph.open(make_conninfo(server_url, dbname=name)) as store:
                yield _fill(store)
        finally:
            drop_database(admin, name)


def _fill(store: Store) -> Store:
    nodes = [DraftNode(key=f"p{n}", type=ContentNodeType.PARAGRAPH, text=text) for n, text in enumerate(TEXTS)]
    metadata = DraftMetadata(title="Warmth", language="en", extra={"grade": 3, "note": None, "deep": {"er": 1}})
    assert store.add(DraftDocument(id="dl_warm", metadata=metadata, nodes=nodes)).status == "added"
    nodes = [DraftNode(key="p", type=ContentNodeType.PARAGRAPH, text="Le bureau est chaud, office chaleureux.")]
    metadata = DraftMetadata(title="Chaleur", language="fr", publication_date="2020-05-05", source="Le Monde")
    assert store.add(DraftDocument(id="dl_chaud", metadata=metadata, nodes=nodes)).status == "added"
    store.update("dl_chaud", tags=["a"])
    return store


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("query", "excluded"),
    [
        ("warm -office", ("office",)),
        ("-office warm", ("office",)),
        ('warm -"open plan"', ("open plan",)),
        ("warm -office -sea", ("office", "sea")),
        ("--office warm", ("office",)),
        ("warm -图书馆", ("图书馆",)),
        ("-office", ("office",)),
    ],
)
def test_no_hit_has_a_word_after_a_minus(mode: Any, query: str, excluded: tuple[str, ...], filled: Store) -> None:
    hits = filled.search(query, k=20, mode=mode)
    assert not [hit.content for hit in hits for words in excluded if words in hit.content.lower()]
    if mode == "vector":  # as many as there are without it
        kept = [text for text in (*TEXTS, "office") if not any(words in text.lower() for words in excluded)]
        assert len(hits) == len(kept)
    if mode == "hybrid" and not query.startswith("-office") and "warm" in query:
        assert len(hits) >= 3


def test_a_minus_of_a_number_or_between_spaces_excludes_nothing(filled: Store) -> None:
    for mode in MODES:
        assert any("-7" in hit.content for hit in filled.search("warm -7", k=20, mode=mode)), mode
        assert any("open sea" in hit.content for hit in filled.search("warm - sea", k=20, mode=mode)), mode
    assert any("heating" in hit.content for hit in filled.search("warm - heating", mode="text"))


def test_the_vector_is_that_of_what_is_sought() -> None:
    assert sought("warm -office rooms") == "warm  rooms"
    assert sought('warm -"open plan"') == "warm"
    assert sought("-office") == "-office"
    for unchanged in ("well-known", "a - b", "fell -7 %", "-$5", '"a -b"', "--", "x -- y"):
        assert sought(unchanged).replace("-", "") == unchanged.replace("-", ""), unchanged


def test_contexts_and_sections_exclude_too(filled: Store) -> None:
    assert "office" not in filled.context("warm -office", 400).text.lower()
    assert "office" not in filled.context("warm -office", 400, mode="text").text.lower()
    sections = filled.search_sections("warm -office")
    assert sections and not [hit for section in sections for hit in section.hits if "office" in hit.content.lower()]


def test_all_interfaces_exclude(
    filled: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = CommandLine(filled.database.url, monkeypatch, capsys)
    with (
        TestClient(create_app(filled), base_url="http://localhost") as client,
        psycopg.connect(filled.database.url) as connection,
    ):
        for mode in MODES:
            ended = run("search", "warm -office", "--mode", mode)
            assert ended.code == 0 and "room" in ended.out and "office" not in ended.out.lower(), mode
            hits = client.get("/api/search", params={"q": "warm -office", "mode": mode}).json()
            assert hits and not [hit for hit in hits if "office" in hit["content"].lower()]
        vector = str(filled.embed_query("warm"))
        rows = connection.execute(
            "SELECT n.content FROM ragraph.search_vector(%s::vector, %s, scope => %s) AS s"
            " JOIN ragraph.content_node AS n ON n.document_id = s.document_id AND n.id = s.node_id",
            (vector, filled.models()[0].name, Jsonb({"without": ["office", "open plan"]})),
        ).fetchall()
        assert len(rows) == len(TEXTS) - 3


@pytest.mark.parametrize("sign", ["-", "- ", "- -", "-(", '-"', "(-", "-\\", "--(", '"-" ', "-!"])
@pytest.mark.parametrize("times", [40, 1000])
def test_signs_alone_are_no_fault_of_the_server(sign: str, times: int, filled: Store) -> None:
    for mode in ("text", "hybrid"):
        try:
            filled.search(sign * times, mode=mode)
        except ArgumentError as error:
            assert "XX000" not in str(error)


@pytest.mark.parametrize(
    ("filter", "found"),
    [
        (field("publication_date") == None, ["dl_warm"]),  # noqa: E711
        ({"publication_date": None}, ["dl_warm"]),
        ({"publication_date": {"$ne": None}}, ["dl_chaud"]),
        ({"year": {"$exists": True}}, ["dl_chaud"]),
        (field("source").exists(), ["dl_chaud"]),
        (field("source").exists(False), ["dl_warm"]),
        (field("tags").exists(), ["dl_chaud"]),
        (~field("tags").exists(), ["dl_warm"]),
        ({"grade": {"$exists": True}}, ["dl_warm"]),
        ({"grade": None}, ["dl_chaud"]),
        ({"grade": {"$ne": None}}, ["dl_warm"]),
        ({"note": {"$exists": True}}, ["dl_warm"]),
        ({"note": None}, ["dl_chaud", "dl_warm"]),
        ({"note": {"$ne": None}}, []),
        ({"deep.er": {"$exists": True}}, ["dl_warm"]),
        ({"metadata.nowhere": {"$exists": False}}, ["dl_chaud", "dl_warm"]),
        ({"$and": [{"grade": {"$exists": True}}, {"year": None}]}, ["dl_warm"]),
    ],
)
def test_filters_ask_for_null_and_for_what_exists(
    filter: Filter | dict[str, Any], found: list[str], filled: Store
) -> None:
    assert sorted(document.id for document in filled.documents(filter=filter)) == found
    hits = filled.search("warm chaud", mode="vector", k=20, filter=filter)
    assert sorted({hit.document_id for hit in hits}) == found


@pytest.mark.parametrize("filter", [{"grade": {"$exists": 1}}, {"grade": {"$gt": None}}, {"grade": {"$in": [None]}}])
def test_other_operators_take_no_null(filter: dict[str, Any], filled: Store) -> None:
    with pytest.raises(ArgumentError):
        filled.documents(filter=filter)
    with pytest.raises(ArgumentError, match="takes"), filled.database.read() as connection:
        connection.execute("SELECT * FROM ragraph.filter_documents(%s)", (Jsonb(filter),))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"mode": "text", "weights": Weights(text=2)}, "weights are for modes 'hybrid' and 'graph', not 'text'"),
        ({"mode": "vector", "weights": Weights(text=2)}, "weights are for modes"),
        ({"mode": "vector", "match": "any"}, "match is for mode 'text', not 'vector'"),
        ({"match": "any"}, "match is for mode 'text', not 'hybrid'"),
    ],
)
def test_an_option_of_no_use_is_refused(options: dict[str, Any], said: str, filled: Store) -> None:
    with pytest.raises(ArgumentError, match=said):
        filled.search("warm", **options)
    with TestClient(create_app(filled), base_url="http://localhost") as client:
        asked = {name: "text:2" if name == "weights" else value for name, value in options.items()}
        answer = client.get("/api/search", params={"q": "warm", **asked})
        assert answer.status_code == 422 and said in answer.json()["message"]


def test_a_parameter_given_twice_is_refused(filled: Store) -> None:
    with TestClient(create_app(filled), base_url="http://localhost") as client:
        for address in ("/api/search?q=warm&k=1&k=2", "/api/search?q=warm&q=cold", "/api/documents?limit=1&limit=1"):
            answer = client.get(address)
            assert answer.status_code == 422, address
            assert "is given twice" in answer.json()["message"]
        assert client.get("/api/search?q=warm&document=dl_warm&document=dl_chaud").status_code == 200


@pytest.mark.parametrize(
    ("scope", "said"),
    [
        ({"document_ids": "dl_warm"}, "document_ids in scope is a list of texts"),
        ({"document_ids": [1]}, "document_ids in scope is a list of texts"),
        ({"tags": {"a": 1}}, "tags in scope is a list of texts"),
        ({"collection": 5}, "collection in scope is a text"),
        ({"max_fault": "0.5"}, "max_fault in scope is a number from 0 to 1"),
        ({"max_fault": 2}, "max_fault in scope is a number from 0 to 1"),
        ({"collection": ["a"]}, "collection in scope is a text"),
        ({"pages": [3, 8]}, "pages in scope is a text"),
        ({"pages": "3-8"}, "pages in scope cannot be"),
        ({"pages": "[8,3]"}, "pages in scope cannot be"),
        ({"published": "yesterday"}, "published in scope cannot be"),
        ({"node_types": ["NOVEL"]}, "node_types in scope cannot be"),
        ({"without": "office"}, "without in scope is a list of texts"),
    ],
)
def test_a_condition_of_another_type_is_refused(scope: dict[str, Any], said: str, filled: Store) -> None:
    with pytest.raises(ArgumentError, match=said) as caught, filled.database.read() as connection:
        connection.execute("SELECT * FROM ragraph.search_text('warm', scope => %s)", (Jsonb(scope),))
    assert isinstance(caught.value.__cause__, psycopg.Error)
    assert caught.value.__cause__.sqlstate == "RG005"
    assert ragraph.errors.STORE_ERRORS["RG005"] is ArgumentError
