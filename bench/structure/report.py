"""The table of the PDF benchmark: on the terminal, as JSON and as a part of ``bench/results/pdf.md``."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bench.structure.metrics import METRICS, Scores

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

BEGIN, END = "<!-- bench-structure: begin -->", "<!-- bench-structure: end -->"
SPEED = {
    "pages/s": "pages a second of processor time, all threads together",
    "share": "of the speed of docling-parse alone on the same files in this run",
}


@dataclass
class Line:
    """A line of the table: document (or mean), form ("as is", "stripped"), reader and its figures."""

    document: str
    form: str
    reader: str
    scores: Scores
    held_out: bool = False
    parse_seconds: float = 0.0

    def value(self, name: str) -> float | None:
        """Return a figure by the name of its column."""
        if name == "pages/s":
            return self.scores.pages / self.scores.seconds if self.scores.seconds else None
        if name == "share":
            return self.parse_seconds / self.scores.seconds if self.scores.seconds and self.parse_seconds else None
        return self.scores.value(name)


@dataclass
class Mean:
    """The mean of lines, each document counted once; a figure that no document has is None."""

    document: str
    form: str
    reader: str
    lines: Sequence[Line]

    def value(self, name: str) -> float | None:
        """Return a figure by the name of its column; speed is that of all pages together."""
        if name in SPEED:
            seconds = sum(line.scores.seconds for line in self.lines)
            total = sum(line.parse_seconds if name == "share" else line.scores.pages for line in self.lines)
            return total / seconds if seconds and total else None
        values = [value for value in (line.value(name) for line in self.lines) if value is not None]
        return sum(values) / len(values) if values else None


COLUMNS = [*METRICS, *SPEED]


def means(lines: Sequence[Line]) -> list[Mean]:
    """Return a mean per form and reader over the documents that are not held out, in the order of the lines."""
    groups: dict[tuple[str, str], list[Line]] = {}
    for line in lines:
        if not line.held_out:
            groups.setdefault((line.form, line.reader), []).append(line)
    return [Mean("mean", form, reader, every) for (form, reader), every in groups.items()]


def header() -> str:
    """Return the first line of the table for the terminal."""
    return _row(["document", "form", "reader"], COLUMNS)


def shown(line: Line | Mean) -> str:
    """Return a line of the table for the terminal."""
    return _row([line.document, line.form, line.reader], [_figure(line, name, "-") for name in COLUMNS])


def _row(names: Sequence[str], figures: Sequence[str]) -> str:
    left = "".join(f"{name[:13]:<14}" if place != 1 else f"{name:<9}" for place, name in enumerate(names))
    return left + "".join(f"{figure:>{max(len(name) + 1, 7)}}" for name, figure in zip(COLUMNS, figures, strict=True))


def _figure(line: Line | Mean, name: str, nothing: str) -> str:
    value = line.value(name)
    if value is None:
        return nothing
    return f"{value:.1f}" if name == "pages/s" else f"{value:.3f}"


def write_json(lines: Sequence[Line], path: Path) -> None:
    """Write all figures, with hits and totals, to a file."""

    def entry(line: Line | Mean) -> dict[str, Any]:
        plain: dict[str, Any] = {"document": line.document, "form": line.form, "reader": line.reader}
        plain["figures"] = {name: line.value(name) for name in COLUMNS}
        if isinstance(line, Line):
            plain |= {"held_out": line.held_out, "files": line.scores.files, "failed": line.scores.failed}
            plain["counts"] = {name: list(ratio) for name, ratio in line.scores.ratios.items()}
        return plain

    every: list[Line | Mean] = [*lines, *means(lines)]
    entries = [entry(line) for line in every]
    path.write_text(json.dumps(entries, indent=1) + "\n", encoding="utf-8")


def write_markdown(lines: Sequence[Line], path: Path) -> None:
    """Replace the tables between the marks in a Markdown file."""
    text = path.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    path.write_text(f"{before}{BEGIN}\n{_markdown(lines)}\n{END}{after}", encoding="utf-8")


def _markdown(lines: Sequence[Line]) -> str:
    parts = []
    for form, title in (("stripped", "Outline, tags and page labels taken out"), ("as is", "As the files are")):
        chosen = [line for line in lines if line.form == form]
        averages = [mean for mean in means(lines) if mean.form == form]
        parts += [f"### {title}", "", *_table([*averages, *chosen]), ""]
    parts += [f"* **{name}**: {what}." for name, what in {**METRICS, **SPEED}.items()]
    return "\n".join(parts)


def _table(lines: Iterable[Line | Mean]) -> Iterable[str]:
    yield f"| document | reader | {' | '.join(COLUMNS)} |"
    yield f"| --- | --- |{' ---: |' * len(COLUMNS)}"
    for line in lines:
        figures = [_figure(line, name, "–").removeprefix("0") for name in COLUMNS]
        name = f"*{line.document}*" if isinstance(line, Line) and line.held_out else line.document
        yield f"| {name} | {line.reader} | {' | '.join(figures)} |"
