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
    is_context = expand in ("auto", "focus")
    if explain and expand and not is_context:
        raise typer.BadParameter(
            "--explain requires a search without --expand, or --expand auto or focus, which rank sentences"
        )
    if not tuned and not is_context:
        raise typer.BadParameter("--no-tuned requires --expand auto or focus, whose sentences a ranker orders")
    if per_document is not None and not is_context:
        raise typer.BadParameter("--per-document requires --expand auto or focus, which rank sentences")
    if budget is not None and not expand:
        raise typer.BadParameter("--budget requires --expand; use -k for the number of nodes")
    by = mode.value if mode else CONTEXT_MODE if is_context else DEFAULT_MODE
    if "match" in how and (by != "text" or is_context):
        raise typer.BadParameter("--match requires --mode text, without --expand auto or focus")
    for name in ("boost", "weights"):
        if name in how and (by in ("text", "vector") or is_context):
            raise typer.BadParameter(f"--{name} requires --mode hybrid or graph, without --expand auto or focus")
    if sections and (expand or rerank or explain):
        raise typer.BadParameter("--sections cannot be combined with --expand, --rerank and --explain")
    if sections:
        _search_sections(query, k or 5, cast("SearchOptions", {"mode": by, **how, **where}), as_of, json=json)
        return
    room = budget or CONTEXT_TOKENS
    shown_as: dict[str, Any] = {"tuned": tuned, "explain": explain, "per_document": per_document}
    k = k or (CONTEXT_HITS if is_context else 10)
    options = cast("SearchOptions", {"mode": by, **how, **where})
    hits: list[Hit] = []
    steps: list[SearchStep] = []
    context: Context | None = None
    with open_store_as_of(_only(where), as_of) as store:
        if expand and is_context:
            context = store.context(query, room, k=k, strategy=expand, rerank=rerank, **shown_as, **options)
        else:
            hits = store.search(query, RERANK_DEPTH * k if rerank else k, explain=explain, **options)
            steps = hits.steps if isinstance(hits, ExplainedHits) else []
            if rerank:
                hits = store.rerank(query, hits, rerank, k)
            if expand:
                context = store.expand(hits, expand, room, query=query)
        found = bool(context.blocks if context else hits)
        described = {} if json or context or as_of else _described(store, hits)
        told = not found and tell_missing(store)
    if json:
        explained = {"hits": [hit.to_json() for hit in hits], "steps": [step.to_json() for step in steps]}
        print_json(explained if steps else context or hits)
        return
    if context and found:
        print_context(context, by_document=per_document is not None)
        return
    for number, hit in enumerate(hits, 1):
        print_hit(number, hit, described.get(hit.node_id))
    if not found and not told:
        console.print("Nothing found; a wider scope may help.")
    if steps:
        _print_steps(steps)


def _search_sections(query: str, k: int, options: SearchOptions, as_of: str | None, *, json: bool) -> None:
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
        console.print("Nothing found; a wider scope may help.")


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
