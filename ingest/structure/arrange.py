"""Divide an outline into front, body and back matter, and give each component its type.

Titles (``common.title_matching``) and places decide. Front matter is a first stretch of the document, back matter a
last one. Types and parts that the format states are left as they are.
"""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING

from ragraph.ingest.common.titles import Trust
from ragraph.ingest.structure.furniture import place_furniture
from ragraph.ingest.structure.outline import MATTERS, Branch, Item, make_outline
from ragraph.schema.enums import ComponentType, ContentNodeType

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ragraph.ingest.draft import DraftContainer

T, N = ComponentType, ContentNodeType
FRONT, BODY, BACK = MATTERS

_MATTER_OF_TYPE: dict[ComponentType, tuple[ComponentType, ...]] = {
    **dict.fromkeys((T.TITLE_PAGE, T.TABLE_OF_CONTENTS, T.ABSTRACT, T.EXECUTIVE_SUMMARY, T.FOREWORD), (FRONT,)),
    **dict.fromkeys((T.PREFACE, T.DEDICATION, T.LIST_OF_BOXES, T.LIST_OF_FIGURES, T.LIST_OF_TABLES), (FRONT,)),
    **dict.fromkeys((T.COPYRIGHT_PAGE, T.ACKNOWLEDGEMENTS), (FRONT, BACK)),
    **dict.fromkeys((T.PART, T.CHAPTER, T.INTRODUCTION, T.CONCLUSION), (BODY,)),
    **dict.fromkeys((T.BIBLIOGRAPHY, T.NOTES_SECTION, T.APPENDIX, T.INDEX, T.EPILOGUE), (BACK,)),
}
_PLAIN = {T.LIST, T.TEXT_BOX, T.CONTAINER}
_TITLE_LIKE = {N.TITLE, N.SUBTITLE, N.AUTHOR}
_COPYRIGHT = re.compile(r"©|\(c\) \d{4}|\bcopyright\b|all rights reserved|\bISBN\b|creative commons", re.IGNORECASE)
# A note begins with its number or sign: "12. ", "[3] ", "* ", "12 See ..."; a year alone does not count.
_NOTE_MARKER = re.compile(r"\[\d{1,4}\]|\(\d{1,4}\)|\d{1,4}[.):]\s|(?!1[5-9]\d\d|20\d\d)\d{1,4}\s|[*†‡§¶]{1,3}\s?\S")
_NUMBERED = re.compile(r"\s*\d{1,2}(?:\.\d+)*[.)]?\s")
_ENTRY_MARKER = re.compile(r"\[[^\]\s]{1,20}\](?=\s|$)|\(\d{1,4}\)(?=\s)|\d{1,4}[.)](?=\s)")
_ENTRY = re.compile(r"\b(?:1[4-9]|20)\d\d[a-z]?\b|\bn\.\s?d\.|https?://|\bdoi\b|forthcoming|in press", re.IGNORECASE)
# the end of a clause behind a word; dot leaders and numbers of pages end none
_CLAUSE_END = re.compile(r"[^\W\d_]{2}[.;:!?。！？](?![.\s]*[.…\d])")
_LONG = 200
_CLAUSE = 300
"""Letters of a paragraph, and of a clause, from which it is text and no line of a list of contents, or all of them."""
_SMALL = 20
"""Maximum nodes (or a tenth of all) that headings of unknown meaning before a strong front title may hold."""


def note_marker(text: str) -> str | None:
    """Return the marker that a note's text begins with, as printed, or None."""
    found = _NOTE_MARKER.match(text)
    return (re.match(r"[*†‡§¶]+|\S+", text) or found)[0] if found else None


def bibliography_marker(text: str) -> str | None:
    """Return the label that an entry begins with, as printed (``[22]``, ``7.``), or None."""
    found = _ENTRY_MARKER.match(text)
    return found[0].rstrip() if found else None


def looks_like_entry(text: str) -> bool:
    """Return True if a paragraph under a bibliography is an entry: it has a year or a link, or says why it has none."""
    return _ENTRY.search(text) is not None


def arrange(items: Sequence[Item], containers: Iterable[DraftContainer]) -> tuple[Branch, dict[int, list[int]]]:
    """Build the complete tree of a document: its matters, their components and the type of each.

    Args:
        items: the nodes in reading order.
        containers: containers that the format states.

    Returns:
        A root whose children are FRONT_MATTER, BODY_MATTER and BACK_MATTER (the first and the last only if they have
        content). Headers and footers have their minor number in ``level``. Second, the footnotes that already follow
        the item that refers to them, by the index of that item. Each item is in exactly one of the two.
    """
    outline = make_outline(items, containers)
    _end_contents(outline.root, items)
    arranger = _Arranger(items, outline.root)
    root = arranger.matters()
    _settle_types(root, items)
    place_furniture(root, items, outline.furniture)
    return root, outline.placed


def _is_section(child: Branch | int) -> bool:
    return isinstance(child, Branch) and child.type not in _PLAIN


class _Arranger:
    def __init__(self, items: Sequence[Item], root: Branch) -> None:
        self.items = items
        self.root = root
        self.titles = {index for index, item in enumerate(items) if item.type in _TITLE_LIKE}
        self.total = sum(item.type != N.NOTE for item in items)

    def matters(self) -> Branch:
        self._unwrap()
        front: list[Branch | int] = []
        middle: list[Branch | int] = []
        back: list[Branch | int] = []
        fixed: set[Branch] = set()
        for child in self.root.children:
            if isinstance(child, Branch) and child.type == FRONT:
                front.extend(child.children)
            elif isinstance(child, Branch) and child.type == BACK:
                back.extend(child.children)
            elif isinstance(child, Branch) and child.type == BODY:
                middle.extend(child.children)
                fixed.update(child.branches())
            else:
                middle.append(child)
        end = self._front_end(middle, fixed)
        if end == 0 and not front:
            end = self._title_end(middle)
        front.extend(middle[:end])
        start = self._back_start(middle, end, fixed)
        back[:0] = middle[start:]
        tops = [Branch(FRONT, children=self._title_page(front)), Branch(BODY, children=middle[end:start])]
        tops.append(Branch(BACK, children=back))
        return Branch(T.CONTAINER, children=[top for top in tops if top.children or top.type == BODY])

    def _unwrap(self) -> None:
        """Remove one unnamed container around everything, or one heading that is the title of the document."""
        while True:
            branches = list(self.root.branches())
            if len(branches) != 1 or branches[0].pattern or branches[0].type not in (T.CONTAINER, T.SECTION):
                return
            lid = branches[0]
            heading = None if lid.stated else lid.children[0]
            if lid.stated and (lid.type != T.CONTAINER or lid.title):
                return
            if isinstance(heading, int):
                numbered = _NUMBERED.match(self.items[heading].text)
                if self.titles or numbered or not any(_is_section(child) for child in lid.children):
                    return
                self.titles.add(heading)
            at = self.root.children.index(lid)
            self.root.children[at : at + 1] = lid.children

    def _size(self, child: Branch | int) -> int:
        indices = (child,) if isinstance(child, int) else child.items()
        return sum(self.items[index].type != N.NOTE for index in indices)

    def _front_end(self, children: list[Branch | int], fixed: set[Branch]) -> int:
        end = between = 0
        only_leaves = True
        for place, child in enumerate(children):
            if isinstance(child, Branch) and child in fixed:
                break
            matter = _matter_of(child)
            if FRONT in matter and isinstance(child, Branch):
                # Contents, a foreword and similar titles also make unknown headings before them front matter, if these
                # are short. Other titles do not, but may themselves be before such a one.
                strong = child.pattern.strong if child.pattern else child.stated
                if between <= (max(_SMALL, self.total // 10) if strong or only_leaves else 0):
                    end, between = place + 1, 0
                    only_leaves = True
                else:
                    between += self._size(child)
            elif BODY in matter or BACK in matter:
                break
            else:
                between += self._size(child)
                only_leaves = only_leaves and not _is_section(child)
        return end

    def _title_end(self, children: list[Branch | int]) -> int:
        """Return the end of the title page if no other front matter follows: after title, authors and cover pages."""
        lead = next((place for place, child in enumerate(children) if _is_section(child)), None)
        if lead is None:
            return 0
        end = 1 + max((place for place, child in enumerate(children[:lead]) if child in self.titles), default=-1)
        first = children[lead]
        page = self.items[next(first.items())].page if isinstance(first, Branch) else None
        while 0 < end < lead and page is not None:
            child = children[end]
            own = self.items[child].page if isinstance(child, int) else None
            if own is None or own >= page:
                break
            end += 1
        return end

    def _back_start(self, children: list[Branch | int], end: int, fixed: set[Branch]) -> int:
        start = len(children)
        gap = 0
        bibliographies = sum(_kind(child) == T.BIBLIOGRAPHY for child in children)
        for place in range(len(children) - 1, end - 1, -1):
            child = children[place]
            if isinstance(child, Branch) and child in fixed:
                break
            matter = _matter_of(child)
            if BACK in matter:
                # unknown sections belong to the back matter after an appendix, and after the only bibliography
                kind = _kind(child)
                only = kind == T.BIBLIOGRAPHY and bibliographies == 1 and gap <= self.total // 2
                if gap and kind != T.APPENDIX and not only:
                    break
                start, gap = place, 0
            elif matter:
                break
            else:
                gap += self._size(child)
        return start

    def _title_page(self, front: list[Branch | int]) -> list[Branch | int]:
        lead = next((place for place, child in enumerate(front) if _is_section(child)), len(front))
        if all(isinstance(child, int) and self.items[child].type == N.NOTE for child in front[:lead]):
            return front
        pages: list[Branch | int] = []
        page = Branch(T.TITLE_PAGE)
        at: int | None = None
        for child in front[:lead]:
            own = self.items[child].page if isinstance(child, int) and self.items[child].type != N.NOTE else at
            if own != at and at is not None and self._is_copyright(front[:lead], own):
                page = Branch(T.COPYRIGHT_PAGE)
            elif own != at and page.type == T.COPYRIGHT_PAGE:
                page = Branch(T.TITLE_PAGE)
            if not page.children:
                pages.append(page)
            page.children.append(child)
            at = own
        return [*pages, *front[lead:]]

    def _is_copyright(self, children: list[Branch | int], page: int | None) -> bool:
        own = (self.items[child] for child in children if isinstance(child, int))
        return any(item.page == page and item.type != N.NOTE and _COPYRIGHT.search(item.text) for item in own)


def _kind(child: Branch | int) -> ComponentType | None:
    if isinstance(child, int):
        return None
    return child.pattern.type if child.pattern and child.type in (T.SECTION, T.CONTAINER) else child.type


def _matter_of(child: Branch | int) -> tuple[ComponentType, ...]:
    """Return the matters to which a top-level child may belong, by its stated type first, then by its title."""
    if isinstance(child, int):
        return ()
    if child.type != T.SECTION:
        return _MATTER_OF_TYPE.get(child.type, ())
    return child.pattern.matter if child.pattern else ()


def _end_contents(root: Branch, items: Sequence[Item]) -> None:
    """End each list of contents before the text that follows it without a heading of its own.

    Such text is most of what stands under the heading of the list. The list keeps what is before it; a heading with
    nothing but text is no list.
    """
    for around in root.walk():
        waiting = deque(around.children)
        around.children = []
        while waiting:
            child = waiting.popleft()
            around.children.append(child)
            if not isinstance(child, Branch) or child.stated or child.pattern is None:
                continue
            if child.pattern.type != T.TABLE_OF_CONTENTS or not _is_text(child, items):
                continue
            end = next(place for place, one in enumerate(child.children) if _is_text(one, items))
            if end > 1:
                waiting.extendleft(reversed(child.children[end:]))
                del child.children[end:]
            else:
                child.pattern = None


def _is_text(child: Branch | int, items: Sequence[Item]) -> bool:
    """Return True if most letters are in long paragraphs of clauses."""
    held = [items[index] for index in ((child,) if isinstance(child, int) else child.items())]
    text = [item.text for item in held if item.type == N.PARAGRAPH and len(item.text) >= _LONG]
    letters = sum(len(one) for one in text if len(_CLAUSE_END.findall(one)) * _CLAUSE >= len(one))
    return 2 * letters > sum(len(item.text) for item in held)


def _settle_types(root: Branch, items: Sequence[Item]) -> None:
    # (branch, its matter, whether it is at the level of chapters, type of the enclosing component)
    stack = [(child, top.type, True, top.type) for top in root.branches() for child in top.branches()]
    while stack:
        branch, matter, top, around = stack.pop()
        branch.type = _settled(branch, items, matter, top, around)
        chapters = branch.type == T.PART or (top and branch.type == T.CONTAINER)
        stack.extend((child, matter, chapters, branch.type) for child in branch.branches())


def _settled(
    branch: Branch, items: Sequence[Item], matter: ComponentType, top: bool, around: ComponentType
) -> ComponentType:
    line = branch.pattern
    if branch.type != T.SECTION or line is None:
        return branch.type
    in_place = matter in line.matter and (top or around in _MATTER_OF_TYPE)
    trusted = {
        Trust.ANYWHERE: True,
        Trust.TOP: top,
        Trust.PLACE: in_place,
        Trust.CONTENT: in_place or _holds_notes(branch, items),
    }[line.trust]
    return line.type if trusted else branch.type


def _holds_notes(branch: Branch, items: Sequence[Item]) -> bool:
    """Return True if the first text under the heading is a note, or begins like one."""
    for index in branch.items():
        item = items[index]
        if item.type in (N.HEADING, N.SUBHEADING):
            continue
        if item.type == N.LIST_ITEM:
            return item.marker is not None and any(sign.isdigit() or sign in "*†‡§¶" for sign in item.marker)
        return item.type == N.NOTE or (item.type == N.PARAGRAPH and note_marker(item.text) is not None)
    return False
