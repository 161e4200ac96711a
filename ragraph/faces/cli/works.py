"""The commands for works: the works that documents cite, and citations between documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Column, Table

from ragraph.base.counts import many
from ragraph.faces.cli.output import (
    DocumentArgument,
    JsonOption,
    console,
    id_column,
    is_narrow,
    open_store,
    print_json,
    print_prose,
    shown,
)

if TYPE_CHECKING:
    from ragraph.schema.works import CoCitedWork, Work, WorkEntry

app = typer.Typer(help="Works that documents cite; merge and split works.", invoke_without_command=True)

DocumentOption = Annotated[list[str] | None, typer.Option(help="Only what this document cites or is; may be repeated.")]
CollectionOption = Annotated[str | None, typer.Option(help="Only this collection.")]
UpdateOption = Annotated[bool, typer.Option("--update", help="First read the bibliographies that are new or changed.")]
_TITLE = 120
"""Maximum number of characters of a title in the list; `works show` has all of it."""
LimitOption = Annotated[int, typer.Option("--limit", "-n", min=0, help="Maximum number; 0 for all.")]


def register(main: typer.Typer) -> None:
    """Add the commands of this module to the command line."""
    main.command()(citing)
    main.command("cited-by")(cited_by)


@app.callback()
def works(
    context: typer.Context,
    document: DocumentOption = None,
    collection: CollectionOption = None,
    update: UpdateOption = False,
    limit: LimitOption = 50,
    json: JsonOption = False,
) -> None:
    """List the works that documents cite, the most cited first."""
    if context.invoked_subcommand is None:
        list_works(document, collection, update=update, limit=limit, json=json)


@app.command("list")
def list_works(
    document: DocumentOption = None,
    collection: CollectionOption = None,
    *,
    update: UpdateOption = False,
    limit: LimitOption = 50,
    json: JsonOption = False,
) -> None:
    """List the works that documents cite, the most cited first.

    Example:
        ragraph works list --document dl_213
    """
    with open_store() as store:
        report = store.update_works(document or None, collection=collection) if update else None
        found = store.works(document=document or None, collection=collection, limit=limit or None)
    if json:
        print_json(found)
        return
    if report is not None:
        read = f"{many(report.entries, 'entry')} of {many(report.read, 'document')} read"
        console.print(f"{read}, {many(report.changed, 'row')} changed")
    if not found:
        console.print("No works; if an older version filled the store, read the bibliographies: ragraph works --update")
        return
    narrow = is_narrow()
    columns = [id_column("Work"), Column("Title", ratio=1 if narrow else None)]
    columns += [] if narrow else [Column("Authors")]
    columns += [Column(head, justify="right") for head in ("Year", "Documents")]
    held = not narrow and any(item.held for item in found)
    columns += [id_column("Held as")] if held else []
    table = Table(*columns, box=None, header_style="bold", pad_edge=False, expand=narrow)
    for item in found:
        title, people = shown(_cut(item.title or "")), _people(item.authors)
        named = (title or people,) if narrow else (title, people)
        own = ("\n".join(map(shown, item.held)),) if held else ()
        table.add_row(shown(item.identity), *named, str(item.year or ""), f"{item.documents:,}", *own)
    console.print(table)


@app.command()
def show(
    name: Annotated[str, typer.Argument(metavar="WORK", help="Identity, DOI, PMID or whole title.")],
    json: JsonOption = False,
) -> None:
    """Show a work: its fields, and how often it is cited.

    Examples:
        ragraph works show 10.1000/182
        ragraph works show "A power primer"
    """
    with open_store() as store:
        found = store.works(name)
    if json:
        print_json(found)
        return
    for item in found:
        print_prose(_said(item))
        parts = [f"{key} {value}" for key, value in _identifiers(item) if value]
        held = f"; held as {', '.join(item.held)}" if item.held else ""
        counts = f"cited by {many(item.entries, 'entry')} of {many(item.documents, 'document')}{held}"
        console.print(f"[dim]{shown('  '.join([*parts, counts]))}[/]")


@app.command()
def merge(
    names: Annotated[list[str], typer.Argument(metavar="WORK...", help="Identities, DOIs, titles: two or more.")],
) -> None:
    """Merge works into one.

    Example:
        ragraph works merge work_1f work_2e
    """
    with open_store() as store:
        console.print(store.merge_works(names))


@app.command()
def split(
    name: Annotated[str, typer.Argument(metavar="WORK", help="Identity, DOI, PMID or whole title.")],
    document: Annotated[str, typer.Option(help="The document in which it is another work.")],
) -> None:
    """Make a citation another work in one document.

    Example:
        ragraph works split "A power primer" --document DOC
    """
    with open_store() as store:
        console.print(store.split_work(name, document))


@app.command()
def reset(name: Annotated[str, typer.Argument(metavar="WORK", help="Identity, DOI, PMID or whole title.")]) -> None:
    """Undo merge and split of a work.

    Example:
        ragraph works reset "A power primer"
    """
    with open_store() as store:
        console.print(f"{store.reset_work(name):,} released")


def citing(document: DocumentArgument, json: JsonOption = False) -> None:
    """List the documents that cite a document.

    Example:
        ragraph citing DOC
    """
    with open_store() as store:
        found = store.citing(document)
    if json:
        print_json(found)
        return
    for item in found:
        print_prose(f"[cyan]{shown(item.document_title)}[/] {shown(item.document_id)}")
        print_prose(f"  {_said(item)} [dim]by {shown(item.rule)}[/]")
    if not found:
        console.print("No document of the store cites it.")


def cited_by(document: DocumentArgument, json: JsonOption = False) -> None:
    """List the works that a document cites.

    Prints the entries of its bibliography, each with its work and the documents of the store that are that work.

    Examples:
        ragraph cited-by DOC
        ragraph cited-by DOC --json
    """
    with open_store() as store:
        found = store.cited_by(document)
    if json:
        print_json(found)
        return
    for item in found:
        held = f" [green]held as {shown(', '.join(item.held))}[/]" if item.held else ""
        read = "as stated" if item.stated else "read from the text"
        print_prose(f"{_said(item)} [dim]{read} {shown(item.identity)}[/]{held}")
    if not found:
        console.print("It has no bibliography, or it was not read: ragraph works --update")


def _cut(title: str) -> str:
    return title if len(title) <= _TITLE else title[:_TITLE].rsplit(" ", 1)[0] + " …"


def _people(authors: list[str]) -> str:
    names = [author.split(",")[0] for author in authors]
    return shown(f"{names[0]} et al." if len(names) > 2 else " and ".join(names))


def _said(item: Work | WorkEntry | CoCitedWork) -> str:
    place = [part for part in (getattr(item, "container", None), getattr(item, "volume", None)) if part]
    pages = getattr(item, "pages", None)
    where = f" [italic]{shown(' '.join(place))}{shown(f': {pages}') if pages else ''}[/]" if place else ""
    authors = _people(item.authors) if item.authors else ""
    return f"{authors} ({item.year or 'n. d.'}): {shown(item.title or '')}.{where}"


def _identifiers(item: Work) -> list[tuple[str, str | None]]:
    return [("doi", item.doi), ("pmid", item.pmid), ("arxiv", item.arxiv), ("isbn", item.isbn), ("", item.identity)]
