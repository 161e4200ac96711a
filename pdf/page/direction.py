"""Pages that are read from right to left, or from top to bottom: turned so that they are read like others.

Everything behind works on lines that run from left to right under each other. So a page of Hebrew or Arabic is turned
round, as in a mirror, and its words are set in the order in which they are read; a page of Chinese or Japanese in
columns is laid on its side. ``Page.turn`` leads back to the places in the file.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from ragraph.pdf.model import Box, Grid, Turn, Word, around, in_runs
from ragraph.pdf.page.bidi import Item, drawn_as_read, in_reading_order, plain_forms
from ragraph.pdf.page.lines import gutter, over_gutter, rows
from ragraph.pdf.page.turning import moved_word, turn_page
from ragraph.pdf.page.vertical import is_vertical, lay_down
from ragraph.pdf.patterns import RIGHT_TO_LEFT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ragraph.pdf.model import Letter, Page

_APART = 1.5
"""A gap of so many sizes of type parts a row: what stands on both sides is read by itself."""
_BLANK = 0.18
"""A gap of this share of the size of type between two letters is a blank."""
_SQUARE = 0.8
"""The same beside a letter without room of its own: the room that it lost."""
_NO_ROOM = 0.1
"""Points: a letter that is not wider shares the place of another, or lost its own to a vowel."""
_LIGATURE = 6
"""Characters of a ligature with its vowels, at most."""
_NEAR = 12.0
"""Points from the letter before it within which a letter without room of its own stands."""


class _Segment(NamedTuple):
    """What stands side by side in a row: letters with the words they are of, by place, and blanks between."""

    items: list[Item]
    words: list[Word | None]


def set_direction(pages: Sequence[Page]) -> None:
    """Turn pages that are read from the right or from the top, and set words from the right in their order.

    Args:
        pages: all of a document, with words and what is stated; those set upright by OCR stay as they are.
    """
    ready = [page for page in pages if not page.failed and page.turn is None]
    right = sum(_right_letters(page) for page in ready)
    mostly = 2 * right > sum(len(word.text) for page in ready for word in page.words)
    for page in ready:
        if is_vertical(page):
            lay_down(page)
        elif page.letters and (here := _right_letters(page)):
            _from_right(page, mostly or 2 * here > sum(_strong(word.text) for word in page.words))
        page.letters = []


def _right_letters(page: Page) -> int:
    return sum(len(RIGHT_TO_LEFT.findall(word.text)) for word in page.words)


def _strong(text: str) -> int:
    return sum(map(str.isalpha, text))


def _from_right(page: Page, whole: bool) -> None:
    """Set the words of a page with letters from the right in the order in which they are read.

    Args:
        page: with letters; its words change.
        whole: whether the page runs from right to left as a whole; then it is turned round.
    """
    segments = list(_segments(page))
    turned = [segment for segment in segments if any(RIGHT_TO_LEFT.search(item.text) for item in segment.items)]
    swap = not drawn_as_read([segment.items for segment in turned])
    now: dict[int, list[Word]] = {}
    words: list[Word] = []
    for segment in segments:
        spelt = {id(word): word.text for word in segment.words if word is not None and _strong(word.text)}.values()
        marked = [bool(RIGHT_TO_LEFT.search(text)) for text in spelt]
        base = whole or 2 * sum(marked) > len(marked)
        mirror = page.width if whole else segment.items[0].left + segment.items[-1].right
        for word, origins in _words(segment, base, mirror, swap):
            words.append(word)
            for origin in origins:
                now.setdefault(id(origin), []).append(word)
    page.words, page.directed = words, True
    if whole:
        turn_page(page, Turn(page.width, page.height, (-1, 0, page.width, 0, 1, 0)))
    page.regions = [
        replace(region, grid=_grid(region.grid, now)) if region.grid is not None else region for region in page.regions
    ]


def _segments(page: Page) -> Iterable[_Segment]:
    """Give the letters of the words of a page, row by row, from left to right."""
    by_word = _letters_of(page)
    blanks = [letter for letter in page.letters if letter.text.isspace()]
    middle = gutter(page)
    for row in rows(page, middle):
        for part in in_runs(row, lambda part, word: _is_beside(part[-1], word, middle)):
            yield _segment(part, by_word, blanks)


def _is_beside(last: Word, word: Word, middle: float | None) -> bool:
    return word.left - last.right < _APART * max(word.size, last.size) and not over_gutter(last, word, middle)


def _segment(words: list[Word], by_word: dict[int, list[Letter]], blanks: list[Letter]) -> _Segment:
    """Return the letters of words by place; between them the blanks of the file, and gaps."""
    placed: list[tuple[Item, Word | None]] = []
    place = around(words)
    placed += [
        (Item(" ", blank.left, blank.right), None)
        for blank in blanks
        if place.top < (blank.top + blank.bottom) / 2 < place.bottom and place.left < blank.left < place.right
    ]
    latin = not any(RIGHT_TO_LEFT.search(word.text) for word in words) and any(_strong(word.text) for word in words)
    lacking = Counter("".join(word.text for word in words))
    lacking -= Counter("".join(letter.text for word in words for letter in by_word.get(id(word), ())))
    for word in words:
        letters = [] if latin else by_word.get(id(word), [])
        placed += [(Item(letter.text, letter.left, letter.right), word) for letter in letters]
        if not letters and (latin or not Counter(word.text) - lacking):
            placed.append((Item(word.text, word.left, word.right), word))
    placed.sort(key=lambda pair: pair[0].left + pair[0].right)
    return _with_gaps(placed)


def _with_gaps(placed: Sequence[tuple[Item, Word | None]]) -> _Segment:
    """Return letters with a blank where there is a gap, each with the word that it is of."""
    items: list[Item] = []
    owners: list[Word | None] = []
    for item, owner in placed:
        if items and owner is not None and owners[-1] is not None:
            # beside a letter without room of its own there is a gap where its room was left
            narrow = min(item.right - item.left, items[-1].right - items[-1].left) < _NO_ROOM
            if item.left - items[-1].right > owner.size * (_SQUARE if narrow else _BLANK):
                items.append(Item(" ", items[-1].right, item.left))
                owners.append(None)
        items.append(item)
        owners.append(owner)
    return _Segment(items, owners)


def _is_mark(text: str) -> bool:
    return all(unicodedata.category(sign) == "Mn" for sign in text)


def _letters_of(page: Page) -> dict[int, list[Letter]]:
    """Return the letters of words by the ``id`` of these."""
    shelves: dict[int, list[Word]] = {}
    for word in page.words:
        for shelf in range(int(word.top) // 8, int(word.bottom) // 8 + 1):
            shelves.setdefault(shelf, []).append(word)
    found: dict[int, list[Letter]] = {}
    for letter in _whole(page.letters):
        if letter.text.isspace():
            continue
        x, y = (letter.left + letter.right) / 2, (letter.top + letter.bottom) / 2
        near = [
            word
            for word in shelves.get(int(y) // 8, ())
            if word.left - 0.5 <= x <= word.right + 0.5 and word.top - 1 <= y <= word.bottom + 1
        ]
        if near:
            word = min(near, key=lambda word: abs(word.middle_y - y))
            found.setdefault(id(word), []).append(letter)
    # a file may state what several letters together say, where no single one can be placed
    return {key: letters for key, letters in found.items() if not any(len(one.text) > _LIGATURE for one in letters)}


def _whole(letters: Sequence[Letter]) -> Iterable[Letter]:
    """Give letters with their vowels and points, which follow them in the file, or else go in front of them."""
    last: Letter | None = None
    waiting = ""
    for place, letter in enumerate(letters):
        if _is_mark(letter.text):
            middle = (letter.left + letter.right) / 2
            after = letters[place + 1] if place + 1 < len(letters) else None
            if after is not None and after.left < middle < after.right and not _is_mark(after.text):
                waiting += letter.text
            elif last is not None:
                left, right = min(last.left, letter.left), max(last.right, letter.right)
                last = last._replace(text=last.text + letter.text, left=left, right=right)
            continue
        if last is not None:
            yield last
            if letter.right - letter.left < _NO_ROOM and abs(last.right - letter.left) < _NEAR:
                # one without room of its own stands behind the one before it
                letter = letter._replace(left=last.right, right=last.right)
        last, waiting = letter._replace(text=letter.text + waiting), ""
    if last is not None:
        yield last


def _words(segment: _Segment, base: bool, mirror: float, swap: bool) -> Iterable[tuple[Word, list[Word]]]:
    """Give the words of a segment as they are read, each with those of the file that it is made of."""
    items, owners = segment
    text, left, right = "", 0.0, 0.0
    origins: list[Word] = []
    for placed in [*in_reading_order(items, base, mirror, swap), None]:
        owner = owners[placed.number] if placed else None
        ends = owner is None or (origins and placed is not None and _differ(origins[-1], owner, text[-1] + placed.text))
        if ends and text:
            counts = {id(word): word for word in origins}
            of = max(counts.values(), key=lambda word: sum(other is word for other in origins))
            word = moved_word(of, Box(left, of.top, right, of.bottom))
            word.text = text
            yield word, list(counts.values())
            text, origins = "", []
        if placed is None or owner is None:
            continue
        left, right = (min(left, placed.left), max(right, placed.right)) if text else (placed.left, placed.right)
        text += plain_forms(placed.text)
        origins.append(owner)


def _differ(one: Word, other: Word, around_it: str) -> bool:
    """Return True if a word ends where that of the file does: a mark of another size or height is no part of it."""
    if one is other or all(sign.isalpha() or _is_mark(sign) for sign in around_it):
        return False
    size = max(one.size, other.size)
    return abs(one.size - other.size) > 0.1 * size or abs(one.bottom - other.bottom) > 0.15 * size


def _grid(grid: Grid, now: dict[int, list[Word]]) -> Grid:
    """Return a stated table with the words that have taken the place of its own."""
    words: dict[tuple[int, int], list[Word]] = {}
    for place, cell in grid.words.items():
        found = {id(new): new for word in cell for new in now.get(id(word), [word])}
        words[place] = list(found.values())
    return _bounded(replace(grid, words=words))


def _bounded(grid: Grid) -> Grid:
    """Return a table with the edges of its columns where its words stand."""
    lefts = {
        column: min(w.left for w in cell) for (_, column), cell in sorted(grid.words.items(), reverse=True) if cell
    }
    bounds: list[float] = []
    for column in range(grid.columns):
        bounds.append(max(lefts.get(column, 0.0), bounds[-1] if bounds else 0.0))
    right = max((word.right for cell in grid.words.values() for word in cell), default=0.0)
    return replace(grid, bounds=[*bounds, max(right, bounds[-1])])
