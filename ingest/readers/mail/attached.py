"""Attachments of mails and PDF files, each with a name of its own, so that it can be a document beside the file."""

from __future__ import annotations

import mimetypes
import re
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from email import policy
from email.message import Message
from email.parser import BytesParser
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from ragraph.errors import IngestError
from ragraph.ingest.readers.detect import format_of
from ragraph.ingest.readers.mail.reader import attachments_of, described, message_bytes
from ragraph.ingest.readers.mail.texts import messages_in
from ragraph.ingest.readers.pdf_attached import attached_files, may_have_attached

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_ATTACHED = 1000
"""Maximum attachments of a file that become documents."""

MOST_BYTES = 256 << 20
"""Maximum bytes of a mail that is looked into for attachments, and of all attachments of a file; decoded in memory."""

_DEEPEST = 5
"""Messages and PDF files within others that are looked into."""

_MAILS = (".eml", ".msg", ".mbox")

_HINTS = re.compile(rb"name\*?\d*\*?\s*=|attachment|message/rfc822", re.IGNORECASE)
"""A message without any of these has no attachment."""

_COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_UNSAFE = re.compile(r"[/\\\x00-\x1f\x7f]+")
_LONGEST = 120


@dataclass(frozen=True)
class Attached:
    """An attachment.

    Attributes:
        name: its path within the file: its own name, behind those of the messages and files around it.
        kind: its media type, as the message states it.
        content: its bytes.
    """

    name: str
    kind: str
    content: bytes


def attached(path: Path) -> Iterator[Attached]:
    """Yield the attachments of a mail or PDF file, those of messages and PDF files in it too, each before its own.

    Raises:
        IngestError: it has too many, or they have too many bytes.
        ValueError: it cannot be looked into.
    """
    if path.suffix.lower() in _MAILS and path.stat().st_size > MOST_BYTES:
        raise IngestError(f"the file has more than {MOST_BYTES >> 20} MiB; save its attachments as files")
    count = size = 0
    for one in _all(path):
        count, size = count + 1, size + len(one.content)
        if count > MOST_ATTACHED or size > MOST_BYTES:
            raise IngestError(
                f"the file has more than {MOST_ATTACHED:,} attachments or {MOST_BYTES >> 20} MiB of them; save them as"
                " files"
            )
        yield one


def attached_content(path: Path, name: str) -> bytes | None:
    """Return the bytes of an attachment; None if the file has no attachment of this name."""
    return next((one.content for one in attached(path) if one.name == name), None)


def attached_names(path: Path) -> frozenset[str]:
    """Return the names of all attachments; those of a file that does not change are looked up once."""
    state = path.stat()
    return _names(path, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=64)
def _names(path: Path, _size: int, _time: int) -> frozenset[str]:
    return frozenset(one.name for one in attached(path))


def is_read(one: Attached) -> str:
    """Return the name of the format that an attachment is read in, or a few words on why it has none.

    Raises:
        IngestError: it is empty, encrypted or damaged.
    """
    suffix = PurePosixPath(one.name).suffix
    ending = suffix if re.fullmatch(r"[.]\w{1,10}", suffix) else ""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"attachment{ending}"
        path.write_bytes(one.content)
        return format_of(path, None if suffix else one.kind)


def _all(path: Path) -> Iterator[Attached]:
    if path.suffix.lower() == ".pdf":
        yield from _of_pdf(path, "", 0)
    elif path.suffix.lower() == ".mbox":
        for number, content in enumerate(messages_in(path.read_bytes()), 1):
            yield from _of_mail(content, f"message {number}/", 0)
    else:
        yield from _of_mail(path.read_bytes(), "", 0)


def _of_mail(content: bytes, before: str, depth: int) -> Iterator[Attached]:
    """Yield the attachments of the message with these bytes; ``before`` is its own path."""
    message = _message(content)
    if message is None:
        return
    for name, part in named_attachments(message):
        kind = part.get_content_type()
        inner = part.get_payload(0) if kind == "message/rfc822" and part.is_multipart() else None
        data = message_bytes(inner) if isinstance(inner, Message) else part.get_payload(decode=True)
        if not isinstance(data, bytes) or (part.is_multipart() and inner is None):
            continue
        yield from _with_own(Attached(before + name, kind, data), depth)


def _with_own(one: Attached, depth: int) -> Iterator[Attached]:
    """Yield an attachment, and those in it."""
    yield one
    suffix = PurePosixPath(one.name).suffix.lower()
    if depth + 1 >= _DEEPEST:
        return
    if suffix in (".eml", ".msg"):
        yield from _of_mail(one.content, f"{one.name}/", depth + 1)
    elif suffix == ".pdf":
        with tempfile.TemporaryDirectory() as folder, suppress(ValueError):  # its reader says what is wrong with it
            path = Path(folder) / "file.pdf"
            path.write_bytes(one.content)
            yield from _of_pdf(path, f"{one.name}/", depth + 1)


def _of_pdf(path: Path, before: str, depth: int) -> Iterator[Attached]:
    if not may_have_attached(path):
        return
    taken: set[str] = set()
    for title, content in attached_files(path, MOST_BYTES):
        kind = mimetypes.guess_type(title)[0] or "application/octet-stream"
        yield from _with_own(Attached(before + _once(_file_name(title, kind), taken), kind, content), depth)


def named_attachments(message: Message) -> list[tuple[str, Message]]:
    """Return the attachments of a message, each with a name that is a file name and is there once."""
    taken: set[str] = set()
    found = []
    for part in attachments_of(message):
        title, kind, _ = described(part)
        found.append((_once(_file_name(title, kind), taken), part))
    return found


def _once(name: str, taken: set[str]) -> str:
    """Return a name, with a number if it is taken, and take it."""
    stem, suffix = PurePosixPath(name).stem, PurePosixPath(name).suffix
    number = 1
    while name.lower() in taken:
        number += 1
        name = f"{stem} ({number}){suffix}"
    taken.add(name.lower())
    return name


def _file_name(title: str, kind: str) -> str:
    """Return a title as a file name that ends as its media type says, if it has no ending of its own."""
    name = " ".join(_UNSAFE.sub("_", title).split()).strip(". ") or "attachment"
    suffix = PurePosixPath(name).suffix
    if kind == "message/rfc822":
        suffix = ".eml"
    elif not re.fullmatch(r"\.\w{1,10}", suffix) or " " in suffix:
        suffix = mimetypes.guess_extension(kind) or ""
    return name.removesuffix(suffix)[:_LONGEST].rstrip(". ") + suffix


def _message(content: bytes) -> Message | None:
    """Return a message; None if it cannot have attachments, or cannot be read: its reader says why."""
    if content.startswith(_COMPOUND):
        from ragraph.ingest.readers.mail.others import outlook_message

        return outlook_message(content)
    if _HINTS.search(content) is None and not content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return None
    try:
        if content.startswith((b"\xff\xfe", b"\xfe\xff")):
            content = content.decode("utf-16", "replace").encode("utf-8")
        return BytesParser(policy=policy.compat32).parsebytes(content)
    except RecursionError:
        return None
