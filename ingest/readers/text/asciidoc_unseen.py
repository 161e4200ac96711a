"""Lines of AsciiDoc that its document does not show: comments, and what a condition leaves out."""

from __future__ import annotations

import re

from ragraph.ingest.common.unseen import leave_out
from ragraph.ingest.readers.html.fragments import seen_text

_BLOCK = re.compile(r"(/{4,})\s*$")
_LINE = re.compile(r"//(?!/)(.*)$")
_STYLE = re.compile(r"\[comment[^\]]*\]\s*$")
_RAW = re.compile(r"(-{4,}|\.{4,}|`{3,}.*)\s*$")
_PASS = re.compile(r"(\+{4,})\s*$")
_FRAME = re.compile(r"(--|={4,}|\*{4,}|_{4,}|-{4,}|\.{4,}|\+{4,}|/{4,})\s*$")
_CONDITION = re.compile(r"(ifdef|ifndef|ifeval)::([^\[]*)\[(.*)\]\s*$")
_ENDIF = re.compile(r"endif::[^\[]*\[.*\]\s*$")
_ATTRIBUTE = re.compile(r":(!?)([\w-]+)(!?):(?:\s|$)")
_INLINE_PASS = re.compile(r"\+\+\+(.+?)\+\+\+|pass:[a-z,]*\[((?:[^\]\\]|\\.)*)\]")
_INDEX_TERM = re.compile(r"\(\(\((.+?)\)\)\)(?!\))|\bindexterm:\[((?:[^\]\\]|\\.)*)\]")
"""A term of the index alone, which is not shown where it stands."""
_USUAL = frozenset({"backend-html5", "backend", "basebackend-html", "basebackend", "doctype-article", "doctype", "env"})
"""Attributes that are set when a document is made into a web page."""


def seen_lines(lines: list[str]) -> list[str]:
    """Return the lines of a source that its document shows; raw HTML as the text that it shows."""
    out: list[str] = []
    left: list[str] = []
    attributes = set(_USUAL)
    conditions: list[bool] = []
    ends = ""  # the line that ends a block that is not shown
    raw = ""
    passed: list[str] | None = None
    paragraph = False  # a comment until the next blank line
    styled = False
    for line in lines:
        bare = line.rstrip()
        if ends:
            left.append(line)
            ends = "" if bare == ends else ends
            continue
        if passed is not None and not _PASS.match(line):
            passed.append(line)
            continue
        if not raw and (found := _CONDITION.match(line)) is not None:
            shown = _holds(found[1], found[2], found[3], attributes)
            if found[3] and found[1] != "ifeval":  # the text is on the line of its condition
                (out if shown and all(conditions) else left).append(found[3])
            else:
                conditions.append(shown)
            continue
        if not raw and _ENDIF.match(line):
            if conditions:
                conditions.pop()
            continue
        if not all(conditions):
            left.append(line)
            continue
        if paragraph:
            paragraph = bool(bare)
            (left if bare else out).append(line)
            continue
        if styled:
            styled = False
            left.append(line)
            frame = _FRAME.match(line)
            ends, paragraph = (frame[1], False) if frame else ("", True)
            continue
        if raw:
            raw = "" if bare == raw else raw
        elif (found := _BLOCK.match(line)) is not None:
            ends = found[1]
            continue
        elif (found := _LINE.match(line)) is not None:
            left.append(found[1])
            continue
        elif _STYLE.match(line):
            styled = True
            continue
        elif _PASS.match(line):
            if passed is None:
                passed = []
            else:
                out += ["", seen_text("\n".join(passed)), ""]
                passed = None
            continue
        elif (found := _RAW.match(line)) is not None:
            raw = "```" if found[1].startswith("`") else found[1]
        elif (stated := _ATTRIBUTE.match(line)) is not None:
            (attributes.discard if stated[1] or stated[3] else attributes.add)(stated[2])
        elif "+++" in line or "pass:" in line or "(((" in line or "indexterm:[" in line:
            line = _INLINE_PASS.sub(lambda found: seen_text(found[1] or found[2]), line)
            left += [found[1] or found[2] for found in _INDEX_TERM.finditer(line)]
            line = _INDEX_TERM.sub("", line)
        out.append(line)
    if passed:  # its block ends with the file
        out.append(seen_text("\n".join(passed)))
    leave_out("\n".join(left))
    return out


def _holds(kind: str, names: str, rest: str, attributes: set[str]) -> bool:
    """Return True if a condition holds; one that is computed counts as such, because it is not computed here."""
    if kind == "ifeval":
        return True
    every = "+" in names
    given = [name.strip() in attributes for name in re.split(r"[+,]", names) if name.strip()]
    if kind == "ifdef":
        return all(given) if every else any(given)
    return not all(given) if every else not any(given)
