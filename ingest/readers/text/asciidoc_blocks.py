"""Blocks of AsciiDoc that docling does not tell from paragraphs: admonitions, sidebars, quotations, definitions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragraph.ingest.readers.docling.marks import Marks

_ADMONITIONS = ("NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION")
_STYLE = re.compile(
    rf"\[\s*\"?(?P<style>{'|'.join(_ADMONITIONS)}|sidebar|quote|verse)\"?(?:[%.][^,\]]*)?\s*(?:,(?P<source>.*))?\]\s*$"
)
_LABELLED = re.compile(rf"({'|'.join(_ADMONITIONS)}):\s+(?=\S)")
_TERM = re.compile(r"\s*(\S.*?)(?:::{1,3}|;;)(?:\s+(\S.*))?\s*$")
_TITLE = re.compile(r"\.[^\s.]")


@dataclass
class _Frame:
    """An open block: the line that ends it, the marks of its text, its source, the key of its box."""

    sign: str
    marks: str = ""
    source: str = ""
    box: str | None = None


class Blocks:
    """The blocks around the present line of a source; their marks are put before its text.

    Args:
        marks: the marks of the source.
        inline: returns a line with its inline macros as marks.
    """

    def __init__(self, marks: Marks, inline: Callable[[str], str]) -> None:
        self.waiting = ""  # marks for the next text
        self._marks = marks
        self._inline = inline
        self._frames: list[_Frame] = []
        self._paragraph: _Frame | None = None
        self._style = ""
        self._source = ""
        self._fresh = True
        self._list = ""  # marks of the open list of definitions
        self._defined = self._parted = False
        self._count = 0

    @property
    def box(self) -> str | None:
        """Key of the container of the innermost box; None outside of boxes."""
        return next((frame.box for frame in reversed(self._frames) if frame.box), None)

    def around(self, *, boxes: bool = False) -> str:
        """Return the marks of the open blocks, or of boxes alone, for what is no paragraph."""
        frames = [*self._frames, *([self._paragraph] if self._paragraph else [])]
        return "".join(frame.marks for frame in frames if frame.box or not boxes)

    def states(self, line: str) -> bool:
        """Return True if a line states the style of the block behind it."""
        found = _STYLE.match(line)
        if found is None:
            return False
        self._style = found["style"]
        parts = [part.strip(" \"'") for part in (found["source"] or "").split(",") if "=" not in part]
        self._source = ", ".join(filter(None, parts)) if found["style"] in ("quote", "verse") else ""
        self._fresh = True
        return True

    def delimit(self, sign: str, out: list[str], *, closed: bool) -> None:
        """Begin or end the block of a delimiter; ``closed`` tells whether there is another one like it behind it."""
        self.part(out)
        places = [place for place, frame in enumerate(self._frames) if frame.sign == sign]
        if places:
            for frame in reversed(self._frames[places[-1] :]):
                self._attribute(frame, out)
                self._frames.remove(frame)
        elif closed:
            kind = self._style or {"*": "sidebar", "_": "quote"}.get(sign[0], "")
            self._frames.append(self._frame(kind, sign, out))
        self._style = ""

    def part(self, out: list[str]) -> None:
        """End a paragraph: at a blank line, or another block."""
        if self._paragraph is not None:
            ended, self._paragraph = self._paragraph, None
            self._attribute(ended, out)
        self._fresh = self._parted = True

    def attach(self) -> bool:
        """Take the next block to the present definition, at a line with a plus; return True if there is one."""
        self._parted = False
        return bool(self._list)

    def text(self, text: str, out: list[str], lead: str) -> str:
        """Return a line of text with marks and without the label of a block; ``lead`` is its sign of another kind."""
        led = bool(lead)
        if lead == ".":  # the title of the block behind it
            return self._take(boxes=True) + self._inline(text)
        if not led and self._fresh and self._style:
            self._paragraph = self._frame(self._style, "", out)
        elif not led and self._fresh and (found := _LABELLED.match(text)) is not None:
            self._paragraph = self._frame(found[1], "", out)
            text = text[found.end() :]
        self._style = ""
        term = _TERM.match(text) if not led and (self._fresh or self._list) else None
        if term is not None:
            return self._term(term, out)
        if not led and self._parted and self._defined:
            self._list = ""
        self._defined, self._fresh = True, lead.startswith("=")
        self._parted = self._parted and led
        marks = self._take(boxes=led) + ("" if led else self._list)
        return marks + self._inline(text.strip() if marks else text)

    def end_definitions(self) -> None:
        """End the list of definitions: at a heading."""
        self._list = ""

    def _take(self, *, boxes: bool = False) -> str:
        taken, self.waiting = self.waiting + self.around(boxes=boxes), ""
        return taken

    def _term(self, term: re.Match[str], out: list[str]) -> str:
        """Add the term of a definition; return its text on the same line."""
        if not self._list:
            self._count += 1
            put = self._marks.put
            self._list = put("within", "LIST", str(self._count)) + put("type", "LIST_ITEM")
        said = self._marks.around(self._inline(f"{term[1]}:"), "bold")
        out += ["", self._take() + self._list + said, ""]
        self._defined, self._fresh, self._parted = bool(term[2]), False, False
        return self.around() + self._list + self._inline(term[2]) if term[2] else ""

    def _frame(self, kind: str, sign: str, out: list[str]) -> _Frame:
        """Return the block of a style; the label and the title of a box become its first lines."""
        source, self._source = self._source, ""
        if kind in ("quote", "verse"):
            return _Frame(sign, self._marks.put("type", "BLOCK_QUOTATION"), source)
        if kind not in (*_ADMONITIONS, "sidebar"):
            return _Frame(sign)
        self._count += 1
        label = kind.capitalize() if kind in _ADMONITIONS else ""
        title = out.pop()[1:] if out and _TITLE.match(out[-1]) else ""
        marks = self._marks.put("within", "TEXT_BOX", f"{self._count}:{label or self._marks.strip(title)}")
        for line in filter(None, (label, title)):
            out += ["", self.around() + marks + line, ""]
        return _Frame(sign, marks, box=f"text_box/{self._count}")

    def _attribute(self, frame: _Frame, out: list[str]) -> None:
        """Add the source of a quotation as its last line."""
        if frame.source:
            out += ["", self.around() + frame.marks + f"— {self._inline(frame.source)}", ""]
