"""Texts too long for one node: a cell, a line or a paragraph of millions of characters becomes several nodes.

Every step that works on a node holds all of it in memory: the row in the database, the tokens of the model, the
sentences of an answer. So the reader's process, whose memory is limited, cuts texts longer than people write in one
piece.
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from ragraph.schema.enums import ContentNodeType
from ragraph.schema.words import TEXT_SEARCH_CHARS_TWICE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragraph.ingest.draft import Draft, DraftNode, DraftRelation

LONGEST_TEXT = TEXT_SEARCH_CHARS_TWICE
"""Maximum characters of a node: as many as the word index reads of any text, so that no word is left out of it."""

_BOUNDS = tuple(
    map(re.compile, (r"\n\s*\n\s*", r"\n\s*", r"[.!?。！？…]['\"”’)\]]*\s+|[。！？]", r"\s+")),
)
"""Places where a text may be cut, best first: paragraphs, lines, sentences, words."""

_HEADINGS = {
    ContentNodeType.TITLE,
    ContentNodeType.SUBTITLE,
    ContentNodeType.HEADING,
    ContentNodeType.SUBHEADING,
}


def cut_long_texts(draft: Draft) -> Draft:
    """Return the draft with every text of more than ``LONGEST_TEXT`` characters cut into several nodes in its place.

    The pieces have the type, container and pages of the original node; the first has its key and anchors. A relation
    starts from the piece that has its marker. A table is cut between rows. A cell too long for one row is continued
    in further rows, whose other cells are empty. A title or heading is continued as paragraphs.
    """
    if all(len(node.text) <= LONGEST_TEXT for node in draft.nodes):
        return draft
    keys = {node.key for node in draft.nodes}
    nodes: list[DraftNode] = []
    pieces: dict[str, list[DraftNode]] = {}
    for node in draft.nodes:
        if len(node.text) <= LONGEST_TEXT:
            nodes.append(node)
            continue
        pieces[node.key] = _named(node, list(_tables(node) if node.data.get("cells") else _texts(node)), keys)
        nodes += pieces[node.key]
    relations = [_from_piece(relation, pieces.get(relation.source, [])) for relation in draft.relations]
    texts, were = ("1 text", "was") if len(pieces) == 1 else (f"{len(pieces)} texts", "were")
    warning = f"{texts} of more than {LONGEST_TEXT:,} characters {were} cut into several nodes"
    return draft.model_copy(
        update={"nodes": nodes, "relations": relations, "warnings": [*draft.warnings, warning]},
    )


def spans_of(text: str, size: int = LONGEST_TEXT) -> list[tuple[int, int]]:
    """Return start and end of consecutive pieces that cover a text, each of at most ``size`` characters.

    A piece ends at a paragraph, line, sentence or word, in this order, if one ends in its second half.
    """
    spans = []
    start = 0
    while len(text) - start > size:
        end = start + size
        for bound in _BOUNDS:
            found = [match.end() for match in bound.finditer(text, start + size // 2, end)]
            if found:
                end = found[-1]
                break
        spans.append((start, end))
        start = end
    return [*spans, (start, len(text))]


def _texts(node: DraftNode) -> Iterator[DraftNode]:
    for start, end in spans_of(node.text):
        later = ContentNodeType.PARAGRAPH if node.type in _HEADINGS and start else node.type
        level = None if later is not node.type else node.level
        yield node.model_copy(update={"text": node.text[start:end], "type": later, "level": level})


def _tables(node: DraftNode) -> Iterator[DraftNode]:
    cells: list[list[str]] = node.data["cells"]
    stated = node.data.get("header_rows")
    header_rows = stated if type(stated) is int and stated > 0 else 0
    rows = [part for row in cells for part in _rows(row)]
    sizes = accumulate(sum(map(len, row)) + 3 * len(row) for row in rows)
    groups = defaultdict(list)
    for row, size in zip(rows, sizes, strict=True):
        groups[size // (LONGEST_TEXT // 2)].append(row)  # a row has half of it at most
    bounds = [0, *accumulate(len(group) for group in groups.values())]
    for first, last in pairwise(bounds):
        part = rows[first:last]
        data = {name: value for name, value in node.data.items() if name not in ("cells", "header_rows", "spans")}
        data |= {"cells": part, "header_rows": 0 if first else header_rows}
        if first and sum(len(cell) for row in cells[:header_rows] for cell in row) < LONGEST_TEXT:
            data |= {"header": cells[:header_rows], "first_row": node.data.get("first_row", 0) + first}
        text = "\n".join(" | ".join(" ".join(cell.split()) for cell in row) for row in part)
        yield node.model_copy(update={"text": text, "data": data})


def _rows(row: list[str]) -> list[list[str]]:
    """Return the row, or several rows if a cell is too long for one."""
    size = max(LONGEST_TEXT // 2 // max(len(row), 1), 100)
    if all(len(cell) <= size for cell in row):
        return [row]
    parts = [[cell[start:end] for start, end in spans_of(cell, size)] for cell in row]
    return [[part[number] if number < len(part) else "" for part in parts] for number in range(max(map(len, parts)))]


def _named(node: DraftNode, pieces: list[DraftNode], keys: set[str]) -> list[DraftNode]:
    """Return pieces with keys of their own; the first keeps the node's key, anchors and marker."""
    named = pieces[:1]
    number = 1
    for piece in pieces[1:]:
        number += 1
        while f"{node.key}/{number}" in keys:
            number += 1
        key = f"{node.key}/{number}"
        keys.add(key)
        named.append(piece.model_copy(update={"key": key, "anchors": [], "marker": None, "description": None}))
    return named


def _from_piece(relation: DraftRelation, pieces: list[DraftNode]) -> DraftRelation:
    """Return the relation with the piece that has its marker as source."""
    if len(pieces) < 2 or relation.marker is None:
        return relation
    if relation.marker_start is not None and not pieces[0].data.get("cells"):
        start = relation.marker_start
        for piece in pieces:
            if start < len(piece.text):
                return relation.model_copy(update={"source": piece.key, "marker_start": start})
            start -= len(piece.text)
    # rows of a table are written again, so its markers are searched for
    for piece in pieces:
        if (start := piece.text.find(relation.marker)) >= 0:
            return relation.model_copy(update={"source": piece.key, "marker_start": start})
    return relation.model_copy(update={"marker_start": None})
