"""Signs of PDF pages that a file gives as other letters: fonts of symbols, letters coded as on a Mac, missing ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pikepdf
import pytest
from reportlab.pdfgen.canvas import Canvas

from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.pdf import PdfReader
from ragraph.pdf.model import Page, Word, font_of
from ragraph.pdf.page.parse import parse_pages
from ragraph.pdf.page.symbols import restore_signs
from ragraph.pdf.page.typography import restore_typography
from ragraph.pdf.stated.facts import open_pdf
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from pathlib import Path

Name = pikepdf.Name


def _page(path: Path, fonts: dict[str, pikepdf.Dictionary], rows: list[tuple[str, str]]) -> Path:
    """Write a page with a sign in a font of its own in front of each row of text; signs are given by their codes."""
    pdf = pikepdf.new()
    pdf.add_blank_page(page_size=(595, 842))
    page = pdf.pages[0]
    plain = pikepdf.Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica)
    page.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(Plain=plain, **fonts))
    drawn = []
    for number, (font, sign) in enumerate(rows):
        height = 780 - 20 * number
        drawn.append(f"/{font} 11 Tf 1 0 0 1 72 {height} Tm <{sign.encode('latin-1').hex()}> Tj")
        drawn.append(f"/Plain 11 Tf 1 0 0 1 96 {height} Tm (the bridge that stands over the river) Tj")
    page.Contents = pdf.make_stream(f"BT {' '.join(drawn)} ET".encode("latin-1"))
    pdf.save(path)
    return path


def _font(name: str) -> pikepdf.Dictionary:
    """Return a font of symbols that is not in the file, and that says nothing of its signs."""
    box = pikepdf.Array([0, -200, 1000, 800])
    return pikepdf.Dictionary(
        Type=Name.Font, Subtype=Name.TrueType, BaseFont=Name(f"/{name}"), Encoding=Name.WinAnsiEncoding,
        FirstChar=32, LastChar=255, Widths=pikepdf.Array([800] * 224),
        FontDescriptor=pikepdf.Dictionary(
            Type=Name.FontDescriptor, FontName=Name(f"/{name}"), Flags=4, Ascent=800, Descent=-200, CapHeight=700,
            ItalicAngle=0, StemV=80, FontBBox=box,
        ),
    )  # fmt: skip


def test_signs_of_wingdings_are_bullets_and_ticks(tmp_path: Path) -> None:
    path = _page(
        tmp_path / "signs.pdf", {"Signs": _font("Wingdings-Regular")}, [("Signs", sign) for sign in "\xfc\xd8l"]
    )
    draft = PdfReader().read(path, ReadOptions())
    assert [(node.type, node.marker) for node in draft.nodes] == [
        (ContentNodeType.LIST_ITEM, sign) for sign in ("✓", "➢", "●")
    ]
    assert not draft.warnings


def test_a_sign_that_is_not_known_is_a_bullet_and_told_of(tmp_path: Path) -> None:
    path = _page(tmp_path / "signs.pdf", {"Signs": _font("Webdings")}, [("Signs", "4"), ("Signs", "4")])
    draft = PdfReader().read(path, ReadOptions())
    assert [node.type for node in draft.nodes] == [ContentNodeType.LIST_ITEM] * 2
    assert "4" not in "".join(f"{node.marker} {node.text}" for node in draft.nodes)
    assert any("whose text the file does not give" in warning for warning in draft.warnings)


@pytest.mark.parametrize(
    ("font", "given", "shown"),
    [
        ("ABCDEF+ZapfDingbatsITC", "4", "✔"),
        ("ABCDEF+Wingdings-Regular", "\uf0a7", "▪"),
        ("ABCDEF+SymbolMT", "\uf0b7", "•"),
        ("ABCDEF+SymbolMT", "Da", "Δα"),
        ("ABCDEF+SymbolMT", "=12", "=12"),
        ("Symbol", "β-cells", "β-cells"),
        ("Symbol", "µm", "µm"),
        ("ABCDEF+OpenSymbol", "a", "a"),
        ("ABCDEF+Singing-Bold", "4", "4"),
    ],
)
def test_codes_of_fonts_of_symbols_are_what_they_show(font: str, given: str, shown: str) -> None:
    page = Page(1, 595, 842, [Word(72, 60, 80, 71, given, font_of(f"/{font}"))])
    restore_signs([page])
    assert page.words[0].text == shown


def _restored(path: Path, printed: str, given: str) -> str:
    canvas = Canvas(str(path), pagesize=(595, 842))
    canvas.drawString(72, 780, printed)
    canvas.showPage()
    canvas.save()
    (page,) = parse_pages(path)
    page.words = [Word(72, 52, 200, 64, given, font_of("/ABCDEF+ArialMT"))]
    with open_pdf(path, None) as document:
        restore_typography(page, document)
    return page.words[0].text


def test_letters_that_are_coded_as_on_a_mac_are_those_that_are_printed(tmp_path: Path) -> None:
    path = tmp_path / "mac.pdf"
    assert _restored(path, "the Superintendent’s Office", "SuperintendentÕs") == "Superintendent’s"
    assert _restored(path, "abuse—physical", "abuseÑphysical") == "abuse—physical"
    assert _restored(path, "AÑO o’clock", "AÑO") == "AÑO"


def test_a_letter_that_the_parser_does_not_know_is_looked_up(tmp_path: Path) -> None:
    path = tmp_path / "unknown.pdf"
    assert _restored(path, "a naïve plan", "na\ufffdve") == "naïve"
    assert _restored(path, "a plain plan", "pl\ufffdin") == "plain"
    assert _restored(path, "naïve naÿve", "na\ufffdve") == "na\ufffdve"


def test_a_code_without_a_sign_is_a_blank(tmp_path: Path) -> None:
    font = pikepdf.Dictionary(
        Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica,
        Encoding=pikepdf.Dictionary(Type=Name.Encoding, Differences=pikepdf.Array([32, Name("/.notdef")])),
    )  # fmt: skip
    path = _page(tmp_path / "blank.pdf", {"Signs": font}, [("Signs", "one two")])
    assert "notdef" not in "".join(word.text for page in parse_pages(path) for word in page.words)
