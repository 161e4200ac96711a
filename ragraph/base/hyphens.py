"""Lines to text: hyphenation undone where the document shows the word whole, compounds kept.

Between lines of Chinese, Japanese or Thai nothing stands: these put no space between words.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_HYPHENS = "-\u00ad\u2010"
_TAIL = re.compile(r"[^\W\d_]+(?:[-\u2010'’][^\W\d_]+)*[-\u00ad\u2010]$")
"""The end of a line that may be the first part of a word."""
_HEAD = re.compile(r"^[^\W\d_]+(?:[-\u2010'’][^\W\d_]+)*")
"""The beginning of the next line, its rest."""
_PREFIXES = frozenset({"self", "well", "non", "half", "quasi", "so", "vis", "semi"})
"""What stands in front of a hyphen that stays, as a rule."""
_LINKS = frozenset({"of", "the", "to", "and", "in", "by", "on", "for", "or", "a", "up", "out", "à", "de"})
"""What stands between the hyphens of a compound: "state-of-the-art"."""
_BETWEEN = frozenset({"or", "and", "to", "und", "oder", "bis", "sowie", "et", "ou", "y", "o", "e", "en", "och"})
"""What follows a word whose second part comes later: "short- or long-term"."""
_WELL_KNOWN = 4
"""Times that both parts of a compound come up in the document, at least."""
UNSPACED = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u312f\u3190-\ua4cf"
    r"\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003134a"
)
"""Letters and punctuation of scripts without spaces, for bracket expressions."""
_BREAK = re.compile(rf"(?<=[{UNSPACED}])[ \t]*[\r\n]\s*(?=[{UNSPACED}])")
_UNSPACED = re.compile(f"[{UNSPACED}]")
_AROUND = ".,;:()[]\"'“”‘’?!"


class Vocabulary:
    """The words of a document, to tell a hyphen that divides from one that joins.

    Args:
        lines: all lines of the document; the last word of each is not counted, since it may be divided.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self._count: Counter[str] = Counter()
        for line in lines:
            for part in line.split(" ")[:-1]:
                self._count[part.strip(_AROUND).lower()] += 1

    def divided(self, tail: str, head: str) -> bool:
        """Say whether a line end such as "tech-" and the next line's "nical" are one word without hyphen."""
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
        # The document shows the word nowhere else: two words it knows well are a compound ("cost-benefit").
        piece, first = _parts(stem)[-1], _parts(rest)[0]
        if self._count[piece + first]:
            return True
        known = min(self._count[piece], self._count[first]) if min(len(piece), len(first)) > 2 else 0
        return not (piece in _PREFIXES or known >= _WELL_KNOWN or (piece != stem and piece in _LINKS))

    def joined(self, text: str, head: str) -> str:
        """Return the text so far, made ready for the first word of the next line.

        That is: without its last hyphen where it divides a word, as it is where the hyphen belongs to a compound or
        a range, else with a blank.
        """
        if not text or (_UNSPACED.match(text[-1]) and _UNSPACED.match(head)):
            return text
        if text[-1] in _HYPHENS:
            tail = text[-40:].rsplit(" ", 1)[-1]
            if self.divided(tail, head):
                return text[:-1]
            if text[-2:-1].isalnum() and head[:1].isalnum() and head.strip(_AROUND).lower() not in _BETWEEN:
                return text
        return f"{text} "


def without_breaks(text: str) -> str:
    """Return text without the line ends that stand between letters of scripts without spaces."""
    return _BREAK.sub("", text)


def _parts(word: str) -> list[str]:
    return re.split(r"[-\u2010]", word)
