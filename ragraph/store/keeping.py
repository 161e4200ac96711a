"""The part of the store's face that keeps it safe: a backup, and a look over all of it."""

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
    """Methods of ``Store``."""

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
        """Write all of the store into a file, as it is at this moment; others go on reading and writing meanwhile.

        ``ragraph.restore`` brings it back, also on another version of PostgreSQL.

        Args:
            path: the file, which its owner alone may read; it appears when it is complete.
            originals: with the originals that the store names.
            overwrite: take the place of a file that is there.
            progress: told the name of each step as it begins.

        Raises:
            BackupError: the file is there already or cannot be written, pg_dump fails, or the store lies on a cluster.
        """
        from ragraph.backup.dumping import back_up

        self.database.check_usable()
        return back_up(
            self.database.url, self.assets, path, originals=originals, overwrite=overwrite, progress=progress
        )

    def doctor(self) -> list[Finding]:
        """Look over the store and what it runs on: server, schema, rights, disk, indexes, models, originals, extras.

        Returns:
            A finding each, with what to do where it is not ``ok``.
        """
        from ragraph.store.doctor import diagnose

        return diagnose(self.database, self.assets)

    def stats(self) -> StoreStats:
        """Return how large the store is: tables with rows and bytes, indexes with their use, originals and pictures.

        Raises:
            AssetError: the originals cannot be reached.
        """
        from ragraph.store.doctor import stats

        return stats(self.database, self.assets)

    def verify(
        self, against: str | Path | None = None, *, progress: Callable[[str], None] | None = None
    ) -> VerifyReport:
        """Look over all of the store: the rules of the model, originals by their bytes, vector indexes by exact search.

        Args:
            against: a backup, to say in what the store differs from it.
            progress: told the name of each step as it begins.

        Raises:
            BackupError: the backup cannot be read.
            AssetError: the originals cannot be reached.
        """
        from ragraph.backup.verifying import verify

        return verify(self.database, self.assets, against, progress)
