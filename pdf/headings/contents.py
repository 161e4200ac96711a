"""Contents pages: entries with titles and page numbers, taken out of the text and used as evidence for headings."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from ragraph.pdf.model import Block, Kind, Line, Page, Word, distinct, level_rows
from ragraph.pdf.patterns import (
    AMOUNT,
    CHAPTER,
    CHAPTER_NUMBER,
    CONTENTS_TITLE,
    CURRENCY,
    ENTRY_DECIMAL,
    ENTRY_NUMBERED,
    ENTRY_PAGE,
    ITEM,
    LEADER_TRAIL,
    LEADER_WORD,
    LEADERS,
    PART,
    YEAR,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

_MARGINS = 60.0
"""Points by which left and right pages may differ."""
_SEARCHED = 0.25
"""Share of the pages, from the start, on which contents without dots are looked for."""

_LISTS = ("figure", "table", "box", "chart", "map", "illustration", "plate")
"""What lists of a document other than its contents name, in their titles."""
_TITLE_SIZE = 1.15
"""Minimum size, in that of the first entry with a number, of a title of the page that stands over the entries."""
_ACCOUNTS = 0.3
"""Share of the rows that end in a number, of which as many with several amounts make a page of accounts."""

_FEWEST, _BACK = 8, 0.2
"""Numbers of pages of an index at least, and the share of them that are lower than the one before."""

_ABBREVIATED = 4
"""Letters of a word up to which one dot behind it may be that of an abbreviation ("Inc.")."""


@dataclass
class Entry:
    """A line of a contents page: title, printed page number, and where it stands.

    Attributes:
        title: without dots and number.
        label: the printed page number; None where the entry has none.
        left: left edge, which tells the depth.
        bold: set in bold.
        heads: kind of list it stands in: "contents", "index", or "figures", "tables" ... by the title above.
        block: the entry as a block of the page.
        depth: from 1, by indentation and numbering.
    """

    title: str
    label: str | None
    left: float
    bold: bool
    heads: str
    block: Block
    depth: int = 1


def take_contents(pages: list[Page]) -> list[Entry]:
    """Turn the entries of contents pages into blocks of their own and return them in reading order.

    Args:
        pages: with lines, page furniture taken out; lines and blocks change.
    """
    entries: list[Entry] = []
    heads = "contents"
    going = False
    early = max(12, int(_SEARCHED * len(pages)))
    for index, page in enumerate(pages):
        columns = [level_rows(lines) for lines in _columns(page)]
        rows = [row for column in columns for row in column]
        labels = _labels(columns, early=index < early)
        if _are_accounts(rows, labels):
            going = False
            continue
        count = sum(label is not None for label in labels)
        if count < 0.3 * len(rows) or not _is_contents(rows, count, early=index < early, going=going):
            going = going and count > 0 and len(rows) < 4
            continue
        found, heads = _entries(page, rows, labels, heads if going else "contents", going)
        if _is_index(found):
            for entry in found:
                entry.heads = "index"
        entries += found
        going = True
    _set_depths(entries)
    return entries


def _is_contents(rows: Sequence[list[Line]], count: int, *, early: bool, going: bool) -> bool:
    """Return True if rows, of which so many end in page numbers, are contents: with dots, under a title, or going on.

    Args:
        rows: of a page.
        count: of those with a page number.
        early: the page is one of the first.
        going: the page before has contents.
    """
    titled = any(len(row) == 1 and _heads_list(row) for row in rows[:6])
    dotted = sum(bool(LEADERS.search(_text(row))) for row in rows)
    goes_on = going and count >= max(2, 0.4 * len(rows))
    return dotted >= 4 or goes_on or (titled and (dotted >= 1 or (early and count >= 3)))


def _are_accounts(rows: Sequence[list[Line]], labels: Sequence[Word | None]) -> bool:
    """Return True if numbers at the ends of rows are amounts, not pages: others stand in front of them, or money."""
    found = [row for row, label in zip(rows, labels, strict=True) if label is not None]
    amounts = [row for row in rows if _holds_amounts(row)]
    return len(amounts) >= 3 and len(amounts) >= _ACCOUNTS * max(len(found), 1)


def _holds_amounts(row: Sequence[Line]) -> bool:
    """Return True if a row ends in two amounts or more, apart from each other, or in one of money; years are none."""
    words = [word for line in row for word in line.words if not LEADER_WORD.fullmatch(word.text)]
    amounts: list[Word] = []
    for word in reversed(words):
        if CURRENCY.match(word.text):
            return bool(amounts)
        apart = not amounts or amounts[-1].left - word.right > word.size
        if not AMOUNT.match(word.text) or YEAR.match(word.text) or not apart:
            break
        amounts.append(word)
    signed = any(not word.text.isdigit() and not YEAR.match(word.text[:4]) for word in amounts)
    return signed and 1 < len(amounts) < len(words)


def _is_index(entries: Sequence[Entry]) -> bool:
    """Return True if page numbers go back again and again, as where entries are in the order of the alphabet."""
    pages = [int(entry.label) for entry in entries if entry.label is not None and entry.label.isdecimal()]
    back = sum(one > other for one, other in pairwise(pages))
    return len(pages) >= _FEWEST and back > _BACK * len(pages)


def _columns(page: Page) -> list[list[Line]]:
    """Return the lines of a page, or those of each column where entries stand in two: both end in page numbers."""
    ends = [line for line in page.lines if ENTRY_PAGE.match(LEADER_TRAIL.sub("", line.words[-1].text).lstrip(".·…_"))]
    middle = page.width / 2
    left = [line for line in page.lines if line.right < middle + 0.02 * page.width]
    right = [line for line in page.lines if line.left > middle - 0.02 * page.width]
    over = len(page.lines) - len(left) - len(right)
    beside = [sum(line in ends and line.length > 6 for line in side) for side in (left, right)]
    if min(beside) < 4 or over > 0.15 * len(page.lines):
        return [page.lines]
    top = min(line.top for line in right)
    heads = [line for line in page.lines if line not in left and line not in right]
    upper = [line for line in heads if line.top < top]
    return [[*upper, *left], [*right, *(line for line in heads if line not in upper)]]


def _text(row: list[Line]) -> str:
    return " ".join(line.text for line in row)


def _number_edge(rows: list[list[Line]]) -> float | None:
    """Return the right edge at which most numbers of the page end."""
    edges: Counter[int] = Counter()
    for row in rows:
        word = row[-1].words[-1]
        if ENTRY_PAGE.match(word.text.strip(".")):
            edges[round(word.right / 4)] += 1
    if not edges:
        return None
    place, count = edges.most_common(1)[0]
    return 4.0 * place if count >= 3 else None


def _label_of(row: list[Line], edge: float | None, early: bool) -> Word | None:
    """Return the page number that ends a row of a contents page."""
    words = [word for line in row for word in line.words]
    last = words[-1]
    text = LEADER_TRAIL.sub("", last.text)
    if len(words) < 2 or not ENTRY_PAGE.match(text.lstrip(".·…_")):
        return None
    if LEADERS.search(_text(row)):
        return last
    if edge is None or not early or abs(last.right - edge) > 7:
        return None
    aligned = abs(last.right - edge) < 2.5 and text.isdecimal() and len(words) > 2
    return last if aligned or last.left - words[-2].right > 1.2 * last.size or len(row) > 1 else None


def _labels(columns: Sequence[list[list[Line]]], *, early: bool) -> list[Word | None]:
    """Return the page number of each row, at its end or, on one of the first pages, in front."""
    labels = [_label_of(row, edge, early) for rows in columns for edge in [_number_edge(rows)] for row in rows]
    if early and sum(label is not None for label in labels) < 3:
        return _leading_labels([row for rows in columns for row in rows]) or labels
    return labels


def _leading_labels(rows: list[list[Line]]) -> list[Word | None] | None:
    """Return the page numbers of contents that set them in front of the titles; None if there are none.

    Numbers that count 1, 2, 3 are those of chapters.
    """
    labels = [
        row[0].words[0] if len(row) > 1 and len(row[0].words) == 1 and row[0].text.isdecimal() else None for row in rows
    ]
    values = [int(label.text) for label in labels if label is not None]
    rising = all(one <= other for one, other in pairwise(values))
    if len(values) < 4 or not rising or values[-1] - values[0] <= len(values):
        return None
    return labels


def _entries(
    page: Page, rows: list[list[Line]], labels: list[Word | None], heads: str, going: bool
) -> tuple[list[Entry], str]:
    """Cut the rows of a contents page into entries; titles of lists stay lines of the page."""
    entries: list[Entry] = []
    kept: list[Line] = []
    pending: list[list[Line]] = []
    size = next(row[0].size for row, label in zip(rows, labels, strict=True) if label is not None)
    for at, (row, label) in enumerate(zip(rows, labels, strict=True)):
        if label is None and (_is_dotted(row) or _heads_list(row)):
            if not _is_dotted(row):
                kept += chain(*pending)
                pending, heads = [], _listed_under(_text(row))
            kept += row
            continue
        if label is None and not (entries or pending or going) and (_is_title(row, size) or not kept):
            kept += row
            continue
        if pending and _ends(pending[-1], row, label, inside=any(labels[at:])):
            entries.append(_entry(page, pending, None, heads))
            pending = []
        pending.append(row)
        if label is not None:
            entries.append(_entry(page, pending, label, heads))
            pending = []
    if 0 < len(pending) <= 2 and pending[-1][-1].bottom > 0.75 * page.height:
        entries.append(_entry(page, pending, None, heads))
    else:
        kept += chain(*pending)  # what follows the last entry in mid-page is no part of the contents
    page.lines = sorted(kept, key=lambda line: (line.top, line.left))
    page.blocks += [entry.block for entry in entries]
    return entries, heads


def _is_dotted(row: Sequence[Line]) -> bool:
    """Return True if a row is a rule made of dots."""
    return all(LEADER_WORD.fullmatch(word.text) for line in row for word in line.words)


def _heads_list(row: list[Line]) -> bool:
    return row[0].length < 60 and bool(CONTENTS_TITLE.match(_text(row)))


def _listed_under(title: str) -> str:
    """Return the kind of list that has a title."""
    named = [name for name in _LISTS if name in title.lower()]
    return named[0] if named and "content" not in title.lower() else "contents"


def _is_title(row: list[Line], size: float) -> bool:
    """Return True if a row is set larger than the entries and names neither a chapter nor a part."""
    return row[0].size > _TITLE_SIZE * size and not CHAPTER.match(_text(row)) and not PART.match(_text(row))


def _ends(upper: list[Line], row: list[Line], label: Word | None, *, inside: bool) -> bool:
    """Return True if a title without a number ends with a row, and another entry begins with the next.

    Args:
        upper: the row.
        row: the next one.
        label: the page number of that.
        inside: whether a row with a number follows it.
    """
    if label is not None:
        return not _wraps(upper, row)
    return inside and row[0].top - upper[0].bottom > 1.2 * row[0].size


def _wraps(upper: list[Line], row: list[Line]) -> bool:
    """Return True if a title that began in the row above goes on in this one."""
    near = row[0].top - upper[-1].bottom < 0.9 * row[0].size
    alike = abs(row[0].size - upper[0].size) < 0.6 and row[0].words[0].font.bold == upper[0].words[0].font.bold
    numbered = ENTRY_NUMBERED.match(_text(row))
    return near and alike and not numbered and row[0].left >= upper[0].left - 2


def _entry(page: Page, rows: list[list[Line]], label: Word | None, heads: str) -> Entry:
    lines = [line for row in rows for line in row]
    words: list[Word] = []
    out: list[Line] = []
    for line in lines:
        kept = [word for word in line.words if word is not label and not LEADER_WORD.fullmatch(word.text)]
        words += kept
        if kept:
            out.append(Line(kept))
    text = " ".join(line.text for line in out)
    _drop_dots(words, label, led=len(words) + (label is not None) < sum(len(line.words) for line in lines))
    title = LEADER_TRAIL.sub("", LEADERS.split(text)[0] if LEADERS.search(text) else text)
    block = Block(page.number, [*out, *([Line([label])] if label is not None else [])], Kind.CONTENTS)
    number = None if label is None else LEADER_TRAIL.sub("", label.text).lstrip(".·…_")
    first = rows[0][0]
    return Entry(title, number, first.left, first.words[0].font.bold, heads, block)


def _drop_dots(words: Sequence[Word], label: Word | None, *, led: bool) -> None:
    """Take the dots off that lead from the last word of an entry to its page; one alone is a full stop if none follow.

    Args:
        words: of the entry; the last one changes.
        label: the page.
        led: more dots stand between them.
    """
    if label is None or not words:
        return
    led |= label.text[0] in ".·…_"
    label.text = label.text.lstrip(".·…_")
    text = LEADER_TRAIL.sub("", words[-1].text)
    if (led and len(text) > _ABBREVIATED) or words[-1].text[len(text) + 1 :]:
        words[-1].text = text or words[-1].text


def _align_numbers(entries: list[Entry]) -> None:
    """Let entries begin at their titles where the numbers in front of them are set flush right."""
    numbered = []
    for entry in entries:
        words = [word for line in entry.block.lines for word in line.words]
        if len(words) > 1 and CHAPTER_NUMBER.match(words[0].text):
            numbered.append((entry, words[1].left))
    if len(numbered) < 4:
        return
    starts = {round(entry.left / 4) for entry, _ in numbered}
    titles = Counter(round(left / 4) for _, left in numbered)
    if titles.most_common(1)[0][1] >= 0.8 * len(numbered) and len(starts) > len(titles):
        for entry, left in numbered:
            entry.left = left


def _set_depths(entries: list[Entry]) -> None:
    """Set the depth of every entry: the number's if numbers are decimal, else that of the indentation."""
    contents = [entry for entry in entries if entry.heads == "contents"]
    _align_numbers(contents)
    _align_pages(contents)
    keys = _places(contents)
    ranks = {key: rank + 1 for rank, key in enumerate(sorted(set(keys)))}
    numbers = {id(entry): len(match[1].split(".")) for entry in contents if (match := ENTRY_DECIMAL.match(entry.title))}
    decimal = any(depth > 1 for depth in numbers.values())
    over = sum(bool(PART.match(entry.title)) for entry in contents) > 1
    top = min((ranks[key] for key in keys), default=1)
    for entry, key in zip(contents, keys, strict=True):
        entry.depth = ranks[key] - top + 1
        if decimal and id(entry) in numbers:
            # Decimal numbers tell the depth, whatever the indents of chapters, sections and pages; parts stand above.
            entry.depth = numbers[id(entry)] + over
    if not decimal:
        _set_below_parts(contents)


def _places(contents: Sequence[Entry]) -> list[tuple[int, int, bool]]:
    """Return how each entry is set, in the order of depth: by its left edge, bold ones first.

    Where chapters are titles in the middle of the page, what follows with page numbers is within them.
    """
    edges = distinct((entry.left for entry in contents), 5)
    place = [max(index for index, edge in enumerate(edges) if entry.left >= edge - 0.01) for entry in contents]
    chapters = [bool(CHAPTER.match(entry.title)) for entry in contents]
    bare = sum(entry.label is None for entry, chapter in zip(contents, chapters, strict=True) if chapter)
    if sum(chapters) < 3 or bare <= 0.7 * sum(chapters):
        return [(0, at, not entry.bold) for at, entry in zip(place, contents, strict=True)]
    first = chapters.index(True)
    found = []
    for number, entry in enumerate(contents):
        rank = -1 if PART.match(entry.title) else int(number > first and not chapters[number])
        found.append((rank, place[number] if rank == 1 else 0, False))
    return found


def _set_below_parts(entries: Sequence[Entry]) -> None:
    """Put parts above the items that follow them, whatever the indents: parts are often set in the middle."""
    parts = [entry for entry in entries if PART.match(entry.title)]
    items = [entry for entry in entries if ITEM.match(entry.title)]
    if len(parts) < 2 or len(items) < len(parts) or entries.index(parts[0]) > entries.index(items[-1]):
        return
    shift = 2 - min(entry.depth for entry in items)
    for entry in entries:
        entry.depth = max(entry.depth + shift, 2)
    for entry in parts:
        entry.depth = 1


def _align_pages(entries: list[Entry]) -> None:
    """Count left edges from the edge at which the page numbers end: margins change from page to page."""
    edges: dict[int, Counter[int]] = {}
    for entry in entries:
        if entry.label is not None:
            edges.setdefault(entry.block.page, Counter())[round(entry.block.lines[-1].right)] += 1
    places = {page: counter.most_common(1)[0][0] for page, counter in edges.items() if max(counter.values()) >= 3}
    if not places:
        return
    first = places[min(places)]
    for entry in entries:
        shift = places.get(entry.block.page, first) - first
        # Columns of one page are no margins.
        if abs(shift) < _MARGINS:
            entry.left -= shift
