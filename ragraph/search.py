"""How to search: the weights of the methods, and the keyword arguments that every search takes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

from ragraph.base.arguments import check_fields
from ragraph.base.defaults import CURRENT_MODEL, DEFAULT_MODE, Mode, ModeName
from ragraph.retrieval.parameters import TEXT, TEXTS, Form, Parameter, named_numbers
from ragraph.retrieval.scope import SCOPE_PARAMETERS, ScopeOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

GRAPH_WEIGHT = 0.2
"""What mode ``graph`` gives the graph unless told; more pushes hits out (bench/results/retrieval-expansions.md)."""


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


WEIGHTS = Form(lambda name, given: Weights(**named_numbers(name, given, [field.name for field in fields(Weights)])))
"""``vector:1,text:0.5``; what is not named has the default of the mode."""

HOW_PARAMETERS = (
    Parameter(
        option="mode",
        form=TEXT,
        values=ModeName,
        default=DEFAULT_MODE,
        help="By meaning, by words, both, or both and what the graph ties to them.",
        description="By meaning (vector), by words (text), both (hybrid), or relations too (graph).",
        brief="hybrid: by meaning and words; vector: by meaning; text: by words; graph: relations too.",
    ),
    Parameter(
        option="match",
        form=TEXT,
        values=Literal["all", "any"],
        default="all",
        help="Of mode text: nodes with all of the query, as is the default, or any word.",
        description="Of mode text: nodes with all of the query, or any word.",
        brief="Of mode text: all words, or any.",
    ),
    Parameter(
        option="boost",
        form=TEXTS,
        metavar="ENTITY",
        help="Of modes hybrid and graph: nodes that mention this entity come further up; may be repeated.",
        description="Of modes hybrid and graph: nodes that mention one of these entities come further up.",
        brief="Entities whose passages come further up.",
    ),
    Parameter(
        option="weights",
        form=WEIGHTS,
        metavar="WEIGHTS",
        example="vector:1,text:0.5",
        help="Of modes hybrid and graph: what each method counts, such as vector:1,text:0.5.",
        description="Of modes hybrid and graph: what each method counts, of vector, text, graph and page.",
        brief="What methods count: vector:1,text:0.5.",
    ),
    Parameter(
        option="model",
        form=TEXT,
        default=CURRENT_MODEL,
        tools=False,  # which models there are, a model is not told
        help="Embedding model.",
    ),
)
"""How to search, as every face takes it, in the order in which it is listed."""

SEARCH_PARAMETERS = (*SCOPE_PARAMETERS, *HOW_PARAMETERS)
"""Where and how to search: all options of ``SearchOptions`` as every face takes them."""

_parameters = Counter(parameter.option for parameter in SEARCH_PARAMETERS)
OUTSIDE = {item.option: item.name for item in SEARCH_PARAMETERS if item.name and _parameters[item.option] == 1}
"""What command line and addresses call options that Python calls otherwise."""
