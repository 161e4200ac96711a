"""Tokens of the service: each works as a PostgreSQL role, so that the server enforces what it may.

A token is ``rgt_ID_SECRET``. The id finds its row. The secret has 256 random bits, so that nobody can try all values of
its hash: a slow hash, as passwords need, would only cost time at each request. Only its SHA-256 is stored.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import psycopg
from psycopg import sql
from psycopg.rows import class_row, dict_row, scalar_row

from ragraph.base.queries import QUERIES
from ragraph.database.connection import connect
from ragraph.database.driver import translate_errors
from ragraph.database.roles import READER, SERVICE, WRITER
from ragraph.database.tenants import ALL, administer, grant_collection, revoke_collection
from ragraph.errors import ArgumentError, RoleNotFoundError, ServerError
from ragraph.schema.access import AccessToken, AuditEvent, KnownToken

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ragraph.database.connection import Database

Kind = Literal["reader", "writer", "admin"]

PREFIX = "rgt_"
"""Begins each token, so that programs that look for leaked secrets find it."""

_SHOWN = re.compile(r"rgt_([0-9a-f]{16})_([\w-]{43})", re.ASCII)
_ROLE = "ragraph_token_"
"""Begins the name of the role of a token that has one of its own."""

_MOST_DAYS = 36_500
"""Maximum number of days until a token expires, a hundred years: the server refuses times that are too far away."""


class NewToken(NamedTuple):
    """A new token: its id, and the text to show once; None for a user that a proxy signs in."""

    id: str
    token: str | None


class Limits(NamedTuple):
    """Limits of a token; None for the usual ones of the service."""

    requests_per_minute: int | None = None
    upload_bytes_per_day: int | None = None
    concurrent_requests: int | None = None


def create_token(
    url: str,
    name: str,
    kind: Kind,
    *,
    collections: Sequence[str] = (),
    tenant: str | None = None,
    days: int | None = None,
    limits: Limits | None = None,
    signs_in: bool = False,
) -> NewToken:
    """Create a token, and a PostgreSQL role for it unless it works as its tenant.

    Args:
        url: the store's database, as a superuser, or as its owner who may create roles.
        name: name of the token; for a user that a proxy signs in, the name that the proxy sends.
        kind: ``reader`` reads; ``writer`` also ingests, changes and deletes; ``admin`` does so in all collections, and
            sees what concerns the whole store.
        collections: collections that it sees; ``*`` for all.
        tenant: an existing role with grants of its own, instead of collections.
        days: number of days until it expires; None for never.
        limits: its limits.
        signs_in: True for a user that a proxy signs in; there is no secret then.

    Raises:
        ArgumentError: the name is taken, or there are neither collections nor a tenant.
        RoleNotFoundError: the tenant does not exist.
        ServerError: there are no roles yet, tenants are off, or the role lacks the right.
    """
    if kind == "admin":
        if tenant is not None or tuple(collections) not in ((), (ALL,)):
            raise ArgumentError("an admin sees all collections", hint="leave out collections and tenant")
        collections = (ALL,)
    if (tenant is None) != bool(collections):
        raise ArgumentError("name collections ('*' for all), or a tenant with all that it sees", argument="collections")
    if not name.strip() or len(name) > 200 or not name.isprintable():
        raise ArgumentError("a name has 1 to 200 characters that can be printed", argument="name")
    if days is not None and not 1 <= days <= _MOST_DAYS:
        raise ArgumentError(f"days takes 1 to {_MOST_DAYS}, not {days}", argument="days")
    key, secret = secrets.token_hex(8), secrets.token_urlsafe(32)
    role = tenant or _ROLE + key
    with translate_errors(url), connect(url) as connection, connection.cursor(row_factory=scalar_row) as cursor:
        if not cursor.execute(QUERIES["service_role_made"]).fetchone():
            raise ServerError("the store has no role for the service yet: run `ragraph db roles` first")
        if ALL not in collections and not cursor.execute(QUERIES["tenants_on"]).fetchone():
            raise ServerError("tenants are off, so every role sees all collections: run `ragraph db tenants on` first")
        if tenant is not None and not cursor.execute(QUERIES["role_exists"], {"role_name": tenant}).fetchone():
            raise RoleNotFoundError(f"role {tenant!r} does not exist", hint="`ragraph db grants` lists the tenants")
        if tenant is not None and not cursor.execute(QUERIES["is_tenant"], {"role_name": tenant}).fetchone():
            raise ArgumentError(
                f"role {tenant!r} is no tenant: it has no grants, or is above them",
                hint="`ragraph db grants` lists them",
            )
        parts = {"id": key, "name": name, "secret_hash": None if signs_in else _hash(secret), "kind": kind}
        scope = {"role_name": role, "tenant": tenant, "collections": list(collections), "days": days}
        try:
            with connection.transaction():
                connection.execute(QUERIES["add_token"], {**parts, **scope, **(limits or Limits())._asdict()})
        except psycopg.errors.UniqueViolation:
            raise ArgumentError(f"there is a token {name!r} already", hint="revoke it, or use another name") from None
        if tenant is None:
            administer(connection, sql.SQL("CREATE ROLE {} NOLOGIN").format(sql.Identifier(role)))
            rights = READER if kind == "reader" else WRITER
            administer(connection, sql.SQL("GRANT {} TO {}").format(sql.Identifier(rights), sql.Identifier(role)))
        # INHERIT FALSE: the service sees nothing before it works as one of them
        become = sql.SQL("GRANT {} TO {} WITH INHERIT FALSE").format(sql.Identifier(role), sql.Identifier(SERVICE))
        administer(connection, become)
    try:
        for collection in collections:
            grant_collection(url, role, collection, write=kind != "reader")
    except BaseException:
        revoke_token(url, name)
        raise
    return NewToken(key, None if signs_in else f"{PREFIX}{key}_{secret}")


def tokens(url: str) -> list[AccessToken]:
    """Return all tokens, by name.

    Raises:
        ServerError: the server cannot be reached, or the role does not own the store.
    """
    with (
        translate_errors(url),
        connect(url) as connection,
        connection.cursor(row_factory=class_row(AccessToken)) as cursor,
    ):
        return cursor.execute(QUERIES["tokens"]).fetchall()


def revoke_token(url: str, name: str) -> bool:
    """Remove a token; services refuse it from the next request on. Its own role is dropped.

    Args:
        url: as for ``create_token``.
        name: name of the token or user.

    Returns:
        False if there is no such token.

    Raises:
        ServerError: the server cannot be reached, or the role lacks the right.
    """
    with translate_errors(url), connect(url) as connection, connection.cursor(row_factory=dict_row) as cursor:
        row = cursor.execute(QUERIES["remove_token"], {"name": name}).fetchone()
    if row is None:
        return False
    if row["tenant"] is None:  # the token is gone already, so that a failure here lets nobody in
        try:
            revoke_collection(url, row["role_name"])
        except RoleNotFoundError:
            return True
        # another database of the server may have it still: a restored copy of the store, with the token
        with translate_errors(url), suppress(psycopg.errors.DependentObjectsStillExist), connect(url) as connection:
            administer(connection, sql.SQL("DROP ROLE IF EXISTS {}").format(sql.Identifier(row["role_name"])))
    return True


def known_token(database: Database, shown: str) -> KnownToken | None:
    """Return the row of a token that somebody shows; None if there is no such token.

    Args:
        database: the database as the service sees it.
        shown: the token.
    """
    parts = _SHOWN.fullmatch(shown)
    if parts is None:
        return None
    found = _known(database, parts[1], None)
    # the id is no secret; what is secret is compared in constant time
    if found and found.secret_hash and secrets.compare_digest(found.secret_hash, _hash(parts[2])):
        return found
    return None


def known_by_id(database: Database, id: str) -> KnownToken | None:
    """Return the row of a token whose secret was checked before; None if it was revoked since."""
    return _known(database, id, None)


def known_user(database: Database, name: str) -> KnownToken | None:
    """Return the row of a user that a proxy signed in; None if there is no such user."""
    return _known(database, None, name)


def has_service_role(database: Database) -> bool:
    """Return True if `ragraph db roles` made the role of the service."""
    return database.rows(QUERIES["service_role_made"], {}, scalar_row, prepare=None) == [True]


def add_audit_event(database: Database, event: Mapping[str, Any]) -> None:
    """Add a line to the audit log.

    Args:
        database: the database as the service sees it.
        event: the values of the columns by name, without the time.
    """

    def add() -> None:
        with database.write() as connection:
            connection.execute(QUERIES["add_audit_event"], event)

    database.retry_once(add)


def audit_events(
    url: str, *, since: Any = None, token: str | None = None, document: str | None = None, most: int | None = None
) -> list[AuditEvent]:
    """Return lines of the audit log, the oldest first.

    Args:
        url: the store's database, as its owner.
        since: a date and time; None for all.
        token: only of a token, by name.
        document: only about a document, by id.
        most: maximum number; the newest are returned.

    Raises:
        ServerError: the server cannot be reached, or the role does not own the store.
    """
    values = {"since": since, "token": token, "document": document, "most": most}
    with (
        translate_errors(url),
        connect(url) as connection,
        connection.cursor(row_factory=class_row(AuditEvent)) as cursor,
    ):
        return cursor.execute(QUERIES["audit_events"], values).fetchall()


def prune_audit(url: str, days: int) -> int:
    """Remove lines of the audit log that are older than a number of days; return how many.

    Raises:
        ServerError: the server cannot be reached, or the role does not own the store.
    """
    with translate_errors(url), connect(url) as connection:
        return connection.execute(QUERIES["prune_audit"], {"days": days}).rowcount


def _known(database: Database, id: str | None, name: str | None) -> KnownToken | None:
    values = {"id": id, "name": name}
    rows = database.retry_once(lambda: database.rows(QUERIES["token_of"], values, class_row(KnownToken), prepare=None))
    return rows[0] if rows else None


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
