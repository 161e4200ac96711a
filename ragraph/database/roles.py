"""Roles of a store: who owns it, who writes, who reads; made by the administrator, taken at connection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from psycopg.conninfo import make_conninfo
from psycopg.rows import scalar_row

from ragraph.base.queries import QUERIES
from ragraph.database.connection import connect
from ragraph.database.driver import conninfo, translate_errors

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


@dataclass(frozen=True, slots=True)
class ServerRoles:
    """The roles of a server, to be made on another one.

    Attributes:
        statements: that make them.
        made: whether the store has the three roles of ``make_roles``.
        tenants: whether roles see only what they were granted.
    """

    statements: tuple[str, ...]
    made: bool
    tenants: bool

    @classmethod
    def of(cls, url: str) -> Self:
        """Read them, as a superuser."""
        with translate_errors(url), connect(url) as connection, connection.cursor(row_factory=scalar_row) as cursor:
            return cls(
                statements=tuple(cursor.execute(QUERIES["roles_again"], {}).fetchall()),
                made=bool(cursor.execute(QUERIES["roles_made"]).fetchone()),
                tenants=bool(cursor.execute(QUERIES["tenants_on"]).fetchone()),
            )

    def make(self, url: str) -> None:
        """Make them on a server that has none of them, as a superuser."""
        with translate_errors(url), connect(url) as connection:
            for statement in self.statements:
                connection.execute(statement.encode())  # of the server's own making, values quoted

    def apply(self, url: str) -> None:
        """Give them what they had of the store, once it is there, as a superuser."""
        with translate_errors(url), connect(url) as connection:
            if self.made:
                connection.execute(QUERIES["roles"])
            if self.tenants:
                connection.execute(QUERIES["enable_tenants"], {"enable": True})


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
