"""Addresses of attachments: ``mail://list.csv::file:///home/me/a.eml``, ``pdf://list.csv::file:///home/me/a.pdf``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from ragraph.errors import IngestError

if TYPE_CHECKING:
    from pathlib import Path

_ADDRESS = re.compile(r"(?:mail|pdf)://(.+?)::", re.DOTALL)


def mail_of(address: str) -> str | None:
    """Return the address of the mail or PDF file that an attachment is from; None for any other address."""
    found = _ADDRESS.match(address)
    return address[found.end() :] if found else None


def content_at(address: str) -> bytes:
    """Return the bytes of an attachment.

    Raises:
        IngestError: the mail has no such attachment any more.
        OSError: the mail cannot be opened.
    """
    from ragraph.ingest.readers.mail.attached import attached_content  # loads lxml, for mails alone

    path, name = _parted(address)
    if path is None:
        raise IngestError(f"{address} is no attachment of a file on this machine")
    try:
        content = attached_content(path, name)
    except ValueError as error:
        raise IngestError(f"{path.name}: {error}") from error
    if content is None:
        raise IngestError(f"{path.name} has no attachment {name!r} any more")
    return content


def is_still_there(address: str) -> bool:
    """Return True if a mail still has an attachment, or if that cannot be looked up."""
    from ragraph.ingest.readers.mail.attached import attached_names

    path, name = _parted(address)
    if path is None:
        return True
    try:
        return name in attached_names(path)
    except FileNotFoundError:
        return False
    except (OSError, IngestError, ValueError):
        return True


def _parted(address: str) -> tuple[Path | None, str]:
    """Return the mail on this machine, and the name of the attachment in it."""
    from ragraph.documents.assets import path_of

    found = _ADDRESS.match(address)
    return (path_of(address[found.end() :]), unquote(found[1])) if found else (None, "")
