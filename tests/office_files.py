"""Office files built for the tests; nothing of them is from anywhere else."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from docx import Document as WordDocument
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from openpyxl import Workbook
from pptx import Presentation
from pptx.util import Inches

from ragraph.ingest.readers import ReadOptions, reader_for

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragraph.ingest.draft import Draft, DraftNode, DraftRelation

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_TYPES = "application/vnd.openxmlformats-officedocument.wordprocessingml"


def read(path: Path, **options: object) -> Draft:
    """Read a file with the reader that the registry picks."""
    return reader_for(path).read(path, ReadOptions(**options))  # type: ignore[arg-type]


def node(draft: Draft, text: str) -> DraftNode:
    """The one node that holds this text."""
    found = [node for node in draft.nodes if text in node.text]
    assert len(found) == 1, [node.text for node in draft.nodes]
    return found[0]


def texts(draft: Draft, kind: str) -> list[str]:
    """Texts of all nodes of a type."""
    return [node.text for node in draft.nodes if node.type == kind]


def relations(draft: Draft, kind: str) -> list[DraftRelation]:
    """All relations of a type."""
    return [relation for relation in draft.relations if relation.type == kind]


def check_draft(draft: Draft) -> None:
    """Assert the invariants of drafts: unique keys, known containers and targets, markers at their stated positions."""
    keys = [node.key for node in draft.nodes]
    assert len(keys) == len(set(keys))
    containers = {container.key for container in draft.containers}
    seen: set[str] = set()
    for container in draft.containers:
        assert container.parent is None or container.parent in seen
        seen.add(container.key)
    pages = {page.page_pdf for page in draft.pages}
    for entry in draft.nodes:
        assert entry.container is None or entry.container in containers
        assert all(position.page_pdf in pages for position in entry.positions)
        assert not any(ord(char) >= 0xF0000 for char in entry.model_dump_json()), entry
    by_key = {entry.key: entry for entry in draft.nodes}
    for relation in draft.relations:
        assert relation.source in by_key
        assert relation.target is None or relation.target in by_key
        if relation.marker_start is not None:
            text = by_key[relation.source].text
            assert 0 <= relation.marker_start <= len(text)
            if relation.type != "REFERENCES_NOTE":
                start = relation.marker_start
                assert text[start : start + len(relation.marker or "")] == relation.marker


def _notes_part(kind: str, notes: dict[str, str]) -> str:
    body = "".join(
        f'<w:{kind} w:id="{number}"><w:p><w:r><w:{kind}Ref/></w:r><w:r><w:t>{text}</w:t></w:r></w:p></w:{kind}>'
        for number, text in notes.items()
    )
    separator = f'<w:{kind} w:type="separator" w:id="-1"><w:p><w:r><w:separator/></w:r></w:p></w:{kind}>'
    return f'<?xml version="1.0" encoding="UTF-8"?><w:{kind}s xmlns:w="{_W}">{separator}{body}</w:{kind}s>'


def add_parts(path: Path, parts: dict[str, tuple[str, str]]) -> None:
    """Add parts to a DOCX: name to (kind of relation, content)."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    types, links = members["[Content_Types].xml"].decode(), members["word/_rels/document.xml.rels"].decode()
    for number, (name, (kind, content)) in enumerate(parts.items()):
        members[f"word/{name}"] = content.encode()
        types = types.replace(
            "</Types>", f'<Override PartName="/word/{name}" ContentType="{_TYPES}.{kind}+xml"/></Types>'
        )
        target = f'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}" Target="{name}"'
        links = links.replace("</Relationships>", f'<Relationship Id="rIdT{number}" {target}/></Relationships>')
    members["[Content_Types].xml"], members["word/_rels/document.xml.rels"] = types.encode(), links.encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)


def _runs(paragraph: object, xml: str) -> None:
    """Append raw runs to a paragraph of python-docx."""
    for element in parse_xml(f"<w:p {nsdecls('w', 'r')}>{xml}</w:p>"):
        paragraph._p.append(element)  # type: ignore[attr-defined]


def note_call(kind: str, number: int) -> str:
    """Run with the mark of a note, as Word writes it."""
    return f'<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:{kind}Reference w:id="{number}"/></w:r>'


def make_docx(path: Path) -> Path:
    """A report with notes, a link, a cross-reference, a caption, lists, a table and running heads."""
    document = WordDocument()
    document.core_properties.title = "Yearly report"
    document.core_properties.author = "Ada Byron; Grace Murray"
    document.core_properties.language = "en-GB"
    document.sections[0].header.paragraphs[0].text = "Running head"
    document.add_heading("Yearly report", 0)
    document.add_heading("Ponds", 1)
    first = document.add_paragraph("Water stood ")
    first.add_run("very high").bold = True
    first.add_run(" this year")
    _runs(first, note_call("footnote", 2) + '<w:r><w:t xml:space="preserve">, more than before</w:t></w:r>')
    _runs(first, note_call("footnote", 3) + "<w:r><w:t>.</w:t></w:r>" + note_call("endnote", 2))
    document.add_paragraph("first item", style="List Bullet")
    document.add_paragraph("second item", style="List Bullet")
    heading = document.add_heading("Depths", 2)
    heading._p.insert(1, parse_xml(f'<w:bookmarkStart {nsdecls("w")} w:id="7" w:name="_Ref7"/>'))
    see = document.add_paragraph("See ")
    _runs(
        see,
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> REF _Ref7 \\h </w:instrText></w:r>'
        '<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>Depths</w:t></w:r>'
        '<w:r><w:fldChar w:fldCharType="end"/></w:r><w:r><w:t xml:space="preserve"> and </w:t></w:r>'
        '<w:hyperlink w:anchor="_Ref7"><w:r><w:t>this place</w:t></w:r></w:hyperlink><w:r><w:t>.</w:t></w:r>',
    )
    document.add_paragraph("Table 1: Depth by pond", style="Caption")
    table = document.add_table(3, 2)
    for row, cells in enumerate([("Pond", "Depth"), ("North", "2 * 3 m"), ("South", "4 m")]):
        for column, text in enumerate(cells):
            table.cell(row, column).text = text
    document.add_paragraph("Still waters run deep.", style="Quote")
    document.save(str(path))
    notes = {"2": "Since 1990, see chapter 2", "3": "By the gauge."}
    add_parts(
        path,
        {
            "footnotes.xml": ("footnotes", _notes_part("footnote", notes)),
            "endnotes.xml": ("endnotes", _notes_part("endnote", {"2": "Thanks to the keeper."})),
        },
    )
    return path


def make_pptx(path: Path) -> Path:
    """Two slides with a list, speaker notes, a table and a link."""
    deck = Presentation()
    deck.core_properties.title = "Deck of ponds"
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Ponds"
    slide.placeholders[1].text = "shallow\ndeep"
    run = slide.placeholders[1].text_frame.paragraphs[0].add_run()
    run.text = " and clear"
    run.font.bold = True
    slide.notes_slide.notes_text_frame.text = "Speak slowly."
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Depths"
    table = slide.shapes.add_table(2, 2, Inches(1), Inches(2), Inches(4), Inches(1)).table
    for row, cells in enumerate([("Pond", "Depth"), ("North", "2 m")]):
        for column, text in enumerate(cells):
            table.cell(row, column).text = text
    deck.save(str(path))
    return path


def make_xlsx(path: Path, rows: int = 450) -> Path:
    """A long sheet and a small one."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Gauge"
    sheet.append(["Day", "Depth"])
    for number in range(1, rows):
        sheet.append([f"day {number}", number / 2])
    book.create_sheet("Keepers")["A1"] = "Ada"
    book.save(path)
    return path


def make_odt(path: Path) -> Path:
    """A text with a note, a bookmark, a reference to it, bold words and a list."""
    from odfdo import Bookmark, Document, Element, Header, Paragraph
    from odfdo import List as OdfList

    document = Document("text")
    body = document.body
    body.clear()
    body.append(Header(1, "Ponds"))
    paragraph = Paragraph("Water stood high this year and fell.")
    paragraph.insert_note(after="high", note_id="ftn1", citation="1", body="By the gauge.")
    paragraph.append(Bookmark("place"))
    body.append(paragraph)
    body.append(Element.from_tag('<text:p>See <text:a xlink:href="#place">that place</text:a>.</text:p>'))
    body.append(OdfList(["first item", "second item"]))
    document.meta.title = "Pond book"
    document.save(str(path))
    return path


def zipped(members: dict[str, str]) -> bytes:
    """An archive of these members."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


MAKERS: dict[str, Callable[[Path], Path]] = {
    "docx": make_docx,
    "pptx": make_pptx,
    "xlsx": make_xlsx,
    "odt": make_odt,
}
