"""SQL files, exceptions and docs/reference/errors.md name the same errors."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from factories import make_model, make_tree

from ragraph.errors import STORE_ERRORS

if TYPE_CHECKING:
    Connection = psycopg.Connection[tuple[Any, ...]]

SQL = {path.name: path.read_text() for path in files("ragraph.sql.functions").iterdir() if path.name.endswith(".sql")}
PAGE = Path(__file__).parent.parent / "docs" / "reference" / "errors.md"


def test_every_raise_has_a_code_and_a_hint() -> None:
    for name, text in SQL.items():
        for statement in re.findall(r"raise exception\b.*?;\n", text, re.DOTALL):
            assert re.search(r"errcode = '(RG\d{3}|serialization_failure)'", statement), (name, statement)
            assert "hint = " in statement, (name, statement)


def test_codes_raised_have_a_class_and_every_class_is_raised() -> None:
    raised = {code for text in SQL.values() for code in re.findall(r"errcode = '(RG\d{3})'", text)}
    assert raised == set(STORE_ERRORS)


def test_codes_have_a_line_in_the_docs() -> None:
    rows = dict(re.findall(r"^\| `(RG\d{3})` \| `(\w+)` \|", PAGE.read_text(), re.MULTILINE))
    assert rows == {code: error.__name__ for code, error in STORE_ERRORS.items()}


@pytest.mark.parametrize(
    ("code", "call"),
    [
        ("RG001", "nodes_on_page('dl_none', 1)"),
        ("RG001", "walk_document('dl_none')"),
        ("RG001", "table_of_contents('dl_none')"),
        ("RG001", "nodes_in_component('dl_none', 'cmp_s0')"),
        ("RG001", "document_text('dl_none')"),
        ("RG001", "render_document('dl_none')"),
        ("RG001", "node_citation('dl_none', 'cn_0')"),
        ("RG001", "sequence_document('dl_none')"),
        ("RG001", "resolve_relations('dl_none')"),
        ("RG001", "number_pages('dl_none')"),
        ("RG001", "check_document('dl_none')"),
        ("RG001", "delete_document('dl_none')"),
        ("RG001", "search_vector('[1,0,0]', 'tiny', 1, '{dl_a,dl_none}')"),
        ("RG002", "nodes_in_component('dl_a', 'cmp_none')"),
        ("RG002", "component_subtree('dl_a', 'cmp_none')"),
        ("RG002", "component_path('dl_a', 'cmp_none')"),
        ("RG002", "render_component('dl_a', 'cmp_none')"),
        ("RG002", "search_vector('[1,0,0]', 'tiny', 1, '{dl_a}', 'cmp_none')"),
        ("RG003", "related_nodes('dl_a', 'cn_none')"),
        ("RG003", "node_citation('dl_a', 'cn_none')"),
        ("RG004", "search_vector('[1,0,0]', 'none')"),
        ("RG004", "ensure_vector_index('none')"),
        ("RG005", "search_vector(null, 'tiny')"),
        ("RG005", "search_vector('[0,0,0]', 'tiny')"),
        ("RG005", "search_vector('[1,0,0]', 'tiny', 0)"),
        ("RG005", "search_vector('[1,0,0]', 'tiny', null)"),
        ("RG005", "search_vector('[1,0,0]', 'tiny', exact_limit => -1)"),
        ("RG005", "search_vector('[1,0,0]', 'tiny', 1, null, 'cmp_s0')"),
        ("RG005", "search_vector('[1,0,0]', 'tiny', 1, '{dl_a,dl_a}', 'cmp_s0')"),
        ("RG001", "search_text('x', 1, '{dl_none}')"),
        ("RG001", "search_hybrid('x', '[1,0,0]', 'tiny', 1, '{dl_none}')"),
        ("RG002", "search_text('x', 1, '{dl_a}', 'cmp_none')"),
        ("RG004", "search_hybrid('x', '[1,0,0]', 'none')"),
        ("RG005", "search_text('')"),
        ("RG005", "search_text(null)"),
        ("RG005", "search_text(' ')"),
        ("RG005", "search_text('x', 0)"),
        ("RG005", "search_text('x', match => 'some')"),
        ("RG005", "search_text('x', match => null)"),
        ("RG005", "search_text('x', filter => '{\"a\": {\"$x\": 1}}')"),
        ("RG005", "search_hybrid(' ', '[1,0,0]', 'tiny')"),
        ("RG005", "search_hybrid('x', null, 'tiny')"),
        ("RG006", "search_hybrid('x', '[1,0]', 'tiny')"),
        ("RG005", "filter_documents('[]')"),
        ("RG005", "ensure_text_statistics(minimum => null)"),
        ("RG005", "related_nodes('dl_a', 'cn_0', direction => 'up')"),
        ("RG005", "related_nodes('dl_a', 'cn_0', max_hops => 0)"),
        ("RG005", "related_nodes('dl_a', 'cn_0', max_hops => 101)"),
        ("RG005", "cite_nodes('{dl_a}', '{cn_0,cn_1}')"),
        ("RG005", "render_document('dl_a', 'pdf')"),
        ("RG005", "render_document('dl_a', notes => 'before')"),
        ("RG005", "table_of_contents('dl_a', -1)"),
        ("RG005", "nodes_on_pages('dl_a', null)"),
        ("RG001", "nodes_on_page(null, 1)"),
        ("RG003", "related_nodes('dl_a', null)"),
        ("RG005", "nodes_on_page('dl_a', null)"),
        ("RG005", "nodes_on_logical_page('dl_a', null)"),
        ("RG005", "cite_nodes(null, '{cn_0}')"),
        ("RG005", "ensure_vector_index('tiny', null)"),
        ("RG006", "search_vector('[1,0]', 'tiny')"),
        ("RG001", "cite_quote('dl_none', 'cn_0', 'Text')"),
        ("RG003", "cite_quote('dl_a', 'cn_none', 'Text')"),
        ("RG005", "cite_quote('dl_a', 'cn_0', ' ')"),
        ("RG009", "cite_quote('dl_a', 'cn_0', 'nobody wrote this')"),
        ("RG010", "check_lease('default', 'file:///a.pdf', 'me', 1)"),
        ("RG011", "claim_files('job_none', 'me')"),
        ("RG011", "job_status('job_none')"),
        ("RG011", "renew_leases('job_none', 'me')"),
        ("RG011", "close_job('job_none')"),
        ("RG011", "cancel_job('job_none')"),
        ("RG011", "resume_job('job_none')"),
    ],
)
def test_wrong_arguments_raise_their_code(connection: Connection, code: str, call: str) -> None:
    make_tree(connection)
    make_model(connection)
    with pytest.raises(psycopg.Error) as raised, connection.transaction():
        connection.execute(f"SELECT * FROM ragraph.{call}")
    assert raised.value.sqlstate == code
    assert raised.value.diag.message_hint
    assert "\n" not in (raised.value.diag.message_primary or "")


def test_vectors_with_nan_never_reach_a_function(connection: Connection) -> None:
    make_tree(connection)
    with pytest.raises(psycopg.DataError), connection.transaction():
        connection.execute("SELECT * FROM ragraph.search_vector('[NaN,0,0]', 'tiny')")
