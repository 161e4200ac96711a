"""The structure tree of a tagged PDF: the truth of the benchmark, read with pikepdf and not by the reader."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bench.structure_tree import StructureTree, is_element

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_DEEPEST = 200
_LABEL = re.compile(r"^(?:fig(?:ure|\.)?|table)\s*[A-Z]?[-.]?\d", re.I)


@dataclass
class Element:
    """An element of the tree: its role after the role map, its text, its pages, and the roles around it."""

    role: str
    text: str
    pages: frozenset[int]
    around: tuple[str, ...] = field(default=())

    @property
    def depth(self) -> int:
        """Return the depth of a heading: the number of H1 to H6, else the number of sections around it."""
        return int(self.role[1:]) if self.role[1:] else max(self.around.count("Sect"), 1)


def elements_of(path: Path) -> list[Element] | None:
    """Return the elements of the structure tree in its order, parents before children; None without one."""
    import pikepdf

    with pikepdf.open(path) as pdf:
        root = pdf.Root.get("/StructTreeRoot")
        return None if root is None else list(_Tree(pdf, root, path).walk(root, (), None))


def is_heading(element: Element) -> bool:
    """Return True if an element is a heading."""
    return bool(re.fullmatch(r"H[1-6]?", element.role)) and bool(element.text.strip())


def notes_in(elements: list[Element]) -> list[str]:
    """Return the notes: paragraphs within a note that each begin with a number, else the complete note."""
    notes: list[str] = []
    for index, element in enumerate(elements):
        if element.role not in {"Note", "FENote"}:
            continue
        inner = []
        for other in elements[index + 1 :]:
            if len(other.around) <= len(element.around):
                break
            if other.role == "P" and re.match(r"\s*\d+\s", other.text):
                inner.append(other.text)
        notes += inner or [element.text]
    return [note for note in (re.sub(r"^\s*[\d*†‡]+[.)]?\s+", "", note).strip() for note in notes) if note]


def captions_in(elements: list[Element]) -> list[tuple[str, str, int]]:
    """Return captions as text, kind ("figure", "table") and page: those with this tag, or beginning with a label."""
    found = []
    for element in elements:
        inside = set(element.around)
        labelled = element.role == "P" and _LABEL.match(element.text.strip()) and len(element.text) < 200
        if not element.text.strip() or inside & {"TOC", "TOCI", "TD", "TH", "L", "Caption"}:
            continue
        if (element.role == "Caption" and inside & {"Figure", "Table"}) or labelled or element.role == "Caption":
            table = "Table" in inside or element.text.strip().lower().startswith("tab")
            found.append((element.text.strip(), "table" if table else "figure", min(element.pages, default=0)))
    return found


class _Tree(StructureTree):
    """Walks a structure tree."""

    def walk(self, element: Any, around: tuple[str, ...], page: Any) -> Iterator[Element]:
        page = element.get("/Pg", page)
        for child in self.children(element):
            if not is_element(child) or len(around) > _DEEPEST:
                continue
            role = self.role(child)
            places = list(self.contents(child, child.get("/Pg", page)))
            text = "".join(self.texts.get(place, "") for place in places)
            yield Element(role, text, frozenset(number for number, _ in places), around)
            yield from self.walk(child, (*around, role), page)
