"""Files in object stores and behind https, and whatever else fsspec can reach."""

from __future__ import annotations

import posixpath
import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from ragraph.base.extras import install
from ragraph.errors import FileTooLargeError, IngestError, first_line
from ragraph.ingest.files.inside import content_at, file_around, parted
from ragraph.ingest.readers import supported_suffixes

if TYPE_CHECKING:
    from collections.abc import Iterator

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)
_PACKINGS = ((".tgz", "gzip"), ("gz", "gzip"), ("bz2", "bz2"), ("xz", "xz"))

_MAGIC = re.compile(r"[*?\[]")
_BLOCK = 1024 * 1024


def is_address(given: object) -> bool:
    """Return True if a text is an address. ``file:`` addresses of this machine count as paths."""
    return isinstance(given, str) and bool(_ADDRESS.match(given))


def name_at(address: str) -> str:
    """Return the file name of an address; its ending tells the format."""
    if (inside := parted(address)) is not None:
        return posixpath.basename(inside[0].rstrip("/")) or "file"
    return unquote(posixpath.basename(urlsplit(address).path.rstrip("/"))) or "index.html"


def files_at(address: str) -> Iterator[tuple[str, int | None]]:
    """Yield the addresses of the files that an address stands for, with their sizes if known.

    An address that ends with ``/``, or that is a folder of an object store, stands for the files beneath it at any
    depth whose names end like a readable format. One with ``*``, ``?`` or ``[`` stands for the files that match. Any
    other is one file.

    Raises:
        IngestError: it cannot be reached, or the package that reaches it is not installed.
    """
    if file_around(address) is not None:
        yield address, None
        return
    web = urlsplit(address).scheme.lower() in ("http", "https")
    with _told(address):
        files, path = _open(address)
        if _MAGIC.search(urlsplit(address).path):
            found = files.glob(path, detail=True)
        elif address.endswith("/") or (not web and files.isdir(path)):
            found = files.find(path, detail=True)
            ending = tuple(supported_suffixes())
            found = {name: entry for name, entry in found.items() if _is_wanted(name, path, ending)}
        else:
            yield address, None
            return
        for name, entry in sorted(found.items()):
            if entry.get("type") == "file":
                yield files.unstrip_protocol(name), entry.get("size")


def fetch(address: str, folder: Path, most: int) -> Path:
    """Copy the file at an address into a folder, under its own name.

    Args:
        address: address of one file.
        folder: folder to copy to; it is made.
        most: maximum bytes of the file.

    Raises:
        IngestError: it cannot be reached.
        FileTooLargeError: it has more bytes.
    """
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / (name_at(address).replace("/", "_").replace("\0", "_") or "file")
    with _told(address):
        if file_around(address) is not None:
            content = content_at(address)
            if len(content) > most:
                raise FileTooLargeError(f"the file has more than {most:,} bytes; raise limits= or leave it out")
            target.write_bytes(content)
            return target
        files, path = _open(address)
        size = 0
        with files.open(path, "rb") as source, target.open("wb") as copy:
            while block := source.read(_BLOCK):
                size += len(block)
                if size > most:
                    raise FileTooLargeError(f"the file has more than {most:,} bytes; raise limits= or leave it out")
                copy.write(block)
    return target


def _open(address: str) -> tuple[Any, str]:
    from fsspec.core import url_to_fs

    if (inside := parted(address)) is not None:
        path, archive = inside
        packing = next((kind for ending, kind in _PACKINGS if archive.lower().endswith(ending)), None)
        stated = {"tar": {"compression": packing}} if packing and address[:3].lower() == "tar" else {}
        files, _ = url_to_fs(f"{address[:3]}://::{archive}", **stated)
        return files, path
    return url_to_fs(address)  # type: ignore[no-any-return]


def _is_wanted(name: str, root: str, ending: tuple[str, ...]) -> bool:
    inside = name.removeprefix(root).strip("/").split("/")
    return name.lower().endswith(ending) and not any(part.startswith((".", "~$")) for part in inside)


@contextmanager
def _told(address: str) -> Iterator[None]:
    """Raise a one-line error if a file cannot be reached; libraries raise all kinds of errors."""
    try:
        yield
    except IngestError:
        raise
    except (ImportError, ModuleNotFoundError) as error:
        raise IngestError(
            f"nothing that reaches {address} is installed ({first_line(error)}): {install('remote')}"
        ) from error
    except FileNotFoundError as error:
        raise IngestError(f"there is no file at {address}") from error
    except Exception as error:
        raise IngestError(f"{address} cannot be reached: {first_line(error)}") from error
