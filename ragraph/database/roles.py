"""Roles of a store (owner, writer, reader, service): created by the administrator, assumed by connections."""

from __future__ import annotations

import re
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
SERVICE = "ragraph_service"
"""Role of a service with tokens: it finds tokens, adds to the audit log, and works as the roles of tokens."""
_SHORT = {"reader": READER, "writer": WRITER, "owner": OWNER, "service": SERVICE}


def make_roles(url: str) -> None:
    """Create the four roles and grant them their rights, in one transaction; on later calls grant what is new.

    Args:
        url: the store's database, as a superuser or a role that may create roles and owns the store.

    Raises:
        ServerError: the server cannot be reached, or the role lacks the right.
        SchemaVersionError: the database has no store.
    """
    with translate_errors(url), connect(url) as connection:
        connection.execute(QUERIES["roles"])


def roles_sql() -> str:
    """Return the SQL that ``make_roles`` runs, for psql."""
    return f"BEGIN;\n{QUERIES['roles']};\nCOMMIT;"


@dataclass(frozen=True, slots=True)
class ServerRoles:
    """The roles of a server, to be created on another server.

    Attributes:
        statements: the statements that create them.
        made: True if the store has the roles of ``make_roles``.
        tenants: True if roles see only collections that they were granted.
    """

    statements: tuple[str, ...]
    made: bool
    tenants: bool

    @classmethod
    def of(cls, url: str) -> Self:
        """Read the roles of a server, as a superuser."""
        with translate_errors(url), connect(url) as connection, connection.cursor(row_factory=scalar_row) as cursor:
            return cls(
                statements=tuple(cursor.execute(QUERIES["roles_again"], {}).fetchall()),
                made=bool(cursor.execute(QUERIES["roles_made"]).fetchone()),
                tenants=bool(cursor.execute(QUERIES["tenants_on"]).fetchone()),
            )

    def make(self, url: str) -> None:
        """Create the roles on a server that has none of them, as a superuser."""
        with translate_errors(url), connect(url) as connection:
            for statement in self.statements:
                connection.execute(statement.encode())  # built by the server itself, with values quoted

    def apply(self, url: str) -> None:
        """Grant the roles their rights on the store once it is restored, as a superuser."""
        with translate_errors(url), connect(url) as connection:
            if self.made:
                connection.execute(QUERIES["roles"])
            if self.tenants:
                connection.execute(QUERIES["enable_tenants"], {"enable": True})


def role_name(role: str) -> str:
    """Return the name of a role; ``reader``, ``writer``, ``owner``, ``service`` stand for those of ``make_roles``."""
    return _SHORT.get(role, role)


def with_role(url: str, role: str) -> str:
    """Return a URL whose connections assume a role before their first statement.

    Args:
        url: libpq URL or keyword string.
        role: ``reader``, ``writer``, ``owner`` or ``service`` of ``ragraph db roles``, or the name of any role.

    Raises:
        ServerLoginError: the URL cannot be parsed.
    """
    name = role_name(role).replace("\\", "\\\\").replace(" ", "\\ ")
    before = re.sub(r"\s*-c role=(?:\\.|\S)+", "", str(conninfo(url).get("options") or ""))
    return make_conninfo(url, options=f"{before} -c role={name}" if before else f"-c role={name}")
