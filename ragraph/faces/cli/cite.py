"""The commands for citations: of a node, of words in it, of a publication, in CSL styles."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer
from rich.markup import escape

from ragraph.faces.cli.output import (
    AsOfOption,
    JsonOption,
    console,
    open_store,
    open_store_as_of,
    print_json,
    print_prose,
    print_text,
    shown,
)


class ReferenceFormat(StrEnum):
    """Formats of reference managers."""

    BIBTEX = "bibtex"
    CSL_JSON = "csl-json"


def register(app: typer.Typer) -> None:
    """Add the commands of this module to the command line."""
    app.command()(cite)
    app.command()(references)


def cite(
    document: Annotated[str, typer.Argument(metavar="DOC", help="Id of the document.")],
    node: Annotated[str, typer.Argument(metavar="NODE", help="Id of the node, from search or page.")],
    quote: Annotated[str | None, typer.Option(help="Words of the node; refused if it does not have them.")] = None,
    style: Annotated[
        str, typer.Option(help="CSL style, such as apa, ieee, chicago-author-date, or a .csl file.")
    ] = "apa",
    as_of: AsOfOption = None,
    json: JsonOption = False,
) -> None:
    """Cite a node, or words of it.

    Prints section, pages, boxes, and the citation in a style. For an earlier version it also prints whether the words
    are still in the live document, have moved or are gone.

    Examples:
        ragraph cite dl_213 cn_1f3
        ragraph cite dl_213 cn_1f3 --quote "a set of" --style ieee
    """
    with open_store_as_of(document, as_of) as store:
        citation = store.cite(document, node) if quote is None else store.quote(document, node, quote)
        formatted = store.format_citations([citation], style=style)
    more = {}
    if as_of is not None:
        with open_store() as store:
            state = store.citation_state(document, node, as_of, quote)
        more = {"version": state.version, "state": state.state, "now": [state.node_id, state.section]}
    if json:
        print_json(
            {**citation.to_json(), **more, "inline": formatted.inline[0], "reference": formatted.bibliography[0]}
        )
        return
    print_prose(f"“{escape(citation.excerpt)}” {escape(formatted.inline[0])}")
    where = " > ".join([citation.title, *citation.section_path])
    print_prose(f"[cyan]{shown(where)}[/] {shown(citation.page_label)}")
    for box in citation.boxes:
        corners = box["bbox"]
        ends = " ".join(f"{corners[name]:.0f}" for name in ("x1", "y1", "x2", "y2"))
        console.print(f"[dim]page {box['page_pdf']}, box {ends}[/]")
    print_prose(escape(formatted.bibliography[0]))
    if as_of is not None:
        place = " > ".join(state.section)
        now = "" if state.state == "gone" else f": {shown(place)} {state.node_id}"
        print_prose(f"version {state.version}, {state.state} in the live document{now}")


def references(
    documents: Annotated[
        list[str] | None, typer.Argument(metavar="[DOC]...", help="Default: all publications of the store.")
    ] = None,
    format: Annotated[ReferenceFormat, typer.Option(help="Format of the list.")] = ReferenceFormat.BIBTEX,
    style: Annotated[str | None, typer.Option(help="Print a bibliography in this CSL style instead.")] = None,
    json: JsonOption = False,
) -> None:
    """List publications as BibTeX, CSL-JSON or a bibliography.

    --json prints CSL-JSON, with --style a list of the entries.

    Examples:
        ragraph references > store.bib
        ragraph references dl_213 --style apa
    """
    with open_store() as store:
        if style is not None:
            entries = store.bibliography(documents or None, style=style)
            if json:
                print_json(entries)
                return
            text = "\n".join(entries) + "\n"
        else:
            text = store.references(documents or None, format="csl-json" if json else format.value)
    print_text(text.removesuffix("\n"))
