"""A look over a store and what it runs on: what is so, and what to do where it is not; and how large it is."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from psycopg.rows import class_row, dict_row

from ragraph.base import extras
from ragraph.base.counts import many
from ragraph.base.defaults import FOUND
from ragraph.base.queries import QUERIES
from ragraph.database import migrate
from ragraph.errors import AssetError, ModelError, SchemaVersionError
from ragraph.models.embedding import load_model
from ragraph.schema.findings import Finding, FunctionTime, IndexSize, StoreStats, TableSize

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragraph.database.connection import Database
    from ragraph.documents.assets import Assets

_ROOM = 1 << 30
"""Bytes that should be free where documents go in."""


def diagnose(database: Database, assets: Assets | None) -> list[Finding]:
    """Look over a store; see ``Store.doctor``."""
    with database.read() as connection, connection.cursor(row_factory=dict_row) as cursor:
        said = cursor.execute(QUERIES["doctor_database"]).fetchone() or {}
        documents = cursor.execute(QUERIES["doctor_documents"]).fetchone() or {}
        models = cursor.execute(QUERIES["doctor_models"]).fetchall()
    return [
        Finding("server", True, f"PostgreSQL {said['server_release']}, pgvector {said['pgvector']}"),
        _schema(database.url),
        _rights(said),
        *_tenants(said),
        *_room(assets, database.local),
        _indexes(said),
        _words(said["ctype"]),
        _statistics(said),
        _documents(documents),
        _works(documents),
        *map(_model, models),
        _assets(assets),
        _extras(),
    ]


def _schema(url: str) -> Finding:
    try:
        migrate.check(url)
    except SchemaVersionError as error:
        return Finding("schema", False, str(error))
    return Finding("schema", True, f"revision {migrate.head()}, functions of this version")


def _rights(said: dict[str, Any]) -> Finding:
    role = said["role_name"]
    if not said["may_read"]:
        return Finding("rights", False, f"role {role} may not read: GRANT SELECT ON ALL TABLES IN SCHEMA ragraph TO it")
    return Finding("rights", True, f"role {role} may read{' and write' if said['may_write'] else ' only'}")


def _tenants(said: dict[str, Any]) -> Iterator[Finding]:
    if not said["tenants_on"]:
        return
    if said["apart"]:
        told = f"on; {many(said['apart'], 'document')} in another collection than the publication, and not found"
        yield Finding("tenants", False, f"{told}: move them back by `ragraph update DOC --collection ...`")
    elif said["words_leak"]:
        told = "on; searches by words in large collections go without their index: run `ragraph db tenants on` again"
        told += ", as a superuser where the server is not embedded"
        yield Finding("tenants", False, told)
    else:
        yield Finding("tenants", True, f"on; this role sees {'all' if said['sees_all'] else 'what it was granted'}")


def _room(assets: Assets | None, local: bool) -> Iterator[Finding]:
    """The disk of the originals; of an embedded server it is that of the database too."""
    if assets is None or "://" in assets.root or not local:
        return
    folder = Path(assets.root)
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    detail = f"{free / 1e9:,.1f} GB free"
    yield Finding(
        "disk", free >= _ROOM, detail if free >= _ROOM else f"{detail}: make room, ingesting stops when it is full"
    )


def _indexes(said: dict[str, Any]) -> Finding:
    if broken := said["broken_indexes"]:
        names = ", ".join(broken)
        return Finding(
            "indexes", False, f"not complete: {names}; drop them, then run `ragraph embed` to build them anew"
        )
    return Finding("indexes", True, "all valid")


def _words(ctype: str) -> Finding:
    if ctype not in ("C", "POSIX"):
        return Finding("words", True, f"cut by the letters of {ctype}")
    advice = "words beside “, ” and — are not found: restore a backup into a database made with LC_CTYPE 'C.UTF-8'"
    return Finding("words", False, f"cut by the letters of {ctype}; {advice}")


def _statistics(said: dict[str, Any]) -> Finding:
    if stale := said["stale_statistics"]:
        return Finding("word statistics", False, f"{stale} are old: SELECT ragraph.ensure_text_statistics()")
    return Finding("word statistics", True, "fresh")


def _documents(found: dict[str, Any]) -> Finding:
    if found["failed"] or found["unfinished"]:
        detail = f"{found['failed']:,} failed, {found['unfinished']:,} not finished, of {found['documents']:,}"
        return Finding("documents", False, f"{detail}: `ragraph status` says why, ingest them again")
    return Finding("documents", True, f"{found['documents']:,}, all complete")


def _works(found: dict[str, Any]) -> Finding:
    if owing := found["owing"]:
        told = f"what {many(owing, 'document')} {'cites' if owing == 1 else 'cite'} is not worked out"
        return Finding("works", False, f"{told}: `ragraph works --update`, or the next ingest, does it")
    return Finding("works", True, "bibliographies are read")


def _model(row: dict[str, Any]) -> Finding:
    what = f"model {row['name']}"
    try:
        load_model(row["location"] or row["name"], name=row["name"])
    except ModelError as error:
        return Finding(what, False, str(error))
    if row["documents_without"]:
        return Finding(
            what, False, f"{many(row['documents_without'], 'document')} without vectors: run `ragraph embed`"
        )
    if row["index_lacks"]:
        if row["index_aside"]:
            return Finding(what, True, "its index is built when the runs that write its vectors have ended")
        return Finding(what, False, "its index is missing, so searches of all take longer: run `ragraph embed`")
    return Finding(what, True, f"can be loaded, every document has vectors{_measured(row)}")


def _measured(row: dict[str, Any]) -> str:
    """Say how far searches look through the index of a model, where it has one."""
    if not row["index_holds"]:
        return ""
    if row["ef_search"] is None:
        return "" if row["index_kind"] == "bit" else "; `ragraph models measure`, or the next run, measures its index"
    found = f"; {row['ef_search']:,} candidates of its index found {row['index_recall']:.3f} of the ten nearest"
    if row["index_recall"] < FOUND:
        found += ", so searches of the whole store miss some"
    if row["index_holds"] > 1.5 * row["measured_vectors"]:
        return f"{found} when it held {row['measured_vectors']:,} vectors, now {row['index_holds']:,}"
    return found


def _assets(assets: Assets | None) -> Finding:
    if assets is None:
        return Finding("originals", True, "none are kept")
    try:
        sizes = assets.sizes()
    except AssetError as error:
        return Finding("originals", False, str(error))
    return Finding(
        "originals", True, f"{many(len(sizes), 'file')}, {sum(sizes.values()) / 1e6:,.1f} MB in {assets.root}"
    )


def _extras() -> Finding:
    there = [name for name in extras.EXTRAS if extras.extra_there(name)]
    absent = sorted(set(extras.EXTRAS) - set(there))
    more = f"; {extras.install(*absent)} for the rest" if absent else ""
    return Finding("extras", True, (", ".join(there) or "none") + more)


def stats(database: Database, assets: Assets | None) -> StoreStats:
    """Say how large a store is; see ``Store.stats``."""
    with database.read() as connection:
        with connection.cursor(row_factory=class_row(TableSize)) as tables:
            sizes = tables.execute(QUERIES["table_sizes"]).fetchall()
        with connection.cursor(row_factory=class_row(IndexSize)) as indexes:
            held = indexes.execute(QUERIES["index_sizes"]).fetchall()
        with connection.cursor(row_factory=class_row(FunctionTime)) as functions:
            searches = functions.execute(QUERIES["search_times"]).fetchall()
        with connection.cursor(row_factory=dict_row) as cursor:
            said = cursor.execute(QUERIES["doctor_database"]).fetchone() or {}
    kept = assets.sizes() if assets is not None else {}
    return StoreStats(
        database_bytes=said["bytes"],
        tables=sizes,
        indexes=held,
        assets=len(kept),
        asset_bytes=sum(kept.values()),
        searches=searches if said["functions_timed"] else None,
    )
