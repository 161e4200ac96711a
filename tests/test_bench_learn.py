"""What learners read: a tagged file up to a pass, what it states of it, and what is kept of that."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from tagged_files import Tag, write_tagged

from ragraph.errors import IngestError
from ragraph.pdf.blocks.breaks import NAMES
from ragraph.pdf.blocks.drawn import measure
from ragraph.pdf.model import Box, Kind, Line, Page, Style, Word, font_of
from ragraph.pdf.training import breaks, drawn, edges, reading, records, truth
from ragraph.pdf.training.folds import fold_of, folds_by_size
from ragraph.pdf.training.over import over

WORDS = "Rain falls on hills and runs in brooks to the river below them"


@pytest.fixture
def tagged(tmp_path: Path) -> Path:
    """A page with a heading, paragraphs of which one is on a drawing, a figure with a label, a table, and a foot."""
    cells = [[f"{name} {row}" for name in ("Lake", "Depth")] for row in range(4)]
    table = Tag(
        "Table",
        kids=[
            Tag("TR", kids=[Tag("TD", [(90 + 200 * at, 380 - 20 * row, 10, text)]) for at, text in enumerate(of_row)])
            for row, of_row in enumerate(cells)
        ],
    )
    label = Tag("Figure", [(120, 200, 8, "pump")], drawing="100 120 200 120 re S")
    text = [Tag("P", [(72, 640 - 14 * line, 10, f"{WORDS} {line}") for line in range(5)])]
    more = [Tag("P", [(72, 538 - 14 * line, 10, f"{WORDS} {line + 5}") for line in range(5)])]
    on_drawing = Tag("P", [(330, 200, 10, "See the pump.")])
    path = tmp_path / "pdfs" / "below" / "water.pdf"
    path.parent.mkdir(parents=True)
    title, head = (Tag("H1", [(72, 700, 18, "Of water")], bold=True), Tag("H2", [(72, 560, 12, "Of rain")], bold=True))
    tags = [title, *text, head, *more, table, label, on_drawing]
    write_tagged(path, tags, artifacts=((300, 30, 9, "7"),), drawn="320 120 200 120 re S")
    return path


def test_each_learner_reads_a_tagged_file(tagged: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    for _ in ("read", "kept"):
        known = truth.known(tagged, cache)
        assert known is not None
        assert (known.headings, known.by) == (2, "tags")
        rows = records.rows_of_file(known, "water", "water", [])
        assert (rows.truth == 1).sum() == 1

        lines = breaks._read(tagged, {"tags": True, "pages": 1})
        assert lines.covered == 1.0
        assert Counter(place.kind for page in lines.places for place in page if place)[Kind.TEXT] >= 10
        assert breaks._pairs(lines, "water").values.shape[1] == len(NAMES)

        read = edges._read(tagged, cache, None)
        assert read is not None
        work, pages = read
        assert Counter(edges._states(work.pages[0], pages[1]).values())[edges.ARTIFACT] == 1

        of_figures = list(drawn._of_file(drawn._File("tags", "water", tagged, 1, 1), {}, cache))
        said = {text: known for place in of_figures for text, known in zip(place.text, place.truth, strict=True)}
        assert said == {"pump": drawn.LABEL, "See the pump.": drawn.TEXT_OF_PAGE}


def test_lines_are_measured_as_they_are_asked_of() -> None:
    """A title over a picture is displayed: the reader takes it for text before it asks of the caption beneath it."""
    font = font_of("Helvetica")
    title, label = Word(120, 110, 330, 134, "Rivers", font), Word(120, 300, 180, 310, "a weir", font)
    title.size, label.size = 24, 10
    page = Page(1, 600, 800, images=[Box(100, 100, 400, 400)])
    page.lines = [Line([word]) for word in (title, label)]
    page.free = [*page.lines]
    style, pieces = Style(10, False, 12), [drawn.Piece(word.box, "text", True) for word in (title, label)]
    file = drawn._File("tags", "water", Path("water.pdf"), 1, 1)
    asked, rest = drawn._of_page(file, page, style, pieces)
    assert (asked.asked, asked.text) == (True, ("a weir",))
    assert (rest.asked, rest.text) == (False, ("Rivers",))
    assert (asked.values == measure(page, page.images[0], page.lines[1:], page.lines, style)).all()
    assert drawn._counted(asked, asked.ruled, np.array([True]))[[2, 4]].tolist() == [6, 0], "lost by rules, and weights"


def test_what_another_code_read_is_read_again(tagged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert reading.kept(tmp_path, tagged, "one", lambda: "old") == "old"
    assert reading.kept(tmp_path, tagged, "one", lambda: "new") == "old"
    monkeypatch.setattr(reading, "_digest", lambda: "0123")
    assert reading.kept(tmp_path, tagged, "one", lambda: "new") == "new"


def test_files_that_are_absent_are_read_when_they_come(tagged: Path, tmp_path: Path) -> None:
    later, cache = tmp_path / "later.pdf", tmp_path / "cache"
    assert truth.known(later, cache) is None
    assert not cache.exists()
    tagged.rename(later)
    assert truth.known(later, cache) is not None


def test_files_that_cannot_be_read_are_not_read_again(tmp_path: Path) -> None:
    (tmp_path / "no.pdf").write_bytes(b"none")
    asked = []

    def read() -> str:
        asked.append(1)
        raise IngestError("no")

    assert [reading.kept(tmp_path, tmp_path / "no.pdf", "no", read) for _ in range(2)] == [None, None]
    assert asked == [1]


def test_files_lie_in_any_folders(tagged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert reading.places(tmp_path) == {"water": tagged}
    item = {"sha256": "water", "tags": True, "pages": 1, "source": "of water"}
    monkeypatch.setattr(breaks, "listed", lambda name: [item])
    assert [pairs.source for pairs in breaks._files(tmp_path, tmp_path / "cache")] == ["of water"]


def test_sources_are_parted_by_their_names_or_sizes() -> None:
    assert {fold_of(f"source {number}", 3) for number in range(20)} == {0, 1, 2}
    assert folds_by_size({"a": 1, "b": 5, "c": 1, "d": 4}, 2) == {"b": 0, "d": 1, "a": 1, "c": 0}


def test_pieces_over_the_middle_of_a_word() -> None:
    word = Word(70, 38, 90, 44, "lake", font_of("Times-Roman"))
    boxes = [drawn.Piece(Box(60, 20, 100, 39), "", True), drawn.Piece(Box(60, 42.5, 79, 60), "text", True)]
    assert [(one.text, [boxes.index(piece) for piece in found]) for one, found in over(boxes, [word], 2)] == [
        ("lake", [0, 1])
    ]
    assert [found for _, found in over(boxes, [word], 0.5)] == [[]]
    assert np.isclose(boxes[0].box.area, 760)


def test_furniture_is_judged_in_the_groups_that_the_reader_doubts() -> None:
    font = font_of("Helvetica")
    pages = []
    for number in range(1, 7):
        page = Page(number, 600, 800)
        rows = [(30, "Of water"), *((150 + 14 * row, f"{WORDS} {row}") for row in range(20))]
        page.lines = [Line([Word(72, top, 72 + 5 * len(text), top + 10, text, font)]) for top, text in rows]
        pages.append(page)
    heads = {id(word) for page in pages for word in page.lines[0].words}
    truth_of = {id(word): int(id(word) in heads) for page in pages for line in page.lines for word in line.words}
    part = edges._part("whole", pages, truth_of)
    assert (part.truth == 1).tolist() == part.ruled.tolist() == [True] * 6
    one_doubted = np.array([-6.0, 2.0, 2.0, 2.0, 2.0, 2.0])
    assert not part.doubted(one_doubted).any(), "the same words on all pages are one"
    assert part.doubted(np.full(6, -3.0)).all()
