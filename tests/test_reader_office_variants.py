"""Office files as few programs write them: other kinds of a format, lost parts, comments of two generations."""

from __future__ import annotations

import zipfile
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest
from docx import Document
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from office_files import read, texts
from openpyxl import Workbook
from openpyxl.comments import Comment
from openpyxl.drawing.image import Image as SheetImage
from PIL import Image
from pptx import Presentation

from ragraph.ingest.account.sources import account_of
from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.office.package import Package

if TYPE_CHECKING:
    from pathlib import Path

_OPEN = "vnd.openxmlformats-officedocument"
_THREADS = "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments"
_LINKED = "http://schemas.microsoft.com/office/2017/10/relationships/threadedComment"


def _change(path: Path, part: str, old: str, new: str | None, **added: str) -> Path:
    """Replace words in a part of an Office file, or drop the part if there are none; add other parts by their names."""
    with zipfile.ZipFile(path) as source:
        parts = {name: source.read(name) for name in source.namelist()}
    assert old.encode() in parts[part]
    if new is None:
        del parts[part]
    else:
        parts[part] = parts[part].replace(old.encode(), new.encode())
    parts |= {name: content.encode() for name, content in added.items()}
    with zipfile.ZipFile(path, "w") as target:
        for name, content in parts.items():
            target.writestr(name, content)
    return path


@pytest.mark.parametrize(
    ("ending", "kind"),
    [
        ("docm", "vnd.ms-word.document.macroEnabled"),
        ("dotx", f"{_OPEN}.wordprocessingml.template"),
        ("dotm", "vnd.ms-word.template.macroEnabledTemplate"),
    ],
)
def test_templates_and_word_files_with_macros_are_read(tmp_path: Path, ending: str, kind: str) -> None:
    document = Document()
    document.add_paragraph("Rain fell.")
    document.save(str(tmp_path / f"a.{ending}"))
    plain = f"application/{_OPEN}.wordprocessingml.document.main+xml"
    draft = read(_change(tmp_path / f"a.{ending}", "[Content_Types].xml", plain, f"application/{kind}.main+xml"))
    assert texts(draft, "PARAGRAPH") == ["Rain fell."]


@pytest.mark.parametrize(
    ("ending", "kind"),
    [
        ("pptm", "vnd.ms-powerpoint.presentation.macroEnabled"),
        ("ppsx", f"{_OPEN}.presentationml.slideshow"),
        ("ppsm", "vnd.ms-powerpoint.slideshow.macroEnabled"),
        ("potx", f"{_OPEN}.presentationml.template"),
    ],
)
def test_slide_shows_and_presentations_with_macros_are_read(tmp_path: Path, ending: str, kind: str) -> None:
    slides = Presentation()
    slides.slides.add_slide(slides.slide_layouts[5]).shapes.title.text = "Rain fell."
    slides.save(str(tmp_path / f"a.{ending}"))
    plain = f"application/{_OPEN}.presentationml.presentation.main+xml"
    draft = read(_change(tmp_path / f"a.{ending}", "[Content_Types].xml", plain, f"application/{kind}.main+xml"))
    assert [node.text for node in draft.nodes] == ["Rain fell."]


def test_a_file_that_lacks_a_picture_is_read(tmp_path: Path) -> None:
    picture = BytesIO()
    Image.new("RGB", (40, 40), "red").save(picture, "PNG")
    document = Document()
    document.add_paragraph("Rain fell.")
    document.add_picture(picture)
    document.add_paragraph("It stopped.")
    document.save(str(tmp_path / "a.docx"))
    draft = read(_change(tmp_path / "a.docx", "word/media/image1.png", "PNG", None))
    assert texts(draft, "PARAGRAPH") == ["Rain fell.", "It stopped."]


def test_a_workbook_that_lacks_a_picture_is_read(tmp_path: Path) -> None:
    picture = BytesIO()
    Image.new("RGB", (40, 40), "red").save(picture, "PNG")
    book = Workbook()
    sheet: Any = book.active
    sheet.append(["lake", "depth"])
    sheet.append(["Como", 410])
    sheet.add_image(SheetImage(picture), "F9")
    book.save(tmp_path / "a.xlsx")
    draft = read(_change(tmp_path / "a.xlsx", "xl/media/image1.png", "PNG", None))
    assert texts(draft, "TABLE") == ["lake | depth\nComo | 410"]


def test_parts_with_encoded_names_are_found(tmp_path: Path) -> None:
    document = Document()
    document.add_paragraph("Rain fell.")
    document.save(str(tmp_path / "a.docx"))
    path = tmp_path / "a.docx"
    with zipfile.ZipFile(path) as source:
        parts = {name: source.read(name) for name in source.namelist()}
    for name in ("word/_rels/document.xml.rels", "[Content_Types].xml"):
        parts[name] = parts[name].replace(b"styles.xml", b"my%20styles.xml")
    parts["word/my%20styles.xml"] = parts.pop("word/styles.xml")
    with zipfile.ZipFile(path, "w") as target:
        for name, content in parts.items():
            target.writestr(name, content)
    package = Package(path)
    with zipfile.ZipFile(BytesIO(package.replaced({}))) as copy:
        assert b"my%20styles.xml" in copy.read("word/_rels/document.xml.rels")
    assert texts(read(path), "PARAGRAPH") == ["Rain fell."]


def test_text_has_no_style_without_an_id(tmp_path: Path) -> None:
    document = Document()
    document.add_paragraph("Rain fell.")
    small = '<w:name w:val="heading 1"/><w:rPr><w:sz w:val="2"/></w:rPr>'
    document.styles.element.append(parse_xml(f'<w:style {nsdecls("w")} w:type="paragraph">{small}</w:style>'))
    document.save(str(tmp_path / "a.docx"))
    assert texts(read(tmp_path / "a.docx"), "PARAGRAPH") == ["Rain fell."]


def test_running_heads_in_content_controls_are_read(tmp_path: Path) -> None:
    document = Document()
    document.add_paragraph("Rain fell.")
    held = "<w:p><w:r><w:t>Weather of May</w:t></w:r></w:p>"
    control = f"<w:sdt {nsdecls('w')}><w:sdtPr/><w:sdtContent>{held}</w:sdtContent></w:sdt>"
    document.sections[0].header._element.append(parse_xml(control))
    document.save(str(tmp_path / "a.docx"))
    assert "Weather of May" in [node.text for node in read(tmp_path / "a.docx").nodes]


def test_ink_in_a_group_of_shapes_does_not_end_reading(tmp_path: Path) -> None:
    slides = Presentation()
    slide = slides.slides.add_slide(slides.slide_layouts[5])
    slide.shapes.title.text = "Rain fell."
    slide.shapes.add_group_shape()
    slides.save(str(tmp_path / "a.pptx"))
    ink = "<p:contentPart/></p:grpSp>"
    draft = read(_change(tmp_path / "a.pptx", "ppt/slides/slide1.xml", "</p:grpSp>", ink))
    assert [node.text for node in draft.nodes] == ["Rain fell."]


def test_comments_are_notes_wherever_their_cell_is(tmp_path: Path) -> None:
    book = Workbook()
    sheet: Any = book.active
    sheet["C3"] = "rain"
    for cell, text in (("A1", "Before all."), ("C3", "In the cell."), ("F9", "Behind all.")):
        sheet[cell].comment = Comment(text, "Ann")
    book.save(tmp_path / "a.xlsx")
    draft = read(tmp_path / "a.xlsx")
    assert texts(draft, "NOTE") == [f"[author: Ann]: {text}" for text in ("Before all.", "In the cell.", "Behind all.")]


def test_a_thread_of_comments_is_read_instead_of_its_copy(tmp_path: Path) -> None:
    book = Workbook()
    sheet: Any = book.active
    sheet["A1"] = "rain"
    sheet["A1"].comment = Comment(
        "[Kommentarthread]\n\nIhre Version von Excel zeigt ihn.\n\nKommentar:\n    How much?", "tc={1}"
    )
    book.save(tmp_path / "a.xlsx")
    thread = (
        f'<ThreadedComments xmlns="{_THREADS}"><threadedComment ref="A1" personId="p" id="1"><text>How much?</text>'
        '</threadedComment><threadedComment ref="A1" personId="q" id="2" parentId="1"><text>Twelve.</text>'
        "</threadedComment></ThreadedComments>"
    )
    people = '<person displayName="Ann" id="p"/><person displayName="Bo" id="q"/>'
    people = f'<personList xmlns="{_THREADS}">{people}</personList>'
    link = f'<Relationship Id="t" Type="{_LINKED}" Target="../threadedComments/threadedComment1.xml"/></Relationships>'
    added = {"xl/threadedComments/threadedComment1.xml": thread, "xl/persons/person.xml": people}
    path = _change(tmp_path / "a.xlsx", "xl/worksheets/_rels/sheet1.xml.rels", "</Relationships>", link, **added)
    draft = read(path)
    assert texts(draft, "NOTE") == ["[author: Ann]: How much?", "[author: Bo]: Twelve."]
    account = account_of(path, draft, ReadOptions())
    assert account is not None
    assert account.unaccounted == 0
    assert set(account.left_out) == {"copy for older programs"}
