"""What the server does without anybody's help: COPY of our rows into tables like ours, and bare pgvector."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from psycopg import sql

from bench.peers.workload import K, number_of
from bench.store import QUERIES as STORE_QUERIES
from bench.store import copy_seconds
from bench.timing import timed
from ragraph.queries import read_queries

if TYPE_CHECKING:
    import psycopg

    from bench.peers.workload import Workload
    from ragraph import Store

QUERIES = read_queries(Path(__file__).parent / "bare.sql")
_BREADTHS = (40, 60, 80, 120, 200, 400, 800)


def prepare_copy(store: Store) -> None:
    """Make the tables that ``measure_copy`` fills, while there is no index of vectors that they would get too."""
    with store.database.write() as connection:
        connection.execute(STORE_QUERIES["bare_tables"])


def measure_copy(store: Store) -> float:
    """Return the seconds of a binary COPY of all rows of the store into tables with the same keys and indexes."""
    return sum(copy_seconds(store, "full").values())


def measure_vectors(store: Store, workload: Workload, recall: float) -> dict[str, Any]:
    """Build a bare table and its index, and ask the whole store with the least breadth that reaches a recall."""
    with store.database.write() as connection:
        connection.execute(QUERIES["make"])
        rows = {
            "ids": list(range(len(workload.rows))),
            "texts": [row.text for row in workload.rows],
            "vectors": list(workload.vectors),
        }
        connection.execute(QUERIES["fill"], rows)
    with store.database.write() as connection, timed() as clock:
        connection.execute(QUERIES["index"])
    exact = [workload.exact({}, number) for number in range(len(workload.questions))]
    with store.database.write() as connection:
        connection.execute(QUERIES["analyze"])
        for breadth in _BREADTHS:
            answers, times = _ask(connection, workload, breadth)
            found = [
                len({number_of(text) for text in answer} & best) / len(best)
                for answer, best in zip(answers, exact, strict=True)
            ]
            if sum(found) / len(found) >= recall:
                break
    asked = {"whole store": {"answers": answers, "times": times}}
    return {"name": f"pgvector alone, ef_search {breadth}", "load": None, "index": clock.seconds, "asked": asked}


def _ask(connection: psycopg.Connection[Any], workload: Workload, breadth: int) -> tuple[list[list[str]], list[float]]:
    connection.execute(sql.SQL("SET LOCAL hnsw.ef_search = {}").format(breadth))
    connection.prepare_threshold = None
    answers, times = [], []
    for number in [0, *range(len(workload.questions))]:
        start = time.perf_counter()
        found = connection.execute(QUERIES["search"], {"vector": workload.questions[number], "k": K}).fetchall()
        times.append(time.perf_counter() - start)
        answers.append([text for (text,) in found])
    return answers[1:], times[1:]
