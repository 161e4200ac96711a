"""Scans in the form of images: PNG, JPEG, TIFF with one or many pages.

Each image becomes a page of a PDF, sized by its resolution. The PDF reader then recognises the text as it does for a
scanned PDF.
"""

from __future__ import annotations

import tempfile
import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragraph.base.extra_time import ask_for
from ragraph.errors import DamagedFileError, FileTooLargeError, NoTextError
from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.pdf import PdfReader
from ragraph.pdf.page.ocr import EXTRA, available

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragraph.ingest.draft import Draft

USUAL_DPI = 200.0
"""Resolution of an image that states none, or an implausible one."""

_PAGE_S = 5.0
"""Seconds by which unpacking a page extends the time limit of a file; most take less than one."""

_SUBFILE = 254
"""Tag of a TIFF: bit 0 is set for a picture that is a smaller copy of another."""

_LEAST_DPI, _MOST_DPI = 50.0, 4800.0
_SCREEN_DPI = 100.0
_LARGEST_SHEET = 17 * 72
"""Points. Cameras always write 72 dpi; an image that would be larger than A3 at so few dots has another resolution."""


class ImageReader:
    """Images whose text is recognised, if the extra ``ocr`` is installed."""

    name = "image"
    version = PdfReader.version  # the draft changes with it; add to it when this module changes the draft

    def read(self, path: Path, options: ReadOptions) -> Draft:
        """Return the draft of an image, with a page per picture in it.

        Raises:
            NoTextError: text must not or cannot be recognised, or there is no text.
            DamagedFileError: a picture is not complete.
        """
        if not options.ocr:
            raise NoTextError(f"{path.name} is an image; leave out ocr=False to recognise its text")
        if not available():
            raise NoTextError(f"{path.name} is an image; to recognise its text: {EXTRA}")
        with tempfile.TemporaryDirectory() as folder:
            pdf = Path(folder) / path.name
            _write_pdf(path, pdf, options.pages)
            draft = PdfReader().read(pdf, ReadOptions(layout=options.layout, ocr_model=options.ocr_model))
        # metadata of the PDF, such as its date, comes from this conversion
        return draft.model_copy(
            update={
                "reader": f"{self.name}/{self.version}",
                "metadata": draft.metadata.model_copy(update={"publication_date": None, "extra": {}}),
            }
        )


@contextmanager
def opened(path: Path) -> Iterator[Any]:
    """Open an image; raise a one-line error if it is not valid.

    Raises:
        DamagedFileError: it is not a readable image.
        FileTooLargeError: it is a decompression bomb.
    """
    from PIL import Image, UnidentifiedImageError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about sizes between our limit and the one at which Pillow refuses
            with Image.open(path, formats=("PNG", "JPEG", "TIFF")) as image:
                yield image
    except Image.DecompressionBombError as error:
        raise FileTooLargeError("the image is too large to be a page; it may be a bomb") from error
    except (OSError, SyntaxError, ValueError, EOFError, TypeError, KeyError, IndexError, ArithmeticError) as error:
        said = str(error) if not isinstance(error, UnidentifiedImageError) else "it does not go on as it begins"
        said = " ".join(said.split())[:150] or type(error).__name__
        raise DamagedFileError(f"the image cannot be read ({said}); get the file again") from error


def _write_pdf(path: Path, target: Path, pages: tuple[int, int] | None) -> None:
    import pypdfium2
    from PIL import ImageSequence

    document = pypdfium2.PdfDocument.new()
    first, last = pages or (1, None)
    try:
        with opened(path) as image:
            frames = ImageSequence.Iterator(image) if image.format == "TIFF" else [image]
            for number, frame in enumerate(filter(_is_page, frames), 1):
                if number >= first and (last is None or number <= last):
                    ask_for(_PAGE_S)
                    _add_page(document, frame)
        if not len(document):
            raise DamagedFileError(f"the image has fewer than {first} pages; give others with pages=")
        document.save(target)
    finally:
        document.close()


def _is_page(frame: Any) -> bool:
    """Return True if a picture of a TIFF is a page, not a smaller copy of another one."""
    return not (frame.format == "TIFF" and int(frame.tag_v2.get(_SUBFILE, 0)) & 1)


def _add_page(document: Any, frame: Any) -> None:
    import pypdfium2
    from PIL import ImageOps

    across, down = resolution(frame)
    picture = _on_white(ImageOps.exif_transpose(frame))
    if picture.size != frame.size:  # the camera was held upright
        across, down = down, across
    width, height = picture.width * 72 / across, picture.height * 72 / down
    bitmap = pypdfium2.PdfBitmap.from_pil(picture)
    image = pypdfium2.PdfImage.new(document)
    image.set_bitmap(bitmap)
    image.set_matrix(pypdfium2.PdfMatrix().scale(width, height))
    page = document.new_page(width, height)
    page.insert_obj(image)
    page.gen_content()
    page.close()
    bitmap.close()


def resolution(frame: Any) -> tuple[float, float]:
    """Return the dots per inch of an image, across and down: the stated ones if plausible, else the usual ones."""
    try:
        across, down = (float(value) for value in frame.info["dpi"])
    except (KeyError, TypeError, ValueError, ZeroDivisionError):
        return USUAL_DPI, USUAL_DPI
    if not all(_LEAST_DPI <= value <= _MOST_DPI for value in (across, down)):
        return USUAL_DPI, USUAL_DPI
    longer = max(frame.width * 72 / across, frame.height * 72 / down)
    if min(across, down) < _SCREEN_DPI and longer > _LARGEST_SHEET:
        return USUAL_DPI, USUAL_DPI
    return across, down


def _on_white(picture: Any) -> Any:
    """Return a picture as grey or colour, with white paper behind transparent parts."""
    from PIL import Image

    if picture.mode.startswith(("I", "F")):  # 16 bits and more: the brightest value becomes white
        low, high = picture.convert("F").getextrema()
        scale = 255 / high if high > 255 else 1.0
        return (
            picture.convert("F").point(lambda value: value * scale).convert("L") if low >= 0 else picture.convert("L")
        )
    if picture.has_transparency_data:
        picture = picture.convert("RGBA")
        paper = Image.new("RGBA", picture.size, "white")
        picture = Image.alpha_composite(paper, picture)
    return picture.convert("L" if picture.mode in ("1", "L") else "RGB")
