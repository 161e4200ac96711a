"""Limits of tool results: how much text they return, where they continue, and what is cut."""

from __future__ import annotations

import re
from io import BytesIO
from typing import TYPE_CHECKING, Any

from ragraph.base.arguments import refusal, text
from ragraph.errors import ArgumentError
from ragraph.schema.pictures import Picture
from ragraph.tools.bodies import Passage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.schema.results import Node

LEAST, MOST = 200, 100_000
"""Minimum and maximum number of characters that a caller may ask for."""
_CURSOR = re.compile(r"(\d{1,9})(?::(\d{1,9}))?")
_COLOUR = (214, 40, 40)


def between(name: str, value: Any, least: float, most: float) -> Any:
    """Return a number that is in range.

    Raises:
        ArgumentError: it is not.
    """
    if not least <= value <= most:
        raise refusal(name, f"{least:,} to {most:,}", value)
    return value


def chars_of(value: int) -> int:
    """Return how many characters a tool may return.

    Raises:
        ArgumentError: too few or too many.
    """
    return int(between("max_chars", value, LEAST, MOST))


def cursor_of(given: str | None) -> tuple[int, int]:
    """Return where to continue: a position, and an offset into its text.

    Raises:
        ArgumentError: it is not a cursor.
    """
    match = _CURSOR.fullmatch(text("cursor", given)) if given is not None else None
    if given is not None and not match:
        raise ArgumentError(f"{given!r} is not a cursor", hint="give the next_cursor of a result, or omit it")
    return (int(match[1]), int(match[2] or 0)) if match else (0, 0)


def passages_from(nodes: Sequence[Node], room: int, start: tuple[int, int]) -> tuple[list[Passage], str | None]:
    """Return the passages from a position on that fit, and the cursor of the rest."""
    passages: list[Passage] = []
    for node in nodes:
        offset = start[1] if node.sequence_in_document == start[0] else 0
        if node.sequence_in_document < start[0]:
            continue
        rest = words_of(node)[offset:]
        if len(rest) > room and passages:
            return passages, f"{node.sequence_in_document}:{offset}"
        words, cut = shortened(rest, room, sign="")
        made = Passage(node_id=node.id, type=node.content_node_type.value, pages=pages_of(node), text=words)
        passages.append(made)
        if cut:
            return passages, f"{node.sequence_in_document}:{offset + len(words)}"
        room -= len(words)
    return passages, None


def words_of(node: Node) -> str:
    """Return the text of a node, or its description."""
    return node.content or (f"[{node.description}]" if node.description else "")


def shortened(words: str, most: int, sign: str = "…") -> tuple[str, bool]:
    """Return a text that fits, cut between words if possible, and True if it was cut."""
    if len(words) <= most:
        return words, False
    kept = words[:most]
    space = max(kept.rfind(" "), kept.rfind("\n"))
    return (kept[: space + 1] if space > most // 2 else kept) + sign, True


def pages_of(node: Node) -> list[int]:
    """Return the physical pages of a node."""
    return sorted({place["page_pdf"] for place in node.positional_data if place.get("page_pdf")})


def span_of(first: int | None, last: int | None) -> str:
    """Return pages in the form that people write; empty for no pages."""
    return "" if first is None else str(first) if first == last else f"{first}-{last}"


def boxed(picture: Picture, boxes: Sequence[dict[str, float]], scale: float) -> Picture:
    """Return a picture of a page with boxes drawn on it; the coordinates of boxes are in points."""
    from PIL import Image, ImageDraw

    with Image.open(BytesIO(picture.data)) as opened:
        image = opened.convert("RGB")
    pen = ImageDraw.Draw(image)
    air, width = 2 * scale, max(2, round(1.5 * scale))
    for box in boxes:
        corners = [box["x1"] * scale - air, box["y1"] * scale - air, box["x2"] * scale + air, box["y2"] * scale + air]
        pen.rectangle(corners, outline=_COLOUR, width=width)
    target = BytesIO()
    image.save(target, "jpeg", quality=85)
    return Picture(data=target.getvalue(), media_type="image/jpeg", width=image.width, height=image.height)
