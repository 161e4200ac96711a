"""Inline markup as Markdown, with white space collapsed and the offset of every reference mark.

The subset is small so that it can be undone: ``**bold**``, ``*italic*``, `` `code` ``, ``[text](url)`` and
``$formula$``. Literal signs get a backslash only if they would be read as marks, see ``ragraph.base.inline``, because
most faces show content as it is stored.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from itertools import pairwise

from ragraph.base.hyphens import without_breaks
from ragraph.base.inline import SIGN, escaped
from ragraph.ingest.common.scripts import lowered, raised
from ragraph.ingest.draft import clean_text
from ragraph.schema.enums import RelationType

_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff"))  # break hints, which only split words for search
_SPACES = re.compile(r"\s+")
_DELIMITERS = {"bold": "**", "italic": "*", "code": "`"}
_SCHEME = re.compile(r"\s*([A-Za-z][A-Za-z0-9+.\-]*):")
_SAFE_SCHEMES = frozenset({"http", "https", "mailto", "ftp", "ftps", "tel", "doi", "urn"})


_BESIDE = re.compile(r"[^\W_]|\*")
"""What makes the star beside it no mark of emphasis."""


@dataclass(frozen=True)
class Mark:
    """A reference in a text: its type, its anchor, the marker as printed and its offset from 0."""

    type: RelationType
    anchor: str | None
    marker: str | None
    start: int
    target: str | None = None


@dataclass(frozen=True)
class Inline:
    """A finished text and the references in it."""

    text: str
    marks: tuple[Mark, ...] = ()

    def shifted(self, offset: int) -> tuple[Mark, ...]:
        """Return the references for this text at ``offset`` of a longer one."""
        return tuple(Mark(m.type, m.anchor, m.marker, m.start + offset, m.target) for m in self.marks)


def join(parts: list[Inline], separator: str) -> Inline:
    """Join the texts that are not empty; offsets of references are adjusted."""
    text, marks = "", list[Mark]()
    for part in parts:
        if not part.text:
            marks += part.shifted(len(text))
            continue
        if text:
            text += separator
        marks += part.shifted(len(text))
        text += part.text
    return Inline(text, tuple(marks))


def collapse(text: str) -> str:
    """Return text with white space collapsed to single spaces and stripped, without invisible break hints."""
    return _SPACES.sub(" ", without_breaks(str(clean_text(text)).translate(_INVISIBLE))).strip()


def safe_link(url: str | None) -> str | None:
    """Return a URL fit for a Markdown link, or None for ``javascript:``, ``data:`` and other schemes that run code."""
    if not url:
        return None
    url = re.sub(
        r"[\x00-\x20\x7f\u200b\ufeff]+", "", str(clean_text(url)).strip()
    )  # browsers read "java\nscript:" as one word
    scheme = _SCHEME.match(url)
    if not url or (scheme and scheme.group(1).lower() not in _SAFE_SCHEMES):
        return None
    return url.replace("(", "%28").replace(")", "%29").replace("<", "%3C").replace(">", "%3E").replace("\\", "%5C")


class InlineText:
    """Writes a text piece by piece.

    Args:
        markdown: write delimiters and escapes; otherwise the text is plain (headings, cells of tables).
        breaks: keep line breaks; otherwise they become spaces.
    """

    def __init__(self, *, markdown: bool = True, breaks: bool = True) -> None:
        self.markdown = markdown
        self._breaks = breaks
        self._pieces: list[str] = []
        self._length = 0
        self._space = ""
        self._script = (0, False, "")  # of the last raised or lowered text its first piece, its kind, what is before it
        self._scripted = ""
        self._styles: list[tuple[str, str, bool]] = []  # opening, closing, written
        self._raw = 0
        self._suppressed = 0
        self._closed: str | None = None  # the closing delimiter, if it was written last
        self._stars: list[tuple[int, int]] = []  # offsets of the two stars of each text in italics
        self._opened: list[int] = []  # offsets of opening delimiters that have no end yet
        self._watch: int | None = None
        self._marks: list[tuple[Mark, int | None]] = []  # with the end of a marker that stays in the text
        self._special: list[int] = []  # offsets of literal characters that could be read as markup

    def formula(self, value: str) -> None:
        """Append a formula on one line; a number before a number stays apart from it: 2 1/2."""
        if self._pieces and self._pieces[-1][-1:].isdigit() and value[:1].isdigit():
            self.space()
        self.text(value)

    def text(self, value: str | None) -> None:
        """Append text of the source; white space collapses across calls."""
        if not value:
            return
        value = _SPACES.sub(" ", without_breaks(str(clean_text(value)).translate(_INVISIBLE)))
        body = value.strip(" ")
        if not body:
            self.space()
            return
        if value[0] == " ":
            self.space()
        self._write(body, escape=self.markdown and not self._raw)
        if value[-1] == " ":
            self.space()

    def verbatim(self, value: str) -> None:
        """Append text without escapes: a formula between dollar signs."""
        value = collapse(value)
        if value:
            self._write(value, escape=False)

    def script(self, value: str, *, low: bool) -> bool:
        """Append raised or lowered text as plain text; return False, without it, if it would be as any other.

        Texts of one kind without others between are one text, with the same text before them.
        """
        value = _SPACES.sub(" ", value)
        start, was_low, before = self._script
        since = "".join(self._pieces[start:])
        if not (since and since == self._scripted and was_low == low):
            before = self._pieces[-1] if self._pieces else ""
        if self._space or value[:1].isspace():
            before = ""
        shown = (lowered if low else raised)(value, before)
        self._script, self._scripted = (len(self._pieces), low, before), shown.strip()
        if shown == value:
            return False
        self.text(shown)
        return True

    def space(self) -> None:
        """Request white space before the next text."""
        self._space = self._space or " "

    def line_break(self) -> None:
        """Request a line break before the next text."""
        if self._space != "\n\n":
            self._space = "\n" if self._breaks else " "

    def paragraph_break(self) -> None:
        """Request an empty line before the next text."""
        self._space = "\n\n" if self._breaks else " "

    def open(self, style: str) -> None:
        """Begin "bold", "italic" or "code"; nothing is written until text comes, and no italics within bold."""
        delimiter = _DELIMITERS[style]
        if style == "code":
            self._raw += 1
        within = {opening for opening, _, _ in self._styles}
        if not self.markdown or self._suppressed or delimiter in within or (style == "italic" and "**" in within):
            delimiter = ""
        self._styles.append((delimiter, delimiter, False))

    def close(self, style: str) -> None:
        """End the last style, which is ``style``."""
        if style == "code":
            self._raw -= 1
        _, closing, written = self._styles.pop()
        if written and closing:
            if closing == "*":
                self._stars.append((self._opened.pop(), self._length))
            self._append(closing)
            self._closed = closing

    def open_link(self, url: str | None) -> None:
        """Begin a link; None writes no markup. Every call needs ``close_link``."""
        wanted = url is not None and self.markdown and not self._suppressed and not self._raw
        wanted = wanted and not any(closing.startswith("](") for _, closing, _ in self._styles)
        self._styles.append(("[", f"]({url})", False) if wanted else ("", "", False))

    def close_link(self) -> None:
        """End the last link."""
        self.close("link")

    def mark(self, type: RelationType, anchor: str | None, marker: str | None, target: str | None = None) -> None:
        """Add a reference at this place whose marker is not part of the text."""
        self._marks.append((Mark(type, anchor, collapse(marker or "") or None, self._length, target), None))

    def begin_marker(self) -> None:
        """Begin a marker that stays in the text; styles inside are not written, so that it stays as printed."""
        self._suppressed += 1
        self._watch = -1

    def end_marker(self, type: RelationType, anchors: list[str | None]) -> None:
        """End the marker and add one reference per anchor."""
        self._suppressed -= 1
        start, self._watch = self._watch, None
        found = start is not None and start >= 0
        place = start if found and start is not None else self._length
        end = self._length if found else None
        self._marks += [(Mark(type, anchor, None, place), end) for anchor in anchors]

    def finish(self) -> Inline:
        """Return the text, without white space at its ends, and its references."""
        written = "".join(self._pieces)
        dropped = _touching(written, self._stars)
        text = "".join(written[start + 1 : end] for start, end in pairwise([-1, *dropped, len(written)]))
        escapes = escaped(text, [place - bisect_left(dropped, place) for place in self._special])
        if escapes:
            starts = [0, *escapes]
            text = "\\".join(text[start:end] for start, end in zip(starts, [*escapes, None], strict=True))
        marks = []
        for mark, end in self._marks:
            start = mark.start - bisect_left(dropped, mark.start)
            start += (bisect_left if end is None else bisect_right)(escapes, start)
            end = end if end is None else end - bisect_left(dropped, end)
            marker = mark.marker if end is None else text[start : end + bisect_left(escapes, end)]
            marks.append(Mark(mark.type, mark.anchor, marker, start, mark.target))
        return Inline(text, tuple(marks))

    @property
    def empty(self) -> bool:
        """Return True if no text was written so far."""
        return not self._length

    def _write(self, value: str, *, escape: bool) -> None:
        if self._space and self._pieces:
            self._append(self._space)
        self._space = ""
        for index, (opening, closing, written) in enumerate(self._styles):
            if not written:
                self._styles[index] = (opening, closing, True)
                if opening and opening == self._closed:
                    self._unwrite()  # the same style ended right here: continue it instead of "*a**b*"
                elif opening:
                    if opening == "*":
                        self._opened.append(self._length)
                    self._append(opening)
        if escape:
            self._special += [self._length + match.start() for match in SIGN.finditer(value)]
        if self._watch == -1:
            self._watch = self._length
        self._append(value)

    def _append(self, piece: str) -> None:
        self._closed = None
        self._pieces.append(piece)
        self._length += len(piece)

    def _unwrite(self) -> None:
        if self._closed == "*":
            self._opened.append(self._stars.pop()[0])
        self._closed = None
        self._length -= len(self._pieces.pop())
        self._marks = [
            (mark if mark.start <= self._length else replace(mark, start=self._length), end)
            for mark, end in self._marks
        ]


def _touching(text: str, stars: list[tuple[int, int]]) -> list[int]:
    """Return the places, ascending, of the stars of italics that touch a letter or another mark outside of them."""
    beside = {pair: (text[pair[0] - 1 : pair[0]], text[pair[1] + 1 : pair[1] + 2]) for pair in stars}
    return sorted(place for pair in stars if any(map(_BESIDE.match, beside[pair])) for place in pair)
