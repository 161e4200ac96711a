"""Diagrams (SmartArt) of Office files: the texts of their points, in the order of the diagram."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml import etree

_SHOWN = (None, "node", "asst")
"""Kinds of points with text of the author; others belong to the layout (ECMA-376 part 1, 21.4.7.51)."""

_DEEPEST = 50


def diagram_points(data: etree._Element) -> list[str]:
    """Return the text of each point of a diagram, parents before children.

    Args:
        data: root of the part with the diagram's data.
    """
    points: dict[str, str] = {}
    root = ""
    for point in data.iter("{*}pt"):
        kind = point.get("type")
        if kind == "doc":
            root = point.get("modelId", "")
        if kind in _SHOWN:
            lines = ("".join(one.text or "" for one in line.iter("{*}t")) for line in point.iterfind("{*}t/{*}p"))
            points[point.get("modelId", "")] = "\n".join(line for line in lines if line.strip())
    children: dict[str, list[tuple[int, str]]] = {}
    for link in data.iter("{*}cxn"):
        if link.get("type", "parOf") == "parOf":
            place = int(link.get("srcOrd", "0")) if link.get("srcOrd", "0").isdecimal() else 0
            children.setdefault(link.get("srcId", ""), []).append((place, link.get("destId", "")))
    ordered: dict[str, None] = {}

    def walk(key: str, depth: int) -> None:
        for _, child in sorted(children.get(key, ())):
            if child in points and child not in ordered and depth < _DEEPEST:
                ordered[child] = None
                walk(child, depth + 1)

    walk(root, 0)
    ordered |= dict.fromkeys(points)
    return [points[key] for key in ordered if points[key].strip()]
