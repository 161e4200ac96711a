"""Options of searches: the weights of the methods, and the keyword arguments that all searches share."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

from ragraph.base.arguments import check_fields
from ragraph.base.defaults import CURRENT_MODEL, DEFAULT_MODE, Mode, ModeName
from ragraph.retrieval.parameters import SHARE, TEXT, TEXTS, Form, Parameter, named_numbers
from ragraph.retrieval.scope import SCOPE_PARAMETERS, ScopeOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

GRAPH_WEIGHT = 0.2
"""Default weight of the graph in mode ``graph``; a higher one displaces hits (bench/results/retrieval-expansions.md).
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """Weights of the methods in the fusion. None is the default of the mode; for ``page`` that is twice ``text``."""

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
    """Where and how to search, as keyword arguments of searches and contexts; see ``Store.search``."""

    mode: ModeName
    model: str
    match: Literal["all", "any"]
    weights: Weights | None
    boost: str | Sequence[str] | None
    min_relevance: float | None


WEIGHTS = Form(lambda name, given: Weights(**named_numbers(name, given, [field.name for field in fields(Weights)])))
"""``vector:1,text:0.5``; other methods have the default of the mode."""

HOW_PARAMETERS = (
    Parameter(
        option="mode",
        form=TEXT,
        values=ModeName,
        default=DEFAULT_MODE,
        help="By meaning, by words, both, or both and nodes that the graph connects to them.",
        description="By meaning (vector), by words (text), both (hybrid), or relations too (graph).",
        brief="hybrid: by meaning and words; vector: by meaning; text: by words; graph: relations too.",
    ),
    Parameter(
        option="match",
        form=TEXT,
        values=Literal["all", "any"],
        default="all",
        help="For mode text: nodes with all words of the query (default), or any.",
        description="For mode text: nodes with all words of the query, or any.",
        brief="For mode text: all words, or any.",
    ),
    Parameter(
        option="boost",
        form=TEXTS,
        metavar="ENTITY",
        help="For modes hybrid and graph: nodes that mention this entity rank higher; may be repeated.",
        description="For modes hybrid and graph: nodes that mention one of these entities rank higher.",
        brief="Entities; passages that mention them rank higher.",
    ),
    Parameter(
        option="weights",
        form=WEIGHTS,
        metavar="WEIGHTS",
        example="vector:1,text:0.5",
        help="For modes hybrid and graph: weight of each method, such as vector:1,text:0.5.",
        description="For modes hybrid and graph: weight of each method: vector, text, graph and page.",
        brief="Weights of methods: vector:1,text:0.5.",
    ),
    Parameter(
        option="min_relevance",
        form=SHARE,
        metavar="NUMBER",
        example="0.1",
        help="Leave out nodes with a lower relevance, from 0 to 1: how likely they answer.",
        description="Leave out nodes with a lower relevance, from 0 to 1; not in mode vector.",
        brief="Leave out passages with a lower relevance, 0 to 1.",
    ),
    Parameter(
        option="model",
        form=TEXT,
        default=CURRENT_MODEL,
        tools=False,  # language models do not know which embedding models there are
        help="Embedding model.",
    ),
)
"""How to search: the parameters for every interface, in the order in which they are listed."""

SEARCH_PARAMETERS = (*SCOPE_PARAMETERS, *HOW_PARAMETERS)
"""Where and how to search: the parameters of all ``SearchOptions`` for every interface."""

_parameters = Counter(parameter.option for parameter in SEARCH_PARAMETERS)
PUBLIC_NAMES = {item.option: item.name for item in SEARCH_PARAMETERS if item.name and _parameters[item.option] == 1}
"""Names of options on the command line and in addresses, if they differ from Python's."""
