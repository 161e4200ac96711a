"""Write graphs to the database: by binary COPY for a new document, by a set-based merge for a known one."""

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
from ragraph.ingest.vectors.maintenance import warned

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import psycopg

    from ragraph.database.connection import Database

    Connection = psycopg.Connection[Any]


def lock_document(connection: Connection, document_id: str) -> None:
    """Wait until no other transaction writes the document; the lock is held until this one ends."""
    connection.execute(QUERIES["ingest_lock"], {"document_id": document_id})


def id_is_free(connection: Connection, document_id: str, collection: str) -> bool:
    """Return True if a document that is not visible can have an id: another tenant may have used it already."""
    values = {"document_id": document_id, "publication_id": ids.publication_id(document_id), "collection": collection}
    with connection.cursor(row_factory=scalar_row) as cursor:
        return bool(cursor.execute(QUERIES["id_is_free"], values).fetchone())


def write_graph(connection: Connection, graph: Graph) -> Changes:
    """Make the rows of a document equal to a graph.

    Unchanged rows are not touched. Nodes of a known document whose id is in the graph keep their row and their
    embeddings; removed nodes lose their relations and embeddings. The graph overwrites what the database has derived
    (places of footnotes, resolved targets, logical pages); the next linking derives it again.

    Args:
        connection: everything happens in one transaction of it (a savepoint if one is open).
        graph: the rows; ``graph.publication`` is written if given, otherwise the publication must exist.

    Returns:
        Numbers of rows added, changed, removed and unchanged. A row with only another position counts as unchanged;
        CONTINUES is not counted.

    Raises:
        IngestError: the document is stored in another collection.
    """
    return rewrite(connection, graph)


def rewrite(connection: Connection, graph: Graph, afterwards: Callable[[], None] | None = None) -> Changes:
    """Do the same as ``write_graph``, then ``afterwards`` in the same transaction, and count the changes of both.

    The previous state is recorded as a version if the collection keeps versions.
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
    """Analyze tables that were just filled if they have grown threefold since the last time.

    Each inserted row is checked against others (foreign keys) by a plan that a session caches. A plan made for empty
    tables finds a row by an index on its document or collection. Without new statistics, the first filling of a store
    would take quadratic time until autovacuum runs, once a minute.

    Args:
        connection: a connection in the transaction that wrote the rows.
        nodes: number of nodes that it wrote.
    """
    row = connection.cursor(row_factory=scalar_row).execute(QUERIES["ingest_look_due"], {"nodes": nodes}).fetchone()
    if row:
        connection.execute(QUERIES["ingest_look"])


def find_ts_config(connection: Connection, name: str) -> int:
    """Return the oid of a text search configuration, or of ``simple`` if the server lacks it."""
    row = connection.cursor(row_factory=dict_row).execute(QUERIES["ingest_ts_config"], {"ts_config": name}).fetchone()
    return int(row["ts_config"]) if row else 0


def find_ts_configs(connection: Connection, documents: Iterable[DocumentRow]) -> dict[str, int]:
    """Return the oid of the text search configuration of each document, by id.

    A document whose language is not known has the configuration of most documents of its collection, so that their
    stop words are no rare words in it; ``settle_languages`` sets it again once the others are there.
    """
    cursor = connection.cursor(row_factory=scalar_row)
    configs: dict[str, int] = {}
    usual: dict[str, str | None] = {}
    found: dict[str, int] = {}
    for document in documents:
        name = document.ts_config
        if document.language is None:
            if document.collection not in usual:
                key = {"collection": document.collection}
                usual[document.collection] = cursor.execute(QUERIES["ingest_known_ts_configs"], key).fetchone()
            name = usual[document.collection] or name
        if name not in configs:
            configs[name] = find_ts_config(connection, name)
        found[document.id] = configs[name]
    return found


def settle_languages(database: Database, written: Iterable[str | None]) -> tuple[str, ...]:
    """Index documents whose language is not known as most documents of their collection, as these are now.

    So a store does not depend on the order in which its documents came, except where two languages are nearly as
    common: the documents stay as they are there.

    Args:
        database: the store.
        written: the documents of this run, by id; only their collections are looked at.

    Returns:
        A warning if it failed.
    """
    document_ids = [document_id for document_id in written if document_id is not None]

    def settle() -> None:
        with database.read() as connection:
            cursor = connection.cursor(row_factory=scalar_row)
            collections = cursor.execute(QUERIES["ingest_collections"], {"document_ids": document_ids}).fetchall()
            due = [values for collection in collections for values in _unusual(connection, collection)]
        for values in due:
            with database.write() as connection, connection.transaction():
                lock_document(connection, values["document_id"])
                if connection.execute(QUERIES["ingest_as_usual"], values).fetchone():
                    connection.execute(QUERIES["ingest_note_text"], {**values, "sign": -1})
                    connection.execute(QUERIES["ingest_merge_language"], values)
                    connection.execute(QUERIES["ingest_note_text"], {**values, "sign": 1})

    return warned(database, settle, "documents without a language could not be indexed as most others are")


def _unusual(connection: Connection, collection: str) -> list[dict[str, Any]]:
    """Return the documents of a collection that should be indexed as most others, with the configuration of these.

    Those stay as they are whose configuration at least half as many documents of a known language have. So most of a
    collection changes only once its languages have clearly changed, not with each document while two are as common.
    """
    cursor = connection.cursor(row_factory=dict_row)
    known = cursor.execute(QUERIES["ingest_known_ts_configs"], {"collection": collection}).fetchall()
    documents: dict[str, int] = {row["ts_config"]: row["documents"] for row in known} or {"simple": 0}
    usual = next(iter(documents))
    common = [name for name, number in documents.items() if 2 * number >= documents[usual]]
    found = cursor.execute(QUERIES["ingest_unusual_documents"], {"collection": collection, "ts_configs": common})
    ts_config = find_ts_config(connection, usual)
    return [{"document_id": row["id"], "collection": collection, "ts_config": ts_config} for row in found]


def _upsert(connection: Connection, graph: Graph) -> int:
    """Write publication and document; return the oid of the document's text search configuration."""
    if graph.publication:
        connection.execute(QUERIES["ingest_publication"], publication_values(graph.publication))
    ts_config = find_ts_configs(connection, [graph.document])[graph.document.id]
    connection.execute(QUERIES["ingest_document"], document_values(graph.document, ts_config))
    return ts_config


def publication_values(publication: PublicationRow) -> dict[str, Any]:
    """Return the parameters of the query ``ingest_publication``."""
    own = {"tags": list(publication.tags), "metadata": Jsonb(publication.metadata)}
    return asdict(publication) | own


def document_values(document: DocumentRow, ts_config: int) -> dict[str, Any]:
    """Return the parameters of the query ``ingest_document``; ``ts_config`` is the oid of its configuration."""
    own = {"structure": Jsonb(document.structure), "ingested_with": Jsonb(document.ingested_with)}
    return asdict(document) | own | {"ts_config": ts_config}
