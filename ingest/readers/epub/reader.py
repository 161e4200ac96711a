"""EPUB books as one document: all files of the spine in order, endnotes linked, parts and chapters nested."""

from __future__ import annotations

import posixpath
import re
from datetime import date
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from ragraph.base.inline import unmarked
from ragraph.errors import DamagedFileError, EmptyFileError
from ragraph.ingest.draft import DraftMetadata
from ragraph.ingest.readers.epub.labels import drawn_text, name_chapters, part_words
from ragraph.ingest.readers.epub.package import Files, Package, open_package
from ragraph.ingest.readers.html.blocks import HtmlWalker
from ragraph.ingest.readers.html.links import Links, types
from ragraph.ingest.readers.html.prune import count_hidden
from ragraph.ingest.readers.html.raised import raise_by_style
from ragraph.ingest.readers.html.reader import decode, parse_html
from ragraph.ingest.readers.html.types import component_type, guide_type, matter
from ragraph.ingest.readers.html.unseen import remove_unseen
from ragraph.ingest.readers.markup.builder import DraftBuilder
from ragraph.ingest.readers.markup.inline import collapse
from ragraph.ingest.readers.markup.xml import local, parse_xml, words
from ragraph.schema.enums import ComponentType

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lxml import etree

    from ragraph.ingest.draft import Draft
    from ragraph.ingest.readers import ReadOptions

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_NESTING = frozenset({ComponentType.PART, ComponentType.CHAPTER, ComponentType.SECTION, ComponentType.APPENDIX})
_DATE = re.compile(r"(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?")
_MARKUP = re.compile(r"<[^>]+>")


class EpubReader:
    """Reads ``.epub`` files, and unpacked EPUBs by their ``.opf`` package file."""

    name = "epub"
    version = 11

    def read(self, path: Path, options: ReadOptions | None) -> Draft:
        """Return the draft of a book.

        Raises:
            EmptyFileError: no bytes, or a book without any text.
            DamagedFileError: not an EPUB, or the files in its spine are missing or unreadable.
            EncryptedFileError: the text is encrypted.
            FileTooLargeError: it unpacks to more than a book can have.
        """
        charset = options.charset if options is not None else None
        files, package = open_package(path)
        builder = DraftBuilder(f"{self.name}/{self.version}")
        bodies: list[tuple[str, etree._Element]] = []
        for name in package.spine:
            body = _body(files, package, name, charset, builder)
            if body is not None:
                bodies.append((name, body))
        if not bodies:
            raise DamagedFileError(f"{path.name}: none of the files in its spine can be read; export it again")
        _Book(builder, package, bodies).walk()
        if not builder.nodes:
            raise EmptyFileError(f"{path.name} holds no text; nothing to read")
        return builder.build(_metadata(package))


class _Book:
    """Reads the files of a book and nests their content as the table of contents does."""

    def __init__(self, builder: DraftBuilder, package: Package, bodies: list[tuple[str, etree._Element]]) -> None:
        self._builder = builder
        self._bodies = bodies
        self._guide = package.guide
        self._links = Links(bodies)
        self._title = _title_heading(bodies)
        self._levels = name_chapters(bodies, package.contents)
        self._depths: dict[str, int] = {}
        for entry in package.contents:
            self._depths.setdefault(entry.file, entry.depth)
        self._open: list[tuple[int, str]] = []  # depth in the table of contents and container, outermost first
        self._matter: tuple[ComponentType | None, str | None] = (None, None)

    def walk(self) -> None:
        """Add all files."""
        stated = [self._matter_of(name, body) for name, body in self._bodies]
        for (name, body), kind in zip(self._bodies, stated, strict=True):
            self._enter_matter(kind)
            self._file(name, body)

    def _matter_of(self, name: str, body: etree._Element) -> ComponentType | None:
        sections = [child for child in body if local(child)]
        for element in (body, *sections[:1]):
            found = matter(element)
            if found:
                return found
        guided = guide_type(self._guide.get(name, ""))
        return guided[1] if guided else None

    def _enter_matter(self, kind: ComponentType | None) -> None:
        unsaid = kind is None and self._matter[0] in (ComponentType.BODY_MATTER, ComponentType.BACK_MATTER)
        if kind is self._matter[0] or unsaid:  # files without a stated matter belong to that of the previous one
            return
        self._open = []
        self._builder.container = None
        key = self._builder.open(kind) if kind is not None else None
        self._matter = (kind, key)

    def _file(self, name: str, body: etree._Element) -> None:
        depth = self._depths.get(name)
        if depth is not None:
            while self._open and self._open[-1][0] >= depth:
                self._open.pop()
        else:
            self._open = []
        self._builder.container = self._open[-1][1] if self._open else self._matter[1]
        if self._links.file_wanted(name):
            self._builder.pend(name)
        walker = HtmlWalker(self._builder, self._links, name, self._title, len(self._open), levels=self._levels)
        guided = guide_type(self._guide.get(name, ""))
        own = component_type(body) or (guided[0] if guided else None)
        before = self._builder.container
        first = self._builder.next_container
        sectioned = any(local(child) in ("section", "article") or component_type(child) for child in body)
        if own is not None and not (sectioned and component_type(body) is None):
            walker.walk_as(body, own)
        elif sectioned:
            walker.walk(body)
        else:
            walker.walk_plain(body)
        opened = self._builder.first_child(before, first)
        self._builder.container = before
        if depth is not None and opened is not None and opened[1] in _NESTING:
            self._open.append((depth, opened[0]))


def _body(
    files: Files, package: Package, name: str, charset: str | None, builder: DraftBuilder
) -> etree._Element | None:
    """Return the body of a file of the spine; None (and a warning) if it cannot be read."""
    try:
        data = files.read(posixpath.join(package.folder, name))
    except KeyError:
        builder.warn(f"{name} is in the spine and not in the book")
        return None
    drawn = package.media.get(name) == "image/svg+xml"
    if not data.strip() or (package.media.get(name, "").startswith("image/") and not drawn):
        return None
    try:
        root = parse_xml(data, name)
    except DamagedFileError:
        root = parse_html(decode(data, charset), name)
    sheets = list(style_sheets(files, posixpath.join(package.folder, name), root))
    remove_unseen(root, sheets)
    raise_by_style(root, sheets)
    body = next(root.iter("body", "{*}body"), None)
    body = body if body is not None else root
    count_hidden(body)
    part_words(body, fixed=package.fixed)
    drawn_text(body)
    return body


def style_sheets(files: Files, name: str, root: etree._Element) -> Iterator[str]:
    """Yield the style sheets of the book that one of its files links to."""
    for link in root.iter("{*}link"):
        if "stylesheet" not in (link.get("rel") or "").lower():
            continue
        address = unquote(link.get("href") or "")
        try:
            data = files.read(posixpath.normpath(posixpath.join(posixpath.dirname(name), address)))
        except KeyError:
            continue
        yield data.decode("utf-8", "replace")


def _title_heading(bodies: list[tuple[str, etree._Element]]) -> etree._Element | None:
    """Return the heading of the title page, or the only ``h1`` of a book."""
    for _, body in bodies:
        for element in body.iter():
            if local(element) and "titlepage" in types(element):
                return next((found for found in element.iter() if local(found) in _HEADINGS and words(found)), None)
    firsts = [found for _, body in bodies for found in body.iter("h1", "{*}h1") if words(found)]
    return firsts[0] if len(firsts) == 1 and len(bodies) > 1 else None


def _metadata(package: Package) -> DraftMetadata:
    stated: dict[str, list[etree._Element]] = {}
    roles: dict[str, set[str]] = {}
    for element in package.root.iterfind("{*}metadata/*"):
        stated.setdefault(local(element), []).append(element)
        if local(element) == "meta" and element.get("property") == "role":
            roles.setdefault((element.get("refines") or "").lstrip("#"), set()).add(words(element))

    def texts(name: str) -> list[str]:
        return [text for text in (words(element) for element in stated.get(name, ())) if text]

    authors = []
    for creator in stated.get("creator", ()):
        role = roles.get(creator.get("id") or "") or {creator.get("{http://www.idpf.org/2007/opf}role") or "aut"}
        if "aut" in role:
            authors.append(words(creator))
    identifiers = texts("identifier")
    uri = next((name for name in identifiers if name.startswith(("http:", "https:", "urn:", "doi:"))), None)
    description = collapse(unmarked(_MARKUP.sub(" ", " ".join(texts("description")[:1]))))
    extra: dict[str, Any] = {
        "identifiers": identifiers,
        "publisher": ", ".join(texts("publisher")),
        "subjects": texts("subject"),
        "rights": " ".join(texts("rights")),
        "contributors": texts("contributor"),
        "sources": texts("source"),
    }
    return DraftMetadata(
        title=next(iter(texts("title")), None),
        abstract=description or None,
        authors=[name for name in authors if name],
        publication_date=_date(next(iter(texts("date")), "")),
        language=next(iter(texts("language")), None),
        source=next(iter(texts("publisher")), None),
        uri=uri,
        extra={name: value for name, value in extra.items() if value},
    )


def _date(value: str) -> date | None:
    found = _DATE.match(value)
    try:
        return date(*(int(part or 1) for part in found.groups())) if found else None
    except ValueError:
        return None
