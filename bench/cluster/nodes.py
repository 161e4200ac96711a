"""A cluster on one machine: a coordinator and two workers on 127.0.0.1, and a plain database beside it.

The account of the store is not a superuser; the administrator does only what needs one.
"""

from __future__ import annotations

import secrets
import socket
import subprocess
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import psycopg
from psycopg import sql

from ragraph.server.account import Account, let_pass, server_account

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ROLE = "librarian"
CLUSTER, PLAIN = "cluster", "plain"
"""Names of the two databases; the plain one is on the coordinator's server, without Citus."""

_SETTINGS = """
listen_addresses = '127.0.0.1'
port = {port}
unix_socket_directories = ''
fsync = off
shared_buffers = '128MB'
maintenance_work_mem = '64MB'
max_parallel_maintenance_workers = 0
max_parallel_workers_per_gather = 0
max_connections = 200
max_prepared_transactions = 100
shared_preload_libraries = 'citus'
citus.max_adaptive_executor_pool_size = 4
wal_level = logical
"""


@dataclass(frozen=True)
class Node:
    """A server: its port and its data directory; ``control`` is its pg_ctl, run by its owner."""

    port: int
    data: Path
    control: str
    owner: Account

    def stop(self) -> None:
        """Stop it as a crash does."""
        _run(self.data.parent, self.owner, self.control, "-D", str(self.data), "-w", "-m", "immediate", "stop")

    def start(self) -> None:
        """Start it, and wait until it is ready."""
        log = str(self.data / "log")
        _run(self.data.parent, self.owner, self.control, "-D", str(self.data), "-w", "-l", log, "start")


@dataclass(frozen=True)
class Cluster:
    """Addresses of the two stores; ``nodes`` are the coordinator and the workers."""

    port: int
    password: str
    nodes: tuple[Node, ...] = ()

    def url(self, database: str, role: str = ROLE) -> str:
        """Return the URL of a database, for the role of the store or another."""
        return f"postgresql://{role}:{self.password}@127.0.0.1:{self.port}/{database}"


@contextmanager
def cluster(programs: Path, folder: Path, workers: int = 2) -> Iterator[Cluster]:
    """Start coordinator and workers in a folder, make both databases, and stop everything at the end."""
    password = secrets.token_hex(8)
    with ExitStack() as stack:
        nodes = [stack.enter_context(_node(programs, folder / f"node{n}", password)) for n in range(1 + workers)]
        started = Cluster(nodes[0].port, password, tuple(nodes))
        _prepare(started, [node.port for node in nodes])
        yield started


def _prepare(started: Cluster, ports: list[int]) -> None:
    """Make the databases as an administrator does by docs/how-to/cluster.md."""
    create_role = sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(
        sql.Identifier(ROLE), sql.Literal(started.password)
    )
    for port in ports:
        node = Cluster(port, started.password)
        with psycopg.connect(node.url("postgres", "postgres"), autocommit=True) as admin:
            admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(CLUSTER)))
            if port == started.port:
                admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(PLAIN)))
        with psycopg.connect(node.url(CLUSTER, "postgres"), autocommit=True) as admin:
            admin.execute("CREATE EXTENSION citus")
    with psycopg.connect(started.url(CLUSTER, "postgres"), autocommit=True) as admin:
        admin.execute("SELECT citus_set_coordinator_host('127.0.0.1', %s)", [started.port])
        for port in ports[1:]:
            admin.execute("SELECT citus_add_node('127.0.0.1', %s)", [port])
        admin.execute("CREATE EXTENSION vector")
        admin.execute(create_role)  # in the database of the cluster, because Citus then makes it on every node
        admin.execute(
            sql.SQL("GRANT CREATE ON DATABASE {} TO {}").format(sql.Identifier(CLUSTER), sql.Identifier(ROLE))
        )
    with psycopg.connect(started.url(PLAIN, "postgres"), autocommit=True) as admin:
        admin.execute("CREATE EXTENSION vector")
        admin.execute(sql.SQL("GRANT CREATE ON DATABASE {} TO {}").format(sql.Identifier(PLAIN), sql.Identifier(ROLE)))


@contextmanager
def _node(programs: Path, folder: Path, password: str) -> Iterator[Node]:
    folder.mkdir(parents=True)
    data = folder / f"postgres-{programs.parent.name}"  # the name that bench.processes.server_processes looks for
    owner = server_account(data)
    let_pass(folder, owner)
    let_pass(programs, owner)
    data.mkdir(mode=0o700)
    owner.own(data)
    secret = folder / "password"
    secret.write_text(password)
    owner.own(secret)
    _run(folder, owner, str(programs / "initdb"), "-D", str(data), "-U", "postgres", "--auth=scram-sha-256",
         "--encoding=UTF8", "--locale=C", "--no-sync", f"--pwfile={secret}")  # fmt: skip
    port = _free_port()
    with (data / "postgresql.conf").open("a") as settings:
        settings.write(_SETTINGS.format(port=port))
    # The nodes, including the coordinator itself, connect to each other as the role of the query: on one machine by
    # trust, between machines by pg_dist_authinfo.
    rules = data / "pg_hba.conf"
    rules.write_text("host all all 127.0.0.1/32 trust\n")
    node = Node(port, data, str(programs / "pg_ctl"), owner)
    node.start()
    try:
        yield node
    finally:
        node.stop()


def _run(folder: Path, owner: Account, *command: str) -> None:
    with (folder / "output").open("a") as log:
        subprocess.run(command, check=True, stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd="/", **owner.run_as())


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
