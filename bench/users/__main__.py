"""What users get from a store of real text, as they ask it. `make bench-users`.

    RAGRAPH_DATA=DIR python -m bench.users [--nodes 50000] [--seconds 5] [--write bench/results/performance.md]

Documents of ten nodes are cut out of real articles, as for ``bench.growth``, on two pages with boxes. The vectors of
the nodes are synthetic; queries are encoded by the default model. Services run as processes of their own, as a user
starts them. Each line has the requests a second, waits in milliseconds, failed requests, milliseconds of the processor
for a request, and memory: of the service with its clients' connections, and of the PostgreSQL server. Memory that
processes share counts once. The bare endpoint is FastAPI, psycopg and pgvector with the same encoder. All lines run in
one round after the other, so that other load of the machine affects all alike. The last lines are asked beside
``ragraph ingest`` with the articles themselves, which adds to the store.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

import psutil
from psycopg.conninfo import conninfo_to_dict

import ragraph
from bench.growth import Drafts, real_nodes
from bench.peers.processor import server_seconds
from bench.processes import RAGRAPH, memory, tree
from bench.real_text import questions
from bench.synthetic import SyntheticModel
from ragraph import server
from ragraph.ingest.draft import Box, Position
from ragraph.ingest.vectors import maintenance
from ragraph.models.embedding import DEFAULT_MODEL

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragraph import Store
    from ragraph.ingest.draft import DraftNode

BEGIN, END = "<!-- users: begin -->", "<!-- users: end -->"
NODES = 50_000
CLIENTS = (1, 4, 16)
POOLER = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
BESIDE = ", beside an ingestion"
_HEAD = "| asked | clients | requests/s | p50 ms | p95 ms | errors | service ms | server ms | MiB | MiB of the server |"

_BEGUN = 10
"""Seconds in which an ingestion has begun to read and to encode."""

Call = Callable[[int], None]
"""Makes the n-th request; raises if it fails."""


class _Vectors(SyntheticModel):
    """Synthetic vectors under the name of the default model, which then encodes the queries."""

    name = DEFAULT_MODEL
    max_tokens = 256


@dataclass
class Line:
    """Measurements of one kind of request.

    Attributes:
        name: what is asked.
        clients: number of clients at once.
        client: makes the function of a client; a context manager.
        pid: process of the service; None if there is none beside this one.
        waits: seconds of each request.
        errors: number of failed requests.
        seconds, service, postgres: by the clock; processor seconds of the service and of PostgreSQL.
        memory: bytes of the service and of PostgreSQL, at most.
    """

    name: str
    clients: int
    client: Callable[[], Any]
    pid: int | None
    waits: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    seconds: float = 0.0
    service: float = 0.0
    postgres: float = 0.0
    memory: tuple[int, int] = (0, 0)

    def row(self) -> str:
        """Return the line of the table."""
        count = max(len(self.waits), 1)
        cuts = statistics.quantiles(self.waits, n=20) if len(self.waits) > 1 else [sum(self.waits)] * 19
        figures = [f"{len(self.waits) / self.seconds:.1f}", f"{1000 * cuts[9]:.0f}", f"{1000 * cuts[18]:.0f}"]
        figures += [str(len(self.errors)), f"{1000 * self.service / count:.1f}", f"{1000 * self.postgres / count:.1f}"]
        figures += [f"{size / 2**20:.0f}" if size else "–" for size in self.memory]
        return f"| {self.name} | {self.clients} | {' | '.join(figures)} |"


def main() -> None:
    """Run the benchmark, print its table, and write it if asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=5, help="duration of each line in a round")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--only", default="", help="lines whose name has this text")
    add_store(parser)
    parser.add_argument("--write", type=Path, help="put the table between the marks of this page")
    given = parser.parse_args()
    with ExitStack() as stack:
        store, home, nodes = open_real(given, stack, pages=True)
        asked = questions(nodes, 400)
        lines = [line for line in _lines(stack, store, asked, home) if given.only in line.name]
        beside = [line for line in lines if line.name.endswith(BESIDE)]
        with store.database.read() as connection:
            postmaster = psutil.Process(connection.info.backend_pid).ppid()
        for round_ in range(given.rounds + 1):  # the first one warms up
            for line in lines:
                if line not in beside:
                    _measure(line, given.seconds if round_ else 1.0, postmaster, counted=bool(round_))
        if beside:
            with _ingestion(home, articles(given)):
                for line in beside:
                    _measure(line, given.rounds * given.seconds, postmaster, counted=True)
    table = "\n".join([_HEAD, "| --- |" + " --- |" * 9, *(line.row() for line in lines)])
    print(table)
    for error in {f"{line.name}: {error}" for line in lines for error in line.errors[:3]}:
        print(error, file=sys.stderr)
    if given.write:
        given.write.write_text(with_table(given.write.read_text(), table, given.nodes))


def with_table(page: str, table: str, nodes: int) -> str:
    """Return a page with the table of a store of so many nodes: between the marks, or below them for another size."""
    begin, end = BEGIN, END
    if nodes != NODES:
        begin, end = (mark.replace("users", f"users, {nodes:,} nodes") for mark in (BEGIN, END))
        if begin not in page:
            page = page.replace(END, f"{END}\n\nWith {nodes:,} nodes:\n\n{begin}\n{end}", 1)
    before, after = page.split(begin)[0], page.split(end)[1]
    return f"{before}{begin}\n{table}\n{end}{after}"


def add_store(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``open_real``."""
    parser.add_argument("--nodes", type=int, default=NODES)
    parser.add_argument("--home", type=Path, help="keep the store in this folder, and use it if it is there")
    parser.add_argument("--articles", type=Path, help="folder of JATS files; default craft/nxml of $RAGRAPH_DATA")


def articles(given: argparse.Namespace) -> Path:
    """Return the folder of the articles."""
    return Path(given.articles or Path(os.environ["RAGRAPH_DATA"]) / "craft" / "nxml")


def open_real(
    given: argparse.Namespace, stack: ExitStack, *, pages: bool = False
) -> tuple[Store, Path, list[DraftNode]]:
    """Return a store of real text, open until the stack ends, its home, and the nodes of the articles.

    Args:
        given: the options of ``add_store``.
        stack: closes the store and stops its server.
        pages: each document is on two pages, each node with a box.
    """
    nodes = real_nodes(articles(given))
    home = given.home or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ragraph-")))
    stack.callback(server.stop, home)
    store = stack.enter_context(ragraph.open(home=home))
    if not store.documents(limit=1):
        load(store, nodes, given.nodes // 10, pages=pages)
    return store, home, nodes


def load(store: Store, nodes: list[DraftNode], documents: int, *, pages: bool = False) -> None:
    """Add documents cut out of articles, with synthetic vectors under the name of the default model."""

    def node(place: int, one: DraftNode) -> DraftNode:
        top = 60 + 120 * (place % 5)
        box = Position(page_pdf=1 + place // 5, bbox=Box(x1=50, y1=top, x2=500, y2=top + 100))
        return one.model_copy(update={"vectors": {}, "positions": [box] if pages else []})

    drafts = (
        draft.model_copy(update={"nodes": [node(*placed) for placed in enumerate(draft.nodes)]})
        for draft in Drafts(nodes, range(documents))
    )
    report = store.add_many(drafts, model=_Vectors())
    if failed := [file.reason for file in report.files if file.status != "added"]:
        raise SystemExit(f"not loaded: {failed[0]}")
    maintenance.build_index(store.database, DEFAULT_MODEL)


def _lines(stack: ExitStack, store: Store, asked: list[str], home: Path) -> list[Line]:
    """Return the lines; their services run until the stack ends."""
    url = store.database.url
    some = random.Random(2).sample([document.id for document in store.documents(limit=5000)], 100)
    rest, served = stack.enter_context(_service("serve", "--port", "0", home=home))
    mcp, agents = stack.enter_context(_service("mcp", "--http", "--port", "0", home=home))
    port = _free_port()
    bare = stack.enter_context(_process([sys.executable, "-m", "bench.users.bare", url, str(port)], home))
    _wait_for(port)
    shapes = {
        **{f"REST {mode}": f"/api/search?mode={mode}&q=%s" for mode in ("hybrid", "vector")},
        "REST text, any word": "/api/search?mode=text&match=any&q=%s",
        "REST context": "/api/context?q=%s",
    }
    lines = [
        Line(name, clients, _http(rest, shape, asked), served) for name, shape in shapes.items() for clients in CLIENTS
    ]
    nodes = _http(rest, "/api/documents/%s/nodes", some)
    lines += [Line("REST nodes of a document", clients, nodes, served) for clients in CLIENTS]
    page = _http(rest, "/api/documents/%s/pages/1", some)
    lines += [Line("REST page with boxes", clients, page, served) for clients in CLIENTS]
    nearest = _http(f"http://127.0.0.1:{port}", "/search?q=%s", asked)
    lines += [Line("bare endpoint", clients, nearest, bare) for clients in CLIENTS]
    lines += [Line("MCP search", n, _agent(mcp, "search", asked), agents) for n in (1, 8, 16)]
    lines.append(Line("MCP context", 8, _agent(mcp, "context", asked), agents))
    for mode in ("hybrid", "vector", "text"):
        lines.append(Line(f"Python threads, {mode}", 8, _thread(store, asked, mode), os.getpid()))
    lines.append(Line("Python threads, context", 8, _contexts(store, asked), os.getpid()))
    lines.append(Line("command line, hybrid", 1, _command(home, asked), None))
    if POOLER is not None:
        pooled = stack.enter_context(ragraph.open(stack.enter_context(_pooled(url))))
        hybrid, contexts = _thread(pooled, asked, "hybrid"), _contexts(pooled, asked)
        lines += [Line("Python threads, hybrid, PgBouncer", clients, hybrid, os.getpid()) for clients in (1, 8)]
        lines.append(Line("Python threads, context, PgBouncer", 8, contexts, os.getpid()))
    for mode in ("hybrid", "vector"):
        shape = _http(rest, shapes[f"REST {mode}"], asked)
        lines.append(Line(f"REST {mode}{BESIDE}", CLIENTS[-1], shape, served))
    return lines


def _measure(line: Line, seconds: float, postmaster: int, *, counted: bool) -> None:
    numbers = itertools.count()
    waits: list[float] = []
    errors: list[str] = []
    end = time.monotonic() + seconds

    def work() -> None:
        with line.client() as call:
            while time.monotonic() < end:
                begin = time.perf_counter()
                try:
                    call(next(numbers))
                    waits.append(time.perf_counter() - begin)
                except Exception as error:
                    errors.append(f"{type(error).__name__}: {error}"[:200])

    begin, service, postgres = time.perf_counter(), _processor(line.pid), server_seconds(postmaster)
    threads = [threading.Thread(target=work) for _ in range(line.clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if counted:
        line.waits += waits
        line.errors += errors
        line.seconds += time.perf_counter() - begin
        line.service += _processor(line.pid) - service
        line.postgres += server_seconds(postmaster) - postgres
        # this process holds the articles and the clients
        served = [] if line.pid is None or line.pid == os.getpid() else tree(line.pid)
        sizes = memory(served), memory(tree(postmaster))
        line.memory = (max(line.memory[0], sizes[0]), max(line.memory[1], sizes[1]))


def _processor(pid: int | None) -> float:
    if pid is None:
        return 0.0
    process = psutil.Process(pid)
    below = [] if pid == os.getpid() else process.children(recursive=True)  # here, these are the other services
    return float(sum(sum(part.cpu_times()[:2]) for part in (process, *below)))


@contextmanager
def _ingestion(home: Path, folder: Path) -> Iterator[None]:
    """Ingest the files of a folder until the block ends; those read by then stay in the store."""
    command = [*RAGRAPH, "--home", str(home), "ingest", str(folder), "--collection", "beside"]
    with (home / "ingestion.log").open("w") as log, subprocess.Popen(command, stdout=log, stderr=log) as process:
        time.sleep(_BEGUN)
        try:
            yield
            if process.poll() is not None:
                print(f"the ingestion beside had ended: {log.name}", file=sys.stderr)
        finally:
            process.terminate()


def _http(address: str, shape: str, asked: list[str]) -> Callable[[], Any]:
    host = urlsplit(address).netloc

    @contextmanager
    def client() -> Iterator[Call]:
        connection = HTTPConnection(host, timeout=60)

        def call(number: int) -> None:
            connection.request("GET", shape % quote(asked[number % len(asked)], safe=""))
            answer = connection.getresponse()
            body = answer.read()
            if answer.status != 200 or not body:
                raise RuntimeError(f"{answer.status} {body[:100]!r}")

        try:
            yield call
        finally:
            connection.close()

    return client


def _agent(address: str, tool: str, asked: list[str]) -> Callable[[], Any]:
    """Return a client of MCP that calls a tool with a query, in a thread and an event loop of its own."""

    @contextmanager
    def client() -> Iterator[Call]:
        from anyio.from_thread import start_blocking_portal
        from mcp import Client

        with start_blocking_portal() as portal, portal.wrap_async_context_manager(Client(address)) as session:

            def call(number: int) -> None:
                result = portal.call(session.call_tool, tool, {"query": asked[number % len(asked)]})
                if result.is_error:
                    raise RuntimeError(str(result.content)[:100])

            yield call

    return client


def _thread(store: Store, asked: list[str], mode: Any) -> Callable[[], Any]:
    @contextmanager
    def client() -> Iterator[Call]:
        match: Any = "any" if mode == "text" else "all"
        yield lambda number: _some(store.search(asked[number % len(asked)], mode=mode, match=match))

    return client


def _contexts(store: Store, asked: list[str]) -> Callable[[], Any]:
    @contextmanager
    def client() -> Iterator[Call]:
        yield lambda number: _some(store.context(asked[number % len(asked)]).blocks)

    return client


def _some(found: Sequence[Any]) -> None:
    if not found:
        raise RuntimeError("no hit")


def _command(home: Path, asked: list[str]) -> Callable[[], Any]:
    @contextmanager
    def client() -> Iterator[Call]:
        def call(number: int) -> None:
            command = [*RAGRAPH, "--home", str(home), "search", asked[number % len(asked)], "--json"]
            json.loads(subprocess.run(command, check=True, capture_output=True).stdout)

        yield call

    return client


@contextmanager
def _service(*command: str, home: Path) -> Iterator[tuple[str, int]]:
    """Run a service of ragraph; yield its address and its process id."""
    arguments = [*RAGRAPH, "--home", str(home), *command]
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if "Serving at " in line:
                break
        else:
            raise SystemExit(f"{' '.join(command)} did not start")
        threading.Thread(target=process.stdout.read, daemon=True).start()
        yield line.partition("Serving at ")[2].split()[0].rstrip("/"), process.pid
    finally:
        process.terminate()
        process.wait(30)


@contextmanager
def _process(command: list[str], home: Path) -> Iterator[int]:
    with (home / "bare.log").open("w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        yield process.pid
    finally:
        process.terminate()
        process.wait(30)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _wait_for(port: int) -> None:
    for _ in range(600):
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise SystemExit("the bare endpoint did not start")


@contextmanager
def _pooled(url: str) -> Iterator[str]:
    """Run PgBouncer in transaction mode with four connections to the server; yield the URL through it."""
    parts = conninfo_to_dict(url)
    port = _free_port()
    with tempfile.TemporaryDirectory(prefix="ragraph-pooler-") as folder:
        Path(folder).chmod(0o755)
        configured = Path(folder) / "pgbouncer.ini"
        configured.write_text(
            f"[databases]\n* = host={parts['host']} port={parts['port']} user={parts['user']}\n"
            f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\nauth_type = any\n"
            "pool_mode = transaction\ndefault_pool_size = 4\nignore_startup_parameters = extra_float_digits\n"
        )
        owner = ["-u", "postgres"] if os.geteuid() == 0 else []  # who may enter the server's folder
        with _process([str(POOLER), *owner, "-q", str(configured)], Path(folder)):
            _wait_for(port)
            yield f"postgresql://{parts['user']}@127.0.0.1:{port}/{parts['dbname']}"


if __name__ == "__main__":
    main()
