"""The result of a reader for a PDF, in the terms in which all readers are compared."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from ragraph.schema.enums import ComponentType, ContentNodeType, RelationType

if TYPE_CHECKING:
    from bench.teds import Table
    from ragraph.ingest.draft import Draft, DraftNode


class Heading(NamedTuple):
    """A title and its depth from 1."""

    title: str
    depth: int


class Piece(NamedTuple):
    """A stretch of text in reading order, its pages, and its role: body, note or furniture."""

    text: str
    pages: frozenset[int]
    role: str = "body"


class Note(NamedTuple):
    """A note without its marker, and whether a mark in the text leads to it (None if the reader has no links)."""

    text: str
    linked: bool | None


class Caption(NamedTuple):
    """A caption and the kind of its target: "figure", "table", or "" for none."""

    text: str
    bound: str
    page: int


@dataclass
class Reading:
    """A document as read by one reader.

    Attributes:
        headings: headings in reading order.
        titles: titles of the document, which count as headings only if the truth has them.
        pieces: all text in reading order.
        notes: None if the reader does not separate notes from text.
        labels: printed number of every page that has one; None if the reader does not support them.
        captions: None if the reader does not separate captions from text.
        tables: tables as ``bench.teds`` compares them.
        seconds: processor time.
        links: whether the reader links marks to their notes.
        failed: the message if the reader could not read the file.
    """

    headings: list[Heading] = field(default_factory=list)
    titles: list[tuple[int, Heading]] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)
    notes: list[Note] | None = None
    labels: dict[int, str] | None = None
    captions: list[Caption] | None = None
    tables: list[Table] = field(default_factory=list)
    seconds: float = 0.0
    links: bool = False
    failed: str = ""


_FURNITURE = {ComponentType.HEADER, ComponentType.FOOTER}
_GRAPHICS = {ContentNodeType.TABLE: "table", ContentNodeType.FIGURE: "figure"}


def reading_of(draft: Draft, labels: dict[int, str] | None, seconds: float) -> Reading:
    """Return a draft in the terms of the benchmark.

    Args:
        draft: the PDF reader's draft of the file.
        labels: printed page numbers from the store, by page.
        seconds: processor time of the reader.
    """
    from bench.teds import draft_tables

    kinds = {item.key: item.type for item in draft.containers}
    marks: dict[str, list[tuple[int, str]]] = {}
    for relation in draft.relations:
        if relation.type in {RelationType.REFERENCES_NOTE, RelationType.REFERENCES_CITATION} and relation.marker:
            place = -1 if relation.marker_start is None else relation.marker_start
            marks.setdefault(relation.source, []).append((place, relation.marker))
    linked = {item.target for item in draft.relations if item.type is RelationType.REFERENCES_NOTE}
    reading = Reading(notes=[], labels=labels, captions=_captions(draft), seconds=seconds, links=True)
    reading.tables = draft_tables(draft)
    for node in draft.nodes:
        level = Heading(node.text, node.level or 1)
        if node.type is ContentNodeType.TITLE:
            reading.titles.append((len(reading.headings), level))
        elif node.type is ContentNodeType.HEADING:
            reading.headings.append(level)
        elif node.type is ContentNodeType.NOTE and reading.notes is not None:
            reading.notes.append(Note(node.text, node.key in linked))
        reading.pieces.append(_piece(node, marks.get(node.key, []), kinds))
    return reading


def _piece(node: DraftNode, marks: list[tuple[int, str]], kinds: dict[str, ComponentType]) -> Piece:
    role = "furniture" if kinds.get(node.container or "") in _FURNITURE else "body"
    if node.type is ContentNodeType.NOTE:
        role = "note"
    if node.type is ContentNodeType.PAGE_NUMBER:
        role = "furniture"
    # markers that are not in the text are printed on the page, so they are restored to their place
    text = node.text
    for place, mark in sorted(marks, reverse=True):
        if place < 0:
            text += "" if mark in node.text else f" {mark}"
        elif node.text[place : place + len(mark)] != mark:
            text = text[:place] + mark + text[place:]
    text = f"{node.marker or ''} {text.replace(' | ', ' ')}".strip()
    return Piece(text, frozenset(place.page_pdf for place in node.positions), role)


def _captions(draft: Draft) -> list[Caption]:
    nodes = {node.key: node for node in draft.nodes}
    bound = {
        item.target: _GRAPHICS.get(nodes[item.source].type, "")
        for item in draft.relations
        if item.type is RelationType.IS_CAPTIONED_BY and item.source in nodes
    }
    return [
        Caption(node.text, bound.get(node.key, ""), node.positions[0].page_pdf if node.positions else 0)
        for node in draft.nodes
        if node.type is ContentNodeType.CAPTION
    ]
