"""Running heads, running feet and page numbers: found over the whole document, taken out of the body.

A row at the edge of a page is furniture if it comes back: the same words (numbers apart) on other pages near
the same height, or a number that counts with the pages, or the place itself, where most pages have a row that
stands apart from the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from ragraph.pdf.furniture.alone import FEW, lone_furniture
from ragraph.pdf.furniture.browsers import browser_rows
from ragraph.pdf.furniture.features import NAMES, height_of, measure
from ragraph.pdf.furniture.pagenumbers import is_label, number_value, page_numbers
from ragraph.pdf.model import Block, Box, Kind, Line, Page, Style, Word, around, shared_height
from ragraph.pdf.patterns import COUNTING, LABEL_WORD, NUMBER_AT_ENDS, THREE_LETTERS
from ragraph.pdf.trees import read_trees

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

    from ragraph.pdf.furniture.features import Row

_DEPTH = 4
"""Rows from the edge that may be furniture."""
_ZONE = 0.17
"""Share of the page's height, at top and bottom, in which furniture stands."""
_REACH = 40
"""Pages on either side on which words that come back vouch for a row."""
_OPENS = 1.15
"""Size of type, against the running text, from which the word of a label alone opens a chapter."""
_DISPLAY = 1.25
"""Size of type, against the running text, in which running heads are hardly ever set."""
_WITHIN = 3
"""Minimum number of times that words of a row stand within pages, so that they are no running head."""
DOUBTED, _CLEAR, _BESIDE = -1.0, -2.0, -3.5
"""Mean log-odds up to which rows that the rules take for furniture stay in the text; those of which each comes back
throughout; and what stands beside the number of the page and on no other page (docs/decisions/0031)."""
_SERIES = 3
"""Pages at least on which it comes back if it does so throughout."""
_LONGEST = 60
"""Minimum number of letters of a line that is asked about by itself: text may end on the row of a running foot."""
_OFF, _AT = 6.0, 3.0
"""Points by which the same words stand higher or lower on other pages; and what stands at the same place."""
_CLOSE = 0.6
"""Room between lines that stand together at most, per point of size."""
_COPIED, _LINES = 0.7, 5
"""Share of the lines of a page that another has, too, if it is a copy of it: names and dates are filled in; and lines
that a page has at least, since a head and a foot alone are on every empty page."""
_ELSEWHERE = 0.5
"""Share of the pages of rows that count on which that number, or another, is that of the page, if it is on the rest."""
_THROUGHOUT = 0.4
"""Share of the pages on which they come back if they are: titles come back on the slides of one part."""


@dataclass
class _Row:
    """Lines side by side at the edge of a page; a number under the last line of a short page is not ``inside``."""

    page: Page
    lines: list[Line]
    box: Box
    gap: float
    rank: int
    upper: bool
    inside: bool = True

    key: str = ""
    alike: str = ""
    words: str = ""

    def __post_init__(self) -> None:
        text = " ".join(line.text for line in self.lines)
        # The words of the row with numbers replaced, and without a page number at its start or end.
        self.key = COUNTING.sub("#", text.lower())
        self.alike = _without_signs(self.key)
        self.words = _without_signs(NUMBER_AT_ENDS.sub("", text))


class Ruled(NamedTuple):
    """What the rules say of the rows at the edges of pages, by ``id`` of the row.

    Attributes:
        rows: all of them.
        known: those that are furniture.
        numbers: line and words of the number of the page.
        printed: those that a browser set.
    """

    rows: list[_Row]
    known: set[int]
    numbers: dict[int, tuple[Line, list[Word]]]
    printed: set[int]


_EDGE = 0.1
"""Share of the width of a page, on either side, that is its margin."""


def take_furniture(pages: list[Page], style: Style, sheets: Sequence[Page] = ()) -> None:
    """Move furniture from the lines of each page to its ``furniture``, page numbers as blocks of their own.

    Args:
        pages: all pages, with lines; they change.
        style: the running style of the document.
        sheets: what stands level on the sheets of pages that are read from their side; they change likewise.
    """
    ruled = edge_furniture(pages, style, sheets)
    chosen: dict[int, list[_Row]] = defaultdict(list)
    for row in undoubted(ruled, pages, style):
        chosen[id(row.page)].append(row)
    for page in (*pages, *sheets):
        _take(page, chosen.get(id(page), []), ruled.numbers)


def undoubted(ruled: Ruled, pages: Sequence[Page], style: Style) -> list[_Row]:
    """Return the rows that the rules take for furniture and the learnt weights do not doubt, with the lines that are.

    Args:
        ruled: what the rules say; its rows change.
        pages: all pages, with lines.
        style: the running style of the document.
    """
    asked = ruled.known - ruled.printed
    measured, values = measure(ruled.rows, pages, style, asked)
    odds = read_trees(__package__, "weights.npz", NAMES).log_odds(values)
    for (row, _), value in zip(measured, odds, strict=True):
        row.page.edges.append(float(value))
    text = doubted_lines(ruled, len(pages), measured, odds)
    found = []
    for row in ruled.rows:
        for line in row.lines:
            line.rescued = id(line) in text
        row.lines = [line for line in row.lines if not line.rescued]
        if id(row) in ruled.known and row.lines:
            found.append(row)
    return found


def doubted_lines(ruled: Ruled, pages: int, measured: Sequence[tuple[Row, Line]], odds: NDArray[Any]) -> set[int]:
    """Return the ``id`` of the lines that the rules take for furniture and learnt weights doubt.

    What belongs together is doubted by the mean of its letters, as a whole or not at all; a long line by itself. Not
    asked about are numbers of pages that stand by themselves and what a browser set, which the weights know little of;
    what stands beside a number goes with it, but for what may be a note beside its mark.

    Args:
        ruled: what the rules say.
        pages: how many there are.
        measured: lines with their row; those of rows that are not asked about are left aside.
        odds: what the weights say of each, in log-odds.
    """
    asked = ruled.known - ruled.printed
    of_row: dict[int, list[tuple[int, float]]] = defaultdict(list)
    text: set[int] = set()
    for (row, line), value in zip(measured, odds, strict=True):
        if id(row) not in asked:
            continue
        if line.length > _LONGEST and value <= DOUBTED:
            text.add(id(line))
        else:
            of_row[id(row)].append((line.length, float(value)))
    rows = [row for row in ruled.rows if id(row) in asked]
    on = _pages_on(rows)
    for group in _together(rows, on):
        mean = _mean([one for row in group for one in of_row[id(row)]])
        least = min(len(on[row.upper, row.alike]) for row in group)
        if mean > (_CLEAR if least >= max(_THROUGHOUT * pages, _SERIES) else DOUBTED):
            continue
        for row in group:
            beside = has_number(row, ruled.numbers)
            if not beside or (mean <= _BESIDE and len(on[row.upper, row.alike]) == 1):
                text |= {id(line) for line in row.lines if not has_number(row, ruled.numbers, line)}
    return text


def _mean(lines: Sequence[tuple[int, float]]) -> float:
    """Return the mean log-odds of lines, each with its number of letters."""
    return sum(letters * value for letters, value in lines) / max(sum(letters for letters, _ in lines), 1)


def has_number(row: _Row, numbers: dict[int, tuple[Line, list[Word]]], piece: Line | None = None) -> bool:
    """Return True if the number of the page stands in a row in a piece of its own, which is ``piece`` if that is given.

    Args:
        row: at the edge of a page.
        numbers: line and words of the number of the page, by ``id`` of the row.
        piece: one of the lines of the row.
    """
    line, words = numbers.get(id(row), (None, []))
    return line is not None and len(words) == len(line.words) and (piece is None or piece is line)


def _pages_on(rows: Sequence[_Row]) -> dict[tuple[bool, str], set[int]]:
    """Return the pages on which the words of rows come back, by side and words."""
    on: dict[tuple[bool, str], set[int]] = defaultdict(set)
    for row in rows:
        on[row.upper, row.alike].add(row.page.number)
    return on


def _together(rows: Sequence[_Row], on: Mapping[tuple[bool, str], set[int]]) -> list[list[_Row]]:
    """Return rows in groups of what belongs together on the pages of a document.

    That is: the same words near the same height; one line each, set alike, that begins at the same place; and rows
    close to each other whose words come back on the same pages, as the lines of a letterhead do.

    Args:
        rows: at the edges of pages.
        on: the pages on which the words of each come back.
    """
    parent = {id(row): id(row) for row in rows}

    def root(key: int) -> int:
        while parent[key] != key:
            parent[key] = key = parent[parent[key]]
        return key

    series: dict[tuple[bool, str], list[_Row]] = defaultdict(list)
    places: dict[tuple[bool, int, int], list[_Row]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: row.box.top):
        series[row.upper, row.alike].append(row)
        if len(row.lines) == 1:
            places[row.upper, round(row.box.left), round(2 * row.lines[0].size)].append(row)
    for off, members in (*((_OFF, these) for these in series.values()), *((_AT, these) for these in places.values())):
        for before, row in pairwise(members):
            if row.box.top - before.box.top < off:
                parent[root(id(row))] = root(id(before))
    number: dict[frozenset[int], int] = {}  # of the same pages; comparing them row by row grows with their square
    same = {words: number.setdefault(frozenset(pages), len(number)) for words, pages in on.items()}
    ranked = {(id(row.page), row.upper, row.rank): row for row in rows}
    for row in rows:
        outer = ranked.get((id(row.page), row.upper, row.rank - 1))
        if outer is not None and same[row.upper, row.alike] == same[row.upper, outer.alike] and _is_close(row, outer):
            parent[root(id(row))] = root(id(outer))
    groups: dict[int, list[_Row]] = defaultdict(list)
    for row in rows:
        groups[root(id(row))].append(row)
    return list(groups.values())


def _is_close(row: _Row, outer: _Row) -> bool:
    """Return True if a row stands as close to the one outwards of it as lines of one text do."""
    apart = row.box.top - outer.box.bottom if row.upper else outer.box.top - row.box.bottom
    return apart < _CLOSE * row.lines[0].size


def edge_furniture(pages: Sequence[Page], style: Style, sheets: Sequence[Page] = ()) -> Ruled:
    """Return the rows at the edges of pages, and what the rules take for furniture.

    Args:
        pages: all pages, with lines.
        style: the running style of the document.
        sheets: what stands level on the sheets of pages that are read from their side.
    """
    outer = [row for page in (*pages, *sheets) for upper in (True, False) for row in _edge_rows(page, upper)]
    titles = _titles(outer, len(pages), style)
    rows = [row for row in outer if id(row) not in titles]
    printed, numbers = browser_rows(rows)
    counting = page_numbers(rows) | numbers
    lone, lone_numbers = lone_furniture(outer, pages, style, counting)
    counting |= lone_numbers
    rows = [row for row in outer if id(row) in lone or (id(row) not in titles and (row.inside or id(row) in counting))]
    repeated = _repeated(rows, pages) - _within(rows, pages)
    slots = _slots(rows, pages, style, repeated | set(counting))
    known = set()
    for row in rows:
        if LABEL_WORD.match(row.words) and row.lines[0].size > _OPENS * style.size:
            continue  # the word over the number of a chapter, which comes back with each
        far = row.gap > 1.25 * style.pitch
        if id(row) in repeated | printed | lone or (id(row) in slots and far) or id(row) in counting:
            known.add(id(row))
    return Ruled(outer, known, counting, printed)


def take_sideways(pages: list[Page]) -> None:
    """Make blocks of words set sideways: furniture where they come back on other pages."""
    for page in pages:
        _take_sideways(page)
    _repeat_sideways(pages)


def _edge_rows(page: Page, upper: bool) -> list[_Row]:
    """Return the outermost rows of a page, from the edge inwards."""
    ordered = sorted(page.lines, key=lambda line: line.top if upper else -line.bottom)
    rows: list[list[Line]] = []
    for line in ordered[:60]:
        for row in rows[-2:]:
            if shared_height(line, row[0]) > 0.4 * min(line.height, row[0].height):
                row.append(line)
                break
        else:
            rows.append([line])
        if len(rows) > _DEPTH + 1:
            break
    found = []
    for rank, lines in enumerate(rows[:_DEPTH]):
        box = around(lines)
        inside = box.bottom < _ZONE * page.height if upper else box.top > (1 - _ZONE) * page.height
        if not inside and (upper or not any(is_label(line.text, said=len(lines) > 1) for line in lines)):
            break
        following = around(rows[rank + 1]) if rank + 1 < len(rows) else None
        gap = page.height if following is None else abs(following.bottom - box.bottom)
        found.append(_Row(page, sorted(lines, key=lambda line: line.left), box, gap, rank, upper, inside))
        if not inside:
            break
    return found


def _titles(rows: list[_Row], page_count: int, style: Style) -> set[int]:
    """Return the rows at the top that are set larger than running heads are, and do not come back throughout.

    Slides of one part bear the same title, and a number in front of a title counts with the pages, too: "Record 1" to
    "Record 9" are titles, though each page has one, where the page bears its number elsewhere.
    """
    found: dict[str, list[_Row]] = defaultdict(list)
    for row in rows:
        if row.upper:
            found[row.alike].append(row)
    on = {alike: len({row.page.number for row in members}) for alike, members in found.items()}
    seldom = {alike for alike in found if on[alike] < max(_THROUGHOUT * page_count, 2)}
    counted = {
        alike
        for alike, members in found.items()
        if alike not in seldom and "#" in alike and len({_without_number(row) for row in members}) == on[alike]
    }
    numbered = _pages_numbered(rows, counted) if counted else set()
    seldom |= {alike for alike in counted if _counts_titles(found[alike], numbered)}
    rare = [row for row in rows if row.upper and row.alike in seldom]
    return {id(row) for row in rare if _is_worded(row, _DISPLAY * style.size)}


def _is_worded(row: _Row, size: float) -> bool:
    """Return True if a line of a row is set larger than ``size``, and has letters beside each other."""
    return any(line.size > size and THREE_LETTERS.search(line.text) for line in row.lines)


def _counts_titles(rows: Sequence[_Row], numbered: AbstractSet[int]) -> bool:
    """Return True if the numbers of rows are those of titles: most pages are ``numbered`` elsewhere, or count on."""
    beside = sum(row.page.number in numbered or any(is_label(line.text) for line in row.lines) for row in rows)
    return beside >= _ELSEWHERE * len(rows) or not _counts_with_pages(rows)


def _pages_numbered(rows: Sequence[_Row], counted: AbstractSet[str]) -> set[int]:
    """Return the pages whose number stands in another row than those whose words, at the top, are ``counted``."""
    rest = [row for row in rows if not (row.upper and row.alike in counted)]
    numbers = page_numbers(rest)
    return {row.page.number for row in rest if id(row) in numbers}


def _counts_with_pages(rows: Sequence[_Row]) -> bool:
    """Return True if rows bear a number that is that of their page, or as far from it on most of them."""
    off: Counter[int] = Counter()
    for row in rows:
        values = (number_value(number) for number in COUNTING.findall(_without_number(row).lower()))
        off.update({value[1] - row.page.number for value in values if value is not None})
    return max(off.values(), default=0) >= _ELSEWHERE * len(rows)


def _without_number(row: _Row) -> str:
    """Return the text of a row without what says that it is the number of the page, or of a slide beside its title."""
    return " ".join(line.text for line in row.lines if not is_label(line.text))


def _repeated(rows: list[_Row], pages: Sequence[Page]) -> set[int]:
    """Return the rows whose words come back near the same height on other pages, copies of one page counted once."""
    groups: dict[tuple[bool, str], list[_Row]] = defaultdict(list)
    for row in rows:
        if any(character.isalnum() for character in row.key) or "#" in row.key:
            groups[row.upper, row.alike].append(row)
    copied = _copies(pages)
    found: set[int] = set()
    for members in groups.values():
        alike = Counter(row.words for row in members)
        key = members[0].key
        if key.strip("# .-") == "" and len(key) > 12:
            continue
        members.sort(key=lambda row: row.page.number)
        numbers = [row.page.number for row in members]
        for row in members:
            # "Chapter I", "Chapter II": alike but for the number, and never twice the same, is a row of headings.
            if alike[row.words] == 1:
                continue
            first = bisect_left(numbers, row.page.number - _REACH)
            last = bisect_right(numbers, row.page.number + _REACH)
            near = {
                copied.get(other.page.number, other.page.number)
                for other in members[first:last]
                if abs(other.box.top - row.box.top) < _OFF
            }
            if len(near) >= (3 if len(pages) > 4 else 2):
                found.add(id(row))
    return found


def _copies(pages: Sequence[Page]) -> dict[int, int]:
    """Return the pages of a short document that say what an earlier one says, with the number of the first of them.

    Of a slip in two copies all words come back, and none is furniture for that.
    """
    if len(pages) > FEW:
        return {}
    said = {page.number: Counter(line.text.lower() for line in page.lines) for page in pages}
    found: dict[int, int] = {}
    for page, earlier in ((page, other) for page in pages for other in pages if other.number < page.number):
        one, other = said[page.number], said[earlier.number]
        if min(one.total(), other.total()) >= _LINES and (one & other).total() > _COPIED * max(
            one.total(), other.total()
        ):
            found.setdefault(page.number, found.get(earlier.number, earlier.number))
    return found


def _within(rows: list[_Row], pages: Sequence[Page]) -> set[int]:
    """Return the rows whose words stand within other pages, too, set alike: the titles of parts that come back."""
    edge = {id(line) for row in rows for line in row.lines}
    inner = Counter(_look(line) for page in pages for line in page.lines if id(line) not in edge)
    return {id(row) for row in rows if len(row.lines) == 1 and inner[_look(row.lines[0])] >= _WITHIN}


def _look(line: Line) -> tuple[str, int]:
    return line.text.lower(), round(line.size)


def _without_signs(text: str) -> str:
    """Return a text without the signs between its words: "Part 2 (draft-3)" may be set "Part 2 (draft 3)", too."""
    return re.sub(r"[^\w#]+", " ", text).strip() if THREE_LETTERS.search(text) else text.strip()


def _slots(rows: list[_Row], pages: Sequence[Page], style: Style, known: set[int]) -> set[int]:
    """Return the outermost rows at the height where most pages have a row apart from the text.

    The place is believed only if a good part of its rows are ``known`` as furniture for what they say: on slides,
    titles stand at one height too.
    """
    found: set[int] = set()
    for upper, rank in ((True, 0), (True, 1), (False, 0)):
        edge = [row for row in rows if row.upper is upper and row.rank == rank and row.gap > 1.25 * style.pitch]
        heights = Counter(height_of(row) for row in edge)
        place = heights.most_common(1)[0][0] if heights else 0
        placed = [row for row in edge if abs(height_of(row) - place) <= 1]
        told = _told(placed, known)
        if len(pages) < 4 or len(placed) / len(pages) < 0.4 or len(told) < 0.25 * len(placed):
            continue
        types = {_type(row) for row in told}
        found |= {id(row) for row in placed if _is_short(row) and not _is_display(row, style) and _type(row) in types}
    return found


def _told(placed: Sequence[_Row], known: set[int]) -> list[_Row]:
    """Return the rows at one height that are known as furniture, or that say what many others there say."""
    said = Counter(part for row in placed for part in {_said(line) for line in row.lines})
    often = {part for part, times in said.items() if times >= max(_THROUGHOUT * len(placed), _SERIES)}
    return [row for row in placed if id(row) in known or any(_said(line) in often for line in row.lines)]


def _is_short(row: _Row) -> bool:
    return sum(line.length for line in row.lines) < 140 and not row.lines[0].words[0].raised


def _said(line: Line) -> str:
    return _without_signs(line.text.lower())


def _type(row: _Row) -> tuple[int, bool]:
    """Return the size of a row in half points, and whether it is bold."""
    line = max(row.lines, key=lambda line: line.length)
    return round(2 * line.size), line.bold > 0.5  # fmt: skip


def _is_display(row: _Row, style: Style) -> bool:
    """Return True if a row is set larger than running heads are: then it opens a chapter."""
    return max(line.size for line in row.lines) > _DISPLAY * style.size


def _take(page: Page, rows: list[_Row], counting: dict[int, tuple[Line, list[Word]]]) -> None:
    taken: set[int] = set()
    for row in sorted(rows, key=lambda row: row.box.top):
        kind = Kind.HEADER if row.upper else Kind.FOOTER
        number = counting.get(id(row))
        for line in row.lines:
            taken.add(id(line))
            if number is None or number[0] is not line:
                page.furniture.append(Block(page.number, [line], kind, group=kind.value))
                continue
            words = number[1]
            page.furniture.append(Block(page.number, [Line(words)], Kind.PAGE_NUMBER, group=kind.value))
            rest = [word for word in line.words if all(word is not other for other in words)]
            if rest:
                page.furniture.append(Block(page.number, [Line(rest)], kind, group=kind.value))
    page.lines = [line for line in page.lines if id(line) not in taken]


def _take_sideways(page: Page) -> None:
    """Turn words set sideways into one block at the margin, as they are read when the page is turned."""
    if not page.sideways:
        return
    words = page.sideways
    page.furniture.append(Block(page.number, [Line(words)], Kind.SIDE))


def _repeat_sideways(pages: list[Page]) -> None:
    """Sideways text that comes back on other pages is furniture; other sideways text belongs to the body."""
    sideways = [block for page in pages for block in page.furniture if block.kind is Kind.SIDE]
    counts = Counter(block.text for block in sideways)
    by_page = {page.number: page for page in pages}
    for block in sideways:
        page = by_page[block.page]
        if counts[block.text] > 1:
            block.kind, block.group = Kind.HEADER, Kind.HEADER.value
        else:
            page.furniture = [other for other in page.furniture if other is not block]
            # A stamp along the edge of a page that is read upright is no part of its text, and never its title.
            edge = block.right < _EDGE * page.width or block.left > (1 - _EDGE) * page.width
            block.kind = Kind.SIDE if edge and page.words else Kind.TEXT
            page.blocks.append(block)
