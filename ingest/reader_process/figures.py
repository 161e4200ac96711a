"""Pictures of figures, as files named by hash: images that the format holds, or the part of a page in a figure's box.

They are made in the reader's process. The draft names them as ``asset:`` and their SHA-256. The process that stores the
draft copies the files to the asset store.
"""

from __future__ import annotations

import hashlib
import warnings
import zipfile
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from ragraph.base.extra_time import ask_for
from ragraph.base.extras import needed
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from PIL.Image import Image

    from ragraph.ingest.draft import Draft, DraftNode

ASSET = "asset:"
_KINDS = frozenset({ContentNodeType.FIGURE, ContentNodeType.TABLE, ContentNodeType.FORMULA})
"""Types that may have a picture; tables and formulas only if the format names one."""
_SHOWN = {"PNG", "JPEG", "GIF", "WEBP"}
"""Formats that browsers show and that hold no program; others become PNG."""
_TRIED = ("", ".jpg", ".jpeg", ".png", ".gif", ".webp", ".tif", ".tiff")
"""Endings of the files beside a JATS article, which names graphics without an ending."""
_MOST_BYTES = 100 << 20
_MOST_PIXELS = 50_000_000
_SCALE = 2.0
"""Pixels per point of pictures cut out of a page: 144 dpi."""
_MARGIN = 2.0
"""Points around a figure that are included."""
_LARGE_PNG = 400_000
"""Bytes above which a picture cut out of a page is stored as JPEG: it is a photograph, or as large as one."""
_QUALITY = 88
_PAGE_S = 1.0
"""Maximum seconds to draw a page."""


def keep_pictures(path: Path, draft: Draft, folder: Path, password: str | None = None) -> Draft:
    """Return a draft whose figures name their pictures, which are written into a folder by their hash.

    Without Pillow no picture is kept, and a warning names the extra.

    Pictures that cannot be shown stay as the reader states them: vector graphics of office formats, SVG, files outside
    the file's folder, pictures that are too large.

    Args:
        path: the file of the draft.
        draft: the draft.
        folder: folder to write to.
        password: opens an encrypted PDF.
    """
    found: dict[str, str] = {}
    try:
        for key, data in _pictures(path, draft, password):
            if (content := _shown(data)) is not None:
                found[key] = ASSET + _written(content, folder)
    except ModuleNotFoundError as error:
        # Read again once the extra is installed (storing.registry).
        made_by = {**draft.made_by, "lacks": [*draft.made_by.get("lacks", ()), "ingest"]}
        warnings = [*draft.warnings, f"its pictures are not kept: {needed('this', error.name)}"]
        return draft.model_copy(update={"made_by": made_by, "warnings": warnings})
    if not found:
        return draft
    nodes = [
        node.model_copy(update={"storage_url": found[node.key]}) if node.key in found else node for node in draft.nodes
    ]
    return draft.model_copy(update={"nodes": nodes})


def without_assets(draft: Draft) -> Draft:
    """Return a draft without assets: an ``asset:`` name in a file would refer to somebody else's file."""
    if not any((node.storage_url or "").startswith(ASSET) for node in draft.nodes):
        return draft
    nodes = [
        node.model_copy(update={"storage_url": None}) if (node.storage_url or "").startswith(ASSET) else node
        for node in draft.nodes
    ]
    return draft.model_copy(update={"nodes": nodes})


def _pictures(path: Path, draft: Draft, password: str | None) -> Iterator[tuple[str, Any]]:
    """Yield the pictures of a draft by the keys of their nodes: bytes, or a Pillow image."""
    wanted = [node for node in draft.nodes if node.type in _KINDS]
    for node in wanted:
        if node.picture is not None:
            yield node.key, node.picture
    named = [node for node in wanted if node.picture is None and node.storage_url]
    boxed = [node for node in wanted if node.type is ContentNodeType.FIGURE and not node.storage_url]
    if named:
        yield from _named(path, named)
    if boxed and any(place.bbox for node in boxed for place in node.positions) and _is_pdf(path):
        yield from _cut_out(path, boxed, password)


def _is_pdf(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return b"%PDF-" in file.read(1024)


def _named(path: Path, nodes: Iterable[DraftNode]) -> Iterator[tuple[str, bytes]]:
    """Yield pictures of a packed format by their name, or files in the folder of the file."""
    if path.is_file() and zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as package:
            members = package.infolist()
            for node in nodes:
                ending = f"/{node.storage_url}"
                member = next((item for item in members if f"/{item.filename}".endswith(ending)), None)
                if member is not None and member.file_size <= _MOST_BYTES:
                    with suppress(zipfile.BadZipFile, NotImplementedError, RuntimeError):  # damaged or locked
                        yield node.key, package.read(member)
        return
    home = (path if path.is_dir() else path.parent).resolve()
    for node in nodes:
        file = _beside(home, str(node.storage_url))
        if file is not None:
            with suppress(OSError):
                yield node.key, file.read_bytes()


def _beside(home: Path, name: str) -> Path | None:
    """Return a file in a folder or below, never one outside, whatever the name or a link says."""
    name = unquote(name.split("#")[0].split("?")[0])
    if not name or ":" in name or name.startswith(("/", "\\")) or "\0" in name:
        return None
    for ending in _TRIED:
        with suppress(OSError):
            file = (home / (name + ending)).resolve()
            if file.is_relative_to(home) and file.is_file() and file.stat().st_size <= _MOST_BYTES:
                return file
    return None


def _cut_out(path: Path, nodes: Iterable[DraftNode], password: str | None) -> Iterator[tuple[str, Image]]:
    """Yield the parts of PDF pages in the boxes of figures; of a figure on several pages, the first."""
    import pypdfium2

    by_page: dict[int, list[tuple[str, list[Any]]]] = {}
    for node in nodes:
        places = [place for place in node.positions if place.bbox is not None]
        if places:
            first = places[0].page_pdf
            by_page.setdefault(first, []).append((node.key, [p.bbox for p in places if p.page_pdf == first]))
    with suppress(pypdfium2.PdfiumError):
        pdf = pypdfium2.PdfDocument(path, password=password)
        try:
            for number, figures in sorted(by_page.items()):
                ask_for(_PAGE_S)
                with suppress(pypdfium2.PdfiumError, IndexError):  # a page that fails loses only its figures
                    yield from _of_page(pdf[number - 1], figures)
        finally:
            pdf.close()


def _of_page(page: Any, figures: list[tuple[str, list[Any]]]) -> Iterator[tuple[str, Image]]:
    width, height = page.get_size()
    scale = min(_SCALE, (_MOST_PIXELS / max(width * height, 1.0)) ** 0.5)
    drawn = page.render(scale=scale).to_pil().convert("RGB")
    for key, boxes in figures:
        left = int(max(0, (min(box.x1 for box in boxes) - _MARGIN) * scale))
        top = int(max(0, (min(box.y1 for box in boxes) - _MARGIN) * scale))
        right = int(min(drawn.width, (max(box.x2 for box in boxes) + _MARGIN) * scale + 1))
        bottom = int(min(drawn.height, (max(box.y2 for box in boxes) + _MARGIN) * scale + 1))
        if right > left and bottom > top:
            yield key, drawn.crop((left, top, right, bottom))


def _shown(data: Any) -> bytes | None:
    """Return a picture in a format that browsers show: the bytes unchanged if possible, else as PNG or JPEG."""
    from PIL import Image as Images

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # Pillow only warns of a decompression bomb
            if not isinstance(data, bytes):
                return _encoded(data)
            with Images.open(BytesIO(data)) as opened:
                if opened.width * opened.height > _MOST_PIXELS or opened.format in {"WMF", "EMF"}:
                    return None
                opened.load()
                return data if opened.format in _SHOWN else _encoded(opened)
    except (OSError, ValueError, SyntaxError, Warning, Images.DecompressionBombError):
        return None


def _encoded(image: Image) -> bytes | None:
    if image.width * image.height > _MOST_PIXELS:
        return None
    target = BytesIO()
    plain = image if image.mode in ("RGB", "RGBA", "L", "LA", "P", "1") else image.convert("RGB")
    plain.save(target, "png")
    if target.tell() > _LARGE_PNG and plain.mode == "RGB":
        target = BytesIO()
        plain.save(target, "jpeg", quality=_QUALITY)
    return target.getvalue()


def _written(content: bytes, folder: Path) -> str:
    digest = hashlib.sha256(content).hexdigest()
    target = folder / digest
    if not target.exists():
        part = folder / f"{digest}.{id(content):x}.part"
        part.write_bytes(content)
        part.replace(target)
    return digest
