"""A document that is attached to another one has a title, authors and a date of its own."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

_COLUMNS: dict[str, tuple[Any, str]] = {
    "title": (sa.Text(), "Title of a document attached to another one; null for that of its publication"),
    "authors": (sa.Text(), "Authors of such a document, comma separated"),
    "publication_date": (sa.Date(), "Date of such a document; null for that of its publication"),
}


def upgrade() -> None:
    for name, (kind, comment) in _COLUMNS.items():
        op.add_column("document", sa.Column(name, kind, comment=comment), schema="ragraph")


def downgrade() -> None:
    for name in _COLUMNS:
        op.drop_column("document", name, schema="ragraph")
