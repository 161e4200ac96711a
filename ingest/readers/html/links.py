"""Links within HTML documents: links to notes, to bibliography entries, and back links.

HTML does not state what a note is, except for the types of EPUB and ARIA. But a short raised link leads to a note, and
a link leads back from it. That is how notes are found elsewhere.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from ragraph.ingest.readers.markup.xml import attribute, local, words
from ragraph.schema.enums import ContentNodeType, RelationType

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lxml import etree

_NOTE_TYPES = frozenset({"footnote", "endnote", "rearnote", "doc-footnote", "doc-endnote"})
_NOTES_TYPES = frozenset({"footnotes", "endnotes", "rearnotes", "doc-endnotes", "doc-footnotes"})
_NOTES_CLASSES = frozenset({"footnotes", "endnotes", "footnote-list"})
_ENTRIES_TYPES = frozenset({"bibliography", "doc-bibliography"})
_ENTRIES_CLASSES = frozenset({"references", "reflist", "bibliography", "csl-bib-body", "ltx_biblist"})
_ENTRY_TYPES = frozenset({"biblioentry", "doc-biblioentry"})
_ENTRY_ID = re.compile(r"(ref|bib|cite|citeref|cr|b|r)[-_.:]?(note|ref)?[-_]?[a-z]?\d+[a-z]?", re.IGNORECASE)
_NOTEREF_CLASSES = frozenset(
    {"footnote-ref", "footnote", "footnoteref", "noteref", "fnref", "footnote-mark", "footnote-reference"}
)
_MARKER = re.compile(r"[\[({]?\s*(\d{1,4}|[a-z]{1,2}|[ivxlc]{1,6}|[*†‡§¶#‖]{1,4})\s*[\])}]?\.?", re.IGNORECASE)
_BACK = re.compile(r"[\s↩↑⤴^←⬆\ufe0e\ufe0f\u21b5]+|back|return", re.IGNORECASE)
INLINE = frozenset(
    {
        *(
            "a",
            "abbr",
            "acronym",
            "b",
            "bdi",
            "bdo",
            "big",
            "cite",
            "code",
            "data",
            "del",
            "dfn",
            "em",
            "font",
            "i",
            "ins",
        ),
        *(
            "kbd",
            "label",
            "mark",
            "nobr",
            "q",
            "rb",
            "rtc",
            "slot",
            "rp",
            "rt",
            "ruby",
            "s",
            "samp",
            "small",
            "span",
            "strike",
            "strong",
            "sub",
        ),
        *("sup", "time", "tt", "u", "var", "wbr"),
    }
)
"""Elements that run within a line."""


def types(element: etree._Element) -> frozenset[str]:
    """Return the words of ``epub:type`` and ``role`` of an element."""
    if not element.attrib:
        return frozenset()
    stated = f"{attribute(element, 'type') or ''} {element.get('epub:type') or ''} {element.get('role') or ''}"
    return frozenset(stated.lower().split())


def classes(element: etree._Element) -> frozenset[str]:
    """Return the words of ``class`` of an element."""
    return frozenset((element.get("class") or "").lower().split())


class Links:
    """The links of one document of one or more files.

    Args:
        files: name and root element of each file in reading order; the file of a single-file document may be "".
    """

    def __init__(self, files: Iterable[tuple[str, etree._Element]]) -> None:
        self._elements: dict[str, etree._Element] = {}
        self._files: dict[str, etree._Element] = {}
        self._targets: set[str] = set()
        self._back: set[etree._Element] = set()
        self._notes: dict[etree._Element, ContentNodeType] = {}
        self._references: dict[etree._Element, tuple[str, RelationType, bool]] = {}
        self._markers: dict[etree._Element, str] = {}
        self._led: dict[etree._Element, set[str]] = {}  # block -> where its links lead to
        self._words: dict[etree._Element, str] = {}  # text of blocks, which may have very many links
        pairs = list(files)
        for name, root in pairs:
            self._files[name] = root
            for element in root.iter():
                for own in (element.get("id"), element.get("name") if local(element) == "a" else None):
                    if own:
                        self._elements.setdefault(f"{name}#{own}", element)
        for _, root in pairs:
            for element in root.iter():
                self._typed(element)
        self._resolve(pairs)

    def name(self, file: str, id: str | None) -> str | None:
        """Return the anchor of an id in a file: the id itself in a document of one unnamed file."""
        if not id:
            return None
        return f"{file}#{id}" if file else id

    def wanted(self, file: str, id: str | None) -> bool:
        """Return True if a link leads to this id."""
        return bool(id) and f"{file}#{id}" in self._targets

    def file_wanted(self, file: str) -> bool:
        """Return True if a link leads to this file as a whole."""
        return file in self._targets

    def note(self, element: etree._Element) -> ContentNodeType | None:
        """Return NOTE or BIBLIOGRAPHIC_ENTRY if an element is one, else None."""
        return self._notes.get(element)

    def note_marker(self, element: etree._Element) -> str | None:
        """Return the marker by which the text refers to a note, or None."""
        return self._markers.get(element)

    def leads_back(self, element: etree._Element) -> bool:
        """Return True if a link only leads from a note back to its place."""
        return element in self._back

    def reference(self, element: etree._Element) -> tuple[str, RelationType, bool] | None:
        """Return anchor, type and whether the marker is raised, for a link within the document; None for others."""
        return self._references.get(element)

    def _typed(self, element: etree._Element) -> None:
        stated = types(element)
        if local(element) in ("section", "ol", "ul", "body", "a", "nav"):
            return
        if stated & _NOTE_TYPES and local(element) not in INLINE:
            self._notes[element] = ContentNodeType.NOTE
        elif stated & _ENTRY_TYPES:
            self._notes[element] = ContentNodeType.BIBLIOGRAPHIC_ENTRY
        elif local(element) == "li":
            for level, ancestor in enumerate(element.iterancestors()):
                if level and local(ancestor) == "li":
                    return  # a list within a note
                if types(ancestor) & _NOTES_TYPES or classes(ancestor) & _NOTES_CLASSES:
                    self._notes[element] = ContentNodeType.NOTE
                    return
                if types(ancestor) & _ENTRIES_TYPES or classes(ancestor) & _ENTRIES_CLASSES:
                    self._notes[element] = ContentNodeType.BIBLIOGRAPHIC_ENTRY
                    return

    def _resolve(self, files: list[tuple[str, etree._Element]]) -> None:
        sources: dict[str, etree._Element] = {}  # id of a reference mark -> block of its note
        for file, root in files:
            for link in root.iter("a", "{*}a"):
                target = self._target(file, link.get("href"))
                if target is None:
                    continue
                if target in sources and self._within(link, sources[target]):
                    self._back.add(link)
                    continue
                stated = types(link)
                if stated & {"backlink", "doc-backlink"} or (_BACK.fullmatch(words(link)) and self._in_note(link)):
                    self._back.add(link)
                    continue
                self._targets.add(target)
                self._reference(file, link, target, sources)
        for link in self._back:  # "^ a b": back links of a note with several references
            self._references.pop(link, None)

    def _reference(self, file: str, link: etree._Element, target: str, sources: dict[str, etree._Element]) -> None:
        marker = words(link)
        element = self._elements.get(target)
        typed = bool(types(link) & {"noteref", "doc-noteref"})
        raised = typed or _raised(link)
        block = self._note_block(element) if element is not None else None
        kind = self._notes.get(block) if block is not None else None
        bracketed = marker[:1] in "[({"
        anchor = target if file or not target.startswith("#") else target[1:]
        if kind is None and block is not None and element is not None:
            entry = _ENTRY_ID.fullmatch(element.get("id") or element.get("name") or "") is not None
            if local(element) == "a" and element.get("href"):  # the number of an entry, or a mark within the text
                entry = entry and self._text(block).startswith(words(element))
            short = _MARKER.fullmatch(marker) is not None
            if entry and not typed and short and (raised or bracketed):
                kind = self._notes[block] = ContentNodeType.BIBLIOGRAPHIC_ENTRY
            elif typed or (raised and short) or (short and self._answers(file, link, target, block)):
                kind = self._notes[block] = ContentNodeType.NOTE
        if kind is None:
            self._references[link] = (anchor, RelationType.CROSS_REFERENCES, False)
            if typed or (raised and element is None and _MARKER.fullmatch(marker)):
                self._references[link] = (anchor, RelationType.REFERENCES_NOTE, not bracketed)
            return
        note = kind is ContentNodeType.NOTE
        relation = RelationType.REFERENCES_NOTE if note else RelationType.REFERENCES_CITATION
        self._references[link] = (anchor, relation, raised and not bracketed)
        if block is not None and (typed or raised or bracketed) and not self._within(link, block):
            self._markers.setdefault(block, marker)
            for own in _ids_around(link):
                sources.setdefault(f"{file}#{own}", block)

    def _answers(self, file: str, link: etree._Element, target: str, block: etree._Element) -> bool:
        """Return True if a block has a link back to the link that leads to it, and more text than that link."""
        if block not in self._led:
            led = [(self._target(target.partition("#")[0], one.get("href")), one) for one in block.iter("a", "{*}a")]
            whole = self._text(block)
            self._led[block] = {place for place, one in led if place is not None and words(one) != whole}
        return not self._led[block].isdisjoint(f"{file}#{own}" for own in _ids_around(link))

    def _text(self, block: etree._Element) -> str:
        if block not in self._words:
            self._words[block] = words(block)
        return self._words[block]

    def _target(self, file: str, href: str | None) -> str | None:
        """Return "file#id" or "file" for a link into the document, None for others."""
        if not href:
            return None
        try:
            parts = urlsplit(href.strip())
        except ValueError:
            return None
        if parts.scheme or parts.netloc or parts.query:
            return None
        path = file
        if parts.path:
            path = posixpath.normpath(posixpath.join(posixpath.dirname(file), unquote(parts.path)))
            if path not in self._files:
                return None
        fragment = unquote(parts.fragment)
        if fragment:
            return (
                f"{path}#{fragment}" if f"{path}#{fragment}" in self._elements or parts.path or file else f"#{fragment}"
            )
        return path if parts.path else None

    def _note_block(self, element: etree._Element) -> etree._Element | None:
        """Return the block that is the note when a mark leads to ``element``, or None if it cannot be a note."""
        block = element
        while local(block) in INLINE:
            parent = block.getparent()
            if parent is None:
                return None
            block = parent
        for candidate in (block, *block.iterancestors()):
            if candidate in self._notes:
                return candidate
            if local(candidate) in ("section", "article", "body", "table", "blockquote"):
                break
        parent = block.getparent()
        if local(block) == "p" and parent is not None and local(parent) == "li" and parent[0] is block:
            block = parent
        return block if local(block) in ("p", "li", "div", "aside", "dd") else None

    def _in_note(self, link: etree._Element) -> bool:
        return any(ancestor in self._notes for ancestor in link.iterancestors())

    def _within(self, link: etree._Element, block: etree._Element) -> bool:
        return any(ancestor is block for ancestor in link.iterancestors())


def _raised(link: etree._Element) -> bool:
    """Return True if a link is a superscript, or has a class for note marks."""
    if classes(link) & _NOTEREF_CLASSES or any(local(child) == "sup" and words(child) == words(link) for child in link):
        return True
    parent = link.getparent()
    for _ in range(2):
        if parent is None or local(parent) not in INLINE:
            return False
        if local(parent) == "sup" or classes(parent) & _NOTEREF_CLASSES:
            return True
        parent = parent.getparent()
    return False


def _ids_around(link: etree._Element) -> list[str]:
    """Return the ids by which a note may lead back to a mark: of the link, its wrappers, and its content."""
    found = [link.get("id"), link.get("name"), *(child.get("id") for child in link.iter())]
    parent = link.getparent()
    while parent is not None and local(parent) in ("sup", "span", "small"):
        found.append(parent.get("id"))
        parent = parent.getparent()
    previous = link.getprevious()
    if previous is not None and local(previous) == "a" and not words(previous):
        found += [previous.get("id"), previous.get("name")]
    return [name for name in found if name]
