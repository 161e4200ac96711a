"""Prints a context: blocks under their headings, with pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from ragraph.base.defaults import CONTEXT_TOKENS, Strategy
from ragraph.faces.cli.output import console, print_prose, shown

if TYPE_CHECKING:
    from ragraph.schema.context import Context, ContextPart

ExpandOption = Annotated[
    Strategy | None,
    typer.Option(help="Print the hits with the text that belongs to them, as one text, by this strategy."),
]
BudgetOption = Annotated[
    int | None,
    typer.Option(
        "--budget",
        metavar="TOKENS",
        min=1,
        help=f"Maximum number of tokens that --expand prints; default {CONTEXT_TOKENS}.",
    ),
]
TunedOption = Annotated[
    bool, typer.Option("--tuned/--no-tuned", help="Use the ranker of the collection if it has one (ragraph tune).")
]
ExplainOption = Annotated[
    bool, typer.Option("--explain", help="With --expand auto, focus: print the parts of each sentence's score.")
]

_MOST = 8
"""Number of parts of an explanation that are printed, those with the largest effect."""


def print_context(context: Context, *, by_document: bool = False) -> None:
    """Print a context for people: the place above each block; with ``by_document``, the document above its blocks."""
    for number, document in enumerate(context.documents, 1):
        if by_document:
            print_prose(f"[bold]{number}. {shown(document.title)}[/]")
            if document.source:
                print_prose(shown(document.source))
        for block in document.blocks:
            where = " > ".join(block.section_path if by_document else [block.title, *block.section_path])
            if where or block.page_label:
                print_prose(f"[cyan]{shown(where)}[/] {shown(block.page_label)}")
            print_prose(escape(block.text))
            for part in block.parts:
                if part.why is not None:
                    _print_why(part)
            print_prose(f"[dim]{block.tokens} tokens  {block.document_id} {' '.join(block.node_ids)}[/]")
            console.print()
    notes = [f"{context.tokens} tokens"]
    if context.hits_left_out:
        notes.append(f"{context.hits_left_out} hits did not fit")
    if context.cut:
        notes.append("the best hit is cut; give a larger --budget")
    console.print(f"[dim]{', '.join(notes)}[/]")


def _print_why(part: ContextPart) -> None:
    gains = {name: value for name, value in (part.why or {}).items() if name not in ("ranker", "mean")}
    most = sorted(gains, key=lambda name: -abs(gains[name]))[:_MOST]
    named = [f"{name} {gains[name]:+.2f}" for name in most]
    rest = sum(gains.values()) - sum(gains[name] for name in most)
    if len(gains) > _MOST:
        named.append(f"the rest {rest:+.2f}")
    if part.why and "mean" in part.why:
        named.append(f"the mean sentence {part.why['mean']:+.2f}")
    start = " ".join(part.text.split())[:40]
    score = part.score or 0.0
    print_prose(f"[dim]{score:+.2f} {shown(start)}… = {shown(', '.join(named))}[/]")
