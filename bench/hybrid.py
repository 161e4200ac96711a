"""Cost of searches by words, of hybrid ones and of those with all their parts, compared with a bare vector query.

Everything runs on a throw-away embedded server with synthetic documents, and the bare query runs in the same turns.
Compare the ratios of one run.

    python -m bench.hybrid --sizes 10000 300000
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

from psycopg.types.json import Jsonb
from rich.console import Console
from rich.table import Table

from bench.store import fill
from bench.synthetic import WORDS, make_vectors
from bench.throwaway import throwaway_store
from bench.timing import medians, timed
from ragraph.base.queries import read_queries

if TYPE_CHECKING:
    from ragraph import Store

QUERIES = read_queries(Path(__file__).parent / "hybrid.sql")
LINES = {
    "bare": "bare pgvector query over the same index (ef_search 40)",
    "vector": "search_vector",
    "all_words": "search_text, all of four words",
    "any_word": "search_text, any of four words",
    "without_pages": "search_hybrid, nodes alone",
    "hybrid": "search_hybrid",
    "graph": "search_hybrid with the graph",
    "everything": "search_hybrid, expand_hits, cite_nodes in one statement",
}
console = Console(width=120, highlight=False)


def main() -> None:
    """Run the benchmark and print a table for each size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 300_000], help="nodes in the store")
    parser.add_argument("--repeats", type=int, default=30, help="queries per figure")
    arguments = parser.parse_args()
    with throwaway_store() as store:
        filled = 0
        for size in sorted(arguments.sizes):
            filled = fill(store, filled, size)
            with timed() as clock, store.database.write() as connection:
                connection.execute(QUERIES["build_index"])
                connection.execute(QUERIES["take_statistics"])
                connection.execute(QUERIES["analyze_text"])
            console.print(f"statistics of words in {clock.seconds:.1f} s")
            for scope, condition in {"the store": None, "a filter": {"title": {"$lt": "bench:5"}}}.items():
                _report(f"{size:,} nodes, {scope}", _measure(store, arguments.repeats, condition))


def _measure(store: Store, repeats: int, condition: dict[str, Any] | None) -> dict[str, Any]:
    vectors = make_vectors(10_000_019, repeats + 2, 384)
    words = random.Random(1)
    # two rare words (each node begins with a number below 1,000) and two that are everywhere
    questions = [
        " ".join([*map(str, words.sample(range(1000), 2)), *words.choices(WORDS, k=2)]) for _ in range(repeats + 2)
    ]
    scope = None if condition is None else Jsonb(condition)
    with store.database.read() as connection:
        connection.prepare_threshold = None

        def rows(name: str, number: int) -> list[Any]:
            values = {"vector": vectors[number], "model": "synthetic", "query": questions[number], "k": 10}
            return connection.execute(QUERIES[name], {**values, "filter": scope}).fetchall()

        def call(name: str) -> Any:
            return lambda number: rows(name, number)

        connection.execute(QUERIES["set_index"])
        figures: dict[str, Any] = medians({name: call(name) for name in LINES}, repeats)
        exact = [set(rows("any_word_exactly", number)) for number in range(repeats)]
        found = [set(rows("any_word", number)) for number in range(repeats)]
        figures["agreement"] = sum(len(a & b) for a, b in zip(exact, found, strict=True)) / sum(map(len, exact))
        figures["fewest"] = min(len(rows("hybrid", number)) for number in range(repeats))
    return figures


def _report(title: str, figures: dict[str, Any]) -> None:
    table = Table("", "ms", "times the bare query", title=title, title_justify="left")
    for name, line in LINES.items():
        table.add_row(line, f"{figures[name]:.1f}", f"{figures[name] / figures['bare']:.1f}")
    console.print(table)
    console.print(
        f"any of four words: {figures['agreement']:.3f} of the ten best that an exact search gives;"
        f" hybrid: never fewer than {figures['fewest']} of 10 rows\n"
    )


if __name__ == "__main__":
    main()
