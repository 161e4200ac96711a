"""What comes in over HTTP: words of a query string as the arguments that the store takes."""

from __future__ import annotations

import json
import re
from datetime import date
from typing import Annotated, Any

from fastapi import Query

from ragraph.arguments import text
from ragraph.errors import ArgumentError
from ragraph.filters import And, Filter, field, parse
from ragraph.scope import ScopeOptions

_RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")


def scope_options(
    document: Annotated[list[str] | None, Query(description="Only these documents: ids.")] = None,
    section: Annotated[list[str] | None, Query(description="Only these sections: id, title or number.")] = None,
    type: Annotated[list[str] | None, Query(description="Only nodes of these types.", examples=[["TABLE"]])] = None,
    pages: Annotated[str | None, Query(description="Only on these physical pages.", examples=["3-40"])] = None,
    collection: Annotated[str | None, Query(description="Only this collection.")] = None,
    tag: Annotated[list[str] | None, Query(description="Only publications with one of these tags.")] = None,
    language: Annotated[list[str] | None, Query(description="Only documents in these languages.")] = None,
    author: Annotated[list[str] | None, Query(description="Only publications whose authors contain these.")] = None,
    after: Annotated[str | None, Query(description="Published then or later.", examples=["2020-01-01"])] = None,
    before: Annotated[str | None, Query(description="Published then or earlier.", examples=["2024-12-31"])] = None,
    filter: Annotated[
        str | None,
        Query(description="A condition on documents, as JSON.", examples=['{"year": {"$gte": 2020}}']),
    ] = None,
) -> ScopeOptions:
    """Return where to look, as ``ragraph.scope.ScopeOptions``; the dependency of what searches.

    Raises:
        ArgumentError: a range or a date that is none, a filter that is no JSON.
    """
    return {
        "document": document or None,
        "section": section or None,
        "types": type or None,
        "pages": page_range(pages),
        "collection": collection,
        "tags": tag or None,
        "languages": language or None,
        "published": (_day("after", after), _day("before", before)) if after or before else None,
        "filter": conditions(filter, author),
    }


def page_range(given: str | None) -> tuple[int, int] | None:
    """Return ``5`` or ``3-40`` as first and last page.

    Raises:
        ArgumentError: it is neither.
    """
    if given is None:
        return None
    match = _RANGE.fullmatch(text("pages", given).strip())
    if not match:
        raise ArgumentError(f"pages are {given!r}", hint="give 5 or 3-40")
    return int(match[1]), int(match[2] or match[1])


def conditions(filter: str | None, authors: list[str] | None = None) -> Filter | None:
    """Return a filter of what was given, None if nothing was.

    Raises:
        ArgumentError: it is no JSON, or no filter.
    """
    parts: list[Filter] = [field("authors").contains(name) for name in authors or []]
    if filter is not None:
        try:
            parts.append(parse(json.loads(text("filter", filter))))
        except (ValueError, RecursionError) as error:
            raise ArgumentError(f"the filter is no JSON ({error})") from None
    return And(tuple(parts)) if parts else None


def every(*parts: Filter | None) -> Filter | None:
    """Return what meets all of these conditions, None if there is none."""
    given = tuple(part for part in parts if part is not None)
    return And(given) if given else None


def page_or_label(given: str) -> int | str:
    """Return a page as ``Store.page`` takes it: a physical number, else what is printed."""
    return int(given) if re.fullmatch(r"[0-9]{1,9}", given) else given


def number_or_none(name: str, given: str | None) -> int | None:
    """Return a whole number of a form; None for an empty field.

    Raises:
        ArgumentError: it is none.
    """
    if given is None or not given.strip():
        return None
    if not re.fullmatch(r"[0-9]{1,9}", given.strip()):
        raise ArgumentError(f"{name} is {given!r}", hint="give a whole number")
    return int(given)


def _day(name: str, given: str | None) -> date | None:
    try:
        return date.fromisoformat(given) if given else None
    except ValueError:
        raise ArgumentError(f"{name} is {given!r}", hint="write a date as 2024-12-31") from None


JsonObject = dict[str, Any]
