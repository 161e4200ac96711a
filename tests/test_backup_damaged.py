"""A damaged backup, and a restore or a dump that is cut off: one line, no hanging, and the store as it was.

Commands run in processes of their own with a limit, so that one that hangs is a failure and not the end of the tests.
"""

from __future__ import annotations

import base64
import os
import random
import resource
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

import psycopg
import pytest
from forked_python import run_python
from ingest_tools import digest

import ragraph
from ragraph.backup.archive import DIGESTS, DUMP, MANIFEST, reading
from ragraph.errors import BackupError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragraph import Store

LIMIT = 300
"""Seconds until a command counts as hanging."""
COMMAND = "from ragraph.faces.cli import main; main()"
FROM_WITHIN = """
import sys
from ragraph.documents.assets import Assets
from ragraph.backup.restoring import restore_into
from ragraph.errors import BackupError
try:
    restore_into(sys.argv[1], Assets(sys.argv[2]), sys.argv[3], replace=True)
except BackupError as error:
    print(error)
"""
UNREADABLE = """
import io, sys
from ragraph.backup import programs
from ragraph.errors import BackupError

class Broken(io.RawIOBase):
    def read(self, size=-1):
        raise OSError(5, "Input/output error")

for read in (lambda: programs.is_secured(180000, Broken()),
             lambda: programs.load(sys.argv[1], 180000, Broken(), "DROP SCHEMA ragraph CASCADE;", "", "",
                                   lambda output: None, rights=True)):
    try:
        read()
    except BackupError as error:
        print(error)
"""


def ended(url: str, script: str, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "RAGRAPH_DATABASE_URL": url, "NO_COLOR": "1"}
    if not options:
        return run_python(script, *arguments, env=environment, timeout=LIMIT)
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=LIMIT, env=environment, **options
    )


def held(url: str) -> str:
    with ragraph.open(url) as opened:
        return digest(opened.database)


@pytest.fixture
def store(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A store whose dump has some MB that cannot be packed."""
    monkeypatch.setenv("RAGRAPH_HOME", str(tmp_path / "home"))
    (tmp_path / "wages.md").write_text("# Of wages\n\nWages are paid by the day.\n")
    noise = base64.b64encode(random.Random(1).randbytes(4_000_000)).decode()
    with ragraph.open(database_url) as opened:
        opened.ingest([tmp_path / "wages.md"], model=None)
        with opened.database.write() as connection:
            connection.execute(
                "UPDATE ragraph.publication SET metadata = jsonb_build_object('noise', %s::text)", [noise]
            )
        yield opened


@pytest.fixture
def file(store: Store, tmp_path: Path) -> Path:
    path = tmp_path / "library.ragraph"
    store.backup(path)
    with ZipFile(path) as archive:
        assert archive.getinfo(DUMP).file_size > 3_000_000
    return path


@pytest.fixture
def other(make_database: Callable[..., str], tmp_path: Path) -> str:
    """A store that holds something else."""
    url = make_database()
    (tmp_path / "own.md").write_text("# Mine\n\nThis is mine alone.\n")
    with ragraph.open(url) as opened:
        opened.ingest(tmp_path / "own.md", model=None)
    return url


def flipped(file: Path, place: int, bit: int = 2) -> Path:
    """Give a copy of a file in which one bit is another."""
    content = bytearray(file.read_bytes())
    content[place] ^= 1 << bit
    copy = file.with_name("flipped.ragraph")
    copy.write_bytes(content)
    return copy


def places(file: Path) -> dict[str, int]:
    """Return places within the members of a backup, and in what the archive says of them."""
    with ZipFile(file) as archive:
        begin = {name: archive.getinfo(name).header_offset for name in archive.namelist()}
        directory = archive.start_dir
        size = archive.getinfo(DUMP).file_size
    original = next(name for name in begin if name.startswith("assets/"))
    data = begin[DUMP] + 30 + len(DUMP) + 20  # a header, the name, and sizes of 64 bits
    return {
        "first bytes": data + 2,
        "contents of the dump": data + 3_000,
        "middle": data + size // 2,
        "last bytes": data + size - 2,
        "name in a header": begin[DUMP] + 32,
        "digests": begin[DIGESTS] + 30 + len(DIGESTS) + 20,
        "original": begin[original] + 30 + len(original) + 20 + 5,
        "manifest": begin[MANIFEST] + 30 + len(MANIFEST) + 5,
        "directory, method": directory + 10,
    }


@pytest.mark.slow
def test_a_flipped_bit_is_told_in_one_line_and_changes_nothing(file: Path, other: str) -> None:
    before = held(other)
    for name, place in places(file).items():
        damaged = flipped(file, place)
        for command in (["restore", str(damaged), "--replace"], ["verify", "--against", str(damaged)]):
            result = ended(other, COMMAND, *command)
            assert (result.returncode, result.stdout) == (1, ""), name
            assert len(result.stderr.splitlines()) == 1, (name, result.stderr)
            assert "is not a complete backup of ragraph" in result.stderr, name
        assert held(other) == before, name


def test_any_bit_of_the_archive_is_told_or_means_nothing(file: Path) -> None:
    """Flip bits all over what the archive says of its members; what is not damaged reads as before."""
    with ZipFile(file) as archive:
        directory = archive.start_dir
    whole = file.read_bytes()
    with ZipFile(file) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    for number, place in enumerate([*range(60), *range(directory, len(whole), 3)]):
        damaged = flipped(file, place, bit=number % 8)
        try:
            with reading(damaged, whole=True) as (archive, _):
                assert {name: archive.read(name) for name in archive.namelist()} == members
        except BackupError:
            continue


def test_damage_that_is_met_while_restoring_changes_nothing(file: Path, other: str, tmp_path: Path) -> None:
    """As of a file that was whole when it was checked.

    A program may refuse the damaged bytes before their checksum has been compared: then it is the one that is named.
    """
    refused = "the dump in the backup cannot be read: Bad CRC-32", "pg_restore failed", "psql failed"
    before = held(other)
    found = places(file)
    for name in ("contents of the dump", "middle", "last bytes"):
        result = ended(other, FROM_WITHIN, other, str(tmp_path / "originals"), str(flipped(file, found[name])))
        assert (result.returncode, result.stderr) == (0, ""), name
        (line,) = result.stdout.splitlines()
        assert any(reason in line for reason in refused), f"{name}: {line}"
        assert held(other) == before, name


def test_a_stream_that_cannot_be_read_ends_the_programs(other: str) -> None:
    before = held(other)
    result = ended(other, UNREADABLE, other)
    assert result.stdout.splitlines() == ["the dump in the backup cannot be read: [Errno 5] Input/output error"] * 2
    assert (result.returncode, result.stderr) == (0, "")
    assert held(other) == before


def test_a_connection_that_ends_while_restoring_changes_nothing(file: Path, other: str) -> None:
    """The receiving program dies while the others still send to it."""
    before = held(other)
    waiting = (
        "SELECT pid FROM pg_stat_activity WHERE application_name = 'psql' AND wait_event_type = 'Lock'"
        " AND datname = current_database()"
    )
    done = threading.Event()

    def terminate() -> None:
        with psycopg.connect(other, autocommit=True) as connection:
            while not done.wait(0.05):
                if found := connection.execute(waiting).fetchone():
                    connection.execute("SELECT pg_terminate_backend(%s)", found)
                    return

    thread = threading.Thread(target=terminate)
    thread.start()
    try:
        with psycopg.connect(other) as reader:
            reader.execute("SELECT count(*) FROM ragraph.document").fetchone()  # its lock stays until the end
            result = ended(other, COMMAND, "restore", str(file), "--replace")
    finally:
        done.set()
        thread.join()
    assert (result.returncode, result.stdout) == (1, "")
    (line,) = result.stderr.splitlines()
    assert "psql failed: " in line
    assert held(other) == before


def test_a_disk_that_is_full_while_dumping_leaves_no_file(store: Store, tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk."""
    path = tmp_path / "full" / "library.ragraph"
    path.parent.mkdir()

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, 2_000_000))

    result = ended(store.database.url, COMMAND, "backup", str(path), preexec_fn=limit)
    assert (result.returncode, result.stdout) == (1, "")
    (line,) = result.stderr.splitlines()
    assert "cannot be written (File too large)" in line
    assert list(path.parent.iterdir()) == []
