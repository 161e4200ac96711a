"""Fields of Office files and rich text whose text is in their instruction: EQ, SYMBOL, MACROBUTTON."""

from __future__ import annotations

import re

from ragraph.ingest.common.scripts import lowered, raised
from ragraph.ingest.readers.office.symbols import symbol

_KIND = re.compile(r"\s*(EQ|SYMBOL|MACROBUTTON|GOTOBUTTON)\s+(.*)", re.DOTALL | re.IGNORECASE)
_SWITCHES = re.compile(r'\\\*\s*(?:"[^"]*"|\w+)(?:\s*"[^"]*")?')
_COMMAND = re.compile(r"\\([a-z]+)((?:\s*\\(?:[a-z]+(?:\s*-?\d+)?|[^a-z\s]))*)(\s*\()?", re.IGNORECASE)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_DEEPEST = 20


def field_text(instruction: str) -> str:
    r"""Return the text that a field shows without a stored result; an empty string if it has none.

    Args:
        instruction: what the field does, such as ``EQ \\f(1,2)`` or ``SYMBOL 109 \\f "Symbol"``.
    """
    found = _KIND.match(instruction)
    if found is None:
        return ""
    kind, rest = found[1].upper(), found[2]
    if kind == "EQ":
        return " ".join(_flat(_SWITCHES.sub(" ", rest), 0).split())
    if kind == "SYMBOL":
        number = re.match(r"0x([0-9a-f]+)|(\d{1,7})", rest, re.IGNORECASE)
        font = re.search(r'\\f\s*(?:"([^"]*)"|(\S+))', rest)
        code = (number[1] or f"{int(number[2]):x}") if number else ""
        return symbol((font[1] or font[2]) if font else "", code)
    return _SWITCHES.sub(" ", rest).partition(" ")[2].strip()


def _flat(source: str, depth: int) -> str:
    """Return the text of an equation on one line."""
    out = ""
    at = 0
    while at < len(source):
        found = _COMMAND.match(source, at) if depth < _DEEPEST else None
        if found is not None and not found[3]:  # without arguments: its signs are text, and no command begins in it
            out, at = out + _ESCAPED.sub(r"\1", found[0]), found.end()
        elif found is not None:
            parts, at = _arguments(source, found.end())
            out += _said(found[1].lower(), found[2], [_flat(part, depth + 1) for part in parts], out)
        elif source[at] == "\\":
            out += source[at + 1 : at + 2]
            at += 2
        else:
            out += source[at]
            at += 1
    return out.strip() if depth else out


def _arguments(source: str, at: int) -> tuple[list[str], int]:
    """Return the arguments of a command, and the place behind them. Commas part them if no semicolon does."""
    cuts: dict[str, list[int]] = {",": [at - 1], ";": [at - 1]}
    depth, begin = 1, at
    while at < len(source) and depth:
        sign = source[at]
        depth += (sign == "(") - (sign == ")")
        if sign in cuts and depth == 1:
            cuts[sign].append(at)
        at += 2 if sign == "\\" else 1
    end = at - 1 if not depth else len(source)
    found = cuts[";"] if len(cuts[";"]) > 1 else cuts[","]
    starts = [begin, *(place + 1 for place in found[1:])]
    return [source[start:stop] for start, stop in zip(starts, [*found[1:], end], strict=True)], min(at, len(source))


def _said(name: str, options: str, parts: list[str], before: str) -> str:
    """Return what a command shows of its arguments."""
    if name == "f" and len(parts) > 1:
        return f"({parts[0]})/({parts[1]})"
    if name == "r":
        return f"{parts[0]}√({', '.join(parts[1:])})" if len(parts) > 1 else f"√({parts[0]})"
    if name == "s":
        change = lowered if "\\do" in options.lower() else raised
        return "".join(change(part, before) for part in parts)
    if name == "o":  # signs over each other; a word has its reading before it
        return "".join(parts[1:] if "\\ad" in options.lower() and len(parts) > 1 else parts)
    if name == "i":
        sign = "∑" if "\\su" in options else "∏" if "\\pr" in options else "∫"
        return f"{sign}({parts[0]}, {parts[1]}) {' '.join(parts[2:])}" if len(parts) > 1 else f"{sign}{parts[0]}"
    if name == "b":
        return f"({', '.join(parts)})"
    return ", ".join(part for part in parts if part)
