"""Text that stands in a picture or drawing, and its labels: told apart by weights learnt from files that state it.

``pdf/training/drawn.py`` makes them; ``labels.npz`` holds them as arrays.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from ragraph.pdf.blocks.drawn import MOST, NAMES, measure, runs_of
from ragraph.pdf.model import in_runs
from ragraph.pdf.patterns import BULLET, SENTENCE_END
from ragraph.pdf.trees import read_trees

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragraph.pdf.model import Box, Line, Page, Style

TEXT = 1.0
"""Minimum log-odds at which a line in a figure is text of the page: up to there hardly more text is lost in files that
the weights were not learnt from, and labels that come into the text are fewer."""
_NEAR = 2.5
"""Distance of figures whose short pieces are told together at most, in sizes of type: boxes of a flow chart."""
_SENTENCE = 5
"""Words of a sentence at least; "No." is a label."""
_LONG, _MEAN = 28, 16
"""Characters of the longest of two lines of a paragraph, and of its lines in the mean, at least."""
_TICK, _AWAY = 0.3, 2.0
"""Distances of a rule from the middle, and from the end, of the name that it marks on an axis, in sizes of type."""
_TICKED, _AXES = 4, 0.5
"""Names with such rules on the axes of a chart at least, and their share."""
_PAIRED = 0.5
"""Share of short pieces with others on their row at least, if they are labels and values."""
_TOLD = 0.7
"""Share of such rows that have a colon or an amount at least."""
_LEVEL = 0.3
"""Distance of the middles of pieces on one row at most, in sizes of type."""
_PITCH = 2.0
"""Distance of the feet of the rows of one block at most, in sizes of type."""


class Asked(NamedTuple):
    """A figure of which the lines are asked whether they are text.

    Attributes:
        box: of the figure.
        inside: the lines in it.
        drawn: whether no picture is in it.
    """

    box: Box
    inside: list[Line]
    drawn: bool


def texts_in(page: Page, asked: Sequence[Asked], lines: Sequence[Line], style: Style) -> list[list[Line]]:
    """Return those of the lines in each figure that are text of the page; a map has labels alone.

    Sentences and paragraphs are told by themselves. The short pieces of a figure, and of those near to it, are let go
    together or stay together: boxes of a flow chart, names on an axis, rows of labels and values. Names on axes stay.

    Args:
        page: with its images, drawings, rules and frames.
        asked: the figures.
        lines: the free lines of the page.
        style: the running style of the document.
    """
    found: dict[int, list[Line]] = {}
    for group in _near_each_other(asked, _NEAR * style.size):
        text: set[int] = set()
        short: list[Line] = []
        odds = whole = 0.0
        for figure in (asked[at] for at in group):
            for run, mean in _weighed(page, figure, lines, style):
                if is_prose(run):
                    text |= {id(line) for line in run if mean > TEXT}
                else:
                    letters = sum(line.length for line in run)
                    short += run
                    odds, whole = odds + mean * letters, whole + letters
        if odds > TEXT * whole and not _is_on_axes(page, short):
            text |= {id(line) for line in short}
        found |= {at: [line for line in asked[at].inside if id(line) in text] for at in group}
    return [found[at] for at in range(len(asked))]


def _near_each_other(asked: Sequence[Asked], room: float) -> list[list[int]]:
    """Return the places of figures in groups, of which each has one within some points."""
    groups: list[list[int]] = []
    for at, figure in enumerate(asked):
        near = figure.box.grown(room)
        joined = [group for group in groups if any(near.meets(asked[other].box) for other in group)]
        groups = [group for group in groups if group not in joined] + [[*chain(*joined), at]]
    return groups


def _weighed(page: Page, figure: Asked, lines: Sequence[Line], style: Style) -> Iterator[tuple[list[Line], float]]:
    """Yield the runs of lines in a figure with their mean log-odds, by letters."""
    if not 0 < len(figure.inside) <= MOST:
        return
    odds = read_trees(__package__, "labels.npz", NAMES).log_odds(measure(page, figure.box, figure.inside, lines, style))
    of_line = {id(line): float(value) for line, value in zip(figure.inside, odds, strict=True)}
    for run in runs_of(figure.inside):
        yield run, sum(of_line[id(line)] * line.length for line in run) / sum(line.length for line in run)


def is_prose(run: Sequence[Line]) -> bool:
    """Return True if a run of lines is a paragraph, or holds a sentence: others are short pieces."""
    mean = sum(line.length for line in run) / len(run)
    long = len(run) > 2 or max(line.length for line in run) >= _LONG
    return _has_sentence(run) or (len(run) > 1 and long and mean >= _MEAN)


def _has_sentence(run: Sequence[Line]) -> bool:
    """Return True if a sentence ends in a run; what ends in a colon is the name of a field."""
    words = sum(len(line.words) for line in run)
    ends = (line.text for line in run if not line.text.endswith(":"))
    return words >= _SENTENCE and any(map(SENTENCE_END.search, ends))


def _is_on_axes(page: Page, short: Sequence[Line]) -> bool:
    """Return True if most pieces have a rule at their middle that begins beyond them: ticks and lines of a grid.

    Rules of a table run between its rows and columns.
    """
    ticked = sum(
        any(abs(y - line.middle_y) < _TICK * line.size and (left > line.right or right < line.left)
            and min(abs(left - line.right), abs(line.left - right)) < _AWAY * line.size
            for left, right, y in page.horizontals)
        or any(abs(x - line.middle_x) < _TICK * line.size
               and (bottom < line.top + 1 or top > line.bottom - 1)
               and min(abs(line.top - bottom), abs(top - line.bottom)) < _AWAY * line.size
               for top, bottom, x in page.verticals)
        for line in short
    )  # fmt: skip
    return ticked >= max(_TICKED, _AXES * len(short))


def rows_of_pairs(text: Sequence[Line]) -> list[list[Line]]:
    """Return the rows of labels and values among lines that are let go, those close to each other as one block.

    Nothing is returned where few lines have others on their row, or few rows have a name with a colon or an amount.
    """
    short = [line for run in runs_of(text) if not _has_sentence(run) for line in run]
    rows = [sorted(row, key=lambda line: line.left) for row in _in_rows(short)]
    wide = [row for row in rows if len(row) > 1]
    told = sum(map(_is_pair, wide))
    if not wide or sum(map(len, wide)) < _PAIRED * len(short) or told < _TOLD * len(wide):
        return []
    blocks: list[list[Line]] = []
    for row in wide:
        last = blocks[-1][-1] if blocks else None
        if last is not None and row[0].bottom - last.bottom < _PITCH * last.size:
            blocks[-1] += row
        else:
            blocks.append([*row])
    return blocks


def _is_pair(row: Sequence[Line]) -> bool:
    """Return True if a row begins with a name and a colon, or goes on with an amount; items of lists are no pairs."""
    if any(BULLET.match(line.text) or (line.text[0].isdigit() and not line.text[0].isdecimal()) for line in row):
        return False
    amount = any(character.isdecimal() for line in row[1:] for character in line.text)
    return row[0].text.endswith((":", "：")) or amount


def _in_rows(lines: Sequence[Line]) -> list[list[Line]]:
    ordered = sorted(lines, key=lambda line: line.top + line.bottom)
    return in_runs(ordered, lambda row, line: _is_level(row[0], line))


def _is_level(first: Line, line: Line) -> bool:
    return line.top + line.bottom - first.top - first.bottom < 2 * _LEVEL * line.size
