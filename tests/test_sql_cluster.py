"""What keeps the store able to lie on several servers, held without any: rules of SQL, words of the command line.

Each rule stands for a statement that Citus 14 refused or answered wrongly; `make bench-cluster` asks a real cluster.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from command_line import CommandLine
from psycopg import sql
from psycopg.types.json import Jsonb

from ragraph.database import cluster
from ragraph.database.connection import Database
from ragraph.errors import ConstraintError, ServerError, ServerUnavailableError
from ragraph.schema.findings import Finding

SQL = Path(__file__).parent.parent / "sql"
QUERY_FILES = {path.name for path in SQL.glob("queries/*.sql")}
MODIFIES = re.compile(r"\b(insert into|update|delete from)\s+ragraph\.", re.I)


def _statements() -> Iterator[tuple[str, str]]:
    for path in sorted(SQL.glob("*/*.sql")):
        text = re.sub(r"--[^\n]*", "", path.read_text(encoding="utf-8"))
        for statement in re.split(r";\s*\n", text):
            yield path.name, statement


def _breaking(rule: re.Pattern[str], *, only_modifying: bool = False) -> list[str]:
    return [
        f"{name}: {' '.join(statement.split())[:100]}"
        for name, statement in _statements()
        if rule.search(statement) and (MODIFIES.search(statement) or not only_modifying)
    ]


def test_an_upsert_takes_the_time_from_the_row_it_would_have_written() -> None:
    """DO UPDATE refuses functions that are not immutable, now() among them."""
    assert _breaking(re.compile(r"do update set(?:(?!\breturning\b).)*\bnow\(\)", re.I | re.S)) == []


def test_a_modifying_statement_spells_out_what_a_case_compares() -> None:
    """CASE x WHEN y comes to a shard as CASE x WHEN NULL."""
    assert _breaking(re.compile(r"\bcase\s+(?!when\b)[\w.]+(?:\([^()]*\))?\s+when\b", re.I), only_modifying=True) == []


def test_no_table_of_the_session_is_joined() -> None:
    assert _breaking(re.compile(r"\bpg_temp\.|\btemp(orary)? table\b", re.I)) == []


def test_nothing_is_inserted_beside_another_change() -> None:
    """An INSERT ... SELECT under a WITH that changes rows goes to a shard with names of tables nobody resolved."""
    changing = (
        r"\bas\s+(?:materialized\s+)?\(\s*(?:update|delete|insert)\b(?:(?!;).)*?\)\s*insert into ragraph\.(?!text_)"
    )
    assert _breaking(re.compile(changing, re.I | re.S)) == []


def _laterals(text: str) -> Iterator[str]:
    """Give what stands between the brackets of each lateral subquery."""
    for opening in re.finditer(r"\blateral\s*\(", text, re.I):
        depth, end = 1, opening.end()
        while depth and end < len(text):
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        yield text[opening.end() : end]


def _asking() -> set[str]:
    """Return the functions whose bodies ask tables, or call those that do."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted(SQL.glob("functions/*.sql")))
    made = r"create or replace function (ragraph(?:_private)?\.\w+)\((?:(?!\n\$\$;).)*?as \$\$(.*?)\n\$\$;"
    bodies = dict(re.findall(made, text, re.S))
    asking = {name for name, body in bodies.items() if re.search(r"\b(from|join)\s+ragraph\.\w+\s+as\b", body)}
    while more := {n for n, body in bodies.items() if any(f"{other}(" in body for other in asking)} - asking:
        asking |= more
    return asking


def _parts() -> Iterator[tuple[str, str]]:
    """Give the statements of functions without the conditions and assignments before them."""
    for name, statement in _statements():
        for part in re.split(r"\b(?:begin|loop|then|else)\s*\n", statement):
            yield name, part


def test_a_statement_about_one_document_calls_no_function_that_asks_tables() -> None:
    """It goes to the shard of the document with all that it calls, and a shard may not ask others."""
    calls = re.compile(rf"\b({'|'.join(map(re.escape, sorted(_asking())))})\(", re.I)
    about = [(name, part) for name, part in _parts() if re.search(r"\bonly_document is null or\b", part)]
    assert len(about) > 30
    found = [f"{name}: {call[1]}" for name, part in about if (call := calls.search(part))]
    # words are looked for only if there are many documents
    assert found == ["08_named_documents.sql: ragraph_private.asked_words"]


def test_what_is_read_for_a_list_of_documents_is_told_if_it_is_one() -> None:
    """Else a question to one document asks all shards, and fails while any worker is down."""
    tables = "document|content_node|document_component|relation|mention"
    reads = re.compile(rf"\bunnest\((?:(?!;).)*?\bjoin ragraph\.(?:{tables})\b", re.S)
    told = re.compile(r"\bonly_document\b|= (?!\w\.)\w{3,}\.document_id|document_id = one\b")
    reading = [(name, part) for name, part in _parts() if reads.search(part)]
    assert len(reading) > 20
    assert [f"{name}: {' '.join(part.split())[:100]}" for name, part in reading if not told.search(part)] == []


def test_no_change_asks_a_function_that_asks_tables() -> None:
    """It may run on a shard, and a shard may not ask others."""
    asking = _asking()
    assert "ragraph_private.check_cycles" in asking
    calls = re.compile(rf"\b(?:from|join|lateral)\s+({'|'.join(map(re.escape, sorted(asking)))})\(", re.I)
    changes = re.compile(r"\b(update|delete from)\s+ragraph\.", re.I)
    parts = ((name, part) for name, s in _statements() for part in re.split(r"\b(?:begin|loop|then|else)\s*\n", s))
    found = [name for name, part in parts if changes.search(part) and calls.search(part)]
    assert found == []


def test_no_statement_that_reads_tables_asks_such_a_function_in_a_condition() -> None:
    """The condition goes to the shards: what is compared is looked up before."""
    calls = re.compile(rf"\bany\(\s*(?:array\[)?({'|'.join(map(re.escape, sorted(_asking())))})\(", re.I)
    assert _breaking(calls) == []


def test_what_changes_is_computed_without_functions_that_are_stable() -> None:
    """A change refuses those over its columns: casts of text to an enum, and what makes JSON of any type."""
    casts, makes = r"\b\w+\.\w+::ragraph\.", r"\b(?:jsonb_build_\w+|to_jsonb?)\([^()]*\b[a-z]\.\w"
    stable = re.compile(rf"\bupdate ragraph\.(?!ingest_)(?:(?!;).)*?(?:{casts}|{makes})", re.I | re.S)
    assert _breaking(stable) == []


def test_generic_plans_are_forced_only_where_there_is_no_cluster() -> None:
    for path in sorted(SQL.glob("functions/*.sql")):
        text = path.read_text(encoding="utf-8")
        assert "set plan_cache_mode = force_generic_plan" not in text, path.name
        if "force_generic_plan" in text:
            assert "to_regclass('pg_catalog.pg_dist_partition') is null" in text, path.name


def test_no_table_is_looked_into_for_each_element_of_a_list() -> None:
    """A shard has no such list: what is looked up is looked up at once, or one by one."""
    a_list, looks = r"\bfrom\s+unnest\((?:(?!;|\bselect\b).)*", r"exists\s*\(\s*select\b(?:(?!;).)*?\bfrom ragraph\."
    looks = rf"{a_list}\bwhere\s+(?:not\s+)?{looks}"
    assert _breaking(re.compile(looks, re.I | re.S)) == []


def test_no_row_is_read_from_a_subquery_of_a_lateral_one() -> None:
    """What that asks of the row outside is planned apart on a cluster, where nobody has the row."""
    found = [f"{name}: {' '.join(inner.split())}" for name, text in _statements() for inner in _laterals(text)]
    assert [inner for inner in found if re.search(r"\b(?:from|join)\s*\(\s*select\b", inner, re.I)] == []


def test_a_change_of_a_table_of_all_nodes_stands_alone() -> None:
    """What is on every node is not changed in one statement with what is on one."""
    all_nodes = r"\b(?:update|delete from)\s+ragraph\.(?:publication|embedding_model|text_statistics|sentence_ranker)\b"
    spread = r"\b(?:from|join|update)\s+ragraph\.(?:document|content_node|embedding|relation|document_\w+)\s"
    both = re.compile(rf"(?=(?:(?!;).)*{spread})(?:(?!;).)*{all_nodes}", re.I | re.S)
    found = [f"{n}: {' '.join(s.split())[:100]}" for n, s in _statements() if n in QUERY_FILES and both.search(s)]
    assert found == []


def test_what_is_asked_of_a_table_has_a_column() -> None:
    """A row without any, which EXISTS is content with, does not come back from a shard."""
    assert _breaking(re.compile(r"\b(?:select|perform)\s+from\s+ragraph\.", re.I)) == []


def test_no_change_asks_for_a_clock_that_runs_on() -> None:
    """Nor for anything else that is volatile; the time of the statement is stable."""
    runs = r"\bupdate ragraph\.(?!ingest_)(?:(?!;|\bfrom ragraph\.).)*\bclock_timestamp\(\)"
    assert _breaking(re.compile(runs, re.I | re.S)) == []


def test_what_a_model_has_is_counted_before_it_is_told_with_the_model() -> None:
    """Beside catalogs and what is on every node, a cluster counts nothing for each row."""
    within = r"(?:(?!\bmaterialized\b|;).)*?"
    counts = rf"\(\s*select\s+count\(\*\){within}\bfrom ragraph\.\w+{within}= m\.name\b"
    assert _breaking(re.compile(counts, re.I | re.S)) == []


def test_the_condition_of_a_filter_asks_no_list_for_each_document(
    connection: psycopg.Connection[tuple[str]],
) -> None:
    many = list(range(100))
    for field, operator, value in (
        ("key", "$in", many),
        ("a.b", "$nin", [str(number) for number in many]),
        ("key", "$in", []),
        ("key", "$in", [1, 2]),
        ("key", "$contains", "x"),
        ("key", "$gt", 1),
        ("tags", "$in", ["x"]),
        ("year", "$in", [2020]),
        ("title", "$in", ["x"]),
    ):
        asked = Jsonb({field: {operator: value}})
        asking = "SELECT f.condition FROM ragraph_private.filter_condition(%s, '[]') AS f"
        ((condition,),) = connection.execute(asking, [asked]).fetchall()
        assert not re.search(r"\bexists\b|\bselect (?!o\.value from jsonb_array_elements\(\(\$2)", condition), condition


def test_every_table_has_its_place_on_a_cluster(connection: psycopg.Connection[tuple[str, str]]) -> None:
    """Documents and what hangs on them are spread by the id of the document, which leads their primary keys."""
    kinds = dict(connection.execute("SELECT * FROM ragraph_private.cluster_tables()").fetchall())
    assert kinds["document"] == "distributed"
    assert kinds["publication"] == kinds["embedding_model"] == "reference"
    keys = """
        SELECT c.conrelid::regclass::text, a.attname
        FROM pg_constraint AS c
        JOIN pg_attribute AS a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)
        WHERE c.contype IN ('p', 'u') AND c.connamespace = 'ragraph'::regnamespace"""
    in_keys: dict[str, set[str]] = {}
    for table, column in connection.execute(keys):
        in_keys.setdefault(table.removeprefix("ragraph."), set()).add(column)
    for table, kind in kinds.items():
        if kind == "distributed" and table != "document":
            assert "document_id" in in_keys[table], table


def test_a_server_without_citus_is_told_what_to_do(database_url: str) -> None:
    (finding,) = cluster.check(database_url)
    assert finding == Finding(
        "Citus",
        False,
        "the database has none: connect to the coordinator of a cluster, and CREATE EXTENSION citus there",
    )
    with pytest.raises(ServerError, match=r"^Citus: the database has none: connect to"):
        cluster.distribute(database_url)


def test_every_table_is_local_where_there_is_one_server(database_url: str) -> None:
    tables = cluster.status(database_url)
    assert {table.kind for table in tables} == {"local"}
    assert {"content_node", "alembic_version"} <= {table.table_name for table in tables}
    assert all(table.bytes > 0 for table in tables)


def test_the_command_line_prints_both_as_json(
    database_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = CommandLine(database_url, monkeypatch, capsys)
    assert json.loads(run("cluster", "check", "--json").out) == [item.to_json() for item in cluster.check(database_url)]
    assert {table["kind"] for table in json.loads(run("cluster", "status", "--json").out)} == {"local"}


def test_the_command_line_says_it_too(
    database_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ragraph = CommandLine(database_url, monkeypatch, capsys)
    checked = ragraph("cluster", "check")
    assert (checked.code, checked.err) == (1, "")
    assert checked.out.startswith("no  Citus: the database has none: connect to the coordinator")
    refused = ragraph("cluster", "distribute")
    assert (refused.code, refused.out) == (1, "")
    assert refused.err.startswith("error: Citus: the database has none")
    assert len(refused.err.splitlines()) == 1


def test_a_rule_that_a_shard_refuses_is_named_as_it_is_named_here(database: Database) -> None:
    said = 'insert or update on table "relation_102031" violates foreign key constraint "relation_source_fkey_102031"'
    raising = sql.SQL("DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'XX000', MESSAGE = {}; END $$").format(said)
    with pytest.raises(ConstraintError, match=r"\(constraint relation_source_fkey\)"), database.write() as connection:
        connection.execute(raising)


def test_a_node_that_ended_is_no_server_that_refuses(database: Database) -> None:
    said = "failure on connection marked as essential: worker1:5432"
    raising = sql.SQL("DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'XX000', MESSAGE = {}; END $$").format(said)
    with pytest.raises(ServerUnavailableError, match="lost a node"), database.read() as connection:
        connection.execute(raising)
