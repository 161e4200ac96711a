"""Runs extractors over documents: only nodes that they have not read, in batches of one transaction each."""

from __future__ import annotations

import time
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from psycopg.rows import dict_row, scalar_row
from psycopg.types.json import Jsonb

from ragraph.base.queries import QUERIES
from ragraph.entities.found import Found, NodeText
from ragraph.errors import ArgumentError
from ragraph.schema.entities import ExtractReport

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import psycopg

    from ragraph.database.connection import Database
    from ragraph.entities.found import Extractor

    Connection = psycopg.Connection[Any]

GROUP = "ragraph.extractors"
_QUOTE_WORDS = 2


def load_extractor(name: str) -> Extractor:
    """Return an extractor by its name, ``definitions``, or its name and argument, ``spacy:FOLDER``.

    Raises:
        ArgumentError: there is no such extractor, or it does not accept the argument.
        ModelError: its model, or a package that it needs, is missing.
        AnswerError: no language model is named.
    """
    kind, _, argument = name.partition(":")
    known = {entry.name: entry for entry in entry_points(group=GROUP)}
    if kind not in known:
        raise ArgumentError(f"there is no extractor {kind!r}; use {', '.join(sorted(known))}")
    made: Extractor = known[kind].load()(argument or None)
    return made


def extract_entities(
    database: Database,
    extractor: Extractor,
    documents: Sequence[str] | None,
    *,
    collection: str | None = None,
    again: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> ExtractReport:
    """Run an extractor over the nodes that it has not read yet; see ``Store.extract_entities``."""
    begin = time.monotonic()
    wanted = _column(database, "extraction_documents", {"document_ids": documents, "collection": collection})
    read = nodes = refused = 0
    for number, document_id in enumerate(wanted):
        if progress is not None:
            progress(number, len(wanted))
        done = 0
        for count, bad in _document(database, extractor, document_id, again=again):
            done += count
            refused += bad
        read += done > 0
        nodes += done
    totals = database.retry_once(lambda: _totals(database, extractor.name, wanted))
    return ExtractReport(
        extractor=extractor.name,
        version=extractor.version,
        documents=len(wanted),
        read=read,
        nodes=nodes,
        refused=refused,
        seconds=time.monotonic() - begin,
        **totals,
    )


def _totals(database: Database, extractor: str, documents: list[str]) -> dict[str, int]:
    with database.read() as connection, connection.cursor(row_factory=dict_row) as cursor:
        values = {"extractor": extractor, "document_ids": documents}
        row = cursor.execute(QUERIES["extraction_totals"], values).fetchone()
    return dict(row or {})


def _column(database: Database, query: str, values: dict[str, Any]) -> list[Any]:
    def ask() -> list[Any]:
        with database.read() as connection, connection.cursor(row_factory=scalar_row) as cursor:
            return cursor.execute(QUERIES[query], values).fetchall()

    return database.retry_once(ask)


def _document(database: Database, extractor: Extractor, document_id: str, *, again: bool) -> Iterator[tuple[int, int]]:
    """Read one document; yield after each transaction how many nodes were read and how many quotes refused."""
    key = {"document_id": document_id, "extractor": extractor.name}
    if not extractor.batch:
        with database.write() as connection, connection.transaction():
            connection.execute(QUERIES["lock_embed_document"], key)
            nodes, done, _ = _state(connection, key, extractor.version)
            ids = [node.id for node in nodes]
            if not nodes or (done == set(ids) and not again):
                return
            bad = _write(connection, key, extractor, extractor.extract(nodes), ids, whole=True)
        yield len(nodes), bad
        return
    with database.write() as connection, connection.transaction():
        connection.execute(QUERIES["lock_embed_document"], key)
        nodes, done, stale = _state(connection, key, extractor.version)
        if stale or again:  # of another version: all results are deleted
            _write(connection, key, extractor, Found(), [], whole=True)
            done = set()
    left = [node for node in nodes if node.id not in done]
    for start in range(0, len(left), extractor.batch):
        batch = left[start : start + extractor.batch]
        found = extractor.extract(batch)  # may take long: no transaction is open meanwhile
        with database.write() as connection, connection.transaction():
            connection.execute(QUERIES["lock_embed_document"], key)
            there, done, _ = _state(connection, key, extractor.version)
            ids = [node.id for node in there]
            if not ids:
                return  # the document was deleted meanwhile
            read = done | {node.id for node in batch}
            bad = _write(connection, key, extractor, found, [name for name in ids if name in read], whole=False)
        yield len(batch), bad


def _state(connection: Connection, key: dict[str, Any], version: str) -> tuple[list[NodeText], set[str], bool]:
    """Return the nodes of a document, the ids read by this version, and True if another version has read it."""
    cursor = connection.cursor(row_factory=dict_row)
    titles: dict[str | None, tuple[tuple[str, ...], tuple[str, ...]]] = {None: ((), ())}
    for row in cursor.execute(QUERIES["embed_components"], key):
        sections, kinds = titles.get(row["parent_component_id"], ((), ()))
        title = (row["title"],) if row["title"] else ()
        titles[row["id"]] = ((*sections, *title), (*kinds, row["component_type"]))
    nodes = [
        NodeText(row["id"], row["content_node_type"], row["content"], *titles.get(row["parent_component_id"], ((), ())))
        for row in cursor.execute(QUERIES["embed_nodes"], key)
    ]
    record = cursor.execute(QUERIES["extraction_state"], key).fetchone()
    if record is None:
        return nodes, set(), False
    same = record["version"] == version
    return nodes, set(record["nodes"]) if same else set(), not same


def _write(
    connection: Connection, key: dict[str, Any], extractor: Extractor, found: Found, nodes: list[str], *, whole: bool
) -> int:
    """Write the results; return how many relations were refused because their node does not contain the quote."""
    relations, refused = [], 0
    for relation in found.relations:
        values = {**key, "node_id": relation.node_id, "quote": relation.quote, "min_words": _QUOTE_WORDS}
        row = connection.cursor(row_factory=dict_row).execute(QUERIES["extraction_quote"], values).fetchone()
        if row is None or row["char_start"] is None:
            refused += 1
            continue
        ends = {"source": relation.source, "target": relation.target, "relation_type": relation.type}
        relations.append({**ends, "node_id": relation.node_id, **row})
    entities, mentions = [], []
    for place, entity in enumerate(found.entities):
        if not entity.spans:
            continue
        named = {"kind": entity.kind, "name": entity.name, "aliases": entity.aliases, "shared": entity.shared}
        entities.append({"place": place, **named})
        mentions += [
            {
                "place": place,
                "node_id": span.node_id,
                "char_start": span.start,
                "char_end": span.end,
                "defines": span.defines,
            }
            for span in entity.spans
        ]
    values = {"entities": Jsonb(entities), "mentions": Jsonb(mentions), "relations": Jsonb(relations)}
    values |= {**key, "version": extractor.version, "nodes": nodes, "whole": whole}
    connection.execute(QUERIES["write_entities"], values)
    return refused
