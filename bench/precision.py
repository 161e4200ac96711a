"""Compare vectors in full and in half precision, on vectors of real texts. `make bench-precision`.

    RAGRAPH_DATA=DIR python -m bench.precision [--vectors 50000] [--keep FILE.npy]

Texts and questions are those of ``bench.vector_indexes``. The same store is asked in full precision, and then in half.
The nearest are always those of the full vectors, computed by numpy.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import numpy as np

from bench.throwaway import throwaway_store
from bench.vector_indexes import MODEL, QUERIES, ask, embedded, fill
from ragraph.database.precision import store_vectors

_COMPARED = 20
"""Number of questions for which all vectors are compared."""


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vectors", type=int, default=50_000)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--keep", type=Path, help="file of the vectors; made if it does not exist")
    given = parser.parse_args()
    made = embedded(Path(os.environ["RAGRAPH_DATA"]), given.vectors + given.questions, given.keep)
    questions, vectors = made[: given.questions], made[given.questions :]
    best = np.argsort(-(questions @ vectors.T), axis=1, kind="stable")[:, :10]
    exact = [{f"cn_{number}" for number in found} for found in best]
    print("| vectors | bytes of a row | search | ms of the server | by the clock | recall@10 (worst question) |")
    print("| --- | --- | --- | --- | --- | --- |")
    with throwaway_store() as store:
        fill(store, vectors)
        for half in (False, True):
            if half:
                store_vectors(store.database.url, half=True)
            store.index_model(MODEL, "halfvec")
            with store.database.write() as connection:
                connection.execute(QUERIES["analyze"])
                ((size,),) = connection.execute(QUERIES["table_bytes"]).fetchall()
            name = "half" if half else "full"
            for search, some, limit in (
                ("by the index", questions, 0),
                ("all compared", questions[:_COMPARED], len(vectors)),
            ):
                spent, clock, recall, least = ask(store, some, exact, limit)
                figures = (
                    f"{size / len(vectors):,.0f} | {search} | {spent:.1f} | {clock:.1f} | {recall:.3f} ({least:.1f})"
                )
                print(f"| {name} | {figures} |", flush=True)


if __name__ == "__main__":
    main()
