"""The order in which designed pages are read: cards, panels, drop caps, quotes; no sentence is mixed with another."""

from __future__ import annotations

import random
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from docling.models.postprocessing.reading_order_rb import PageElement, ReadingOrderPredictor
from docling_core.types.doc import CoordOrigin, DocItemLabel, Size
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas
from test_reader_pdf import of_type, read, words

from ragraph.pdf.blocks import sequence
from ragraph.pdf.model import Box
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from pathlib import Path

BOLD, ROMAN = "Helvetica-Bold", "Times-Roman"
LETTER = (612, 792)


def _sentence(key: str, count: int, start: int) -> str:
    """Return a paragraph that says where it begins and where it ends."""
    return f"Begin{key} {' '.join(words(count, start))} end{key}."


def _lines(text: str, width: float, font: str, size: float) -> list[str]:
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if stringWidth(longer, font, size) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def _write(canvas: Canvas, text: str, left: float, top: float, width: float, font: str = "Helvetica") -> float:
    """Write a paragraph in 10 points from a distance to the top of the page, and return where the next may begin."""
    canvas.setFont(font, 10)
    for line in _lines(text, width, font, 10):
        canvas.drawString(left, canvas._pagesize[1] - top, line)
        top += 12.5
    return top


def _title(canvas: Canvas, text: str, left: float, top: float, size: float = 12) -> None:
    canvas.setFont(BOLD, size)
    canvas.drawString(left, canvas._pagesize[1] - top, text)


def _texts(path: Path) -> list[str]:
    return [node.text for node in read(path).nodes if node.text]


def _order(path: Path) -> list[str]:
    """Return the titles, and the paragraphs by the key of their beginning; each must be whole."""
    found = []
    for text in _texts(path):
        if text.startswith("Begin"):
            key = text.split()[0].removeprefix("Begin")
            assert text.endswith(f" end{key}."), text
            assert text.count("Begin") == 1, text
            found.append(key)
        else:
            found.append(text)
    return found


@pytest.mark.parametrize("kind", ["white", "frame", "ground"])
@pytest.mark.parametrize(("columns", "rows"), [(3, 1), (3, 3), (4, 2), (2, 2)])
@pytest.mark.parametrize("by_rows", [True, False])
def test_each_card_of_a_grid_is_read_by_itself(
    tmp_path: Path, kind: str, columns: int, rows: int, by_rows: bool
) -> None:
    canvas = Canvas(str(tmp_path / "cards.pdf"), pagesize=LETTER)
    _title(canvas, "Our services for you", 54, 60, 22)
    _write(canvas, _sentence("intro", 40, 3), 54, 90, 500)
    wide = 504 / columns
    lengths = random.Random(columns)
    for row in range(rows):
        top = 180 + 170 * row
        cards = [(f"{row}{column}", 54 + wide * column) for column in range(columns)]
        for _, left in cards:
            if kind != "white":
                canvas.setFillColorRGB(0.9, 0.92, 0.98)
                canvas.rect(left - 6, 792 - top - 150, wide - 12, 166, stroke=kind == "frame", fill=kind == "ground")
                canvas.setFillColorRGB(0, 0, 0)
        if by_rows:
            for key, left in cards:
                _title(canvas, f"Card {key} of all", left, top)
        for number, (key, left) in enumerate(cards):
            if not by_rows:
                _title(canvas, f"Card {key} of all", left, top)
            _write(canvas, _sentence(key, lengths.randint(12, 26), number), left, top + 20, wide - 26)
    canvas.save()
    keys = [f"{row}{column}" for row in range(rows) for column in range(columns)]
    cards_read = [part for key in keys for part in (f"Card {key} of all", key)]
    assert _order(tmp_path / "cards.pdf") == ["Our services for you", "intro", *cards_read]


def test_titles_on_one_height_amid_two_columns_do_not_cut_the_columns(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "paper.pdf"), pagesize=LETTER)
    for column, left in enumerate((54, 318)):
        _write(canvas, _sentence(f"a{column}", 100, column), left, 90, 240)
        _title(canvas, f"Section {column} of two", left, 400)
        _write(canvas, _sentence(f"b{column}", 100, column + 5), left, 420, 240)
    canvas.save()
    assert _order(tmp_path / "paper.pdf") == ["a0", "Section 0 of two", "b0", "a1", "Section 1 of two", "b1"]


def test_a_table_without_rules_whose_heads_are_in_bold_stays_a_table(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "table.pdf"), pagesize=LETTER)
    _write(canvas, _sentence("a", 60, 1), 54, 90, 500)
    for column, head in enumerate(("Region", "Sales", "Costs", "Profit")):
        _title(canvas, head, 54 + 120 * column, 200, 10)
        canvas.setFont("Helvetica", 10)
        for row in range(8):
            text = f"{words(1, row)[0].capitalize()} side" if not column else f"{(row + 3) * (column + 11):,}.5"
            canvas.drawString(54 + 120 * column, 792 - 216 - 14 * row, text)
    canvas.save()
    [table] = of_type(read(tmp_path / "table.pdf"), ContentNodeType.TABLE)
    assert len(table.data["cells"]) == 9


@pytest.mark.parametrize("size", [(842, 595), (792, 612)])
def test_panels_of_a_leaflet_are_read_one_after_the_other(tmp_path: Path, size: tuple[float, float]) -> None:
    canvas = Canvas(str(tmp_path / "leaflet.pdf"), pagesize=size)
    wide = size[0] / 3
    expected = []
    for side in range(2):
        for panel in range(3):
            left, top = panel * wide + 24, 60.0
            if side == 0 and panel == 2:
                _title(canvas, "The Trail of Mills", left, 200, 20)
                expected.append("The Trail of Mills")
                continue
            for part in range(3):
                key = f"{side}{panel}{part}"
                _title(canvas, f"Part {key} of it", left, top)
                top = _write(canvas, _sentence(key, 25 + 9 * ((panel + 2 * part) % 3), part), left, top + 18, wide - 48)
                top += 16
                expected += [f"Part {key} of it", key]
        canvas.showPage()
    canvas.save()
    assert _order(tmp_path / "leaflet.pdf") == expected


def test_lists_of_names_on_the_panels_of_a_leaflet_are_no_table(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "leaflet.pdf"), pagesize=(792, 612))
    for side in range(2):
        for fold in (264, 528):
            canvas.line(fold, 40, fold, 570)
        for panel in range(3):
            left = panel * 264 + 24
            if side:
                _write(canvas, _sentence(f"{panel}", 110, panel), left, 60, 216)
                continue
            canvas.setFont(ROMAN, 9 + panel)
            for row in range(24):
                canvas.drawString(left, 540 - 18 * row, f"{words(1, row)[0].capitalize()} {panel} {row:02} of the town")
        canvas.showPage()
    canvas.save()
    draft = read(tmp_path / "leaflet.pdf")
    assert not of_type(draft, ContentNodeType.TABLE)
    found = [int(word) for node in draft.nodes for word in node.text.split() if word in {"0", "1", "2"}]
    assert found == sorted(found)


def test_what_stands_below_wide_white_is_read_after_all_cards_above(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "long.pdf"), pagesize=(612, 1400))
    expected = []
    for part in range(3):
        top = 60 + 400 * part
        _title(canvas, f"Heading {part} over cards", 54, top, 20)
        expected.append(f"Heading {part} over cards")
        for column in range(3):
            left = 54 + 170 * column
            _title(canvas, f"Card {part}{column} of all", left, top + 90, 12)
            _write(canvas, _sentence(f"{part}{column}", 14 + column, column), left, top + 110, 140)
            expected += [f"Card {part}{column} of all", f"{part}{column}"]
    canvas.save()
    assert _order(tmp_path / "long.pdf") == expected


@pytest.mark.parametrize("high", [2, 3, 4])
@pytest.mark.parametrize("columns", [1, 2])
def test_a_drop_cap_joins_its_word(tmp_path: Path, high: int, columns: int) -> None:
    canvas = Canvas(str(tmp_path / "drop.pdf"), pagesize=LETTER)
    wide = (504 - 24 * (columns - 1)) / columns
    _title(canvas, "The mills of the valley", 54, 60, 18)
    expected = ["The mills of the valley"]
    for column in range(columns):
        left, top = 54 + column * (wide + 24), 100.0
        for letter, rest in (("T", "hese"), ("A", "river")):
            size = ((high - 1) * 13 + 8) / 0.7
            canvas.setFont(ROMAN, size)
            canvas.drawString(left, 792 - top - (high - 1) * 13, letter)
            indent = canvas.stringWidth(letter, ROMAN, size) + 4
            text = [rest, *words(70, column + len(rest)), "end."]
            expected.append(" ".join([letter + rest if letter == "T" else f"{letter} {rest}", *text[1:]]))
            canvas.setFont(ROMAN, 11)
            row = 0
            while text:
                inset = indent if row < high else 0
                count = 1
                while count < len(text) and stringWidth(" ".join(text[: count + 1]), ROMAN, 11) < wide - inset:
                    count += 1
                canvas.drawString(left + inset, 792 - top, " ".join(text[:count]))
                text, top, row = text[count:], top + 13, row + 1
            top += 20
    canvas.save()
    draft = read(tmp_path / "drop.pdf")
    assert [node.text for node in draft.nodes] == expected
    assert not [node for node in of_type(draft, ContentNodeType.HEADING) if len(node.text) < 3]


@pytest.mark.parametrize(
    ("letter", "rest", "space", "expected"),
    [
        ("O", "nce", 0, "Once"),
        ("U", "nder", 0, "Under"),
        ("A", "lice", 0, "Alice"),
        ("E", "very", 0, "Every"),
        ("I", "n", 0, "In"),
        ("Y", "esterday", 0, "Yesterday"),
        ("A", "river", 0, "A river"),  # a word of the text, as the whole is not
        ("A", "way", 0, "Away"),  # both are
        ("A", "zebra", 3, "A zebra"),  # the gap says so
        ("O", "river", 0, "Oriver"),  # no word by itself in English
    ],
)
def test_a_drop_cap_is_a_word_of_its_own_only_where_something_says_so(
    tmp_path: Path, letter: str, rest: str, space: float, expected: str
) -> None:
    canvas = Canvas(str(tmp_path / "drop.pdf"), pagesize=LETTER)
    canvas.setFont(ROMAN, 46)
    canvas.drawString(72, 656, letter)
    inset = canvas.stringWidth(letter, ROMAN, 46) + 3
    canvas.setFont(ROMAN, 11)
    canvas.drawString(72 + inset + space, 682, f"{rest} was there before all the people of the town came")
    canvas.drawString(72 + inset, 669, "to the mill by the river, and a way was found to go on as")
    canvas.drawString(72 + inset, 656, "long as the water was high, and they went away to the hills")
    canvas.drawString(72, 643, "at the end of the summer, when nobody had come for weeks and weeks.")
    canvas.save()
    [text] = _texts(tmp_path / "drop.pdf")
    assert text.startswith(f"{expected} was there before all")


def test_a_large_letter_that_names_a_choice_is_no_drop_cap(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "choices.pdf"), pagesize=LETTER)
    _write(canvas, _sentence("a", 90, 1), 54, 60, 500)
    for number, letter in enumerate("ABC"):
        top = 200 + 60 * number
        canvas.setFont(ROMAN, 30)
        canvas.drawString(54, 792 - top - 12.5, letter)
        canvas.setFont("Helvetica", 10)
        canvas.drawString(84, 792 - top, "Choose this where the river is low")
        canvas.drawString(84, 792 - top - 12.5, "and no rain is foretold.")
    canvas.save()
    texts = [text for text in _texts(tmp_path / "choices.pdf") if "Choose" in text]
    assert len(texts) == 3
    assert all(text.startswith("Choose this") for text in texts)


@pytest.mark.parametrize("framed", [True, False])
@pytest.mark.parametrize("between", [True, False])
def test_a_pull_quote_does_not_split_the_sentence_around_it(tmp_path: Path, framed: bool, between: bool) -> None:
    canvas = Canvas(str(tmp_path / "quote.pdf"), pagesize=LETTER)
    _title(canvas, "The mills of the valley", 54, 60, 18)
    for column in range(2):
        left, top = 54.0 + 264 * column, 90.0
        text = _sentence(f"c{column}", 260, column).split()
        canvas.setFont(ROMAN, 11)
        while text:
            beside = 270 < top < 360
            if beside and not between and column == 0:
                top = 372
                continue
            inset = 75 if beside and between else 0
            count = 1
            while count < len(text) and stringWidth(" ".join(text[: count + 1]), ROMAN, 11) < 240 - inset:
                count += 1
            canvas.drawString(left + (inset if column else 0), 792 - top, " ".join(text[:count]))
            text, top = text[count:], top + 13
    canvas.setFont("Times-Italic", 17)
    for row, line in enumerate(("“Nobody here", "remembers a year", "without a flood”")):
        canvas.drawCentredString(306 if between else 174, 792 - 295 - 22 * row, line)
    if framed:
        canvas.rect(229 if between else 60, 792 - 362, 154 if between else 228, 92)
    canvas.save()
    draft = read(tmp_path / "quote.pdf")
    texts = [node.text for node in draft.nodes]
    assert texts.count("“Nobody here remembers a year without a flood”") == 1
    running = " ".join(text for text in texts if not text.startswith("“") and "mills of the valley" not in text)
    assert running == " ".join(_sentence(f"c{column}", 260, column) for column in range(2))
    assert not of_type(draft, ContentNodeType.HEADING)
    for column in range(2):
        assert any(f"Beginc{column}" in text and f"endc{column}." in text for text in texts)


def test_text_under_all_columns_is_read_after_them(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "columns.pdf"), pagesize=LETTER)
    bottom = max(_write(canvas, _sentence("abc"[at], 40, 40 * at), 60 + 170 * at, 100, 150) for at in range(3))
    _title(canvas, "Sources", 60, bottom + 20)
    top = bottom + 36
    for key in "de":
        top = 8 + _write(canvas, _sentence(key, 36, 20), 60, top, 490)
    canvas.save()
    assert _order(tmp_path / "columns.pdf") == ["a", "b", "c", "Sources", "d", "e"]


def test_dates_at_the_right_are_read_before_the_items_below(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "life.pdf"), pagesize=LETTER)
    rows: list[tuple[str, str, str]] = [
        ("Surveyor of Bridges", "2013 - 2015", "built"),
        ("Teacher at the School", "2016 - 2018", "taught"),
        ("Keeper of the Plans", "2019 - today", "kept"),
    ]
    top = 100.0
    for place, date, done in rows:
        canvas.setFont("Times-Roman", 10)
        canvas.drawString(72, LETTER[1] - top, place)
        canvas.drawString(72, LETTER[1] - top - 13, "of the town")
        canvas.drawRightString(550, LETTER[1] - top, date)
        canvas.drawRightString(550, LETTER[1] - top - 13, "Somewhere, XY")
        for number, count in enumerate((6, 14, 5)):
            text = f"- {done} {number} {' '.join(words(count))}"
            canvas.drawString(62, LETTER[1] - top - 30 - 14 * number, text)
        top += 100
    canvas.save()
    text = " ".join(_texts(tmp_path / "life.pdf"))
    keys = [key for _, date, done in rows for key in (date, f"{done} 0", f"{done} 1")]
    assert keys == sorted(keys, key=text.index)


def test_boxes_are_read_in_the_order_of_docling() -> None:
    """Columns, rows and boxes that overlap, thrown at random: ours and docling's order are one."""
    size = Size(width=600, height=800)
    for seed in range(150):
        throw = random.Random(seed)
        step = throw.choice([1, 10, 37])
        boxes = []
        for _ in range(throw.randint(2, 14)):
            left, top = throw.randint(0, 500) // step * step, throw.randint(0, 700) // step * step
            boxes.append(Box(left, top, left + throw.randint(1, 300), top + throw.choice([10, 12, 30, 100])))
        boxes.sort(key=lambda box: (round(box.top), box.left))
        rows = [False, *(throw.random() < 0.5 for _ in boxes[1:])]
        keys: dict[int, int] = {}
        elements = []
        key = 0
        for index, (box, row) in enumerate(zip(boxes, rows, strict=True)):
            key += 1 if row else 2  # those that follow each other may be one row
            keys[key] = index
            sides = {"l": box.left, "r": box.right, "t": 800 - box.top, "b": 800 - box.bottom}
            place = {"page_no": 1, "page_size": size, "coord_origin": CoordOrigin.BOTTOMLEFT}
            elements.append(PageElement(cid=key, label=DocItemLabel.TEXT, **sides, **place))
        theirs = [keys[element.cid] for element in ReadingOrderPredictor().predict_reading_order(elements)]
        assert sequence.in_sequence(boxes, rows, 600, 800) == theirs, seed


def test_boxes_in_a_circle_of_links_are_not_lost() -> None:
    assert sequence._walked([], [[1], [0]], [[1], [0]]) == [0, 1]
    assert sequence.in_sequence([], [], 600, 800) == []


def test_no_page_loads_the_classes_of_docling(tmp_path: Path) -> None:
    """They take 100 MB, in each process that reads."""
    path = tmp_path / "columns.pdf"
    canvas = Canvas(str(path), pagesize=LETTER)
    for left in (72, 324):
        _write(canvas, _sentence(f"C{left}", 80, left), left, 100, 220)
    canvas.save()
    program = (
        "import sys; from pathlib import Path; from ragraph.ingest.readers import ReadOptions, reader_for;"
        "path = Path(sys.argv[1]); reader_for(path).read(path, ReadOptions(layout='rules', ocr=False));"
        "print([name for name in sys.modules if name.startswith('docling') and 'parse' not in name])"
    )
    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_numbers_of_lines_are_in_no_text(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "draft.pdf"), pagesize=LETTER)
    for column, key in enumerate("abcd"):
        _write(canvas, _sentence(key, 110, 40 * column), 60 + 260 * (column // 2), 100 + 300 * (column % 2), 235)
    canvas.setFont("Times-Roman", 6)
    for row in range(58):
        canvas.drawRightString(45, LETTER[1] - 95 - 11 * row, str(1625 + row))
        canvas.drawRightString(582, LETTER[1] - 95 - 11 * row, str(1683 + row))
    canvas.save()
    texts = _texts(tmp_path / "draft.pdf")
    assert not any("16" in text or "17" in text for text in texts if "Begin" in text)
    assert _order(tmp_path / "draft.pdf")[:4] == ["a", "b", "c", "d"]
