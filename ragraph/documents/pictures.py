"""Draw pages of documents as images, and cut figures out of them.

Bounding boxes are in the frame that PDFium draws: origin top left, crop box and rotation applied, user unit not
applied.
"""

from __future__ import annotations

import zipfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ragraph.base.extras import needing
from ragraph.errors import ArgumentError, AssetError, first_line
from ragraph.schema.pictures import Picture

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from PIL.Image import Image


ImageFormat = Literal["jpeg", "png"]

SCALES = (0.1, 10.0)
"""Minimum and maximum scale, in pixels per point."""

_PIXELS = 50_000_000
_QUALITY = 85
_MARGIN = 2.0
"""Margin in points around a figure that is cut out."""
_MEMBER_BYTES = 100 * 1024 * 1024
_SHOWN = {"image/png", "image/jpeg", "image/gif", "image/webp"}
"""Formats that browsers show and that contain no program."""

_DRAWER = ThreadPoolExecutor(1, thread_name_prefix="ragraph-draw")
"""The thread that draws. PDFium must not be used by two threads at a time, not even on two documents. The pixels of one
picture are in memory at a time. In one thread, because each thread that allocates them keeps some of that memory."""


def has_pages_to_draw(row: dict[str, Any]) -> bool:
    """Return True if the original is a PDF or an image; slides have bounding boxes but no pages that can be drawn."""
    kind = str(row["mime_type"])
    return kind == "application/pdf" or kind.startswith("image/")


def one_at_a_time(draw: Callable[[], Picture]) -> Picture:
    """Return a picture that a function draws and encodes; functions of several threads run one after the other."""
    return _DRAWER.submit(copy_context().run, draw).result()


@needing("drawing pages and figures", AssetError)
def drawn(original: Path | bytes, page: int, scale: float, password: str | None) -> Image:
    """Draw a page of a PDF; call it within ``one_at_a_time``.

    Args:
        original: path or bytes of the file.
        page: physical page, from 1.
        scale: pixels per point.
        password: password of the file, or None.

    Returns:
        An RGB image.

    Raises:
        AssetError: PDFium cannot read the file.
        ArgumentError: the image would be too large.
    """
    import pypdfium2

    try:
        with _closing(pypdfium2.PdfDocument(original, password=password)) as pdf:
            sheet = pdf[page - 1]
            width, height = sheet.get_size()
            _check_pixels(width * scale, height * scale)
            with _closing(sheet.render(scale=scale)) as bitmap:
                image: Image = bitmap.to_pil()
                # a copy, because the bitmap is freed; from BGR to RGB Pillow has made one already
                return image if image.mode == "RGB" else image.convert("RGB")
    except pypdfium2.PdfiumError as error:
        locked = "password" in str(error).lower()
        hint = "give the password" if locked else ""
        raise AssetError(f"PDFium cannot draw page {page}: {first_line(error)}", hint=hint) from error


@contextmanager
def _closing(opened: Any) -> Iterator[Any]:
    try:
        yield opened
    finally:
        opened.close()


@needing("drawing pages and figures", AssetError)
def scanned(original: Path | bytes, page: int, scale: float, width: float | None, height: float | None) -> Image:
    """Return a frame of an image file in the size of its page.

    Args:
        original: path or bytes of the file.
        page: number of the frame, from 1.
        scale: pixels per point.
        width: width of the page in points, or None for the size of the frame.
        height: height of the page in points, or None for the size of the frame.

    Returns:
        An RGB image.

    Raises:
        ArgumentError: the image would be too large.
    """
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


def cut_out(image: Image, boxes: list[dict[str, float]], width: float | None, height: float | None) -> Image:
    """Return the part of a page image that contains all boxes.

    Args:
        image: image of the page.
        boxes: bounding boxes with ``x1``, ``y1``, ``x2``, ``y2`` in points.
        width: width of the page in points; None if a point is a pixel.
        height: height of the page in points; None if a point is a pixel.
    """
    across, down = image.width / (width or image.width), image.height / (height or image.height)
    left = min(box["x1"] for box in boxes) - _MARGIN
    top = min(box["y1"] for box in boxes) - _MARGIN
    right = max(box["x2"] for box in boxes) + _MARGIN
    bottom = max(box["y2"] for box in boxes) + _MARGIN
    x1, y1 = max(0, int(left * across)), max(0, int(top * down))
    x2, y2 = min(image.width, int(right * across) + 1), min(image.height, int(bottom * down) + 1)
    return image.crop((x1, y1, max(x2, x1 + 1), max(y2, y1 + 1)))


def encoded(image: Image, format: ImageFormat) -> Picture:
    """Encode an image.

    Raises:
        ArgumentError: the format does not exist.
    """
    if format not in ("jpeg", "png"):
        raise ArgumentError(f"there is no image format {format!r}", hint="use jpeg or png")
    target = BytesIO()
    image.save(target, format, **({"quality": _QUALITY} if format == "jpeg" else {}))
    picture = Picture(data=target.getvalue(), media_type=f"image/{format}", width=image.width, height=image.height)
    image.close()  # now, and not when something collects it
    return picture


@needing("showing pictures", AssetError)
def from_package(original: Path | bytes, name: str) -> Picture:
    """Return a picture from a packed document, for example an EPUB, by its name in the package.

    Raises:
        AssetError: the package has no such picture, or its format is not shown.
    """
    from PIL import Image as Images
    from PIL import UnidentifiedImageError

    missing = AssetError(f"the original does not have the picture {name!r}", hint="it refers to another place")
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
