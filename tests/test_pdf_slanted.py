"""Text of PDF pages that is not level: watermarks are furniture, pages that stand on their head are read upright."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pikepdf
import pytest
from reportlab.pdfgen.canvas import Canvas

from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.pdf import PdfReader
from ragraph.schema.enums import ComponentType

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft

TEXT = "committee met in the old hall and spoke of bridges over river that were built before winter came"
WORDS = TEXT.split()


def _rows(page: int) -> list[str]:
    return [" ".join(WORDS[(7 * page + 3 * row + 5 * at) % len(WORDS)] for at in range(13)) for row in range(20)]


ROWS = _rows(0)


def _body(canvas: Canvas, page: int = 0) -> None:
    canvas.setFont("Helvetica", 10)
    for number, row in enumerate(_rows(page)):
        canvas.drawString(72, 760 - 14 * number, row)


def _slanted(canvas: Canvas, text: str, x: float, y: float, size: float, angle: float = 45, grey: float = 0.8) -> None:
    canvas.saveState()
    canvas.translate(x, y)
    canvas.rotate(angle)
    canvas.setFont("Helvetica-Bold", size)
    canvas.setFillGray(grey)
    canvas.drawCentredString(0, 0, text)
    canvas.restoreState()


def _read(path: Path) -> Draft:
    return PdfReader().read(path, ReadOptions(layout="rules", ocr=False))


def _body_text(draft: Draft) -> str:
    kinds = {container.key: container.type for container in draft.containers}
    apart = {ComponentType.HEADER, ComponentType.FOOTER}
    return " ".join(node.text for node in draft.nodes if kinds.get(node.container or "") not in apart)


@pytest.mark.parametrize("pages", [1, 3])
def test_a_watermark_across_the_text_is_furniture(tmp_path: Path, pages: int) -> None:
    canvas = Canvas(str(tmp_path / "page.pdf"), pagesize=(595, 842))
    for page in range(pages):
        _body(canvas, page)
        _slanted(canvas, "DRAFT COPY", 297, 600, 60)
        canvas.showPage()
    canvas.save()
    draft = _read(tmp_path / "page.pdf")
    assert [node.text for node in draft.nodes].count("DRAFT COPY") == pages
    assert _body_text(draft).split() == " ".join(row for page in range(pages) for row in _rows(page)).split()


def test_slanted_labels_stay_text_and_whole(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "page.pdf"), pagesize=(595, 842))
    _body(canvas)
    _slanted(canvas, "Operating costs", 200, 300, 10)
    canvas.save()
    assert "Operating costs" in _body_text(_read(tmp_path / "page.pdf"))


def test_slanted_heads_of_columns_that_come_back_stay_text(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "page.pdf"), pagesize=(595, 842))
    for page in range(2):
        for number, head in enumerate(("Strongly agree", "Agree", "Disagree")):
            _slanted(canvas, head, 300 + 60 * number, 420, 10)
        _body(canvas, page)
        for row, text in enumerate(_rows(page + 2)[:12]):
            canvas.drawString(72, 380 - 14 * row, text[:30])
            for number in range(3):
                canvas.drawString(285 + 60 * number, 380 - 14 * row, str(10 + (7 * row + number + page) % 80))
        canvas.showPage()
    canvas.save()
    text = _body_text(_read(tmp_path / "page.pdf"))
    assert [text.count(head) for head in ("Strongly agree", "Disagree")] == [2, 2]


def test_a_watermark_beside_the_text_is_furniture_where_it_comes_back(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "page.pdf"), pagesize=(595, 842))
    for page in range(2):
        _body(canvas, page)
        _slanted(canvas, "DRAFT COPY", 297, 250, 40)
        canvas.showPage()
    canvas.save()
    assert "DRAFT" not in _body_text(_read(tmp_path / "page.pdf"))


def test_cards_of_a_page_at_a_slant_and_the_title_of_a_flyer_stay_text(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "page.pdf"), pagesize=(595, 842))
    cards = ("Bring your own cup", "Meet at the bridge", "Music until midnight")
    for number, card in enumerate(cards):
        _slanted(canvas, card, 200, 650 - 150 * number, 11, angle=20, grey=0)
    canvas.showPage()
    _slanted(canvas, "Summer Festival", 280, 640, 40, angle=20, grey=0)
    canvas.setFont("Helvetica", 10)
    for number, row in enumerate(_rows(1)):
        canvas.drawString(72, 480 - 14 * number, row)
    canvas.save()
    text = _body_text(_read(tmp_path / "page.pdf"))
    assert all(one in text for one in (*cards, "Summer Festival"))


def test_a_page_that_is_all_at_a_slant_is_text(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "page.pdf"), pagesize=(595, 842))
    for number in range(5):
        _slanted(canvas, f"Words of card {number}", 150 + 60 * number, 700 - 120 * number, 11, angle=20)
    canvas.save()
    text = _body_text(_read(tmp_path / "page.pdf"))
    assert all(f"Words of card {number}" in text for number in range(5))


@pytest.mark.parametrize("by_the_page", [False, True])
def test_a_page_that_stands_on_its_head_is_read_upright(tmp_path: Path, by_the_page: bool) -> None:
    canvas = Canvas(str(tmp_path / "made.pdf"), pagesize=(595, 842))
    if not by_the_page:
        canvas.translate(595, 842)
        canvas.rotate(180)
    _body(canvas)
    canvas.save()
    with pikepdf.open(tmp_path / "made.pdf") as pdf:
        if by_the_page:
            pdf.pages[0].Rotate = 180
        pdf.save(tmp_path / "page.pdf")
    draft = _read(tmp_path / "page.pdf")
    assert " ".join(node.text for node in draft.nodes).split() == " ".join(ROWS).split()
    place = draft.nodes[0].positions[0]
    assert place.bbox is not None
    assert place.bbox.y1 > 842 / 2  # the place is that on the page as it is shown


@pytest.mark.parametrize("angle", [90, 270])
def test_a_page_whose_text_runs_up_or_down_is_read_from_its_side(tmp_path: Path, angle: int) -> None:
    canvas = Canvas(str(tmp_path / "page.pdf"), pagesize=(842, 595))
    canvas.translate(*((842, 0) if angle == 90 else (0, 595)))
    canvas.rotate(angle)
    _body(canvas)
    canvas.save()
    assert " ".join(node.text for node in _read(tmp_path / "page.pdf").nodes).split() == " ".join(ROWS).split()
