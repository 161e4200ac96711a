"""The measures of opendataloader-bench for a page in Markdown: order and text, tables, headings; each from 0 to 1.

* **NID**: normalised indel similarity of the whole texts, blanks joined (Chen et al., MDEval, arXiv:2501.15000).
* **TEDS**: tree edit distance similarity of all tables of the page as one tree (Zhong, ShafieiBavani, Jimeno Yepes,
  ECCV 2020); 0 where no table was found.
* **MHS**: the same over headings, whatever their level, each with the text that follows it up to the next; 0 where no
  heading was found.

Tables of Markdown are compared as HTML, a row of heads that is empty left out. Edit distances are those of APTED
(Pawlik and Augsten, Information Systems 56, 2016).
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from rapidfuzz.distance import Indel, Levenshtein

if TYPE_CHECKING:
    from collections.abc import Callable

_HEADING = re.compile(r"#{1,6}\s+(.*)")
_RULE = re.compile(r"\s*:?-[-\s:]*")


@dataclass(frozen=True)
class PageScores:
    """Scores of a page. ``teds`` is None without a table in the truth, ``mhs`` without a heading."""

    nid: float
    teds: float | None
    mhs: float | None

    @property
    def overall(self) -> float:
        """Return the mean of those that the page has."""
        values = [value for value in (self.nid, self.teds, self.mhs) if value is not None]
        return sum(values) / len(values)


@dataclass(frozen=True)
class _Node:
    """A node of a tree: its kind, the columns and rows it covers, its text."""

    kind: str
    children: tuple[_Node, ...] = ()
    text: str = ""
    spans: tuple[int, int] = (1, 1)

    @property
    def size(self) -> int:
        """Return the number of nodes including it."""
        return 1 + sum(child.size for child in self.children)


def score_page(truth: str, found: str) -> PageScores:
    """Compare a page with its truth, both in Markdown with tables as pipes or HTML."""
    wanted, got = with_html_tables(truth), with_html_tables(found)
    return PageScores(
        nid=Indel.normalized_similarity(_plain(wanted), _plain(got)),
        teds=_alike(_tables(wanted), _tables(got), counted=lambda tree: tree.size - 1),
        mhs=_alike(_headings(wanted), _headings(got), counted=lambda tree: tree.size),
    )


def with_html_tables(text: str) -> str:
    """Return Markdown with its pipe tables written as HTML."""
    lines = text.splitlines()
    written: list[str] = []
    at = 0
    while at < len(lines):
        rule = _cells(lines[at + 1]) if at + 1 < len(lines) and _cells(lines[at]) else []
        if not rule or not all(_RULE.fullmatch(cell) for cell in rule):
            written.append(lines[at])
            at += 1
            continue
        heads = _cells(lines[at])
        rows = [heads] if any(heads) else []
        at += 2
        while at < len(lines) and _cells(lines[at]):
            rows.append(_cells(lines[at]))
            at += 1
        width = max(len(heads), len(rule))
        written.append(_written([(row + [""] * width)[:width] for row in rows or [heads]]))
    return "\n".join(written)


def _cells(line: str) -> list[str]:
    """Return the cells of a row of a pipe table; an empty list if it is not a row."""
    line = line.strip()
    if "|" not in line:
        return []
    return [cell.strip() for cell in line.removeprefix("|").removesuffix("|").split("|")]


def _written(rows: list[list[str]]) -> str:
    kinds = ["th", *["td"] * (len(rows) - 1)]
    return (
        "<table>"
        + "".join(
            "<tr>" + "".join(f"<{kind}>{html.escape(cell)}</{kind}>" for cell in row) + "</tr>"
            for kind, row in zip(kinds, rows, strict=True)
        )
        + "</table>"
    )


def _tables(text: str) -> _Node | None:
    """Return all tables of a text as one tree, without inner ones; None without any."""
    from bs4 import BeautifulSoup

    found = [
        _Node(
            "table",
            tuple(
                _Node(
                    "row",
                    tuple(
                        _Node(
                            "cell",
                            text=_plain(re.sub(r"<br\s*/?>", " ", html.unescape(cell.decode_contents()))),
                            spans=(_count(cell.get("colspan")), _count(cell.get("rowspan"))),
                        )
                        for cell in row.find_all(["td", "th"])
                        if cell.find_parent("table") is table
                    ),
                )
                for row in table.find_all("tr")
                if row.find_parent("table") is table
            ),
        )
        for table in BeautifulSoup(text, "html.parser").find_all("table")
        if table.find_parent("table") is None
    ]
    return _Node("page", tuple(found)) if found else None


def _count(value: object) -> int:
    """Return the number of rows or columns that a cell states to cover; 1 if it is not a number."""
    text = str(value)
    return int(text) if text.isdecimal() else 1


def _headings(text: str) -> _Node | None:
    """Return the headings of a text, each with the text after it, in a tree of one level; None without any."""
    lines = text.splitlines()
    starts = [number for number, line in enumerate(lines) if _HEADING.match(line)]
    if not starts:
        return None
    parts = list(_content(lines[: starts[0]]))
    for start, end in pairwise([*starts, len(lines)]):
        match = _HEADING.match(lines[start])
        parts.append(_Node("heading", _content(lines[start + 1 : end]), _plain(match[1] if match else "")))
    return _Node("page", tuple(parts))


def _content(lines: list[str]) -> tuple[_Node, ...]:
    text = _plain(" ".join(lines))
    return (_Node("content", text=text),) if text else ()


def _plain(text: str) -> str:
    return " ".join(text.split())


def _alike(wanted: _Node | None, got: _Node | None, counted: Callable[[_Node], int]) -> float | None:
    from apted import APTED

    if wanted is None:
        return None
    if got is None:
        return 0.0
    distance = float(APTED(wanted, got, _costs()).compute_edit_distance())
    return max(0.0, 1.0 - distance / max(counted(wanted), counted(got), 1))


def _costs() -> Any:
    from apted import Config

    class Costs(Config):  # type: ignore[misc]
        """1 for an added or missing node; replacing a node costs the difference of the texts, or 1."""

        def rename(self, one: _Node, other: _Node) -> float:
            if (one.kind, one.spans) != (other.kind, other.spans):
                return 1.0
            return Levenshtein.normalized_distance(one.text, other.text)

        def children(self, node: _Node) -> list[_Node]:
            return list(node.children)

    return Costs()
