"""XML as pages: DocBook, TEI and FictionBook by their mappings, any other XML by what its names usually mean."""

from __future__ import annotations

import copy
import re
from typing import TYPE_CHECKING

from lxml import etree, html

from ragraph.errors import EmptyFileError
from ragraph.ingest.common.elements import append_text
from ragraph.ingest.draft import DraftMetadata
from ragraph.ingest.readers.html.blocks import HtmlWalker
from ragraph.ingest.readers.html.fragments import seen_part
from ragraph.ingest.readers.html.links import Links
from ragraph.ingest.readers.mappings import parse_mappings
from ragraph.ingest.readers.markup.builder import DraftBuilder
from ragraph.ingest.readers.markup.xml import attribute, local, parse_xml, words
from ragraph.ingest.readers.office.package import iso_date
from ragraph.ingest.readers.xml.mapping import ANY, DOCBOOK, FICTION_BOOK, JOINED, TEI, Mapping

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ragraph.ingest.draft import Draft
    from ragraph.ingest.readers import ReadOptions

_RENDERED = re.compile(r"\b(?:sup(?:er(?:script)?)?|sub(?:script)?|bold)\b", re.IGNORECASE)
"""How TEI says that text is raised, lowered or bold."""

_INLINE = frozenset({"a", "em", "strong", "s", "sub", "sup", "code", "cite", "q", "span", "br", "img"})
_BLOCKS = frozenset(
    {"p", "ul", "ol", "li", "dl", "dt", "dd", "table", "tr", "td", "th", "blockquote", "pre", "figure", "figcaption"}
    | {"caption", "aside", "section", "h1", "h2", "h3", "h4", "h5", "h6", "div"}
)
_HOLDS_TEXT = _BLOCKS - {"ul", "ol", "dl", "table", "tr", "section", "div", "aside", "figure"}
_LISTS = frozenset({"ul", "ol", "dl"})
_ROW = frozenset({"tr"})
_PLACES = {"li": _LISTS, "tr": frozenset({"table", "thead", "tbody", "tfoot"}), "td": _ROW, "th": _ROW}
"""Where list items, rows and cells are such; elsewhere their names mean a record, as an entry of a feed is."""
_CAPTIONED = {"table": "caption", "figure": "figcaption", **dict.fromkeys(_LISTS, "p")}
"""Elements of a page whose heading is none of a section, and what it is instead."""
_UNTITLED = frozenset({"equation", "informalequation", "formalpara", "list", "lg"})
"""Elements of a document of which the same is true."""
_WITHIN = {("label", "dl"): "dt", ("caption", "figure"): "figcaption"}
"""What elements become by their name and the element of the page around them."""
_PERSONS = frozenset({"persName", "author", "editor", "personname", "othercredit"})
_BETTER = {"sic": "corr", "orig": "reg"}
_MARKUP = re.compile(r"\s*<(?:p|div|ul|ol|h[1-6]|blockquote|b|i|em|strong|a|br|img|span|table)\b[^<>]*>", re.IGNORECASE)
"""Beginning of a text that is a piece of HTML, as feeds have it."""
_FICTION_NOTES = frozenset({"notes", "comments", "footnotes"})
_DEEPEST_HEADING = 6
_NAMED = 20
"""Elements that a message names."""


class _XmlReader:
    """Base of the readers of this module."""

    name = ""
    version = 8
    mapping = ANY

    def read(self, path: Path, options: ReadOptions) -> Draft:
        """Return the draft of the document; raises the errors of ``Reader.read``."""
        root = parse_xml(path.read_bytes(), path.name)
        own = parse_mappings(options.mapping)
        used = own.xml is not None and self.name in ("xml", own.extends)
        page = _Page(own.xml if own.xml is not None and used else self.mapping)
        body = page.of(root)
        unmatched = _unmatched(root, own.named) if used else None
        builder = DraftBuilder(f"{self.name}/{self.version}")
        HtmlWalker(builder, Links([("", body)]), "").walk(body)
        if not builder.nodes:
            said = f"{path.name} holds no text; nothing to read"
            raise EmptyFileError(f"{said}; {unmatched}" if unmatched else said)
        draft = builder.build(_metadata(root, self.name))
        return draft.model_copy(update={"warnings": [*draft.warnings, unmatched]}) if unmatched else draft


def _unmatched(root: etree._Element, named: tuple[str, ...]) -> str | None:
    """Return a message if a document has none of the elements and attributes that a mapping names."""
    there = dict.fromkeys(local(element) for element in root.iter(etree.Element))
    attributes = {str(name).rpartition("}")[2] for element in root.iter(etree.Element) for name in element.attrib}
    if not named or any(name in there or name in attributes for name in named):
        return None
    said = f"{', '.join(named[:_NAMED])}{' ...' if len(named) > _NAMED else ''}"
    has = f"{', '.join(list(there)[:_NAMED])}{' ...' if len(there) > _NAMED else ''}"
    return f"the mapping: the file has none of {said}; its elements are {has}"


class DocBookReader(_XmlReader):
    """DocBook 4 and 5."""

    name = "docbook"
    mapping = DOCBOOK


class TeiReader(_XmlReader):
    """TEI: editions, and the papers that GROBID extracts."""

    name = "tei"
    mapping = TEI


class FictionBookReader(_XmlReader):
    """FictionBook 2 (FB2)."""

    name = "fb2"
    mapping = FICTION_BOOK


_RUNS = frozenset({"r", "t", "run", "span", "char", "mi", "mn", "mo", "mtext", "mrow"})
"""Names of elements that are parts of words or formulas in many vocabularies."""


class PlainXmlReader(_XmlReader):
    """XML of no known vocabulary; its attributes are not read."""

    name = "xml"


class _Page:
    """Makes the page of a document."""

    def __init__(self, mapping: Mapping) -> None:
        self._mapping = mapping
        self._notes: list[etree._Element] = []
        self._by_id: dict[str, etree._Element] = {}

    def of(self, root: etree._Element) -> etree._Element:
        """Return the body of the page for a document."""
        body = etree.Element("body")
        every = list(root.getroottree().iter(etree.Element))
        self._by_id = {name: one for one in reversed(every) if (name := attribute(one, "id"))}  # the first has a name
        self._element(root, body, 0)
        for note in self._notes:
            body.append(note)
        return body

    def _element(self, element: etree._Element, out: etree._Element, level: int) -> None:
        """Append an element, as an element of HTML, to the page; text behind it is appended as well."""
        mapping, name = self._mapping, local(element)
        if not name:
            append_text(out, str(element.tail or ""))
            return
        if element.get("break") == "no" and not len(element):  # the line or page ends within a word
            _strip_end(out)
            append_text(out, str(element.tail or "").lstrip())
            return
        if name in mapping.dropped:
            pass
        elif name in mapping.notes:
            self._note(element, out)
        elif _is_other_form(element):
            pass
        elif name == "body" and element.get("name") in _FICTION_NOTES and mapping is FICTION_BOOK:
            self._notes_at_end(element)
        elif name in mapping.headings and not _is_inline(out) and self._is_caption(element, out):
            self._caption(element, out, level)
        elif name in mapping.headings and not _is_inline(out):
            heading = self._new(element, f"h{min(max(level, 1), _DEEPEST_HEADING)}", out)
            number = element.get("n")
            if number and name == "head" and not words(element).startswith(number):
                heading.text = f"{number} "
            self._children(element, heading, level)
        elif name in mapping.sections or (mapping is ANY and level == 0):
            self._children(element, self._new(element, "section", out), level + 1)
        elif name in mapping.boxes:
            box = self._new(element, "aside", out)
            box.set("class", "sidebar")
            self._children(element, box, level + 1)
        else:
            self._other(element, name, out, level)
        if name in mapping.tags and mapping.tags[name] == "line":
            etree.SubElement(out, "br")
        append_text(out, str(element.tail or ""))

    def _is_caption(self, element: etree._Element, out: etree._Element) -> bool:
        """Return True if the heading of an element is no heading of a section: of a table, figure, list or formula."""
        around = element.getparent()
        return local(out) in _CAPTIONED or (around is not None and local(around) in _UNTITLED)

    def _caption(self, element: etree._Element, out: etree._Element, level: int) -> None:
        """Append the heading of a table or figure as its caption; put that of a list before it, as a paragraph."""
        tag = _CAPTIONED.get(local(out), "p")
        made = self._new(element, tag, out)
        self._children(element, made, level)
        if tag == "p" and local(out) in _LISTS:
            out.addprevious(made)

    def _notes_at_end(self, body: etree._Element, level: int = 1) -> None:
        """Put the sections of the notes of a book behind its text, with their headings; links lead to them."""
        for section in body:
            if local(section) in self._mapping.headings and words(section):
                heading = etree.Element(f"h{min(level, _DEEPEST_HEADING)}")
                self._children(section, heading, level)
                self._notes.append(heading)
            elif local(section) == "section" and attribute(section, "id"):
                note = etree.Element("aside", {"id": str(attribute(section, "id")), "role": "doc-footnote"})
                for child in section:
                    if local(child) not in self._mapping.headings:
                        self._element(child, note, 1)
                    elif any(map(str.isalpha, title := words(child))):  # else it is the number of the note
                        etree.SubElement(note, "p").text = title
                self._notes.append(note)
            elif local(section) == "section":
                self._notes_at_end(section, level + 1)

    def _picture(self, element: etree._Element, out: etree._Element) -> None:
        """Add the text of a picture to it; without a file, the text alone is the picture."""
        made = next((one for one in out.iter("img")), None)
        made = etree.SubElement(out, "img", {"src": ""}) if made is None else made
        made.set("alt", " ".join(filter(None, (made.get("alt"), words(element)))))

    def _entry(self, element: etree._Element, out: etree._Element, level: int) -> None:
        """Append an entry of a bibliography; the parts of one without text of its own are joined by commas."""
        made = self._new(element, "li" if local(out) in _LISTS else "p", out)
        made.set("role", "doc-biblioentry")
        if _has_own_text(element):
            self._children(element, made, level)
        else:
            made.text = ", ".join(_entry_parts(element))

    def _target_title(self, element: etree._Element) -> str:
        """Return the title of the element to which an empty reference leads: the label stated there, or its heading."""
        target = attribute(element, "linkend") or (element.get("target") or "").removeprefix("#")
        if not target or not re.fullmatch(r"[\w.:-]+", target):
            return ""
        found = self._by_id.get(target)
        if found is None:
            return ""
        heading = next((one for one in found.iter("{*}title", "{*}head") if words(one)), None)
        return found.get("xreflabel") or (words(heading) if heading is not None else "")

    def _other(self, element: etree._Element, name: str, out: etree._Element, level: int) -> None:
        """Append an element that is no section, heading, box or note."""
        tag = self._tag(element, name, out)
        around = element.getparent()
        if tag == "alt":
            self._picture(element, out)
        elif tag == "entry":
            self._entry(element, out, level)
        elif name == "expan" and around is not None and local(around) == "choice":
            append_text(out, f" ({words(element)})")
        elif tag == "line":
            self._children(element, out, level)
        elif self._is_html(element) and not _is_inline(out):
            _append_html(out, str(element.text))
        elif tag in _INLINE:
            self._inline(element, name, tag or "", out, level)
        elif tag == "p" and self._holds_blocks(element):
            self._children(element, self._new(element, "div", out), level)
        elif tag is None:
            self._children(element, out, level)
        else:
            self._children(element, self._new(element, tag, out), level + (tag == "section"))

    def _tag(self, element: etree._Element, name: str, out: etree._Element) -> str | None:
        """Return what an element becomes: a tag of HTML, "alt", "entry" or "line"; None if only its content matters."""
        tag = self._mapping.tags.get(name)
        around = local(out)
        if name == "bibl" and around == "ol":
            return "entry"
        if (name, around) in _WITHIN:
            return _WITHIN[name, around]
        if name == "list" and element.get("type") == "gloss":
            return "dl"
        if tag == "li" and around == "dl":
            return "dd"
        if self._mapping is not ANY:
            return tag
        if tag in _PLACES and around not in _PLACES[tag] and not _has_own_text(element):
            return "section" if any(local(child) in self._mapping.headings for child in element) else "div"
        if tag is None and not _is_inline(out):
            return "p" if _has_own_text(element) else "section"
        return tag

    def _is_html(self, element: etree._Element) -> bool:
        """Return True if the text of an element is a piece of HTML."""
        return self._mapping is ANY and not len(element) and bool(_MARKUP.match(element.text or ""))

    def _holds_blocks(self, element: etree._Element) -> bool:
        heads = self._mapping.headings if local(element) in _UNTITLED else frozenset()
        inner = [local(child) for child in element.iter() if child is not element]
        return any(name in heads or self._mapping.tags.get(name) in _BLOCKS for name in inner)

    def _inline(self, element: etree._Element, name: str, tag: str, out: etree._Element, level: int) -> None:
        """Append an element within a line: emphasis, a link, a reference."""
        is_note = name == "a" and element.get("type") == "note" and self._mapping is FICTION_BOOK
        made = self._new(element, tag, etree.SubElement(out, "sup") if is_note else out)
        if is_note:
            made.set("role", "doc-noteref")
        if name == "emphasis" and element.get("role") in {"bold", "strong"}:
            made.tag = "strong"
        if name == "hi" and (stated := _RENDERED.search(element.get("rend") or "")) is not None:
            made.tag = {"sup": "sup", "sub": "sub", "bol": "strong"}[stated[0].lower()[:3]]
        if tag == "a":
            self._link(element, made)
        if name in ("xref", "ptr") and not words(element):
            made.text = self._target_title(element) or None
        self._children(element, made, level)

    def _children(self, element: etree._Element, out: etree._Element, level: int) -> None:
        append_text(out, str(element.text or ""))
        if (joints := JOINED.get(local(element))) is not None and not _has_own_text(element):
            self._joined(element, out, level, *joints)
            return
        for child in element:
            if self._mapping is ANY and _follows_like(child) and self._mapping.tags.get(local(child)) not in _INLINE:
                append_text(out, " ")
            self._element(child, out, level)

    def _joined(
        self, element: etree._Element, out: etree._Element, level: int, first: str, next: str, end: str
    ) -> None:
        """Append the elements of an element with what a page shows between and behind them."""
        inner = [child for child in element if local(child) and local(child) not in self._mapping.dropped]
        for place, child in enumerate(inner):
            if place:
                append_text(out, first if place == 1 else next)
            child.tail = None
            self._element(child, out, level)
        append_text(out, end)

    def _note(self, element: etree._Element, out: etree._Element) -> None:
        """Put a note behind the text, and a link to it at its place."""
        number = attribute(element, "n") or str(len(self._notes) + 1)
        anchor = next(
            (value for name in self._mapping.ids if (value := attribute(element, name))), f"note-{len(self._notes) + 1}"
        )
        call = etree.SubElement(etree.SubElement(out, "sup"), "a", {"href": f"#{anchor}", "role": "doc-noteref"})
        call.text = number
        note = etree.Element("aside", {"id": anchor, "role": "doc-footnote"})
        self._notes.append(note)
        inner = copy.deepcopy(element)
        inner.tail = None
        blocks = any(self._mapping.tags.get(local(child)) in _BLOCKS for child in inner)
        self._children(inner, note if blocks else etree.SubElement(note, "p"), 1)

    def _new(self, element: etree._Element, tag: str, out: etree._Element) -> etree._Element:
        made = etree.SubElement(out, tag)
        anchor = next((value for name in self._mapping.ids if (value := attribute(element, name))), None)
        if anchor:
            made.set("id", anchor)
        if tag == "img":
            made.set(
                "src", next((value for name in ("fileref", "url", "href") if (value := attribute(element, name))), "")
            )
        if tag == "td" and any(
            one is not None and one.get("role") == "label" for one in (element, element.getparent())
        ):
            made.tag = tag = "th"
        for name, to in (("cols", "colspan"), ("rows", "rowspan")):
            if tag in ("td", "th") and (value := element.get(name)):
                made.set(to, value)
        if tag in ("td", "th") and (more := element.get("morerows", "")).isdecimal():
            made.set("rowspan", str(int(more) + 1))
        return made

    def _link(self, element: etree._Element, made: etree._Element) -> None:
        for name in self._mapping.links:
            if value := attribute(element, name):
                made.set("href", f"#{value}" if name == "linkend" else value)
                break


def _strip_end(out: etree._Element) -> None:
    """Remove the white space at the end of the content of an element."""
    if len(out):
        out[-1].tail = (out[-1].tail or "").rstrip()
    else:
        out.text = (out.text or "").rstrip()


def _follows_like(element: etree._Element) -> bool:
    """Return True if an element touches one of its name before it: each is a word, such as two keys; but not runs."""
    before = element.getprevious()
    if before is None or before.tail or local(before) != local(element) or local(element) in _RUNS:
        return False
    return words(before)[-1:].isalnum() and words(element)[:1].isalnum()


def _has_own_text(element: etree._Element) -> bool:
    """Return True if an element has text that is in none of its elements."""
    return bool((element.text or "").strip()) or any((child.tail or "").strip() for child in element)


def _is_other_form(element: etree._Element) -> bool:
    """Return True if a choice has another form of a text that is read instead: the corrected or regular one."""
    better, around = _BETTER.get(local(element)), element.getparent()
    if better is None or around is None or local(around) != "choice":
        return False
    return any(local(one) == better and words(one) for one in around)


def _append_html(out: etree._Element, content: str) -> None:
    """Append the part of a piece of HTML that a person sees."""
    try:
        piece = html.fragment_fromstring(seen_part(content), create_parent="div")
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        etree.SubElement(out, "p").text = content
        return
    etree.strip_elements(piece, "script", "style", with_tail=False)
    out.append(piece)


def _entry_parts(element: etree._Element) -> Iterator[str]:
    """Yield the parts of an entry: persons with their names together, dates and pages also from attributes."""
    for child in element:
        name = local(child)
        if not name:
            continue
        if name in _PERSONS and not any(local(one) in _PERSONS for one in child.iterdescendants()):
            yield from filter(None, [_person(child)])
        elif any(local(one) for one in child) and not _has_own_text(child):
            yield from _entry_parts(child)
        else:
            pages = "–".join(filter(None, (child.get("from"), child.get("to"))))
            yield from filter(None, [words(child) or child.get("when") or pages])


def _is_inline(out: etree._Element) -> bool:
    return local(out) in _INLINE or local(out) in _HOLDS_TEXT


def _metadata(root: etree._Element, name: str) -> DraftMetadata:
    """Return title, authors and date as the header of the vocabulary states them."""

    def first(*paths: str) -> str | None:
        for path in paths:
            found = root.find(path)
            if found is not None and words(found):
                return words(found)
        return None

    if name == "tei":
        title = first(".//{*}teiHeader//{*}titleStmt/{*}title")
        people = [one for one in root.iterfind(".//{*}teiHeader//{*}author") if words(one)]
        day = next((found.get("when") for found in root.iterfind(".//{*}teiHeader//{*}publicationStmt//{*}date")), None)
    elif name == "fb2":
        title = first(".//{*}title-info/{*}book-title")
        people = list(root.iterfind(".//{*}title-info/{*}author"))
        day = next((found.get("value") for found in root.iterfind(".//{*}title-info/{*}date")), None)
    else:
        title = first("./{*}info/{*}title", "./{*}articleinfo/{*}title", "./{*}bookinfo/{*}title", "./{*}title")
        infos = [one for one in root if local(one) in ("info", "articleinfo", "bookinfo")]
        people = [one for info in infos for one in info.iter("{*}author")]
        day = next((words(one) for info in infos for one in info.iter("{*}pubdate", "{*}date")), None)
    return DraftMetadata(
        title=title,
        authors=list(dict.fromkeys(_person(one) for one in people if words(one))),
        publication_date=iso_date(day) if day else None,
        language=attribute(root, "lang"),
    )


def _person(element: etree._Element) -> str:
    named = next(iter(element.iterfind(".//{*}persName")), element)
    parts = [
        words(one)
        for names in (("forename", "firstname", "first-name"), ("middle-name",), ("surname", "last-name"))
        for one in named.iter(*(f"{{*}}{name}" for name in names))
    ]
    return " ".join(parts) or words(named)
