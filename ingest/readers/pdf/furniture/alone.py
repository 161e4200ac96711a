"""Running heads, feet and page numbers of documents so short that nothing comes back: told by the page alone.

What a row at the edge says is furniture if no reader would take it for anything else: a page number apart from the
text, with the words beside it; a short line over a text that begins in the middle of a sentence; and words at both
ends of a row, over a rule as wide as that.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ragraph.ingest.readers.pdf.furniture.pagenumbers import candidates_of
from ragraph.ingest.readers.pdf.patterns import CAPTION, GOES_ON, NUMBERED, SENTENCE_END, SUBSECTION, THREE_LETTERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ragraph.ingest.readers.pdf.furniture.pagenumbers import Candidate, EdgeRow
    from ragraph.ingest.readers.pdf.model import Line, Page, Style, Word

FEW = 4
"""Pages of a document at most: of more, heads come back where there are any."""
_LARGEST, _USUAL, _RULED_OFF = 1.25, 1.05, 1.5
"""Size of such a row at most, in that of the running text; of one that may be a title, and is in bold no more than the
text; and of one with words at both ends over a rule."""
_APART, _SOLID = 1.25, 1.4
"""Distance to the text at least, in usual distances of lines; and these, per point of size, of smaller type."""
_LONG, _LINES = 40, 3
"""Characters of a line of running text, and such lines of a page, at least: forms and posters have numbers at their
edges that are none of pages."""
_HIGHEST = 999
"""Number of a page at most: beyond stand years and numbers of invoices."""
_LONGEST = 100
"""Characters of a running head at most."""
_TAB = 1.5
"""Room between a number and the words on its row, per point of size, from which on they stand apart."""
_ENDS = 8.0
"""Room between the words at both ends of a row, likewise."""
_CORNER = 2.0
"""Distance of a number over the text from the edge of that, per point of size, at most: the number of a chapter is
centred, or stands on the row of its title."""
_COLUMN = 4.0
"""Points by which numbers of one column end apart at most."""
_FULL = 0.6
"""Share of the widest line that a line of running text takes."""
_RULED = 0.9
"""Share of a row, from end to end, that the rule below it takes."""


def lone_furniture(
    rows: Sequence[EdgeRow], pages: Sequence[Page], style: Style, known: Iterable[int]
) -> tuple[set[int], dict[int, tuple[Line, list[Word]]]]:
    """Return the rows that a page alone tells to be furniture, and of these, as page numbers, line and words of it.

    Args:
        rows: at the edges of all pages, those of a side from the edge inwards.
        pages: all pages, with lines.
        style: the running style of the document.
        known: ids of the rows that are known to hold the number of their page.
    """
    if len(pages) > FEW:
        return set(), {}
    counting = set(known)
    counted = {id(row.page) for row in rows if id(row) in counting}
    found: set[int] = set()
    numbers: dict[int, tuple[Line, list[Word]]] = {}
    for page in pages:
        text = [line for line in page.lines if line.length >= _LONG]
        if len(text) < _LINES:
            continue
        for upper in (True, False):
            side = [row for row in rows if row.page is page and row.upper is upper]
            outermost = _outermost(side, style)
            number = _number(outermost[0], text, style) if outermost and id(page) not in counted else None
            if number is not None:
                numbers[id(side[0])] = number.line, number.words
                found |= {id(row) for row in outermost}
            elif side and upper:
                taken = side[:1] if _is_ruled_off(side[0], style) else _over_sentence(side, text, style)
                found |= {id(row) for row in taken}
    return found, numbers


def _outermost(side: Sequence[EdgeRow], style: Style) -> Sequence[EdgeRow]:
    """Return the outermost row of a side, if it stands apart from the text, or the two that do so together."""
    rows = side[:1] if side and _is_apart(side[0], style) else side[:2]
    apart = bool(rows) and _is_apart(rows[-1], style)
    words = len(rows) < 2 or any(len(line.words) > 1 for line in rows[0].lines)
    return rows if apart and words and not any(_is_large(row, style) for row in rows) else ()


def _number(row: EdgeRow, text: Sequence[Line], style: Style) -> Candidate | None:
    """Return the page number in a row, if it can be nothing else."""
    return next((candidate for candidate in candidates_of(row) if _is_page_number(candidate, text, style)), None)


def _is_page_number(candidate: Candidate, text: Sequence[Line], style: Style) -> bool:
    row, words = candidate.row, candidate.words
    if candidate.said:
        return True
    if all(reading.kind == "LETTER" or reading.value > _HIGHEST for reading in candidate.readings):
        return False
    others = [word for line in row.lines for word in line.words if all(word is not one for one in words)]
    left, right, size = words[0].left, words[-1].right, words[0].size
    if not others:
        corner = left < min(line.left for line in text) + _CORNER * size
        corner = corner or right > max(line.right for line in text) - _CORNER * size
        return (corner or not row.upper) and not _in_sum(candidate)
    first = left < others[0].left
    apart = (others[0].left - right if first else left - others[-1].right) > _TAB * size
    if row.upper:
        return apart and (not first or _is_usual(others, style)) and not _in_sum(candidate)
    # A note begins with a number, too, and is no line in capitals; a bar parts numbers from heads alone.
    barred = any("|" in word.text for word in (others[0] if first else others[-1], *words))
    capitals = "".join(word.text for word in others).isupper()
    return barred or capitals or (apart and not first and not _in_sum(candidate))


def _in_sum(candidate: Candidate) -> bool:
    """Say whether a number ends at the edge of other numbers: it is a sum, or one of a column."""
    right = candidate.words[-1].right
    return any(
        abs(line.right - right) < _COLUMN and line.length < _LONG and line.text[-1:].isdigit()
        for line in candidate.row.page.lines
        if all(line is not one for one in candidate.row.lines)
    )


def _is_ruled_off(row: EdgeRow, style: Style) -> bool:
    """Say whether a row has words at both ends and nothing between, and a rule below from end to end."""
    box = row.box
    widest = max((line.left - before.right for before, line in pairwise(row.lines)), default=0.0)
    if widest < _ENDS * style.size or _size(row) > _RULED_OFF * style.size:
        return False
    return any(
        -style.size < y - box.bottom < style.pitch
        and min(right, box.right) - max(left, box.left) > _RULED * (box.right - box.left)
        for left, right, y in row.page.horizontals
    )


def _over_sentence(side: Sequence[EdgeRow], text: Sequence[Line], style: Style) -> Sequence[EdgeRow]:
    """Return the rows at the top that stand over the middle of a sentence."""
    wide = max(line.right - line.left for line in text)
    for count, row in enumerate(side, 1):
        if not _may_be_head(row, style):
            return ()
        if not _is_apart(row, style):
            continue
        below = min((line for line in row.page.lines if line.top > row.box.bottom - 1), key=lambda line: line.top)
        goes_on = GOES_ON.match(below.text) and not NUMBERED.match(below.text)
        if goes_on and below.length >= _LONG and below.right - below.left > _FULL * wide:
            return side[:count]
    return ()


def _may_be_head(row: EdgeRow, style: Style) -> bool:
    text = " ".join(line.text for line in row.lines)
    words = bool(THREE_LETTERS.search(text)) and len(text) < _LONGEST and not SENTENCE_END.search(text)
    usual = _is_usual([word for line in row.lines for word in line.words], style)
    return words and usual and not any(form.match(text) for form in (CAPTION, NUMBERED, SUBSECTION))


def _is_usual(words: Iterable[Word], style: Style) -> bool:
    """Say whether words are neither larger than the running text nor in bold, as titles are."""
    return all(word.size <= _USUAL * style.size and (style.bold or not word.font.bold) for word in words)


def _is_apart(row: EdgeRow, style: Style) -> bool:
    size = _size(row)
    return row.gap > _APART * (style.pitch if size > 0.95 * style.size else min(style.pitch, _SOLID * size))


def _is_large(row: EdgeRow, style: Style) -> bool:
    return _size(row) > _LARGEST * style.size


def _size(row: EdgeRow) -> float:
    return max(line.size for line in row.lines)
