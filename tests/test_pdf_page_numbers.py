"""Page numbers of PDF pages: found in heads and feet, told apart from other numbers there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from test_reader_pdf import WIDTH, Sheet, of_type, read, words

from ragraph.pdf.furniture.pagenumbers import Reading, is_label, readings
from ragraph.schema.enums import ComponentType, ContentNodeType

pytest.importorskip("reportlab")

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def printed(path: Path) -> list[str | None]:
    """Give the page number that each page bears, None for none."""
    draft = read(path)
    found = {node.positions[0].page_pdf: node.text for node in of_type(draft, ContentNodeType.PAGE_NUMBER)}
    return [found.get(page.page_pdf) for page in draft.pages]


def book(path: Path, count: int, furnish: Callable[[Sheet, int], object], lines: int = 30) -> Path:
    sheet = Sheet()
    for page in range(1, count + 1):
        furnish(sheet, page)
        sheet.paragraph(words(14 * lines, start=page * 7), 110)
        sheet.page()
    return sheet.save(path)


@pytest.mark.parametrize(
    "form", ["{}", "- {} -", "[{}]", "Page {}", "Page {} of 9", "{}/9", "A-{}", "3-{}", "| {}", "Seite {}", "C - {}"]
)
def test_numbers_in_many_forms(tmp_path: Path, form: str) -> None:
    path = book(tmp_path / "a.pdf", 5, lambda sheet, page: sheet.line(form.format(page), 760, WIDTH / 2))
    assert printed(path) == [form.format(page) for page in range(1, 6)]


def test_numbers_on_alternate_sides_within_the_running_head(tmp_path: Path) -> None:
    def furnish(sheet: Sheet, page: int) -> None:
        if page % 2:
            sheet.line(f"The Bridge over the River  {page + 20}", 40, 380)
        else:
            sheet.line(f"{page + 20}  A History of the Town", 40, 72)

    assert printed(book(tmp_path / "a.pdf", 6, furnish)) == [str(page + 20) for page in range(1, 7)]


def test_a_chapter_begins_with_its_number_at_the_foot(tmp_path: Path) -> None:
    def furnish(sheet: Sheet, page: int) -> None:
        if page in {1, 5}:
            sheet.line(str(page), 760, WIDTH / 2)
        else:
            sheet.line(str(page), 40, 520)

    assert printed(book(tmp_path / "a.pdf", 8, furnish)) == [str(page) for page in range(1, 9)]


def test_a_lone_number_where_the_others_stand(tmp_path: Path) -> None:
    labels = ["i", "1", "2", "3", "4"]
    path = book(tmp_path / "a.pdf", 5, lambda sheet, page: sheet.line(labels[page - 1], 760, 300))
    assert printed(path) == labels


def test_a_number_under_the_last_line_of_a_short_page(tmp_path: Path) -> None:
    def furnish(sheet: Sheet, page: int) -> None:
        sheet.line(str(page), 130 + 13.2 * (5 + page), WIDTH / 2)
        sheet.line("Source: the papers of the town, 1901", 770)

    path = book(tmp_path / "a.pdf", 5, furnish, lines=6)
    assert printed(path) == ["1", "2", "3", "4", "5"]


def test_numbers_of_a_contents_page_are_no_page_numbers(tmp_path: Path) -> None:
    sheet = Sheet()
    for page in range(2):
        for row in range(12):
            sheet.line(f"{row + 12 * page + 1}. The Town and its Bridge", 100 + 50 * row)
            sheet.line(str(41 + page if row == 11 else row + 30), 100 + 50 * row, 520)
        sheet.page()
    assert printed(sheet.save(tmp_path / "a.pdf")) == [None, None]


def test_readings() -> None:
    assert readings("C") == [Reading("ROMAN", 100), Reading("LETTER", 3)]
    assert readings("B") == [Reading("LETTER", 2)]
    assert readings("A – 3") == readings("A-3") == [Reading("A-", 3)]
    assert readings("iix") == []
    assert is_label("— 12 —") and is_label("Page 3 of 9", said=True) and not is_label("12", said=True)
    assert not is_label("see page 12")


def test_what_a_browser_prints_around_a_page_is_no_text_of_it(tmp_path: Path) -> None:
    """Every page of another address and title, so that nothing comes back: date and address tell."""
    sheet = Sheet()
    pages = (("6/3/2020", "Names", 1), ("6/4/2020", "Searches and files", 2), ("5/28/2020", "Orders", 1))
    for place, (date, title, of) in enumerate(pages):
        sheet.line(date, 24, 20, size=8)
        sheet.line(f"{title} - Guide", 24, 240, size=8)
        sheet.line(title, 80, font="Helvetica-Bold", size=14)
        sheet.paragraph(words(200, start=9 * place), 110)
        sheet.line(f"https://example.org/guide/{title.lower().replace(' ', '-')}", 780, 20, size=8)
        sheet.line(f"1/{of}", 780, 560, size=8)
        sheet.page()
    draft = read(sheet.save(tmp_path / "printed.pdf"))
    edges = {item.key for item in draft.containers if item.type in {ComponentType.HEADER, ComponentType.FOOTER}}
    inner = [node.text for node in draft.nodes if node.container not in edges]
    assert not any("Guide" in text or "example.org" in text or "2020" in text for text in inner)
    assert [node.text for node in of_type(draft, ContentNodeType.PAGE_NUMBER)] == ["1/1", "1/2", "1/1"]


def test_what_firefox_prints_around_a_page_is_no_text_of_it(tmp_path: Path) -> None:
    """Title and address stand above, number and date below."""
    sheet = Sheet()
    pages = (("6/3/20, 2:05 PM", "Names", 1), ("04.06.2020, 14:05", "Searches", 2), ("5/28/2020", "Orders", 1))
    for place, (date, title, of) in enumerate(pages):
        sheet.line(f"{title} - Guide", 24, 20, size=8)
        sheet.line(f"https://example.org/guide/{title.lower()}", 24, 420, size=8)
        sheet.line(title, 80, font="Helvetica-Bold", size=14)
        sheet.paragraph(words(200, start=9 * place), 110)
        sheet.line(f"1 of {of}", 780, 20, size=8)
        sheet.line(date, 780, 520, size=8)
        sheet.page()
    draft = read(sheet.save(tmp_path / "printed.pdf"))
    edges = {item.key for item in draft.containers if item.type in {ComponentType.HEADER, ComponentType.FOOTER}}
    inner = [node.text for node in draft.nodes if node.container not in edges]
    assert not any("Guide" in text or "example.org" in text or "20" in text for text in inner)
    assert [node.text for node in of_type(draft, ContentNodeType.PAGE_NUMBER)] == ["1 of 1", "1 of 2", "1 of 1"]


def test_the_number_of_a_section_over_a_page_with_an_address_below_is_no_date(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.line("1.2.3 Overview", 24, 72)
    sheet.paragraph(words(200), 60)
    sheet.line("https://example.org/guide", 780, 72)
    sheet.line("1/2", 780, 560)
    draft = read(sheet.save(tmp_path / "guide.pdf"))
    edges = {item.key for item in draft.containers if item.type in {ComponentType.HEADER, ComponentType.FOOTER}}
    assert any("1.2.3 Overview" in node.text for node in draft.nodes if node.container not in edges)


def test_a_date_over_a_page_without_an_address_below_is_its_text(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.line("6/3/2020", 24, 72)
    sheet.paragraph(words(200), 60)
    draft = read(sheet.save(tmp_path / "letter.pdf"))
    assert any("6/3/2020" in node.text for node in of_type(draft, ContentNodeType.PARAGRAPH))
