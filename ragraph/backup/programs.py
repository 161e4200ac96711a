"""pg_dump, pg_restore and psql: those of the package read and write all versions up to the newest that it brings."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from ragraph.database.connection import is_direct
from ragraph.errors import BackupError, first_line
from ragraph.server.binaries import VERSIONS, find_binaries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import psycopg

_BLOCK = 1 << 20
_HAS_TIMEOUT = 170000
"""Servers from here on know transaction_timeout, which pg_restore sets in its first lines."""
_TIMEOUT = b"SET transaction_timeout = 0;\n"


def check_direct(connection: psycopg.Connection[Any]) -> None:
    """Raise BackupError where a pooler would hand on to others what these programs set for their session."""
    if not is_direct(connection):
        raise BackupError("the database URL leads to a pooler", hint="give the address of the server itself")


def dump(url: str, server: int, snapshot: str, target: IO[bytes]) -> None:
    """Write the schemas of a store, as one snapshot sees them, in the custom format of pg_dump.

    Args:
        url: of the database.
        server: its version number.
        snapshot: exported by a transaction that is open.
        target: written to.

    Raises:
        BackupError: pg_dump is missing or fails; the message is its own.
    """
    wanted = ["--format=custom", "--compress=gzip:1", "--schema=ragraph", "--schema=ragraph_private", "--no-owner"]
    wanted.append("--schema=ragraph_past")
    # under row-level security, whose rows this role all sees, pg_dump refuses to read without being told
    command = [_program("pg_dump", server), *wanted, f"--snapshot={snapshot}", "--no-password", "--enable-row-security"]
    with _running([*command, "--dbname", _place(url)], url, "pg_dump", stdout=subprocess.PIPE) as process:
        shutil.copyfileobj(_open(process.stdout), target, _BLOCK)


def is_secured(server: int, source: IO[bytes]) -> bool:
    """Return True if row-level security was on in the store of a dump.

    Args:
        server: version number of the server that it is for.
        source: as ``dump`` wrote it.

    Raises:
        BackupError: the dump is damaged.
    """
    listing = [_program("pg_restore", server), "--list"]
    with (
        _running(listing, "", "pg_restore", ours=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process,
        _fed(process, source),
    ):
        entries = _open(process.stdout).read()
    return b" ROW SECURITY " in entries


def load(url: str, server: int, source: IO[bytes], before: str, after: str = "", *, rights: bool) -> None:
    """Run a dump in a database, in one transaction: all of it or nothing.

    Args:
        url: of the database.
        server: its version number.
        source: as ``dump`` wrote it.
        before: SQL that comes first, in the same transaction.
        after: SQL that comes last, in the same transaction.
        rights: whether rights and policies come along.

    Raises:
        BackupError: the dump is damaged or the database refuses it; nothing was changed.
    """
    left_out = [] if rights else ["--no-privileges", "--no-policies"]
    reading = [_program("pg_restore", server), "--no-owner", "--file=-", *left_out]
    writing = [_program("psql", server), "--no-psqlrc", "--quiet", "--no-password", "--single-transaction", "--output"]
    writing += [os.devnull, "--set=ON_ERROR_STOP=1", "--set=SHOW_CONTEXT=never", "--dbname", _place(url), "--file=-"]
    with (
        _running(writing, url, "psql", stdin=subprocess.PIPE) as psql,
        _running(reading, url, "pg_restore", ours=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as restore,
        _fed(restore, source) as feeder,
    ):
        script, taken = _open(restore.stdout), _open(psql.stdin)
        try:
            taken.write(before.encode())
            head = script.read(_BLOCK)
            taken.write(head if server >= _HAS_TIMEOUT else head.replace(_TIMEOUT, b"", 1))
            shutil.copyfileobj(script, taken, _BLOCK)
            feeder.join()
            if restore.wait() or feeder.failure:  # psql must not take the end of a damaged dump for the end of the work
                psql.kill()
            taken.write(after.encode())
            taken.close()
        except BrokenPipeError:  # psql has said why
            restore.kill()


class _Feeder(threading.Thread):
    """Copies a stream into a pipe; whatever happens, it closes the pipe, so that its reader ends too.

    Args:
        source: read to its end.
        target: the pipe; it may break, since its reader then says why.
    """

    failure: Exception | None = None
    """Why the source could not be read to its end; to be asked when the thread has ended."""

    def __init__(self, source: IO[bytes], target: IO[bytes]) -> None:
        super().__init__(daemon=True)
        self._source, self._target = source, target

    def run(self) -> None:
        """Copy until the source ends or fails, or the pipe breaks."""
        try:
            while block := self._read():
                self._target.write(block)
        except BrokenPipeError:
            pass
        finally:
            _closed(self._target.close)

    def _read(self) -> bytes:
        try:
            return self._source.read(_BLOCK)
        except Exception as error:
            self.failure = error
            return b""


@contextmanager
def _fed(process: subprocess.Popen[bytes], source: IO[bytes]) -> Iterator[_Feeder]:
    """Feed a program from a stream meanwhile; at the end the stream is no longer read.

    Raises:
        BackupError: the stream could not be read to its end.
    """
    feeder = _Feeder(source, _open(process.stdin))
    feeder.start()
    try:
        yield feeder
    except BaseException:
        process.kill()  # else the feeder would wait for it
        raise
    finally:
        feeder.join()
    if feeder.failure is not None:
        process.kill()
        raise BackupError(f"the dump in the backup cannot be read: {first_line(feeder.failure)}") from feeder.failure


@contextmanager
def _running(
    command: list[str], url: str, name: str, *, stdin: int | None = None, stdout: int | None = None, ours: bool = False
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program; its failure is an error with what it said first, unless killed, which ``ours`` may be."""
    password = conninfo_to_dict(url).get("password")
    environment = {**os.environ, **({"PGPASSWORD": str(password)} if password else {})}
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, stdin=stdin, stdout=stdout, stderr=said, env=environment)
        try:
            yield process
        except BaseException:
            process.kill()
            raise
        finally:
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    _closed(pipe.close)
            code = process.wait()
        if code and not (ours and code == -signal.SIGKILL):
            said.seek(0)
            raise BackupError(f"{name} failed: {_reason(said.read().decode('utf-8', 'replace'))}")


def _closed(close: Callable[[], None]) -> None:
    try:
        close()
    except BrokenPipeError:
        return


def _open(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise RuntimeError("the program was started without this pipe")
    return pipe


def _reason(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    telling = [line for line in lines if re.search(r"\b(?:error|ERROR|FATAL|fatal)\b", line)]
    line = (telling or lines or ["it was killed"])[0]
    return re.sub(r"^(?:psql:<stdin>:\d+: |pg_\w+: |psql: )?(?:error: |ERROR:  ?|FATAL:  ?)*", "", line)


def _place(url: str) -> str:
    """Return a URL as programs may see it on their command line, which every user of the machine can read."""
    return make_conninfo("", **{name: value for name, value in conninfo_to_dict(url).items() if name != "password"})


def _program(name: str, server: int) -> str:
    """Return the path of a program that knows this version of the server."""
    newest = max(VERSIONS)
    if server // 10000 <= newest:
        return find_binaries(newest).program(name)
    found = shutil.which(name)
    if found is None or int(_major(found)) < server // 10000:
        raise BackupError(
            f"the server is PostgreSQL {server // 10000}, and ragraph brings {name} {newest}",
            hint=f"install {name} {server // 10000} where PATH finds it",
        )
    return found


def _major(program: str) -> str:
    said = subprocess.run([program, "--version"], check=False, capture_output=True, text=True).stdout
    found = re.search(r"\d+", said)
    return found[0] if found else "0"
