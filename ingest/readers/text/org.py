"""Org files of Emacs: rewritten as Markdown, then read as that."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragraph.ingest.common.charset import decode_file
from ragraph.ingest.common.unseen import leave_out
from ragraph.ingest.readers.text.markdown import draft_of
from ragraph.ingest.readers.text.org_lines import Lists, inline, table

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft
    from ragraph.ingest.readers import ReadOptions

_HEADING = re.compile(r"(\*+)\s+([A-Z]+\s+)?(?:\[#[A-Z0-9]\]\s+)?(.*)")
_TAGS = re.compile(r"\s(:[\w@#%:]+:)$")
_COMMENTED = re.compile(r"\*+\s+(?:[A-Z]+\s+)?(?:\[#[A-Z0-9]\]\s+)?COMMENT\b")
_NO_EXPORT = re.compile(r":noexport:\S*\s*$")
_KEYWORD = re.compile(r"#\+(\w+):\s*(.*)$", re.IGNORECASE)
_BEGIN = re.compile(r"\s*#\+begin_(\w+)\s*(.*)$", re.IGNORECASE)
_END = re.compile(r"\s*#\+end_\w+\s*$", re.IGNORECASE)
_DRAWER = re.compile(r"\s*:(?:PROPERTIES|LOGBOOK):\s*$", re.IGNORECASE)
_OTHER_DRAWER = re.compile(r"\s*:[\w-]+:\s*$")
"""Begin or end of a drawer whose lines are text."""
_TERM = re.compile(r"(\S.*?)(?<=\S)\s+::(?:\s+(.*))?$")
_LINE = re.compile(r"\s*-{5,}\s*$")
_UNDERLINE = re.compile(r"\s*(?:-{2,}|=+)\s*$")
_FIXED = re.compile(r"\s*:(?: (.*)|)$")
_COMMENT = re.compile(r"\s*# |\s*#\s*$")
_NOTE_TEXT = re.compile(r"\[fn:([\w-]+)\]\s+(.*)$")
_BLOCKS = {
    "src": "code", "example": "code", "quote": "quote", "verse": "verse", "comment": "none", "latex": "none",
    "html": "html",
}  # fmt: skip
"""What the lines of a block become, by its name; text for any other."""


class OrgReader:
    """Org files: headings, lists, tables, blocks, links and notes."""

    name = "org"
    version = 9

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
        self._prefix = ""  # space before the lines of a block, which may be in a list
        self._cut = 0
        self._in_drawer = False
        self._unseen = 0  # stars of a heading that is not exported, with all below it
        self._lists = Lists()
        self._table: list[str] = []
        self._fixed = False
        self._note = ""  # space before the lines of a note
        self._blanks = 0
        self._was_listed = False

    def text(self) -> str:
        """Return all lines added so far, below the stated title, author and date."""
        self._end_runs("")
        front = [f"{name}: {_quoted(value)}" for name, value in self._stated.items() if value]
        return "\n".join([*(["---", *front, "---", ""] if front else []), *self._out, ""])

    def add(self, line: str) -> None:
        """Append a line."""
        heading = None if self._block else _HEADING.match(line)
        if heading is not None and (not self._unseen or len(heading[1]) <= self._unseen):
            self._unseen = len(heading[1]) if _COMMENTED.match(line) or _NO_EXPORT.search(line) else 0
        if self._unseen:
            leave_out(line)
        elif self._block:
            self._in_block(line)
        elif self._in_drawer:
            self._in_drawer = line.strip().upper() != ":END:"
        elif _DRAWER.match(line):
            self._in_drawer = True
        else:
            self._end_runs(line)
            self._of_text(line, heading)

    def _end_runs(self, line: str) -> None:
        """End a table or lines of code that this line does not continue."""
        if self._table and not line.lstrip().startswith("|"):
            prefix = self._note + self._lists.prefix(self._table[0])
            self._out += ["", *(prefix + row for row in table(self._table)), ""]
            self._table = []
        if self._fixed and not _FIXED.match(line):
            self._out += [f"{self._prefix}```", ""]
            self._fixed = False

    def _of_text(self, line: str, heading: re.Match[str] | None) -> None:
        if (begin := _BEGIN.match(line)) is not None:
            self._begin(line, begin)
        elif (keyword := _KEYWORD.match(line)) is not None:
            self._keyword(keyword[1].lower(), keyword[2])
        elif _COMMENT.match(line):
            leave_out(line)
        elif _OTHER_DRAWER.match(line):
            self._out.append("")
        elif heading is not None:
            self._end_note()
            title = heading[3].rstrip()
            tags = _TAGS.search(title)
            said = f"{heading[2] or ''}{title[: tags.start()].rstrip() if tags else title}"
            self._out += ["", f"{'#' * min(len(heading[1]), 6)} {inline(said)}", "", tags[1] if tags else "", ""]
        elif (note := _NOTE_TEXT.match(line)) is not None:
            self._end_note()
            self._note, self._blanks = "    ", 0
            self._out += ["", f"[^{note[1]}]: {inline(note[2])}"]
        elif (fixed := _FIXED.match(line)) is not None:
            if not self._fixed:
                self._prefix = self._note + self._lists.prefix(line)
                self._out += ["", f"{self._prefix}```"]
            self._fixed = True
            self._out.append(self._prefix + (fixed[1] or ""))
        elif line.lstrip().startswith("|"):
            self._table.append(line)
        else:
            self._line(line)

    def _end_note(self) -> None:
        """End a note, with the lists in it."""
        self._note = ""
        self._lists.close()

    def _begin(self, line: str, begin: re.Match[str]) -> None:
        kind = begin[1].lower()
        if kind == "export":  # for a web page, or for a program that is not read
            kind = "html" if begin[2].lower().startswith("html") else "comment"
        self._block = _BLOCKS.get(kind, "text")
        self._prefix = self._note + self._lists.prefix(line)
        self._cut = len(line) - len(line.lstrip())
        language = (begin[2].split() or [""])[0]
        self._out.append(f"{self._prefix}```{language}" if self._block == "code" else "")

    def _in_block(self, line: str) -> None:
        if _END.match(line):
            self._out.append(f"{self._prefix}```" if self._block == "code" else "")
            self._block = ""
        elif self._block == "none":
            leave_out(line)
        elif self._block == "html":
            self._out.append(line)
        elif self._block == "code":
            self._out.append(self._prefix + re.sub(rf"^ {{0,{self._cut}}}", "", line))
        elif not line.strip():
            self._out.append(f"{self._prefix}{'>' if self._block == 'quote' else ''}")
        else:
            begin, end = "> " if self._block == "quote" else "", "  " if self._block == "verse" else ""
            self._out.append(f"{self._prefix}{begin}{inline(line.strip())}{end}")

    def _keyword(self, name: str, value: str) -> None:
        if name in ("title", "author", "date"):
            self._stated[name] = value.strip()
        elif name in ("caption", "subtitle"):
            self._out += ["", inline(value), ""]

    def _line(self, line: str) -> None:
        """Append a line of text, an item of a list or a rule."""
        if not line.strip():
            self._blanks += 1
            self._out.append("")
            if self._note and self._blanks > 1:
                self._end_note()
            return
        self._blanks = 0
        item = self._lists.item(line)
        if _LINE.match(line):
            self._out += ["", "***", ""]
        elif item is not None:
            term = _TERM.match(item[1])
            said = inline(item[1])
            if term:
                named = f"{inline(term[1])}:"
                said = f"{named if '*' in named else f'**{named}**'} {inline(term[2] or '')}"
            self._out.append(f"{self._note}{item[0]}{said}")
        else:
            prefix = self._note + self._lists.prefix(line)
            if not prefix and self._out and self._out[-1].strip() and self._was_listed:
                self._out.append("")  # the line is behind a list, not in its last item
            self._out.append(f"{prefix}{chr(92) if _UNDERLINE.match(line) else ''}{inline(line.strip())}")
        self._was_listed = bool(self._lists.is_open)


def _quoted(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
