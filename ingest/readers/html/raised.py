"""Raised and lowered text of pages whose style says so: spans of Google Docs, office programs and makers of books."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragraph.ingest.readers.markup.xml import local

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lxml import etree

_ALIGNED = re.compile(r"vertical-align\s*:\s*(super|sub)\b", re.IGNORECASE)
_CLASS = re.compile(r"(?:^|,)\s*(?:span)?\.([\w-]+)\s*(?=,|$)")
_LIST_STYLE = re.compile(r"list-style(?:-type)?\s*:[^;]*?\b(lower|upper)-(alpha|latin|roman)\b", re.IGNORECASE)
_LIST_CLASS = re.compile(r"\b(lower|upper)(alpha|roman)\b")
_TAGS = {"super": "sup", "sub": "sub"}


def raise_by_style(root: etree._Element, sheets: Sequence[str] = ()) -> None:
    """Make ``sup`` and ``sub`` of spans that are raised or lowered by their style or class, in place.

    Args:
        root: the page, with its own style sheets.
        sheets: further style sheets.
    """
    own = ["".join(map(str, one.itertext())) for one in root.iter("style", "{*}style")]
    named: dict[str, str] = {}
    for sheet in (*sheets, *own):
        for rule in sheet.split("}") if "vertical-align" in sheet else ():
            selectors, _, settings = rule.rpartition("{")
            if (found := _ALIGNED.search(settings)) is not None:
                last = selectors.rpartition("{")[2]  # of a rule within @media
                named |= dict.fromkeys(_CLASS.findall(last.strip()), _TAGS[found[1].lower()])
    for span in root.iter("span", "{*}span"):
        stated = _ALIGNED.search(span.get("style") or "")
        tag = (
            _TAGS[stated[1].lower()]
            if stated
            else next((named[name] for name in (span.get("class") or "").split() if name in named), None)
        )
        if tag is not None and local(span) == "span":
            span.tag = str(span.tag).replace("span", tag)


def list_style(element: etree._Element) -> str:
    """Return the style of the numbers of a list, as the attribute ``type`` names it."""
    if stated := element.get("type"):
        return stated
    found = _LIST_STYLE.search(element.get("style") or "") or _LIST_CLASS.search(element.get("class") or "")
    if found is None:
        return "1"
    letter = "i" if found[2].lower() == "roman" else "a"
    return letter if found[1].lower() == "lower" else letter.upper()
