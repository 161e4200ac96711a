"""How a database gets there: alembic revisions; tables change only here.

To change a table: change schema/tables.py, then make the next revision, numbered on from the last,

    RAGRAPH_DATABASE_URL=postgresql://... alembic revision --autogenerate --rev-id 0002 -m "what changes"

read what it wrote (it does not see CHECK constraints, and renames look like a drop and an add), run ``make schema``
and the tests test_schema_*: they compare the migrated database with the tables as declared, up, down and up again.
A revision that was released is never edited. One that adds a table under ``document`` makes it without foreign
keys, distributes it where the database runs Citus, and adds the foreign keys last (see docs/decisions).
"""
