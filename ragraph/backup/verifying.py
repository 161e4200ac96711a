"""Verify a store: its rules, its originals, the recall of its vector indexes, and its rows against a backup."""

from __future__ import annotations

import hashlib
import time
from pathlib import Path
from typing import TYPE_CHECKING

from psycopg.rows import scalar_row

from ragraph.backup import archive as archives
from ragraph.backup import programs
from ragraph.base.queries import QUERIES
from ragraph.database import migrate
from ragraph.schema.backup import IndexRecall, VerifyReport

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragraph.database.connection import Database
    from ragraph.documents.assets import Assets

    Progress = Callable[[str], None]

QUERIES_ASKED = 100
"""Maximum number of vectors of a model whose nearest neighbours are searched with and without the index."""


def verify(
    database: Database, assets: Assets | None, against: str | Path | None, progress: Progress | None = None
) -> VerifyReport:
    """Verify a store; see ``Store.verify``."""
    begin = time.monotonic()
    report = progress or (lambda step: None)
    expected = None if against is None else _expected(database, Path(against), report)
    with database.read() as connection, connection.cursor(row_factory=scalar_row) as cursor:
        report("digests")
        digests = archives.digest_lines(connection.execute(QUERIES["store_digests"]))
        report("rules")
        violations = len(connection.execute(QUERIES["check_store"]).fetchall())
        report("vectors")
        recall = []
        for model, count in connection.execute(QUERIES["models_to_verify"]).fetchall():
            names = {"model_name": model, "queries": QUERIES_ASKED}
            nearest, found = connection.execute(QUERIES["index_recall"], names).fetchone() or (0, 0)
            asked = min(count, QUERIES_ASKED)
            recall.append(IndexRecall(model=model, queries=asked, recall=round(found / nearest, 4) if nearest else 1.0))
        named = cursor.execute(QUERIES["assets_named"]).fetchall()
    report("originals")
    return VerifyReport(
        rows=archives.totals(digests),
        violations=violations,
        differences=[] if expected is None else archives.differences(expected, digests),
        recall=recall,
        originals=len(named),
        damaged=[] if assets is None else [asset for asset in named if not _whole(assets, asset)],
        seconds=round(time.monotonic() - begin, 3),
    )


def _expected(database: Database, path: Path, report: Callable[[str], None]) -> archives.Digests:
    """Return the digests of a backup, after all was read that a restore into this server reads.

    Raises:
        BackupError: a restore would refuse the backup.
        SchemaVersionError: a newer ragraph wrote it.
    """
    report("backup")
    with archives.reading(path, whole=True) as (archive, manifest):
        migrate.check_known(manifest.revision)
        for name in archives.originals(archive):
            archives.original(archive, name)
        with database.read() as connection:
            server = connection.info.server_version
        with archive.open(archives.DUMP) as member:
            programs.read_through(server, member)
        return archives.digests_of(archive)


def _whole(assets: Assets, asset: str) -> bool:
    """Return True if an original exists with the bytes that its name states."""
    if (path := assets.path(asset)) is not None:
        with path.open("rb") as file:
            return f"asset:{hashlib.file_digest(file, 'sha256').hexdigest()}" == asset
    content = assets.read(asset)
    return content is not None and f"asset:{hashlib.sha256(content).hexdigest()}" == asset
