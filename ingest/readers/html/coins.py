"""Metadata of bibliography entries in COinS (ContextObjects in Spans), as Wikipedia and Zotero write them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

if TYPE_CHECKING:
    from lxml import etree

_IDS = {"info:doi/": "doi", "info:pmid/": "pmid", "info:arxiv/": "arxiv"}


def stated(element: etree._Element) -> dict[str, Any]:
    """Return the fields and identifiers of the entry in an element, in the form of JATS entries.

    An element with none, or several of them, returns an empty dict.
    """
    spans = [found for found in element.iter("span", "{*}span") if "Z3988" in (found.get("class") or "").split()]
    if len(spans) != 1:
        return {}
    said = {name: [" ".join(value.split()) for value in values] for name, values in _pairs(spans[0]).items()}

    def first(*names: str) -> str:
        return next((said[f"rft.{name}"][0] for name in names if said.get(f"rft.{name}")), "")

    title = first("atitle", "title", "btitle")
    container = first("jtitle", "btitle", "title")
    start, end = first("spage"), first("epage")
    year = re.search(r"(?<!\d)\d{4}(?!\d)", first("date"))
    entry = {
        "authors": _authors(said),
        "year": year[0] if year else "",
        "title": title or container,
        "container": container if title and container != title else "",
        "volume": first("volume"),
        "issue": first("issue"),
        "pages": first("pages") or (f"{start}-{end}" if start and end else start),
        "isbn": first("isbn"),
    }
    entry = {name: value for name, value in entry.items() if value}
    ids = {
        kind: value.removeprefix(prefix)
        for value in said.get("rft_id", ())
        for prefix, kind in _IDS.items()
        if value.startswith(prefix)
    }
    parts = {"entry": entry if entry.get("title") else {}, "ids": ids}
    return {name: value for name, value in parts.items() if value}


def _pairs(span: etree._Element) -> dict[str, list[str]]:
    try:
        return parse_qs(span.get("title") or "", max_num_fields=200)
    except ValueError:
        return {}


def _authors(said: dict[str, list[str]]) -> list[str]:
    """Return all authors, first the one with separate name parts."""
    last, given = said.get("rft.aulast", [""])[0], said.get("rft.aufirst", [""])[0]
    lead = ", ".join(part for part in (last, given) if part)
    return list(dict.fromkeys(name for name in (lead, *said.get("rft.au", ())) if name))
