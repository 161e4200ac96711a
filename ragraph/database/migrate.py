"""Upgrade a database to the schema of this version of ragraph, and report its revision.

Tables change in revisions (ragraph.migrations). Functions are files (ragraph.sql.functions) that are all applied again
when one of them changed. An upgrade is one transaction behind one lock: several processes may start on an empty
database at once, and a failed upgrade leaves the database unchanged. Only a revision that rewrites a large table is a
transaction of its own, after those before it, so that readers wait only for its end. The next upgrade continues from
there.
"""

from __future__ import annotations

import hashlib
from contextlib import contextmanager
from functools import cache, partial
from importlib.resources import files
from typing import TYPE_CHECKING, Any, LiteralString, NamedTuple, cast

import psycopg
from psycopg import sql

from ragraph.base.queries import QUERIES
from ragraph.database.connection import check_server, check_server_version, connect
from ragraph.database.driver import translate_errors
from ragraph.errors import SchemaVersionError, ServerVersionError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import sqlalchemy
    from alembic.config import Config

    Connection = psycopg.Connection[tuple[Any, ...]]


class _State(NamedTuple):
    revision: str | None
    functions: str | None
    vector_schema: str | None


_NOTHING = _State(None, None, None)
_LONG = ("0010",)
"""Revisions that rewrite a large table."""
_PATH = "ragraph, public, pg_temp"
"""End of the search path in the function files: there pgvector is in public."""
_PAST = "5"
"""Beginning of the names of function files whose text is generated from the functions that the other files made. They
are always created from nothing."""


def upgrade(url: str, progress: Callable[[str], None] | None = None) -> bool:
    """Upgrade a database to the newest schema; one query if it is current.

    Creates the schema ``ragraph`` and, if it is missing and the role may, the extension ``vector``.

    Args:
        url: URL of an existing database.
        progress: called with a line of text about each long step.

    Returns:
        True if anything was changed.

    Raises:
        SchemaVersionError: the database was upgraded by a newer version of ragraph, or the role does not own the store.
        ServerVersionError: the server is too old, or pgvector is missing and the role cannot install it.
        ServerError: the server cannot be reached or refuses the login.
    """
    with translate_errors(url), connect(url, autocommit=True) as connection:
        check_server_version(connection)
        state = _state(connection)
        if not _behind(state):
            return False
        if state.revision is not None and not _flag(connection, "may_upgrade"):
            raise SchemaVersionError(
                "the store's schema is older than this version of ragraph, and this role does not own the store:"
                " let its owner run ragraph db upgrade"
            )
    target = ""
    while target != head():
        with _one_at_a_time(url) as (bind, connection):
            state = _state(connection)
            if not _behind(state):  # another process upgraded it meanwhile
                return bool(target)
            if progress:
                connection.add_notice_handler(partial(_report, progress))
            ensure_extension(connection)
            place = _vector_path(connection)
            for schema in ("schema", "private_schema"):
                if _flag(connection, f"{schema}_missing"):
                    connection.execute(QUERIES[f"{schema}_create"])
            connection.execute(QUERIES["past_drop"])
            target = _next(state.revision)
            _alembic("upgrade", bind, target)
            if target == head():
                _apply_functions(connection, place)
                if _flag(connection, "rows_secured"):
                    connection.execute(QUERIES["renew_tenants"])  # secures the tables that this version adds
    return True


def words_lost(url: str) -> str | None:
    """Return what searches for words miss in a database because of its LC_CTYPE, and the remedy; None if nothing.

    Raises:
        ServerError: the server cannot be reached or refuses the login.
    """
    with translate_errors(url), connect(url) as connection:
        (ctype,) = connection.execute(QUERIES["database_ctype"]).fetchone() or ("",)
    return lost_with(ctype)


def lost_with(ctype: str) -> str | None:
    """Return the same for an LC_CTYPE."""
    if ctype not in ("C", "POSIX"):
        return None
    return (
        f"with LC_CTYPE {ctype}, words next to “, ” and — are not found, nor É by é:"
        " make the database with LC_CTYPE 'C.UTF-8'; a backup moves a store there"
    )


def downgrade(url: str, revision: str) -> None:
    """Take a database back to an older revision, and delete all data that the newer tables held.

    Functions are dropped because the files of this version fit its own tables only. The next upgrade, by any version of
    ragraph, applies that version's functions. "base" drops everything except the extension ``vector``.

    Args:
        url: URL of the database.
        revision: an older revision, "-1" for the previous one, or "base".

    Raises:
        SchemaVersionError: the database has no ragraph schema, or a newer one.
        ServerError: the server cannot be reached or refuses the login.
    """
    with _one_at_a_time(url) as (bind, connection):
        state = _state(connection)
        _behind(state)
        if state.revision is None:
            raise SchemaVersionError("the database has no ragraph schema: there is nothing to downgrade")
        connection.execute(QUERIES["past_drop"])
        _drop_private(connection)
        _drop_existing(connection, _existing(connection))
        _alembic("downgrade", bind, revision)
        if _state(connection).revision is None:
            connection.execute(QUERIES["schema_drop"])
        else:
            _remember_functions(connection, None)


def current(url: str) -> str | None:
    """Return the revision of a database, or None if it has no ragraph schema.

    Raises:
        ServerError: the server cannot be reached or refuses the login.
    """
    with translate_errors(url), connect(url, autocommit=True) as connection:
        return _state(connection).revision


def check(url: str) -> None:
    """Check that a database has the schema of this version of ragraph; change nothing.

    Raises:
        SchemaVersionError: the schema is missing, older or newer.
        ServerVersionError: the server is too old, or lacks pgvector.
        ServerError: the server cannot be reached or refuses the login.
    """
    with translate_errors(url), connect(url, autocommit=True) as connection:
        check_server_version(connection)
        state = _state(connection)
        if state != _NOTHING:
            check_server(connection)
    if not _behind(state):
        return
    if state == _NOTHING:
        raise SchemaVersionError("the database has no ragraph schema: run ragraph db upgrade")
    what = f"tables are at revision {state.revision}, not {head()}" if state.revision != head() else "functions differ"
    raise SchemaVersionError(f"the schema is not that of this version of ragraph ({what}): run ragraph db upgrade")


@cache
def head() -> str:
    """Return the newest revision, the number at the beginning of its file's name."""
    return _revisions()[-1]


def check_known(revision: str) -> None:
    """Raise SchemaVersionError if this version of ragraph does not know a revision."""
    if revision not in _revisions():
        raise SchemaVersionError(
            f"the database is at revision {revision}, made by a newer ragraph:"
            f" upgrade ragraph (this version knows up to {head()})"
        )


def _next(revision: str | None) -> str:
    """Return the revision that the next transaction of an upgrade leads to."""
    if revision is not None:
        known = _revisions()
        for long in _LONG:
            before = known[known.index(long) - 1]
            if revision < long:
                return before if revision < before else long
    return head()


def _report(progress: Callable[[str], None], diagnostic: psycopg.errors.Diagnostic) -> None:
    if diagnostic.severity_nonlocalized == "INFO" and diagnostic.message_primary:
        progress(diagnostic.message_primary.removeprefix("ragraph: "))


def _behind(state: _State) -> bool:
    """Return True if a database needs an upgrade.

    Raises:
        SchemaVersionError: its revision is unknown to this version of ragraph.
    """
    if state.revision is not None:
        check_known(state.revision)
    return (state.revision, state.functions) != (head(), _digest(state.vector_schema))


@cache
def _revisions() -> list[str]:
    # Read from the file names and not through alembic, because opening a store should not wait for that import.
    names = (entry.name for entry in files("ragraph.migrations.versions").iterdir())
    return sorted(name.partition("_")[0] for name in names if name[0].isdigit() and name.endswith(".py"))


@cache
def _function_files() -> dict[str, LiteralString]:
    entries = sorted(files("ragraph.sql.functions").iterdir(), key=lambda entry: entry.name)
    texts = {entry.name: entry.read_text(encoding="utf-8") for entry in entries if entry.name.endswith(".sql")}
    # Files of the package are as fixed as literals in the code; see ragraph.base.queries.
    return cast("dict[str, LiteralString]", texts)  # type: ignore[redundant-cast]


@cache
def _digest(vector_schema: str | None) -> str:
    digest = hashlib.sha256()
    for name, text in _function_files().items():
        digest.update(f"{name}\0{text}\0".encode())
    place = "" if vector_schema in (None, "public") else f", pgvector in {vector_schema}"
    return f"functions sha256 {digest.hexdigest()}{place}"


def _state(connection: Connection) -> _State:
    try:
        with connection.transaction():  # a missing table must not abort the surrounding transaction
            row = connection.execute(QUERIES["schema_state"]).fetchone()
    except (psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName):
        return _NOTHING
    return _State(*row) if row else _NOTHING


def _flag(connection: Connection, query: str) -> bool:
    row = connection.execute(QUERIES[query]).fetchone()
    return bool(row and row[0])


@contextmanager
def _one_at_a_time(url: str) -> Iterator[tuple[sqlalchemy.Connection, Connection]]:
    """Open one transaction, as SQLAlchemy and as psycopg see it, and wait for the lock on schema changes."""
    import sqlalchemy as sa  # imported here for the same reason as in _revisions

    engine = sa.create_engine("postgresql+psycopg://", creator=lambda: connect(url), poolclass=sa.NullPool)
    with translate_errors(url):
        try:
            with engine.begin() as bind:
                connection = cast("Connection", bind.connection.driver_connection)
                check_server_version(connection)
                connection.execute(QUERIES["schema_begin"])
                _vector_path(connection)
                yield bind, connection
        except sa.exc.DBAPIError as error:
            if isinstance(error.orig, psycopg.Error):
                raise error.orig from None
            raise


def ensure_extension(connection: Connection) -> None:
    """Create the extension ``vector`` if it is missing.

    Raises:
        ServerVersionError: the server is too old, lacks pgvector, or the role may not create it.
    """
    if not _flag(connection, "extension_missing"):
        check_server(connection)
        return
    name = connection.info.dbname
    try:
        with connection.transaction():
            connection.execute(QUERIES["extension_create"])
    except psycopg.errors.InsufficientPrivilege as error:
        raise ServerVersionError(
            f"database {name} has no pgvector and role {connection.info.user} may not install it:"
            " let an administrator run CREATE EXTENSION vector there"
        ) from error
    except (psycopg.errors.FeatureNotSupported, psycopg.errors.UndefinedFile) as error:
        raise ServerVersionError(
            "the server does not have pgvector: install it (package postgresql-NN-pgvector,"
            " or https://github.com/pgvector/pgvector), then try again"
        ) from error
    check_server(connection)


def vector_schema(connection: Connection) -> str:
    """Return the schema of pgvector, quoted if necessary; "public" if the database does not have it."""
    with connection.transaction():
        return _vector_path(connection)


def _vector_path(connection: Connection) -> str:
    """Make the schema of pgvector the search path of the transaction; return its name, quoted if necessary."""
    row = connection.execute(QUERIES["vector_path"]).fetchone()
    return str(row[1] or "public") if row else "public"


def _alembic(direction: str, bind: sqlalchemy.Connection, revision: str) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(files("ragraph.migrations")).replace("%", "%%"))
    config.attributes["connection"] = bind
    run: Callable[[Config, str], None] = getattr(command, direction)
    run(config, revision)


def _existing(connection: Connection) -> list[tuple[Any, ...]]:
    return connection.execute(QUERIES["schema_made"]).fetchall()


def _apply_functions(connection: Connection, vector_schema: str) -> None:
    """Replace the public functions and views, recreate the private ones, and drop those that no file makes any more.

    Replaced functions and views keep the rights granted on them. Their search path names the schema of pgvector.
    """
    before = _existing(connection)
    _drop_private(connection)
    path = f"ragraph, {vector_schema}, pg_temp"
    made = {name: text.replace(_PATH, path) for name, text in _function_files().items()}
    texts = {name: text for name, text in made.items() if not name.startswith(_PAST)}
    past = {name: text for name, text in made.items() if name.startswith(_PAST)}
    try:
        with connection.transaction():
            _run_files(connection, texts)
    except (psycopg.errors.InvalidFunctionDefinition, psycopg.errors.InvalidTableDefinition):
        # A changed result type, parameter name or column cannot be replaced, so drop the old ones first.
        _drop_existing(connection, before)
        _run_files(connection, texts)
    else:
        _drop_existing(connection, sorted(set(before) & set(_existing(connection))))
    _run_files(connection, past)
    _remember_functions(connection, _digest(vector_schema))


def _drop_existing(connection: Connection, made: list[tuple[Any, ...]]) -> None:
    for wanted in ("VIEW", "ROUTINE"):
        _drop(wanted, connection, [signature for kind, signature, _ in made if kind == wanted])


def _drop_private(connection: Connection) -> None:
    """Drop the functions and types of the private schema; nothing outside of ragraph depends on them."""
    for kind, query in (("ROUTINE", "private_functions"), ("TYPE", "private_types")):
        _drop(kind, connection, [name for (name,) in connection.execute(QUERIES[query])])


def _run_files(connection: Connection, texts: Mapping[str, str]) -> None:
    for name, text in texts.items():
        try:
            connection.execute(text)
        except psycopg.Error as error:
            error.add_note(f"in sql/functions/{name}")
            raise


def _drop(kind: LiteralString, connection: Connection, names: list[str]) -> None:
    if names:
        # The names come from regprocedure, regclass and regtype, which quote them.
        quoted = [sql.SQL(cast("LiteralString", name)) for name in names]  # type: ignore[redundant-cast]
        connection.execute(sql.SQL("DROP {} {}").format(sql.SQL(kind), sql.SQL(", ").join(quoted)))


def _remember_functions(connection: Connection, digest: str | None) -> None:
    connection.execute(sql.SQL("COMMENT ON TABLE ragraph.alembic_version IS {}").format(sql.Literal(digest)))
