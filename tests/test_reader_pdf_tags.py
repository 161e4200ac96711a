"""Tagged PDF: what the tags of a file say is believed where it holds, and left aside where it does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pikepdf
import pytest
from tagged_files import Tag, write_tagged

from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.pdf import PdfReader
from ragraph.pdf.stated.facts import language_of
from ragraph.schema.enums import ComponentType, ContentNodeType, EmbeddingSource, RelationType

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft, DraftNode

_SENTENCE = "This line of running text goes on for as long as the page is wide and says little"


def _paragraph(y: float, lines: int = 2) -> Tag:
    return Tag("P", [(72, y - 14 * line, 11, f"{_SENTENCE} {y:.0f}.") for line in range(lines)])


def _cell(type: str, x: float, y: float, text: str, **spans: int) -> Tag:
    more = {"A": pikepdf.Dictionary(O=pikepdf.Name.Table, **spans)} if spans else {}
    return Tag(type, [(x, y, 11, text)], more=more)


def _read(path: Path) -> Draft:
    return PdfReader().read(path, ReadOptions())


def _of(draft: Draft, type: ContentNodeType) -> list[DraftNode]:
    return [node for node in draft.nodes if node.type is type]


@pytest.fixture(scope="module")
def draft(tmp_path_factory: pytest.TempPathFactory) -> Draft:
    path = tmp_path_factory.mktemp("tagged") / "tagged.pdf"
    table = Tag("Table", kids=[
        Tag("Caption", [(72, 390, 11, "Wages by year")]),
        Tag("TR", kids=[_cell("TH", 72, 370, "Year"), _cell("TH", 200, 370, "Wages", ColSpan=2)]),
        Tag("TR", kids=[_cell("TD", 72, 350, "1900"), _cell("TD", 200, 350, "ten"), _cell("TD", 300, 350, "twelve")]),
        Tag("TR", kids=[_cell("TD", 72, 330, "1910"), _cell("TD", 300, 330, "nine")]),
    ])  # fmt: skip
    write_tagged(
        path,
        [
            Tag("Kopf", [(72, 700, 11, "Of wages")]),
            _paragraph(680),
            Tag("H2", [(72, 640, 11, "Of wages in towns, which the page sets as any other line")]),
            _paragraph(620),
            Tag("L", kids=[
                Tag("LI", kids=[Tag("Lbl", [(80, 570, 11, "1.")]), Tag("LBody", [(100, 570, 11, "first item")])]),
                Tag("LI", kids=[Tag("Lbl", [(80, 555, 11, "2.")]), Tag("LBody", [(100, 555, 11, "second item")])]),
            ]),
            table,
            Tag("Figure", drawing="72 200 200 80 re f", more={"Alt": pikepdf.String("A map of the towns")}),
            Tag("Note", [(72, 100, 8, "7 A note that no mark in the text leads to.")]),
        ],
        artifacts=((72, 760, 9, "Wages and towns"), (300, 30, 9, "12")),
        roles={"Kopf": "H1"},
        language="en-gb",
    )  # fmt: skip
    return _read(path)


def test_headings_are_those_of_the_tags_with_their_levels_whatever_their_look(draft: Draft) -> None:
    headings = [(node.text, node.level) for node in _of(draft, ContentNodeType.HEADING)]
    assert headings == [("Of wages", 1), ("Of wages in towns, which the page sets as any other line", 2)]


def test_items_paragraphs_and_notes_are_those_of_the_tags(draft: Draft) -> None:
    items = [(node.marker, node.text) for node in _of(draft, ContentNodeType.LIST_ITEM)]
    assert items == [("1.", "first item"), ("2.", "second item")]
    assert len([node for node in _of(draft, ContentNodeType.PARAGRAPH) if _SENTENCE in node.text]) == 2
    assert [(node.marker, node.text) for node in _of(draft, ContentNodeType.NOTE)] == [
        ("7", "A note that no mark in the text leads to.")
    ]


def test_tables_have_the_cells_spans_and_heads_of_the_tags(draft: Draft) -> None:
    (table,) = _of(draft, ContentNodeType.TABLE)
    assert table.data["cells"] == [["Year", "Wages", ""], ["1900", "ten", "twelve"], ["1910", "nine", ""]]
    assert table.data["header_rows"] == 1
    assert table.data["spans"] == [[0, 1, 1, 2]]
    (caption,) = _of(draft, ContentNodeType.CAPTION)
    bound = [(item.source, item.target) for item in draft.relations if item.type is RelationType.IS_CAPTIONED_BY]
    assert bound == [(table.key, caption.key)]


def test_figures_carry_their_description(draft: Draft) -> None:
    (figure,) = _of(draft, ContentNodeType.FIGURE)
    assert figure.description == "A map of the towns"
    assert figure.embedding_source is EmbeddingSource.DESCRIPTION
    box = figure.positions[0].bbox
    assert box is not None
    assert (round(box.x1), round(box.y1), round(box.x2), round(box.y2)) == (72, 512, 272, 592)


def test_artifacts_above_and_below_are_running_heads_and_feet(draft: Draft) -> None:
    kinds = {item.key: item.type for item in draft.containers}
    places = {node.text: kinds.get(node.container or "") for node in draft.nodes}
    assert places["Wages and towns"] is ComponentType.HEADER
    assert places["12"] is ComponentType.FOOTER


def test_what_was_believed_and_the_language_are_recorded(draft: Draft) -> None:
    assert draft.made_by["evidence"] == ["tags"]
    assert draft.metadata.language == "en-GB"


def test_paragraphs_alone_are_no_structure(tmp_path: Path) -> None:
    path = tmp_path / "paragraphs.pdf"
    write_tagged(path, [Tag("P", [(72, 700, 18, "A large title")]), _paragraph(660, 4), _paragraph(560, 4)])
    draft = _read(path)
    assert draft.made_by["evidence"] == []
    assert draft.made_by["tags_left_aside"] == "they know paragraphs alone"
    assert {node.type for node in draft.nodes if node.text == "A large title"} <= {
        ContentNodeType.HEADING,
        ContentNodeType.TITLE,
    }


def test_tags_that_cover_little_are_left_aside(tmp_path: Path) -> None:
    path = tmp_path / "little.pdf"
    loose = tuple((72.0, 600.0 - 14 * line, 11.0, _SENTENCE) for line in range(12))
    write_tagged(path, [Tag("H1", [(72, 700, 11, "A heading")]), _paragraph(660)], loose=loose)
    draft = _read(path)
    assert draft.made_by["evidence"] == []
    assert draft.made_by["tags_left_aside"].startswith("they cover ")
    assert sum(node.text.count(_SENTENCE) for node in draft.nodes) == 14


def test_the_order_of_the_tree_is_the_reading_order(tmp_path: Path) -> None:
    path = tmp_path / "order.pdf"
    right = Tag("P", [(330, 680 - 14 * line, 11, "read me first in this") for line in range(6)])
    left = Tag("P", [(72, 680 - 14 * line, 11, "and me after that is") for line in range(6)])
    write_tagged(path, [Tag("H1", [(72, 720, 16, "Two columns")]), right, left])
    texts = [node.text[:11] for node in _read(path).nodes if node.type is ContentNodeType.PARAGRAPH]
    assert texts == ["read me fir", "and me afte"]


def test_an_order_that_jumps_up_and_down_is_left_aside(tmp_path: Path) -> None:
    path = tmp_path / "jumps.pdf"
    places = [680, 380, 600, 300, 520, 220]
    write_tagged(path, [Tag("H1", [(72, 720, 16, "Shuffled")]), *map(_paragraph, places)])
    found = [node.positions[0].bbox for node in _read(path).nodes if node.type is ContentNodeType.PARAGRAPH]
    tops = [box.y1 for box in found if box is not None]
    assert tops == sorted(tops)


@pytest.mark.parametrize(
    ("stated", "text", "language"),
    [
        ("en-US", "plain words", "en-US"),
        ("en-US", "نص عربي طويل", None),
        ("ar", "نص عربي", "ar"),
        (None, "words", None),
    ],
)
def test_a_language_whose_letters_are_others_is_not_believed(
    stated: str | None, text: str, language: str | None
) -> None:
    assert language_of(stated, text.split()) == language


def test_a_stated_paragraph_with_blank_lines_and_bullets_is_several(tmp_path: Path) -> None:
    rows = [
        "Privacy policy",
        "",
        f"{_SENTENCE} and",
        "then it ends here, and so does what it says.",
        "",
        "What we collect",
        "",
        f"{_SENTENCE} still.",
        "\\267 names of those who come to us",
        "\\267 dates on which they came",
    ]
    texts = [(72, 660 - 14 * place, 11, row) for place, row in enumerate(rows) if row]
    write_tagged(
        tmp_path / "a.pdf", [Tag("H1", [(72, 700, 14, "Rules")]), Tag("P", texts), *map(_paragraph, (460, 400))]
    )
    draft = _read(tmp_path / "a.pdf")
    assert [node.text.split()[0] for node in _of(draft, ContentNodeType.LIST_ITEM)] == ["names", "dates"]
    texts_of = [node.text for node in draft.nodes if node.type is not ContentNodeType.LIST_ITEM]
    assert "Privacy policy" in texts_of
    assert "What we collect" in texts_of


def test_a_paragraph_set_wide_stays_one(tmp_path: Path) -> None:
    wide = Tag("P", [(72, 600 - 30 * line, 11, f"{_SENTENCE} so it is") for line in range(5)])
    write_tagged(tmp_path / "a.pdf", [Tag("H1", [(72, 700, 14, "Rules")]), wide, *map(_paragraph, (420, 360, 300))])
    assert sum("so it is" in node.text for node in _read(tmp_path / "a.pdf").nodes) == 1


def test_titles_in_bold_that_are_tagged_as_items_are_headings(tmp_path: Path) -> None:
    tags = [Tag("H1", [(72, 740, 14, "Additions to the agreement")])]
    for place, title in enumerate(("Approval", "Other Purchasing", "Mandatory Source", "Payment")):
        y = 700 - 90 * place
        label, text = [(80, y, 11, f"{'abcd'[place]}.")], [(100, y, 11, f"{title}:")]
        tags.append(Tag("L", kids=[Tag("LI", kids=[Tag("Lbl", label, bold=True), Tag("LBody", text, bold=True)])]))
        tags.append(_paragraph(y - 16, 4))
    write_tagged(tmp_path / "a.pdf", tags)
    draft = _read(tmp_path / "a.pdf")
    assert [node.text for node in _of(draft, ContentNodeType.TITLE)] == ["Additions to the agreement"]
    assert [node.text for node in _of(draft, ContentNodeType.HEADING)] == [
        "a. Approval:", "b. Other Purchasing:", "c. Mandatory Source:", "d. Payment:",
    ]  # fmt: skip
    assert _of(draft, ContentNodeType.LIST_ITEM) == []


def test_cells_that_are_tagged_as_paragraphs_are_a_table(tmp_path: Path) -> None:
    rows = [("Genotype", "Cases", "Odds"), ("CC", "161", "1.00"), ("CA", "203", "1.21"), ("AA", "19", "0.56")]
    tags = [Tag("H1", [(72, 720, 14, "Of genes")]), _paragraph(680), _paragraph(640)]
    drawn = ["0.5 w"]
    for row, texts in enumerate(rows):
        y = 560 - 20 * row
        drawn.append(f"72 {y + 14} m 372 {y + 14} l S")
        tags += [Tag("P", [(80 + 100 * column, y, 10, text)]) for column, text in enumerate(texts)]
    drawn.append("72 494 m 372 494 l S")
    drawn += [f"{72 + 100 * column} 574 m {72 + 100 * column} 494 l S" for column in range(4)]
    write_tagged(tmp_path / "a.pdf", [*tags, _paragraph(460), _paragraph(420)], drawn="\n".join(drawn))
    [table] = _of(_read(tmp_path / "a.pdf"), ContentNodeType.TABLE)
    assert table.data is not None
    assert table.data["cells"] == [list(texts) for texts in rows]


def test_code_and_stress_within_the_lines_of_a_group_are_part_of_its_text(tmp_path: Path) -> None:
    path = tmp_path / "inline.pdf"

    def run(x: float, y: float, text: str) -> Tag:
        return Tag("NonStruct", [(x, y, 11, text)])

    # as browsers print a div: each run of letters is an element without a meaning
    lines = [
        run(72, 680, "The library is used by"),
        Tag("Code", kids=[run(183, 680, "apt-get")]),
        run(222, 680, "and by many other programs of"),
        run(72, 666, "the system, which"),
        Tag("Em", kids=[run(164, 666, "all")]),
        run(182, 666, "need it."),
    ]
    code = Tag("Code", [(72, 620, 11, "apt-get install all of it")])
    rest = Tag("P", [(72, 590 - 14 * line, 11, "and then a paragraph of its own") for line in range(3)])
    write_tagged(path, [Tag("H1", [(72, 720, 16, "Inline")]), Tag("NonStruct", kids=lines), code, rest])
    found = [(node.type, node.text) for node in _read(path).nodes]
    assert found[1] == (
        ContentNodeType.PARAGRAPH,
        "The library is used by apt-get and by many other programs of the system, which all need it.",
    )
    assert found[2] == (ContentNodeType.CODE, "apt-get install all of it")


def test_tags_that_leave_empty_cells_out_do_not_move_numbers_into_other_columns(tmp_path: Path) -> None:
    rows = [
        ["Market", "Monday", "Tuesday", "Friday"], ["Alder", "1.20", "1.25", "1.31"], ["Birch", "", "2.40", "2.55"],
        ["Cedar", "3.10", "", "3.30"], ["Dogwood", "4.20", "4.25", "4.40"], ["Elm", "", "", "5.10"],
        ["Fir", "6.00", "6.10", "6.20"],
    ]  # fmt: skip
    table = Tag("Table", kids=[
        Tag("TR", kids=[
            _cell("TH" if not row else "TD", 80 + 100 * column, 560 - 20 * row, text)
            for column, text in enumerate(texts) if text
        ])
        for row, texts in enumerate(rows)
    ])  # fmt: skip
    drawn = ["0.5 w", *(f"72 {574 - 20 * row} m 472 {574 - 20 * row} l S" for row in range(8))]
    drawn += [f"{72 + 100 * column} 574 m {72 + 100 * column} 434 l S" for column in range(5)]
    tags = [Tag("H1", [(72, 720, 14, "Of markets")]), _paragraph(680), _paragraph(640), table, _paragraph(400)]
    write_tagged(tmp_path / "a.pdf", tags, drawn="\n".join(drawn))
    [found] = _of(_read(tmp_path / "a.pdf"), ContentNodeType.TABLE)
    assert found.data["cells"] == rows


def test_columns_that_only_part_others_go_and_the_page_tells_a_head_that_no_tag_does(tmp_path: Path) -> None:
    rows = [
        ("Market", "Monday", "Friday"),
        ("Alder", "1.20", "1.31"),
        ("Birch", "2.40", "2.55"),
        ("Cedar", "3.1", "3.3"),
    ]
    table = Tag("Table", kids=[
        Tag("TR", kids=[
            cell
            for column, text in enumerate(texts)
            for cell in (_cell("TD", 80 + 150 * column, 560 - 20 * row, text), Tag("TD"))
        ])
        for row, texts in enumerate(rows)
    ])  # fmt: skip
    tags = [Tag("H1", [(72, 720, 14, "Of markets")]), _paragraph(680), _paragraph(640), table, _paragraph(400)]
    write_tagged(tmp_path / "a.pdf", tags)
    [found] = _of(_read(tmp_path / "a.pdf"), ContentNodeType.TABLE)
    assert found.data["cells"] == [list(texts) for texts in rows]
    assert found.data["header_rows"] == 1


def test_further_paragraphs_of_an_item_are_paragraphs(tmp_path: Path) -> None:
    def item(y: float, number: str) -> Tag:
        return Tag("LI", kids=[
            Tag("Lbl", [(80, y, 11, number)]),
            Tag("LBody", kids=[
                Tag("P", [(100, y, 11, f"Put the lid of box {number} on.")]),
                Tag("P", [(100, y - 14, 11, "Press it down.")]),
                Tag("P", [(100, y - 40, 11, "There is a dot on the left side of the lid")]),
                Tag("P", [(100, y - 54, 11, "which is easily felt.")]),
            ]),
        ])  # fmt: skip

    tags = [Tag("H1", [(72, 720, 14, "Of boxes")]), _paragraph(680), Tag("L", kids=[item(620, "1."), item(530, "2.")])]
    write_tagged(tmp_path / "a.pdf", [*tags, _paragraph(400)])
    draft = _read(tmp_path / "a.pdf")
    assert [node.text for node in _of(draft, ContentNodeType.LIST_ITEM)] == [
        f"Put the lid of box {number} on. Press it down." for number in ("1.", "2.")
    ]
    further = "There is a dot on the left side of the lid which is easily felt."
    assert [node.text for node in _of(draft, ContentNodeType.PARAGRAPH)].count(further) == 2


def test_a_title_that_is_tagged_as_a_paragraph_is_weighed_like_others(tmp_path: Path) -> None:
    tags = [Tag("P", [(72, 720, 14, "Of the wages that are paid in towns")]), Tag("H1", [(72, 690, 12, "Summary")])]
    tags += [_paragraph(660, 4), Tag("H1", [(72, 590, 12, "Details")]), _paragraph(560, 4), _paragraph(480, 4)]
    write_tagged(tmp_path / "a.pdf", [*tags, Tag("L", kids=[Tag("LI", [(72, 400, 11, "1. an item")])])])
    assert [node.text for node in _of(_read(tmp_path / "a.pdf"), ContentNodeType.TITLE)] == [
        "Of the wages that are paid in towns"
    ]


def test_an_outline_that_names_text_again_and_again_is_doubted(tmp_path: Path) -> None:
    fields = ["Ort, Datum:", "Name, Vorname:", "Unterschrift:", "Konto:", "Bank:", "Betrag:"]
    tags = [Tag("H1", [(72, 740, 20, "Join us")]), _paragraph(700, 4)]
    tags += [Tag("P", [(72, 620 - 14 * at, 11, text)]) for at, text in enumerate(fields)]
    tags += [_paragraph(480, 4), Tag("L", kids=[Tag("LI", [(72, 400, 11, "1. an item")])])]
    write_tagged(tmp_path / "a.pdf", tags)
    with pikepdf.open(tmp_path / "a.pdf", allow_overwriting_input=True) as pdf:
        with pdf.open_outline() as outline:
            outline.root.extend(pikepdf.OutlineItem(text, 0) for text in ("Join us", *fields))
        pdf.save()
    assert [node.text for node in _of(_read(tmp_path / "a.pdf"), ContentNodeType.HEADING)] == ["Join us"]


def test_a_listing_whose_lines_are_tagged_as_paragraphs_is_one(tmp_path: Path) -> None:
    lines = ["for each box in boxes do", "open the box and look into it", "}", "close the lid of the box again"]
    code = [Tag("P", [(90, 600 - 14 * at, 10, text)], mono=True) for at, text in enumerate(lines)]
    tags = [Tag("H1", [(72, 720, 14, "Of boxes")]), _paragraph(680), _paragraph(640), *code, _paragraph(500)]
    write_tagged(
        tmp_path / "a.pdf", [*tags, _paragraph(460), Tag("L", kids=[Tag("LI", [(72, 400, 11, "1. an item")])])]
    )
    assert [node.text for node in _of(_read(tmp_path / "a.pdf"), ContentNodeType.CODE)] == ["\n".join(lines)]


def test_tables_that_are_there_for_the_look_of_the_page_are_none(tmp_path: Path) -> None:
    def row(*cells: Tag) -> Tag:
        return Tag("TR", kids=list(cells))

    def group(y: float, title: str) -> list[Tag]:
        head = row(_cell("TD", 80, y, title), _cell("TD", 400, y, "high"))
        return [head, *(row(Tag("TD", kids=[_paragraph(y - 24 - 40 * at)])) for at in (0, 1))]

    # most rows have one cell
    tags = [Tag("H1", [(72, 740, 16, "Of losses")]), _paragraph(700)]
    tags.append(Tag("Table", kids=[*group(640, "Loss of service"), *group(520, "Loss of data")]))
    # a cell holds a heading over its text
    section = Tag("TD", kids=[Tag("H2", [(72, 380, 12, "Scope")], bold=True), _paragraph(360)])
    rows = [row(section, _cell("TD", 480, 380, "one page")), row(_cell("TD", 72, 300, "a"), _cell("TD", 480, 300, "b"))]
    tags.append(Tag("Table", kids=rows))
    write_tagged(tmp_path / "a.pdf", tags)
    draft = _read(tmp_path / "a.pdf")
    assert _of(draft, ContentNodeType.TABLE) == []
    assert "Scope" in [node.text for node in _of(draft, ContentNodeType.HEADING)]


def test_a_heading_over_a_note_in_one_cell_leaves_a_table_its_rows(tmp_path: Path) -> None:
    rows = [["Market", "Monday", "Friday"]]
    rows += [[name, f"{at}.20", f"{at}.35"] for at, name in enumerate(("Alder", "Birch", "Cedar", "Elm", "Fir"), 1)]
    cells = [
        [_cell("TD", 80 + 150 * column, 560 - 34 * row, text) for column, text in enumerate(texts)]
        for row, texts in enumerate(rows)
    ]
    cells[3][0] = Tag("TD", kids=[Tag("H4", [(80, 458, 11, "Cedar")]), Tag("P", [(80, 445, 11, "see note")])])
    table = Tag("Table", kids=[Tag("TR", kids=row) for row in cells])
    tags = [Tag("H1", [(72, 720, 14, "Of markets")]), _paragraph(680), _paragraph(640), table, _paragraph(340)]
    write_tagged(tmp_path / "a.pdf", tags)
    [found] = _of(_read(tmp_path / "a.pdf"), ContentNodeType.TABLE)
    assert [" ".join(row).split() for row in found.data["cells"]] == [
        " ".join(row).replace("Cedar", "Cedar see note").split() for row in rows
    ]


def test_a_form_with_blank_columns_keeps_its_rows(tmp_path: Path) -> None:
    names = [f"Is the lid of box {at} on?" for at in range(1, 25)]
    table = Tag("Table", kids=[
        Tag("TR", kids=[_cell("TD", 80, 640 - 18 * row, name), *(Tag("TD") for _ in range(3))])
        for row, name in enumerate(names)
    ])  # fmt: skip
    table.kids.insert(0, Tag("TR", kids=[
        _cell("TD", x, 658, text) for x, text in ((80, "What to see"), (300, "Yes"), (380, "No"), (460, "By"))
    ]))  # fmt: skip
    tags = [Tag("H1", [(72, 740, 14, "Of boxes")]), _paragraph(710), table, _paragraph(190)]
    write_tagged(tmp_path / "a.pdf", tags)
    [found] = _of(_read(tmp_path / "a.pdf"), ContentNodeType.TABLE)
    assert [row[0] for row in found.data["cells"]] == ["What to see", *names]


def test_rows_that_are_titles_alone_do_not_speak_against_a_table(tmp_path: Path) -> None:
    def row(*cells: Tag) -> Tag:
        return Tag("TR", kids=list(cells))

    def plot(y: float) -> Tag:
        return Tag("TD", kids=[Tag("Figure", drawing=f"300 {y - 20} 90 30 re f", more={"Alt": pikepdf.String("Plot")})])

    tags = [Tag("H1", [(72, 740, 16, "Of plots")]), _paragraph(700)]
    rows = [row(_cell("TH", 80, 640 - 40 * at, f"Target {at}")) for at in range(2)]
    rows += [row(_cell("TH", 80, 560, "Risk per bank"), plot(560)), row(_cell("TH", 80, 500, "Windows"), plot(500))]
    rows += [row(_cell("TH", 80, 440 - 40 * at, f"Further {at}")) for at in range(2)]
    write_tagged(tmp_path / "a.pdf", [*tags, Tag("Table", kids=rows), _paragraph(300)])
    assert len(_of(_read(tmp_path / "a.pdf"), ContentNodeType.TABLE)) == 1


def test_a_label_that_is_tagged_as_the_number_of_an_item_is_that_of_a_caption(tmp_path: Path) -> None:
    caption = Tag("L", kids=[Tag("LI", [(72, 480, 9, "Figure 1 - The lid of the box from above")])])
    picture = Tag("Figure", drawing="72 500 200 80 re f", more={"Alt": pikepdf.String("A lid")})
    tags = [Tag("H1", [(72, 720, 14, "Of boxes")]), _paragraph(680), picture, caption, _paragraph(440, 4)]
    write_tagged(tmp_path / "a.pdf", tags)
    assert [node.text for node in _of(_read(tmp_path / "a.pdf"), ContentNodeType.CAPTION)] == [
        "Figure 1 - The lid of the box from above"
    ]


def test_the_one_heading_over_all_others_is_the_title(tmp_path: Path) -> None:
    tags = [Tag("H1", [(72, 740, 18, "Of the wages of towns")]), _paragraph(700, 4)]
    tags += [Tag("H2", [(72, 620, 13, "Summary")]), _paragraph(600, 4), Tag("H2", [(72, 520, 13, "Details")])]
    write_tagged(tmp_path / "a.pdf", [*tags, _paragraph(500, 4), _paragraph(420, 4)])
    draft = _read(tmp_path / "a.pdf")
    assert [node.text for node in _of(draft, ContentNodeType.TITLE)] == ["Of the wages of towns"]
    headings = [(node.text, node.level) for node in _of(draft, ContentNodeType.HEADING)]
    assert headings == [("Summary", 1), ("Details", 1)]
