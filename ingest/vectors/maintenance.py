"""What is brought up to date at the end of a run, for all documents together: word counts, works, vector indexes.

The documents are complete and can be searched without it, so what fails here is a warning, and done by the next run.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import psycopg
from psycopg import sql
from psycopg.rows import namedtuple_row

from ragraph.base.queries import QUERIES
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

    Connection = psycopg.Connection[Any]

_ELSEWHERE_KB = 1024 * 1024
"""Memory that a build may take on a machine that we do not know."""

_GROWN = 1.5
"""How many times as many vectors an index holds when it is measured again."""

_PATIENCE = "10min"
"""How long a build waits for transactions that were open when it began."""


def count_words(database: Database) -> tuple[str, ...]:
    """Let the database count again what full text search ranks by, where it has moved by a tenth.

    Returns:
        A warning if it could not.
    """

    def count() -> None:
        with database.write() as connection:
            connection.execute(QUERIES["ensure_text_statistics"])

    return warned(database, count, "the words of the store could not be counted, so search_text may rank a little off")


def link_works(database: Database) -> tuple[str, ...]:
    """Take apart the bibliographies that are not yet, of this run and of those that were cut off; find who cites whom.

    Returns:
        A warning if it could not.
    """

    def link() -> None:
        update_works(database, owed=True)

    return warned(database, link, "what the documents cite could not be worked out (`ragraph works --update` does it)")


def analyze(database: Database, written: int) -> tuple[str, ...]:
    """Let the planner look at the tables again if a run wrote a tenth of what they hold; autovacuum comes later.

    Pages with new rows are marked as seen by all, so that what counts rows in an index need not read each of them, and
    words of new rows go into the index proper, where searches need not read through them.

    Args:
        database: the store.
        written: nodes or vectors that the run wrote.

    Returns:
        A warning if it could not.
    """

    def look() -> None:
        with database.read() as connection:
            (due,) = connection.execute(QUERIES["analyze_due"], {"written": written}).fetchone() or (False,)
        if due:  # outside of any transaction
            with translate_errors(database.url), connect(database.url, autocommit=True) as connection:
                connection.execute(QUERIES["analyze"])
                connection.execute(QUERIES["settle_words"])

    return warned(database, look, "the tables could not be analyzed, so searches may be slow for a while")


def build_index(database: Database, model_name: str, minimum: int = 10_000) -> tuple[str, ...]:
    """Build the HNSW index of a model that has at least ``minimum`` vectors, while others read and write.

    Where tenants are on, collections of as many get one of their own. Where the model was set to another kind of index,
    searches use the old one until the new one is there. One session builds at a time; a build that was
    cut off is begun anew. Until it is done, searches are exact. While a run that set it aside (``index_aside.py``) goes
    on, nothing is built; the last of them does.

    Returns:
        A warning if it could not.
    """
    what = f"the index of {model_name} could not be built, so searches of all take longer"
    built: list[str] = []
    warnings = warned(database, lambda: built.extend(_build(database, model_name, minimum)), what)
    return warnings or measure_index(database, model_name, anew=bool(built))


def measure_index(database: Database, model_name: str, *, anew: bool = True) -> tuple[str, ...]:
    """Measure how many candidates searches have to look at in the index of a model, and keep it with the model.

    Args:
        database: the store.
        model_name: a model; one without an index that searches use is passed over, and all of them for a role that
            sees but a part of the store.
        anew: also where it was measured before, and the index has not grown by half since.

    Returns:
        A warning if it could not.
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
        if not held:  # of an index on shards the coordinator has but the head
            (held,) = connection.execute(QUERIES["count_vectors"], names).fetchone() or (0,)
        if not (anew or known.ef_search is None or held > _GROWN * known.measured_vectors):
            return
        (taken,) = connection.execute(QUERIES["lock_measuring"], names).fetchone() or (False,)
        measured = measure(connection, model_name, Distance(known.distance)) if taken else None
    if measured is not None:
        with database.write() as connection:
            connection.execute(QUERIES["note_measured"], {**names, **measured._asdict()})


def _build(database: Database, model_name: str, minimum: int) -> list[str]:
    """Build what a model lacks; return the names of the indexes that were built."""
    names = {"model_name": model_name, "minimum": minimum}
    built: list[str] = []
    with database.read() as reader:  # in nearly all runs there is nothing to build
        if _plan(reader, names).statement is None and not _spare(reader, names):
            return built
    # CONCURRENTLY: outside of any transaction, so on a connection of its own, which takes lock and settings along
    with translate_errors(database.url), connect(database.url, autocommit=True) as connection:
        if not is_direct(connection):
            return _build_in_transaction(database, names)
        # left to whoever builds just now, and to the last of those that set the index aside
        for lock in ("lock_vector_index", "lock_index_of_model"):
            (locked,) = connection.execute(QUERIES[lock], names).fetchone() or (False,)
            if not locked:
                connection.execute(QUERIES["let_go_of_index"])  # of the other lock, at once
                return built
        while (plan := _plan(connection, names)).statement is not None:
            _prepare(connection, plan.kilobytes, local=database.local)
            _build_one(connection, plan, _workers(database))
            built.append(plan.index_name)
        for index in _spare(connection, names):
            _drop(connection, index)
    return built


def _build_in_transaction(database: Database, names: dict[str, Any]) -> list[str]:
    """Build what a model lacks behind a pooler, which would hand locks and settings of a session to others.

    Others cannot write vectors meanwhile.
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
        _drop(connection, plan.index_name)  # left by a build that was cut off: by a kill, or just now
        try:
            connection.execute(plan.statement)
        except psycopg.errors.LockNotAvailable:
            raise StoreError(f"a transaction that was open before stayed open for {_PATIENCE}") from None
        except (psycopg.errors.DiskFull, psycopg.errors.OutOfMemory):
            # workers share memory, and containers allow little of the kind; one process alone does without
            if workers == 0:
                raise
        else:
            break
    connection.execute(plan.remark)


def _drop(connection: Connection, index: str) -> None:
    connection.execute(sql.SQL("DROP INDEX CONCURRENTLY IF EXISTS ragraph.{}").format(sql.Identifier(index)))


def _spare(connection: Connection, names: dict[str, Any]) -> list[str]:
    """Return the indexes of the kind that a model was set to before, once it has that of the other kind."""
    return [index for (index,) in connection.execute(QUERIES["spare_vector_indexes"], names)]


def _plan(connection: Connection, names: dict[str, Any]) -> Any:
    with connection.cursor(row_factory=namedtuple_row) as cursor:
        return cursor.execute(QUERIES["vector_index_plan"], names).fetchone()


def _prepare(connection: Connection, kilobytes: int, *, local: bool) -> None:
    """Give a build the memory that its graph takes, as far as the machine has it, and a limit to its waiting."""
    (usual,) = connection.execute(QUERIES["maintenance_memory"]).fetchone() or (0,)
    limit = free_memory() // 4 // 1024 if local else _ELSEWHERE_KB
    # a graph that does not fit into memory takes many times as long
    memory = max(min(kilobytes, limit), usual)
    for name, value in (
        ("maintenance_work_mem", f"{memory}kB"),
        ("statement_timeout", "0"),
        ("lock_timeout", _PATIENCE),
    ):
        connection.execute(sql.SQL("SET {} = {}").format(sql.Identifier(name), value))


def _workers(database: Database) -> int | None:
    """Processes that help, on this machine; another one's own setting holds there."""
    return max(0, (os.cpu_count() or 1) - 1) if database.local else None


def free_memory() -> int:
    """Return the bytes of memory that this machine, or this container, has to give."""
    free = int(psutil.virtual_memory().available)
    with contextlib.suppress(OSError, ValueError):
        group = Path("/sys/fs/cgroup")
        limit = int((group / "memory.max").read_text())
        free = min(free, limit - int((group / "memory.current").read_text()))
    return max(free, 0)


def warned(database: Database, unit: Callable[[], Any], what: str) -> tuple[str, ...]:
    """Do a unit of work; return a warning if it fails, which says what the user is left with."""
    try:
        with_retry(database, unit)
    except RagraphError as error:
        return (f"{what}; the next run tries again ({error})",)
    return ()
