"""The words of drawings in LaTeX: labels of nodes, titles and axes of TikZ."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ragraph.ingest.readers.text.latex_marks import closing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_LABEL = re.compile(
    r"\\matrix\b|\bnode\b(?!/)|\\(?:addlegendentry|legend)\b"
    r"|\b(?:title|[xyz]label|label|pin|legend entries|[xyz]ticklabels|symbolic [xyz] coords)\s*=\s*"
)
_BETWEEN = re.compile(r"(?:\s|at\b)*+")
_BRACKET = re.compile(r"\\.|[()\[\]{}]", re.DOTALL)
_LONGEST = 2000
"""What is between a node and its text (options, name, place), and the most characters of one of these."""

_BARE = re.compile(r"[^{},\]\n]+")
_PLACE = re.compile(r"\s*(?:above|below|left|right|center|-?\d+)(?: (?:left|right))?\s*:")
_PARTS = re.compile(r"\\\\(?:\[[^\]]*\])?|&")


def add_labels(document: Any, plain: Callable[[str], str]) -> None:
    """Add the labels of drawings to a document of docling, as texts of its pictures; ``plain`` reads LaTeX."""
    from docling_core.types.doc import DocItemLabel

    for picture in document.pictures:
        code = getattr(getattr(picture, "meta", None), "code", None)
        for label in _labels(code.text) if code is not None else ():
            if text := plain(label):
                document.add_text(label=DocItemLabel.TEXT, text=text, parent=picture)


def _labels(code: str) -> Iterator[str]:
    """Yield the labels of a drawing in their order, as LaTeX."""
    place = 0
    while (found := _LABEL.search(code, place)) is not None:
        place = found.end()
        option = found[0].rstrip().endswith("=")
        begin = place if option else _text_of_node(code, place)
        if not option:  # options of a node may have labels of their own
            yield from _labels(code[place:begin])
        if code[begin : begin + 1] == "{":
            place = closing(code, begin)
            text = code[begin + 1 : place - 1]
        elif option and (bare := _BARE.match(code, begin)) is not None:
            place = bare.end()
            text = bare[0]
        else:
            place = begin
            continue
        text = _PLACE.sub("", text) if option else text
        if found[0] == "\\matrix":
            yield from _labels(text) if "\\node" in text else _PARTS.split(text)
        else:
            yield text


def _text_of_node(code: str, place: int) -> int:
    """Return where the text of a node is, or would be: behind its options, name and place."""
    while (between := _BETWEEN.match(code, place)) is not None:
        depth, place = 0, between.end()
        if code[place : place + 1] not in ("(", "["):
            break
        for found in _BRACKET.finditer(code, place, place + _LONGEST):
            depth += (found[0] in "([{") - (found[0] in ")]}")
            if depth == 0:
                place = found.end()
                break
        else:
            break
    return place
