"""Running text of JATS: styles, links, formulas, and every ``xref`` as a reference with its place."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lxml import etree

from ragraph.ingest.readers.markup.inline import Inline, InlineText, safe_link
from ragraph.ingest.readers.markup.xml import attribute, local, mathml, tex, words
from ragraph.schema.enums import RelationType

if TYPE_CHECKING:
    from collections.abc import Callable

BLOCKS = frozenset(
    {
        "p", "list", "def-list", "disp-formula", "disp-formula-group", "disp-quote", "verse-group", "code", "preformat",
        "fig", "fig-group", "table-wrap", "table-wrap-group", "boxed-text", "supplementary-material", "media", "speech",
        "statement", "array", "table", "chem-struct-wrap", "graphic", "question-wrap", "question", "answer",
        "explanation", "ref-list",
    }
)  # fmt: skip
"""Elements that end the line of text around them."""

_STYLES = {"bold": "bold", "italic": "italic", "monospace": "code"}
_SKIPPED = frozenset(
    {"label", "object-id", "inline-graphic", "private-char", "institution-id", "alt-text", "long-desc", "license_ref"}
)
_APART = frozenset(
    {"institution", "institution-wrap", "addr-line", "country", "email", "phone", "fax", "city", "state"}
)
_CITATIONS = frozenset({"mixed-citation", "element-citation", "citation", "nlm-citation"})
_TIGHT = frozenset({"sup", "sub", "xref", "sc"})
_SEPARATORS = re.compile(r"[\s,;.&–—‐‑−\-]*|and")
_NOTES = frozenset({"fn", "table-fn", "author-notes", "author-note", "footnote", "corresp-note"})


def reference_type(kind: str | None) -> RelationType:
    """Return the relation type for an ``xref`` of this ``ref-type``."""
    if kind in ("bibr", "ref"):
        return RelationType.REFERENCES_CITATION
    return RelationType.REFERENCES_NOTE if kind in _NOTES else RelationType.CROSS_REFERENCES


class InlineReader:
    """Reads running text.

    Args:
        on_note: called with an ``<fn>`` in the middle of text; returns the anchor of the note and its label.
    """

    def __init__(self, on_note: Callable[[etree._Element], tuple[str, str | None]] | None = None) -> None:
        self._on_note = on_note

    def read(
        self, element: etree._Element, *, markdown: bool = True, breaks: bool = True, skip: frozenset[str] = _SKIPPED
    ) -> Inline:
        """Return the text of an element; blocks within it become lines of their own."""
        out = InlineText(markdown=markdown, breaks=breaks)
        out.text(element.text)
        for child in element:
            self.child(child, out, skip)
        return out.finish()

    def child(self, element: etree._Element, out: InlineText, skip: frozenset[str] = _SKIPPED) -> None:
        """Write one child and the text after it."""
        self._element(element, out, skip)
        out.text(element.tail)

    def _children(self, element: etree._Element, out: InlineText, skip: frozenset[str]) -> None:
        out.text(element.text)
        for child in element:
            self.child(child, out, skip)

    def _element(self, element: etree._Element, out: InlineText, skip: frozenset[str]) -> None:
        name = local(element)
        if not name or name in skip:
            return
        parent = element.getparent()
        within = local(parent) if parent is not None else ""
        if within in _CITATIONS and name not in _TIGHT and _needs_space(element):
            out.space()  # publishers leave the space between a journal's name and the volume to the style sheet
        if name in _STYLES:
            out.open(_STYLES[name])
            self._children(element, out, skip)
            out.close(_STYLES[name])
        elif name == "xref":
            self._xref(element, out, skip)
        elif name == "sup":
            self._sup(element, out, skip)
        elif name == "sub":
            self._script(element, out, skip)
        elif name in ("ext-link", "uri", "email"):
            self._link(element, out, skip)
        elif name in ("inline-formula", "disp-formula", "alternatives", "math", "tex-math", "chem-struct"):
            write_formula(element, out, self)
        elif name == "break":
            out.line_break()
        elif name == "hr":
            out.space()
        elif name == "fn":
            self._note(element, out)
        elif name == "name":
            out.space()
            out.text(person(element))
            self._tail_space(element, out)
        elif name in BLOCKS or name in (
            "list-item",
            "title",
            "def-item",
            "term",
            "def",
            "caption",
            "verse-line",
            "attrib",
        ):
            out.line_break()
            self._children(element, out, frozenset(skip - {"label"}))
            out.line_break()
        elif name in _APART or name in ("string-name", "collab", "etal", *_CITATIONS):
            if _needs_space(element):
                out.space()
            self._children(element, out, skip)
        else:
            self._children(element, out, skip)

    def _tail_space(self, element: etree._Element, out: InlineText) -> None:
        following = element.getnext()
        if not (element.tail or "") and following is not None and local(following) == "name":
            out.text(",")

    def _xref(self, element: etree._Element, out: InlineText, skip: frozenset[str]) -> None:
        anchors: list[str | None] = [*(element.get("rid") or "").split()] or [None]
        kind = reference_type(element.get("ref-type"))
        marker = words(element)
        if _raised(element) and marker[:1] not in ("[", "("):
            for anchor in anchors:
                out.mark(kind, anchor, marker)
            return
        out.begin_marker()
        self._children(element, out, skip)
        out.end_marker(kind, anchors)

    def _sup(self, element: etree._Element, out: InlineText, skip: frozenset[str]) -> None:
        references = list(element.iter("xref"))
        if not references:
            self._script(element, out, skip)
        elif _only_separators(element):
            for reference in references:
                for anchor in (reference.get("rid") or "").split() or (None,):
                    out.mark(reference_type(reference.get("ref-type")), anchor, words(reference))
        else:
            self._children(element, out, skip)

    def _script(self, element: etree._Element, out: InlineText, skip: frozenset[str]) -> None:
        """Write raised or lowered text."""
        plain = all(local(one) in _STYLES for one in element.iterdescendants())
        text = "".join(map(str, element.itertext()))
        if not plain or not out.script(text, low=local(element) == "sub"):
            self._children(element, out, skip)

    def _link(self, element: etree._Element, out: InlineText, skip: frozenset[str]) -> None:
        shown = words(element)
        target = attribute(element, "href")
        if element.get("ext-link-type") == "doi" and target and target.startswith("10."):
            target = f"https://doi.org/{target}"
        url = safe_link(target) if local(element) != "email" else None
        plain_enough = url is None or shown in (url, target) or not shown or ":" not in url
        out.open_link(None if plain_enough else url)
        self._children(element, out, skip)
        out.close_link()
        if not shown and url:
            out.text(url)

    def _note(self, element: etree._Element, out: InlineText) -> None:
        if self._on_note is None:
            out.space()
            self._children(element, out, frozenset())
            return
        anchor, label = self._on_note(element)
        out.mark(RelationType.REFERENCES_NOTE, anchor, label)


def write_formula(element: etree._Element, out: InlineText, reader: InlineReader) -> None:
    """Write a formula: TeX between dollar signs if stated, else MathML or text on one line."""
    found = formula_tex(element)
    if found:
        out.verbatim(f"${found}$")
        return
    math = next((e for e in element.iter() if local(e) == "math"), None)
    if math is not None:
        out.formula(mathml(math))
        return
    out.text(element.text)
    for child in element:
        reader.child(child, out)


def formula_tex(element: etree._Element) -> str | None:
    """Return the TeX of a formula, or None if the file does not state it."""
    source = next((e for e in element.iter() if local(e) == "tex-math"), None)
    return (tex(source) or None) if source is not None else None


def person(element: etree._Element) -> str:
    """Return the name of a person as "Given Surname", or in the order of the source within references."""
    parts = {local(child): words(child) for child in element if local(child)}
    surname, given = parts.get("surname", ""), parts.get("given-names", "")
    first_surname = element.get("name-style") == "eastern" or _within_reference(element)
    ordered = [surname, given] if first_surname else [given, surname]
    return " ".join(part for part in [parts.get("prefix", ""), *ordered, parts.get("suffix", "")] if part)


def _within_reference(element: etree._Element) -> bool:
    return (
        next(element.iterancestors("ref", "mixed-citation", "element-citation", "citation", "nlm-citation"), None)
        is not None
    )


def _needs_space(element: etree._Element) -> bool:
    previous = element.getprevious()
    if previous is not None:
        return not (previous.tail or "")
    parent = element.getparent()
    return parent is not None and not (parent.text or "")


def _raised(reference: etree._Element) -> bool:
    """Return True if the complete text of a reference is in superscript children."""
    outside = (reference.text or "") + "".join(child.tail or "" for child in reference)
    return len(reference) > 0 and not outside.strip() and all(local(child) == "sup" for child in reference)


def _only_separators(sup: etree._Element) -> bool:
    """Return True if a superscript has nothing but references and their separators."""
    return _SEPARATORS.fullmatch(_text_outside(sup)) is not None


def _text_outside(element: etree._Element) -> str:
    parts = [element.text or ""]
    for child in element:
        parts.append("" if local(child) == "xref" else _text_outside(child))
        parts.append(child.tail or "")
    return "".join(parts)
