"""Every place that lists columns of documents, or of content nodes, knows all of them.

A place names the columns that it treats; the others are written here, each with why the place does without it. Whoever
declares a column (schema/tables.py) is told by the failing lines which places have to know it, and enters it in each:
there, or among the others here. What is made of the declared table, or of the dataclass of its rows, needs no line:
the digests of a store, what an export is read into, the columns that are copied in, the view of an earlier document.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import Integer

from ragraph.base.queries import QUERIES
from ragraph.documents.updating import DocumentChanges
from ragraph.ingest.common.graph_rows import ComponentRow, DocumentRow, NodeRow, PageRow, RelationRow
from ragraph.ingest.storing import graph_copy, merge, past, versions
from ragraph.ingest.storing.registry import Registry
from ragraph.schema import tables
from ragraph.schema.results import Document, DocumentDetails, Node

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import Table

SQL = Path(__file__).parent.parent / "sql" / "functions"

KEPT = {"error_message", "set_by_hand", "ingested_into", "works_owed"}
"""What the store keeps of a document by itself."""
TIMES = {"created_at", "updated_at", "processed_at"}
OF_FILE = {"storage_url", "file_size", "sha256", "page_count", "ts_config", "structure", "ingested_with"}
OWN = {"title", "authors", "publication_date"}
"""Of a document that is attached to another one; in statements beside those of its publication."""
COMPUTED = {"first_page", "last_page", "text_search"}
IN_ID = {"document_id", "id", "content_node_type", "content", "content_hash"}
ORDER = {"sequence_in_parent_major", "sequence_in_parent_minor", "sequence_in_document", "char_start", "char_end"}
OF_DOCUMENT = {"document_id", "collection", "ts_config"}


def columns(table: Table) -> set[str]:
    return {column.name for column in table.columns}


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))


def cut(text: str, begin: str, end: str) -> str:
    """Return what stands between two patterns; fails if the place is not what it was."""
    found = re.search(f"{begin}(.*?){end}", text, re.DOTALL)
    assert found, f"nothing between {begin!r} and {end!r}"
    return found[1]


def function(file: str, begin: str, end: str = r"\ncomment on") -> str:
    return cut((SQL / f"{file}.sql").read_text(encoding="utf-8"), begin, end)


def set_list(text: str, begin: str = r"\bSET\n", end: str = r"(?:\nFROM|\n    WHERE|\nWHERE|\Z)") -> set[str]:
    """Return the columns that an UPDATE sets."""
    return set(re.findall(r"^ +(\w+) = ", cut(text, begin, end), re.MULTILINE))


def given_to(row: str, function: Any) -> set[str]:
    """Return the fields that a function gives to a row by name."""
    calls = [
        node for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function)))) if isinstance(node, ast.Call)
    ]
    (call,) = (call for call in calls if isinstance(call.func, ast.Name) and call.func.id == row)
    return {keyword.arg for keyword in call.keywords if keyword.arg}


def taken_away(text: str) -> set[str]:
    """Return what ``to_jsonb(row) - '{...}'::text[]`` leaves out."""
    return words(cut(text, r"- '\{", r"\}'::text\[\]"))


def names(row: Any) -> set[str]:
    return {field.name for field in fields(row)}


NOTED_DOCUMENT = cut(QUERIES["note_version"], r"(?=to_jsonb\(d\))", r"\n    d\.processed_at")
MERGED_NODES = cut(QUERIES["ingest_merge_tree"], r"UPDATE ragraph\.content_node AS n(?=\n)", r"\Z")
EXPORTED_DOCUMENT = cut(QUERIES["export_document"], r"'document',", "'pages'")
EXPORTED_NODES = cut(QUERIES["export_document"], r"'nodes',", "'relations'")
NODES_VIEW = function("30_views", r"view ragraph\.nodes with", r"\nfrom ragraph\.content_node")
PAST_DOCUMENT = function("50_past_tables", r"create view ragraph_past\.document with")
PAST_NODE = function("50_past_tables", r"create view ragraph_past\.content_node with")

# Never "all but": the others are written out, or a new column would be among them unseen.
DOCUMENT: list[tuple[str, Iterable[str], list[tuple[set[str], str]]]] = [
    ("graph_rows.DocumentRow", names(DocumentRow), [(KEPT | TIMES, "kept by the store")]),
    (
        "ingest.sql ingest_document, INSERT",
        words(cut(QUERIES["ingest_document"], r"ragraph\.document\n\(", r"\)\nVALUES")),
        [(KEPT | {"created_at", "updated_at"}, "begin with the defaults of the table")],
    ),
    (
        "ingest.sql ingest_document, UPDATE",
        set_list(QUERIES["ingest_document"]),
        [
            ({"id", "created_at"}, "never change"),
            ({"collection", "set_by_hand", "ingested_into"}, "change by store.update and by runs"),
        ],
    ),
    (
        "jobs.sql upsert_record_document, INSERT",
        words(cut(QUERIES["upsert_record_document"], r"\n\(", r"\)\nVALUES")),
        [
            (OF_FILE | OWN | {"language", "source_uri"}, "known when the file is read"),
            ({"version"}, "no record has it"),
            ((KEPT | TIMES | {"processing_status"}) - {"ingested_into"}, "begin with the defaults of the table"),
        ],
    ),
    (
        "jobs.sql upsert_record_document, UPDATE",
        set_list(QUERIES["upsert_record_document"], begin=r"\bSET\n"),
        [
            (OF_FILE | OWN | {"language", "source_uri", "version"}, "of the file"),
            ({"id", "publication_id", "collection", "created_at"}, "stay"),
            ((KEPT - {"ingested_into"}) | {"processing_status", "processed_at"}, "of runs"),
        ],
    ),
    (
        "registry.Registry._document",
        given_to("DocumentRow", Registry._document),
        [
            ({"page_count", "ts_config", "structure"}, "assembling sets them"),
            (OWN, "own_metadata gives them"),
            (KEPT | TIMES, "kept by the store"),
        ],
    ),
    *(
        (
            f"jobs.sql {name}",
            {"processing_status", *words(QUERIES[name])},  # as status
            [
                ({"file_size", "page_count", "ts_config", "structure", *OWN}, "come of the file anew"),
                ({"error_message", "works_owed", *TIMES}, "not asked before a file is read"),
            ],
        )
        for name in ("document_by_id", "documents_of_file")
    ),
    (
        "update.sql update_document",
        set_list(QUERIES["update_document"]),
        [
            ({"id", "publication_id", "type", "created_at"}, "stay"),
            ((OF_FILE - {"ts_config"}) | {"mime_type", "charset", "source_uri", "processed_at"}, "of the file"),
            ({"collection"}, "update_collection moves all that hangs on it"),
            ((KEPT - {"set_by_hand"}) | {"processing_status"}, "of runs"),
        ],
    ),
    (
        "updating.DocumentChanges",
        set(DocumentChanges.__annotations__) & columns(tables.document),
        [
            ({"id", "publication_id", "type", *TIMES}, "stay"),
            (OF_FILE | {"mime_type", "charset", "source_uri"}, "of the file; ts_config follows from language"),
            (KEPT | {"processing_status"}, "kept by the store"),
        ],
    ),
    (
        "results.Document, DocumentDetails",
        names(Document) | names(DocumentDetails),
        [
            ({"charset", "storage_url", "sha256", "structure", "version", "description", "download_url"}, "not shown"),
            ((KEPT - {"error_message"}) | {"created_at", "updated_at"}, "not shown"),
        ],
    ),
    (
        "store.sql list_documents, document_details",
        words(QUERIES["list_documents"]) | words(QUERIES["document_details"]),
        [
            ({"charset", "storage_url", "sha256", "structure", "version", "description", "download_url"}, "not shown"),
            ((KEPT - {"error_message"}) | {"updated_at"}, "not shown"),
        ],
    ),
    (
        "30_views documents",
        {"id", *re.findall(r"\n    d\.(\w+)", function("30_views", r"\nselect\n    d\.id as document_id", r"\nfrom"))},
        [
            ({"publication_id", "type", "description", "download_url", "version", "charset"}, "not of interest there"),
            (OWN, "beside those of the publication"),
            (OF_FILE - {"page_count"}, "not of interest there"),
            (KEPT | {"created_at", "updated_at"}, "not of interest there"),
        ],
    ),
    *(
        (
            f"07_filters {name}",
            {*re.findall(r'": "d\.(\w+)', function("07_filters", rf"ragraph_private\.{name}\(", r"\}';")), *ids},
            [
                (OF_FILE | {"charset", "source_uri", "download_url", "description", "version"}, "no field of filters"),
                (KEPT | TIMES | {"processing_status"}, "no field of filters"),
                (OWN, "beside those of the publication"),
                *others,
            ],
        )
        for name, ids, others in (
            ("filter_leaf", set[str](), []),
            ("note_unknown_value", {"publication_id"}, [({"type"}, "a type that does not exist is an error")]),
        )
    ),
]  # fmt: skip

NODE: list[tuple[str, Iterable[str], list[tuple[set[str], str]]]] = [
    ("graph_rows.NodeRow", names(NodeRow), [(OF_DOCUMENT, "of its document"), (COMPUTED, "the server computes it")]),
    ("graph_copy._NODE", graph_copy._NODE, [(COMPUTED, "the server computes it")]),
    (
        "merge._node",
        names(NodeRow) - set(merge._IN_THE_ID),
        [
            ({"content", "content_hash", "content_node_type"}, "the id holds it"),
            (OF_DOCUMENT, "of its document"),
            (COMPUTED, "the server computes it"),
        ],
    ),
    *(
        (
            f"ingest.sql ingest_merge_tree, {part}",
            known,
            [
                (IN_ID - known, "the id holds it"),
                (COMPUTED, "the server computes it"),
                (OF_DOCUMENT - IN_ID, "of its document"),
            ],
        )
        for part, known in (
            ("SET", set_list(MERGED_NODES)),
            ("recordset", words(cut(MERGED_NODES, r"%\(nodes\)s::json\)\s+AS s \(", r"\n +\)\n"))),
            ("IS DISTINCT FROM", words(cut(MERGED_NODES, r"AND n\.id = s\.id", r"\Z"))),
        )
    ),
    (
        "ingest.sql ingest_digests_nodes",
        words(cut(QUERIES["ingest_digests_nodes"], r"row\(", r"\)")),
        [
            (IN_ID, "the id holds it"),
            (ORDER | {"parent_component_id"}, "a place: what another one pushed down has not changed"),
            (COMPUTED | {"token_count"}, "follows from the content"),
            (OF_DOCUMENT - IN_ID, "of its document"),
        ],
    ),
    (
        "ingest.sql ingest_load_nodes",
        words(cut(QUERIES["ingest_load_nodes"], r"SELECT", r"\nFROM")),
        [
            (OF_DOCUMENT, "of its document"),
            (COMPUTED | {"token_count"}, "linking leaves it as it is"),
        ],
    ),
    (
        "50_past_tables content_node, live rows",
        {*re.findall(r"\n    n\.(\w+)", PAST_NODE), *re.findall(r" as (\w+)", PAST_NODE.partition("\nfrom")[0])},
        [],
    ),
    (
        "50_past_tables content_node, noted rows",
        words(cut(PAST_NODE, r"as x \(", r"\n        \)")),
        [
            ({"document_id", "id", "collection"}, "noted beside the content"),
            (ORDER, "noted as places"),
            (COMPUTED | {"ts_config"}, "computed in the view"),
        ],
    ),
    (
        "results.Node",
        names(Node),
        [
            ({"storage_url", "embedding_source", "content_hash", "ts_config", "collection"}, "not shown"),
            ({"sequence_in_parent_major", "sequence_in_parent_minor"}, "follow from the reading order"),
            (COMPUTED, "positional_data says it"),
        ],
    ),
    (
        "30_views nodes",
        set(re.findall(r"\bn\.(\w+)", NODES_VIEW)),
        [
            ({"storage_url", "embedding_source", "content_hash", "ts_config", "data", "text_search"}, "not asked for"),
            ({"sequence_in_parent_major", "sequence_in_parent_minor", "char_start", "char_end"}, "not asked for"),
        ],
    ),
]  # fmt: skip

PLACES = [
    *((tables.document, *row) for row in DOCUMENT),
    *((tables.content_node, *row) for row in NODE),
]


@pytest.mark.parametrize(
    ("table", "place", "known", "others"), PLACES, ids=[f"{row[0].name}: {row[1]}" for row in PLACES]
)
def test_a_place_knows_every_column(table: Table, place: str, known: Iterable[str], others: list[Any]) -> None:
    named = set(known) & columns(table)
    left_out = set().union(*(part for part, _ in others))
    reasons = "; ".join(f"{', '.join(sorted(part))}: {why}" for part, why in others)
    missing = columns(table) - named - left_out
    assert not missing, f"{place} neither has {missing}, nor are they among the others ({reasons})"
    assert not named & left_out, f"{place} has {named & left_out}, which are among the others too"
    assert left_out <= columns(table), f"{left_out - columns(table)} of the others of {place} is no column"


@pytest.mark.parametrize(
    ("copied", "row", "table"),
    [
        (graph_copy._PAGE, PageRow, tables.document_page),
        (graph_copy._COMPONENT, ComponentRow, tables.document_component),
        (graph_copy._NODE, NodeRow, tables.content_node),
        (graph_copy._RELATION, RelationRow, tables.relation),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_is_copied_in_is_sent_as_what_the_table_has(copied: dict[str, str], row: Any, table: Table) -> None:
    """Numbers as numbers: COPY takes nothing else in its binary form."""
    assert copied.keys() - names(row) <= OF_DOCUMENT
    computed = {column.name for column in table.columns if column.computed is not None}
    assert columns(table) - copied.keys() == computed
    for name, sent in copied.items():
        assert (sent == "int4") == isinstance(table.columns[name].type, Integer), name


def test_what_is_exported_and_noted_is_what_the_rows_have() -> None:
    """Reading it back passes over what no row has."""
    assert columns(tables.document) - taken_away(EXPORTED_DOCUMENT) == names(DocumentRow)
    assert columns(tables.document) - taken_away(NOTED_DOCUMENT) == names(DocumentRow)
    assert columns(tables.content_node) - taken_away(EXPORTED_NODES) == names(NodeRow)


def test_an_earlier_document_keeps_what_is_no_part_of_its_text() -> None:
    """By the view of it and by what is put back alike."""
    assert "jsonb_populate_record" in PAST_DOCUMENT  # of all columns
    kept = re.search(r"now = \{name: live\[name\] for name in \(([^)]*)\)", inspect.getsource(past.put_back))
    assert kept
    assert taken_away(PAST_DOCUMENT) == words(kept[1])


def test_places_of_versions_are_those_of_the_view() -> None:
    """In the same order, since the view takes them by number."""
    for kind, begin in (("node", r"-> n\.id,"), ("component", r"-> c\.id,")):
        view = function("50_past_tables", begin, r"\n    \) as p \(place\)")
        assert tuple(re.findall(r"\b[nc]\.(\w+)", view)) == versions._PLACES[kind]
