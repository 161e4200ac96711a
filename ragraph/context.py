"""Expansion: from hits to a context that a language model or a person can read, within a budget of tokens.

What belongs to a hit is found and fitted into the budget by the database (``ragraph.expand_hits``); here a
strategy becomes its switches, and its rows become blocks of text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, get_args

from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from ragraph.arguments import check, check_like, several
from ragraph.defaults import Strategy
from ragraph.errors import ArgumentError
from ragraph.rows import context_row
from ragraph.schema.context import Context, ContextBlock, ContextPart
from ragraph.schema.enums import ContentNodeType
from ragraph.schema.results import Hit
from ragraph.scope import only_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import networkx

    from ragraph.runner import Rows

    Graph = Callable[[str], "networkx.MultiDiGraph[str]"]

_OFF: dict[str, Any] = {
    "sections": False,
    "merge_share": None,
    "sentences": 0,
    "before": 0,
    "after": 0,
    "cross_sections": False,
    "whole_nodes": False,
    "captions": False,
    "notes": False,
    "citations": False,
    "cross_references": False,
    "supplements": False,
    "max_hops": 2,
    "breadcrumbs": True,
}
_ATTACHED = {"whole_nodes": True, "captions": True, "notes": True, "supplements": True}

STRATEGIES: Mapping[str, Mapping[str, Any]] = {
    "auto": {**_OFF, **_ATTACHED, "merge_share": 0.5},
    "none": _OFF,
    "focus": _OFF,
    "section": {**_OFF, **_ATTACHED, "sections": True},
    "merge": {**_OFF, "whole_nodes": True, "merge_share": 0.5},
    "sentences": {**_OFF, "sentences": 2},
    "neighbours": {**_OFF, "whole_nodes": True, "before": 1, "after": 1},
    "graph": {**_OFF, **_ATTACHED, "citations": True, "cross_references": True},
    "pagerank": _OFF,
}
"""Name of a strategy to the switches of ``ragraph.expand_hits`` that it sets."""

FOCUS: Mapping[str, float] = {"words_share": 0.6, "headings_share": 0.15}
"""Switches of strategy ``focus`` alone: what the words of the query count in a sentence, and in the headings above it;
the nearness of the node counts the rest."""

GAP = "\n\n…\n\n"
"""Stands where text of a section is left out."""

PAGERANK_NODES = 50
"""How many nodes of each document strategy ``pagerank`` offers to the budget."""


def expand(
    rows: Rows,
    graph: Graph,
    hits: Iterable[Hit | Mapping[str, Any]],
    strategy: Strategy = "auto",
    token_budget: int | None = 2000,
    query: str | None = None,
    **switches: Any,
) -> Context:
    """Return hits with what belongs to them; see ``Store.expand``."""
    if strategy not in get_args(Strategy):
        raise ArgumentError(f"strategy {strategy!r} is not known; use {', '.join(get_args(Strategy))}")
    unknown = switches.keys() - _OFF.keys() - FOCUS.keys()
    if unknown:
        raise ArgumentError(f"{min(unknown)!r} is no switch of expand; there are {', '.join([*_OFF, *FOCUS])}")
    if strategy == "auto" and query is not None:
        strategy = "focus"  # what measured best, docs/retrieval.md
    shares = {name: switches.pop(name) for name in FOCUS if name in switches}
    if shares and strategy != "focus":
        raise ArgumentError(f"{min(shares)!r} is for strategy 'focus', not {strategy!r}")
    check(token_budget=token_budget)
    if query is not None:
        check(query=query)
    for name, value in switches.items():
        check_like(name, value, _OFF.get(name))
    seeds = [_seed(hit) for hit in several("hits", "a list of hits", hits)]
    given = {(seed["document_id"], seed["node_id"]) for seed in seeds}
    ranked = _ranked(graph, seeds, given) if strategy == "pagerank" else []
    if strategy == "focus" and seeds:
        if query is None:
            raise ArgumentError("strategy 'focus' needs the query", hint="give what was searched as", argument="query")
        with only_text():
            query.encode()
        seeds = rows("focus_hits", dict_row, {"query": query, "hits": Jsonb(seeds), **FOCUS, **shares})
    parameters = {
        "hits": Jsonb([*seeds, *ranked]),
        "token_budget": token_budget,
        **STRATEGIES[strategy],
        **switches,
    }
    found = rows("expand_hits", context_row, parameters) if seeds else []
    return _context(found, given, strategy, token_budget, breadcrumbs=bool(parameters["breadcrumbs"]))


def _seed(hit: Hit | Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(hit, Hit):
        start, end = hit.span or (None, None)
        return {
            "document_id": hit.document_id,
            "node_id": hit.node_id,
            "score": hit.score,
            "char_start": start,
            "char_end": end,
        }
    if isinstance(hit, Mapping) and isinstance(hit.get("document_id"), str) and isinstance(hit.get("node_id"), str):
        return dict(hit)
    raise ArgumentError(f"{hit!r} is no hit; give what a search returned, or a mapping with document_id and node_id")


def _ranked(graph: Graph, seeds: list[dict[str, Any]], given: set[tuple[str, str]]) -> list[dict[str, Any]]:
    """Return the nodes that a random walk from the hits meets most often, best first, to come after the hits."""
    from ragraph.pagerank import personalised

    ranked: list[tuple[float, str, str]] = []
    for document in {document for document, _ in given}:
        weights = {seed["node_id"]: seed.get("score") for seed in seeds if seed["document_id"] == document}
        best = personalised(graph(document), weights)[: PAGERANK_NODES + len(weights)]
        ranked += [(score, document, node) for node, score in best if (document, node) not in given]
    ranked.sort(key=lambda item: (-item[0], *item[1:]))
    return [{"document_id": document, "node_id": node} for _, document, node in ranked]


def _context(
    found: list[tuple[Mapping[str, Any], ContextPart]],
    given: set[tuple[str, str]],
    strategy: str,
    token_budget: int | None,
    *,
    breadcrumbs: bool,
) -> Context:
    blocks: list[ContextBlock] = []
    for _, group in groupby(found, key=lambda item: item[0]["block"]):
        items = list(group)
        first = items[0][1].citation
        path = [title for title in first.section_path if title != first.title]
        new_document = not blocks or blocks[-1].document_id != first.document_id
        head = [*([first.title] if new_document else []), *([" > ".join(path)] if path else [])]
        blocks.append(
            ContextBlock(
                document_id=first.document_id,
                title=first.title,
                section_path=path,
                head=head if breadcrumbs else [],
                parts=tuple(_parts(items, given)),
                tokens=sum(part.tokens + row["breadcrumb_tokens"] for row, part in items),
            )
        )
    present = {(part.citation.document_id, part.node_id) for _, part in found}
    return Context(
        strategy=strategy,
        token_budget=token_budget,
        tokens=sum(block.tokens for block in blocks),
        blocks=tuple(blocks),
        hits_left_out=len(given - present),
    )


def _parts(items: list[tuple[Mapping[str, Any], ContextPart]], given: set[tuple[str, str]]) -> Iterator[ContextPart]:
    """Give the parts of a block with what stands before each of them; a figure without words leaves no trace."""
    previous: ContextPart | None = None
    gap = False
    for row, part in items:
        gap = gap or row["gap"]
        offset = row["char_start"]
        if previous is None or not part.text:
            before = ""
        elif gap:
            before = GAP
        elif previous.node_id == part.node_id:
            before = row["content"][previous.char_end - offset : part.char_start - offset]
        elif previous.node_type == part.node_type == ContentNodeType.LIST_ITEM:
            before = "\n"
        else:
            before = "\n\n"
        brought = part.role == "hit" and (part.citation.document_id, part.node_id) not in given
        placed = replace(part, before=before, role="pagerank" if brought else part.role)
        if placed.text:
            previous, gap = placed, False
        yield placed
