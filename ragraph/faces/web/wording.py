"""What errors say over HTTP: in the words of REST, or of the pages."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING

from ragraph.errors import (
    ArgumentError,
    ComponentNotFoundError,
    DocumentNotFoundError,
    EntityNotFoundError,
    ModelNotFoundError,
    NodeNotFoundError,
    RagraphError,
    reworded,
)
from ragraph.search import PUBLIC_NAMES

if TYPE_CHECKING:
    from collections.abc import Collection

_API: dict[type[RagraphError], str] = {
    DocumentNotFoundError: "GET /api/documents lists the ids",
    ComponentNotFoundError: "GET /api/documents/DOC/outline lists the sections",
    NodeNotFoundError: "GET /api/documents/DOC/nodes and /api/search give ids of nodes",
    ModelNotFoundError: "mode=text needs no model",
    EntityNotFoundError: "`ragraph entities` lists them",
}
_PAGES: dict[type[RagraphError], str] = {
    DocumentNotFoundError: "the library lists the documents",
    ComponentNotFoundError: "the outline of the document lists its sections",
    NodeNotFoundError: "search the document for it",
    ModelNotFoundError: "search by words, which needs no model",
}
_NAMES = {
    **PUBLIC_NAMES,
    "query": "q",
    "token_budget": "budget",
    "max_hops": "hops",
}
"""Arguments of Python that have another name in an address."""


def worded(error: RagraphError, *, api: bool) -> str:
    """Return what an error says as one line, as REST or the pages say it."""
    line = reworded(error, _API if api else _PAGES, error.argument and _NAMES.get(error.argument, error.argument))
    return re.sub(r"\A(\w+)(?= (?:takes|is|are) )", lambda found: _NAMES.get(found[1], found[1]), line)


def unknown(name: str, known: Collection[str]) -> ArgumentError:
    """Return the error for a parameter that an address does not take."""
    near = get_close_matches(name, known, 1)
    meant = f"; did you mean {near[0]!r}?" if near else ""
    takes = f"it takes {', '.join(known)}" if known else "it takes no parameters"
    return ArgumentError(f"there is no parameter {name[:80]!r} here{meant}", hint=takes)
