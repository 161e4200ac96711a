"""Rows for tests, made by plain INSERTs so that they show what the tables require.

``make_document`` gives an empty document, ``make_tree`` one with sections, nodes, relations and embeddings of a
model with three dimensions. Ids are short and descriptive: document "dl_a" has components "cmp_body", "cmp_s0" ... and
nodes "cn_0", "cn_1" ... in reading order.
"""

from __future__ import annotations

import hashlib
import math
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from pgvector.psycopg import register_vector
from psycopg import sql
from psycopg.types.json import Jsonb

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Connection = psycopg.Connection[tuple[Any, ...]]


@contextmanager
def rolled_back(url: str) -> Iterator[Connection]:
    """Connect to a database that tests share; at the end the transaction is rolled back."""
    with psycopg.connect(url, autocommit=True) as connection:
        register_vector(connection)
        with connection.transaction(force_rollback=True):
            yield connection


MODEL = "tiny"
"""Name of the model that ``make_model`` registers."""

DIMENSIONS = 3

_LANES = 7


@dataclass(frozen=True)
class Tree:
    """Result of ``make_tree``: ids in reading order."""

    document_id: str
    sections: list[str]
    nodes: list[str]
    pages: int
    headings: list[str] = field(default_factory=list)


def insert(connection: Connection, table: str, **values: Any) -> None:
    """Insert one row into a table of the schema; dicts and lists of dicts become jsonb."""
    columns = sql.SQL(", ").join(map(sql.Identifier, values))
    marks = sql.SQL(", ").join(map(sql.Placeholder, values))
    adapted = {
        name: Jsonb(value) if isinstance(value, dict) or name in {"positional_data", "data"} else value
        for name, value in values.items()
    }
    connection.execute(
        sql.SQL("INSERT INTO {} ({}) VALUES ({})").format(sql.Identifier("ragraph", table), columns, marks), adapted
    )


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def positions(*pages: int, logical: str | None = None) -> list[dict[str, Any]]:
    """Return positional_data with one box on each page; logical pages are the physical ones unless given."""
    box = {"x1": 72.0, "y1": 100.0, "x2": 540.0, "y2": 120.0}
    return [{"page_pdf": page, "page_logical": logical or str(page), "bbox": box} for page in pages]


def vector(number: int) -> list[float]:
    """Return a vector of length one; neighbouring numbers have neighbouring directions."""
    angle = math.tau * (number % 997) / 997
    tilt = math.tau * (number % _LANES) / 50
    return [math.cos(angle) * math.cos(tilt), math.sin(angle) * math.cos(tilt), math.sin(tilt)]


def make_model(connection: Connection, name: str = MODEL, *, dimensions: int = DIMENSIONS, **values: Any) -> str:
    """Register an embedding model unless it exists, and return its name."""
    found = connection.execute("SELECT 1 FROM ragraph.embedding_model WHERE name = %s", [name]).fetchone()
    if not found:
        given = {"max_tokens": 16, "normalized": True, **values}
        insert(connection, "embedding_model", name=name, dimensions=dimensions, **given)
    return name


def make_document(
    connection: Connection, document_id: str = "dl_a", *, pages: int = 3, older: bool = False, **values: Any
) -> str:
    """Insert a document with its publication and pages, and return its id. Further columns by name.

    It has no pending works; in a store of an ``older`` revision there is no column for that.
    """
    publication_id = values.pop("publication_id", "pub_" + document_id.removeprefix("dl_"))
    collection = values.get("collection", "default")
    found = connection.execute("SELECT 1 FROM ragraph.publication WHERE id = %s", [publication_id]).fetchone()
    if not found:
        insert(
            connection, "publication", id=publication_id, title=f"Publication {publication_id}", collection=collection
        )
    insert(
        connection,
        "document",
        **{
            "id": document_id,
            "publication_id": publication_id,
            "sha256": sha256(document_id),
            "page_count": pages,
            "processing_status": "completed",
            **({} if older else {"works_owed": None}),
            "ts_config": "english",
            **values,
        },
    )
    for page in range(1, pages + 1):
        insert(
            connection,
            "document_page",
            document_id=document_id,
            page_pdf=page,
            page_logical=str(page),
            width=612.0,
            height=792.0,
            collection=collection,
        )
    return document_id


def make_component(connection: Connection, document_id: str, component_id: str, **values: Any) -> str:
    """Insert a component and return its id; without further columns a SECTION at the top, in place 0."""
    insert(
        connection,
        "document_component",
        **{
            "document_id": document_id,
            "id": component_id,
            "component_type": "SECTION",
            "depth": 0,
            "sequence_in_parent_major": 0,
            **values,
        },
    )
    return component_id


def make_node(connection: Connection, document_id: str, node_id: str, sequence: int, **values: Any) -> str:
    """Insert a content node at a place in reading order and return its id; a PARAGRAPH without parent by default."""
    content = values.get("content", f"Paragraph {sequence}.")
    insert(
        connection,
        "content_node",
        **{
            "document_id": document_id,
            "id": node_id,
            "content_node_type": "PARAGRAPH",
            "content": content,
            "content_hash": sha256(content),
            "token_count": 1 if any(map(str.isalnum, content)) else 0,
            "sequence_in_parent_major": sequence,
            "sequence_in_document": sequence,
            **values,
        },
    )
    return node_id


def make_relation(
    connection: Connection, document_id: str, relation_id: str, source: str, target: str | None, **values: Any
) -> str:
    """Insert a relation and return its id; a CROSS_REFERENCES by default."""
    insert(
        connection,
        "relation",
        **{
            "document_id": document_id,
            "id": relation_id,
            "source_node_id": source,
            "target_node_id": target,
            "relation_type": "CROSS_REFERENCES",
            **values,
        },
    )
    return relation_id


def make_embedding(connection: Connection, document_id: str, node_id: str, embedding_vector: Any, **values: Any) -> str:
    """Insert an embedding of a node under the tiny model and return its id."""
    embedding_id = str(values.pop("id", f"em_{node_id}_{values.get('part', 0)}"))
    insert(
        connection,
        "embedding",
        **{
            "document_id": document_id,
            "id": embedding_id,
            "node_id": node_id,
            "model_name": MODEL,
            "char_start": 0,
            "char_end": 1,
            "content_hash": sha256(node_id),
            "embedding_vector": str(embedding_vector),
            "normalized": True,
            **values,
        },
    )
    return embedding_id


def make_tree(
    connection: Connection,
    document_id: str = "dl_a",
    *,
    sections: int = 2,
    nodes: int = 3,
    embed: bool = True,
    **values: Any,
) -> Tree:
    """Insert a valid document: body matter with n sections, each a heading and m paragraphs on a page of its own.

    Section i is component "cmp_s<i>" titled "Section <i>", on physical page i + 1. Each paragraph has an embedding
    of the tiny model (``vector(sequence)``), its text names section and paragraph ("Text 1 of section 0.").

    Args:
        connection: where to insert; nothing is committed.
        document_id: id of the document.
        sections: number of sections.
        nodes: number of paragraphs in each section; the heading comes on top.
        embed: True to register the model and insert embeddings.
        **values: further columns of the document.
    """
    make_document(connection, document_id, pages=max(sections, 1), **values)
    collection = values.get("collection", "default")
    shared = {"collection": collection}
    total = sections * (nodes + 1)
    spread = f"[1,{sections}]" if sections else None
    make_component(
        connection,
        document_id,
        "cmp_body",
        component_type="BODY_MATTER",
        page_range=spread,
        first_sequence=0 if total else None,
        last_sequence=total - 1 if total else None,
        **shared,
    )
    if embed:
        make_model(connection)
    tree = Tree(document_id, [], [], max(sections, 1))
    offset = 0
    for section in range(sections):
        first = section * (nodes + 1)
        component = make_component(
            connection,
            document_id,
            f"cmp_s{section}",
            title=f"Section {section}",
            parent_component_id="cmp_body",
            depth=1,
            sequence_in_parent_major=section,
            page_range=f"[{section + 1},{section + 1}]",
            first_sequence=first,
            last_sequence=first + nodes,
            **shared,
        )
        tree.sections.append(component)
        for place in range(nodes + 1):
            sequence = first + place
            content = f"Section {section}" if place == 0 else f"Text {place} of section {section}."
            node = make_node(
                connection,
                document_id,
                f"cn_{sequence}",
                sequence,
                content=content,
                content_node_type="HEADING" if place == 0 else "PARAGRAPH",
                parent_component_id=component,
                sequence_in_parent_major=place,
                positional_data=positions(section + 1),
                char_start=offset,
                char_end=offset + len(content),
                ts_config=values.get("ts_config", "english"),
                **shared,
            )
            offset += len(content) + 2
            (tree.headings if place == 0 else tree.nodes).append(node)
            if embed and place:
                make_embedding(connection, document_id, node, vector(sequence), char_end=len(content), **shared)
    return tree


def refused(connection: Connection, action: Callable[[], object], *kinds: type[psycopg.Error]) -> None:
    """Expect the database to refuse the action, and roll back the attempt.

    Args:
        connection: a connection inside a transaction, as the fixture gives it.
        action: what to try on that connection.
        *kinds: the errors of psycopg to expect; any violation of a constraint by default.
    """
    with pytest.raises(kinds or (psycopg.IntegrityError,)), connection.transaction():
        action()
