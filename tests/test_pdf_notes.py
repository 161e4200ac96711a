"""Marks and footnotes of PDF pages: bound to each other, and told apart from powers and indices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from test_reader_pdf import HEIGHT, Sheet, of_type, read, words

from ragraph.schema.enums import ContentNodeType, RelationType

pytest.importorskip("reportlab")

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft


class Page(Sheet):
    """A sheet on which a line may hold raised words, written between carets: "so it was^1^ said"."""

    def marked(self, text: str, top: float, left: float = 72, size: float = 11, font: str = "Times-Roman") -> None:
        for index, part in enumerate(text.split("^")):
            own, rise = (0.62 * size, 0.36 * size) if index % 2 else (size, 0.0)
            self.canvas.setFont(font, own)
            self.canvas.drawString(left, HEIGHT - top + rise, part)
            left += self.canvas.stringWidth(part, font, own)

    def note(self, text: str, top: float, left: float = 72, font: str = "Times-Roman") -> None:
        self.marked(text, top, left, 8.5, font)


def bound(draft: Draft) -> list[tuple[str, str, str]]:
    """Give for each mark: what stands before it, the mark, the note."""
    by_key = {node.key: node for node in draft.nodes}
    return [
        (by_key[each.source].text[: each.marker_start][-9:], each.marker or "", by_key[each.target or ""].text[:12])
        for each in draft.relations
        if each.type is RelationType.REFERENCES_NOTE
    ]


def page_of(path: Path, lines: list[str], notes: list[str], note_font: str = "Times-Roman") -> Draft:
    page = Page()
    page.paragraph(words(160), 80)
    for index, line in enumerate(lines):
        page.marked(line, 320 + 13.2 * index)
    for index, note in enumerate(notes):
        page.note(note, 690 + 11 * index, font=note_font)
    return read(page.save(path / "a.pdf"))


def test_powers_and_units_are_no_marks(tmp_path: Path) -> None:
    lines = [
        "for it the town has at most log^2^(n) bridges and O(^1^/n) boats on 5 km^2^ of water, x^2^ in all,",
        "and that is what the committee^1^ had to say of them, and the mayor^2^ too, in the winter of 1901.",
    ]
    draft = page_of(tmp_path, lines, ["^1^ Minutes of the town.", "^2^ Letters of the mayor."])
    assert bound(draft) == [("committee", "1", "Minutes of t"), ("the mayor", "2", "Letters of t")]


def test_a_mark_after_a_number_or_a_year(tmp_path: Path) -> None:
    lines = ["the committee^1^ said so in 2003^2^. It was the value of 2.^3^ That is what the old mayor^4^ said of it."]
    notes = ["^1^ Minutes of the town.", "^2^ Records of it.", "^3^ Accounts of it.", "^4^ Letters of it."]
    assert [mark for _, mark, _ in bound(page_of(tmp_path, lines, notes))] == ["1", "2", "3", "4"]


def test_signs_of_authors_and_their_addresses(tmp_path: Path) -> None:
    page = Page()
    page.line("The Bridges of the Town", 80, font="Times-Bold", size=18)
    page.marked("Anna Miller^*†^ and Bert Olsen^†^", 120)
    page.paragraph(words(160), 180)
    page.note("^*^ Thanks are due to the town.", 700)
    page.note("^†^ University of the North, Bridge Road.", 711)
    found = bound(read(page.save(tmp_path / "a.pdf")))
    assert [(mark, note) for _, mark, note in found] == [
        ("*", "Thanks are d"),
        ("†", "University o"),
        ("†", "University o"),
    ]


def test_a_note_that_is_an_address_in_typewriter(tmp_path: Path) -> None:
    draft = page_of(tmp_path, ["and the archive^1^ keeps it all."], ["^1^ http://town.example/archive"], "Courier")
    assert bound(draft) == [("e archive", "1", "http://town.")] or len(bound(draft)) == 1
    assert [node.text for node in of_type(draft, ContentNodeType.NOTE)] == ["http://town.example/archive"]


def test_a_note_is_mentioned_twice(tmp_path: Path) -> None:
    draft = page_of(tmp_path, ["and the archive^1^ keeps what the mayor^1^ wrote."], ["^1^ Archive of the town."])
    assert [before for before, _, _ in bound(draft)] == ["e archive", "the mayor"]


@pytest.mark.parametrize("size", [6, 8.5])
def test_a_label_set_apart_from_its_note(tmp_path: Path, size: float) -> None:
    page = Page()
    page.paragraph(words(160), 80)
    page.marked("and the archive^4^ keeps it all until the end of the year, as it has for so long a time.", 320)
    page.line("4", 700 - (8.5 - size), size=size)
    page.line("Archive of the town, in the old hall near the bridge.", 700, left=92, size=8.5)
    draft = read(page.save(tmp_path / "a.pdf"))
    assert [(mark, note) for _, mark, note in bound(draft)] == [("4", "Archive of t")]


def test_a_formula_that_begins_with_a_raised_number_is_no_note(tmp_path: Path) -> None:
    draft = page_of(tmp_path, ["and the archive^1^ keeps it all."], ["^1^ · x + y", "^1^ , then"])
    assert of_type(draft, ContentNodeType.NOTE) == []


def test_raised_numbers_cite_entries_only_where_brackets_do_not(tmp_path: Path) -> None:
    def paper(cite: str) -> Draft:
        page = Page()
        for index in range(3):
            page.paragraph(words(60), 80 + 90 * index)
            page.marked(
                f"as the committee{cite.format(index + 1)} said of the sum C^{index + 1}^ of it.", 150 + 90 * index
            )
        page.line("References", 420, font="Times-Bold", size=14)
        for index in range(3):
            page.line(
                f"{index + 1}. Olsen, B. (200{index}). Bridges of wood, part {index}. Town Press.", 450 + 18 * index
            )
        return read(page.save(tmp_path / "a.pdf"))

    def cited(draft: Draft) -> int:
        return sum(each.type is RelationType.REFERENCES_CITATION for each in draft.relations)

    assert cited(paper("^{}^")) == 3
    assert cited(paper(" [{}]")) == 0


def test_a_term_in_bold_and_its_explanation_are_one_note(tmp_path: Path) -> None:
    page = Page()
    for number, term in enumerate(("Bridges", "Rivers", "Towns", "Winters"), start=1):
        page.paragraph(words(70, number), 150, per_line=18)
        page.paragraph(words(70, number), 210, per_line=10)
        page.marked(f"and that is what the committee^{number}^ said of it then", 320)
        page.marked(f"^{number}^ ", 320, 400, 8.5)
        page.line(f"{term}:", 320, 405, "Times-Bold", 8.5)
        after = 408 + page.canvas.stringWidth(f"{term}:", "Times-Bold", 8.5)
        page.line("what the town has to", 320, after, size=8.5)
        page.line("build and to look after each year", 331, 400, size=8.5)
        page.canvas.showPage()
    draft = read(page.save(tmp_path / "a.pdf"))
    assert [node.text.split()[0] for node in of_type(draft, ContentNodeType.NOTE)] == [
        "Bridges:",
        "Rivers:",
        "Towns:",
        "Winters:",
    ]
    assert all(node.text.endswith("look after each year") for node in of_type(draft, ContentNodeType.NOTE))
    assert len(bound(draft)) == 4


def test_a_mark_behind_a_title_in_front_of_its_paragraph(tmp_path: Path) -> None:
    page = Page()
    top = page.paragraph(words(60), 80) + 13.2
    for place, name in enumerate(("Euclid", "Hero", "Ptolemy")):
        page.line(f"{name}.", top, font="Times-Bold")
        at = 72 + page.canvas.stringWidth(f"{name}.", "Times-Bold", 11)
        page.line(str(place + 1), top - 4, left=at + 0.5, size=6)
        page.line("This century knew three of them, who are the first of whom", top, left=at + 10)
        top = page.paragraph(words(60, 3 * place), top + 13.2) + 13.2
        page.line(str(place + 1), 697 + 13 * place, size=6)
        page.line(f"Besides Loria and Cantor, the {name} of the schools.", 700 + 13 * place, left=76, size=8.5)
    draft = read(page.save(tmp_path / "a.pdf"))
    assert [mark for _, mark, _ in bound(draft)] == ["1", "2", "3"]


def test_a_note_of_loose_lines_and_an_address_is_whole(tmp_path: Path) -> None:
    sheet = Sheet()
    for left in (72, 320):
        top = 80.0
        for number in range(40):
            sheet.line(" ".join(words(9, number)), top, left=left, size=9.4)
            top += 12
    end = 72 + sheet.canvas.stringWidth(" ".join(words(9, 38)), "Times-Roman", 9.4)
    sheet.line("1", 80 + 38 * 12 - 3, left=end, size=6)
    sheet.line("1", 617, left=83, size=5)
    at = 87.0
    for word in ["The", "codes", "and", "the", "plans", "are", "here"]:
        sheet.line(word, 620, left=at, size=8)
        at += sheet.canvas.stringWidth(word, "Times-Roman", 8) + 9
    sheet.line("and", 630, left=72, size=8)
    sheet.line("in", 630, left=94, size=8)
    sheet.line("https://example.org/bridges/of/", 630, left=110, font="Courier", size=6.4)
    sheet.line("stone-and-iron-over-the-rivers-of-the-country", 640, left=72, font="Courier", size=6.4)
    draft = read(sheet.save(tmp_path / "note.pdf"))
    assert [node.text for node in of_type(draft, ContentNodeType.NOTE)] == [
        "The codes and the plans are here and in https://example.org/bridges/of/"
        "stone-and-iron-over-the-rivers-of-the-country"
    ]
    assert not of_type(draft, ContentNodeType.CODE)


def test_labels_that_hang_under_each_other_begin_their_notes(tmp_path: Path) -> None:
    page = Page()
    page.paragraph(words(160), 80)
    page.marked("and that is what the committee^21^ had to say of them, and the mayor^22^ too, in the winter", 320)
    page.marked(
        "of 1901, when the bridges^23^ were all under water, and the boats lay in the harbour for weeks.", 333.2
    )
    for index, label in enumerate(("21", "22", "23")):
        page.note(label, 690 + 11 * index)
    for index, note in enumerate(
        ("Minutes of the town.", "Letters of the mayor.", "Papers, as they lie in the archive.")
    ):
        page.note(note, 690 + 11 * index, 92)
    draft = read(page.save(tmp_path / "a.pdf"))
    assert bound(draft) == [
        ("committee", "21", "Minutes of t"),
        ("the mayor", "22", "Letters of t"),
        ("e bridges", "23", "Papers, as t"),
    ]


def test_a_mark_that_hardly_overlaps_its_line_is_of_it(tmp_path: Path) -> None:
    page = Page()
    page.paragraph(words(160), 80)
    end = 72 + page.canvas.stringWidth("It was wide", "Times-Roman", 11)
    page.line("It was wide", 320)
    page.line("1", 320 - 7.6, end, size=7.2)
    page.line("and deep when the committee saw the river.", 320, end + 8)
    page.line("1. Minutes of the town, in the hand of the clerk.", 700, size=9)
    draft = read(page.save(tmp_path / "a.pdf"))
    assert bound(draft) == [(" was wide", "1", "Minutes of t")]
    assert any(node.text.startswith("It was wide") and "and deep" in node.text for node in draft.nodes)


def test_notes_that_are_blacked_out_are_notes_with_their_marks(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.paragraph(words(60), 100)
    sheet.line("The bridge was built in the year of the flood", 200)
    end = 72 + sheet.canvas.stringWidth("The bridge was built in the year of the flood", "Times-Roman", 11)
    sheet.line("26", 195, end, size=7)
    sheet.line("and nobody came to see it.", 213.2)
    for number, top in ((27, 240), (28, 254)):
        sheet.canvas.rect(72, HEIGHT - top, 300, 9, fill=1)
        sheet.line(str(number), top - 5, 374, size=7)
    sheet.line("26", 700, size=6)
    sheet.line("Ledger of the town, volume 26, kept in the archive.", 703, 79, size=8.5)
    for number, top in ((27, 715), (28, 727)):
        sheet.line(str(number), top - 3, size=6)
        sheet.canvas.rect(82, HEIGHT - top, 120, 8, fill=1)
    draft = read(sheet.save(tmp_path / "a.pdf"))
    notes = {node.key: node.marker for node in of_type(draft, ContentNodeType.NOTE)}
    assert [*notes.values()] == ["26", "27", "28"]
    assert [notes.get(relation.target or "") for relation in draft.relations] == ["26", "27", "28"]
