"""Tables, figures, code and notes of HTML as nodes."""

from __future__ import annotations

import base64
import posixpath
import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from lxml import etree

from ragraph.ingest.readers.html.coins import stated
from ragraph.ingest.readers.html.inline import InlineReader, drawn, hidden
from ragraph.ingest.readers.html.links import classes, types
from ragraph.ingest.readers.html.tree import HEADINGS
from ragraph.ingest.readers.markup.inline import Inline, collapse
from ragraph.ingest.readers.markup.table import Cell, Row, span, table
from ragraph.ingest.readers.markup.xml import local, words
from ragraph.schema.enums import ContentNodeType, EmbeddingSource

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ragraph.ingest.readers.html.links import Links
    from ragraph.ingest.readers.markup.builder import DraftBuilder, Node
    from ragraph.schema.enums import ComponentType

_LANGUAGE = re.compile(r"(?:language|lang|highlight(?:-source)?|brush:?|src)[-:\s]([\w+#.-]+)")
_LANGUAGES = frozenset(
    {
        "bash",
        "c",
        "cpp",
        "csharp",
        "css",
        "go",
        "haskell",
        "html",
        "java",
        "javascript",
        "json",
        "kotlin",
        "perl",
        "php",
    }
    | {"python", "r", "ruby", "rust", "scala", "sh", "shell", "sql", "swift", "toml", "typescript", "xml", "yaml"}
)
"""Names of languages that are used alone as a class of a listing."""

_NO_LANGUAGE = frozenset({"default", "none", "text", "plain", "plaintext", "notranslate", "highlight", "nohighlight"})
_PAGE = 200
"""Letters of a cell that has a part of a page rather than a value."""

_NESTED = 4
"""Maximum depth of nested tables whose purpose is examined."""

_STANDING = frozenset({"p", "ul", "ol", "dl", "pre", "blockquote", "table", "hr", *HEADINGS})
_WRAPS = 3  # elements around a listing that may name its language
_SENTENCE = 60
"""Minimum letters of a cell with running text."""

_SENTENCES = re.compile(r"[^\W\d]{2}[.!?。]['\"»”’)]*(?:\s|$)")

_ADMONITION = re.compile(r"admonition|callout", re.IGNORECASE)
"""Names of blocks that set their label and their text in cells."""

_CAPTIONED = frozenset({ContentNodeType.FIGURE, ContentNodeType.TABLE, ContentNodeType.CODE, ContentNodeType.FORMULA})


class Objects:
    """Handlers of the walker for elements that become a single node.

    Args:
        builder: gets the nodes.
        links: the links of the document.
        file: name of the file among them.
        inline: reads running text of the file.
    """

    def __init__(self, builder: DraftBuilder, links: Links, file: str, inline: InlineReader) -> None:
        self._builder = builder
        self._links = links
        self._file = file
        self._inline = inline
        self._furniture: Mapping[etree._Element, ComponentType] = {}

    def flow(self, element: etree._Element, kind: ContentNodeType) -> None:
        """Add the content of an element; implemented by the walker."""
        raise NotImplementedError

    def block(self, element: etree._Element, kind: ContentNodeType) -> None:
        """Add one block; implemented by the walker."""
        raise NotImplementedError

    def _pend(self, element: etree._Element) -> None:
        """Give the next node the id of an element, if a link leads to it."""
        self._inline.note_id(element)
        self._builder.pend(*self._inline.taken_ids())

    def flatten(self, element: etree._Element, kind: ContentNodeType) -> None:
        """Add all text of an element as one node, because it is nested too deep."""
        self._builder.warn(f"elements nested too deep at <{local(element)}> were read as plain text")
        text = collapse(" ".join(str(part) for part in element.itertext()))
        if text:
            self._builder.add(kind, text)

    def note(self, element: etree._Element, kind: ContentNodeType, marker: str | None = None) -> None:
        """Add a note or a bibliography entry as one node, its paragraphs separated by empty lines."""
        self._pend(element)
        inline = self._inline.read(element, paragraphs=True)
        marker = self._links.note_marker(element) or marker
        data = stated(element) if kind is ContentNodeType.BIBLIOGRAPHIC_ENTRY else {}
        anchors = [self._name(element), *self._inline.taken_ids()]
        self._builder.add(kind, inline, anchors=anchors, marker=marker, data=data)
        self.images(self._inline.taken_images())

    def table(self, element: etree._Element) -> None:
        """Add a table and its caption; read tables that only lay out a page as their content."""
        rows, cells = _rows(element)
        if self._lays_out(element, rows, cells):
            for row, line in zip(rows, cells, strict=True):
                if row in self._furniture:
                    self.block(row, ContentNodeType.PARAGRAPH)
                    continue
                for cell in line:
                    self.block(cell, ContentNodeType.PARAGRAPH)
            return
        if any(_heading_of(line) is not None for line in cells):
            self._parts(element, rows, cells)
            return
        self._table(element, rows, cells)

    def _lays_out(
        self, element: etree._Element, rows: list[etree._Element], cells: list[list[etree._Element]], level: int = 0
    ) -> bool:
        """Return True if a table only lays out a page: it says so, has tables or blocks, or a single column."""
        every = [cell for line in cells for cell in line]
        if types(element) & {"presentation", "none"} or len(every) == 1:
            return True
        if any(one in self._furniture for one in (*rows, *every)):
            return True
        sizes = {cell: len(words(cell)) for cell in every}
        half = sum(sizes.values()) / 2
        inner = [found for found in element.iter("table", "{*}table") if _table_of(found) is element]
        if level < _NESTED and sum(len(words(one)) for one in inner if self._stands_alone_in(one, level + 1)) > half:
            return True
        if _headed(element, every):
            return False
        headed = any(local(found) in HEADINGS for cell in every for found in cell.iter())
        if all(len(line) <= 1 for line in cells) or (len(rows) == 1 and headed):
            return True
        if len(rows) == 1 and (sum(size > 0 for size in sizes.values()) < 2 or _ADMONITION.search(_around(element))):
            return True  # a picture beside a text, or the name of a box beside it
        if len(rows) == 1 and any(_SENTENCES.search(words(cell)) for cell in every if sizes[cell] >= _SENTENCE):
            return True  # a single row with running text has no columns to compare
        return half > 0 and sum(sizes[cell] for cell in every if sizes[cell] >= _PAGE and _holds_blocks(cell)) >= half

    def _stands_alone_in(self, table: etree._Element, level: int) -> bool:
        """Return True if a nested table is a table of its own or layout, not part of a line set in cells."""
        rows, cells = _rows(table)
        return _headed(table, [cell for line in cells for cell in line]) or self._lays_out(table, rows, cells, level)

    def _parts(self, element: etree._Element, rows: list[etree._Element], cells: list[list[etree._Element]]) -> None:
        """Add a table that headings in separate rows divide into several."""
        first = 0
        for number in range(len(rows) + 1):
            heading = _heading_of(cells[number]) if number < len(rows) else None
            if heading is None and number < len(rows):
                continue
            if number > first:
                self._table(element, rows[first:number], cells[first:number])
            if heading is not None:
                self.block(heading, ContentNodeType.PARAGRAPH)
            first = number + 1

    def _table(self, element: etree._Element, rows: list[etree._Element], cells: list[list[etree._Element]]) -> None:
        caption = next((child for child in element if local(child) == "caption"), None)
        captions = self._captions(caption) if caption is not None else []
        has_head = any(local(row.getparent()) == "thead" for row in rows)  # type: ignore[arg-type]
        lines, in_head = [], True
        for row, line, left in zip(rows, cells, _left_in_group(rows), strict=True):
            parent = row.getparent()
            stated = parent is not None and local(parent) == "thead"
            in_head = in_head and (stated if has_head else bool(line) and all(local(cell) == "th" for cell in line))
            read = [
                Cell(self._cell(cell), min(span(cell.get("rowspan")) or left, left), span(cell.get("colspan")))
                for cell in line
            ]
            lines.append(Row(read, header=in_head))
        inline, data = table(lines)
        anchors = [self._name(element), *self._inline.taken_ids()]
        self._inline.taken_images()
        node = self._builder.add(
            ContentNodeType.TABLE,
            inline,
            anchors=anchors,
            data=data,
            description=element.get("summary") or element.get("aria-label"),
        )
        for found in captions:
            self._builder.caption(node, found)

    def _cell(self, cell: etree._Element) -> Inline:
        return self._inline.read(cell, markdown=False, breaks=False)

    def _captions(self, element: etree._Element) -> list[Node]:
        inline = self._inline.read(element, paragraphs=True)
        anchors = self._inline.taken_ids()
        return [self._builder.add(ContentNodeType.CAPTION, inline, anchors=anchors)] if inline.text else []

    def figure(self, element: etree._Element) -> None:
        """Add the content of a figure and its captions, in the order of the source."""
        self._inline.note_id(element)
        anchors = [self._name(element), *self._inline.taken_ids()]
        first = len(self._builder.nodes)
        captions: list[Node] = []
        for child in element:
            if local(child) == "figcaption":
                captions += self._captions(child)
                self._inline.taken_images()
            elif not hidden(child):
                self.block(child, ContentNodeType.PARAGRAPH)
        held = [node for node in self._builder.nodes[first:] if node.type in _CAPTIONED]
        if not held and captions:
            held = [self._builder.add(ContentNodeType.FIGURE, "")]
        if held:
            held[0].anchors += [name for name in anchors if name and name not in held[0].anchors]
        for caption in captions:
            for node in held:
                self._builder.caption(node, caption)

    def images(self, elements: Iterable[etree._Element]) -> None:
        """Add images as figures, except stated decoration. Nothing is fetched."""
        for element in elements:
            image = element
            if local(element) == "picture":
                image = next((found for found in element.iter() if local(found) == "img"), element)
            description = collapse(image.get("alt") or image.get("aria-label") or "")
            text = ""
            if local(image) == "svg":
                text = drawn(image)
                titles = [words(found) for found in image.iter() if local(found) in ("title", "desc")]
                description = collapse(" ".join(titles))
            source = image.get("src") or ""
            decoration = image.get("alt") == "" or types(image) & {"presentation", "none"}
            self._inline.note_id(element)
            anchors = self._inline.taken_ids()
            if (decoration or not (source or description or text)) and not anchors:
                continue
            self._builder.add(
                ContentNodeType.FIGURE,
                text,
                anchors=anchors,
                description=description or None,
                embedding_source=EmbeddingSource.DESCRIPTION
                if description and not text
                else EmbeddingSource.TEXT_CONTENT,
                storage_url=self._source(source),
                picture=_stated(source),
            )

    def code(self, element: etree._Element) -> None:
        """Add preformatted text unchanged, with its language if a class names one."""
        self._pend(element)
        text = _verbatim(element).strip("\n").rstrip()
        language = _language(element)
        self._builder.add(
            ContentNodeType.CODE,
            text,
            anchors=[self._name(element)],
            data={"language": language} if language else {},
        )

    def _source(self, source: str) -> str | None:
        """Return the place of an image: a URL as stated, or a path within the book from its package file."""
        source = collapse(source)
        if not source or source.lower().startswith(("data:", "javascript:")):
            return None
        if not self._file or ":" in source or source.startswith("/"):
            return source
        return posixpath.normpath(posixpath.join(posixpath.dirname(self._file), unquote(source)))

    def _name(self, element: etree._Element) -> str | None:
        return self._links.name(self._file, element.get("id"))


def _stated(source: str) -> bytes | None:
    """Return the picture in a data: URL."""
    head, _, content = source.partition(",")
    if not head.lower().replace(" ", "").startswith("data:image/") or not head.lower().endswith(";base64"):
        return None
    try:
        return base64.b64decode(unquote(content))
    except ValueError:
        return None


def _language(element: etree._Element) -> str | None:
    """Return the language that a listing states: in itself, its content, or an element that wraps only it."""
    stated = [element, *element]
    around = element.getparent()
    for _ in range(_WRAPS):
        if around is None or sum(1 for _ in around.iter("{*}pre")) != 1 or local(around) in ("body", "main", "section"):
            break
        stated.append(around)
        around = around.getparent()
    for one in stated:
        language = _LANGUAGE.search(" ".join(sorted(classes(one))))
        named = one.get("data-lang") or one.get("data-language") or (language.group(1) if language else "")
        named = named or next((word for word in sorted(classes(one)) if word in _LANGUAGES), "")
        if named:
            return None if named.lower() in _NO_LANGUAGE else named.lower()
    return None


def _verbatim(element: etree._Element) -> str:
    parts: list[str] = []
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, found in walk:
        if event == "end":
            parts.append(found.tail or "" if found is not element else "")
        elif hidden(found):
            walk.skip_subtree()
        else:
            parts.append("\n" if local(found) == "br" else found.text or "")
    return "".join(parts)


def _heading_of(cells: list[etree._Element]) -> etree._Element | None:
    """Return the heading that is the only content of a table row, or None."""
    found = next((one for cell in cells for one in cell.iter() if local(one) in HEADINGS), None)
    if found is None or words(found) != collapse(" ".join(words(cell) for cell in cells)):
        return None
    return found


def _rows(table: etree._Element) -> tuple[list[etree._Element], list[list[etree._Element]]]:
    """Return the rows of a table and the cells of each, without those of nested tables."""
    rows = [row for row in table.iter("tr", "{*}tr") if _table_of(row) is table and not hidden(row)]
    return rows, [[cell for cell in row if local(cell) in ("td", "th") and not hidden(cell)] for row in rows]


def _left_in_group(rows: list[etree._Element]) -> list[int]:
    """Return for each row how many its head, body or foot has from it on: no cell spans more."""
    left: list[int] = []
    for row, below in zip(reversed(rows), [None, *reversed(rows)], strict=False):
        same = below is not None and below.getparent() is row.getparent()
        left.append(left[-1] + 1 if same else 1)
    return left[::-1]


def _headed(table: etree._Element, cells: Iterable[etree._Element]) -> bool:
    """Return True if a table has headings for its content."""
    named = any(local(child) in ("caption", "thead") for child in table)
    return named or any(local(cell) == "th" and words(cell) for cell in cells)


def _around(table: etree._Element) -> str:
    """Return the class of the block around a table."""
    parent = table.getparent()
    return "" if parent is None else parent.get("class") or ""


def _holds_blocks(cell: etree._Element) -> bool:
    """Return True if a cell has several paragraphs, lists or headings."""
    return sum(1 for one in cell.iterdescendants() if local(one) in _STANDING) > 1


def _table_of(element: etree._Element) -> etree._Element | None:
    return next((ancestor for ancestor in element.iterancestors() if local(ancestor) == "table"), None)
