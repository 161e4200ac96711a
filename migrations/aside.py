"""Recompute a generated column while readers continue, although PostgreSQL rewrites the whole table for it.

``ALTER TABLE`` would block everybody for as long as that takes. Here a copy of the table is written in the transaction
of the revision. Writers wait during all of it; readers wait only while the copy replaces the table.

Such a revision is listed in ``ragraph.database.migrate`` and is a transaction of its own. If it is killed, the table is
unchanged.
"""

from __future__ import annotations

from importlib.resources import files

from alembic import op

_NAMES = ("possible(regclass)", "make(regclass, text)", "fill(regclass, regclass)", "swap(regclass, regclass)")


def compute_aside(table: str, column: str, statement: str) -> bool:
    """Replace a column of a table that has a column ``document_id``; its indexes are created again.

    Args:
        table: name of the table, with its schema.
        column: name of the column.
        statement: an ``ALTER TABLE`` that adds the new column; it names the table once.

    Returns:
        True if it was done. False if the table is empty, or has something that a copy would not have (``aside.sql``).
    """
    driver = op.get_bind().exec_driver_sql
    plain = {"no_parameters": True}
    driver((files("ragraph.migrations") / "aside.sql").read_text(encoding="utf-8"), execution_options=plain)
    done = bool(driver("SELECT ragraph.aside_possible(%s::regclass)", (table,)).scalar())
    if done:
        copy = driver("SELECT ragraph.aside_make(%s::regclass, %s)", (table, column)).scalar()
        driver(statement.replace(table, str(copy), 1), execution_options=plain)
        for step in ("fill", "swap"):
            driver(f"SELECT ragraph.aside_{step}(%s::regclass, %s::regclass)", (table, copy))
    for name in _NAMES:
        driver(f"DROP FUNCTION ragraph.aside_{name}")
    return done
