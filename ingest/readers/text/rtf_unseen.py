"""Remove from rich text what no person sees: hidden, deleted, tiny, or in the colour behind it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from ragraph.ingest.common.unseen import SMALLEST_POINTS, WHITE, Colour, is_same, leave_out

_TOKEN = re.compile(r"\\([a-zA-Z]+)(-?\d+)? ?|\\'[0-9a-fA-F]{2}|\\[^a-zA-Z']|[{}]|[\r\n]+|[^\\{}\r\n]+", re.DOTALL)
_COLOURS = re.compile(r"\{\\colortbl([^{}]*)\}")
_PART = re.compile(r"\\(red|green|blue)(\d+)")
_SUSPECT = re.compile(r"\\(?:v|deleted|cf|fs[0-2])(?![a-zA-Z])")
_GROUNDS = ("cb", "highlight", "chcbpat")
_CELLS = re.compile(r"\\(?:clcbpat|cbpat|shading|trcbpat)")


@dataclass(frozen=True)
class _State:
    hidden: bool = False
    deleted: bool = False
    size: int = 24
    colour: int = 0
    ground: int = 0
    destination: bool = False


def without_hidden(source: str) -> str:
    """Return rich text, decoded as Latin-1, without the text that nobody sees. Its control words stay."""
    if not _SUSPECT.search(source):
        return source
    colours = _table(source)
    # cells and paragraphs may have a colour of their own, which is not followed
    white: Colour | None = None if _CELLS.search(source) else WHITE
    out: list[str] = []
    left: list[str] = []
    around: list[_State] = []
    state = _State()
    unicode_left = 0
    for found in _TOKEN.finditer(source):
        sign, word, number = found[0], found[1], found[2]
        if sign == "{":
            around.append(state)
        elif sign == "}":
            state = around.pop() if around else state
        elif word is not None and word != "u":
            state = _changed(state, word, number)
        elif sign == "\\*":
            state = replace(state, destination=True)
        elif not state.destination and _is_unseen(state, colours, white):
            if word == "u":
                left.append(chr(int(number or 0) % 0x10000))
                unicode_left = 1
            elif sign[0] != "\\" or sign[1] == "'":
                left.append(sign[unicode_left:] if sign[0] != "\\" else bytes.fromhex(sign[2:]).decode("latin-1"))
                unicode_left = 0
            if sign.strip("\r\n"):
                continue
        out.append(sign)
    leave_out("".join(left))
    return "".join(out)


def _changed(state: _State, word: str, number: str | None) -> _State:
    """Return the state behind a control word."""
    value = int(number) if number else None
    if word == "v":
        return replace(state, hidden=value != 0)
    if word == "deleted":
        return replace(state, deleted=value != 0)
    if word == "plain":
        return replace(state, hidden=False, deleted=False, size=24, colour=0, ground=0)
    if word == "fs":
        return replace(state, size=24 if value is None else value)
    if word == "cf":
        return replace(state, colour=value or 0)
    if word in _GROUNDS:
        return replace(state, ground=value or 0)
    if word in ("colortbl", "fonttbl", "stylesheet", "info"):
        return replace(state, destination=True)
    return state


def _is_unseen(state: _State, colours: list[Colour | None], white: Colour | None) -> bool:
    if state.hidden or state.deleted or state.size <= 2 * SMALLEST_POINTS:
        return True
    if not 0 < state.colour < len(colours):
        return False
    ground = colours[state.ground] if 0 < state.ground < len(colours) else white
    return is_same(colours[state.colour], ground)


def _table(source: str) -> list[Colour | None]:
    """Return the colours of the table, by their numbers; None for the usual one."""
    found = _COLOURS.search(source)
    colours: list[Colour | None] = []
    for entry in found[1].split(";") if found else ():
        parts = {name: min(int(value), 255) / 255 for name, value in _PART.findall(entry)}
        stated = (parts.get("red", 0.0), parts.get("green", 0.0), parts.get("blue", 0.0))
        colours.append(stated if parts else None)
    return colours
