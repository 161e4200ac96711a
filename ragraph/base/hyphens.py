"""Join lines into text: remove hyphens that divide a word at a line end, keep those of compounds.

Lines of Chinese, Japanese or Thai are joined without a space, because these scripts put none between words.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_HYPHENS = "-\u00ad\u2010"
_TAIL = re.compile(r"[^\W\d_]+(?:[-\u2010'’][^\W\d_]+)*[-\u00ad\u2010]$")
"""The end of a line that may be the first part of a divided word."""
_HEAD = re.compile(r"^[^\W\d_]+(?:[-\u2010'’][^\W\d_]+)*")
"""The beginning of the next line, which may be the second part."""
_PREFIXES = frozenset({"self", "well", "non", "half", "quasi", "so", "vis", "semi"})
"""First parts of compounds that usually keep their hyphen."""
_LINKS = frozenset({"of", "the", "to", "and", "in", "by", "on", "for", "or", "a", "up", "out", "à", "de"})
"""Words between the hyphens of a compound: "state-of-the-art"."""
_BETWEEN = frozenset({"or", "and", "to", "und", "oder", "bis", "sowie", "et", "ou", "y", "o", "e", "en", "och"})
"""Words that follow a first part whose second part comes later: "short- or long-term"."""
_ADDRESS = re.compile(r"://|\bwww\.")
"""Part of an address. A hyphen at the end of its line belongs to the address."""
_LONGEST = 300
"""Maximum length of a last word, in characters; addresses are long."""
_WELL_KNOWN = 4
"""Minimum number of times that each part of a compound occurs in the document."""
UNSPACED = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u312f\u3190-\ua4cf"
    r"\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003134a"
)
"""Letters and punctuation of scripts without spaces, for use in a bracket expression."""
_BREAK = re.compile(rf"(?<=[{UNSPACED}])[ \t]*[\r\n]\s*(?=[{UNSPACED}])")
_UNSPACED = re.compile(f"[{UNSPACED}]")
_AROUND = ".,;:()[]\"'“”‘’?!"


class Vocabulary:
    """The words of a document, counted to distinguish hyphens that divide a word from hyphens of compounds.

    Args:
        lines: all lines of the document. The last word of each line is not counted because it may be divided.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self._count: Counter[str] = Counter()
        for line in lines:
            for part in line.split(" ")[:-1]:
                self._count[part.strip(_AROUND).lower()] += 1

    def divided(self, tail: str, head: str) -> bool:
        """Return True if a line end ("tech-") and the start of the next line ("nical") are one word without hyphen."""
        if tail.endswith("\u00ad"):
            return True
        left, right = _TAIL.search(tail), _HEAD.match(head)
        if not left or not right or not right[0][0].islower():
            return False
        stem, rest = left[0][:-1].lower(), right[0].lower()
        whole, hyphened = self._count[stem + rest], self._count[f"{stem}-{rest}"]
        if whole or hyphened:
            return whole >= hyphened
        if rest in _BETWEEN:
            return False
        # The document has the word nowhere else. Two parts that it uses often are a compound ("cost-benefit").
        piece, first = _parts(stem)[-1], _parts(rest)[0]
        if self._count[piece + first]:
            return True
        known = min(self._count[piece], self._count[first]) if min(len(piece), len(first)) > 2 else 0
        return not (piece in _PREFIXES or known >= _WELL_KNOWN or (piece != stem and piece in _LINKS))

    def joined(self, text: str, head: str) -> str:
        """Return the text so far, ready for the first word of the next line.

        The last hyphen is removed if it divides a word, and kept if it belongs to a compound or a range. Any other end
        gets a space.
        """
        if not text or (_UNSPACED.match(text[-1]) and _UNSPACED.match(head)):
            return text
        if text[-1] in _HYPHENS:
            tail = text[-_LONGEST:].rsplit(" ", 1)[-1]
            if text[-1] == "-" and _ADDRESS.search(tail):
                return text
            if self.divided(tail, head):
                return text[:-1]
            if text[-2:-1].isalnum() and head[:1].isalnum() and head.strip(_AROUND).lower() not in _BETWEEN:
                return text
        return f"{text} "


def without_breaks(text: str) -> str:
    """Return text without the line breaks between letters of scripts without spaces."""
    return _BREAK.sub("", text)


def _parts(word: str) -> list[str]:
    return re.split(r"[-\u2010]", word)
