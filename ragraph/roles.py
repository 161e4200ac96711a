"""Roles of a store: who owns it, who writes, who reads; made by the administrator, taken at connection."""

from __future__ import annotations

from psycopg.conninfo import make_conninfo

from ragraph.database import connect
from ragraph.driver import conninfo, translate_errors
from ragraph.queries import QUERIES

READER = "ragraph_reader"
WRITER = "ragraph_writer"
OWNER = "ragraph_owner"
_SHORT = {"reader": READER, "writer": WRITER, "owner": OWNER}


def make_roles(url: str) -> None:
    """Make the three roles and grant them what they need, or what is new since; all of it or nothing.

    Args:
        url: of the store's database, as a role that may create roles and owns the store, or is a superuser.

    Raises:
        ServerError: the server cannot be reached, or the role may not.
        SchemaVersionError: there is no store.
    """
    with translate_errors(url), connect(url) as connection:
        connection.execute(QUERIES["roles"])


def roles_sql() -> str:
    """What ``make_roles`` runs, for psql."""
    return f"BEGIN;\n{QUERIES['roles']};\nCOMMIT;"


def role_name(role: str) -> str:
    """Give the name of a role: ``reader``, ``writer`` and ``owner`` are those of ``make_roles``."""
    return _SHORT.get(role, role)


def with_role(url: str, role: str) -> str:
    """Give the URL with which each connection becomes a role before its first statement.

    Args:
        url: libpq URL or keyword string.
        role: ``reader``, ``writer`` or ``owner`` of ``ragraph db roles``, or the name of any role.

    Raises:
        ServerLoginError: the URL cannot be read.
    """
    name = role_name(role).replace("\\", "\\\\").replace(" ", "\\ ")
    before = conninfo(url).get("options")
    return make_conninfo(url, options=f"{before} -c role={name}" if before else f"-c role={name}")
