"""Cause faults in three jobs over the same documents and in everything they need; compare with an undisturbed run.

    python -m bench.chaos --faults 100

In each round, three jobs ingest copies of small real documents into an empty embedded store on a small disk of its
own. Two open the store, one connects through a proxy over TCP. Faults happen at random: jobs, readers, backends, the
postmaster and the watcher are killed (SIGKILL), or stopped and continued (SIGSTOP, SIGCONT). The disk is full, memory
is refused, connections are cut in the middle. A process that ends is replaced by one that resumes its job. After the
faults of a round, the jobs run undisturbed to their end, and failed files are tried once more. Then every row of every
table (times left out) and every stored original must equal those of an undisturbed run. No rule of the store may be
broken, and nothing may be left: processes, sessions, temporary files.
"""

from __future__ import annotations

import argparse
import itertools
import json
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import psycopg

import ragraph
from bench.chaos import commands
from bench.chaos.disk import own_disk
from bench.chaos.faults import LEASE_S, Faults, Scene
from bench.chaos.joining import go_on
from bench.chaos.papers import write_papers
from bench.chaos.proxy import Proxy
from bench.processes import files_below, tree, wait_gone
from bench.stores import HashModel, compare, dump, violations
from ragraph import server
from ragraph.base.queries import read_queries
from ragraph.errors import RagraphError
from ragraph.ingest.jobs.request import IngestRequest
from ragraph.ingest.jobs.start import ingest_paths, plan_job

QUERIES = read_queries(Path(__file__).parent.parent / "leases.sql")
PER_ROUND = 50
STALLED_S = 400.0
ENDS_S = 60.0
"""Seconds until the server of a store has ended after its last user."""


@dataclass
class Totals:
    """What was done and found."""

    faults: Counter[str] = field(default_factory=Counter)
    rounds: int = 0
    processes: int = 0
    retried: int = 0
    rows_compared: int = 0
    slowest_end_s: float = 0.0
    seconds: float = 0.0
    wrong: list[str] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)


def main() -> None:
    """Run the command; exit code 1 if anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--faults", type=int, default=100)
    parser.add_argument("--minutes", type=float, default=600.0, help="start no round after this time")
    parser.add_argument("--papers", type=int, default=48)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--only", nargs="*", metavar="KIND", help="only faults whose names begin with one of these")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--commands", nargs="*", metavar="COMMAND", help="instead disturb these; default all")
    given = parser.parse_args()
    if given.commands is not None:
        sys.exit(_disturb(given))
    with tempfile.TemporaryDirectory(prefix="ragraph-chaos-") as folder:
        top = Path(folder)
        top.chmod(0o755)
        write_papers(top / "papers", given.papers)
        totals = measure(top, given.faults, given.minutes * 60, random.Random(given.seed), given.only or [""])
    if given.json:
        print(json.dumps(totals.__dict__))
    else:
        show(totals, given.seed)
    sys.exit(1 if totals.wrong else 0)


def _disturb(given: argparse.Namespace) -> int:
    """Disturb commands in turn; return the exit code."""
    names = given.commands or list(commands.COMMANDS)
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="ragraph-chaos-") as folder:
        top = Path(folder)
        top.chmod(0o755)
        with ExitStack() as stack:
            chaos = stack.enter_context(commands.CommandChaos(top, random.Random(given.seed)))
            stack.callback(commands.show, chaos.tried)  # also of a run that is interrupted
            for name in itertools.cycle(names):
                struck = sum(found.faults.total() for found in chaos.tried.values())
                if struck >= given.faults or time.monotonic() > begin + given.minutes * 60:
                    break
                found = chaos.disturb(name, 1, given.only or commands.KINDS)
                said = f"{time.monotonic() - begin:.0f} s, {struck} faults before: {name}: {len(found.wrong)} wrong"
                print(said, *found.wrong, sep="\n", file=sys.stderr, flush=True)
    print(f"seed {given.seed}, {time.monotonic() - begin:.0f} s")
    return 1 if any(found.wrong for found in chaos.tried.values()) else 0


def show(totals: Totals, seed: int) -> None:
    """Print what was done and found."""
    for kind, number in sorted(totals.faults.items()):
        print(f"{kind:32} {number:6}")
    print(f"{'faults':32} {totals.faults.total():6}")
    for name in ("rounds", "processes", "retried", "rows_compared", "slowest_end_s", "seconds"):
        print(f"{name.replace('_', ' '):32} {round(getattr(totals, name)):6}")
    print(f"{'seed':32} {seed}")
    for reason, number in totals.reasons.most_common(12):
        print(f"{number:5} times: {reason}"[:200])
    for line in totals.wrong:
        print(f"wrong: {line}")
    print(f"{len(totals.wrong)} are wrong" if totals.wrong else "nothing is lost, stuck or left")


def measure(top: Path, faults: int, seconds: float, chance: random.Random, only: list[str]) -> Totals:
    """Cause faults until they are used up; stop at the first round after which something is wrong."""
    begin = time.monotonic()
    totals = Totals()
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["ragraph.ingest.jobs.start"])
    with own_disk(top, "calm") as home:
        with ragraph.open(home=home / "home") as store:
            request = IngestRequest(paths=(top / "papers",), model=HashModel())
            report = ingest_paths(store.database, request, assets=store.assets, workers=2)
            assert report.ok, report
            expected, kept = dump(store.database.url), sorted(originals(store))
        _wait_gone(home, totals)
    while totals.faults.total() < faults and time.monotonic() < begin + seconds and not totals.wrong:
        totals.rounds += 1
        most = min(PER_ROUND, faults - totals.faults.total())
        with own_disk(top, f"round-{totals.rounds}") as home:
            _Round(context, home, top / "papers", chance, totals).run(most, only)
            with ragraph.open(home=home / "home") as store:
                totals.wrong += compare(expected, found := dump(store.database.url))[:10]
                totals.wrong += [f"{broken} rules are broken"] if (broken := violations(store.database.url)) else []
                if sorted(originals(store)) != kept:
                    totals.wrong.append(f"{len(originals(store))} originals are kept, not {len(kept)}")
                totals.rows_compared += sum(map(len, found.values()))
            _wait_gone(home, totals)
            totals.wrong += [f"left in a temporary folder: {path}" for path in files_below(home / "tmp")]
            parts = [path for path in files_below(home / "home" / "assets") if path.endswith(".part")]
            totals.wrong += [f"left among the originals: {path}" for path in parts]
        print(f"{totals.faults.total()} faults, {len(totals.wrong)} wrong", file=sys.stderr, flush=True)
    totals.seconds = time.monotonic() - begin
    return totals


def originals(store: ragraph.Store) -> dict[str, int]:
    """Return the originals in a store, with their bytes."""
    assert store.assets is not None
    return store.assets.sizes()


def _wait_gone(home: Path, totals: Totals) -> None:
    """Wait until nothing runs in a folder; what stays is wrong."""
    begin = time.monotonic()
    totals.wrong += [f"still running: {line}" for line in wait_gone(home, ENDS_S)]
    totals.slowest_end_s = max(totals.slowest_end_s, time.monotonic() - begin)


@dataclass
class _Place:
    """A job and the process that works on it."""

    job_id: str
    proxied: bool
    process: Any


class _Round:
    """Three jobs over the same files, until they are done."""

    def __init__(self, context: Any, home: Path, papers: Path, chance: random.Random, totals: Totals) -> None:
        self._context, self._home, self._papers, self._chance, self._totals = context, home, papers, chance, totals
        self._server = server.EmbeddedServer(home / "home", timeout=LEASE_S * 3)
        self._said = home / "said"
        self._said.mkdir()

    def run(self, faults: int, only: list[str]) -> None:
        """Cause faults, wait until all jobs have ended, and retry failed files."""
        with ragraph.open(home=self._home / "home") as store:
            socket = Path(psycopg.conninfo.conninfo_to_dict(store.database.url)["host"]) / ".s.PGSQL.5432"  # type: ignore[arg-type]
            request = IngestRequest(paths=(self._papers,), model=HashModel())
            jobs = [plan_job(store.database, request, lease_s=LEASE_S) for _ in range(3)]
        with Proxy(socket) as proxy, self._server.start(create=False):
            self._url = f"postgresql://ragraph@127.0.0.1:{proxy.port}/ragraph?sslmode=disable&gssencmode=disable"
            places = [self._start(_Place(job_id, number == 0, None)) for number, job_id in enumerate(jobs)]
            own_disk = os.path.ismount(self._home)
            scene = Scene(self._home / "home", self._home if own_disk else None, proxy)
            made = Faults(scene, self._chance)
            self._strike(places, made, faults, only)
        for file in self._said.glob("*.txt"):
            if int(file.stem) not in made.refused:
                self._totals.wrong.append(f"a process ended with {file.read_text()[-600:]}")
        self._retry()

    def _strike(self, places: list[_Place], faults: Faults, number: int, only: list[str]) -> None:
        kinds = [kind for kind in faults.kinds if any(kind.startswith(begin) for begin in only)]
        deadline = time.monotonic() + STALLED_S
        strike = time.monotonic() + self._chance.uniform(1.0, 3.0)
        while open_places := [place for place in places if self._goes_on(place)]:
            now = time.monotonic()
            if now > deadline:
                self._totals.wrong.append(f"jobs did not end within {STALLED_S:g} s")
                faults.heal()
                for place in open_places:
                    self._tell_stuck(place)
                    place.process.kill()
                break
            faults.scene.jobs = [place.process.pid for place in open_places]
            if number and now >= strike:
                kind = self._chance.choice(kinds)
                if faults.strike(kind):
                    number -= 1
                    self._totals.faults[kind] += 1
                strike = now + self._chance.uniform(0.05, 1.0)
            time.sleep(0.05)
        faults.heal()

    def _tell_stuck(self, place: _Place) -> None:
        """Print what a process that does not end is doing, and the sessions of the server."""
        pid = place.process.pid
        os.kill(pid, signal.SIGUSR1)
        time.sleep(2)
        print(f"process {pid} stands at\n{(self._said / f'{pid}.stands').read_text()}", file=sys.stderr)
        print("below it", tree(pid)[1:], file=sys.stderr)
        with (
            suppress(psycopg.Error, RagraphError),
            psycopg.connect(self._server.url(), connect_timeout=5) as connection,
        ):
            for row in connection.execute(QUERIES["sessions"]):
                print(row, file=sys.stderr)

    def _goes_on(self, place: _Place) -> bool:
        """Return True if the job has a process; replace one that ended before the job did."""
        if place.process.is_alive():
            return True
        try:
            self._server.start(create=False)
            with psycopg.connect(self._server.url(), connect_timeout=5) as connection:
                ((status,),) = connection.execute(QUERIES["status"], {"job_id": place.job_id}).fetchall()
        except (psycopg.Error, RagraphError):
            return True
        if status == "completed":
            return False
        self._start(place)
        return True

    def _start(self, place: _Place) -> _Place:
        where = {"url": self._url} if place.proxied else {"home": self._home / "home"}
        arguments = (where, place.job_id, self._home / "tmp", self._said, self._home / "home" / "assets")
        place.process = self._context.Process(target=go_on, args=arguments)
        place.process.start()
        self._totals.processes += 1
        return place

    def _retry(self) -> None:
        """Ingest the folder once more, as users do after failures; record the reasons of the failures."""
        with (
            patch.object(tempfile, "tempdir", str(self._home / "tmp")),  # what the killed have left there goes now
            ragraph.open(home=self._home / "home") as store,
        ):
            for job in store.jobs():
                for file in store.job_files(job.id, "failed"):
                    self._totals.retried += 1
                    self._totals.reasons[(file.reason or "no reason").replace(str(self._home), "HOME")] += 1
            request = IngestRequest(paths=(self._papers,), model=HashModel())
            report = ingest_paths(store.database, request, assets=store.assets, workers=2)
            if not report.ok:
                self._totals.wrong += [f"{file.path}: {file.reason}" for file in report.files if file.reason][:5]


if __name__ == "__main__":
    main()
