"""Past one machine: a store on a Citus cluster, looked over, distributed and told about.

Citus is spoken to in SQL alone. What distributing does lies in the database (``ragraph.distribute_store``); here is
what has to be so before it, and what is cleared away behind it.
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
from ragraph.errors import ServerError
from ragraph.schema.findings import Finding

if TYPE_CHECKING:
    Connection = psycopg.Connection[Any]


@dataclass(frozen=True)
class TableStatus:
    """How a table lies on the cluster.

    Attributes:
        table_name: its name in the schema ``ragraph``.
        kind: ``distributed`` by document, ``reference`` (whole on every node), or ``local`` to the coordinator.
        shards: how many pieces it is in; 0 where it is local.
        bytes: of it with its indexes, on all nodes together.
    """

    table_name: str
    kind: str
    shards: int
    bytes: int


def check(url: str) -> list[Finding]:
    """Look over what has to be so before the store at a URL can be distributed; changes nothing.

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
    """Ask each node for pgvector, which shows at once whether it lets the role in."""
    found = []
    said = {node: (success, result) for node, success, result in connection.execute(QUERIES["cluster_vector"])}
    for node in nodes:
        place = f"node {node['node_host']}:{node['node_port']}"
        success, result = said.get(node["node_id"], (False, "it was not asked: SELECT citus_activate_node(host, port)"))
        role = connection.info.user
        if not success:
            advice = (
                f"it lets {role} not in ({result}): make the role inside this database (CREATE ROLE, which Citus"
                " carries on), and let each node log in as it (pg_dist_authinfo or pg_hba.conf), the coordinator to"
                " itself too"
            )
            found.append(Finding(place, False, advice))
        elif not result:
            found.append(Finding(place, False, "it has no pgvector: let an administrator run CREATE EXTENSION vector"))
        else:
            found.append(Finding(place, True, f"lets {role} in, pgvector {result}"))
    return found


def _schema(url: str) -> Finding:
    try:
        migrate.check(url)
    except ServerError as error:
        return Finding("schema", False, str(error))
    return Finding("schema", True, f"revision {migrate.head()}")


def distribute(url: str, shards: int | None = None) -> bool:
    """Spread the store at a URL over the nodes of its cluster; return whether that was still to be done.

    What the store holds goes along. It is one transaction: a failure leaves the store as it was.

    Args:
        url: URL of the coordinator's database.
        shards: into how many pieces the documents go; two for each node that holds shards where None. About as many as
            those nodes have processor cores: a search of the whole store asks each shard.

    Raises:
        ServerError: something is not as it has to be (``check`` names it all).
        ArgumentError: fewer than one shard.
    """
    for finding in check(url):
        if not finding.ok:
            raise ServerError(f"{finding.what}: {finding.detail}")
    with translate_errors(url), connect(url, autocommit=True) as connection:
        if shards is None:
            nodes = connection.cursor(row_factory=dict_row).execute(QUERIES["cluster_nodes"]).fetchall()
            shards = 2 * sum(node["holds_shards"] for node in nodes)
        changed = bool(_value(connection, "cluster_distribute", {"shards": shards}))
        if changed:
            connection.execute(QUERIES["cluster_forget_local"])
    return changed


def status(url: str) -> list[TableStatus]:
    """Give how each table of the store at a URL lies; all local where the database is no cluster.

    Raises:
        SchemaVersionError: the database has no schema of ragraph.
        ServerError: the server cannot be reached or refuses the login.
    """
    with translate_errors(url), connect(url, autocommit=True) as connection:
        return connection.cursor(row_factory=class_row(TableStatus)).execute(QUERIES["cluster_status"]).fetchall()


def _value(connection: Connection, query: str, values: dict[str, Any] | None = None) -> Any:
    row = connection.execute(QUERIES[query], values).fetchone()
    return row[0] if row else None
