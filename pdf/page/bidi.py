"""Lines of Hebrew, Arabic and the like: letters as they stand on the page, put in the order in which they are read.

A program that lays such a line out turns what runs from right to left and leaves numbers and Latin words as they are
(the algorithm of Unicode's annex 9). Here that is undone. Of two readings that look the same on the page, as
"MB 650", the one is taken that the algorithm makes of the commoner text.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from ragraph.pdf.patterns import RIGHT_TO_LEFT

if TYPE_CHECKING:
    from collections.abc import Sequence

_MIRRORED = dict(zip("()[]{}<>«»", ")(][}{><»«", strict=True))
_FORMS = re.compile("[\ufb1d-\ufdff\ufe10-\ufe1f\ufe30-\ufe4f\ufe70-\ufefc]")
"""Letters as they are drawn: at the beginning, in the middle, at the end of a word, and signs from top to bottom."""
_ARABIC = re.compile("[\u0600-\u08ff\ufb50-\ufdff\ufe70-\ufeff]")
_BIND = re.compile(r"[.,:/٫٬]")
_BIND_HEBREW = re.compile(r"[.,:/+\-‐‑–]")
_WITH_NUMBER = "#$%°€£¥₪‰"
_UNIT = re.compile(r"(?:[kKMGTP]i?[bB]|[kKMG]?Hz|[kcmµn]?[mgLlWVAs]|bps|dpi|px|pt|°[CF]|min|ha|km2|m2)")
"""Signs of units, which follow their number."""
_JOINED = re.compile(r"\s*|[-/._:'’@&+#]+|[,;:.]\s+|\s*[(\[]")
"""What may stand between a Latin word and a number behind it."""
_ENDS = ".,;:!?"


class Item(NamedTuple):
    """A letter on the page, or a word whose letters are not known: its text, left and right edge."""

    text: str
    left: float
    right: float


class Placed(NamedTuple):
    """An item at its place in the line as it is read: its number, its text, and where it stands, from left to right."""

    number: int
    text: str
    left: float
    right: float


def in_reading_order(items: Sequence[Item], base_right: bool, mirror: float, swap: bool) -> list[Placed]:
    """Return the items of a line in the order in which they are read, set from left to right.

    Args:
        items: by their place on the page, from left to right; blanks are items too.
        base_right: whether the line runs from right to left as a whole.
        mirror: left and right edge of the page together, which turns it round; for lines that run from right to left.
        swap: whether brackets are drawn as they look, and not as they are read.
    """
    kinds = [_kind(item.text) for item in items]
    if "R" not in kinds and (not base_right or ("L" in kinds and not _ends_left(items))):
        shift = mirror - items[-1].right - items[0].left if base_right else 0.0
        return [Placed(n, item.text, item.left + shift, item.right + shift) for n, item in enumerate(items)]
    if base_right:
        return _turned(items, kinds, 0, len(items), mirror, swap)
    placed: list[Placed] = []
    at = 0
    while at < len(items):
        if kinds[at] != "R":
            placed.append(Placed(at, items[at].text, items[at].left, items[at].right))
            at += 1
            continue
        end = max(n for n in range(at, len(items)) if kinds[n] == "R" and "L" not in kinds[at:n]) + 1
        placed += _turned(items, kinds, at, end, items[at].left + items[end - 1].right, swap)
        at = end
    return placed


def drawn_as_read(lines: Sequence[Sequence[Item]]) -> bool:
    """Whether the brackets of lines that run from right to left are those that are read: the right one opens."""
    opening = closing = 0
    for items in lines:
        signs = [item.text for item in reversed(items) if item.text in "()[]{}"]
        for one, other in pairwise(signs):
            opening += one in "([{" and other == _MIRRORED[one]
            closing += one in ")]}" and other == _MIRRORED[one]
    return opening >= closing


def _turned(
    items: Sequence[Item], kinds: Sequence[str], start: int, end: int, mirror: float, swap: bool
) -> list[Placed]:
    """Return items from one to another, read from the right, with numbers and Latin words in their own direction."""
    placed: list[Placed] = []
    at = end
    while at > start:
        begin = _unit(items, kinds, start, at)
        if begin == at - 1 and kinds[begin] not in "L9A":
            item = items[begin]
            text = _MIRRORED.get(item.text, item.text) if swap else item.text
            placed.append(Placed(begin, plain_forms(text), mirror - item.right, mirror - item.left))
        else:
            shift = mirror - items[at - 1].right - items[begin].left
            placed += [
                Placed(n, items[n].text, items[n].left + shift, items[n].right + shift) for n in range(begin, at)
            ]
        at = begin
    return placed


def _unit(items: Sequence[Item], kinds: Sequence[str], start: int, end: int) -> int:
    """Return where what runs from left to right begins that ends in front of ``end``; ``end - 1`` if nothing does."""
    last = end - 1
    if kinds[last] == "B":
        return _bracketed(items, kinds, start, end)
    if kinds[last] == "L":
        return _latin(items, kinds, start, last)
    arabic = _follows_arabic(items, kinds, end)
    number = last - 1 if kinds[last] == "#" and not arabic and last > start else last
    if kinds[number] not in "9A":
        return last
    begin = _number(items, kinds, start, number, arabic)
    before = next((at for at in range(begin - 1, start - 1, -1) if kinds[at] in "LRA9"), None)
    if before is None or kinds[before] != "L" or kinds[number] == "A":
        return begin
    between = "".join(item.text for item in items[before + 1 : begin])
    latin = _latin(items, kinds, start, before)
    if not _JOINED.fullmatch(between):
        return begin
    word = "".join(item.text for item in items[latin : before + 1])
    return begin if between.isspace() and _UNIT.fullmatch(word) else latin


def _number(items: Sequence[Item], kinds: Sequence[str], start: int, last: int, arabic: bool) -> int:
    """Return where a number begins whose last figure is given, with points in it and signs that go with it."""
    bind = _BIND if arabic else _BIND_HEBREW
    at = last
    while at > start:
        if kinds[at - 1] == kinds[last]:
            at -= 1
        elif at - 2 >= start and kinds[at - 2] == kinds[last] and bind.fullmatch(items[at - 1].text):
            at -= 2
        else:
            break
    while not arabic and at > start and kinds[at - 1] == "#":
        at -= 1
    return at


def _latin(items: Sequence[Item], kinds: Sequence[str], start: int, last: int) -> int:
    """Return where Latin text begins whose last letter is given: back over blanks and signs to its first one."""
    first = at = last
    while at >= start and kinds[at] not in "RA":
        if kinds[at] in "L9":
            first = at
        at -= 1
    inside = [item.text for item in items[first : last + 1]]
    if first > start and items[first - 1].text in "([" and sum(map(")]".count, inside)) > sum(map("([".count, inside)):
        first -= 1
    return first


def _bracketed(items: Sequence[Item], kinds: Sequence[str], start: int, end: int) -> int:
    """Return where Latin text begins that ends in its own brackets in front of ``end``; ``end - 1`` if none does."""
    depth = 0
    for at in range(end - 1, start - 1, -1):
        if kinds[at] in "RA":
            break
        depth += (items[at].text in ")]") - (items[at].text in "([")
        if depth == 0:
            before = next((n for n in range(at - 1, start - 1, -1) if kinds[n] != " "), None)
            if before is None or kinds[before] != "L" or not {"L", "9"} & set(kinds[at:end]):
                break
            return _latin(items, kinds, start, before)
    return end - 1


def _follows_arabic(items: Sequence[Item], kinds: Sequence[str], end: int) -> bool:
    """Whether the letter that is read before the place is Arabic: signs beside numbers go their own way then."""
    for at in range(end, len(items)):
        if kinds[at] in "RL":
            return bool(_ARABIC.search(items[at].text))
    return any(_ARABIC.search(item.text) for item in items)


def _ends_left(items: Sequence[Item]) -> bool:
    """Whether a line of Latin text has its full stop on the left, as one within a text from right to left has."""
    texts = [item.text for item in items if not item.text.isspace()]
    return len(texts) > 1 and texts[0] in _ENDS and texts[-1] not in _ENDS


def _kind(text: str) -> str:
    """Return what an item is: R or L for letters, 9 or A for figures, # for their signs, B for brackets, a blank."""
    if RIGHT_TO_LEFT.search(text) and not text.isdigit():
        spelt = any(map(str.isalpha, text)) or unicodedata.category(text[0])[0] == "M"
        return "R" if spelt else "-"
    if any(map(str.isalpha, text)):
        return "L"
    if any(map(str.isdigit, text)):
        return "A" if "\u0660" <= text[0] <= "\u066c" else "9"
    if text in _WITH_NUMBER:
        return "#"
    return " " if text.isspace() else "B" if text in ")]" else "-"


def plain_forms(text: str) -> str:
    """Return text with letters as they are written instead of as they are drawn."""
    return _FORMS.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)
