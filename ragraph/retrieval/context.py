"""Expansion: make a context of hits for a language model or a person, within a token budget.

The database finds related text and fits it into the budget (``ragraph.expand_hits``). This module turns a strategy into
switches, and the rows into blocks of text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, TypedDict, get_args

from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from ragraph.base.arguments import check_like, several
from ragraph.base.defaults import CONTEXT_TOKENS, Strategy
from ragraph.database.rows import context_row
from ragraph.errors import ArgumentError, DocumentNotFoundError, NodeNotFoundError
from ragraph.models.embedding import load_model
from ragraph.schema.context import Context, ContextBlock, ContextPart
from ragraph.schema.enums import ContentNodeType
from ragraph.schema.results import Hit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import networkx

    from ragraph.database.runner import Rows

    Graph = Callable[[str], "networkx.MultiDiGraph[str]"]


class Switches(TypedDict, total=False):
    """Switches of ``Store.expand``: arguments of ``ragraph.expand_hits``, and the weights of strategy ``focus``.

    Attributes:
        sections: add the section around each hit.
        merge_share: add sections of which the hits make up this share.
        sentences: number of sentences to add on each side of the found part.
        before: number of nodes to add before the hit.
        after: number of nodes to add after the hit.
        cross_sections: neighbours may be in another section.
        whole_nodes: add the rest of a node of which a part was found.
        captions: add captions of tables and figures, and what captions belong to.
        notes: add footnotes.
        citations: add cited bibliography entries.
        cross_references: add what the text refers to.
        supplements: add supplements.
        max_hops: maximum number of relations to follow.
        breadcrumbs: print the path of headings above each block.
        words_share: for ``focus``: weight of the query's words in a sentence, from 0 to 1.
        headings_share: for ``focus``: weight of the query's words in the headings above it, from 0 to 1.
    """

    sections: bool
    merge_share: float | None
    sentences: int
    before: int
    after: int
    cross_sections: bool
    whole_nodes: bool
    captions: bool
    notes: bool
    citations: bool
    cross_references: bool
    supplements: bool
    max_hops: int
    breadcrumbs: bool
    words_share: float
    headings_share: float


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
"""The switches of ``ragraph.expand_hits`` by name of the strategy."""

FOCUS: Mapping[str, float] = {"words_share": 0.7, "headings_share": 0.1}
"""Switches of strategy ``focus`` alone: weights of the query's words in a sentence and in the headings above it. The
similarity of the node has the remaining weight."""

GAP = "\n\n…\n\n"
"""Inserted where text of a section is left out."""

ROW_GAP = "\n…\n"
"""Inserted where rows of a table are left out."""

PAGERANK_NODES = 50
"""Maximum number of nodes of each document that strategy ``pagerank`` adds."""


def check_strategy(strategy: str) -> None:
    """Raise ArgumentError if there is no strategy of this name."""
    if strategy not in get_args(Strategy):
        raise ArgumentError(f"strategy {strategy!r} is not known; use {', '.join(get_args(Strategy))}")


def expand(
    rows: Rows,
    graph: Graph,
    hits: Iterable[Hit | Mapping[str, Any]],
    strategy: Strategy = "auto",
    token_budget: int | None = CONTEXT_TOKENS,
    query: str | None = None,
    *,
    tuned: bool = True,
    explain: bool = False,
    found_by: tuple[str, str | None] | None = None,
    **switches: Any,
) -> Context:
    """Return a context made of hits; see ``Store.expand``.

    ``found_by`` has the mode and the model of the search, if known.
    """
    check_strategy(strategy)
    unknown = switches.keys() - _OFF.keys() - FOCUS.keys()
    if unknown:
        raise ArgumentError(f"{min(unknown)!r} is not a switch of expand; use one of {', '.join([*_OFF, *FOCUS])}")
    if strategy == "auto" and query is not None:
        strategy = "focus"  # the strategy that measured best, bench/results/retrieval.md
    shares = {name: switches.pop(name) for name in FOCUS if name in switches}
    if shares and strategy != "focus":
        raise ArgumentError(f"{min(shares)!r} is for strategy 'focus', not {strategy!r}")
    for name, value in switches.items():
        check_like(name, value, _OFF.get(name))
    seeds = [_seed(hit) for hit in several("hits", "a list of hits", hits)]
    given = {(seed["document_id"], seed["node_id"]) for seed in seeds}
    ranked = _ranked(graph, seeds, given) if strategy == "pagerank" else []
    if explain and strategy != "focus":
        raise ArgumentError(f"explain is for strategy 'focus', not {strategy!r}")
    if strategy == "focus" and seeds:
        if query is None:
            raise ArgumentError("strategy 'focus' needs the query", hint="pass it as", argument="query")
        mode, model = found_by or (None, None)
        asked = {"query": query, "tuned": tuned and not shares, "explain": explain, "mode": mode, "model_name": model}
        seeds = rows("focus_hits", dict_row, {"hits": Jsonb(seeds), **asked, **FOCUS, **shares})
    parameters = {"hits": Jsonb([*seeds, *ranked]), **STRATEGIES[strategy], **switches}

    def ask(room: int | None) -> list[tuple[Mapping[str, Any], ContextPart]]:
        found = rows("expand_hits", context_row, {**parameters, "token_budget": room}) if seeds else []
        return [(row, replace(part, why=_why(seeds, part))) for row, part in found] if explain else found

    return fitted(ask, given, strategy, token_budget)


def most_sentences(token_budget: int) -> int:
    """Return how many sentences, the best, are fitted into a budget: more than fit. As in ``context_sentences``."""
    return max(100, min(token_budget, 100_000) // 5)


def within(
    rows: Rows,
    found: Sequence[tuple[Mapping[str, Any], ContextPart]],
    token_budget: int,
    *,
    per_document: int | None,
    explain: bool,
) -> list[tuple[Mapping[str, Any], ContextPart]] | None:
    """Return what ``search_context`` returns for a smaller budget, without a second search.

    Args:
        rows: runs queries.
        found: the rows of ``search_context`` for a larger budget, at least one.
        token_budget: the smaller budget.
        per_document: as it was for ``found``.
        explain: as it was for ``found``.

    Returns:
        The rows, or None if only a search can tell: a table no longer fits into a quarter of the budget, or a sentence
        was deleted meanwhile.
    """
    first = found[0][0]
    if first["largest_table"] is not None and first["largest_table"] > token_budget // 4:
        return None
    sentences = json.loads(first["sentences"])
    if per_document is None:
        sentences = sentences[: most_sentences(token_budget)]
    parameters = {"hits": Jsonb(sentences), **STRATEGIES["focus"], "token_budget": token_budget}
    try:
        fitting = rows("expand_hits", context_row, parameters)
    except (ArgumentError, DocumentNotFoundError, NodeNotFoundError):
        return None
    same = {name: first[name] for name in ("nodes_found", "confidence")}
    return [({**row, **same}, replace(part, why=_why(sentences, part)) if explain else part) for row, part in fitting]


def _why(sentences: list[dict[str, Any]], part: ContextPart) -> dict[str, float] | None:
    """Return the scores of the sentence that a part belongs to, or None."""
    for sentence in sentences:
        if (
            (sentence["document_id"], sentence["node_id"]) == (part.citation.document_id, part.node_id)
            and sentence["char_start"] <= part.char_start
            and part.char_end <= sentence["char_end"]
        ):
            why: dict[str, float] = sentence["why"]
            return why
    return None


def _seed(hit: Hit | Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(hit, Hit):
        start, end = hit.span or (None, None)
        return {
            "document_id": hit.document_id,
            "node_id": hit.node_id,
            "score": hit.score,
            "vector_score": hit.scores.get("vector"),
            "text_score": hit.scores.get("text"),
            "char_start": start,
            "char_end": end,
        }
    if isinstance(hit, Mapping) and isinstance(hit.get("document_id"), str) and isinstance(hit.get("node_id"), str):
        return dict(hit)
    raise ArgumentError(f"{hit!r} is not a hit; pass a hit of a search, or a mapping with document_id and node_id")


def _ranked(graph: Graph, seeds: list[dict[str, Any]], given: set[tuple[str, str]]) -> list[dict[str, Any]]:
    """Return the nodes that a random walk from the hits meets most often, best first, without the hits."""
    from ragraph.retrieval.pagerank import personalised

    ranked: list[tuple[float, str, str]] = []
    for document in {document for document, _ in given}:
        weights = {seed["node_id"]: seed.get("score") for seed in seeds if seed["document_id"] == document}
        best = personalised(graph(document), weights)[: PAGERANK_NODES + len(weights)]
        ranked += [(score, document, node) for node, score in best if (document, node) not in given]
    ranked.sort(key=lambda item: (-item[0], *item[1:]))
    return [{"document_id": document, "node_id": node} for _, document, node in ranked]


def fitted(
    ask: Callable[[int | None], list[tuple[Mapping[str, Any], ContextPart]]],
    given: set[tuple[str, str]] | None,
    strategy: str,
    token_budget: int | None,
) -> Context:
    """Return the rows for a budget as a context, with tokens counted on its final text.

    The database adds up the tokens of the parts. If the joined text is longer than the budget, it is queried again with
    a budget smaller by the difference.

    Args:
        ask: returns the rows for a budget, as ``ragraph.database.rows.context_row`` makes them.
        given: document and node ids of the hits; None if the database found the hits itself.
        strategy: name of the strategy.
        token_budget: see ``Store.expand``.
    """
    room = token_budget
    while True:
        found = ask(room) if room is None or room > 0 or room == token_budget else []
        context = _context(found, given, strategy, token_budget)
        if room is None or token_budget is None or context.tokens <= token_budget:
            return context
        room -= context.tokens - token_budget


def _context(
    found: list[tuple[Mapping[str, Any], ContextPart]],
    given: set[tuple[str, str]] | None,
    strategy: str,
    token_budget: int | None,
) -> Context:
    blocks: list[ContextBlock] = []
    for _, group in groupby(found, key=lambda item: item[0]["block"]):
        items = list(group)
        first = items[0][1].citation
        heading = items[0][0]["heading"]
        blocks.append(
            ContextBlock(
                document_id=first.document_id,
                title=first.title,
                section_path=[title for title in first.section_path if title != first.title],
                head=heading.split("\n") if heading else [],
                parts=tuple(_parts(items, given)),
                tokens=0,
            )
        )
    texts = ["\n".join([*block.head, block.text]) for block in blocks]
    texts += [part.text for block in blocks for part in block.parts]
    counts = iter(load_model().count_tokens(texts))
    blocks = [replace(block, tokens=next(counts)) for block in blocks]
    blocks = [
        replace(block, parts=tuple(replace(part, tokens=next(counts)) for part in block.parts)) for block in blocks
    ]
    present = {(part.citation.document_id, part.node_id) for _, part in found}
    looked_at = found[0][0]["nodes_found"] if given is None and found else len(given or ())
    context = Context(
        strategy=strategy,
        token_budget=token_budget,
        tokens=0,
        blocks=tuple(blocks),
        hits_left_out=looked_at - len(present if given is None else given & present),
        confidence=(found[0][0]["confidence"] if found else 0.0) if given is None else None,
    )
    return replace(context, tokens=load_model().count_tokens([context.text])[0])


def _parts(
    items: list[tuple[Mapping[str, Any], ContextPart]], given: set[tuple[str, str]] | None
) -> Iterator[ContextPart]:
    """Yield the parts of a block with the text between them; a figure without text adds none."""
    previous: ContextPart | None = None
    gap = False
    for row, part in items:
        gap = gap or row["gap"]
        offset = row["char_start"]
        if previous is None or not part.text:
            before = ""
        elif gap:
            before = ROW_GAP if previous.node_id == part.node_id and part.node_type == ContentNodeType.TABLE else GAP
        elif previous.node_id == part.node_id:
            before = row["content"][previous.char_end - offset : part.char_start - offset]
        elif previous.node_type == part.node_type == ContentNodeType.LIST_ITEM:
            before = "\n"
        else:
            before = "\n\n"
        node = (part.citation.document_id, part.node_id)
        brought = part.role == "hit" and given is not None and node not in given
        placed = replace(part, before=before, role="pagerank" if brought else part.role)
        if placed.text:
            previous, gap = placed, False
        yield placed
