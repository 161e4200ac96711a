"""What the retrieval benchmark counts, on cases small enough to count by hand."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pytest

from bench.retrieval.cache import CachedModel, cache_folder
from bench.retrieval.data import Corpus, Question, _chosen, cuad, evidence_inference
from bench.retrieval.lines import contexts
from bench.retrieval.measure import Measured
from bench.retrieval.metrics import cut, ranking
from bench.retrieval.names import names
from bench.retrieval.opponents import FIXED, RECIPES, SENTENCES, PieceLine, Recipe, opponent, scaled
from bench.retrieval.peers import Chunk, sentences
from bench.retrieval.rankers import Ranker, fused
from bench.retrieval.report import report
from bench.retrieval.settings import DEFAULT
from bench.retrieval.words import Words
from ragraph.tuning.evidence import Evidence, interval, letters

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


def test_raised_digits_are_digits() -> None:
    """JATS files raise digits that the text beside them does not, and a context that has the passage had none of it."""
    assert letters("10⁶ cells, Ca²⁺, H₂O, ﬁve") == "106cellsca2h2ofive"
    assert Evidence(["a dose of 106 cells in each"]).found("A dose of 10⁶ cells in each arm.") == 1.0


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
    tuned, rest = (_chosen(keys, None, 30, development=tuned) for tuned in (True, False))
    assert (len(tuned), len(rest)) == (30, 70)
    assert sorted([*tuned, *rest]) == sorted(keys)
    assert set(_chosen(keys, 10, 30, development=False)) < set(rest)


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
    assert corpus.titles == {"PMC1": "T"}
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
    corpus = cuad(tmp_path, "txt")
    assert corpus.titles == {"adeal": "A - Deal"}
    (question,) = corpus.questions
    assert question.text == "Price Restriction: May prices rise?"
    assert question.evidence == ("first", "second")


def test_bm25_by_hand() -> None:
    words = Words(["the cat sat", "cats and cats", "dogs"])
    # stems: two of three texts hold "cat"; the second holds it twice
    scores = words.scores("cat")
    assert scores[1] > scores[0] > 0 == scores[2]
    assert Words(["the cat sat", "cats", "dogs"], stems=False).scores("cat").astype(bool).tolist() == [
        True,
        False,
        False,
    ]
    for nothing in (Words(["", "the"]).scores("cat"), words.scores("the")):
        assert not nothing.any()


def test_ranks_are_fused_and_what_has_no_word_of_the_question_gets_nothing_from_words() -> None:
    nearness, words = np.array([0.9, 0.8, 0.7]), np.array([0.0, 2.0, 0.0])
    assert fused(nearness, words).tolist() == pytest.approx([1 / 61, 1 / 62 + 1 / 61, 1 / 63])


def test_words_rank_within_a_document_and_over_all() -> None:
    ranker = Ranker({"a": ["red fox", "grey wolf"], "b": ["red red fox", "hen"]}, None, "words")
    assert [found[1:] for found in ranker.ranked("red foxes", "a", 1)] == [("a", 0)]
    assert [found[1:] for found in ranker.ranked("red foxes", None, 2)] == [("b", 0), ("a", 0)]


def test_short_sentences_go_with_the_next() -> None:
    long = "This sentence is long enough to stand alone, since it has more than sixty characters."
    assert sentences(f"3.6 Fees. {long} {long} End.") == [f"3.6 Fees. {long}", long, "End."]


def test_a_title_is_given_back_once_above_pieces_of_one_document() -> None:
    chunks = [Chunk("x", text).titled(title) for text, title in (("a", "T"), ("b", "T"), ("c", "U"), ("d", "T"))]
    assert chunks[0].embedded == "T\nx"
    assert contexts(chunks)[0].split() == ["T", "a", "b", "U", "c", "T", "d"]


def test_sentences_of_pieces_are_ranked_anew_and_shared_ones_come_once() -> None:
    first, shared, third = (
        f"{word} " + "filler words that make a sentence long enough for one piece." for word in "XYZ"
    )
    pieces = {"d": [Chunk(text, text) for text in (f"{first} {shared}", f"{shared} {third}")]}
    line = PieceLine("line", pieces, None, Recipe(by="words", give="sentences"))
    answer = line.answer(Question("1", "filler sentences", "d", (first,)), whole=False)
    assert sorted(answer.contexts[2].split("\n\n")) == [first, shared, third]
    assert [text for _, text in answer.ranking] == [chunk.shown for chunk in pieces["d"]]


def test_names_in_a_question_tell_documents_apart() -> None:
    words = ["rose", "law", "govern"]
    found = [
        ("a", ["rose", "party"]),
        ("b", ["law"]),
        ("b", ["law", "govern"]),
        *((f"d{n}", ["law"]) for n in range(9)),
    ]
    held = names(words, found)
    assert held.keys() == {"a", "b"}, "law is a word of too many documents"
    assert (held["a"].words, held["b"].words) == (["rose"], ["govern"])
    assert held["a"].share == held["b"].share == 0.5
    assert names(words, found[:5]) == {}, "no tenth of so few documents"


@pytest.mark.parametrize("give", ["whole", "sentences"])
def test_lines_of_others_may_tell_names_from_other_words(give: Literal["whole", "sentences"]) -> None:
    names_of = ["Rose", "Brown", "Green", "Black", "White", "Gray", "Reed", "Fern", "Moss", "Hill", "Lake"]
    parties = "This agreement is made by {0}, and {0} signs the agreement as the party {0} of the first part."
    clause = "The law of the state where goods are stored governs every sale, for all that {0} may say elsewhere."
    pieces = {name: [Chunk(text, text) for text in (parties.format(name), clause.format(name[0]))] for name in names_of}
    question = Question("1", "Which law governs the agreement of Brown?", "Brown", (clause,))

    def first(recipe: Recipe) -> list[str]:
        answer = PieceLine("line", pieces, None, recipe).answer(question, whole=True)
        return [item for item, _ in answer.ranking[:2]] if give == "whole" else answer.contexts[0].split("\n\n")[:2]

    plain, named = (first(Recipe(by="words", give=give, names=on)) for on in (False, True))
    of_brown = ["Brown:1", "Brown:0"] if give == "whole" else [chunk.shown for chunk in pieces["Brown"]]
    assert set(named) == set(of_brown)
    assert set(plain) != set(of_brown)


def test_windows_hold_neighbours_and_nothing_twice() -> None:
    pieces = {"d": [Chunk(text, text) for text in ("one", "two fox", "three", "four fox", "five", "six")]}
    line = PieceLine("line", pieces, None, Recipe(by="words", give="windows"))
    answer = line.answer(Question("1", "fox", "d", ("x",)), whole=False)
    assert answer.contexts[0].split("\n\n")[:2] == ["one two fox three", "four fox five"]
    assert answer.contexts[0].split().count("three") == 1


def test_scores_are_scaled() -> None:
    assert scaled(np.array([3.0, 1.0, 2.0])).tolist() == [1, 0, 0.5]
    assert scaled(np.array([2.0, 2.0])).tolist() == [1, 1]


def test_opponents_answer_and_stand_in_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGRAPH_BENCH_CACHE", str(tmp_path / "cache"))
    file = tmp_path / "deal.txt"
    file.write_text(f"{SENTENCE}\n\n{OTHER}\n")
    questions = (Question("1", "mortality in the treated group", "d", (SENTENCE,)),)
    corpus = Corpus("cuad_txt", {"d": file}, {"d": file}, {"d": "Deal"}, questions)
    asked = Measured.of(corpus, whole=True)
    own = [FIXED, *(name for name, recipe in RECIPES.items() if recipe.cutter == SENTENCES)]  # no classes of others
    for name in own:
        asked.ask(opponent(name, corpus, CachedModel(cache_folder())))
    assert {line: shares for line, shares in asked.means().items() if shares != [1.0, 1.0, 1.0]} == {}
    asked.found["ragraph: default"] = [[0.5, 1.0, 1.0]]
    asked.ranks["ragraph: default"] = asked.ranks[FIXED]
    page = report([asked], development=False)
    for name in own:
        assert f"| {name} | 1.000 | 1.000 | 1.000 |" in page
        assert f"| {name} | -0.500 (-0.500 to -0.500) |" in page
    assert "- 512 tokens: -0.500 (-0.500 to -0.500), over" in page


WITH_ANOTHER_MODEL = {f"{DEFAULT} with e5": 0.7, "theirs with e5": 0.8}


def test_lines_of_an_earlier_run_stand_beside_those_of_this_one() -> None:
    question = Question(id="1", text="What?", document="a", evidence=("It fell by a third in all of the parishes.",))
    asked = Measured("articles, within the document", [question], whole=False)
    asked.add({"theirs": {"found": [[0.25, 0.5, 1.0]], "ranks": {"recall@5": 0.5}}})
    asked.add({DEFAULT: {"found": [[0.5, 0.5, 1.0]], "ranks": {}}})
    assert asked.difference(DEFAULT, "theirs", 0) == 0.25
    assert asked.to_json()["theirs"] == {"found": [[0.25, 0.5, 1.0]], "ranks": {"recall@5": 0.5}}
    asked.add({name: {"found": [[share] * 3], "ranks": {}} for name, share in WITH_ANOTHER_MODEL.items()})
    page = report([asked], development=False)
    assert "| theirs | 0.250 | 0.500 | 1.000 | 0.500 |" in page
    assert "- 512 tokens: +0.250 (+0.250 to +0.250), over theirs (0.250)" in page
    assert "- 512 tokens: -0.100 (-0.100 to -0.100), over theirs with e5 (0.800)" in page
    assert f"| **{DEFAULT}** | 0.500 | 0.500 | 1.000 | – |" in page
    with pytest.raises(ValueError, match="was asked 2 questions, not 1"):
        asked.add({"other": {"found": [[0.0] * 3] * 2, "ranks": {}}})


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
