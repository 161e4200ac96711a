"""What a reader made of a PDF, in the terms that all readers are compared in."""

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
    """A stretch of text in reading order, the pages it stands on, and what it is: body, note or furniture."""

    text: str
    pages: frozenset[int]
    role: str = "body"


class Note(NamedTuple):
    """A note without its marker, and whether a mark in the text leads to it (None where the reader has no notion)."""

    text: str
    linked: bool | None


class Caption(NamedTuple):
    """A caption and what it is bound to: "figure", "table", "" for nothing."""

    text: str
    bound: str
    page: int


@dataclass
class Reading:
    """A document as one reader sees it.

    Attributes:
        headings: in reading order.
        titles: titles of the document, which count as headings only where the truth has them.
        pieces: all text in reading order.
        notes: None where the reader does not tell notes from text.
        labels: printed number of every page that has one; None where the reader has no notion of them.
        captions: None where the reader does not tell captions from text.
        tables: as ``bench.teds`` compares them.
        seconds: processor time taken.
        links: whether the reader leads marks to their notes.
        failed: the line that says why the reader could not read the file.
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
        draft: what the PDF reader made of the file.
        labels: printed page numbers as the store gives them, by page.
        seconds: processor time the reader took.
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
    # Markers that the text does not hold are printed on the page: they are put back where they were.
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
