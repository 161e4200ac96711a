"""Tuning: a ranker of sentences is fitted on judged questions, measured, kept, applied and explained."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from factories import make_document, make_node
from judged_library import DOCUMENTS, PARAGRAPHS, judged, write
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

import ragraph
from ragraph import errors
from ragraph.base.arguments import QUERY_LIMIT
from ragraph.retrieval.context import _seed as seed_of
from ragraph.server.binaries import find_binaries
from ragraph.tuning.fit import fit
from ragraph.tuning.questions import LONGEST_LINE, Question, read_questions
from ragraph.tuning.ranker import Lexicon
from ragraph.tuning.tune import _sentences

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import psycopg

    from ragraph import Store
    from ragraph.schema.context import Context
    from ragraph.schema.results import Hit

    Connection = psycopg.Connection[tuple[Any, ...]]


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measure within one budget only."""
    monkeypatch.setattr("ragraph.tuning.tune.BUDGETS", (512,))


@pytest.fixture
def parishes(database_url: str) -> Iterator[Store]:
    with ragraph.open(database_url) as store:
        with store.database.write() as connection:
            write(connection, judged()[0])
        yield store


def _rankers(context: Context) -> set[float | None]:
    """Give the versions of the rankers that the parts of an explained context say they were scored by."""
    return {(part.why or {}).get("ranker") for block in context.blocks for part in block.parts}


def test_what_answers_have_in_common_is_learned_and_measured(tuned: Store, tuned_template: tuple[str, Any]) -> None:
    report = tuned_template[1]
    assert (report.collection, report.version, report.questions, report.documents) == (
        "default",
        1,
        3 * DOCUMENTS,
        DOCUMENTS,
    )
    assert report.decisive.low > 0
    assert report.decisive.budget is None  # the mean over all, and no single budget
    assert [gain.budget for gain in report.gains] == [512, 1024, 2048, None]
    assert all(gain.tuned >= gain.default for gain in report.gains)
    assert any("30 questions are few" in warning for warning in report.warnings)
    (ranker,) = tuned.rankers()
    assert ranker.active
    assert ranker.version == 1
    assert ranker.fitted_on["questions"] == 30
    assert {word for word, gain in ranker.words.items() if gain > 0} & {"conclud", "deed", "acr"}
    assert ranker.figures[-1]["low"] == pytest.approx(report.decisive.low)
    json.dumps(ranker.to_json())
    json.dumps(report.to_json())


def test_contexts_go_by_the_ranker_unless_told(tuned: Store) -> None:
    asked = next(item for item in judged()[1] if item["document"] == "dl_2")
    query, (answer,) = asked["question"], asked["passages"]
    for way in (True, False):
        context = tuned.context(query, 200, mode="text", document="dl_2", tuned=way)
        assert (answer in context.text) is way
        hits = tuned.search(query, 200, mode="text", match="any", document="dl_2")
        assert tuned.expand(hits, "focus", 200, query=query, tuned=way).text == context.text


def test_each_sentence_says_what_it_got_for_what(tuned: Store) -> None:
    names: set[str] = set()
    for way in (True, False):
        context = tuned.context("What became of the quarry?", 200, mode="text", tuned=way, explain=True)
        parts = [part for block in context.blocks for part in block.parts]
        assert parts
        for part in parts:
            assert part.why is not None
            names |= part.why.keys()
            added = {name: value for name, value in part.why.items() if name != "ranker"}
            assert sum(added.values()) == pytest.approx(part.score, abs=1e-9)
        assert _rankers(context) == ({1} if way else {None})
    assert names >= {'"conclud"', '"conclud" for "becam"', "nearness", "words", "mean"}
    assert context.to_json()["blocks"][0]["parts"][0]["why"]
    plain = tuned.context("What became of the quarry?", 200, mode="text")
    assert all(part.why is None for block in plain.blocks for part in block.parts)


def test_an_explanation_begins_at_the_mean_sentence(tuned: Store) -> None:
    """What is the same for all candidates explains none of them: over all of them each number adds up to nothing."""
    query = "What became of the quarry?"
    hits = tuned.search(query, 200, mode="text", match="any")
    given = {**_asked(query, hits), "tuned": True, "explain": True, "words_share": 0.7, "headings_share": 0.1}
    given |= {"mode": "text", "model_name": None}
    found = tuned._ask.rows("focus_hits", dict_row, given)
    assert len(found) > 100
    assert {round(row["why"]["mean"], 9) for row in found} == {
        round(sum(row["score"] for row in found) / len(found), 9)
    }
    for name in ("words", "length", "nearness", "place in document"):
        assert sum(row["why"].get(name, 0.0) for row in found) == pytest.approx(0, abs=1e-6)
        assert any(row["why"].get(name) for row in found)
    assert "has a number" in sorted(found[0]["why"], key=lambda name: -abs(found[0]["why"][name]))[:4]


def test_the_database_scores_as_python_does(parishes: Store) -> None:
    """Same sentences, same numbers to 1e-9; the question's own words are crossed with those of sentences."""
    questions = judged()[1]
    lexicon = Lexicon()
    found = []
    for item in questions:
        hits = parishes.search(item["question"], 50, mode="text", match="any", document=item["document"])
        rows = parishes._ask.rows("sentence_features", dict_row, _asked(item["question"], hits))
        answers = [float(row["content"] == item["passages"][0]) for row in rows]
        found.append((item["question"], hits, rows, _sentences(rows, answers, lexicon)))
    ranker = fit([sentences for *_, sentences in found], len(lexicon))
    assert ranker is not None
    assert any(np.count_nonzero(table) for table in ranker.crossed.values())
    from ragraph.schema.rankers import TuneReport

    names = parishes._ask.rows("sentence_feature_names", dict_row, {})[0]["sentence_feature_names"]
    report = TuneReport(
        collection="default",
        version=None,
        questions=1,
        documents=1,
        unanswered=1,
        nowhere=(),
        folds=1,
        gains=(),
        words=1,
        crossed=1,
    )
    parishes._tuning._keep(ranker, lexicon, names, report, {"mode": "text", "model": None})
    checked = 0
    for question, hits, _, sentences in found[::5]:
        given = {**_asked(question, hits), "tuned": True, "explain": False, "words_share": 0.7, "headings_share": 0.1}
        given |= {"mode": "text", "model_name": None}
        scores = {
            (row["document_id"], row["char_start"]): row["score"]
            for row in parishes._ask.rows("focus_hits", dict_row, given)
        }
        assert len(scores) == len(sentences)
        for (document, _, start, _), score in zip(sentences.places, ranker.scores(sentences), strict=True):
            assert scores[document, start] == pytest.approx(score, abs=1e-9)
            checked += 1
    assert checked > 200


def _asked(question: str, hits: list[Any]) -> dict[str, Any]:
    given = [{"document_id": hit.document_id, "node_id": hit.node_id, "score": hit.score} for hit in hits]
    return {"query": question, "hits": Jsonb(given)}


@pytest.mark.usefixtures("quick")
def test_without_anything_to_learn_nothing_is_kept(parishes: Store) -> None:
    with pytest.raises(errors.TuningError, match="not a certain gain") as raised:
        parishes.tune(judged(learnable=False)[1], mode="text")
    assert raised.value.report is not None
    assert not raised.value.report.decisive.low > 0
    assert raised.value.report.version is None
    assert parishes.rankers() == []


@pytest.mark.usefixtures("quick")
def test_passages_that_are_in_no_sentence_teach_nothing(parishes: Store) -> None:
    questions = [{**item, "passages": ["nobody ever wrote these words anywhere in it"]} for item in judged()[1]]
    for item in questions:
        del item["document"]  # where one is named, it is looked into before anything is searched
        item["collection"] = "default"
    with pytest.raises(errors.TuningError, match="contains any of the passages"):
        parishes.tune(questions, mode="text")


@pytest.mark.usefixtures("quick")
def test_a_new_ranker_takes_over_and_older_ones_can_come_back(tuned: Store) -> None:
    report = tuned.tune(judged()[1], mode="text")
    assert report.version == 2
    assert [(item.version, item.active) for item in tuned.rankers()] == [(2, True), (1, False)]
    assert tuned.forget_ranker("default", 2) == 1
    assert [(item.version, item.active) for item in tuned.rankers()] == [(1, True)]
    assert tuned.forget_ranker("default") == 1
    assert tuned.rankers() == []
    with pytest.raises(errors.TuningError, match="has no ranker"):
        tuned.forget_ranker("default")
    context = tuned.context("What became of the quarry?", 200, mode="text", explain=True)
    assert _rankers(context) == {None}


def test_hits_of_several_collections_go_by_none(tuned: Store) -> None:
    with tuned.database.write() as connection:
        make_document(connection, "dl_other", collection="other")
        text = "The quarry was concluded to be empty by 30 tons."
        make_node(
            connection, "dl_other", "cn_0", 0, content=text, char_end=len(text), ts_config="english", collection="other"
        )
    query = "What became of the quarry?"
    mixed = tuned.context(query, 3000, mode="text", explain=True)
    assert {block.document_id for block in mixed.blocks} > {"dl_other", "dl_2"}
    assert _rankers(mixed) == {None}
    one = tuned.context(query, 3000, mode="text", explain=True, collection="default")
    assert _rankers(one) == {1}


def test_hits_that_came_otherwise_go_by_none(tuned: Store) -> None:
    query = "What became of the quarry?"
    hits = tuned.search(query, 50, mode="text", match="any")
    mixed = [replace(hit, scores={"text": hit.score, "vector": 0.5}) for hit in hits]

    def go_by(hits: list[Hit], **how: str) -> set[float | None]:
        with tuned.database.read() as connection:
            rows = connection.execute(
                "SELECT DISTINCT (f.why ->> 'ranker')::integer FROM ragraph.focus_hits(%s, %s, explain => true,"
                " mode => %s, model_name => %s) AS f",
                [query, Jsonb([seed_of(hit) for hit in hits]), how.get("mode"), how.get("model")],
            )
            return {version for (version,) in rows}

    assert _rankers(tuned.expand(hits, "focus", 200, query=query, explain=True)) == {1}
    assert _rankers(tuned.expand(mixed, "focus", 200, query=query, explain=True)) == {None}
    assert go_by(hits, mode="text") == {1}
    assert go_by(hits, mode="vector") == {None}
    with tuned.database.write() as connection:
        connection.execute(
            """UPDATE ragraph.sentence_ranker SET fitted_on = fitted_on || '{"mode": "hybrid", "model": "small"}'"""
        )
    assert go_by(hits) == go_by(hits, mode="text") == {None}
    assert go_by(mixed) == go_by(mixed, mode="hybrid", model="small") == {1}
    assert go_by(mixed, mode="graph", model="small") == go_by(mixed, mode="hybrid", model="other") == {None}


def test_a_ranker_stays_when_its_documents_change_or_go(tuned: Store) -> None:
    with tuned.database.write() as connection:
        text = "The quarry was closed. The committee concluded that its output fell by 4321 tons after Bodun left it."
        make_document(connection, "dl_new")
        make_node(connection, "dl_new", "cn_0", 0, content=text, char_end=len(text), ts_config="english")
        connection.execute("DELETE FROM ragraph.document WHERE id <> 'dl_new'")
    context = tuned.context("What became of the quarry?", 200, mode="text", explain=True)
    assert {block.document_id for block in context.blocks} == {"dl_new"}
    assert _rankers(context) == {1}
    assert [ranker.version for ranker in tuned.rankers()] == [1]
    with tuned.database.write() as connection:
        connection.execute("DELETE FROM ragraph.document")
    assert not tuned.context("What became of the quarry?", 200, mode="text").blocks


def test_a_dump_carries_the_ranker_along(tuned: Store, make_database: Callable[..., str]) -> None:
    query = "What became of the quarry?"
    with tuned.database.read() as connection:
        binaries = find_binaries(connection.info.server_version // 10000)
    # comments of the extension are its owner's to restore
    dump = [binaries.program("pg_dump"), "--no-owner", "--no-comments", "--dbname", tuned.database.url]
    script = subprocess.run(dump, capture_output=True, check=True).stdout
    url = make_database(schema=False)
    psql = [binaries.program("psql"), "--quiet", "--set", "ON_ERROR_STOP=1", "--dbname", url]
    done = subprocess.run(psql, input=script, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    with ragraph.open(url) as copy:
        assert copy.rankers() == tuned.rankers()
        text = copy.context(query, 200, mode="text").text
        assert text == tuned.context(query, 200, mode="text").text
        assert text != copy.context(query, 200, mode="text", tuned=False).text


@pytest.mark.usefixtures("quick")
def test_questions_whose_passages_stand_nowhere_are_named(parishes: Store, tmp_path: Path) -> None:
    asked = [dict(item) for item in judged()[1]]
    asked[4]["passages"] = ["The moon is made of a cheese that was never described in these parishes."]
    del asked[8]["document"], asked[9]["document"]
    asked[9]["passages"] = asked[4]["passages"]
    asked[11] = {"question": "What is here?", "document": "dl_3", "pages": [700]}
    path = tmp_path / "questions.jsonl"
    path.write_text("\n".join(["", *map(json.dumps, asked)]), encoding="utf-8")
    told: list[str] = []
    with pytest.raises(errors.TuningError, match="do not contain any of the evidence") as raised:
        parishes.tune(
            [{**item, "passages": asked[4]["passages"]} for item in judged()[1]],
            "default",
            mode="text",
            progress=lambda step, *_: told.append(step),
        )
    assert told == [], "before anything is searched or measured"
    assert raised.value.report is not None
    assert raised.value.report.nowhere == tuple(range(1, 31))
    assert "1, 2, 3" in raised.value.report.warnings[-1]
    assert "20 ...;" in raised.value.report.warnings[-1]
    report = parishes.tune(path, "default", mode="text")
    assert report.nowhere == (6, 11, 13)
    assert report.unanswered == 3
    assert "the evidence of 3 questions is not in the documents: lines 6, 11, 13; copy" in report.warnings[-1]


@pytest.mark.usefixtures("quick")
def test_questions_about_pages_are_learned_from_too(database_url: str) -> None:
    documents, questions = judged()
    asked = []
    for item in questions:
        number = int(item["document"].removeprefix("dl_"))
        (page,) = [place + 1 for place, text in enumerate(documents[number]) if item["passages"][0] in text]
        asked.append({"question": item["question"], "document": item["document"], "pages": [page]})
    with ragraph.open(database_url) as store:
        with store.database.write() as connection:
            write(connection, documents, pages=PARAGRAPHS)
        report = store.tune(asked, mode="text")
    assert report.unanswered == 0
    assert report.decisive.low > 0


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "line 2: not JSON"),
        ("[" * 100_000, r"line 2: not JSON \(nested too deeply\)"),
        ("[]", "line 2: not an object"),
        ('{"passages": ["x"]}', "line 2: the question is missing"),
        ('{"question": "x"}', "line 2: neither passages nor pages"),
        ('{"question": "x", "passages": [" ."]}', "neither passages nor pages"),
        ('{"question": "x", "passages": "y"}', "passages is not a list"),
        ('{"question": "x", "passages": [1]}', "passages is not a list"),
        ('{"question": "x", "pages": [true], "document": "d"}', "pages is not a list"),
        ('{"question": "x", "pages": [0], "document": "d"}', "physical pages count from 1"),
        ('{"question": "x", "pages": [3]}', "without the document"),
        ('{"question": 3, "passages": ["y"]}', "question is int"),
        ('{"question": "a\\u0000b", "passages": ["y"]}', "an invalid character"),
        ('{"question": "x", "passages": ["\\ud800"]}', "an invalid character"),
        ('{"question": "' + "x" * LONGEST_LINE + '"}', "longer than"),
        ('{"question": "' + "x " * QUERY_LIMIT + '", "passages": ["y"]}', "line 2: the question has 20,000 characters"),
    ],
)
def test_a_wrong_line_is_told_by_its_number(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text('{"question": "x", "passages": ["y"]}\n' + line + "\n", encoding="utf-8")
    with pytest.raises(errors.TuningError, match=said):
        read_questions(path)


def test_lines_are_read_as_written(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    question = Question(question="What?", document="dl_a", passages=("This.", "That."), pages=(3,))
    path.write_text("\ufeff" + json.dumps(question.to_json()) + "\n\n", encoding="utf-8")
    assert read_questions(path) == [question]
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(errors.TuningError, match="not UTF-8"):
        read_questions(path)
    for wrong in (tmp_path, tmp_path / "none", "a\0b"):
        with pytest.raises(errors.TuningError):
            read_questions(wrong)
    with pytest.raises(errors.ArgumentError, match="questions takes"):
        read_questions(3)  # type: ignore[arg-type]


def test_questions_made_in_python_are_looked_at_as_well() -> None:
    good = Question(question="What?", passages=("This.",))
    for wrong, said in (
        (Question(question="What?", document="dl_0"), "question 2: neither passages nor pages"),
        (Question(question="What?", document="dl_0", pages=(0,)), "question 2: page 0"),
        (Question(question=" ", passages=("This.",)), "question 2: the question is missing"),
        (Question(question="What?", pages=(3,)), "question 2: pages without the document"),
    ):
        with pytest.raises(errors.TuningError, match=said):
            read_questions([good, wrong])
    assert read_questions([good]) == [good]


def test_what_cannot_be_learned_from_is_refused(parishes: Store) -> None:
    questions = judged()[1]
    with pytest.raises(errors.TuningError, match="29 questions are too few"):
        parishes.tune(questions[:29])
    with pytest.raises(errors.DocumentNotFoundError, match="dl_none"):
        parishes.tune([{**item, "document": "dl_none"} for item in questions])
    with pytest.raises(errors.TuningError, match="2 collections"):
        parishes.tune(questions, "other")
    with pytest.raises(errors.TuningError, match="collection="):
        parishes.tune([{"question": "x", "passages": ["y"]}] * 40)
    with pytest.raises(errors.ModelNotFoundError):
        parishes.tune(questions)
    with pytest.raises(errors.TuningError, match="1 document is too few"):
        parishes.tune(questions[:3] * 10)
    with pytest.raises(errors.TuningError, match="0 questions are too few"):
        parishes.tune([])
    with pytest.raises(errors.TuningError, match="'nowhere' has no document"):
        parishes.tune([{"question": "x", "passages": ["y"]}] * 40, "nowhere")
