"""Graphs into the database: binary COPY for a document that is new, a set-based merge for one that is known."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from psycopg.rows import dict_row, scalar_row
from psycopg.types.json import Jsonb

from ragraph.base.queries import QUERIES
from ragraph.database.copying import Copier
from ragraph.errors import IngestError
from ragraph.ingest.common import ids
from ragraph.ingest.common.graph_rows import Changes, DocumentRow, Graph, PublicationRow, Tally
from ragraph.ingest.storing.graph_copy import copy_graphs
from ragraph.ingest.storing.merge import merge
from ragraph.ingest.storing.versions import superseding

if TYPE_CHECKING:
    from collections.abc import Callable

    import psycopg

    Connection = psycopg.Connection[Any]


def lock_document(connection: Connection, document_id: str) -> None:
    """Wait until this transaction is the only one that writes the document; held to its end."""
    connection.execute(QUERIES["ingest_lock"], {"document_id": document_id})


def id_is_free(connection: Connection, document_id: str, collection: str) -> bool:
    """Say whether a document that is not in sight can have an id: another tenant may have given it to one of theirs."""
    values = {"document_id": document_id, "publication_id": ids.publication_id(document_id), "collection": collection}
    with connection.cursor(row_factory=scalar_row) as cursor:
        return bool(cursor.execute(QUERIES["id_is_free"], values).fetchone())


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
    """Do what ``write_graph`` says, then ``afterwards`` in the same transaction, and count over both.

    What the document was is noted as a version, where its collection keeps them.
    """
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
        if known and known["filled"]:
            with superseding(connection, graph):
                return merge(connection, graph, _upsert(connection, graph), afterwards)
        ts_config = _upsert(connection, graph)
        if not known or not known["filled"]:
            copy_graphs(Copier(connection), [(graph, ts_config)])
            connection.execute(QUERIES["ingest_note_text"], {**key, "sign": 1})
            look_again(connection, len(graph.nodes))
            if afterwards:
                afterwards()
            relations = sum(row.relation_type != "CONTINUES" for row in graph.relations)
            return Changes(True, Tally(len(graph.nodes)), Tally(len(graph.components)), Tally(relations))
        return merge(connection, graph, ts_config, afterwards)


def look_again(connection: Connection, nodes: int) -> None:
    """Have the planner look at tables that were just filled, if they have grown threefold since it did.

    Each row that comes in is checked against others (foreign keys) by a plan that a session keeps. One made for empty
    tables finds a row by an index that leads to all of its document, or collection: a store that is filled for the
    first time would take time by the square of its rows, until autovacuum passes, once a minute.

    Args:
        connection: in the transaction that wrote them.
        nodes: how many it wrote.
    """
    row = connection.cursor(row_factory=scalar_row).execute(QUERIES["ingest_look_due"], {"nodes": nodes}).fetchone()
    if row:
        connection.execute(QUERIES["ingest_look"])


def find_ts_config(connection: Connection, name: str) -> int:
    """Return the oid of a text search configuration, or of ``simple`` where the server lacks it."""
    row = connection.cursor(row_factory=dict_row).execute(QUERIES["ingest_ts_config"], {"ts_config": name}).fetchone()
    return int(row["ts_config"]) if row else 0


def _upsert(connection: Connection, graph: Graph) -> int:
    """Write publication and document; return the oid of the document's text search configuration."""
    if graph.publication:
        connection.execute(QUERIES["ingest_publication"], publication_values(graph.publication))
    ts_config = find_ts_config(connection, graph.document.ts_config)
    connection.execute(QUERIES["ingest_document"], document_values(graph.document, ts_config))
    return ts_config


def publication_values(publication: PublicationRow) -> dict[str, Any]:
    """Return what the query ``ingest_publication`` asks for."""
    own = {"tags": list(publication.tags), "metadata": Jsonb(publication.metadata)}
    return asdict(publication) | own


def document_values(document: DocumentRow, ts_config: int) -> dict[str, Any]:
    """Return what the query ``ingest_document`` asks for; ``ts_config`` is the oid of its text search configuration."""
    own = {"structure": Jsonb(document.structure), "ingested_with": Jsonb(document.ingested_with)}
    return asdict(document) | own | {"ts_config": ts_config}
