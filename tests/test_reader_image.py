"""Scans that come as images: pages of the right size, their text recognised, hostile ones refused in one line."""

from __future__ import annotations

import re
import struct
import zlib
from typing import TYPE_CHECKING, Any

import pypdfium2
import pytest
from ingest_tools import by_name, rows, run
from PIL import Image, ImageDraw
from scans import BODY, HEADINGS, MORE, scanned

from ragraph.base.extras import extra_there
from ragraph.errors import DamagedFileError, FileTooLargeError, IngestError, NoTextError
from ragraph.ingest.reader_process.preflight import Limits, preflight
from ragraph.ingest.reader_process.worker import read_draft
from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.image import ImageReader, reader
from ragraph.ingest.readers.image.reader import USUAL_DPI, opened, resolution

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.database.connection import Database
    from ragraph.ingest.draft import Draft

needs_ocr = pytest.mark.skipif(not extra_there("ocr"), reason="the extra ocr is not installed")


def letters(text: str) -> str:
    return re.sub(r"\W", "", text)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> list[Image.Image]:
    """The two pages of a scan, at 150 dots per inch."""
    path = scanned(tmp_path_factory.mktemp("scan") / "scan.pdf", pages=2)
    document = pypdfium2.PdfDocument(path)
    made = [document[number].render(scale=150 / 72).to_pil().convert("L") for number in range(2)]
    document.close()
    return made


def check_pages(draft: Draft, width: float = 595, height: float = 842) -> None:
    text = letters(" ".join(node.text for node in draft.nodes))
    for line in (HEADINGS[0], *BODY, *MORE):
        assert letters(line) in text
    for page in draft.pages:
        assert page.width == pytest.approx(width, abs=2)
        assert page.height == pytest.approx(height, abs=2)
    for node in draft.nodes:
        for place in node.positions:
            assert place.bbox is not None
            assert 0 <= place.bbox.x1 < place.bbox.x2 <= width + 2
            assert 0 <= place.bbox.y1 < place.bbox.y2 <= height + 2


@needs_ocr
def test_tiff_of_several_pages_becomes_a_document(database: Database, tmp_path: Path, pages: list[Any]) -> None:
    folder = tmp_path / "scans"
    folder.mkdir()
    pages[0].save(folder / "scan.tif", save_all=True, append_images=pages[1:], dpi=(150, 150), compression="tiff_lzw")
    report = run(database, folder, model=None, workers=1)
    assert report.ok, report
    assert by_name(report)["scan.tif"].status == "added"
    assert rows(database, "SELECT page_count, mime_type FROM ragraph.document") == [(2, "image/tiff")]
    assert rows(database, "SELECT title, publication_date FROM ragraph.publication") == [(HEADINGS[0], None)]
    found = rows(database, "SELECT round(width), round(height) FROM ragraph.document_page")
    assert {(int(width), int(height)) for width, height in found} <= {(w, h) for w in (595, 596) for h in (842, 843)}
    contents = letters(" ".join(text for (text,) in rows(database, "SELECT content FROM ragraph.content_node")))
    assert letters(HEADINGS[1]) in contents
    assert rows(database, "SELECT ingested_with ->> 'reader' FROM ragraph.document")[0][0].startswith("image/")
    assert rows(database, "SELECT * FROM ragraph.check_store()") == []
    assert by_name(run(database, folder, model=None, workers=1))["scan.tif"].status == "unchanged"


@needs_ocr
@pytest.mark.parametrize("kind", ["jpeg on its side", "png, see-through, without resolution"])
def test_pages_lie_as_they_are_seen(tmp_path: Path, pages: list[Any], kind: str) -> None:
    path = tmp_path / ("a.jpg" if kind.startswith("jpeg") else "a.png")
    if kind.startswith("jpeg"):
        exif = Image.Exif()
        exif[0x0112] = 6  # to be turned clockwise
        pages[0].rotate(90, expand=True).save(path, dpi=(150, 150), exif=exif, quality=90)
        check_pages(ImageReader().read(path, ReadOptions()))
    else:
        clear = Image.new("RGBA", pages[0].size, (0, 0, 0, 0))
        clear.putalpha(pages[0].point(lambda value: 255 - value))  # black on nothing
        clear.save(path)
        scale = 150 / USUAL_DPI
        check_pages(read_draft(path, ReadOptions(), Limits()), 595 * scale, 842 * scale)


@pytest.mark.parametrize(
    ("info", "size", "expected"),
    [
        ({"dpi": (300, 300)}, (2480, 3508), (300, 300)),
        ({"dpi": (204, 98)}, (1728, 1100), (204, 98)),
        ({}, (2480, 3508), (USUAL_DPI, USUAL_DPI)),
        ({"dpi": (0, 0)}, (100, 100), (USUAL_DPI, USUAL_DPI)),
        ({"dpi": (1, 1)}, (100, 100), (USUAL_DPI, USUAL_DPI)),
        ({"dpi": ("a", None)}, (100, 100), (USUAL_DPI, USUAL_DPI)),
        ({"dpi": (float("nan"), 300)}, (100, 100), (USUAL_DPI, USUAL_DPI)),
        ({"dpi": (72, 72)}, (4000, 3000), (USUAL_DPI, USUAL_DPI)),
        ({"dpi": (72, 72)}, (595, 842), (72, 72)),
    ],
)
def test_resolution(info: dict[str, Any], size: tuple[int, int], expected: tuple[float, float]) -> None:
    picture = Image.new("1", size)
    picture.info.update(info)
    assert resolution(picture) == expected


def test_sixteen_bits_keep_their_greys(tmp_path: Path) -> None:
    picture = Image.new("I;16", (40, 20), 60_000)
    ImageDraw.Draw(picture).rectangle((0, 0, 9, 19), fill=0)
    picture.save(tmp_path / "a.png")
    with opened(tmp_path / "a.png") as image:
        made = reader._on_white(image)
    assert (made.mode, made.getpixel((5, 5)), made.getpixel((30, 5))) == ("L", 0, 255)


def png_bomb(path: Path, side: int) -> Path:
    """A PNG of side x side white dots; its pixels are one row of zeros that is said to go on."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    packer = zlib.compressobj(9)
    rows_ = packer.compress(bytes(1 + side // 8) * min(side, 2000)) + packer.flush()
    head = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows_) + chunk(b"IEND", b""))
    return path


@pytest.mark.parametrize("side", [50_000, 13_000])
def test_bombs_are_refused_before_they_are_unpacked(tmp_path: Path, side: int) -> None:
    with pytest.raises(FileTooLargeError) as caught:
        preflight(png_bomb(tmp_path / "a.png", side), Limits())
    assert "bomb" in str(caught.value)
    assert "\n" not in str(caught.value)
    preflight(png_bomb(tmp_path / "b.png", 5000), Limits())


def test_every_page_of_a_tiff_is_looked_at(tmp_path: Path) -> None:
    small, large = Image.new("1", (10, 10)), Image.new("1", (400, 300))
    small.save(tmp_path / "a.tif", save_all=True, append_images=[large])
    preflight(tmp_path / "a.tif", Limits(pixels=120_000))
    with pytest.raises(FileTooLargeError, match="400 x 300"):
        preflight(tmp_path / "a.tif", Limits(pixels=119_999))
    with pytest.raises(FileTooLargeError, match="2 pages"):
        preflight(tmp_path / "a.tif", Limits(pages=1))


def test_smaller_copies_in_a_tiff_are_no_pages(tmp_path: Path) -> None:
    pages = [Image.new("L", (400, 300)), Image.new("L", (40, 30)), Image.new("L", (300, 400))]
    pages[1].encoderinfo = {"tiffinfo": {254: 1}}
    pages[0].save(tmp_path / "a.tif", save_all=True, append_images=pages[1:])
    reader._write_pdf(tmp_path / "a.tif", tmp_path / "a.pdf", None)
    document = pypdfium2.PdfDocument(tmp_path / "a.pdf")
    scale = 72 / USUAL_DPI
    assert [page.get_size() for page in document] == [(400 * scale, 300 * scale), (300 * scale, 400 * scale)]
    document.close()


@needs_ocr
@pytest.mark.parametrize("kind", ["png", "jpeg", "tiff"])
def test_files_that_are_cut_short_get_one_line(tmp_path: Path, pages: list[Any], kind: str) -> None:
    whole = tmp_path / f"whole.{kind}"
    pages[0].save(whole)
    content = whole.read_bytes()
    for share in (0.001, 0.3, 0.9):
        path = tmp_path / f"cut.{kind}"
        path.write_bytes(content[: max(12, int(len(content) * share))])
        with pytest.raises(IngestError) as caught:
            read_draft(path, ReadOptions(), Limits())
        assert isinstance(caught.value, DamagedFileError), caught.value
        assert "\n" not in str(caught.value)


def test_without_ocr_it_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.png"
    Image.new("1", (10, 10)).save(path)
    with pytest.raises(NoTextError, match="leave out ocr=False"):
        ImageReader().read(path, ReadOptions(ocr=False))
    monkeypatch.setattr(reader, "available", lambda: False)
    with pytest.raises(NoTextError, match=re.escape("pip install 'ragraph-store[ocr]'")):
        ImageReader().read(path, ReadOptions())


@needs_ocr
def test_a_picture_without_words_is_refused(tmp_path: Path) -> None:
    Image.new("L", (400, 400), 255).save(tmp_path / "blank.png")
    with pytest.raises(NoTextError):
        read_draft(tmp_path / "blank.png", ReadOptions(), Limits())


def test_what_is_an_image_by_its_first_bytes_alone_is_told_in_words(tmp_path: Path) -> None:
    for name, first in (("a.jpg", b"\xff\xd8\xff\xe0"), ("a.tiff", b"II*\x00")):
        (tmp_path / name).write_bytes(first + bytes(range(256)) * 20)
        with pytest.raises(DamagedFileError, match="does not go on as it begins"):
            read_draft(tmp_path / name, ReadOptions(), Limits())
