"""Check, distribute and describe a store on a Citus cluster.

Citus is used through SQL alone. The distribution itself is a function of the database (``ragraph.distribute_store``).
This module checks its preconditions and removes local copies afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg.rows import class_row, dict_row

from ragraph.base.queries import QUERIES
from ragraph.database import migrate
from ragraph.database.connection import connect
from ragraph.database.driver import translate_errors
from ragraph.errors import ArgumentError, ServerError
from ragraph.schema.findings import Finding
from ragraph.schema.results import Result

if TYPE_CHECKING:
    Connection = psycopg.Connection[Any]


@dataclass(frozen=True)
class TableStatus(Result):
    """How a table is placed on the cluster.

    Attributes:
        table_name: its name in the schema ``ragraph``.
        kind: ``distributed`` by document, ``reference`` (a full copy on every node), or ``local`` to the coordinator.
        shards: number of shards; 0 if it is local.
        bytes: size with its indexes, over all nodes.
    """

    table_name: str
    kind: str
    shards: int
    bytes: int


def check(url: str) -> list[Finding]:
    """Check the preconditions for distributing the store at a URL; change nothing.

    Raises:
        ServerError: the server cannot be reached or refuses the login.
    """
    with translate_errors(url), connect(url, autocommit=True) as connection:
        version = connection.execute(QUERIES["cluster_version"]).fetchone()
        if version is None:
            advice = "the database has none: connect to the coordinator of a cluster, and CREATE EXTENSION citus there"
            return [Finding("Citus", False, advice)]
        found = [Finding("Citus", True, f"version {version[0]}")]
        coordinator = bool(_value(connection, "cluster_is_coordinator"))
        found.append(
            Finding("coordinator", coordinator, "this is it" if coordinator else "this is a worker: use its URL")
        )
        if not coordinator:
            return found
        nodes = connection.cursor(row_factory=dict_row).execute(QUERIES["cluster_nodes"]).fetchall()
        holding = [node for node in nodes if node["holds_shards"] and node["active"]]
        many = f"{len(holding)} nodes hold shards"
        found.append(Finding("nodes", bool(holding), many if holding else "none: SELECT citus_add_node(host, port)"))
        found += _vector(connection, nodes)
    return [*found, _schema(url)]


def _vector(connection: Connection, nodes: list[dict[str, Any]]) -> list[Finding]:
    """Check on each node that pgvector is installed. The query also shows whether the node accepts the role."""
    found = []
    said = {node: (success, result) for node, success, result in connection.execute(QUERIES["cluster_vector"])}
    for node in nodes:
        place = f"node {node['node_host']}:{node['node_port']}"
        success, result = said.get(node["node_id"], (False, "it was not asked: SELECT citus_activate_node(host, port)"))
        role = connection.info.user
        if not success:
            found.append(Finding(place, False, _unreached(connection, node, str(result))))
        elif not result:
            found.append(Finding(place, False, "it has no pgvector: let an administrator run CREATE EXTENSION vector"))
        else:
            found.append(Finding(place, True, f"accepts {role}, pgvector {result}"))
    return found


def _unreached(connection: Connection, node: dict[str, Any], result: str) -> str:
    """Return why the coordinator does not reach a node, and advice: the server does not answer, or refuses the role."""
    said: list[str] = []

    def hear(notice: psycopg.errors.Diagnostic) -> None:
        said.append(" ".join((notice.message_primary or "").split()))

    connection.add_notice_handler(hear)
    try:
        _value(connection, "cluster_reach", node)
    finally:
        connection.remove_notice_handler(hear)
    reason = next((line.partition("following error: ")[2] or line for line in said), result)
    if "FATAL" not in reason:  # which a server says that was reached
        return f"it does not answer ({reason}): start it, or see to its address (SELECT citus_update_node(...))"
    return (
        f"it refuses {connection.info.user} ({reason}): create the role inside this database (CREATE ROLE, which Citus"
        " propagates), and let each node log in as it (pg_dist_authinfo or pg_hba.conf), the coordinator to itself too"
    )


def _schema(url: str) -> Finding:
    try:
        migrate.check(url)
    except ServerError as error:
        return Finding("schema", False, str(error))
    return Finding("schema", True, f"revision {migrate.head()}")


def distribute(url: str, shards: int | None = None) -> bool:
    """Distribute the store at a URL, with its data, over the nodes of its cluster.

    All of it is one transaction: a failure leaves the store unchanged. The local copies are removed afterwards; if that
    did not happen, the next call does it.

    Args:
        url: URL of the coordinator's database.
        shards: number of shards for the documents; None for two for each node that holds shards. Use about as many as
            those nodes have processor cores, because a search of the whole store queries each shard.

    Returns:
        True if the store was distributed by this call, False if it was already.

    Raises:
        ServerError: a precondition is not met (``check`` lists all of them).
        ArgumentError: fewer than one shard, or another number than that of a store that is distributed.
    """
    for finding in check(url):
        if not finding.ok:
            raise ServerError(f"{finding.what}: {finding.detail}")
    with translate_errors(url), connect(url, autocommit=True) as connection:
        wanted = shards
        if wanted is None:
            nodes = connection.cursor(row_factory=dict_row).execute(QUERIES["cluster_nodes"]).fetchall()
            wanted = 2 * sum(node["holds_shards"] for node in nodes)
        changed = bool(_value(connection, "cluster_distribute", {"shards": wanted}))
        connection.execute(QUERIES["cluster_forget_local"])
        if not changed and shards is not None and shards != (held := _value(connection, "cluster_shards")):
            raise ArgumentError(
                f"the store is distributed over {held} shards, not {shards}",
                hint="export its documents, and import them into another store, distributed over as many",
            )
    return changed


def status(url: str) -> list[TableStatus]:
    """Return how each table of the store at a URL is placed; all are local if the database is not on a cluster.

    Raises:
        SchemaVersionError: the database has no ragraph schema.
        ServerError: the server cannot be reached or refuses the login.
    """
    with translate_errors(url), connect(url, autocommit=True) as connection:
        return connection.cursor(row_factory=class_row(TableStatus)).execute(QUERIES["cluster_status"]).fetchall()


def _value(connection: Connection, query: str, values: dict[str, Any] | None = None) -> Any:
    row = connection.execute(QUERIES[query], values).fetchone()
    return row[0] if row else None
