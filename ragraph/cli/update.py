"""The update command: metadata, tags and collection of a document."""

from __future__ import annotations

from json import loads
from typing import Annotated, Any

import typer

from ragraph.cli.output import DocumentArgument, JsonOption, open_store
from ragraph.cli.read import print_details

_FIELDS = {"date": "publication_date", "meta": "metadata", "tag": "tags", "doc-version": "version"}
"""Options that are called otherwise than their fields."""


def register(app: typer.Typer) -> None:
    """Add the command of this module to the command line."""
    app.command()(update)


def update(
    document: DocumentArgument,
    title: Annotated[str | None, typer.Option(help="Title of the publication.")] = None,
    authors: Annotated[str | None, typer.Option(help="Its authors, comma separated.")] = None,
    date: Annotated[str | None, typer.Option(metavar="DATE", help="Date of publication, as 2024-12-31.")] = None,
    source: Annotated[str | None, typer.Option(help="Repository that it comes from.")] = None,
    source_url: Annotated[str | None, typer.Option(metavar="URL", help="Its landing page.")] = None,
    uri: Annotated[str | None, typer.Option(metavar="URI", help="Its persistent identifier.")] = None,
    abstract: Annotated[str | None, typer.Option(help="Its abstract.")] = None,
    citation: Annotated[str | None, typer.Option(help="How its publisher cites it.")] = None,
    meta: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="A key of its metadata, JSON or text; no value removes it. Repeatable."),
    ] = None,
    tag: Annotated[list[str] | None, typer.Option(help="Its tags, in place of those it has; may be repeated.")] = None,
    add_tag: Annotated[list[str] | None, typer.Option(help="A tag to add; may be repeated.")] = None,
    remove_tag: Annotated[list[str] | None, typer.Option(help="A tag to take away; may be repeated.")] = None,
    language: Annotated[str | None, typer.Option(help="Language of the document, as en or pt-BR.")] = None,
    description: Annotated[str | None, typer.Option(help="Description of the document.")] = None,
    doc_version: Annotated[str | None, typer.Option("--doc-version", help="Version of the document.")] = None,
    download_url: Annotated[str | None, typer.Option(metavar="URL", help="Where its file can be downloaded.")] = None,
    collection: Annotated[str | None, typer.Option(help="Collection to move the document to.")] = None,
    unset: Annotated[
        list[str] | None, typer.Option(metavar="FIELD", help="A field to empty, such as authors; may be repeated.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Change what is known of a document, or move it to another collection; ingesting again leaves the changes.

    Examples:
        ragraph update dl_213 --title "Zero Trust" --date 2020-08-11
        ragraph update dl_213 --add-tag security --collection archive
        ragraph update dl_213 --meta year=2020 --unset authors
    """
    values = {
        "title": title,
        "authors": authors,
        "publication_date": date,
        "source": source,
        "source_url": source_url,
        "uri": uri,
        "abstract": abstract,
        "citation": citation,
        "metadata": _metadata(meta),
        "tags": tag or None,
        "add_tags": add_tag or None,
        "remove_tags": remove_tag or None,
        "language": language,
        "description": description,
        "version": doc_version,
        "download_url": download_url,
        "collection": collection,
    }
    changes: dict[str, Any] = {name: value for name, value in values.items() if value is not None}
    for name in unset or []:
        changes[_FIELDS.get(name, name).replace("-", "_")] = None
    with open_store() as store:
        details = store.update(document, **changes)
    print_details(details, json=json)


def _metadata(pairs: list[str] | None) -> dict[str, Any] | None:
    if not pairs:
        return None
    found: dict[str, Any] = {}
    for pair in pairs:
        key, sign, value = pair.partition("=")
        if not key or not sign:
            raise typer.BadParameter(f"{pair!r} has no key; write it as year=2020", param_hint="--meta")
        try:
            found[key] = loads(value) if value else None
        except ValueError:
            found[key] = value
    return found
