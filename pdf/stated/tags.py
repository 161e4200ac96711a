"""Tagged PDF as evidence: what the structure tree of the file says of its text, checked before it is believed.

Many files are tagged badly: by converters that tag every line a paragraph, or only the headings, or only some
pages. A tree is believed if it covers the text and tells more than one kind of it; its headings and its reading order
are believed one by one, so that a file with a good tree and a bad order still gives its headings and tables.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ragraph.pdf.model import Box, Kind, Region, around, shared_width
from ragraph.pdf.patterns import HEADING_TAG
from ragraph.pdf.stated.tag_content import APART, boxes_of, content_of, is_table, table_grid, texts_or_all, words_in
from ragraph.pdf.stated.tag_tree import Element, TaggedPage, is_tagged, read_tagged_page

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ragraph.pdf.model import Page
    from ragraph.pdf.stated.facts import Bookmark, Facts
    from ragraph.pdf.stated.tag_tree import Piece

_COVERED = 0.8
"""Share of the printed width of text that has to be tagged, or marked as an artifact."""
_MOST_HEADINGS = 0.35
"""A tree that calls more of the text headings is not believed about headings."""
_TURNED = 0.1
"""Share of steps back up the same column above which the order of the tree is not believed."""
_BLOCKS = {
    "P": Kind.TEXT,
    "LI": Kind.LIST_ITEM,
    "Caption": Kind.CAPTION,
    "Note": Kind.NOTE,
    "FENote": Kind.NOTE,
    "TOCI": Kind.CONTENTS,
    "Formula": Kind.FORMULA,
    "Code": Kind.CODE,
    "BibEntry": Kind.ENTRY,
    "Title": Kind.TITLE,
    "Figure": Kind.FIGURE,
    "Table": Kind.TABLE,
}
_GROUPS = {"LBody", "Div", "Sect"}
"""Elements within an item that mean nothing."""
_WHITE = 0.8
"""Height of the white over a further paragraph of an item at least, in the height of its letters."""
_INLINE = {"Span", "Code", "Em", "Strong", "Link", "Quote", "Reference", "Annot", "Sub", "Ruby", "Warichu"}
"""Elements that stand within the lines of the text that is beside them."""
_UNORDERED = {Kind.NOTE, Kind.HEADER, Kind.FOOTER}
"""Notes stand at the foot of the page wherever the tree has them; the rules bind them to their marks."""
_EMPTY = frozenset({"", "figure", "image", "picture", "graphic", "photo", "bild", "imagen", "diagram", "chart"})
"""Descriptions that describe nothing; programs put them in."""
_LEAST = 8.0
"""Points: smaller figures are signs within a line."""


@dataclass(frozen=True)
class Tags:
    """What came of the tags of a file.

    Attributes:
        used: whether they are taken as evidence.
        reason: why not, for the record; "" where the file has none.
        covered: share of the text that they cover.
    """

    used: bool
    reason: str = ""
    covered: float = 0.0


@dataclass(frozen=True)
class _Part:
    """A block of the tree on a page: its kind, the boxes of its content in order, and the element."""

    kind: Kind
    boxes: list[Box]
    element: Element
    level: int | None = None


def state_tags(pages: Sequence[Page], document: Any, outline: Sequence[Bookmark] = ()) -> Tags:
    """Add regions to the pages of a tagged file, and the cells of its tables, if its tags can be believed.

    What the tags call an item or a caption and the outline names is text, which may be a heading.

    Args:
        pages: with words, before their lines are made; ``regions`` change.
        document: the file, opened by ``facts.open_pdf``.
        outline: of the file.
    """
    if not is_tagged(document):
        return Tags(False)
    tagged = {page.number: read_tagged_page(document, page.number) for page in pages if not page.failed}
    known = _with_words(pages, tagged)
    covered = _covered(document, tagged)
    if covered < _COVERED:
        return Tags(False, f"they cover {covered:.0%} of the text", covered)
    parts = {number: list(_parts(found)) for number, found in known.items()}
    doubt = _doubt(parts)
    if doubt:
        return Tags(False, doubt, covered)
    headings = _headings_hold(parts)
    # Where no heading is tagged, "P" does not say that a paragraph is none.
    silent = set() if headings else {Kind.TEXT, Kind.HEADING}
    ordered = headings and _order_holds(parts)
    # Tags are places on the sheet as it lies.
    stated = [page for page in pages if page.turn is None and page.number in known]
    inside = [(page, part) for page in stated for part in parts[page.number]]
    for count, (page, part) in enumerate(inside, 1):
        if part.kind not in silent:
            _add(page, part, count if ordered and part.kind not in _UNORDERED else None, known[page.number])
    _take_artifacts(stated, known)
    _name(pages, outline)
    return Tags(True, "", covered)


def _with_words(pages: Sequence[Page], tagged: Mapping[int, TaggedPage | None]) -> dict[int, TaggedPage]:
    """Return the pages that have a tree, those that are read as they lie with their words."""
    known = {number: found for number, found in tagged.items() if found is not None}
    for page in pages:
        if page.number in known and page.turn is None:
            known[page.number].words = page.words
    return known


def _take_artifacts(pages: Sequence[Page], known: Mapping[int, TaggedPage]) -> None:
    """Add the regions of furniture to pages, and drop images and drawings that are no content."""
    for page in pages:
        page.regions += _furniture(page, known[page.number])
        _drop_artifacts(page, known[page.number])


def _covered(document: Any, tagged: dict[int, TaggedPage | None]) -> float:
    """Return the share of the printed width of text that is tagged or marked as an artifact."""
    whole = inside = 0.0
    for number, page in tagged.items():
        if page is None:
            # A page without a tree counts with its text, if it has any.
            text_page = document[number - 1].get_textpage()
            whole += 6.0 * text_page.count_chars()
            text_page.close()
            continue
        for piece in page.pieces:
            if piece.text:
                wide = piece.box.right - piece.box.left
                whole += wide
                inside += wide * (piece.mark >= 0 or piece.artifact)
    return inside / whole if whole else 0.0


def _parts(page: TaggedPage) -> Iterator[_Part]:
    """Yield the blocks of the tree on a page in its order."""
    for element in page.elements:
        yield from _parts_of(element, page, 0)


def _parts_of(element: Element, page: TaggedPage, sections: int, around: str = "") -> Iterator[_Part]:
    kind = Kind.HEADING if HEADING_TAG.match(element.role) else _BLOCKS.get(element.role)
    if (kind is Kind.TABLE and not is_table(element, page)) or (kind is Kind.CAPTION and around == "TOC"):
        kind = None
    if kind is None:
        yield from _parts_within(element, page, sections)
        return
    inner = [kid for kid in element.kids if isinstance(kid, Element) and kid.role == "P"]
    if kind is Kind.NOTE and len(inner) > 1:
        yield from (_Part(kind, boxes_of(kid, page), kid) for kid in inner)
        return
    whole = kind in {Kind.TABLE, Kind.FIGURE}
    further = _further(element, page) if kind is Kind.LIST_ITEM else []
    taken = {id(piece) for _, pieces in further for piece in pieces}
    own = [piece for piece in content_of(element, page, whole) if id(piece) not in taken]
    boxes = texts_or_all(own)
    level = None
    if kind is Kind.HEADING:
        level = int(element.role[1:]) if len(element.role) > 1 else max(sections, 1)
    if boxes or element.box is not None:
        yield _Part(kind, boxes, element, level)
    for paragraph, pieces in further:
        yield _Part(Kind.TEXT, texts_or_all(pieces), paragraph)
    for apart in _apart(element, whole):
        yield from _parts_of(apart, page, sections, element.role)


def _further(item: Element, page: TaggedPage) -> list[tuple[Element, list[Piece]]]:
    """Return the paragraphs of an item behind its first lines, each with its text: those with white above them.

    Others may be lines of one paragraph, which programs tag one by one.
    """
    found: list[tuple[Element, list[Piece]]] = []
    foot: float | None = None
    for element in _steps(item):
        pieces = [piece for piece in content_of(element, page, whole=False) if piece.text]
        if not pieces:
            continue
        box = around([piece.box for piece in pieces])
        high = pieces[0].box.bottom - pieces[0].box.top
        if element.role == "P" and foot is not None and box.top > foot + _WHITE * high:
            found.append((element, pieces))
        elif found:
            found[-1][1].extend(pieces)
        foot = box.bottom
    return found


def _steps(item: Element) -> Iterator[Element]:
    """Yield the elements that the text of an item stands in, in order; of its label and groups those within."""
    for kid in item.kids:
        if isinstance(kid, Element) and kid.role in _GROUPS:
            yield from _steps(kid)
        elif isinstance(kid, Element) and kid.role not in APART:
            yield kid
        elif isinstance(kid, int):
            yield Element("Span", [kid])


def _parts_within(element: Element, page: TaggedPage, sections: int) -> Iterator[_Part]:
    """Yield the parts of a group, or of a role that is not known.

    Its own content is text, with what stands within its lines; blocks in it speak for themselves.
    """
    owns = any(isinstance(kid, int) or _is_leaf(kid) for kid in element.kids)
    run: list[Piece] = []
    for kid in [*element.kids, None]:
        if isinstance(kid, int):
            run += page.marked(kid)
        elif kid is not None and owns and (_is_leaf(kid) or _is_inline(kid)):
            run += content_of(kid, page, whole=True)
        else:
            if boxes := texts_or_all(run):
                yield _Part(Kind.TEXT, boxes, element)
            run = []
            if kid is not None:
                yield from _parts_of(kid, page, sections + (element.role == "Sect"), element.role)


def _is_leaf(element: Element) -> bool:
    """Return True if an element means nothing and holds text alone: browsers wrap each run of letters so."""
    return element.role in ("NonStruct", "Span") and all(isinstance(kid, int) for kid in element.kids)


def _is_inline(element: Element) -> bool:
    """Return True if an element beside text of its group stands within the lines of that: code, stress, a link."""
    if element.role not in _INLINE:
        return False
    return all(isinstance(kid, int) or _is_leaf(kid) or _is_inline(kid) for kid in element.kids)


def _apart(element: Element, whole: bool) -> Iterator[Element]:
    """Yield the elements within a block that are blocks of their own; of tables and figures captions alone."""
    for kid in element.kids:
        if isinstance(kid, Element):
            if kid.role in ({"Caption"} if whole else APART):
                yield kid
            else:
                yield from _apart(kid, whole)


def _doubt(parts: dict[int, list[_Part]]) -> str:
    """Return why a tree cannot be believed: it knows paragraphs alone, or headings alone. "" if it can."""
    kinds = {part.kind for every in parts.values() for part in every}
    if kinds <= {Kind.HEADING, Kind.TITLE}:
        return "they know headings alone"
    if kinds <= {Kind.TEXT, Kind.FIGURE, Kind.CAPTION}:
        return "they know paragraphs alone"
    return ""


def _headings_hold(parts: dict[int, list[_Part]]) -> bool:
    """Return True if there are headings, and whether they are a small part of the text."""
    wide = {True: 0.0, False: 0.0}
    for part in (part for every in parts.values() for part in every):
        wide[part.kind is Kind.HEADING] += sum(box.right - box.left for box in part.boxes)
    # A page or two may hold a heading and a line.
    return wide[True] > 0 and (len(parts) <= 2 or wide[True] <= _MOST_HEADINGS * (wide[True] + wide[False]))


def _order_holds(parts: dict[int, list[_Part]]) -> bool:
    """Return True if the order of the tree goes down the columns of the pages, but for a few places."""
    steps = back = 0
    for every in parts.values():
        boxes = [around(part.boxes) for part in every if part.boxes and part.kind not in _UNORDERED]
        for upper, lower in pairwise(boxes):
            if shared_width(upper, lower) > 0:
                steps += 1
                back += lower.bottom <= upper.top + 1
    return back <= max(_TURNED * steps, 1)


def _add(page: Page, part: _Part, order: int | None, tagged: TaggedPage) -> None:
    """Add the regions of a block to a page: one, or one per column."""
    if part.kind is Kind.TABLE:
        _add_table(page, part, order, tagged)
        return
    boxes, description = part.boxes, None
    if part.kind is Kind.FIGURE:
        found = _figure_box(page, part.element, tagged)
        if found is None:
            return
        boxes = [found]
    if part.element.alt.lower().strip(" .") not in _EMPTY:
        description = part.element.alt
    for box in _columns(boxes):
        if box.right > box.left and box.bottom > box.top:
            page.regions.append(Region(page.number, box, part.kind, part.level, order, description))


def _figure_box(page: Page, figure: Element, tagged: TaggedPage) -> Box | None:
    """Return where a figure stands: as stated, else around its content; None if that is a sign or holds other text."""
    own = list(content_of(figure, tagged, whole=True))
    drawn = around([piece.box for piece in own]) if own else None
    marks = {piece.mark for piece in own}
    for box in (figure.box, drawn):
        if box is None:
            continue
        wide, high = box.width, box.height
        if min(wide, high) < _LEAST or wide * high > 0.9 * page.width * page.height:
            continue
        others = (piece for piece in tagged.pieces if piece.text and piece.mark >= 0 and piece.mark not in marks)
        if not any(box.holds(piece.box, 0.5) for piece in others):
            return _on_page(box, page)
    return None


def _on_page(box: Box, page: Page) -> Box:
    return Box(max(box.left, 0.0), max(box.top, 0.0), min(box.right, page.width), min(box.bottom, page.height))


def _add_table(page: Page, part: _Part, order: int | None, tagged: TaggedPage) -> None:
    """Add the region of a table, with the grid that its rows and cells make."""
    if not part.boxes:
        return
    box = _on_page(around(part.boxes), page)
    grid = table_grid(page, part.element, tagged)
    if grid is None:
        return
    page.regions.append(Region(page.number, box, Kind.TABLE, None, order, part.element.alt or None, grid))


def _furniture(page: Page, tagged: TaggedPage) -> Iterator[Region]:
    """Yield the artifacts of a page that are text above or below all that is tagged: running heads and feet."""
    body = [piece.box for piece in tagged.pieces if piece.mark >= 0 and piece.box.right > piece.box.left]
    if not body:
        return
    whole = around(body)
    texts = [piece.box for piece in tagged.pieces if piece.artifact and piece.text]
    level = [box for box in texts if box.width > 0 < box.height]
    for kind, boxes in (
        (Kind.HEADER, [box for box in level if box.bottom <= whole.top + 2]),
        (Kind.FOOTER, [box for box in level if box.top >= whole.bottom - 2]),
    ):
        if boxes:
            yield Region(page.number, around(boxes), kind)


def _drop_artifacts(page: Page, tagged: TaggedPage) -> None:
    """Take away drawings and images that are artifacts, or part of what the tree names: they are no more figures."""
    drawn = [piece for piece in tagged.pieces if not piece.text]

    def means_something(box: Box) -> bool:
        inside = [piece for piece in drawn if box.holds(piece.box, 0.5) or piece.box.holds(box, 0.5)]
        return not inside or not all(piece.artifact or piece.mark >= 0 for piece in inside)

    page.drawings = [box for box in page.drawings if means_something(box)]
    page.images = [box for box in page.images if means_something(box)]


def _columns(boxes: Sequence[Box]) -> list[Box]:
    """Return the boxes around content in one run down the page each: a new one where it goes on above."""
    found: list[Box] = []
    for box in boxes:
        if box.right <= box.left:
            continue
        if found and box.bottom > found[-1].top:
            found[-1] = around([found[-1], box])
        else:
            found.append(box)
    return found


def evidence(facts: Facts, tags: Tags) -> dict[str, Any]:
    """Return what the structure of a file was read from besides its pages, for the record of the document."""
    stated = {"tags": tags.used, "outline": bool(facts.outline), "labels": bool(facts.labels)}
    record: dict[str, Any] = {"evidence": [name for name, there in stated.items() if there]}
    return {**record, "tags_left_aside": tags.reason} if tags.reason else record


def _name(pages: Sequence[Page], outline: Sequence[Bookmark]) -> None:
    """Make text of what the tags call an item or a caption and the outline names on that page: it may be a heading."""
    named = {(entry.page, _squashed(entry.title)) for entry in outline}
    for page in pages:
        titles = {title for number, title in named if number == page.number}
        for index, region in enumerate(page.regions):
            if titles and region.kind in {Kind.CAPTION, Kind.LIST_ITEM}:
                words = words_in(page, [region.box])
                if _squashed("".join(word.text for word in words)) in titles:
                    page.regions[index] = replace(region, kind=Kind.TEXT)


def _squashed(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))
