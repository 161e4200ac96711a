"""Attachments of mails and PDF files: each readable one has an address, and is a document of their publication."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote

from ragraph.errors import IngestError, first_line
from ragraph.ingest.files.archives import Packed
from ragraph.ingest.files.places import printable
from ragraph.ingest.readers import FORMATS
from ragraph.ingest.readers.pdf_attached import may_have_attached
from ragraph.ingest.readers.unread import why_unread
from ragraph.schema.reports import LeftOut

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.readers.mail.attached import Attached

_HOLDING = frozenset({".eml", ".msg", ".mbox", ".pdf"})

ATTACHED = "attached"
"""Key of ``Found.entry`` of a file that was looked into: the addresses of its attachments with their SHA-256."""


@dataclass
class Attachments:
    """The attachments of a file.

    Attributes:
        files: attachments to ingest.
        contents: SHA-256 of each by its address; None if the file could not be looked into.
        left_out: the others, with the reason.
    """

    files: list[Packed] = field(default_factory=list)
    contents: dict[str, str] | None = field(default_factory=dict)
    left_out: list[LeftOut] = field(default_factory=list)


def has_attachments(path: Path) -> bool:
    """Return True if a file is named like a mail or a PDF file."""
    return path.suffix.lower() in _HOLDING


def attachments_in(path: Path, given: Path, *, images: bool = False) -> Attachments:
    """Return the attachments of a mail or PDF file.

    Args:
        path: the file, absolute.
        given: its path as the caller named it, for reports.
        images: include pictures.
    """
    found = Attachments()
    is_pdf = path.suffix.lower() == ".pdf"
    if is_pdf and not may_have_attached(path):
        return found
    from ragraph.ingest.readers.mail.attached import attached  # loads lxml

    kind: Literal["mail", "unreadable"] = "unreadable" if is_pdf else "mail"
    uri = path.as_uri()
    contents: dict[str, str] = {}
    try:
        for one in attached(path):
            shown = f"{printable(given)}/{printable(one.name)}"
            if (why := _why_left_out(one, shown, images=images)) is not None:
                found.left_out.append(why)
            else:
                address = f"{'pdf' if is_pdf else 'mail'}://{quote(one.name)}::{uri}"
                found.files.append(Packed(address, shown, len(one.content)))
                contents[address] = hashlib.sha256(one.content).hexdigest()
    except IngestError as error:
        return Attachments(contents=None, left_out=[LeftOut(path=f"{printable(given)}/", kind=kind, reason=str(error))])
    except (OSError, ValueError, LookupError, RecursionError) as error:
        reason = f"its attachments cannot be listed: {first_line(error)[:150]}"
        return Attachments(contents=None, left_out=[LeftOut(path=f"{printable(given)}/", kind=kind, reason=reason)])
    found.contents = contents
    return found


def _why_left_out(one: Attached, shown: str, *, images: bool) -> LeftOut | None:
    from ragraph.ingest.readers.mail.attached import is_read

    if not one.content.strip():
        return LeftOut(path=shown, kind="other format", reason="an empty attachment")
    try:
        name = is_read(one)
    except IngestError as error:
        return LeftOut(path=shown, kind="other format", reason=str(error))
    if name == "image" and not images:
        return LeftOut(
            path=shown, kind="image", reason="most pictures in mails are decoration; to take it in: images=True"
        )
    if name in FORMATS:
        return None
    kind, reason = why_unread(PurePosixPath(one.name)) or ("other format", name or "its format is not known")
    return LeftOut(path=shown, kind=kind, reason=reason)
