"""Names of content that has no place of its own: uploads, bytes, and files fetched from an address.

A copy lies in a temporary folder ``upload``. What lies between this folder and the copy is the place of the document:
``a/index.md`` becomes ``upload:///a/index.md``, and an address, cut into folders, becomes this address again.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from urllib.parse import quote, unquote

from ragraph.base.scratch import prefix

UPLOAD = "upload:///"
"""Beginning of the place of content with a name alone."""

_COPY = re.compile(rf"file://[^:]*/{prefix('upload')}[^/:]+/((?:[^/:]+/)*)([^/:]+)$")
_ADDRESS = "address:"
_PART = 200
"""Characters of an address in the name of one folder; file systems take 255 bytes."""


def relative(name: str) -> Path | None:
    """Return a name as a path below a folder; None if it has none, or leads out of the folder."""
    parts = [part.strip() for part in PurePosixPath(name.strip()).parts if part != "/"]
    return Path(*parts) if parts and not {"", "..", "."} & set(parts) else None


def folders_of(address: str) -> Path:
    """Return the folders in which a file that was fetched from an address is put."""
    told = _ADDRESS + quote(address, safe="")
    return Path(*(told[start : start + _PART] for start in range(0, len(told), _PART)))


def stable(uri: str) -> str:
    """Return a place without the temporary folder of a copy, so that it is the same wherever the next copy is."""
    return _COPY.sub(_place, uri)


def _place(found: re.Match[str]) -> str:
    folders = unquote(found[1]).replace("/", "")
    return unquote(folders.removeprefix(_ADDRESS)) if folders.startswith(_ADDRESS) else f"{UPLOAD}{found[1]}{found[2]}"
