"""The asset store: originals of documents, stored by the digest of their bytes.

A file is stored once, however many documents have its bytes, under ``asset:`` and its SHA-256, which the database has
in ``storage_url``. So the asset does not change when the ingested file is moved, and no row changes when the folder of
assets is moved.
"""

from __future__ import annotations

import hashlib
import os
import re
import uuid
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes, urlsplit

from psycopg.rows import scalar_row

from ragraph.base.extras import install
from ragraph.base.queries import QUERIES
from ragraph.errors import AssetError, RagraphNotice, first_line
from ragraph.schema.pictures import AssetReport

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import psycopg

    from ragraph.database.connection import Database

_STAYS = (
    "originals and pictures are kept, because a tenant cannot see who else has the same:"
    " `ragraph assets clean` of the store's owner removes those that no document names"
)
_SCHEME = "asset:"
_NAME = re.compile(r"[0-9a-f]{64}")
_BLOCK = 1024 * 1024


@dataclass(frozen=True)
class Assets:
    """A folder of assets, on this machine or at any place that fsspec supports.

    Args:
        root: a path, or an fsspec URL such as ``s3://bucket/assets``; created with the first file.
    """

    root: str

    def put(self, path: Path, sha256: str) -> str:
        """Store the bytes of a file and return its ``storage_url``.

        Args:
            path: the file.
            sha256: expected digest of its bytes, 64 hexadecimal digits.

        Raises:
            AssetError: the file changed meanwhile, or the asset store cannot be written.
        """
        target = self._place(sha256)
        with _asset_errors(self.root):
            files, target = self._files(target)
            if not files.exists(target):
                files.makedirs(target.rpartition("/")[0], exist_ok=True)
                part = f"{target}.{uuid.uuid4().hex}.part"
                try:
                    if _copy(path, files, part) != sha256:
                        raise AssetError(f"{path.name} changed while it was ingested", hint="ingest it again")
                    files.mv(part, target)
                finally:
                    if files.exists(part):
                        files.rm_file(part)
        return _SCHEME + sha256

    def path(self, url: str) -> Path | None:
        """Return the path of an asset, or None if it is not a file of this machine."""
        with _asset_errors(self.root):
            files, target = self._files(self._place(url.removeprefix(_SCHEME)))
            local = Path(target)
            return local if "file" in _protocols(files) and local.is_file() else None

    def read(self, url: str) -> bytes | None:
        """Return the bytes of an asset, or None if it does not exist."""
        with _asset_errors(self.root):
            files, target = self._files(self._place(url.removeprefix(_SCHEME)))
            return bytes(files.cat_file(target)) if files.exists(target) else None

    def sizes(self) -> dict[str, int]:
        """Return the size in bytes of each asset, by its ``storage_url``."""
        with _asset_errors(self.root):
            files, root = self._files(self.root)
            if not files.exists(root):
                return {}
            found = files.find(root, detail=True)
            names = {name.rpartition("/")[2]: int(entry["size"]) for name, entry in found.items()}
        return {_SCHEME + name: size for name, size in names.items() if _NAME.fullmatch(name)}

    def remove(self, url: str) -> None:
        """Remove an asset, if it exists."""
        with _asset_errors(self.root):
            files, target = self._files(self._place(url.removeprefix(_SCHEME)))
            if files.exists(target):
                files.rm_file(target)

    def _place(self, sha256: str) -> str:
        if not _NAME.fullmatch(sha256):
            raise AssetError(f"{sha256!r} is not the digest of an asset")
        return f"{self.root.rstrip('/')}/{sha256[:2]}/{sha256}"

    @staticmethod
    def _files(place: str) -> tuple[Any, str]:
        from fsspec.core import url_to_fs

        return url_to_fs(place)  # type: ignore[no-any-return]


def is_asset(url: str | None) -> bool:
    """Return True if a ``storage_url`` is that of an asset."""
    return url is not None and url.startswith(_SCHEME)


def assets_of(connection: psycopg.Connection[Any], document: str) -> set[str]:
    """Return the assets that a document names, or named in a stored version."""
    with connection.cursor(row_factory=scalar_row) as cursor:
        return set(cursor.execute(QUERIES["assets_of"], {"document_id": document}).fetchall())


def named_assets(connection: psycopg.Connection[Any]) -> set[str] | None:
    """Return the assets that documents name, or None if the role cannot see all documents."""
    with connection.cursor(row_factory=scalar_row) as cursor:
        if not cursor.execute(QUERIES["sees_all"]).fetchone():
            return None
        return set(cursor.execute(QUERIES["assets_named"]).fetchall())


def release(database: Database, assets: Assets, urls: Iterable[str], *, warn: bool = False) -> list[str]:
    """Remove assets that no document names any more.

    The bytes are locked as by an ingest, so a document ingested at the same time keeps its assets. A role that cannot
    see all documents removes none, because another tenant may have the same bytes.

    Args:
        database: the store's database.
        assets: the asset store.
        urls: ``storage_url`` of each asset.
        warn: warn if the role cannot see all documents.

    Returns:
        The removed assets.
    """
    removed = []
    for url in urls:
        key = {"sha256": url.removeprefix(_SCHEME), "storage_url": url}
        with database.write() as connection, connection.cursor(row_factory=scalar_row) as cursor:
            connection.execute(QUERIES["lock_content"], key)
            # checked for each asset, because the right may be revoked meanwhile
            if not cursor.execute(QUERIES["sees_all"]).fetchone():
                if warn:
                    warnings.warn(_STAYS, RagraphNotice, stacklevel=2)
                break
            if not cursor.execute(QUERIES["asset_named"], key).fetchone():
                assets.remove(url)
                removed.append(url)
    return removed


def clean(database: Database, assets: Assets, *, dry_run: bool = False) -> AssetReport:
    """Remove the assets that no document names; see ``Store.clean_assets``."""
    there = assets.sizes()
    with database.read() as connection:
        named = named_assets(connection)
    if named is None:
        raise AssetError(
            "this role cannot see all documents, so it does not know which assets are unused",
            hint="let the owner of the store remove them",
        )
    unnamed = sorted(there.keys() - named)
    removed = unnamed if dry_run else release(database, assets, unnamed)
    freed = sum(there[url] for url in removed)
    return AssetReport(root=assets.root, kept=len(there) - len(removed), removed=removed, bytes_removed=freed)


def path_of(uri: str) -> Path | None:
    """Return the path of a file: URI of this machine; None for any other URI."""
    parts = urlsplit(uri)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return None
    # not parts.path, because a name may contain '?' or '#', which pathlib escapes but others may not
    return Path(os.fsdecode(unquote_to_bytes(uri.removeprefix("file://").removeprefix("localhost"))))


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal digits; an unchanged file is read once."""
    state = path.stat()
    return _sha256(path, state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns)


@lru_cache(maxsize=256)
def _sha256(path: Path, *stamp: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _copy(path: Path, files: Any, target: str) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as source, files.open(target, "wb") as copy:
        while block := source.read(_BLOCK):
            digest.update(block)
            copy.write(block)
    return digest.hexdigest()


def _protocols(files: Any) -> tuple[str, ...]:
    return (files.protocol,) if isinstance(files.protocol, str) else tuple(files.protocol)


@contextmanager
def _asset_errors(root: str) -> Iterator[None]:
    """Turn errors of a file system into an error that names the asset store."""
    try:
        yield
    except ImportError as error:
        raise AssetError(f"the asset store {root} needs: {install('remote')}") from error
    except (OSError, ValueError) as error:
        raise AssetError(
            f"the asset store {root} cannot be used: {first_line(error)}",
            hint="set RAGRAPH_ASSETS to a folder or an fsspec URL, or ingest with keep=False",
        ) from error
