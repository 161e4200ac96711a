"""The rules of the model, read back from the catalog of a database: they hold whatever the declarations look like.

They keep one schema fit for the embedded server, any PostgreSQL 16+ and Citus; docs/decisions has the reasons.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ragraph.schema.tables import metadata

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[tuple[Any, ...]]

UNDER_DOCUMENT = {
    *("document_page", "document_component", "content_node", "relation", "document_relation", "embedding"),
    *("entity", "mention", "entity_relation", "entity_extraction"),
    *("document_version", "document_version_row", "work_entry", "node_review", "node_sentences"),
}
REFERENCE = {
    "publication",
    "embedding_model",
    "text_statistics",
    "sentence_ranker",
    "collection_grant",
    "version_keeping",
    "access_token",
    "query_logging",
}
OF_RANKER = {"sentence_ranker_word"}  # a reference table too, that hangs on another
JOBS = {"ingest_job", "ingest_lease"}  # of files, and not of documents: they stay on one node of a cluster
OF_JOB = {"ingest_file"}
LOG = {"text_change", "audit_event", "query_log"}  # speaks of documents that may be gone
TABLES = UNDER_DOCUMENT | REFERENCE | OF_RANKER | JOBS | OF_JOB | LOG | {"document"}

OURS = "n.nspname = 'ragraph' AND c.relname <> 'alembic_version'"

KEYS = f"""
    SELECT c.relname, i.indexrelid::regclass::text, a.attname
    FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
    WHERE {OURS} AND i.indisunique
"""

FOREIGN_KEYS = f"""
    SELECT c.relname, k.conname, (SELECT 'ragraph.' || relname FROM pg_class WHERE oid = k.confrelid),
        k.confdeltype::text, k.confupdtype::text, k.condeferred,
        ARRAY(SELECT attname::text FROM unnest(k.conkey) WITH ORDINALITY x (num, place)
            JOIN pg_attribute ON attrelid = k.conrelid AND attnum = num ORDER BY place) AS columns,
        ARRAY(SELECT attname::text FROM unnest(k.confkey) WITH ORDINALITY x (num, place)
            JOIN pg_attribute ON attrelid = k.confrelid AND attnum = num ORDER BY place) AS targets
    FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE {OURS} AND k.contype = 'f'
"""

FUNCTIONS = """
    SELECT p.oid::regprocedure::text AS name, l.lanname, p.provolatile::text, p.proparallel::text, p.prosecdef,
        p.proconfig, obj_description(p.oid, 'pg_proc'), p.prosrc
    FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_language l ON l.oid = p.prolang
    WHERE n.nspname IN ('ragraph', 'ragraph_private')
"""


def test_tables_are_those_declared(connection: Connection) -> None:
    rows = connection.execute(
        f"SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
        f" WHERE {OURS} AND c.relkind IN ('r', 'p', 'm', 'f', 'S')"
    )
    assert {name for (name,) in rows} == TABLES == {table.name for table in metadata.tables.values()}


def test_primary_keys_and_unique_indexes_start_with_the_document(connection: Connection) -> None:
    rows = connection.execute(KEYS).fetchall()
    assert {table for table, _, _ in rows} == TABLES
    for table, index, first in rows:
        if table in UNDER_DOCUMENT:
            assert first == "document_id", index
        if table == "document":
            assert first == "id", index


def test_every_table_has_a_primary_key(connection: Connection) -> None:
    rows = connection.execute(
        f"SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid"
        f" JOIN pg_namespace n ON n.oid = c.relnamespace WHERE {OURS} AND i.indisprimary"
    )
    assert {name for (name,) in rows} == TABLES


def test_foreign_keys_start_with_the_document_on_both_sides(connection: Connection) -> None:
    seen = set()
    for table, name, target, _, _, _, columns, targets in connection.execute(FOREIGN_KEYS):
        target = target.removeprefix("ragraph.")
        seen.add(table)
        assert table not in REFERENCE, f"{name}: nothing points back from a reference table"
        if target in REFERENCE | JOBS:
            continue
        assert columns[0] == "document_id", name
        assert targets[0] == ("id" if target == "document" else "document_id"), name
    assert seen == UNDER_DOCUMENT | OF_RANKER | OF_JOB | {"document"}


def test_foreign_keys_have_no_action_that_sharding_refuses(connection: Connection) -> None:
    for _, name, _, on_delete, on_update, deferred, _, _ in connection.execute(FOREIGN_KEYS):
        assert on_delete in {"a", "c"}, f"{name}: no SET NULL, SET DEFAULT or RESTRICT"
        assert on_update == "a", f"{name}: no action on update"
        assert not deferred, f"{name}: INITIALLY DEFERRED"


def test_nothing_is_deferred_until_commit(connection: Connection) -> None:
    rows = connection.execute(
        f"SELECT k.conname FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid"
        f" JOIN pg_namespace n ON n.oid = c.relnamespace WHERE {OURS} AND k.condeferred"
    )
    assert rows.fetchall() == []


def test_everything_derived_hangs_on_the_document(connection: Connection) -> None:
    """Every table under document has the foreign key (document_id, collection), and it cascades."""
    bound = {
        table
        for table, _, target, on_delete, _, _, columns, targets in connection.execute(FOREIGN_KEYS)
        if target == "ragraph.document"
        and columns == ["document_id", "collection"]
        and targets == ["id", "collection"]
        and on_delete == "c"
    }
    assert bound == UNDER_DOCUMENT


@pytest.mark.parametrize("column", ["document_id", "collection"])
def test_document_and_collection_stand_on_every_table_under_document(connection: Connection, column: str) -> None:
    rows = connection.execute(
        "SELECT table_name FROM information_schema.columns"
        " WHERE table_schema = 'ragraph' AND column_name = %s AND is_nullable = 'NO'",
        [column],
    )
    assert {name for (name,) in rows} >= UNDER_DOCUMENT


def test_the_referring_side_of_every_foreign_key_has_an_index(connection: Connection) -> None:
    """Else deleting a row over there reads all of this table, or all of the document, for each row deleted."""
    indexes: dict[str, list[list[str]]] = {}
    rows = connection.execute(
        f"""SELECT c.relname, ARRAY(SELECT attname::text FROM unnest(i.indkey::int2[]) WITH ORDINALITY x (num, place)
                JOIN pg_attribute ON attrelid = c.oid AND attnum = num ORDER BY place)
            FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE {OURS} AND i.indpred IS NULL"""
    )
    for table, columns in rows:
        indexes.setdefault(table, []).append(columns)
    for table, name, target, _, _, _, columns, _ in connection.execute(FOREIGN_KEYS):
        # generated companions of the parent (its depth) and of the model (its shape) follow from the column before
        wanted = [column for column in columns if column not in {"collection", "parent_depth", "normalized"}]
        if target == "ragraph.embedding_model":
            wanted = ["model_name"]
        if table in OF_RANKER | OF_JOB:
            wanted = columns
        assert any(index[: len(wanted)] == wanted for index in indexes[table]), name


def test_no_triggers_rules_identity_or_sequences(connection: Connection) -> None:
    assert not connection.execute(
        f"SELECT tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid"
        f" JOIN pg_namespace n ON n.oid = c.relnamespace WHERE {OURS} AND NOT t.tgisinternal"
    ).fetchall()
    assert not connection.execute("SELECT rulename FROM pg_rules WHERE schemaname = 'ragraph'").fetchall()
    assert not connection.execute(
        "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'ragraph'"
        " AND (is_identity = 'YES' OR column_default LIKE '%nextval%' OR column_default LIKE '%uuid%')"
    ).fetchall()
    assert not connection.execute("SELECT sequencename FROM pg_sequences WHERE schemaname = 'ragraph'").fetchall()


def test_no_extension_but_vector(connection: Connection) -> None:
    rows = connection.execute("SELECT extname FROM pg_extension")
    assert {name for (name,) in rows} == {"plpgsql", "vector"}


def test_every_table_view_and_column_has_a_comment(connection: Connection) -> None:
    rows = connection.execute(
        f"""SELECT c.relname, NULL FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE {OURS} AND c.relkind IN ('r', 'v') AND coalesce(obj_description(c.oid, 'pg_class'), '') = ''
            UNION ALL
            SELECT c.relname, a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
            JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE {OURS} AND c.relkind IN ('r', 'v') AND a.attnum > 0 AND NOT a.attisdropped
            AND coalesce(col_description(c.oid, a.attnum), '') = ''"""
    )
    assert rows.fetchall() == []


def test_every_enumeration_says_what_its_values_mean(connection: Connection) -> None:
    rows = connection.execute(
        "SELECT typname, obj_description(oid, 'pg_type') FROM pg_type"
        " WHERE typtype = 'e' AND typnamespace = 'ragraph'::regnamespace"
    ).fetchall()
    assert len(rows) >= 7
    assert [name for name, comment in rows if not comment] == []


def test_views_run_with_the_rights_of_whoever_asks(connection: Connection) -> None:
    """Else they would show what row-level security hides; and they call no function that queries."""
    rows = connection.execute(
        f"SELECT c.relname, c.reloptions, pg_get_viewdef(c.oid) FROM pg_class c"
        f" JOIN pg_namespace n ON n.oid = c.relnamespace WHERE {OURS} AND c.relkind = 'v'"
    ).fetchall()
    assert {name for name, _, _ in rows} == {"documents", "sections", "nodes", "relations"}
    for name, options, definition in rows:
        assert "security_invoker=true" in (options or []), name
        assert not re.search(r"ragraph(_private)?\.\w+\(", definition), name


def test_functions_state_what_they_are(connection: Connection) -> None:
    rows = connection.execute(FUNCTIONS).fetchall()
    assert rows, "the functions are missing"
    for name, language, volatility, parallel, definer, settings, comment, body in rows:
        assert language == "plpgsql", name
        assert not definer, f"{name}: SECURITY DEFINER"
        paths = [setting for setting in settings or [] if setting.startswith("search_path=")]
        assert paths, f"{name}: no SET search_path"
        assert paths[0].endswith("pg_temp"), f"{name}: temporary tables of others must not come first"
        # elsewhere a database may be set to read backslashes as escapes, also in the bodies of functions
        if "\\" in re.sub(r"(?is)\be'(?:[^'\\]|\\.|'')*'|--[^\n]*", "", body):
            assert "standard_conforming_strings=on" in settings, f"{name}: backslashes depend on the database"
        assert comment, f"{name}: no COMMENT"
        assert volatility in {"i", "s", "v"}
        assert parallel in {"s", "r", "u"}


def test_only_the_interface_lies_in_the_schema_ragraph(connection: Connection) -> None:
    """What a user sees in psql under ``\\df ragraph.*`` is documented; everything else has a schema of its own."""
    _, _, functions = (
        (Path(__file__).parent.parent / "docs" / "reference" / "sql.md")
        .read_text(encoding="utf-8")
        .partition("\n## Functions\n")
    )
    documented = set(re.findall(r"^### (\w+)$", functions, re.M))
    rows = connection.execute("SELECT proname FROM pg_proc WHERE pronamespace = 'ragraph'::regnamespace").fetchall()
    public = {name for (name,) in rows}
    assert public == documented
    assert not [name for name in public if name.startswith("_")]
    row = connection.execute(
        "SELECT count(*) FROM pg_class WHERE relnamespace = 'ragraph_private'::regnamespace AND relkind <> 'c'"
    ).fetchone()
    assert row == (0,), "rows never lie in the private schema"


def test_function_files_state_volatility_and_parallel_safety() -> None:
    """The catalog cannot tell a stated default from none, so the files are read."""
    from importlib.resources import files

    for file in files("ragraph.sql.functions").iterdir():
        if not file.name.endswith(".sql"):
            continue
        heads = re.findall(
            r"create or replace function (\S+?)\s*\((.*?)as \$", file.read_text(encoding="utf-8"), re.S | re.I
        )
        assert heads or file.name in {"00_types.sql", "30_views.sql", "50_past_tables.sql", "51_past_functions.sql"}, (
            f"{file.name} makes no function"
        )
        for name, head in heads:
            assert re.search(r"\b(immutable|stable|volatile)\b", head, re.I), f"{name}: volatility"
            assert re.search(r"\bparallel (safe|restricted|unsafe)\b", head, re.I), f"{name}: parallel safety"


def test_functions_walk_without_cycle_or_search_clauses(connection: Connection) -> None:
    """Citus knows neither clause; paths are carried by hand."""
    for name, *_, source in connection.execute(FUNCTIONS):
        code = re.sub(r"--.*|/\*.*?\*/|'(?:[^']|'')*'", "", source)
        assert not re.search(r"\bcycle\s+\w+(\s*,\s*\w+)*\s+set\b", code, re.I), name
        assert not re.search(r"\bsearch\s+(depth|breadth)\s+first\b", code, re.I), name


def test_the_embedding_carries_the_shape_of_its_model(connection: Connection) -> None:
    found = [
        columns
        for table, _, target, _, _, _, columns, _ in connection.execute(FOREIGN_KEYS)
        if table == "embedding" and target == "ragraph.embedding_model"
    ]
    assert found == [["model_name", "dimensions", "normalized"]]


def test_no_function_is_in_both_schemas(connection: Connection) -> None:
    """The schema of documents as they were holds those of both under their names."""
    rows = connection.execute(
        "SELECT proname FROM pg_proc p WHERE pronamespace = 'ragraph'::regnamespace AND EXISTS (SELECT FROM pg_proc q"
        " WHERE q.pronamespace = 'ragraph_private'::regnamespace AND q.proname = p.proname)"
    )
    assert rows.fetchall() == []


def test_a_document_as_it_was_has_the_columns_of_one(connection: Connection) -> None:
    """A column that is added to a table that versions keep is missing in the past until its view has it."""
    rows = connection.execute("""
        SELECT c.relname, c.relnamespace::regnamespace::text,
            array_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod) ORDER BY a.attname)
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        WHERE c.relnamespace IN ('ragraph'::regnamespace, 'ragraph_past'::regnamespace)
        GROUP BY c.oid
    """).fetchall()
    live, past = ({name: columns for name, schema, columns in rows if schema == s} for s in ("ragraph", "ragraph_past"))
    shared = past.keys() - {"noted", "places"}
    assert shared == {"document", "document_page", "document_component", "content_node", "relation", "embedding"}
    assert {name: past[name] for name in shared} == {name: live[name] for name in shared}


def test_nothing_in_the_past_has_more_rights_than_its_reader(connection: Connection) -> None:
    rows = connection.execute("""
        SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'ragraph_past'::regnamespace
        AND coalesce(NOT c.reloptions @> '{security_invoker=true}', true)
        UNION ALL
        SELECT p.proname FROM pg_proc p WHERE p.pronamespace = 'ragraph_past'::regnamespace
        AND (p.prosecdef OR p.proconfig[1] NOT LIKE 'search_path=%'
        OR p.prosrc ~ '\\mragraph\\.(document|content_node)\\M(?!\\.)')
    """)
    assert rows.fetchall() == []
