"""How to search: the weights of the methods, and the keyword arguments that every search takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ragraph.base.arguments import check_fields
from ragraph.base.defaults import Mode, ModeName
from ragraph.retrieval.scope import ScopeOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

GRAPH_WEIGHT = 0.2
"""What mode ``graph`` gives the graph unless told; more pushes hits out (docs/retrieval-expansions.md)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """What each method counts for in the fusion; None takes the default of the mode, of ``page`` twice ``text``."""

    vector: float | None = None
    text: float | None = None
    graph: float | None = None
    page: float | None = None

    def __post_init__(self) -> None:
        check_fields(self)

    def parameters(self, mode: Mode) -> dict[str, Any]:
        """Return the arguments of ``search_hybrid``, by name."""
        graph = GRAPH_WEIGHT if mode is Mode.GRAPH else 0.0
        return {
            "vector_weight": 1.0 if self.vector is None else self.vector,
            "text_weight": 1.0 if self.text is None else self.text,
            "graph_weight": graph if self.graph is None else self.graph,
            "page_weight": self.page,
        }


class SearchOptions(ScopeOptions, total=False):
    """Where and how to search, as keyword arguments of what searches first; see ``Store.search``."""

    mode: ModeName
    model: str
    match: Literal["all", "any"]
    weights: Weights | None
    boost: str | Sequence[str] | None
