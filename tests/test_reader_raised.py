"""Raised and lowered text: 10⁶, H2O and word¹ are the same in every format that has them."""
# ruff: noqa: E501 - markup of the files

from __future__ import annotations

import re
import zipfile
from typing import TYPE_CHECKING, Any

import pytest
from docx import Document as WordDocument
from office_files import read, texts
from openpyxl import Workbook
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from pptx import Presentation

from ragraph.ingest.common.scripts import lowered, raised
from ragraph.schema.enums import RelationType

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SHOWN = "10⁶ m² of H2O at 101₂, the 1st"
_PIECES = (
    ("10", 0),
    ("6", 1),
    (" m", 0),
    ("2", 1),
    (" of H", 0),
    ("2", -1),
    ("O at 101", 0),
    ("2", -1),
    (", the 1", 0),
    ("st", 1),
)
_Pieces = tuple[tuple[str, int], ...]
_OFFICE = "urn:oasis:names:tc:opendocument:xmlns"


def _marked(high: str, low: str, plain: str = "{}", pieces: _Pieces | None = None) -> str:
    return "".join((plain, high, low)[shift].format(text) for text, shift in pieces or _PIECES)


def _docx(path: Path, pieces: _Pieces | None = None) -> None:
    document = WordDocument()
    paragraph = document.add_paragraph()
    for text, shift in pieces or _PIECES:
        font = paragraph.add_run(text).font
        if shift:
            setattr(font, "superscript" if shift > 0 else "subscript", True)
    document.save(str(path))


def _pptx(path: Path, pieces: _Pieces | None = None) -> None:
    show = Presentation()
    slide = show.slides.add_slide(show.slide_layouts[1])
    slide.shapes.title.text = "Ponds"
    paragraph = slide.placeholders[1].text_frame.paragraphs[0]
    for text, shift in pieces or _PIECES:
        run = paragraph.add_run()
        run.text = text
        if shift:
            run._r.get_or_add_rPr().set("baseline", str(30_000 * shift))
    show.save(str(path))


def _odt(path: Path, pieces: _Pieces | None = None) -> None:
    spans = _marked(
        '<text:span text:style-name="U">{}</text:span>', '<text:span text:style-name="D">{}</text:span>', pieces=pieces
    )
    styles = "".join(
        f'<style:style style:name="{name}" style:family="text"><style:text-properties style:text-position="{place} 58%"/></style:style>'
        for name, place in (("U", "super"), ("D", "-33%"))
    )
    names = " ".join(f'xmlns:{one}="{_OFFICE}:{one}:1.0"' for one in ("office", "text", "style"))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        archive.writestr("META-INF/manifest.xml", f'<m:manifest xmlns:m="{_OFFICE}:manifest:1.0"/>')
        archive.writestr(
            "content.xml",
            f"<office:document-content {names}><office:automatic-styles>{styles}</office:automatic-styles>"
            f"<office:body><office:text><text:p>{spans}</text:p></office:text></office:body></office:document-content>",
        )


def _xlsx(path: Path, pieces: _Pieces | None = None) -> None:
    book = Workbook()
    sheet: Any = book.active
    sheet.append(["Pond", "x"])
    sheet.append([CellRichText(*(_rich(*piece) for piece in pieces or _PIECES)), 1])
    book.save(path)


def _rich(text: str, shift: int) -> TextBlock:
    return TextBlock(InlineFont(vertAlign=(None, "superscript", "subscript")[shift]), text)


def _shared(path: Path) -> None:
    _xlsx(path)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name).decode() for name in archive.namelist()}
    sheet = parts["xl/worksheets/sheet1.xml"]
    cell = re.search(r'<c r="A2" t="inlineStr"[^>]*><is>(.*?)</is></c>', sheet)
    assert cell is not None
    parts["xl/worksheets/sheet1.xml"] = sheet.replace(cell[0], '<c r="A2" t="s"><v>0</v></c>')
    main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    parts["xl/sharedStrings.xml"] = f"<sst {main}><si>{cell[1]}</si></sst>"
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    types = parts["[Content_Types].xml"].replace(
        "</Types>", f'<Override PartName="/xl/sharedStrings.xml" ContentType="{kind}"/></Types>'
    )
    parts["[Content_Types].xml"] = types
    link = '<Relationship Id="rId99" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings" Target="sharedStrings.xml"/>'
    parts["xl/_rels/workbook.xml.rels"] = parts["xl/_rels/workbook.xml.rels"].replace(
        "</Relationships>", f"{link}</Relationships>"
    )
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)


def _written(content: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.write_text(content, encoding="utf-8")

    return write


_HTML = _marked("<sup>{}</sup>", "<sub>{}</sub>")
_GOOGLE = _marked('<span style="vertical-align:super">{}</span>', '<span style="vertical-align: sub">{}</span>')
FILES: dict[str, Callable[[Path], None]] = {
    "a.docx": _docx,
    "a.pptx": _pptx,
    "a.odt": _odt,
    "a.xlsx": _xlsx,
    "b.xlsx": _shared,
    "a.html": _written(f"<p>{_HTML}</p>"),
    "b.html": _written(f"<p>{_GOOGLE}</p>"),
    "a.md": _written(f"{_HTML}\n"),
    "b.md": _written(f"{_marked('^{}^', '~{}~')}\n"),
    "c.md": _written(f"<table><tr><td>{_HTML}</td></tr></table>\n"),
    "a.adoc": _written(f"{_marked('^{}^', '~{}~')}\n"),
    "a.org": _written(f"{_marked('^{{{}}}', '_{{{}}}')}\n"),
    "a.rst": _written("A\n=\n\n" + _marked("\\ :sup:`{}`\\ ", "\\ :sub:`{}`\\ ") + "\n"),
    "a.tex": _written("\\begin{document}\n" + _marked("\\textsuperscript{{{}}}", "\\textsubscript{{{}}}") + "\n\\end{document}\n"),
    "a.rtf": _written(r"{\rtf1\ansi{\fonttbl{\f0 Times;}}\pard " + _marked(r"{{\super {}}}", r"{{\sub {}}}") + r"\par}"),
    "a.xml": _written(f'<article xmlns="http://docbook.org/ns/docbook"><para>{_marked("<superscript>{}</superscript>", "<subscript>{}</subscript>")}</para></article>'),
    "a.nxml": _written(f'<article article-type="research-article"><front><article-meta><title-group><article-title>P</article-title></title-group></article-meta></front><body><p>{_HTML}</p></body></article>'),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_every_format_shows_raised_and_lowered_text_alike(tmp_path: Path, name: str) -> None:
    FILES[name](tmp_path / name)
    draft = read(tmp_path / name)
    assert any(SHOWN in one.text for one in draft.nodes), [one.text for one in draft.nodes]


_RUNS: _Pieces = (
    ("Oil C", 0), ("1", -1), ("0", -1), ("H", 0), ("2", -1), ("2", -1), (", 10", 0), ("6", 1), (".", 1), ("5", 1),
    (" and 101", 0), ("1", -1), ("0", -1), (".", 0),
)  # fmt: skip
_JOINED = "Oil C10H22, 10^6.5 and 101₁₀."


@pytest.mark.parametrize("name", ["a.docx", "a.pptx", "a.xlsx", "a.rtf"])
def test_adjacent_runs_of_one_shift_are_one_text(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if name == "a.rtf":
        runs = _marked(r"{{\super {}}}", r"{{\sub {}}}", pieces=_RUNS)
        path.write_text(r"{\rtf1\ansi{\fonttbl{\f0 Times;}}\pard " + runs + r"\par}", encoding="utf-8")
    else:
        {"a.docx": _docx, "a.pptx": _pptx, "a.xlsx": _xlsx}[name](path, _RUNS)
    draft = read(path)
    assert any(_JOINED in one.text for one in draft.nodes), [one.text for one in draft.nodes]


@pytest.mark.parametrize("name", ["a.odt", "a.html", "a.nxml", "a.md"])
def test_adjacent_elements_of_one_shift_have_the_same_text_before_them(tmp_path: Path, name: str) -> None:
    pieces = tuple(piece for piece in _RUNS if piece[0] != "." or piece[1] == 0)
    if name == "a.odt":
        _odt(tmp_path / name, pieces)
    else:
        page = f"<p>{_marked('<sup>{}</sup>', '<sub>{}</sub>', pieces=pieces)}</p>"
        head = "<front><article-meta><title-group><article-title>P</article-title></title-group></article-meta></front>"
        jats = f'<article article-type="research-article">{head}<body>{page}</body></article>'
        (tmp_path / name).write_text(jats if name == "a.nxml" else page, encoding="utf-8")
    draft = read(tmp_path / name)
    assert any("Oil C10H22, 10⁶⁵ and 101₁" in one.text for one in draft.nodes), [one.text for one in draft.nodes]


@pytest.mark.parametrize(
    ("text", "before", "shown"),
    [
        ("6", "10", "⁶"),
        ("-3", "10", "⁻³"),
        ("−3", "10", "⁻³"),
        ("2+", "Ca", "²⁺"),
        ("n", "2", "ⁿ"),
        ("n-1", "10", "ⁿ⁻¹"),
        ("1,2", "word", "¹,²"),
        ("1", "", "¹"),
        ("6.5", "10", "^6.5"),
        ("n−m", "x", "^(n−m)"),
        ("3/2", "10", "^(3/2)"),
        ("st", "1", "st"),
        ("a", "word", "a"),
        ("[12]", "word", "[12]"),
        ("me", "M", "me"),
        ("o", "20", "º"),
        ("see 3", "word", "see 3"),
        (" 6 ", "10", " ⁶ "),
    ],
)
def test_raised_text(text: str, before: str, shown: str) -> None:
    assert raised(text, before) == shown


@pytest.mark.parametrize(
    ("text", "before", "shown"),
    [
        ("2", "H", "2"),
        ("2", "101", "₂"),
        ("2", "¹/", "₂"),
        ("max", "V", "max"),
        ("2.5", "PM", "2.5"),
        ("i+1", "x", "_(i+1)"),
        ("(aq)", "NaCl", "(aq)"),
        ("half-life", "T", "half-life"),
    ],
)
def test_lowered_text(text: str, before: str, shown: str) -> None:
    assert lowered(text, before) == shown


def test_a_mark_of_a_note_stays_one(tmp_path: Path) -> None:
    page = (
        '<p>Said.<sup><a href="#n1" id="r1">1</a></sup> At 10<sup>6</sup>.</p><p id="n1"><a href="#r1">1</a> Then.</p>'
    )
    (tmp_path / "a.html").write_text(page, encoding="utf-8")
    draft = read(tmp_path / "a.html")
    assert draft.nodes[0].text == "Said. At 10⁶."
    assert [(one.type, one.marker) for one in draft.relations] == [(RelationType.REFERENCES_NOTE, "1")]


def test_rich_text_raises_letters_in_unicode(tmp_path: Path) -> None:
    source = rb"{\rtf1\ansi{\fonttbl{\f0 Times;}}\pard x\super \u8722?1\nosupersub , y{\up6 2} and z{\super\u8722\'961}.\par}"
    (tmp_path / "a.rtf").write_bytes(source)
    assert texts(read(tmp_path / "a.rtf"), "PARAGRAPH") == ["x⁻¹, y² and z⁻¹."]
