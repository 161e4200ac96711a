"""The figures of the golden library: how much of each document is right, by what it is.

They come from the truth files alone: what is right, and what ragraph has instead. The test of the library makes sure
that the files say what ragraph has. It accepts a fault as soon as somebody marks it; here a fault more needs a reason.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from bench.gate import truths
from ragraph.schema.enums import ComponentType

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bench.gate.figures import Figures

BASELINE = Path(__file__).parent / "golden.json"
SET = "golden"
KINDS = {
    "titles": ("TITLE", "SUBTITLE", "AUTHOR"),
    "paragraphs": ("PARAGRAPH", "BLOCK_QUOTATION", "STANZA"),
    "items": ("LIST_ITEM",),
    "notes": ("NOTE",),
    "entries": ("BIBLIOGRAPHIC_ENTRY",),
    "captions": ("CAPTION", "FIGURE"),
    "blocks": ("FORMULA", "CODE"),
}
"""Measures of nodes that have the right type and text, by their types; headings are the titles of sections."""
MEASURES = (
    *("title", "authors", "printed", "sections", "levels", "parents", "pages", *KINDS),
    *("targets", "rows", "heads", "order", "clean"),
)
"""Names of all measures: shares of what is right that ragraph has, of ``order`` that it has in order.

``clean`` is the share of what ragraph has that is right.
"""
_HEAD = re.compile(r"(title|authors|printed): (.*)")
_NODE = re.compile(r"( *)([A-Z_]+)(?: (\d+(?:-\d+)?))?(?:: (.*))?")
_UNTITLED = {ComponentType.LIST, ComponentType.CONTAINER}
_COMPONENTS = {str(kind) for kind in ComponentType}

Found = dict[str, Counter[tuple[object, ...]]]
"""What a document has, by measure."""


def figures(folder: Path = truths.HERE) -> Figures:
    """Return the figures of the truth files of a folder, by ``golden/NAME``."""
    return {
        f"{SET}/{path.stem}": {"counted": 1, **compared(truths.entries(path.read_text(encoding="utf-8")))}
        for path in sorted(folder.glob("*.truth"))
    }


def compared(lines: Sequence[str]) -> dict[str, float]:
    """Return the measures of a truth file; those that it has nothing for are left out.

    Args:
        lines: of ``truths.entries``.
    """
    right, ours = truths.right(lines), truths.expected(lines)
    wanted, given = _found(right), _found(ours)
    shares = {
        name: (wanted[name] & given[name]).total() / wanted[name].total() for name in MEASURES if wanted.get(name)
    }
    shares["order"] = _order(list(_texts(right)), list(_texts(ours)))
    every = sum((given[name] & wanted[name]).total() for name in given)
    shares["clean"] = every / sum(counter.total() for counter in given.values())
    return {name: round(shares[name], 4) for name in MEASURES if name in shares}


def _found(lines: Sequence[str]) -> Found:
    """Return what lines have, by measure, apart from order."""
    found: Found = {name: Counter() for name in MEASURES}
    above: list[str] = []
    last = ""
    for line in lines:
        if head := _HEAD.fullmatch(line):
            found[head[1]][(head[2],)] += 1
        elif line.lstrip().startswith(("= ", "| ")):
            mark, _, cells = line.lstrip().partition(" ")
            found["rows"][(cells,)] += 1
            found["heads"].update([(cells,)] if mark == "=" else [])
        elif line.lstrip().startswith("<-"):
            found["targets"][(last, line.lstrip())] += 1
        elif node := _NODE.fullmatch(line):
            depth, kind, pages, last = len(node[1]) // 2, node[2], node[3], node[4] or ""
            del above[depth:]
            # a list has no title: its items belong to the section around it, so many lists deep
            parent = next((name for name in reversed(above) if name), "")
            deep = next((number for number, name in enumerate(reversed(above)) if name), len(above))
            found["levels"].update([(last, deep)] if kind == "LIST_ITEM" else [])
            found["parents"][(kind, last, parent)] += 1
            found["pages"].update([(kind, last, pages)] if pages else [])
            if kind in _COMPONENTS:
                above += [""] * (depth - len(above)) + ["" if kind in _UNTITLED else f"{kind} {last}"]
                found["sections"].update([(kind, last)] if kind not in _UNTITLED else [])
                found["levels"].update([(last, depth)] if last else [])
            for name, kinds in KINDS.items():
                found[name].update([(kind, last)] if kind in kinds else [])
    return found


def _texts(lines: Sequence[str]) -> Iterator[str]:
    """Yield the texts of nodes, components and rows, as they follow each other."""
    for line in lines:
        node = _NODE.fullmatch(line)
        if node and node[4]:
            yield node[4]
        elif line.lstrip().startswith(("= ", "| ")):
            yield line.lstrip()[2:]


def _order(right: list[str], ours: list[str]) -> float:
    """Return the share of the texts that both have which are in the same order."""
    both = Counter(right) & Counter(ours)
    mine = [text for text in right if text in both]
    theirs = [text for text in ours if text in both]
    blocks = difflib.SequenceMatcher(None, mine, theirs, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks) / max(both.total(), 1)
