"""Restore a backup into a database: in one transaction, then compared with what was backed up."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import psycopg
from psycopg import sql
from psycopg.rows import scalar_row

from ragraph.backup import archive as archives
from ragraph.backup import programs
from ragraph.base.counts import many
from ragraph.base.queries import QUERIES
from ragraph.database import migrate
from ragraph.database.connection import check_server_version, connect
from ragraph.database.driver import is_local, translate_errors
from ragraph.errors import BackupError
from ragraph.schema.backup import RestoreReport

if TYPE_CHECKING:
    from collections.abc import Callable
    from zipfile import ZipFile

    from ragraph.documents.assets import Assets

    Told = Callable[[str], None]

_BLOCK = 1 << 20
_MOST_MEMORY = 2 << 30
"""Bytes for building an index of vectors; more than the graph of a million takes."""
_TENANTS_ON = "SET client_min_messages = warning;\nSET row_security = on;\nSELECT ragraph.enable_tenants();\n"
"""Where roles are missing their policies cannot come along, and without any nobody but the owner may see rows."""
_GRANTS = ("collection_grant", "")
_PATIENCE = "30s"
"""For the locks of those who use the store that is replaced."""


def restore_into(
    url: str, assets: Assets, path: str | Path, *, replace: bool, told: Told | None = None
) -> RestoreReport:
    """Bring a backup into a database; see ``ragraph.restore``."""
    source = Path(path)
    begin = time.monotonic()
    tell = told or (lambda step: None)
    with archives.reading(source) as (archive, manifest):
        migrate.check_known(manifest.revision)
        expected = archives.digests_of(archive)
        with translate_errors(url), connect(url, autocommit=True) as connection:
            programs.check_direct(connection)
            server = connection.info.server_version
            check_server_version(connection)
            migrate.ensure_extension(connection)
            there = _there(connection)
            if there and not replace:
                raise BackupError(
                    f"the store holds {many(there, 'publication')} already",
                    hint="restore into an empty one, or pass replace=True to lose what it holds",
                )
            with connection.cursor(row_factory=scalar_row) as cursor:
                missing = cursor.execute(QUERIES["roles_missing"], {"role_names": manifest.roles}).fetchall()
        tell("originals")  # first: a damaged one, or no room for them, leaves the database as it was
        originals = _restore_assets(archive, assets)
        tell("graph")
        secured = False
        if missing:
            with archive.open(archives.DUMP) as member:
                secured = programs.is_secured(server, member)
        with archive.open(archives.DUMP) as member:
            before = _before(local=is_local(url), drop=there is not None)
            programs.load(url, server, member, before, _TENANTS_ON if secured else "", rights=not missing)
        tell("digests")
        with translate_errors(url), connect(url, autocommit=True) as connection:
            digests = archives.digest_lines(connection.execute(QUERIES["store_digests"]))
            if secured:  # who owns the store was granted all of it
                expected[_GRANTS] = digests[_GRANTS]
            if different := archives.differences(expected, digests):
                raise BackupError(f"what was restored is not what was backed up: {'; '.join(different[:5])}")
            tell("upgrade")
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
    """Say that rights were left out, and how to give them."""
    said = f"rights were left out: there are no roles {', '.join(missing)}; make them, then run `ragraph db roles`"
    if not secured:
        return said
    return f"{said} and `ragraph db tenants on`; tenants are on, and nobody sees a collection by a role that is missing"


def _there(connection: psycopg.Connection[Any]) -> int | None:
    """Return how many publications the database holds; None if it has no schema of ours."""
    try:
        (count,) = connection.execute(QUERIES["publications_there"]).fetchone() or (0,)
    except (psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName):
        return None
    return int(count)


def _before(*, local: bool, drop: bool) -> str:
    """Return what comes before the dump: room for its indexes, and the end of what is there."""
    lines = [f"SET lock_timeout = '{_PATIENCE}';", "SET statement_timeout = 0;", "SET client_min_messages = warning;"]
    if local:
        memory = min(int(psutil.virtual_memory().available) // 4, _MOST_MEMORY) // 1024
        lines.append(f"SET maintenance_work_mem = '{memory}kB';")
        lines.append(f"SET max_parallel_maintenance_workers = {max(0, (os.cpu_count() or 1) - 1)};")
    if drop:
        lines.append("DROP SCHEMA IF EXISTS ragraph, ragraph_private, ragraph_past CASCADE;")
    return "\n".join([*lines, ""])


def _restore_assets(archive: ZipFile, assets: Assets) -> int:
    """Put the originals into the asset store; each is checked by its name."""
    names = [name for name in archive.namelist() if name.startswith(archives.ASSETS)]
    try:
        with tempfile.TemporaryDirectory(prefix="ragraph-restore-") as folder:
            for name in names:
                file = Path(folder) / "original"
                with archive.open(name) as member, file.open("wb") as copy:
                    shutil.copyfileobj(member, copy, _BLOCK)
                with file.open("rb") as copy:
                    digest = hashlib.file_digest(copy, "sha256").hexdigest()
                if digest != name.removeprefix(archives.ASSETS):
                    raise BackupError(f"the backup is damaged: {name} has other bytes than its name says")
                assets.put(file, digest)
    except OSError as error:
        raise BackupError(f"the originals cannot be unpacked ({error.strerror or error})") from error
    return len(names)
