"""A PostgreSQL as in production: on 127.0.0.1, with passwords, and a role that is not superuser.

``python tests/tcp_server.py python -m pytest`` runs a command with RAGRAPH_TEST_URL set to such a server.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
from psycopg import sql

from ragraph.server.account import let_pass, server_account
from ragraph.server.binaries import find_binaries

if TYPE_CHECKING:
    from collections.abc import Iterator

ROLE = "librarian"
PASSWORD = "s3cr:t@/%' word"
_ADMIN_PASSWORD = "admin"


@dataclass(frozen=True)
class TcpServer:
    """Location of the server."""

    port: int

    def url(self, database: str = "postgres", *, user: str = ROLE, password: str = PASSWORD) -> str:
        from urllib.parse import quote

        return f"postgresql://{user}:{quote(password, safe='')}@127.0.0.1:{self.port}/{database}"

    def admin_url(self, database: str = "postgres") -> str:
        return self.url(database, user="postgres", password=_ADMIN_PASSWORD)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextmanager
def tcp_server(folder: Path, version: int = 18) -> Iterator[TcpServer]:
    """Start a server in a folder and stop it at the end.

    The role may create databases and nothing else. The extension vector is in template1, where an administrator
    would put it, but not in template0, from which a database without it can be made.
    """
    binaries = find_binaries(version)
    data = folder / "data"
    owner = server_account(data)
    let_pass(folder, owner)
    let_pass(Path(binaries.program("initdb")).parent, owner)
    data.mkdir(mode=0o700)
    owner.own(data)
    password = folder / "password"
    password.write_text(_ADMIN_PASSWORD)
    owner.own(password)

    def run(*arguments: str) -> None:
        with (folder / "log").open("a") as log:
            subprocess.run(
                arguments, check=True, stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd="/", **owner.run_as()
            )

    run(
        *(binaries.program("initdb"), "-D", str(data), "-U", "postgres", "--auth=scram-sha-256"),
        *("--encoding=UTF8", "--locale=C", "--no-sync", f"--pwfile={password}"),
    )
    server = TcpServer(_free_port())
    with (data / "postgresql.conf").open("a") as settings:
        settings.write(
            f"listen_addresses = '127.0.0.1'\nport = {server.port}\nunix_socket_directories = ''\nfsync = off\n"
        )
    control = binaries.program("pg_ctl")
    run(control, "-D", str(data), "-w", "-l", str(data / "log"), "start")
    try:
        with psycopg.connect(server.admin_url("template1"), autocommit=True) as admin:
            admin.execute("CREATE EXTENSION vector")
            admin.execute(
                sql.SQL("CREATE ROLE {} LOGIN CREATEDB PASSWORD {}").format(sql.Identifier(ROLE), sql.Literal(PASSWORD))
            )
        yield server
    finally:
        run(control, "-D", str(data), "-w", "-m", "immediate", "stop")


def main() -> int:
    """Run the command in the arguments against such a server; RAGRAPH_POSTGRES_VERSION is 16 or 18."""
    with (
        tempfile.TemporaryDirectory() as folder,
        tcp_server(Path(folder), int(os.environ.get("RAGRAPH_POSTGRES_VERSION") or 18)) as server,
    ):
        environment = {**os.environ, "RAGRAPH_TEST_URL": server.url()}
        return subprocess.run(sys.argv[1:], env=environment, check=False).returncode


if __name__ == "__main__":
    raise SystemExit(main())
