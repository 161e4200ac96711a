"""Translate errors of psycopg to errors of ragraph, and parse database URLs."""

from __future__ import annotations

import hashlib
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from ragraph import errors

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def translate_errors(url: str | None = None) -> Iterator[None]:
    """Translate errors that psycopg raises in the block to errors of ragraph, with the original as cause.

    Args:
        url: the database in use, named (without its password) in messages about the connection.

    Raises:
        RagraphError: as ``translated`` maps it. Errors without a mapping pass unchanged.
    """
    try:
        yield
    except psycopg.Error as error:
        translation = translated(error, url)
        if translation is None:
            raise
        raise translation from error


def translated(error: psycopg.Error, url: str | None = None) -> errors.RagraphError | None:
    """Return the error of ragraph for an error of psycopg, or None if there is no mapping.

    SQLSTATE RG... becomes its class in ``STORE_ERRORS``. Class 22 becomes ArgumentError, class 23 ConstraintError,
    class 53 ServerResourcesError. 08, 57P0. and lost connections become ServerUnavailableError. 28 and an unknown
    database become ServerLoginError, 42501 AccessError. 25006 becomes ServerReadOnlyError. A missing table, schema or
    function becomes SchemaVersionError, a missing operator ArgumentError. Any other SQLSTATE becomes StoreError.
    """
    place = _place(url)
    code = error.sqlstate
    if code is None:
        return _without_sqlstate(error, place, url)
    said = unbroken(error.diag.message_primary or str(error))
    if code.startswith("RG"):
        return _stated_by_function(error, code, said)
    found = (
        _about_rows(error, code, said)
        or _about_server(error, code, said, place)
        or _about_rights(code, said)
        or _about_schema(code, said)
    )
    if found:
        return found
    if code == "57014" and "statement timeout" in said:
        return errors.StoreError(
            f"the query exceeded this role's time limit ({said}): search within a document or collection, or for less"
        )
    if code in {"40001", "40P01", "55P03"}:
        return errors.StoreError(f"another transaction is changing the same rows ({said}): run this again")
    return errors.StoreError(f"the database refuses the statement ({code}): {said}")


def _stated_by_function(error: psycopg.Error, code: str, said: str) -> errors.RagraphError:
    hint = unbroken(error.diag.message_hint or "")
    # The hint continues a sentence here: lower case for "quote word for word", but not for "SELECT * FROM ...".
    hint = hint if hint[1:2].isupper() else hint[:1].lower() + hint[1:]
    kind = errors.STORE_ERRORS.get(code, errors.StoreError)
    return kind(said, hint=kind.look or hint)


def _about_rows(error: psycopg.Error, code: str, said: str) -> errors.RagraphError | None:
    if code == "XX000":
        return _refused_by_shard(said)
    if code.startswith("22"):
        return errors.ArgumentError(f"the database does not accept a value ({said}): use another")
    if code.startswith("23"):
        rule = f" (constraint {error.diag.constraint_name})" if error.diag.constraint_name else ""
        detail = f": {unbroken(error.diag.message_detail)}" if error.diag.message_detail else ""
        return errors.ConstraintError(f"the rows violate a constraint{rule}: {said}{detail}")
    return None


def _about_server(error: psycopg.Error, code: str, said: str, place: str) -> errors.RagraphError | None:
    if code == "XX000" and said.startswith("failure on connection"):  # a node of a cluster ended within a transaction
        return errors.ServerUnavailableError(f"{place} lost a node of its cluster ({said}): try again when it is up")
    if code.startswith("28") or code == "3D000":
        return errors.ServerLoginError(f"{place} refuses the login ({said}): check user, password and database")
    if "statement pooling mode" in said:
        return errors.ServerLoginError(
            f"{place} is a pooler in statement mode ({said}): set pool_mode to transaction or session,"
            " or log in at the server itself"
        )
    if code.startswith(("08", "57P0")):
        return errors.ServerUnavailableError(f"{place} ended the connection ({said}): try again when it is up")
    if code.startswith("53"):
        lack, advice = _LACKS.get(code, ("resources", "free some and try again"))
        hint = f"; {unbroken(error.diag.message_hint)}" if error.diag.message_hint else ""
        return errors.ServerResourcesError(f"{place} has no {lack} left ({said}{hint}): {advice}")
    if code == "25006":
        return errors.ServerReadOnlyError(
            f"{place} only reads ({said}): write at the primary server, or set default_transaction_read_only to off"
        )
    return None


def _about_rights(code: str, said: str) -> errors.RagraphError | None:
    if code != "42501":
        return None
    # a row with this id exists in a collection that the role cannot see
    if "(USING expression)" in said:
        return errors.ConstraintError(f"an id is used in a collection that this role cannot see ({said}): use another")
    if "row-level security" in said:
        return errors.AccessError(f"{said}: the role may not write there; `ragraph db grant` says who may")
    if re.match("permission denied to (create|grant) role", said):
        return errors.AccessError(
            f"{said}: let whoever administers the server run what `ragraph db roles --print` prints"
        )
    if said.startswith("permission denied for database"):
        return errors.AccessError(f"{said}: GRANT CREATE ON DATABASE ... TO the role, as the owner of the database")
    return errors.AccessError(f"{said}: `ragraph db roles` grants it; the store needs a role that may")


def _about_schema(code: str, said: str) -> errors.RagraphError | None:
    # a value of a wrong type; operators of vectors are missing if the extension is
    if code == "42883" and said.startswith("operator does not exist") and "vector" not in said:
        return errors.ArgumentError(f"the database cannot compare a value of this type ({said}): use another")
    if code in {"42P01", "42883", "3F000", "42703", "42704"}:
        return errors.SchemaVersionError(f"{said}: the schema is missing or of another version, run ragraph db upgrade")
    return None


_LACKS = {
    "53100": ("disk space", "free some on the disk of its data folder, then run this again; nothing stored is lost"),
    "53200": ("memory", "give the server more (its settings or its machine), or work on less at a time"),
    "53300": ("connections", "end other programs that use it, or raise max_connections"),
}
"""The missing resource by SQLSTATE, and advice."""

_CROWDED = ("too many clients", "too many connections", "remaining connection slots")
"""Parts of the server's message when it refuses one connection too many; libpq reports no SQLSTATE there."""

_LOGIN_WORDS = ("authentication failed", "does not exist", "no password", "pg_hba.conf", "permission denied", "log in")


_BROKEN_ON_SHARD = re.compile(r'violates [a-z ]+ constraint "(?P<rule>\w+?)_\d+"')


def _refused_by_shard(said: str) -> errors.ConstraintError | None:
    """Return the error for a constraint violated in a COPY on a shard, or None.

    Citus reports it without its SQLSTATE, and the constraint's name carries the number of the shard.
    """
    if found := _BROKEN_ON_SHARD.search(said):
        return errors.ConstraintError(f"the rows violate a constraint (constraint {found['rule']}): {said}")
    return None


def _without_sqlstate(error: psycopg.Error, place: str, url: str | None) -> errors.RagraphError | None:
    """Translate errors of libpq or psycopg itself: no connection, a lost one, or a value that cannot be sent."""
    if isinstance(error, psycopg.DataError):
        return errors.ArgumentError(f"a value cannot be sent to the database ({unbroken(str(error))}): use another")
    if not isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError)):
        return None
    said = unbroken(str(error))
    if "FATAL" in said and any(word in said for word in _CROWDED):
        lack, advice = _LACKS["53300"]
        return errors.ServerResourcesError(f"{place} has no {lack} left ({said}): {advice}")
    if "unsupported startup parameter" in said:
        return errors.ServerLoginError(
            f"{place} is a pooler that does not pass on parameters ({said}): log in as a user who has the role,"
            " or at the server itself"
        )
    role = role_of(url)
    if role and "FATAL" in said and f'role "{role}" does not exist' in said:
        return errors.ServerLoginError(
            f"{place} has no role {role!r}: `ragraph db roles` creates reader, writer and owner"
        )
    # The server's messages may be in another language; then this message still says that the login was refused.
    if "FATAL" in said and any(word in said for word in _LOGIN_WORDS):
        return errors.ServerLoginError(f"{place} refuses the login ({said}): check user, password and database")
    return errors.ServerUnavailableError(f"{place} does not answer ({said}): check that it runs and can be reached")


def role_of(url: str | None) -> str | None:
    """Return the role that connections of a URL assume, as ``ragraph.database.roles.with_role`` writes it, or None."""
    found = re.search(r"-c role=((?:\\.|\S)+)", str(conninfo(url).get("options") or "")) if url else None
    return re.sub(r"\\(.)", r"\1", found[1]) if found else None


def is_local(url: str) -> bool:
    """Return True if a server runs on this machine as far as its URL shows: its host is a socket folder."""
    return str(conninfo(url).get("host", "")).startswith("/")


def place_key(url: str) -> str:
    """Return a key for the database that a URL names, the same for every user and password."""
    parameters = conninfo(url)
    named = [str(parameters.get(name) or "") for name in ("host", "port", "dbname")]
    return hashlib.sha256("\0".join(named).encode()).hexdigest()[:16]


def _place(url: str | None) -> str:
    """Return the server and database of a URL in words, without its password."""
    if url is None:
        return "the server"
    parts = conninfo(url)
    host = parts.get("host") or parts.get("hostaddr") or "localhost"
    port = f":{parts['port']}" if parts.get("port") else ""
    return f"PostgreSQL at {host}{port}/{parts.get('dbname', '')}"


def conninfo(url: str) -> dict[str, Any]:
    """Parse a URL or keyword string of libpq.

    Raises:
        ServerLoginError: it cannot be parsed.
    """
    try:
        return dict(conninfo_to_dict(url))
    except psycopg.ProgrammingError:
        # "from None", because libpq's message repeats the text, including the password
        raise errors.ServerLoginError(
            "the database URL cannot be read: write postgresql://user:password@host:port/database"
        ) from None


def unbroken(said: str) -> str:
    """Return a server message on one line."""
    return " ".join(said.split())
