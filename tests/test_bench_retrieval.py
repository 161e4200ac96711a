"""What the retrieval benchmark counts, on cases small enough to count by hand."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

import pytest

from bench.retrieval_data import _chosen, cuad, evidence_inference
from bench.retrieval_metrics import Evidence, cut, interval, letters, ranking

if TYPE_CHECKING:
    from pathlib import Path

SENTENCE = "Mortality was lower in the treated group than in the control group after thirty days."
OTHER = "No difference was seen in the length of the stay between both of the groups of patients."


def test_the_whole_passage_is_found_whatever_stands_between_its_letters() -> None:
    context = "Before.\n  MORTALITY was lower in the *treated* group,\nthan in the control-group after thirty days!"
    assert Evidence([SENTENCE]).found(context) == 1.0


def test_nothing_is_found_of_what_is_said_in_other_words() -> None:
    assert (
        Evidence([SENTENCE]).found("Fewer of the treated died; the control group fared worse after thirty days.") == 0
    )


def test_half_of_the_passage_counts_by_its_tokens() -> None:
    # 8 of its 15 words, one token each; the full stop is no token of evidence
    assert Evidence([SENTENCE]).found("Mortality was lower in the treated group than") == pytest.approx(8 / 15)


def test_a_run_too_short_does_not_count_unless_it_is_the_passage() -> None:
    assert Evidence([SENTENCE]).found("Mortality was lower in the") == 0
    assert Evidence(["lower in the"]).found("Mortality was lower in the end") == 1.0


def test_several_passages_are_one_pool_of_tokens() -> None:
    both = Evidence([SENTENCE, OTHER])
    share = both.found(SENTENCE)
    assert share == pytest.approx(15 / both.tokens)
    assert both.found(f"{OTHER} {SENTENCE}") == 1.0


def test_a_crumb_beside_real_passages_is_left_out_and_alone_it_stays() -> None:
    assert Evidence([SENTENCE, "and"]).found(SENTENCE) == 1.0
    assert Evidence(["and"]).tokens == 1


def test_a_letter_that_grows_when_lowered_does_not_shift_the_rest() -> None:
    passage = "İstanbul " + SENTENCE
    assert Evidence([passage]).found(passage) == 1.0
    assert letters("İ-1 Å") == "i1"


def test_an_item_is_relevant_when_it_holds_enough_of_one_passage() -> None:
    evidence = Evidence([SENTENCE])
    assert evidence.relevant("Mortality was lower in the treated group than")
    assert not evidence.relevant("Mortality was lower in the treated")


def test_contexts_are_cut_between_tokens() -> None:
    assert cut("one two three four", [1, 3, 9]) == ["one", "one two three", "one two three four"]


def test_recall_and_ndcg_by_hand() -> None:
    rankings = {"q1": ["a", "b", "c"], "q2": ["d", "e"]}
    found = ranking(rankings, {"q1": ["b"], "q2": ["d", "f"]})
    assert found["recall@5"] == pytest.approx((1 + 1 / 2) / 2)
    # q1: found at place 2, 1/log2(3); q2: found at place 1 of two relevant, 1/(1 + 1/log2(3))
    assert found["nDCG@10"] == pytest.approx((0.6309 + 0.6131) / 2, abs=1e-3)


def test_questions_without_relevant_items_do_not_count() -> None:
    assert ranking({"q1": ["a"], "q2": ["b"]}, {"q1": ["a"], "q2": []})["recall@10"] == 1.0


def test_the_interval_of_one_value_is_that_value_and_grows_with_spread() -> None:
    assert interval([0.25] * 20) == pytest.approx((0.25, 0.25))
    low, high = interval([0.0, 1.0] * 50)
    assert low < 0.5 < high
    assert high - low == pytest.approx(4 * 0.05, abs=0.03)  # four standard errors of 0.5 / sqrt(100)


def test_documents_are_drawn_whole() -> None:
    differences = [1.0] * 50 + [0.0] * 50
    alone = interval(differences)
    together = interval(differences, ["x"] * 50 + ["y"] * 50)
    assert together == pytest.approx((0.0, 1.0))
    assert alone[0] > 0.3


def test_documents_that_settings_were_chosen_on_are_left_out() -> None:
    keys = [f"document {number}" for number in range(100)]
    tuned, rest = (_chosen(keys, None, 30, tuned=tuned) for tuned in (True, False))
    assert (len(tuned), len(rest)) == (30, 70)
    assert sorted([*tuned, *rest]) == sorted(keys)
    assert set(_chosen(keys, 10, 30, tuned=False)) < set(rest)


def test_evidence_inference_keeps_what_the_verifiers_accepted(tmp_path: Path) -> None:
    text = "TITLE:\nT\n\nABSTRACT:\nShort answer.\n\nBODY.RESULTS:\nLong answer here."
    for folder, suffix in (("txt", "txt"), ("xml", "nxml")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"PMC1.{suffix}").write_text(text)
    body, abstract = text.index("Long"), text.index("Short")
    _write(
        tmp_path / "prompts.dev.csv",
        [{"PromptID": n, "PMCID": 1, "Outcome": "pain ", "Intervention": "A", "Comparator": "B"} for n in (1, 2, 3)],
    )
    _write(
        tmp_path / "v2_annotations.dev.csv",
        [
            _annotation(1, body, body + 4),
            _annotation(1, body + 2, body + 11),
            _annotation(2, abstract, abstract + 12),
            {**_annotation(3, body, body + 4), "Valid Reasoning": "False"},
        ],
    )
    corpus = evidence_inference(tmp_path)
    first, second = corpus.questions
    assert first.text == "What is the effect of A compared with B on pain?"
    assert (first.evidence, first.outside) == (("Long answer",), True)
    assert (second.evidence, second.outside) == (("Short answer",), False)


def test_cuad_splits_clauses_and_leaves_the_title_page_out(tmp_path: Path) -> None:
    (tmp_path / "txt").mkdir()
    (tmp_path / "txt" / "A - Deal.txt").write_text("text")
    (tmp_path / "CUAD_v1_README.txt").write_text(
        "\tCategory:\tParties\n\tDescription:\tWho\n\tCategory:\tPrice Restriction\n\tDescription:\tMay  prices rise?\n"
    )
    row = {"Filename": "A - Deal.pdf", "Parties": "['X']", "Parties-Answer": "X"}
    clauses = "['first<omitted>second', 'first']"
    _write(
        tmp_path / "master_clauses.dev.csv",
        [{**row, "Price Restrictions": clauses, "Price Restrictions-Answer": "Yes"}],
    )
    (question,) = cuad(tmp_path, "txt").questions
    assert question.text == "Price Restriction: May prices rise?"
    assert question.evidence == ("first", "second")


def _annotation(prompt: int, start: int, end: int) -> dict[str, Any]:
    return {
        "PromptID": prompt,
        "Valid Label": "True",
        "Valid Reasoning": "True",
        "Evidence Start": start,
        "Evidence End": end,
    }


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
