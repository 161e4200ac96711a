"""Values of cells as a sheet shows them: dates, percents and amounts in the number format of their cell.

A workbook stores number and format separately. Separators are the English ones, whatever the program's locale would
be. Formats: ECMA-376 part 1, 18.8.31 (numFmt).
"""

from __future__ import annotations

import operator
import re
from collections import Counter
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|_(?P<space>.)|\*.|\[\$(?P<currency>[^\]-]*)[^\]]*\]'
    r"|\[(?P<elapsed>h+|m+|s+)\]|\[[^\]]*\]"
    r"|(?P<half>AM/PM|A/P)|(?P<general>General)|(?P<exponent>E[+-])(?P<power>0+)|(?P<text>@)"
    r"|(?P<dated>y+|m+|d+|h+|s+(?:\.0+)?)|(?P<digit>[0#?])|(?P<point>\.)|(?P<comma>,)|(?P<percent>%)|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
_CONDITION = re.compile(r"\[(?:<|>|=)")
_COMPARED = re.compile(r"\[(<=|>=|<>|<|>|=)\s*(-?\d+(?:\.\d+)?)\]")
_COMPARISONS = {
    "<=": operator.le, ">=": operator.ge, "<>": operator.ne, "<": operator.lt, ">": operator.gt, "=": operator.eq,
}  # fmt: skip
_QUOTED = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|_.|\*.')
_SIGN = re.compile(r"[-−–(]")
_MOST_DIGITS = 15
"""Significant digits of a number in a sheet."""

EAST_ASIAN_DATES = frozenset((*range(27, 37), *range(50, 59)))
"""Numbers of date and time formats that a workbook need not spell out. Each locale shows them differently; here they
are shown as ISO 8601 (ECMA-376 part 1, 18.8.30)."""

_UNITS = frozenset("年月日时時分秒년월일시초")
"""Literal letters in date formats; others may be codes of another language (``TT.MM.JJJJ``)."""

_NO_DATE = frozenset(("letter", "digit", "text", "general", "exponent", "percent"))
"""Kinds of tokens that do not occur in date formats, as far as known."""

_THOUSANDS = re.compile(r"(?<=\d)(?=(?:\d{3})+$)")

_DAY_ZERO = datetime(1899, 12, 31)
"""The day of times without a date."""

_LOCAL = {"mm-dd-yy": "%Y-%m-%d", "m/d/yy h:mm": "%Y-%m-%d %H:%M"}
"""Formats stored only by number and shown by the locale; here as ISO 8601."""

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
    """One token of a format: its kind and its text."""

    kind: str
    text: str


class _Places(NamedTuple):
    """Places for digits: minimum before and number behind the decimal point, and whether thousands are separated."""

    digits: int
    least: int
    behind: tuple[str, ...]
    unit: Decimal
    grouped: bool
    blank: bool


class _Layout(NamedTuple):
    """A section of a format for a number: text before it, places for its digits, text behind it."""

    before: str
    places: _Places | None
    behind: str
    scale: Decimal
    power: str
    whole: bool
    """Whether the number is written unchanged ("General", "@"), without places for digits."""


def displayed(value: object, code: str) -> str:
    """Return what a cell shows; the value unchanged if the format does not fit it or has unknown codes.

    Args:
        value: value in the workbook: text, a number, a boolean, a date or time.
        code: number format of the cell ("0.0%", "d-mmm", "General").
    """
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int | float):
        return _number(value, code or "General")
    if isinstance(value, datetime | date | time | timedelta):
        try:
            shown = _dated(value, code or "")
        except (ArithmeticError, LookupError, ValueError):  # outside of the calendar
            shown = None
        return _plain(value) if shown is None else shown
    return _worded(str(value), code) if "@" in code else str(value)


def _worded(text: str, code: str) -> str:
    """Return a text in a format that states words around texts: ``@" kg"``."""
    parts = _parts(_sections(code)[-1])
    kinds = [part.kind for part in parts]
    if kinds.count("text") != 1 or not set(kinds) <= {"text", "literal", "dropped"}:
        return text
    shown = {"text": text, "dropped": ""}
    return "".join(shown.get(part.kind, part.text) for part in parts).strip()


def _plain(value: date | time | timedelta) -> str:
    """Return a date or time in ISO 8601."""
    if isinstance(value, datetime) and value.time() == time():
        return value.date().isoformat()
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
        elif kind == "other" and text.isalpha() and text not in _UNITS:
            kind = "letter"
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
    """Return a number without digits that only its storage has."""
    if isinstance(value, int):
        return str(value)
    text = format(value, f".{_MOST_DIGITS}g")
    return text.replace("e", "E")


def _number(value: float, code: str, *, is_chosen: bool = False) -> str:
    if code in ("General", "@"):
        return _general(value)
    if _CONDITION.search(code) and (chosen := _by_condition(value, code)) is not None:
        is_one = value >= 0 or _CONDITION.search(chosen) is None
        return _number(value, chosen, is_chosen=True) if is_one else _general(value)
    if (special := _special(value, code)) is not None:
        return special
    layouts = _layouts(code)
    negative = value < 0 and len(layouts) > 1
    layout = layouts[1 if negative else 2 if value == 0 and len(layouts) > 2 else 0]
    if layout is None:
        return _general(value)
    try:
        shown = _filled(abs(Decimal(repr(value))), layout)
    except (ArithmeticError, LookupError, ValueError):  # not a number, or with too many digits to round
        return _general(value)
    if negative and (layout.places or layout.whole) and not _marked(layout, layouts[0]):
        if _SIGN.search(shown):
            return _general(value)
        shown = f"-{shown}"
    elif value < 0 and not negative:
        words = layout.before + layout.behind
        states_sign = is_chosen and _SIGN.search(words) is not None  # a section for negative numbers has its own
        if states_sign and any(map(str.isalpha, words)):
            return _general(value)
        shown = shown if states_sign else f"-{shown}"
    if value and not layout.whole and not layout.places and not any(map(str.isalnum, shown)):
        return _general(value)  # the section has only a sign, and the number is not 0
    return shown.strip() or _general(value)


def _by_condition(value: float, code: str) -> str | None:
    """Return the section of a format whose condition a number meets, without it; None if no section is for it."""
    rest = None
    for section in _sections(code)[:3]:
        found = _COMPARED.search(section)
        if found is None:
            rest = section if rest is None else rest
        elif _COMPARISONS[found[1]](value, float(found[2])):
            return section.replace(found[0], "", 1)
    return rest


def _special(value: float, code: str) -> str | None:
    """Return a number in a format with signs among its digits, or as a fraction; None for other formats."""
    sections = _sections(code)
    parts = _parts(sections[0])
    kinds = [part.kind for part in parts]
    if len(sections) > 1 or not set(kinds) <= {"digit", "literal", "dropped"} or value < 0 or "digit" not in kinds:
        return None
    first, last = kinds.index("digit"), len(kinds) - kinds[::-1].index("digit") - 1
    while last + 1 < len(parts) and (parts[last + 1].text == "/" or parts[last + 1].text.isdigit()):
        last += 1  # eighths: ``# ?/8``
    inner = parts[first : last + 1]
    if all(part.kind == "digit" for part in inner):
        return None
    before, behind = _literals(parts[:first]), _literals(parts[last + 1 :])
    if any(part.text == "/" for part in inner):
        shown = _fraction(value, inner)
    elif not any(part.text.strip() for part in inner if part.kind == "literal"):
        return None  # groups of digits of a locale
    else:
        shown = _among_signs(value, inner)
    return None if shown is None else f"{before}{shown}{behind}".strip()


def _fraction(value: float, parts: tuple[_Part, ...]) -> str | None:
    """Return a number as ``3 1/4``; None if the format is no fraction."""
    bar = next(place for place, part in enumerate(parts) if part.text == "/")
    upper, lower = parts[:bar], parts[bar + 1 :]
    others = [part for part in (*upper, *lower) if part.kind == "literal" and not part.text.isdigit()]
    if not lower or any(part.text.strip() for part in others):
        return None
    stated = "".join(part.text for part in lower)
    most = 10 ** len(stated) - 1
    number = Fraction(repr(value)) if not isinstance(value, int) else Fraction(value)
    has_whole = any(part.text == " " for part in upper)
    whole = int(number) if has_whole else 0
    rest = number - whole
    if stated.isdigit() and int(stated):
        over, under = round(rest * int(stated)), int(stated)
    else:
        near = rest.limit_denominator(most)
        over, under = near.numerator, near.denominator
    if over == under and has_whole:
        whole, over = whole + 1, 0
    if not over:
        return str(whole)
    return f"{f'{whole} ' if whole else ''}{over}/{under}"


def _among_signs(value: float, parts: tuple[_Part, ...]) -> str:
    """Return the digits of a whole number among the signs of a format: 123-45-6789."""
    digits = f"{Decimal(repr(value)).quantize(Decimal(1), ROUND_HALF_UP):f}".lstrip("0")
    places = sum(part.kind == "digit" for part in parts)
    out: list[str] = []
    for part in reversed(parts):
        if part.kind != "digit":
            out.append(part.text)
            continue
        places -= 1
        taken = digits if not places else digits[-1:]
        digits = "" if not places else digits[:-1]
        out.append(taken or ("0" if part.text == "0" else ""))
    return "".join(reversed(out))


def _marked(layout: _Layout, other: _Layout | None) -> bool:
    """Return True if the text of a section has something that the other has not: a sign, a bracket, "Dr"."""
    taken = Counter(other.before + other.behind) if other else Counter()
    return bool("".join((Counter(layout.before + layout.behind) - taken).elements()).strip())


@lru_cache(maxsize=1024)
def _layouts(code: str) -> tuple[_Layout | None, ...]:
    """Return the sections of a format for numbers; None for a section that is not for numbers, or too special."""
    if _CONDITION.search(code):
        return (None,)
    sections = [_parts(section) for section in _sections(code)][:3]
    if len(sections) > 1 and any(part.kind == "text" for part in sections[-1]):
        sections.pop()
    return tuple(map(_layout, sections))


def _layout(parts: tuple[_Part, ...]) -> _Layout | None:
    if any(part.kind in ("dated", "elapsed", "half") for part in parts):
        return None
    digits = [place for place, part in enumerate(parts) if part.kind in ("digit", "point")]
    wholes = [place for place, part in enumerate(parts) if part.kind in ("general", "text")]
    if wholes and (digits or len(wholes) > 1):
        return None
    if not digits:
        if not wholes and not _literals(parts).strip():
            return None  # only a colour, or nothing: the number should not be hidden
        place = wholes[0] if wholes else len(parts)
        return _Layout(_literals(parts[:place]), None, _literals(parts[place + 1 :]), Decimal(1), "", bool(wholes))
    first, last = digits[0], digits[-1]
    inner = parts[first : last + 1]
    if not {part.kind for part in inner} <= {"digit", "point", "comma"} or all(part.kind == "point" for part in inner):
        return None  # digits among letters: fractions, telephone numbers
    scale = Decimal(100) ** sum(part.kind == "percent" for part in parts)
    tail = last + 1
    while tail < len(parts) and parts[tail].kind == "comma":
        scale, tail = scale / 1000, tail + 1
    point = next((place for place, part in enumerate(inner) if part.kind == "point"), 0)
    while point and inner[point - 1].kind == "comma":  # like those after the last digit: ``#,##0,.0``
        scale, point, inner = scale / 1000, point - 1, (*inner[: point - 1], *inner[point:])
    power = next((part.text for part in parts if part.kind == "exponent"), "")
    return _Layout(_literals(parts[:first]), _places(inner), _literals(parts[tail:]), scale, power, whole=False)


def _filled(number: Decimal, layout: _Layout) -> str:
    """Return a number that is not negative in a section of a format."""
    if layout.whole:
        shown = _general(float(number))
    elif layout.places is None:
        shown = ""
    elif layout.power:
        places = layout.places
        step = max(places.digits - len(places.behind), 1)
        shown = _scientific(number * layout.scale, len(places.behind), layout.power, step)
    else:
        shown = _digits(number if layout.scale == 1 else number * layout.scale, layout.places)
    return f"{layout.before}{shown}{layout.behind}"


def _literals(parts: tuple[_Part, ...]) -> str:
    return "".join(part.text for part in parts if part.kind in ("literal", "letter", "percent"))


def _places(parts: tuple[_Part, ...]) -> _Places:
    point = next((place for place, part in enumerate(parts) if part.kind == "point"), len(parts))
    whole, behind = parts[:point], tuple(part.text for part in parts[point + 1 :] if part.kind == "digit")
    return _Places(
        sum(part.kind == "digit" for part in parts),
        sum(part.text == "0" for part in whole),
        behind,
        Decimal(1).scaleb(-len(behind)),
        any(part.kind == "comma" for part in whole),
        all(part.text == "?" for part in parts if part.kind == "digit"),
    )


def _digits(number: Decimal, places: _Places) -> str:
    """Return the digits of a number in the given places: ``#,##0.00``."""
    _, least, behind, unit, grouped, blank = places
    if blank and number == 0:
        return ""
    text, _, rest = f"{number.quantize(unit, ROUND_HALF_UP):f}".partition(".")
    text = text.lstrip("0").rjust(least, "0")
    if grouped and len(text) > 3:
        text = _THOUSANDS.sub(",", text)
    while rest and rest[-1] == "0" and behind[len(rest) - 1] != "0":
        rest = rest[:-1]
    return f"{text}.{rest}" if rest else text


def _scientific(number: Decimal, behind: int, power: str, step: int = 1) -> str:
    """Return a number as ``1.5E+03``, with a power that is a multiple of ``step``."""
    exponent = number.adjusted() if number else 0
    exponent -= exponent % step
    mantissa = number.scaleb(-exponent).quantize(Decimal(1).scaleb(-behind), ROUND_HALF_UP)
    if mantissa >= 10**step:  # rounded up
        mantissa, exponent = mantissa / 10**step, exponent + step
    sign = "-" if exponent < 0 else power[1] if power[1] == "+" else ""
    return f"{mantissa:.{behind}f}E{sign}{abs(exponent):0{len(power) - 2}d}"


def _dated(value: date | time | timedelta, code: str) -> str | None:
    """Return a date or time in its format, or None if the format is not for dates or has unknown codes."""
    if code in _LOCAL and isinstance(value, datetime):
        return value.strftime(_LOCAL[code])
    parts, codes, halved = _calendar(_sections(code)[0])
    if not codes:
        return None
    dates = codes & {"y", "d", "month"}
    if isinstance(value, timedelta | time):
        if dates:  # a number below 1 in a column of dates is not a date
            return "0" if value == time() and codes == dates else None
        since = value if isinstance(value, timedelta) else datetime.combine(_DAY_ZERO, value) - _DAY_ZERO
        seconds = since.total_seconds()
        sign = "-" if seconds < 0 else ""
        moment = _DAY_ZERO + abs(since) % timedelta(days=1)
    elif "elapsed" in codes:
        return None
    else:
        seconds, sign = 0.0, ""
        moment = value if isinstance(value, datetime) else datetime.combine(value, time())
    shown = [_moment(parts, place, moment, abs(seconds), halved=halved) for place in range(len(parts))]
    return f"{sign}{''.join(shown).strip()}"


@lru_cache(maxsize=1024)
def _calendar(section: str) -> tuple[tuple[_Part, ...], frozenset[str], bool]:
    """Return the tokens of a date format, the fields it uses, and whether its hours are those of a 12-hour clock.

    The fields are "y", "month", "d", "h", "minute", "s" and "elapsed"; none if a code is unknown.
    """
    parts = _parts(section)
    codes: set[str] = set()
    if any(part.kind in _NO_DATE for part in parts):
        return parts, frozenset(codes), False
    for place, part in enumerate(parts):
        if part.kind == "elapsed":
            codes.add("elapsed")
        elif part.kind == "dated":
            first = part.text[0].lower()
            codes.add(first if first != "m" else "minute" if _is_minute(parts, place) else "month")
    return parts, frozenset(codes), any(part.kind == "half" for part in parts)


def _moment(parts: tuple[_Part, ...], place: int, moment: datetime, seconds: float, *, halved: bool) -> str:
    """Return the text of one token of a format for a moment."""
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
        return part.text if part.kind in ("literal", "comma") else ""
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
    """Return True if an ``m`` is a minute: hours are before it, or seconds after it."""

    def beside(numbers: range) -> str:
        for number in numbers:
            if parts[number].kind in ("dated", "elapsed"):
                return parts[number].text.strip("[]").lower()[0]
        return ""

    return beside(range(place - 1, -1, -1)) == "h" or beside(range(place + 1, len(parts))) == "s"
