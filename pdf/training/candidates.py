"""What is measured of a candidate for a table."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from statistics import median, pstdev
from typing import TYPE_CHECKING

from ragraph.pdf.patterns import (
    BLANK_FIELD,
    BULLET,
    CAPTION,
    FIELD_NAME,
    FIGURE_CAPTION,
    LEADER,
    PAGES_LISTED,
    TABLE_CAPTION,
    UNIT,
    YEAR,
)
from ragraph.pdf.tables.aligned import counts_up, figure_columns, prose_of
from ragraph.pdf.tables.grids import distinct, is_numeric
from ragraph.pdf.tables.ruled import merged_rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.model import Box, Grid, Line, Page, Word
    from ragraph.pdf.tables.candidates import Candidate

_LONG, _BRIEF = 80, 24
"""Minimum number of characters at which a cell is long, and up to which it is brief."""
_AROUND = 40
"""Points over and under a candidate in which a caption, or text, stands next to it."""


class Measuring:
    """Measures the candidates of a page."""

    def __init__(self, page: Page) -> None:
        """Measure candidates of this page."""
        self.page = page

    @cached_property
    def _prose(self) -> set[int]:
        return prose_of(self.page, self.page.lines)

    @cached_property
    def _size(self) -> float:
        return median([line.size for line in self.page.lines] or [10.0])

    @cached_property
    def _rules(self) -> tuple[list[tuple[float, float, float]], list[tuple[float, float, float]]]:
        return merged_rules(self.page.horizontals), merged_rules(self.page.verticals)

    def features(self, candidate: Candidate) -> dict[str, float]:
        """Return what is measured of a candidate, by name."""
        found = {
            "way": float(candidate.way),
            "rules say": float(candidate.says),
            "head above": float(len(candidate.head)),
        }
        texts = candidate.grid.texts()
        found |= _cells(candidate, texts)
        found |= _rows(candidate, texts)
        found |= _edges(candidate)
        found |= self._type(candidate)
        found |= self._lines(candidate.place.box)
        found |= self._surroundings(candidate)
        return found

    def _type(self, candidate: Candidate) -> dict[str, float]:
        lines = candidate.place.lines
        letters = max(sum(line.length for line in lines), 1)
        size = median(line.size for line in lines)
        return {
            "size": size / self._size,
            "bold": sum(line.bold * line.length for line in lines) / letters,
            "mono": sum(line.mono * line.length for line in lines) / letters,
            "math": sum(line.math * line.length for line in lines) / letters,
            "sizes": pstdev([line.size for line in lines]) / size,
            "prose": sum(line.length for line in lines if id(line) in self._prose) / letters,
            "lines": float(len(lines)),
            "letters": float(letters),
        }

    def _lines(self, box: Box) -> dict[str, float]:
        levels, uprights = self._rules
        wide, high = max(box.right - box.left, 1.0), max(box.bottom - box.top, 1.0)
        level = [rule for rule in levels if box.top - 4 < rule[2] < box.bottom + 4
                 and min(rule[1], box.right) - max(rule[0], box.left) > 0.1 * wide]  # fmt: skip
        upright = [rule for rule in uprights if box.left - 4 < rule[2] < box.right + 4
                   and min(rule[1], box.bottom) - max(rule[0], box.top) > 0.1 * high]  # fmt: skip
        whole = [rule for rule in level if rule[1] - rule[0] > 0.8 * wide]
        ends = distinct(end for rule in whole for end in (rule[0], rule[1]))
        page = self.page
        return {
            "level rules": float(len(distinct(rule[2] for rule in level))),
            "whole rules": float(len(distinct(rule[2] for rule in whole))),
            "upright rules": float(len(distinct(rule[2] for rule in upright))),
            "tall rules": float(len(distinct(rule[2] for rule in upright if rule[1] - rule[0] > 0.8 * high))),
            "ends of rules": float(len(ends)),
            "rule at head": float(any(abs(rule[2] - box.top) < 6 for rule in whole)),
            "rule at foot": float(any(abs(rule[2] - box.bottom) < 6 for rule in whole)),
            "rules of page": float(len(page.horizontals) + len(page.verticals)),
            "in drawing": max((_share(box, other) for other in page.drawings), default=0.0),
            "in image": max((_share(box, other) for other in page.images), default=0.0),
            "in frame": max((_share(box, other) for other in page.frames), default=0.0),
            "of frame": max((_share(other, box) for other in page.frames if other.holds(box, 0.9)), default=0.0),
            "fields": float(sum(box.holds(field) for field in page.fields)),
            "spots": float(sum(box.holds(spot) for spot in page.spots)),
            "width": wide / page.width,
            "height": high / page.height,
            "left": box.left / page.width,
            "off middle": abs(box.left + box.right - page.width) / page.width,
            "top": box.top / page.height,
            "wide page": float(page.width > page.height),
        }

    def _surroundings(self, candidate: Candidate) -> dict[str, float]:
        box, page = candidate.place.box, self.page
        own = {id(line) for line in candidate.place.lines}
        others = [line for line in page.lines if id(line) not in own]
        over = [line for line in others if _beside(line, box) and -4 < box.top - line.bottom < _AROUND]
        under = [line for line in others if _beside(line, box) and -4 < line.top - box.bottom < _AROUND]
        beside = [line for line in others if line.bottom > box.top + 2 and line.top < box.bottom - 2]
        near = [line for line in (*over, *under) if CAPTION.match(line.text)]
        above = max(over, key=lambda line: line.bottom, default=None)
        below = min(under, key=lambda line: line.top, default=None)
        size = self._size
        return {
            "caption": float(any(TABLE_CAPTION.match(line.text) for line in near)),
            "figure caption": float(any(FIGURE_CAPTION.match(line.text) for line in near)),
            "gap above": (box.top - above.bottom) / size if above else _AROUND,
            "gap below": (below.top - box.bottom) / size if below else _AROUND,
            "prose above": float(above is not None and id(above) in self._prose),
            "prose below": float(below is not None and id(below) in self._prose),
            "goes on above": float(above is not None and above.text[-1:].isalpha()),
            "goes on below": float(below is not None and below.text[:1].islower()),
            "colon above": float(above is not None and above.text.endswith(":")),
            "larger above": above.size / size if above else 0.0,
            "bold above": above.bold if above else 0.0,
            "beside": float(len(beside)),
            "prose beside": float(sum(id(line) in self._prose for line in beside)),
            "prose of page": sum(id(line) in self._prose for line in page.lines) / max(len(page.lines), 1),
            "share of page": len(candidate.place.lines) / max(len(page.lines), 1),
        }


def _cells(candidate: Candidate, texts: Sequence[Sequence[str]]) -> dict[str, float]:
    """Return what the cells hold."""
    grid = candidate.grid
    cells = [text for row in texts for text in row if text]
    behind = [text for row in texts for text in row[1:] if text]
    count = max(len(cells), 1)
    sizes = sorted(map(len, cells)) or [0]
    lines = {place: len({round(word.bottom / 3) for word in words}) for place, words in grid.words.items()}
    first = [row[0] for row in texts if row[0]]
    last = [row[-1] for row in texts if row[-1]]
    words = [len(text.split()) for text in cells]
    return {
        "median length": float(sizes[len(sizes) // 2]),
        "long length": float(sizes[int(0.9 * (len(sizes) - 1))]),
        "longest": float(sizes[-1]),
        "words": sum(words) / count,
        "single words": sum(number == 1 for number in words) / count,
        "long": sum(size > _LONG for size in sizes) / count,
        "brief": sum(size <= _BRIEF for size in sizes) / count,
        "several lines": sum(number > 1 for number in lines.values()) / max(len(lines), 1),
        "running lines": sum(number > 2 for number in lines.values()) / max(len(lines), 1),
        "numbers": sum(map(is_numeric, behind)) / max(len(behind), 1),
        "numbers first": sum(map(is_numeric, first)) / max(len(first), 1),
        "digits": sum(any(map(str.isdigit, text)) for text in cells) / count,
        "money": sum(any(sign in text for sign in "$%€£") for text in cells) / count,
        "begin small": sum(text[:1].islower() for text in cells) / count,
        "begin capital": sum(text[:1].isupper() for text in cells) / count,
        "end open": sum(text[-1:] in ",-" for text in cells) / count,
        "end sentence": sum(text[-1:] in ".;!?" and len(text) > 3 for text in cells) / count,
        "end colon": sum(text.endswith(":") for text in cells) / count,
        "fields named": sum(bool(FIELD_NAME.search(text)) for text in cells) / count,
        "blank fields": sum(bool(BLANK_FIELD.search(text)) for text in cells) / count,
        "pages listed": sum(bool(PAGES_LISTED.search(text)) for text in cells) / count,
        "bullets": sum(bool(BULLET.match(text)) for text in first) / max(len(first), 1),
        "brief first": sum(len(text) <= 2 for text in first) / max(len(first), 1),
        "counts first": float(counts_up(first)),
        "counts last": float(counts_up(last)),
        "leaders": sum(bool(LEADER.search(" ".join(row))) for row in texts) / max(len(texts), 1),
        "signs": sum(not any(map(str.isalnum, text)) for text in cells) / count,
        "letters of a word": sum(map(len, cells)) / max(sum(words), 1),
        "different": len(set(cells)) / count,
        "lists begun": sum(text[:1] in "•–—-*" and len(text) > 2 for text in behind) / max(len(behind), 1),
        "addresses": sum("@" in text or "://" in text or "www." in text for text in cells) / count,
        "code": sum(any(sign in text for sign in "{};=<>") for text in cells) / count,
    }


def _rows(candidate: Candidate, texts: Sequence[Sequence[str]]) -> dict[str, float]:
    """Return how rows and columns are filled."""
    grid, place = candidate.grid, candidate.place
    filled = [sum(map(bool, row)) for row in texts]
    several = sum(number > 1 for number in filled)
    figures = figure_columns(texts)
    usual = max(set(filled), key=lambda number: (filled.count(number), number)) if filled else 0
    columns = [[row[at] for row in texts if row[at]] for at in range(grid.columns)]
    head = texts[0]
    named = [text for text in head if text]
    tops: dict[int, float] = {}
    bolds: dict[int, list[tuple[bool, int]]] = {}
    for (row, _), words in grid.words.items():
        tops[row] = min(tops.get(row, 1e9), *(word.top for word in words))
        bolds.setdefault(row, []).extend((word.font.bold, len(word.text)) for word in words)
    steps = [below - above for above, below in pairwise(tops[row] for row in sorted(tops))]
    bold = {row: sum(size for one, size in found if one) / max(sum(size for _, size in found), 1)
            for row, found in bolds.items()}  # fmt: skip
    below = [share for row, share in bold.items() if row]
    lengths = [sum(map(len, texts)) / max(len(texts), 1) for texts in columns]
    return {
        "rows": float(grid.rows),
        "columns": float(grid.columns),
        "filled": grid.filled,
        "full rows": sum(number == grid.columns for number in filled) / max(grid.rows, 1),
        "rows of several": several / max(grid.rows, 1),
        "several": float(several),
        "usual": filled.count(usual) / max(grid.rows, 1),
        "usual filled": usual / max(grid.columns, 1),
        "figure columns": float(len(figures)),
        "share of figure columns": len(figures) / max(grid.columns - 1, 1),
        "spans": len(grid.spans) / max(grid.rows, 1),
        "tall cells": sum(high > 1 for high, _ in grid.spans.values()) / max(grid.rows, 1),
        "emptiest column": min(map(len, columns), default=0) / max(grid.rows, 1),
        "first column": len(columns[0]) / max(grid.rows, 1) if columns else 0.0,
        "head filled": len(named) / max(grid.columns, 1),
        "head numbers": sum(map(is_numeric, named)) / max(len(named), 1),
        "head years": float(any(YEAR.match(text) for text in named)),
        "head unit": float(any(UNIT.match(text) for text in named)),
        "head length": sum(map(len, named)) / max(len(named), 1),
        "head capital": sum(text[:1].isupper() for text in named) / max(len(named), 1),
        "head bold": bold.get(0, 0.0),
        "body bold": sum(below) / max(len(below), 1),
        "first column bold": _bold(grid, 0),
        "uneven rows": pstdev(steps) / max(sum(steps) / len(steps), 1) if steps else 0.0,
        "row step": median(steps) / median(line.size for line in place.lines) if steps else 0.0,
        "captioned": float(place.captioned),
        "rules of place": float(place.rules),
        "shortest column": min(lengths, default=0.0),
        "longest column": max(lengths, default=0.0),
        "alike columns": min(lengths, default=0.0) / max(lengths, default=1.0) if max(lengths, default=0.0) else 0.0,
    }


def _edges(candidate: Candidate) -> dict[str, float]:
    """Return how exactly cells stand under each other, and how wide the white between columns is, by size of type."""
    grid = candidate.grid
    cells: dict[int, list[tuple[float, float]]] = {}
    for (row, column), words in grid.words.items():
        if grid.spans.get((row, column), (1, 1))[1] == 1:
            cells.setdefault(column, []).append((min(w.left for w in words), max(w.right for w in words)))
    size = median(word.size for words in grid.words.values() for word in words)
    errors, lefts, rights, offs = [], 0, 0, []
    for spans in cells.values():
        left, right = _spread([one for one, _ in spans]), _spread([other for _, other in spans])
        middle = _spread([(one + other) / 2 for one, other in spans])
        errors.append(min(left, right, middle) / size)
        lefts += left <= min(right, middle)
        rights += right < min(left, middle)
        edge = median(one for one, _ in spans)
        offs.append(sum(abs(one - edge) < 0.3 * size for one, _ in spans) / len(spans))
    gaps = []
    for at, other in pairwise(sorted(cells)):
        gaps.append((min(one for one, _ in cells[other]) - max(end for _, end in cells[at])) / size)
    inner = [_gap(words) for words in grid.words.values() if len(words) > 1]
    return {
        "uneven edges": sum(errors) / max(len(errors), 1),
        "worst edge": max(errors, default=0.0),
        "left columns": lefts / max(len(cells), 1),
        "right columns": rights / max(len(cells), 1),
        "worst left": min(offs, default=0.0),
        "narrowest gap": min(gaps, default=0.0),
        "usual gap": median(gaps) if gaps else 0.0,
        "gap within": (sum(inner) / len(inner)) / size if inner else 0.0,
    }


def _gap(words: Sequence[Word]) -> float:
    """Return the widest blank within the words of a cell that stand on one line."""
    return max((after.left - before.right for before, after in pairwise(words)
                if abs(after.bottom - before.bottom) < 0.5 * after.size), default=0.0)  # fmt: skip


def _spread(values: Sequence[float]) -> float:
    middle = median(values)
    return sum(min(abs(value - middle), 50.0) for value in values) / len(values)


def _bold(grid: Grid, column: int) -> float:
    words = [word for (_, at), found in grid.words.items() if at == column for word in found]
    return sum(len(word.text) * word.font.bold for word in words) / max(sum(len(word.text) for word in words), 1)


def _share(box: Box, other: Box) -> float:
    """Return the share of a box that lies in another."""
    wide = min(box.right, other.right) - max(box.left, other.left)
    high = min(box.bottom, other.bottom) - max(box.top, other.top)
    area = box.area
    return wide * high / area if wide > 0 and high > 0 and area > 0 else 0.0


def _beside(line: Line, box: Box) -> bool:
    return line.right > box.left and line.left < box.right
