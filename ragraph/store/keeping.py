"""Methods of ``Store`` for maintenance: backup, checks and sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.base.arguments import check_methods

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ragraph.database.connection import Database
    from ragraph.documents.assets import Assets
    from ragraph.schema.backup import BackupReport, VerifyReport
    from ragraph.schema.findings import Finding, StoreStats


@check_methods
class StoreKeeping:
    """Methods of ``Store`` for maintenance."""

    database: Database
    assets: Assets | None

    def backup(
        self,
        path: str | Path,
        *,
        originals: bool = True,
        overwrite: bool = False,
        progress: Callable[[str], None] | None = None,
    ) -> BackupReport:
        """Write the whole store into a file, as one snapshot; other users keep reading and writing.

        ``ragraph.restore`` restores it, also on another version of PostgreSQL.

        Args:
            path: the file, readable by its owner only; it appears when it is complete.
            originals: include the originals that the store names.
            overwrite: replace an existing file.
            progress: called with the name of each step as it begins.

        Raises:
            BackupError: the file exists or cannot be written, pg_dump fails, or the store is on a cluster.
        """
        from ragraph.backup.dumping import back_up

        self.database.check_usable()
        return back_up(
            self.database.url, self.assets, path, originals=originals, overwrite=overwrite, progress=progress
        )

    def doctor(self) -> list[Finding]:
        """Check the store and its environment: server, schema, rights, disk, indexes, models, originals, extras.

        Returns:
            A finding for each check, with advice if it is not ``ok``.
        """
        from ragraph.store.doctor import diagnose

        return diagnose(self.database, self.assets)

    def stats(self) -> StoreStats:
        """Return the sizes of the store: tables with rows and bytes, indexes with their use, originals and pictures.

        Raises:
            AssetError: the originals cannot be reached.
        """
        from ragraph.store.doctor import stats

        return stats(self.database, self.assets)

    def verify(
        self, against: str | Path | None = None, *, progress: Callable[[str], None] | None = None
    ) -> VerifyReport:
        """Verify the whole store: the rules of the schema, originals by their bytes, vector indexes by exact search.

        Args:
            against: a backup to compare the store with.
            progress: called with the name of each step as it begins.

        Raises:
            BackupError: the backup cannot be read.
            AssetError: the originals cannot be reached.
        """
        from ragraph.backup.verifying import verify

        return verify(self.database, self.assets, against, progress)
