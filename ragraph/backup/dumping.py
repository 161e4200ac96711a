"""Back up a store while it is used: one snapshot of the graph, its digests and the originals that it names."""

from __future__ import annotations

import shutil
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from psycopg import IsolationLevel
from psycopg.rows import scalar_row

from ragraph.backup import archive as archives
from ragraph.backup import programs
from ragraph.base.extras import package_version
from ragraph.base.queries import QUERIES
from ragraph.database.connection import connect
from ragraph.database.driver import translate_errors
from ragraph.errors import BackupError
from ragraph.schema.backup import BackupReport

if TYPE_CHECKING:
    from collections.abc import Callable
    from zipfile import ZipFile

    from ragraph.documents.assets import Assets

    Progress = Callable[[str], None]

_BLOCK = 1 << 20


def back_up(
    url: str,
    assets: Assets | None,
    path: str | Path,
    *,
    originals: bool,
    overwrite: bool,
    progress: Progress | None = None,
) -> BackupReport:
    """Write a store into a file; see ``Store.backup``."""
    target = Path(path)
    begin = time.monotonic()
    report = progress or (lambda step: None)
    url = programs.direct(url)
    with translate_errors(url), connect(url, autocommit=True) as connection:
        if connection.execute(QUERIES["cluster_version"]).fetchone() is not None:
            raise BackupError("the store is on a cluster", hint="back up its nodes, all at the same time")
        connection.set_isolation_level(IsolationLevel.REPEATABLE_READ)
        connection.set_read_only(True)
        with connection.transaction(), archives.writing(target, overwrite=overwrite) as archive:
            if connection.execute(QUERIES["sees_all"]).fetchone() != (True,):
                raise BackupError(
                    "tenants are on, and this role cannot see the whole store",
                    hint="connect as its owner, or grant everything: ragraph db grant ROLE '*' read",
                )
            manifest = _manifest(connection)
            (snapshot,) = connection.execute(QUERIES["backup_snapshot"]).fetchone() or ("",)
            report("graph")
            with archive.open(archives.DUMP, "w", force_zip64=True) as member:
                programs.dump(url, manifest.server, snapshot, member)
            report("digests")
            digests = archives.digest_lines(connection.execute(QUERIES["store_digests"]))
            archives.put_digests(archive, digests)
            report("originals")
            with connection.cursor(row_factory=scalar_row) as cursor:
                named = cursor.execute(QUERIES["assets_named"]).fetchall() if originals else []
            missing = [asset for asset in named if not _copied(archive, assets, asset)]
            archives.put_manifest(archive, manifest)
    return BackupReport(
        path=str(target),
        revision=manifest.revision,
        server=_version(manifest.server),
        rows=archives.totals(digests),
        originals=len(named) - len(missing),
        missing=missing,
        bytes=target.stat().st_size,
        seconds=round(time.monotonic() - begin, 3),
    )


def _manifest(connection: Any) -> archives.Manifest:
    revision, server, roles, vector_schema = connection.execute(QUERIES["backup_state"]).fetchone()
    return archives.Manifest(
        format=archives.FORMAT,
        ragraph=package_version(),
        revision=revision,
        server=server,
        roles=roles,
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
        vector_schema=vector_schema,
    )


def _copied(archive: ZipFile, assets: Assets | None, asset: str) -> bool:
    """Add an original; return False if it does not exist."""
    if assets is None:
        return False
    name = archives.ASSETS + asset.removeprefix("asset:")
    if (path := assets.path(asset)) is not None:
        with path.open("rb") as source, archive.open(name, "w", force_zip64=True) as member:
            shutil.copyfileobj(source, member, _BLOCK)
        return True
    content = assets.read(asset)
    if content is None:
        return False
    archive.writestr(name, content)
    return True


def _version(number: int) -> str:
    return f"{number // 10000}.{number % 10000}"
