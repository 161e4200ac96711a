"""Remove from slides what no person sees: hidden, transparent, tiny, covered, off the slide, in the colour behind it.

Where the background is not known (a picture, a table style), text stays. On slides with animations nothing counts as
covered, because shapes come and go. Source: ECMA-376 part 1, chapters 19 to 21.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragraph.ingest.common.unseen import SMALLEST_POINTS, WHITE, Colour, is_same, leave_out
from ragraph.ingest.readers.office.theme import Theme, is_faint

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml import etree

    from ragraph.ingest.readers.office.package import Package

_SHAPES = ("sp", "pic", "graphicFrame", "grpSp", "cxnSp")
_SLIDE = (9_144_000.0, 6_858_000.0)
_OPAQUE = 0.95


@dataclass(frozen=True)
class _Box:
    left: float
    top: float
    right: float
    bottom: float

    def holds(self, other: _Box) -> bool:
        return (
            self.left <= other.left and self.top <= other.top
            and self.right >= other.right and self.bottom >= other.bottom
        )  # fmt: skip

    def meets(self, other: _Box) -> bool:
        return (
            self.left < other.right and other.left < self.right
            and self.top < other.bottom and other.top < self.bottom
        )  # fmt: skip


@dataclass(frozen=True)
class _Shape:
    """A shape of a slide: its element, its place if it states one, and how its area is filled."""

    element: etree._Element
    box: _Box | None
    fills: bool
    colour: Colour | None
    opaque: bool


class Unseen:
    """Removes unseen shapes and text from the slides of one file."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._theme = Theme.of(package)
        root = package.xml("ppt/presentation.xml")
        size = root.find("{*}sldSz") if root is not None else None
        self._size = (
            (float(size.get("cx", _SLIDE[0])), float(size.get("cy", _SLIDE[1]))) if size is not None else _SLIDE
        )
        self._grounds: dict[str, tuple[Colour | None, list[_Shape]]] = {}

    def remove(self, root: etree._Element, name: str) -> None:
        """Remove from a slide, in place; of a hidden slide everything."""
        tree = root.find("{*}cSld/{*}spTree")
        if tree is None:
            return
        hidden = root.get("show") in ("0", "false")
        for element in list(root.iter(*(f"{{*}}{kind}" for kind in _SHAPES))):
            if element.getroottree().getroot() is root and (hidden or _is_hidden(element)):
                _drop(element)
        whole = _Box(0, 0, *self._size)
        shapes = list(_shapes(tree, self._theme, self._names(name)))
        for shape in shapes:
            if shape.box is not None and not shape.box.meets(whole) and shape.box.right > shape.box.left:
                _drop(shape.element)
        shapes = [one for one in shapes if next(one.element.iterancestors("{*}spTree"), None) is tree]
        ground, below = self._ground(root, name)
        moving = root.find("{*}timing") is not None
        for place, shape in enumerate(shapes):
            if not moving and any(_covers(above, shape) for above in shapes[place + 1 :]):
                _drop(shape.element)
                continue
            self._texts(shape, [*below, *shapes[:place]], ground, self._names(name))

    def of_hidden_slides(self, slides: dict[str, etree._Element]) -> dict[str, etree._Element]:
        """Return the notes of hidden slides, emptied, by the names of their parts."""
        emptied: dict[str, etree._Element] = {}
        for name, root in slides.items():
            if root.get("show") not in ("0", "false"):
                continue
            for kind, to in self._package.relationships(name).values():
                part = _target(name, to)
                if kind == "notesSlide" and (notes := self._package.xml(part)) is not None:
                    for element in list(notes.iter("{*}sp")):
                        _drop(element)
                    emptied[part] = notes
        return emptied

    def _texts(self, shape: _Shape, below: list[_Shape], ground: Colour | None, names: dict[str, str]) -> None:
        """Remove the runs of a shape that nobody can read."""
        behind: list[Colour | None] = []
        for run in [*shape.element.iter("{*}r", "{*}fld")]:
            properties = run.find("{*}rPr")
            text = run.find("{*}t")
            if properties is None or text is None or not (text.text or "").strip():
                continue
            size = properties.get("sz", "")
            gone = size.isdigit() and int(size) <= 100 * SMALLEST_POINTS
            gone = gone or (properties.find("{*}noFill") is not None and properties.find("{*}ln") is None)
            fill = properties.find("{*}solidFill")
            if not gone and fill is not None:
                colour, opacity = self._theme.drawn(fill, names)
                gone = is_faint(opacity)
                if not gone and colour is not None:
                    marked = properties.find("{*}highlight")
                    if marked is not None:
                        gone = is_same(colour, self._theme.drawn(marked, names)[0])
                    else:
                        if not behind:
                            behind.append(_behind(run, shape, below, ground, self._theme, names))
                        gone = is_same(colour, behind[0])
            if gone:
                leave_out(text.text)
                text.text = ""

    def _names(self, slide: str) -> dict[str, str]:
        """Return which colours of the theme the master of a slide means by bg1, tx1 and so on."""
        layout = self._linked(slide, "slideLayout")
        master = self._package.xml(self._linked(layout, "slideMaster")) if layout else None
        mapped = master.find("{*}clrMap") if master is not None else None
        return {str(key): str(value) for key, value in mapped.attrib.items()} if mapped is not None else {}

    def _linked(self, name: str, kind: str) -> str:
        links = self._package.relationships(name) if name else {}
        return next((_target(name, to) for found, to in links.values() if found == kind), "")

    def _ground(self, root: etree._Element, name: str) -> tuple[Colour | None, list[_Shape]]:
        """Return the colour of a slide's background, None if unknown, and the shapes of its layout and master."""
        layout = self._linked(name, "slideLayout")
        if layout not in self._grounds:
            master = self._linked(layout, "slideMaster")
            colour: Colour | None = WHITE
            shapes: list[_Shape] = []
            for part in (master, layout):
                held = self._package.xml(part) if part else None
                if held is None:
                    continue
                colour = _stated(held, self._theme, self._names(name), colour)
                tree = held.find("{*}cSld/{*}spTree")
                if tree is not None:
                    found = _shapes(tree, self._theme, self._names(name))
                    shapes += [one for one in found if one.element.find(".//{*}nvPr/{*}ph") is None]
            self._grounds[layout] = colour, shapes
        colour, shapes = self._grounds[layout]
        return _stated(root, self._theme, self._names(name), colour), shapes


def _stated(root: etree._Element, theme: Theme, names: dict[str, str], otherwise: Colour | None) -> Colour | None:
    """Return the colour of the background that a slide states."""
    ground = root.find("{*}cSld/{*}bg")
    if ground is None:
        return otherwise
    properties, reference = ground.find("{*}bgPr"), ground.find("{*}bgRef")
    if properties is not None:
        fill = properties.find("{*}solidFill")
        return theme.drawn(fill, names)[0] if fill is not None else None
    # 1001 is the plain fill of a theme; others are gradients and pictures
    return theme.drawn(reference, names)[0] if reference is not None and reference.get("idx") == "1001" else None


def _shapes(tree: etree._Element, theme: Theme, names: dict[str, str]) -> Iterator[_Shape]:
    """Yield the shapes of a slide from the lowest to the highest, those in groups too."""
    pending = [(one, (1.0, 0.0, 1.0, 0.0)) for one in reversed(tree)]
    while pending:
        element, (wide, x, high, y) = pending.pop()
        kind = str(element.tag).rpartition("}")[2]
        if kind not in _SHAPES:
            continue
        properties = element.find("{*}grpSpPr" if kind == "grpSp" else "{*}spPr")
        frame = element.find("{*}xfrm") if kind == "graphicFrame" else None
        frame = properties.find("{*}xfrm") if properties is not None else frame
        box = None
        if frame is not None and (place := frame.find("{*}off")) is not None:
            extent = frame.find("{*}ext")
            left, top = (_number(place, name) for name in ("x", "y"))
            width, height = (_number(extent, name) for name in ("cx", "cy"))
            box = _Box(left * wide + x, top * high + y, (left + width) * wide + x, (top + height) * high + y)
            if kind == "grpSp":
                inner, size = frame.find("{*}chOff"), frame.find("{*}chExt")
                across, down = _number(size, "cx") or width or 1, _number(size, "cy") or height or 1
                scale = (width or across) / across, (height or down) / down
                begin = left - _number(inner, "x") * scale[0], top - _number(inner, "y") * scale[1]
                around = wide * scale[0], begin[0] * wide + x, high * scale[1], begin[1] * high + y
                pending += [(one, around) for one in reversed(element)]
                continue
        elif kind == "grpSp":
            pending += [(one, (wide, x, high, y)) for one in reversed(element)]
            continue
        fill = properties.find("{*}solidFill") if properties is not None else None
        colour, opacity = theme.drawn(fill, names)
        none = properties is None or properties.find("{*}noFill") is not None
        styled = element.find("{*}style/{*}fillRef")
        if kind == "sp" and fill is None and not none and styled is not None and styled.get("idx") not in (None, "0"):
            colour, fill = theme.drawn(styled, names)[0], styled
        others = kind in ("pic", "graphicFrame") or (not none and fill is None and _has_picture(properties))
        fills = (fill is not None and not is_faint(opacity)) or others
        yield _Shape(element, box, fills, colour, opaque=fills and opacity >= _OPAQUE and kind in ("sp", "pic"))


def _has_picture(properties: etree._Element | None) -> bool:
    return properties is not None and any(
        properties.find(f"{{*}}{name}") is not None for name in ("gradFill", "blipFill", "pattFill", "grpFill")
    )


def _behind(
    run: etree._Element, shape: _Shape, below: list[_Shape], ground: Colour | None, theme: Theme, names: dict[str, str]
) -> Colour | None:
    """Return the colour behind a run; None if it is not known."""
    cell = next(run.iterancestors("{*}tc"), None)
    if cell is not None:
        fill = cell.find("{*}tcPr/{*}solidFill")
        return theme.drawn(fill, names)[0] if fill is not None else None
    if shape.fills:
        return shape.colour
    for one in reversed(below):
        if one.fills and (one.box is None or shape.box is None or one.box.meets(shape.box)):
            if one.colour is None or shape.box is None or one.box is None or not one.box.holds(shape.box):
                return None
            return one.colour
    return ground


def _covers(above: _Shape, shape: _Shape) -> bool:
    """Return True if nothing of a shape can be seen behind another one."""
    drawn = above.element.find("{*}spPr")
    turned = drawn is not None and any(one.get("rot") not in (None, "0") for one in drawn.iter("{*}xfrm"))
    outline = drawn.find("{*}prstGeom") if drawn is not None else None
    square = outline is not None and outline.get("prst") == "rect"
    if not (above.opaque and square and not turned) or above.box is None or shape.box is None:
        return False
    if str(above.element.tag).endswith("}pic"):  # it may be transparent
        return False
    return above.box.holds(shape.box)


def _is_hidden(element: etree._Element) -> bool:
    properties = next((one for one in element if str(one.tag).rpartition("}")[2].startswith("nv")), None)
    identity = properties.find("{*}cNvPr") if properties is not None else None
    return identity is not None and identity.get("hidden") in ("1", "true")


def _drop(element: etree._Element) -> None:
    parent = element.getparent()
    if parent is not None:
        leave_out(" ".join(one.text or "" for one in element.iter("{*}t")))
        parent.remove(element)


def _number(element: etree._Element | None, name: str) -> float:
    try:
        return float(element.get(name, 0)) if element is not None else 0.0
    except ValueError:
        return 0.0


def _target(name: str, to: str) -> str:
    return to.lstrip("/") if to.startswith("/") else posixpath.normpath(f"{posixpath.dirname(name)}/{to}")
