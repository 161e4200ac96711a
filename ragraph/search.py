"""Searching: from words and a scope to hits, in one round trip."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from psycopg.rows import dict_row

from ragraph.embedding import load_model
from ragraph.errors import ArgumentError
from ragraph.rows import hit_row
from ragraph.scope import only_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ragraph.schema.results import Hit
    from ragraph.scope import Scope

    Rows = Callable[[str, Any, Mapping[str, Any]], list[Any]]
    """Runs a query by name and gives its rows as records."""


class Mode(StrEnum):
    """Ways to search."""

    VECTOR = "vector"
    """By meaning: the nearest vectors."""
    TEXT = "text"
    """By words: full text search, ranked by BM25."""
    HYBRID = "hybrid"
    """Both, fused by rank."""
    GRAPH = "graph"
    """Both, and what the graph ties to the best of them."""


GRAPH_WEIGHT = 0.2
"""What mode ``graph`` gives the graph unless told; more pushes hits out (docs/retrieval-expansions.md)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """What each method counts for in the fusion; None takes the default of the mode."""

    vector: float | None = None
    text: float | None = None
    graph: float | None = None

    def parameters(self, mode: Mode) -> dict[str, Any]:
        """Return the arguments of ``search_hybrid``, by name."""
        graph = GRAPH_WEIGHT if mode is Mode.GRAPH else 0.0
        return {
            "vector_weight": 1.0 if self.vector is None else self.vector,
            "text_weight": 1.0 if self.text is None else self.text,
            "graph_weight": graph if self.graph is None else self.graph,
        }


def search(
    rows: Rows,
    query: str,
    k: int,
    scope: Scope,
    *,
    mode: str,
    model: str,
    match: str = "all",
    weights: Weights | None = None,
) -> list[Hit]:
    """Return the k best nodes of a scope; see ``Store.search``."""
    try:
        mode = Mode(mode)
    except ValueError:
        raise ArgumentError(f"mode {mode!r} is not known; use {', '.join(Mode)}") from None
    if not query.strip():
        raise ArgumentError("the query is empty; say what to look for")
    component = None
    with only_text():
        query.encode()
    if scope.section is not None and scope.documents:
        component = find_component(rows, scope.documents[0], scope.section)
    parameters: dict[str, Any] = {"query": query, "k": k, "match": match, **scope.parameters(component)}
    if mode is Mode.TEXT:
        return rows("search_text", hit_row, parameters)
    encoder = _load(rows, model)
    parameters |= {"query_vector": encoder.encode_query(query), "model_name": encoder.name}
    if mode is Mode.VECTOR:
        return rows("search_vector", hit_row, parameters)
    return rows("search_hybrid", hit_row, parameters | (weights or Weights()).parameters(mode))


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
