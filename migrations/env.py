"""Run by Alembic to connect to the database: the tables of ragraph, and no others.

``ragraph.database.migrate`` passes a connection in ``config.attributes["connection"]`` and keeps its transaction. On
the Alembic command line (``alembic revision --autogenerate -m "..."``, see pyproject.toml) the database is
RAGRAPH_DATABASE_URL.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import psycopg
from alembic import context
from sqlalchemy import NullPool, create_engine

from ragraph.schema.tables import SCHEMA, metadata

if TYPE_CHECKING:
    from sqlalchemy import Connection


def _include(name: str | None, kind: str, parents: object) -> bool:
    """Include no schema but ragraph's."""
    return kind != "schema" or name == SCHEMA


def _run(connection: Connection) -> None:
    context.configure(
        connection=connection,
        target_metadata=metadata,
        version_table_schema=SCHEMA,
        include_schemas=True,
        include_name=_include,
        compare_type=True,
        compare_server_default=True,
    )
    with context.begin_transaction():
        context.run_migrations()


if context.is_offline_mode():
    raise SystemExit("ragraph upgrades a database, it does not print SQL: run ragraph db upgrade")
if (given := context.config.attributes.get("connection")) is not None:
    _run(given)
else:
    url = os.environ["RAGRAPH_DATABASE_URL"]
    # Without this path, a role named ragraph would have the schema as its default, and Alembic would omit its name.
    path = "-c search_path=public"
    engine = create_engine(
        "postgresql+psycopg://", creator=lambda: psycopg.connect(url, options=path), poolclass=NullPool
    )
    with engine.begin() as own:
        _run(own)
