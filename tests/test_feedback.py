"""Reviews of passages and the log of queries: kept, exported, read as judgements, and never in the way of an answer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import psycopg
import pytest
from administrators import administrator
from command_line import CommandLine

import ragraph
from ragraph.database.roles import make_roles
from ragraph.database.tenants import grant_collection, switch_tenants
from ragraph.errors import ArgumentError, DocumentNotFoundError, NodeNotFoundError, RagraphNotice

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from conftest import MakeDatabase

    from ragraph import Store

TEXT = "# Bridges\n\nThe long bridge spans a river.\n\nA short bridge spans a brook.\n\nTolls are taken at noon.\n"
QUESTION = "which bridge spans a river"


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    with ragraph.open(database_url) as opened:
        yield opened


def _ingested(store: Store, text: str = TEXT, name: str = "bridges.md", collection: str = "default") -> str:
    report = store.ingest(text.encode(), name=name, model=None, collection=collection)
    assert report.ok
    (document,) = [found.id for found in store.documents(collection=collection) if name in (found.source_uri or "")]
    return document


def _node(store: Store, document: str, words: str) -> str:
    return next(node.id for node in store.nodes(document) if words in node.content)


def test_a_review_is_kept_when_the_document_is_ingested_again(store: Store) -> None:
    document = _ingested(store)
    long, short = (_node(store, document, words) for words in ("long bridge", "short bridge"))
    store.review(document, long, "right", "checked on the map", by="Ada", question=QUESTION)
    store.review(document, short, "wrong", by="Ada")
    assert _ingested(store, TEXT.replace("A short bridge", "A very short bridge") + "\nMore.\n") == document
    by_node = {review.node_id: review for review in store.reviews(document)}
    assert by_node[long].content == "The long bridge spans a river."
    assert (by_node[long].note, by_node[long].reviewer, by_node[long].question) == (
        "checked on the map",
        "Ada",
        QUESTION,
    )
    assert by_node[short].content is None  # the passage is another now
    _ingested(store)  # and is back
    assert all(review.content for review in store.reviews(document))
    assert store.check() == []


def test_a_reviewer_has_one_review_of_a_passage_and_question(store: Store) -> None:
    document = _ingested(store)
    node = _node(store, document, "long bridge")
    first = store.review(document, node, "right", by="Ada")
    assert store.review(document, node, "wrong", "no", by="Ada") == first
    assert store.review(document, node, "right", by="Grace") != first
    assert store.review(document, node, "right", by="Ada", question=QUESTION) != first
    assert len(store.reviews(document, node)) == 3
    assert [review.verdict for review in store.reviews(document, node, question="", verdict="wrong")] == ["wrong"]
    assert [review.question for review in store.reviews(question=QUESTION)] == [QUESTION]
    assert len(store.reviews(limit=2)) == 2
    assert len(store.reviews(collection="elsewhere")) == 0
    assert store.withdraw_review(document, first)
    assert not store.withdraw_review(document, first)
    store.delete(document)
    assert store.reviews() == []


def test_what_is_no_review_is_refused(store: Store) -> None:
    document = _ingested(store)
    node = _node(store, document, "long bridge")
    with pytest.raises(NodeNotFoundError):
        store.review(document, "cn_none", "right")
    with pytest.raises(DocumentNotFoundError):
        store.review("dl_none", node, "right")
    with pytest.raises(ArgumentError, match="verdict"):
        store.review(document, node, "good")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="note is empty"):
        store.review(document, node, "note", "  ")
    with pytest.raises(ArgumentError, match="too long"):
        store.review(document, node, "right", by="x" * 201)
    assert store.reviews() == []


def test_reviews_move_with_their_document_and_through_exports(store: Store, make_database: MakeDatabase) -> None:
    document = _ingested(store)
    store.review(document, _node(store, document, "long bridge"), "right", "yes", by="Ada", question=QUESTION)
    plain = _ingested(store, name="other.md", text="# Others\n\nNothing.\n")
    lines = {json.loads(line)["graph"]["document"]["id"]: line for line in store.export()}
    assert "reviews" not in json.loads(lines[plain])
    store.update(document, collection="archive")
    assert [review.document_id for review in store.reviews(collection="archive")] == [document]
    with ragraph.open(make_database()) as other:
        other.add_many([lines[document]])
        (there,), (here,) = other.reviews(), store.reviews()
        assert there == here
        other.add_many([lines[document]])
        assert len(other.reviews()) == 1


def test_reviews_are_judgements_for_evaluation(store: Store) -> None:
    document = _ingested(store)
    long, short, toll = (_node(store, document, words) for words in ("long", "short", "Tolls"))
    store.review(document, long, "right", by="Ada", question=QUESTION)
    store.review(document, short, "right", by="Ada", question=QUESTION)
    store.review(document, short, "wrong", by="Grace", question=QUESTION)  # they disagree: no answer
    store.review(document, toll, "wrong", by="Ada", question="who takes a toll")
    store.review(document, toll, "note", "where?", by="Ada", question=QUESTION)
    (question,) = store.judged_questions()
    assert question.to_json() == {
        "question": QUESTION,
        "document": document,
        "collection": "default",
        "passages": ["The long bridge spans a river."],
    }
    report = store.evaluate(store.judged_questions(), modes="text", budgets=())
    assert (report.questions, report.nowhere, report.lines[0].recall) == (1, (), 1.0)
    assert store.judged_questions(collection="elsewhere") == []


def test_nothing_is_logged_unless_requested(store: Store) -> None:
    _ingested(store)
    store.search("bridge", mode="text")
    assert store.queries() == []
    store.log_queries("elsewhere")
    store.search("bridge", mode="text")
    assert store.queries() == []
    store.log_queries("default", days=3)
    assert [(entry.collection, entry.days) for entry in store.query_logging()] == [("default", 3), ("elsewhere", 30)]
    store.search("bridge", mode="text")
    store.log_queries("default", days=0)
    store.search("river", mode="text")
    assert [query.question for query in store.queries()] == ["bridge"]
    assert store.forget_queries() == 1
    assert store.queries() == []


def test_a_query_is_logged_with_options_hits_and_time(store: Store) -> None:
    document = _ingested(store)
    store.log_queries()
    hits = store.search("bridge", 2, mode="text", document=document, filter={"language": {"$ne": "en"}})
    store.context("bridge", mode="text", k=3)
    store.search("bridge", mode="text", explain=True)
    store.search_sections("bridge", mode="text")
    sections, explained, context, search = store.queries()
    assert (search.kind, search.question, search.collection) == ("search", "bridge", "default")
    assert search.options == {
        **{"k": 2, "mode": "text", "match": "all", "document": document, "model": search.options["model"]},
        "filter": {"language": {"$ne": "en"}},
    }
    assert [(hit["document_id"], hit["node_id"]) for hit in search.hits] == [(h.document_id, h.node_id) for h in hits]
    assert search.seconds is not None
    assert search.seconds > 0
    assert context.kind == "context"
    assert context.options["k"] == 3
    assert {hit["node_id"] for hit in context.hits} == {hit["node_id"] for hit in explained.hits}
    assert sections.kind == "search"
    assert store.queries(judged=True) == []
    store.review(document, hits[0].node_id, "right", question="bridge")
    assert len(store.queries(judged=True)) == 4
    assert store.queries(judged=False) == []
    assert [query.reviews for query in store.queries(limit=1)] == [1]
    assert store.queries(since="2999-01-01") == []
    with pytest.raises(ArgumentError, match="since"):
        store.queries(since="yesterday")


def test_evaluations_are_not_logged(store: Store) -> None:
    document = _ingested(store)
    store.log_queries()
    store.evaluate([{"question": QUESTION, "document": document, "pages": [1]}], modes="text")
    assert store.queries() == []


def test_a_query_of_several_collections_is_no_ones(store: Store) -> None:
    _ingested(store)
    _ingested(store, name="more.md", text=TEXT + "\nOther.\n", collection="other")
    store.log_queries("default")
    store.search("bridge", mode="text")  # of both: only for a log of all queries
    assert store.queries() == []
    store.search("bridge", mode="text", collection="default")
    store.log_queries()
    store.search("bridge", mode="text")
    store.search("nowhere to be found", mode="text")
    assert [query.collection for query in store.queries()] == ["*", "*", "default"]


def test_logged_queries_expire(store: Store) -> None:
    _ingested(store)
    store.log_queries(days=2)
    store.search("bridge", mode="text")
    with store.database.write() as connection:
        connection.execute("UPDATE ragraph.query_log SET asked_at = now() - interval '49 hours'")
    store.search("river", mode="text")
    assert [query.question for query in store.queries()] == ["river"]
    assert store.forget_queries(before="2000-01-01") == 0


def test_a_role_that_only_reads_gets_its_answer(make_database: MakeDatabase) -> None:
    url = administrator(make_database())
    make_roles(url)
    with ragraph.open(url) as owner, ragraph.open(url, role="reader") as reader:
        _ingested(owner)
        owner.log_queries()
        with pytest.warns(RagraphNotice, match="answered but not logged"):
            assert len(reader.search("bridge", mode="text")) == 2
        assert len(reader.search("bridge", mode="text")) == 2  # and is not told again
        assert owner.queries() == []


def test_tenants_see_their_own_queries_and_reviews(make_database: MakeDatabase) -> None:
    url = administrator(make_database())
    make_roles(url)
    switch_tenants(url, on=True)
    with ragraph.open(url) as owner:
        documents = {name: _ingested(owner, f"# Of {name}\n\nA bridge.\n", f"{name}.md", name) for name in ("a", "b")}
        owner.log_queries("a")
        owner.log_queries("b")
        for name, document in documents.items():
            grant_collection(url, f"keeper_{name}", name, write=True, create=True)
            owner.search(f"bridge of {name}", mode="text", match="any", collection=name)
            owner.review(document, _node(owner, document, "bridge"), "right", question="bridge")
        assert len(owner.queries()) == 2
        with ragraph.open(url, role="keeper_a") as tenant:
            tenant.search("bridge", mode="text")
            assert {query.question for query in tenant.queries()} == {"bridge of a", "bridge"}
            assert [review.document_id for review in tenant.reviews()] == [documents["a"]]
            assert [entry.collection for entry in tenant.query_logging()] == ["a"]
            with pytest.raises(DocumentNotFoundError):
                tenant.reviews(documents["b"])
            assert [question.document for question in tenant.judged_questions()] == [documents["a"]]
            assert tenant.forget_queries() == 2
        assert [query.question for query in owner.queries()] == ["bridge of b"]


def test_an_earlier_version_logs_nothing(store: Store) -> None:
    store.keep_versions()
    document = _ingested(store)
    _ingested(store, TEXT + "\nMore.\n")
    store.log_queries()
    with store.as_of(document, 1) as past:
        assert past.search("bridge", mode="text")
    assert store.queries() == []


def test_a_backup_has_them(store: Store, make_database: MakeDatabase, tmp_path: Path) -> None:
    document = _ingested(store)
    store.log_queries()
    store.search("bridge", mode="text")
    store.review(document, _node(store, document, "long"), "wrong", "no", by="Ada")
    assert store.verify().ok
    report = store.backup(tmp_path / "store.ragraph")
    assert {name: report.rows[name] for name in ("node_review", "query_log", "query_logging")} == dict.fromkeys(
        ("node_review", "query_log", "query_logging"), 1
    )
    url = make_database(schema=False)
    ragraph.restore(tmp_path / "store.ragraph", url)
    with ragraph.open(url) as other:
        assert other.reviews() == store.reviews()
        assert other.queries() == store.queries()
        assert other.verify(tmp_path / "store.ragraph").ok


def test_sql_logs_and_reviews_too(store: Store, database_url: str) -> None:
    document = _ingested(store)
    node = _node(store, document, "long")
    with psycopg.connect(database_url, autocommit=True) as connection:
        hits = json.dumps([{"document_id": document, "node_id": node, "score": 1}])
        log = "SELECT ragraph.log_query('bridge', %s::jsonb, seconds => 0.1)"
        assert connection.execute(log, [hits]).fetchone() == (None,)
        connection.execute("SELECT ragraph.set_query_log(days => 7)")
        row = connection.execute(log, [hits]).fetchone()
        assert row is not None
        assert row[0].startswith("ql_")
        connection.execute("SELECT ragraph.review_node(%s, %s, 'right', question => 'bridge')", [document, node])
        found = connection.execute("SELECT question, collection, reviews FROM ragraph.list_queries()").fetchall()
        assert found == [("bridge", "default", 1)]
        for wrong in (
            "SELECT ragraph.log_query('x', '{}'::jsonb)",
            "SELECT ragraph.log_query('x', kind => 'other')",
            "SELECT ragraph.set_query_log('')",
            "SELECT ragraph.set_query_log(days => -1)",
        ):
            with pytest.raises(psycopg.errors.DatabaseError) as raised:
                connection.execute(wrong)
            assert raised.value.sqlstate == "RG005"


def test_the_command_line_reviews_and_logs(
    store: Store, database_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    command = CommandLine(database_url, monkeypatch, capsys)
    document = _ingested(store)
    node = _node(store, document, "long")
    assert "No queries are logged" in command("queries", "log").out
    assert "All queries are logged for 5 days" in command("queries", "log", "--days", "5").out
    assert command("search", "bridge", "--mode", "text").code == 0
    assert "bridge" in command("queries", "list", "--unjudged").out
    made = command("reviews", "add", document, node, "right", "--by", "Ada", "--question", "bridge", "--json")
    review = json.loads(made.out)["review_id"]
    listed = command("reviews", "list").out
    assert "right by Ada" in listed
    assert "The long bridge" in listed
    assert [item["reviews"] for item in json.loads(command("queries", "list", "--json").out)] == [1]
    assert command("queries", "export", "--judged", str(tmp_path / "judged.jsonl")).code == 0
    for questions in (("--reviewed",), (str(tmp_path / "judged.jsonl"),)):
        report = json.loads(command("eval", *questions, "--mode", "text", "--json").out)
        assert (report["questions"], report["nowhere"]) == (1, [])
    assert command("queries", "export", str(tmp_path / "log.jsonl")).code == 0
    (line,) = (tmp_path / "log.jsonl").read_text().splitlines()
    assert json.loads(line)["question"] == "bridge"
    assert command("queries", "export", str(tmp_path / "log.jsonl")).code == 2
    assert command("eval").code == 2
    assert command("tune", "--reviewed").code == 1  # one question is too few
    assert "Withdrawn" in command("reviews", "withdraw", document, review).out
    for arguments in (("eval", "--reviewed"), ("tune", "--reviewed"), ("queries", "export", "--judged", "none.jsonl")):
        ended = command(*arguments)
        assert (ended.code, "ragraph reviews add --question" in ended.err) == (1, True), ended.err
    assert "Forgot 1 query" in command("queries", "forget").out
    assert "No queries are logged" in command("queries", "log", "--off").out
    assert command("reviews", "add", document, "cn_none", "right").code == 1
