"""The commands that show the content of the store: list, show, toc, page, render, related, delete, check."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Column, Table

from ragraph.base.counts import many
from ragraph.errors import ArgumentError, RagraphError
from ragraph.faces.accounts import account_lines
from ragraph.faces.cli.output import (
    AsOfOption,
    DocumentArgument,
    JsonOption,
    console,
    id_column,
    indented,
    is_narrow,
    open_store,
    open_store_as_of,
    pages_label,
    print_json,
    print_prose,
    print_text,
    shown,
    tell_missing,
)
from ragraph.retrieval.pages import pages_named
from ragraph.retrieval.parameters import conditions
from ragraph.schema.enums import ProcessingStatus, RelationType
from ragraph.schema.page_labels import label_of_places

if TYPE_CHECKING:
    from ragraph.schema.results import DocumentDetails, Node


class Format(StrEnum):
    """Formats of rendering."""

    MARKDOWN = "markdown"
    HTML = "html"
    TEXT = "text"


class Notes(StrEnum):
    """Positions of footnotes."""

    AFTER = "after"
    SECTION = "section"
    NONE = "none"


class Direction(StrEnum):
    """Directions in which to follow relations."""

    OUT = "out"
    IN = "in"
    BOTH = "both"


def register(app: typer.Typer) -> None:
    """Add the commands of this module to the command line."""
    app.command("list")(list_documents)
    for command in (show, toc, page, tables, render, related, delete, check):
        app.command()(command)


def list_documents(
    collection: Annotated[str | None, typer.Option(help="Only this collection.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Maximum number of documents.")] = None,
    json: JsonOption = False,
) -> None:
    """List the documents.

    Example:
        ragraph list --collection reports
    """
    with open_store() as store:
        documents = store.documents(collection=collection, limit=limit)
        if not documents:
            tell_missing(store)
    if json:
        print_json(documents)
        return
    if not documents:
        return
    narrow = is_narrow()
    columns = [id_column("Id"), Column("Title", ratio=1 if narrow else None), Column("Pages", justify="right")]
    if not narrow:
        columns += [Column("Nodes", justify="right"), Column("Language"), Column("Status")]
    table = Table(*columns, box=None, pad_edge=False, expand=narrow)
    for item in documents:
        status = item.processing_status.value
        title = (
            shown(item.title)
            if not narrow or status == ProcessingStatus.COMPLETED.value
            else f"{shown(item.title)} [dim]({status})[/]"
        )
        more = () if narrow else (str(item.nodes), item.language or "", status)
        table.add_row(item.id, title, str(item.page_count or ""), *more)
    console.print(table)


def show(document: DocumentArgument, as_of: AsOfOption = None, json: JsonOption = False) -> None:
    """Show the details of a document.

    Example:
        ragraph show dl_213
    """
    with open_store_as_of(document, as_of) as store:
        details = store.document(document)
    print_details(details, json=json)


def print_details(details: DocumentDetails, *, json: bool) -> None:
    """Print the details of a document without empty fields."""
    if json:
        print_json(details)
        return
    table = Table(box=None, show_header=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, value in {**details.document.to_json(), **details.to_json()}.items():
        if name == "ingested_with":
            value = {key: entry for key, entry in value.items() if key != "account"}
        if name != "document" and value not in (None, "", [], {}):
            table.add_row(name.replace("_", " "), escape(str(value)))
    for name, value in account_lines(details.ingested_with):
        table.add_row(name, escape(value))
    console.print(table)


def toc(
    document: DocumentArgument,
    depth: Annotated[int | None, typer.Option(min=0, help="Maximum depth, from 0.")] = None,
    as_of: AsOfOption = None,
    json: JsonOption = False,
) -> None:
    """Show the tree of sections of a document.

    Example:
        ragraph toc dl_213 --depth 2
    """
    with open_store_as_of(document, as_of) as store:
        entries = store.toc(document, depth)
    if json:
        print_json(entries)
        return
    narrow = is_narrow()
    paged = any(entry.first_page for entry in entries)
    columns = [Column("Section", ratio=1 if narrow else None, min_width=16)]
    columns += [] if narrow else [Column("Type")]
    columns += [Column("Pages", no_wrap=True), Column("Printed", no_wrap=True)] if paged else []
    columns += [] if narrow else [Column("Nodes", justify="right")]
    table = Table(*columns, id_column("Id"), box=None, pad_edge=False, expand=narrow)
    for entry in entries:
        kind = entry.component_type.value
        printed = entry.logical_pages
        label = "" if not printed else printed[0] if len(printed) == 1 else f"{printed[0]}-{printed[-1]}"
        table.add_row(
            indented(entry.title or kind.replace("_", " ").lower(), entry.depth),
            *(() if narrow else (kind,)),
            *((pages_label(entry.first_page, entry.last_page), shown(label)) if paged else ()),
            *(() if narrow else (str(entry.nodes),)),
            entry.component_id,
        )
    console.print(table)


def page(
    document: DocumentArgument,
    number: Annotated[
        str, typer.Argument(metavar="N", help="Physical page, a range such as 3-7, or a printed page such as iv.")
    ],
    logical: Annotated[
        bool, typer.Option("--logical", "-l", help="N is a printed page, even if it is a number.")
    ] = False,
    as_of: AsOfOption = None,
    json: JsonOption = False,
) -> None:
    """Show the nodes on a page, in reading order.

    Examples:
        ragraph page dl_213 5
        ragraph page dl_213 iv
        ragraph page dl_213 3-7
    """
    with open_store_as_of(document, as_of) as store:
        nodes = store.page(document, number if logical else pages_named(document, number, store.pages(document)))
    if json:
        print_json(nodes)
        return
    for node in nodes:
        _print_node(node)
    if not nodes:
        console.print(f"Nothing on page {escape(number)} of {escape(document)}.")


class TableFormat(StrEnum):
    """Formats of a table."""

    CSV = "csv"
    HTML = "html"


def tables(
    document: DocumentArgument,
    number: Annotated[
        int | None, typer.Argument(metavar="N", min=1, help="Print this table: its number, from 1.")
    ] = None,
    section: Annotated[
        str | None, typer.Option(metavar="SECTION", help="Only this component: id, title or number.")
    ] = None,
    format: Annotated[TableFormat, typer.Option(help="Format of the printed table.")] = TableFormat.CSV,
    as_of: AsOfOption = None,
    json: JsonOption = False,
) -> None:
    """List the tables of a document, or print one of them.

    Examples:
        ragraph tables dl_213
        ragraph tables dl_213 2 > balance.csv
    """
    with open_store_as_of(document, as_of) as store:
        found = store.tables(document, section)
    if number is not None:
        if number > len(found):
            raise ArgumentError(f"there is no table {number}", hint=f"the document has {many(len(found), 'table')}")
        found = found[number - 1 : number]
    if json:
        print_json(found)
    elif number is not None:
        print_text(found[0].to_csv() if format is TableFormat.CSV else found[0].to_html())
    elif found:
        listing = Table(
            "N",
            Column("Caption, or first row", ratio=1),
            "Pages",
            "Rows",
            "Columns",
            id_column("Id"),
            box=None,
            pad_edge=False,
        )
        for place, table in enumerate(found, 1):
            pages = label_of_places(table.node.positional_data)
            size = (str(len(table.rows)), str(len(table.columns)))
            named = table.caption or " | ".join(table.rows[0] if table.rows else [])
            listing.add_row(str(place), shown(named), pages, *size, table.node.id)
        console.print(listing)
    else:
        console.print("The document has no tables.")


def render(
    document: DocumentArgument,
    section: Annotated[
        str | None, typer.Option(metavar="SECTION", help="Only this component: id, title or number.")
    ] = None,
    format: Annotated[Format, typer.Option(help="Form of the text.")] = Format.MARKDOWN,
    notes: Annotated[Notes, typer.Option(help="Position of footnotes.")] = Notes.AFTER,
    page_breaks: Annotated[bool, typer.Option("--page-breaks", help="Mark page ends with [page break].")] = False,
    furniture: Annotated[
        bool, typer.Option("--furniture", help="Include running heads, running feet and page numbers.")
    ] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write to this file.")] = None,
    as_of: AsOfOption = None,
    json: JsonOption = False,
) -> None:
    """Print a document, or a part of it, as clean linear text.

    Example:
        ragraph render dl_213 --section "Findings" --format text -o found.txt
    """
    with open_store_as_of(document, as_of) as store:
        text = store.render(
            document,
            section=section,
            format=format.value,
            notes=notes.value,
            page_breaks=page_breaks,
            furniture=furniture,
        )
    if output:
        output.write_text(text, encoding="utf-8")
    elif json:
        print_json({"document_id": document, "section": section, "format": format.value, "text": text})
    else:
        print_text(text)


def related(
    document: DocumentArgument,
    node: Annotated[str, typer.Argument(metavar="NODE", help="Id of the node to start from.")],
    type: Annotated[
        list[RelationType] | None,
        typer.Option(
            metavar="TYPE", case_sensitive=False, help="Relation type to follow; may be repeated.", show_choices=False
        ),
    ] = None,
    direction: Annotated[
        Direction, typer.Option(help="Follow relations forwards, backwards, or both.")
    ] = Direction.OUT,
    hops: Annotated[int, typer.Option(min=1, max=100, help="Maximum number of relations away.")] = 1,
    json: JsonOption = False,
) -> None:
    """Show the nodes to which relations of a node lead.

    Notes, captions, cited entries, sections.

    Example:
        ragraph related dl_213 cn_4f2e --type REFERENCES_NOTE --hops 2
    """
    with open_store() as store:
        found = store.related(document, node, types=type, direction=direction.value, max_hops=hops)
    if json:
        print_json(found)
        return
    for item in found:
        marker = f" [dim]{escape(item.marker_text)}[/]" if item.marker_text else ""
        console.print(f"[cyan]{item.relation_type.value}[/]{marker} [dim]hop {item.hop}[/]")
        _print_node(item.node)
    if not found:
        console.print("This node has no relations of this kind.")


def delete(
    document: Annotated[
        list[str] | None, typer.Argument(metavar="[DOC]...", help="Ids of documents, from `ragraph list`.")
    ] = None,
    filter: Annotated[
        str | None, typer.Option(metavar="JSON", help="Documents that pass this filter; with DOC only of these.")
    ] = None,
    collection: Annotated[str | None, typer.Option(help="Documents of this collection; alone all of them.")] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
    json: JsonOption = False,
) -> None:
    """Delete documents and their attachments.

    Everything derived from them goes too.

    Examples:
        ragraph delete dl_213 --yes
        ragraph delete --collection trial
    """
    if not document and filter is None and collection is None:
        raise typer.BadParameter("name documents, or use --filter or --collection")
    with open_store() as store:
        named = [store.document(name).document for name in document or ()]
        if filter is None and collection is None:
            found = named
        else:
            ids = [item.id for item in named] if document else None
            found = store.documents(document=ids, filter=conditions(filter), collection=collection)
        if found and not (yes or json):
            nodes = f"{sum(item.nodes for item in found):,} nodes"
            one = f"{found[0].title!r} ({nodes})" if len(found) == 1 else f"{len(found):,} documents ({nodes})"
            _confirm(f"Delete {one}?")
        deleted = store.delete([item.id for item in found])
        left = {name: rows for name in deleted if (rows := store.erased(name))}
    for name, tables in left.items():
        where = ", ".join(f"{rows} in {table}" for table, rows in tables.items())
        raise RagraphError(
            f"some rows still refer to {name}: {where}", hint="an ingest inserted it again; repeat the deletion"
        )
    if json:
        print_json({"deleted": deleted[0] if document and len(document) == 1 and deleted else deleted})
        return
    for name in deleted:
        console.print(f"Deleted {escape(name)}.")
    if not deleted:
        console.print("No document passes; nothing was deleted.")


def _confirm(question: str) -> None:
    """Ask for confirmation.

    Raises:
        Abort: the answer was no.
        RagraphError: there is no terminal to ask at.
    """
    try:
        typer.confirm(question, abort=True, err=True)
    except typer.Abort:
        if sys.stdin.isatty():
            raise
        typer.echo(err=True)
        raise RagraphError("nothing was deleted", hint="to delete without confirmation: --yes") from None


def check(
    document: Annotated[str | None, typer.Argument(metavar="[DOC]", help="Only this document.")] = None,
    json: JsonOption = False,
) -> None:
    """Check that the store, or a document, follows all rules. Exit code 1 if not.

    Example:
        ragraph check
    """
    with open_store() as store:
        violations = store.check(document)
    if json:
        print_json(violations)
    elif violations:
        table = Table(id_column("Document"), "Rule", id_column("Object"), "Detail", box=None)
        for item in violations:
            table.add_row(item.document_id or "", item.rule, item.object_id or "", escape(item.detail))
        console.print(table)
    else:
        console.print("Sound: no violation found.")
    if violations:
        raise typer.Exit(1)


def _print_node(node: Node) -> None:
    place = escape(label_of_places(node.positional_data))
    console.print(f"[bold]{node.content_node_type.value}[/] [dim]{node.id} {place}[/]")
    print_prose(escape(node.content or node.description or "(no text)"))
    console.print()
