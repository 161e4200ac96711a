"""Measure, on the store itself, how many candidates of a vector index searches need to find the nearest vectors.

An HNSW index finds more of the nearest vectors the more candidates a search examines (``hnsw.ef_search``). How many it
needs depends on the number of vectors and their distribution. So after a build, questions are made of stored vectors,
and the nearest to each are found by comparing all. The smallest number of candidates that finds enough of them is
stored with the model.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ragraph.base.defaults import FOUND
from ragraph.base.queries import QUERIES
from ragraph.schema.enums import Distance

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import psycopg
    from numpy.typing import NDArray

    from ragraph.models.encoding import Vectors

    Connection = psycopg.Connection[Any]

ENOUGH = FOUND + 0.003
"""Share of the ten nearest that searches have to find here, including the sampling error of 200 questions."""

LADDER = (40, 60, 80, 100, 150, 200, 300, 400, 600, 800, 1000)
"""Numbers of candidates to try, in ascending order; pgvector allows no more."""

_NEAREST = 10
_QUESTIONS = 200
_PATIENCE_S = 120.0
"""Seconds after which no further number of candidates is tried."""

_NEAR = 0.6
"""Cosine between a question and the vector that it was made of."""

_BLOCK = 4096
_KEPT = 8 * _NEAREST
"""Vectors retained for each question: of nodes in several parts the best one counts."""


class Measured(NamedTuple):
    """The result: candidates, the share of the nearest that searches find with them, and the number of vectors."""

    ef_search: int
    index_recall: float
    measured_vectors: int


def measure(connection: Connection, model_name: str, distance: Distance) -> Measured | None:
    """Return the smallest number of candidates that finds enough, or the largest that was tried, at least 200.

    All vectors are read twice, once for their ids and once, in blocks, to compare them with 200 questions. Then
    searches run for at most two minutes.

    Args:
        connection: a connection in a transaction with one snapshot of the store.
        model_name: a model with vectors and an index that searches use.
        distance: distance of the model.

    Returns:
        None if there are too few vectors to make questions of.
    """
    names = {"model_name": model_name}
    (held,) = connection.execute(QUERIES["count_vectors"], names).fetchone() or (0,)
    drawn = {**names, "one_of": max(held // (2 * _QUESTIONS), 1), "most": _QUESTIONS}
    some = _matrix(vector for (vector,) in connection.execute(QUERIES["some_vectors"], drawn))
    if not len(some):
        return None
    questions = strayed(some, distance)
    least = nearest(connection, model_name, questions, distance)
    end = time.monotonic() + _PATIENCE_S
    measured = Measured(LADDER[0], 0.0, held)
    for candidates in LADDER:
        enough = ENOUGH if candidates != LADDER[-1] else 0
        measured = Measured(candidates, recall(connection, model_name, questions, least, candidates, enough), held)
        if measured.index_recall >= ENOUGH:
            break
        if time.monotonic() > end:  # as many as without a measurement
            (usual,) = connection.execute(QUERIES["usual_candidates"]).fetchone() or (candidates,)
            return measured._replace(ef_search=max(candidates, usual))
    return measured


def strayed(vectors: Vectors, distance: Distance) -> Vectors:
    """Make questions of vectors: each as near to its vector as a real question is to its answer, a cosine of 0.6.

    A stored vector itself is found too easily, because the index has links to all its neighbours. On 50,000 vectors of
    real texts these questions need as many candidates to find their nearest as texts that are not in the store.
    Points halfway between two vectors need ten times as many.

    Args:
        vectors: n vectors, in any order.
        distance: with the Euclidean one the angle is measured from the centre of all vectors.

    Returns:
        n vectors, always the same ones.
    """
    noise = _unit(np.random.default_rng(0).standard_normal(vectors.shape).astype(np.float32))
    middle = vectors.mean(axis=0) if distance is Distance.L2 else np.zeros(vectors.shape[1], dtype=np.float32)
    lengths = np.linalg.norm(vectors - middle, axis=1, keepdims=True)
    made: Vectors = middle + _NEAR * (vectors - middle) + np.sqrt(1 - _NEAR**2) * lengths * noise
    return made.astype(np.float32)


def nearest(
    connection: Connection, model_name: str, questions: Vectors, distance: Distance
) -> list[NDArray[np.float32]]:
    """Return the scores of the ten nodes nearest to each question, best first, by comparing all vectors."""
    scores = np.empty((len(questions), 0), dtype=np.float32)
    nodes = np.empty((len(questions), 0), dtype=object)
    for names, block in _blocks(connection, model_name):
        scores = np.concatenate([scores, _scores(questions, block, distance)], axis=1)
        nodes = np.concatenate([nodes, np.broadcast_to(names, (len(questions), len(names)))], axis=1)
        if scores.shape[1] > _KEPT:
            best = np.argpartition(-scores, _KEPT, axis=1)[:, :_KEPT]
            scores, nodes = np.take_along_axis(scores, best, 1), np.take_along_axis(nodes, best, 1)
    found = []
    for row, named in zip(scores, nodes, strict=True):
        best_of: dict[Any, np.float32] = {}
        for place in np.argsort(-row):
            best_of.setdefault(named[place], row[place])
        found.append(np.array(list(best_of.values())[:_NEAREST]))
    return found


def _blocks(connection: Connection, model_name: str) -> Iterator[tuple[NDArray[np.object_], Vectors]]:
    """Yield all vectors of a model in blocks, with the node of each."""
    with connection.cursor("ragraph_vectors", binary=True) as cursor:
        cursor.itersize = _BLOCK
        cursor.execute(QUERIES["all_vectors"], {"model_name": model_name})
        while rows := cursor.fetchmany(_BLOCK):
            names = np.empty(len(rows), dtype=object)
            names[:] = [(document, node) for document, node, _ in rows]
            yield names, _matrix(vector for _, _, vector in rows)


def _matrix(vectors: Iterable[Any]) -> Vectors:
    """Return vectors of the database as rows; before 0.5 pgvector itself returned arrays."""
    return np.array([v.to_numpy() if hasattr(v, "to_numpy") else v for v in vectors], dtype=np.float32)


def _scores(questions: Vectors, block: Vectors, distance: Distance) -> Vectors:
    """Return the scores of vectors as ``search_vector`` computes them, a row for each question."""
    match distance:
        case Distance.COSINE:
            return _unit(questions) @ _unit(block).T
        case Distance.L2:
            asked, held = questions.astype(np.float64), block.astype(np.float64)  # a difference of large squares
            squares = (asked**2).sum(1)[:, None] + (held**2).sum(1)[None] - 2 * asked @ held.T
            scores: Vectors = -np.sqrt(np.maximum(squares, 0)).astype(np.float32)
            return scores
        case _:
            return questions @ block.T


def _unit(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    made: Vectors = vectors / np.maximum(lengths, np.finfo(np.float32).tiny)
    return made


def recall(
    connection: Connection,
    model_name: str,
    questions: Vectors,
    nearest: list[NDArray[np.float32]],
    candidates: int,
    enough: float = 0,
) -> float:
    """Return the share of the nearest that searches find; questions that are not asked count as not found.

    Args:
        connection: a connection in a transaction.
        model_name: a model with an index.
        questions: n questions.
        nearest: the scores of the nearest to each, see ``nearest``.
        candidates: number of candidates that searches examine.
        enough: stop asking once this share can no longer be reached.
    """
    connection.execute(QUERIES["look_at"], {"ef_search": candidates})
    wanted = sum(map(len, nearest))
    found = asked = 0
    for question, scores in zip(questions, nearest, strict=True):
        names = {"vector": question, "model_name": model_name, "k": len(scores)}
        hits = connection.execute(QUERIES["scores_by_index"], names).fetchall()
        # as near as the last of them counts: any of several equal ones may be found
        least = scores[-1] - 1e-5 * max(1.0, abs(float(scores[-1])))
        found += sum(score >= least for (score,) in hits)
        asked += len(scores)
        if asked - found > (1 - enough) * wanted:
            break
    return min(found / wanted, 1.0)
