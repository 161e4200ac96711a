"""Tenants of a store: grants that limit a role to collections, enforced by row-level security."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg import sql
from psycopg.rows import class_row, scalar_row

from ragraph.base.queries import QUERIES
from ragraph.database.connection import connect
from ragraph.database.driver import translate_errors
from ragraph.database.roles import OWNER, READER, WRITER, role_name
from ragraph.errors import ServerError, ServerLoginError
from ragraph.schema.tenants import CollectionGrant

if TYPE_CHECKING:
    from collections.abc import Iterator

ALL = "*"
"""Stands for all collections, present and future."""


def tenants_on(url: str) -> bool:
    """Return True if roles see only the collections that they were granted.

    Raises:
        ServerError: the server cannot be reached.
        SchemaVersionError: the database has no store.
    """
    with translate_errors(url), connect(url) as connection:
        return bool(_value(connection, "tenants_on"))


def switch_tenants(url: str, *, on: bool) -> None:
    """Turn tenants on or off; grants are kept.

    When tenants are on, each role sees the collections that it was granted and no others, in every table. The first
    time, the owner of the store is granted all of them.

    Args:
        url: the store's database, as its owner or a superuser.
        on: True to turn tenants on.

    Raises:
        ServerError: there are no roles yet, the server cannot be reached, or the role lacks the right.
        StoreError: other transactions kept the tables locked; try again.
    """
    with _deciding(url) as connection:
        if on and not _value(connection, "roles_made"):
            raise ServerError("the store has no roles yet: run `ragraph db roles` first")
        connection.execute(QUERIES["enable_tenants"], {"enable": on})


def grant_collection(url: str, role: str, collection: str, *, write: bool = False, create: bool = False) -> None:
    """Let a role see a collection; with ``write`` it may also change its content.

    The role gets the rights of ``ragraph_reader`` or ``ragraph_writer`` on the tables. Once tenants are on, its grants
    decide which rows it sees.

    Args:
        url: the store's database, as a superuser or as its owner, who must be able to grant these roles.
        role: a PostgreSQL role; ``reader``, ``writer`` and ``owner`` stand for those of ``ragraph db roles``.
        collection: name of a collection, which need not exist yet; ``*`` for all.
        write: also grant the right to change.
        create: create a missing role, without login; the store's owner may assume it.

    Raises:
        RoleNotFoundError: the role does not exist.
        ArgumentError: the role bypasses row-level security, or the collection's name is empty.
        ServerError: there are no roles yet, the server cannot be reached, or the role lacks the right.
    """
    name = role_name(role)
    with _deciding(url) as connection:
        if not _value(connection, "roles_made"):
            raise ServerError("the store has no roles yet: run `ragraph db roles` first")
        if create and not _value(connection, "role_exists", {"role_name": name}):
            made = sql.SQL("CREATE ROLE {} NOLOGIN").format(sql.Identifier(name))
            become = sql.SQL("GRANT {} TO {} WITH INHERIT FALSE").format(sql.Identifier(name), sql.Identifier(OWNER))
            administer(connection, made, become)
        names = {"role_name": name, "collection": collection, "may_write": write}
        connection.execute(QUERIES["grant_collection"], names)
        if name not in {OWNER, WRITER, READER}:
            kind = WRITER if write else READER
            if not _value(connection, "role_has", {"role_name": name, "other": kind}):
                administer(connection, sql.SQL("GRANT {} TO {}").format(sql.Identifier(kind), sql.Identifier(name)))


def revoke_collection(url: str, role: str, collection: str | None = None) -> int:
    """Revoke a role's grants.

    Args:
        url: the store's database, as its owner or a superuser.
        role: a PostgreSQL role, as for ``grant_collection``; it may have been dropped.
        collection: name of one collection; None for all that the role was granted.

    Returns:
        Number of grants revoked; 0 for an existing role without grants.

    Raises:
        RoleNotFoundError: the role neither exists nor has a grant.
        ServerError: the server cannot be reached, or the role lacks the right.
    """
    name = role_name(role)
    with _deciding(url) as connection:
        return int(_value(connection, "revoke_collection", {"role_name": name, "collection": collection}))


def collection_grants(url: str) -> list[CollectionGrant]:
    """Return the grants, by role and collection; an empty list if the role does not own the store.

    Raises:
        ServerError: the server cannot be reached.
        SchemaVersionError: the database has no store.
    """
    with (
        translate_errors(url),
        connect(url) as connection,
        connection.cursor(row_factory=class_row(CollectionGrant)) as cursor,
    ):
        return cursor.execute(QUERIES["grants"]).fetchall()


def administer(connection: psycopg.Connection[Any], *statements: sql.Composed) -> None:
    """Run statements that need a right over roles; without that right, raise an error that contains the statements."""
    try:
        for statement in statements:
            connection.execute(statement)
    except psycopg.errors.InsufficientPrivilege as error:
        wanted = "; ".join(statement.as_string(connection) for statement in statements)
        raise ServerLoginError(
            f"this role may not manage roles ({error.diag.message_primary})",
            hint=f"let an administrator of the server run: {wanted}; then grant again",
        ) from error


@contextmanager
def _deciding(url: str) -> Iterator[psycopg.Connection[Any]]:
    with translate_errors(url), connect(url) as connection:
        connection.execute(QUERIES["tenants_patience"])
        yield connection


def _value(connection: psycopg.Connection[Any], query: str, names: dict[str, Any] | None = None) -> Any:
    with connection.cursor(row_factory=scalar_row) as cursor:
        return cursor.execute(QUERIES[query], names).fetchone()
