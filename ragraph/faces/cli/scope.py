"""Options that say where to look, written once for every command that searches."""

from __future__ import annotations

import inspect
import re
from datetime import date
from functools import wraps
from json import loads
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ragraph.filters import And, Filter, field, parse
from ragraph.retrieval.scope import ScopeOptions
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from collections.abc import Callable

_PANEL = "Where to look"


def scoped(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of a scope in place of its parameter ``where``, as ``ScopeOptions``."""
    own = inspect.signature(command, eval_str=True)
    options = inspect.signature(_where, eval_str=True).parameters

    @wraps(command)
    def run(**values: Any) -> None:
        chosen = {name: values.pop(name) for name in options}
        command(**values, where=_where(**chosen))

    parameters = [
        part
        for name, parameter in own.parameters.items()
        for part in (options.values() if name == "where" else [parameter])
    ]
    keyword_only = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters]
    run.__signature__ = own.replace(parameters=keyword_only)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _where(
    document: Annotated[
        list[str] | None, typer.Option(rich_help_panel=_PANEL, help="Only this document; may be repeated.")
    ] = None,
    section: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SECTION",
            rich_help_panel=_PANEL,
            help="Only within this component: id, title or number; may be repeated.",
        ),
    ] = None,
    type: Annotated[
        list[ContentNodeType] | None,
        typer.Option(
            metavar="TYPE",
            case_sensitive=False,
            show_choices=False,
            rich_help_panel=_PANEL,
            help="Only nodes of this type, such as TABLE; may be repeated.",
        ),
    ] = None,
    pages: Annotated[
        str | None, typer.Option(metavar="A-B", rich_help_panel=_PANEL, help="Only on these physical pages.")
    ] = None,
    collection: Annotated[str | None, typer.Option(rich_help_panel=_PANEL, help="Only this collection.")] = None,
    tag: Annotated[
        list[str] | None,
        typer.Option(rich_help_panel=_PANEL, help="Only publications with this tag; may be repeated."),
    ] = None,
    language: Annotated[
        list[str] | None,
        typer.Option(rich_help_panel=_PANEL, help="Only documents in this language; may be repeated."),
    ] = None,
    author: Annotated[
        list[str] | None,
        typer.Option(
            rich_help_panel=_PANEL,
            help="Only publications whose authors contain this text, letter case counts; may be repeated.",
        ),
    ] = None,
    after: Annotated[
        str | None, typer.Option(metavar="DATE", rich_help_panel=_PANEL, help="Published on this day or later.")
    ] = None,
    before: Annotated[
        str | None, typer.Option(metavar="DATE", rich_help_panel=_PANEL, help="Published on this day or earlier.")
    ] = None,
    filter: Annotated[
        str | None,
        typer.Option(
            metavar="JSON",
            rich_help_panel=_PANEL,
            help='Only documents that meet it, such as \'{"year": {"$gte": 2020}, "dc.title": "Costs"}\'.',
        ),
    ] = None,
    entity: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            rich_help_panel=_PANEL,
            help="Only nodes that mention this entity: name, alias or identity; may be repeated.",
        ),
    ] = None,
) -> ScopeOptions:
    """Return what the options of a command mean."""
    return {
        "document": document or None,
        "section": section or None,
        "types": type or None,
        "pages": _pages(pages),
        "collection": collection,
        "tags": tag or None,
        "languages": language or None,
        "published": (_day(after, "--after"), _day(before, "--before")) if after or before else None,
        "filter": _filter(filter, author),
        "entity": entity or None,
    }


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
        except (ValueError, RecursionError) as error:
            said = "nested too deeply" if isinstance(error, RecursionError) else error
            raise typer.BadParameter(f"this is no JSON ({said}): {text:.100}", param_hint="--filter") from None
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
