"""Check a store and its environment, with advice for each problem; measure the store's size."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from psycopg.rows import class_row, dict_row

from ragraph.base import extras
from ragraph.base.counts import many
from ragraph.base.defaults import FOUND, LIKELY
from ragraph.base.queries import QUERIES
from ragraph.database import migrate
from ragraph.documents.assets import named_assets
from ragraph.errors import AssetError, ModelError, SchemaVersionError
from ragraph.models.embedding import load_model
from ragraph.schema.findings import Finding, FunctionTime, IndexSize, StoreStats, TableSize

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragraph.database.connection import Database
    from ragraph.documents.assets import Assets

_ROOM = 1 << 30
"""Minimum free space in bytes on the disk that documents are written to."""

_WORST = 5
"""Maximum number of pages that are named."""


def diagnose(database: Database, assets: Assets | None) -> list[Finding]:
    """Check a store; see ``Store.doctor``."""
    with database.read() as connection, connection.cursor(row_factory=dict_row) as cursor:
        said = cursor.execute(QUERIES["doctor_database"]).fetchone() or {}
        documents = cursor.execute(QUERIES["doctor_documents"]).fetchone() or {}
        models = cursor.execute(QUERIES["doctor_models"]).fetchall()
        orphans = cursor.execute(QUERIES["doctor_orphans"]).fetchall()
        doubts = cursor.execute(QUERIES["doctor_doubts"], {"least": LIKELY, "limit": _WORST}).fetchall()
    precision = ", vectors in half precision" if said["half_vectors"] else ""
    return [
        Finding("server", True, f"PostgreSQL {said['server_release']}, pgvector {said['pgvector']}{precision}"),
        _schema(database.url),
        _rights(said),
        *_tenants(said),
        *_disk(assets, database.local),
        _indexes(said),
        _word_splitting(said["ctype"]),
        _statistics(said),
        _documents(documents),
        *_orphans([row["document_id"] for row in orphans]),
        *_doubts(doubts),
        _works(documents),
        *map(_model, models),
        _assets(database, assets),
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
    if said["only_reads"]:
        why = "the server is a standby, or default_transaction_read_only is on"
        return Finding("rights", True, f"role {role} may read only: {why}")
    return Finding("rights", True, f"role {role} may read{' and write' if said['may_write'] else ' only'}")


def _tenants(said: dict[str, Any]) -> Iterator[Finding]:
    if not said["tenants_on"]:
        return
    if said["apart"]:
        told = f"on; {many(said['apart'], 'document')} in another collection than the publication, not found"
        yield Finding("tenants", False, f"{told}: move them back by `ragraph update DOC --collection ...`")
    elif said["words_leak"]:
        told = "on; text searches in large collections do not use their index: run `ragraph db tenants on` again"
        told += ", as a superuser if the server is not embedded"
        yield Finding("tenants", False, told)
    else:
        yield Finding("tenants", True, f"on; this role sees {'all' if said['sees_all'] else 'what it was granted'}")


def _disk(assets: Assets | None, local: bool) -> Iterator[Finding]:
    """Check the disk of the originals, which is also the disk of an embedded server's database."""
    if assets is None or "://" in assets.root or not local:
        return
    folder = Path(assets.root)
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    detail = f"{free / 1e9:,.1f} GB free"
    yield Finding(
        "disk", free >= _ROOM, detail if free >= _ROOM else f"{detail}: free some, ingesting stops when it is full"
    )


def _indexes(said: dict[str, Any]) -> Finding:
    if broken := said["broken_indexes"]:
        names = ", ".join(broken)
        return Finding(
            "indexes", False, f"not complete: {names}; drop them, then run `ragraph embed` to build them again"
        )
    return Finding("indexes", True, "all valid")


def _word_splitting(ctype: str) -> Finding:
    lost = migrate.lost_with(ctype)
    return Finding("words", lost is None, lost or f"split by the character classes of {ctype}")


def _statistics(said: dict[str, Any]) -> Finding:
    if stale := said["stale_statistics"]:
        return Finding("word statistics", False, f"{stale} are outdated: SELECT ragraph.ensure_text_statistics()")
    return Finding("word statistics", True, "up to date")


def _documents(found: dict[str, Any]) -> Finding:
    if found["failed"] or found["unfinished"]:
        detail = f"{found['failed']:,} failed, {found['unfinished']:,} not finished, of {found['documents']:,}"
        return Finding("documents", False, f"{detail}: `ragraph status` says why, then ingest them again")
    return Finding("documents", True, f"{found['documents']:,}, all complete")


def _orphans(documents: list[str]) -> Iterator[Finding]:
    """Check that attachments belong to a stored document; see ``ragraph check``."""
    if documents:
        told = (
            f"{many(len(documents), 'attached document')} without the document around it, the first is {documents[0]}"
        )
        yield Finding("attachments", False, f"{told}: `ragraph check` lists them; delete them, or ingest that file")


def _doubts(rows: list[dict[str, Any]]) -> Iterator[Finding]:
    """Name the pages that were likeliest read wrong; nothing is out of order for that."""
    if rows:
        worst = ", ".join(f"{row['document_id']} page {row['page_pdf']} ({row['doubt']:.2f})" for row in rows)
        yield Finding("pages", True, f"{many(rows[0]['pages'], 'page')} likely read wrong, look at the worst: {worst}")


def _works(found: dict[str, Any]) -> Finding:
    if owing := found["owing"]:
        told = f"works cited by {many(owing, 'document')} are not matched yet"
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
    """Return how many candidates searches compare in a model's index and what they find; empty if it has no index."""
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


def _assets(database: Database, assets: Assets | None) -> Finding:
    """Check the originals; a role that cannot see all documents does not know which are unused."""
    if assets is None:
        return Finding("originals", True, "not kept by this store")
    try:
        sizes = assets.sizes()
    except AssetError as error:
        return Finding("originals", False, str(error))
    with database.read() as connection:
        named = named_assets(connection)
    if named is not None and (missing := named - sizes.keys()):
        missing -= assets.sizes().keys()  # a document stored since the first look had its original before its rows
    if named is not None and missing:
        are = "is" if len(missing) == 1 else "are"
        told = f"{many(len(missing), 'file')} that documents name {are} not in {assets.root}"
        why = "another machine, user or address of the store has them: set RAGRAPH_ASSETS to one folder for all"
        return Finding("originals", False, f"{told}: {why}")
    if named is not None and (unnamed := sizes.keys() - named):
        told = f"no document names {many(len(unnamed), 'file')} in {assets.root}"
        why = "left by a run that was cut off, or of one that has not ended"
        return Finding("originals", False, f"{told}, {why}: `ragraph assets clean` removes them")
    return Finding(
        "originals", True, f"{many(len(sizes), 'file')}, {sum(sizes.values()) / 1e6:,.1f} MB in {assets.root}"
    )


def _extras() -> Finding:
    there = [name for name in extras.EXTRAS if extras.extra_there(name)]
    absent = sorted(set(extras.EXTRAS) - set(there))
    more = f"; {extras.install(*absent)} for the rest" if absent else ""
    return Finding("extras", True, (", ".join(there) or "none") + more)


def stats(database: Database, assets: Assets | None) -> StoreStats:
    """Return the sizes of a store; see ``Store.stats``."""
    with database.read() as connection:
        with connection.cursor(row_factory=class_row(TableSize)) as tables:
            sizes = tables.execute(QUERIES["table_sizes"]).fetchall()
        with connection.cursor(row_factory=class_row(IndexSize)) as indexes:
            held = indexes.execute(QUERIES["index_sizes"]).fetchall()
        with connection.cursor(row_factory=class_row(FunctionTime)) as functions:
            searches = functions.execute(QUERIES["search_times"]).fetchall()
        with connection.cursor(row_factory=dict_row) as cursor:
            said = cursor.execute(QUERIES["doctor_database"]).fetchone() or {}
            size = cursor.execute(QUERIES["database_bytes"]).fetchone() or {}
    kept = assets.sizes() if assets is not None else {}
    return StoreStats(
        database_bytes=size["bytes"],
        tables=sizes,
        indexes=held,
        assets=len(kept),
        asset_bytes=sum(kept.values()),
        searches=searches if said["functions_timed"] else None,
    )
