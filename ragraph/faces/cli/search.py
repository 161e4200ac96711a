"""The search command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from rich.markup import escape
from rich.table import Table

from ragraph.base.defaults import (
    CONTEXT_HITS,
    CONTEXT_MODE,
    CONTEXT_TOKENS,
    DEFAULT_MODE,
    RERANK_DEPTH,
    Mode,
)
from ragraph.faces.cli.context import BudgetOption, ExpandOption, TunedOption, print_context
from ragraph.faces.cli.output import (
    AsOfOption,
    JsonOption,
    console,
    cut_marked,
    open_store_as_of,
    print_json,
    print_prose,
    shown,
    tell_missing,
)
from ragraph.faces.cli.scope import scoped
from ragraph.retrieval.scope import ScopeOptions
from ragraph.schema.display import rating
from ragraph.schema.results import ExplainedHits
from ragraph.search import SearchOptions

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragraph import Store
    from ragraph.schema.context import Context
    from ragraph.schema.results import Hit, SearchStep


def register(app: typer.Typer) -> None:
    """Add the command of this module to the command line."""
    app.command()(scoped(search))


def search(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="Words to look for.")],
    where: ScopeOptions,
    k: Annotated[
        int | None,
        typer.Option("-k", min=1, help=f"Number of nodes; default 10, and {CONTEXT_HITS} for --expand auto, focus."),
    ] = None,
    mode: Annotated[
        Mode | None,
        typer.Option(
            help="By meaning, by words, both, or both and what the graph ties to them; "
            f"default {DEFAULT_MODE}, and {CONTEXT_MODE} for --expand auto, focus."
        ),
    ] = None,
    *,
    how: SearchOptions,
    rerank: Annotated[
        str | None,
        typer.Option(metavar="MODEL", help="Cross-encoder (folder or hub name) that reranks the best 5 k hits."),
    ] = None,
    expand: ExpandOption = None,
    budget: BudgetOption = None,
    tuned: TunedOption = True,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain",
            help="Print the steps of the search and their times; with --expand auto, focus: the scores of sentences.",
        ),
    ] = False,
    per_document: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="With --expand auto, focus: at most N sentences of each document."),
    ] = None,
    sections: Annotated[
        bool, typer.Option("--sections", help="Return sections, each with its best nodes; -k is their number, else 5.")
    ] = False,
    as_of: AsOfOption = None,
    json: JsonOption = False,
) -> None:
    """Search the store, a document or one of its sections. Results have section, page and words.

    Examples:
        ragraph search "trust zones" -k 5
        ragraph search "costs" --document dl_213 --section 4.2 --type TABLE
        ragraph search '"zero trust" -network' --mode text
        ragraph search "who decides" --boost "policy engine"
        ragraph search costs --filter '{"year": {"$gte": 2020}}'
        ragraph search "notice periods" --expand auto --per-document 2
        ragraph search "notice periods" --sections -k 3
    """
    by_sentences = expand in _BY_SENTENCES
    by = mode.value if mode else CONTEXT_MODE if by_sentences else DEFAULT_MODE
    options = cast("SearchOptions", {"mode": by, **how, **where})
    for wrong, message in (
        (not tuned and not by_sentences, "--no-tuned requires --expand auto or focus, whose sentences a ranker orders"),
        (per_document and not by_sentences, "--per-document requires --expand auto or focus, which rank sentences"),
        (
            explain and expand and not by_sentences,
            "--explain requires a search without --expand, or --expand auto or focus, which rank sentences",
        ),
        (budget and not expand, "--budget requires --expand; use -k for the number of nodes"),
        (
            sections and (expand or rerank or explain),
            "--sections cannot be combined with --expand, --rerank and --explain",
        ),
    ):
        if wrong:
            raise typer.BadParameter(message)
    _check_mode(options, by_sentences=by_sentences)
    if sections:
        _print_sections(query, k or 5, options, as_of, json=json)
    elif expand and by_sentences:
        ranked: dict[str, Any] = {"tuned": tuned, "explain": explain, "per_document": per_document, "rerank": rerank}

        def sentences(store: Store) -> Context:
            return store.context(
                query, budget or CONTEXT_TOKENS, k=k or CONTEXT_HITS, strategy=expand, **ranked, **options
            )

        _print_context(sentences, options, as_of, by_document=per_document is not None, json=json)
    elif expand:

        def expanded(store: Store) -> Context:
            hits = _hits(store, query, k or _NODES, rerank, options, explain=False)
            return store.expand(hits, expand, budget or CONTEXT_TOKENS, query=query)

        _print_context(expanded, options, as_of, by_document=False, json=json)
    else:
        _print_hits(query, k or _NODES, rerank, options, as_of, explain=explain, json=json)


_BY_SENTENCES = ("auto", "focus")
"""Strategies that rank sentences."""

_NODES = 10
_NOTHING = "Nothing found; a wider scope may help."


def _check_mode(options: SearchOptions, *, by_sentences: bool) -> None:
    """Refuse options that the mode has no use for.

    Raises:
        typer.BadParameter: it has none for one of them.
    """
    if "match" in options and (options["mode"] != "text" or by_sentences):
        raise typer.BadParameter("--match requires --mode text, without --expand auto or focus")
    for name in ("boost", "weights"):
        if name in options and (options["mode"] in ("text", "vector") or by_sentences):
            raise typer.BadParameter(f"--{name} requires --mode hybrid or graph, without --expand auto or focus")


def _print_sections(query: str, k: int, options: SearchOptions, as_of: str | None, *, json: bool) -> None:
    with open_store_as_of(_only(options), as_of) as store:
        found = store.search_sections(query, k, **options)
        told = not found and tell_missing(store)
    if json:
        print_json(found)
        return
    for number, section in enumerate(found, 1):
        where = " > ".join([section.hits[0].citation.title, *section.section_path])
        print_prose(f"[bold]{number}.[/] [cyan]{shown(where)}[/]")
        for hit in section.hits:
            print_prose(f"{shown(hit.citation.page_label)} {escape(cut_marked(hit.citation.excerpt, hit.content))}")
        console.print(f"[dim]score {section.score:.3f}  {section.document_id} {section.component_id}[/]\n")
    if not found and not told:
        console.print(_NOTHING)


def _print_context(
    made: Callable[[Store], Context], options: SearchOptions, as_of: str | None, *, by_document: bool, json: bool
) -> None:
    with open_store_as_of(_only(options), as_of) as store:
        context = made(store)
        told = not context.blocks and tell_missing(store)
    if json:
        print_json(context)
    elif context.blocks:
        print_context(context, by_document=by_document)
    elif not told:
        console.print(_NOTHING)


def _print_hits(
    query: str,
    k: int,
    rerank: str | None,
    options: SearchOptions,
    as_of: str | None,
    *,
    explain: bool,
    json: bool,
) -> None:
    with open_store_as_of(_only(options), as_of) as store:
        hits = _hits(store, query, k, rerank, options, explain=explain)
        described = {} if json or as_of else _described(store, hits)
        told = not hits and tell_missing(store)
    steps = hits.steps if isinstance(hits, ExplainedHits) else []
    if json:
        explained = {"hits": [hit.to_json() for hit in hits], "steps": [step.to_json() for step in steps]}
        print_json(explained if steps else hits)
        return
    for number, hit in enumerate(hits, 1):
        print_hit(number, hit, described.get(hit.node_id))
    if not hits and not told:
        console.print(_NOTHING)
    if steps:
        _print_steps(steps)


def _hits(store: Store, query: str, k: int, rerank: str | None, options: SearchOptions, *, explain: bool) -> list[Hit]:
    """Return the best nodes, with the steps of the search if asked for."""
    if not rerank:
        return store.search(query, k, explain=explain, **options)
    hits = store.search(query, RERANK_DEPTH * k, explain=explain, **options)
    best = store.rerank(query, hits, rerank, k)
    return ExplainedHits(best, hits.steps) if isinstance(hits, ExplainedHits) else best


def _print_steps(steps: list[SearchStep]) -> None:
    table = Table(box=None, pad_edge=False)
    for column in ("Part", "Way", "Looked at", "Found", "ms"):
        table.add_column(column, justify="left" if column in ("Part", "Way") else "right")
    for step in steps:
        looked = "" if step.candidates is None else f"{step.candidates:,.0f}"
        table.add_row(step.part, step.way, looked, "" if step.rows is None else str(step.rows), f"{step.ms:.1f}")
    console.print(table)


def _described(store: Store, hits: list[Hit]) -> dict[str, str]:
    """Return descriptions of hits without text, such as figures, by the id of their node."""
    silent = [hit for hit in hits if not hit.content]
    found = {hit.node_id: store.node(hit.document_id, hit.node_id).description for hit in silent}
    return {node: description for node, description in found.items() if description}


def print_hit(number: int, hit: Hit, description: str | None) -> None:
    """Print a hit: its place, its words, its score and ids."""
    citation = hit.citation
    where = " > ".join([citation.title, *citation.section_path])
    print_prose(f"[bold]{number}.[/] [cyan]{shown(where)}[/] {shown(citation.page_label)}")
    if words := cut_marked(citation.excerpt, hit.content):
        print_prose(escape(words))
    else:
        print_prose(f"[dim]described:[/] {shown(description)}" if description else "[dim]no words[/]")
    console.print(f"[dim]{rating(hit)}  {hit.node_type.value}  {hit.document_id} {hit.node_id}[/]")
    console.print()


def _only(where: ScopeOptions | SearchOptions) -> str | None:
    document = where.get("document")
    if isinstance(document, str):
        return document
    return document[0] if document and len(document) == 1 else None
