"""Kill -9 and SIGSTOP processes of three jobs over the same files in one store, and check the files afterwards.

    python -m bench.leases --kills 200 --stops 50

Each round ingests the same small files into an empty database by three jobs at once, each with a process. Processes are
killed, and others resume their jobs; or they are stopped for up to three leases, and continued. When all faults of the
round have happened, the jobs run undisturbed to their end. Then every row of every table (times left out) must equal
those of an undisturbed run, every file of every job must be done, and each document must have been written by one job.
A count of all committed rows, kept by the database, must show that none was written twice. Files with an expired lease
are looked for all the time.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import psycopg

from bench.stores import HashModel, compare, drop, dump, fresh, violations
from ragraph.base.queries import read_queries
from ragraph.database.connection import Database
from ragraph.errors import IngestEndedError
from ragraph.ingest.jobs.request import IngestRequest
from ragraph.ingest.jobs.start import ingest_paths, plan_job, resume_job
from ragraph.server import EmbeddedServer

QUERIES = read_queries(Path(__file__).with_suffix(".sql"))
JOBS = 3
STALLED_S = 300.0
LEASE_S = 2.0
STARTS_S = 2.0
"""Seconds until a process that was started, or continued, is at work."""
PER_ROUND = 25
"""Faults per round."""


def main() -> None:
    """Run the command; exit code 1 if anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--stops", type=int, default=50)
    parser.add_argument("--files", type=int, default=150)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        papers = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ragraph-papers-")))
        _write_files(papers, given.files)
        server = stack.enter_context(EmbeddedServer(folder))
        server.start(create=True)
        result = measure(server.url("postgres"), papers, given.kills, given.stops, random.Random(given.seed))
    result |= {"files": given.files, "lease_s": LEASE_S, "seed": given.seed}
    if given.json:
        print(json.dumps(result))
    else:
        for name, value in result.items():
            print(f"{name.replace('_', ' '):36} {value}")
    wrong = ("violations", "differences", "files_not_done", "documents_written_by_two", "rows_written_twice")
    sys.exit(1 if any(result[name] for name in wrong) else 0)


def measure(server: str, papers: Path, kills: int, stops: int, chance: random.Random) -> dict[str, Any]:
    """Return the results of the files of all rounds.

    Args:
        server: URL of a server on which databases can be made.
        papers: folder with the files.
        kills: number of processes to kill, over all rounds.
        stops: number of processes to stop and continue.
        chance: decides which process, and when.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["ragraph.ingest.jobs.start"])
    names = (f"ragraph_calm_{os.getpid()}", f"ragraph_rough_{os.getpid()}")
    begin = time.monotonic()
    totals: dict[str, Any] = {
        "rounds": 0,
        "kills": 0,
        "stops": 0,
        "files_not_done": 0,
        "documents_written_by_two": 0,
        "rows_written_twice": 0,
        "taken_over": 0,
        "longest_beyond_a_lease_s": 0.0,
        "violations": 0,
        "differences": [],
        "reasons": [],
    }
    try:
        calm = fresh(server, names[0])
        with Database(calm) as database:
            ingest_paths(database, IngestRequest(paths=(papers,), model=HashModel()), workers=2)
        expected = dump(calm)
        faults = [signal.SIGKILL] * kills + [signal.SIGSTOP] * stops
        chance.shuffle(faults)
        while faults:
            rough = fresh(server, names[1])
            with psycopg.connect(rough, autocommit=True) as watcher:
                watcher.execute(QUERIES["count_what_is_written"])
                watcher.execute(QUERIES["count_nodes"])
                watcher.execute(QUERIES["count_vectors"])
                now, faults = faults[:PER_ROUND], faults[PER_ROUND:]
                left = _Round(context, rough, papers, now, chance, watcher).run()
                faults += left
                totals["rounds"] += 1
                totals["kills"] += now.count(signal.SIGKILL) - left.count(signal.SIGKILL)
                totals["stops"] += now.count(signal.SIGSTOP) - left.count(signal.SIGSTOP)
                for name in ("files_not_done", "documents_written_by_two", "rows_written_twice", "taken_over"):
                    totals[name] += watcher.execute(QUERIES[name]).fetchall()[0][0]
                totals["reasons"] += watcher.execute(QUERIES["reasons"]).fetchall()
            totals["longest_beyond_a_lease_s"] = max(totals["longest_beyond_a_lease_s"], _Round.longest)
            totals["differences"] += compare(expected, dump(rough))[:5]
            totals["violations"] += violations(rough)
            print(f"{totals['kills']} kills, {totals['stops']} stops", file=sys.stderr)
    finally:
        for name in names:
            drop(server, name)
    totals["rows_compared"] = sum(map(len, expected.values()))
    totals["longest_beyond_a_lease_s"] = round(totals["longest_beyond_a_lease_s"], 2)
    totals["seconds"] = round(time.monotonic() - begin, 1)
    return totals


@dataclass
class _Place:
    """A job and the process that works on it."""

    job_id: str
    process: Any
    wakes: float | None = None
    """When it continues, if it is stopped."""
    since: float = 0.0
    """When it was started or continued."""


class _Round:
    """Three jobs over the same files, until they are done."""

    longest = 0.0

    def __init__(
        self,
        context: Any,
        url: str,
        papers: Path,
        faults: list[signal.Signals],
        chance: random.Random,
        watcher: psycopg.Connection[Any],
    ) -> None:
        self._context, self._url, self._faults, self._chance = context, url, faults[:], chance
        self._watcher = watcher
        with Database(url) as database:
            request = IngestRequest(paths=(papers,), model=HashModel())
            jobs = [plan_job(database, request, lease_s=LEASE_S) for _ in range(JOBS)]
        self._places = [_Place(job_id, self._start(job_id), since=time.monotonic()) for job_id in jobs]

    def run(self) -> list[signal.Signals]:
        """Cause the faults, wait until all jobs have ended, and return the faults for which there was no time."""
        _Round.longest = 0.0
        deadline = time.monotonic() + STALLED_S
        strike = time.monotonic() + self._chance.uniform(1.0, 3.0)
        while open_places := [place for place in self._places if self._goes_on(place)]:
            now = time.monotonic()
            if now > deadline:
                raise SystemExit(f"jobs did not end within {STALLED_S} s")
            for place in open_places:
                if place.wakes is not None and now >= place.wakes:
                    os.kill(place.process.pid, signal.SIGCONT)
                    place.wakes, place.since = None, now
            struck = [place for place in open_places if place.wakes is None]
            if self._faults and struck and now >= strike:
                self._strike(self._chance.choice(struck))
                strike = now + self._chance.uniform(0.05, 1.5)
            for place in open_places:
                if place.wakes is None and now - place.since > STARTS_S:
                    self._look(place, now - place.since - STARTS_S)
            time.sleep(0.05)
        return self._faults

    def _goes_on(self, place: _Place) -> bool:
        """Return True if the job has a process; replace one that ended before the job did."""
        if place.process.is_alive():
            return True
        (status,) = self._watcher.execute(QUERIES["status"], {"job_id": place.job_id}).fetchall()[0]
        if status == "completed":
            return False
        place.process, place.wakes, place.since = self._start(place.job_id), None, time.monotonic()
        return True

    def _strike(self, place: _Place) -> None:
        fault = self._faults.pop()
        with suppress(ProcessLookupError):
            os.kill(place.process.pid, fault)
        if fault == signal.SIGSTOP:
            place.wakes = time.monotonic() + self._chance.uniform(0.5, 3) * LEASE_S
        else:
            place.process.join()

    def _look(self, place: _Place, at_work: float) -> None:
        """Record how long a file waits without an owner while a process of a job that lists it is at work."""
        (waited,) = self._watcher.execute(QUERIES["beyond_a_lease"], {"job_id": place.job_id}).fetchall()[0]
        _Round.longest = max(_Round.longest, min(waited, at_work))

    def _start(self, job_id: str) -> Any:
        process = self._context.Process(target=_go_on, args=(self._url, job_id))
        process.start()
        return process


def _go_on(url: str, job_id: str) -> None:
    psutil.Process().nice(5)
    with Database(url) as database, suppress(IngestEndedError):
        resume_job(database, job_id, model=HashModel(), workers=1)


def _write_files(folder: Path, number: int) -> None:
    for n in range(number):
        text = "\n\n".join(f"## Part {part} of {n}\n\nThe text of part {part} in file {n}." for part in range(4))
        (folder / f"paper-{n:04}.md").write_text(f"# Paper {n}\n\n{text}\n")


if __name__ == "__main__":
    main()
