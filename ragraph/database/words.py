"""Statistics of words, which ranking needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.base.queries import QUERIES

if TYPE_CHECKING:
    from ragraph.database.connection import Database


def count_words(database: Database) -> None:
    """Update the statistics of words, if they changed enough; an error of the database is raised."""
    with database.write() as connection:
        connection.execute(QUERIES["ensure_text_statistics"])
