"""What is measured of a row that may be of the head of a table."""

from __future__ import annotations

from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from ragraph.pdf.patterns import UNIT, YEAR
from ragraph.pdf.tables.grids import is_numeric
from ragraph.pdf.tables.ruled import merged_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ragraph.pdf.model import Grid, Page, Word

MOST = 6
"""Rows at the top of a table that may be of its head."""


def measure(page: Page, grid: Grid) -> list[dict[str, float]]:
    """Return the features of each of the first rows of a table, by name.

    Args:
        page: that it stands on.
        grid: the cells, with the rows of the head as the rules have them.
    """
    texts = grid.texts()
    words = [[word for (row, _), found in grid.words.items() if row == at for word in found] for at in range(grid.rows)]
    tops = [min(word.top for word in row) for row in words if row]
    levels = merged_rules(page.horizontals)
    feet = [max(word.bottom for word in row) for row in words if row]
    ruled = sum(any(-2 < rule[2] - foot < 10 for rule in levels) for foot in feet) / max(len(feet), 1)
    step = median([lower - upper for upper, lower in pairwise(tops)] or [0.0])
    return [_row(page, grid, at, texts, words, levels, ruled, step) for at in range(min(MOST, grid.rows))]


def _row(
    page: Page,
    grid: Grid,
    at: int,
    texts: Sequence[Sequence[str]],
    words: Sequence[Sequence[Word]],
    levels: Sequence[tuple[float, float, float]],
    ruled: float,
    step: float,
) -> dict[str, float]:
    row, own = texts[at], words[at]
    below = texts[at + 1 :]
    rest = [word for other in words[at + 1 :] for word in other]
    following = words[at + 1] if at + 1 < grid.rows else []
    own = own or following or rest
    if not own:
        return {}
    cells, cells_below = [text for text in row if text], [text for other in below for text in other if text]
    behind, behind_below = [text for text in row[1:] if text], [text for other in below for text in other[1:] if text]
    next_row = texts[at + 1] if at + 1 < grid.rows else []
    size = _mean(own, _size)
    left, right = min(word.left for word in own), max(word.right for word in own)
    top, foot = min(word.top for word in own), max(word.bottom for word in own)
    head = min((word.top for word in following), default=foot)
    wide = 0.4 * (right - left)
    across = [rule for rule in levels if min(rule[1], right) - max(rule[0], left) > wide]
    grounds = [box for box in (*page.frames, *page.drawings)
               if box.left < left + 3 and box.right > right - 3 and top - 1.5 * size < box.top < top + 2
               and foot - 2 < box.bottom < max(head, foot) + 2]  # fmt: skip
    fonts, fonts_below, fonts_next = ({word.font.name for word in some} for some in (own, rest, following))
    over = [column for column in range(1, grid.columns) if _is_figures(below, column)]
    return {
        "at": at,
        "rows": grid.rows,
        "columns": grid.columns,
        "by rules": grid.header_rows,
        "within rules": at < grid.header_rows,
        "last by rules": at + 1 == grid.header_rows,
        "bold": _mean(own, _bold),
        "bold next": _mean(following, _bold),
        "bold below": _mean(rest, _bold),
        "italic": _mean(own, _italic),
        "italic below": _mean(rest, _italic),
        "size": size / (_mean(rest, _size) or size),
        "size next": size / (_mean(following, _size) or size),
        "other font": not fonts & fonts_below,
        "font of next": bool(fonts & fonts_next),
        "capitals": _share(cells, str.isupper),
        "capitals below": _share(cells_below, str.isupper),
        "begin capital": _share(cells, _begins_capital),
        "begin capital below": _share(cells_below, _begins_capital),
        "filled": len(cells) / grid.columns,
        "first": bool(row[0]),
        "filled next": sum(map(bool, next_row)) / grid.columns,
        "filled below": len(cells_below) / max(grid.columns * len(below), 1),
        "numbers": _share(behind, is_numeric),
        "numbers next": _share([text for text in next_row[1:] if text], is_numeric),
        "numbers below": _share(behind_below, is_numeric),
        "digits": _share(cells, _has_digit),
        "digits below": _share(cells_below, _has_digit),
        "years": any(YEAR.match(text) for text in cells),
        "unit": any(UNIT.match(text) for text in cells),
        "length": sum(map(len, cells)) / max(len(cells), 1),
        "length below": sum(map(len, cells_below)) / max(len(cells_below), 1),
        "spanning": sum(place[0] == at and reach[1] > 1 for place, reach in grid.spans.items()),
        "tall": sum(place[0] == at and reach[0] > 1 for place, reach in grid.spans.items()),
        "rule under": any(foot - 2 < rule[2] < max(head, foot) + 2 for rule in across),
        "rule over": any(top - size < rule[2] < top + 2 for rule in across),
        "rules": ruled,
        "ground": bool(grounds),
        "gap": (head - foot) / size,
        "step": step / size,
        "words over figures": sum(bool(row[column]) and not is_numeric(row[column]) for column in over)
        / max(len(over), 1),
        "stops": _share(cells, _stops),
        "colons": _share(cells, _ends_colon),
    }


def _is_figures(rows: Sequence[Sequence[str]], column: int) -> bool:
    return _share([row[column] for row in rows if row[column]], is_numeric) > 0.6


def _share(texts: Sequence[str], holds: Callable[[str], bool]) -> float:
    return sum(map(holds, texts)) / max(len(texts), 1)


def _mean(words: Iterable[Word], value: Callable[[Word], float]) -> float:
    total = letters = 0.0
    for word in words:
        total += len(word.text) * value(word)
        letters += len(word.text)
    return total / letters if letters else 0.0


def _bold(word: Word) -> float:
    return float(word.font.bold)


def _italic(word: Word) -> float:
    return float(word.font.italic)


def _size(word: Word) -> float:
    return word.size


def _begins_capital(text: str) -> bool:
    return text[:1].isupper()


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def _stops(text: str) -> bool:
    return text[-1:] in ".;"


def _ends_colon(text: str) -> bool:
    return text.endswith(":")
