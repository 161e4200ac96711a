"""Numbers printed on the page compared with the stored ones: no digit, point, comma or sign may change.

    python -m bench.structure.strict.signs FILE ... [--pages 3 4]

Numbers of a page come from PDFium, character by character with positions. Characters that touch each other on one line
and have one size are a number, so a raised note mark after a number does not belong to it.
"""

from __future__ import annotations

import argparse
import ctypes
import math
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from bench.structure.strict.items import Item

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_GAP, _SHIFT, _SIZE, _SPACE = 0.6, 0.1, 0.12, 0.75
"""Shares of the size of type: a gap that separates words if PDFium sees no space, a step off the line, a difference in
size; and the maximum distance of a parenthesis from its number."""
_READABLE = 1.5
"""Points: the minimum height of a readable character."""
_NUMBER = re.compile(r"[(-]?(?:[$€£¥]\s?)?[(-]?[.,]?\d(?:[\d.,]*\d)?")
_DASH, _BEFORE = "-‐‑‒–−", "0123456789%)"
_OPENS = "($€£¥" + _DASH
_JOINED = re.compile(r"[\d%)] ?$")
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–−", "-"))


class Run(NamedTuple):
    """Characters that touch each other: their text, and their beginning and end on the line."""

    text: str
    left: float
    right: float
    base: float
    size: float


class Changed(NamedTuple):
    """Numbers of a page that are not stored as printed, and stored numbers that are not printed."""

    lost: Counter[str]
    added: Counter[str]
    total: int


def compare(runs: Sequence[Run], items: Sequence[Item], page: int) -> Changed:
    """Compare the numbers printed on a page with those of its items.

    An item that continues on another page may have more. A number broken at the end of a line, or with spaced digits,
    may be joined. The brackets of a mark ("(1)" raised) may be missing if it is stored as a mark.
    """
    printed = Counter(number for text in _lines(runs) for number in numbers(text))
    every = Counter(number for item in items for number in _stored(item))
    alone = Counter(number for item in items if item.pages == (page,) for number in _stored(item))
    lost, added = printed - every, alone - printed
    for parts in (*_broken(runs), *_spaced(runs)):
        whole = "".join(parts)
        if added[whole] and not Counter(parts) - lost:
            added[whole] -= 1
            lost -= Counter(parts)
    for mark, count in _marks(items).items():
        bracketed = min(count, lost[f"({mark}"], added[mark])
        lost[f"({mark}"] -= bracketed
        added[mark] -= bracketed
    return Changed(+lost, +added, printed.total())


def _marks(items: Sequence[Item]) -> Counter[str]:
    """Return the marks that are stored as such: in the text, and those at the beginning of notes."""
    notes = [item.text.split()[0] for item in items if item.type == "NOTE" and item.text.split()]
    return Counter(mark.strip("()[]") for mark in [*notes, *(mark for item in items for mark in item.marks)])


def numbers(text: str) -> list[str]:
    """Return the numbers of a text, each with its points and commas and with the minus or parenthesis before it."""
    found = []
    for match in _NUMBER.finditer(text.translate(_DASHES)):
        number = match[0]
        before = text[match.start() - 1 : match.start()]
        # after a letter or a digit a dash joins ("2019-20", "5% - 7%"), and a point ends the text before it ("p.5")
        if before.isalnum() or before == ".":
            number = number.lstrip("-.,")
        elif _JOINED.search(text[: match.start()]):
            number = number.lstrip("-")
        sign = next((sign for sign in "(-" if sign in number), "")
        found.append(sign + re.sub(r"[^\d.,]", "", number))
    return found


def _stored(item: Item) -> list[str]:
    return [number for text in (item.text, *item.marks) for line in text.split("\n") for number in numbers(line)]


def _lines(runs: Sequence[Run]) -> Iterable[str]:
    """Return runs as texts: close runs on a line are joined if a sign or a dash may be between them."""
    text, last = "", None
    for run in runs:
        near = (
            last is not None
            and (_opens(last.text) or (run.text[0] in _DASH and last.text[-1:] in _BEFORE))
            and abs(run.base - last.base) < _SHIFT * run.size
            and -_GAP * run.size < run.left - last.right < _SPACE * run.size
        )
        if text and not near:
            yield text
            text = ""
        text += run.text
        last = run
    if text:
        yield text


def _opens(text: str) -> bool:
    """Return True if a number may follow: a minus is one only by itself, not at the end of an arrow ("<- 5")."""
    return text[-1:] in _OPENS and (text[-1:] not in _DASH or all(sign in _OPENS for sign in text))


def _broken(runs: Sequence[Run]) -> Iterable[list[str]]:
    for one, other in pairwise(runs):
        if other.base < one.base - 0.5 * one.size and one.text[-1:].isdigit() and other.text[:1].isdigit():
            yield [numbers(one.text)[-1], numbers(other.text)[0]]


def _spaced(runs: Sequence[Run]) -> Iterable[list[str]]:
    """Yield the digits that are printed separately on a line."""
    figures: list[Run] = []
    for run in [*runs, Run("", 0, 0, 0, 1)]:
        if len(run.text) == 1 and run.text.isdigit() and (not figures or figures[-1].base == run.base):
            figures.append(run)
            continue
        if len(figures) > 1:
            yield [figure.text for figure in figures]
        figures = []


def runs_of(page: Any) -> list[Run]:
    """Return the runs of a page of PDFium in the order of the file; text printed twice at a place is used once."""
    from pypdfium2 import raw

    text_page = page.get_textpage()
    runs: list[Run] = []
    seen: set[tuple[str, int, int]] = set()
    origin = [ctypes.c_double(), ctypes.c_double()]
    joined = False
    wide, high = page.get_size()
    for index in range(text_page.count_chars()):
        sign = chr(raw.FPDFText_GetUnicode(text_page, index))
        if raw.FPDFText_IsGenerated(text_page, index) == 1:
            # PDFium also puts line ends between the characters of a turned line
            joined = joined and bool(raw.FPDFText_GetCharAngle(text_page, index - 1))
            continue
        if not sign.isprintable() or sign.isspace():
            joined = False
            continue
        raw.FPDFText_GetLooseCharBox(text_page, index, loose := raw.FS_RECTF())
        raw.FPDFText_GetCharOrigin(text_page, index, *map(ctypes.byref, origin))
        left, right, base, size = _turned(
            loose, origin[0].value, origin[1].value, raw.FPDFText_GetCharAngle(text_page, index)
        )
        if not (-size < origin[0].value < wide + size and -size < origin[1].value < high + size):
            continue  # off the page: nobody sees it
        if size < _READABLE:
            continue  # too small to be read
        key = (sign, round(origin[0].value), round(origin[1].value))
        if key in seen:
            continue
        seen.add(key)
        last = runs[-1] if runs else None
        if (
            joined
            and last
            and max(left - last.right, last.left - right) < _GAP * size
            and abs(base - last.base) < _SHIFT * size
            and abs(size - last.size) < _SIZE * size
        ):
            runs[-1] = last._replace(text=last.text + sign, left=min(left, last.left), right=max(right, last.right))
        else:
            runs.append(Run(sign, left, right, base, size))
        joined = True
    return runs


def _turned(box: Any, x: float, y: float, angle: float) -> tuple[float, float, float, float]:
    """Return beginning and end of a character along its line, the height of the line, and the character's size."""
    along, across = math.cos(angle), math.sin(angle)
    corners = [(cx, cy) for cx in (box.left, box.right) for cy in (box.bottom, box.top)]
    places = [cx * along + cy * across for cx, cy in corners]
    heights = [cy * along - cx * across for cx, cy in corners]
    return min(places), max(places), y * along - x * across, (max(heights) - min(heights)) or 1.0


def printed_runs(path: Path, pages: Iterable[int]) -> dict[int, list[Run]]:
    """Return the runs of pages of a file, counted from 1."""
    import pypdfium2

    with pypdfium2.PdfDocument(path) as pdf:
        return {number: runs_of(pdf[number - 1]) for number in pages}


def main() -> None:
    """Print the numbers of files that are not stored as printed, page by page."""
    import pypdfium2

    from bench.structure.strict.drafts import read

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--pages", nargs="*", type=int, help="default all")
    chosen = parser.parse_args()
    for path in chosen.files:
        found = read(path)
        with pypdfium2.PdfDocument(path) as pdf:
            pages = chosen.pages or range(1, len(pdf) + 1)
            lost = added = total = 0
            for page in pages:
                changed = compare(runs_of(pdf[page - 1]), found.on(page), page)
                lost, added, total = lost + changed.lost.total(), added + changed.added.total(), total + changed.total
                if changed.lost or changed.added:
                    print(f"  page {page}: lost {_shown(changed.lost)}; added {_shown(changed.added)}")
        print(f"{path.name}: {total} numbers, {lost} lost, {added} added {found.failed}".rstrip(), flush=True)


def _shown(numbers_: Counter[str]) -> str:
    return " ".join(f"{number}x{count}" if count > 1 else number for number, count in numbers_.items()) or "none"


if __name__ == "__main__":
    main()
