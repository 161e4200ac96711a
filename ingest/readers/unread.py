"""Files that no reader reads, by the ending of their names, and what to do with them."""

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
"""Kind of an unreadable file and what to do with it, by the ending of its name."""


def why_unread(path: Path) -> tuple[LeftOutKind, str] | None:
    """Return the kind of this file and what to do with it; None if its name is not in the table."""
    suffix = path.suffix.lower()
    return next(((kind, reasons[suffix]) for kind, reasons in _KINDS.items() if suffix in reasons), None)
