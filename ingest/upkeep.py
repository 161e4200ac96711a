"""What is brought up to date at the end of a run, for all documents together: word counts and vector indexes.

The documents are complete and can be searched without it, so what fails here is a warning, and done by the next run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.errors import RagraphError
from ragraph.ingest.retry import with_retry
from ragraph.queries import QUERIES

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ragraph.database import Database


def count_words(database: Database) -> tuple[str, ...]:
    """Let the database count again what full text search ranks by, where it has moved by a tenth.

    Returns:
        A warning if it could not.
    """

    def count() -> None:
        with database.write() as connection:
            connection.execute(QUERIES["ensure_text_statistics"])

    return warned(database, count, "the words of the store could not be counted, so search_text may rank a little off")


def build_index(database: Database, model_name: str) -> tuple[str, ...]:
    """Build the vector index of a model if it is time.

    Returns:
        A warning if it could not.
    """

    def build() -> None:
        with database.write() as connection:
            connection.execute(QUERIES["ensure_vector_index"], {"model_name": model_name})

    return warned(database, build, f"the index of {model_name} could not be built, so searches of all take longer")


def warned(database: Database, unit: Callable[[], Any], what: str) -> tuple[str, ...]:
    """Do a unit of work; return a warning if it fails, which says what the user is left with."""
    try:
        with_retry(database, unit)
    except RagraphError as error:
        return (f"{what}; the next run tries again ({error})",)
    return ()
