"""Mailboxes (mbox), saved web pages (MHTML), and messages of Outlook (MSG)."""

from __future__ import annotations

import codecs
import re
import struct
import tempfile
from contextlib import suppress
from dataclasses import replace
from email import message_from_bytes, policy
from email.message import EmailMessage, Message
from email.utils import formataddr
from html import escape, unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from ragraph.errors import EmptyFileError, IngestError, UnsupportedFormatError, first_line
from ragraph.ingest.draft import DraftMetadata
from ragraph.ingest.readers.docling.run import damaged
from ragraph.ingest.readers.html.reader import HtmlReader, decode
from ragraph.ingest.readers.mail.joining import Joining
from ragraph.ingest.readers.mail.reader import message_draft
from ragraph.ingest.readers.mail.texts import messages_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ragraph.ingest.draft import Draft
    from ragraph.ingest.readers import ReadOptions

_MOST_MESSAGES = 20_000
_MOST_FRAMES = 50


class MboxReader:
    """Mailboxes: each message is a section."""

    name = "mbox"
    version = 9 + HtmlReader.version  # the text may be a page

    def read(self, path: Path, options: ReadOptions) -> Draft:
        """Return the draft of the mailbox; raises the errors of ``Reader.read``."""
        joining = Joining(f"{self.name}/{self.version}")
        warnings: list[str] = []
        for number, content in enumerate(messages_in(path.read_bytes()), 1):
            if number > _MOST_MESSAGES:
                warnings.append(f"only the first {_MOST_MESSAGES:,} messages were read; split the mailbox")
                break
            name = f"message {number}"
            try:
                message = message_from_bytes(content, policy=policy.compat32)
                draft = message_draft(message, f"{self.name}/{self.version}", options, name)
            except (IngestError, RecursionError) as error:
                warnings.append(f"{name} was not read: {first_line(error)}")
                continue
            title = draft.metadata.title or name.capitalize()
            first = draft.nodes[0] if draft.nodes else None
            if first is not None and first.key == "subject":
                draft = draft.model_copy(update={"nodes": draft.nodes[1:]})
            joining.add(draft, title=title)
        if not joining.nodes:
            raise EmptyFileError(f"{path.name} holds no message that can be read; there is nothing to ingest")
        return joining.draft(DraftMetadata(), warnings)


class MhtmlReader:
    """Saved web pages: the page, then the pages in its frames. Pictures are not read."""

    name = "mhtml"
    version = 6 + HtmlReader.version  # each part is a page

    def read(self, path: Path, options: ReadOptions) -> Draft:
        """Return the draft of the page; raises the errors of ``Reader.read``."""
        message = message_from_bytes(path.read_bytes(), policy=policy.compat32)
        pages = [part for part in message.walk() if part.get_content_type() in ("text/html", "application/xhtml+xml")]
        sheets = _known(part for part in message.walk() if part.get_content_type() == "text/css")
        drafts = []
        for part in _in_order(pages[:_MOST_FRAMES]):
            with suppress(EmptyFileError):
                drafts.append(_page(part, path.name, options, sheets, alone=len(pages) == 1))
        if not drafts:
            raise EmptyFileError(f"{path.name} holds no page with text; nothing to read")
        reader = f"{self.name}/{self.version}"
        if len(drafts) == 1:
            return drafts[0].model_copy(update={"reader": reader, "metadata": _titled(drafts[0].metadata, pages[0])})
        joining = Joining(reader)
        for draft in drafts:
            joining.add(draft)
        return joining.draft(_titled(drafts[0].metadata, pages[0]))


_FRAME = re.compile(r"<i?frame\b[^<>]*?\bsrc\s*=\s*[\"']?([^\"'\s<>]+)", re.IGNORECASE)
_LINK = re.compile(r"<link\b[^<>]*>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""\b(rel|href|media)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)
_TITLE = re.compile(r"<title\b[^<>]*>(.*?)</title\s*>", re.IGNORECASE | re.DOTALL)
_NO_FRAMES = re.compile(r"<noframes\b.*?</noframes\s*>", re.IGNORECASE | re.DOTALL)


def _in_order(pages: list[Message]) -> list[Message]:
    """Return the pages in the order in which frames show them: each before those in its frames."""
    known = _known(pages)
    order: list[Message] = []
    waiting = pages[::-1]
    while waiting:
        part = waiting.pop()
        if any(part is one for one in order):
            continue
        order.append(part)
        base = str(part.get("Content-Location", "")).strip()
        frames = [_address(base, src) for src in _FRAME.findall(_source(part))]
        waiting += [known[name] for name in reversed(frames) if name in known]
    return order


def _known(parts: Iterable[Message]) -> dict[str, Message]:
    """Return parts by both of their addresses."""
    known = {}
    for part in parts:
        known[f"cid:{str(part.get('Content-ID', '')).strip('<> ')}"] = part
        known[str(part.get("Content-Location", "")).strip()] = part
    return known


def _with_sheets(page: str, base: str, sheets: Mapping[str, Message]) -> str:
    """Return a page with the style sheets that were saved with it in the place of its links to them: they may hide."""

    def sheet(link: re.Match[str]) -> str:
        stated = {
            found[1].lower(): unescape(found[2] or found[3] or found[4]) for found in _ATTRIBUTE.finditer(link[0])
        }
        kinds = stated.get("rel", "").lower().split()
        part = sheets.get(_address(base, stated.get("href", "")))
        style = _source(part) if part is not None and "stylesheet" in kinds and "alternate" not in kinds else ""
        if not style or "</style" in style.lower():
            return link[0]
        return f'<style media="{escape(stated.get("media", "all"))}">{style}</style>'

    return _LINK.sub(sheet, page) if sheets else page


def _address(base: str, stated: str) -> str:
    """Return the address of a frame; unchanged if it is none."""
    try:
        return urljoin(base, stated)
    except ValueError:
        return stated


def _titled(metadata: DraftMetadata, page: Message) -> DraftMetadata:
    """Return metadata with the title of the page around all frames, which may have no text of its own."""
    stated = _TITLE.search(_source(page))
    title = " ".join(unescape(stated[1]).split()) if stated else ""
    return metadata.model_copy(update={"title": title}) if title and not metadata.title else metadata


def _source(part: Message, charset: str | None = None) -> str:
    """Return the source of a page; a character set that is given counts more than the one that the page states."""
    content = part.get_payload(decode=True)
    stated = None
    with suppress(Exception):  # header parameters can be damaged in many ways
        stated = part.get_content_charset()
    return decode(content, charset, stated=stated) if isinstance(content, bytes) else ""


def _page(part: Message, name: str, options: ReadOptions, sheets: Mapping[str, Message], *, alone: bool) -> Draft:
    base = str(part.get("Content-Location", "")).strip()
    text = _with_sheets(_source(part, options.charset), base, sheets)
    if not alone:
        text = _NO_FRAMES.sub("", text)
    if not text.strip():
        raise EmptyFileError(f"{name} holds an empty page")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        path.write_text(text, encoding="utf-8", errors="replace")
        return HtmlReader().read(path, replace(options, charset="utf-8"))


class MsgReader:
    """Messages of Outlook, made a mail and read as one."""

    name = "msg"
    version = 7 + HtmlReader.version  # the text may be a page

    def read(self, path: Path, options: ReadOptions) -> Draft:
        """Return the draft of the message; raises the errors of ``Reader.read``."""
        try:
            import olefile  # type: ignore[import-untyped]
        except ImportError:
            raise UnsupportedFormatError(
                "MSG is read with the package olefile: pip install 'ragraph-store[ingest]', or save the message as EML"
            ) from None
        try:
            with olefile.OleFileIO(path) as file:
                message = _Outlook(file).message((), 0)
        except (OSError, ValueError, IndexError, KeyError) as error:
            raise damaged(error) from error
        return message_draft(message, f"{self.name}/{self.version}", options, path.name)


def outlook_message(content: bytes) -> EmailMessage | None:
    """Return the message in the bytes of an MSG file; None if there is none."""
    import io

    with suppress(Exception):  # its reader says what is wrong with it
        import olefile

        with olefile.OleFileIO(io.BytesIO(content)) as file:
            return _Outlook(file).message((), 0)
    return None


_SUBJECT, _BODY, _PAGE, _SENDER, _ADDRESS = "0037", "1000", "1013", "0C1A", "5D01"
_TO, _CC, _HEADERS, _NAME, _SHORT_NAME, _DATA, _ID = "0E04", "0E03", "007D", "3707", "3704", "3701", "1035"
_DEEPEST = 5
_PAGES = (0x3FFD, 0x3FDE)
"""Numbers of the properties that state a character set: of the texts of the message, of its source."""
_LATIN = {20127: "cp1252", 28591: "cp1252", 65000: "utf-7", 65001: "utf-8", 20866: "koi8-r", 21866: "koi8-u"}


def outlook_charset(file: Any, folder: Sequence[str]) -> str:
    """Return the character set of the texts of one byte a letter in a folder of an MSG file ([MS-OXMSG] 2.4)."""
    name = [*folder, "__properties_version1.0"]
    stated = file.openstream(name).read() if file.exists(name) else b""
    entries = struct.iter_unpack("<HHIII", stated[-(len(stated) // 16 * 16) :]) if len(stated) >= 16 else ()
    values = {number: value for _, number, _, value, _ in entries}
    page = next((values[number] for number in _PAGES if number in values), 0)
    charset = _LATIN.get(page) or (f"iso8859-{page - 28590}" if 28591 < page <= 28605 else f"cp{page}")
    try:
        return codecs.lookup(charset).name
    except LookupError:
        return "cp1252"


class _Outlook:
    """Reads the properties of a message: streams named by the number and type of each ([MS-OXMSG])."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def text(self, folder: tuple[str, ...], number: str) -> str:
        """Return a property that is text, in either of its two types."""
        for kind in ("001F", "001E"):
            name = [*folder, f"__substg1.0_{number}{kind}"]
            if self._file.exists(name):
                charset = "utf-16-le" if kind == "001F" else outlook_charset(self._file, folder)
                return str(self._file.openstream(name).read().decode(charset, "replace")).strip("\0")
        return ""

    def data(self, folder: tuple[str, ...], number: str) -> bytes:
        """Return a property that is binary."""
        name = [*folder, f"__substg1.0_{number}0102"]
        return bytes(self._file.openstream(name).read()) if self._file.exists(name) else b""

    def message(self, folder: tuple[str, ...], depth: int) -> EmailMessage:
        """Return the message in a folder as a mail."""
        mail = EmailMessage()
        stated = message_from_bytes(self.text(folder, _HEADERS).encode("utf-8", "replace"))
        sender = formataddr((self.text(folder, _SENDER), self.text(folder, _ADDRESS)))
        for name, value in (
            ("Subject", self.text(folder, _SUBJECT)),
            ("From", stated.get("From") or sender),
            ("To", stated.get("To") or self.text(folder, _TO)),
            ("Cc", stated.get("Cc") or self.text(folder, _CC)),
            ("Date", stated.get("Date")),
            ("Message-ID", stated.get("Message-ID") or self.text(folder, _ID)),
        ):
            if value:
                with suppress(Exception):  # what stands there need not be a header
                    mail[name] = re.sub(r"[\r\n]+\s*", " ", str(value))
        page = self.data(folder, _PAGE)
        body = self.text(folder, _BODY)
        if page:
            mail.set_content(page, maintype="text", subtype="html")
        elif body:
            mail.set_content(body)
        for entry in sorted({tuple(one[: len(folder) + 1]) for one in self._file.listdir() if len(one) > len(folder)}):
            if entry[:-1] == folder and entry[-1].startswith("__attach_version1.0"):
                self._attach(mail, entry, depth)
        return mail

    def _attach(self, mail: EmailMessage, folder: tuple[str, ...], depth: int) -> None:
        name = self.text(folder, _NAME) or self.text(folder, _SHORT_NAME) or "attachment"
        inner = (*folder, "__substg1.0_3701000D")
        if self._file.exists(list(inner)) and depth < _DEEPEST:
            mail.add_attachment(self.message(inner, depth + 1))
        elif data := self.data(folder, _DATA):
            mail.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
