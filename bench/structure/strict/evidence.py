"""Rows of tables as the files write them, compared with the stored rows: many rows without labels made by eye.

    python -m bench.structure.strict.evidence FILE ... [--pages 3 4] [--misses]
    python -m bench.structure.strict.evidence --questions JSONL --wild WILD [--lists FOLDER] [--misses]

Most files write a table row by row. So consecutive text on one line, a label and two or more numbers separated by white
space, is a row. ``--questions`` takes the rows from the evidence of the questions of financebench instead, with a cell
per line, for the files of the list that are in WILD, by halves. A row is right if a stored row of a table on the page
has the letters of its label (with those of the line before or after it, if labels run over lines), and the same numbers
in order, each in a cell of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bench.structure.strict.drafts import read
from bench.structure.strict.halves import develops
from bench.structure.strict.items import letters
from bench.structure.strict.signs import printed_runs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from bench.structure.strict.items import Read
    from bench.structure.strict.signs import Run

_CELL, _SIGN = 1.2, 6.0
"""White space that separates cells, and that may separate a currency sign from its number, in heights of type."""
_DIGITS = 0.5
"""White space that separates two numbers; thousands are closer."""
_LEVEL = 0.15
"""Maximum vertical distance of characters on one line, in heights of type."""
_FEWEST = 3
"""Minimum letters of a label."""
_NUMBER = re.compile(r"^(?:\([.,]?\d(?:[\d.,]*\d)?%?\)%?|[<-]?[.,]?\d(?:[\d.,]*\d)?%?)$")
_YEAR = re.compile(r"^(?:19|20)\d\d$")
_DASH = re.compile(r"^-+$")
_SPACE = re.compile(r"[\s$€£¥]")
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–−—", "-"))


class Row(NamedTuple):
    """A row as it is written.

    Attributes:
        labels: letters of its label, alone and with the lines around it.
        numbers: numbers of its cells, without currency signs and spaces.
        text: text to show.
    """

    labels: frozenset[str]
    numbers: tuple[str, ...]
    text: str


def bare(text: str) -> str:
    """Return a number without spaces and currency signs, with any dash as a hyphen."""
    return _SPACE.sub("", text.translate(_DASHES))


def written_rows(runs: Sequence[Run]) -> list[Row]:
    """Return the rows of tables on a page, from characters in the order of the file."""
    return _rows([_cells(line) for line in _lines(runs)])


def evident_rows(text: str) -> list[Row]:
    """Return the rows of tables in the evidence of a question: each cell, or each row, on a line of its own."""
    lines: list[list[str]] = []
    for line in filter(None, map(str.strip, text.split("\n"))):
        words = line.split()
        start = next((at for at in range(len(words)) if all(map(_counts, words[at:]))), len(words))
        label, numbers = " ".join(words[:start]), words[start:]
        if label or not lines:
            lines.append([label] if label else [])
        lines[-1] += numbers
    return _rows([_with_signs(line) for line in lines])


def _counts(word: str) -> bool:
    word = bare(word)
    closed = f"{word})" if word.startswith("(") else word
    return word in {"", "%", ")", ")%", "("} or any(map(_NUMBER.match, (word, closed))) or bool(_DASH.match(word))


def _with_signs(cells: Iterable[str]) -> list[str]:
    """Join separate signs with their numbers."""
    found: list[str] = []
    for cell in cells:
        last = bare(found[-1]) if found else None
        if last in {"", "(", "-("} or (last and bare(cell) in {"%", ")", ")%"}):
            found[-1] += cell
        else:
            found.append(cell)
    return found


def _lines(runs: Sequence[Run]) -> Iterator[list[Run]]:
    line: list[Run] = []
    for run in runs:
        last = line[-1] if line else run
        level = abs(run.base - last.base) < _LEVEL * last.size and abs(run.size - last.size) < 0.3 * last.size
        if line and not (level and run.left > last.left):
            yield line
            line = []
        line.append(run)
    if line:
        yield line


def _cells(line: Sequence[Run]) -> list[str]:
    """Return the texts of a line that are separated by white space."""
    found = [line[0].text]
    for before, run in pairwise(line):
        gap = (run.left - before.right) / run.size
        sign = bare(before.text) in {"", "("} or bare(run.text) in {"%", ")", ")%"}
        beside = bool(_NUMBER.match(bare(before.text)) and _NUMBER.match(bare(run.text)) and gap > _DIGITS)
        if gap < (_SIGN if sign else _CELL) and not beside:
            found[-1] += f" {run.text}"
        else:
            found.append(run.text)
    return _with_signs(found)


def _rows(lines: Sequence[Sequence[str]]) -> list[Row]:
    found = []
    texts = [letters(" ".join(line)) for line in lines]
    for at, (label, *cells) in enumerate(line if line else [""] for line in lines):
        numbers = [bare(cell) for cell in cells]
        figures = [number for number in numbers if any(sign.isdigit() for sign in number)]
        plain = all(_NUMBER.match(number) or _DASH.match(number) for number in numbers)
        own = letters(label)
        heads = all(_YEAR.match(number) for number in figures)
        if len(figures) < 2 or heads or not plain or sum(map(str.isalpha, own)) < _FEWEST:
            continue
        before, after = texts[at - 1] if at else "", texts[at + 1] if at + 1 < len(lines) else ""
        earlier = texts[at - 2] if at > 1 else ""
        labels = {own, before + own, own + after, before + own + after, earlier + before + own}
        found.append(Row(frozenset(labels), tuple(figures), " | ".join([label, *cells])))
    return found


def judge(row: Row, stored: Counter[tuple[str, tuple[str, ...]]], numbers: Counter[str]) -> str:
    """Return how a row is stored: "right", with another "label", its "cells" elsewhere, or in no "table"."""
    if any((label, row.numbers) in stored for label in row.labels):
        return "right"
    if any(cells == row.numbers for _, cells in stored):
        return "label"
    return "cells" if all(numbers[number] for number in row.numbers) else "table"


def stored_rows(found: Read, page: int) -> tuple[Counter[tuple[str, tuple[str, ...]]], Counter[str]]:
    """Return the rows of the tables on a page, label and numbers, and the numbers of all cells."""
    rows: Counter[tuple[str, tuple[str, ...]]] = Counter()
    numbers: Counter[str] = Counter()
    for item in found.on(page):
        if item.type != "TABLE" or item.table is None:
            continue
        for row in item.table.rows:
            label, *cells = [cell.text for cell in row] or [""]
            figures = [bare(cell) for cell in cells if any(sign.isdigit() for sign in cell)]
            rows[letters(label), tuple(figures)] += 1
            numbers.update(bare(word) for cell in row for word in [*cell.text.split(), cell.text])
    return rows, numbers


def _asked(questions: Path, lists: Path, wild: Path) -> Iterator[tuple[Path, bool, dict[int, list[Row]]]]:
    """Yield the files with evidence, whether they are in the half developed on, and the rows of their pages."""
    listed = {line.strip() for line in (lists / "financebench.txt").read_text(encoding="utf-8").splitlines()}
    files: dict[str, dict[int, list[Row]]] = {}
    for line in questions.read_text(encoding="utf-8").splitlines():
        for piece in json.loads(line)["evidence"]:
            name = f"pdfs/{piece['doc_name']}.pdf"
            if name in listed:
                text = piece.get("evidence_text_full_page") or piece["evidence_text"]
                files.setdefault(name, {})[piece["evidence_page_num"] + 1] = evident_rows(text)
    for name, rows in sorted(files.items()):
        yield wild / "financebench" / name, develops("financebench", name), rows


def main() -> None:
    """Print the number of right rows of each file, and sums."""
    import pypdfium2

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--pages", nargs="*", type=int, help="default all")
    parser.add_argument("--questions", type=Path, help="financebench_open_source.jsonl")
    parser.add_argument(
        "--wild", type=Path, default=Path("../shared/data/wild"), help="folder of the files of the list"
    )
    parser.add_argument("--lists", type=Path, default=Path("../shared/data/wild"), help="folder of financebench.txt")
    parser.add_argument("--misses", action="store_true", help="show rows that are wrong, of the half developed on")
    chosen = parser.parse_args()
    jobs: list[tuple[Path, bool, dict[int, list[Row]] | None]] = [(path, True, None) for path in chosen.files]
    if chosen.questions:
        jobs += _asked(chosen.questions, chosen.lists, chosen.wild)
    cache = os.environ.get("RAGRAPH_BENCH_CACHE")
    sums: dict[bool, Counter[str]] = {}
    for path, develop, rows in jobs:
        found = read(path, Path(cache) if cache else None)
        if rows is None:
            with pypdfium2.PdfDocument(path) as pdf:
                pages = chosen.pages or range(1, len(pdf) + 1)
            rows = {page: written_rows(runs) for page, runs in printed_runs(path, pages).items()}
        counts = _count(found, rows, show=chosen.misses and develop)
        sums.setdefault(develop, Counter()).update(counts)
        if develop:
            print(f"{path.name}: {_shown(counts)} {found.failed}".rstrip(), flush=True)
    for develop, counts in sums.items():
        print(f"{'developed on' if develop else 'held out'}: {_shown(counts)}")


def _count(found: Read, pages: dict[int, list[Row]], *, show: bool) -> Counter[str]:
    counts: Counter[str] = Counter()
    for page, rows in sorted(pages.items()):
        stored, numbers = stored_rows(found, page)
        for row in rows:
            verdict = judge(row, stored, numbers)
            counts[verdict] += 1
            if show and verdict != "right":
                print(f"  page {page}, {verdict}: {row.text}")
    return counts


def _shown(counts: Counter[str]) -> str:
    total = counts.total()
    wrong = ", ".join(f"{counts[name]} {name}" for name in ("label", "cells", "table") if counts[name])
    return f"{counts['right']} of {total} rows right" + (f" ({wrong})" if wrong else "")


if __name__ == "__main__":
    main()
