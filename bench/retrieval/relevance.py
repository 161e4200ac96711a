"""Fit the weights of the relevance of hits, and measure them on documents that they were not fitted on.

    RAGRAPH_DATA=../data python -m bench.retrieval.relevance --write bench/results/relevance.md

Each question is asked of documents that answer it (its own, and for articles all together), and of documents that do
not (all but its own, and those of the other corpus). A hit counts as relevant if it has marked evidence. Weights are
fitted on the documents that settings are chosen on, and measured on others. They are written into
``sql/functions/08_relevance.sql``.
"""

from __future__ import annotations

import argparse
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.retrieval.cache import CachedModel, cache_folder
from bench.retrieval.data import corpora
from bench.retrieval.store import ingest, kept_store
from ragraph.tuning.evidence import Evidence

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import psycopg
    from numpy.typing import NDArray

    from bench.retrieval.data import Corpus, Question
    from ragraph import Store

    Floats = NDArray[np.floating[Any]]

SQL = Path(__file__).parents[2] / "sql" / "functions" / "08_relevance.sql"
ARGUMENTS = ("vector_score", "usual_vector_score", "best_vector_score", "share", "best_share")
PENALTY = 0.1
"""Of the squared weights."""

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
    fitted = {name: fit(known, columns) for name, columns in COLUMNS.items()}
    fitted |= {CONFIDENCE[name]: fit_confidence(known, fitted[name], columns) for name, columns in COLUMNS.items()}
    page = report(fitted, unseen)
    print(page)
    if arguments.write:
        write_weights(fitted)
        arguments.write.write_text(page, encoding="utf-8")


def ask_all(store: Store, model: CachedModel, data: Path, documents: int, *, development: bool) -> list[Asked]:
    """Ask the questions of both corpora, with and without the documents that answer them."""
    found = corpora(data, documents, development=development, names=["cuad_txt", "evidence_inference"])
    ids = {corpus.name: ingest(store, corpus, model) for corpus in found}
    with store.database.write() as connection, connection.transaction(force_rollback=True):
        record(connection)
        return [
            asked
            for corpus in found
            for question in corpus.questions[:: max(len(corpus.questions) // QUESTIONS, 1)]
            for asked in ask(connection, model, corpus, question, ids)
        ]


def record(connection: psycopg.Connection[Any]) -> None:
    """Replace the function in this transaction by one that keeps its arguments."""
    parameters = ", ".join(f"{name} double precision" for name in ARGUMENTS)
    connection.execute(RECORDER.format(parameters=parameters, values=", ".join(ARGUMENTS)).encode())


def ask(
    connection: psycopg.Connection[Any],
    model: CachedModel,
    corpus: Corpus,
    question: Question,
    ids: Mapping[str, Mapping[str, str]],
) -> Iterable[Asked]:
    """Yield the question asked of documents that answer it, and of documents that do not."""
    own = ids[corpus.name]
    within = [own[question.document]]
    scopes = [(True, within), (False, [key for name in ids if name != corpus.name for key in ids[name].values()])]
    if corpus.whole:  # a clause without the parties may be in any contract
        scopes += [(True, list(own.values())), (False, [key for key in own.values() if key != within[0]])]
    evidence = Evidence(question.evidence)
    vector = str(model.encode_query(question.text).tolist())
    for answerable, scope in scopes:
        rows = connection.execute(
            "SELECT h.document_id, n.content, current_setting('bench.n' || h.relevance::integer)"
            " FROM ragraph.search_hybrid(%s, %s::vector, %s, 10, document_ids => %s) AS h"
            " INNER JOIN ragraph.content_node AS n ON h.document_id = n.document_id AND h.node_id = n.id"
            " ORDER BY h.rank",
            [question.text, vector, model.name, scope],
        ).fetchall()
        yield Asked(
            question.id,
            corpus.name,
            answerable,
            [features([value or 0.0 for value in json.loads(numbers)]) for _, _, numbers in rows],
            [answerable and document == within[0] and evidence.relevant(content) for document, content, _ in rows],
        )


def features(arguments: Sequence[float]) -> list[float]:
    """Return the numbers that are weighted, as the function in the database makes them."""
    near, usual, nearest, share, best = arguments
    return [1.0, near, near - usual, nearest - usual, share, best]


COLUMNS = {"with_vectors": [0, 1, 2, 3, 4, 5], "words_alone": [0, 4, 5]}
"""The numbers of each set of weights."""

CONFIDENCE = {"with_vectors": "by_vectors", "words_alone": "by_words"}
"""The set of weights that turns the best relevance by a set of weights into confidence."""


def fit(asked: Iterable[Asked], columns: list[int]) -> Floats:
    """Return the weights of a logistic regression over all hits, by Newton's method with a small penalty.

    Hits of questions that can be answered and of those that cannot weigh the same in total, and so do corpora.
    """
    rows = [(item, row, held) for item in asked for row, held in zip(item.features, item.relevant, strict=True)]
    groups = [(item.corpus, item.answerable) for item, _, _ in rows]
    return _newton(np.array([row for _, row, _ in rows])[:, columns], [held for _, _, held in rows], groups)


def fit_confidence(asked: Iterable[Asked], weights: Floats, columns: list[int]) -> Floats:
    """Return intercept and slope that turn the logit of a question's best relevance into the chance of an answer."""
    items = [item for item in asked if item.features]
    best = np.array([chances(item, weights, columns).max() for item in items])
    values = np.stack([np.ones(len(best)), np.log(best / (1 - best))], axis=1)
    return _newton(values, [item.answerable for item in items], [(item.corpus, item.answerable) for item in items])


def _newton(values: Floats, held: Sequence[bool], groups: Sequence[tuple[str, bool]]) -> Floats:
    """Return the weights of a logistic regression; each group of rows has the same weight in total."""
    truth = np.array(held, dtype=float)
    weights = np.array([1 / groups.count(group) for group in groups])
    weights *= len(groups) / weights.sum()
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
        "corpus. The number of a question is that of its best hit; `context.confidence` grows with it. Weights were",
        "fitted on other documents (40 articles, 20 contracts). AUC is the chance that a question with an answer has",
        "the higher number.",
        "",
        "| weights | corpus | with an answer | without | AUC of questions | AUC of hits |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
    ]
    for name, columns in COLUMNS.items():
        for corpus in (*sorted({item.corpus for item in unseen}), ""):
            items = [item for item in unseen if corpus in ("", item.corpus) and item.features]
            best = [(item.answerable, float(chances(item, fitted[name], columns).max())) for item in items]
            mine, others = [value for held, value in best if held], [value for held, value in best if not held]
            hits = [
                (held, value)
                for item in items
                for held, value in zip(item.relevant, chances(item, fitted[name], columns).tolist(), strict=True)
            ]
            of_hits = auc([value for held, value in hits if held], [value for held, value in hits if not held])
            lines.append(
                f"| {name.replace('_', ' ')} | {corpus or 'both'} | {len(mine)} | {len(others)}"
                f" | {auc(mine, others):.3f} | {of_hits:.3f} |"
            )
    lines += [
        "",
        "Calibration of hits, with vectors:",
        "",
        "| relevance | hits | have evidence |",
        "| --- | ---: | ---: |",
    ]
    columns = COLUMNS["with_vectors"]
    pairs = [
        (value, held)
        for item in unseen
        for value, held in zip(chances(item, fitted["with_vectors"], columns).tolist(), item.relevant, strict=True)
    ]
    for low in (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7):
        high = {0.0: 0.05, 0.05: 0.1, 0.1: 0.2, 0.2: 0.3, 0.3: 0.5, 0.5: 0.7, 0.7: 1.01}[low]
        inside = [held for value, held in pairs if low <= value < high]
        if inside:
            lines.append(f"| {low:.2f} to {min(high, 1):.2f} | {len(inside)} | {np.mean(inside):.3f} |")
    return "\n".join(lines) + "\n"


def write_weights(fitted: Mapping[str, Floats]) -> None:
    """Put the weights into the SQL function."""
    text = SQL.read_text(encoding="utf-8")
    for name, weights in fitted.items():
        numbers = ",".join(f"{weight:.3f}" for weight in weights)
        text = re.sub(rf"({name} constant double precision\[\] := )'[^']*'", rf"\1'{{{numbers}}}'", text)
    SQL.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
