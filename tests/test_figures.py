"""Figures of every format become pictures in the asset store, named by their nodes and gone with them."""

from __future__ import annotations

import base64
import re
import zipfile
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from ingest_tools import one_pool
from PIL import Image
from web_tools import served

import ragraph
from ragraph.errors import AssetError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragraph import Store

RED, BLUE = (200, 30, 30), (20, 40, 180)


def picture(colour: tuple[int, int, int] = RED, kind: str = "png", size: tuple[int, int] = (60, 40)) -> bytes:
    target = BytesIO()
    Image.new("RGB", size, colour).save(target, kind)
    return target.getvalue()


@pytest.fixture(scope="module", autouse=True)
def pool() -> Iterator[None]:
    with one_pool():
        yield


@pytest.fixture
def store(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setenv("RAGRAPH_ASSETS", str(tmp_path / "assets"))
    with ragraph.open(database_url) as opened:
        yield opened


def urls(store: Store) -> list[tuple[str, str, str | None]]:
    with store.database.read() as connection:
        return connection.execute(
            "SELECT document_id, id, storage_url FROM ragraph.content_node WHERE content_node_type = 'FIGURE'"
            " ORDER BY document_id, storage_url"
        ).fetchall()


def shown(store: Store) -> list[tuple[int, int, int]]:
    """The colours in the middle of all figures."""
    colours = []
    for document, node, url in urls(store):
        assert url is not None
        assert url.startswith("asset:"), url
        found = store.figure(document, node)
        with Image.open(BytesIO(found.data)) as image:
            assert image.size == (found.width, found.height)
            colours.append(image.convert("RGB").getpixel((image.width // 2, image.height // 2)))
    return colours  # type: ignore[return-value]


def docx(path: Path) -> None:
    from docx import Document

    document = Document()
    document.add_heading("Of colours", 1)
    document.add_paragraph("The first is red.")
    document.add_picture(BytesIO(picture(RED)))
    document.add_paragraph("The second is blue.")
    document.add_picture(BytesIO(picture(BLUE, "jpeg")))
    document.save(str(path))


def pptx(path: Path) -> None:
    from pptx import Presentation

    slides = Presentation()
    slide = slides.slides.add_slide(slides.slide_layouts[5])
    slide.shapes.title.text = "Of colours"
    slide.shapes.add_picture(BytesIO(picture(RED)), 0, 2_000_000)
    slide.shapes.add_picture(BytesIO(picture(BLUE)), 3_000_000, 2_000_000)
    slides.save(str(path))


def html(path: Path) -> None:
    (path.parent / "img").mkdir(exist_ok=True)
    (path.parent / "img" / "a blue.tif").write_bytes(picture(BLUE, "tiff"))
    inline = base64.b64encode(picture(RED)).decode()
    path.write_text(
        f'<h1>Of colours</h1><p>The first is red.</p><img src="data:image/png;base64,{inline}" alt="red">'
        '<p>The second is blue.</p><img src="img/a%20blue.tif" alt="blue">'
    )


def jats(path: Path) -> None:
    (path.parent / "fig-1.jpg").write_bytes(picture(RED, "jpeg"))
    (path.parent / "fig-2.png").write_bytes(picture(BLUE))
    figures = "".join(
        f'<fig id="f{number}"><label>Figure {number}</label><caption><p>Colours.</p></caption>'
        f'<graphic xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="fig-{number}"/></fig>'
        for number in (1, 2)
    )
    path.write_text(
        "<article><front><article-meta><title-group><article-title>Of colours</article-title></title-group>"
        "</article-meta></front><body><sec><title>Colours</title><p>Both are shown.</p>"
        f"{figures}</sec></body></article>"
    )


def epub(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as book:
        book.writestr("mimetype", "application/epub+zip")
        book.writestr(
            "META-INF/container.xml",
            '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
            '<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
        )
        book.writestr(
            "OEBPS/book.opf",
            '<package xmlns="http://www.idpf.org/2007/opf" version="3.0">'
            '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
            "<dc:title>Of colours</dc:title></metadata><manifest>"
            '<item id="c" href="text/c.xhtml" media-type="application/xhtml+xml"/></manifest>'
            '<spine><itemref idref="c"/></spine></package>',
        )
        book.writestr(
            "OEBPS/text/c.xhtml",
            '<html xmlns="http://www.w3.org/1999/xhtml"><body><h1>Of colours</h1><p>Both are shown.</p>'
            '<img src="../img/red.png" alt="red"/><img src="../img/blue.jpg" alt="blue"/></body></html>',
        )
        book.writestr("OEBPS/img/red.png", picture(RED))
        book.writestr("OEBPS/img/blue.jpg", picture(BLUE, "jpeg"))


def pdf(path: Path) -> None:
    from reportlab.lib.utils import ImageReader
    from reportlab.pdfgen.canvas import Canvas

    canvas = Canvas(str(path), pagesize=(600, 800))
    canvas.drawString(60, 740, "The first is red, the second on the next page is blue, and both are pictures.")
    canvas.drawImage(ImageReader(BytesIO(picture(RED, size=(300, 200)))), 60, 400, 300, 200)
    canvas.drawString(60, 380, "Figure 1. A red one.")
    canvas.showPage()
    canvas.drawString(60, 740, "And this is the page that the first one spoke of, where the second is to be seen.")
    canvas.drawImage(ImageReader(BytesIO(picture(BLUE, size=(300, 200)))), 60, 400, 300, 200)
    canvas.drawString(60, 380, "Figure 2. A blue one.")
    canvas.save()


def near(one: tuple[int, int, int], other: tuple[int, int, int]) -> bool:
    return all(abs(a - b) < 12 for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize(
    ("make", "name"),
    [(docx, "a.docx"), (pptx, "a.pptx"), (html, "a.html"), (jats, "a.xml"), (epub, "a.epub"), (pdf, "a.pdf")],
)
def test_figures_of_every_format_are_kept_and_shown(store: Store, tmp_path: Path, make: Any, name: str) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    make(folder / name)
    (report,) = store.ingest(folder / name, model=None).files
    assert report.status == "added", report
    colours = shown(store)
    assert sum(near(colour, RED) for colour in colours) == 1
    assert sum(near(colour, BLUE) for colour in colours) == 1
    assert store.check() == []
    assert store.verify().ok
    assert store.assets is not None
    assert len(store.assets.sizes()) == 3
    for file in [*folder.rglob("*.*")]:
        file.unlink()
    assert shown(store) == colours  # also when the files are gone
    assert report.document_id is not None
    store.delete(report.document_id)
    assert store.assets.sizes() == {}


def test_a_picture_of_two_documents_goes_with_the_last(store: Store, tmp_path: Path) -> None:
    for name in ("one", "two"):
        inline = base64.b64encode(picture(RED)).decode()
        (tmp_path / f"{name}.html").write_text(
            f'<p>This is {name}.</p><img src="data:image/png;base64,{inline}" alt="r">'
        )
    report = store.ingest([tmp_path / "one.html", tmp_path / "two.html"], model=None)
    assert store.assets is not None
    assert len(store.assets.sizes()) == 3
    one, two = (file.document_id for file in report.files)
    assert one is not None
    assert two is not None
    store.delete(one)
    assert len(shown(store)) == 1
    assert store.clean_assets().removed == []
    store.delete(two)
    assert store.assets.sizes() == {}


def test_what_is_not_kept_or_not_shown_stays_as_stated(store: Store, tmp_path: Path) -> None:
    (tmp_path / "img.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
    (tmp_path / "broken.png").write_bytes(picture()[:50])
    (tmp_path / "a.html").write_text(
        "".join(
            f'<p>About {name}.</p><img src="{name}" alt="{name}">'
            for name in ("img.svg", "broken.png", "https://x.y/z.png")
        )
    )
    (tmp_path / "red.png").write_bytes(picture())
    (tmp_path / "b.html").write_text('<p>About red.</p><img src="red.png" alt="red">')
    store.ingest(tmp_path / "a.html", model=None)
    assert sorted(url or "" for *_, url in urls(store)) == ["broken.png", "https://x.y/z.png", "img.svg"]
    store.ingest(tmp_path / "b.html", model=None, keep=False)
    assert "red.png" in [url for *_, url in urls(store)]


def test_no_file_outside_of_the_folder_is_taken(store: Store, tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(picture(BLUE))
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "link.png").symlink_to(tmp_path / "secret.png")
    names = [
        "../secret.png",
        "%2e%2e/secret.png",
        str(tmp_path / "secret.png"),
        "link.png",
        f"file://{tmp_path}/secret.png",
    ]
    (folder / "a.html").write_text("".join(f'<p>About.</p><img src="{name}" alt="x">' for name in names))
    store.ingest(folder / "a.html", model=None)
    assert len(urls(store)) == len(names)
    assert not any((url or "").startswith("asset:") for *_, url in urls(store))
    assert store.assets is not None
    assert len(store.assets.sizes()) == 1


def test_a_file_cannot_name_the_assets_of_another(store: Store, tmp_path: Path) -> None:
    (tmp_path / "own.md").write_text("# Mine\n\nThis is mine.\n")
    store.ingest(tmp_path / "own.md", model=None)
    assert store.assets is not None
    (name,) = store.assets.sizes()
    (tmp_path / "a.html").write_text(f'<p>About.</p><img src="{name}" alt="stolen">')
    store.ingest(tmp_path / "a.html", model=None)
    ((document, node, url),) = urls(store)
    assert url is None
    with pytest.raises(AssetError, match="has no picture"):
        store.figure(document, node)


def test_ingesting_again_changes_nothing(store: Store, tmp_path: Path) -> None:
    docx(tmp_path / "a.docx")
    store.ingest(tmp_path / "a.docx", model=None)
    before = urls(store)
    (report,) = store.ingest(tmp_path / "a.docx", model=None).files
    assert report.status == "unchanged"
    docx(tmp_path / "a.docx")  # other bytes, the same content
    (report,) = store.ingest(tmp_path / "a.docx", model=None).files
    assert urls(store) == before


def test_the_page_and_rest_show_them(store: Store, tmp_path: Path) -> None:
    html(tmp_path / "a.html")
    (report,) = store.ingest(tmp_path / "a.html", model=None).files
    document = str(report.document_id)
    assert len(store.pictured(document)) == 2
    with served(store) as url, httpx.Client(base_url=url, timeout=60) as client:
        text = client.get(f"/documents/{document}").text
        addresses = re.findall(r'<img[^>]*src="([^"]*/figure)"', text)
        assert len(addresses) == 2
        for address in addresses:
            answer = client.get(address)
            assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png")
