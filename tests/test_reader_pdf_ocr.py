"""Pages that are images: which are recognised, what becomes of their words, and what is said where nothing can be."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pikepdf
import pytest
from ingest_tools import rows, run, statuses
from reportlab.pdfbase.pdfmetrics import stringWidth
from scans import A4, BODY, HEADINGS, MORE, scanned

from ragraph.base import extra_time
from ragraph.base.extras import extra_there
from ragraph.errors import IngestError, NoTextError, ReaderTimeoutError
from ragraph.ingest.reader_process import isolate
from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.pdf import PdfReader
from ragraph.pdf.model import Box, Page, Word, font_of
from ragraph.pdf.page import ocr
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from ragraph.database.connection import Database
    from ragraph.ingest.draft import Draft, DraftNode

needs_ocr = pytest.mark.skipif(not extra_there("ocr"), reason="the extra ocr is not installed")
FIRST, SECOND = " ".join(BODY), " ".join(MORE)


def _read(path: Path, **options: object) -> Draft:
    return PdfReader().read(path, ReadOptions(**options))  # type: ignore[arg-type]


def _of(draft: Draft, type: ContentNodeType) -> list[DraftNode]:
    return [node for node in draft.nodes if node.type is type]


def _letters(text: str) -> str:
    return re.sub(r"\W", "", text)


def _check_structure(draft: Draft, page: int, heading: str = HEADINGS[0]) -> None:
    """The page of ``scans.write_page``, read right: heading, two paragraphs, page number."""
    headings = [node for node in draft.nodes if node.type in {ContentNodeType.HEADING, ContentNodeType.TITLE}]
    assert heading in [node.text for node in headings if node.positions[0].page_pdf == page]
    # A page number is told by the pages around it; of a single page it stays a paragraph.
    paragraphs = [
        node
        for node in _of(draft, ContentNodeType.PARAGRAPH)
        if node.positions[0].page_pdf == page and len(node.text) > 1
    ]
    assert [_letters(node.text) for node in paragraphs] == [_letters(FIRST), _letters(SECOND)]
    for node in draft.nodes:
        for place in node.positions:
            size = draft.pages[place.page_pdf - 1]
            box = place.bbox
            assert box is not None and size.width is not None and size.height is not None
            assert 0 <= box.x1 < box.x2 <= size.width and 0 <= box.y1 < box.y2 <= size.height


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> tuple[Draft, list[float]]:
    """Two scanned pages as they are read, and the time that was asked for meanwhile."""
    asked: list[float] = []
    extra_time.on_request(asked.append)
    try:
        return _read(scanned(tmp_path_factory.mktemp("scan") / "scan.pdf", pages=2)), asked
    finally:
        extra_time.on_request(None)


@needs_ocr
def test_a_scanned_file_gets_headings_paragraphs_and_page_numbers(plain: tuple[Draft, list[float]]) -> None:
    draft, asked = plain
    for page in (1, 2):
        _check_structure(draft, page, HEADINGS[page - 1])
    assert [node.text for node in _of(draft, ContentNodeType.PAGE_NUMBER)] == ["1", "2"]
    recognised = draft.made_by["ocr"]
    assert recognised["engine"].startswith("rapidocr/") and recognised["pages"] == [1, 2]
    assert 0.9 < recognised["confidence"] <= 1
    assert not [line for line in draft.warnings if "likely read wrong" not in line]
    assert "lacks" not in draft.made_by
    assert asked == [ocr.PAGE_S, ocr.PAGE_S]


@needs_ocr
def test_words_of_a_scan_stand_where_they_are_printed(plain: tuple[Draft, list[float]]) -> None:
    heading = next(node for node in plain[0].nodes if node.text == HEADINGS[0])
    box = heading.positions[0].bbox
    assert box is not None
    # Drawn at x = 72, baseline 740 from below on a page of 842, in 18 points.
    right = 72 + stringWidth(HEADINGS[0], "Helvetica-Bold", 18)
    assert box.x1 == pytest.approx(72, abs=2) and box.x2 == pytest.approx(right, abs=2)
    assert box.y1 == pytest.approx(A4[1] - 740 - 13.5, abs=3) and box.y2 == pytest.approx(A4[1] - 740 + 4, abs=3)


@needs_ocr
def test_footnotes_of_a_scan_are_bound_to_their_marks(tmp_path: Path) -> None:
    draft = _read(scanned(tmp_path / "scan.pdf", note="The gauge at the mill was set anew in that year."))
    notes = _of(draft, ContentNodeType.NOTE)
    assert [_letters(node.text) for node in notes] == ["Thegaugeatthemillwassetanewinthatyear"]
    text = next(node for node in draft.nodes if _letters(node.text) == _letters(FIRST))
    marks = [(item.source, item.target, item.marker) for item in draft.relations]
    assert marks == [(text.key, notes[0].key, "1")]


@needs_ocr
@pytest.mark.parametrize("angle", [90.0, 180.0, 1.5])
def test_a_page_scanned_askew_or_turned_is_read_upright_and_placed_where_it_is(tmp_path: Path, angle: float) -> None:
    draft = _read(scanned(tmp_path / "scan.pdf", angle=angle))
    _check_structure(draft, 1)
    width, height = (A4[1], A4[0]) if angle == 90 else A4
    assert (draft.pages[0].width, draft.pages[0].height) == pytest.approx((width, height), abs=0.1)
    heading = next(node for node in draft.nodes if node.text == "Water levels")
    box = heading.positions[0].bbox
    assert box is not None
    x, y = (box.x1 + box.x2) / 2, (box.y1 + box.y2) / 2
    upright = (126.0, A4[1] - 745.0)
    # Where the turned picture has the middle of the heading.
    places = {90.0: (upright[1], A4[0] - upright[0]), 180.0: (A4[0] - upright[0], A4[1] - upright[1])}
    expected = places.get(angle, upright)
    assert (x, y) == pytest.approx(expected, abs=4 if angle % 90 == 0 else 12)


@needs_ocr
def test_pages_with_text_of_their_own_are_left_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = scanned(tmp_path / "mixed.pdf", text_page=True)
    seen: list[int] = []

    original = ocr.recognise

    def recognise(pages: list[Page], document: object, *rest: Any) -> ocr.Recognised:
        seen.extend(page.number for page in pages)
        return original(pages, document, *rest)

    monkeypatch.setattr(ocr, "recognise", recognise)
    draft = _read(path)
    assert seen == [2]
    _check_structure(draft, 2)
    printed = next(node for node in draft.nodes if node.text == "Printed words")
    assert printed.positions[0].page_pdf == 1
    assert draft.made_by["ocr"]["pages"] == [2]


@needs_ocr
def test_a_stamp_does_not_hide_that_a_page_is_an_image(tmp_path: Path) -> None:
    draft = _read(scanned(tmp_path / "stamped.pdf", stamp="Library of the mill, 1931"))
    texts = [node.text for node in draft.nodes]
    assert texts.count("Library of the mill, 1931") == 1  # read once, from the file's own words
    assert any(_letters(text) == _letters(FIRST) for text in texts)


def test_a_file_of_images_names_the_extra_that_reads_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragraph.base.extras.EXTRAS", {"ocr": ("no_such_module",)})
    with pytest.raises(NoTextError, match=r"pip install 'ragraph-store\[ocr\]'"):
        _read(scanned(tmp_path / "scan.pdf"))


def test_a_mixed_file_is_read_and_names_what_it_lacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragraph.base.extras.EXTRAS", {"ocr": ("no_such_module",)})
    draft = _read(scanned(tmp_path / "mixed.pdf", pages=2, text_page=True))
    assert any(node.text == "Printed words" for node in draft.nodes)
    assert len(draft.warnings) == 1
    assert re.search(r"2, 3.*pip install 'ragraph-store\[ocr\]'", draft.warnings[0])
    assert draft.made_by["lacks"] == ["ocr"]


def test_ocr_can_be_switched_off(tmp_path: Path) -> None:
    with pytest.raises(NoTextError, match="leave out ocr=False"):
        _read(scanned(tmp_path / "scan.pdf"), ocr=False)
    draft = _read(scanned(tmp_path / "mixed.pdf", text_page=True), ocr=False)
    assert "ocr" not in draft.made_by and "lacks" not in draft.made_by
    assert "as asked for: 2" in draft.warnings[0]


def test_an_empty_page_is_no_scan_and_a_file_of_them_is_refused(tmp_path: Path) -> None:
    assert not ocr.is_scanned(Page(1, 600, 800))
    from reportlab.pdfgen.canvas import Canvas

    canvas = Canvas(str(tmp_path / "empty.pdf"))
    canvas.showPage()
    canvas.save()
    with pytest.raises(NoTextError, match="no text and no images"):
        _read(tmp_path / "empty.pdf")


@pytest.mark.parametrize(
    ("letters", "image", "expected"),
    [
        (0, Box(0, 0, 600, 800), True),
        (0, Box(250, 300, 350, 400), True),
        (20, Box(0, 0, 600, 800), True),
        (20, Box(250, 300, 350, 400), False),
        (400, Box(0, 0, 600, 800), False),
    ],
)
def test_what_counts_as_a_scan(letters: int, image: Box, expected: bool) -> None:
    page = Page(1, 600, 800, images=[image])
    page.words = [Word(10, 10, 20, 20, "x" * letters, font_of("Times"))] if letters else []
    assert ocr.is_scanned(page) is expected


@pytest.mark.parametrize("asks", [True, False])
def test_time_that_a_reader_asks_for_is_added(asks: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asking = "send(b'T', b'30.0')" if asks else "pass"
    script = f"""
import sys, time
def send(kind, content):
    sys.stdout.buffer.write(kind + len(content).to_bytes(8, "big") + content)
    sys.stdout.buffer.flush()
send(b"R", b"")
sys.stdin.readline()
{asking}
time.sleep(2)
send(b"D", b'{{"reader": "test/1"}}')
time.sleep(30)
"""
    monkeypatch.setattr(isolate, "WORKER", (sys.executable, "-c", script))
    if asks:
        assert isolate.read_isolated(tmp_path / "any", timeout_s=1.5).reader == "test/1"
    else:
        with pytest.raises(ReaderTimeoutError):
            isolate.read_isolated(tmp_path / "any", timeout_s=1.5)


@needs_ocr
def test_a_document_that_lacked_the_extra_is_read_again_once_it_is_there(tmp_path: Path, database: Database) -> None:
    path = scanned(tmp_path / "mixed.pdf", text_page=True)
    options = ReadOptions(layout="rules")
    assert statuses(run(database, path, options=options)) == {"mixed.pdf": "added"}
    made = rows(database, "SELECT ingested_with FROM ragraph.document")[0][0]
    assert made["layout"] == "rules" and made["ocr"]["pages"] == [2]
    assert statuses(run(database, path, options=options)) == {"mixed.pdf": "unchanged"}
    # As a machine without the extra would have left it.
    with database.write() as connection:
        connection.execute(
            """UPDATE ragraph.document SET ingested_with = ingested_with - 'ocr' || '{"lacks": ["ocr"]}'"""
        )
    assert statuses(run(database, path, options=options)) == {"mixed.pdf": "changed"}
    assert "lacks" not in rows(database, "SELECT ingested_with FROM ragraph.document")[0][0]


@pytest.fixture(scope="module")
def russian(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Draft]:
    """A scan that says it is in Russian, and how it is read."""
    path = scanned(tmp_path_factory.mktemp("russian") / "scan.pdf")
    with pikepdf.open(path, allow_overwriting_input=True) as file:
        file.Root.Lang = pikepdf.String("ru-RU")
        file.save(path)
    return path, _read(path)


@needs_ocr
def test_a_scan_in_a_language_whose_letters_the_models_lack_is_told(russian: tuple[Path, Draft]) -> None:
    assert any("'ru-ru'" in line and "pages 1" in line for line in russian[1].warnings)


@needs_ocr
def test_another_model_recognises_what_the_packaged_one_does_not_know(
    russian: tuple[Path, Draft], tmp_path: Path
) -> None:
    """Here a copy of the packaged one, since no other is at hand."""
    import rapidocr

    (packaged,) = (Path(rapidocr.__file__).parent / "models").glob("*rec*.onnx")
    other = tmp_path / "cyrillic.onnx"
    shutil.copyfile(packaged, other)
    path, usual = russian
    found = _read(path, ocr_model=str(other))
    assert [node.text for node in found.nodes] == [node.text for node in usual.nodes]
    assert found.made_by["ocr"]["engine"].endswith("cyrillic.onnx")
    assert not any("ru-ru" in line for line in found.warnings)


@needs_ocr
@pytest.mark.parametrize("content", [None, b"no model", "one that finds lines"])
def test_what_is_no_model_for_recognition_is_refused(tmp_path: Path, content: bytes | str | None) -> None:
    import rapidocr

    model = tmp_path / "model.onnx"
    if isinstance(content, bytes):
        model.write_bytes(content)
    elif content is not None:
        (finds,) = (Path(rapidocr.__file__).parent / "models").glob("*det*.onnx")
        shutil.copyfile(finds, model)
    with pytest.raises(IngestError, match="PaddleOCR"):
        _read(scanned(tmp_path / "scan.pdf"), ocr_model=str(model))
