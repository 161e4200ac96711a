"""Marks in text: they carry notes, links and emphasis through a converter that would drop them.

A reader may know more than the converter, such as the place of a footnote mark or the target of a link. It writes one
character of a private plane of Unicode at that place of the source, runs the converter, and finds the characters in
its output. ``Marks.decode`` removes them and returns their meaning and place, so offsets are those of the final text,
white space included.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from itertools import pairwise

from ragraph.base.inline import SIGN, escaped
from ragraph.ingest.draft import clean_text
from ragraph.ingest.readers.markup.inline import safe_link

_FIRST, _LAST = 0xF0000, 0x10FFFD
_PRIVATE = re.compile("[\U000f0000-\U0010fffd]")
_BLANK = " \t\n\r\x0b\x0c\u00a0\u2028\u2029"


@dataclass(frozen=True)
class Mark:
    """The meaning of one character.

    ``kind`` is a style ("bold", "italic", "code", "math"), "link" (value = address), "ref" (value = anchor of the
    target), "cite" (value = anchor of an entry), "note" (value = anchor of the note, label = its printed number),
    "anchor" (value = name of this place), or a word of the reader's own, collected as a flag.
    Styles, links and references come in pairs, and ``opens`` tells which end this is; the others are single.
    """

    kind: str
    value: str = ""
    label: str | None = None
    opens: bool | None = None


@dataclass(frozen=True)
class Place:
    """A mark found in a text: ``start`` in characters of the final text; ``text`` is the text between a pair."""

    mark: Mark
    start: int
    text: str = ""


@dataclass
class Decoded:
    """A text without marks, and their content."""

    text: str = ""
    notes: list[Place] = field(default_factory=list)
    references: list[Place] = field(default_factory=list)
    anchors: list[str] = field(default_factory=list)
    flags: list[Mark] = field(default_factory=list)


@dataclass
class _Run:
    text: str
    styles: tuple[Mark, ...]
    points: list[tuple[int, Mark]] = field(default_factory=list)


class Marks:
    """The marks of one document: assigns characters and knows their meaning.

    Args:
        taken: text whose own characters must not be used, in case the source uses the private planes.
    """

    def __init__(self, taken: str = "") -> None:
        self._taken = {char for char in taken if ord(char) >= _FIRST} if not taken.isascii() else set()
        self._meaning: dict[str, Mark] = {}
        self._chars: dict[Mark, str] = {}
        self._next = _FIRST

    def put(self, kind: str, value: str = "", label: str | None = None, *, opens: bool | None = None) -> str:
        """Return the character of a mark; equal marks share one. An empty string once all 130,000 are used."""
        mark = Mark(kind, value, label, opens)
        if mark in self._chars:
            return self._chars[mark]
        while chr(self._next) in self._taken or self._next & 0xFFFE == 0xFFFE:
            self._next += 1
        if self._next > _LAST:
            return ""
        char = chr(self._next)
        self._next += 1
        self._meaning[char], self._chars[mark] = mark, char
        return char

    def around(self, text: str, kind: str, value: str = "") -> str:
        """Return the text between the two marks of a pair."""
        return f"{self.put(kind, value, opens=True)}{text}{self.put(kind, value, opens=False)}" if text else ""

    def strip(self, text: str) -> str:
        """Return the text without marks."""
        return text if text.isascii() else "".join(char for char in text if char not in self._meaning)

    def links(self, text: str) -> list[str]:
        """Return the addresses of the links in a text, in order."""
        if text.isascii():
            return []
        marks = (self._meaning.get(char) for char in _PRIVATE.findall(text))
        found = (safe_link(mark.value) for mark in marks if mark is not None and mark.kind == "link" and mark.opens)
        return [address for address in found if address]

    def decode(self, text: str, *, plain: bool = False) -> Decoded:
        """Remove the marks from a text, which is cleaned and stripped of white space at both ends.

        Args:
            text: text with marks.
            plain: write no Markdown for styles and links (headings, code).
        """
        text = clean_text(text)
        result = Decoded()
        runs = self._runs(text, result)
        out: list[str] = []
        length = 0
        pending: list[tuple[Mark, int, int, int]] = []  # reference, number of its run, start, length
        special: list[int] = []
        opened: Counter[int] = Counter()  # links by the number of their first run
        closed: defaultdict[int, str] = defaultdict(str)  # their ends by that of their last one
        for first, last, address in () if plain else _links(runs):
            opened[first] += 1
            closed[last] += f"]({address})"
        for number, run in enumerate(runs):
            before, core, after = _split(run.text)
            beside = before or _end(out), after or _begin(runs, number + 1)
            stars = (
                beside[0][-1:] == "*"
                or beside[1][:1] == "*"
                or (core.isalnum() and (beside[0][-1:].isalpha() or beside[1][:1].isalpha()))
            )  # italics that touch letters or other marks would be read as stars; those around more may be stars
            prefix, suffix = ("", "") if plain or not core else _fences(run.styles, italic=not stars)
            prefix = "[" * opened[number] + prefix
            suffix += closed.get(number, "")
            raw = plain or any(mark.kind in {"code", "math"} for mark in run.styles)
            reference = next((mark for mark in run.styles if mark.kind in {"ref", "cite"}), None)
            begin = length + len(before) + len(prefix)
            if reference is not None and core:
                pending.append((reference, number, begin, len(core)))
            for offset, mark in run.points:
                inside = max(offset - len(before), 0)
                at = length + min(offset, len(before)) + max(inside - len(core), 0)
                if inside:
                    at += len(prefix) + min(inside, len(core))
                if inside >= len(core):
                    at += len(suffix)
                result.notes.append(Place(mark, at))
            out += [before, prefix, core, suffix, after]
            length += len(before) + len(prefix) + len(core) + len(suffix) + len(after)
            special += [] if raw else [begin + found.start() for found in SIGN.finditer(core)]
        whole = "".join(out)
        shift = len(whole) - len(whole.lstrip(_BLANK))
        bare = whole.strip(_BLANK)
        escapes = escaped(bare, [place - shift for place in special])
        cuts = [0, *escapes, len(bare)]
        result.text = "\\".join(bare[start:end] for start, end in pairwise(cuts))
        result.notes = [_moved(place, place.start - shift, escapes, len(bare)) for place in result.notes]
        result.references = _join(pending, result.text, shift, escapes)
        return result

    def _runs(self, text: str, result: Decoded) -> list[_Run]:
        """Cut the text at changes of style; single marks stay on their run."""
        runs = [_Run("", ())]
        styles: list[Mark] = []
        start = 0
        for found in () if text.isascii() else _PRIVATE.finditer(text):
            index, mark = found.start(), self._meaning.get(found[0])
            if mark is None:
                continue
            runs[-1].text += text[start:index]
            start = index + 1
            if mark.opens is None:
                if mark.kind == "note":
                    runs[-1].points.append((len(runs[-1].text), mark))
                elif mark.kind == "anchor":
                    result.anchors.append(mark.value)
                else:
                    result.flags.append(mark)
                continue
            if mark.opens:
                styles.append(mark)
            else:
                same = [
                    i
                    for i, open_mark in enumerate(styles)
                    if (open_mark.kind, open_mark.value) == (mark.kind, mark.value)
                ]
                if same:
                    del styles[same[-1]]
            runs.append(_Run("", tuple(styles)))
        runs[-1].text += text[start:]
        merged: list[_Run] = []
        runs = [run for run in runs if run.text or run.points]
        for place, run in enumerate(runs):
            if (
                place
                and not run.text.strip()
                and place + 1 < len(runs)
                and _same(merged[-1].styles, runs[place + 1].styles)
            ):
                run.styles = merged[-1].styles  # white space between two words of one style has that style
            if merged and _same(merged[-1].styles, run.styles):
                merged[-1].points += [(len(merged[-1].text) + offset, mark) for offset, mark in run.points]
                merged[-1].text += run.text
            else:
                merged.append(run)
        return merged


def _same(one: tuple[Mark, ...], other: tuple[Mark, ...]) -> bool:
    return {(mark.kind, mark.value) for mark in one} == {(mark.kind, mark.value) for mark in other}


def _split(text: str) -> tuple[str, str, str]:
    """Split into leading space, core and trailing space, because emphasis must not begin or end with a space."""
    core = text.strip(_BLANK)
    if not core:
        return text, "", ""
    start = text.index(core[0])
    return text[:start], core, text[start + len(core) :]


def _links(runs: list[_Run]) -> list[tuple[int, int, str]]:
    """Return first run, last run and address of each link; a link has one run, or several of different styles."""
    links: list[tuple[int, int, str]] = []
    before: Mark | None = None
    for number, run in enumerate(runs):
        link = next((mark for mark in run.styles if mark.kind == "link"), None)
        if link is not None and run.text.strip():
            address = safe_link(link.value)
            if address and link == before and links:
                links[-1] = (links[-1][0], number, address)
            elif address:
                links.append((number, number, address))
        if link is None or run.text.strip():
            before = link
    return links


def _moved(place: Place, start: int, escapes: list[int], length: int) -> Place:
    """Return a place that is at ``start`` of a text, as it is once the text has its escapes."""
    start = min(max(start, 0), length)
    return replace(place, start=start + bisect_left(escapes, start))


def _end(out: list[str]) -> str:
    """Return the last character so far."""
    return next((piece[-1] for piece in reversed(out) if piece), "")


def _begin(runs: list[_Run], place: int) -> str:
    """Return the first character that is written of the runs from a place on."""
    run = next((runs[at] for at in range(place, len(runs)) if runs[at].text), _Run("", ()))
    return "*" if run.text.strip(_BLANK)[:1] == run.text[:1] and _fences(run.styles)[0][:1] == "*" else run.text[:1]


def _fences(styles: tuple[Mark, ...], *, italic: bool = True) -> tuple[str, str]:
    """Return the Markdown before and after a text of these styles, of italics only on request."""
    kinds = {mark.kind for mark in styles} - (set() if italic else {"italic"})
    before = after = ""
    for kind, fence in (("bold", "**"), ("italic", "*"), ("code", "`"), ("math", "$")):
        if kind in kinds:
            before, after = before + fence, fence + after
    return before, after


def _join(pending: list[tuple[Mark, int, int, int]], text: str, shift: int, escapes: list[int]) -> list[Place]:
    """Join the pieces of one reference that styles have split; set the text of each."""
    spans: list[tuple[Mark, int, int, int]] = []
    for mark, number, start, length in pending:
        end = start - shift + length
        if spans and spans[-1][0] == mark and spans[-1][1] == number - 1:
            spans[-1] = (mark, number, spans[-1][2], end)
        else:
            spans.append((mark, number, start - shift, end))
    places = []
    for mark, _, first, last in spans:
        start, end = first + bisect_right(escapes, first), last + bisect_left(escapes, last)
        places.append(Place(mark, start, text[start:end]))
    return places
