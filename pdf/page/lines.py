"""Words to lines: the words of a page side by side, ended by gutters and table columns."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from itertools import accumulate, chain
from typing import TYPE_CHECKING

from ragraph.pdf.model import Line, Page, Style, Word, in_runs
from ragraph.pdf.page.pictograms import over_pictures
from ragraph.pdf.patterns import BARE_LABEL, FORMULA_NUMBER, LINE_LABEL, NUMERIC, RIGHT_TO_LEFT, SYMBOL_MARK

if TYPE_CHECKING:
    from collections.abc import Iterator

_GAP = 0.9
"""A gap of this share of the size of type ends a piece of a line."""
_OTHER_SIZE = 0.6
"""Minimum share of the larger of two sizes at which words are of one type; others need the gap of the smaller."""
_LOOSE = 3.0
"""Gaps up to this share are bridged where the neighbouring line runs through."""
_EVEN = 0.05
"""Share of the size of type by which the gaps of a justified line differ at most."""
_EVENLY = 4
"""Words with such gaps, one after the other, at least."""
_FEET = 0.22
"""What boxes of words reach below the baseline, per point of size."""
_SUNK = 0.7
"""Sizes of the text beside a large letter by which its baseline is lower, at least, where that is another line's."""
_TYPED = 0.75
"""Size of typewriter type within a line, of that of the other words, at least."""
_MARK = 0.86
"""Size of the mark of a note in front of it, of that of its words, at most."""
_HIGH, _HIGH_GAP = 0.15, 0.5
"""Share of the height of a raised number that is level with the words at its side, at least; and its distance from
these, in sizes of type, at most."""
_STRIP = 0.5
"""A white strip over several rows is at least this share of the size of type wide, to part columns."""
_PARTED = 4
"""Rows above and below, at least, that such a strip goes on through: a few may have their blanks there by chance."""
_PROSE = 5
"""Words of a row, at least, that may be a line of text set wide."""
_REACH = 6
"""Rows looked at above and below a gap."""
_TAB = 16.0
"""Widest gap, per size of type, between a label and the text that stands alone in its row with it."""

_BOTH = 10
"""Lines that end left of a gutter, and begin right of it, at least."""
_BESIDE = 24
"""Points from the middle of a gutter within which lines of the columns end and begin."""
_ACROSS = 0.5
"""A gap of this share of the size of type, over a gutter, is more than a blank."""
_OUT = 0.5
"""Share of the size of type that a word stands out into a gutter at most."""


def make_lines(page: Page) -> None:
    """Set the lines of the page from its words, top to bottom, then left to right, and its gutter."""
    page.gutter = middle = gutter(page)
    pieces = _pieces(page.words, middle)
    rows = over_pictures(page, _rows(pieces, middle))
    pieces = _bridge(_attach_labels(rows, middle), middle)
    page.lines = sorted(
        (Line(_raise(piece) if page.directed else _reading_direction(_raise(piece))) for piece in pieces),
        key=lambda line: (line.top, line.left),
    )


_BLANK = 1.4
"""Minimum distance of paragraphs that stand apart, in usual distances of lines."""
_OFTEN = 0.25
"""Share of the most frequent distance that one within paragraphs has where most of them are of two or three lines."""
_LEAST_SIZE = 1.0
"""Points: type of no size, which faulty fonts have, is counted as this large."""


def running_style(pages: list[Page]) -> Style:
    """Return the style in which most of the document is set."""
    sizes: Counter[float] = Counter()
    bold: Counter[bool] = Counter()
    mono: Counter[bool] = Counter()
    pitches: dict[float, Counter[float]] = defaultdict(Counter)
    for page in pages:
        for index, line in enumerate(page.lines):
            size = round(line.size * 2) / 2
            sizes[size] += line.length
            bold[line.bold > 0.5] += line.length
            mono[line.mono > 0.5] += line.length
            upper = _upper(page.lines, index)
            if upper is not None:
                step = round((line.bottom - upper.bottom) * 2) / 2
                if 0.8 * line.size < step < 4 * line.size:
                    pitches[size][step] += 1
    size = min(sizes.items(), key=lambda item: (-item[1], item[0]))[0] if sizes else 10.0
    pitch = _pitch(pitches[size]) or _pitch(sum(pitches.values(), Counter())) or 1.2 * size
    return Style(max(size, _LEAST_SIZE), bold[True] > bold[False], max(pitch, _LEAST_SIZE), mono[True] > mono[False])


def _pitch(steps: Counter[float]) -> float | None:
    """Return the most frequent distance of lines; a much smaller one that is frequent, where that is a blank line's."""
    most = min(steps.items(), key=lambda item: (-item[1], item[0]))[0] if steps else None
    if most is None:
        return None
    close = [step for step, count in steps.items() if step < most / _BLANK and count > _OFTEN * steps[most]]
    return max(close, key=lambda step: (steps[step], -step), default=most)


def _upper(lines: list[Line], index: int) -> Line | None:
    """Return the line of running text above one, in its column; None for short lines and other type."""
    line = lines[index]
    if line.right - line.left < 10 * line.size:
        return None
    for other in reversed(lines[max(0, index - 6) : index]):
        level = other.bottom > line.bottom - 0.5 * line.size
        if level or min(other.right, line.right) - max(other.left, line.left) < 8 * line.size:
            continue
        return other if abs(other.size - line.size) < 0.5 else None
    return None


def _beside(one: Word, other: Word) -> bool:
    """Return True if two words stand on about the same height."""
    overlap = min(one.bottom, other.bottom) - max(one.top, other.top)
    return overlap > 0.45 * min(one.bottom - one.top, other.bottom - other.top)


def _near(last: Word, word: Word) -> bool:
    """Return True if a word follows another without a gap; large type does not reach for the text beside it."""
    size, small = max(last.size, word.size), min(last.size, word.size)
    reach = size if small > _OTHER_SIZE * size else small
    if reach < size and len(last.text) == 1 and len(word.text) > 1 and last.text.isalpha() and word.text.isalpha():
        feet = last.bottom - _FEET * last.size, word.bottom - _FEET * word.size
        if feet[0] - feet[1] > _SUNK * small:
            return False  # a letter that several lines stand beside, and no drop cap
    gap = word.left - last.right
    if not _beside(last, word) and _is_high(last, word):
        return abs(gap) < _HIGH_GAP * size
    return _beside(last, word) and -0.5 * size < gap < _GAP * reach


def _is_high(one: Word, other: Word) -> bool:
    """Return True if one of two words is a small number raised above most of the other, as browsers set marks."""
    small, large = sorted((one, other), key=lambda word: word.size)
    higher = small.top < large.top and small.bottom - large.top > _HIGH * (small.bottom - small.top)
    return higher and small.size < _MARK * large.size and small.text.isdigit()


def rows(page: Page, middle: float | None) -> list[list[Word]]:
    """Return the words of a page that stand side by side, from left to right, row by row; ``middle`` is its gutter."""
    found = _rows(_pieces(page.words, middle), middle)
    return [sorted((word for piece in row for word in piece), key=lambda word: word.left) for row in found]


def gutter(page: Page) -> float | None:
    """Return the middle of the white strip between two columns of text; None if there is none.

    Left of it many lines end, right of it many begin, and hardly a word runs over it.
    """
    width = int(page.width)
    ends, starts, over = [0] * (width + 2), [0] * (width + 2), [0] * (width + 2)
    for word in page.words:
        left, right = int(word.left), min(int(word.right) + 1, width)
        ends[right] += 1
        starts[left] += 1
        over[min(left + 1, right)] += 1
        over[right] -= 1
    ends, starts, over = list(accumulate(ends)), list(accumulate(starts)), list(accumulate(over))
    best: tuple[int, float] | None = None
    first = None
    # a page that is narrower than two columns of letters has none
    for x in range(max(width // 4, _BESIDE), min(3 * width // 4, width - _BESIDE)):
        beside = min(ends[x] - ends[x - _BESIDE], starts[x + _BESIDE] - starts[x - 1])
        clear = beside >= _BOTH and over[x] <= 0.1 * beside
        first = x if clear and first is None else first if clear else None
        if clear and first is not None and (best is None or beside - 10 * over[x] >= best[0]):
            best = (beside - 10 * over[x], (first + x) / 2)
    return None if best is None else best[1]


def over_gutter(last: Word, word: Word, gutter: float | None) -> bool:
    """Return True if a gutter lies between two words that stand further apart than a blank."""
    size = max(last.size, word.size)
    # A long address may stand out into the gutter.
    if gutter is None or not last.right - _OUT * size <= gutter <= word.left + 1:
        return False
    return word.left - last.right > _ACROSS * size


def _pieces(words: list[Word], gutter: float | None) -> list[list[Word]]:
    """Group words that follow each other in the file and on the page."""
    return in_runs(words, lambda piece, word: _near(piece[-1], word) and not over_gutter(piece[-1], word, gutter))


def _rows(pieces: list[list[Word]], gutter: float | None) -> list[list[list[Word]]]:
    """Sort pieces into rows of the page; pieces that touch within a row become one."""
    spans = sorted(
        ((min(w.top for w in piece), max(w.bottom for w in piece), piece) for piece in pieces),
        key=lambda span: (span[0] + span[1]) / 2,
    )
    rows: list[tuple[float, float, list[list[Word]]]] = []
    for top, bottom, piece in spans:
        placed = False
        for index in range(len(rows) - 1, max(-1, len(rows) - 6), -1):
            row_top, row_bottom, members = rows[index]
            overlap = min(bottom, row_bottom) - max(top, row_top)
            if overlap > 0.5 * min(bottom - top, row_bottom - row_top):
                members.append(piece)
                # A row is as high as its highest piece that is not much higher than the others.
                if bottom - top > row_bottom - row_top and bottom - top < 1.6 * (row_bottom - row_top):
                    rows[index] = (top, bottom, members)
                placed = True
                break
        if not placed:
            rows.append((top, bottom, [piece]))
    return [_touching(members, gutter) for _, _, members in rows]


def _touching(row: list[list[Word]], gutter: float | None) -> list[list[Word]]:
    """Join pieces of a row that follow each other without a gap, wherever they stand in the file."""

    def follows(run: list[list[Word]], piece: list[Word]) -> bool:
        return _near(run[-1][-1], piece[0]) and not over_gutter(run[-1][-1], piece[0], gutter)

    return [[*chain(*run)] for run in in_runs(sorted(row, key=lambda piece: piece[0].left), follows)]


def _attach_labels(rows: list[list[list[Word]]], gutter: float | None) -> list[list[list[Word]]]:
    """Put bullets and numbers that stand apart ("1.", "4.2") in front of the text they belong to.

    What ends a row of the column before, the number of an equation or the last cell of a table, is no label.
    """
    for row in rows:
        index = 0
        while index + 1 < len(row):
            label, text = row[index], row[index + 1]
            words = "".join(word.text for word in label)
            size = max(label[-1].size, text[0].size)
            reach = 9 if words.startswith("[") else 6 if label[0].font.bold else 4
            bracketed = words.startswith("[") and words.endswith("]")
            narrow = label[-1].right - label[0].left < (9 if bracketed else 3.5) * size
            # A bare number is a label in front of a bold heading; elsewhere it may be the cell of a table.
            labels = (
                bracketed
                or LINE_LABEL.match(words)
                or (label[0].font.bold and text[0].font.bold and BARE_LABEL.match(words))
            )
            ends = over_gutter(label[-1], text[0], gutter) and (index > 0 or bool(FORMULA_NUMBER.match(words)))
            if narrow and labels and not ends and 0 < text[0].left - label[-1].right < reach * size:
                row[index : index + 2] = [label + text]
            index += 1
    return rows


class _Level:
    """The pieces of a row, looked up by place without going through all of them."""

    def __init__(self, pieces: list[list[Word]]) -> None:
        words = sorted((word for piece in pieces for word in piece), key=lambda word: word.left)
        self.pieces = pieces
        self.top, self.bottom = min(word.top for word in words), max(word.bottom for word in words)
        self._lefts = [word.left for word in words]
        self._rights = [*accumulate((word.right for word in words), max)]
        self.right = self._rights[-1]
        self._ordered = sorted(pieces, key=lambda piece: piece[0].left)
        self._begins = [piece[0].left for piece in self._ordered]
        self._ends = [*accumulate((piece[-1].right for piece in self._ordered), max)]

    def around(self, middle: float) -> tuple[float | None, float | None]:
        """Return where the words that begin left of a place end, and where the next one begins."""
        at = bisect_left(self._lefts, middle)
        return self._rights[at - 1] if at else None, self._lefts[at] if at < len(self._lefts) else None

    def over(self, left: float, right: float) -> Iterator[list[Word]]:
        """Return the pieces that begin left of a stretch and end right of it."""
        at = bisect_left(self._begins, left)
        while at and self._ends[at - 1] > right:
            at -= 1
            if self._ordered[at][-1].right > right:
                yield self._ordered[at]


def _bridge(rows: list[list[list[Word]]], gutter: float | None) -> list[list[Word]]:
    """Join the pieces of a loosely set line: a gap that the line above or below runs through is no gutter."""
    levels = [_Level(row) for row in rows]
    order = sorted(range(len(rows)), key=lambda index: levels[index].top)
    places = {index: place for place, index in enumerate(order)}
    done: list[list[Word]] = []
    for number, pieces in enumerate(rows):
        row = _evenly(pieces, gutter)
        if len(row) == 1:
            done.append(row[0])
            continue
        place = places[number]
        above = [levels[index] for index in reversed(order[max(0, place - _REACH) : place])]
        below = [levels[index] for index in order[place + 1 : place + 1 + _REACH]]
        near = [*above[:2], *below[:2]]
        prose = _is_prose(row, near)
        current = row[0]
        found: list[list[Word]] = []
        for piece in row[1:]:
            last, first = current[-1], piece[0]
            size = max(last.size, first.size)
            gap = first.left - last.right
            # The mark of a note may end the piece: the word before it has the size of the line.
            sizes = [max(word.size for word in words) for words in (current[-2:], piece[:2])]
            # typewriter type, as of addresses, is often set smaller within a line
            typed = last.font.mono != first.font.mono and min(sizes) > _TYPED * max(sizes)
            alike = typed or abs(sizes[0] - sizes[1]) < 0.6
            bridges = sum(_runs_through(last.right, first.left, current, other) for other in near) if alike else 0
            bridged = bridges >= (1 if gap < 2.0 * size else 2)
            bridged |= prose and alike and not _parts_rows(last, first, above, below)
            if gap < _LOOSE * size and bridged and not over_gutter(last, first, gutter):
                current = current + piece
            else:
                found.append(current)
                current = piece
        done += _labelled([*found, current], gutter)
    return done


def _evenly(row: list[list[Word]], gutter: float | None) -> list[list[Word]]:
    """Join words that stand apart by the same gap, however wide: a line of a narrow column that is justified."""
    done: list[list[Word]] = []
    index = 0
    while index < len(row):
        end = index + 1
        gap = row[end][0].left - row[index][-1].right if end < len(row) else 0.0
        while end < len(row):
            last, first = row[end - 1][-1], row[end][0]
            size = max(last.size, first.size)
            alike = abs(first.left - last.right - gap) < _EVEN * size and abs(last.size - first.size) < 0.6
            if not alike or gap > _LOOSE * size or over_gutter(last, first, gutter) or len(row[end]) > 1:
                break
            end += 1
        if end - index < _EVENLY or len(_without_mark(row[index])) > 1:
            end = index + 1
        done.append([word for piece in row[index:end] for word in piece])
        index = end
    return done


def _without_mark(piece: list[Word]) -> list[Word]:
    """Return the words of a piece but for the small mark of a note in front."""
    marked = len(piece) > 1 and piece[0].size < _MARK * piece[1].size
    return piece[1:] if marked else piece


def _labelled(row: list[list[Word]], gutter: float | None) -> list[list[Word]]:
    """Join a label with the text that stands alone in the row with it, as far off as a tabulator goes."""
    if len(row) != 2:
        return row
    label, text = row
    size = max(label[-1].size, text[0].size)
    gap = text[0].left - label[-1].right
    alone = len(label) == 1 and LINE_LABEL.match(label[0].text) and not NUMERIC.match(text[0].text)
    if alone and 0 < gap < _TAB * size and not over_gutter(label[-1], text[0], gutter):
        return [label + text]
    return row


def _is_prose(row: list[list[Word]], near: list[_Level]) -> bool:
    """Return True if the pieces of a row may be one line of text set wide: words, as far right as a line beside."""
    words = [word for piece in row for word in piece]
    numbers = sum(bool(NUMERIC.match(word.text)) for word in words)
    if len(words) < _PROSE or 4 * numbers > len(words):
        return False
    size, right = words[-1].size, max(word.right for word in words)
    return any(abs(other.right - right) < size for other in near)


def _parts_rows(last: Word, first: Word, above: list[_Level], below: list[_Level]) -> bool:
    """Return True if the gap between two words is part of a white strip that goes on through rows above and below.

    Where no row has letters in the strip, nothing speaks against it.
    """
    rows = crossed = 0
    size = max(last.size, first.size)
    left, right = last.right, first.left
    for side in (above, below):
        edge = last
        for other in side:
            if max(other.top - edge.bottom, edge.top - other.bottom) > 2.5 * size:
                break
            edge = other.pieces[0][0]
            before, after = other.around((left + right) / 2)
            if before is None and after is not None and abs(after - first.left) < 1.0:
                rows += 1  # what stands right of the gap goes on below at the same edge
                continue
            if before is None or after is None:
                continue  # a row on one side alone: a column beside it, or the end of a paragraph
            if min(after, right) - max(before, left) < _STRIP * size or after - before < _GAP * size:
                crossed += 1
                break
            left, right = max(before, left), min(after, right)
            rows += 1
    return rows >= _PARTED or not crossed


def _runs_through(left: float, right: float, line: list[Word], row: _Level) -> bool:
    """Return True if a neighbouring row has letters all along the gap between left and right."""
    height = line[0].bottom - line[0].top
    for piece in row.over(left, right):
        distance = min(abs(piece[0].top - line[0].bottom), abs(line[0].top - piece[0].bottom))
        if distance < 1.2 * height:
            covered = sum(max(0.0, min(word.right, right) - max(word.left, left)) for word in piece)
            if covered > 0.4 * (right - left):
                return True
    return False


def _reading_direction(words: list[Word]) -> list[Word]:
    """Return the words as they are read: from the right where most of them are Hebrew, Arabic and the like."""
    right = sum(bool(RIGHT_TO_LEFT.search(word.text)) for word in words)
    if 2 * right <= len(words):
        return words
    turned: list[Word] = []
    run: list[Word] = []
    for word in reversed(words):
        # Numbers and Latin words within such a line keep their own direction.
        if RIGHT_TO_LEFT.search(word.text):
            turned += [*reversed(run), word]
            run = []
        else:
            run.append(word)
    return [*turned, *reversed(run)]


def _raise(words: list[Word]) -> list[Word]:
    """Mark the words of a line that are small and raised: marks of notes, ordinals, exponents."""
    if len(words) == 1:
        return words
    sizes: Counter[float] = Counter()
    for word in words:
        sizes[word.size] += len(word.text)
    size = max(sizes.items(), key=lambda item: (item[1], item[0]))[0]
    main = [word for word in words if abs(word.size - size) < 0.12 * size]
    bottoms = sorted(word.bottom for word in main)
    tops = sorted(word.top for word in main)
    bottom, top = bottoms[len(bottoms) // 2], tops[len(tops) // 2]
    for word in words:
        if SYMBOL_MARK.match(word.text) and len(words) > 1:
            # Daggers and the like are marks whatever their height: their fonts draw them raised already.
            word.raised = True
            continue
        small = word.size < 0.86 * size
        word.raised = small and (word.bottom < bottom - 0.1 * size) and (word.top + word.bottom) < (top + bottom)
    return words
