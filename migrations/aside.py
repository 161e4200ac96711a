"""Compute a column anew, for which PostgreSQL writes the whole table anew, while readers read on.

``ALTER TABLE`` would keep everybody out for as long as that takes. Here the table is written anew beside itself, in the
transaction of the revision: those who write wait, those who read do so while the new takes the place of the old. Such a
revision is in the list of ``ragraph.database.migrate``, and a transaction of its own; killed, it leaves the table as it
was.
"""

from __future__ import annotations

from importlib.resources import files

from alembic import op

_NAMES = ("possible(regclass)", "make(regclass, text)", "fill(regclass, regclass)", "swap(regclass, regclass)")


def compute_aside(table: str, column: str, statement: str) -> bool:
    """Replace a column of a table that has a column ``document_id``; its indexes are made again.

    Args:
        table: its name, with the schema.
        column: the column.
        statement: an ``ALTER TABLE`` that adds it as it is to be, and names the table once.

    Returns:
        Whether it was done: not for a table that is empty, or has what would not be taken over (``aside.sql``).
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
