"""Fitting: a logistic regression on the features of sentences that answer, and of the hardest of those that do not."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from ragraph.tuning.ranker import Ranker, Sentences, normalised

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Whole = NDArray[np.int64]

ANSWERS = 0.3
"""Minimum share of evidence in a sentence that answers."""

ANSWERS_NOT = 0.1
"""Sentences below this share do not answer; those between the two values are not used for fitting."""

NEGATIVES = 80
"""Sentences per question that do not answer and are used for fitting. Half are those that the words of the query rank
first; half are a random sample of the others, weighted to represent all of them.
"""

SEEN = 3
"""Minimum number of sentences with a word, or a pair of words; and of questions with a word that is paired."""

COMMON = 0.6
"""A word in a larger share of the questions is not paired: it does not distinguish them."""

STRENGTH = 1.0
"""Strength of the fit relative to the regularisation of weights towards zero: C of scikit-learn's LogisticRegression.
"""


def fit(examples: Sequence[Sentences], lexicon_size: int, *, seed: int = 0) -> Ranker | None:
    """Fit a ranker on questions; return None if no sentence answers any of them.

    Args:
        examples: the sentences found for each question; questions without an answering sentence are skipped.
        lexicon_size: number of words in their lexicon.
        seed: for the sample of negatives.
    """
    from scipy.sparse import csr_matrix, hstack
    from sklearn.linear_model import LogisticRegression

    random = np.random.default_rng(seed)
    picks = [(example, *pick) for example in examples if (pick := _picked(example, random)) is not None]
    if not picks:
        return None
    labels = np.concatenate([example.answers[rows] >= ANSWERS for example, rows, _ in picks])
    if labels.all():
        return None
    known, idf = _vocabulary(examples, lexicon_size)
    crossed = _crossed([example for example, _, _ in picks])

    dense = np.vstack([example.features[rows] for example, rows, _ in picks])
    means, deviations = dense.mean(axis=0), dense.std(axis=0)
    deviations[deviations < 1e-9] = np.inf  # constant features get no weight
    parts = [_entries(example, rows, known, idf, crossed) for example, rows, _ in picks]
    offsets = np.cumsum([0] + [len(rows) for _, rows, _ in picks])
    words = len(idf)
    rows_ = np.concatenate([part[0] + offset for part, offset in zip(parts, offsets, strict=False)])
    columns = np.concatenate([part[1] for part in parts])
    values = np.concatenate([part[2] for part in parts])
    # pairs are numbered from words on: the place of the question word, then the column of the other word
    seen, counts = np.unique(columns[columns >= words], return_counts=True)
    pairs = seen[counts >= SEEN]
    kept = (columns < words) | np.isin(columns, pairs)
    narrow = np.where(columns < words, columns, words + np.searchsorted(pairs, columns))
    shape = (int(offsets[-1]), words + len(pairs))
    sparse = csr_matrix((values[kept], (rows_[kept], narrow[kept])), shape=shape)
    matrix = hstack([csr_matrix((dense - means) / deviations), sparse]).tocsr()
    model: Any = LogisticRegression(C=STRENGTH, max_iter=1000)
    model.fit(matrix, labels, sample_weight=np.concatenate([weights for _, _, weights in picks]))
    found: Floats = model.coef_[0]

    width = dense.shape[1]
    weights = found[:width] / deviations
    tables = {word: np.zeros(words) for word in crossed}
    order = list(crossed)
    for pair, weight in zip(pairs, found[width + words :], strict=True):
        tables[order[pair // words - 1]][pair % words] = weight
    return Ranker(
        intercept=float(model.intercept_[0] - weights @ means),
        weights=weights,
        known=known,
        idf=idf,
        word_weights=found[width : width + words],
        crossed=tables,
    )


def _picked(example: Sentences, random: np.random.Generator) -> tuple[Whole, Floats] | None:
    """Return the sentences of a question to learn from, and their weights."""
    answering = np.flatnonzero(example.answers >= ANSWERS)
    if not len(answering):
        return None
    words, headings = example.features[:, 0], example.features[:, 2]
    order = np.argsort(-words - 0.3 * headings, kind="stable")
    wrong = order[example.answers[order] < ANSWERS_NOT]
    hard, others = wrong[: NEGATIVES // 2], wrong[NEGATIVES // 2 :]
    drawn = random.choice(others, NEGATIVES // 2, replace=False) if len(others) > NEGATIVES // 2 else others
    rows = np.concatenate([answering, hard, drawn])
    weights = np.ones(len(rows))
    weights[len(answering) + len(hard) :] = len(others) / max(len(drawn), 1)
    return rows, weights


def _vocabulary(examples: Sequence[Sentences], lexicon_size: int) -> tuple[Whole, Floats]:
    """Return the column of each word, -1 for rare ones, and the idf of each column, over all sentences."""
    frequency = np.zeros(lexicon_size, dtype=np.int64)
    seen: set[tuple[str, int]] = set()
    for example in examples:
        for row, (document, _, start, _) in enumerate(example.places):
            if (document, start) not in seen:
                seen.add((document, start))
                frequency[example.lexemes[example.starts[row] : example.starts[row + 1]]] += 1
    kept = np.flatnonzero(frequency >= SEEN)
    known = np.full(lexicon_size, -1, dtype=np.int64)
    known[kept] = np.arange(len(kept))
    return known, np.log((1 + len(seen)) / (1 + frequency[kept])) + 1


def _crossed(examples: Sequence[Sentences]) -> dict[int, int]:
    """Return the question words that are paired with words of sentences, each with its place, from 1."""
    questions = Counter(word for example in examples for word in {word for asked in example.asked for word in asked})
    wanted = [word for word, count in questions.items() if SEEN <= count <= COMMON * len(examples)]
    return {word: place for place, word in enumerate(sorted(wanted), 1)}


def _entries(
    example: Sentences, picked: Whole, known: Whole, idf: Floats, crossed: dict[int, int]
) -> tuple[Whole, Whole, Floats]:
    """Return rows (places among the picked), columns and values: words, then pairs."""
    rows, columns = example.entries(known)
    values = normalised(rows, idf[columns], len(example))
    place = np.full(len(example), -1)
    place[picked] = np.arange(len(picked))
    inside = place[rows] >= 0
    rows, columns, values = rows[inside], columns[inside], values[inside]
    found = [(place[rows], columns, values)]
    for number, asked in enumerate(example.asked):
        of = example.asked_of[rows] == number
        words = [crossed[word] for word in asked if word in crossed]
        found += [
            (place[rows[of]], word * len(idf) + columns[of], values[of] / math.sqrt(len(words))) for word in words
        ]
    return (
        np.concatenate([part[0] for part in found]),
        np.concatenate([part[1] for part in found]),
        np.concatenate([part[2] for part in found]),
    )
