"""What files are that are not read, by the ending of their names, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.schema.reports import LeftOutKind

_CONVERT = "convert it to {} first (LibreOffice does)"
_KINDS: dict[LeftOutKind, dict[str, str]] = {
    "image": dict.fromkeys(
        (".gif", ".bmp", ".webp", ".svg", ".ico", ".heic", ".heif", ".avif", ".jp2", ".psd"),
        "this kind of image is not read; make a PNG, JPEG or TIFF of it",
    ),
    "archive": dict.fromkeys(
        (".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".zst", ".7z", ".rar", ".cab", ".iso"), "unpack it first"
    ),
    "mail": {
        ".msg": "save the message as EML",
        ".mbox": "a mailbox: save its messages as EML",
        ".pst": "a mailbox: save its messages as EML",
        ".ost": "a mailbox: save its messages as EML",
    },
    "other format": {
        ".doc": _CONVERT.format("DOCX"),
        ".dot": _CONVERT.format("DOCX"),
        ".rtf": _CONVERT.format("DOCX"),
        ".ppt": _CONVERT.format("PPTX"),
        ".xls": _CONVERT.format("XLSX"),
    },
}
"""By the ending of the name: what a file is that is not read, and what to do about it."""


def why_unread(path: Path) -> tuple[LeftOutKind, str] | None:
    """Return what kind of file this is and what to do about it; None where its name does not tell."""
    suffix = path.suffix.lower()
    return next(((kind, reasons[suffix]) for kind, reasons in _KINDS.items() if suffix in reasons), None)
