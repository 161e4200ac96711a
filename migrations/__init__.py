"""Migrations of the database: Alembic revisions. Tables change only here.

To change a table, change schema/tables.py, then create the next revision, numbered on from the last,

    RAGRAPH_DATABASE_URL=postgresql://... alembic revision --autogenerate --rev-id 0002 -m "what changes"

read what it wrote (it does not see CHECK constraints, and writes renames as a drop and an add), run ``make schema`` and
the tests test_schema_*. They compare the migrated database with the declared tables, after upgrade, downgrade and
upgrade.

A released revision is never edited. A revision that adds a table under ``document`` creates it without foreign keys,
distributes it if the database runs Citus, and adds the foreign keys last (see docs/decisions).
"""
