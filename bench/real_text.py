"""Cost of searches over real text, under filters on metadata and in one long document. `make bench-real-text`.

Documents of ten nodes are cut out of real articles, as for ``bench.growth``; one document has 5,000 nodes. Queries are
the first twelve words of passages: by words, hybrid, and under filters on metadata. Vectors are synthetic. Costs are in
processor time of the server, in milliseconds per search, because other work of the machine would affect the clock.

    python -m bench.real_text --documents 10000 --write bench/results/performance.md
"""

from __future__ import annotations

import argparse
import os
import random
import re
import statistics
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
from psycopg.types.json import Jsonb
from rich.console import Console

from bench.growth import Drafts, build, real_nodes
from bench.hybrid import QUERIES as SEARCHES
from bench.store import QUERIES
from bench.synthetic import SyntheticModel, make_vectors
from bench.throwaway import throwaway_store
from ragraph.base.queries import read_queries
from ragraph.ingest.draft import DraftDocument, DraftMetadata

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragraph import Store
    from ragraph.ingest.draft import DraftNode

EXACT = read_queries(Path(__file__).parent / "real_text.sql")
LONG, LONG_NODES = "dl_long", 5000
WORDS = 12
BEGIN, END = "<!-- real text: begin -->", "<!-- real text: end -->"
LINES = {
    "bare": "pgvector alone, whole store",
    "vector": "by vectors, whole store",
    "all_words": "by words, all of twelve",
    "any_word": "by words, any of twelve",
    "hybrid": "hybrid",
    "equal": "by vectors, a key of the metadata equal to one value",
    "in_ten": "by vectors, a key in ten values (`$in`)",
    "in_half": "by vectors, a key in values of half of the documents (`$in`)",
    "long": "by vectors, a document of 5,000 nodes",
    "long_bare": "pgvector alone, exact, the same document",
}
console = Console(width=120, highlight=False)


def main() -> None:
    """Run the benchmark, print its table, and write it if asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=10_000, help="documents of ten nodes")
    parser.add_argument("--repeats", type=int, default=50, help="searches per line")
    parser.add_argument("--articles", type=Path, help="folder of JATS files; default craft/nxml of $RAGRAPH_DATA")
    parser.add_argument("--write", type=Path, help="put the table between the marks of this page")
    arguments = parser.parse_args()
    nodes = real_nodes(arguments.articles or Path(os.environ["RAGRAPH_DATA"]) / "craft" / "nxml")
    with throwaway_store() as store:
        report = store.add_many(given(nodes, arguments.documents), model=SyntheticModel())
        if failed := [file.reason for file in report.files if file.status != "added"]:
            raise SystemExit(f"not loaded: {failed[0]}")
        build(store)
        with store.database.write() as connection:
            connection.execute(SEARCHES["take_statistics"])
            connection.execute(QUERIES["analyze"])
        table = markdown(ask(store, nodes, arguments.documents, arguments.repeats))
    head = f"{sum(file.nodes for file in report.files):,} nodes of {len(report.files):,} documents."
    table = f"{head}\n\n{table}"
    console.print(table)
    if arguments.write:
        page = arguments.write.read_text()
        before, after = page.split(BEGIN)[0], page.split(END)[1]
        arguments.write.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}")


def given(nodes: Sequence[DraftNode], documents: int) -> Iterator[DraftDocument]:
    """Yield the documents, each with its number in the metadata, and the long one."""
    for number, draft in enumerate(Drafts(nodes, range(documents))):
        yield draft.model_copy(update={"metadata": DraftMetadata(extra={"number": number})})
    texts = [node for draft in Drafts(nodes, range(documents, documents + LONG_NODES // 10)) for node in draft.nodes]
    yield DraftDocument(
        id=LONG, nodes=[node.model_copy(update={"key": str(place)}) for place, node in enumerate(texts)]
    )


def questions(nodes: Sequence[DraftNode], count: int) -> list[str]:
    """Return the first words of passages, chosen by a seed."""
    passages = [" ".join(re.findall(r"\w+", node.text)[:WORDS]) for node in nodes]
    return random.Random(1).sample([text for text in passages if len(text.split()) == WORDS], count)


def ask(store: Store, nodes: Sequence[DraftNode], documents: int, repeats: int) -> dict[str, tuple[float, float]]:
    """Return, for each line, processor time of the server and median by the clock, in milliseconds per search."""
    vectors = make_vectors(10_000_019, repeats, SyntheticModel().dimensions)
    texts = questions(nodes, repeats)
    halves = [*range(0, documents, 2)]

    def scope(name: str, number: int) -> dict[str, Any] | None:
        match name:
            case "equal":
                return {"number": number * 7 % documents}
            case "in_ten":
                return {"number": {"$in": [(number * 7 + place) % documents for place in range(10)]}}
            case "in_half":
                return {"number": {"$in": halves}}
        return None

    found = {}
    with store.database.read() as connection:
        connection.prepare_threshold = None
        backend = psutil.Process(connection.info.backend_pid)

        def search(name: str, number: int) -> list[Any]:
            chosen = scope(name, number)
            names = {"vector": vectors[number], "model": SyntheticModel.name, "query": texts[number], "k": 10}
            names |= {"filter": None if chosen is None else Jsonb(chosen), "document_id": LONG}
            statement = EXACT.get(name) or SEARCHES["vector" if chosen is not None else name]
            return connection.execute(statement, names).fetchall()

        connection.execute(SEARCHES["set_index"])
        for name in LINES:
            for number in range(3):
                search(name, number)
            before, times = sum(backend.cpu_times()[:2]), []
            for number in range(repeats):
                begin = time.perf_counter()
                rows = search(name, number)
                times.append(time.perf_counter() - begin)
                if len(rows) < 10 and name not in ("all_words", "equal"):  # there are fewer
                    raise SystemExit(f"{LINES[name]}: {len(rows)} rows")
            spent = 1000 * (sum(backend.cpu_times()[:2]) - before) / repeats
            found[name] = (spent, 1000 * statistics.median(times))
    return found


def markdown(found: dict[str, tuple[float, float]]) -> str:
    """Return the table, a line for each kind of search."""
    lines = ["| ten best | ms of the server | p50 by the clock, ms |", "| --- | --- | --- |"]
    lines += [f"| {LINES[name]} | {spent:.1f} | {clock:.1f} |" for name, (spent, clock) in found.items()]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
