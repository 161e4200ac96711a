"""Mail messages (EML): headers as publication, the text as HTML or plain text, attachments as sections."""

from __future__ import annotations

import re
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field, replace
from email import policy
from email.message import Message
from email.parser import BytesParser
from email.utils import getaddresses, parsedate_to_datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragraph.errors import DamagedFileError, EmptyFileError, EncryptedFileError, FileTooLargeError, IngestError
from ragraph.ingest.common.charset import decode_bytes
from ragraph.ingest.draft import Draft, DraftContainer, DraftMetadata, DraftNode, clean_text
from ragraph.ingest.readers import ReadOptions, reader_for
from ragraph.ingest.readers.html.reader import HtmlReader, decode
from ragraph.ingest.readers.mail.joining import Joining
from ragraph.ingest.readers.mail.texts import BODIES, PAGES, event_text, unflowed
from ragraph.ingest.readers.text.plain import TextReader
from ragraph.schema.enums import ComponentType, ContentNodeType

if TYPE_CHECKING:
    from datetime import date

_MOST_PARTS = 1000
_MOST_ADDRESSES = 200
_RICHEST = ("text/html", "text/plain", "text/calendar")
"""Kinds of text, of which the first is the richest; others are the last."""

_STATUS = "message/delivery-status"
_UNREAD = ("image", "audio", "video", "font")
"""Kinds of attachments that are listed alone: most pictures are signatures and decoration."""

_DEEPEST = 5
_ENCRYPTED = ("multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime")


@dataclass
class _Found:
    """Content of a message: the parts with its text, in order, and attachments."""

    bodies: list[Message] = field(default_factory=list)
    attachments: list[Message] = field(default_factory=list)


class EmlReader:
    """Mail messages as MIME files.

    Of alternatives, HTML is read for its lists, tables and links, else plain text, and the event of an invitation.
    Attachments are listed by name, type and size. As ``ReadOptions.attachments`` says, those that a reader reads, and
    forwarded messages, are documents of their own, or sections behind the text.
    """

    name = "eml"
    version = 9 + HtmlReader.version  # the text may be a page

    def read(self, path: Path, options: ReadOptions) -> Draft:
        """Return the draft of a message.

        Raises:
            EmptyFileError: it has no text, no subject and no attachment.
            EncryptedFileError: its text is encrypted.
            DamagedFileError: its parts are nested too deeply.
            FileTooLargeError: it has too many parts.
        """
        try:
            message = BytesParser(policy=policy.compat32).parsebytes(_bytes(path.read_bytes()))
        except RecursionError:
            raise DamagedFileError(f"{path.name} nests its parts too deeply; it is not a message") from None
        return message_draft(message, f"{self.name}/{self.version}", options, path.name)


def _bytes(content: bytes) -> bytes:
    """Return the bytes of a message; some programs save messages in UTF-16."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "replace").encode("utf-8")
    return content


def message_draft(message: Message, reader: str, options: ReadOptions, name: str, depth: int = 0) -> Draft:
    """Return the draft of a message.

    Args:
        message: the message.
        reader: name and version of the reader.
        options: options for the readers of its parts.
        name: name of the file in errors.
        depth: number of messages around it; at ``_DEEPEST`` attachments are no longer read.

    Raises:
        EmptyFileError, EncryptedFileError, DamagedFileError, FileTooLargeError: see ``EmlReader.read``.
    """
    found = _Found()
    try:
        _collect(message, found)
    except RecursionError:
        raise DamagedFileError(f"{name} nests its parts too deeply; it is not a message") from None
    subject = _header(message, "Subject")
    senders = _addresses(message, "From")
    warnings: list[str] = []
    texts = [draft for part in found.bodies if (draft := _read(part, options, warnings)) is not None]
    named = [described(part) for part in found.attachments]
    if not texts and not named and not subject:
        raise EmptyFileError(f"{name} has neither text nor attachments; there is nothing to ingest")
    joining = Joining(reader)
    if subject:
        joining.nodes.append(DraftNode(key="subject", type=ContentNodeType.TITLE, text=subject))
    joining.nodes += [
        DraftNode(key=f"from{place}", type=ContentNodeType.AUTHOR, text=sender) for place, sender in enumerate(senders)
    ]
    for text in texts:
        joining.add(text)
    _list(joining, named)
    unread = []
    for part, (title, kind, _) in zip(found.attachments, named, strict=True):
        if options.attachments != "sections":
            break
        try:
            inner = _attached(part, title, kind, reader, options, depth)
        except IngestError:
            inner = None
        if inner is None:
            unread.append(title)
        else:
            joining.add(inner, title=title)
    if unread:
        said = ", ".join(unread[:20]) + (" ..." if len(unread) > 20 else "")
        warnings.append(f"attachments are listed, not read: {said}; save them as files to ingest them")
    return joining.draft(
        DraftMetadata(
            title=subject or None,
            authors=senders,
            publication_date=_date(message),
            language=_header(message, "Content-Language").split(",")[0].strip() or None,
            extra=_extra(message, named),
        ),
        warnings,
    )


def _attached(part: Message, title: str, kind: str, reader: str, options: ReadOptions, depth: int) -> Draft | None:
    """Return the draft of an attachment; None if it is not read: a picture, an archive, a message too deep.

    Raises:
        IngestError: its reader refuses it.
    """
    if depth >= _DEEPEST:
        return None
    if part.is_multipart():
        inner = part.get_payload(0)
        if kind != "message/rfc822" or not isinstance(inner, Message):
            return None
        return message_draft(inner, reader, options, title, depth + 1)
    content = part.get_payload(decode=True)
    if not isinstance(content, bytes) or not content.strip() or part.get_content_maintype() in _UNREAD:
        return None
    suffix = Path(title).suffix if re.fullmatch(r"\.\w{1,10}", Path(title).suffix) else ""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"attachment{suffix}"
        path.write_bytes(content)
        return reader_for(path, None if suffix else kind).read(path, replace(options, charset=None))


def _collect(part: Message, found: _Found) -> None:
    """Sort the parts of a message into texts and attachments; of alternatives the richest is the text."""
    if len(found.bodies) + len(found.attachments) >= _MOST_PARTS:
        raise FileTooLargeError(f"the message has more than {_MOST_PARTS:,} parts; split it")
    kind = part.get_content_type()
    if kind in _ENCRYPTED and part.get_param("smime-type") != "signed-data":
        raise EncryptedFileError("the message is encrypted; save it decrypted")
    if part.get_content_maintype() == "multipart" and part.is_multipart():
        inner = _Found(attachments=found.attachments)
        for member in part.get_payload():
            if isinstance(member, Message):
                _collect(member, inner)
        if kind == "multipart/alternative":
            inner.bodies = _one_of(inner.bodies)
        found.bodies += inner.bodies
    elif kind in BODIES and part.get_content_disposition() != "attachment" and not _file_name(part):
        found.bodies.append(part)
    else:
        found.attachments.append(part)


def _one_of(bodies: list[Message]) -> list[Message]:
    """Return the richest of alternatives, and the event: an invitation says in its text only that there is one."""
    ranks = {kind: rank for rank, kind in enumerate(_RICHEST)}
    ranked = sorted(bodies, key=lambda body: ranks.get(body.get_content_type(), len(ranks)))
    return ranked[:1] + [body for body in ranked[1:] if body.get_content_type() == "text/calendar"][:1]


def _read(part: Message, options: ReadOptions, warnings: list[str]) -> Draft | None:
    """Return the draft of a part, read like a file of its type; None if it is empty."""
    content = part.get_payload(decode=True)
    charset = None
    with suppress(Exception):
        charset = part.get_content_charset()
    text = decode(content, stated=charset) if isinstance(content, bytes) else ""
    if part.get_content_type() == _STATUS and part.is_multipart():
        members = [one for one in part.get_payload() if isinstance(one, Message)]
        groups = ("\n".join(f"{name}: {value}" for name, value in one.items()) for one in members)
        text = "\n\n".join(groups)
    if not text.strip():
        return None
    page = part.get_content_type() in PAGES
    if part.get_content_type() == "text/calendar":
        text = event_text(text)
    elif not page and _parameter(part, "format").lower() == "flowed":
        text = unflowed(text, joined=_parameter(part, "delsp").lower() == "yes")
    reader: HtmlReader | TextReader = HtmlReader() if page else TextReader()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("text.html" if page else "text.txt")
        path.write_text(text, encoding="utf-8", errors="replace")
        try:
            return reader.read(path, ReadOptions(charset="utf-8", table_rows=options.table_rows))
        except EmptyFileError:
            return None
        except DamagedFileError as error:
            warnings.append(f"a part of the message cannot be read: {error}")
            return None


def _list(joining: Joining, named: list[tuple[str, str, int]]) -> None:
    if not named:
        return
    joining.containers.append(DraftContainer(key="attachments", type=ComponentType.LIST, title="Attachments"))
    joining.nodes += [
        DraftNode(
            key=f"attachment{place}",
            type=ContentNodeType.LIST_ITEM,
            text=f"{name} ({kind}, {size:,} bytes)",
            container="attachments",
        )
        for place, (name, kind, size) in enumerate(named)
    ]


def attachments_of(message: Message) -> list[Message]:
    """Return the attachments of a message, forwarded messages included; none of one that is encrypted or damaged."""
    found = _Found()
    with suppress(IngestError, RecursionError):
        _collect(message, found)
    return found.attachments


def message_bytes(message: Message) -> bytes:
    """Return a message as a file holds it; empty if it cannot be written."""
    with suppress(Exception):  # a damaged message may be read and yet not be written
        return message.as_bytes(policy=message.policy)
    return b""


def described(part: Message) -> tuple[str, str, int]:
    """Return name, type and size in bytes of an attachment."""
    kind = part.get_content_type()
    name = _file_name(part)
    inner = part.get_payload(0) if part.is_multipart() else None
    if isinstance(inner, Message):
        return name or _header(inner, "Subject") or "message", kind, len(message_bytes(inner))
    content = part.get_payload(decode=True)
    return name or f"unnamed {part.get_content_maintype()}", kind, len(content) if isinstance(content, bytes) else 0


def _parameter(part: Message, name: str) -> str:
    with suppress(Exception):  # header parameters can be damaged in many ways
        return str(part.get_param(name) or "")
    return ""


def _file_name(part: Message) -> str:
    with suppress(Exception):  # header parameters can be damaged in many ways
        return _decoded(part.get_filename() or "")
    return ""


def _extra(message: Message, named: list[tuple[str, str, int]]) -> dict[str, Any]:
    extra: dict[str, Any] = {
        "to": _addresses(message, "To"),
        "cc": _addresses(message, "Cc"),
        "message_id": _header(message, "Message-ID"),
        "in_reply_to": _header(message, "In-Reply-To"),
        "attachments": [{"name": name, "mime_type": kind, "bytes": size} for name, kind, size in named],
    }
    return {name: value for name, value in extra.items() if value}


def _addresses(message: Message, name: str) -> list[str]:
    """Return the people in a header by name, or by address if there is no name."""
    with suppress(Exception):
        lines = [_raw(value) for key, value in message.raw_items() if key.lower() == name.lower()]
        stated = getaddresses(lines[:_MOST_ADDRESSES])
        people = [_decoded(person) or address for person, address in stated[:_MOST_ADDRESSES]]
        return [person for person in people if person]
    return []


def _header(message: Message, name: str) -> str:
    """Return a header as one line of text; empty if it is missing or unreadable."""
    return _decoded(next((_raw(value) for key, value in message.raw_items() if key.lower() == name.lower()), ""))


def _raw(value: object) -> str:
    """Return a header as text; its bytes that are not ASCII are in the character set that they look like."""
    text = str(value)
    if any("\udc80" <= letter <= "\udcff" for letter in text):
        return decode_bytes(text.encode("utf-8", "surrogateescape"), None, [])
    return text


def _decoded(value: str) -> str:
    from email.header import decode_header, make_header

    text = value
    with suppress(Exception):  # unknown character sets, broken encoded words: unchanged
        text = str(make_header(decode_header(value)))
    text = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")  # bytes without a stated encoding
    return " ".join(str(clean_text(text)).split())[:2000]


def _date(message: Message) -> date | None:
    with suppress(TypeError, ValueError, IndexError, OverflowError):
        return parsedate_to_datetime(str(message["Date"])).date()
    return None
