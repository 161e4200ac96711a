"""Type of PDF words: weight and slant out of font names, sizes of fonts whose boxes follow the ink."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pikepdf
import pytest
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from test_reader_pdf import of_type, read, words

from ragraph.pdf.model import Font, Word, font_of
from ragraph.pdf.page.fontfacts import font_facts, sizes_at
from ragraph.pdf.page.glyphs import Glyphs
from ragraph.pdf.page.letterboxes import ink_fonts, set_type_box
from ragraph.pdf.stated.facts import open_pdf
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from pathlib import Path

FACE = font_of("/ABCDEF+Face-Regular")


@pytest.mark.parametrize(
    ("name", "bold", "italic"),
    [
        ("NimbusRomNo9L-Medi", True, False),
        ("NimbusRomNo9L-MediItal", True, True),
        ("CMSSBX10", True, False),
        ("SFSX1095", True, False),
        ("SFBI0900", True, True),
        ("CMBX12", True, False),
        ("Roboto-Medium", False, False),
        ("Minion-BI", True, True),
        ("NimbusRomNo9L-Regu", False, False),
        ("CMMI10", False, False),
    ],
)
def test_weight_and_slant_are_read_from_the_name(name: str, bold: bool, italic: bool) -> None:
    font = font_of(f"/ABCDEF+{name}")
    assert (font.bold, font.italic) == (bold, italic)


def _inked(text: str, size: float, baseline: float = 100.0, font: Font = FACE) -> Word:
    """Return a word as tall as the ink of its letters."""
    rise = 0.7 if any(letter in "bdfhklt" or letter.isupper() for letter in text) else 0.45
    fall = 0.22 if any(letter in "gjpqy," for letter in text) else 0.0
    return Word(0.0, baseline - rise * size, 30.0, baseline + fall * size, text, font)


def test_words_of_one_size_have_it_whatever_their_letters() -> None:
    words = [_inked(text, 10.0) for text in ("ran", "sea", "mow", "wax") * 3 + ("held", "dark", "black", "dim") * 3]
    words += [_inked(text, 10.0) for text in ("gray,", "puppy", "Quay")]
    assert ink_fonts(words) == {FACE}
    for word in words:
        set_type_box(word, Counter({10.0: 40, 14.0: 2}))
    assert {word.size for word in words} == {10.0}
    assert {round(word.bottom, 2) for word in words} == {102.2}


def test_boxes_of_the_height_of_the_type_are_left_alone() -> None:
    words = [Word(0.0, 90.0, 30.0, 100.0, text, FACE) for text in ("ran", "sea", "held", "dark") * 10]
    assert ink_fonts(words) == set()


def test_punctuation_alone_takes_the_usual_size() -> None:
    dash = Word(0.0, 96.0, 5.0, 96.5, "–", FACE)
    set_type_box(dash, Counter({10.0: 40, 14.0: 2}))
    assert dash.size == 10.0


def test_the_size_that_the_file_states_goes_before_that_of_the_ink() -> None:
    word = _inked("Orders", 9.4)
    set_type_box(word, Counter({8.0: 40, 9.3: 20}), 7.5)
    assert word.size == 7.5


def test_sizes_are_those_of_the_letters_at_a_place(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "sizes.pdf"), pagesize=(300, 200))
    canvas.setFont("Helvetica", 9.3)
    canvas.drawString(20, 150, "Orders")
    canvas.scale(0.5, 0.5)
    canvas.setFont("Helvetica", 15)
    canvas.drawString(40, 200, "Orders")
    canvas.save()
    file = open_pdf(tmp_path / "sizes.pdf")
    try:
        assert sizes_at(file, 1, [(30, 153), (30, 102), (250, 20)]) == [9.3, 7.5, None]
    finally:
        file.close()


def test_type_in_a_form_that_is_drawn_smaller_is_as_small(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "form.pdf"), pagesize=(300, 200))
    canvas.beginForm("inner")
    canvas.setFont("Helvetica", 16)
    canvas.drawString(20, 150, "Orders of the day")
    canvas.endForm()
    canvas.beginForm("page")
    canvas.scale(0.5, 0.5)
    canvas.doForm("inner")
    canvas.endForm()
    canvas.scale(1.25, 1.25)
    canvas.doForm("page")
    canvas.save()
    document = open_pdf(tmp_path / "form.pdf")
    assert font_facts(document, [1])["Helvetica"].sizes == Counter({10.0: 1})
    document.close()


def test_glyphs_that_stand_for_no_character_are_passed_over() -> None:
    def cell(text: str, left: float, low: float, high: float) -> SimpleNamespace:
        right = left + 5.0 * len(text)
        return SimpleNamespace(
            text=text, font_name="/F1", r_x0=left, r_y0=low, r_x1=right, r_y1=low, r_x2=right, r_y2=high
        )

    letters = [cell("a", 0, 0, 10), cell("", 5, 0, 10), cell("n", 5, 0, 10), cell("d", 10, 0, 10), cell("1", 15, 5, 10)]
    glyphs = Glyphs(SimpleNamespace(get_char_cells=lambda: letters))
    assert [piece.text for piece in glyphs.split(cell("and1", 0, 0, 10))] == ["and", "1"]


@pytest.mark.parametrize(
    "stated",
    [
        {"Ascent": 30, "Descent": -10},
        {"Ascent": 0, "Descent": 0, "FontBBox": pikepdf.Array([0, 0, 0, 0]), "CapHeight": 0},
        {"Ascent": 0, "Descent": 0},
    ],
)
def test_fonts_that_misstate_their_height_are_read_as_type(stated: dict[str, Any], tmp_path: Path) -> None:
    for name, file in (("Honest", "Vera.ttf"), ("HonestBold", "VeraBd.ttf")):
        pdfmetrics.registerFont(TTFont(name, file))
    canvas = Canvas(str(tmp_path / "honest.pdf"), pagesize=(612, 792))
    top = 740
    for part in range(3):
        canvas.setFont("HonestBold", 16)
        canvas.drawString(72, top, f"Title of part {part}")
        canvas.setFont("Honest", 10)
        for row in range(6):
            canvas.drawString(72, top - 24 - 12.5 * row, " ".join(words(11, part + 7 * row)))
        top -= 150
    canvas.save()
    with pikepdf.open(tmp_path / "honest.pdf") as pdf:
        for item in pdf.objects:
            if isinstance(item, pikepdf.Dictionary) and item.get("/Type") == "/FontDescriptor":
                for key, value in stated.items():
                    item[f"/{key}"] = value
        pdf.save(tmp_path / "flat.pdf")
    honest, flat = read(tmp_path / "honest.pdf"), read(tmp_path / "flat.pdf")
    assert [(node.type, node.level, node.text) for node in flat.nodes] == [
        (node.type, node.level, node.text) for node in honest.nodes
    ]
    assert not flat.warnings
    for node, other in zip(flat.nodes, honest.nodes, strict=True):
        box, expected = node.positions[0].bbox, other.positions[0].bbox
        assert box is not None
        assert expected is not None
        assert abs(box.y1 - expected.y1) < 3
        assert abs(box.y2 - expected.y2) < 3


def test_a_listing_keeps_its_white_space(tmp_path: Path) -> None:
    lines = ["def area(r):", "    # of a circle", "    if r < 0:", '        raise ValueError("r")', "",
             "    pi   = 3.14159", "    return pi * r ** 2"]  # fmt: skip
    canvas = Canvas(str(tmp_path / "a.pdf"), pagesize=(612, 792))
    for top in (740, 560):
        canvas.setFont("Helvetica", 10)
        for row in range(4):
            canvas.drawString(72, top - 13 * row, " ".join(words(13, row + top)))
    canvas.setFont("Courier", 9)
    for row, line in enumerate(lines):
        canvas.drawString(72, 670 - 11 * row, line)
    canvas.save()
    assert [node.text for node in of_type(read(tmp_path / "a.pdf"), ContentNodeType.CODE)] == ["\n".join(lines)]
