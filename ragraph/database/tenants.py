"""Tenants of a store: which role sees which collection, held by row-level security."""

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
"""In place of a collection: all, now and later."""


def tenants_on(url: str) -> bool:
    """Say whether roles see only the collections that they were granted.

    Raises:
        ServerError: the server cannot be reached.
        SchemaVersionError: there is no store.
    """
    with translate_errors(url), connect(url) as connection:
        return bool(_value(connection, "tenants_on"))


def switch_tenants(url: str, *, on: bool) -> None:
    """Turn tenants on or off; grants stay.

    On, each role sees the collections that it was granted and no others, on every table; the owner of the store is
    granted all of them the first time.

    Args:
        url: of the store's database, as its owner or a superuser.
        on: what it should be.

    Raises:
        ServerError: there are no roles yet, the server cannot be reached, or the role may not.
        StoreError: others use the tables all the time; try again.
    """
    with _deciding(url) as connection:
        if on and not _value(connection, "roles_made"):
            raise ServerError("the store has no roles yet: run `ragraph db roles` first")
        connection.execute(QUERIES["enable_tenants"], {"enable": on})


def grant_collection(url: str, role: str, collection: str, *, write: bool = False, create: bool = False) -> None:
    """Let a role see a collection; with ``write`` it may change what is in there, too.

    The role gets the rights of ``ragraph_reader`` or ``ragraph_writer`` on the tables; which rows it sees is decided
    by its grants, once tenants are on.

    Args:
        url: of the store's database, as its owner, who may grant these roles, or a superuser.
        role: of PostgreSQL; ``reader``, ``writer`` and ``owner`` are those of ``ragraph db roles``.
        collection: it need not exist yet; ``*`` for all.
        write: with the right to change.
        create: make the role where it is missing: without login, the store's owner may become it.

    Raises:
        RoleNotFoundError: there is no such role.
        ArgumentError: it is above row-level security, or the collection has no name.
        ServerError: there are no roles yet, the server cannot be reached, or the role may not.
    """
    name = role_name(role)
    with _deciding(url) as connection:
        if not _value(connection, "roles_made"):
            raise ServerError("the store has no roles yet: run `ragraph db roles` first")
        if create and not _value(connection, "role_exists", {"role_name": name}):
            made = sql.SQL("CREATE ROLE {} NOLOGIN").format(sql.Identifier(name))
            become = sql.SQL("GRANT {} TO {} WITH INHERIT FALSE").format(sql.Identifier(name), sql.Identifier(OWNER))
            _administer(connection, made, become)
        names = {"role_name": name, "collection": collection, "may_write": write}
        connection.execute(QUERIES["grant_collection"], names)
        if name not in {OWNER, WRITER, READER}:
            kind = WRITER if write else READER
            if not _value(connection, "role_has", {"role_name": name, "other": kind}):
                _administer(connection, sql.SQL("GRANT {} TO {}").format(sql.Identifier(kind), sql.Identifier(name)))


def revoke_collection(url: str, role: str, collection: str | None = None) -> int:
    """Take back what a role was granted.

    Args:
        url: of the store's database, as its owner or a superuser.
        role: of PostgreSQL, as for ``grant_collection``; it may be gone.
        collection: one; default all that it was granted.

    Returns:
        How many grants there were; 0 is no error for a role that there is.

    Raises:
        RoleNotFoundError: there is no such role, nor a grant of it.
        ServerError: the server cannot be reached, or the role may not.
    """
    name = role_name(role)
    with _deciding(url) as connection:
        return int(_value(connection, "revoke_collection", {"role_name": name, "collection": collection}))


def collection_grants(url: str) -> list[CollectionGrant]:
    """Return who was granted what, by role and collection; nothing for whoever does not own the store.

    Raises:
        ServerError: the server cannot be reached.
        SchemaVersionError: there is no store.
    """
    with (
        translate_errors(url),
        connect(url) as connection,
        connection.cursor(row_factory=class_row(CollectionGrant)) as cursor,
    ):
        return cursor.execute(QUERIES["grants"]).fetchall()


def _administer(connection: psycopg.Connection[Any], *statements: sql.Composed) -> None:
    """Run what takes a right over roles; whoever lacks it is told the statements."""
    try:
        for statement in statements:
            connection.execute(statement)
    except psycopg.errors.InsufficientPrivilege as error:
        wanted = "; ".join(statement.as_string(connection) for statement in statements)
        raise ServerLoginError(
            f"this role may not decide over roles ({error.diag.message_primary})",
            hint=f"let whoever administers the server run: {wanted}; then grant again",
        ) from error


@contextmanager
def _deciding(url: str) -> Iterator[psycopg.Connection[Any]]:
    with translate_errors(url), connect(url) as connection:
        connection.execute(QUERIES["tenants_patience"])
        yield connection


def _value(connection: psycopg.Connection[Any], query: str, names: dict[str, Any] | None = None) -> Any:
    with connection.cursor(row_factory=scalar_row) as cursor:
        return cursor.execute(QUERIES[query], names).fetchone()
