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


class OrgReader:
    """Org files: headings, lists, tables, blocks, links and notes."""

    name = "org"
    version = 4

    def read(self, path: Path, options: ReadOptions) -> Draft:
        """Return the draft of the file; raises the errors of ``Reader.read``."""
        source = decode_file(path, options.charset).lstrip("\ufeff")
        return draft_of(_markdown(source.splitlines()), f"{self.name}/{self.version}", options, path)


def _markdown(lines: list[str]) -> str:
    out: list[str] = []
    stated: dict[str, str] = {}
    block = ""
    in_drawer = False
    unseen = 0  # stars of a heading that is not exported, with all below it
    for line in lines:
        heading = None if block else _HEADING.match(line)
        if heading is not None and (not unseen or len(heading[1]) <= unseen):
            unseen = len(heading[1]) if _COMMENTED.match(heading[2]) or _NO_EXPORT.search(line) else 0
        if unseen:
            leave_out(line)
        elif block:
            if _END.match(line):
                out.append("```" if block == "code" else "")
                block = ""
            elif block == "none":
                leave_out(line)
            else:
                out.append(line if block == "code" else f"> {_inline(line)}" if block == "quote" else _inline(line))
        elif in_drawer:
            in_drawer = line.strip().upper() != ":END:"
        elif _DRAWER.match(line):
            in_drawer = True
        elif (begin := _BEGIN.match(line)) is not None:
            kind = begin[1].lower()
            block = "code" if kind in {"src", "example"} else "quote" if kind == "quote" else "text"
            block = "none" if kind in {"comment", "export"} else block
            out.append(f"```{(begin[2].split() or [''])[0]}" if block == "code" else "")
        elif (keyword := _KEYWORD.match(line)) is not None:
            if keyword[1].lower() in {"title", "author", "date"}:
                stated[keyword[1].lower()] = keyword[2].strip()
            elif keyword[1].lower() == "caption":
                out += ["", _inline(keyword[2]), ""]
        elif re.match(r"\s*# ", line) or line.strip() == "#":
            leave_out(line)
        elif heading is not None:
            out += ["", f"{'#' * min(len(heading[1]), 6)} {_inline(heading[2])}", ""]
        elif line.lstrip().startswith("|"):
            if out and out[-1].strip() and not out[-1].lstrip().startswith("|"):
                out.append("")  # a table may follow a list or paragraph without a blank line
            out.append(re.sub(r"\+", "|", line) if _RULE.match(line) else _inline(line))
        elif (note := re.match(r"\[fn:([\w-]+)\]\s+(.*)$", line)) is not None:
            out += ["", f"[^{note[1]}]: {_inline(note[2])}"]
        else:
            if out and out[-1].lstrip().startswith("|") and line.strip():
                out.append("")
            out.append(_inline(line))
    front = [f"{name}: {_quoted(value)}" for name, value in stated.items() if value]
    return "\n".join([*(["---", *front, "---", ""] if front else []), *out, ""])


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
