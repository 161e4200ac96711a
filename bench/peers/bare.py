"""The server alone: COPY of our rows into tables like ours, and bare pgvector."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from psycopg import sql

from bench.peers.processor import Spent
from bench.peers.stores import ROUNDS
from bench.peers.workload import K, number_of
from bench.store import QUERIES as STORE_QUERIES
from bench.store import copy_seconds
from ragraph.base.queries import read_queries

if TYPE_CHECKING:
    import psycopg

    from bench.peers.workload import Workload
    from ragraph import Store

QUERIES = read_queries(Path(__file__).parent / "bare.sql")
OURS = 200
"""Minimum candidates that ``ragraph_private.rank_vector`` sets."""

_BREADTHS = (40, 60, 80, 120, 200, 400, 800)
_AT_ONCE = 20_000
"""Rows in one message to the server, whose maximum is a gigabyte."""


def prepare_copy(store: Store) -> None:
    """Make the tables that ``measure_copy`` fills, before there is a vector index, which they would get too."""
    with store.database.write() as connection:
        connection.execute(STORE_QUERIES["bare_tables"])


def measure_copy(store: Store, postmaster: int) -> Spent:
    """Return the cost of a binary COPY of all rows of the store into tables with the same keys and indexes.

    ``clock`` is the time of writing alone; the other figures include reading the rows, which the client buffers first.
    """
    with Spent(postmaster) as spent:
        taken = copy_seconds(store, "full")
    spent.clock = sum(taken.values())
    return spent


def measure_vectors(store: Store, workload: Workload, recall: float, postmaster: int) -> list[dict[str, Any]]:
    """Build a bare table and its index; query the whole store with the smallest breadth for a recall, and with ours."""
    with store.database.write() as connection:
        connection.execute(QUERIES["make"])
        for first in range(0, len(workload.rows), _AT_ONCE):
            some = slice(first, first + _AT_ONCE)
            rows = {
                "ids": list(range(len(workload.rows)))[some],
                "texts": [row.text for row in workload.rows[some]],
                "vectors": list(workload.vectors[some]),
            }
            connection.execute(QUERIES["fill"], rows)
    with store.database.write() as connection, Spent(postmaster) as index:
        connection.execute(QUERIES["index"])
    exact = [workload.exact({}, number) for number in range(len(workload.questions))]
    with store.database.write() as connection:
        connection.execute(QUERIES["analyze"])
        for breadth in _BREADTHS:
            with Spent(postmaster) as spent:
                answers, times = _ask(connection, workload, breadth)
            found = [
                len({number_of(text) for text in answer} & best) / len(best)
                for answer, best in zip(answers, exact, strict=True)
            ]
            if sum(found) / len(found) >= recall:
                break
        least = _measured(f"pgvector alone, ef_search {breadth}", answers, times, spent)
        with Spent(postmaster) as spent:
            answers, times = _ask(connection, workload, OURS)
    least |= {"index": index.clock, "index_spent": index.client + index.server}
    return [least, _measured(f"pgvector alone, ef_search {OURS} as ragraph has", answers, times, spent)]


def _measured(name: str, answers: list[list[str]], times: list[float], spent: Spent) -> dict[str, Any]:
    asked = len(times) + 1
    each = {"client": spent.client / asked, "server": spent.server / asked}
    return {"name": name, "load": None, "asked": {"whole store": {"answers": answers, "times": times, **each}}}


def _ask(connection: psycopg.Connection[Any], workload: Workload, breadth: int) -> tuple[list[list[str]], list[float]]:
    connection.execute(sql.SQL("SET LOCAL hnsw.ef_search = {}").format(breadth))
    connection.prepare_threshold = None
    answers, times = [], []
    for number in [0, *[*range(len(workload.questions))] * ROUNDS]:
        start = time.perf_counter()
        found = connection.execute(QUERIES["search"], {"vector": workload.questions[number], "k": K}).fetchall()
        times.append(time.perf_counter() - start)
        answers.append([text for (text,) in found])
    return answers[1 : len(workload.questions) + 1], times[1:]
