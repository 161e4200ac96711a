"""Letters of PDF pages to words: blanks that the file holds, gaps that are blanks, letters set wide, raised glyphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pikepdf
import pytest
from drawn_type1 import type1

from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.pdf import PdfReader
from ragraph.pdf.page.letters import _is_mixed

if TYPE_CHECKING:
    from pathlib import Path

Name = pikepdf.Name
_ROMAN, _SLANTED = "/Roman 10 Tf", "/Slanted 10 Tf"


def _text(path: Path, *lines: str) -> str:
    """Write a page of lines, each as operators within a text object, read it, and return its text."""
    pdf = pikepdf.new()
    pdf.add_blank_page(page_size=(595, 842))
    raised = pikepdf.Dictionary(
        Type=Name.Encoding, Differences=[128, Name("/two.sups"), Name("/five.sups"), Name("/softhyphen")]
    )
    fonts = {
        "Roman": pikepdf.Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name("/Times-Roman"), Encoding=raised),
        "Slanted": pikepdf.Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name("/Times-Italic")),
    }
    pdf.pages[0].Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(**fonts))
    drawn = [f"{_ROMAN} 1 0 0 1 72 {780 - 12 * number} Tm {line}" for number, line in enumerate(lines)]
    pdf.pages[0].Contents = pdf.make_stream(f"BT {' '.join(drawn)} ET".encode("latin-1"))
    pdf.save(path)
    return "\n".join(node.text or "" for node in PdfReader().read(path, ReadOptions()).nodes)


def test_glyphs_that_are_raised_by_name_are_raised_figures(tmp_path: Path) -> None:
    text = _text(
        tmp_path / "raised.pdf",
        "(the use of balsam as an ingredient in the comfit.\x80\x81 Such references) Tj",
        "(emphasize the sweetness and the fragrance of all of its products) Tj",
    )
    assert "comfit.25 Such" in text


def test_a_soft_hyphen_in_front_of_a_word_is_none_of_it(tmp_path: Path) -> None:
    lines = "(and \x82defetishize them, as) Tj", "(the rest of this page goes on to tell) Tj"
    assert "and defetishize them" in _text(tmp_path / "soft.pdf", *lines)


@pytest.mark.parametrize(
    ("drawn", "read"),
    [
        ("[(B) -900 (Related) -250 (W) 80 (orks)] TJ", "Related Works"),
        (
            "[(a name that Tom) -240 (Mens and ACM) -240 (Computing gave)] TJ",
            "a name that Tom Mens and ACM Computing gave",
        ),
        ("[(graphs of W) 40 (ikiData and RdW)] TJ", "graphs of WikiData and RdW"),
    ],
)
def test_gaps_before_broad_letters_are_blanks(tmp_path: Path, drawn: str, read: str) -> None:
    text = _text(tmp_path / "broad.pdf", f"{drawn}", "(which is what the rest of this page goes on to tell) Tj")
    assert read in text


def test_a_narrow_blank_between_two_fonts_is_one_where_the_file_holds_it(tmp_path: Path) -> None:
    text = _text(
        tmp_path / "fonts.pdf",
        f"-1.4 Tw (with the area. In his ) Tj {_SLANTED} (Dictionary,) Tj {_ROMAN} ( Johnson indicates) Tj 0 Tw",
        f"(what the others call the ) Tj {_SLANTED} (pre) Tj {_ROMAN} (fix of a word) Tj",
    )
    assert "In his Dictionary, Johnson indicates" in text
    assert "the prefix of a word" in text


@pytest.mark.parametrize("apart", [0.9, 1.8, 2.4])
def test_letters_set_apart_are_words_where_the_file_holds_the_blanks(tmp_path: Path, apart: float) -> None:
    text = _text(
        tmp_path / "wide.pdf",
        f"{apart} Tc (Migration Outlook 777 / La lista culinaria) Tj 0 Tc",
        "(which is what the rest of this page goes on to tell) Tj",
    )
    assert "Migration Outlook 777 / La lista culinaria" in text


@pytest.mark.parametrize(
    ("drawn", "read"),
    [
        ("[(WHO) -125 (HOLDS) -125 (HOUSES)] TJ", "WHO HOLDS HOUSES"),
        ("[(THE) -125 (HON) 20 (OUR) -40 (ABLE)] TJ", "THE HONOURABLE"),
    ],
)
def test_narrow_gaps_between_words_are_blanks_where_other_letters_touch(tmp_path: Path, drawn: str, read: str) -> None:
    text = _text(tmp_path / "tight.pdf", drawn, "(which is what the rest of this page goes on to tell) Tj")
    assert text.startswith(read)


def _greek(pdf: pikepdf.Pdf) -> pikepdf.Dictionary:
    """Return a font of Greek letters at the codes of Latin ones, which the font program alone names."""
    letters = {"g": "gamma", "h": "eta", "m": "mu", "e": "epsilon", "t": "tau", "r": "rho", "w": "omega"}
    program, plain, hidden = type1("grmi1000", {ord(code): name for code, name in letters.items()})
    file = pdf.make_indirect(
        pdf.make_stream(program, Length1=plain, Length2=hidden, Length3=len(program) - plain - hidden)
    )
    name = Name("/ABCDEF+grmi1000")
    box = [0, 0, 500, 500]
    facts = pikepdf.Dictionary(Type=Name.FontDescriptor, FontName=name, Flags=4, FontBBox=box, ItalicAngle=0)
    facts.update({"/Ascent": 500, "/Descent": 0, "/CapHeight": 500, "/StemV": 80, "/FontFile": pdf.make_indirect(file)})
    return pikepdf.Dictionary(
        Type=Name.Font, Subtype=Name.Type1, BaseFont=name, FirstChar=97, LastChar=122, Widths=[500] * 26,
        FontDescriptor=pdf.make_indirect(facts),
    )  # fmt: skip


def test_letters_that_only_the_font_names_are_those_of_their_script(tmp_path: Path) -> None:
    pdf = pikepdf.new()
    pdf.add_blank_page(page_size=(595, 842))
    times = pikepdf.Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name("/Times-Roman"))
    pdf.pages[0].Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(Roman=times, Greek=_greek(pdf)))
    drawn = (
        f"{_ROMAN} (The word is from ) Tj /Greek 10 Tf (gh) Tj {_ROMAN} (, the earth, and ) Tj /Greek 10 Tf (metrew) Tj"
    )
    pdf.pages[0].Contents = pdf.make_stream(f"BT 1 0 0 1 72 780 Tm {drawn} ET".encode())
    pdf.save(tmp_path / "greek.pdf")
    nodes = PdfReader().read(tmp_path / "greek.pdf", ReadOptions()).nodes
    assert [node.text for node in nodes] == ["The word is from γη, the earth, and μετρεω"]


_TO_UNICODE = b"""/CIDInit /ProcSet findresource begin 12 dict begin begincmap
/CMapName /Adobe-Identity-UCS def /CMapType 2 def
1 begincodespacerange <0000><FFFF> endcodespacerange
4 beginbfrange
<0001><0001><0020>
<0022><003b><0041>
<0042><005a><0061>
<dc26><dc26><ce58>
endbfrange
endcmap"""
"""The letters of a font that has Latin ones and one of Hangul."""


def test_a_word_has_letters_of_one_script_if_pdfium_reads_it_so(tmp_path: Path) -> None:
    pdf = pikepdf.new()
    pdf.add_blank_page(page_size=(595, 842))
    facts = pikepdf.Dictionary(
        Type=Name.FontDescriptor, FontName=Name("/NotoSansCJKkr"), Flags=4, FontBBox=[0, 0, 500, 500], ItalicAngle=0,
        Ascent=800, Descent=-200, CapHeight=700, StemV=80,
    )  # fmt: skip
    letters = pikepdf.Dictionary(
        Type=Name.Font, Subtype=Name.CIDFontType0, BaseFont=Name("/NotoSansCJKkr"), DW=500,
        CIDSystemInfo=pikepdf.Dictionary(Registry=b"Adobe", Ordering=b"Identity", Supplement=0),
        FontDescriptor=pdf.make_indirect(facts),
    )  # fmt: skip
    font = pikepdf.Dictionary(
        Type=Name.Font, Subtype=Name.Type0, BaseFont=Name("/NotoSansCJKkr"), Encoding=Name("/Identity-H"),
        DescendantFonts=pikepdf.Array([pdf.make_indirect(letters)]), ToUnicode=pdf.make_stream(_TO_UNICODE),
    )  # fmt: skip
    pdf.pages[0].Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(Mixed=pdf.make_indirect(font)))

    def codes(text: str) -> str:
        return "".join(f"{1 if sign == ' ' else ord(sign) - 31:04x}" for sign in text)

    drawn = f"BT /Mixed 10 Tf 72 700 Td <{codes('Wearable Control Interfaces')}> Tj ET"
    pdf.pages[0].Contents = pdf.make_stream(drawn.encode())
    pdf.save(tmp_path / "mixed.pdf")
    nodes = PdfReader().read(tmp_path / "mixed.pdf", ReadOptions()).nodes
    assert [node.text for node in nodes] == ["Wearable Control Interfaces"]


def test_accents_beside_letters_are_of_no_script() -> None:
    assert _is_mixed("Inter치aces")
    assert not any(map(_is_mixed, ("B\u02c6ale", "na\u00efve", "\u03b1\u03b2", "x\u00b2")))
