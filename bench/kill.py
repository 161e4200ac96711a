"""Kill -9 the ingesting process at random moments, continue each time, and compare with an undisturbed run.

    python -m bench.kill --moments 50 examples/documents/field-guide.docx

Each round ingests the documents into an empty database and kills the process again and again until one run finishes.
Then every row of every table (times left out, vectors rounded) must equal those of an undisturbed run, and the check of
the database must find nothing. Rounds continue until the moments are used up. The moments are spread over the duration
of an undisturbed run. Without --url a throw-away embedded server is used.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from bench.stores import compare, drop, dump, fresh, violations
from ragraph.database.connection import Database
from ragraph.ingest.jobs.request import IngestRequest
from ragraph.ingest.jobs.start import ingest_paths
from ragraph.server import EmbeddedServer

STALLED_S = 600


def main() -> None:
    """Run the command; exit code 1 if anything differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "paths", nargs="*", type=Path, default=[Path("examples/documents/field-guide.docx"), Path("tests/data/markup")]
    )
    parser.add_argument("--moments", type=int, default=50)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--url", help="server on which databases can be made")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with ExitStack() as stack:
        url = given.url
        if url is None:
            server = stack.enter_context(
                EmbeddedServer(Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))))
            )
            server.start(create=True)
            url = server.url("postgres")
        result = measure(url, given.paths, given.moments, random.Random(given.seed))
    result["seed"] = given.seed
    if given.json:
        print(json.dumps(result))
    else:
        for name, value in result.items():
            print(f"{name.replace('_', ' '):28} {value}")
    sys.exit(1 if result["differences"] or result["violations"] else 0)


def measure(server: str, paths: list[Path], moments: int, chance: random.Random) -> dict[str, Any]:
    """Return the number of kills, their moments, and the differences of the results."""
    # A fork of a process that has loaded everything, so that kills hit the work and not the imports.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["ragraph.ingest.jobs.start", "sentence_transformers"])
    names = [f"ragraph_kill_{os.getpid()}_{part}" for part in ("calm", "rough")]
    calm, rough = (fresh(server, name) for name in names)
    try:
        _run(context, calm, paths, None)  # the first run also loads what the fork server preloads
        calm = fresh(server, names[0])
        seconds = _run(context, calm, paths, None) or 0.0
        expected = dump(calm)
        kills = rounds = 0
        differences: list[str] = []
        broken = 0
        while kills < moments:
            rough = fresh(server, names[1])
            rounds += 1
            taken = 0.0
            while taken == 0.0:
                after = chance.uniform(0.02, 1.1) * seconds if kills < moments else None
                finished = _run(context, rough, paths, after)
                kills += finished is None
                taken = finished or 0.0
            differences += [f"round {rounds}: {line}" for line in compare(expected, dump(rough))]
            broken += violations(rough)
        return {
            "kills": kills,
            "rounds": rounds,
            "seconds_undisturbed": round(seconds, 2),
            "rows_compared": sum(map(len, expected.values())),
            "violations": broken,
            "differences": differences[:20],
        }
    finally:
        for name in names:
            drop(server, name)


def _run(context: Any, url: str, paths: list[Path], kill_after: float | None) -> float | None:
    """Ingest in a process; return the seconds it took, or None if it was killed before it was done."""
    begin = time.monotonic()
    process = context.Process(target=_ingest, args=(url, paths))
    process.start()
    process.join(STALLED_S if kill_after is None else kill_after)
    if process.is_alive():
        process.kill()
        process.join()
        if kill_after is None:
            raise SystemExit(f"a run did not end within {STALLED_S} s")
        return None
    if process.exitcode != 0:
        raise SystemExit(f"a run that nobody disturbed ended with exit code {process.exitcode}")
    return time.monotonic() - begin


def _ingest(url: str, paths: list[Path]) -> None:
    with Database(url) as database:
        report = ingest_paths(database, IngestRequest(paths=tuple(paths)))
    if not report.ok:
        print([file for file in report.files if file.status == "failed"], file=sys.stderr)
        sys.exit(3)


if __name__ == "__main__":
    main()
