"""Org files of Emacs: rewritten as Markdown, then read as that."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragraph.ingest.common.charset import decode_file
from ragraph.ingest.common.unseen import leave_out
from ragraph.ingest.readers.text.markdown import draft_of
from ragraph.ingest.readers.text.scripts import BRACES, without_scripts

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft
    from ragraph.ingest.readers import ReadOptions

_HEADING = re.compile(r"(\*+)\s+(?:(?:TODO|DONE)\s+)?(?:\[#[A-Z]\]\s+)?(.*?)(?:\s+:[\w@:]+:)?\s*$")
_COMMENTED = re.compile(r"COMMENT\b")
_NO_EXPORT = re.compile(r":noexport:\S*\s*$")
_KEYWORD = re.compile(r"#\+(\w+):\s*(.*)$", re.IGNORECASE)
_BEGIN = re.compile(r"\s*#\+begin_(\w+)\s*(.*)$", re.IGNORECASE)
_END = re.compile(r"\s*#\+end_\w+\s*$", re.IGNORECASE)
_DRAWER = re.compile(r"\s*:(?:PROPERTIES|LOGBOOK):\s*$", re.IGNORECASE)
_LINK = re.compile(r"\[\[([^\[\]]+)\](?:\[([^\[\]]+)\])?\]")
_NOTE = re.compile(r"\[fn:([\w-]+)\]")
_STYLES = (("*", "**"), ("/", "*"), ("=", "`"), ("~", "`"), ("+", "~~"))
_RULE = re.compile(r"\s*\|[-+|]+\|?\s*$")
_COMMENT = re.compile(r"\s*# |\s*#\s*$")
_NOTE_TEXT = re.compile(r"\[fn:([\w-]+)\]\s+(.*)$")
_BLOCKS = {"src": "code", "example": "code", "quote": "quote", "comment": "none", "export": "none"}
"""What the lines of a block become, by its name; text for any other."""


class OrgReader:
    """Org files: headings, lists, tables, blocks, links and notes."""

    name = "org"
    version = 5

    def read(self, path: Path, options: ReadOptions) -> Draft:
        """Return the draft of the file; raises the errors of ``Reader.read``."""
        source = decode_file(path, options.charset).lstrip("\ufeff")
        return draft_of(_markdown(source.splitlines()), f"{self.name}/{self.version}", options, path)


def _markdown(lines: list[str]) -> str:
    page = _Page()
    for line in lines:
        page.add(line)
    return page.text()


class _Page:
    """A file as Markdown, line by line."""

    def __init__(self) -> None:
        self._out: list[str] = []
        self._stated: dict[str, str] = {}
        self._block = ""
        self._in_drawer = False
        self._unseen = 0  # stars of a heading that is not exported, with all below it

    def text(self) -> str:
        """Return all lines added so far, below the stated title, author and date."""
        front = [f"{name}: {_quoted(value)}" for name, value in self._stated.items() if value]
        return "\n".join([*(["---", *front, "---", ""] if front else []), *self._out, ""])

    def add(self, line: str) -> None:
        """Append a line."""
        heading = None if self._block else _HEADING.match(line)
        if heading is not None and (not self._unseen or len(heading[1]) <= self._unseen):
            self._unseen = len(heading[1]) if _COMMENTED.match(heading[2]) or _NO_EXPORT.search(line) else 0
        if self._unseen:
            leave_out(line)
        elif self._block:
            self._in_block(line)
        elif self._in_drawer:
            self._in_drawer = line.strip().upper() != ":END:"
        elif _DRAWER.match(line):
            self._in_drawer = True
        elif (begin := _BEGIN.match(line)) is not None:
            kind = begin[1].lower()
            self._block = _BLOCKS.get(kind, "text")
            self._out.append(f"```{(begin[2].split() or [''])[0]}" if self._block == "code" else "")
        elif (keyword := _KEYWORD.match(line)) is not None:
            self._keyword(keyword[1].lower(), keyword[2])
        elif _COMMENT.match(line):
            leave_out(line)
        elif heading is not None:
            self._out += ["", f"{'#' * min(len(heading[1]), 6)} {_inline(heading[2])}", ""]
        elif (note := _NOTE_TEXT.match(line)) is not None:
            self._out += ["", f"[^{note[1]}]: {_inline(note[2])}"]
        else:
            self._line(line)

    def _in_block(self, line: str) -> None:
        if _END.match(line):
            self._out.append("```" if self._block == "code" else "")
            self._block = ""
        elif self._block == "none":
            leave_out(line)
        elif self._block == "code":
            self._out.append(line)
        else:
            self._out.append(f"{'> ' if self._block == 'quote' else ''}{_inline(line)}")

    def _keyword(self, name: str, value: str) -> None:
        if name in ("title", "author", "date"):
            self._stated[name] = value.strip()
        elif name == "caption":
            self._out += ["", _inline(value), ""]

    def _line(self, line: str) -> None:
        """Append a line of text or of a table; a blank line parts the two, which Org does not require."""
        last = self._out[-1] if self._out else ""
        in_table = line.lstrip().startswith("|")
        if line.strip() and last.strip() and in_table != last.lstrip().startswith("|"):
            self._out.append("")
        self._out.append(line.replace("+", "|") if in_table and _RULE.match(line) else _inline(line))


def _quoted(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _inline(text: str) -> str:
    """Return a line with Org's links, notes and emphasis as those of Markdown."""
    text = _LINK.sub(lambda found: f"[{found[2]}](<{found[1]}>)" if found[2] else f"<{found[1]}>", text)
    text = _NOTE.sub(r"[^\1]", text)
    if "\\(" not in text:
        text = without_scripts(text, BRACES)
    for sign, fence in _STYLES:
        mark = re.escape(sign)
        text = re.sub(
            rf"(?<![\w{mark}\\<(:/]){mark}(?=\S)([^{mark}\n]*?\S){mark}(?![\w{mark}])",
            lambda found, fence=fence: f"{fence}{found[1]}{fence}",  # type: ignore[misc]
            text,
        )
    return text
