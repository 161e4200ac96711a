"""Page headers and footers: one component per page and kind, a child of the matter to which its page belongs."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from ragraph.ingest.structure.outline import Branch, Item
from ragraph.schema.enums import ComponentType, ContentNodeType

if TYPE_CHECKING:
    from collections.abc import Sequence


def place_furniture(
    root: Branch, items: Sequence[Item], furniture: list[tuple[ComponentType, int | None, str, int]]
) -> None:
    """Add page headers and footers to the matters of a tree.

    Among the children of its matter, a header or footer follows the last one with content on its page (without pages:
    the one with the content before it). ``Branch.level`` is its minor number from 1; the child that it follows has
    the major number.

    Args:
        root: root of the tree, whose children are matters; gets the new branches.
        items: the nodes in reading order.
        furniture: (HEADER or FOOTER, page or None, key of the container, index of the item), in order.
    """
    groups: dict[tuple[ComponentType, int | str], list[int]] = {}
    for kind, page, key, index in furniture:
        groups.setdefault((kind, key if page is None else page), []).append(index)
    if not groups:
        return
    places = _Places(root, items)
    behind: dict[tuple[int, int], list[list[int]]] = {}
    kinds: dict[int, ComponentType] = {}
    for (kind, where), indices in groups.items():
        found = places.by_page(where) if isinstance(where, int) else places.by_order(indices[0])
        behind.setdefault(found, []).append(indices)
        kinds[indices[0]] = kind
    for number, top in enumerate(root.branches()):
        children: list[Branch | int] = []
        for place in range(-1, len(top.children)):
            if place >= 0:
                children.append(top.children[place])
            hanging = behind.get((number, place), [])
            hanging.sort(key=lambda indices: (items[indices[0]].page or 0, indices[0]))
            children.extend(
                Branch(kinds[indices[0]], level=minor, children=[*indices])
                for minor, indices in enumerate(hanging, start=1)
            )
        top.children = children


class _Places:
    """Places of content by page and by order: (number of the matter, number of the child in it)."""

    def __init__(self, root: Branch, items: Sequence[Item]) -> None:
        self.first_on: dict[int, int] = {}
        self.last_on: list[dict[int, int]] = []
        self.of_index: list[tuple[int, int, int]] = []
        for number, top in enumerate(root.branches()):
            last: dict[int, int] = {}
            for place, child in enumerate(top.children):
                for index in (child,) if isinstance(child, int) else child.items():
                    if items[index].type == ContentNodeType.NOTE:
                        continue  # notes move to the text that refers to them
                    self.of_index.append((index, number, place))
                    page = items[index].page
                    if page is not None:
                        self.first_on.setdefault(page, number)
                        last[page] = place
            self.last_on.append(last)
        self.of_index.sort()
        self.pages = sorted(self.first_on)
        self.pages_of = [sorted(last) for last in self.last_on]
        # place if there is no content at all: before the first child of the body
        self.nowhere = (next(i for i, top in enumerate(root.branches()) if top.type == ComponentType.BODY_MATTER), -1)

    def by_page(self, page: int) -> tuple[int, int]:
        """Return the place on a page; without content on it, on the nearest one before, else on the first."""
        if not self.pages:
            return (self.of_index[0][1], self.of_index[0][2]) if self.of_index else self.nowhere
        number = self.first_on[self.pages[max(bisect_right(self.pages, page) - 1, 0)]]
        pages = self.pages_of[number]
        return number, self.last_on[number][pages[max(bisect_right(pages, page) - 1, 0)]]

    def by_order(self, index: int) -> tuple[int, int]:
        """Return the place of the content before an item, or of the first content."""
        if not self.of_index:
            return self.nowhere
        at = max(bisect_right(self.of_index, (index,)) - 1, 0)
        return self.of_index[at][1], self.of_index[at][2]
