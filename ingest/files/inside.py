"""Addresses of files inside others: ``zip://a/b.md::file:///home/me/a.zip``, ``mail://list.csv::file:///home/me/a.eml``.

Those in a mail or in a PDF file are attached: they are stored with its document. Files of an archive stand alone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from ragraph.errors import IngestError

if TYPE_CHECKING:
    from pathlib import Path

_INSIDE = re.compile(r"(?:zip|tar|mail|pdf)://(.+?)::", re.IGNORECASE | re.DOTALL)
_ATTACHED = ("mail://", "pdf://")


def parted(address: str) -> tuple[str, str] | None:
    """Return the path of a file inside another, and the address of that other file; None for any other address."""
    found = _INSIDE.match(address)
    return (unquote(found[1]), address[found.end() :]) if found else None


def file_around(address: str) -> str | None:
    """Return the address of the mail or PDF file that a file is attached to; None for any other address.

    The function ``ragraph_private.file_around`` of the database returns the same.
    """
    found = parted(address) if address.startswith(_ATTACHED) else None
    return found[1] if found else None


def content_at(address: str) -> bytes:
    """Return the bytes of an attachment.

    Raises:
        IngestError: the mail has no such attachment any more.
        OSError: the mail cannot be opened.
    """
    from ragraph.ingest.readers.mail.attached import attached_content  # loads lxml, for mails alone

    path, name = _on_this_machine(address)
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

    path, name = _on_this_machine(address)
    if path is None:
        return True
    try:
        return name in attached_names(path)
    except FileNotFoundError:
        return False
    except (OSError, IngestError, ValueError):
        return True


def _on_this_machine(address: str) -> tuple[Path | None, str]:
    """Return the path of the file around an attachment, None if that is not here, and the attachment's name."""
    from ragraph.documents.assets import path_of

    found = parted(address) if file_around(address) is not None else None
    return (path_of(found[1]), found[0]) if found else (None, "")
