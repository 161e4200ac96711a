"""Upgrade a large store from before the revision that rewrites all nodes; print how long readers waited.

    python -m bench.upgrade --nodes 200000

The store is synthetic, on a throw-away embedded server. During the upgrade, a reader asks for a node, its document and
its relations, again and again. The longest time of one question is the time it was blocked.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from threading import Event, Thread

import psycopg

from bench.store import fill
from bench.throwaway import throwaway_store
from bench.timing import timed
from ragraph.base.queries import read_queries
from ragraph.database import migrate

QUERIES = read_queries(Path(__file__).parent / "upgrade.sql")
BEFORE = "0009"


def main() -> None:
    """Run the benchmark; exit code 1 if a reader waited for longer than a second."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=200_000)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with throwaway_store() as store:
        filled = 0
        while filled < given.nodes:
            filled = fill(store, filled, min(filled + 20_000, given.nodes))
        url = store.database.url
        store.database.close()
        migrate.downgrade(url, BEFORE)
        waits: list[float] = []
        ended = Event()
        reader = Thread(target=_read, args=(url, waits, ended))
        reader.start()
        try:
            with timed() as clock:
                migrate.upgrade(url, lambda words: print(words, file=sys.stderr))
        finally:
            ended.set()
            reader.join()
        with psycopg.connect(url) as connection:
            (nodes,) = connection.execute(QUERIES["nodes"]).fetchone() or (0,)
    waits.sort()
    result = {
        "nodes": nodes,
        "upgrade_s": round(clock.seconds, 1),
        "questions": len(waits),
        "longest_wait_s": round(waits[-1], 3),
        "second_longest_s": round(waits[-2], 3),
        "median_s": round(waits[len(waits) // 2], 4),
    }
    print(json.dumps(result) if given.json else "\n".join(f"{name:16} {value}" for name, value in result.items()))
    sys.exit(0 if nodes >= given.nodes and waits[-1] <= 1 else 1)


def _read(url: str, waits: list[float], ended: Event) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        while not ended.wait(0.005):
            with timed() as clock:
                connection.execute(QUERIES["read"]).fetchall()
            waits.append(clock.seconds)


if __name__ == "__main__":
    main()
