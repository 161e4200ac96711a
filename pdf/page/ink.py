"""What the ink of a recognised line tells: where its words stand, how large and how heavy they are set.

A recogniser gives letters and about where each stands in the line, but its boxes are padded by guess. The rules for
headings, paragraphs and notes need sizes of type and weights, and these are measured here on the picture of the line.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from ragraph.pdf.patterns import MARK_ALONE, MARK_AT_END, MARK_AT_START, SUPERSCRIPT

if TYPE_CHECKING:
    from collections.abc import Sequence

_DEEP = frozenset("gjpqyQJ,;()[]{}|/\\@$§_çşţ")
"""Letters that reach, or may reach, below the baseline."""
_TALL = frozenset("bdfhkl")
_CAP = 0.69
"""Height of capitals, ascenders and digits by size of type, about the same in most fonts."""
_SMALL_LETTER = 0.47
"""Height of small letters without ascenders."""
_IDEOGRAPH = 0.9
"""Height of ideographs, by size of type."""
_PLAIN = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_MAX_MARK = 0.78
"""Height of a raised digit by that of digits on the line, at most."""


class Letter(NamedTuple):
    """A recognised letter and the middle of its place in the line, as a share of the line's width."""

    text: str
    middle: float


@dataclass
class InkWord:
    """A word in the picture of its line: text, box and size in pixels, mean width of its stems by its size."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    size: float
    weight: float


def ink_words(picture: Any, words: Sequence[Sequence[Letter]]) -> list[InkWord]:
    """Return the words of a line as their ink shows them; none where there is no ink.

    Args:
        picture: the line, upright, as an array of shape (height, width) of gray values.
        words: the letters of each word, in reading order.
    """
    import cv2
    import numpy as np

    height, width = picture.shape
    if height < 4 or width < 4:
        return []
    _, black = cv2.threshold(picture, 0, 1, cv2.THRESH_BINARY_INV + cv2.THRESH_OTSU)
    if black.mean() > 0.5:  # light letters on a dark ground
        black = 1 - black
    black = _without_rules(black.astype(np.uint8))
    # The recogniser fills up the end of short lines, and places letters there at times.
    words = [[letter._replace(middle=min(letter.middle, 1.0)) for letter in word] for word in words]
    words = _apart(black, words)
    spans = _spans(black, words)
    extents = [_extents(black, letters, span) for letters, span in zip(words, spans, strict=True)]
    line = _measure([item for extent in extents for item in extent])
    if line is None:
        return []
    size, baseline = line
    stems = [_stem(black[:, left:right], size) for left, right in spans]
    lengths = [len(letters) for letters in words]
    usual = float(np.average(stems, weights=lengths)) if stems else 0.0
    found: list[InkWord] = []
    for letters, (left, right), extent, stem in zip(words, spans, extents, stems, strict=True):
        text = "".join(letter.text for letter in letters)
        weight = (stem if len(letters) >= 4 and stem else usual) / size
        top, bottom = max(baseline - 0.75 * size, 0.0), min(baseline + 0.22 * size, float(height))
        mark = _raised(text, extent, size, baseline)
        if mark is None:
            found.append(InkWord(text, left, top, right, bottom, size, weight))
            continue
        start, end = mark
        digits = extent[start:end]
        inked = [item for item in digits if item.bottom > item.top]
        high, low = min(item.top for item in inked), max(item.bottom for item in inked)
        small = max((low - high) / _CAP, 1.0)
        if start:
            found.append(InkWord(text[:start], left, top, extent[start - 1].right, bottom, size, weight))
        edge = extent[end].left if end < len(extent) else right
        plain = text[start:end].translate(_PLAIN)
        found.append(InkWord(plain, digits[0].left, high, edge, low, small, weight))
        if end < len(extent):
            found.append(InkWord(text[end:], edge, top, right, bottom, size, weight))
    return found


class _Extent(NamedTuple):
    """The ink of a letter; ``top > bottom`` where there is none."""

    text: str
    left: float
    right: float
    top: float
    bottom: float


def _without_rules(black: Any) -> Any:
    """Take out rows of ink that run through most of the line: rules and frames."""
    through = black.mean(axis=1) > 0.85
    if through.any() and not through.all():
        black = black.copy()
        black[through] = 0
    return black


def _spans(black: Any, words: Sequence[Sequence[Letter]]) -> list[tuple[int, int]]:
    """Return the first and last column of each word: bounds are the widest gaps between neighbouring letters."""
    width = black.shape[1]
    inked = black.any(axis=0)
    bounds = [0]
    for one, other in pairwise(words):
        start, end = one[-1].middle * width, other[0].middle * width
        bounds.append(_gap(inked, int(start), int(end))[0])
    bounds.append(width)
    spans = []
    for left, right in pairwise(bounds):
        columns = inked[left:right].nonzero()[0]
        spans.append((left + int(columns[0]), left + int(columns[-1]) + 1) if len(columns) else (left, right))
    return spans


def _gap(inked: Any, start: int, end: int) -> tuple[int, int]:
    """Return middle and length of the widest stretch without ink between two columns, else the column between them."""
    best, length, run = (start + end) // 2, 0, 0
    for column in range(start, min(end + 1, len(inked))):
        run = 0 if inked[column] else run + 1
        if run > length:
            best, length = column - run // 2, run
    return max(best, 0), length


def _apart(black: Any, words: Sequence[Sequence[Letter]]) -> list[Sequence[Letter]]:
    """Return words cut where the line has a gap as wide as those between its words, which the recogniser overlooked."""
    width = black.shape[1]
    inked = black.any(axis=0)
    between = [
        _gap(inked, int(one[-1].middle * width), int(other[0].middle * width))[1] for one, other in pairwise(words)
    ]
    if len(between) < 4:
        return list(words)
    usual = sorted(between)[len(between) // 2]
    found: list[Sequence[Letter]] = []
    for word in words:
        start = 0
        for index, (one, other) in enumerate(pairwise(word), start=1):
            # Narrow strokes ("1", "l") leave more white beside them; marks and digits are left as they were read.
            if not (one.text.isalpha() or one.text in ".,;:") or not other.text.isalpha() or index - start < 2:
                continue
            if _gap(inked, int(one.middle * width), int(other.middle * width))[1] > max(0.8 * usual, 3):
                found.append(word[start:index])
                start = index
        found.append(word[start:])
    return found


def _extents(black: Any, letters: Sequence[Letter], span: tuple[int, int]) -> list[_Extent]:
    """Return the ink of each letter of a word, cut half way to its neighbours."""
    width = black.shape[1]
    middles = [letter.middle * width for letter in letters]
    cuts = [span[0], *(round((a + b) / 2) for a, b in pairwise(middles)), span[1]]
    inked = black.any(axis=0)
    for index in range(1, len(cuts) - 1):
        # A column without ink near the half is where one letter ends.
        near = [c for c in range(cuts[index] - 4, cuts[index] + 5) if span[0] < c < span[1] and not inked[c]]
        if near:
            cuts[index] = min(near, key=lambda column: abs(column - cuts[index]))
    found = []
    for letter, left, right in zip(letters, cuts, cuts[1:], strict=False):
        part = black[:, left:right] if right > left else black[:, :0]
        rows = part.any(axis=1).nonzero()[0]
        top, bottom = (float(rows[0]), float(rows[-1] + 1)) if len(rows) else (1.0, 0.0)
        found.append(_Extent(letter.text, float(left), float(max(right, left)), top, bottom))
    return found


def _measure(extents: Sequence[_Extent]) -> tuple[float, float] | None:
    """Return size of type and baseline of a line, in pixels."""
    import numpy as np

    inked = [item for item in extents if item.bottom > item.top]
    if not inked:
        return None
    standing = [item.bottom for item in inked if item.text.isalnum() and item.text not in _DEEP]
    baseline = float(np.median(standing or [item.bottom for item in inked]))
    heights: dict[float, list[float]] = {_CAP: [], _SMALL_LETTER: [], _IDEOGRAPH: []}
    for item in inked:
        if not item.text.isalnum() or item.text in _DEEP:
            continue
        if ord(item.text[0]) >= 0x2E80:
            share = _IDEOGRAPH
        elif item.text.isupper() or item.text.isdigit() or item.text in _TALL:
            share = _CAP
        else:
            share = _SMALL_LETTER
        heights[share].append(baseline - item.top)
    for share in (_CAP, _IDEOGRAPH, _SMALL_LETTER):
        if len(heights[share]) >= 3 or (heights[share] and len(inked) < 4):
            size = float(np.median(heights[share])) / share
            if size > 3:
                return size, baseline
    span = max(item.bottom for item in inked) - min(item.top for item in inked)
    return (span / 0.95, baseline) if span > 3 else None


def _stem(black: Any, size: float) -> float:
    """Return the usual width of the upright strokes of a piece: the median of its short level runs of ink."""
    import numpy as np

    edges = np.diff(np.pad(black.astype(np.int8), ((0, 0), (1, 1))), axis=1)
    starts, ends = np.nonzero(edges == 1)[1], np.nonzero(edges == -1)[1]
    runs = ends - starts
    runs = runs[runs < 0.32 * size]
    return float(np.mean(runs)) if len(runs) else 0.0


def _raised(text: str, extents: Sequence[_Extent], size: float, baseline: float) -> tuple[int, int] | None:
    """Return start and end of small digits above the line: a word of them, or at either end of one ("leak1").

    The recogniser knows some superscripts itself; of others the ink tells.
    """
    if len(extents) != len(text):
        return None  # a letter of more than one character
    stated = SUPERSCRIPT.search(text)
    if stated and (stated.start() == 0 or stated.end() == len(text)):
        digits = [item for item in extents[stated.start() : stated.end()] if item.bottom > item.top]
        return (stated.start(), stated.end()) if digits else None
    full = _CAP * size
    for pattern in (MARK_ALONE, MARK_AT_END, MARK_AT_START):
        match = pattern.search(text)
        digits = [item for item in extents[match.start() : match.end()] if item.bottom > item.top] if match else []
        if match and digits and all(
            item.bottom < baseline - 0.2 * full and item.bottom - item.top < _MAX_MARK * full for item in digits
        ):  # fmt: skip
            return match.start(), match.end()
    return None


def rules_in(black: Any, length: int) -> tuple[list[tuple[int, int, int, int]], list[tuple[int, int, int, int]]]:
    """Return the level and the upright ruling lines of a page as left, top, width, height in pixels.

    Args:
        black: array of shape (height, width), 1 where there is ink.
        length: pixels from which a stroke is a ruling line.
    """
    import cv2

    level: list[tuple[int, int, int, int]] = []
    upright: list[tuple[int, int, int, int]] = []
    for kernel, found in (((length, 1), level), ((1, length), upright)):
        strokes = cv2.morphologyEx(black, cv2.MORPH_OPEN, cv2.getStructuringElement(cv2.MORPH_RECT, kernel))
        _, _, stats, _ = cv2.connectedComponentsWithStats(strokes, connectivity=8)
        for left, top, wide, high, _ in stats[1:]:
            if min(wide, high) <= max(length // 10, 3):
                found.append((int(left), int(top), int(wide), int(high)))
    return level, upright


def pictures_in(black: Any, text: Any, smallest: int) -> list[tuple[int, int, int, int]]:
    """Return what is drawn on a page beside its text, as left, top, width, height in pixels.

    Args:
        black: array of shape (height, width), 1 where there is ink.
        text: the same shape, 1 where lines of text stand.
        smallest: pixels that a picture has at least in either direction.
    """
    import cv2
    import numpy as np

    rest = np.where(text > 0, 0, black).astype(np.uint8)
    reach = max(smallest // 4, 3)
    joined = cv2.morphologyEx(rest, cv2.MORPH_CLOSE, cv2.getStructuringElement(cv2.MORPH_RECT, (reach, reach)))
    _, _, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    height, width = black.shape
    return [
        (int(left), int(top), int(wide), int(high))
        for left, top, wide, high, area in stats[1:]
        if wide >= smallest and high >= smallest and area > 0.05 * wide * high and wide * high < 0.8 * width * height
    ]
