"""Documents of frameworks as drafts, for ``Store.add_many``: pieces of one source become a document with its pages."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_HEADING = re.compile(r"(#{1,6})\s+(\S.*?)\s*#*$")
_BLANK_LINES = re.compile(r"\n[ \t]*\n\s*")
_TITLE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A document of a framework: the whole of a source, or a page of it.

    Attributes:
        source: what it was read from; pieces that follow on each other with the same one are one document.
        text: paragraphs, blank lines between them; lines with ``#`` in front are headings.
        page: physical page from 1, where it is one.
        label: number of the page as printed.
        metadata: what is known of the source; what JSON cannot hold is written as text.
    """

    source: str | None
    text: str
    page: int | None = None
    label: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


def drafts_of(pieces: Iterable[Piece], reader: str) -> Iterator[dict[str, Any]]:
    """Give a draft for each source, one at a time as they come; a piece without a source is a document of its own."""
    numbered = enumerate(pieces)
    for _, group in groupby(numbered, lambda item: item[1].source if item[1].source is not None else item[0]):
        yield _draft([piece for _, piece in group], reader)


def _draft(pieces: list[Piece], reader: str) -> dict[str, Any]:
    first = pieces[0]
    known = json.loads(json.dumps(dict(first.metadata), default=str))
    nodes: list[dict[str, Any]] = []
    for piece in pieces:
        positions = [] if piece.page is None else [{"page_pdf": piece.page, "page_logical": piece.label}]
        for paragraph in _BLANK_LINES.split(piece.text.strip()):
            nodes += [
                {"key": str(len(nodes) + number), "positions": positions, **node}
                for number, node in enumerate(_nodes(paragraph))
            ]
    title = known.get("title") or (PurePath(first.source).name if first.source else None) or nodes[0]["text"][:_TITLE]
    return {
        # the same source stays the same document when its text changes
        "id": None if first.source is None else f"dl_{hashlib.sha256(first.source.encode()).hexdigest()[:24]}",
        "reader": reader,
        "source_uri": first.source,
        "metadata": {"title": str(title), "extra": known},
        "nodes": nodes,
    }


def _nodes(paragraph: str) -> Iterator[dict[str, Any]]:
    """Give the headings of a paragraph, and what stands between them."""
    lines: list[str] = []
    for line in paragraph.split("\n"):
        if heading := _HEADING.fullmatch(line.strip()):
            if lines:
                yield {"type": "PARAGRAPH", "text": "\n".join(lines)}
                lines = []
            yield {"type": "HEADING", "text": heading[2], "level": len(heading[1])}
        else:
            lines.append(line)
    if "".join(lines).strip() or not paragraph:
        yield {"type": "PARAGRAPH", "text": "\n".join(lines)}
