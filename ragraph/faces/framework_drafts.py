"""Converts documents of frameworks into drafts for ``Store.add_many``: pieces of a source become one document."""

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
    """A document of a framework: a complete source, or a page of it.

    Attributes:
        source: where it was read from; consecutive pieces with the same source are one document.
        text: paragraphs separated by blank lines; lines that begin with ``#`` are headings.
        page: physical page from 1, if it is a page.
        label: number of the page as printed.
        metadata: metadata of the source; values that JSON cannot represent are written as text.
    """

    source: str | None
    text: str
    page: int | None = None
    label: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


def drafts_of(pieces: Iterable[Piece], reader: str) -> Iterator[dict[str, Any]]:
    """Yield a draft for each source, as the pieces arrive; a piece without a source is a document of its own."""
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
        # a source remains the same document if its text changes
        "id": None if first.source is None else f"dl_{hashlib.sha256(first.source.encode()).hexdigest()[:24]}",
        "reader": reader,
        "source_uri": first.source,
        "metadata": {"title": str(title), "extra": known},
        "nodes": nodes,
    }


def _nodes(paragraph: str) -> Iterator[dict[str, Any]]:
    """Yield the headings of a paragraph, and the text between them."""
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
