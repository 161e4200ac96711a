"""Nothing is left of a document that was deleted: the right to erasure."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import ragraph
from ragraph.base.queries import QUERIES

if TYPE_CHECKING:
    from collections.abc import Iterator

    import psycopg
    from conftest import MakeDatabase

    from ragraph import Store

    Connection = psycopg.Connection[tuple[object, ...]]

NOT_OF_A_DOCUMENT = {
    "alembic_version": "the revision",
    "publication": "goes with its last document",
    "embedding_model": "names of models",
    "text_statistics": "shares of words: those that no document has any more go (below)",
    "sentence_ranker": "weights of what was learnt",
    "sentence_ranker_word": "single words that were learnt: docs/how-to/versions.md says how they go",
    "collection_grant": "names of roles and collections",
    "version_keeping": "names of collections",
    "access_token": "names of tokens and of collections",
    "audit_event": "ids of documents and who read them: a log keeps them, `ragraph audit prune` removes them",
    "query_logging": "names of collections",
    "query_log": "questions that people asked, with ids of passages: they expire, or forget_queries removes them",
    "ingest_job": "what was asked: folders and options",
    "ingest_lease": "places of files: go with ingest_file",
}
"""Tables in which no row is of one document, and why."""


@pytest.fixture
def store(make_database: MakeDatabase) -> Iterator[Store]:
    with ragraph.open(make_database()) as opened:
        yield opened


def test_every_table_is_looked_through(connection: Connection) -> None:
    """A table that is added is in the query, or is none of documents."""
    tables = {
        str(name)
        for (name,) in connection.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'ragraph'::regnamespace AND relkind IN ('r', 'p')"
        )
    }
    covered = {name for name in tables if f"'{name}'" in QUERIES["rows_of_document"]}
    assert tables - covered == NOT_OF_A_DOCUMENT.keys()
    named = connection.execute(
        "SELECT DISTINCT table_name::text FROM information_schema.columns JOIN pg_class c"
        " ON c.relname = table_name AND c.relnamespace = 'ragraph'::regnamespace AND c.relkind IN ('r', 'p')"
        " WHERE table_schema = 'ragraph' AND column_name LIKE '%document_id'"
    )
    assert {str(name) for (name,) in named} <= covered


def test_no_row_of_any_table_has_a_byte_of_it(store: Store, tmp_path: Path) -> None:
    """Looked for in each row as text, in the originals, and in the words of statistics."""
    secret, other = tmp_path / "Zaphodius.md", tmp_path / "other.md"
    text = "# Case of Zaphodius Beeblebrox (ZB)\n\n" + "".join(
        f"Zaphodius owes {n} coins to ZB.\n\n" for n in range(40)
    )
    secret.write_text(text)
    other.write_text("# Others\n\n" + "".join(f"Nobody owes {n} coins.\n\n" for n in range(40)))
    with store.database.write() as connection:
        connection.execute("SELECT ragraph.ensure_text_statistics(minimum => 0)")
    store.keep_versions()
    for number in range(3):
        report = store.ingest(tmp_path, job=True, model=None)
        assert not [file for file in report.files if file.status == "failed"]
        secret.write_text(text + f"Zaphodius version {number}.\n")
    store.extract_entities("definitions")
    with store.database.write() as connection:
        connection.execute("SELECT ragraph.ensure_text_statistics(minimum => 0)")
    (document,) = [item.id for item in store.documents() if "Zaphodius" in (item.title or "")]
    assert _holding(store, "zaphod") > 5
    store.delete(document)
    assert store.erased(document) == {}
    assert _holding(store, "zaphod") == _holding(store, document) == 0
    assert store.assets is not None
    assert not any(b"Zaphodius" in path.read_bytes() for path in Path(store.assets.root).rglob("*") if path.is_file())
    assert store.check() == []


def _holding(store: Store, word: str) -> int:
    """How many rows of all tables hold a word anywhere; jobs, which name what was asked, aside."""
    found = 0
    with store.database.read() as connection:
        tables = connection.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'ragraph'::regnamespace AND relkind IN ('r', 'p')"
        ).fetchall()
        for (table,) in tables:
            query = f"SELECT count(*) FROM ragraph.{table} AS t WHERE to_jsonb(t)::text ILIKE %s"  # a name of ours
            row = connection.execute(query, [f"%{word}%"]).fetchone()
            found += row[0] if row else 0
    return found
