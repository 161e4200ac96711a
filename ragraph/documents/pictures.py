"""The part of a store that shows: pages of documents as images, and figures cut out of them.

Boxes are in the frame that PDFium draws: origin top left, crop box and rotation applied, the user unit not.
"""

from __future__ import annotations

import zipfile
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal

from psycopg.rows import class_row, dict_row, scalar_row

from ragraph.base.arguments import number, whole
from ragraph.documents.assets import file_sha256, is_asset, path_of
from ragraph.errors import ArgumentError, AssetError, DocumentNotFoundError, NodeNotFoundError, first_line
from ragraph.schema.pictures import Page, Picture

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PIL.Image import Image

    from ragraph.database.runner import QueryRunner
    from ragraph.documents.assets import Assets

ImageFormat = Literal["jpeg", "png"]

SCALES = (0.1, 10.0)
"""Pixels per point, at least and at most."""

_PIXELS = 50_000_000
_QUALITY = 85
_MARGIN = 2.0
"""Points around a figure that is cut out."""
_MEMBER_BYTES = 100 * 1024 * 1024
_SHOWN = {"image/png", "image/jpeg", "image/gif", "image/webp"}
"""What browsers show and what holds no program."""

_PDFIUM = Lock()
"""PDFium is not safe to be used by two threads at a time, not even on two documents."""


class Pictures:
    """Images of pages and figures; the methods are those of ``Store``, which describes them."""

    def __init__(self, runner: QueryRunner, assets: Assets | None) -> None:
        self._ask = runner
        self._assets = assets

    def original(self, document: str) -> tuple[Path | bytes, str]:
        """See ``Store.original``."""
        row = self._row(document)
        return self._original(row), row["mime_type"] or "application/octet-stream"

    def pages(self, document: str, page: int | None = None) -> list[Page]:
        """See ``Store.pages``."""
        found = self._ask.rows("document_pages", class_row(Page), {"document_id": document, "page": page})
        if not found:
            self._row(document)  # a document without pages is there
        return found

    def page_image(
        self,
        document: str,
        page: int,
        scale: float = 2.0,
        *,
        format: ImageFormat = "jpeg",
        password: str | None = None,
    ) -> Picture:
        """See ``Store.page_image``."""
        return _encoded(self._page(self._row(document), page, scale, password), format)

    def pictured(self, document: str) -> list[str]:
        """See ``Store.pictured``."""
        row = self._row(document)
        names = {"document_id": document, "packed": row["mime_type"] == "application/epub+zip"}
        return self._ask.rows("pictured_nodes", scalar_row, names)

    def figure(
        self,
        document: str,
        node: str,
        scale: float = 2.0,
        *,
        format: ImageFormat = "png",
        password: str | None = None,
    ) -> Picture:
        """See ``Store.figure``."""
        row = self._row(document)
        found = self._ask.rows("node_picture", dict_row, {"document_id": document, "node_id": node})
        if not found:
            raise NodeNotFoundError(f"document {document!r} has no node {node!r}", hint=NodeNotFoundError.look)
        boxes = [place for place in found[0]["positional_data"] if place.get("bbox")]
        if boxes and _has_pages_to_draw(row):
            image = self._page(row, boxes[0]["page_pdf"], scale, password)
            (size,) = self.pages(document, boxes[0]["page_pdf"])
            same = [place["bbox"] for place in boxes if place["page_pdf"] == boxes[0]["page_pdf"]]
            return _encoded(_cut(image, same, size.width, size.height), format)
        if is_asset(found[0]["storage_url"]):
            return self._kept(node, found[0]["storage_url"])
        if found[0]["storage_url"]:
            return _from_package(self._original(row), found[0]["storage_url"])
        raise AssetError(f"node {node!r} has no picture: its document says neither where it stands nor where it is")

    def _kept(self, node: str, asset: str) -> Picture:
        """Return the picture of a figure that was kept at ingestion."""
        from PIL import Image as Images

        data = self._assets.read(asset) if self._assets is not None else None
        if data is None:
            raise AssetError(f"the picture of node {node!r} is not kept here", hint="ingest the file again")
        with Images.open(BytesIO(data)) as image:
            kind, (width, height) = image.get_format_mimetype(), image.size
        return Picture(data=data, media_type=str(kind), width=width, height=height)

    def _row(self, document: str) -> dict[str, Any]:
        found = self._ask.rows("document_original", dict_row, {"document_id": document})
        if not found:
            self._ask.rows("require_document", dict_row, {"document_id": document})  # it knows what may be meant
            raise DocumentNotFoundError(f"there is no document {document!r}", hint=DocumentNotFoundError.look)
        row: dict[str, Any] = found[0]
        return row

    def _original(self, row: dict[str, Any]) -> Path | bytes:
        """Return the original: the asset, else the file it was read from if that has the same bytes still."""
        if is_asset(row["storage_url"]) and self._assets is not None:
            kept = self._assets.path(row["storage_url"]) or self._assets.read(row["storage_url"])
            if kept is not None:
                return kept
        path = path_of(row["source_uri"]) if row["source_uri"] else None
        if path is not None and path.is_file() and file_sha256(path) == row["sha256"]:
            return path
        raise AssetError(
            f"the original of document {row['id']!r} was not kept, and its file is gone or has changed",
            hint="ingest the file again to keep it",
        )

    def _page(self, row: dict[str, Any], page: int, scale: float, password: str | None) -> Image:
        whole("page", page)
        if not SCALES[0] <= number("scale", scale) <= SCALES[1]:
            raise ArgumentError(f"scale is {scale}", hint=f"give {SCALES[0]} to {SCALES[1]:g} pixels per point")
        if not row["page_count"]:
            raise AssetError(f"document {row['id']!r} has no pages to show", hint="read it with render()")
        if not 1 <= page <= row["page_count"]:
            raise ArgumentError(f"there is no page {page}; document {row['id']!r} has {row['page_count']}")
        original = self._original(row)
        if row["mime_type"] == "application/pdf":
            return _drawn(original, page, scale, password)
        if str(row["mime_type"]).startswith("image/"):
            (size,) = self.pages(row["id"], page)
            return _scan(original, page, scale, size.width, size.height)
        raise AssetError(f"pages of {row['mime_type']} cannot be drawn", hint="read them with render()")


def _has_pages_to_draw(row: dict[str, Any]) -> bool:
    """Whether the original is a PDF or an image; slides have boxes and no pages that could be drawn."""
    kind = str(row["mime_type"])
    return kind == "application/pdf" or kind.startswith("image/")


def _drawn(original: Path | bytes, page: int, scale: float, password: str | None) -> Image:
    """Draw a page of a PDF."""
    import pypdfium2

    with _PDFIUM:
        try:
            with _closing(pypdfium2.PdfDocument(original, password=password)) as pdf:
                sheet = pdf[page - 1]
                width, height = sheet.get_size()
                _check_pixels(width * scale, height * scale)
                bitmap = sheet.render(scale=scale)
                image: Image = bitmap.to_pil().convert("RGB")  # a copy: the bitmap goes with the page
                return image
        except pypdfium2.PdfiumError as error:
            locked = "password" in str(error).lower()
            hint = "give the password" if locked else ""
            raise AssetError(f"PDFium cannot draw page {page}: {first_line(error)}", hint=hint) from error


@contextmanager
def _closing(pdf: Any) -> Iterator[Any]:
    try:
        yield pdf
    finally:
        pdf.close()


def _scan(original: Path | bytes, page: int, scale: float, width: float | None, height: float | None) -> Image:
    """Return a frame of an image file in the size of its page."""
    from PIL import Image as Images

    with Images.open(BytesIO(original) if isinstance(original, bytes) else original) as opened:
        _check_pixels(*opened.size)
        opened.seek(page - 1)
        image = opened.convert("RGB")
    if not width or not height:
        return image
    _check_pixels(width * scale, height * scale)
    return image.resize((max(1, round(width * scale)), max(1, round(height * scale))))


def _check_pixels(width: float, height: float) -> None:
    if width * height > _PIXELS:
        raise ArgumentError(f"the picture would have {width * height / 1e6:,.0f} million pixels", argument="scale")


def _cut(image: Image, boxes: list[dict[str, float]], width: float | None, height: float | None) -> Image:
    """Return the part of a page that holds all boxes."""
    across, down = image.width / (width or image.width), image.height / (height or image.height)
    left = min(box["x1"] for box in boxes) - _MARGIN
    top = min(box["y1"] for box in boxes) - _MARGIN
    right = max(box["x2"] for box in boxes) + _MARGIN
    bottom = max(box["y2"] for box in boxes) + _MARGIN
    x1, y1 = max(0, int(left * across)), max(0, int(top * down))
    x2, y2 = min(image.width, int(right * across) + 1), min(image.height, int(bottom * down) + 1)
    return image.crop((x1, y1, max(x2, x1 + 1), max(y2, y1 + 1)))


def _encoded(image: Image, format: ImageFormat) -> Picture:
    if format not in ("jpeg", "png"):
        raise ArgumentError(f"there is no image format {format!r}", hint="use jpeg or png")
    target = BytesIO()
    image.save(target, format, **({"quality": _QUALITY} if format == "jpeg" else {}))
    return Picture(data=target.getvalue(), media_type=f"image/{format}", width=image.width, height=image.height)


def _from_package(original: Path | bytes, name: str) -> Picture:
    """Return a picture that stands in a packed document, an EPUB say, under a name."""
    from PIL import Image as Images
    from PIL import UnidentifiedImageError

    missing = AssetError(f"the original does not hold the picture {name!r}", hint="it refers to another place")
    try:
        with zipfile.ZipFile(BytesIO(original) if isinstance(original, bytes) else original) as package:
            member = next((item for item in package.infolist() if f"/{item.filename}".endswith(f"/{name}")), None)
            if member is None or member.file_size > _MEMBER_BYTES:
                raise missing
            data = package.read(member)
        with Images.open(BytesIO(data)) as image:
            kind, (width, height) = image.get_format_mimetype(), image.size
    except (zipfile.BadZipFile, UnidentifiedImageError, OSError) as error:
        raise missing from error
    if kind not in _SHOWN:
        raise AssetError(f"the picture {name!r} is {kind}, which is not shown", hint="PNG, JPEG, GIF and WebP are")
    return Picture(data=data, media_type=kind, width=width, height=height)
