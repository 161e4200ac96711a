"""Write into an OpenDocument file, as marks, what docling would drop: notes, bookmarks, links, emphasis, formulas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragraph.ingest.common.scripts import lowered, raised
from ragraph.ingest.readers.office.symbols import is_of_signs, shown_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from lxml import etree

    from ragraph.ingest.readers.docling.marks import Marks
    from ragraph.ingest.readers.office.package import Package

_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_FO = "{urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0}"
_DRAW = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
_XLINK = "{http://www.w3.org/1999/xlink}"
_MATH = "{http://www.w3.org/1998/Math/MathML}"

_REFERENCES = {f"{_TEXT}{name}" for name in ("bookmark-ref", "reference-ref", "sequence-ref", "note-ref")}
_PLACES = {f"{_TEXT}{name}" for name in ("bookmark", "bookmark-start", "reference-mark", "reference-mark-start")}
_QUOTING = {"quotations", "quotation", "block_20_quotation"}
_INDEXES = {
    f"{_TEXT}table-of-content": "TABLE_OF_CONTENTS",
    f"{_TEXT}illustration-index": "LIST_OF_FIGURES",
    f"{_TEXT}table-index": "LIST_OF_TABLES",
    f"{_TEXT}alphabetical-index": "INDEX",
    f"{_TEXT}bibliography": "BIBLIOGRAPHY",
}


@dataclass
class OdfNote:
    """A note: its name, its printed number, its text with marks, and whether it is a footnote or endnote."""

    anchor: str
    label: str
    text: str
    kind: str


class OdfMarker:
    """Marks content.xml in place and removes the notes from it.

    Args:
        marks: the marks of the document.
        root: root of content.xml.
        styles: root of styles.xml.
        package: the file, for embedded formulas.
    """

    def __init__(self, marks: Marks, root: etree._Element, styles: etree._Element | None, package: Package) -> None:
        self.marks = marks
        self.root = root
        self.package = package
        self.notes: list[OdfNote] = []
        self._parents: dict[str, str] = {}
        self._emphasis: dict[str, tuple[bool, bool]] = {}
        self._fonts: dict[str, str] = {}
        self._scripts: dict[str, Callable[[str, str], str]] = {}
        self._last_script: tuple[etree._Element | None, Callable[[str, str], str] | None, str] = (None, None, "")
        for part in (styles, root):
            for style in part.iter(f"{_STYLE}style") if part is not None else ():
                name = style.get(f"{_STYLE}name", "")
                self._parents[name] = style.get(f"{_STYLE}parent-style-name", "")
                properties = style.find(f"{_STYLE}text-properties")
                if properties is not None and style.get(f"{_STYLE}family") == "text":
                    weight = properties.get(f"{_FO}font-weight", "normal")
                    position = properties.get(f"{_STYLE}text-position", "0%").split(" ")[0]
                    if position not in ("", "0%"):
                        self._scripts[name] = lowered if position.startswith(("sub", "-")) else raised
                    font = properties.get(f"{_STYLE}font-name") or properties.get(f"{_FO}font-family") or ""
                    if is_of_signs(font.strip("'")):
                        self._fonts[name] = font.strip("'")
                    self._emphasis[name] = (
                        weight == "bold" or (weight.isdigit() and int(weight) >= 600),
                        properties.get(f"{_FO}font-style") in {"italic", "oblique"},
                    )

    def mark(self) -> None:
        """Mark the content."""
        self._formulas()
        for note in list(self.root.iter(f"{_TEXT}note")):
            self._note(note)
        self._inline(self.root)
        for index, within in _INDEXES.items():
            for element in self.root.iter(index):
                for paragraph in element.iter(f"{_TEXT}p", f"{_TEXT}h"):
                    kind = "BIBLIOGRAPHIC_ENTRY" if within == "BIBLIOGRAPHY" else "LIST_ITEM"
                    in_title = any(parent.tag == f"{_TEXT}index-title" for parent in paragraph.iterancestors())
                    lead = "" if in_title else self.marks.put("type", kind)
                    self._lead(paragraph, lead + self.marks.put("within", within))
        for paragraph in self.root.iter(f"{_TEXT}p"):
            if paragraph.find(f".//{_TEXT}sequence") is not None:
                self._lead(paragraph, self.marks.put("type", "CAPTION"))
            elif self._is_style(paragraph.get(f"{_TEXT}style-name", ""), _QUOTING):
                self._lead(paragraph, self.marks.put("type", "BLOCK_QUOTATION"))
            elif self._is_style(paragraph.get(f"{_TEXT}style-name", ""), {"subtitle"}):
                self._lead(paragraph, self.marks.put("type", "SUBTITLE"))

    def _is_style(self, name: str, wanted: set[str]) -> bool:
        seen: set[str] = set()
        while name and name not in seen:
            if name.lower() in wanted:
                return True
            seen.add(name)
            name = self._parents.get(name, "")
        return False

    def _lead(self, paragraph: etree._Element, text: str) -> None:
        paragraph.text = text + (paragraph.text or "")

    def _note(self, note: etree._Element) -> None:
        """Put a mark where the note is referenced, and store its body."""
        kind = note.get(f"{_TEXT}note-class", "footnote")
        citation = note.find(f"{_TEXT}note-citation")
        label = (inner_text(citation) if citation is not None else "").strip()
        anchor = note.get(f"{_TEXT}id") or f"{kind}-{len(self.notes) + 1}"
        body = note.find(f"{_TEXT}note-body")
        lines: list[str] = []
        if body is not None:
            self._inline(body)
            lines = [" ".join(inner_text(paragraph).split()) for paragraph in body.iter(f"{_TEXT}p", f"{_TEXT}h")]
        self.notes.append(OdfNote(anchor, label, "\n".join(line for line in lines if line), kind))
        self._replace(note, self.marks.put("note", anchor, label or None))

    def _replace(self, element: etree._Element, text: str) -> None:
        """Replace an element by text."""
        parent, previous = element.getparent(), element.getprevious()
        if parent is None:
            return
        tail = text + (element.tail or "")
        if previous is not None:
            previous.tail = (previous.tail or "") + tail
        else:
            parent.text = (parent.text or "") + tail
        element.tail = None
        parent.remove(element)

    def _around(self, element: etree._Element, kind: str, value: str = "") -> None:
        if inner_text(element).strip():
            element.text = self.marks.put(kind, value, opens=True) + (element.text or "")
            last = element[-1] if len(element) else None
            closing = self.marks.put(kind, value, opens=False)
            if last is None:
                element.text += closing
            else:
                last.tail = (last.tail or "") + closing

    def _inline(self, root: etree._Element) -> None:
        """Mark spans, links, references and places below the root."""
        for element in list(root.iter()):
            if not isinstance(element.tag, str):
                continue
            if element.tag == f"{_TEXT}span":
                font = self._fonts.get(element.get(f"{_TEXT}style-name", ""))
                element.text = shown_in(font, element.text) if font and element.text else element.text
                self._write_script(element)
                bold, italic = self._emphasis.get(element.get(f"{_TEXT}style-name", ""), (False, False))
                if bold:
                    self._around(element, "bold")
                if italic:
                    self._around(element, "italic")
                element.attrib.pop(f"{_TEXT}style-name", "")
            elif element.tag == f"{_TEXT}a":
                address = element.get(f"{_XLINK}href", "")
                element.attrib.pop(f"{_XLINK}href", "")
                inner = address.startswith("#")
                self._around(
                    element, "ref" if inner else "link", address.lstrip("#").split("|")[0] if inner else address
                )
                element.tag = f"{_TEXT}span"
            elif element.tag in _REFERENCES:
                self._around(element, "ref", element.get(f"{_TEXT}ref-name", ""))
            elif element.tag in _PLACES:
                self._replace_keeping(element, self.marks.put("anchor", element.get(f"{_TEXT}name", "")))
            elif element.tag == f"{_TEXT}sequence" and element.get(f"{_TEXT}ref-name"):
                element.text = self.marks.put("anchor", element.get(f"{_TEXT}ref-name", "")) + (element.text or "")

    def _write_script(self, span: etree._Element) -> None:
        """Write raised or lowered text of a span as plain text."""
        change = self._scripts.get(span.get(f"{_TEXT}style-name", ""))
        if change is None or not span.text or len(span):
            return
        previous, parent = span.getprevious(), span.getparent()
        last, last_change, before = self._last_script
        if previous is not None and previous is last and not previous.tail and last_change is change:
            pass  # they are one text, with the same text before it
        elif previous is not None:
            before = previous.tail or ("".join(map(str, previous.itertext())) if previous.tag == span.tag else "")
        else:
            before = (parent.text or "") if parent is not None else ""
        span.text = change(span.text, self.marks.strip(before))
        self._last_script = span, change, before

    def _replace_keeping(self, element: etree._Element, text: str) -> None:
        if any(parent.tag in {f"{_TEXT}p", f"{_TEXT}h"} for parent in element.iterancestors()):
            self._replace(element, text)

    def _formulas(self) -> None:
        """Replace embedded formulas by their text."""
        for frame in list(self.root.iter(f"{_DRAW}frame")):
            held = frame.find(f"{_DRAW}object")
            if held is None:
                continue
            math = held.find(f"{_MATH}math")
            if math is None:
                name = held.get(f"{_XLINK}href", "").removeprefix("./").rstrip("/")
                root = self.package.xml(f"{name}/content.xml") if name else None
                math = root if root is not None and root.tag == f"{_MATH}math" else None
            if math is None:
                continue
            annotation = next(math.iter(f"{_MATH}annotation"), None)
            text = (annotation.text if annotation is not None else "") or inner_text(math)
            self._replace(frame, self.marks.around(" ".join(text.split()), "math"))


def inner_text(element: etree._Element) -> str:
    """Return all text below an element."""
    return "".join(str(text) for text in element.itertext())
