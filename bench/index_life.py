"""Cost of inserting a vector into an HNSW index, compared with its share of a build. `make bench-index`.

In processor time of the server. The ratio decides whether a run drops the index (``ingest/vectors/index_aside.py``).

    python -m bench.index_life --sizes 10000 30000 80000
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from bench.processes import server_seconds
from bench.synthetic import make_vectors
from bench.throwaway import throwaway_store
from ragraph.base.queries import read_queries

if TYPE_CHECKING:
    from ragraph import Store

DIMENSIONS = 384
INSERTED = 2000
QUERIES = read_queries(Path(__file__).parent / "index_life.sql")


def main() -> None:
    """Run the benchmark and print its table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 30_000, 80_000], help="vectors in the index")
    arguments = parser.parse_args()
    table = Table("vectors there", "build, ms each", "insert, ms each", "times", box=None)
    with throwaway_store() as store:
        with store.database.write() as connection:
            connection.execute(QUERIES["make"])
        held = 0
        for size in sorted(arguments.sizes):
            _fill(store, held, size - held)
            build = server_seconds(store, partial(_run, store, "index")) / size
            insert = server_seconds(store, partial(_fill, store, size, INSERTED)) / INSERTED
            _run(store, "drop")
            held = size + INSERTED
            table.add_row(f"{size:,}", f"{1000 * build:.2f}", f"{1000 * insert:.2f}", f"{insert / build:.1f}")
    Console(width=100, highlight=False).print(table)


def _run(store: Store, name: str) -> None:
    with store.database.write() as connection:
        connection.execute(QUERIES[name])


def _fill(store: Store, held: int, count: int) -> None:
    vectors = make_vectors(held + 1, count, DIMENSIONS)
    with store.database.write() as connection, connection.cursor().copy(QUERIES["fill"]) as copy:
        copy.set_types(["int4", "vector"])
        for number, vector in enumerate(vectors, held):
            copy.write_row((number, vector))


if __name__ == "__main__":
    main()
