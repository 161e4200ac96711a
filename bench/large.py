"""Searches in a store of a million nodes, compared with one of 50,000. `make bench-large`.

The first 50,000 nodes are added as documents of 1,000 nodes. Then the server copies their rows as other documents with
vectors of their own, because making documents is measured elsewhere (`bench.peers`, `bench.growth`). Searches within
sections ask the first documents at both sizes.

    python -m bench.large --nodes 1000000 --write bench/results/performance.md
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from bench.growth import SEARCHES, ask, build
from bench.processes import server_seconds
from bench.store import QUERIES as STORE_QUERIES
from bench.store import fill
from bench.synthetic import SyntheticModel, make_vectors
from bench.throwaway import throwaway_store
from ragraph.base.queries import read_queries
from ragraph.database.copying import Copier
from ragraph.ingest.vectors.embed import EMBEDDING_COLUMNS
from ragraph.ingest.vectors.index_aside import IndexAside

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph import Store
    from ragraph.schema.results import Model

QUERIES = read_queries(Path(__file__).parent / "large.sql")
FIRST = 50_000
BEGIN, END = "<!-- large: begin -->", "<!-- large: end -->"
_COPIED = ("publications", "documents", "pages", "components", "nodes", "relations")
console = Console(width=150, highlight=False)

Asked = tuple[dict[str, float], dict[str, float], dict[str, float]]
"""The result of ``bench.growth.ask``."""


def main() -> None:
    """Run the benchmark and print, or write, its table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=1_000_000, help="nodes in the store, a multiple of 50,000")
    parser.add_argument("--write", type=Path, help="put the table between the marks of this page")
    arguments = parser.parse_args()
    with throwaway_store() as store:
        fill(store, 0, FIRST)
        first = ask(store, SEARCHES)
        looked = [store.measure_index(SyntheticModel.name)]
        console.print(first)
        aside = IndexAside(store.database, SyntheticModel.name)
        aside.coming(10**9)
        begin = time.monotonic()
        for number in range(1, arguments.nodes // FIRST):
            multiply(store, number)
            console.print(f"{FIRST * (number + 1):,} nodes after {time.monotonic() - begin:.0f} s")
        aside.close()
        with store.database.write() as connection:
            connection.execute(STORE_QUERIES["analyze"])
        section = ask(store, ["section"])
        console.print(section)
        begin = time.monotonic()
        index = server_seconds(store, lambda: build(store))
        console.print(f"index: {index:.0f} s of the processor, {time.monotonic() - begin:.0f} s by the clock")
        last = ask(store, SEARCHES)
        looked += [model for model in store.models() if model.name == SyntheticModel.name]
    table = markdown(arguments.nodes, first, last, index, looked)
    console.print(table)
    if arguments.write:
        page = arguments.write.read_text()
        before, after = page.split(BEGIN)[0], page.split(END)[1]
        arguments.write.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}")


def multiply(store: Store, number: int) -> None:
    """Copy the first documents once more, with new vectors."""
    names = {"mark": f"_c{number}"}
    with store.database.write() as connection:
        for name in _COPIED:
            connection.execute(QUERIES[name], names)
        rows = connection.execute(QUERIES["vectors"], names).fetchall()
        vectors = make_vectors(1_000_003 * number, len(rows), SyntheticModel().dimensions)
        made = ((*row[:9], vector, *row[9:]) for row, vector in zip(rows, vectors, strict=True))
        Copier(connection).copy("embedding", EMBEDDING_COLUMNS, made)


def markdown(nodes: int, first: Asked, last: Asked, index: float, looked: Sequence[Model]) -> str:
    """Return the table, a line for each kind of search, and what was measured of the index at both sizes."""
    head = [
        f"ten nearest at {FIRST:,} and {nodes:,} nodes",
        *("ms of the server", "times", "p50 by the clock, ms", "recall"),
    ]
    lines = [head, ["---"] * len(head)]
    for name, title in SEARCHES.items():
        spent, clock, recall = ([part[name] for part in parts] for parts in zip(first, last, strict=True))
        lines.append(
            [
                title,
                " \\| ".join(f"{value:.2f}" for value in spent),
                f"{spent[1] / spent[0]:.2f}",
                " \\| ".join(f"{value:.1f}" for value in clock),
                " \\| ".join(f"{value:.3f}" for value in recall),
            ]
        )
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    took = f"{index:,.0f} s of the processor, {1000 * index / nodes:.2f} ms a node"
    measured = " and ".join(f"{model.ef_search:,} candidates (recall {model.index_recall:.3f})" for model in looked)
    return f"{table}\n\nThe index of {nodes:,} nodes took {took}, with its measuring, which chose {measured}."


if __name__ == "__main__":
    main()
