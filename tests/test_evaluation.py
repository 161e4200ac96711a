"""ragraph eval: measures as others count them, on questions whose answers are known, baselines, questions made."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import ir_measures
import pytest
from command_line import CommandLine
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import RR, Qrel, R, ScoredDoc, nDCG
from judged_library import PARAGRAPHS, judged, write
from sample_library import BOOK, GUIDE

import ragraph
from ragraph.errors import ArgumentError, DocumentNotFoundError, TuningError
from ragraph.evaluation.measures import is_held, ndcg, recall, reciprocal_rank
from ragraph.tuning.questions import Question, read_questions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from ragraph import Store

ITEMS = st.integers(0, 30)

MIXED = "committee abbey wall tons deed acres"
"""Words of the three answers of each document: all are found, one of them first."""

QUESTIONS = [
    {**asked, "question": (asked["question"], " ".join(asked["passages"][0].split()[-6:]), MIXED, MIXED)[number % 4]}
    for number, asked in enumerate(judged()[1])
]


@pytest.fixture(scope="module")
def parishes(make_shared_database: Callable[[], str]) -> Iterator[Store]:
    """Documents whose questions one sentence of each answers; words alone, no vectors."""
    with ragraph.open(make_shared_database()) as store:
        with store.database.write() as connection:
            write(connection, judged()[0], pages=PARAGRAPHS)
        yield store


@given(
    rankings=st.lists(
        st.tuples(st.lists(ITEMS, unique=True, min_size=1), st.sets(ITEMS, min_size=1)), min_size=1, max_size=8
    ),
    k=st.integers(1, 20),
)
def test_measures_are_those_of_trec_eval(rankings: list[tuple[list[int], set[int]]], k: int) -> None:
    run = [
        ScoredDoc(str(query), str(item), float(-place))
        for query, (ranking, _) in enumerate(rankings)
        for place, item in enumerate(ranking[:k])
    ]
    qrels = [Qrel(str(query), str(item), 1) for query, (_, relevant) in enumerate(rankings) for item in relevant]
    theirs = ir_measures.calc_aggregate([R @ k, nDCG @ k, RR], qrels, run)
    ours = [
        (recall(ranking, relevant, k), ndcg(ranking, relevant, k), reciprocal_rank(ranking[:k], relevant))
        for ranking, relevant in rankings
    ]
    for measure, values in zip((R @ k, nDCG @ k, RR), zip(*ours, strict=True), strict=True):
        assert sum(values) / len(values) == pytest.approx(theirs[measure], abs=1e-9)


def test_the_figures_of_a_store_are_those_of_trec_eval(parishes: Store) -> None:
    (line,) = parishes.evaluate(QUESTIONS, modes="text", budgets=(256,)).lines
    run, qrels = [], []
    for number, asked in enumerate(QUESTIONS):
        hits = parishes.search(asked["question"], mode="text", match="any", document=asked["document"])
        run += [ScoredDoc(str(number), hit.node_id, -float(place)) for place, hit in enumerate(hits)]
        nodes = parishes.nodes(asked["document"])
        qrels += [Qrel(str(number), node.id, 1) for node in nodes if asked["passages"][0] in node.content]
    assert len(qrels) == len(QUESTIONS)
    theirs = ir_measures.calc_aggregate([R @ 10, nDCG @ 10, RR], qrels, run)
    wanted = (theirs[R @ 10], theirs[nDCG @ 10], theirs[RR])
    assert (line.recall, line.ndcg, line.mrr) == pytest.approx(wanted, abs=1e-9)
    assert 0.4 < line.mrr < line.recall < 1
    assert line.page_hit == line.recall  # a paragraph on each page
    assert line.box_hit == line.recall  # and a box around it
    assert 0 < line.evidence[256] < 1
    assert 0 < line.p50_ms <= line.p95_ms


def test_a_truth_that_is_shuffled_scores_less(parishes: Store) -> None:
    others = [*QUESTIONS[1:], QUESTIONS[0]]
    moved = [{**asked, "passages": other["passages"]} for asked, other in zip(QUESTIONS, others, strict=True)]
    true, false = (parishes.evaluate(given, modes="text", budgets=(256,)).lines[0] for given in (QUESTIONS, moved))
    for name in ("recall", "ndcg", "mrr"):
        assert getattr(false, name) < getattr(true, name) - 0.1
    assert false.evidence[256] < true.evidence[256] - 0.1


def test_modes_and_scopes_are_lines_of_their_own(library: Store) -> None:
    questions = library.make_questions(6)
    told: list[tuple[int, int]] = []
    report = library.evaluate(
        questions,
        modes=["text", "vector"],
        scopes=["document", "store"],
        budgets=(),
        progress=lambda *n: told.append(n),
    )
    assert [(line.mode, line.scope) for line in report.lines] == [
        *(("text", "document"), ("text", "store")),
        *(("vector", "document"), ("vector", "store")),
    ]
    assert told[-1] == (24, 24)
    within, everywhere = report.lines[2:]
    assert within.recall >= everywhere.recall
    assert report.questions == 6
    assert report.nowhere == ()


def test_questions_without_a_document_are_asked_of_the_collection(library: Store) -> None:
    (made,) = library.make_questions(1, document=BOOK)
    open_ended = {"question": made.question, "passages": made.passages}
    asked = library.evaluate([open_ended], scopes=["document", "collection", "store"], budgets=())
    assert asked.nowhere == ()
    assert len({line.recall for line in asked.lines}) == 1
    elsewhere = library.evaluate([{**open_ended, "collection": "none"}], budgets=())
    assert elsewhere.nowhere == (1,)
    assert elsewhere.lines[0].recall == 0


def test_of_questions_that_name_pages_alone_pages_are_ranked(parishes: Store) -> None:
    asked = judged()[1][0]
    (page,) = [
        node.positional_data[0]["page_pdf"]
        for node in parishes.nodes(asked["document"])
        if asked["passages"][0] in node.content
    ]
    by_page = {"question": asked["passages"][0], "document": asked["document"], "pages": [page]}
    (line,) = parishes.evaluate([by_page], modes="text", budgets=(512,)).lines
    assert (line.recall, line.mrr, line.page_hit, line.box_hit, line.evidence) == (1, 1, 1, None, {512: 1})
    missing = parishes.evaluate([{**by_page, "pages": [999]}], modes="text", budgets=(512,))
    assert missing.nowhere == (1,)
    assert (missing.lines[0].recall, missing.lines[0].page_hit, missing.lines[0].evidence) == (0, 0, {512: 0})


def test_a_box_counts_when_half_of_it_is_covered_on_its_page() -> None:
    wanted = {"page_pdf": 3, "bbox": {"x1": 0, "y1": 0, "x2": 100, "y2": 10}}

    def box(page: int, x1: float, x2: float) -> dict[str, Any]:
        return {"page_pdf": page, "bbox": {"x1": x1, "y1": 0, "x2": x2, "y2": 20}}

    assert is_held(wanted, [box(3, 50, 300)])
    assert not is_held(wanted, [box(3, 51, 300)])
    assert not is_held(wanted, [box(4, 0, 300)])
    assert not is_held(wanted, [{"page_pdf": 3, "bbox": None}, box(3, 200, 300)])


def test_a_judged_box_that_is_elsewhere_is_not_hit(parishes: Store) -> None:
    asked = judged()[1][0]
    there = {"x1": 5000, "y1": 5000, "x2": 5100, "y2": 5100}
    moved = {**asked, "boxes": [{"page_pdf": 1, "bbox": there}]}
    (line,) = parishes.evaluate([{**asked, "question": asked["passages"][0]}], modes="text", budgets=()).lines
    assert line.box_hit == 1
    (line,) = parishes.evaluate([{**moved, "question": asked["passages"][0]}], modes="text", budgets=()).lines
    assert line.box_hit == 0


def test_questions_are_made_of_headings_captions_and_notes(library: Store) -> None:
    made = library.make_questions(40)
    assert {item.document for item in made} == {GUIDE, BOOK}
    assert len({item.question for item in made}) == len(made) > 20
    assert library.make_questions(40) == made != library.make_questions(40, seed=2)
    contents = {node.content for document in (GUIDE, BOOK) for node in library.nodes(document)}
    notes = {node.content for node in library.nodes(BOOK) if node.content_node_type == "NOTE"}
    assert all(item.passages[0] in contents for item in made)
    assert any(item.passages[0] in notes for item in made)
    assert read_questions(made) == made
    assert {item.document for item in library.make_questions(5, document=GUIDE)} == {GUIDE}
    assert library.make_questions(5, collection="none") == []


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"modes": "nearest"}, ArgumentError, "'nearest' is not one of the modes"),
        ({"scopes": ["page"]}, ArgumentError, "use document, collection, store"),
        ({"modes": []}, ArgumentError, "no modes are given"),
        ({"k": 0}, ArgumentError, "k is 0; give at least 1"),
        ({"budgets": [0]}, ArgumentError, "give at least 1"),
        ({"questions": []}, TuningError, "there is no question"),
        ({"questions": [{"question": "a", "document": "dl_x", "pages": [1]}]}, DocumentNotFoundError, "dl_x"),
        ({"questions": [{"question": "a", "pages": [1], "boxes": [], "document": 3}]}, TuningError, "document is int"),
        (
            {"questions": [{"question": "a", "passages": ["b"], "document": "c", "boxes": [{"page_pdf": 1}]}]},
            TuningError,
            "question 1: not a box",
        ),
    ],
)
def test_what_cannot_be_evaluated_is_said(
    parishes: Store, options: dict[str, Any], error: type[Exception], said: str
) -> None:
    given: dict[str, Any] = {"questions": judged()[1][:1], "modes": "text", **options}
    with pytest.raises(error, match=said):
        parishes.evaluate(**given)


@pytest.fixture
def run(library_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(library_url, monkeypatch, capsys)


@pytest.mark.slow
def test_the_command_line_makes_questions_measures_and_compares(run: CommandLine, tmp_path: Path) -> None:
    path, base = tmp_path / "questions.jsonl", tmp_path / "baseline.json"
    assert run("eval", "--make", str(path), "--number", "3").out.startswith("3 questions in ")
    assert "already exists" in run("eval", "--make", str(path)).err
    ways = ("--mode", "text", "--mode", "hybrid", "--budget", "512", "--scope", "document")
    printed = run("eval", str(path), *ways)
    assert printed.code == 0, printed.err
    assert "recall@10" in printed.out
    assert "in 512" in printed.out
    assert "3 questions" in printed.out
    reported = run("eval", str(path), *ways, "--json")
    base.write_text(reported.out)
    again = run("eval", str(path), *ways, "--baseline", str(base))
    assert again.code == 0, again.err
    report = json.loads(reported.out)
    report["lines"][1]["recall"] += 0.02
    base.write_text(json.dumps(report))
    fallen = run("eval", str(path), *ways, "--baseline", str(base), "--max-drop", "0.01")
    assert fallen.code == 1
    assert "recall of mode hybrid in scope document fell from" in fallen.err
    assert "1 figure is below the baseline" in fallen.err
    assert run("eval", str(path), *ways, "--baseline", str(base), "--max-drop", "0.03").code == 0
    other = run("eval", str(path), "-k", "5", "--mode", "text", "--baseline", str(base))
    assert (other.code, "other questions or another k" in other.err) == (1, True)
    no_line = run("eval", str(path), "--mode", "vector", "--baseline", str(base))
    assert (no_line.code, "no figures of mode vector" in no_line.err) == (1, True)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"lines": [{"mode": "text"}], "digest": "", "k": 1}'])
def test_a_baseline_that_is_none_is_told_at_once(run: CommandLine, tmp_path: Path, text: str) -> None:
    (tmp_path / "base.json").write_text(text)
    done = run("eval", "questions.jsonl", "--baseline", str(tmp_path / "base.json"))
    assert (done.code, "is not a report of an evaluation" in done.err) == (1, True)


def test_wrong_usage_is_told(run: CommandLine, tmp_path: Path) -> None:
    assert run("eval", "questions.jsonl", "--document", "dl_x").code == 2
    missing = run("eval", str(tmp_path / "none.jsonl"))
    assert (missing.code, "cannot be read" in missing.err) == (1, True)
    (tmp_path / "q.jsonl").write_text(json.dumps({"question": "a", "passages": ["b"]}))
    assert run("eval", str(tmp_path / "q.jsonl"), "--scope", "page").code == 2


def test_questions_with_boxes_are_read_as_they_were_written() -> None:
    box = {"page_pdf": 2, "bbox": {"x1": 1.0, "y1": 2.0, "x2": 3.0, "y2": 4.0}}
    (read,) = read_questions([{"question": "a", "document": "d", "passages": ["b"], "boxes": [box]}])
    assert read == Question(question="a", document="d", passages=("b",), boxes=(box,))
    assert read_questions([read]) == [read]
    with pytest.raises(TuningError, match="boxes without the document"):
        read_questions([{"question": "a", "passages": ["b"], "boxes": [box]}])
