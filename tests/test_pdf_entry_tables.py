"""Bibliographies that are set or tagged as tables: each row is an entry, also where a page breaks it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tagged_files import Tag, write_tagged
from test_reader_pdf import of_type, read
from test_reader_pdf_tables import PROSE, Sheet

from ragraph.schema.enums import ContentNodeType, RelationType

pytest.importorskip("reportlab")

if TYPE_CHECKING:
    from pathlib import Path

ENTRIES = (
    ("[ABC]", "Alder A, Birch B (2019) Bridges of the north. A house, Oslo."),
    ("[SP 7]", "Cedar C (2017) On rivers. Another house, Bergen. https://example.org/7"),
    ("[12]", "Dogwood D (2020) Of storms. A third house, Bergen."),
)
XS = [72.0, 140.0, 520.0]


def _entries(path: Path) -> list[tuple[str | None, str, tuple[int, ...]]]:
    draft = read(path)
    assert not of_type(draft, ContentNodeType.TABLE)
    return [
        (node.marker, node.text, tuple(place.page_pdf for place in node.positions))
        for node in of_type(draft, ContentNodeType.BIBLIOGRAPHIC_ENTRY)
    ]


def _tagged(path: Path, title: str) -> Path:
    def cell(x: float, y: float, text: str) -> Tag:
        return Tag("TD", [(x, y, 11, text)])

    rows = [
        Tag("TR", kids=[cell(72, 600 - 20 * row, label), cell(160, 600 - 20 * row, text)])
        for row, (label, text) in enumerate(ENTRIES)
    ]
    name = Tag("H1", [(72, 740, 20, "Rivers of the north")], bold=True)
    text = [(72, 700 - 14 * line, 11, f"Rivers are crossed by bridges {line} as told in [SP 7].") for line in range(4)]
    head = Tag("H2", [(72, 640, 14, title)], bold=True)
    write_tagged(path, [name, Tag("P", text), head, Tag("Table", kids=rows)])
    return path


def test_a_tagged_table_below_references_is_a_bibliography(tmp_path: Path) -> None:
    draft = read(_tagged(tmp_path / "a.pdf", "References"))
    assert not of_type(draft, ContentNodeType.TABLE)
    found = of_type(draft, ContentNodeType.BIBLIOGRAPHIC_ENTRY)
    assert [(node.marker, node.text) for node in found] == list(ENTRIES)


def test_a_table_of_labels_below_another_title_stays_one(tmp_path: Path) -> None:
    draft = read(_tagged(tmp_path / "a.pdf", "Bridges"))
    assert len(of_type(draft, ContentNodeType.TABLE)) == 1
    assert not of_type(draft, ContentNodeType.BIBLIOGRAPHIC_ENTRY)


def test_a_ruled_table_below_references_is_a_bibliography_over_pages(tmp_path: Path) -> None:
    sheet = Sheet(tmp_path / "page.pdf")
    top = sheet.prose(80, 38)
    sheet.text("References", top + 30, font="Times-Bold", size=14)
    sheet.grid([*ENTRIES[:2], ("[X]", "Elder E (2011) A history of storms and")], top + 50, XS)
    sheet.page()
    sheet.grid([("", "floods in the valley. A house, Oslo."), ENTRIES[2], ("[13]", ENTRIES[2][1])], 80, XS)
    sheet.read()
    assert _entries(sheet.path) == [
        (*ENTRIES[0], (1,)),
        (*ENTRIES[1], (1,)),
        ("[X]", "Elder E (2011) A history of storms and floods in the valley. A house, Oslo.", (1, 2)),
        (*ENTRIES[2], (2,)),
        ("[13]", ENTRIES[2][1], (2,)),
    ]


def test_a_table_of_figures_below_references_stays_one(tmp_path: Path) -> None:
    sheet = Sheet(tmp_path / "page.pdf")
    sheet.text("References", sheet.prose(80, 6) + 30, font="Times-Bold", size=14)
    sheet.grid([("Item", "Amount"), ("[1]", "88.1"), ("[2]", "9.4"), ("[3]", "2.2")], 220, XS)
    assert len(of_type(sheet.read(), ContentNodeType.TABLE)) == 1


def test_the_label_of_a_tagged_note_on_a_line_of_its_own_is_its_label(tmp_path: Path) -> None:
    text = [(72, 720 - 14 * line, 12, PROSE[:80]) for line in range(6)]
    mark = [(72, 600, 12, "The bridge fell in the storm."), (222, 604, 8, "5")]
    note = Tag("Note", [(72, 104, 8, "5"), (78, 100, 9, "https://example.org/of-the-bridge-and-its-fall")])
    write_tagged(tmp_path / "a.pdf", [Tag("P", text), Tag("P", mark), note])
    draft = read(tmp_path / "a.pdf")
    (found,) = of_type(draft, ContentNodeType.NOTE)
    assert (found.marker, found.text) == ("5", "https://example.org/of-the-bridge-and-its-fall")
    (relation,) = [each for each in draft.relations if each.type is RelationType.REFERENCES_NOTE]
    assert relation.target == found.key
