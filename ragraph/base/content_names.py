"""Names of content that has no place of its own: uploads, bytes, and files fetched from an address.

A copy lies in a temporary folder. What lies between this folder and the copy is the place of the document. Below
``upload`` it is a name that somebody gave: ``a/index.md`` becomes ``upload:///a/index.md``. Below ``download`` it is
the address of a file that was fetched, cut into folders; it becomes this address again.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath
from urllib.parse import quote, unquote

from ragraph.base.scratch import prefix
from ragraph.errors import ArgumentError

UPLOAD = "upload:///"
"""Beginning of the place of content with a name alone."""

_COPY = re.compile(rf"file://[^:]*?/(?:({prefix('upload')})|{prefix('download')})[^/:]+/((?:[^/:]+/)*)([^/:]+)$")
_PART = 200
"""Characters of an address in the name of one folder."""
_PART_BYTES = 255
"""Maximum length of the name of a file or folder on the usual file systems."""
_FOLDERS = 32
_BYTES = 1000
"""Maximum length of a name with its folders, whose path must be one that systems take."""


def relative(name: str) -> Path | None:
    """Return a name as a path below a folder, of one that leads out of it the last part; None if there is no name.

    Raises:
        ArgumentError: a part of it is too long, or it has too many folders.
    """
    parts = [part.strip() for part in PurePosixPath(name.strip()).parts if part != "/"]
    if too_long := [part for part in parts if len(os.fsencode(part)) > _PART_BYTES]:
        raise ArgumentError(
            f"the file name has more than {_PART_BYTES} bytes: {too_long[0][:60]}…", hint="use a shorter name"
        )
    if len(parts) > _FOLDERS or len(os.fsencode(name)) > _BYTES:
        raise ArgumentError(
            f"the name has more than {_FOLDERS} folders or {_BYTES} bytes: {name[:60]}…", hint="use a shorter name"
        )
    named = parts[-1:] if ".." in parts else parts
    return Path(*named) if named and not {"", "..", "."} & set(named) else None


def folders_of(address: str) -> Path:
    """Return the folders, below a ``download`` folder, of a file that was fetched from an address."""
    told = quote(address, safe="")
    return Path(*(f"_{told[start : start + _PART]}" for start in range(0, len(told), _PART)))


def stable(uri: str) -> str:
    """Return a place without the temporary folder of a copy, so that it is the same wherever the next copy is."""
    return _COPY.sub(_place, uri)


def _place(found: re.Match[str]) -> str:
    upload, folders, name = found.groups()
    return f"{UPLOAD}{folders}{name}" if upload else unquote("".join(part[1:] for part in unquote(folders).split("/")))
