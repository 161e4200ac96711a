"""The reading text: the HTML of ``Store.render``, adapted to the pages.

The database escapes the content of documents. Here the elements are checked once more: only elements and attributes of
a short list are retained, whatever the text was.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import unescape
from typing import TYPE_CHECKING

from lxml import etree, html
from markupsafe import Markup, escape

from ragraph.base.inline import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ragraph.schema.results import Hit, Table

_ALLOWED = frozenset(
    (
        *("a", "aside", "b", "blockquote", "br", "caption", "code", "div", "em", "figcaption", "figure", "i", "img"),
        *("h2", "h3", "h4", "h5", "h6", "li", "ol", "p", "pre", "s", "strong", "sub", "sup", "u", "ul"),
        *("table", "tbody", "td", "th", "thead", "tr"),
    )
)
_ATTRIBUTES = {"a": {"href"}, "td": {"colspan", "rowspan"}, "th": {"colspan", "rowspan"}, "img": {"alt"}}
_CLASSES = {"note", "table", "formula", "caption", "page-break", "bibliographic-entry", "subtitle", "author", "stanza"}
_SCHEMES = ("http://", "https://", "mailto:")
_WORD = re.compile(r"\w+")
_EXCLUDED = re.compile(r'(?<!\S)-(?:"[^"]*"|[^\s\d]\S*)')
"""What a query excludes by a minus."""
_STEM, _ENDING = 4, 3
"""Letters of a word that must be equal, and letters by which its ending may differ."""
_SHORT = 3
"""Letters of words that tell little of what a query is about, unless they are written in capitals."""
_HEADINGS = {f"h{level}": level for level in range(1, 7)}


@dataclass(frozen=True)
class Reader:
    """Data of the page that a text is shown on.

    Attributes:
        link: returns the address of a node, at which its passage is shown.
        figure: returns the address of the picture of a figure, None if it has none.
        selected: id of the selected node.
        found: ids of nodes that a search found.
        prefix: beginning of the ids on the page, which tells documents beside each other apart.
        sources: for notes, ids of the nodes that refer to them.
    """

    link: Callable[[str], str]
    figure: Callable[[str], str | None]
    selected: str | None = None
    found: frozenset[str] = frozenset()
    prefix: str = ""
    sources: Mapping[str, str] = field(default_factory=dict)


def excerpt(hit: Hit) -> str:
    """Return the words of a hit as plain text, with "…" where it leaves some out."""
    words, whole = hit.citation.excerpt, hit.content
    found = whole.find(words)
    before = "… " if found > 0 and whole[:found].strip() else ""
    after = " …" if found >= 0 and whole[found + len(words) :].strip() else ""
    return f"{before}{plain(words, whole)}{after}"


def marked(words: str, query: str | None) -> Markup:
    """Return a text as HTML with the words of a query marked; endings may differ by up to three letters.

    Short words such as "who" and "the" are marked only if the query has no others.
    """
    asked = _WORD.findall(_EXCLUDED.sub(" ", query or ""))
    telling = [
        word for word in asked if len(word) > _SHORT or not word.isascii() or word.isupper() or not word.isalpha()
    ]
    sought = {word.casefold() for word in telling or asked}
    made, last = [], 0
    for found in _WORD.finditer(words):
        if any(_alike(found[0].casefold(), word) for word in sought):
            made += [escape(words[last : found.start()]), Markup("<mark>"), escape(found[0]), Markup("</mark>")]
            last = found.end()
    return Markup("").join([*made, escape(words[last:])])


def marked_table(table: Table, query: str | None) -> Markup:
    """Return a table as HTML with the words of a query marked; the text of its cells is escaped already."""
    parts = re.split(r"(<[^>]*>)", table.to_html())
    made = (Markup(part) if part.startswith("<") else marked(unescape(part), query) for part in parts)  # noqa: S704
    return Markup("").join(made)


def _alike(word: str, other: str) -> bool:
    if word == other:
        return True
    short, long = sorted((word, other), key=len)
    return len(short) >= _STEM and len(long) - len(short) <= _ENDING and long.startswith(short)


def notes_in(rendered: str) -> list[str]:
    """Return the ids of the notes in a rendered text."""
    return [str(note.get("id")) for note in _parse(rendered).iter("aside") if note.get("id")]


def readable(rendered: str, reader: Reader) -> str:
    """Return rendered HTML with links to passages, links between markers and notes, and pictures of figures."""
    root = _parse(rendered)
    _clean(root)
    ids = {element.get("id"): element for element in root.iter() if element.get("id")}
    marks = _link_marks(root, ids, reader)
    level = 1
    scrolled = {"Code": 0, "Table": 0}
    for element in list(root):
        if element.tag in _HEADINGS:
            level = min(max(2, _HEADINGS[element.tag]), level + 1)
            element.tag = f"h{level}"
    for name, element in ids.items():
        classes = [*element.get("class", "").split(), "node"]
        classes += ["selected"] if name == reader.selected else []
        classes += ["found"] if name in reader.found else []
        element.set("class", " ".join(classes))
        if element.tag == "figure":
            _picture(element, reader.figure(name))
        if element.tag == "aside":
            _back(element, marks.get(name), reader.link(reader.sources[name]) if name in reader.sources else None)
        if element.tag == "pre" or "table" in classes:
            kind = "Table" if "table" in classes else "Code"
            scrolled[kind] += 1
            element.set("tabindex", "0")  # wide ones can be scrolled by keys too
            element.set("role", "group")  # a region would be a landmark for each
            element.set("aria-label", f"{kind} {scrolled[kind]} of this text")
        if element.tag != "li" or element.getparent() is not None:
            element.append(_pin(reader.link(name)))
    if reader.prefix:
        for element in root.iter():
            if element.get("id"):
                element.set("id", reader.prefix + element.get("id"))
            if (element.get("href") or "").startswith("#"):
                element.set("href", f"#{reader.prefix}{element.get('href')[1:]}")
    inner = (root.text or "", *(etree.tostring(child, encoding="unicode", method="html") for child in root))
    return "".join(inner)


def _parse(rendered: str) -> html.HtmlElement:
    found = html.fragment_fromstring(rendered or "", create_parent="div")
    for element in found.iter("h1"):
        element.tag = "h2"
    return found


def _clean(root: html.HtmlElement) -> None:
    """Remove all elements and attributes that are not listed; their text stays, except of scripts and styles."""
    for element in list(root.iterdescendants()):
        if not isinstance(element.tag, str) or element.tag not in _ALLOWED:
            if isinstance(element.tag, str) and element.tag not in ("script", "style"):
                element.drop_tag()
            else:
                element.drop_tree()
            continue
        for name, value in list(element.attrib.items()):
            kept = name == "id" or name in _ATTRIBUTES.get(element.tag, ())
            if name == "class":
                element.set("class", " ".join(part for part in value.split() if part in _CLASSES))
            elif not kept or (name == "href" and not value.startswith(("#", *_SCHEMES))):
                del element.attrib[name]
        if element.tag == "a" and (element.get("href") or "").startswith(_SCHEMES):
            element.set("rel", "noreferrer noopener external")


def _link_marks(root: html.HtmlElement, ids: Mapping[str | None, html.HtmlElement], reader: Reader) -> dict[str, str]:
    """Link markers to their notes; return the ids of the first marker of each note."""
    marks: dict[str, str] = {}
    for link in root.iter("a"):
        target = (link.get("href") or "").removeprefix("#")
        if not (link.get("href") or "").startswith("#"):
            continue
        if target not in ids:
            link.set("href", reader.link(target))
        elif target not in marks:
            marks[target] = f"mark-{target}"
            link.set("id", marks[target])
        link.set("class", "mark")
        link.set("title", "Go to the note")
    return marks


def _picture(figure: html.HtmlElement, address: str | None) -> None:
    for image in list(figure.iter("img")):
        if address is None and image.get("alt"):
            note = html.Element("p")
            note.text = f"[Figure: {image.get('alt')}]"
            figure.insert(0, note)
        image.drop_tree()
    if address is not None:
        words = " ".join(figure.text_content().split()).removeprefix("[").removesuffix("]").removeprefix("Figure: ")
        for line in figure.findall("p"):
            if line.text_content().startswith("[Figure: "):
                line.drop_tree()
        image = html.Element("img", src=address, loading="lazy", alt=f"Figure: {words[:300]}" if words else "Figure")
        figure.insert(0, image)


def _back(note: html.HtmlElement, mark: str | None, source: str | None) -> None:
    """Link a note back to its marker, in the text shown or elsewhere."""
    address = f"#{mark}" if mark else source
    if address is None:
        return
    link = html.Element("a", href=address)
    link.set("class", "back")
    link.set("aria-label", "Back to the text")
    link.text = "\u21a9"
    note.append(link)


def _pin(address: str) -> html.HtmlElement:
    link = html.Element("a", href=address)
    link.set("class", "pin")
    link.set("aria-label", "Show this passage")
    link.text = "\u00b6"
    return link
