"""Updates at the end of a run, for all documents together: word counts, works, vector indexes.

Documents are complete and searchable without them. So a failure is a warning, and the next run does the work.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg import sql
from psycopg.rows import namedtuple_row

from ragraph.base import system
from ragraph.base.extras import install
from ragraph.base.queries import QUERIES
from ragraph.database import words
from ragraph.database.connection import connect, is_direct
from ragraph.database.driver import translate_errors
from ragraph.database.retry import with_retry
from ragraph.errors import RagraphError, StoreError
from ragraph.ingest.vectors.calibrating import measure
from ragraph.schema.enums import Distance
from ragraph.works.update import update_works

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragraph.database.connection import Database
    from ragraph.models.embedding import EmbeddingModel

    Connection = psycopg.Connection[Any]

_ELSEWHERE_KB = 1024 * 1024
"""Kilobytes of memory for a build on a machine that we do not know."""

_GROWN = 1.5
"""Growth of an index, as a factor, after which it is measured again."""

_PATIENCE = "10min"
"""Maximum time that a build waits for transactions that were open when it began."""


def count_words(database: Database) -> tuple[str, ...]:
    """Update the word counts for full text ranking, if they changed by a tenth.

    Returns:
        A warning if it failed.
    """
    return warned(
        database,
        lambda: words.count_words(database),
        "the words of the store could not be counted, so search_text may rank a little off",
    )


def link_works(database: Database) -> tuple[str, ...]:
    """Parse the bibliographies that are still pending, also those of interrupted runs, and find who cites whom.

    Returns:
        A warning if it failed.
    """

    def link() -> None:
        update_works(database, owed=True)

    return warned(database, link, "citations could not be resolved (`ragraph works --update` does it)")


def analyze(database: Database, written: int) -> tuple[str, ...]:
    """Update the planner's statistics if a run wrote a tenth of the tables' rows; autovacuum would come later.

    Pages with new rows are marked as visible to all, so that counting rows in an index need not read each page. Words
    of new rows are moved to the main index, so that searches need not read the pending list.

    Args:
        database: the store.
        written: number of nodes or vectors that the run wrote.

    Returns:
        A warning if it failed.
    """

    def look() -> None:
        with database.read() as connection:
            (due,) = connection.execute(QUERIES["analyze_due"], {"written": written}).fetchone() or (False,)
        if due:  # outside of any transaction
            with translate_errors(database.url), connect(database.url, autocommit=True) as connection:
                connection.execute(QUERIES["analyze"])
                connection.execute(QUERIES["settle_words"])

    return warned(database, look, "the tables could not be analyzed, so searches may be slow for a while")


def unknown_languages(database: Database, model: EmbeddingModel, document_ids: list[str | None]) -> tuple[str, ...]:
    """Return a warning if documents state, or were found to be in, languages that a model does not know.

    Args:
        database: the store.
        model: the model of their vectors.
        document_ids: ids of the documents.
    """
    known = getattr(model, "languages", None)  # a caller's own model need not have it
    if known is None:
        return ()
    found: list[tuple[str, int]] = []

    def look() -> None:
        with database.read() as connection:
            parameters = {"document_ids": document_ids, "known": list(known)}
            found.extend(connection.execute(QUERIES["documents_in_other_languages"], parameters).fetchall())

    warnings = warned(database, look, "the languages of the documents could not be looked up")
    if not found:
        return warnings
    languages = ", ".join(f"{language} ({documents})" for language, documents in found)
    return (
        *warnings,
        f"the model {model.name} does not know the language of some documents, so searches there lean on words: "
        f"{languages}; a model that knows them: {install('multilingual')}, `ragraph models add multilingual`",
    )


def build_index(database: Database, model_name: str, minimum: int = 10_000) -> tuple[str, ...]:
    """Build the HNSW index of a model that has at least ``minimum`` vectors, while others read and write.

    If tenants are on, collections of this size get an index of their own. If the model was set to another kind of
    index, searches use the old one until the new one is built. One session builds at a time; an interrupted build
    starts again. Until it is done, searches are exact. While a run that dropped the index (``index_aside.py``) is
    active, nothing is built; the last such run builds.

    Returns:
        A warning if it failed.
    """
    what = f"the index of {model_name} could not be built, so searches of all take longer"
    built: list[str] = []
    warnings = warned(database, lambda: built.extend(_build(database, model_name, minimum)), what)
    return warnings or measure_index(database, model_name, anew=bool(built))


def measure_index(database: Database, model_name: str, *, anew: bool = True) -> tuple[str, ...]:
    """Measure how many candidates of a model's index searches have to examine, and store it with the model.

    Args:
        database: the store.
        model_name: a model. It is skipped if it has no index that searches use, or if the role sees only a part of
            the store.
        anew: also if it was measured before and the index has not grown by half since.

    Returns:
        A warning if it failed.
    """
    what = f"the index of {model_name} could not be measured, so searches look at as many candidates as before"
    return warned(database, lambda: _measure(database, model_name, anew), what)


def _measure(database: Database, model_name: str, anew: bool) -> None:
    names = {"model_name": model_name}
    with database.read() as connection:
        with connection.cursor(row_factory=namedtuple_row) as cursor:
            known: Any = cursor.execute(QUERIES["index_measured"], names).fetchone()
        if known is None:
            return
        held = known.held
        if not held:  # of an index on shards the coordinator has only the definition
            (held,) = connection.execute(QUERIES["count_vectors"], names).fetchone() or (0,)
        if not (anew or known.ef_search is None or held > _GROWN * known.measured_vectors):
            return
        (taken,) = connection.execute(QUERIES["lock_measuring"], names).fetchone() or (False,)
        measured = measure(connection, model_name, Distance(known.distance)) if taken else None
    if measured is not None:
        with database.write() as connection:
            connection.execute(QUERIES["note_measured"], {**names, **measured._asdict()})


def _build(database: Database, model_name: str, minimum: int) -> list[str]:
    """Build the missing indexes of a model; return their names."""
    names = {"model_name": model_name, "minimum": minimum}
    built: list[str] = []
    with database.read() as reader:  # in nearly all runs there is nothing to build
        if _plan(reader, names).statement is None and not _spare(reader, names):
            return built
    # CONCURRENTLY needs to be outside of any transaction, so it has its own connection, with lock and settings
    with translate_errors(database.url), connect(database.url, autocommit=True) as connection:
        if not is_direct(connection):
            return _build_in_transaction(database, names)
        # left to the session that is building, and to the last of those that dropped the index
        for lock in ("lock_vector_index", "lock_index_of_model"):
            (locked,) = connection.execute(QUERIES[lock], names).fetchone() or (False,)
            if not locked:
                connection.execute(QUERIES["let_go_of_index"])  # release the other lock at once
                return built
        while (plan := _plan(connection, names)).statement is not None:
            _prepare(connection, plan.kilobytes, local=database.local)
            _build_one(connection, plan, _workers(database))
            built.append(plan.index_name)
        for index in _spare(connection, names):
            _drop(connection, index)
    return built


def _build_in_transaction(database: Database, names: dict[str, Any]) -> list[str]:
    """Build the missing indexes of a model behind a pooler, which would give locks and settings of a session to others.

    Other processes cannot write vectors meanwhile.
    """
    with database.write() as connection:
        (free,) = connection.execute(QUERIES["lock_index_in_transaction"], names).fetchone() or (False,)
        if not free:
            return []
        connection.execute("SET LOCAL statement_timeout = 0")
        (built,) = connection.execute(QUERIES["ensure_vector_index"], names).fetchone() or (False,)
    return [names["model_name"]] if built else []


def _build_one(connection: Connection, plan: Any, most_workers: int | None) -> None:
    for workers in (most_workers, 0):
        if workers is not None:
            connection.execute(sql.SQL("SET max_parallel_maintenance_workers = {}").format(workers))
        _drop(connection, plan.index_name)  # left by an interrupted build: by a kill, or just now
        try:
            connection.execute(plan.statement)
        except psycopg.errors.LockNotAvailable:
            raise StoreError(f"a transaction that was open before stayed open for {_PATIENCE}") from None
        except (psycopg.errors.DiskFull, psycopg.errors.OutOfMemory):
            # workers share memory, of which containers allow little; a single process needs none
            if workers == 0:
                raise
        else:
            break
    connection.execute(plan.remark)


def _drop(connection: Connection, index: str) -> None:
    connection.execute(sql.SQL("DROP INDEX CONCURRENTLY IF EXISTS ragraph.{}").format(sql.Identifier(index)))


def _spare(connection: Connection, names: dict[str, Any]) -> list[str]:
    """Return the indexes of the previous kind of a model, once it has one of the new kind."""
    return [index for (index,) in connection.execute(QUERIES["spare_vector_indexes"], names)]


def _plan(connection: Connection, names: dict[str, Any]) -> Any:
    with connection.cursor(row_factory=namedtuple_row) as cursor:
        return cursor.execute(QUERIES["vector_index_plan"], names).fetchone()


def _prepare(connection: Connection, kilobytes: int, *, local: bool) -> None:
    """Give a build the memory that its graph needs, as far as the machine has it, and limit its waiting."""
    (usual,) = connection.execute(QUERIES["maintenance_memory"]).fetchone() or (0,)
    limit = system.free_memory() // 4 // 1024 if local else _ELSEWHERE_KB
    # a graph that does not fit into memory takes many times as long
    memory = max(min(kilobytes, limit), usual)
    for name, value in (
        ("maintenance_work_mem", f"{memory}kB"),
        ("statement_timeout", "0"),
        ("lock_timeout", _PATIENCE),
    ):
        connection.execute(sql.SQL("SET {} = {}").format(sql.Identifier(name), value))


def _workers(database: Database) -> int | None:
    """Return the number of helping processes on this machine; None on another one, whose own setting is used."""
    return max(0, (os.cpu_count() or 1) - 1) if database.local else None


def warned(database: Database, unit: Callable[[], Any], what: str) -> tuple[str, ...]:
    """Do a unit of work; if it fails, return a warning with the consequence for the user."""
    try:
        with_retry(database, unit)
    except RagraphError as error:
        return (f"{what}; the next run tries again ({error})",)
    return ()
