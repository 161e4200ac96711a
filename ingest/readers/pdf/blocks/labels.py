"""Text that stands in a picture or drawing, and its labels: told apart by weights learnt from files that state it.

``bench/structure/learn/drawn.py`` makes them; ``labels.npz`` holds them as arrays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.ingest.readers.pdf.blocks.drawn import MOST, NAMES, measure, runs_of
from ragraph.ingest.readers.pdf.trees import read_trees

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.ingest.readers.pdf.model import Box, Line, Page, Style

TEXT = 1.0
"""Log-odds from which on a line in a figure is text of the page: up to there hardly more text is lost in files that the
weights were not learnt from, and labels that come into the text are fewer."""


def texts_in(page: Page, box: Box, inside: Sequence[Line], lines: Sequence[Line], style: Style) -> list[Line]:
    """Return those of the lines in a figure that are text of the page: whole runs of lines; a map has labels alone.

    Args:
        page: with its images, drawings, rules and frames.
        box: of the figure.
        inside: the lines in it.
        lines: the free lines of the page.
        style: the running style of the document.
    """
    if not 0 < len(inside) <= MOST:
        return []
    trees = read_trees(__package__, "labels.npz", NAMES)
    odds = trees.log_odds(measure(page, box, inside, lines, style))
    of_line = {id(line): float(value) for line, value in zip(inside, odds, strict=True)}
    found: set[int] = set()
    for run in runs_of(inside):
        letters = sum(line.length for line in run)
        if sum(of_line[id(line)] * line.length for line in run) > TEXT * letters:
            found |= {id(line) for line in run}
    return [line for line in inside if id(line) in found]
