"""Letters in the fonts Symbol and Wingdings are signs, in all Office formats: 5 μg is not 5 mg."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

import pytest
from docx import Document as WordDocument
from docx.oxml import parse_xml as word_xml
from docx.oxml.ns import nsdecls
from office_files import read
from openpyxl import Workbook
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.styles import Font
from pptx import Presentation
from pptx.oxml import parse_xml as slide_xml

from ragraph.ingest.account.sources import account_of
from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.office.symbols import shown_in, symbol

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft

_A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'


def _read(path: Path) -> Draft:
    """Read a file whose text is all accounted."""
    draft = read(path)
    account = account_of(path, draft, ReadOptions())
    assert account is not None
    assert (account.unaccounted, account.samples) == (0, [])
    return draft


def test_signs_in_word(tmp_path: Path) -> None:
    document = WordDocument()
    paragraph = document.add_paragraph("5 ")
    paragraph.add_run("m").font.name = "Symbol"
    paragraph.add_run("g al")
    for char, font in (("F062", "Symbol"), ("F0E0", "Wingdings")):
        paragraph._p.append(word_xml(f'<w:r {nsdecls("w")}><w:sym w:font="{font}" w:char="{char}"/></w:r>'))
    paragraph.add_run("pha ")
    paragraph.add_run("\uf0fc").font.name = "Wingdings"
    document.save(str(tmp_path / "a.docx"))
    assert [one.text for one in _read(tmp_path / "a.docx").nodes] == ["5 μg alβ→pha ✓"]


def test_signs_on_slides(tmp_path: Path) -> None:
    """PowerPoint keeps the font of an arrow that it has made for what is typed behind it, where it is not meant."""
    slides = Presentation()
    slide = slides.slides.add_slide(slides.slide_layouts[1])
    runs = "".join(
        f'<a:r><a:rPr lang="en"><a:{kind} typeface="{font}"/></a:rPr><a:t>{text}</a:t></a:r>'
        for kind, font, text in (
            ("latin", "Arial", "Cause "), ("sym", "Wingdings", "à"), ("sym", "Wingdings", " effect déjà, 5 "),
            ("latin", "Symbol", "m"), ("latin", "Arial", "g"),
        )
    )  # fmt: skip
    slide.placeholders[1].text_frame._txBody.append(slide_xml(f"<a:p {_A}>{runs}</a:p>"))
    slides.save(str(tmp_path / "a.pptx"))
    assert [one.text for one in _read(tmp_path / "a.pptx").nodes] == ["Cause → effect déjà, 5 μg"]


def test_signs_in_cells(tmp_path: Path) -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (["Task", "Done"], ["Caulk", "ü"], ["Rig", "û"]):
        sheet.append(row)
    sheet["B2"].font = sheet["B3"].font = Font(name="Wingdings")
    sheet["A4"] = CellRichText("5 ", TextBlock(InlineFont(rFont="Symbol"), "m"), "g")
    sheet["B4"] = "ü"
    book.save(tmp_path / "a.xlsx")
    assert [one.text for one in _read(tmp_path / "a.xlsx").nodes][1:] == ["Task | Done\nCaulk | ✓\nRig | ✗\n5 μg | ü"]


def test_signs_in_opendocument(tmp_path: Path) -> None:
    names = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "text", "style")
    )
    font = '<style:text-properties style:font-name="Symbol"/>'
    style = f'<style:style style:name="T1" style:family="text">{font}</style:style>'
    body = '<text:p>5 <text:span text:style-name="T1">m</text:span>g</text:p>'
    with zipfile.ZipFile(tmp_path / "a.odt", "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        archive.writestr(
            "content.xml",
            f"<office:document-content {names}><office:automatic-styles>{style}</office:automatic-styles><office:body>"
            f"<office:text>{body}</office:text></office:body></office:document-content>",
        )
    assert [one.text for one in read(tmp_path / "a.odt").nodes] == ["5 μg"]


@pytest.mark.parametrize(
    ("font", "text", "shown"),
    [
        ("Symbol", "mabD", "μαβΔ"), ("SymbolMT", "m", "μ"), ("Symbola", "m", "m"), ("Wingdings", "\x80à\u2019", "⓪→❼"),
        ("Wingdings 2", "PR", "✓☑"), ("Wingdings 3", "}", "▶"), ("Arial", "àü", "àü"), ("Wingdings", "€", "⓪"),
    ],
)  # fmt: skip
def test_letters_of_fonts_of_signs(font: str, text: str, shown: str) -> None:
    assert shown_in(font, text) == shown


def test_numbers_of_symbols_may_be_any() -> None:
    assert (symbol("Wingdings", "F0E0"), symbol("Arial", "00e9"), symbol("Webdings", "F041")) == ("→", "é", "")
    assert symbol("Symbol", "zz") == ""
