"""Running heads and feet, told from titles, heads of tables and copies of pages that come back, too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from test_reader_pdf import Sheet, read, words

pytest.importorskip("reportlab")

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft

SLIP = (
    "Meadow Savings Bank",
    "Transfer of rent",
    "To: Anna Berg",
    "Purpose: rent for May",
    "Sum: 480",
    "Signed: Karl Nord",
)


def furniture(draft: Draft) -> list[str]:
    within = {container.key for container in draft.containers if container.type in {"HEADER", "FOOTER"}}
    return [node.text for node in draft.nodes if node.container in within]


def test_of_two_copies_of_a_page_nothing_is_furniture_for_coming_back(tmp_path: Path) -> None:
    sheet = Sheet()
    for _ in range(2):
        for row, text in enumerate(SLIP):
            sheet.line(text, 60 + 18 * row)
        sheet.page()
    draft = read(sheet.save(tmp_path / "slip.pdf"))
    assert furniture(draft) == []
    text = " ".join(node.text for node in draft.nodes)
    assert all(text.count(line) == 2 for line in SLIP)


def test_the_title_of_a_part_that_opens_some_pages_is_no_running_head(tmp_path: Path) -> None:
    sheet = Sheet()
    for page in range(1, 13):
        sheet.line("The Bridge over the River", 30, size=8)
        sheet.line(f"Page {page}", 770, left=500, size=8)
        top = 72.0
        if page in {4, 7, 11}:
            sheet.line("Recommendations", top, font="Times-Bold", size=13)
            top += 22
        top = sheet.paragraph(words(14 * 20, start=page * 7), top)
        sheet.line(f"Finding {page}", top + 12, font="Times-Bold", size=13)
        sheet.paragraph(words(14 * 15, start=page * 11), top + 36)
        sheet.page()
    draft = read(sheet.save(tmp_path / "report.pdf"))
    assert "Recommendations" not in furniture(draft)
    assert furniture(draft).count("The Bridge over the River") == 12
