"""Files that no reader reads, by the ending of their names, and what to do with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import PurePath

    from ragraph.schema.reports import LeftOutKind

_KINDS: dict[LeftOutKind, dict[str, str]] = {
    "image": dict.fromkeys(
        (".gif", ".bmp", ".webp", ".svg", ".ico", ".heic", ".heif", ".avif", ".jp2", ".psd"),
        "this kind of image is not read; make a PNG, JPEG or TIFF of it",
    ),
    "archive": dict.fromkeys(
        (".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".zst", ".7z", ".rar", ".cab", ".iso"), "unpack it first"
    ),
    "mail": {
        ".pst": "a mailbox: save its messages as EML",
        ".ost": "a mailbox: save its messages as EML",
    },
    "other format": {
        **dict.fromkeys((".bib", ".ris", ".enw"), "a bibliography: it is read with the text that cites it"),
    },
}
"""Kind of an unreadable file and what to do with it, by the ending of its name."""


def why_unread(path: PurePath) -> tuple[LeftOutKind, str] | None:
    """Return the kind of this file and what to do with it; None if its name is not in the table."""
    suffix = path.suffix.lower()
    return next(((kind, reasons[suffix]) for kind, reasons in _KINDS.items() if suffix in reasons), None)
