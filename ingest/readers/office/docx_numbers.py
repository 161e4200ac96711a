"""Numbers of paragraphs as Word prints them: "Chapter 1", "§ 1.1", "A.", "7)".

Word stores no printed number. It stores the list and the level of a paragraph, and for each level its text
(``lvlText``), number format, start, and which level restarts it (ECMA-376 part 1, 17.9).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ragraph.ingest.readers.office.docx_marks import printed

if TYPE_CHECKING:
    from lxml import etree

_LEVELS = 9
_PLACE = re.compile(r"%([1-9])")
_OWN = ("decimal", "lowerLetter", "upperLetter", "lowerRoman", "upperRoman")
_MOST = 30_000
"""Largest number that is spelled out; a damaged file may state any start."""


@dataclass
class _Level:
    start: int = 1
    format: str = "decimal"
    text: str = ""
    joined: bool = False
    """Whether the text follows the number without a space or tab."""
    legal: bool = False
    restart: int | None = None
    style: str = ""


@dataclass
class _List:
    """An abstract list with the counters of all lists that are made of it."""

    levels: dict[int, _Level] = field(default_factory=dict)
    counts: dict[int, int] = field(default_factory=dict)


class PrintedNumbers:
    """Counts the numbered paragraphs of a document, in reading order.

    Args:
        numbering: root of numbering.xml; None = the document has no lists.
        styles: root of styles.xml.
    """

    def __init__(self, numbering: etree._Element | None, styles: etree._Element | None) -> None:
        self._lists: dict[str, _List] = {}
        self._of_number: dict[str, tuple[_List, dict[int, _Level], dict[int, int]]] = {}
        self._started: set[tuple[str, int]] = set()
        self._styles: dict[str, tuple[str | None, str | None, str | None]] = {}
        self._w = ""
        if numbering is None:
            return
        w = self._w = numbering.tag[: numbering.tag.index("}") + 1]
        for style in styles.iter(f"{w}style") if styles is not None else ():
            numbered, based = style.find(f"{w}pPr/{w}numPr"), style.find(f"{w}basedOn")
            self._styles[style.get(f"{w}styleId", "")] = (
                _value(numbered, "numId", w),
                _value(numbered, "ilvl", w),
                based.get(f"{w}val") if based is not None else None,
            )
        self._read(numbering)

    def _read(self, numbering: etree._Element) -> None:
        w = self._w
        links: dict[str, str] = {}
        linked: dict[str, str] = {}
        for abstract in numbering.iter(f"{w}abstractNum"):
            key = abstract.get(f"{w}abstractNumId", "")
            self._lists[key] = _List(dict(_level(lvl, w) for lvl in abstract.iter(f"{w}lvl")))
            if (name := _value(abstract, "styleLink", w)) is not None:
                linked[name] = key
            if (name := _value(abstract, "numStyleLink", w)) is not None:
                links[key] = name
        for key, name in links.items():
            if name in linked:
                self._lists[key] = self._lists[linked[name]]
        for number in numbering.iter(f"{w}num"):
            found = self._lists.get(_value(number, "abstractNumId", w) or "")
            if found is None:
                continue
            own: dict[int, _Level] = {}
            starts: dict[int, int] = {}
            for override in number.iter(f"{w}lvlOverride"):
                place = _int(override.get(f"{w}ilvl"), 0)
                if (stated := override.find(f"{w}lvl")) is not None:
                    own[place] = _level(stated, w)[1]
                if (start := _value(override, "startOverride", w)) is not None:
                    starts[place] = _int(start, 1)
            self._of_number[number.get(f"{w}numId", "")] = (found, own, starts)

    def of(self, paragraph: etree._Element) -> tuple[str, str] | None:
        """Return the printed number of the next paragraph and what joins it to its text; None if it has no number."""
        w = self._w
        if not w:
            return None
        settings = paragraph.find(f"{w}pPr")
        if settings is None:
            return None
        numbered, style = settings.find(f"{w}numPr"), _value(settings, "pStyle", w)
        number, place = _value(numbered, "numId", w), _value(numbered, "ilvl", w)
        by_style = number is None
        seen: set[str] = set()
        last = style
        while last in self._styles and last not in seen and (number is None or place is None):
            seen.add(last)
            stated, level, last_based = self._styles[last]
            number, place, last = number or stated, place or level, last_based
        known = self._of_number.get(number or "")
        if known is None:
            return None
        found, own, starts = known
        level_of_style = next((at for at, one in found.levels.items() if one.style and one.style == style), None)
        at = level_of_style if by_style and level_of_style is not None else _int(place, 0)
        return self._count(number or "", min(max(at, 0), _LEVELS - 1), found, {**found.levels, **own}, starts)

    def _count(
        self, number: str, at: int, found: _List, levels: dict[int, _Level], starts: dict[int, int]
    ) -> tuple[str, str] | None:
        for place, start in starts.items():
            if place <= at and (number, place) not in self._started:
                self._started.add((number, place))
                found.counts[place] = start - 1 if place == at else start
        level = levels.get(at, _Level())
        counts = found.counts
        counts[at] = counts[at] + 1 if at in counts else level.start
        for above in range(at):
            counts.setdefault(above, levels.get(above, _Level()).start)
        for below in [place for place in counts if place > at]:
            restart = levels.get(below, _Level()).restart
            if restart is None or (restart and at < restart):
                del counts[below]
        if level.format == "bullet" or not level.text:
            return None

        def counted(match: re.Match[str]) -> str:
            place = int(match[1]) - 1
            style = "decimal" if level.legal else levels.get(place, _Level()).format
            return spelled(counts.get(place, levels.get(place, _Level()).start), style)

        shown = _PLACE.sub(counted, level.text).strip()
        return (shown, "" if level.joined else " ") if shown else None


def spelled(number: int, style: str) -> str:
    """Return a number as Word prints it in a format of ``w:numFmt``."""
    if style == "none":
        return ""
    if style == "decimalZero":
        return f"{number:02d}"
    if not 0 < number <= _MOST:
        return str(number)
    if style in _OWN:
        return printed(number, style)
    from docling.backend.msword_backend import _format_enum_counter  # Chinese, Japanese, Hebrew and others

    try:
        return str(_format_enum_counter(number, style))
    except (LookupError, ValueError):
        return str(number)


def _level(lvl: etree._Element, w: str) -> tuple[int, _Level]:
    legal = lvl.find(f"{w}isLgl")
    restart = _value(lvl, "lvlRestart", w)
    return _int(lvl.get(f"{w}ilvl"), 0), _Level(
        start=_int(_value(lvl, "start", w), 1),
        format=_value(lvl, "numFmt", w) or "decimal",
        text=_value(lvl, "lvlText", w) or "",
        joined=_value(lvl, "suff", w) == "nothing",
        legal=legal is not None and legal.get(f"{w}val", "1") not in {"0", "false"},
        restart=_int(restart, 0) if restart is not None else None,
        style=_value(lvl, "pStyle", w) or "",
    )


def _value(parent: etree._Element | None, name: str, w: str) -> str | None:
    found = parent.find(f"{w}{name}") if parent is not None else None
    return found.get(f"{w}val") if found is not None else None


def _int(text: str | None, default: int) -> int:
    try:
        return int(text or "")
    except ValueError:
        return default
