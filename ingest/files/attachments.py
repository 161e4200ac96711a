"""Attachments of mail files: each readable one has an address, and is a document of the mail's publication."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import quote

from ragraph.errors import IngestError, first_line
from ragraph.ingest.files.archives import Packed
from ragraph.ingest.files.places import printable
from ragraph.ingest.readers import FORMATS
from ragraph.ingest.readers.unread import why_unread
from ragraph.schema.reports import LeftOut

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.readers.mail.attached import Attached

_MAILS = frozenset({".eml", ".msg", ".mbox"})

ATTACHED = "attached"
"""Key of ``Found.entry`` of a mail: the addresses of its attachments."""


@dataclass
class Attachments:
    """The attachments of a mail file.

    Attributes:
        files: attachments to ingest.
        left_out: the others, with the reason.
    """

    files: list[Packed] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)


def has_attachments(path: Path) -> bool:
    """Return True if a file is named like a mail."""
    return path.suffix.lower() in _MAILS


def attachments_in(path: Path, given: Path, *, images: bool = False) -> Attachments:
    """Return the attachments of a mail file.

    Args:
        path: the file, absolute.
        given: its path as the caller named it, for reports.
        images: include pictures.
    """
    from ragraph.ingest.readers.mail.attached import attached  # loads lxml, for files of mails alone

    found = Attachments()
    uri = path.as_uri()
    try:
        for one in attached(path):
            shown = f"{printable(given)}/{printable(one.name)}"
            if (why := _why_left_out(one, shown, images=images)) is not None:
                found.left_out.append(why)
            else:
                found.files.append(Packed(f"mail://{quote(one.name)}::{uri}", shown, len(one.content)))
    except IngestError as error:
        return Attachments(left_out=[LeftOut(path=f"{printable(given)}/", kind="mail", reason=str(error))])
    except (OSError, ValueError, LookupError, RecursionError) as error:
        reason = f"its attachments cannot be listed: {first_line(error)[:150]}"
        return Attachments(left_out=[LeftOut(path=f"{printable(given)}/", kind="mail", reason=reason)])
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
