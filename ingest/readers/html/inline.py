"""Running text of HTML: styles, links and references with their places."""

from __future__ import annotations

import re

from lxml import etree

from ragraph.ingest.readers.html.links import Links, classes
from ragraph.ingest.readers.markup.inline import Inline, InlineText, collapse, safe_link
from ragraph.ingest.readers.markup.xml import local, mathml, words

_STYLES = {
    **dict.fromkeys(("b", "strong"), "bold"),
    **dict.fromkeys(("i", "em", "cite", "dfn", "var"), "italic"),
    **dict.fromkeys(("code", "tt", "samp", "kbd"), "code"),
}
HIDDEN = frozenset(
    {
        "head",
        "title",
        "script",
        "style",
        "template",
        "noscript",
        "noembed",
        "rp",
        "datalist",
        "object",
        "iframe",
        "canvas",
        "audio",
        "video",
    }
)
_OWN_LINE = frozenset(
    {
        "p",
        "div",
        "li",
        "tr",
        "dt",
        "dd",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "blockquote",
        "pre",
        "ul",
        "ol",
        "table",
        "dl",
        "figcaption",
        "section",
        "option",
        "address",
        "header",
        "footer",
        "aside",
        "figure",
        "article",
    }
)
_MAX_LEVELS = 50  # deeper inline elements are read as text, because the walk recurses
_PERMALINK = re.compile(r"[#¶§🔗]?")
_PERMALINK_CLASSES = frozenset(
    {"headerlink", "anchor", "anchor-link", "permalink", "header-anchor", "anchorjs-link", "mw-editsection"}
)
HIDING_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)", re.IGNORECASE)
UNDRAWN = frozenset({"title", "desc", "metadata", "defs", "symbol", "clippath", "mask", "marker", "pattern"})
"""Elements of drawings whose text is not shown."""

_DRAWN = frozenset({"text", "foreignObject", "foreignobject"})
_MARGIN = frozenset({"sidenote", "marginnote"})  # printed beside the line although they are in it


def hidden(element: etree._Element) -> bool:
    """Return True if nothing of an element is shown."""
    if not local(element) or local(element) in HIDDEN or element.get("hidden") is not None:
        return True
    return HIDING_STYLE.search(element.get("style") or "") is not None


def shown_text(element: etree._Element) -> str:
    """Return the text of an element without that of its parts of which nothing is shown."""
    parts = [element.text or ""]
    walk = etree.iterwalk(element, events=("start", "end", "comment", "pi"))
    for event, one in walk:
        if one is element:
            continue
        if event != "start":
            parts.append(one.tail or "")
        elif hidden(one):
            walk.skip_subtree()
        else:
            parts.append(one.text or "")
    return "".join(parts)


def drawn(svg: etree._Element) -> str:
    """Return the text that a drawing shows, a line for each of its texts."""
    lines: list[list[str]] = [[]]
    within = 0
    walk = etree.iterwalk(svg, events=("start", "end"))
    for event, one in walk:
        starts = local(one) in _DRAWN
        if event == "end":
            within -= starts and not undrawn(one)
            lines[-1].append(one.tail or "" if within else "")
        elif undrawn(one):
            walk.skip_subtree()
        else:
            within += starts
            if starts or local(one) in _OWN_LINE:
                lines.append([])
            elif any(one.get(name) for name in ("x", "y", "dy")):
                lines[-1].append(" ")
            lines[-1].append(one.text or "" if within else "")
    return "\n".join(line for parts in lines if (line := collapse("".join(parts))))


def undrawn(element: etree._Element) -> bool:
    """Return True if nothing of an element of a drawing is shown: a name, a definition, a form for other programs."""
    around = element.getparent()
    if around is not None and local(around) == "switch" and element.getprevious() is not None:
        return True
    return local(element).lower() in UNDRAWN or hidden(element)


class InlineReader:
    """Reads running text of one file.

    Args:
        links: the links of the document.
        file: name of the file among them.
    """

    def __init__(self, links: Links, file: str) -> None:
        self._links = links
        self._file = file
        self.ids: list[str] = []
        self.images: list[etree._Element] = []
        self._level = 0

    def read(
        self, element: etree._Element, *, markdown: bool = True, breaks: bool = True, paragraphs: bool = False
    ) -> Inline:
        """Return the text of an element and everything below it.

        Args:
            element: the element.
            markdown: write inline markup.
            breaks: keep line breaks.
            paragraphs: separate blocks by an empty line, as in a note.
        """
        out = InlineText(markdown=markdown, breaks=breaks)
        self.children(element, out, "\n\n" if paragraphs and breaks else None)
        return out.finish()

    def children(self, element: etree._Element, out: InlineText, gap: str | None = None) -> None:
        """Write text and children of an element."""
        out.text(element.text)
        for child in element:
            self.child(child, out, gap)

    def child(self, element: etree._Element, out: InlineText, gap: str | None = None) -> None:
        """Write one child and the text after it."""
        self._element(element, out, gap)
        out.text(element.tail)

    def taken_ids(self) -> list[str]:
        """Return the anchors since the last call, for the node that is made of the text."""
        taken, self.ids = self.ids, []
        return taken

    def taken_images(self) -> list[etree._Element]:
        """Return the images since the last call, for figures after the text."""
        taken, self.images = self.images, []
        return taken

    def note_id(self, element: etree._Element) -> None:
        """Remember the id of an element if a link leads to it."""
        for own in (element.get("id"), element.get("name") if local(element) == "a" else None):
            anchor = self._links.name(self._file, own)
            if anchor and self._links.wanted(self._file, own):
                self.ids.append(anchor)

    def _element(self, element: etree._Element, out: InlineText, gap: str | None) -> None:
        if hidden(element):
            return
        if self._level > _MAX_LEVELS:
            out.text(shown_text(element))
            return
        self._level += 1
        self.note_id(element)
        self._shown(element, out, gap)
        self._level -= 1

    def _shown(self, element: etree._Element, out: InlineText, gap: str | None) -> None:
        name = local(element)
        if formula := stated_tex(element):
            out.verbatim(f"${formula}$")
        elif name in _STYLES:
            out.open(_STYLES[name])
            self.children(element, out, gap)
            out.close(_STYLES[name])
        elif name == "a":
            self._link(element, out, gap)
        elif name == "br":
            out.line_break()
        elif name in ("sup", "sub") and is_script(element):
            if not out.script(shown_text(element), low=name == "sub"):
                self.children(element, out, gap)
        elif name == "img":
            self._image(element, out)
        elif name == "math":
            self._math(element, out)
        elif name == "svg":
            self._drawing(element, out)
        elif name == "q":
            out.text("“")
            self.children(element, out, gap)
            out.text("”")
        elif name in ("td", "th") or classes(element) & _MARGIN:
            out.space()
            self.children(element, out, gap)
            out.space()
        elif name in _OWN_LINE:
            out.paragraph_break() if gap else out.line_break()
            self.children(element, out, gap)
            out.paragraph_break() if gap else out.line_break()
        elif classes(element) & {"mw-editsection"}:
            return
        else:
            self.children(element, out, gap)

    def _link(self, element: etree._Element, out: InlineText, gap: str | None) -> None:
        if self._links.leads_back(element):
            return
        shown = words(element)
        reference = self._links.reference(element)
        if _PERMALINK.fullmatch(shown) and (classes(element) & _PERMALINK_CLASSES):
            return
        if reference is not None:
            anchor, kind, raised = reference
            if raised:
                out.mark(kind, anchor, shown)
                return
            out.begin_marker()
            self.children(element, out, gap)
            out.end_marker(kind, [anchor])
            return
        url = safe_link(element.get("href"))
        plain_enough = url is None or not shown or shown == url or url.startswith("#")
        out.open_link(None if plain_enough else url)
        self.children(element, out, gap)
        out.close_link()

    def _image(self, element: etree._Element, out: InlineText) -> None:
        self.images.append(element)
        if not out.markdown and element.get("alt"):
            out.space()  # a cell or a heading cannot contain a node of its own
            out.text(element.get("alt"))
            out.space()

    def _drawing(self, element: etree._Element, out: InlineText) -> None:
        text = drawn(element)
        if text:
            self.images.append(element)
        if text and not out.markdown:
            out.space()
            out.text(text)
            out.space()

    def _math(self, element: etree._Element, out: InlineText) -> None:
        formula, is_tex = math_text(element)
        if is_tex:
            out.verbatim(f"${formula}$")
        else:
            out.formula(formula)


def is_script(element: etree._Element) -> bool:
    """Return True if raised or lowered text holds only text and styles: no links, pictures or notes."""
    return all(local(one) in ("span", *_STYLES) and not one.get("id") for one in element.iterdescendants(etree.Element))


_TEX = re.compile(r"(?<!\w)(?:x-)?(?:la)?tex(?!\w)", re.IGNORECASE)
"""TeX as the encoding of an annotation: application/x-tex, LaTeX; not text/plain."""


def math_text(element: etree._Element) -> tuple[str, bool]:
    """Return a MathML element as TeX if it states that, else as a line of text; and whether it is TeX."""
    whole = element
    while local(whole) != "semantics" and len(whole) == 1:
        whole = whole[0]
    for annotation in whole if local(whole) == "semantics" else ():
        if local(annotation) == "annotation" and _TEX.search(annotation.get("encoding") or ""):
            return collapse("".join(str(part) for part in annotation.itertext())), True
    return mathml(element) or element.get("alttext") or "", False


_DELIMITED = re.compile(
    r"\\\(((?:[^\\]|\\[^()])*)\\\)|\\\[((?:[^\\]|\\[^][])*)\\\]|\$\$((?:(?!\$\$).)+)\$\$|\$((?:[^$\\]|\\.)+)\$"
)
"""One formula; "$a$ and $b$" is text."""


def stated_tex(element: etree._Element) -> str:
    """Return the TeX of an element that is marked as a formula, as by Sphinx, pandoc and docutils; empty if none."""
    if "math" not in classes(element) or len(element):
        return ""
    text = collapse(element.text or "")
    found = _DELIMITED.fullmatch(text)
    if found:
        return next(part for part in found.groups() if part is not None).strip()
    return text if local(element) in ("pre", "code", "tt") else ""
