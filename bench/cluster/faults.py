"""Faults during ``ragraph cluster distribute``, compared with the store before it.

    RAGRAPH_CITUS_SOURCE=~/citus python -m bench.cluster.faults --faults 50

In each round a small store is distributed over two workers. Up to six faults strike at random moments: the command, or
a session of the coordinator or of a worker, is killed or stopped; one of the three servers is killed, and started again
after a while. The command runs again until it ends well. Then all rows must be those of the store before. All shards
must be on the workers, and nothing else: no row on the coordinator, no table of a distribution that was broken off.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg import sql

import ragraph
from bench.chaos.faults import Faults, Scene
from bench.chaos.papers import write_papers
from bench.chaos.running import Running, processes
from bench.cluster.build import build
from bench.cluster.nodes import CLUSTER, PLAIN, Cluster, Node, cluster
from bench.stores import HashModel, compare, dump, violations
from bench.throwaway import drop_database
from ragraph.database import migrate

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST = 6
"""Most faults of a round."""
LONGEST_S = 2.0
STALLED_S = 240.0
KINDS = ("kill a job", "stop a job", "kill a backend", "stop a backend", "kill the postmaster")
_LEFT = """
    SELECT c.relname
    FROM pg_class AS c
    WHERE
        c.relnamespace IN (SELECT n.oid FROM pg_namespace AS n WHERE n.nspname LIKE 'ragraph%%')
        AND c.relkind = 'r' AND c.relname ~ '_[0-9]{6,}$'
        AND NOT split_part(c.relname, '_', -1)::bigint = ANY (%s::bigint[])
"""
"""Tables of shards that the cluster does not know."""


@dataclass
class Tried:
    """What was done, and found."""

    faults: Counter[str] = field(default_factory=Counter)
    rounds: int = 0
    runs: int = 0
    rows: int = 0
    wrong: list[str] = field(default_factory=list)


def main() -> None:
    """Run the command; exit code 1 if anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--faults", type=int, default=50)
    parser.add_argument("--minutes", type=float, default=600.0, help="start no round after this time")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--build", type=Path, default=Path(".cluster"), help="folder where Citus is or will be built")
    given = parser.parse_args()
    programs = build(given.build.resolve())
    tried, begin = Tried(), time.monotonic()
    with tempfile.TemporaryDirectory() as folder, cluster(programs, Path(folder) / "nodes") as started:
        rounds = _Rounds(started, Path(folder), random.Random(given.seed), tried)
        while tried.faults.total() < given.faults and time.monotonic() < begin + given.minutes * 60 and not tried.wrong:
            rounds.run()
            print(f"{tried.faults.total()} faults, {len(tried.wrong)} wrong", file=sys.stderr, flush=True)
    kinds = ", ".join(f"{kind} {number}" for kind, number in sorted(tried.faults.items()))
    print(f"{tried.faults.total()} faults in {tried.rounds} rounds, {tried.runs} runs, {tried.rows:,} rows: {kinds}")
    for line in tried.wrong:
        print(f"wrong: {line}")
    print(f"seed {given.seed}, {time.monotonic() - begin:.0f} s, {len(tried.wrong)} wrong")
    sys.exit(1 if tried.wrong else 0)


class _Rounds:
    """Distributes copies of one store."""

    def __init__(self, started: Cluster, folder: Path, chance: random.Random, tried: Tried) -> None:
        self._cluster, self._folder, self._chance, self.tried = started, folder, chance, tried
        self._context = processes()
        write_papers(folder / "papers", 6)
        os.environ["RAGRAPH_ASSETS"] = str(folder / "assets")
        migrate.upgrade(started.url(PLAIN))
        with ragraph.open(started.url(PLAIN)) as store:
            assert store.ingest(folder / "papers", model=HashModel()).ok
            self._lines = list(store.export())

    def run(self) -> None:
        """Distribute a new copy, disturb it, and compare."""
        tried = self.tried
        tried.rounds += 1
        expected = self._renew()
        left, done, struck, said = self._chance.randint(1, MOST), False, list[str](), ""
        for _ in range(20):
            run, hit = self._once(left)
            tried.runs += 1
            tried.faults.update(hit)
            struck += hit
            left = max(0, left - max(1, len(hit)))
            said = run.said[-1500:]
            if "Traceback" in said or run.code not in (0, 1, -9):
                tried.wrong.append(f"{struck}: exit code {run.code}, {said}")
            if run.code == 0:
                done = True
                break
        url = self._cluster.url(CLUSTER, self._role)
        found = [] if done else [f"it cannot be done any more: {said}"]
        rows = dump(url)
        found += compare(expected, rows)[:6] + self._left()
        if broken := violations(url):
            found.append(f"{broken} rules are broken")
        tried.rows += sum(map(len, rows.values()))
        tried.wrong += [f"{', '.join(struck)}: {line}" for line in found]

    def _once(self, faults: int) -> tuple[Running, list[str]]:
        """Run the command once, and strike at most so many times."""
        said = self._folder / f"said-{self.tried.runs}"
        environment = {"RAGRAPH_DATABASE_URL": self._cluster.url(CLUSTER, self._role)}
        run = Running(self._context, ["cluster", "distribute", "--shards", "4"], environment, said)
        made = [Faults(Scene(node.data.parent, None, None, [run.pid]), self._chance, LONGEST_S) for node in self._nodes]
        hit: list[str] = []
        begin = time.monotonic()
        moment = begin + self._chance.uniform(0.05, 5)
        down: dict[Node, float] = {}
        while not run.ended:
            now = time.monotonic()
            if now > begin + STALLED_S:
                run.kill()
                raise SystemExit(f"it is stuck after {hit}: {run.said}")
            for node in [node for node, back in down.items() if now >= back]:
                self._start(node)
                del down[node]
            if len(hit) < faults and now >= moment:
                place, kind = self._chance.randrange(len(made)), self._chance.choice(KINDS)
                if made[place].strike(kind):
                    hit.append(kind if "job" in kind else f"{kind} of {'a worker' if place else 'the coordinator'}")
                    if kind == "kill the postmaster":
                        down[self._nodes[place]] = now + self._chance.uniform(0, LONGEST_S)
                moment = now + self._chance.uniform(0.1, 2)
            time.sleep(0.01)
        for faulty in made:
            faulty.heal()
        for node in down:
            self._start(node)
        return run, hit

    @property
    def _role(self) -> str:
        return f"librarian_{self.tried.rounds}"

    @property
    def _nodes(self) -> Sequence[Node]:
        return self._cluster.nodes

    def _start(self, node: Node) -> None:
        """Start a server that was killed, once its orphans have gone."""
        for left in reversed(range(100)):
            try:
                node.start()
            except subprocess.CalledProcessError:  # an orphan that is stopped still has the memory that they share
                if not left:
                    raise
                time.sleep(0.2)
            else:
                return

    def _renew(self) -> dict[str, list[dict[str, Any]]]:
        """Make the databases of the cluster anew, and import the documents there; return all rows."""
        for node in reversed(self._nodes):  # the coordinator last, which asks the workers
            own = Cluster(node.port, self._cluster.password)
            with psycopg.connect(own.url("postgres", "postgres"), autocommit=True) as admin:
                drop_database(admin, CLUSTER)
                admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(CLUSTER)))
            with psycopg.connect(own.url(CLUSTER, "postgres"), autocommit=True) as admin:
                admin.execute("CREATE EXTENSION citus")
                if node is not self._nodes[0]:
                    continue
                admin.execute("SELECT citus_set_coordinator_host('127.0.0.1', %s)", [node.port])
                for worker in self._nodes[1:]:
                    admin.execute("SELECT citus_add_node('127.0.0.1', %s)", [worker.port])
                admin.execute("CREATE EXTENSION vector")
                # a new one, because Citus tells the workers only of a role that is made in this database
                role, password = sql.Identifier(self._role), sql.Literal(self._cluster.password)
                admin.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(role, password))
                grant = sql.SQL("GRANT CREATE ON DATABASE {} TO {}")
                admin.execute(grant.format(sql.Identifier(CLUSTER), role))
        migrate.upgrade(url := self._cluster.url(CLUSTER, self._role))
        with ragraph.open(url) as store:
            assert store.add_many(self._lines, model=HashModel()).ok
        rows = dump(url)
        rows.pop("indexes")  # the cluster has some more of its own
        return rows

    def _left(self) -> list[str]:
        """Return what should not be there: rows on the coordinator, shards that the cluster does not know."""
        found = []
        with psycopg.connect(self._cluster.url(CLUSTER, "postgres"), autocommit=True) as admin:
            admin.execute("CALL citus_cleanup_orphaned_resources()")
            (known,) = admin.execute("SELECT array_agg(shardid) FROM pg_dist_shard").fetchone() or ([],)
            sizes = admin.execute(
                "SELECT logicalrelid::text FROM pg_dist_partition WHERE pg_relation_size(logicalrelid) > 0"
            ).fetchall()
            found += [f"rows of {name} are left on the coordinator" for (name,) in sizes]
        for node in self._nodes:
            with psycopg.connect(Cluster(node.port, self._cluster.password).url(CLUSTER, "postgres")) as admin:
                left: Any = admin.execute(_LEFT, [known]).fetchall()
                found += [f"left on port {node.port}: {name}" for (name,) in left]
                (waiting,) = admin.execute("SELECT count(*) FROM pg_prepared_xacts").fetchone() or (0,)
                found += [f"{waiting} prepared transactions on port {node.port}"] if waiting else []
        return found


if __name__ == "__main__":
    main()
