"""One PostgreSQL data folder: create it, start its server, wait until the server answers.

No shell is involved: settings are passed to ``postgres`` as arguments, so any path is plain data. The server inherits a
locked file (``server.lock``) and holds the lock as long as one of its processes lives. So the kernel tells whether a
server runs, and never a process id, which another process may have by now.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import secrets
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg import sql

from ragraph.base import system
from ragraph.errors import (
    ServerError,
    ServerNotFoundError,
    ServerResourcesError,
    ServerUnavailableError,
    ServerVersionError,
)
from ragraph.server import account, locks, sockets, watch

if TYPE_CHECKING:
    from ragraph.server.binaries import Binaries
    from ragraph.server.paths import StorePaths

log = logging.getLogger("ragraph.server")

ADMIN = "postgres"
ROLE = "ragraph"
DATABASE = "ragraph"

_PAUSE = 0.02
_REPORT_AFTER = 5.0  # seconds of waiting before a message is logged
_ORPHAN_SECONDS = 10.0  # seconds that the processes of a killed postmaster may take to end
_CLEARING_TRIES = 50  # a tenth of a second apart
_LOG_BYTES = 5_000_000

# Written once to postgresql.conf, where the user may change them. They fit one laptop, one store and vector index
# builds.
_SETTINGS = """
# ragraph: defaults for one machine that does other things as well
max_connections = 100
shared_buffers = {buffers}MB
maintenance_work_mem = 512MB
work_mem = 16MB
max_wal_size = 2GB
random_page_cost = 1.1
jit = off
track_functions = pl
log_min_messages = warning
log_line_prefix = '%m [%p] '
"""


class Cluster:
    """The server of one data folder."""

    def __init__(self, paths: StorePaths, binaries: Binaries) -> None:
        self.paths = paths
        self.binaries = binaries
        self.data = paths.data(binaries.version)

    @property
    def exists(self) -> bool:
        """True if the data folder exists and is complete."""
        return (self.data / "PG_VERSION").is_file()

    def create(self) -> None:
        """Create the data folder; an interrupted attempt leaves no folder under its final name.

        Raises:
            ServerError: initdb failed; the message has its reason.
        """
        self._clear_attempts()
        # A name of its own, because initdb of a killed attempt may still be writing and removes its folder at the end.
        part = self.paths.home / f"{self.data.name}.{secrets.token_hex(4)}.part"
        owner = account.server_account(part)
        self._let_pass(owner)
        part.mkdir(mode=0o700)
        owner.own(part)
        arguments = [self.binaries.program("initdb"), "-D", str(part), "-U", ADMIN, "--auth=reject"]
        # C order. The text search parser uses lc-ctype whatever the provider, and with C it takes “ and — for letters.
        arguments += ["--encoding=UTF8", "--data-checksums", "--locale=C", "--lc-ctype=C.UTF-8"]
        if self.binaries.version >= 17:
            arguments += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
        done = subprocess.run(
            arguments,
            check=False,
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            cwd="/",
            env=_environment(),
            umask=0o077,
            **owner.run_as(),
        )
        if done.returncode:
            shutil.rmtree(part, ignore_errors=True)
            if "Permission denied" in done.stderr and self._let_pass(owner):  # see _start
                self.create()
                return
            raise self._failed(f"{done.stdout}\n{done.stderr}", "PostgreSQL could not make the store")
        # from here on the server's user owns the folder: root must not follow a link that this user might create
        settings = os.open(part / "postgresql.conf", os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW)
        with os.fdopen(settings, "w", encoding="utf-8") as file:
            file.write(_SETTINGS.format(buffers=buffers(system.all_memory())))
        part.rename(self.data)
        self._clear_attempts()

    def _clear_attempts(self) -> None:
        """Remove the folders of killed attempts; an initdb still running in one of them then fails."""
        for part in self.paths.home.glob(f"{self.data.name}*.part"):
            for _ in range(_CLEARING_TRIES):
                shutil.rmtree(part, ignore_errors=True)
                if not part.exists():
                    break
                time.sleep(0.1)

    def run(self, deadline: float) -> None:
        """Start the server unless it runs, and wait until it answers; the caller must hold ``start.lock``.

        Args:
            deadline: value of ``time.monotonic()`` until which to wait.

        Raises:
            ServerError: the server cannot be started; the message has PostgreSQL's reason.
            ServerUnavailableError: the server was not ready in time.
        """
        alone_since = time.monotonic()
        while True:
            process = watch.find_postmaster(self.data)
            if process is not None:
                if self._ready(process.pid, deadline):
                    return
                alone_since = time.monotonic()
                continue
            held = locks.take(self.paths.server_lock, locks.EXCLUSIVE)
            if held is not None:
                try:
                    if self._start(held, deadline):
                        return
                finally:
                    locks.release(held)
            if time.monotonic() > alone_since + _ORPHAN_SECONDS:
                raise ServerUnavailableError(
                    f"another process holds the store in {self.paths.home} but its server was not found: "
                    f"end its remaining processes, or close the store in the other container"
                )
            time.sleep(_PAUSE)

    def prepare(self) -> None:
        """Create the role, the database and the extension of ragraph; existing ones are kept.

        The role owns the database and is not a superuser. The extension is also created in template1, so that later
        databases have it although the role may not create it.
        """
        with self.connect("template1") as connection:
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
            if connection.execute("SELECT FROM pg_roles WHERE rolname = %s", [ROLE]).fetchone() is None:
                connection.execute(sql.SQL("CREATE ROLE {} LOGIN CREATEDB").format(sql.Identifier(ROLE)))
                # so that ingestion may limit the temporary files of a document
                connection.execute(sql.SQL("GRANT SET ON PARAMETER temp_file_limit TO {}").format(sql.Identifier(ROLE)))
        with self.connect("postgres") as connection:
            if connection.execute("SELECT FROM pg_database WHERE datname = %s", [DATABASE]).fetchone() is None:
                name = sql.Identifier(DATABASE)
                connection.execute(sql.SQL("CREATE DATABASE {} OWNER {}").format(name, sql.Identifier(ROLE)))
                # for queries by hand: documents instead of ragraph.documents
                connection.execute(sql.SQL("ALTER DATABASE {} SET search_path TO ragraph, public").format(name))

    def connect(self, database: str, *, timeout: float = 30.0) -> psycopg.Connection[Any]:
        """Connect as the administrator, in autocommit mode."""
        folder = self.socket_folder()
        return psycopg.connect(
            host=folder, dbname=database, user=ADMIN, autocommit=True, connect_timeout=max(2, int(timeout)), port=5432
        )

    def socket_folder(self) -> str:
        """Return the folder of the running server's socket, as the server itself recorded it.

        Raises:
            ServerUnavailableError: no server runs.
        """
        found = watch.read_pid_file(self.data)
        if found is None or not found.socket_folder:
            raise ServerUnavailableError(f"the server of {self.paths.home} does not run: open the store again")
        return found.socket_folder

    def _let_pass(self, owner: account.Account) -> bool:
        programs = self.binaries.folder
        changed = [account.let_pass(self.paths.home, owner), account.let_pass(programs, owner)]
        for name in ("bin/postgres", "share/postgresql/postgres.bki"):
            account.check_readable(programs.parent / name, owner, programs.parent)
        return any(changed)

    def _start(self, server_lock: int, deadline: float) -> bool:
        """Start the server; return False if processes of a killed one have to end first."""
        try:
            version = (self.data / "PG_VERSION").read_text(encoding="ascii").strip()
        except FileNotFoundError:
            raise ServerNotFoundError(
                f"{self.data} is no longer a PostgreSQL data folder: restore it from a backup"
            ) from None
        if version != str(self.binaries.version):
            raise ServerVersionError(f"{self.data} holds PostgreSQL {version}: restore the folder that belongs there")
        owner = account.server_account(self.data)
        self._let_pass(owner)
        self._write_access(owner)
        folder = sockets.socket_folder(self.paths, owner)
        # we hold the lock of this server, so none of its processes is alive and these files are stale
        for old in (self.data / "postmaster.pid", folder / ".s.PGSQL.5432", folder / ".s.PGSQL.5432.lock"):
            old.unlink(missing_ok=True)
        arguments = [self.binaries.program("postgres"), "-D", str(self.data)]
        for name, value in {
            "unix_socket_directories": sockets.quoted(folder),
            "unix_socket_permissions": "0700",
            "listen_addresses": "",
            "port": "5432",
            "logging_collector": "off",
            "dynamic_shared_memory_type": _shared_memory(),
        }.items():
            arguments += ["-c", f"{name}={value}"]
        log_file = self._open_log()
        begin = os.fstat(log_file).st_size
        try:
            child = subprocess.Popen(
                arguments,
                stdin=subprocess.DEVNULL,
                stdout=log_file,
                stderr=log_file,
                cwd=self.data,
                env=_environment(),
                umask=0o077,
                start_new_session=True,
                pass_fds=[server_lock],
                **owner.run_as(),
            )
        finally:
            os.close(log_file)
        _children.append(child)
        if self._ready(child.pid, deadline, child):
            return True
        with self.paths.log_file.open("rb") as file:
            file.seek(begin)
            said = file.read().decode("utf-8", "replace")
        if "pre-existing shared memory block" in said:  # a server started by hand was killed: its processes are ending
            return False
        if "Permission denied" in said and self._let_pass(owner):  # someone closed a folder above meanwhile
            return False
        # one of its processes was killed during recovery, for lack of memory for example; the data did not stop it
        if "PANIC:" not in said and (child.returncode == -signal.SIGKILL or f"by signal {int(signal.SIGKILL)}" in said):
            raise ServerUnavailableError(f"PostgreSQL was killed while it started: try again ({self.paths.log_file})")
        raise self._failed(said, "PostgreSQL did not start")

    def _ready(self, pid: int, deadline: float, child: subprocess.Popen[bytes] | None = None) -> bool:
        """Wait for a postmaster to be ready; return False if it ended instead."""
        begin = time.monotonic()
        said = False
        while True:
            found = watch.read_pid_file(self.data)
            mine = found is not None and found.pid == pid
            if mine and found is not None and found.status == "ready" and self._answers(deadline):
                return True
            if child is not None:
                if child.poll() is not None:
                    return False
            elif not mine or watch.find_postmaster(self.data) is None:
                return False
            now = time.monotonic()
            if now > deadline:
                raise ServerUnavailableError(
                    f"PostgreSQL is not ready after {now - begin:.0f} s, it may still be recovering "
                    f"({self.paths.log_file}): try again later, or set RAGRAPH_SERVER_TIMEOUT to more seconds"
                )
            if now > begin + _REPORT_AFTER and not said:
                said = True
                log.warning("PostgreSQL is starting or recovering, waiting up to %.0f s", deadline - now)
            time.sleep(_PAUSE)

    def _answers(self, deadline: float) -> bool:
        try:
            with self.connect("postgres", timeout=min(30.0, deadline - time.monotonic())) as connection:
                connection.execute("SELECT 1")
        except psycopg.OperationalError as error:
            if "too many clients" in str(error):  # libpq reports no SQLSTATE here
                return True
            if "authentication failed" in str(error) or "no pg_hba.conf entry" in str(error):
                raise ServerError(
                    f"PostgreSQL refuses this user: {_one_line(str(error))}; run as the user who created the store"
                ) from None
            return False
        except ServerUnavailableError:
            return False
        return True

    def _write_access(self, owner: account.Account) -> None:
        """Admit the user who owns the data, and root. The kernel identifies both, so there is no password."""
        names = dict.fromkeys([owner.name, account.user_name(0), account.user_name(os.geteuid())])
        lines = "".join(f'ragraph "{name}" all\n' for name in names)
        note = "# written by ragraph at each start\n"
        hba = "local all all peer map=ragraph\nlocal replication all peer map=ragraph\n"
        for name, content in (("pg_hba.conf", note + hba), ("pg_ident.conf", note + lines)):
            path = self.data / name
            new = path.with_name(f"{name}.new")
            new.unlink(missing_ok=True)
            descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(content)
                os.fchown(descriptor, owner.uid, owner.gid)
            new.replace(path)

    def _open_log(self) -> int:
        path = self.paths.log_file
        path.parent.mkdir(mode=0o700, exist_ok=True)
        account.follow_owner(path.parent)
        if path.exists() and path.stat().st_size > _LOG_BYTES:
            path.replace(path.with_name(f"{path.name}.1"))
        return locks.open_file(path, os.O_WRONLY | os.O_APPEND)

    def _failed(self, said: str, what: str) -> ServerError:
        if "No space left on device" in said:
            return full_disk(self.paths.home)
        lines = [line for line in said.splitlines() if "FATAL:" in line or "PANIC:" in line or "error:" in line]
        reason = _one_line((lines or said.strip().splitlines() or ["no reason given"])[-1])
        return ServerError(f"{what}: {reason} (log: {self.paths.log_file})")


def full_disk(home: Path) -> ServerError:
    """Return the error for a full disk of a store."""
    return ServerResourcesError(
        f"no space left on the disk of {home}: free 64 MB or more and open the store again, nothing stored is lost"
    )


def unprepared(error: psycopg.Error, paths: StorePaths) -> ServerError:
    """Return the error for a PostgreSQL failure while the store was being opened, as one line."""
    if isinstance(error, psycopg.errors.DiskFull):
        return full_disk(paths.home)
    return ServerUnavailableError(
        f"PostgreSQL failed: {_one_line(str(error))}; open the store again ({paths.log_file})"
    )


def refused(error: OSError, home: Path) -> ServerError:
    """Return the error for a failed operation on the store's folder, as one line with advice."""
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return full_disk(home)
    where = error.filename or home
    if error.errno == errno.EROFS:
        return ServerError(f"{where} is on a read-only file system: set RAGRAPH_HOME to a writable folder")
    if error.errno in {errno.EACCES, errno.EPERM}:
        return ServerError(f"no right to use {where}: set RAGRAPH_HOME to a folder of your own")
    return ServerError(f"cannot use {where} ({error.strerror}): set RAGRAPH_HOME to another folder")


def spawn(task: str, paths: StorePaths, data: Path, own_lock: int, *inherited: int) -> None:
    """Start the detached process of watch.py; it inherits its lock and the other descriptors."""
    arguments = [sys.executable, "-P", str(Path(watch.__file__)), task]
    arguments += [str(data), str(paths.clients_lock), str(paths.server_lock), str(own_lock)]
    child = subprocess.Popen(
        arguments,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        start_new_session=True,
        pass_fds=[own_lock, *inherited],
    )
    _children.append(child)


def reap() -> None:
    """Collect the exit status of our processes that have ended, so that none stays a zombie."""
    for child in list(_children):
        if child.poll() is not None:
            with contextlib.suppress(ValueError):  # another thread collected it
                _children.remove(child)


_children: list[subprocess.Popen[bytes]] = []


def _environment() -> dict[str, str]:
    """Return the environment of the server without variables such as PGDATA or PGOPTIONS, which would change it."""
    return {"PATH": os.defpath, "LC_ALL": "C"} | {
        name: os.environ[name] for name in ("TZ", "LD_LIBRARY_PATH") if name in os.environ
    }


def buffers(memory: int) -> int:
    """Return the MB for shared buffers on a machine with so many bytes of memory: an eighth, from 256 to 2,048.

    PostgreSQL reads a table that is larger than a quarter of them anew at each scan. Memory is taken as they fill.
    """
    return min(max(memory // 8 // 2**20, 256), 2048)


def _shared_memory() -> str:
    """Return the type of shared memory.

    Parallel index builds need more than the 64 MB of /dev/shm that containers have.
    """
    try:
        size = shutil.disk_usage("/dev/shm").total  # noqa: S108
    except OSError:
        return "sysv" if sys.platform == "linux" else "posix"
    return "posix" if size >= 2**30 else "sysv"


def _one_line(text: str) -> str:
    return " ".join(text.split())
