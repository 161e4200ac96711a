"""The graph around a passage: what it refers to, what refers to it, and documents that cite each other, with places.

The drawing is made here, so that the page shows it without scripts and without styles of its own.
"""

from __future__ import annotations

import textwrap
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragraph.faces.web.reading import State, kind_of, short, ties_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.schema.results import Citation, Document
    from ragraph.store.store import Store

MOST = 12
"""Maximum number of boxes in a column of the drawing; the list below it has all of them."""
_WIDTH, _HEIGHT, _STEP, _DOWN = 230, 66, 300, 84
"""Size of a box, and the distance from one column to the next and from one row to the next, in pixels."""
_LETTERS = 29
"""Letters in a line of a box."""


@dataclass(frozen=True)
class Neighbour:
    """What is connected with the passage.

    Attributes:
        name: its relation, as seen from the passage.
        words: its text or title.
        url: the address that shows it in the middle of the drawing, or its document.
        text_url: the address of its text; None for documents.
        node: its id if it is a passage of this document.
        via: for a document that is cited, the id of the entry that cites it.
    """

    name: str
    words: str
    url: str
    text_url: str | None = None
    node: str | None = None
    via: str | None = None


@dataclass(frozen=True)
class Spot:
    """A box of the drawing, in pixels: its first line, further lines, and the address that it leads to."""

    x: int
    y: int
    width: int
    height: int
    name: str
    lines: list[str]
    label: str
    url: str
    kind: str


@dataclass(frozen=True)
class Drawing:
    """Boxes (the passage, its document, the others column by column), paths between them, and the size in pixels."""

    spots: list[Spot]
    lines: list[str]
    width: int
    height: int


@dataclass(frozen=True)
class Around:
    """The graph around a passage.

    Attributes:
        inward: passages that refer to it.
        outward: passages that it refers to.
        citing: entries of other documents that cite this document.
        cited: documents of the store that the passage, or an entry that it refers to, cites.
        left_out: number of neighbours that are not drawn.
    """

    document: Document
    citation: Citation
    kind: str
    words: str
    text_url: str
    inward: list[Neighbour]
    outward: list[Neighbour]
    citing: list[Neighbour]
    cited: list[Neighbour]
    left_out: int
    drawing: Drawing


def around(store: Store, document: str, node: str) -> Around:
    """Return the graph around a passage.

    Args:
        store: the store.
        document: id of the document.
        node: id of the node.

    Raises:
        DocumentNotFoundError, NodeNotFoundError: the document or the node does not exist.
    """
    state = State(document)
    about = store.document(document).document
    chosen = store.node(document, node)
    ties = ties_of(store, state, node)
    near = [
        Neighbour(_named(tie.name, tie.marker), tie.words, state.graph(tie.node), tie.url, tie.node) for tie in ties
    ]
    inward = [one for one, tie in zip(near, ties, strict=True) if not tie.outward]
    outward = [one for one, tie in zip(near, ties, strict=True) if tie.outward]
    cited = _cited(store, document, {node, *(one.node for one in outward if one.node)})
    citing = [
        Neighbour(
            "Cites this document",
            entry.document_title,
            State(entry.document_id).graph(entry.node_id),
            State(entry.document_id).at(entry.node_id),
        )
        for entry in store.citing(document)
    ]
    citation = store.cite(document, node)
    place = citation.page_label
    words = short(chosen.content or chosen.description or kind_of(chosen), 400)
    name = f"{kind_of(chosen)}, {place}" if place else kind_of(chosen)
    drawing = _draw(
        Neighbour(name, words, state.at(node), node=node),
        Neighbour("Document", about.title, State(document).url()),
        [[*inward[:MOST], *citing[: MOST // 2]], outward[:MOST], cited[:MOST]],
    )
    return Around(
        document=about,
        citation=citation,
        kind=kind_of(chosen),
        words=words,
        text_url=state.at(node),
        inward=inward,
        outward=outward,
        citing=citing,
        cited=cited,
        left_out=sum(len(column) for column in (citing, inward, outward, cited)) - len(drawing.spots) + 2,
        drawing=drawing,
    )


def _named(name: str, marker: str | None) -> str:
    return f"{name} {marker}" if marker else name


def _cited(store: Store, document: str, entries: set[str]) -> list[Neighbour]:
    """Return the documents of the store that some entries cite."""
    found: dict[str, Neighbour] = {}
    for entry in store.cited_by(document):
        for held in entry.held if entry.node_id in entries else ():
            if held != document and held not in found:
                title = store.document(held).document.title
                found[held] = Neighbour("Document cited", title, State(held).url(), via=entry.node_id)
    return list(found.values())


def _draw(core: Neighbour, document: Neighbour, columns: Sequence[Sequence[Neighbour]]) -> Drawing:
    """Return the drawing: the first column on the left of the passage, the others on its right."""
    tall = max([3, *(len(column) for column in columns)]) * _DOWN
    left = _STEP if columns[0] else 0
    middle = _spot(core, left, tall // 2, "core")
    above = _spot(document, left, middle.y - _DOWN, "document")
    spots, lines = [middle, above], [f"M{left + _WIDTH // 2} {above.y + _HEIGHT} V{middle.y}"]
    by_node = {core.node: middle}
    for number, column in enumerate(columns):
        x = 0 if number == 0 else left + number * _STEP
        top = (tall - len(column) * _DOWN) // 2
        for row, one in enumerate(column):
            spot = _spot(one, x, top + row * _DOWN, "" if one.text_url else "document")
            spots.append(spot)
            by_node.setdefault(one.node, spot)
            if number == 0:
                lines.append(_line(spot, middle if one.node else above))
            else:
                lines.append(_line(by_node.get(one.via, middle), spot))
    right = max(spot.x for spot in spots) + _WIDTH
    return Drawing(spots, lines, right, tall)


def _spot(one: Neighbour, x: int, y: int, kind: str) -> Spot:
    label = f"{one.name}: {one.words}"
    return Spot(x, y, _WIDTH, _HEIGHT, _wrapped(one.name)[0], _wrapped(one.words), label, one.url, kind)


def _line(start: Spot, end: Spot) -> str:
    """Return a curve from the right side of one box to the left side of another."""
    x1, y1 = start.x + start.width, start.y + start.height // 2
    x2, y2 = end.x, end.y + end.height // 2
    bend = (x2 - x1) // 2
    return f"M{x1} {y1} C{x1 + bend} {y1} {x2 - bend} {y2} {x2} {y2}"


def _wrapped(words: str, most: int = 2) -> list[str]:
    """Return the first lines of a text as wide as a box; wide letters of East Asia count twice."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in words[:80])
    room = _LETTERS // 2 if wide * 2 > len(words[:80]) else _LETTERS
    return textwrap.wrap(words, room, max_lines=most, placeholder=" \u2026") or [""]
