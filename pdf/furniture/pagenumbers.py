"""Page numbers: labels at the edges of pages that count with the pages, voted over the whole document.

A label may be read in several ways ("C" is a letter, and a hundred in roman numerals); the pages decide. Labels that
stand where the page numbers of other pages stand are believed even if they count with no other page.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from itertools import product
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ragraph.pdf.model import line_text
from ragraph.pdf.patterns import PAGE_LABEL, PAGE_OF_PART, ROMAN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragraph.pdf.model import Box, Line, Page, Word

_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
_WORDS = 5
"""A label with what belongs to it ("Page 3 of 10") has at most so many words."""
_NEAR = 12
"""Pages on either side that vouch for a number."""
_BESIDE = 2
"""Pages on either side whose number at the same place speaks for a number."""
_OFF = 4.0
"""Points by which page numbers of one place may stand apart."""


class EdgeRow(Protocol):
    """Lines side by side at the edge of a page, as ``furniture`` finds them."""

    page: Page
    lines: list[Line]
    box: Box
    gap: float
    rank: int
    upper: bool
    inside: bool


class Reading(NamedTuple):
    """A label as kind of numeral with what stands before it, and value: ("arabic", 12), ("roman", 4), ("A-", 3)."""

    kind: str
    value: int


class Candidate(NamedTuple):
    """What may be the number of a page: its row, line and words, how it may be read, and how it is set."""

    row: EdgeRow
    line: Line
    words: list[Word]
    readings: list[Reading]
    alone: bool
    said: bool


def number_value(label: str) -> tuple[str, int] | None:
    """Return a printed page number as kind and value: ("arabic", 12), ("roman", 4), ("A-", 3); None if it is none."""
    return next(iter(readings(label)), None)


def readings(label: str) -> list[Reading]:
    """Return all ways to read a label, the usual one first."""
    label = re.sub(r"\s", "", label).replace("–", "-").replace("—", "-")
    if label.isdecimal():
        return [Reading("arabic", int(label))]
    found = []
    if ROMAN.match(label) and label and (label.islower() or label.isupper()):
        found.append(Reading("roman" if label.islower() else "ROMAN", _roman(label)))
    if len(label) == 1 and "A" <= label <= "Z":
        found.append(Reading("LETTER", ord(label) - ord("A") + 1))
    match = PAGE_OF_PART.match(label)
    if match:
        found.append(Reading(match[1], int(match[2])))
    return found


def is_label(text: str, *, said: bool = False) -> bool:
    """Return True if a line holds only what may be a page number; ``said``: one that says so ("Page 3", "3/9")."""
    match = PAGE_LABEL.match(text.strip())
    return match is not None and bool(readings(match["label"])) and (not said or bool(match["said"] or match["total"]))


def _roman(label: str) -> int:
    values = [_ROMAN_VALUES[letter] for letter in label.lower()]
    pairs = zip(values, [*values[1:], 0], strict=True)
    return sum(-value if value < after else value for value, after in pairs)


def page_numbers(rows: Sequence[EdgeRow]) -> dict[int, tuple[Line, list[Word]]]:
    """Return the rows that hold the number of their page: id of the row to its line and the words of the number.

    Args:
        rows: the rows at the edges of all pages.
    """
    candidates = [candidate for row in rows for candidate in candidates_of(row)]
    by_series: dict[tuple[str, int], list[Candidate]] = defaultdict(list)
    for candidate in sorted(candidates, key=_page):
        for key in _series(candidate):
            by_series[key].append(candidate)
    pages = {key: sorted(set(map(_page, found))) for key, found in by_series.items()}
    best: dict[int, tuple[tuple[int, ...], Candidate]] = {}
    for candidate in candidates:
        number = candidate.row.page.number
        near, all_over, key = max(
            (count_within(pages[key], number, _NEAR), len(pages[key]), key) for key in _series(candidate)
        )
        if near >= _needed(candidate, _placed(candidate, by_series[key])):
            # Of two numbers that both count, the one that does so on more pages; a number of its own before one in a
            # line of words.
            score = (2 * near + candidate.alone, all_over, -candidate.row.rank)
            if number not in best or score > best[number][0]:
                best[number] = (score, candidate)
    chosen = {number: candidate for number, (_, candidate) in best.items()}
    for candidate in _in_place(candidates, list(chosen.values())):
        chosen.setdefault(candidate.row.page.number, candidate)
    return {id(found.row): (found.line, found.words) for found in chosen.values()}


def count_within(pages: Sequence[int], page: int, reach: int) -> int:
    """Return how many of sorted numbers of pages are at most ``reach`` away from one."""
    return bisect_right(pages, page + reach) - bisect_left(pages, page - reach)


def _page(candidate: Candidate) -> int:
    return candidate.row.page.number


def _series(candidate: Candidate) -> list[tuple[str, int]]:
    """Return the series that a number may belong to: kind, and how far its value is from the number of the page."""
    return [(reading.kind, reading.value - candidate.row.page.number) for reading in candidate.readings]


def _needed(candidate: Candidate, placed: bool) -> int:
    """Return how many pages must vouch for a number, its own included; ``placed`` if one has it at the same place."""
    if all(reading.kind == "LETTER" or reading.value > 1500 for reading in candidate.readings):
        return 4
    if candidate.said:
        return 2
    if not candidate.alone or candidate.row.rank > 1:
        return 4
    return 2 if placed and all(reading.kind != "LETTER" for reading in candidate.readings) else 3


def candidates_of(row: EdgeRow) -> Iterator[Candidate]:
    """Yield what may be page numbers in a row: whole pieces, else the beginning and the end of the row.

    Args:
        row: at the edge of a page.
    """
    whole = [candidate for line in row.lines if (candidate := _candidate(row, line, line.words))]
    if whole:
        yield from whole
        return
    for line, from_end in ((row.lines[0], False), (row.lines[-1], True)):
        for count in range(min(_WORDS, len(line.words) - 1), 0, -1):
            candidate = _candidate(row, line, line.words[-count:] if from_end else line.words[:count])
            if candidate:
                yield candidate
                break


def _candidate(row: EdgeRow, line: Line, words: list[Word]) -> Candidate | None:
    if len(words) > _WORDS:
        return None
    text = line_text(words).strip()
    match = PAGE_LABEL.match(text)
    found = readings(match["label"]) if match else []
    alone = len(words) == len(line.words)
    # A lone letter in a line of words is a word, or an initial; "I" is a pronoun.
    if match is None or not found or (not alone and match["label"].isalpha() and len(match["label"]) == 1):
        return None
    if alone and not match["said"] and _in_column(row.page, line):
        return None
    return Candidate(row, line, words, found, alone, bool(match["said"] or match["total"]))


def _in_column(page: Page, line: Line) -> bool:
    """Return True if a number stands in a column of numbers, as those of a contents page or a table do."""
    alike = (other for other in page.lines if abs(other.right - line.right) < _OFF and other is not line)
    return sum(is_label(other.text) for other in alike) >= 3


def _in_place(candidates: Sequence[Candidate], chosen: Sequence[Candidate]) -> Iterator[Candidate]:
    """Yield numbers of their own that stand where the page numbers found so far stand."""
    places = Counter(place for found in chosen if found.alone for place in _places(found))
    for candidate in candidates:
        outermost = candidate.alone and candidate.row.rank <= 1
        votes = max(sum(count for place, count in places.items() if _alike(own, place)) for own in _places(candidate))
        if outermost and votes >= 2:
            yield candidate


def _placed(candidate: Candidate, others: Sequence[Candidate]) -> bool:
    """Return True if a number of the same series, sorted by page, stands at the same place of another page."""
    number, own = candidate.row.page.number, _places(candidate)
    first = bisect_left(others, number - _BESIDE, key=_page)
    last = bisect_right(others, number + _BESIDE, key=_page)
    near = [other for other in others[first:last] if _page(other) != number]
    return any(_alike(one, place) for other in near for one, place in product(own, _places(other)))


def _alike(one: tuple[bool, str, int, int], other: tuple[bool, str, int, int]) -> bool:
    return one[:2] == other[:2] and abs(one[2] - other[2]) < _OFF and abs(one[3] - other[3]) < _OFF


def _places(candidate: Candidate) -> list[tuple[bool, str, int, int]]:
    """Return the place of a number on its page: how far its ends are from the sides, its middle, and its height.

    Left and right pages have their numbers on opposite sides, so either side counts.
    """
    left, right = candidate.words[0].left, candidate.words[-1].right
    box, page = candidate.row.box, candidate.row.page
    y = round(box.bottom if candidate.row.upper else page.height - box.bottom)
    sides = (("side", left), ("middle", (left + right) / 2), ("side", page.width - right))
    return [(candidate.row.upper, side, round(x), y) for side, x in sides]
