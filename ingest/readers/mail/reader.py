"""Mail messages (EML): headers as publication, the text as HTML or plain text, attachments by name."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from email import policy
from email.message import Message
from email.parser import BytesParser
from email.utils import getaddresses, parsedate_to_datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragraph.errors import DamagedFileError, EmptyFileError, EncryptedFileError, FileTooLargeError
from ragraph.ingest.draft import Draft, DraftContainer, DraftMetadata, DraftNode, clean_text
from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.html.reader import HtmlReader, decode
from ragraph.ingest.readers.text.plain import TextReader
from ragraph.schema.enums import ComponentType, ContentNodeType

if TYPE_CHECKING:
    from datetime import date

_MOST_PARTS = 1000
_MOST_ADDRESSES = 200
_READ = ("text/html", "text/plain")
_ENCRYPTED = ("multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime")


@dataclass
class _Found:
    """Content of a message: the parts with its text, in order, and attachments."""

    bodies: list[Message] = field(default_factory=list)
    attachments: list[Message] = field(default_factory=list)


class EmlReader:
    """Mail messages as MIME files.

    Of alternatives, HTML is read for its lists, tables and links, else plain text. Attachments are not read: they are
    listed by name, type and size.
    """

    name = "eml"
    version = 2

    def read(self, path: Path, options: ReadOptions) -> Draft:
        """Return the draft of a message.

        Raises:
            EmptyFileError: it has no text, no subject and no attachment.
            EncryptedFileError: its text is encrypted.
            DamagedFileError: its parts are nested too deeply.
            FileTooLargeError: it has too many parts.
        """
        try:
            with path.open("rb") as file:
                message = BytesParser(policy=policy.compat32).parse(file)
            found = _Found()
            _collect(message, found)
        except RecursionError:
            raise DamagedFileError(f"{path.name} nests its parts too deeply; it is not a message") from None
        subject = _header(message, "Subject")
        senders = _addresses(message, "From")
        warnings: list[str] = []
        texts = [draft for part in found.bodies if (draft := _read(part, options, warnings)) is not None]
        named = [_described(part) for part in found.attachments]
        if not texts and not named and not subject:
            raise EmptyFileError(f"{path.name} has neither text nor attachments; there is nothing to ingest")
        draft = _joined(f"{self.name}/{self.version}", subject, senders, texts, named)
        if named:
            said = ", ".join(name for name, _, _ in named[:20]) + (" ..." if len(named) > 20 else "")
            warnings.append(f"attachments are listed, not read: {said}; save them as files to ingest them")
        return draft.model_copy(
            update={
                "metadata": DraftMetadata(
                    title=subject or None,
                    authors=senders,
                    publication_date=_date(message),
                    language=_header(message, "Content-Language").split(",")[0].strip() or None,
                    extra=_extra(message, named),
                ),
                "warnings": [*draft.warnings, *warnings],
            }
        )


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
            if isinstance(member, type(part)):
                _collect(member, inner)
        if kind == "multipart/alternative":
            inner.bodies = [body for name in _READ for body in inner.bodies if body.get_content_type() == name][:1]
        found.bodies += inner.bodies
    elif kind in _READ and part.get_content_disposition() != "attachment" and not _file_name(part):
        found.bodies.append(part)
    else:
        found.attachments.append(part)


def _read(part: Message, options: ReadOptions, warnings: list[str]) -> Draft | None:
    """Return the draft of a part, read like a file of its type; None if it is empty."""
    content = part.get_payload(decode=True)
    charset = None
    with suppress(Exception):
        charset = part.get_content_charset()
    text = decode(content, stated=charset) if isinstance(content, bytes) else ""
    if not text.strip():
        return None
    page = part.get_content_type() == "text/html"
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


def _joined(
    reader: str, subject: str, senders: list[str], texts: list[Draft], named: list[tuple[str, str, int]]
) -> Draft:
    """Return one draft: subject, sender, the texts in order, the list of attachments."""
    nodes: list[DraftNode] = []
    containers: list[DraftContainer] = []
    relations = []
    if subject:
        nodes.append(DraftNode(key="subject", type=ContentNodeType.TITLE, text=subject))
    nodes += [
        DraftNode(key=f"from{place}", type=ContentNodeType.AUTHOR, text=name) for place, name in enumerate(senders)
    ]
    for place, text in enumerate(texts):

        def own(key: str | None, place: int = place) -> str | None:
            return None if key is None else f"{place}:{key}"

        containers += [
            row.model_copy(update={"key": own(row.key), "parent": own(row.parent)}) for row in text.containers
        ]
        for node in text.nodes:
            # the subject is the title; the title of an HTML part is a heading in it
            below = {"type": ContentNodeType.HEADING, "level": 1} if node.type is ContentNodeType.TITLE else {}
            changed = {"key": own(node.key), "container": own(node.container), "positions": [], **below}
            nodes.append(node.model_copy(update=changed))
        relations += [
            row.model_copy(update={"source": own(row.source), "target": own(row.target)}) for row in text.relations
        ]
    if named:
        containers.append(DraftContainer(key="attachments", type=ComponentType.LIST, title="Attachments"))
        nodes += [
            DraftNode(
                key=f"attachment{place}",
                type=ContentNodeType.LIST_ITEM,
                text=f"{name} ({kind}, {size:,} bytes)",
                container="attachments",
            )
            for place, (name, kind, size) in enumerate(named)
        ]
    warnings = [warning for text in texts for warning in text.warnings]
    return Draft(reader=reader, nodes=nodes, containers=containers, relations=relations, warnings=warnings)


def _described(part: Message) -> tuple[str, str, int]:
    """Return name, type and size in bytes of an attachment."""
    kind = part.get_content_type()
    name = _file_name(part)
    inner = part.get_payload(0) if part.is_multipart() else None
    if isinstance(inner, Message):
        return name or _header(inner, "Subject") or "message", kind, len(bytes(inner))
    content = part.get_payload(decode=True)
    return name or f"unnamed {part.get_content_maintype()}", kind, len(content) if isinstance(content, bytes) else 0


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
        stated = getaddresses([str(value) for value in message.get_all(name, [])][:_MOST_ADDRESSES])
        people = [_decoded(person) or address for person, address in stated[:_MOST_ADDRESSES]]
        return [person for person in people if person]
    return []


def _header(message: Message, name: str) -> str:
    """Return a header as one line of text; empty if it is missing or unreadable."""
    return _decoded(str(message.get(name, "")))


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
