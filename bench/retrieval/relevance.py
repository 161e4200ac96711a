"""Fit the weights of the relevance of hits, and measure them on documents that they were not fitted on.

    RAGRAPH_DATA=../data python -m bench.retrieval.relevance --write bench/results/relevance.md

Each question is asked of documents that answer it (its own, and for articles all together), and of documents that do
not (all but its own, and those of the other corpus). A hit counts as relevant if it has marked evidence. Short
questions that are made from the documents (``bench.retrieval.short``) are asked too; documents that do not answer these
have their words nowhere. Each question is also asked of the smallest section that answers it, and of one as large that
does not, because a hit in a small section has few others to be compared with. Weights are fitted on the documents that
settings are chosen on, and measured on others. They are written into ``sql/functions/08_relevance.sql``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.retrieval import short
from bench.retrieval.cache import CachedModel, cache_folder
from bench.retrieval.data import corpora
from bench.retrieval.store import ingest, kept_store
from ragraph.base.defaults import ANSWER_RELEVANCE
from ragraph.tuning.evidence import Evidence

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import psycopg
    from numpy.typing import NDArray

    from bench.retrieval.data import Corpus, Question
    from ragraph import Store

    Floats = NDArray[np.floating[Any]]

SQL = Path(__file__).parents[2] / "sql" / "functions" / "08_relevance.sql"
ARGUMENTS = ("vector_score", "usual_vector_score", "best_vector_score", "share", "best_share", "compared")
PENALTY = 0.1
"""Of the squared weights."""

SECTIONS = "sections"
"""Questions asked of a section that answers them, and of one as large that does not."""

QUESTIONS = 60
"""Questions of each corpus, by hash."""

RECORDER = """
create or replace function ragraph_private.relevance({parameters})
returns double precision language plpgsql volatile as $$
begin
    perform set_config(
        'bench.place', (coalesce(nullif(current_setting('bench.place', true), ''), '0')::integer + 1)::text, true
    );
    perform set_config('bench.n' || current_setting('bench.place'), jsonb_build_array({values})::text, true);
    return current_setting('bench.place')::double precision;
end
$$
"""
"""In place of the function, one that keeps its arguments and returns their place."""


@dataclass(frozen=True)
class Asked:
    """A question asked of some documents: the numbers of each hit, best first, and whether the hit has evidence."""

    question: str
    corpus: str
    answerable: bool
    features: list[list[float]]
    relevant: list[bool]


def main() -> None:
    """Fit on the development documents, measure on others, and write the weights and the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=os.environ.get("RAGRAPH_DATA"), help="folder of the data sets")
    parser.add_argument("--documents", type=int, default=40, help="unseen documents of each data set")
    parser.add_argument("--write", type=Path, help="write the page with the results, and the weights")
    arguments = parser.parse_args()
    model = CachedModel(cache_folder())
    with kept_store() as store:
        known = ask_all(store, model, arguments.data, 0, development=True)
        unseen = ask_all(store, model, arguments.data, arguments.documents, development=False)
    fitted: dict[str, Floats] = {}
    for name, columns in COLUMNS.items():
        # by words alone, short questions gain nothing by being fitted on, and hits of long ones lose (AUC .78 to .68)
        chosen = [item for item in known if name == "with_vectors" or item.corpus not in (*short.KINDS, SECTIONS)]
        fitted[name] = fit(chosen, columns)
        fitted[CONFIDENCE[name]] = fit_confidence(chosen, fitted[name], columns)
    page = report(fitted, unseen)
    print(page)
    if arguments.write:
        write_weights(fitted)
        arguments.write.write_text(page, encoding="utf-8")


def ask_all(store: Store, model: CachedModel, data: Path, documents: int, *, development: bool) -> list[Asked]:
    """Ask the questions of both corpora, with and without the documents that answer them."""
    found = corpora(data, documents, development=development, names=["cuad_txt", "evidence_inference"])
    ids = {corpus.name: ingest(store, corpus, model) for corpus in found}
    texts = {ids[corpus.name][document]: corpus.text(document) for corpus in found for document in corpus.texts}
    with store.database.write() as connection, connection.transaction(force_rollback=True):
        record(connection)
        asker = Asker(connection, model, sections(connection, texts))
        for corpus in found:
            own = ids[corpus.name]
            foreign = [key for key in texts if key not in own.values()]
            for question in corpus.questions[:: max(len(corpus.questions) // QUESTIONS, 1)]:
                rest = [key for document, key in own.items() if document != question.document]
                asker.ask(corpus, question, own, rest, foreign, corpus.name)
            for question, kind, pattern in short.questions(corpus):
                without = {key for key, text in texts.items() if not re.search(pattern, text)}
                rest, silent = ([key for key in keys if key in without] for keys in (own.values(), foreign))
                asker.ask(corpus, question, own, rest, silent, kind)
        return asker.asked


def sections(connection: psycopg.Connection[Any], documents: Iterable[str]) -> dict[str, dict[str, list[str]]]:
    """Return the texts of the nodes with vectors of each component, by document."""
    found: dict[str, dict[str, list[str]]] = {document: {} for document in documents}
    for document, component, content in connection.execute(
        "SELECT n.document_id, n.parent_component_id, n.content FROM ragraph.content_node AS n"
        " WHERE n.document_id = ANY(%s) AND EXISTS ("
        "SELECT FROM ragraph.embedding AS e WHERE e.document_id = n.document_id AND e.node_id = n.id"
        ") ORDER BY n.document_id, n.id",
        [list(found)],
    ):
        found[document].setdefault(component, []).append(content)
    return found


def record(connection: psycopg.Connection[Any]) -> None:
    """Replace the function in this transaction by one that keeps its arguments."""
    parameters = ", ".join(f"{name} double precision" for name in ARGUMENTS)
    connection.execute(RECORDER.format(parameters=parameters, values=", ".join(ARGUMENTS)).encode())


@dataclass
class Asker:
    """Asks questions of documents and sections that answer them, and of others.

    Attributes:
        connection: with ``record``.
        model: encodes the questions.
        sections: texts of the nodes of each component, by document.
        asked: what was asked so far.
    """

    connection: psycopg.Connection[Any]
    model: CachedModel
    sections: Mapping[str, Mapping[str, list[str]]]
    asked: list[Asked] = field(default_factory=list)

    def ask(
        self,
        corpus: Corpus,
        question: Question,
        own: Mapping[str, str],
        rest: list[str],
        foreign: list[str],
        name: str,
    ) -> None:
        """Ask a question of documents and of a section that answer it, and of documents and a section that do not.

        Args:
            corpus: where the question is from.
            question: the question.
            own: ids of the documents of the corpus, by key.
            rest: ids of those that do not answer it.
            foreign: ids of documents of other corpora that do not.
            name: what the result calls these questions.
        """
        within = own[question.document]
        evidence = Evidence(question.evidence)
        scopes = [(True, [within]), (False, foreign)]
        if corpus.whole:  # a clause without the parties may be in any contract
            scopes += [(True, list(own.values())), (False, rest)]
        for answerable, documents in scopes:
            if documents:
                self._ask(question, evidence, within, name, answerable=answerable, document_ids=documents)
        size = {key: len(texts) for key, texts in self.sections[within].items()}
        held = [key for key, texts in self.sections[within].items() if any(map(evidence.relevant, texts))]
        others = [
            (key, document, len(self.sections[document][key])) for document in rest for key in self.sections[document]
        ]
        if held and others:
            chosen = min(held, key=lambda key: size[key])
            other, document, _ = min(
                others, key=lambda found: (abs(found[2] - size[chosen]), _hash(question.id, found[1], found[0]))
            )
            for answerable, key, where in ((True, chosen, within), (False, other, document)):
                self._ask(
                    question, evidence, within, SECTIONS, answerable=answerable, document_ids=[where], component_id=key
                )

    def _ask(
        self, question: Question, evidence: Evidence, within: str, name: str, *, answerable: bool, **scope: object
    ) -> None:
        given = "".join(f", {key} => %s" for key in scope)
        rows = self.connection.execute(
            "SELECT h.document_id, n.content, current_setting('bench.n' || h.relevance::integer)"
            f" FROM ragraph.search_hybrid(%s, %s::vector, %s, 10{given}) AS h"
            " INNER JOIN ragraph.content_node AS n ON h.document_id = n.document_id AND h.node_id = n.id"
            " ORDER BY h.rank",
            [question.text, str(self.model.encode_query(question.text).tolist()), self.model.name, *scope.values()],
        ).fetchall()
        self.asked.append(
            Asked(
                question.id,
                name,
                answerable,
                [features([value or 0.0 for value in json.loads(numbers)]) for _, _, numbers in rows],
                [answerable and document == within and evidence.relevant(content) for document, content, _ in rows],
            )
        )


def _hash(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def features(arguments: Sequence[float]) -> list[float]:
    """Return the numbers that are weighted, as the function in the database makes them."""
    near, usual, nearest, share, best, compared = arguments
    numbers = [1.0, near, near - usual, nearest - usual, share, best]
    return numbers + [number * (1 - compared) for number in numbers]


COLUMNS = {"with_vectors": list(range(12)), "words_alone": [0, 4, 5]}
"""The numbers of each set of weights."""

CONFIDENCE = {"with_vectors": "by_vectors", "words_alone": "by_words"}
"""The set of weights that turns the best relevance by a set of weights into confidence."""


def fit(asked: Iterable[Asked], columns: list[int]) -> Floats:
    """Return the weights of a logistic regression over all hits, by Newton's method with a small penalty.

    Questions of a group weigh the same, whatever the number of their hits. Groups are corpora with and without an
    answer, and weigh the same too. But beside a section with an answer there are many without: these weigh so much that
    as many hits of sections have evidence as of other questions.
    """
    items = [item for item in asked if item.features]
    groups = [(item.corpus, item.answerable) for item in items]
    share = {
        corpus: np.mean([np.mean(item.relevant) for item in items if item.corpus == corpus and item.answerable])
        for corpus, _ in groups
    }
    times = dict.fromkeys(groups, 1.0)
    if SECTIONS in share:
        usual = np.mean([each for corpus, each in share.items() if corpus != SECTIONS]) / 2
        times[SECTIONS, False] = float(share[SECTIONS] / usual) - 1
    by_question = [times[group] / groups.count(group) for group in groups]
    rows = [
        (row, held, weight / len(item.features))
        for item, weight in zip(items, by_question, strict=True)
        for row, held in zip(item.features, item.relevant, strict=True)
    ]
    values, truth, weights = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    return _newton(values[:, columns], truth, weights)


def fit_confidence(asked: Iterable[Asked], weights: Floats, columns: list[int]) -> Floats:
    """Return intercept and slope that turn the logit of a question's best relevance into the chance of an answer."""
    items = [item for item in asked if item.features]
    groups = [(item.corpus, item.answerable) for item in items]
    best = np.array([chances(item, weights, columns).max() for item in items])
    values = np.stack([np.ones(len(best)), np.log(best / (1 - best))], axis=1)
    truth = np.array([item.answerable for item in items], dtype=float)
    return _newton(values, truth, np.array([1 / groups.count(group) for group in groups]))


def _newton(values: Floats, truth: Floats, weights: Floats) -> Floats:
    """Return the weights of a logistic regression; ``weights`` are those of its rows, of any sum."""
    weights = weights * len(weights) / weights.sum()
    found = np.zeros(values.shape[1])

    def loss(chosen: Floats) -> float:
        logit = values @ chosen
        return float(np.sum(weights * (np.logaddexp(0, logit) - truth * logit)) + PENALTY / 2 * chosen @ chosen)

    for _ in range(50):
        chance = 1 / (1 + np.exp(-values @ found))
        slope = values.T @ (weights * (truth - chance)) - PENALTY * found
        bend = (values * (weights * chance * (1 - chance))[:, None]).T @ values + PENALTY * np.eye(values.shape[1])
        step = np.linalg.solve(bend, slope)
        while loss(found + step) > loss(found) and np.abs(step).max() > 1e-9:
            step /= 2
        found = found + step
    return found


def chances(item: Asked, weights: Floats, columns: list[int]) -> Floats:
    """Return the relevance of the hits."""
    if not item.features:
        return np.zeros(0)
    result: Floats = 1 / (1 + np.exp(-np.array(item.features)[:, columns] @ weights))
    return result


def auc(positive: Sequence[float], negative: Sequence[float]) -> float:
    """Return the chance that a positive has a higher number than a negative; ties count half."""
    mine, others = np.array(positive)[:, None], np.array(negative)[None, :]
    return float(np.mean((mine > others) + 0.5 * (mine == others)))


def report(fitted: Mapping[str, Floats], unseen: Sequence[Asked]) -> str:
    """Return the page with the results on documents that the weights were not fitted on."""
    lines = [
        "# Relevance, measured",
        "",
        "<!-- Written by `python -m bench.retrieval.relevance --write`; not to be edited. -->",
        "",
        "How well `relevance` tells questions that the documents answer from questions that they do not. Each question",
        "is asked of documents that answer it, and of documents that do not: all but its own, and those of the other",
        "corpus. The number of a question is that of its best hit; `context.confidence` grows with it. Short ones",
        'are made from the documents: "what is IRB" from a place that introduces the abbreviation, or two words side',
        "by side. `sections` are questions of all these kinds, asked of the smallest section that answers them, and",
        "of one as large in a document that does not; a third of these sections has one passage. Weights were fitted",
        "on other documents (40 articles, 20 contracts). AUC is the chance that a question with an answer has the",
        "higher number.",
        "",
        f"`Store.answer` refuses a question if its best hit is below {ANSWER_RELEVANCE}; on the documents of the fit",
        "this is at most one in fifteen of each kind that has an answer. `refused` is the share of questions with an",
        "answer for which it is wrong, `let through` that of questions without one.",
        "",
        "| weights | corpus | with an answer | without | AUC of questions | AUC of hits | refused | let through |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, columns in COLUMNS.items():
        for corpus in (*sorted({item.corpus for item in unseen}), ""):
            items = [item for item in unseen if corpus in ("", item.corpus) and item.features]
            cells = [name.replace("_", " "), corpus or "all", *_of_questions(items, fitted[name], columns)]
            lines.append(f"| {' | '.join(cells)} |")
    lines += [
        "",
        "Calibration of hits, with vectors:",
        "",
        "| relevance | hits | have evidence |",
        "| --- | ---: | ---: |",
        *_of_hits(unseen, fitted["with_vectors"], COLUMNS["with_vectors"]),
    ]
    return "\n".join(lines) + "\n"


def _of_questions(items: Sequence[Asked], weights: Floats, columns: list[int]) -> list[str]:
    """Return numbers of questions, both AUC, and shares wrongly refused and let through; these not for words alone."""
    found = [(item, chances(item, weights, columns)) for item in items]
    mine, others = ([float(each.max()) for item, each in found if item.answerable is held] for held in (True, False))
    hits = [pair for item, each in found for pair in zip(item.relevant, each.tolist(), strict=True)]
    of_hits = auc([value for held, value in hits if held], [value for held, value in hits if not held])
    cells = [str(len(mine)), str(len(others)), f"{auc(mine, others):.3f}", f"{of_hits:.3f}"]
    if columns != COLUMNS["with_vectors"]:
        return [*cells, "–", "–"]
    refused = np.mean([value < ANSWER_RELEVANCE for value in mine])
    return [*cells, f"{refused:.3f}", f"{np.mean([value >= ANSWER_RELEVANCE for value in others]):.3f}"]


def _of_hits(items: Sequence[Asked], weights: Floats, columns: list[int]) -> Iterable[str]:
    """Yield the rows of the calibration."""
    pairs = [
        pair for item in items for pair in zip(chances(item, weights, columns).tolist(), item.relevant, strict=True)
    ]
    edges = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0)
    for low, high in pairwise(edges):
        inside = [held for value, held in pairs if low <= value < high or value == high == 1]
        if inside:
            yield f"| {low:.2f} to {high:.2f} | {len(inside)} | {np.mean(inside):.3f} |"


def write_weights(fitted: Mapping[str, Floats]) -> None:
    """Put the weights into the SQL function."""
    text = SQL.read_text(encoding="utf-8")
    half = len(fitted["with_vectors"]) // 2
    written = dict(fitted) | {"with_vectors": fitted["with_vectors"][:half], "of_few": fitted["with_vectors"][half:]}
    for name, weights in written.items():
        numbers = ",".join(f"{weight:.3f}" for weight in weights)
        text = re.sub(rf"({name} constant double precision\[\] := )'[^']*'", rf"\1'{{{numbers}}}'", text)
    SQL.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
