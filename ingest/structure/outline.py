"""The outline of a document: its nesting, from headings and from containers that the format states.

It works on items (``Item``), so it serves both drafts and stored nodes. Within each container the result depends
only on the order of its own items, never on other items between them. So linking a document again, whose nodes are
already in order, builds the same tree.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from ragraph.ingest.common.title_matching import match_title
from ragraph.ingest.common.titles import Pattern
from ragraph.schema.enums import ComponentType, ContentNodeType

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ragraph.ingest.draft import DraftContainer

T, N = ComponentType, ContentNodeType

MATTERS = (T.FRONT_MATTER, T.BODY_MATTER, T.BACK_MATTER)
FURNITURE = (T.HEADER, T.FOOTER)
# Sections that end where the next one of weight starts, however deep its heading claims to be.
_CLOSED = {T.BIBLIOGRAPHY, T.NOTES_SECTION, T.INDEX, T.TABLE_OF_CONTENTS, T.ABSTRACT, T.ACKNOWLEDGEMENTS}
_CLOSED |= {T.LIST_OF_BOXES, T.LIST_OF_FIGURES, T.LIST_OF_TABLES, T.DEDICATION}
_WEIGHTY = _CLOSED | {T.PART, T.CHAPTER, T.APPENDIX, T.INTRODUCTION, T.CONCLUSION, T.PREFACE, T.FOREWORD, T.EPILOGUE}
_TITLED_BY_HEADING = set(T) - {T.LIST, T.CONTAINER, *MATTERS, *FURNITURE}


class Item(NamedTuple):
    """The properties of a node that matter to the outline.

    ``placed`` is True if the database has already moved the note behind the node that refers to it, so that its
    position is no longer that of the document.
    """

    type: ContentNodeType
    text: str
    level: int | None = None
    container: str | None = None
    page: int | None = None
    marker: str | None = None
    placed: bool = False


@dataclass(slots=True, eq=False)
class Branch:
    """A component being built; ``children`` holds branches and indices of items, in order."""

    type: ComponentType
    title: str | None = None
    stated: bool = False
    level: int = 0
    pattern: Pattern | None = None
    children: list[Branch | int] = field(default_factory=list)

    def branches(self) -> Iterator[Branch]:
        """Yield the child branches in order."""
        return (child for child in self.children if isinstance(child, Branch))

    def walk(self) -> Iterator[Branch]:
        """Yield this branch and all below it, parents first, in order."""
        stack = [self]
        while stack:
            branch = stack.pop()
            yield branch
            stack.extend(reversed(list(branch.branches())))

    def items(self) -> Iterator[int]:
        """Yield the indices of all items below, in order."""
        stack: list[Branch | int] = [self]
        while stack:
            child = stack.pop()
            if isinstance(child, int):
                yield child
            else:
                stack.extend(reversed(child.children))


@dataclass(slots=True, eq=False)
class _Frame:
    """A container being filled, with the sections that headings have opened in it."""

    branch: Branch
    open: list[Branch] = field(default_factory=list)
    started: bool = False
    last_level: int = 1

    @property
    def inner(self) -> Branch:
        return self.open[-1] if self.open else self.branch


@dataclass(frozen=True, slots=True)
class Outline:
    """The outline before it is divided into matters.

    Attributes:
        root: branch of everything except page furniture; matters that the format states are its children.
        furniture: items of headers and footers: (type, page or None, key, index), in order.
        placed: notes that the database has moved behind the item that refers to them, by its index, in order.
    """

    root: Branch
    furniture: list[tuple[ComponentType, int | None, str, int]]
    placed: dict[int, list[int]]


def is_heading(item: Item) -> bool:
    """Return True if an item opens a section: a HEADING, or a SUBHEADING with a known level."""
    return item.type == N.HEADING or (item.type == N.SUBHEADING and item.level is not None)


class _Containers:
    """The stated containers without unknown parents and cycles, and the properties that inner ones inherit."""

    def __init__(self, containers: Iterable[DraftContainer]) -> None:
        self.by_key = {container.key: container for container in containers}
        self.parent: dict[str, str | None] = {}
        self.furniture: dict[str, ComponentType | None] = {}
        self.collects: dict[str, bool] = {}
        self._bare: dict[str, bool] = {}
        for key in self.by_key:
            self._settle(key)

    def _settle(self, key: str) -> None:
        path: list[str] = []
        at: str | None = key
        while at is not None and at in self.by_key and at not in self.parent and at not in path[-1:]:
            path.append(at)
            self.parent[at] = None  # marks it as visited, so a cycle ends here
            at = self.by_key[at].parent
        for place in range(len(path) - 1, -1, -1):
            stated = self.by_key[path[place]].parent
            last = place == len(path) - 1
            # the parent of the last one is settled already, unknown, or further down this path: a cycle
            cut = last and (stated not in self._bare)
            self._inherit(path[place], None if cut else stated)

    def _inherit(self, key: str, parent: str | None) -> None:
        container = self.by_key[key]
        bare = parent is None or self._bare[parent]
        if container.type in MATTERS and bare:
            parent = None  # a wrapper without a name would keep the matter away from the top of the tree
        self.parent[key] = parent
        self._bare[key] = bare and container.type == T.CONTAINER and not container.title
        inherited = self.furniture[parent] if parent is not None else None
        self.furniture[key] = inherited or (container.type if container.type in FURNITURE else None)
        collects = container.type in (T.NOTES_SECTION, T.BIBLIOGRAPHY)
        self.collects[key] = collects or (parent is not None and self.collects[parent])

    def known(self, key: str | None) -> str | None:
        return key if key in self.by_key else None


class _Builder:
    def __init__(self, items: Sequence[Item], containers: Iterable[DraftContainer]) -> None:
        self.items = items
        self.stated = _Containers(containers)
        self.root = _Frame(Branch(T.CONTAINER))
        self.frames: dict[str, _Frame] = {}
        self.matters: dict[ComponentType, _Frame] = {}
        self.furniture: list[tuple[ComponentType, int | None, str, int]] = []
        self.placed: dict[int, list[int]] = {}
        self.anchor: int | None = None
        self.waiting: dict[str, list[int]] = {}
        self.alive: set[str] = set()

    def build(self) -> Outline:
        for item in self.items:
            key = self._home(item)
            if key is not None and not self._floats(item, key) and not self.stated.furniture[key]:
                while key is not None and key not in self.alive:
                    self.alive.add(key)
                    key = self.stated.parent[key]
        for index, item in enumerate(self.items):
            self._place(index, item)
        return Outline(self.root.branch, self.furniture, self.placed)

    def _home(self, item: Item) -> str | None:
        """Return the container of an item. A note in a footer container belongs to the container around the footer."""
        key = self.stated.known(item.container)
        while key is not None and item.type == N.NOTE and self.stated.furniture[key]:
            key = self.stated.parent[key]
        return key

    def _floats(self, item: Item, key: str | None) -> bool:
        """Return True if an item is a note that may move: one outside of lists of notes or entries."""
        return item.type == N.NOTE and not (key is not None and self.stated.collects[key])

    def _place(self, index: int, item: Item) -> None:
        key = self._home(item)
        kind = self.stated.furniture[key] if key is not None else None
        if key is not None and kind is not None:
            self.furniture.append((kind, item.page, key, index))
            return
        if item.placed and self.anchor is not None and item.type == N.NOTE:
            self.placed.setdefault(self.anchor, []).append(index)
            return
        self.anchor = index
        if self._floats(item, key):
            self._place_note(index, key)
            return
        frame = self._frame(key)
        if is_heading(item):
            self._place_heading(frame, index, item)
        else:
            frame.inner.children.append(index)
        frame.started = True

    def _place_note(self, index: int, key: str | None) -> None:
        """Add a note that may move later. It opens no container, otherwise moving it would change the tree."""
        while key is not None and key not in self.alive:
            key = self.stated.parent[key]
        if key is not None and key not in self.frames:
            self.waiting.setdefault(key, []).append(index)
        else:
            (self.root if key is None else self.frames[key]).inner.children.append(index)

    def _frame(self, key: str | None) -> _Frame:
        to_open: list[str] = []
        while key is not None and key not in self.frames:
            to_open.append(key)
            key = self.stated.parent[key]
        frame = self.root if key is None else self.frames[key]
        for inner in reversed(to_open):
            frame = self.frames[inner] = self._open(frame, inner)
        return frame

    def _open(self, outer: _Frame, key: str) -> _Frame:
        container = self.stated.by_key[key]
        waiting = self.waiting.pop(key, [])
        if container.type in MATTERS and self.stated.parent[key] is None:
            frame = self.matters.get(container.type)
            if frame is None:
                frame = self.matters[container.type] = _Frame(Branch(container.type, container.title, stated=True))
                self.root.branch.children.append(frame.branch)
            frame.inner.children.extend(waiting)
            return frame
        kind = T.CONTAINER if container.type in MATTERS else container.type
        branch = Branch(kind, container.title, stated=True, pattern=match_title(container.title or ""))
        branch.children.extend(waiting)
        outer.inner.children.append(branch)
        outer.started = True
        return _Frame(branch)

    def _place_heading(self, frame: _Frame, index: int, item: Item) -> None:
        branch = frame.branch
        own = not frame.started or (not frame.open and branch.title == item.text)
        if branch.stated and own and branch.type in _TITLED_BY_HEADING:
            branch.title = item.text or branch.title
            branch.pattern = match_title(branch.title or "")
            branch.children.append(index)
            return
        level = item.level if item.level is not None else frame.last_level
        pattern = match_title(item.text)
        kind = pattern.type if pattern else T.SECTION
        if kind in _WEIGHTY:
            closed = next((section for section in frame.open if _kind(section) in _CLOSED), None)
            level = min(level, closed.level) if closed else level
        frame.last_level = level
        # a part holds the chapters of its own level; front and back matter end it
        ends_part = kind == T.PART or (pattern is not None and T.BODY_MATTER not in pattern.matter)
        while frame.open and _ends(frame.open[-1], level, ends_part):
            frame.open.pop()
        section = Branch(T.SECTION, item.text, level=level, pattern=pattern, children=[index])
        frame.inner.children.append(section)
        frame.open.append(section)


def _kind(branch: Branch) -> ComponentType:
    return branch.pattern.type if branch.pattern else branch.type


def _ends(section: Branch, level: int, ends_part: bool) -> bool:
    return section.level > level or (section.level == level and (ends_part or _kind(section) != T.PART))


def make_outline(items: Sequence[Item], containers: Iterable[DraftContainer]) -> Outline:
    """Build the outline of items in reading order.

    Headings nest by level, whatever the step between levels; the headings of a container nest within it. A container
    is placed at its first item and collects all its items there. A container without content, or with only notes that
    are not its purpose, is left out.

    Args:
        items: the nodes in reading order.
        containers: containers that the format states; unknown or circular keys count as the top.

    Returns:
        The outline. Branches made from headings have type SECTION and the pattern that their title matches.
    """
    return _Builder(items, containers).build()
