"""Open what a Word file wraps its text in, before its paragraphs are marked.

Content controls, custom XML, directions of writing and ruby are wrappers: the converter reads text in them only in
some places. Symbols, form fields, diagrams and imported files hold their text elsewhere. Each becomes runs, paragraphs
or rows at its place. What a tracked change deleted is removed.
"""

from __future__ import annotations

import posixpath
import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from lxml import etree

from ragraph.base.inline import unmarked
from ragraph.errors import IngestError
from ragraph.ingest.readers.office.diagrams import diagram_points
from ragraph.ingest.readers.office.fields import field_text
from ragraph.ingest.readers.office.pictures import alternative_text
from ragraph.ingest.readers.office.symbols import is_of_signs, shown_in, symbol
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from ragraph.ingest.draft import Draft
    from ragraph.ingest.readers import ReadOptions
    from ragraph.ingest.readers.docling.marks import Marks
    from ragraph.ingest.readers.office.package import Package

_WRAPPERS = ("sdt", "customXml", "smartTag", "dir", "bdo")
_WIDEST = 1000
"""Maximum columns that a cell is believed to span; Word allows 63."""

_BOX = "\u2610", "\u2612"
_HEADINGS = {ContentNodeType.TITLE, ContentNodeType.HEADING, ContentNodeType.SUBHEADING}
_KEPT_TYPES = {
    ContentNodeType.LIST_ITEM,
    ContentNodeType.BLOCK_QUOTATION,
    ContentNodeType.CODE,
    ContentNodeType.CAPTION,
}


_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_VML = "{urn:schemas-microsoft-com:vml}"
_FORMULA_PARTS = ("acc", "bar", "d", "groupChr", "nary")
"""Parts of formulas whose properties may be missing; the converter gives up on the file then."""


def _is_on(setting: etree._Element | None, w: str) -> bool:
    """Return True if a switch is there and on."""
    return setting is not None and setting.get(f"{w}val", "1") not in {"0", "false", "off"}


def _join_bracketed(brackets: etree._Element) -> None:
    """Make one part of the parts between brackets, with their separator: the converter keeps the last alone."""
    parts = brackets.findall(f"{_MATH}e")
    if len(parts) < 2:
        return
    first, *rest = parts
    stated = brackets.find(f"{_MATH}dPr/{_MATH}sepChr")
    sign = stated.get(f"{_MATH}val", "|") if stated is not None else "|"
    for part in rest:
        etree.SubElement(etree.SubElement(first, f"{_MATH}r"), f"{_MATH}t").text = sign
        first.extend(list(part))
        brackets.remove(part)


@dataclass
class _Field:
    """A field that is open.

    Attributes:
        asked: its instruction.
        separate: whether its result has begun.
        shown: whether its result shows something.
        within: what fields in its instruction show, which is no text once it turns out to be a whole field.
    """

    asked: list[str] = field(default_factory=list)
    separate: bool = False
    shown: bool = False
    within: list[etree._Element] = field(default_factory=list)

    def drop_within(self) -> None:
        """Remove what fields in the instruction show."""
        for part in self.within:
            if (run := part.getparent()) is not None:
                run.remove(part)
        self.within.clear()


class Opening:
    """Opens the parts of one file.

    Args:
        package: the file.
        marks: the marks of the document, for the types of imported paragraphs.
        options: options for the readers of imported files.

    Attributes:
        embedded: names of embedded documents, in order.
        warnings: one line for each imported file that could not be read.
    """

    def __init__(self, package: Package, marks: Marks, options: ReadOptions) -> None:
        self._package = package
        self._marks = marks
        self._options = options
        self.embedded: list[str] = []
        self.warnings: list[str] = []

    def open(self, root: etree._Element, name: str) -> None:
        """Open a part in place.

        Args:
            root: root of the part.
            name: name of the part in the package; its relationships lead to diagrams and imported files.
        """
        self._w = w = root.tag[: root.tag.index("}") + 1]
        self._folder = posixpath.dirname(name)
        self._links = self._package.relationships(name)
        self._drop_deleted(root)
        self._join_paragraphs(root)
        for chunk in list(root.iter(f"{w}altChunk")):
            self._import(chunk)
        for kind in _WRAPPERS:
            for element in list(root.iter(f"{w}{kind}")):
                if kind != "sdt" or not self._is_box_of_paragraph(element):
                    self._unwrap(element)
        for table in root.iter(f"{w}tbl"):
            self._complete_grid(table)
        for ruby in list(root.iter(f"{w}ruby")):
            base = ruby.find(f"{w}rubyBase")
            text = "".join(one.text or "" for one in base.iter(f"{w}t")) if base is not None else ""
            self._become_text(ruby, text)
        self._complete_formulas(root)
        self._letters_of_drawings(root)
        for paragraph in root.iter(f"{w}p"):
            self._fill_fields(paragraph)
            self._break_lines(paragraph)
        self._letters_of_signs(root)
        for form in list(root.iter(f"{w}ffData")):
            self._fill(form)
        for drawing in list(root.iter(f"{w}drawing")):
            self._diagram(drawing)
        for stated in list(root.iter("{*}docPr", f"{_VML}shape", f"{_VML}group")):
            self._describe(stated)
        self._name_embedded(root)

    def _complete_formulas(self, root: etree._Element) -> None:
        """Give formulas the form that the converter reads."""
        for scripts in list(root.iter("{*}sPre")):
            self._part_scripts(scripts)
        for name in _FORMULA_PARTS:
            for part in root.iter(f"{_MATH}{name}"):
                if part.find(f"{_MATH}{name}Pr") is None:
                    part.insert(0, part.makeelement(f"{_MATH}{name}Pr"))
        for framed in root.iter(f"{_MATH}borderBox"):
            framed.tag = f"{_MATH}box"  # the converter drops the other
        for brackets in root.iter(f"{_MATH}d"):
            _join_bracketed(brackets)

    def _letters_of_drawings(self, root: etree._Element) -> None:
        """Put a run of text before each drawing whose letters follow a path."""
        for drawn in root.iter(f"{_VML}textpath"):
            run = next(drawn.iterancestors(f"{self._w}r"), None)
            if run is not None and (said := " ".join((drawn.get("string") or "").split())):
                run.addprevious(self._run(said))

    def _letters_of_signs(self, root: etree._Element) -> None:
        """Write what fonts of signs show, for letters in such a font and for single signs."""
        w = self._w
        for fonts in root.iter(f"{w}rFonts"):
            run = next(fonts.iterancestors(f"{w}r"), None)
            if run is not None and is_of_signs(font := fonts.get(f"{w}ascii", "")):
                for letters in run.iterfind(f"{w}t"):
                    letters.text = shown_in(font, letters.text or "")
        for sign in list(root.iter(f"{w}sym")):
            self._become_text(sign, symbol(sign.get(f"{w}font", ""), sign.get(f"{w}char", "")))

    def _name_embedded(self, root: etree._Element) -> None:
        """Name the embedded documents; an equation is none."""
        for held in root.iter("{urn:schemas-microsoft-com:office:office}OLEObject"):
            relation = next((str(value) for key, value in held.attrib.items() if str(key).endswith("}id")), "")
            target = self._links.get(relation, ("", ""))[1]
            kind = held.get("ProgID", "").split(".")[0]
            if kind != "Equation":
                self.embedded.append(f"{posixpath.basename(target) or 'object'} ({kind or 'unknown program'})")

    def _drop_deleted(self, root: etree._Element) -> None:
        """Remove runs, paragraphs and rows that a tracked change deleted or moved away."""
        w = self._w
        for row in list(root.iter(f"{w}tr")):
            parent = row.getparent()
            if row.find(f"{w}trPr/{w}del") is not None and parent is not None:
                parent.remove(row)
        for element in list(root.iter(f"{w}del", f"{w}moveFrom")):
            parent = element.getparent()
            if parent is not None and parent.tag not in {f"{w}rPr", f"{w}trPr", f"{w}tcPr"}:
                parent.remove(element)
        for table in list(root.iter(f"{w}tbl")):
            parent = table.getparent()
            if table.find(f".//{w}tr") is None and parent is not None:
                parent.remove(table)

    def _part_scripts(self, element: etree._Element) -> None:
        """Put the scripts before a sign of a formula, and the sign, beside each other: docling drops both."""
        space = str(element.tag)[:-4]
        parts = {name: element.find(f"{space}{name}") for name in ("sub", "sup", "e")}
        held = {name: part for name, part in parts.items() if part is not None and len(part)}
        raised = {("sub", "sup"): "sSubSup", ("sub",): "sSub", ("sup",): "sSup"}.get(tuple(n for n in held if n != "e"))
        if raised is not None:
            before = etree.Element(f"{space}{raised}")
            before.append(etree.Element(f"{space}e"))
            before.extend([held[name] for name in ("sub", "sup") if name in held])
            element.addprevious(before)
        for part in list(held.get("e", ())):
            element.addprevious(part)
        parent = element.getparent()
        if parent is not None:
            parent.remove(element)

    def _fill_fields(self, paragraph: etree._Element) -> None:
        """Write the text of fields without a result that have it in their instruction, such as equations (EQ).

        Results of fields within the instruction of another one are no text, unless that is never separated or ended.
        """
        w = self._w
        drawn = (f"{w}t", f"{w}sym", f"{w}drawing", f"{w}pict", f"{w}object")
        open_now: list[_Field] = []
        for run in list(paragraph.iter(f"{w}r")):
            for part in list(run):
                kind = part.get(f"{w}fldCharType") if part.tag == f"{w}fldChar" else None
                if kind == "begin":
                    open_now.append(_Field())
                elif open_now and part.tag == f"{w}instrText":
                    open_now[-1].asked.append(part.text or "")
                elif open_now and kind == "separate":
                    open_now[-1].separate = True
                    open_now[-1].drop_within()
                elif open_now and kind == "end":
                    ended = open_now.pop()
                    ended.drop_within()
                    if not (ended.shown or open_now) and (text := field_text("".join(ended.asked))):
                        run.addnext(self._run(text))
                elif part.tag in drawn and open_now:
                    open_now[-1].shown = True
                    for asking in [one for one in open_now[:-1] if not one.separate][-1:]:
                        asking.within.append(part)
        for simple in list(paragraph.iter(f"{w}fldSimple")):
            held = next(simple.iter(*drawn), None) is not None
            if not held and (text := field_text(simple.get(f"{w}instr", ""))):
                simple.append(self._run(text))

    def _join_paragraphs(self, root: etree._Element) -> None:
        """Join paragraphs whose end a tracked change deleted, and large first letters, with what is behind them."""
        w = self._w
        for settings in list(root.iter(f"{w}pPr")):
            paragraph = settings.getparent()
            frame = settings.find(f"{w}framePr")
            gone = any(settings.find(f"{w}rPr/{w}{name}") is not None for name in ("del", "moveFrom"))
            large = frame is not None and frame.get(f"{w}dropCap") in ("drop", "margin")
            behind = paragraph.getnext() if paragraph is not None and (gone or large) else None
            if paragraph is None or behind is None or behind.tag != f"{w}p":
                continue
            place = int(behind.find(f"{w}pPr") is not None)
            behind[place:place] = [part for part in paragraph if part is not settings]
            paragraph.getparent().remove(paragraph)  # type: ignore[union-attr]

    def _break_lines(self, paragraph: etree._Element) -> None:
        """Make ends of pages and columns within a text ends of lines; the converter would join the words around."""
        begun = False
        for element in paragraph.iter(f"{self._w}t", f"{self._w}br"):
            if element.tag == f"{self._w}t":
                begun = begun or bool((element.text or "").strip())
            elif begun and element.get(f"{self._w}type"):
                del element.attrib[f"{self._w}type"]

    def _is_box_of_paragraph(self, control: etree._Element) -> bool:
        """Return True if a content control is a checkbox that is about its whole paragraph, as in a list to tick off.

        The converter marks the paragraph then. Of other boxes it keeps those that are text, but for cells.
        """
        w, paragraph = self._w, control.getparent()
        if control.find("./{*}sdtPr/{*}checkbox") is None or paragraph is None or paragraph.tag != f"{w}p":
            return False
        boxes = sum(1 for _ in paragraph.iter("{*}checkbox"))
        begins = all(one.tag in (f"{w}pPr", f"{w}bookmarkStart") for one in control.itersiblings(preceding=True))
        return boxes == 1 and begins and next(paragraph.iterancestors(f"{w}tc"), None) is None

    def _unwrap(self, element: etree._Element) -> None:
        parent, w = element.getparent(), self._w
        if parent is None:
            return
        content = element.find(f"{w}sdtContent") if element.tag == f"{w}sdt" else element
        shown = element.find(f"{w}sdtPr/{w}showingPlcHdr")
        if content is not None and _is_on(shown, w):
            for text in content.iter(f"{w}t"):
                text.text = ""  # a program's request to write something there
        for part in list(content) if content is not None else ():
            if part.tag not in {f"{w}customXmlPr", f"{w}smartTagPr"}:
                element.addprevious(part)
        parent.remove(element)

    def _complete_grid(self, table: etree._Element) -> None:
        """Give a table as many columns as its rows have cells: the converter drops a table whose grid is too narrow."""
        w = self._w
        width = 0
        for row in table.iterfind(f"{w}tr"):
            spans = (cell.find(f"{w}tcPr/{w}gridSpan") for cell in row.iterfind(f"{w}tc"))
            stated = (span.get(f"{w}val", "1") if span is not None else "1" for span in spans)
            width = max(width, sum(int(one) if one.isdecimal() and int(one) < _WIDEST else 1 for one in stated))
        grid = table.find(f"{w}tblGrid")
        if grid is None:
            grid = table.makeelement(f"{w}tblGrid")
            table.insert(1 if table.find(f"{w}tblPr") is not None else 0, grid)
        for _ in range(width - len(grid.findall(f"{w}gridCol"))):
            etree.SubElement(grid, f"{w}gridCol")

    def _become_text(self, element: etree._Element, text: str) -> None:
        """Replace a child of a run by text."""
        parent = element.getparent()
        if parent is None:
            return
        if text:
            element.addprevious(self._text(text))
        parent.remove(element)

    def _text(self, text: str) -> etree._Element:
        new = etree.Element(f"{self._w}t")
        new.text = text
        new.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
        return new

    def _fill(self, form: etree._Element) -> None:
        """Write the box of a form's checkbox, and the choice of a drop-down list, as text."""
        w = self._w
        run = next(form.iterancestors(f"{w}r"), None)
        box, choices = form.find(f"{w}checkBox"), form.find(f"{w}ddList")
        if run is None:
            return
        if box is not None:
            stated = box.find(f"{w}checked")
            stated = box.find(f"{w}default") if stated is None else stated
            run.addprevious(self._run(_BOX[_is_on(stated, w)]))
        elif choices is not None:
            stated = choices.find(f"{w}result")
            stated = choices.find(f"{w}default") if stated is None else stated
            entries = [entry.get(f"{w}val", "") for entry in choices.iter(f"{w}listEntry")]
            chosen = stated.get(f"{w}val", "") if stated is not None else "0"
            if chosen.isdecimal() and int(chosen) < len(entries):
                run.addprevious(self._run(entries[int(chosen)]))

    def _run(self, text: str) -> etree._Element:
        run = etree.Element(f"{self._w}r")
        run.append(self._text(text))
        return run

    def _paragraph(self, text: str, level: int | None = None) -> etree._Element:
        w = self._w
        paragraph = etree.Element(f"{w}p")
        if level is not None:
            settings = etree.SubElement(paragraph, f"{w}pPr")
            etree.SubElement(settings, f"{w}outlineLvl").set(f"{w}val", str(min(max(level, 1), 9) - 1))
        paragraph.append(self._run(text))
        return paragraph

    def _diagram(self, drawing: etree._Element) -> None:
        """Put the points of a diagram (SmartArt) behind its paragraph, as items of a list."""
        held = drawing.find(".//{*}graphicData/{*}relIds")
        paragraph = next(drawing.iterancestors(f"{self._w}p"), None)
        if held is None or paragraph is None:
            return
        relation = next((str(value) for key, value in held.attrib.items() if str(key).endswith("}dm")), "")
        data = self._part(relation)
        lead = self._marks.put("type", "LIST_ITEM") + self._marks.put("within", "LIST")
        for point in reversed(diagram_points(data) if data is not None else []):
            paragraph.addnext(self._paragraph(lead + point))

    def _describe(self, stated: etree._Element) -> None:
        """Put the alternative text of a drawing without text or picture behind its paragraph, as that of a figure."""
        w = self._w
        holder = stated.getparent() if stated.tag.endswith("}docPr") else stated
        run = next(stated.iterancestors(f"{w}r"), None)
        paragraph = next(stated.iterancestors(f"{w}p"), None)
        if holder is None or run is None or paragraph is None or not (words := alternative_text(holder)):
            return
        if next(holder.iter("{*}blip", "{*}chart", "{*}imagedata", f"{w}t"), None) is not None:
            return  # its picture has it, or it is about text
        if any(one.tag.endswith(("}Fallback", "}group")) for one in stated.iterancestors()):
            return
        if next(paragraph.iterancestors(f"{w}tc"), None) is not None:
            run.addnext(self._run(f" {words} "))
        else:
            paragraph.addnext(self._paragraph(self._marks.put("type", "FIGURE") + words))

    def _name(self, relation: str) -> str:
        target = self._links.get(relation, ("", ""))[1]
        return target.lstrip("/") if target.startswith("/") else posixpath.normpath(f"{self._folder}/{target}")

    def _part(self, relation: str) -> etree._Element | None:
        return self._package.xml(self._name(relation)) if relation in self._links else None

    def _import(self, chunk: etree._Element) -> None:
        """Replace the reference to an imported file by its content."""
        relation = next((str(value) for key, value in chunk.attrib.items() if str(key).endswith("}id")), "")
        name = self._name(relation)
        parent = chunk.getparent()
        if parent is None:
            return
        try:
            for block in self._blocks(self._draft(name)):
                chunk.addprevious(block)
        except IngestError as error:
            self.warnings.append(f"the imported file {name} was not read: {error}")
        parent.remove(chunk)

    def _draft(self, name: str) -> Draft:
        from ragraph.ingest.readers import reader_for

        content = self._package.read(name)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / posixpath.basename(name)
            path.write_bytes(content)
            return reader_for(path).read(path, self._options)

    def _blocks(self, draft: Draft) -> list[etree._Element]:
        """Return the nodes of an imported file as paragraphs and tables."""
        w, blocks = self._w, []
        for node in draft.nodes:
            text = unmarked(node.text)
            if node.type is ContentNodeType.TABLE and node.data.get("cells"):
                table = etree.Element(f"{w}tbl")
                etree.SubElement(table, f"{w}tblPr")
                etree.SubElement(table, f"{w}tblGrid")
                for cells in node.data["cells"]:
                    row = etree.SubElement(table, f"{w}tr")
                    for cell in cells:
                        etree.SubElement(row, f"{w}tc").append(self._paragraph(cell))
                blocks.append(table)
            elif node.type in _HEADINGS:
                blocks.append(self._paragraph(text, node.level or 1))
            elif text:
                marker = f"{node.marker} " if node.marker else ""
                lead = self._marks.put("type", node.type.value) if node.type in _KEPT_TYPES else ""
                blocks += [self._paragraph(lead + marker + line) for line in re.split(r"\n+", text) if line.strip()]
        return blocks
