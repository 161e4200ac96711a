"""How search prints a context: blocks under their headings, with pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from ragraph.cli.output import console, print_prose, shown
from ragraph.defaults import Strategy

if TYPE_CHECKING:
    from ragraph.schema.context import Context

ExpandOption = Annotated[
    Strategy | None, typer.Option(help="Print the hits with what belongs to them, as one text, by this strategy.")
]
BudgetOption = Annotated[
    int, typer.Option("--budget", metavar="TOKENS", min=1, help="Tokens that --expand may print at most.")
]


def print_context(context: Context) -> None:
    """Print a context for people: above each block where it stands."""
    for block in context.blocks:
        where = " > ".join([block.title, *block.section_path])
        print_prose(f"[cyan]{shown(where)}[/] {shown(block.page_label)}")
        print_prose(escape(block.text))
        print_prose(f"[dim]{block.tokens} tokens  {block.document_id} {' '.join(block.node_ids)}[/]")
        console.print()
    notes = [f"{context.tokens} tokens"]
    if context.hits_left_out:
        notes.append(f"{context.hits_left_out} hits did not fit")
    if context.cut:
        notes.append("the best hit is cut; give a larger --budget")
    console.print(f"[dim]{', '.join(notes)}[/]")
