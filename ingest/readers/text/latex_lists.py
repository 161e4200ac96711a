"""Numbers of lists as LaTeX prints them: 1., (a), i., A.; docling drops them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragraph.ingest.readers.markup.lists import ordered_marker

if TYPE_CHECKING:
    from ragraph.ingest.readers.docling.marks import Marks

_TOKEN = re.compile(
    r"\\begin\{(?P<begin>enumerate|itemize|description|list|compactenum|inparaenum)\*?\}(?:\s*\[(?P<label>(?:[^\[\]{}]|\{[^{}]*\})*)\])?"
    r"|\\end\{(?P<end>enumerate|itemize|description|list|compactenum|inparaenum)\*?\}"
    r"|\\item(?![A-Za-z@])(?P<own>\s*\[)?(?:<[^<>]*>)?"
    r"|\\setcounter\{enum(?P<deep>i{1,3}v?)\}\s*\{(?P<set>-?\d+)\}"
)
_USUAL = (("", "1", "."), ("(", "a", ")"), ("", "i", "."), ("", "A", "."))
_COUNTERS = {"arabic": "1", "alph": "a", "Alph": "A", "roman": "i", "Roman": "I"}
_COUNTER = re.compile(r"\\(arabic|alph|Alph|roman|Roman)\*")
_LABEL = re.compile(r"label\s*=\s*(\{(?:[^{}]|\{[^{}]*\})*\}|[^,]*)")
_START = re.compile(r"start\s*=\s*(\d+)")
_SHORT = re.compile(r"([^\w\\{}]*)([1aAiI])([^\w\\{}]*)")


def with_numbers(source: str, marks: Marks) -> str:
    """Return a source whose items of numbered lists have their number as a mark."""
    out: list[str] = []
    at = 0
    lists: list[tuple[tuple[str, str, str] | None, int]] = []  # label and number of each open list; None = no number
    for found in _TOKEN.finditer(source):
        if found["begin"]:
            deep = sum(label is not None for label, _ in lists)
            numbered = found["begin"].endswith(("enumerate", "enum"))
            lists.append(_label(found["label"] or "", deep) if numbered else (None, 0))
        elif found["end"]:
            lists = lists[:-1]
        elif found["set"]:
            place = [number for number, (label, _) in enumerate(lists) if label is not None]
            if len(place) >= (deep := {"i": 1, "ii": 2, "iii": 3, "iv": 4}.get(found["deep"], 9)):
                lists[place[deep - 1]] = (lists[place[deep - 1]][0], int(found["set"]))
        elif lists and (label := lists[-1][0]) is not None and not found["own"]:
            number = lists[-1][1]
            lists[-1] = (label, number + 1)
            shown = f"{label[0]}{ordered_marker(label[1], number + 1)[:-1]}{label[2]}"
            out += [source[at : found.end()], " ", marks.put("number", shown, " ")]
            at = found.end()
    return "".join([*out, source[at:]])


def _label(options: str, deep: int) -> tuple[tuple[str, str, str], int]:
    """Return what is before, in and behind the numbers of a list with such options, and the number before its first."""
    start = _START.search(options)
    stated = _LABEL.search(options)
    text = (stated[1] if stated else "" if "=" in options else options).strip("{} ")
    counter = _COUNTER.search(text)
    first = int(start[1]) - 1 if start else 0
    if counter is not None and "\\" not in text.replace(counter[0], ""):
        return (text[: counter.start()], _COUNTERS[counter[1]], text[counter.end() :]), first
    if (short := _SHORT.fullmatch(text)) is not None:
        return (short[1], short[2], short[3]), first
    return _USUAL[min(deep, len(_USUAL) - 1)], first
