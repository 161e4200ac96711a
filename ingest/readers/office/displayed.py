"""Values of cells as a sheet shows them: dates, percents and amounts in the number format of their cell.

A workbook stores the number and the format apart; the separators are those of English, whatever the program that
shows the sheet would take from the place where it runs. Formats: ECMA-376 part 1, 18.8.31 (numFmt).
"""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from functools import lru_cache
from typing import NamedTuple

_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|_(?P<space>.)|\*.|\[\$(?P<currency>[^\]-]*)[^\]]*\]'
    r"|\[(?P<elapsed>h+|m+|s+)\]|\[[^\]]*\]"
    r"|(?P<half>AM/PM|A/P)|(?P<general>General)|(?P<exponent>E[+-])(?P<power>0+)"
    r"|(?P<dated>y+|m+|d+|h+|s+(?:\.0+)?)|(?P<digit>[0#?])|(?P<point>\.)|(?P<comma>,)|(?P<percent>%)|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
_CONDITION = re.compile(r"\[(?:<|>|=)")
_QUOTED = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|_.|\*.')
_MOST_DIGITS = 15
"""Digits that a number of a sheet has."""

_LOCAL = {"mm-dd-yy": "%Y-%m-%d", "m/d/yy h:mm": "%Y-%m-%d %H:%M"}
"""Formats that are stored by number alone and shown as the place has it, here as ISO 8601 has it."""

_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]


class _Part(NamedTuple):
    """One token of a format: what kind it is, and its text."""

    kind: str
    text: str


def displayed(value: object, code: str) -> str:
    """Return what a cell shows.

    Args:
        value: as the workbook stores it: text, a number, a truth value, a date or time.
        code: number format of the cell ("0.0%", "d-mmm", "General").
    """
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int | float):
        return _number(value, code or "General")
    if isinstance(value, datetime | date | time | timedelta):
        return _dated(value, code or "")
    return str(value)


@lru_cache(maxsize=1024)
def _parts(section: str) -> tuple[_Part, ...]:
    """Return the tokens of one section of a format."""
    found = []
    for match in _TOKEN.finditer(section):
        kind = match.lastgroup or "dropped"
        text = match.group()
        if kind == "power":
            kind = "exponent"
        elif kind in ("quoted", "escaped", "currency", "other"):
            kind, text = "literal", match.group(match.lastgroup or 0)
        elif kind == "space":
            kind, text = "literal", " "
        found.append(_Part(kind, text))
    return tuple(found)


@lru_cache(maxsize=1024)
def _sections(code: str) -> tuple[str, ...]:
    """Return the sections of a format: for positive and negative numbers, zero, and text."""
    masked = _QUOTED.sub(lambda found: "\x00" * len(found.group()), code)
    ends = [place for place, letter in enumerate(masked) if letter == ";"]
    return tuple(
        code[start:end] for start, end in zip([0, *(end + 1 for end in ends)], [*ends, len(code)], strict=True)
    )


def _general(value: float) -> str:
    """Return a number as it stands, without digits that only its storage has."""
    if isinstance(value, int):
        return str(value)
    text = format(value, f".{_MOST_DIGITS}g")
    return text.replace("e", "E")


def _number(value: float, code: str) -> str:
    if code in ("General", "@") or _CONDITION.search(code):
        return _general(value)
    sections = _sections(code)
    place = 0 if value > 0 or len(sections) < 2 else 1 if value < 0 else min(2, len(sections) - 1)
    if value == 0 and len(sections) == 2:
        place = 0
    parts = _parts(sections[place])
    sign = "-" if value < 0 and place == 0 else ""
    try:
        shown = _filled(abs(Decimal(repr(value))), parts)
    except InvalidOperation:  # not a number, or one of more digits than can be rounded
        shown = None
    return _general(value) if shown is None else f"{sign}{shown}".strip()


def _filled(number: Decimal, parts: tuple[_Part, ...]) -> str | None:
    """Return a number in a section of a format, null where that is none for numbers or is too special."""
    if any(part.kind in ("dated", "elapsed", "half") for part in parts):
        return None
    digits = [place for place, part in enumerate(parts) if part.kind in ("digit", "point")]
    if any(part.kind == "general" for part in parts):
        return "".join(_general(float(number)) if one.kind == "general" else _literal(one) for one in parts)
    if not digits:
        return "".join(map(_literal, parts))
    first, last = digits[0], digits[-1]
    inner = parts[first : last + 1]
    if any(part.kind not in ("digit", "point", "comma") for part in inner):
        return None  # digits among letters: fractions, telephone numbers
    tail = last + 1
    while tail < len(parts) and parts[tail].kind == "comma":
        number, tail = number / 1000, tail + 1
    number *= 100 ** sum(part.kind == "percent" for part in parts)
    power = next((part for part in parts if part.kind == "exponent"), None)
    shown = _scientific(number, inner, power.text) if power else _digits(number, inner)
    return "".join(map(_literal, parts[:first])) + shown + "".join(map(_literal, parts[tail:]))


def _literal(part: _Part) -> str:
    return part.text if part.kind in ("literal", "percent") else ""


def _digits(number: Decimal, parts: tuple[_Part, ...]) -> str:
    """Return the digits of a number as places for them ask: ``#,##0.00``."""
    point = next((place for place, part in enumerate(parts) if part.kind == "point"), len(parts))
    whole, behind = parts[:point], [part.text for part in parts[point + 1 :] if part.kind == "digit"]
    if number == 0 and all(part.text == "?" for part in parts if part.kind == "digit"):
        return ""
    rounded = number.quantize(Decimal(1).scaleb(-len(behind)), ROUND_HALF_UP)
    text, _, rest = f"{rounded:f}".partition(".")
    least = sum(part.text == "0" for part in whole)
    text = text.lstrip("0").rjust(least, "0") if least or text.strip("0") == "" else text
    if any(part.kind == "comma" for part in whole):
        text = re.sub(r"(?<=\d)(?=(?:\d{3})+$)", ",", text)
    while rest and rest[-1] == "0" and behind[len(rest) - 1] != "0":
        rest = rest[:-1]
    return f"{text}.{rest}" if rest else text


def _scientific(number: Decimal, parts: tuple[_Part, ...], power: str) -> str:
    """Return a number as ``1.5E+03``."""
    exponent = number.adjusted() if number else 0
    behind = sum(part.kind == "digit" for part in parts) - 1
    mantissa = number.scaleb(-exponent).quantize(Decimal(1).scaleb(-behind), ROUND_HALF_UP)
    if mantissa >= 10:  # rounded up
        mantissa, exponent = mantissa / 10, exponent + 1
    sign = "-" if exponent < 0 else power[1] if power[1] == "+" else ""
    return f"{mantissa:.{behind}f}E{sign}{abs(exponent):0{len(power) - 2}d}"


def _dated(value: date | time | timedelta, code: str) -> str:
    """Return a date or time in its format; as ISO 8601 has it where the format is none for it."""
    section = _sections(code)[0]
    if code in _LOCAL and isinstance(value, datetime):
        return value.strftime(_LOCAL[code])
    parts = _parts(section)
    if not any(part.kind in ("dated", "elapsed") for part in parts):
        if isinstance(value, datetime) and value.time() == time():
            return value.date().isoformat()
        return str(value)
    if isinstance(value, timedelta):
        seconds, moment = value.total_seconds(), datetime(1899, 12, 31) + value
    else:
        moment = value if isinstance(value, datetime) else datetime(1899, 12, 31)
        if isinstance(value, time):
            moment = datetime.combine(moment, value)
        elif not isinstance(value, datetime):
            moment = datetime.combine(value, time())
        seconds = (moment - datetime(1899, 12, 31)).total_seconds()
    halved = any(part.kind == "half" for part in parts)
    shown = [_moment(parts, place, moment, seconds, halved=halved) for place in range(len(parts))]
    return "".join(shown).strip()


def _moment(parts: tuple[_Part, ...], place: int, moment: datetime, seconds: float, *, halved: bool) -> str:
    """Return what one token of a format shows of a moment."""
    part = parts[place]
    token, size = part.text.lower(), len(part.text)
    if part.kind == "elapsed":
        unit = {"h": 3600, "m": 60, "s": 1}[token[1]]
        return str(int(seconds // unit)).rjust(size - 2, "0")
    if part.kind == "half":
        half = "AM" if moment.hour < 12 else "PM"
        return half if size > 3 else half[0]
    if part.kind == "point":
        return "."
    if part.kind != "dated":
        return part.text if part.kind in ("literal", "comma", "digit") else ""
    if token[0] == "y":
        return f"{moment.year:04d}" if size > 2 else f"{moment.year % 100:02d}"
    if token[0] == "d":
        return _day(moment, size)
    if token[0] == "h":
        return str((moment.hour % 12 or 12) if halved else moment.hour).rjust(size, "0")
    if token[0] == "s":
        whole, point, rest = token.partition(".")
        return str(moment.second).rjust(len(whole), "0") + point + f"{moment.microsecond:06d}"[: len(rest)]
    return str(moment.minute).rjust(size, "0") if _is_minute(parts, place) else _month(moment, size)


def _day(moment: datetime, size: int) -> str:
    if size > 2:
        name = _DAYS[moment.weekday()]
        return name if size > 3 else name[:3]
    return str(moment.day).rjust(size, "0")


def _month(moment: datetime, size: int) -> str:
    if size > 2:
        name = _MONTHS[moment.month - 1]
        return name[:3] if size == 3 else name[0] if size == 5 else name
    return str(moment.month).rjust(size, "0")


def _is_minute(parts: tuple[_Part, ...], place: int) -> bool:
    """Whether an ``m`` is a minute: hours stand before it, or seconds behind it."""

    def beside(numbers: range) -> str:
        for number in numbers:
            if parts[number].kind in ("dated", "elapsed"):
                return parts[number].text.strip("[]").lower()[0]
        return ""

    return beside(range(place - 1, -1, -1)) == "h" or beside(range(place + 1, len(parts))) == "s"
