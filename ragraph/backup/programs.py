"""Run pg_dump, pg_restore and psql. Those of the package support all versions of PostgreSQL up to their own."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
from contextlib import contextmanager
from itertools import islice
from typing import IO, TYPE_CHECKING

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from ragraph.base import settings
from ragraph.base.queries import QUERIES
from ragraph.database.connection import connect, is_direct
from ragraph.database.driver import translate_errors
from ragraph.errors import BackupError, first_line
from ragraph.server.binaries import VERSIONS, find_binaries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


_BLOCK = 1 << 20
_HAS_TIMEOUT = 170000
"""First version of the server that has transaction_timeout, which pg_restore sets in its first lines."""
_HEAD_LINES = 40
"""Number of lines of a script that have its settings; the first COPY comes later."""
_BEGINS_DATA = re.compile(rb"COPY .* FROM stdin;$")
_TIMEOUT = b"SET transaction_timeout = 0;\n"


def direct(url: str) -> str:
    """Return the URL at which these programs can connect: they change settings of their session.

    Args:
        url: URL of a database. If it leads to a pooler, ``RAGRAPH_DIRECT_URL`` is returned.

    Raises:
        BackupError: the URL leads to a pooler, and ``RAGRAPH_DIRECT_URL`` is missing, leads to a pooler too, or to
            another database.
    """
    with translate_errors(url), connect(url, autocommit=True) as connection:
        if is_direct(connection):
            return url
        place = connection.execute(QUERIES["database_identity"]).fetchone()
    wanted = "give the address of the server itself (--direct-url, or RAGRAPH_DIRECT_URL)"
    other = settings.direct_url()
    if other is None:
        raise BackupError("the database URL leads to a pooler", hint=wanted)
    with translate_errors(other), connect(other, autocommit=True) as connection:
        if not is_direct(connection):
            raise BackupError("the direct URL leads to a pooler too", hint=wanted)
        if connection.execute(QUERIES["database_identity"]).fetchone() != place:
            raise BackupError("the direct URL leads to another database than the URL", hint=wanted)
    return other


def dump(url: str, server: int, snapshot: str, target: IO[bytes]) -> None:
    """Write the schemas of a store, as one snapshot sees them, in pg_dump's custom format.

    Args:
        url: URL of the database.
        server: version number of the server.
        snapshot: name of a snapshot exported by an open transaction.
        target: stream to write to.

    Raises:
        BackupError: pg_dump is missing or fails; the message is pg_dump's.
    """
    wanted = ["--format=custom", "--compress=gzip:1", "--schema=ragraph", "--schema=ragraph_private", "--no-owner"]
    wanted.append("--schema=ragraph_past")
    # With row-level security on, pg_dump needs this option to read, although this role sees all rows.
    command = [_program("pg_dump", server), *wanted, f"--snapshot={snapshot}", "--no-password", "--enable-row-security"]
    with _running([*command, "--dbname", _place(url)], url, "pg_dump", stdout=subprocess.PIPE) as process:
        shutil.copyfileobj(_open(process.stdout), target, _BLOCK)


def is_secured(server: int, source: IO[bytes]) -> bool:
    """Return True if row-level security was on in the store of a dump.

    Args:
        server: version number of the server to restore into.
        source: a dump written by ``dump``.

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


def read_through(server: int, source: IO[bytes]) -> None:
    """Read a dump to its end, as a restore does, without a database.

    Args:
        server: version number of the server that it could be restored into.
        source: a dump written by ``dump``.

    Raises:
        BackupError: the dump is damaged.
    """
    reading = [_program("pg_restore", server), "--file=-"]
    with (
        _running(reading, "", "pg_restore", ours=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process,
        _fed(process, source),
    ):
        script = _open(process.stdout)
        while script.read(_BLOCK):
            pass


def load(
    url: str,
    server: int,
    source: IO[bytes],
    before: str,
    after: str,
    results: str,
    check: Callable[[IO[bytes]], None],
    *,
    rights: bool,
    edit: Callable[[bytes], bytes] | None = None,
) -> None:
    """Restore a dump into a database in one transaction, which is committed only if a check passes.

    Args:
        url: URL of the database.
        server: version number of the server.
        source: a dump written by ``dump``.
        before: SQL to run first, in the same transaction.
        after: SQL to run then, in the same transaction.
        results: a COPY ... TO STDOUT, run last.
        check: reads the output of ``results`` before the transaction is committed, and raises if it is not as
            expected. The stream has no end until then.
        rights: True to restore grants and policies.
        edit: applied to each line of the dump that is no data.

    Raises:
        BackupError: the dump is damaged, the database refuses it, or the check failed; nothing was changed.
    """
    left_out = [] if rights else ["--no-privileges", "--no-policies"]
    reading = [_program("pg_restore", server), "--no-owner", "--file=-", *left_out]
    writing = [_program("psql", server), "--no-psqlrc", "--quiet", "--no-password", "--single-transaction", "--output"]
    writing += [os.devnull, "--set=ON_ERROR_STOP=1", "--set=SHOW_CONTEXT=never", "--dbname", _place(url), "--file=-"]
    with (
        _running(writing, url, "psql", stdin=subprocess.PIPE, stdout=subprocess.PIPE) as psql,
        _running(reading, url, "pg_restore", ours=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as restore,
        _fed(restore, source) as feeder,
    ):
        script, taken = _open(restore.stdout), _open(psql.stdin)
        try:
            taken.write(before.encode())
            head = b"".join(islice(script, _HEAD_LINES))
            taken.write(head if server >= _HAS_TIMEOUT else head.replace(_TIMEOUT, b"", 1))
            if edit is None:
                shutil.copyfileobj(script, taken, _BLOCK)
            else:
                _copy_edited(script, taken, edit)
            feeder.join()
            # psql must not take the end of a damaged dump for the end of the script
            if restore.wait() or feeder.failure:
                psql.kill()
            taken.write(f"{after}\\o\n{results};\n".encode())
            taken.flush()
            check(_open(psql.stdout))  # if it raises, psql is killed before it commits
            taken.close()
        except BrokenPipeError:  # psql reports the reason
            restore.kill()


def _copy_edited(script: IO[bytes], target: IO[bytes], edit: Callable[[bytes], bytes]) -> None:
    """Copy a script of pg_restore, and edit its lines except the rows after a COPY."""
    data = False
    for line in script:
        target.write(line if data else edit(line))
        data = line != b"\\.\n" if data else _BEGINS_DATA.match(line) is not None


class _Feeder(threading.Thread):
    """Copies a stream into a pipe, and always closes the pipe, so that its reader ends too.

    Args:
        source: read to its end.
        target: the pipe. It may break; its reader then reports the reason.
    """

    failure: Exception | None = None
    """Why the source could not be read to its end; read it after the thread has ended."""

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
    """Feed a program from a stream during the block; at the end the stream is no longer read.

    Raises:
        BackupError: the stream could not be read to its end.
    """
    feeder = _Feeder(source, _open(process.stdin))
    feeder.start()
    try:
        yield feeder
    except BaseException:
        process.kill()  # otherwise the feeder would wait for it
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
    """Run a program during the block.

    Args:
        command: program and arguments.
        url: URL whose password is passed in the environment.
        name: name of the program for messages.
        stdin: as in subprocess.
        stdout: as in subprocess.
        ours: True if this module may kill the program; that is not a failure.

    Raises:
        BackupError: the program failed; the message has its first error.
    """
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
    """Return a URL without its password, because every user of the machine can read command lines."""
    return make_conninfo("", **{name: value for name, value in conninfo_to_dict(url).items() if name != "password"})


def _program(name: str, server: int) -> str:
    """Return the path of a program that supports this version of the server.

    Raises:
        BackupError: there is none; the hint says what to install.
    """
    newest = max(VERSIONS)
    if server // 10000 <= newest:
        return find_binaries(newest).program(name)
    found = shutil.which(name)
    if found is None or int(_major(found)) < server // 10000:
        raise BackupError(
            f"the server is PostgreSQL {server // 10000}, and ragraph includes {name} {newest}",
            hint=f"install {name} {server // 10000} in a folder of PATH",
        )
    return found


def _major(program: str) -> str:
    said = subprocess.run([program, "--version"], check=False, capture_output=True, text=True).stdout
    found = re.search(r"\d+", said)
    return found[0] if found else "0"
