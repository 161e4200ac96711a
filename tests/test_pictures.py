"""Pages and figures as images: the box is where the words are, whatever the page does to its coordinates."""

from __future__ import annotations

import hashlib
import io
import zipfile
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pikepdf
import pytest
from factories import make_document
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

import ragraph
from ragraph.errors import ArgumentError, AssetError, DocumentNotFoundError, NodeNotFoundError, PageNotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ragraph import Picture, Store
    from ragraph.database.connection import Database

CASES = list(product((0, 90, 180, 270), (False, True), ((0, 0), (30, -40)), (1, 2)))
DOCUMENTS = Path(__file__).parent.parent / "examples" / "documents"


def write_page(
    path: Path, rotate: int = 0, cropped: bool = False, origin: tuple[int, int] = (0, 0), unit: int = 1
) -> None:
    """Write a page with a paragraph in red, off the middle, and a blue square far from it."""
    drawn = io.BytesIO()
    canvas = Canvas(drawn, pagesize=(612, 792))
    canvas.setFillColorRGB(0, 0, 1)
    canvas.rect(420, 120, 60, 60, stroke=0, fill=1)
    canvas.setFillColorRGB(1, 0, 0)
    canvas.setFont("Helvetica", 12)
    for line in range(3):
        canvas.drawString(110, 640 - 15 * line, "Marked words stand here in the upper left of it.")
    canvas.showPage()
    canvas.save()
    with pikepdf.open(drawn) as pdf:
        page = pdf.pages[0]
        x, y = origin
        page.MediaBox = [x, y, 612 + x, 792 + y]
        page.contents_add(f"q 1 0 0 1 {x} {y} cm".encode(), prepend=True)
        page.contents_add(b"Q")
        if cropped:
            page.CropBox = [x + 50, y + 60, x + 580, y + 760]
        page.Rotate = rotate
        if unit != 1:
            page.UserUnit = unit
        pdf.save(path)


def pixels(picture: Picture) -> Any:
    return np.asarray(Image.open(io.BytesIO(picture.data)).convert("RGB")).astype(int)


def red(image: Any) -> Any:
    return (image[..., 0] - image[..., 1] > 60) & (image[..., 0] - image[..., 2] > 60)


def share_under(ink: Any, box: dict[str, float], scale: float, shift: float = 0) -> float:
    """Return the share of ink that lies under a box, moved by some points."""
    x1, y1, x2, y2 = (round((box[side] + shift) * scale) for side in ("x1", "y1", "x2", "y2"))
    return float(ink[max(0, y1 - 1) : y2 + 1, max(0, x1 - 1) : x2 + 1].sum() / ink.sum())


@pytest.fixture(scope="module")
def sheets(make_shared_database: Callable[[], str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A store with a document for each case, whose files are gone."""
    folder = tmp_path_factory.mktemp("sheets")
    for number, case in enumerate(CASES):
        write_page(folder / f"sheet{number:02}.pdf", *case)
    with ragraph.open(make_shared_database()) as store:
        for number in range(len(CASES)):
            report = store.ingest(folder / f"sheet{number:02}.pdf", document_id=f"dl_{number}", model=None)
            assert report.ok, report
            (folder / f"sheet{number:02}.pdf").unlink()
        yield store


@pytest.mark.parametrize("number", range(len(CASES)), ids=[str(case) for case in CASES])
def test_the_box_holds_the_ink_of_the_words_and_a_shifted_one_does_not(sheets: Store, number: int) -> None:
    document = f"dl_{number}"
    boxes = [place["bbox"] for node in sheets.nodes(document) for place in node.positional_data if node.content]
    assert boxes
    ink = red(pixels(sheets.page_image(document, 1, 2, format="png")))
    assert ink.sum() > 1000
    covered = {shift: sum(share_under(ink, box, 2, shift) for box in boxes) for shift in (0, 40)}
    assert covered[0] >= 0.95
    assert covered[40] < 0.6
    area = sum((box["x2"] - box["x1"]) * (box["y2"] - box["y1"]) for box in boxes)
    assert area < 612 * 792 / 8


def test_a_figure_is_what_its_box_shows(sheets: Store) -> None:
    node = next(node for node in sheets.nodes("dl_0") if node.content)
    cut = pixels(sheets.figure("dl_0", node.id))
    whole = pixels(sheets.page_image("dl_0", 1, format="png"))
    assert red(cut).sum() >= 0.95 * red(whole).sum()
    assert cut.shape[0] * cut.shape[1] < whole.shape[0] * whole.shape[1] / 8


def test_twenty_threads_draw_pages(sheets: Store) -> None:
    with ThreadPoolExecutor(20) as threads:
        drawn = list(threads.map(lambda n: sheets.page_image(f"dl_{n % 4}", 1), range(40)))
    assert {picture.media_type for picture in drawn} == {"image/jpeg"}
    assert all(picture.data == drawn[n % 4].data for n, picture in enumerate(drawn))


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="Linux counts the peak of memory there")
def test_many_large_pages_at_once_take_the_memory_of_one(sheets: Store) -> None:
    def mebibytes(name: str) -> int:
        (line,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(name)]
        return int(line.split()[1]) // 1024

    sheets.page_image("dl_0", 1, 6)
    before = mebibytes("VmRSS:")
    Path("/proc/self/clear_refs").write_text("5")
    with ThreadPoolExecutor(16) as threads:
        list(threads.map(lambda n: sheets.page_image(f"dl_{n % 4}", 1, 6), range(32)))  # 17 million pixels each
    assert mebibytes("VmHWM:") - before < 400


@pytest.mark.parametrize("page", [0, 2, -1, 2**31 - 2])
def test_a_page_that_is_not_there_is_named(sheets: Store, page: int) -> None:
    with pytest.raises(PageNotFoundError, match="its pages are 1 to"):
        sheets.page_image("dl_0", page)


@pytest.mark.parametrize("scale", [0, -1, 11, float("nan"), 2**70])
def test_a_scale_out_of_bounds_is_refused(sheets: Store, scale: float) -> None:
    with pytest.raises(ArgumentError, match="scale"):
        sheets.page_image("dl_0", 1, scale)


def test_what_is_not_there_is_told(sheets: Store) -> None:
    with pytest.raises(DocumentNotFoundError):
        sheets.page_image("dl_none", 1)
    with pytest.raises(NodeNotFoundError):
        sheets.figure("dl_0", "cn_none")
    with pytest.raises(ArgumentError, match="image format"):
        sheets.page_image("dl_0", 1, format="gif")  # type: ignore[arg-type]


def test_a_document_without_pages_says_so(library: Store) -> None:
    with pytest.raises(AssetError, match="has no pages"):
        library.page_image("dl_book", 1)


def test_a_scan_is_its_own_page(database: Database, tmp_path: Path) -> None:
    """Of an image, which OCR may not be there to read, the rows are made by hand."""
    Image.new("RGB", (500, 300), "white").save(tmp_path / "scan.png")
    with database.write() as connection:
        document = make_document(
            connection,
            "dl_scan",
            mime_type="image/png",
            source_uri=(tmp_path / "scan.png").as_uri(),
            sha256=hashlib.sha256((tmp_path / "scan.png").read_bytes()).hexdigest(),
            pages=1,
        )
    with ragraph.open(database.url) as store:
        shown = store.page_image(document, 1, 1)
        assert (shown.width, shown.height) == (612, 792)


def test_a_page_with_a_password_asks_for_it(database_url: str, tmp_path: Path) -> None:
    write_page(tmp_path / "open.pdf")
    with pikepdf.open(tmp_path / "open.pdf") as pdf:
        pdf.save(tmp_path / "locked.pdf", encryption=pikepdf.Encryption(owner="o", user="secret"))
    from ragraph.ingest.readers import ReadOptions

    with ragraph.open(database_url) as store:
        path = tmp_path / "locked.pdf"
        assert store.ingest(path, document_id="dl_l", model=None, options=ReadOptions(password="secret")).ok
        with pytest.raises(AssetError, match="password"):
            store.page_image("dl_l", 1)
        assert store.page_image("dl_l", 1, password="secret").width == 1224


def test_a_figure_of_a_book_comes_out_of_its_package(database_url: str, tmp_path: Path) -> None:
    book = Path(__file__).parent / "data" / "markup" / "book"
    shown = io.BytesIO()
    Image.new("RGB", (30, 20), "teal").save(shown, "png")
    with zipfile.ZipFile(tmp_path / "book.epub", "w") as package:
        for path in sorted(path for path in book.rglob("*") if path.is_file()):
            data = path.read_bytes()
            if path.name == "chapter-1.xhtml":
                figures = b"".join(
                    b'<figure><img src="../images/%s" alt="%s"/></figure>' % (name, name)
                    for name in (b"well.png", b"drawn.svg", b"gone.png")
                )
                data = data.replace(b"</body>", figures + b"</body>")
            package.writestr(path.relative_to(book).as_posix(), data)
        package.writestr("epub/images/well.png", shown.getvalue())
        package.writestr("epub/images/drawn.svg", "<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>")
    with ragraph.open(database_url) as store:
        assert store.ingest(tmp_path / "book.epub", document_id="dl_book", model=None).ok
        (tmp_path / "book.epub").unlink()
        named = {node.description: node.id for node in store.nodes("dl_book") if node.content_node_type == "FIGURE"}
        found = store.figure("dl_book", named["well.png"])
        assert (found.media_type, found.width, found.height) == ("image/png", 30, 20)
        assert found.data == shown.getvalue()
        for name in ("drawn.svg", "gone.png"):
            with pytest.raises(AssetError, match="picture"):
                store.figure("dl_book", named[name])
