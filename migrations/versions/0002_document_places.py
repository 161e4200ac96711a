"""Indexes find documents by their bytes; untitled documents get the names of their files."""

from __future__ import annotations

from urllib.parse import unquote_to_bytes

from alembic import op
from sqlalchemy import text

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_COMMENTS = {
    "id": (
        "dl_..., from the publication record, --id, or derived from source_uri",
        "dl_..., from the publication record, --id, or derived from the first bytes",
    ),
    "source_uri": (
        "Where the ingester read the file from; the id is derived from it",
        "Where the file was read last; null when another took its place",
    ),
}


def upgrade() -> None:
    for column, (before, after) in _COMMENTS.items():
        op.alter_column("document", column, comment=after, existing_comment=before, schema="ragraph")
    connection = op.get_bind()
    untitled = connection.execute(text("SELECT id, title FROM ragraph.publication WHERE title LIKE 'file:///%'"))
    names = [
        {"id": publication, "title": unquote_to_bytes(title.rsplit("/", 1)[1]).decode(errors="replace")}
        for publication, title in untitled
    ]
    for name in names:
        if name["title"]:
            connection.execute(text("UPDATE ragraph.publication SET title = :title WHERE id = :id"), name)


def downgrade() -> None:
    for column, (before, after) in _COMMENTS.items():
        op.alter_column("document", column, comment=before, existing_comment=after, schema="ragraph")
