"""Compare kinds of vector indexes on vectors of real texts. `make bench-vector-indexes`.

    RAGRAPH_DATA=DIR python -m bench.vector_indexes [--vectors 50000] [--keep FILE.npy] [--write PAGE]

Texts are nodes of articles, contracts and chapters below RAGRAPH_DATA, in pieces of 400 characters, without duplicates,
embedded with the default model. Some are left out of the store and asked as questions.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import textwrap
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import psutil
from rich.progress import track

from bench.processes import server_seconds
from bench.throwaway import throwaway_store
from bench.timing import timed
from ragraph.base.queries import read_queries
from ragraph.errors import IngestError
from ragraph.ingest.reader_process.preflight import Limits
from ragraph.ingest.reader_process.worker import read_draft
from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.vectors import calibrating
from ragraph.models.embedding import load_model
from ragraph.schema.enums import Distance, IndexKind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ragraph import Store

QUERIES = read_queries(Path(__file__).parent / "vector_indexes.sql")
BEGIN, END = "<!-- indexes: begin -->", "<!-- indexes: end -->"
MODEL = "given"
FILES = (
    ("evidence_inference/xml", "*.nxml"),
    ("craft/nxml", "*.nxml"),
    ("cuad", "*.txt"),
    ("books/standardebooks", "*.xhtml"),
)
CHARACTERS = 400
CANDIDATES = (40, 60, 100, 150, 200)


def texts(data: Path, count: int) -> list[str]:
    """Return this many different texts of nodes, shuffled, always the same."""
    found: dict[str, None] = {}
    for folder, pattern in FILES:
        for path in track(sorted((data / folder).rglob(pattern)), folder, transient=True):
            try:
                draft = read_draft(path, ReadOptions(), Limits())
            except IngestError:
                continue
            pieces = (piece for node in draft.nodes for piece in textwrap.wrap(node.text, CHARACTERS))
            found |= dict.fromkeys(piece for piece in pieces if len(piece) > 40)
    made = sorted(found)
    random.Random(7).shuffle(made)
    return made[:count]


def embedded(data: Path, count: int, kept: Path | None) -> NDArray[np.float32]:
    """Return the vectors of this many texts, from a file if they were saved."""
    if kept is not None and kept.exists():
        return np.load(kept)[:count]  # type: ignore[no-any-return]
    given = texts(data, count)
    print(f"{len(given):,} texts of {sum(map(len, given)) / len(given):.0f} characters on average", flush=True)
    model = load_model(backend=os.environ.get("RAGRAPH_BACKEND", "auto"))
    parts = [model.encode_documents(given[start : start + 1024]) for start in track(range(0, len(given), 1024))]
    vectors: NDArray[np.float32] = np.concatenate(parts)
    if kept is not None:
        np.save(kept, vectors)
    return vectors


@dataclass(frozen=True)
class Kind:
    """Figures of a kind of index.

    Attributes:
        name: name of the kind.
        build: processor seconds of the server.
        size: MiB on disk.
        spent: processor milliseconds of the server per search of the whole store.
        clock: median milliseconds by the clock.
        recall: recall of the ten nearest, mean over the questions.
        least: the lowest of them.
    """

    name: str
    build: float
    size: float
    spent: float
    clock: float
    recall: float
    least: float


def measure(
    vectors: NDArray[np.float32], questions: NDArray[np.float32]
) -> tuple[list[Kind], dict[int, tuple[float, float]]]:
    """Return cost and recall of each kind of index on one store, one after the other; and ``by_candidates``."""
    best = np.argsort(-(questions @ vectors.T), axis=1, kind="stable")[:, :10]
    exact = [{f"cn_{number}" for number in found} for found in best]
    found: list[Kind] = []
    with throwaway_store() as store:
        fill(store, vectors)
        names = {"model": MODEL}
        for kind in IndexKind:
            build = server_seconds(store, partial(store.index_model, MODEL, kind.value))
            with store.database.write() as connection:
                connection.execute(QUERIES["analyze"])
                ((size,),) = connection.execute(QUERIES["index_bytes"], names).fetchall()
            found.append(Kind(kind.value, build, size / 2**20, *ask(store, questions, exact, 0)))
            if kind is IndexKind.HALFVEC:
                looked = by_candidates(store, vectors, questions)
        none = ask(store, questions[:20], exact, len(vectors))
        found.append(Kind("none: all compared", 0.0, 0.0, *none))
    return found, looked


def fill(store: Store, vectors: NDArray[np.float32]) -> None:
    """Add a node for each vector to an empty store."""
    names = {"model": MODEL, "dimensions": vectors.shape[1], "count": len(vectors)}
    with store.database.write() as connection:
        for made in ("model", "publications", "documents", "nodes"):
            connection.execute(QUERIES[f"make_{made}"], names)
        connection.execute(QUERIES["make_given"])
        with connection.cursor().copy(QUERIES["give"]) as copy:
            copy.set_types(["int4", "vector"])
            for number, vector in enumerate(vectors):
                copy.write_row((number, vector))
        connection.execute(QUERIES["fill"], names)


def by_candidates(
    store: Store, vectors: NDArray[np.float32], questions: NDArray[np.float32]
) -> dict[int, tuple[float, float]]:
    """Return recall by number of candidates: for questions, and for those that a store makes itself."""
    drawn = np.random.default_rng(1).choice(len(vectors), len(questions), replace=False)
    asked = (questions, calibrating.strayed(vectors[drawn], Distance.COSINE))
    with store.database.read() as connection:
        best = [calibrating.nearest(connection, MODEL, some, Distance.COSINE) for some in asked]

        def share(of: int, candidates: int) -> float:
            return calibrating.recall(connection, MODEL, asked[of], best[of], candidates)

        return {candidates: (share(0, candidates), share(1, candidates)) for candidates in CANDIDATES}


def ask(
    store: Store, questions: NDArray[np.float32], exact: Sequence[set[str]], exact_limit: int
) -> tuple[float, float, float, float]:
    """Return the last four figures of a ``Kind``: of searches that compare up to this many vectors one by one."""
    with store.database.read() as connection:
        backend = psutil.Process(connection.info.backend_pid)

        def search(vector: NDArray[np.float32]) -> set[str]:
            given = {"vector": vector, "model": MODEL, "exact_limit": exact_limit}
            return {node for (node,) in connection.execute(QUERIES["search"], given)}

        for vector in questions[:5]:
            search(vector)
        times, shares, before = [], [], sum(backend.cpu_times()[:2])
        for vector, best in zip(questions, exact, strict=False):
            with timed() as clock:
                nodes = search(vector)
            times.append(1000 * clock.seconds)
            shares.append(len(nodes & best) / 10)
        spent = 1000 * (sum(backend.cpu_times()[:2]) - before) / len(times)
    return spent, statistics.median(times), statistics.mean(shares), min(shares)


def markdown(kinds: Sequence[Kind], looked: Mapping[int, tuple[float, float]], vectors: int, questions: int) -> str:
    """Return the tables, one line per kind and one column per number of candidates."""
    lines = [
        f"{vectors:,} pieces of text, {questions} questions; processor time of the server.",
        "",
        "| index | build, s | MiB | a search, ms | by the clock, ms | recall@10 (worst question) |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for kind in kinds:
        made = (f"{kind.build:.1f}", f"{kind.size:.0f}") if kind.size else ("", "")
        figures = [*made, f"{kind.spent:.1f}", f"{kind.clock:.1f}", f"{kind.recall:.3f} ({kind.least:.1f})"]
        lines.append(f"| {' | '.join([kind.name, *figures])} |")
    lines += ["", f"| candidates of halfvec | {' | '.join(map(str, looked))} |", "| --- |" + " --- |" * len(looked)]
    for place, name in enumerate(("texts that the store does not have", "questions that it asks itself")):
        lines.append(f"| {name} | {' | '.join(f'{found[place]:.3f}' for found in looked.values())} |")
    return "\n".join(lines)


def main() -> None:
    """Measure, print, and write the tables if asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vectors", type=int, default=50_000)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--keep", type=Path, help="file of the vectors; made if it does not exist")
    parser.add_argument("--write", type=Path, help="put the table between the marks of this page")
    given = parser.parse_args()
    made = embedded(Path(os.environ["RAGRAPH_DATA"]), given.vectors + given.questions, given.keep)
    kinds, looked = measure(made[given.questions :], made[: given.questions])
    table = markdown(kinds, looked, len(made) - given.questions, given.questions)
    print(table)
    if given.write:
        page = given.write.read_text()
        before, after = page.split(BEGIN)[0], page.split(END)[1]
        given.write.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}")


if __name__ == "__main__":
    main()
