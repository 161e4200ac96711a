"""Restore a backup into a database, in one transaction, and compare the result with the backup's digests."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg import sql
from psycopg.rows import scalar_row

from ragraph.backup import archive as archives
from ragraph.backup import programs
from ragraph.base import system
from ragraph.base.counts import many
from ragraph.base.queries import QUERIES
from ragraph.base.scratch import ScratchFolder
from ragraph.database import migrate
from ragraph.database.connection import check_server_version, connect
from ragraph.database.driver import is_local, translate_errors
from ragraph.errors import BackupError
from ragraph.schema.backup import RestoreReport

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import IO
    from zipfile import ZipFile

    from ragraph.documents.assets import Assets

    Progress = Callable[[str], None]

_BLOCK = 1 << 20
_MOST_MEMORY = 2 << 30
"""Maximum memory in bytes for building a vector index; more than the graph of a million vectors takes."""
_AFTER = "SET client_min_messages = warning;\nSET row_security = on;\n"
"""Settings for the SQL that follows the dump, which turns row security off for itself."""
_TENANTS_ON = "SELECT ragraph.enable_tenants();\n"
"""Run if roles are missing: their policies cannot be restored, and without policies nobody but the owner may see rows.
"""
_GRANTS = ("collection_grant", "")
_OF_PGVECTOR = rb"(?:vector|halfvec|bit_hamming|binary_quantize)"
"""Beginnings of the names that a store uses of pgvector: types, functions and operator classes."""
_PATIENCE = "30s"
"""Time to wait for the locks of other users of the store that is replaced."""


def restore_into(
    url: str, assets: Assets, path: str | Path, *, replace: bool, progress: Progress | None = None
) -> RestoreReport:
    """Restore a backup into a database; see ``ragraph.restore``."""
    source = Path(path)
    begin = time.monotonic()
    report = progress or (lambda step: None)
    url = programs.direct(url)
    with archives.reading(source) as (archive, manifest):
        migrate.check_known(manifest.revision)
        expected = archives.digests_of(archive)
        with translate_errors(url), connect(url, autocommit=True) as connection:
            server = connection.info.server_version
            check_server_version(connection)
            migrate.ensure_extension(connection)
            vector_schema = migrate.vector_schema(connection)
            existing = _publication_count(connection)
            if existing and not replace:
                raise BackupError(
                    f"the store already has {many(existing, 'publication')}",
                    hint="restore into an empty store, or pass replace=True to delete its data",
                )
            with connection.cursor(row_factory=scalar_row) as cursor:
                missing = cursor.execute(QUERIES["roles_missing"], {"role_names": manifest.roles}).fetchall()
        report("originals")  # first, so that a damaged original or a full disk leaves the database unchanged
        originals = _restore_assets(archive, assets)
        report("graph")
        secured = False
        digests: archives.Digests = {}

        def compare(output: IO[bytes]) -> None:
            """Raise BackupError if the restored store, which is not committed yet, differs from the backup."""
            report("digests")
            digests.update(archives.digest_lines(_written_digests(output)))
            if not digests:  # psql failed, and reports the reason
                return
            if secured:  # the owner of the store was granted all collections
                expected[_GRANTS] = digests[_GRANTS]
            if different := archives.differences(expected, digests):
                raise BackupError(f"the restored store differs from the backup: {'; '.join(different[:5])}")

        if missing:
            with archive.open(archives.DUMP) as member:
                secured = programs.is_secured(server, member)
        with archive.open(archives.DUMP) as member:
            before = _before(local=is_local(url), drop=existing is not None)
            after = _AFTER + (_TENANTS_ON if secured else "")
            results = QUERIES["write_store_digests"]
            moved = _moved(manifest.vector_schema, vector_schema)
            programs.load(url, server, member, before, after, results, compare, rights=not missing, edit=moved)
        report("upgrade")
        with translate_errors(url), connect(url, autocommit=True) as connection:
            if server // 10000 != manifest.server // 10000:
                connection.execute(QUERIES["forget_text_samples"])
                connection.execute(QUERIES["count_text_again"])
            for table in archives.totals(digests):
                connection.execute(sql.SQL("VACUUM (ANALYZE) {}").format(sql.Identifier("ragraph", table)))
        migrate.upgrade(url)
    return RestoreReport(
        path=str(source),
        revision=migrate.head(),
        rows=archives.totals(digests),
        originals=originals,
        warnings=[_left_out(missing, secured=secured)] if missing else [],
        seconds=round(time.monotonic() - begin, 3),
    )


def _left_out(missing: list[str], *, secured: bool) -> str:
    """Return the warning that grants were not restored, with advice."""
    said = f"grants were not restored: no role {', '.join(missing)}; create these, then run `ragraph db roles`"
    if not secured:
        return said
    return f"{said} and `ragraph db tenants on`; tenants are on, and missing roles give nobody access to a collection"


def _publication_count(connection: psycopg.Connection[Any]) -> int | None:
    """Return the number of publications in the database; None if it has no ragraph schema."""
    try:
        (count,) = connection.execute(QUERIES["publications_there"]).fetchone() or (0,)
    except (psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName):
        return None
    return int(count)


def _before(*, local: bool, drop: bool) -> str:
    """Return the SQL to run before the dump: settings for building indexes, and the removal of an existing store."""
    lines = [f"SET lock_timeout = '{_PATIENCE}';", "SET statement_timeout = 0;", "SET client_min_messages = warning;"]
    if local:
        memory = min(system.free_memory() // 4, _MOST_MEMORY) // 1024
        lines.append(f"SET maintenance_work_mem = '{memory}kB';")
        lines.append(f"SET max_parallel_maintenance_workers = {max(0, (os.cpu_count() or 1) - 1)};")
    if drop:
        lines.append("DROP SCHEMA IF EXISTS ragraph, ragraph_private, ragraph_past CASCADE;")
    return "\n".join([*lines, ""])


def _written_digests(output: IO[bytes]) -> list[tuple[str, str, int, str]]:
    """Return rows of ``write_store_digests`` from psql; none if the last line, which has no table, is missing."""
    rows: list[tuple[str, str, int, str]] = []
    for line in output:
        table, document, count, digest = line.decode().rstrip("\n").split("\t")
        if not table:
            return rows
        rows.append((table, document, int(count), digest))
    return []


def _moved(before: str, now: str) -> Callable[[bytes], bytes] | None:
    """Return a function that moves what pgvector brings from one schema to another in a line of a dump."""
    if before == now:
        return None
    named = re.compile(rb"(?<![\w.\"])" + re.escape(before.encode()) + rb"\.(?=" + _OF_PGVECTOR + rb")")
    return lambda line: named.sub(now.encode().replace(b"\\", b"\\\\") + b".", line)


def _restore_assets(archive: ZipFile, assets: Assets) -> int:
    """Copy the originals into the asset store; return their number. The name of each is the digest of its bytes.

    Raises:
        BackupError: an original is damaged, or cannot be written.
    """
    names = [name for name in archive.namelist() if name.startswith(archives.ASSETS)]
    try:
        with ScratchFolder("restore") as folder:
            for name in names:
                file = folder.path / "original"
                with archive.open(name) as member, file.open("wb") as copy:
                    shutil.copyfileobj(member, copy, _BLOCK)
                with file.open("rb") as copy:
                    digest = hashlib.file_digest(copy, "sha256").hexdigest()
                if digest != name.removeprefix(archives.ASSETS):
                    raise BackupError(f"the backup is damaged: the bytes of {name} do not match the digest in its name")
                assets.put(file, digest)
    except OSError as error:
        raise BackupError(f"the originals cannot be unpacked ({error.strerror or error})") from error
    return len(names)
