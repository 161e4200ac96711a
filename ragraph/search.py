"""Searching: from words and a scope to hits, in one round trip."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from psycopg.rows import dict_row

from ragraph.embedding import load_model
from ragraph.errors import ArgumentError
from ragraph.rows import hit_row
from ragraph.scope import only_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ragraph.schema.records import Hit
    from ragraph.scope import Scope

    Rows = Callable[[str, Any, Mapping[str, Any]], list[Any]]
    """Runs a query by name and gives its rows as records."""


def search(rows: Rows, query: str, k: int, scope: Scope, *, mode: str, model: str) -> list[Hit]:
    """Return the k best nodes of a scope; see ``Store.search``."""
    if mode != "vector":
        raise ArgumentError(f"mode {mode!r} is not known; use 'vector'")
    if not query.strip():
        raise ArgumentError("the query is empty; say what to look for")
    with only_text():
        query.encode()
    encoder = _load(rows, model)
    component = None
    if scope.section is not None and scope.documents:
        component = find_component(rows, scope.documents[0], scope.section)
    parameters = {
        "query_vector": encoder.encode_query(query),
        "model_name": encoder.name,
        "k": k,
        **scope.parameters(component),
    }
    return rows("search_vector", hit_row, parameters)


def find_component(rows: Rows, document: str, section: str) -> str:
    """Return the id of a component named by id, by title, or by the number its title starts with.

    What names none is returned as it is: the database says what is missing.

    Raises:
        ArgumentError: several sections have this name.
    """
    matches = rows("find_component", dict_row, {"document_id": document, "section": section})
    if not matches:
        return section
    if len(matches) > 1 and matches[0]["quality"] == matches[1]["quality"]:
        ids = ", ".join(match["id"] for match in matches[:5])
        raise ArgumentError(f"{section!r} names {len(matches)} sections of {document!r}; give one of {ids}")
    component: str = matches[0]["id"]
    return component


def _load(rows: Rows, name: str) -> Any:
    """Load a model by the name the store knows it under, or by its own."""
    known = rows("embedding_model", dict_row, {"name": name})
    location = known[0]["location"] if known else None
    return load_model(location or name)
