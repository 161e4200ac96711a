"""The search command."""

from __future__ import annotations

import re
from datetime import date
from enum import StrEnum
from json import loads
from typing import Annotated

import typer
from rich.markup import escape

from ragraph.cli.context import BudgetOption, ExpandOption, print_context
from ragraph.cli.output import JsonOption, console, open_store, print_json
from ragraph.context import CONTEXT_HITS
from ragraph.embedding import DEFAULT_MODEL
from ragraph.filters import And, Filter, field, parse
from ragraph.rerank import RERANK_DEPTH
from ragraph.schema.enums import ContentNodeType
from ragraph.schema.results import Hit
from ragraph.search import Mode


class Match(StrEnum):
    """What a node must have of a query of words."""

    ALL = "all"
    ANY = "any"


def register(app: typer.Typer) -> None:
    """Add the command of this module to the command line."""
    app.command()(search)


def search(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What to look for, in words.")],
    k: Annotated[
        int | None,
        typer.Option("-k", min=1, help=f"How many nodes; default 10, and {CONTEXT_HITS} for --expand auto, focus."),
    ] = None,
    document: Annotated[list[str] | None, typer.Option(help="Only this document; may be repeated.")] = None,
    section: Annotated[
        str | None, typer.Option(metavar="SECTION", help="Only within this component: id, title or number.")
    ] = None,
    type: Annotated[
        list[ContentNodeType] | None,
        typer.Option(
            case_sensitive=False, show_choices=False, help="Only nodes of this type, such as TABLE; may be repeated."
        ),
    ] = None,
    pages: Annotated[str | None, typer.Option(metavar="A-B", help="Only on these physical pages.")] = None,
    collection: Annotated[str | None, typer.Option(help="Only this collection.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="Only publications with this tag; may be repeated.")] = None,
    language: Annotated[
        list[str] | None, typer.Option(help="Only documents in this language; may be repeated.")
    ] = None,
    author: Annotated[
        list[str] | None, typer.Option(help="Only publications whose authors contain this text; may be repeated.")
    ] = None,
    after: Annotated[str | None, typer.Option(metavar="DATE", help="Published on this day or later.")] = None,
    before: Annotated[str | None, typer.Option(metavar="DATE", help="Published on this day or earlier.")] = None,
    filter: Annotated[
        str | None,
        typer.Option(metavar="JSON", help='Only documents that meet it, such as \'{"year": {"$gte": 2020}}\'.'),
    ] = None,
    mode: Annotated[
        Mode, typer.Option(help="By meaning, by words, both, or both and what the graph ties to them.")
    ] = Mode.VECTOR,
    match: Annotated[Match, typer.Option(help="Of mode text: nodes with all of the query, or any word.")] = Match.ALL,
    model: Annotated[str, typer.Option(help="Embedding model.")] = DEFAULT_MODEL,
    rerank: Annotated[
        str | None,
        typer.Option(metavar="MODEL", help="Cross-encoder (folder or hub name) that orders the best 5 k hits anew."),
    ] = None,
    expand: ExpandOption = None,
    budget: BudgetOption = 2000,
    json: JsonOption = False,
) -> None:
    """Search the store, a document or one of its sections; results name section, page and words.

    Examples: ragraph search "trust zones" -k 5      ragraph search "costs" --document dl_213 --section 4.2 --type TABLE
    ragraph search '"zero trust" -network' --mode text --filter '{"year": {"$gte": 2020}}'
    """
    span = _pages(pages)
    k = k or (CONTEXT_HITS if expand in ("auto", "focus") else 10)
    published = (_day(after, "--after"), _day(before, "--before")) if after or before else None
    with open_store() as store:
        hits = store.search(
            query,
            RERANK_DEPTH * k if rerank else k,
            document=document or None,
            section=section,
            types=type or None,
            pages=span,
            collection=collection,
            tags=tag or None,
            languages=language or None,
            published=published,
            filter=_filter(filter, author),
            mode=mode.value,
            model=model,
            match=match.value,
        )
        if rerank:
            hits = store.rerank(query, hits, rerank, k)
        context = store.expand(hits, expand, budget, query=query) if expand else None
    if json:
        print_json(context or hits)
        return
    if context and hits:
        print_context(context)
        return
    for number, hit in enumerate(hits, 1):
        _print_hit(number, hit)
    if not hits:
        console.print("Nothing found; a wider scope may help.")


def _print_hit(number: int, hit: Hit) -> None:
    citation = hit.citation
    where = " > ".join([citation.title, *citation.section_path])
    console.print(f"[bold]{number}.[/] [cyan]{escape(where)}[/] {escape(citation.page_label)}", soft_wrap=True)
    console.print(escape(" ".join(citation.excerpt.split())), soft_wrap=True)
    console.print(f"[dim]{hit.score:.3f}  {hit.node_type.value}  {hit.document_id} {hit.node_id}[/]")
    console.print()


def _day(text: str | None, option: str) -> date | None:
    try:
        return None if text is None else date.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is no date; write it as 2024-12-31", param_hint=option) from None


def _filter(text: str | None, authors: list[str] | None) -> Filter | None:
    parts = [field("authors").contains(name) for name in authors or []]
    if text is not None:
        try:
            parts.append(parse(loads(text)))
        except ValueError as error:
            raise typer.BadParameter(f"this is no JSON ({error}): {text}", param_hint="--filter") from None
    return And(tuple(parts)) if parts else None


def _pages(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    match = re.fullmatch(r"(\d+)(?:-(\d+))?", text)
    if not match:
        raise typer.BadParameter(f"{text!r} is not a range of pages; give 5 or 3-40", param_hint="--pages")
    first, last = int(match[1]), int(match[2] or match[1])
    if first > last:
        raise typer.BadParameter(f"{text!r} runs backwards; give the first page first", param_hint="--pages")
    return first, last
