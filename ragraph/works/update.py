"""Updates works: parses entries that are new or changed, and resolves the works that they affect."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from psycopg.rows import dict_row, scalar_row
from psycopg.types.json import Jsonb

from ragraph.base.queries import QUERIES
from ragraph.schema.works import WorksReport
from ragraph.works.fields import Fields, keys
from ragraph.works.parse import find_identifiers, is_book, parse_entry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import psycopg

    from ragraph.database.connection import Database

    Connection = psycopg.Connection[Any]

VERSION = "3"
"""Version of the parsing rules; a new one makes all entries be parsed again."""

_BATCH = 50
"""Documents per transaction; other updates of works of the collection wait for its end."""

_IDENTIFIERS = ("doi", "pmid", "pmcid", "arxiv", "isbn")
_STATED = {"medline": "pmid", "pmc": "pmcid", "arXiv": "arxiv"}


def update_works(
    database: Database,
    documents: Sequence[str] | None = None,
    *,
    collection: str | None = None,
    owed: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> WorksReport:
    """Parse entries that are new or changed, and resolve again the works connected with them.

    Args:
        database: the store.
        documents: ids of the documents to update; default all.
        collection: only documents of this collection.
        owed: instead of both, update the documents that writing has left pending, whoever wrote them.
        progress: called with the number of documents done and in total.
    """
    begin = time.monotonic()
    with database.read() as connection, connection.cursor(row_factory=dict_row) as cursor:
        values = {} if owed else {"document_ids": documents, "collection": collection}
        rows = cursor.execute(QUERIES["works_owed" if owed else "works_documents"], values).fetchall()
    read = entries = changed = done = 0
    held: list[tuple[str, str]] = []
    for name, batch, wait in _batches(rows, held):
        if progress is not None:
            progress(done, len(rows))
        with database.write() as connection, connection.transaction():
            claimed, counts = _batch(connection, name, batch, wait=wait)
        read, entries, changed = (old + new for old, new in zip((read, entries, changed), counts, strict=True))
        if not wait:
            held += [(name, document) for document in batch if document not in claimed]
            done += len(batch)
    if documents is None and not owed:
        changed += _mend(database, {row["id"]: row["collection"] for row in rows})
    return WorksReport(
        documents=len(rows), read=read, entries=entries, changed=changed, seconds=time.monotonic() - begin
    )


def _batches(rows: Sequence[dict[str, str]], held: Sequence[tuple[str, str]]) -> Iterator[tuple[str, list[str], bool]]:
    """Yield a collection, the documents of one transaction, and whether to wait for those that others are writing.

    Documents skipped because others were writing them (``held``, filled by the caller) come last, one by one, so that
    nobody waits while other documents are left.
    """
    for name, group in groupby(rows, key=lambda row: row["collection"]):
        ids = [row["id"] for row in group]
        for start in range(0, len(ids), _BATCH):
            yield name, ids[start : start + _BATCH], False
    for name, document in held:
        yield name, [document], True


def _mend(database: Database, collections: dict[str, str]) -> int:
    """Resolve again the works of documents that violate the rules; return how many rows changed."""
    changed = 0
    with database.write() as connection, connection.transaction():
        scalars = connection.cursor(row_factory=scalar_row)
        broken = [name for name in scalars.execute(QUERIES["works_broken"]).fetchall() if name in collections]
        for name in sorted({collections[document] for document in broken}):
            values: dict[str, Any] = {"collection": name, "document_ids": broken}
            scalars.execute(QUERIES["works_lock"], values)
            values["identities"] = scalars.execute(QUERIES["works_of_documents"], values).fetchone()
            changed += scalars.execute(QUERIES["works_resolve"], values).fetchone() or 0
    return changed


def _batch(
    connection: Connection, collection: str, documents: list[str], *, wait: bool
) -> tuple[set[str], tuple[int, int, int]]:
    """Update documents of a collection, except those that others are writing unless ``wait``.

    Returns:
        Ids of the updated documents; and how many documents and entries were parsed, and how many rows changed.
    """
    values: dict[str, Any] = {"collection": collection, "document_ids": documents, "version": VERSION, "wait": wait}
    connection.execute(QUERIES["works_lock"], values)
    rows = connection.cursor(row_factory=dict_row)
    claim = rows.execute(QUERIES["works_claim"], values).fetchone() or {"claimed": [], "touched": []}
    values["document_ids"] = claim["claimed"]
    stale = rows.execute(QUERIES["works_stale"], values).fetchall()
    written = []
    for row in stale:
        take_apart = document_fields if row["node_id"] is None else entry_fields
        said = take_apart(row["content"], row["stated"])
        source = {name: row[name] for name in ("document_id", "node_id", "source_hash")}
        written.append({**said.to_json(), **source, "keys": keys(said)})
    scalars = connection.cursor(row_factory=scalar_row)
    touched = set(claim["touched"])
    if written:
        values["entries"] = Jsonb(written)
        touched |= set(scalars.execute(QUERIES["works_write"], values).fetchone() or ())
    changed = 0
    if touched:
        values["identities"] = sorted(touched)
        changed = scalars.execute(QUERIES["works_resolve"], values).fetchone() or 0
    counts = len({row["document_id"] for row in stale}), sum(row["node_id"] is not None for row in stale), changed
    return set(claim["claimed"]), counts


def entry_fields(text: str, stated: dict[str, Any]) -> Fields:
    """Return the fields of an entry: those that its format states, and the others parsed from its text.

    Args:
        text: content of the node.
        stated: ``{"entry": fields or null, "ids": identifiers or null}``, as readers store them in ``data``.
    """
    ids = _identifiers(stated.get("ids") or {})
    entry = stated.get("entry")
    if entry:
        said = Fields.of({**find_identifiers(text)[0], **entry, **ids})
    else:
        said = Fields.of({**parse_entry(text).to_json(), **ids})
    if entry and said.container:  # whoever publishes it
        return said
    return replace(said, book=bool(entry and entry.get("publisher")) or is_book(text, said))


def document_fields(title: str, stated: dict[str, Any]) -> Fields:
    """Return the fields of a document as a work, from its publication.

    Args:
        title: of the publication.
        stated: its authors, year, uri, source and identifiers.
    """
    ids = _identifiers(stated.get("ids") or {})
    values = {name: stated[name] for name in ("doi", "isbn") if stated.get(name)}
    named = stated.get("authors") or ""
    authors = named.split(";") if ";" in named else [_inverted(name) for name in named.split(",") if name.strip()]
    return Fields.of(
        {
            "doi": stated.get("uri"),
            "arxiv": stated.get("uri") if "arxiv.org" in (stated.get("uri") or "") else None,
            **values,
            **ids,
            "title": title,
            "authors": authors,
            "year": stated.get("year"),
            "container": stated.get("source"),
        }
    )


def _inverted(name: str) -> str:
    """Return "Given Surname" as "Surname, Given"."""
    *given, surname = name.split()
    return f"{surname}, {' '.join(given)}" if given else surname


def _identifiers(ids: dict[str, Any]) -> dict[str, Any]:
    named = {_STATED.get(name, name): value for name, value in ids.items()}
    return {name: named[name] for name in _IDENTIFIERS if named.get(name)}
