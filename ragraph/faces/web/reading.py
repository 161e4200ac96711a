"""Data of a document's page: the part of its text, the page image with boxes, and the selected passage."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from ragraph.base.inline import plain
from ragraph.errors import ComponentNotFoundError
from ragraph.faces.web.text import Reader, notes_in, readable
from ragraph.retrieval.pages import page_number
from ragraph.schema.enums import FURNITURE, RelationType
from ragraph.schema.page_labels import page_label, page_numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ragraph.schema.feedback import Review
    from ragraph.schema.pictures import Page
    from ragraph.schema.results import Citation, Document, Hit, Node, PathEntry, TocEntry
    from ragraph.store.store import Store

PART = 250
"""Maximum number of nodes of a text shown at once."""
HITS = 20

_DRAWN = {"application/pdf"}
_AIR = 1.5
"""Distance between a box and its words, in points."""
_OUTLINE = 150
"""Maximum number of entries of an outline that is shown completely; of a longer one only open branches are shown."""
ZOOMS = {"page": "Page", None: "Width", "150": "150 %", "200": "200 %", "300": "300 %"}
"""Sizes of the page image, from small to large: fitted to the window, to its column, or a share of its column."""
_SCALES = {"200": 3.0, "300": 4.0}
"""Pixels per point for sizes at which the usual ones would look coarse."""


@dataclass(frozen=True)
class State:
    """The state in the address of a document's page."""

    document: str
    section: str | None = None
    page: str | None = None
    node: str | None = None
    part: int | None = None
    q: str | None = None
    within: str | None = None
    mode: str | None = None
    hit: int | None = None
    style: str | None = None
    zoom: str | None = None
    k: int | None = None

    @property
    def prefix(self) -> str:
        """Beginning of the ids of passages on the page; empty if it shows one document."""
        return ""

    def url(self, **changes: object) -> str:
        """Return the address of this state, with changes; values of None are left out."""
        state = replace(self, **changes)  # type: ignore[arg-type]
        named = ("section", "page", "node", "part", "q", "within", "mode", "hit", "style", "zoom", "k")
        query = {name: getattr(state, name) for name in named if getattr(state, name) is not None}
        return f"/documents/{quote(state.document, safe='')}" + (f"?{urlencode(query)}" if query else "")

    def at(self, node: str, document: str | None = None, hit: int | None = None) -> str:
        """Return the address of a passage, within the current search."""
        place = {"document": document or self.document, "node": node, "hit": hit, "part": None, "page": None}
        section = self.section if document in (None, self.document) and hit is None else None
        return self.url(**place, section=section) + f"#{node}"

    def graph(self, node: str) -> str:
        """Return the address of the graph around a passage."""
        return f"/documents/{quote(self.document, safe='')}/graph?{urlencode({'node': node})}"


@dataclass(frozen=True)
class Box:
    """A rectangle on the page shown, in points; ``kind`` is ``selected``, ``found`` or empty."""

    x: float
    y: float
    width: float
    height: float
    node: str
    label: str
    url: str
    kind: str


@dataclass(frozen=True)
class Sheet:
    """The page shown; ``zooms`` are names of sizes with their addresses, the current one has True.

    ``doubt`` is how likely it was read wrong, from 0 to 1, if that is known.
    """

    number: int
    title: str
    zooms: list[tuple[str, str, bool]]
    width: float
    height: float
    image: str
    boxes: list[Box]
    before: str | None
    after: str | None
    doubt: float | None


@dataclass(frozen=True)
class Line:
    """A line of the outline."""

    title: str
    depth: int
    url: str
    pages: str
    open: bool


@dataclass(frozen=True)
class Tie:
    """A node that a relation leads to (``outward``), or comes from."""

    name: str
    marker: str | None
    words: str
    url: str
    node: str
    outward: bool


@dataclass(frozen=True)
class Passage:
    """The selected node: its kind, its place, its citation, and related nodes."""

    node: Node
    kind: str
    citation: Citation
    inline: str
    bibliography: str
    style: str
    ties: list[Tie]
    reviews: list[Review]


@dataclass(frozen=True)
class View:
    """Everything that the page of a document shows."""

    state: State
    document: Document
    path: list[Line]
    outline: list[Line]
    text: str
    part: int
    parts: int
    sheet: Sheet | None
    pages: Sequence[Page]
    passage: Passage | None
    hits: list[Hit] = field(default_factory=list)
    hit: int | None = None
    section_id: str | None = None


def view(store: Store, state: State, hits: list[Hit], *, text_only: bool = False) -> View:
    """Return the view for a state.

    Args:
        store: the store.
        state: the state in the address.
        hits: results of the search in the state.
        text_only: without the page image and the details of the selected passage.

    Raises:
        RagraphError: the document, section, node or page does not exist.
    """
    (document,) = store.documents(document=state.document) or [store.document(state.document).document]
    toc = store.toc(state.document)
    tree = _Tree(toc, lambda component: store.path(state.document, component))
    selected = store.node(state.document, state.node) if state.node else None
    section = tree.entry(state.section) if state.section else None
    pages = store.pages(state.document) if document.page_count else []
    labels = {page.page_pdf: page.page_logical for page in pages}
    pages = [] if text_only else pages
    number = _page(store, state, selected, section, pages)
    on_page = store.page(state.document, number) if number else []
    main = [node for node in on_page if not tree.is_furniture(node)]
    text, part, parts = _text(store, state, document, section, selected, main, bool(pages), hits)
    here = section or tree.section_of(selected) or tree.section_of(main[0] if main else None)
    found = frozenset(hit.node_id for hit in hits if hit.document_id == state.document)
    sheet = _sheet(state, document, pages, number, [*main, *([selected] if selected else [])], found)
    path = tree.path(here)
    return View(
        state=state,
        document=document,
        path=[_line(state, entry, depth, labels, opened=False) for depth, entry in enumerate(path)],
        outline=_outline(state, tree, path, labels),
        text=text,
        part=part,
        parts=parts,
        sheet=sheet,
        pages=pages,
        passage=_passage(store, state, selected) if selected and not text_only else None,
        hits=hits,
        hit=state.hit if hits and state.hit and state.hit <= len(hits) else None,
        section_id=path[-1].component_id if path else None,
    )


class _Tree:
    """The components of a document by id, and the components around each."""

    def __init__(self, toc: list[TocEntry], path: Callable[[str], list[PathEntry]]) -> None:
        self.entries = toc
        self._ask = cache(path)
        self._by_id: dict[str, TocEntry] = {}
        self._parents: dict[str, TocEntry | None] = {}
        open_: list[TocEntry] = []
        for entry in toc:
            del open_[entry.depth :]
            self._by_id[entry.component_id] = entry
            self._parents[entry.component_id] = open_[-1] if open_ else None
            open_.append(entry)

    def entry(self, component: str) -> TocEntry:
        if component not in self._by_id:
            raise ComponentNotFoundError(
                f"the document has no section {component!r}", hint="the outline shows the sections"
            )
        return self._by_id[component]

    def is_furniture(self, node: Node) -> bool:
        return any(entry.component_type in FURNITURE for entry in self._around(node))

    def _around(self, node: Node) -> list[PathEntry]:
        return self._ask(node.parent_component_id) if node.parent_component_id else []

    def section_of(self, node: Node | None) -> TocEntry | None:
        """Return the innermost titled component around a node."""
        around = reversed(self._around(node)) if node else ()
        return next((self._by_id[item.component_id] for item in around if self._titled(item.component_id)), None)

    def _titled(self, component: str) -> bool:
        return component in self._by_id and bool(self._by_id[component].title)

    def path(self, entry: TocEntry | None) -> list[TocEntry]:
        """Return the titled components from the top down to one, itself included."""
        found: list[TocEntry] = []
        while entry is not None:
            if entry.title:
                found.insert(0, entry)
            entry = self._parents[entry.component_id]
        return found

    def titled(self) -> list[tuple[TocEntry, int, TocEntry | None]]:
        """Return the titled components with their depth among those, and the titled one around each."""
        found = []
        depths: dict[str, tuple[int, TocEntry | None]] = {}
        for entry in self.entries:
            parent = self._parents[entry.component_id]
            around = self.path(parent)[-1:] if parent else []
            depth = depths[around[0].component_id][0] + 1 if around else 0
            if entry.title and entry.component_type not in FURNITURE:
                depths[entry.component_id] = depth, None
                found.append((entry, depth, around[0] if around else None))
        return found


def _page(
    store: Store, state: State, selected: Node | None, section: TocEntry | None, pages: Sequence[Page]
) -> int | None:
    if not pages:
        return None
    if state.page:
        return page_number(state.document, state.page, pages, tell=False)  # links name physical pages
    if selected is not None and selected.positional_data:
        return int(selected.positional_data[0]["page_pdf"])
    return (section.first_page if section else None) or 1


def _text(
    store: Store,
    state: State,
    document: Document,
    section: TocEntry | None,
    selected: Node | None,
    main: list[Node],
    paged: bool,
    hits: list[Hit],
) -> tuple[str, int, int]:
    """Return the text to read, the number of its part, and the number of parts."""
    chosen: tuple[int, int] | None = None
    if section is not None and section.nodes <= PART:
        total = section.nodes
    elif section is not None:
        places = [node.sequence_in_document for node in store.nodes(state.document, section.component_id)]
        chosen, total = (places[0], places[-1]), len(places)
    elif paged:
        places = [node.sequence_in_document for node in main]
        if not places:
            return "", 1, 1
        chosen, total = (min(places), max(places)), max(places) - min(places) + 1
    else:
        chosen, total = (0, max(0, document.nodes - 1)), document.nodes
    parts = max(1, -(-total // PART))
    part = 1
    if chosen is not None and parts > 1:
        at = selected.sequence_in_document - chosen[0] if selected else 0
        part = min(max(1, state.part or (at // PART + 1 if 0 <= at < total else 1)), parts)
        first = chosen[0] + (part - 1) * PART
        chosen = first, min(chosen[1], first + PART - 1)
    if chosen is None and section is not None:
        rendered = store.render(state.document, section=section.component_id, format="html")
    else:
        rendered = store.render(state.document, nodes=chosen, format="html")
    found = frozenset(hit.node_id for hit in hits if hit.document_id == state.document)
    pictured = frozenset(store.pictured(state.document)) if "<figure" in rendered else frozenset()
    reader = Reader(
        link=lambda node: state.at(node),
        figure=lambda node: _figure(document, node, pictured),
        selected=state.node,
        found=found,
        sources=_sources(store, state.document, notes_in(rendered)),
        prefix=state.prefix,
    )
    return readable(rendered, reader), part, parts


def _sources(store: Store, document: str, notes: list[str]) -> dict[str, str]:
    """Return, for notes, the first node that refers to each."""
    sources: dict[str, str] = {}
    for relation in store.relations(document, notes) if notes else ():
        if relation.relation_type is RelationType.REFERENCES_NOTE:
            sources.setdefault(relation.target_node_id, relation.source_node_id)
    return sources


def _figure(document: Document, node: str, pictured: frozenset[str]) -> str | None:
    if document.mime_type in _DRAWN or node in pictured:
        return f"/api/documents/{quote(document.id, safe='')}/nodes/{quote(node, safe='')}/figure"
    return None


def _sheet(
    state: State,
    document: Document,
    pages: Sequence[Page],
    number: int | None,
    nodes: Sequence[Node],
    found: frozenset[str],
) -> Sheet | None:
    drawn = document.mime_type in _DRAWN or (document.mime_type or "").startswith("image/")
    page = next((page for page in pages if page.page_pdf == number), None)
    if page is None or not drawn or not page.width or not page.height:
        return None
    boxes: list[Box] = []
    done: set[str] = set()
    said = page_label([page.page_pdf], [page.page_logical])
    for node in nodes:
        if node.id in done:
            continue
        done.add(node.id)
        kind = "selected" if node.id == state.node else "found" if node.id in found else ""
        for place in node.positional_data:
            box = place.get("bbox")
            if box and place["page_pdf"] == number:
                size = box["x2"] - box["x1"] + 2 * _AIR, box["y2"] - box["y1"] + 2 * _AIR
                label = f"{kind_of(node)}, {said}"
                boxes.append(Box(box["x1"] - _AIR, box["y1"] - _AIR, *size, node.id, label, state.at(node.id), kind))
    order = {"": 0, "found": 1, "selected": 2}
    boxes.sort(key=lambda box: order[box.kind])  # the last one drawn is on top

    def turn(to: int) -> str | None:
        there = pages[0].page_pdf <= to <= pages[-1].page_pdf
        return state.url(page=str(to), section=None, node=None, part=None, hit=None) if there else None

    printed = page.page_logical if page.page_logical and page.page_logical != str(number) else None
    title = f"Page {printed} ({number} of {len(pages)})" if printed else f"Page {number} of {len(pages)}"
    address = f"/api/documents/{quote(state.document, safe='')}/pages/{number}/image"
    image = address + (f"?scale={_SCALES[state.zoom]}" if state.zoom in _SCALES else "")
    fragment = f"#{state.node}" if state.node else ""
    zooms = [(words, state.url(zoom=zoom) + fragment, zoom == state.zoom) for zoom, words in ZOOMS.items()]
    return Sheet(
        number=page.page_pdf,
        title=title,
        zooms=zooms,
        width=page.width,
        height=page.height,
        image=image,
        boxes=boxes,
        before=turn(page.page_pdf - 1),
        after=turn(page.page_pdf + 1),
        doubt=page.doubt,
    )


def _line(state: State, entry: TocEntry, depth: int, labels: Mapping[int, str | None], *, opened: bool) -> Line:
    first, last = entry.first_page, entry.last_page
    ends: list[int | None] = [] if first is None else [first] if last in (None, first) else [first, last]
    pages = page_numbers([page for page in ends if page], [labels.get(page) for page in ends if page])
    place = {"section": entry.component_id, "page": None, "node": None, "part": None, "hit": None}
    return Line(entry.title or "", depth, state.url(**place), pages, opened)


def _outline(state: State, tree: _Tree, path: list[TocEntry], labels: Mapping[int, str | None]) -> list[Line]:
    titled = tree.titled()
    open_ids = {entry.component_id for entry in path}
    here = path[-1].component_id if path else None
    if len(titled) > _OUTLINE:
        titled = [item for item in titled if item[1] <= 1 or (item[2] and item[2].component_id in open_ids)]
    return [_line(state, entry, depth, labels, opened=entry.component_id == here) for entry, depth, _ in titled]


def _passage(store: Store, state: State, node: Node) -> Passage:
    citation = store.cite(state.document, node.id)
    style = state.style or "apa"
    printed = store.format_citations([citation], style=style)
    reviews = store.reviews(state.document, node.id)
    cited = "\n".join(printed.bibliography)
    ties = ties_of(store, state, node.id)
    return Passage(node, kind_of(node), citation, printed.inline[0], cited, style, ties, reviews)


def ties_of(store: Store, state: State, node: str) -> list[Tie]:
    """Return the nodes that relations connect to a node: those that it leads to come first.

    Args:
        store: the store.
        state: the state whose addresses are used.
        node: id of the node.

    Raises:
        NodeNotFoundError: the document has no such node.
    """
    ties = []
    for outward in (True, False):
        for item in store.related(state.document, node, direction="out" if outward else "in"):
            words = item.node.content or item.node.description or kind_of(item.node)
            said = item.relation_type.outward if outward else item.relation_type.inward
            url = state.at(item.node.id)
            ties.append(Tie(said, item.marker_text, short(words), url, item.node.id, outward))
    return ties


def kind_of(node: Node) -> str:
    """Return the type of a node for people."""
    return node.content_node_type.value.replace("_", " ").capitalize()


def short(words: str, most: int = 160) -> str:
    """Return a text as one line, cut at a word."""
    words = " ".join(plain(words).split())
    return words if len(words) <= most else words[:most].rsplit(" ", 1)[0] + " \u2026"
