"""Works as people ask for them: lists, who cites whom, what is cited together, and what people know better."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from command_line import CommandLine
from test_works import KIM, KIM_SPLIT, SMITH, SMITH_AGAIN, broken, fill, groups

import ragraph
from ragraph.errors import ArgumentError, DocumentNotFoundError, WorkNotFoundError
from ragraph.faces.cli.output import console

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragraph import Store

    Connection = psycopg.Connection[tuple[Any, ...]]

LONE = "Moss P. A third thing altogether. London: Longman; 1998."


@pytest.fixture
def connection(database_url: str) -> Iterator[Connection]:
    with psycopg.connect(database_url, autocommit=True) as opened:
        yield opened


@pytest.fixture
def store(database_url: str, connection: Connection) -> Iterator[Store]:
    fill(connection, "dl_a", [SMITH, KIM, LONE])
    fill(connection, "dl_b", [KIM, SMITH_AGAIN], title="Of tea")
    cited = {
        "authors": "Anna B. Smith, Carl Jones",
        "publication_date": "2010-01-01",
        "uri": "https://doi.org/10.1000/T",
    }
    fill(connection, "dl_tea", [], title="Effects of tea on sleep in adults", **cited)
    with ragraph.open(database_url) as opened:
        opened.update_works()
        yield opened


def test_a_collection_that_is_not_there_is_told(store: Store) -> None:
    with pytest.warns(UserWarning, match="no document has the collection 'defautl'; did you mean 'default'"):
        assert store.works(collection="defautl") == []
    with pytest.warns(UserWarning, match="no document has the document_id 'dl_none'"):
        assert store.entities(document="dl_none") == []


def test_works_are_listed_the_most_cited_first(store: Store) -> None:
    tea, coffee, *others = store.works()
    if tea.pmid:
        tea, coffee = coffee, tea
    assert (tea.documents, tea.entries, tea.held, tea.doi) == (2, 2, ["dl_tea"], "10.1000/t")
    assert (tea.title, tea.authors) == ("Effects of tea on sleep in adults", ["Smith, Anna B.", "Jones, Carl"])
    assert (coffee.documents, coffee.pmid, coffee.held) == (2, "12345", [])
    assert {(work.title, work.documents, tuple(work.held)) for work in others} >= {
        ("A third thing altogether", 1, ()),
        ("Of tea", 0, ("dl_b",)),
    }
    for name in (tea.identity, "10.1000/T", "https://doi.org/10.1000/t", "effects of tea on sleep in ADULTS"):
        assert store.works(name) == [tea]
    assert store.works("12345") == [coffee]
    assert [work.documents for work in store.works(document="dl_a", limit=2)] == [1, 1]
    assert store.works(collection="elsewhere") == []
    with pytest.raises(WorkNotFoundError, match=r"store\.works\(\)"):
        store.works("10.1000/nothing")
    with pytest.raises(ArgumentError, match="limit takes a whole number of at least 0"):
        store.works(limit=-1)


def test_who_cites_whom(store: Store) -> None:
    entries = store.cited_by("dl_a")
    assert [(e.node_id, e.rule, e.held) for e in entries] == [
        ("cn_0", "title", ["dl_tea"]),
        ("cn_1", "pmid", []),
        ("cn_2", "own", []),
    ]
    assert [(e.document_id, e.document_title, e.node_id) for e in store.citing("dl_tea")] == [
        ("dl_a", "Publication pub_a", "cn_0"),
        ("dl_b", "Of tea", "cn_1"),
    ]
    assert store.citing("dl_a") == []
    for ask in (store.citing, store.cited_by, store.coupled, store.co_cited):
        with pytest.raises(DocumentNotFoundError):
            ask("dl_none")


def test_what_is_cited_together_and_who_cites_the_same(store: Store) -> None:
    first, second = store.co_cited("dl_tea")
    assert (first.title, first.documents, first.held) == ("Coffee and walking: a cohort study", 2, [])
    assert (second.title, second.documents) == ("A third thing altogether", 1)
    assert len(store.co_cited("dl_tea", 1)) == 1
    (coupled,) = store.coupled("dl_a")
    assert (coupled.document_id, coupled.title, coupled.shared) == ("dl_b", "Of tea", 2)
    assert coupled.likeness == pytest.approx(2 / 3)
    assert store.coupled("dl_tea") == []


def test_what_people_say_holds_for_what_comes_later_and_can_be_taken_back(store: Store, connection: Connection) -> None:
    before = groups(connection)
    coffee = store.works("12345")[0].identity
    own = store.split_work("12345", "dl_b")
    assert own != coffee
    assert {work.documents for work in store.works("12345")} == {1}
    merged = store.merge_works(["A third thing altogether", "10.1000/t"])
    assert store.works(merged)[0].entries == 3
    assert [entry.rule for entry in store.cited_by("dl_a")] == ["hand", "hand", "hand"]
    assert broken(store) == set()
    fill(connection, "dl_c", [SMITH, LONE, KIM_SPLIT])
    store.update_works("dl_c")
    assert store.works(merged)[0].entries == 5
    store.delete("dl_c")
    assert store.reset_work("12345") == 2
    assert store.reset_work(merged) == 4
    assert groups(connection) == before
    assert broken(store) == set()
    with pytest.raises(ArgumentError, match="only one work is given"):
        store.merge_works(["12345"])
    with pytest.raises(WorkNotFoundError, match="neither cites"):
        store.split_work("A third thing altogether", "dl_b")


def test_a_document_that_moves_leaves_the_works_of_its_collection(store: Store, connection: Connection) -> None:
    store.update("dl_tea", collection="elsewhere")
    assert store.citing("dl_tea") == []
    assert connection.execute("SELECT count(*) FROM ragraph.document_relation").fetchone() == (0,)
    assert broken(store) == set()
    store.update("dl_tea", collection="default")
    assert len(store.citing("dl_tea")) == 2
    assert broken(store) == set()


def test_a_document_is_cited_by_what_is_known_of_it_now(store: Store) -> None:
    store.update("dl_tea", title="Something else", uri=None)
    assert store.citing("dl_tea") == []
    assert broken(store) == set()
    store.update("dl_tea", title="Effects of tea on sleep in adults")
    assert [entry.document_id for entry in store.citing("dl_tea")] == ["dl_a", "dl_b"]
    assert broken(store) == set()


def test_the_graph_of_several_documents_holds_what_they_cite(store: Store) -> None:
    graph = store.graph(["dl_a", "dl_b", "dl_tea"])
    documents = {name for name, data in graph.nodes(data=True) if data["kind"] == "document"}
    assert documents == {"dl_a", "dl_b", "dl_tea"}
    works = [data["title"] for _, data in graph.nodes(data=True) if data["kind"] == "work"]
    assert works == ["Coffee and walking: a cohort study"]
    cites = [(target, data["type"]) for _, target, data in graph.edges(data=True) if data["type"] == "CITES"]
    assert [target for target, _ in cites].count("dl_tea") == 2
    with pytest.raises(ArgumentError, match="empty"):
        store.graph([])


def test_the_command_line(store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    line = CommandLine(store.database.url, monkeypatch, capsys)
    with monkeypatch.context() as terminal:
        terminal.setattr(console, "width", 160)
        listed = line("works", "--update", "-n", "2")
    assert "0 entries of 0 documents read" in listed.out
    assert "Smith and Jones" in listed.out
    identities = [item.identity for item in store.works()]
    with monkeypatch.context() as terminal:
        terminal.setattr(console, "width", 80)
        narrow = line("works").out
    assert all(identity in narrow for identity in identities), "an id is copied, so it stands whole"
    assert max(map(len, narrow.splitlines())) <= 80
    assert len(json.loads(line("works", "--document", "dl_a", "--json").out)) == 4
    shown = line("works", "show", "10.1000/t").out
    assert "held as dl_tea" in " ".join(shown.split())
    assert "held as dl_tea" in " ".join(line("cited-by", "dl_a").out.split())
    assert "Of tea" in line("citing", "dl_tea").out
    assert "No document of the store cites it." in line("citing", "dl_a").out
    assert [entry["node_id"] for entry in json.loads(line("citing", "dl_tea", "--json").out)] == ["cn_0", "cn_1"]
    own = line("works", "split", "12345", "--document", "dl_b").out.strip()
    assert own.startswith("work_")
    assert line("works", "merge", "12345", own).out.startswith("work_")
    assert "released" in line("works", "reset", "12345").out
    refused = line("works", "show", "nothing at all")
    assert refused.code == 1
    assert "`ragraph works` lists them" in refused.err
