"""Text nodes of HTML, EPUB, JATS and other XML, in whatever elements they are."""

from __future__ import annotations

import posixpath
import re
import zipfile
from html import unescape
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from lxml import etree, html

from ragraph.ingest.account.words import Piece
from ragraph.ingest.common.elements import remove_element
from ragraph.ingest.readers.epub.reader import style_sheets
from ragraph.ingest.readers.html.inline import HIDING_STYLE, UNDRAWN
from ragraph.ingest.readers.html.prune import is_needless
from ragraph.ingest.readers.html.unseen import remove_unseen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

_NO_TEXT = frozenset({"script", "style", "head"})
_NOT_SHOWN = frozenset({"template", "object", "iframe", "canvas", "audio", "video", "noframes"})
_CONTROLS = frozenset({"button", "select", "textarea", "datalist"})
_SECOND_FORMS = frozenset({"annotation", "annotation-xml"})
_SKIP = re.compile(r"\s*skip to ", re.IGNORECASE)
_MARKUP = re.compile(r"\s*<[a-z][a-z0-9]*\b[^<>]*>", re.IGNORECASE)
_XHTML = "http://www.w3.org/1999/xhtml"
_ENTITY = re.compile(r"&\w+;")
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_HEADERS = {
    "docbook": frozenset({"info", "articleinfo", "bookinfo", "chapterinfo", "sectioninfo", "indexterm", "remark"}),
    "tei": frozenset({"teiHeader", "fw", "facsimile", "standOff"}),
    "fb2": frozenset({"description", "binary", "stylesheet"}),
    "jats": frozenset(
        {"journal-meta", "article-id", "article-categories", "pub-date", "permissions", "history", "counts", "self-uri"}
        | {"custom-meta-group", "custom-meta", "volume", "issue", "fpage", "lpage", "elocation-id", "related-article"}
        | {"contrib-id", "author-notes", "funding-group", "kwd-group", "xref", "aff", "contrib-group", "pub-history"}
        | {"processing-meta", "ext-link", "response", "object-id", "alternatives", "tex-math", "label", "alt-title"}
        | {"institution-id", "institution-wrap", "fn-group"}
    ),
}
"""Elements of the header of each vocabulary, whose text is metadata; of JATS also marks and addresses of references."""


_CORRECTED = {"sic": "corr", "orig": "reg"}
"""Elements of TEI whose text is read from another one beside them."""


def html_pieces(text: str, *, unseen: bool = True) -> list[Piece]:
    """Return the text nodes of a page; those that are not shown, or belong to a form, with their reason.

    Args:
        text: the page.
        unseen: look for what its style hides, and for controls and tools, which takes longer than all else.
    """
    bare = _DECLARATION.sub("", text, count=1)
    root = _xhtml(bare) if _XHTML in bare[:2000] else None
    if root is None:
        parser = html.HTMLParser(remove_comments=True, remove_pis=True, no_network=True, huge_tree=True)
        root = html.document_fromstring(bare or "<p></p>", parser=parser)
    found = [*_back_links([root]), *_unseen(root), *_tools(root)] if unseen else []
    for part in (root, *root.itersiblings("*")):  # the parser sets what is behind the end of a page beside it
        found += _pieces(part, _reason_of_html)
    return found


def _xhtml(text: str) -> etree._Element | None:
    """Return the page of XHTML, whose head is no text; None if it is not well formed."""
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True, huge_tree=True
    )
    try:
        return etree.fromstring(text.strip().encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError:
        return None


def _unseen(root: etree._Element, sheets: Sequence[str] = ()) -> Iterator[Piece]:
    """Remove what the style of a page hides, and yield as many letters; what is hidden is said in one place alone."""
    if removed := remove_unseen(root, sheets):
        yield Piece("x" * removed, "hidden by the style of the page")


def _back_links(roots: Sequence[etree._Element]) -> Iterator[Piece]:
    """Remove the links of notes that lead back to the mark that leads to the note, and yield their texts."""
    links = [one for root in roots for one in root.iter("{*}a", "a") if "#" in (one.get("href") or "")]
    marks: dict[str, set[str]] = {}  # ids of marks and of what is around and in them, and where the marks lead to
    for link in links:
        around = [one for one in link.iterancestors() if str(one.tag).rpartition("}")[2] in ("sup", "span", "small")]
        for one in (*link.iter(etree.Element), *around):
            if (name := one.get("id")) is not None:
                marks.setdefault(name, set()).add(link.get("href", "").partition("#")[2])
    backs: list[etree._Element] = []
    for link in links:
        led = marks.get(link.get("href", "").partition("#")[2], set())
        block = _note_around(link, led) if led else None
        words = "".join("".join(map(str, link.itertext())).split())
        if block is not None and words != "".join("".join(map(str, block.itertext())).split()):
            backs.append(link)
    for link in backs:
        yield Piece(" ".join(map(str, link.itertext())), "link back from a note")
        remove_element(link)


def _note_around(link: etree._Element, ids: set[str]) -> etree._Element | None:
    """Return the element with one of these ids around a link, or the block around it that begins with one."""
    for one in link.iterancestors():
        if one.get("id") in ids:
            return one
        if str(one.tag).rpartition("}")[2] in ("p", "li", "div", "dd", "aside"):
            within = any(inner.get("id") in ids for inner in one.iter(etree.Element))
            return one if within else next((above for above in one.iterancestors() if above.get("id") in ids), None)
    return None


def _tools(root: etree._Element) -> Iterator[Piece]:
    """Remove the controls and tools of a page, as its reader does, and yield their texts."""
    for element in list(root.iter(etree.Element)):
        if element.getparent() is not None and is_needless(element):
            yield Piece(" ".join(map(str, element.itertext())), "control or tool of the page")
            remove_element(element)


def _reason_of_html(element: etree._Element) -> str | None:
    """Return why the text of an element is not stored; an empty string if it is no text at all."""
    name = str(element.tag).rpartition("}")[2]
    if name in _NO_TEXT:
        return ""
    if name in _NOT_SHOWN:
        return None if name == "template" and element.get("shadowrootmode") else "not shown"
    if name.lower() in UNDRAWN and (name == "title" or _is_drawn(element)):
        return "not shown"
    around = element.getparent()
    is_switched = around is not None and str(around.tag).rpartition("}")[2] == "switch"
    if is_switched and element.getprevious() is not None and _is_drawn(element):
        return "other form of the same text"
    if name == "del":
        return "deleted"
    if name in _CONTROLS:
        return "control of a form"
    if name in _SECOND_FORMS:
        return "second form of a formula"
    if name == "a" and element.get("href", "").startswith("#"):
        return "link past the menu" if _SKIP.match(" ".join(map(str, element.itertext()))) else None
    hides = element.attrib and (element.get("hidden") is not None or HIDING_STYLE.search(element.get("style") or ""))
    is_closed = name == "noscript" or (name == "dialog" and element.get("open") is None)
    return "hidden" if hides or is_closed else None


def _is_drawn(element: etree._Element) -> bool:
    """Return True if an element is part of a drawing."""
    return any(str(one.tag).rpartition("}")[2] == "svg" for one in element.iterancestors())


def _pieces(root: etree._Element, reason_of: Callable[[etree._Element], str | None]) -> Iterator[Piece]:
    """Yield the text nodes below an element, those of elements with a reason together."""
    left = [(element, reason) for element in root.iter(etree.Element) if (reason := reason_of(element)) is not None]
    gone: set[etree._Element] = set()
    for element, reason in left:
        if any(around in gone for around in element.iterancestors()):
            continue
        gone.add(element)
        words = " ".join(str(text) for text in element.itertext())
        if reason and words.strip():
            yield Piece(words, reason)
    for element in gone:
        element.text = None
        for child in list(element):
            element.remove(child)
    stated: Any = root.getroottree().docinfo.internalDTD
    declared = {one.name: one.content or "" for one in stated.iterentities()} if stated is not None else {}
    for text in map(str, root.itertext()):
        if _ENTITY.fullmatch(text):
            text = declared.get(text[1:-1]) or unescape(text)
        if text.strip():
            yield Piece(text)


def epub_pieces(path: Path, *, unseen: bool = True) -> Iterator[Piece]:
    """Yield the text nodes of all files in the spine of a book; ``unseen`` as in ``html_pieces``."""
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
        container = etree.fromstring(archive.read("META-INF/container.xml"), _parser())
        package = next(str(one.get("full-path")) for one in container.iter("{*}rootfile") if one.get("full-path"))
        root = etree.fromstring(archive.read(package), _parser())
        items = {one.get("id"): one for one in root.iter("{*}item")}
        spine = [items.get(one.get("idref")) for one in root.iter("{*}itemref")]
        files: dict[str, etree._Element] = {}
        for place in dict.fromkeys(unquote(one.get("href") or "") for one in spine if one is not None):
            name = posixpath.normpath(posixpath.join(posixpath.dirname(package), place))
            if name in names and archive.getinfo(name).file_size:
                file = etree.fromstring(archive.read(name), _parser())
                if file is not None:
                    files[name] = file
        if unseen:
            yield from _back_links(list(files.values()))
        for name, file in files.items():
            if unseen:
                yield from _unseen(file, list(style_sheets(archive, name, file)))
            yield from _pieces(file, _reason_of_html)


def xml_pieces(path: Path, kind: str, dropped: frozenset[str] = frozenset()) -> Iterator[Piece]:
    """Yield the text nodes of an XML document; those of its header are metadata, and a mapping may have ``dropped``."""
    left = _HEADERS.get(kind, frozenset())
    root = etree.fromstring(path.read_bytes().lstrip(), _parser())

    def reason_of(element: etree._Element) -> str | None:
        name = str(element.tag).rpartition("}")[2]
        around = element.getparent() if kind == "tei" and name in _CORRECTED else None
        if around is not None and around.find(f"{{*}}{_CORRECTED[name]}") is not None:
            return "corrected or other form of the same text"
        return "metadata" if name in left else "left out by the mapping" if name in dropped else None

    for piece in _pieces(root, reason_of):
        if kind == "xml" and piece.reason is None and _MARKUP.match(piece.text):
            yield from html_pieces(piece.text, unseen=False)  # a feed has its texts as pages
        else:
            yield piece


def _parser() -> etree.XMLParser:
    return etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, recover=True, remove_comments=True, huge_tree=True
    )
