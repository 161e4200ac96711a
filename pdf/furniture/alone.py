"""Running heads, feet and page numbers of documents so short that nothing comes back: told by the page alone.

What a row at the edge says is furniture if no reader would take it for anything else: a page number apart from the
text, or one with words beside it that are set apart from the text in smaller type or by a bar, or that counts on
over the pages. Text that is lost is worse than a head that stays: values of forms, salutations, names and heads of
tables stand at edges, too.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from ragraph.pdf.furniture.pagenumbers import candidates_of
from ragraph.pdf.model import line_text
from ragraph.pdf.patterns import (
    PAGE_LABEL,
    VALUE_NAME,
)

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Sequence

    from ragraph.pdf.furniture.pagenumbers import Candidate, EdgeRow
    from ragraph.pdf.model import Line, Page, Style, Word


class _Counts(NamedTuple):
    """How many pages a document has, and on how many a number is as far from that of its page."""

    pages: int
    series: Counter[tuple[bool, str, int]]


FEW = 4
"""Pages of a document at most: of more, heads come back where there are any."""
_LARGEST, _USUAL, _SMALL = 1.25, 1.05, 0.96
"""Size of such a row at most, in that of the running text; of one that may be a title, and is in bold no more than the
text; and of one whose type sets it apart from the text."""
_APART, _SOLID = 1.25, 1.4
"""Distance to the text at least, in usual distances of lines; and these, per point of size, of smaller type."""
_LONG, _LINES = 40, 3
"""Characters of a line of running text, and such lines of a page, at least: forms and posters have numbers at their
edges that are none of pages."""
_HIGHEST, _TOTAL = 999, 99
"""Number of a page at most: beyond stand years and numbers of invoices. And of all pages, where both are printed."""
_TAB = 1.5
"""Minimum room between a number and the words on its row, per point of size, at which they stand apart."""
_ENDS = 8.0
"""Room between the words at both ends of a row, likewise."""
_CORNER = 2.0
"""Distance of a number over the text from the edge of that, per point of size, at most: the number of a chapter is
centred, or stands on the row of its title."""
_COLUMN = 4.0
"""Points by which what stands in one column begins, or ends, apart at most."""
_RARE = 0.1
"""Share of the words of a page that are in a font which is none of its running text."""


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
    counts = _Counts(len(pages), _series(rows))
    found: set[int] = set()
    numbers: dict[int, tuple[Line, list[Word]]] = {}
    for page in pages:
        text = [line for line in page.lines if line.length >= _LONG]
        for upper in (True, False) if len(text) >= _LINES else ():
            side = [row for row in rows if row.page is page and row.upper is upper]
            outermost = _outermost(side, style)
            number = _number(outermost[0], text, style, counts) if outermost and id(page) not in counted else None
            if number is not None:
                numbers[id(side[0])] = number.line, number.words
                found |= {id(row) for row in outermost}
    return found, numbers


def _outermost(side: Sequence[EdgeRow], style: Style) -> Sequence[EdgeRow]:
    """Return the outermost row of a side, if it stands apart from the text, or the two that do so together."""
    rows = side[:1] if side and _is_apart(side[0], style) else side[:2]
    apart = bool(rows) and _is_apart(rows[-1], style) and rows[0].inside
    words = len(rows) < 2 or any(len(line.words) > 1 for line in rows[0].lines)
    return rows if apart and words and not any(_is_large(row, style) for row in rows) else ()


def _series(rows: Sequence[EdgeRow]) -> Counter[tuple[bool, str, int]]:
    """Return on how many pages a number at the edge of one side is as far from that of its page: it counts on."""
    return Counter(
        key
        for row in {(row.page.number, row.upper): row for row in reversed(rows)}.values()
        for key in {key for candidate in candidates_of(row) for key in _keys(candidate)}
    )


def _keys(candidate: Candidate) -> Iterable[tuple[bool, str, int]]:
    row = candidate.row
    return ((row.upper, reading.kind, reading.value - row.page.number) for reading in candidate.readings)


def _number(row: EdgeRow, text: Sequence[Line], style: Style, counts: _Counts) -> Candidate | None:
    """Return the page number in a row, if it can be nothing else."""
    found = (one for one in candidates_of(row) if _is_page_number(one, text, style, counts))
    return next(found, None)


def _is_page_number(candidate: Candidate, text: Sequence[Line], style: Style, counts: _Counts) -> bool:
    row, words = candidate.row, candidate.words
    label = line_text(words).strip()
    match = PAGE_LABEL.match(label)
    if match and match["said"]:
        return True
    counts_on = any(counts.series[key] > 1 for key in _keys(candidate))
    values = [reading.value for reading in candidate.readings if reading.kind in {"arabic", "roman", "ROMAN"}]
    if not values or min(values) > _HIGHEST or not _is_share(match, values):
        return False
    if _is_other(label) or (not counts_on and _is_fraction(label, counts.pages)):
        return False
    others = [word for line in row.lines for word in line.words if all(word is not one for one in words)]
    if not others:
        return (not row.upper or _is_in_corner(words, text)) and not _in_sum(candidate) and not _is_named(row)
    return _is_beside(candidate, others, text, style, counts_on=counts_on)


def _is_in_corner(words: Sequence[Word], text: Sequence[Line]) -> bool:
    """Return True if a number is at the left or right edge of the text, or further out."""
    corner = _CORNER * words[0].size
    left, right = min(line.left for line in text) + corner, max(line.right for line in text) - corner
    return words[0].left < left or words[-1].right > right


def _is_beside(
    candidate: Candidate, others: Sequence[Word], text: Sequence[Line], style: Style, *, counts_on: bool
) -> bool:
    """Return True if a number with words beside it is that of the page."""
    row, words = candidate.row, candidate.words
    left, right, size = words[0].left, words[-1].right, words[0].size
    first = left < others[0].left
    gap = others[0].left - right if first else left - others[-1].right
    if any("|" in word.text for word in (others[0] if first else others[-1], *words)):
        return True  # a bar parts numbers from heads alone
    if _in_sum(candidate) or (not first and VALUE_NAME.search(others[-1].text)):
        return False
    small = _is_small(row, style)
    if not small and not _is_plain(row, others, text, style):
        return False
    if not (counts_on or small):
        return row.upper and gap > _ENDS * size and first
    if not row.upper and line_text(others).isupper():
        return True  # a note begins with a number, too, and is no line in capitals
    return gap > _TAB * size and (row.upper or not first)


def _is_other(label: str) -> bool:
    """Return True if what may be a number is that of a formula, or a cross in a box."""
    return label.startswith("(") or (len(label) == 1 and label.isupper())


def _is_fraction(label: str, pages: int) -> bool:
    """Return True if what may be a number is a month, or the marks of a test, and does not count the pages."""
    return "/" in label and not label.endswith(f"/{pages}")


def _is_share(label: re.Match[str] | None, values: Sequence[int]) -> bool:
    """Return True if a number is one of some tens of pages, if it says of how many: marks of tests are none."""
    if label is None or not label["total"]:
        return True
    pages = int("".join(character for character in label["total"] if character.isdecimal()))
    return min(values) <= pages <= _TOTAL


def _is_named(row: EdgeRow) -> bool:
    """Return True if the line before a number at the foot announces it: "The sum is (EUR):"."""
    over = [line for line in row.page.lines if line.bottom < row.box.top + 1]
    return not row.upper and bool(over) and max(over, key=lambda line: line.bottom).text.endswith(":")


def _in_sum(candidate: Candidate) -> bool:
    """Return True if a number ends at the edge of other numbers: it is a sum, or one of a column."""
    right = candidate.words[-1].right
    return any(
        abs(line.right - right) < _COLUMN and line.length < _LONG and line.text[-1:].isdigit()
        for line in candidate.row.page.lines
        if all(line is not one for one in candidate.row.lines)
    )


def _is_plain(row: EdgeRow, words: Sequence[Word], text: Sequence[Line], style: Style) -> bool:
    """Return True if words are set as no title is: like the running text, or in another type that is not bold."""
    bold = any(word.font.bold for word in words) and not style.bold
    return _is_usual(words, style) or (not bold and not _is_large(row, style) and _is_foreign(words, text))


def _is_foreign(words: Sequence[Word], text: Sequence[Line]) -> bool:
    """Return True if no word of a row is in a font that the running text of its page is set in."""
    used = Counter(word.font.name for line in text for word in line.words)
    return not any(used[word.font.name] > _RARE * used.total() for word in words)


def _is_small(row: EdgeRow, style: Style) -> bool:
    return _size(row) < _SMALL * style.size


def _is_usual(words: Iterable[Word], style: Style) -> bool:
    """Return True if words are neither larger than the running text nor in bold, as titles are."""
    return all(word.size <= _USUAL * style.size and (style.bold or not word.font.bold) for word in words)


def _is_apart(row: EdgeRow, style: Style) -> bool:
    size = _size(row)
    return row.gap > _APART * (style.pitch if size > 0.95 * style.size else min(style.pitch, _SOLID * size))


def _is_large(row: EdgeRow, style: Style) -> bool:
    return _size(row) > _LARGEST * style.size


def _size(row: EdgeRow) -> float:
    return max(line.size for line in row.lines)
