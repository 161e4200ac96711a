"""Versions: what a document was before it changed, stored as differences.

A version is recorded in the transaction that supersedes it: removed and changed rows as they were, and the ids of added
rows. Earlier versions follow from later ones. So a row is stored once for all versions in which it was the same, or
only in the live tables if it still is. Positions (order, spans) are stored apart from rows: a paragraph that another
one pushed down has not changed. Nor has one with another fault probability alone, which depends on the whole page:
earlier versions have the present one. docs/decisions has the reasons.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from psycopg.rows import scalar_row, tuple_row
from psycopg.types.json import Jsonb
from pydantic import TypeAdapter

from ragraph.base.queries import QUERIES
from ragraph.errors import DocumentNotFoundError
from ragraph.ingest.common.graph_rows import Graph

if TYPE_CHECKING:
    from collections.abc import Iterator

    import psycopg

    Connection = psycopg.Connection[Any]

State = dict[tuple[str, str], Any]
"""Rows by kind and id, without positions; those of components and nodes are under ``places``."""

_PLACES = {
    "component": ("sequence_in_parent_major", "sequence_in_parent_minor", "first_sequence", "last_sequence"),
    "node": ("sequence_in_parent_major", "sequence_in_parent_minor", "sequence_in_document", "char_start", "char_end"),
}
_KINDS = {"page": "page_pdf", "component": "id", "node": "id", "relation": "id"}
_GRAPH: TypeAdapter[Graph] = TypeAdapter(Graph)


def state_of(connection: Connection, document: str) -> tuple[State, dict[str, Any]]:
    """Return the live rows of a document, and its own row.

    Raises:
        DocumentNotFoundError: there is no such document.
    """
    held = connection.cursor(row_factory=scalar_row).execute(
        QUERIES["export_document"], {"document_id": document}
    ).fetchone()  # fmt: skip
    if held is None:
        raise DocumentNotFoundError(f"there is no document {document!r}", hint=DocumentNotFoundError.look)
    graph = held["graph"]
    state: State = {}
    for kind, key in _KINDS.items():
        columns = _PLACES.get(kind, ())
        places = {}
        for row in graph[f"{kind}s"]:
            if columns:
                places[row["id"]] = [row.pop(name) for name in columns]
            state[kind, str(row[key])] = row
        if columns:
            state["places", kind] = places
    return state, graph["document"]


def graph_of(state: State, document: dict[str, Any]) -> Graph:
    """Return rows as a graph, without a publication."""
    graph: dict[str, Any] = {"document": document, **{f"{kind}s": [] for kind in _KINDS}}
    for (kind, name), row in state.items():
        if kind in _PLACES:
            row = {**row, **dict(zip(_PLACES[kind], state["places", kind][name], strict=True))}
        if kind in _KINDS:
            graph[f"{kind}s"].append(row)
    graph["pages"].sort(key=lambda row: row["page_pdf"])
    graph["components"].sort(key=lambda row: (row["depth"], row["sequence_in_parent_major"], row["id"]))
    graph["nodes"].sort(key=lambda row: row["sequence_in_document"])
    return _GRAPH.validate_python(graph)


@contextmanager
def superseding(connection: Connection, graph: Graph) -> Iterator[None]:
    """Record the state of a known document before the changes inside the context, if its collection keeps versions.

    If it no longer keeps any, a change deletes the stored ones: they are differences from what follows.

    The caller holds the lock of the document, and a transaction is open.
    """
    document, collection = graph.document.id, graph.document.collection
    key = {"document_id": document}
    kept = connection.cursor(row_factory=tuple_row).execute(
        QUERIES["keeping_of"], {"collection": collection}
    ).fetchone()  # fmt: skip
    most = 0 if kept is None else kept[0]
    if most == 0 and not connection.cursor(row_factory=scalar_row).execute(QUERIES["has_versions"], key).fetchone():
        yield
        return
    before, _ = state_of(connection, document)
    (version,) = connection.cursor(row_factory=tuple_row).execute(QUERIES["note_version"], key).fetchone() or (0,)
    nodes = {row.id for row in graph.nodes}
    gone = [name for kind, name in before if kind == "node" and name not in nodes]
    connection.execute(QUERIES["note_version_vectors"], {**key, "version": version, "gone": gone})
    yield
    after, _ = state_of(connection, document)
    rows = [
        {"kind": kind, "id": name, "content": before.get((kind, name))}
        for kind, name in sorted(before.keys() | after.keys())
        if _differ(kind, before.get((kind, name)), after.get((kind, name)))
    ]
    if not rows:
        connection.execute(QUERIES["forget_version"], {**key, "version": version})
        return
    connection.execute(
        QUERIES["note_version_rows"], {**key, "version": version, "collection": collection, "rows": Jsonb(rows)}
    )
    if most is not None:
        connection.execute(QUERIES["prune_versions"], {**key, "keep": most})


def _differ(kind: str, old: Any, new: Any) -> bool:
    """Return whether two rows of a kind differ in more than how likely their reader finds a fault in them."""
    if old is None or new is None or old == new:
        return bool(old != new)
    if kind == "page":
        return bool({**old, "doubt": None} != {**new, "doubt": None})
    if kind == "node":
        old, new = ({**row, "data": {**row["data"], "fault": None}} for row in (old, new))
    return bool(old != new)
