"""Write the difference between a graph and the rows of a known document.

The rows of a document are read once, as keys and digests; their keys tell what is added, removed or unchanged. The rows
of the tree change in one statement, because foreign keys and orders hold only when all rows are in place. New rows are
written before it, at positions that nothing else uses. No temporary table is used: a cluster could not join one with
tables on several servers.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from psycopg.types.json import Json, Jsonb

from ragraph.base.queries import QUERIES
from ragraph.database.copying import Copier
from ragraph.ingest.common.graph_rows import Changes, Tally
from ragraph.ingest.storing.graph_copy import copy_components, copy_nodes, copy_relations
from ragraph.schema.enums import RelationType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import psycopg

    from ragraph.ingest.common.graph_rows import ComponentRow, Graph, NodeRow, RelationRow

    Connection = psycopg.Connection[Any]

_ASIDE = 1_000_000_000
"""Position of rows that wait until their own is free: beyond every position in a document."""


@dataclass(frozen=True)
class _Stored:
    """The stored rows of a document: digests by id, and for every relation also the nodes at its ends."""

    nodes: dict[str, int]
    components: dict[str, int]
    relations: dict[str, int]
    ends: dict[str, tuple[str, str | None]]


def merge(
    connection: Connection, graph: Graph, ts_config: int, afterwards: Callable[[], None] | None = None
) -> Changes:
    """Make pages, components, nodes and relations of a known document equal to a graph; the caller holds the lock.

    Args:
        connection: a connection with an open transaction.
        graph: the rows.
        ts_config: oid of the text search configuration of the nodes.
        afterwards: called before the changes are counted.
    """
    key = {"document_id": graph.document.id}
    connection.execute(QUERIES["ingest_note_text"], {**key, "sign": -1})
    before = _stored(connection, graph.document.id)
    gone = sorted(before.nodes.keys() - {node.id for node in graph.nodes})
    said: list[Any] = []
    if gone:
        (said,) = connection.execute(QUERIES["lock_work_rows"], {**key, "node_ids": gone}).fetchone() or ([],)
    standing = _relations_away(connection, graph, before)
    _pages(connection, graph)
    _tree(connection, graph, before, ts_config)
    connection.execute(QUERIES["ingest_merge_language"], {**key, "ts_config": ts_config})
    _relations(connection, graph, standing)
    pages = [page.page_pdf for page in graph.pages]
    connection.execute(QUERIES["ingest_merge_pages_away"], {**key, "pages": pages})
    connection.execute(QUERIES["ingest_note_text"], {**key, "sign": 1})
    connection.execute(QUERIES["prune_entities"], key)
    if afterwards:
        afterwards()
    after = _stored(connection, graph.document.id)
    if said:  # last, because from here on no other process writes works of the collection
        mended = {**key, "collection": graph.document.collection, "said": Jsonb(said)}
        connection.execute(QUERIES["works_mend"], mended)
    return Changes(
        False,
        _tally(before.nodes, after.nodes),
        _tally(before.components, after.components),
        _tally(before.relations, after.relations),
    )


def _stored(connection: Connection, document_id: str) -> _Stored:
    key = {"document_id": document_id}
    nodes, components = (
        dict(connection.execute(QUERIES[f"ingest_digests_{of}"], key)) for of in ("nodes", "components")
    )
    edges = connection.execute(QUERIES["ingest_digests_relations"], key).fetchall()
    relations = {name: digest for name, digest, _, _, kind in edges if kind != RelationType.CONTINUES.value}
    return _Stored(nodes, components, relations, {name: (source, target) for name, _, source, target, _ in edges})


def _relations_away(connection: Connection, graph: Graph, before: _Stored) -> set[str]:
    """Delete relations that are removed, and those whose ends are; return the remaining ones."""
    wanted = {row.id for row in graph.relations}
    nodes = {row.id for row in graph.nodes}
    gone = [
        name
        for name, (source, target) in before.ends.items()
        if name not in wanted or source not in nodes or (target is not None and target not in nodes)
    ]
    if gone:
        key = {"document_id": graph.document.id, "gone": gone}
        connection.execute(QUERIES["ingest_merge_relations_away"], key)
    return before.ends.keys() - set(gone)


def _pages(connection: Connection, graph: Graph) -> None:
    key = {"document_id": graph.document.id, "collection": graph.document.collection}
    with connection.cursor() as cursor:
        cursor.executemany(QUERIES["ingest_merge_page"], [{**key, **asdict(page)} for page in graph.pages])


def _tree(connection: Connection, graph: Graph, before: _Stored, ts_config: int) -> None:
    """Move components and nodes to their positions in one statement, which also deletes removed rows."""
    copier = Copier(connection)
    copy_components(copier, graph, _aside_components(graph.components, before.components))
    copy_nodes(copier, graph, _aside_nodes(graph.nodes, before.nodes), ts_config)
    components, nodes = {row.id for row in graph.components}, {row.id for row in graph.nodes}
    connection.execute(QUERIES["ingest_merge_plan"])
    connection.execute(QUERIES["ingest_merge_plan_shards"])
    connection.execute(
        QUERIES["ingest_merge_tree"],
        {
            "document_id": graph.document.id,
            "gone_components": sorted(before.components.keys() - components),
            "gone_nodes": sorted(before.nodes.keys() - nodes),
            "components": Json([_component(row) for row in graph.components]),
            "nodes": Json([_node(row) for row in graph.nodes]),
        },
    )


def _aside_components(rows: Iterable[ComponentRow], known: dict[str, int]) -> Iterable[ComponentRow]:
    for n, row in enumerate(rows):
        if row.id not in known:
            yield replace(
                row,
                parent_component_id=None,
                depth=0,
                sequence_in_parent_major=_ASIDE + n,
                sequence_in_parent_minor=None,
            )


def _aside_nodes(rows: Iterable[NodeRow], known: dict[str, int]) -> Iterable[NodeRow]:
    for n, row in enumerate(rows, start=len(known)):
        if row.id not in known:
            aside = _ASIDE + n
            yield replace(
                row,
                parent_component_id=None,
                sequence_in_parent_major=aside,
                sequence_in_parent_minor=None,
                sequence_in_document=aside,
            )


def _component(row: ComponentRow) -> dict[str, Any]:
    values = asdict(row)
    if row.page_range:
        values["page_range"] = f"[{row.page_range[0]},{row.page_range[1]}]"
    return values


_IN_THE_ID = ("content", "content_hash", "content_node_type")


def _node(row: NodeRow) -> dict[str, Any]:
    """Return the values that may change while the id stays."""
    return {name: value for name, value in asdict(row).items() if name not in _IN_THE_ID}


def _relations(connection: Connection, graph: Graph, standing: set[str]) -> None:
    kept: list[RelationRow] = []
    new: list[RelationRow] = []
    for row in graph.relations:
        (kept if row.id in standing else new).append(row)
    if kept:
        key = {"document_id": graph.document.id, "relations": Json([asdict(row) for row in kept])}
        connection.execute(QUERIES["ingest_merge_relations"], key)
    copy_relations(Copier(connection), graph, new)


def _tally(before: dict[str, int], after: dict[str, int]) -> Tally:
    seen = Counter(
        "added" if name not in before else "unchanged" if before[name] == digest else "changed"
        for name, digest in after.items()
    )
    return Tally(**seen, removed=len(before.keys() - after.keys()))
