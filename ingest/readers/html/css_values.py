"""Values of CSS as numbers: lengths in pixels, also computed ones, and colours.

Sources: CSS Values and Units 4 (sections 5, 6 and 10), CSS Color 4 and 5, read by tinycss2.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeVar

from tinycss2 import parse_component_value_list
from tinycss2.color4 import parse_color

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tinycss2.ast import Node

    from ragraph.ingest.common.unseen import Colour

T = TypeVar("T")
PIXELS = {"px": 1.0, "pt": 4 / 3, "pc": 16.0, "in": 96.0, "cm": 96 / 2.54, "mm": 96 / 25.4, "em": 16.0, "rem": 16.0}
PIXELS |= {"ex": 8.0, "ch": 8.0}
"""Pixels for each unit of length, of the usual font; shares of a box or of the window are unknown."""

THINNEST = 1.0
"""Height or width in pixels of a box up to which nothing in it is seen if it cuts what overflows."""

_SIX_DIGITS = re.compile(r"[0-9a-f]{6}", re.IGNORECASE)
_DEEPEST = 20
"""Brackets within brackets that are computed."""


def length(part: Node, depth: int = 0) -> float | None:
    """Return a length in pixels, or None if it is unknown; a number stays as it is."""
    if part.type == "dimension":
        unit = PIXELS.get(part.lower_unit)
        return None if unit is None and part.value else float(part.value) * (unit or 0.0)
    if part.type == "number":
        return float(part.value)
    if part.type == "() block":
        return _sum(part.content, depth + 1)
    if part.type != "function" or depth > _DEEPEST:
        return None
    given = [_sum(one, depth + 1) for one in _separated(part.arguments)]
    if not given or any(one is None for one in given):
        return None
    numbers = [one for one in given if one is not None]
    match part.lower_name:
        case "calc" | "-webkit-calc":
            return numbers[0]
        case "min":
            return min(numbers)
        case "max":
            return max(numbers)
        case "clamp" if len(numbers) == 3:
            return max(numbers[0], min(numbers[1], numbers[2]))
    return None


def _sum(parts: list[Node], depth: int) -> float | None:
    """Return the value of products that are added and subtracted; None if anything else is there."""
    total, sign = 0.0, 1.0
    product: float | None = None
    operator = ""
    for part in parts:
        if part.type in ("whitespace", "comment"):
            continue
        if part.type == "literal" and part.value in ("+", "-"):
            if product is None:
                return None
            total, sign, product = total + sign * product, -1.0 if part.value == "-" else 1.0, None
        elif part.type == "literal" and part.value in ("*", "/"):
            operator = part.value
        else:
            value = length(part, depth)
            if value is None or (product is not None and not operator) or (operator == "/" and value == 0):
                return None
            product = value if product is None else product * value if operator == "*" else product / value
            operator = ""
    return None if product is None else total + sign * product


def _separated(parts: list[Node]) -> list[list[Node]]:
    """Return what stands between commas."""
    found: list[list[Node]] = [[]]
    for part in parts:
        if part.type == "literal" and part.value == ",":
            found.append([])
        else:
            found[-1].append(part)
    return found


def colour(part: Node) -> Any:
    """Return the colour that a value states, with ``alpha``; None if it is unknown, as ``currentcolor``."""
    found = parse_color(part)
    return None if isinstance(found, str) else found


def legacy_colour(value: str) -> list[Node]:
    """Return the colour of an attribute of old pages as a value of CSS, empty if it is unknown.

    Six digits need no ``#``.
    """
    value = value.strip()
    parts: list[Node] = parse_component_value_list(f"#{value}" if _SIX_DIGITS.fullmatch(value) else value)
    return parts if len(parts) == 1 and colour(parts[0]) is not None else []


def rgb(found: Any) -> Colour | None:
    """Return a colour as red, green and blue; of those that are described by lightness, only white and black."""
    try:
        red, green, blue = found.to("srgb").coordinates
    except NotImplementedError:
        whole = {"lab": 100.0, "lch": 100.0, "oklab": 1.0, "oklch": 1.0}.get(found.space)
        lightness, *tint = found.coordinates[: 2 if found.space.endswith("lch") else 3]
        if any(tint) or lightness not in (0.0, whole):
            return None
        red = green = blue = float(lightness > 0)
    return None if None in (red, green, blue) else (red, green, blue)


def is_empty_clip(value: list[Node]) -> bool:
    """Return True if a clip shows nothing: ``rect(0 0 0 0)``, ``rect(1px, 1px, 1px, 1px)``, ``inset(50%)``."""
    for part in value:
        if part.type != "function":
            continue
        given = [one for one in part.arguments if one.type in ("number", "dimension", "percentage", "function")]
        stated = [float(one.value) if one.type == "percentage" else length(one) for one in given]
        lengths = [one for one in stated if one is not None]
        if len(lengths) < len(stated):
            continue
        if part.lower_name == "rect" and len(lengths) == 4:
            top, right, bottom, left = lengths
            return bottom - top <= THINNEST or right - left <= THINNEST
        if part.lower_name == "inset" and lengths:
            top, right, bottom, left = four_sides([one.value if one.type == "percentage" else 0.0 for one in given])
            return top + bottom >= 100 or left + right >= 100
        if part.lower_name == "polygon" and len(lengths) >= 4:
            across, down = lengths[::2], lengths[1::2]
            return max(across) - min(across) <= THINNEST or max(down) - min(down) <= THINNEST
        if part.lower_name in ("circle", "ellipse") and lengths:
            return lengths[0] == 0
    return False


def four_sides(values: Sequence[T]) -> tuple[T, T, T, T]:
    """Return top, right, bottom and left of one to four values, as CSS completes them."""
    top = values[0]
    right = values[1] if len(values) > 1 else top
    bottom = values[2] if len(values) > 2 else top
    return top, right, bottom, values[3] if len(values) > 3 else right
