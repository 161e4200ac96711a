"""Recall of HNSW graphs by the effort of building them: a bare table of half vectors around topics.

    python -m bench.vector_graphs --vectors 200000

Recall is of the ten nearest by an exact scan in numpy; times are by the clock.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console
from rich.table import Table

from bench.synthetic import make_vectors
from bench.throwaway import throwaway_store
from bench.timing import timed
from ragraph.base.queries import read_queries

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ragraph import Store

STATEMENTS = read_queries(Path(__file__).parent / "vector_graphs.sql")
GRAPHS = ((16, 64), (16, 128), (24, 128), (32, 200))
"""Links of a vector, and candidates examined for them (``m`` and ``ef_construction``)."""
LOOKS = (40, 100, 200, 400, 800)
DIMENSIONS, QUESTIONS, K = 384, 100, 10
_BATCH = 50_000


def main() -> None:
    """Build each graph in turn and print its recall."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vectors", type=int, default=200_000, help="a multiple of 50,000")
    count = parser.parse_args().vectors
    vectors = np.concatenate([make_vectors(batch, _BATCH, DIMENSIONS) for batch in range(count // _BATCH)])
    questions = make_vectors(10_000_019, QUESTIONS, DIMENSIONS)
    nearest = np.argpartition(-(questions @ vectors.T), K, axis=1)[:, :K]
    table = Table("m", "ef", "build, s", *(f"{look}: recall, ms" for look in LOOKS))
    with throwaway_store() as store:
        with store.database.write() as connection:
            connection.execute(STATEMENTS["make"])
            with connection.cursor().copy(STATEMENTS["fill"]) as copy:
                for number, vector in enumerate(vectors):
                    copy.write_row((number, f"[{','.join(f'{value:.6f}' for value in vector)}]"))
        for links, care in GRAPHS:
            with timed() as clock, store.database.write() as connection:
                connection.execute(STATEMENTS["prepare"])
                names = {"m": links, "ef_construction": care}
                (statement,) = connection.execute(STATEMENTS["build"], names).fetchone() or ("",)
                connection.execute(statement)
            cells = [_ask(store, look, questions, nearest) for look in LOOKS]
            table.add_row(str(links), str(care), f"{clock.seconds:.0f}", *cells)
    Console(width=120, highlight=False).print(table)


def _ask(store: Store, look: int, questions: NDArray[np.float32], nearest: NDArray[Any]) -> str:
    found = 0
    with store.database.read() as connection, timed() as clock:
        connection.execute(STATEMENTS["look"], {"ef_search": look})
        for question, expected in zip(questions, nearest, strict=True):
            rows = connection.execute(STATEMENTS["ask"], {"vector": question, "k": K}).fetchall()
            found += len({row[0] for row in rows} & set(expected.tolist()))
    return f"{found / K / len(questions):.3f}, {1000 * clock.seconds / len(questions):.1f}"


if __name__ == "__main__":
    main()
