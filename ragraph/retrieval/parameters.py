"""Words from outside as the arguments that the store takes: what query strings, tools and forms have in common.

Texts and numbers are checked by ``base.arguments``; here is what has a form of its own: pages, dates, conditions.
"""

from __future__ import annotations

import json
import re
from datetime import date
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from ragraph.base.arguments import text
from ragraph.errors import ArgumentError
from ragraph.filters import And, Filter, field, parse

if TYPE_CHECKING:
    from collections.abc import Sequence

_RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")


def page_range(given: str | int | None) -> tuple[int, int] | None:
    """Return ``5`` or ``3-40`` as first and last page.

    Raises:
        ArgumentError: it is neither.
    """
    if given is None:
        return None
    match = _RANGE.fullmatch(text("pages", str(given)).strip())
    if not match:
        raise ArgumentError(f"pages are {given!r}", hint="give 5 or 3-40")
    return int(match[1]), int(match[2] or match[1])


def page_or_label(given: str) -> int | str:
    """Return a page as ``Store.page`` takes it: a physical number, else what is printed."""
    return int(given) if re.fullmatch(r"[0-9]{1,99}", given) else given


def conditions(given: str | dict[str, Any] | None, authors: Sequence[str] | None = None) -> Filter | None:
    """Return a filter of what was given, as JSON or what JSON says; None if nothing was.

    Raises:
        ArgumentError: it is no JSON, or no filter.
    """
    parts: list[Filter] = [field("authors").contains(name) for name in authors or []]
    if given is not None:
        try:
            parts.append(parse(json.loads(text("filter", given)) if isinstance(given, str) else given))
        except (ValueError, RecursionError) as error:
            raise ArgumentError(f"the filter is no JSON ({error})") from None
    return every(*parts)


def every(*parts: Filter | None) -> Filter | None:
    """Return what meets all of these conditions, None if there is none."""
    given = tuple(part for part in parts if part is not None)
    return And(given) if given else None


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


def day(name: str, given: str | None) -> date | None:
    """Return a date; None for nothing.

    Raises:
        ArgumentError: it is none.
    """
    try:
        return date.fromisoformat(given) if given else None
    except ValueError:
        raise ArgumentError(f"{name} is {given!r}", hint="write a date as 2024-12-31") from None


def text_of(name: str, given: bytes) -> str:
    """Return the text of bytes that are said to be UTF-8.

    Raises:
        ArgumentError: they are none; half of a pair of surrogates, say.
    """
    return text(name, given.decode("utf-8", "surrogateescape"))


def style_name(given: str) -> str:
    """Return the name of a style of citations: a path would name a file of the server."""
    return PurePath(given).name.removesuffix(".csl") if given else given
