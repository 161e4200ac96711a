"""The title of a PDF is one that its first pages bear: no number or name of a file, no stamp at the side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from test_reader_pdf import HEIGHT, Sheet, of_type, read, words

from ragraph.schema.enums import ContentNodeType

pytest.importorskip("reportlab")

if TYPE_CHECKING:
    from pathlib import Path


def _sheet(stated: str = "") -> Sheet:
    sheet = Sheet()
    sheet.canvas.setTitle(stated)
    sheet.line("Bridges and their Builders", 80, left=200, font="Times-Bold", size=15)
    sheet.paragraph(words(300), 130)
    return sheet


@pytest.mark.parametrize(
    "stated",
    ["0001234567-20-001234", "Microsoft Word - bridges.doc", "untitled", "Q3 Bridges final.pdf", "Q1 23_Release"],
)
def test_what_programs_put_in_is_no_title(stated: str, tmp_path: Path) -> None:
    draft = read(_sheet(stated).save(tmp_path / "stated.pdf"))
    assert draft.metadata.title is None
    assert [node.text for node in of_type(draft, ContentNodeType.TITLE)] == ["Bridges and their Builders"]


def test_a_stated_title_that_the_first_page_bears_is_kept(tmp_path: Path) -> None:
    draft = read(_sheet("Bridges and  their builders").save(tmp_path / "stated.pdf"))
    assert draft.metadata.title == "Bridges and  their builders"


def test_a_stamp_at_the_side_is_no_title(tmp_path: Path) -> None:
    sheet = _sheet()
    sheet.canvas.saveState()
    sheet.canvas.translate(30, HEIGHT - 600)
    sheet.canvas.rotate(90)
    sheet.canvas.setFont("Times-Roman", 20)
    sheet.canvas.drawString(0, 0, "Preprint 2303.0001v2 of 21 Oct 2023")
    sheet.canvas.restoreState()
    draft = read(sheet.save(tmp_path / "stamp.pdf"))
    assert [node.text for node in of_type(draft, ContentNodeType.TITLE)] == ["Bridges and their Builders"]
    assert not [node for node in of_type(draft, ContentNodeType.HEADING) if "Preprint" in node.text]
