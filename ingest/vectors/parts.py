"""Parts of a text: spans that a model can read completely, cut at ends of sentences, with some overlap.

A text is a sequence of tokens, and a cut is between two of them. Each gap has a strength: between paragraphs, lines,
sentences, words, or inside a word. From the start of a part, the strongest cut near the desired length is taken. The
work is linear in the length of the text, because each token is examined a bounded number of times.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from ragraph.base.arguments import check_fields

if TYPE_CHECKING:
    from collections.abc import Sequence

Strategy = Literal["node", "sentence", "recursive", "fixed"]

OVERLAP = 0.15
"""Share of a part that it has in common with the one before it, unless the settings say otherwise."""

PARTS_VERSION = 1
"""Raised whenever the same text and settings would give other parts."""

_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")
_LINE = re.compile(r"\n+[ \t]*")
_SLICE = 100_000
"""Characters passed to the sentence splitter at once, so that memory stays bounded."""

_SENTENCE_LANGUAGE = "en"
"""Used if the language is not known; the rules for other scripts' full stops are in all languages."""


@dataclass(frozen=True)
class PartSettings:
    """How texts are cut into parts. Lengths are in tokens of the embedding model, without the heading path.

    Attributes:
        strategy: ``node`` leaves a text complete if the model can read it, and cuts longer ones at ends of sentences.
            ``sentence`` makes parts of complete sentences of about ``target`` tokens. ``recursive`` prefers paragraphs,
            then lines, then sentences, then words. ``fixed`` cuts after ``target`` tokens, between words.
        target: desired length; None = as long as the model can read.
        minimum: minimum length, except for a complete text; None = a quarter of the target. Not for ``fixed``.
        maximum: maximum length; None = as long as the model can read.
        overlap: tokens in common with the part before; None = 15 % of the target.
    """

    strategy: Strategy = "node"
    target: int | None = None
    minimum: int | None = None
    maximum: int | None = None
    overlap: int | None = None

    def __post_init__(self) -> None:
        check_fields(self)
        if self.strategy not in ("node", "sentence", "recursive", "fixed"):
            raise ValueError(f"strategy {self.strategy!r} is not node, sentence, recursive or fixed")
        for name, least in (("target", 1), ("minimum", 0), ("maximum", 1), ("overlap", 0)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise ValueError(f"{name} is {value}, it cannot be below {least}")
        if self.target is not None and self.overlap is not None and self.overlap * 2 > self.target:
            raise ValueError(f"overlap {self.overlap} is more than half of target {self.target}")


class Span(NamedTuple):
    """A part of a text, in characters; ``end`` is exclusive."""

    start: int
    end: int


class _Sizes(NamedTuple):
    aim: int
    least: int
    most: int
    overlap: int


def split(
    text: str,
    offsets: Sequence[tuple[int, int]],
    room: int,
    settings: PartSettings | None = None,
    language: str | None = None,
) -> list[Span]:
    """Return the parts of a text in order.

    Args:
        text: the text.
        offsets: start and end of each of its tokens in characters, in order (``EmbeddingModel.token_offsets``).
        room: tokens of it that the model can read.
        settings: how to cut; default ``PartSettings()``.
        language: language of the text, BCP 47; None = not known.

    Returns:
        Spans that cover the text, not empty, starts and ends ascending; a single one if it need not be cut; an empty
        list for an empty text.
    """
    settings = settings or PartSettings()
    if not text:
        return []
    sizes = _sizes(settings, max(room, 1))
    whole = max(room, 1) if settings.strategy == "node" and settings.maximum is None else sizes.most
    if settings.strategy in ("sentence", "recursive", "fixed"):
        whole = sizes.aim
    if len(offsets) <= whole:
        return [Span(0, len(text))]
    cuts = _Cuts(text, offsets, settings.strategy, language)
    spans: list[Span] = []
    total, start = len(offsets), 0
    while True:
        end = _end(cuts, start, total, sizes, even=settings.strategy != "fixed")
        # text before the first token and after the last belongs to the first and last part
        first = 0 if not spans else cuts.place(start)
        spans.append(Span(first, len(text) if end == total else cuts.place(end)))
        if end == total:
            return spans
        start = _next_start(cuts, start, end, sizes)


def sentence_starts(text: str, language: str | None = None) -> list[int]:
    """Return the starts of sentences, in characters, ascending, without the start of the text."""
    import sentencex  # the command line does not need it before a text is cut

    code = (language or _SENTENCE_LANGUAGE).split("-")[0].lower()
    starts: list[int] = []
    base = 0
    while base < len(text):
        end = min(base + _SLICE, len(text))
        pieces = sentencex.segment(code, text[base:end])
        place = base
        for piece in pieces[:-1]:
            place += len(piece)
            starts.append(place)
        # the last sentence of a slice may continue; it opens the next slice, unless it is the complete slice
        base = place if end < len(text) and place > base else end
    return starts


class _Cuts:
    """Places where a text may be cut: positions between tokens, by strength."""

    def __init__(self, text: str, offsets: Sequence[tuple[int, int]], strategy: Strategy, language: str | None) -> None:
        self._starts = [start for start, _ in offsets]
        words = [
            index
            for index in range(1, len(offsets))
            if offsets[index][0] > offsets[index - 1][1] or text[offsets[index][0] - 1].isspace()
        ]
        self.levels: list[list[int]] = []
        if strategy == "recursive":
            self.levels.append(self._at(found.end() for found in _PARAGRAPH.finditer(text)))
            self.levels.append(self._at(found.end() for found in _LINE.finditer(text)))
        if strategy != "fixed":
            self.levels.append(self._at(sentence_starts(text, language)))
        self.levels.append(words)

    def _at(self, places: object) -> list[int]:
        """Return the tokens at these characters, ascending, each once, without the first token."""
        found: list[int] = []
        for place in places:  # type: ignore[attr-defined]
            index = bisect_left(self._starts, place)
            if 0 < index < len(self._starts) and (not found or index > found[-1]):
                found.append(index)
        return found

    def place(self, index: int) -> int:
        """Return the start of a token, in characters."""
        return self._starts[index]

    def nearest(self, aim: int, low: int, high: int) -> int | None:
        """Return the strongest cut in ``low..high``; of several, the one nearest to ``aim``."""
        for level in self.levels:
            left, right = bisect_left(level, low), bisect_right(level, high)
            if left < right:
                place = bisect_left(level, aim, left, right)
                near = [level[index] for index in (place - 1, place) if left <= index < right]
                return min(near, key=lambda cut: abs(cut - aim))
        return None


def _sizes(settings: PartSettings, room: int) -> _Sizes:
    most = min(settings.maximum or room, room)
    aim = min(settings.target or most, most)
    overlap = round(aim * OVERLAP) if settings.overlap is None else min(settings.overlap, aim // 2)
    least = aim // 4 if settings.minimum is None else min(settings.minimum, aim)
    # a part has to be longer than its overlap with both neighbours, or the loop would not end
    return _Sizes(aim, max(least, 2 * overlap, 1), most, overlap)


def _end(cuts: _Cuts, start: int, total: int, sizes: _Sizes, *, even: bool) -> int:
    """Return the token after the last one of the part that starts at ``start``."""
    rest = total - start
    if rest <= sizes.aim:
        return total
    aim = sizes.aim
    if even:
        # as many parts as are needed anyway, of about the same length, so that the last one is not tiny
        step = max(sizes.aim - sizes.overlap, 1)
        parts = -(-(rest - sizes.overlap) // step)
        aim = min(sizes.aim, -(-(rest + (parts - 1) * sizes.overlap) // parts))
    high = start + min(sizes.most if even else sizes.aim, rest - 1)
    low = start + min(max(sizes.least, aim // 2 if even else aim - aim // 8), aim)
    found = cuts.nearest(start + aim, low, high)
    return start + min(aim, rest) if found is None else found


def _next_start(cuts: _Cuts, start: int, end: int, sizes: _Sizes) -> int:
    """Return the first token of the next part: ``overlap`` tokens back, at the start of a sentence if there is one."""
    if not sizes.overlap:
        return end
    aim = max(end - sizes.overlap, start + 1)
    low, high = max(end - sizes.overlap - sizes.overlap // 2, start + 1), end - max(sizes.overlap // 2, 1)
    if low > high:
        return aim
    found = cuts.nearest(aim, low, high)
    return aim if found is None else found
