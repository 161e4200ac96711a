"""Texts of mails: lines that the program wrapped (RFC 3676), and events of calendars (RFC 5545)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGES = ("text/html", "text/x-amp-html", "text/watch-html")
"""Media types of pages that are the text of a message."""

BODIES = (
    *PAGES, "text/plain", "text/calendar", "text/markdown", "text/enriched", "text/richtext", "text/rfc822-headers",
    "text/x-patch", "text/x-diff", "message/delivery-status",
)  # fmt: skip
"""Media types of parts without a name that are the text of a message; others, such as styles, are attachments."""

_SIGNATURE = "-- "
_SHOWN = ("SUMMARY", "DTSTART", "DTEND", "DUE", "LOCATION", "ORGANIZER", "ATTENDEE", "DESCRIPTION", "COMMENT", "URL")
_MOMENT = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?")
_PARTING = re.compile(rb"^From [^\n]*\n(?=([!-9;-~]+):|>From |\r?\n)", re.MULTILINE)
_DATED = re.compile(rb"From .*\d{1,2}:\d\d.*\b\d{4}\b|From .*\b\d{4}\b.*\d{1,2}:\d\d")
_WHOLE = re.compile(
    rb"From \S+ +(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? +\w{3} +\d{1,2} +\d\d:\d\d(?::\d\d)?(?: \S+)? +\d{4}\b"
)
_HEADERS = frozenset(
    {b"return-path", b"received", b"from", b"to", b"subject", b"date", b"message-id", b"mime-version", b"delivered-to"}
    | {b"content-type", b"status", b"reply-to", b"sender", b"envelope-to", b"cc", b"path"}
)
_QUOTED = re.compile(rb"^>(>*From )", re.MULTILINE)
_ESCAPED = re.compile(r"\\([\\;,nN])")


def unflowed(text: str, *, joined: bool = False) -> str:
    """Return a text in format=flowed with the lines of a paragraph joined.

    Args:
        text: the text.
        joined: the space at the end of a line belongs to the format (DelSp=yes), not to the text.
    """
    out: list[str] = []
    before = -1  # depth of the quotation whose line goes on
    for line in text.splitlines():
        content = line.lstrip(">")
        depth = len(line) - len(content)
        content = content.removeprefix(" ")
        goes_on = content.endswith(" ") and content != _SIGNATURE
        if goes_on and joined:
            content = content[:-1]
        if before == depth and content != _SIGNATURE and out:
            out[-1] += content
        else:
            out.append(f"{'>' * depth} {content}" if depth else content)
        before = depth if goes_on else -1
    return "\n".join(line.rstrip() for line in out)


def messages_in(mailbox: bytes) -> Iterator[bytes]:
    """Yield the messages of a mailbox (mbox), each without the line before it and with its lines as they were sent.

    A line "From " parts two messages if it has sender, weekday and time, and is behind a blank line or before a header.
    Behind a blank line, any time before any header is enough, or a header that most messages have. So a sentence that
    begins with this word parts nothing.
    Mailboxes write such a line of the text as ">From ", and one that had a ">" with one more.
    """
    starts: list[tuple[int, int]] = []
    for found in _PARTING.finditer(mailbox):
        before = mailbox[max(found.start() - 3, 0) : found.start()]
        header = (found[1] or b"").lower()
        usual = header in _HEADERS or header.startswith(b"x-")
        whole = _WHOLE.match(found[0]) is not None
        if not before or before.endswith((b"\n\n", b"\n\r\n")):
            parts = whole or usual or (bool(header) and _DATED.match(found[0]) is not None)
        else:
            parts = whole and usual
        if parts:
            starts.append((found.start(), found.end()))
    for place, (_, start) in enumerate(starts):
        end = starts[place + 1][0] if place + 1 < len(starts) else len(mailbox)
        yield _QUOTED.sub(rb"\1", mailbox[start:end])


def event_text(calendar: str) -> str:
    """Return the events of a calendar as text, a paragraph for each property that people read."""
    lines = re.sub(r"\r?\n[ \t]", "", calendar).splitlines()
    out: list[str] = []
    kind = ""
    for line in lines:
        head, _, value = line.partition(":")
        name, *parameters = head.split(";")
        if name.upper() in ("BEGIN", "END"):
            kind = value.strip().upper() if name.upper() == "BEGIN" else ""
        elif name.upper() in _SHOWN and value.strip() and kind not in ("VTIMEZONE", "STANDARD", "DAYLIGHT", "VALARM"):
            person = next((part[3:].strip('"') for part in parameters if part.upper().startswith("CN=")), "")
            said = _ESCAPED.sub(lambda found: "\n" if found[1] in "nN" else found[1], value.strip())
            said = (
                _MOMENT.sub(_moment, said) if name.upper().startswith("D") and name.upper() != "DESCRIPTION" else said
            )
            out.append(f"{_NAMES.get(name.upper(), name.capitalize())}: {person or said.removeprefix('mailto:')}")
    return "\n\n".join(out)


_NAMES = {"DTSTART": "Start", "DTEND": "End", "URL": "URL"}


def _moment(found: re.Match[str]) -> str:
    day = f"{found[1]}-{found[2]}-{found[3]}"
    return f"{day} {found[4]}:{found[5]}{' UTC' if found[7] else ''}" if found[4] else day
