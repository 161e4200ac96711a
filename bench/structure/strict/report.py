"""The strict figures by kind of document: pooled over the pages of a kind, the mean of kinds, and the worst file."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bench.structure.metrics import Ratio, Scores
from bench.structure.strict.score import COUNTED, GIVEN

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

SIGNS = {
    "digits": "numbers printed on the page that are stored as printed: no digit, point, comma or sign lost, changed or "
    "moved",
    "intact": "pages on which all numbers are, and no other is stored",
}
COLUMNS = {**COUNTED, **SIGNS}
"""Columns of the tables in the documentation."""
FIGURES = (*COLUMNS, *GIVEN)
LEAST = 5
"""Minimum count in a file for it to be the worst in a column."""
BEGIN, END = "<!-- bench-strict: begin -->", "<!-- bench-strict: end -->"


@dataclass
class PageLine:
    """The figures of one page under one reader in one form."""

    number: str
    file: str
    kind: str
    half: str
    form: str
    reader: str
    scores: Scores = field(default_factory=Scores)
    failed: str = ""


@dataclass
class Line:
    """A line of the table."""

    name: str
    form: str
    reader: str
    figures: dict[str, float | None]
    pages: int


def lines_of(pages: Sequence[PageLine]) -> list[Line]:
    """Return for each form and reader the mean of kinds, each kind, and the worst file of each column."""
    groups: dict[tuple[str, str], list[PageLine]] = {}
    for page in pages:
        groups.setdefault((page.form, page.reader), []).append(page)
    lines = []
    for (form, reader), every in groups.items():
        kinds = {
            kind: pooled(page for page in every if page.kind == kind) for kind in sorted({page.kind for page in every})
        }
        files = [pooled(page for page in every if page.file == name) for name in sorted({page.file for page in every})]
        mean = {name: _mean([scores.value(name) for scores in kinds.values()]) for name in FIGURES}
        worst = {name: _worst(files, name) for name in FIGURES}
        lines.append(Line("mean of kinds", form, reader, mean, len(every)))
        lines.append(Line("worst file", form, reader, worst, len(every)))
        for kind, scores in kinds.items():
            figures = {name: scores.value(name) for name in FIGURES}
            lines.append(Line(kind, form, reader, figures, sum(page.kind == kind for page in every)))
    return lines


def pooled(pages: Iterable[PageLine]) -> Scores:
    """Return the scores of pages added up."""
    total = Scores()
    for page in pages:
        total.add(page.scores)
    return total


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _worst(files: Sequence[Scores], name: str) -> float | None:
    """Return the lowest figure of a file with a sufficient count."""
    key = "R" if name == "F1" else name
    least = 1 if name in {"named", "titles", "TEDS", "intact"} else LEAST
    known = [scores.value(name) for scores in files if key in scores.ratios and scores.ratios[key].total >= least]
    return min((value for value in known if value is not None), default=None)


def header() -> str:
    """Return the first line for the terminal."""
    return _row("", "form", "reader", list(FIGURES))


def shown(line: Line) -> str:
    """Return a line for the terminal."""
    return _row(line.name, line.form, line.reader, [_figure(line.figures[name], "-") for name in FIGURES])


def _row(name: str, form: str, reader: str, figures: Sequence[str]) -> str:
    return f"{name:<15}{form:<9}{reader:<15}" + "".join(f"{figure:>10}" for figure in figures)


def _figure(value: float | None, nothing: str) -> str:
    return nothing if value is None else f"{value:.3f}"


def write_json(pages: Sequence[PageLine], path: Path) -> None:
    """Write the figures of each page, as hits and totals, to a file."""

    def entry(page: PageLine) -> dict[str, Any]:
        names = ("number", "file", "kind", "half", "form", "reader", "failed")
        plain: dict[str, Any] = {name: getattr(page, name) for name in names}
        plain["counts"] = {name: list(ratio) for name, ratio in page.scores.ratios.items()}
        return plain

    path.write_text(json.dumps([entry(page) for page in pages], indent=1) + "\n", encoding="utf-8")


def read_json(path: Path) -> list[PageLine]:
    """Return the lines that ``write_json`` wrote."""
    lines = []
    for entry in json.loads(path.read_text(encoding="utf-8")):
        counts = entry.pop("counts")
        line = PageLine(**entry)
        line.scores.ratios = {name: Ratio(*ratio) for name, ratio in counts.items()}
        lines.append(line)
    return lines


def write_markdown(pages: Sequence[PageLine], path: Path) -> None:
    """Replace the tables between the marks in a Markdown file."""
    text = path.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    path.write_text(f"{before}{BEGIN}\n{_markdown(pages)}\n{END}{after}", encoding="utf-8")


def _markdown(pages: Sequence[PageLine]) -> str:
    parts = []
    halves = {"held out": "Files the rules were not made on", "developed on": "Files the rules were made on"}
    forms = {"stripped": "outline, tags and page labels taken out", "as is": "as they are"}
    for half, title in halves.items():
        for form, what in forms.items():
            lines = lines_of([page for page in pages if page.half == half and page.form == form])
            if lines:
                parts += [f"### {title}: {what}", "", *_table(lines), ""]
    parts += [f"* **{name}**: {what}." for name, what in COLUMNS.items()]
    return "\n".join(parts)


def _table(lines: Sequence[Line]) -> Iterable[str]:
    yield f"| kind | pages | reader | {' | '.join(COLUMNS)} |"
    yield f"| --- | ---: | --- |{' ---: |' * len(COLUMNS)}"
    order = list(dict.fromkeys(line.name for line in lines))
    for line in sorted(lines, key=lambda line: order.index(line.name)):
        figures = [_figure(line.figures[name], "–").removeprefix("0") for name in COLUMNS]
        yield f"| {line.name} | {line.pages} | {line.reader} | {' | '.join(figures)} |"
