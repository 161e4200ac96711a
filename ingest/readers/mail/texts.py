"""Texts of mails: lines that the program wrapped (RFC 3676), and events of calendars (RFC 5545)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_SIGNATURE = "-- "
_SHOWN = ("SUMMARY", "DTSTART", "DTEND", "DUE", "LOCATION", "ORGANIZER", "ATTENDEE", "DESCRIPTION", "COMMENT", "URL")
_MOMENT = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?")
_PARTING = re.compile(rb"(?:\A|\n\r?\n)From ")
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


def message_spans(mailbox: bytes) -> Iterator[tuple[int, int]]:
    """Yield where each message of a mailbox starts and ends: a line "From " behind a blank line parts two."""
    starts = [found.end() - len(b"From ") for found in _PARTING.finditer(mailbox)]
    yield from zip(starts, [*starts[1:], len(mailbox)], strict=True)


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
