"""Graphs into the database: binary COPY for a document that is new, a set-based merge for one that is known."""

from __future__ import annotations

from dataclasses import asdict, astuple
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from psycopg import sql
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb
from psycopg.types.numeric import Int4
from psycopg.types.range import Int4Range

from ragraph.errors import IngestError
from ragraph.ingest.graph_rows import Changes, DocumentRow, Graph, Tally
from ragraph.queries import QUERIES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import psycopg

    Connection = psycopg.Connection[Any]

# Columns in the order of COPY, and the types they are sent as where that is not text. An enum travels as its label
# and a regconfig as its oid: the bytes are the same.
_PAGE = ["document_id", "page_pdf", "page_logical", "width", "height", "collection"]
_COMPONENT = [
    "document_id",
    "id",
    "component_type",
    "title",
    "parent_component_id",
    "depth",
    "sequence_in_parent_major",
    "sequence_in_parent_minor",
    "page_range",
    "first_sequence",
    "last_sequence",
    "collection",
]
_NODE = [
    "document_id",
    "id",
    "parent_component_id",
    "content_node_type",
    "content",
    "storage_url",
    "description",
    "embedding_source",
    "sequence_in_parent_major",
    "sequence_in_parent_minor",
    "sequence_in_document",
    "positional_data",
    "content_hash",
    "token_count",
    "char_start",
    "char_end",
    "data",
    "ts_config",
    "collection",
]
_RELATION = [
    "document_id",
    "id",
    "source_node_id",
    "target_node_id",
    "relation_type",
    "marker_text",
    "marker_start",
    "target_anchor",
    "collection",
]
_NUMBERS = [
    "page_pdf",
    "depth",
    "sequence_in_parent_major",
    "sequence_in_parent_minor",
    "sequence_in_document",
    "first_sequence",
    "last_sequence",
    "token_count",
    "char_start",
    "char_end",
    "marker_start",
]
_SENT_AS = {
    **dict.fromkeys(_NUMBERS, "int4"),
    **dict.fromkeys(("width", "height"), "float8"),
    **dict.fromkeys(("positional_data", "data"), "jsonb"),
    "page_range": "int4range",
    "ts_config": "oid",
}


def lock_document(connection: Connection, document_id: str) -> None:
    """Wait until this transaction is the only one that writes the document; held to its end."""
    connection.execute(QUERIES["ingest_lock"], {"document_id": document_id})


def write_graph(connection: Connection, graph: Graph) -> Changes:
    """Make the rows of a document equal to a graph.

    Rows that are the same are not touched. Of a known document, nodes whose id is in the graph keep their row
    and with it their embeddings; nodes that are gone take their relations and embeddings along. The comparison
    is with what the graph says: what stage two makes of it in the database (places of footnotes, resolved
    targets, logical pages) is written back by the next stage two.

    Args:
        connection: all is done in one transaction of it (a savepoint if one is open).
        graph: the rows; ``graph.publication`` is written if given, else the publication has to be there.

    Returns:
        How many rows were added, changed, removed and left. A row whose place alone changed counts as unchanged;
        CONTINUES is not counted.

    Raises:
        IngestError: the document is there in another collection.
    """
    return rewrite(connection, graph)


def rewrite(connection: Connection, graph: Graph, afterwards: Callable[[], None] | None = None) -> Changes:
    """Do what ``write_graph`` says, then ``afterwards`` in the same transaction, and count over both."""
    document = graph.document
    key = {"document_id": document.id}
    with connection.transaction():
        lock_document(connection, document.id)
        known = connection.cursor(row_factory=dict_row).execute(QUERIES["ingest_known"], key).fetchone()
        if known and known["collection"] != document.collection:
            raise IngestError(
                f"document {document.id} is in collection {known['collection']}; delete it first,"
                f" or ingest the file under another id into {document.collection}"
            )
        ts_config = _upsert(connection, graph)
        if not known or not known["filled"]:
            _copy_all(connection, graph, ts_config, _TABLES)
            connection.execute(QUERIES["ingest_note_text"], {**key, "sign": 1})
            if afterwards:
                afterwards()
            relations = sum(row.relation_type != "CONTINUES" for row in graph.relations)
            return Changes(True, Tally(len(graph.nodes)), Tally(len(graph.components)), Tally(relations))
        return merge(connection, graph, ts_config, afterwards)


def merge(
    connection: Connection, graph: Graph, ts_config: int, afterwards: Callable[[], None] | None = None
) -> Changes:
    """Make pages, components, nodes and relations of a known document equal to a graph; the caller holds the lock."""
    key = {"document_id": graph.document.id}
    connection.execute(QUERIES["ingest_note_text"], {**key, "sign": -1})
    connection.execute(QUERIES["ingest_stage"])
    _copy_all(connection, graph, ts_config, _STAGED)
    connection.execute(QUERIES["ingest_analyze"])
    connection.execute(QUERIES["ingest_remember"], key)
    for name in (
        "ingest_merge_relations_away",
        "ingest_merge_pages",
        "ingest_merge_tree",
        "ingest_merge_language",
        "ingest_merge_relations",
        "ingest_merge_pages_away",
    ):
        connection.execute(QUERIES[name], key if name != "ingest_merge_pages" else None)
    connection.execute(QUERIES["ingest_note_text"], {**key, "sign": 1})
    if afterwards:
        afterwards()
    counted = connection.cursor(row_factory=dict_row).execute(QUERIES["ingest_tally"], key).fetchall()
    tallies = {row.pop("kind"): Tally(**row) for row in counted}
    return Changes(
        False, tallies.get("node", Tally()), tallies.get("component", Tally()), tallies.get("relation", Tally())
    )


def find_ts_config(connection: Connection, name: str) -> int:
    """Return the oid of a text search configuration, or of ``simple`` where the server lacks it."""
    row = connection.cursor(row_factory=dict_row).execute(QUERIES["ingest_ts_config"], {"ts_config": name}).fetchone()
    return int(row["ts_config"]) if row else 0


def _upsert(connection: Connection, graph: Graph) -> int:
    """Write publication and document; return the oid of the document's text search configuration."""
    if graph.publication:
        values = asdict(graph.publication)
        values |= {"tags": list(graph.publication.tags), "metadata": Jsonb(graph.publication.metadata)}
        connection.execute(QUERIES["ingest_publication"], values)
    document: DocumentRow = graph.document
    ts_config = find_ts_config(connection, document.ts_config)
    values = asdict(document)
    values |= {"structure": Jsonb(document.structure), "ingested_with": Jsonb(document.ingested_with)}
    values |= {"ts_config": ts_config}
    connection.execute(QUERIES["ingest_document"], values)
    return ts_config


_TABLES = tuple(
    sql.Identifier("ragraph", name) for name in ("document_page", "document_component", "content_node", "relation")
)
_STAGED = tuple(
    sql.Identifier("pg_temp", name) for name in ("staged_page", "staged_component", "staged_node", "staged_relation")
)


def _copy_all(connection: Connection, graph: Graph, ts_config: int, tables: Iterable[sql.Identifier]) -> None:
    document_id, collection = graph.document.id, graph.document.collection
    rows = (
        (_PAGE, ((document_id, *astuple(page), collection) for page in graph.pages)),
        (_COMPONENT, _component_rows(graph)),
        (_NODE, _node_rows(graph, ts_config)),
        (_RELATION, _relation_rows(graph)),
    )
    for table, (columns, values) in zip(tables, rows, strict=True):
        _copy(connection, table, columns, values)


def _copy(connection: Connection, table: sql.Identifier, columns: list[str], rows: Iterable[tuple[Any, ...]]) -> None:
    statement = sql.SQL("COPY {} ({}) FROM STDIN (FORMAT BINARY)").format(
        table, sql.SQL(", ").join(map(sql.Identifier, columns))
    )
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        copy.set_types([_SENT_AS.get(column, "text") for column in columns])
        for row in rows:
            copy.write_row(row)


def _component_rows(graph: Graph) -> Iterator[tuple[Any, ...]]:
    document_id, collection = graph.document.id, graph.document.collection
    for row in graph.components:
        # Int4: before psycopg 3.3.9 the bounds went in two bytes each
        pages = Int4Range(Int4(row.page_range[0]), Int4(row.page_range[1]), "[]") if row.page_range else None
        yield (
            document_id, row.id, row.component_type.value, row.title, row.parent_component_id, row.depth,
            row.sequence_in_parent_major, row.sequence_in_parent_minor, pages, row.first_sequence, row.last_sequence,
            collection,
        )  # fmt: skip


def _node_rows(graph: Graph, ts_config: int) -> Iterator[tuple[Any, ...]]:
    document_id, collection = graph.document.id, graph.document.collection
    for row in graph.nodes:
        yield (
            document_id, row.id, row.parent_component_id, row.content_node_type.value, row.content, row.storage_url,
            row.description, row.embedding_source.value, row.sequence_in_parent_major, row.sequence_in_parent_minor,
            row.sequence_in_document, Jsonb(row.positional_data), row.content_hash, row.token_count, row.char_start,
            row.char_end, Jsonb(row.data), ts_config, collection,
        )  # fmt: skip


_relation_fields = attrgetter(
    "id", "source_node_id", "target_node_id", "relation_type.value", "marker_text", "marker_start", "target_anchor"
)


def _relation_rows(graph: Graph) -> Iterator[tuple[Any, ...]]:
    document_id, collection = graph.document.id, graph.document.collection
    for row in graph.relations:
        yield (document_id, *_relation_fields(row), collection)
