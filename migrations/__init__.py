"""How a database gets there: alembic revisions; tables change only here."""
