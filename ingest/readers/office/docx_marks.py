"""Write into a Word file, as marks, what docling would drop: notes, bookmarks, fields, links, emphasis, styles.

docling strips spaces around pieces of different style, drops note marks, and reads neither bookmarks nor fields. So
each paragraph becomes one piece of uniform style before docling reads it, and everything else becomes a mark in its
text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lxml import etree

from ragraph.ingest.common.scripts import shown_runs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragraph.ingest.readers.docling.marks import Marks

_XML_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_STYLES = {
    "caption": "CAPTION",
    "subtitle": "SUBTITLE",
    "quote": "BLOCK_QUOTATION",
    "intense quote": "BLOCK_QUOTATION",
    "block text": "BLOCK_QUOTATION",
    "bibliography": "BIBLIOGRAPHIC_ENTRY",
    "author": "AUTHOR",
}
"""Built-in and usual style names (the same in all languages of Word) and their node types."""

_WRAPPERS = ("hyperlink", "fldSimple", "ins", "smartTag", "customXml", "sdt", "sdtContent", "moveTo")
"""Elements in a paragraph around its runs."""

_SHIFTS = {"superscript": 1, "subscript": -1}
_CITING = re.compile(r"CITATION\b|ADDIN\s+(ZOTERO_ITEM|EN\.CITE|CSL_CITATION|Mendeley)", re.IGNORECASE)
_ENTRIES = re.compile(r"BIBLIOGRAPHY\b|ADDIN\s+(ZOTERO_BIBL|EN\.REFLIST|Mendeley Bibliography)", re.IGNORECASE)
_REFERRING = re.compile(r"(?:PAGEREF|NOTEREF|REF)\s+\"?([^\s\"\\]+)", re.IGNORECASE)
_LINKING = re.compile(r"HYPERLINK\s+(?:\"([^\"]*)\")?(?:.*?\\l\s+\"([^\"]+)\")?", re.IGNORECASE)


class DocxMarker:
    """Marks the paragraphs of one part.

    Args:
        marks: the marks of the document.
        styles: style id to (name in lower case, bold, italic), inherited settings included.
        links: relationship id to address, of the part.
        numbers: note anchor ("footnote-2") to its printed number; filled in reading order by ``Numbering``.
    """

    def __init__(
        self, marks: Marks, styles: dict[str, tuple[str, bool, bool]], links: dict[str, str], numbers: Numbering
    ) -> None:
        self.marks = marks
        self.styles = styles
        self.links = links
        self.numbers = numbers
        self._fields: list[list[str]] = []  # open fields: instruction, state, mark that closes it

    def mark(self, root: etree._Element) -> None:
        """Mark all paragraphs below the root, in place."""
        self.w = root.tag[: root.tag.index("}") + 1] if root.tag.startswith("{") else ""
        self._choose_alternates(root)
        waiting: list[str] = []
        for element in list(root.iter(f"{self.w}p", f"{self.w}bookmarkStart")):
            if element.tag == f"{self.w}p":
                self._paragraph(element, waiting)
                waiting = []
            elif next(element.iterancestors(f"{self.w}p"), None) is None:
                waiting.append(element.get(f"{self.w}name", ""))

    def _choose_alternates(self, root: etree._Element) -> None:
        """Remove the second copy of text boxes, which is for old programs."""
        for fallback in list(root.iter("{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback")):
            parent = fallback.getparent()
            if parent is not None and len(parent) > 1 and fallback.find(f".//{self.w}t") is not None:
                parent.remove(fallback)

    def _paragraph(self, paragraph: etree._Element, waiting: list[str]) -> None:
        put = self.marks.put
        lead = "".join(put("anchor", name) for name in waiting if name)
        style = paragraph.find(f"{self.w}pPr/{self.w}pStyle")
        name = self.styles.get(style.get(f"{self.w}val", ""), ("", False, False))[0] if style is not None else ""
        for bold in paragraph.findall(f"{self.w}pPr/{self.w}rPr/{self.w}b"):
            bold.getparent().remove(bold)  # type: ignore[union-attr]
        node_type = _STYLES.get(name)
        runs: list[etree._Element] = []
        kinds = [field[0] for field in self._fields]
        is_sequence = False
        for element in list(self._inner(paragraph)):
            tag = element.tag.removeprefix(self.w)
            if tag == "bookmarkStart":
                name_of_place = element.get(f"{self.w}name", "")
                lead += put("anchor", name_of_place) if name_of_place and name_of_place != "_GoBack" else ""
            elif tag == "hyperlink":
                self._hyperlink(element)
            elif tag == "fldSimple":
                instruction = element.get(f"{self.w}instr", "")
                is_sequence = is_sequence or instruction.strip().upper().startswith("SEQ ")
                self._wrap(list(element.iter(f"{self.w}r")), *field_mark(instruction))
            elif tag == "r":
                kinds += self._run(element)
                runs.append(element)
        self._write_scripts(runs)
        for run in runs:
            self._style(run)
        is_sequence = is_sequence or any(kind.strip().upper().startswith("SEQ ") for kind in kinds)
        if node_type is None and is_sequence and not name.startswith(("heading", "title")):
            node_type = "CAPTION" if paragraph.find(f".//{self.w}drawing") is None else None
        if any(_ENTRIES.match(kind.strip()) for kind in kinds) and not name.startswith("heading"):
            node_type = "BIBLIOGRAPHIC_ENTRY"
        within = self._within(name, kinds)
        lead += put("within", within) if within else ""
        if within and "heading" not in name:
            node_type = "LIST_ITEM"
        lead += put("type", node_type) if node_type else ""
        self._close_open_fields(paragraph)
        if lead:
            self._insert(paragraph, lead)
        self._unwrap(paragraph)

    def _within(self, name: str, kinds: list[str]) -> str | None:
        """Return the type of the list of contents, tables or figures, or the index, to which the paragraph belongs."""
        instruction = next((kind.strip() for kind in kinds if kind.strip().upper().startswith(("TOC", "INDEX"))), "")
        if instruction.upper().startswith("INDEX") or re.match(r"index( \d)?$", name):
            return "INDEX"
        listed = re.search(r"\\[ca]\s+\"?(\w+)", instruction)
        if listed or name == "table of figures":
            return "LIST_OF_TABLES" if listed and listed[1].lower().startswith("tab") else "LIST_OF_FIGURES"
        if instruction or name == "toc heading" or re.match(r"toc \d$", name):
            return "TABLE_OF_CONTENTS"
        return None

    def _inner(self, paragraph: etree._Element) -> Iterator[etree._Element]:
        """Yield the elements of a paragraph in order, without those of text boxes in it."""
        for child in paragraph:
            if not isinstance(child.tag, str):
                continue
            yield child
            if child.tag in {f"{self.w}{name}" for name in _WRAPPERS}:
                yield from self._inner(child)

    def _unwrap(self, paragraph: etree._Element) -> None:
        """Move runs in links, fields and insertions into the paragraph itself, where docling reads cells from."""
        for child in list(self._inner(paragraph)):
            wraps = child.tag in {f"{self.w}{name}" for name in _WRAPPERS if name != "sdt"}
            if not wraps and not (child.tag == f"{self.w}sdt" and child.find(".//{*}checkbox") is None):
                continue
            parent = child.getparent()
            if parent is None or parent.find("./{*}sdtPr/{*}checkbox") is not None:
                continue
            inner = [part for part in child if part.tag not in {f"{self.w}sdtPr", f"{self.w}sdtEndPr"}]
            for part in inner:
                child.addprevious(part)
            parent.remove(child)

    def _run(self, run: etree._Element) -> list[str]:
        """Mark a run; return the instructions of fields that it opens."""
        opened: list[str] = []
        for child in list(run):
            if not isinstance(child.tag, str):
                continue
            tag = child.tag.removeprefix(self.w)
            if tag == "fldChar":
                kind = child.get(f"{self.w}fldCharType", "")
                if kind == "begin":
                    self._fields.append(["", "instruction", ""])
                elif kind == "separate" and self._fields:
                    self._separate(run, child, opened)
                elif kind == "end" and self._fields:
                    closing = self._fields.pop()
                    if closing[1] == "instruction":
                        opened.append(closing[0])
                    elif closing[2]:
                        self._text_before(child, closing[2])
            elif tag == "instrText" and self._fields:
                self._fields[-1][0] += child.text or ""
            elif tag in {"footnoteReference", "endnoteReference"}:
                anchor = f"{tag[:-9]}-{child.get(f'{self.w}id', '')}"
                self._text_before(child, self.marks.put("note", anchor, self.numbers.number(anchor, child, self.w)))
            elif tag == "commentReference":
                self._text_before(child, self.marks.put("note", f"comment-{child.get(f'{self.w}id', '')}"))
        return opened

    def _write_scripts(self, runs: list[etree._Element]) -> None:
        """Write the raised and lowered text of the runs of a paragraph as plain text."""
        texts: list[tuple[etree._Element | None, str, int]] = []
        for run in runs:
            stated = run.find(f"{self.w}rPr/{self.w}vertAlign")
            shift = _SHIFTS.get(stated.get(f"{self.w}val", ""), 0) if stated is not None else 0
            for child in run:
                if child.tag == f"{self.w}t" and (text := self.marks.strip(child.text or "")):
                    texts.append((child, text, shift if text == child.text else 0))
                elif child.tag not in (f"{self.w}t", f"{self.w}rPr"):
                    texts.append((None, "\n", 0))
        shown = shown_runs((text, shift) for _, text, shift in texts)
        for (piece, text, _), new in zip(texts, shown, strict=True):
            if piece is not None and new != text:
                piece.text = new

    def _separate(self, run: etree._Element, child: etree._Element, opened: list[str]) -> None:
        field = self._fields[-1]
        field[1] = "result"
        opened.append(field[0])
        mark = field_mark(field[0])
        if mark[0]:
            field[2] = self.marks.put(*mark, opens=False)
            self._text_before(child, self.marks.put(*mark, opens=True))

    def _close_open_fields(self, paragraph: etree._Element) -> None:
        """Close the marks of open fields: a field may span paragraphs, the mark for its result does not."""
        for field in self._fields:
            if field[2]:
                run = etree.SubElement(paragraph, f"{self.w}r")
                etree.SubElement(run, f"{self.w}t").text = field[2]
                field[2] = ""

    def _hyperlink(self, link: etree._Element) -> None:
        """Move the runs out of a link and mark them."""
        relation = next((value for name, value in link.attrib.items() if str(name).endswith("}id")), "")
        anchor = link.get(f"{self.w}anchor", "")
        address = self.links.get(str(relation), "")
        mark = ("link", address + (f"#{anchor}" if anchor else "")) if address else ("ref", anchor)
        self._wrap(list(link.iter(f"{self.w}r")), *mark)

    def _wrap(self, runs: list[etree._Element], kind: str, value: str) -> None:
        texts = [text for run in runs for text in run.findall(f"{self.w}t")]
        if not texts or not kind or (kind != "cite" and not value):
            return
        self._set(texts[0], self.marks.put(kind, value, opens=True) + (texts[0].text or ""))
        self._set(texts[-1], (texts[-1].text or "") + self.marks.put(kind, value, opens=False))

    def _style(self, run: etree._Element) -> None:
        """Turn bold and italic of a run into marks, and remove its style."""
        properties = run.find(f"{self.w}rPr")
        if properties is None:
            return
        style = properties.find(f"{self.w}rStyle")
        _, bold, italic = self.styles.get(
            style.get(f"{self.w}val", "") if style is not None else "", ("", False, False)
        )
        on = {"bold": bold, "italic": italic}
        for kind, tag in (("bold", "b"), ("italic", "i")):
            setting = properties.find(f"{self.w}{tag}")
            if setting is not None:
                on[kind] = is_on(setting, self.w)
        for tag in ("b", "i", "strike", "u", "vertAlign"):
            for setting in properties.findall(f"{self.w}{tag}"):
                properties.remove(setting)
        texts = run.findall(f"{self.w}t")
        if not texts or not "".join(text.text or "" for text in texts).strip():
            return
        for kind in ("italic", "bold"):
            if on[kind]:
                self._set(texts[0], self.marks.put(kind, opens=True) + (texts[0].text or ""))
                self._set(texts[-1], (texts[-1].text or "") + self.marks.put(kind, opens=False))

    def _text_before(self, child: etree._Element, text: str) -> None:
        new = etree.Element(f"{self.w}t")
        self._set(new, text)
        child.addprevious(new)

    def _insert(self, paragraph: etree._Element, text: str) -> None:
        """Insert a text at the start of a paragraph, into its first text if it has one."""
        first = next(
            (
                t
                for element in self._inner(paragraph)
                if element.tag == f"{self.w}r"
                for t in element.findall(f"{self.w}t")
            ),
            None,
        )
        if first is not None:
            self._set(first, text + (first.text or ""))
            return
        run = etree.Element(f"{self.w}r")
        self._set(etree.SubElement(run, f"{self.w}t"), text)
        properties = paragraph.find(f"{self.w}pPr")
        paragraph.insert(0 if properties is None else 1, run)

    @staticmethod
    def _set(element: etree._Element, text: str) -> None:
        element.text = text
        element.set(_XML_SPACE, "preserve")


def field_mark(instruction: str) -> tuple[str, str]:
    """Return kind and value of the mark for the result of a field; an empty kind for fields without a mark."""
    instruction = instruction.strip()
    if _CITING.match(instruction):
        return "cite", ""
    if (match := _REFERRING.match(instruction)) is not None:
        return "ref", match[1]
    if (match := _LINKING.match(instruction)) is not None:
        return ("link", match[1] + (f"#{match[2]}" if match[2] else "")) if match[1] else ("ref", match[2] or "")
    return "", ""


class Numbering:
    """Gives notes their printed numbers, in the order of their references."""

    _FORMATS = ("decimal", "lowerRoman", "upperRoman", "lowerLetter", "upperLetter", "chicago")

    def __init__(self, settings: etree._Element | None) -> None:
        self._counts = {"footnote": 0, "endnote": 0}
        self._formats = {"footnote": "decimal", "endnote": "lowerRoman"}
        self.given: dict[str, str] = {}
        if settings is not None:
            w = settings.tag[: settings.tag.index("}") + 1]
            for kind in self._formats:
                stated = settings.find(f"{w}{kind}Pr/{w}numFmt")
                if stated is not None and stated.get(f"{w}val") in self._FORMATS:
                    self._formats[kind] = stated.get(f"{w}val", "decimal")

    def number(self, anchor: str, reference: etree._Element, w: str) -> str:
        """Return the printed number of the note of this reference."""
        if anchor in self.given:
            return self.given[anchor]
        kind = anchor.split("-")[0]
        if reference.get(f"{w}customMarkFollows") not in {None, "0", "false"}:
            own = "".join(text.text or "" for text in reference.itersiblings(f"{w}t")).strip()
            for text in reference.itersiblings(f"{w}t"):
                text.text = ""
            self.given[anchor] = own or "*"
            return self.given[anchor]
        self._counts[kind] += 1
        self.given[anchor] = printed(self._counts[kind], self._formats[kind])
        return self.given[anchor]


def printed(number: int, style: str) -> str:
    """Return a number from 1 as Word prints it in this style."""
    if style in {"lowerLetter", "upperLetter"}:
        letters = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
        return letters if style == "lowerLetter" else letters.upper()
    if style == "chicago":
        return "*†‡§"[(number - 1) % 4] * ((number - 1) // 4 + 1)
    if style in {"lowerRoman", "upperRoman"}:
        roman = ""
        for value, sign in ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"),
                            (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")):  # fmt: skip
            roman, number = roman + sign * (number // value), number % value
        return roman if style == "lowerRoman" else roman.upper()
    return str(number)


def is_on(setting: etree._Element, w: str) -> bool:
    """Return True if a switch such as ``w:b`` is on."""
    return setting.get(f"{w}val", "1") not in {"0", "false", "off", "none"}
