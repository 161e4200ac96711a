"""How the store grows: cost of a document and a search at 1,000, 10,000 and 100,000 documents. `make bench-growth`.

First twenty documents of 1,000 nodes are added, for the searches within sections. Then come documents of ten nodes, cut
out of real articles, with the number of the document after each text, and with vectors around 300 topics. They are
added as a program adds many (``Store.add_many``), with the index dropped as in a run of this size. Then the index is
built, and the last hundred documents are inserted into it. Costs are in processor time, of this process and of the
server, because other work of the machine would affect the clock.

    python -m bench.growth --documents 1000 10000 100000 --write bench/results/performance.md \\
        --plot bench/results/growth.svg
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import psutil
from rich.console import Console
from rich.progress import track

from bench.processes import server_seconds
from bench.store import QUERIES, fill
from bench.synthetic import SyntheticModel, make_vectors
from bench.throwaway import throwaway_store
from ragraph.base.queries import read_queries
from ragraph.ingest.draft import DraftDocument, DraftNode
from ragraph.ingest.reader_process.preflight import Limits
from ragraph.ingest.reader_process.worker import read_draft
from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.supplied import adding
from ragraph.ingest.vectors import maintenance
from ragraph.ingest.vectors.index_aside import IndexAside

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ragraph import Store

SIZES = read_queries(Path(__file__).parent / "growth.sql")
BOOKS, BOOK_NODES = 20, 1000
NODES = 10
STANDING = 100
"""Documents of each size that are added to the existing index."""
BEGIN, END = "<!-- growth: begin -->", "<!-- growth: end -->"
SEARCHES = {"section": "within a section", "global": "whole store", "bare": "pgvector alone, whole store"}
CHORES = {
    "list": "the first 100 documents listed, ms of the server",
    "facets": "facets, ms of the server",
    "check": "everything checked, ms of the server per document",
    "delete": "a document deleted, ms of the server",
}
_AT_ONCE = 1000
"""Documents whose vectors are generated together."""
_DELETED = 20
_ROUNDS = 200
_EXACT_ROUNDS = 20
console = Console(width=150, highlight=False)


@dataclass
class Point:
    """Figures at one size.

    Attributes:
        documents: number of documents in the store.
        nodes: number of nodes in the store.
        client: milliseconds of processor time of this process per document added since the last point, without
            generating it.
        server: the same of the server, without the index.
        standing: the same as ``server``, with an existing index.
        index: milliseconds of processor time per vector in the store for building the index.
        memory: maximum MiB of this process so far.
        size: kB on disk per node, indexes included.
        searches: milliseconds of processor time of the server per search, by kind.
        clocks: median milliseconds by the clock, by kind.
        recall: recall of the ten nearest, by kind.
        chores: milliseconds of processor time of the server, by kind (of ``CHORES``).
    """

    documents: int
    nodes: int
    client: float
    server: float
    standing: float
    index: float
    memory: float
    size: float
    searches: dict[str, float]
    clocks: dict[str, float]
    recall: dict[str, float]
    chores: dict[str, float]


def main() -> None:
    """Run the benchmark, print its table, and write it and its plot if asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, nargs="+", default=[1_000, 10_000, 100_000], help="sizes of the store")
    parser.add_argument("--articles", type=Path, help="folder of JATS files; default craft/nxml of $RAGRAPH_DATA")
    parser.add_argument("--write", type=Path, help="put the table between the marks of this page")
    parser.add_argument("--plot", type=Path, help="draw it as SVG; needs matplotlib")
    arguments = parser.parse_args()
    folder = arguments.articles or Path(os.environ["RAGRAPH_DATA"]) / "craft" / "nxml"
    texts = real_nodes(folder)
    with throwaway_store() as store:
        fill(store, 0, BOOKS * BOOK_NODES)
        held, points = 0, []
        for documents in sorted(arguments.documents):
            points.append(grow(store, texts, held, documents))
            held = documents
            console.print(points[-1])
    table = markdown(points)
    console.print(table)
    if arguments.write:
        page = arguments.write.read_text()
        before, after = page.split(BEGIN)[0], page.split(END)[1]
        arguments.write.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}")
    if arguments.plot:
        plot(points, arguments.plot)


def real_nodes(folder: Path) -> list[DraftNode]:
    """Return the nodes with text of all JATS files of a folder, one article after the other."""
    found: list[DraftNode] = []
    for path in track(sorted(folder.glob("*.nxml")), "reading", console=console, transient=True):
        found += [node for node in read_draft(path, ReadOptions(), Limits()).nodes if node.text]
    if len(found) < NODES:
        raise SystemExit(f"{folder} holds no articles (*.nxml)")
    return found


class Drafts:
    """Documents of ten nodes each, a heading and the text after it somewhere in the articles, with a vector per node.

    Attributes:
        seconds: processor seconds that the consuming thread spent on generating them.
    """

    def __init__(self, nodes: Sequence[DraftNode], numbers: range) -> None:
        self._nodes = nodes
        self._numbers = numbers
        self.seconds = 0.0

    def __iter__(self) -> Iterator[DraftDocument]:
        """Yield one after the other; vectors are generated for a thousand at a time."""
        for first in range(self._numbers.start, self._numbers.stop, _AT_ONCE):
            begin = time.thread_time()
            numbers = range(first, min(first + _AT_ONCE, self._numbers.stop))
            vectors = make_vectors(first, NODES * len(numbers), SyntheticModel().dimensions)
            for number in numbers:
                made = self._draft(number, vectors[NODES * (number - first) :])
                self.seconds += time.thread_time() - begin
                yield made
                begin = time.thread_time()

    def _draft(self, number: int, vectors: Any) -> DraftDocument:
        start = number * 7 % (len(self._nodes) - NODES)
        chosen = [
            DraftNode(
                key=str(place),
                type=node.type,
                text=f"{node.text} {number}",
                level=node.level,
                vectors={SyntheticModel.name: vectors[place]},
            )
            for place, node in enumerate(self._nodes[start : start + NODES])
        ]
        return DraftDocument(id=f"dl_growth_{number:07}", nodes=chosen)


def grow(store: Store, nodes: Sequence[DraftNode], held: int, documents: int) -> Point:
    """Add documents up to this number, build the index, search, and return the figures."""
    before = documents - min(STANDING, documents - held)
    with _aside(store):
        client, server = _add(store, nodes, range(held, before))
    index = server_seconds(store, lambda: maintenance.build_index(store.database, SyntheticModel.name))
    built = _vectors(store)
    _, standing = _add(store, nodes, range(before, documents))
    with store.database.write() as connection:
        connection.execute(QUERIES["analyze"])
        held_nodes, _, size = connection.execute(SIZES["sizes"]).fetchone()  # type: ignore[misc]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    spent, clocks, recall = ask(store, SEARCHES)
    return Point(
        documents + BOOKS,
        held_nodes,
        client,
        server,
        standing,
        1000 * index / built,
        memory,
        int(size) / held_nodes / 1000,
        spent,
        clocks,
        recall,
        _do_chores(store, nodes, documents),
    )


def _do_chores(store: Store, nodes: Sequence[DraftNode], documents: int) -> dict[str, float]:
    """Return the processor time of the server, in ms, by kind of ``CHORES``; documents deleted are added again."""
    spare = [f"dl_growth_{number:07}" for number in range(documents - _DELETED, documents)]

    def check() -> None:
        if found := store.check():
            raise SystemExit(f"not sound: {found[0]}")

    units: dict[str, tuple[int, Callable[[], object]]] = {
        "list": (1, lambda: store.documents(limit=100)),
        "facets": (1, store.facets),
        "check": (documents + BOOKS, check),
        "delete": (len(spare), lambda: [store.delete(document) for document in spare]),
    }
    spent = {name: 1000 * server_seconds(store, unit) / count for name, (count, unit) in units.items()}
    _add(store, nodes, range(documents - _DELETED, documents))
    return spent


@contextmanager
def _aside(store: Store) -> Iterator[None]:
    """Drop the index, as a run does that expects this many vectors."""
    aside = IndexAside(store.database, SyntheticModel.name)
    aside.coming(10**9)
    try:
        yield
    finally:
        aside.close()


def build(store: Store) -> None:
    """Build the index of all vectors again, as after a large run; an existing one is dropped."""
    with _aside(store):
        pass
    maintenance.build_index(store.database, SyntheticModel.name)


def _vectors(store: Store) -> int:
    with store.database.read() as connection:
        _, vectors, _ = connection.execute(SIZES["sizes"]).fetchone()  # type: ignore[misc]
    return int(vectors)


def _add(store: Store, nodes: Sequence[DraftNode], numbers: range) -> tuple[float, float]:
    """Add documents; return the milliseconds of processor time of this process and of the server for each."""
    if not numbers:
        return 0.0, 0.0
    made = Drafts(nodes, numbers)
    taken: list[float] = []

    def add() -> None:
        begin = time.process_time()
        report = store.add_many(
            track(made, total=len(numbers), console=console, transient=True), model=SyntheticModel()
        )
        taken.append(time.process_time() - begin - made.seconds)
        failed = [file.reason for file in report.files if file.status != "added"]
        if failed or report.warnings:
            raise SystemExit(f"not loaded: {[*failed, *report.warnings][0]}")

    # built separately, so that its cost is known
    with mock.patch.object(adding, "build_index", lambda *_: ()):
        server = server_seconds(store, add)
    return 1000 * taken[0] / len(numbers), 1000 * server / len(numbers)


def ask(store: Store, names: Iterable[str]) -> tuple[dict[str, float], dict[str, float], dict[str, float]]:
    """Return processor time of the server and median by the clock in ms, and recall, by kind (of ``SEARCHES``)."""
    vectors = make_vectors(10_000_019, _ROUNDS, SyntheticModel().dimensions)
    books = [f"dl_bench_{number:06}" for number in range(BOOKS)]
    sections = [
        {"document_id": book, "component_id": entry.component_id}
        for book in books
        for entry in store.toc(book)
        if entry.nodes >= 20
    ]
    spent, clocks, recall = {}, {}, {}
    with store.database.read() as connection:
        connection.prepare_threshold = None
        connection.execute(QUERIES["set_index"])
        backend = psutil.Process(connection.info.backend_pid)

        def rows(name: str, number: int) -> list[Any]:
            scope = sections[number % len(sections)] if name.startswith("section") else {}
            given = {"vector": vectors[number], "model": SyntheticModel.name, "k": 10, **scope}
            return connection.execute(QUERIES[name], given).fetchall()

        for name in names:
            for number in range(5):
                rows(name, number)
            before, times = sum(backend.cpu_times()[:2]), []
            for number in range(_ROUNDS):
                begin = time.perf_counter()
                rows(name, number)
                times.append(time.perf_counter() - begin)
            spent[name] = 1000 * (sum(backend.cpu_times()[:2]) - before) / _ROUNDS
            clocks[name] = 1000 * statistics.median(times)
            exact = "section_exact" if name == "section" else "global_exact"
            shares = [len(set(rows(name, number)) & set(rows(exact, number))) / 10 for number in range(_EXACT_ROUNDS)]
            recall[name] = statistics.mean(shares)
    return spent, clocks, recall


def markdown(points: Sequence[Point]) -> str:
    """Return the table, one line per figure, one column per size."""
    lines: list[tuple[str, list[str]]] = [
        ("nodes", [f"{point.nodes:,}" for point in points]),
        ("a document added, ms of the client", [f"{point.client:.1f}" for point in points]),
        ("a document added, ms of the server", [f"{point.server:.1f}" for point in points]),
        ("the same into the index that stands", [f"{point.standing:.1f}" for point in points]),
        ("index rebuilt, ms a vector", [f"{point.index:.2f}" for point in points]),
        ("most memory of the client, MiB", [f"{point.memory:,.0f}" for point in points]),
        ("on disk, kB a node", [f"{point.size:.1f}" for point in points]),
    ]
    for name, title in SEARCHES.items():
        told = [f"{p.searches[name]:.2f} \\| {p.clocks[name]:.2f} \\| {p.recall[name]:.3f}" for p in points]
        lines.append((f"ten nearest, {title}: ms of the server \\| by the clock \\| recall", told))
    lines += [(title, [f"{point.chores[name]:.2f}" for point in points]) for name, title in CHORES.items()]
    head = ["documents", *[f"{point.documents:,}" for point in points]]
    made = [head, ["---"] * len(head), *[[name, *cells] for name, cells in lines]]
    return "\n".join(f"| {' | '.join(line)} |" for line in made)


def plot(points: Sequence[Point], path: Path) -> None:
    """Draw the cost of a document and of a search over the number of documents, on logarithmic axes."""
    from matplotlib import pyplot as plt

    sizes = [point.documents for point in points]
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
    left.plot(sizes, [point.client for point in points], "o-", label="client")
    left.plot(sizes, [point.server for point in points], "o-", label="server")
    left.plot(sizes, [point.standing for point in points], "o-", label="server, into the index")
    left.set(title="A document of ten nodes added", ylabel="ms of processor time", ylim=(0, None))
    for name, title in SEARCHES.items():
        right.plot(sizes, [point.searches[name] for point in points], "o-", label=title)
    right.set(title="Ten nearest", ylabel="ms of the server", ylim=(0, None))
    for axes in (left, right):
        axes.set(xscale="log", xlabel="documents in the store")
        axes.legend(frameon=False)
        axes.grid(alpha=0.3)
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    main()
