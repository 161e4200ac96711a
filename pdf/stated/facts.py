"""What a PDF says of itself, read with pypdfium2: password, page labels, outline, metadata."""

from __future__ import annotations

import ctypes
import re
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any

from ragraph.errors import DamagedFileError, EncryptedFileError
from ragraph.pdf.patterns import LANGUAGE_TAG, PDF_DATE
from ragraph.pdf.strings import utf16

if TYPE_CHECKING:
    from collections.abc import Iterable
    from io import BytesIO
    from pathlib import Path

_PASSWORD_ERROR = 4
"""What PDFium calls a missing or wrong password."""
_LATIN = frozenset(
    ("af", "ca", "cs", "cy", "da", "de", "en", "es", "et", "eu", "fi", "fr", "ga", "gl", "hr", "hu", "id", "is", "it",
     "lt", "lv", "ms", "mt", "nb", "nl", "nn", "no", "pl", "pt", "ro", "sk", "sl", "sq", "sv", "tr", "vi")
)  # fmt: skip
"""Languages written in Latin letters."""
_ENOUGH = 20_000
"""Letters, the first ones of the text, by which the stated language is checked."""


@dataclass(frozen=True)
class Bookmark:
    """An entry of the outline: title, depth from 1, page from 1 and height on it from the top, if stated."""

    title: str
    depth: int
    page: int | None
    top: float | None


@dataclass(frozen=True)
class Facts:
    """What the file states: labels per page (empty if it states none), outline, metadata by key, language.

    ``attached`` are the names of the files that are attached to it; a portfolio consists of them.
    """

    page_count: int = 0
    labels: tuple[str, ...] = ()
    outline: tuple[Bookmark, ...] = ()
    metadata: dict[str, str] = field(default_factory=dict)
    language: str | None = None
    attached: tuple[str, ...] = ()

    @property
    def created(self) -> date | None:
        """The date the file was made, if it states a sound one."""
        match = PDF_DATE.match(self.metadata.get("CreationDate", ""))
        if not match:
            return None
        year, month, day = (int(part) if part else 1 for part in match.groups())
        try:
            return date(year, month, day)
        except ValueError:
            return None


def open_pdf(path: Path | BytesIO, password: str | None = None) -> Any:
    """Open a file, or its bytes, with PDFium.

    Raises:
        EncryptedFileError: it needs a password, or another one.
        DamagedFileError: PDFium cannot open it.
    """
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(path, password=password)
    except pypdfium2.PdfiumError as error:
        name = getattr(path, "name", "the file")
        if getattr(error, "err_code", None) == _PASSWORD_ERROR:
            wish = "another password" if password else "a password"
            raise EncryptedFileError(f"{name} needs {wish}; give it with the option password") from error
        raise DamagedFileError(f"{name} cannot be opened as PDF; repair it, or print it to PDF anew") from error
    if document.get_formtype() != pypdfium2.raw.FORMTYPE_NONE:
        # else drawings of its pages lack what was filled in; fields are not set off in a colour
        document.init_forms()
        pypdfium2.raw.FPDF_SetFormFieldHighlightAlpha(document.formenv, 0)
    return document


def read_facts(document: Any) -> Facts:
    """Read labels, outline, metadata and language of a document opened by ``open_pdf``."""
    count = len(document)
    metadata = dict(document.get_metadata_dict())
    outline, attached = tuple(_outline(document)), tuple(_attached(document))
    return Facts(count, _labels(document, count), outline, metadata, _language(document), attached)


def _attached(document: Any) -> Iterable[str]:
    """Yield the names of attached files, also of those that an icon on a page stands for."""
    import pypdfium2.raw as pdfium

    for index in range(pdfium.FPDFDoc_GetAttachmentCount(document.raw)):
        attachment = pdfium.FPDFDoc_GetAttachment(document.raw, index)
        yield utf16(lambda *room, file=attachment: pdfium.FPDFAttachment_GetName(file, *room)) or f"file {index + 1}"


def language_of(stated: str | None, words: Iterable[str]) -> str | None:
    """Return the language that a file states, if its letters can be of it.

    Templates state the language of the program that made the file: Arabic text in "en-US".

    Args:
        stated: what the file states.
        words: of the document.
    """
    if stated is None:
        return None
    latin = letters = 0
    for word in words:
        for letter in filter(str.isalpha, word):
            letters += 1
            latin += letter < "\u0250"
        if letters > _ENOUGH:
            break
    wants_latin = stated.split("-")[0].lower() in _LATIN
    return None if wants_latin and latin < 0.5 * letters else stated


def _language(document: Any) -> str | None:
    """Return the language of the catalog, if it has the form of one: "en", "pt-BR"."""
    import pypdfium2.raw as pdfium

    size = pdfium.FPDFCatalog_GetLanguage(document.raw, None, 0)
    if size <= 2:
        return None
    buffer = (ctypes.c_ushort * (size // 2 + 1))()
    pdfium.FPDFCatalog_GetLanguage(document.raw, buffer, size)
    text = bytes(buffer)[: size - 2].decode("utf-16-le", errors="replace").strip()
    if not LANGUAGE_TAG.match(text):
        return None
    first, *more = re.split("[-_]", text)
    return "-".join([first.lower(), *(part.upper() if len(part) == 2 else part for part in more)])


def _labels(document: Any, count: int) -> tuple[str, ...]:
    labels = tuple(_label(document, index) for index in range(count))
    # PDFium gives no labels, or empty ones, where the file has none.
    return labels if any(labels) else ()


def _label(document: Any, index: int) -> str:
    try:
        return str(document.get_page_label(index) or "")
    except (RuntimeError, UnicodeDecodeError):
        return ""


def _outline(document: Any) -> Iterable[Bookmark]:
    try:
        entries = list(document.get_toc(max_depth=12))
    except (RuntimeError, RecursionError):
        return
    heights: dict[int, float] = {}
    for entry in entries:
        title = re.sub(r"\s+", " ", str(entry.get_title() or "")).strip()
        if not title:
            continue
        target = entry.get_dest()
        index = target.get_index() if target is not None else None
        top = None
        if index is not None:
            if index not in heights:
                heights[index] = document[index].get_height()
            mode, view = target.get_view()
            top = _top(mode, view, heights[index])
        yield Bookmark(title, entry.level + 1, None if index is None else index + 1, top)


def _top(mode: int, view: list[float], height: float) -> float | None:
    """Return the height on the page that a destination names, from the top, None for the whole page."""
    import pypdfium2.raw as pdfium

    place = {pdfium.PDFDEST_VIEW_XYZ: 1, pdfium.PDFDEST_VIEW_FITH: 0, pdfium.PDFDEST_VIEW_FITR: 3}.get(mode)
    if place is None or place >= len(view) or not view[place]:
        return None
    return height - float(view[place])
