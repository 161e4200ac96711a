"""Messages of errors over HTTP, with advice for REST or for the pages."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING

from ragraph.errors import (
    ArgumentError,
    ComponentNotFoundError,
    DocumentNotFoundError,
    EntityNotFoundError,
    JobNotFoundError,
    ModelNotFoundError,
    NodeNotFoundError,
    RagraphError,
    WorkNotFoundError,
    reworded,
)
from ragraph.search import PUBLIC_NAMES

if TYPE_CHECKING:
    from collections.abc import Collection

_API: dict[type[RagraphError], str] = {
    DocumentNotFoundError: "GET /api/documents lists the ids",
    ComponentNotFoundError: "GET /api/documents/DOC/outline lists the sections",
    NodeNotFoundError: "GET /api/documents/DOC/nodes and /api/search return ids of nodes",
    ModelNotFoundError: "mode=text needs no model",
    EntityNotFoundError: "GET /api/entities lists them",
    JobNotFoundError: "GET /api/jobs lists them; the service forgets uploads when it ends",
    WorkNotFoundError: "GET /api/works lists them",
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
    "min_words": "quote_words",
}
"""Arguments of Python with another name in an address."""


_SHORT = 4
"""Letters of an end of a MIME type that is written in capitals, such as json."""
_KINDS = {
    "application/epub+zip": "EPUB",
    "application/msword": "Word",
    "application/pdf": "PDF",
    "application/rtf": "RTF",
    "application/vnd.ms-excel": "Excel",
    "application/vnd.ms-outlook": "Mail",
    "application/vnd.ms-powerpoint": "PowerPoint",
    "application/vnd.oasis.opendocument.presentation": "ODP",
    "application/vnd.oasis.opendocument.spreadsheet": "ODS",
    "application/vnd.oasis.opendocument.text": "ODT",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "PPTX",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "XLSX",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "DOCX",
    "application/x-fictionbook+xml": "FictionBook",
    "application/x-ipynb+json": "Notebook",
    "application/x-subrip": "Captions",
    "application/xhtml+xml": "HTML",
    "message/rfc822": "Mail",
    "multipart/related": "HTML",
    "text/markdown": "Markdown",
    "text/org": "Org",
    "text/plain": "Text",
    "text/prs.fallenstein.rst": "reStructuredText",
    "text/tab-separated-values": "TSV",
    "text/vtt": "Captions",
    "text/x-rst": "reStructuredText",
    **dict.fromkeys(("application/x-latex", "application/x-tex", "text/x-tex"), "TeX"),
    **dict.fromkeys(("text/asciidoc", "text/x-asciidoc"), "AsciiDoc"),
}


def kind_named(mime_type: str | None) -> str:
    """Return what people call a kind of file: "Mail" for ``message/rfc822``; of others the end of the MIME type."""
    if mime_type is None:
        return "Record"
    rest = mime_type.rpartition("/")[2].removeprefix("x-").rpartition("+")[2].rpartition(".")[2]
    return _KINDS.get(mime_type) or (rest.upper() if len(rest) <= _SHORT else rest.capitalize())


def worded(error: RagraphError, *, api: bool) -> str:
    """Return the message of an error as one line, with advice for REST or for the pages."""
    line = reworded(error, _API if api else _PAGES, error.argument and _NAMES.get(error.argument, error.argument))
    return re.sub(r"\A(\w+)(?= (?:takes|is|are) )", lambda found: _NAMES.get(found[1], found[1]), line)


def unknown(name: str, known: Collection[str]) -> ArgumentError:
    """Return the error for a parameter that an address does not have."""
    near = get_close_matches(name, known, 1)
    meant = f"; did you mean {near[0]!r}?" if near else ""
    takes = f"it takes {', '.join(known)}" if known else "it takes no parameters"
    return ArgumentError(f"there is no parameter {name[:80]!r} here{meant}", hint=takes)
