"""The metadata object of all tables: their schema, and the naming of constraints."""

from __future__ import annotations

from sqlalchemy import MetaData

SCHEMA = "ragraph"
"""The PostgreSQL schema of all tables, views and public functions."""

metadata = MetaData(
    schema=SCHEMA,
    naming_convention={
        "pk": "%(table_name)s_pkey",
        "ix": "%(table_name)s_%(column_0_N_name)s_idx",
        "uq": "%(table_name)s_%(constraint_name)s_key",
        "fk": "%(table_name)s_%(constraint_name)s_fkey",
        "ck": "%(table_name)s_%(constraint_name)s_check",
    },
)
