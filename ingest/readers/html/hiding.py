"""Styles that hide an element whatever is in it: it is moved off the page, cut to nothing, or too small to see.

What is measured in shares of a box is unknown, and so are most shares of the window; what is unknown is seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.ingest.common.unseen import FAINTEST
from ragraph.ingest.readers.html.css_values import THINNEST, colour, four_sides, is_empty_clip, length

if TYPE_CHECKING:
    from tinycss2.ast import Node

Style = dict[str, "list[Node]"]
"""Values of the properties of an element."""

_OFF_SCREEN = -400.0
"""Distance in pixels that takes text off the page; menus and labels are moved by less."""
_WINDOWS_OFF = -200
"""Shares of the window, in percent, up to which a box is off the screen even if it is as wide as the window."""

_FAR = 5000.0
"""Distance in pixels from its place that takes text off any page: tracks of sliders and centred boxes move by less."""

_SIDES = ("top", "right", "bottom", "left")
_SMALLEST_ZOOM = 0.05
"""Zoom up to which nobody can read."""


def hides_all(style: Style) -> bool:
    """Return True if an element and everything in it is hidden, whatever the style of its parts is."""
    if keyword(style, "content-visibility") == "hidden":
        return True
    if keyword(style, "position") in ("absolute", "fixed"):
        if _is_placed_away(style):
            return True
        if "clip" in style and is_empty_clip(style["clip"]):
            return True
    if any((pixels(style, name) or 0.0) <= -_FAR for name in ("margin-left", "margin-top")):
        return True
    if "clip-path" in style and is_empty_clip(style["clip-path"]):
        return True
    if _cuts(style) and (_is_thin(style, "height", ("top", "bottom")) or _is_thin(style, "width", ("left", "right"))):
        return True
    if any(
        name in style and _is_empty_mask(style[name])
        for name in ("mask-image", "-webkit-mask-image", "mask", "-webkit-mask")
    ):
        return True
    zoom = number(style, "zoom")
    return (zoom is not None and 0 < zoom <= _SMALLEST_ZOOM) or _scaled_away(style)


def _cuts(style: Style) -> bool:
    """Return True if an element cuts what overflows it."""
    return any(keyword(style, name) in ("hidden", "clip") for name in ("overflow", "overflow-x", "overflow-y"))


def _is_placed_away(style: Style) -> bool:
    """Return True if a side of a placed box is off the page, or of a fixed one beyond the window."""
    stated = dict(zip(_SIDES, four_sides(style["inset"]), strict=True)) if style.get("inset") else {}
    stated |= {side: style[side][0] for side in _SIDES if style.get(side)}
    for side, part in stated.items():
        across = side in ("left", "right")
        distance = length(part) or 0.0
        if distance <= _OFF_SCREEN or (across and distance >= _FAR):
            return True
        if part.type == "dimension" and part.value <= _WINDOWS_OFF and part.lower_unit in ("vw", "vh"):
            return True
        fixed = keyword(style, "position") == "fixed" and part.type == "dimension"
        if fixed and part.value >= 100 and part.lower_unit == ("vw" if across else "vh"):
            return True
    return False


def _is_thin(style: Style, size: str, sides: tuple[str, str]) -> bool:
    """Return True if a box has no height, or no width, and nothing makes it larger."""
    sizes = [found for name in (size, f"max-{size}") if (found := pixels(style, name)) is not None]
    if not sizes or min(sizes) > THINNEST:
        return False
    around = four_sides(style["padding"]) if style.get("padding") else ()
    larger = [part for side, part in zip(_SIDES, around, strict=False) if side in sides]
    for name in (f"min-{size}", *(f"padding-{side}" for side in sides)):
        larger += style.get(name, [])
    return all(length(part) == 0 for part in larger)


def is_filtered_away(style: Style) -> bool:
    """Return True for ``filter: opacity(0)``."""
    for part in style.get("filter", []):
        if part.type == "function" and part.lower_name == "opacity":
            given = [one for one in part.arguments if one.type in ("number", "percentage")]
            if given and float(given[0].value) / (100 if given[0].type == "percentage" else 1) <= FAINTEST:
                return True
    return False


def is_indented_away(style: Style) -> bool:
    """Return True if text is indented off the page, or out of a box that cuts its only line."""
    indent = pixels(style, "text-indent")
    if indent is not None:
        return indent <= _OFF_SCREEN or (_cuts(style) and indent >= _FAR)
    share = style["text-indent"][0] if style["text-indent"] else None
    whole = share is not None and share.type == "percentage" and share.value >= 100
    return whole and _cuts(style) and keyword(style, "white-space") == "nowrap"


def _is_empty_mask(value: list[Node]) -> bool:
    """Return True for a mask of one gradient that is transparent everywhere."""
    drawn = [part for part in value if part.type in ("url", "function")]
    if len(drawn) != 1 or drawn[0].type == "url" or not drawn[0].lower_name.endswith("gradient"):
        return False
    colours = [colour(one) for one in drawn[0].arguments if one.type in ("ident", "hash", "function")]
    return bool(colours) and all(found is not None and found.alpha <= FAINTEST for found in colours)


def _scaled_away(style: Style) -> bool:
    """Return True if an element is scaled to nothing or moved off the page."""
    scale = number(style, "scale")
    if scale is not None and abs(scale) <= 0.02:
        return True
    if any((length(part) or 0.0) <= -_FAR for part in style.get("translate", [])):
        return True
    for part in style.get("transform", []):
        if part.type != "function":
            continue
        given = [one for one in part.arguments if one.type in ("number", "dimension", "percentage")]
        if part.lower_name.startswith("scale") and given and any(abs(one.value) <= 0.02 for one in given[:2]):
            return True
        if part.lower_name == "matrix" and len(given) == 6 and _is_flat(*(float(one.value) for one in given[:4])):
            return True
        if part.lower_name in ("rotatex", "rotatey") and given and abs(abs(float(given[0].value)) - 90) < 1:
            return True
        if part.lower_name.startswith("translate") and any((length(one) or 0.0) <= -_FAR for one in given):
            return True
    return False


def _is_flat(a: float, b: float, c: float, d: float) -> bool:
    """Return True if a matrix makes a line or a point of an area."""
    return abs(a * d - b * c) < 0.0004


def keyword(style: Style, name: str) -> str | None:
    """Return the word that a property is, or None if it is none."""
    value = style.get(name)
    return value[0].lower_value if value and value[0].type == "ident" else None


def number(style: Style, name: str) -> float | None:
    """Return the number that a property is, a share as part of 1; None if it is unknown."""
    value = style.get(name)
    if not value:
        return None
    if value[0].type == "percentage":
        return float(value[0].value) / 100
    return length(value[0]) if value[0].type in ("number", "function") else None


def pixels(style: Style, name: str) -> float | None:
    """Return the length in pixels that a property is, or None if it is unknown."""
    value = style.get(name)
    return length(value[0]) if value else None
