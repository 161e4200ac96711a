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
    scan = _Scan()
    for line in lines:
        scan.read(line)
    return scan.end()


class _Scan:
    """Parts the lines of a source into those that its document shows and those that it leaves out."""

    def __init__(self) -> None:
        self._shown: list[str] = []
        self._left: list[str] = []
        self._attributes = set(_USUAL)
        self._conditions: list[bool] = []
        self._ends = ""  # the line that ends a block that is not shown
        self._raw = ""  # the line that ends a block that is shown as it is
        self._passed: list[str] | None = None  # lines of a block of HTML
        self._paragraph = False  # a comment until the next blank line
        self._styled = False  # the next block is a comment

    def read(self, line: str) -> None:
        """Take a line."""
        bare = line.rstrip()
        if self._ends:
            self._left.append(line)
            self._ends = "" if bare == self._ends else self._ends
        elif self._passed is not None and not _PASS.match(line):
            self._passed.append(line)
        elif self._raw or not self._is_condition(line):
            if not all(self._conditions):
                self._left.append(line)
            elif self._paragraph:
                self._paragraph = bool(bare)
                (self._left if bare else self._shown).append(line)
            elif self._styled:
                self._leave_block(line)
            elif self._raw:
                self._raw = "" if bare == self._raw else self._raw
                self._shown.append(line)
            elif not self._leaves(line):
                self._show(line)

    def end(self) -> list[str]:
        """Return the lines that are shown; the others are noted as left out."""
        if self._passed:  # its block ends with the file
            self._shown.append(seen_text("\n".join(self._passed)))
        leave_out("\n".join(self._left))
        return self._shown

    def _is_condition(self, line: str) -> bool:
        if (found := _CONDITION.match(line)) is not None:
            shown = _holds(found[1], found[2], found[3], self._attributes)
            if found[3] and found[1] != "ifeval":  # the text is on the line of its condition
                (self._shown if shown and all(self._conditions) else self._left).append(found[3])
            else:
                self._conditions.append(shown)
            return True
        if _ENDIF.match(line):
            if self._conditions:
                self._conditions.pop()
            return True
        return False

    def _leave_block(self, line: str) -> None:
        """Leave out the block that begins with a line: up to its frame, or to the next blank line."""
        self._styled = False
        self._left.append(line)
        frame = _FRAME.match(line)
        self._ends, self._paragraph = (frame[1], False) if frame else ("", True)

    def _leaves(self, line: str) -> bool:
        """Return True if a line is not shown: a comment, or a frame of a comment or of HTML."""
        if (found := _BLOCK.match(line)) is not None:
            self._ends = found[1]
        elif (found := _LINE.match(line)) is not None:
            self._left.append(found[1])
        elif _STYLE.match(line):
            self._styled = True
        elif _PASS.match(line):
            if self._passed is None:
                self._passed = []
            else:
                self._shown += ["", seen_text("\n".join(self._passed)), ""]
                self._passed = None
        else:
            return False
        return True

    def _show(self, line: str) -> None:
        if (found := _RAW.match(line)) is not None:
            self._raw = "```" if found[1].startswith("`") else found[1]
        elif (stated := _ATTRIBUTE.match(line)) is not None:
            (self._attributes.discard if stated[1] or stated[3] else self._attributes.add)(stated[2])
        elif "+++" in line or "pass:" in line or "(((" in line or "indexterm:[" in line:
            line = _INLINE_PASS.sub(lambda found: seen_text(found[1] or found[2]), line)
            self._left += [found[1] or found[2] for found in _INDEX_TERM.finditer(line)]
            line = _INDEX_TERM.sub("", line)
        self._shown.append(line)


def _holds(kind: str, names: str, rest: str, attributes: set[str]) -> bool:
    """Return True if a condition holds; one that is computed counts as such, because it is not computed here."""
    if kind == "ifeval":
        return True
    every = "+" in names
    given = [name.strip() in attributes for name in re.split(r"[+,]", names) if name.strip()]
    if kind == "ifdef":
        return all(given) if every else any(given)
    return not all(given) if every else not any(given)
