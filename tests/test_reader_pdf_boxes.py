"""What is drawn around and behind text: side boxes, highlights, bars over words, items cut at pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tagged_files import Tag, write_tagged
from test_reader_pdf import HEIGHT, Sheet, words

from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.pdf import PdfReader
from ragraph.schema.enums import ComponentType, ContentNodeType

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft, DraftNode

BOLD = "Helvetica-Bold"


def read(sheet: Sheet, folder: Path) -> Draft:
    return PdfReader().read(sheet.save(folder / "sheet.pdf"), ReadOptions())


def of_type(draft: Draft, kind: ContentNodeType) -> list[DraftNode]:
    return [node for node in draft.nodes if node.type is kind]


def boxed(draft: Draft) -> list[list[DraftNode]]:
    """Return the nodes of each side box, those of lists in it included."""
    parents = {container.key: container.parent for container in draft.containers}
    boxes: dict[str, list[DraftNode]] = {
        container.key: [] for container in draft.containers if container.type is ComponentType.TEXT_BOX
    }
    for node in draft.nodes:
        key = node.container
        while key is not None and key not in boxes:
            key = parents[key]
        if key is not None:
            boxes[key].append(node)
    return list(boxes.values())


def frame(sheet: Sheet, look: str, left: float, top: float, width: float, height: float) -> None:
    """Draw a box from the top as frame, as shade, with round corners, or in the white of the paper."""
    canvas = sheet.canvas
    canvas.saveState()
    canvas.setFillColorRGB(*{"shade": (0.85, 0.9, 1), "white": (1, 1, 1)}.get(look, (0, 0, 0)))
    place = (left, HEIGHT - top - height, width, height)
    if look == "round":
        canvas.roundRect(*place, 6)
    else:
        canvas.rect(*place, stroke=look == "frame", fill=look in {"shade", "white"})
    canvas.restoreState()


def page_with_box(look: str, left: float = 66, width: float = 480) -> Sheet:
    """Set two paragraphs with a box between them that holds a heading, two paragraphs and two items."""
    sheet = Sheet()
    sheet.paragraph(words(80, 1), 90)
    frame(sheet, look, left, 200, width, 180)
    sheet.line("Box 2. Bridges that fell", 220, left=left + 14, font=BOLD)
    sheet.paragraph(words(34, 2), 240, left=left + 14, per_line=11)
    sheet.paragraph(words(34, 3), 300, left=left + 14, per_line=11)
    sheet.line("\u2022 the bridge of the mill", 352, left=left + 20)
    sheet.line("\u2022 the bridge of the church", 366, left=left + 20)
    sheet.paragraph(words(80, 4), 420)
    return sheet


@pytest.mark.parametrize("look", ["frame", "shade", "round"])
def test_text_in_a_frame_or_on_a_ground_is_a_box(look: str, tmp_path: Path) -> None:
    draft = read(page_with_box(look), tmp_path)
    found = boxed(draft)
    assert len(found) == 1
    assert found[0][0].text.replace("*", "") == "Box 2. Bridges that fell"
    kinds = [node.type for node in found[0][1:]]
    assert kinds == [*[ContentNodeType.PARAGRAPH] * 2, *[ContentNodeType.LIST_ITEM] * 2]
    assert len(of_type(draft, ContentNodeType.PARAGRAPH)) == 4
    assert not of_type(draft, ContentNodeType.FIGURE)


def test_a_ground_in_the_colour_of_the_paper_is_no_box(tmp_path: Path) -> None:
    assert not boxed(read(page_with_box("white"), tmp_path))


def test_the_frame_of_a_page_is_no_box(tmp_path: Path) -> None:
    sheet = Sheet()
    frame(sheet, "frame", 50, 60, 512, 660)
    sheet.paragraph(words(200, 1), 90)
    sheet.paragraph(words(100, 2), 400)
    assert not boxed(read(sheet, tmp_path))


def test_framed_tables_are_no_boxes(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.paragraph(words(80, 1), 90)
    frame(sheet, "frame", 72, 200, 400, 60)
    for row in range(3):
        sheet.canvas.line(72, HEIGHT - 200 - 20 * row, 472, HEIGHT - 200 - 20 * row)
        for column, text in enumerate(("town", "bridges", "cost")):
            sheet.line(f"{text} {row}", 214 + 20 * row, left=80 + 130 * column)
    for column in (1, 2):
        sheet.canvas.line(72 + 130 * column, HEIGHT - 200, 72 + 130 * column, HEIGHT - 260)
    sheet.paragraph(words(80, 2), 320)
    draft = read(sheet, tmp_path)
    assert len(of_type(draft, ContentNodeType.TABLE)) == 1
    assert not boxed(draft)


def test_bars_over_words_are_no_figures(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.paragraph(words(80, 1), 90)
    for row in range(4):
        top = 208 + 13.2 * row
        sheet.line("The committee of", top)
        sheet.canvas.rect(160, HEIGHT - top - 3, 150 if row % 2 else 180, 13.2, stroke=0, fill=1)
        sheet.line("saw the bridge.", top, left=345)
    sheet.paragraph(words(80, 2), 300)
    assert not of_type(read(sheet, tmp_path), ContentNodeType.FIGURE)


def test_black_bars_of_a_chart_are_a_figure(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.paragraph(words(80, 1), 90)
    for row, wide in enumerate((60, 180, 120, 240)):
        sheet.canvas.rect(160, HEIGHT - 230 - 12 * row, wide, 12, stroke=0, fill=1)
    sheet.canvas.line(160, HEIGHT - 280, 160, HEIGHT - 200)
    sheet.paragraph(words(80, 2), 340)
    assert len(of_type(read(sheet, tmp_path), ContentNodeType.FIGURE)) == 1


def test_a_highlight_behind_tagged_text_is_no_figure(tmp_path: Path) -> None:
    path = tmp_path / "tagged.pdf"
    lines = [(72, 640 - 14 * row, 11, "This line of running text goes on for as long as it may") for row in range(4)]
    write_tagged(
        path,
        [
            Tag("H1", [(72, 700, 16, "Of wages")]),
            Tag("P", [(72, 670, 11, "A paragraph that stands above the one that was marked.")]),
            Tag("P", lines),
            Tag("P", [(72, 500, 11, "A paragraph that stands below it, and says little more.")]),
        ],
        drawn="1 1 0 rg 72 608 280 28 re f 0 g",
    )
    draft = PdfReader().read(path, ReadOptions())
    assert draft.made_by["evidence"] == ["tags"]
    assert not of_type(draft, ContentNodeType.FIGURE)


def test_the_rest_of_a_tagged_item_and_the_next_item_are_two(tmp_path: Path) -> None:
    path = tmp_path / "tagged.pdf"
    item = [
        (90, 700, 11, "\xb7"),
        (108, 700, 11, "Singular: an item that was begun on this page and goes on for two"),
        (108, 686, 11, "lines, of which the second one ends the item."),
        (90, 672, 11, "\xb7"),
        (108, 672, 11, "Contextual: another item, which the tags take for the same one and"),
        (108, 658, 11, "which hangs as well."),
    ]
    write_tagged(
        path,
        [
            Tag("H1", [(72, 740, 16, "Of items")]),
            Tag("L", kids=[Tag("LI", kids=[Tag("LBody", item)])]),
            Tag("P", [(72, 620, 11, "A paragraph that stands below the list and goes on as before.")]),
        ],
    )
    draft = PdfReader().read(path, ReadOptions())
    items = of_type(draft, ContentNodeType.LIST_ITEM)
    assert [node.text.split(":")[0] for node in items] == ["Singular", "Contextual"]
    assert [node.marker for node in items] == ["\u2022", "\u2022"]


def test_a_sheet_behind_a_list_is_no_figure(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.canvas.setFillGray(0.97)
    sheet.canvas.rect(60, HEIGHT - 560, 475, 500, stroke=1, fill=1)
    sheet.canvas.setFillGray(0)
    sheet.line("Dinner", 90, font="Helvetica-Bold", size=20)
    for place in range(12):
        sheet.line(f"{place + 1}. DISH OF THE HOUSE {place}", 120 + 34 * place, font="Helvetica-Bold", size=9)
        sheet.line("Description: what the cook makes of rivers and ponds", 134 + 34 * place, 90, size=9)
    draft = read(sheet, tmp_path)
    assert not [node for node in draft.nodes if node.type is ContentNodeType.FIGURE]
    assert sum("Description" in node.text for node in draft.nodes) == 12
