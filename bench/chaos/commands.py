"""Faults during every command that changes a store, and during uploads: ``python -m bench.chaos --commands``.

One embedded server has a database for each state of a small store: as it is after ``ingest``, after ``embed`` and so
on. Each command begins with a copy of the state before it. Once it runs undisturbed, and its result is the next state.
Then, in other copies, three to eight faults strike at random moments, one after the other. The command runs again until
it ends well, as a user would run it; beside a process that was stopped, a second one runs at once; a killed server is
started again after a while. Then every row of every table, every index and every original must equal those of the
undisturbed run. No rule of the store may be broken. No traceback may be printed, and nothing may be left: sessions,
temporary files.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from collections import Counter, defaultdict
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import psycopg
from psycopg import sql

import ragraph
from bench.chaos.disk import own_disk
from bench.chaos.endpoint import embedding_endpoint
from bench.chaos.faults import Faults, Scene
from bench.chaos.papers import change_papers, write_drafts, write_papers
from bench.chaos.proxy import Proxy
from bench.chaos.running import Running, processes
from bench.processes import files_below
from bench.stores import compare, dump, violations
from bench.throwaway import drop_database
from ragraph import server
from ragraph.base.queries import read_queries
from ragraph.database import migrate
from ragraph.errors import ServerResourcesError

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence

QUERIES = read_queries(Path(__file__).parent.parent / "leases.sql")
KINDS = ("kill a job", "stop a job", "kill a backend", "stop a backend", "kill the postmaster", "fill the disk", "cut")
"""Beginnings of the names of the faults that strike here; ``limit the memory`` ends libraries in various ways."""
OF_A_COPY = (3, 8)
"""Fewest and most faults that strike one copy of a store; and how many of them during one run of the command."""
OF_A_RUN = 4
LONGEST_S = 3.0
"""How long a process is stopped, a disk full or a server down, at most."""
STALLED_S = 240.0
_GONE_S = 60.0
MODEL = "--model openai:hashes --max-tokens 256"


@dataclass(frozen=True)
class Command:
    """A command that changes a store.

    Attributes:
        arguments: of ``ragraph``; names in braces are folders and files of the bench.
        after: the command from whose end it begins.
        prepare: changes the copy before the command, given its URL.
        done: what it says if an earlier run has done everything.
        uploads: True if ``arguments`` are of a service, to which files are uploaded.
        writes: True if its result is a file that is restored for the comparison.
        again: True if running it once more changes nothing.
    """

    arguments: str
    after: str = "ingest"
    prepare: Callable[[str], object] | None = None
    done: str | None = None
    uploads: bool = False
    writes: bool = False
    again: bool = True


def owe_works(url: str) -> None:
    """Leave a store as an older version left it: without what its documents cite."""
    with psycopg.connect(url) as connection:
        for table in ("work_entry", "document_relation"):
            connection.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier("ragraph", table)))


COMMANDS = {
    "ingest": Command(f"ingest {{papers}} {MODEL} --workers 2 --progress none", after="empty"),
    "ingest --keep-versions": Command(f"ingest {{changed}} {MODEL} --workers 2 --keep-versions all --progress none"),
    "embed": Command("embed --model openai:second --max-tokens 256"),
    "models switch": Command("models switch second", after="embed"),
    "models drop": Command("models drop hashes", after="models switch", done="nothing is embedded under the model"),
    "works": Command("works --update", prepare=owe_works),
    "entities extract": Command("entities extract"),
    "update": Command("update {article} --collection archive --title Moved --add-tag moved", after="entities extract"),
    "delete": Command("delete --collection default --yes", after="update"),
    "prune": Command("prune {paper}", after="ingest --keep-versions"),
    "restore-version": Command("restore-version {paper} 1", after="ingest --keep-versions"),
    "import": Command(f"import {{drafts}} {MODEL}"),
    "backup": Command("backup {file}", after="ingest --keep-versions", done="exists", writes=True),
    "restore": Command("restore {backup}", after="empty", done="the store already has"),
    "restore --replace": Command("restore {backup} --replace"),
    "db upgrade": Command("db upgrade", after="entities extract", prepare=lambda url: migrate.downgrade(url, "0009")),
    "large": Command(f"import {{large}} {MODEL}", after="empty"),
    "models index": Command("models index hashes bit", after="large"),
    "upload": Command("serve --write --port {port}", uploads=True),
}
"""In an order in which each comes after the one that it begins from."""


@dataclass
class Tried:
    """What was done to a command, and found."""

    faults: Counter[str] = field(default_factory=Counter)
    trials: int = 0
    runs: int = 0
    rows: int = 0
    wrong: list[str] = field(default_factory=list)


@dataclass
class _State:
    """The store after a command: its database, originals, broken rules, and all rows.

    Of an upgraded store, what its documents cite is still to be read; the check counts that.
    """

    database: str
    assets: Path
    seconds: float
    broken: int
    rows: dict[str, list[dict[str, Any]]]
    originals: list[str]


class CommandChaos:
    """Disturbs commands over copies of one small store.

    Args:
        top: an empty folder; the store is on a small disk below it.
        chance: source of all that is random.
        papers: number of documents of the store.
        large: number of nodes of the document of the large store, which has vector indexes.
    """

    def __init__(self, top: Path, chance: random.Random, *, papers: int = 6, large: int = 10_200) -> None:
        self._top, self._chance = top, chance
        self._papers = top / "papers"
        write_papers(top / "first", papers)
        write_papers(top / "changed", papers)
        change_papers(top / "changed")
        write_papers(top / "uploads", 2, first=61)
        write_drafts(top / "drafts.jsonl", 20, nodes=40)
        write_drafts(top / "large.jsonl", 1, nodes=large)
        self._stack = ExitStack()
        self._states: dict[str, _State] = {}
        self._context = processes()
        self._numbers = 0
        self._ids: dict[str, str] = {}
        self.tried: dict[str, Tried] = defaultdict(Tried)

    def __enter__(self) -> CommandChaos:
        self._disk = self._stack.enter_context(own_disk(self._top, "disk"))
        self._home = self._disk / "home"
        self._server = server.EmbeddedServer(self._home)
        self._stack.enter_context(self._server.start(create=True))
        socket = Path(psycopg.conninfo.conninfo_to_dict(self._server.url())["host"]) / ".s.PGSQL.5432"  # type: ignore[arg-type]
        self._proxy = self._stack.enter_context(Proxy(socket))
        self._endpoint = self._stack.enter_context(embedding_endpoint())
        for name in ("files", "assets", "assets/empty"):
            (self._disk / name).mkdir()
        self._make("template1", "empty")
        self._states["empty"] = _State("empty", self._assets("empty"), 0, 0, {}, [])
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def disturb(self, name: str, faults: int, kinds: Sequence[str] = KINDS) -> Tried:
        """Disturb a command in new copies until so many faults have struck, or until a store is wrong."""
        tried = self.tried[name]
        wanted = tried.faults.total() + faults
        expected = self._after(name)
        while tried.faults.total() < wanted and not tried.wrong:
            self._try(name, expected, kinds)
        return tried

    def _after(self, name: str) -> _State:
        """Return the state after a command that nobody disturbed."""
        if name not in self._states:
            command = COMMANDS[name]
            before = self._after(command.after)
            if "{backup}" in command.arguments:
                self._after("backup")
            copy = self._copy(before, re.sub(r"\W+", "_", name), command)
            begin = time.monotonic()
            run = self._start(command, copy)
            self._join(run)
            seconds = time.monotonic() - begin
            if run.code != 0:
                raise SystemExit(f"{name}, which nobody disturbed, ended with exit code {run.code}: {run.said[-2000:]}")
            broken = violations(self._server.url(copy))
            self._states[name] = _State(copy, self._assets(copy), seconds, broken, *self._held(command, copy))
            if name == "ingest":
                rows = self._states[name].rows["document"]
                self._ids = {Path(row["source_uri"]).stem: row["id"] for row in rows}
        return self._states[name]

    def _try(self, name: str, expected: _State, kinds: Sequence[str]) -> None:
        """Disturb a command in a new copy, run it again until it is done, and compare the store."""
        command, tried = COMMANDS[name], self.tried[name]
        tried.trials += 1
        copy = self._copy(self._after(command.after), f"rough_{self._numbers}", command)
        scene = Scene(self._home, self._disk if self._disk.is_mount() else None, self._proxy)
        faults = Faults(scene, self._chance, longest_s=LONGEST_S)
        usable = [kind for kind in faults.kinds if kind.startswith(tuple(kinds))]
        struck: list[str] = []
        said: list[str] = []
        gone: list[str] = []
        left, calm, done = self._chance.randint(*OF_A_COPY), 0, False
        while not (done and (calm or not command.again)) and calm < 3:
            planned = [] if done else self._chance.choices(usable, k=min(left, self._chance.randint(1, OF_A_RUN)))
            if not planned:  # what a killed command has begun in the server may still run
                gone = self._wait_alone(copy)
                calm += 1
            runs, hit = self._run(command, copy, faults, planned, expected.seconds)
            left = max(0, left - max(1, len(hit)))
            tried.runs += len(runs)
            tried.faults.update(hit)
            struck += hit
            said += [f"[{run.code}] {run.said[-1500:]}" for run in runs]
            for run in runs:
                if "Traceback" in run.said or run.code not in (0, 1, -9):
                    tried.wrong.append(f"{name}, {struck}: exit code {run.code}, {run.said[-1500:]}")
            done = any(run.code == 0 or (command.done is not None and command.done in run.said) for run in runs)
        found = [] if done else [f"it cannot be done any more: {said[-1]}"]
        found += gone + self._wait_alone(copy)
        rows, originals = self._held(command, copy)
        found += compare(expected.rows, rows)[:6]
        if originals != expected.originals:
            found.append(f"{len(originals)} originals, not {len(expected.originals)}")
        if (broken := violations(self._server.url(copy))) != expected.broken:
            found.append(f"{broken} rules are broken")
        found += [f"left behind: {path}" for path in self._left()]
        tried.wrong += [f"{name}, {', '.join(struck)}: {line}" for line in found]
        if found:
            tried.wrong += said
        tried.rows += sum(map(len, rows.values()))
        self._drop(copy)

    def _run(
        self, command: Command, copy: str, faults: Faults, planned: list[str], seconds: float
    ) -> tuple[list[Running], list[str]]:
        """Run a command, which takes so many seconds, and strike at random moments; beside a stopped one another runs.

        Returns:
            The processes, and the faults that struck.
        """
        runs = [self._start(command, copy)]
        hit: list[str] = []
        begin = time.monotonic()
        moment = begin + seconds * self._chance.uniform(0.02, 1.05)
        back: float | None = None
        while not all(run.ended for run in runs):
            now = time.monotonic()
            if now > begin + STALLED_S:
                said = [run.said[-1500:] for run in runs]
                for run in runs:
                    run.kill()
                raise SystemExit(f"{command.arguments} is stuck after {hit}: {said}")
            if back is not None and now >= back:
                with suppress(ServerResourcesError):  # the disk is full as well: it is started at the end
                    self._server.start(create=False)
                back = None
            if planned and now >= moment:
                kind = planned.pop()
                faults.scene.jobs = [run.pid for run in runs if not run.ended]
                if faults.strike(kind):
                    hit.append(kind)
                    if kind == "stop a job" and len(runs) == 1 and not command.uploads:
                        runs.append(self._start(command, copy))
                    if kind == "kill the postmaster":
                        back = now + self._chance.uniform(0, LONGEST_S)
                moment = now + self._chance.uniform(0.1, 1.0)
            time.sleep(0.01)
        faults.heal()
        self._server.start(create=False)
        return runs, hit

    def _start(self, command: Command, copy: str) -> Running:
        self._numbers += 1
        places = {
            "papers": self._papers, "changed": self._papers, "drafts": self._top / "drafts.jsonl",
            "large": self._top / "large.jsonl", "file": self._file(copy), "port": "{port}",
            "backup": self._file("backup"), "article": self._ids.get("paper-001"),
            "paper": self._ids.get("paper-005"),
        }  # fmt: skip
        port = self._proxy.port
        url = f"postgresql://ragraph@127.0.0.1:{port}/{copy}?sslmode=disable&gssencmode=disable"
        environment = {
            "RAGRAPH_DATABASE_URL": url,
            "RAGRAPH_ASSETS": str(self._assets(copy)),
            "RAGRAPH_EMBEDDING_URL": self._endpoint,
            "RAGRAPH_BACKEND": "plain",
            "TMPDIR": str(self._disk / "tmp"),
            "OPENAI_API_KEY": "none",
        }
        arguments = [word.format(**places) for word in command.arguments.split()]
        said = self._top / f"said-{self._numbers}"
        uploads = sorted((self._top / "uploads").iterdir()) if command.uploads else ()
        return Running(self._context, arguments, environment, said, uploads)

    def _join(self, run: Running) -> None:
        while not run.ended:
            time.sleep(0.01)

    def _assets(self, copy: str) -> Path:
        return self._disk / "assets" / copy

    def _file(self, copy: str) -> Path:
        return self._disk / "files" / f"{copy}.ragraph"

    def _copy(self, before: _State, copy: str, command: Command) -> str:
        """Make a database and a folder of originals from those of a state; return the name."""
        self._make(before.database, copy)
        shutil.copytree(before.assets, self._assets(copy))
        state = "changed" if "{changed}" in command.arguments else "first"
        shutil.copytree(self._top / state, self._papers, dirs_exist_ok=True)
        if command.prepare is not None:
            command.prepare(self._server.url(copy))
        return copy

    def _make(self, template: str, copy: str) -> None:
        names = {"copy": sql.Identifier(copy), "template": sql.Identifier(template)}
        with psycopg.connect(self._server.url("postgres", role="postgres"), autocommit=True) as admin:
            drop_database(admin, copy)
            made = sql.SQL("CREATE DATABASE {copy} TEMPLATE {template} OWNER ragraph").format(**names)
            for left in reversed(range(100)):
                try:
                    admin.execute(made)
                except psycopg.errors.ObjectInUse:  # a session that ends, or autovacuum
                    if not left:
                        raise
                    time.sleep(0.1)
                else:
                    return

    def _drop(self, copy: str) -> None:
        with psycopg.connect(self._server.url("postgres", role="postgres"), autocommit=True) as admin:
            drop_database(admin, copy)
        shutil.rmtree(self._assets(copy), ignore_errors=True)
        self._file(copy).unlink(missing_ok=True)

    def _held(self, command: Command, copy: str) -> tuple[dict[str, list[dict[str, Any]]], list[str]]:
        """Return all rows of a store and its originals; of a backup those of the store that it is restored into."""
        if command.writes:
            self._make("empty", "restored")
            ragraph.restore(self._file(copy), self._server.url("restored"))
            copy = "restored"
        folder = {"RAGRAPH_ASSETS": str(self._assets(copy))}
        with patch.dict(os.environ, folder), ragraph.open(self._server.url(copy)) as store:
            store.clean_assets()  # a deletion that is killed leaves a file, which `ragraph doctor` names
        originals = [path for path in files_below(self._assets(copy)) if (self._assets(copy) / path).is_file()]
        return dump(self._server.url(copy)), originals

    def _wait_alone(self, copy: str) -> list[str]:
        """Wait until nobody is connected to a database; return who remains."""
        deadline = time.monotonic() + _GONE_S
        with psycopg.connect(self._server.url(copy), autocommit=True) as connection:
            while left := connection.execute(QUERIES["others"]).fetchall():
                if time.monotonic() > deadline:
                    return [f"still connected: {row}" for row in left]
                time.sleep(0.1)
        return []

    def _left(self) -> list[str]:
        """Return temporary files, and unfinished backups and originals."""
        unfinished = (path for name in ("files", "assets") for path in files_below(self._disk / name))
        return [*files_below(self._disk / "tmp"), *(path for path in unfinished if path.endswith(".part"))]


def show(tried: dict[str, Tried]) -> int:
    """Print a line for each command, and what was wrong; return how much was."""
    for name, found in tried.items():
        kinds = ", ".join(f"{kind} {number}" for kind, number in sorted(found.faults.items()))
        print(f"{name:24} {found.faults.total():4} faults {found.runs:5} runs {found.rows:9,} rows: {kinds}")
    wrong = [line for found in tried.values() for line in found.wrong]
    for line in wrong:
        print(f"wrong: {line}")
    print(f"{sum(found.faults.total() for found in tried.values())} faults, {len(wrong)} wrong")
    return len(wrong)
