"""The update command: metadata, tags and collection of a document."""

from __future__ import annotations

from datetime import date as date_type
from json import loads
from typing import Annotated, Any

import typer

from ragraph.faces.cli.output import DocumentArgument, JsonOption, open_store
from ragraph.faces.cli.read import print_details

_EMPTIED = {
    "authors": "authors",
    "abstract": "abstract",
    "citation": "citation",
    "date": "publication_date",
    "source": "source",
    "source-url": "source_url",
    "uri": "uri",
    "meta": "metadata",
    "tag": "tags",
    "language": "language",
    "description": "description",
    "doc-version": "version",
    "download-url": "download_url",
}
"""Options whose field can be emptied, with the field."""


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
    remove_tag: Annotated[list[str] | None, typer.Option(help="A tag to remove; may be repeated.")] = None,
    language: Annotated[
        str | None,
        typer.Option(
            metavar="TAG", help="Language of the document, such as en or pt-BR; also used to search its text."
        ),
    ] = None,
    description: Annotated[str | None, typer.Option(help="Description of the document.")] = None,
    doc_version: Annotated[str | None, typer.Option("--doc-version", help="Version of the document.")] = None,
    download_url: Annotated[str | None, typer.Option(metavar="URL", help="Where its file can be downloaded.")] = None,
    collection: Annotated[str | None, typer.Option(help="Collection to move the document to.")] = None,
    unset: Annotated[
        list[str] | None,
        typer.Option(metavar="OPTION", help="Option to empty, such as authors or date; may be repeated."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Change the metadata of a document, or its collection. Later ingests retain the changes.

    Examples:
        ragraph update dl_213 --title "Zero Trust" --date 2020-08-11
        ragraph update dl_213 --add-tag security --collection archive
        ragraph update dl_213 --meta year=2020 --unset authors
    """
    values = {
        "title": title,
        "authors": authors,
        "publication_date": _day(date),
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
        option = name.removeprefix("--").replace("_", "-")
        if option not in _EMPTIED:
            raise typer.BadParameter(f"{name!r} is not one of {', '.join(_EMPTIED)}", param_hint="--unset")
        if _EMPTIED[option] in changes:
            raise typer.BadParameter(f"--{option} is both given and unset; leave one out")
        changes[_EMPTIED[option]] = None
    _check(changes)
    with open_store() as store:
        details = store.update(document, **changes)
    print_details(details, json=json)


def _check(changes: dict[str, Any]) -> None:
    """Refuse, with names of options, what the store would refuse with names of arguments."""
    if not changes:
        raise typer.BadParameter("there is nothing to change; give an option such as --title or --add-tag")
    if "tags" in changes and ("add_tags" in changes or "remove_tags" in changes):
        raise typer.BadParameter("--tag sets all tags and cannot be combined with --add-tag and --remove-tag")
    options = {field: option for option, field in _EMPTIED.items()}
    for name, value in changes.items():
        if isinstance(value, str) and not value.strip() and name != "collection":
            option = options.get(name, name)
            raise typer.BadParameter(
                f"it is empty; --unset {option} empties it" if name in options else "it is empty",
                param_hint=f"--{option}",
            )


def _day(text: str | None) -> date_type | None:
    try:
        return None if text is None else date_type.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a date; write it like 2024-12-31", param_hint="--date") from None


def _metadata(pairs: list[str] | None) -> dict[str, Any] | None:
    if not pairs:
        return None
    found: dict[str, Any] = {}
    for pair in pairs:
        key, sign, value = pair.partition("=")
        if not key or not sign:
            raise typer.BadParameter(f"{pair!r} has no key; write it like year=2020", param_hint="--meta")
        try:
            found[key] = loads(value) if value else None
        except ValueError:
            found[key] = value
    return found
