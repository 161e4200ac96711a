"""Texts, tables, records, subtitles and mails, and PDFium's characters of a PDF file."""

from __future__ import annotations

import html
import re
from email import policy
from email.parser import BytesParser
from typing import TYPE_CHECKING, Any

from ragraph.ingest.account.pages import html_pieces
from ragraph.ingest.account.prose import prose_pieces
from ragraph.ingest.account.words import Piece
from ragraph.ingest.common.charset import decode_bytes
from ragraph.ingest.common.written import read_json, read_yaml
from ragraph.ingest.readers.mail.others import outlook_charset
from ragraph.ingest.readers.mail.texts import BODIES, PAGES, messages_in
from ragraph.ingest.readers.text.notebook import at_last
from ragraph.ingest.readers.text.plain import ESCAPES
from ragraph.ingest.readers.text.records_html import is_page, unescaped

if TYPE_CHECKING:
    from collections.abc import Iterator
    from email.message import Message
    from pathlib import Path

    from ragraph.ingest.readers.mappings import RecordMapping

_TIMES = re.compile(r"^(?:\d+|WEBVTT.*|(?:\d+:)?\d+:\d+[.,]\d+\s*-->.*)$")
_CAPTION_TAGS = re.compile(r"<v(?:\.[^\s>]*)?\s+([^>]+)>|<[^<>]*>|\{\\[^{}]*\}")
_PARTED = re.compile(r"(?<=[^\W\d])[-\u00ad\u2010]\r?\n(?=[^\W\d_])|[\x02\ufffe](?:\r?\n)?")
"""A hyphen at the end of a line of a PDF file, which parts a word; PDFium has signs of its own for most."""


def table_pieces(text: str) -> Iterator[Piece]:
    """Yield the lines of a table; the first may state its separator."""
    stated = re.match(r"\ufeff?\"?sep=.\"?\s*\n", text, re.IGNORECASE)
    if stated is not None:
        yield Piece(stated[0], "markup")
        text = text[stated.end() :]
    yield from plain_pieces(text)


def plain_pieces(text: str) -> Iterator[Piece]:
    """Yield the lines of a text; codes of terminals in it are markup."""
    if "\x1b" in text:
        yield from (Piece(code, "markup") for code in ESCAPES.findall(text))
        text = ESCAPES.sub("", text)
    for line in text.splitlines():
        if line.strip():
            yield Piece(line)


def caption_pieces(text: str) -> Iterator[Piece]:
    """Yield the lines of subtitles; times and numbers are positions."""
    lines = text.lstrip("\ufeff").splitlines()
    in_note, in_header = False, lines[:1] != [] and lines[0].startswith("WEBVTT")
    for above, line, below in zip(["", *lines], lines, [*lines[1:], ""], strict=False):
        in_header = in_header and bool(line.strip())
        in_note = line.startswith(("NOTE", "STYLE", "REGION")) or (in_note and bool(line.strip()))
        if in_note:
            yield Piece(line, "comment")
        elif in_header or ("-->" in below and not above.strip() and _TIMES.match(below.strip())):
            yield Piece("" if _TIMES.match(line.strip()) else line, "metadata")  # of the file, or the name of a cue
        elif line.strip() and not _TIMES.match(line.strip()):
            yield Piece(html.unescape(_CAPTION_TAGS.sub(lambda found: f"{found[1]}: " if found[1] else "", line)))


def record_pieces(text: str, suffix: str, mapping: RecordMapping | None = None) -> Iterator[Piece]:
    """Yield the values of records; those that a mapping leaves out with this reason."""
    try:
        data = read_yaml(text) if suffix in (".yaml", ".yml") else read_json(text)
    except ValueError:
        data = [read_json(line) for line in text.splitlines() if line.strip()]
    if mapping is None:
        yield from _values(data, None)
        return
    yield from _values(data, tuple(mapping.records.split(".")) if mapping.records else (), mapping.drop)


def _values(value: Any, left: tuple[str, ...] | None, drop: tuple[str, ...] = (), path: str = "") -> Iterator[Piece]:
    """Yield the values below a value.

    Args:
        value: the value.
        left: names that are still left to the records of a mapping; None without a mapping.
        drop: fields of records that the mapping leaves out, from the record on.
        path: path of the value in its record.
    """
    if isinstance(value, dict):
        for name, one in value.items():
            if left and name != left[0]:
                yield from (Piece(text.text, _MAPPED) for text in _values(one, None))
            elif left:
                yield from _values(one, left[1:], drop)
            elif drop and (f"{path}.{name}" if path else str(name)) in drop:
                yield from (Piece(text.text, _MAPPED) for text in _values(one, None))
            else:
                yield from _values(one, left, drop, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list):
        for one in value:
            yield from _values(one, left, drop, path)
    elif isinstance(value, str):
        name = re.split(r"[.]", path)[-1]
        yield from html_pieces(value) if is_page(name, value) else (Piece(unescaped(name, value)),)
    elif value is None:
        yield Piece("null")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield Piece(str(value))


_MAPPED = "left out by the mapping"


def mail_pieces(path: Path, attachments: str) -> Iterator[Piece]:
    """Yield the texts of all parts of a message, those of forwarded ones too; the rest is binary.

    Args:
        path: the message.
        attachments: what becomes of attachments, see ``ReadOptions``.
    """
    content = path.read_bytes()
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        content = content.decode("utf-16", "replace").encode()
    message = BytesParser(policy=policy.compat32).parsebytes(content)
    yield from _parts(message, None, _ATTACHED.get(attachments))


def mailbox_pieces(path: Path, attachments: str) -> Iterator[Piece]:
    """Yield the same for all messages of a mailbox."""
    for content in messages_in(path.read_bytes()):
        message = BytesParser(policy=policy.compat32).parsebytes(content)
        yield from _parts(message, None, _ATTACHED.get(attachments))


def saved_page_pieces(path: Path) -> Iterator[Piece]:
    """Yield the text nodes of the pages in a saved page."""
    message = BytesParser(policy=policy.compat32).parsebytes(path.read_bytes())
    for part in message.walk():
        if part.get_content_type() in ("text/html", "application/xhtml+xml"):
            yield from _parts(part, None, None)


def outlook_pieces(path: Path, attachments: str) -> Iterator[Piece]:
    """Yield the texts of the streams of an MSG file: its body, as a page if it has one, and those of messages in it."""
    import olefile  # type: ignore[import-untyped]

    with olefile.OleFileIO(path) as file:
        # a folder for the names of properties has streams with like names
        names = {tuple(name) for name in file.listdir() if not name[0].startswith("__nameid")}
        for name in sorted(names):
            *folder, stream = name
            page = any((*folder, f"__substg1.0_1013{kind}") in names for kind in ("0102", "001F", "001E"))
            attached = _ATTACHED.get(attachments) if folder else None
            content = file.openstream(list(name)).read() if "_1000" in stream or "_1013" in stream else b""
            if stream == "__substg1.0_10130102":
                text = decode_bytes(content.rstrip(b"\0"), None, [])
                yield from (Piece(one.text, attached or one.reason) for one in html_pieces(text))
            elif stream in ("__substg1.0_1000001F", "__substg1.0_1000001E"):
                charset = "utf-16-le" if stream.endswith("F") else outlook_charset(file, folder)
                text = content.decode(charset, "replace").strip("\0")
                twin = "other form of the same text" if page else None
                yield from (Piece(one.text, attached or twin) for one in plain_pieces(text))


def notebook_pieces(text: str) -> Iterator[Piece]:
    """Yield the cells of a notebook and what they printed; of several forms the page."""
    data = read_json(text)
    cells = data.get("cells") or [cell for sheet in data.get("worksheets", []) for cell in sheet.get("cells", [])]
    for cell in cells:
        source = _joined(cell.get("source", cell.get("input", "")))
        yield from prose_pieces(source, "markdown") if cell.get("cell_type") == "markdown" else plain_pieces(source)
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "ename" in output:
                yield from plain_pieces(f"{output['ename']}: {output.get('evalue', '')}")
            yield from _printed_pieces(_joined(output.get("text", "")))
            page = _joined(data.get("text/html", ""))
            if page:
                yield from html_pieces(page)
            others = any(kind != "text/plain" for kind in data)
            for line in _printed_pieces(_joined(data.get("text/plain", ""))):
                yield Piece(line.text, "other form of the same output" if others else line.reason)


def _printed_pieces(text: str) -> Iterator[Piece]:
    """Yield the lines that a program printed; what it printed over is not shown, nor are bars of progress."""
    for line in text.split("\n"):
        *before, shown = line.rstrip("\r").split("\r")
        yield from (Piece(one, "printed over") for one in before)
        yield from plain_pieces(shown) if at_last(line) is not None else (Piece(shown, "bar of progress"),)


def _joined(value: Any) -> str:
    return "".join(map(str, value)) if isinstance(value, list) else str(value)


_ATTACHED = {"documents": "attachment, a document of its own", "none": "attachment"}


def _parts(part: Message, reason: str | None, attached: str | None) -> Iterator[Piece]:
    kind = part.get_content_type()
    if reason is None and attached is not None:
        disposition = part.get_content_disposition()
        unread = not part.is_multipart() and kind not in BODIES
        if kind == "message/rfc822" or disposition == "attachment" or unread or _has_name(part):
            reason = attached
    if kind == "message/external-body":
        return  # the text is elsewhere
    if kind == "message/delivery-status" and part.is_multipart():
        groups = [one for one in part.get_payload() if isinstance(one, type(part))]
        lines = (f"{name}: {value}" for group in groups for name, value in group.items())
        yield from (Piece(line, reason) for line in lines)
        return
    if part.is_multipart():
        inner = [one for one in part.get_payload() if isinstance(one, type(part))]
        pages = any(within.get_content_type() == "text/html" for one in inner for within in one.walk())
        for one in inner:
            shown = one.get_content_maintype() != "text" or one.get_content_type() in ("text/html", "text/calendar")
            twin = kind == "multipart/alternative" and pages and not shown
            yield from _parts(one, reason or ("other form of the same text" if twin else None), attached)
        return
    data = part.get_payload(decode=True)
    if not isinstance(data, bytes) or part.get_content_maintype() != "text":
        return  # binary
    try:
        charset = part.get_content_charset()
    except (LookupError, ValueError):
        charset = None
    text = decode_bytes(data, None, [charset] if charset else [])
    if kind in PAGES:
        found = html_pieces(text)
    else:
        found = list(event_pieces(text) if kind == "text/calendar" else plain_pieces(text))
    yield from (Piece(one.text, reason or one.reason) for one in found)


def event_pieces(text: str) -> Iterator[Piece]:
    """Yield the lines of a calendar: what an event is, where and why is text, the rest metadata."""
    kind = ""
    for line in re.sub(r"\r?\n[ \t]", "", text).splitlines():
        name, _, value = line.partition(":")
        if name.upper() in ("BEGIN", "END"):
            kind = value.strip().upper()
        said = re.sub(r"\\(.)", lambda found: " " if found[1] in "nN" else found[1], value)
        is_text = name.partition(";")[0].upper() in ("SUMMARY", "LOCATION", "DESCRIPTION", "COMMENT")
        yield Piece(said) if is_text and kind != "VALARM" else Piece(line, "metadata")


def _has_name(part: Message) -> bool:
    try:
        return bool(part.get_filename())
    except Exception:  # header parameters can be damaged in many ways
        return False


def pdf_pieces(path: Path, password: str | None, pages: tuple[int, int] | None) -> Iterator[Piece]:
    """Yield the lines of PDFium's text of each page."""
    import pypdfium2

    document = pypdfium2.PdfDocument(path, password=password)
    try:
        first, last = pages or (1, len(document))
        for number in range(max(first, 1) - 1, min(last, len(document))):
            page = document[number]
            text = page.get_textpage()
            yield from plain_pieces(_PARTED.sub("", text.get_text_bounded()))
            text.close()
            page.close()
    finally:
        document.close()
