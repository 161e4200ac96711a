"""Characters that carry text which no person sees: tags, selectors in rows, zero-width codes, overridden direction.

They hide instructions from readers and show them to models. What scripts and emoji need stays: joiners, one selector
behind a character, direction marks, flags of emoji. Sources: Unicode 16, chapter 23; UTS 51 (emoji tag sequences);
UTR 36 (security).
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_FLAG = "\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f"
_UNSEEN = re.compile(
    f"({_FLAG})"  # kept
    "|[\U000e0000-\U000e007f]+"  # tags, which spell ASCII
    # selectors of variants; one may follow a character, one of the supplement only an ideograph
    "|(?<=[\ufe00-\ufe0f\U000e0100-\U000e01ef\\s])[\ufe00-\ufe0f\U000e0100-\U000e01ef]+"
    "|(?<![\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])[\U000e0100-\U000e01ef]+"
    "|[\u202d\u202e]+"  # overrides: letters are shown in another order than they are stored
    # three or more of zero width in a row are a code; words need two at most
    "|[\u200b-\u200d\u2060-\u2064\ufeff\u180e\u115f\u1160\u3164\uffa0]{3,}"
)
_SUSPECT = re.compile(
    "[\u115f\u1160\u180e\u200b-\u200d\u202d\u202e\u2060-\u2064\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e01ef]"
)
"""All of these characters; nearly every text has none, and is then not searched for their patterns."""

_removed: ContextVar[list[int] | None] = ContextVar("removed", default=None)


def without_unseen(text: str) -> str:
    """Return text without characters that nobody sees; they are counted within ``counting``."""
    if text.isascii() or not _SUSPECT.search(text):
        return text
    kept = _UNSEEN.sub(lambda match: match[1] or "", text)
    if len(kept) < len(text) and (counts := _removed.get()) is not None:
        counts.append(len(text) - len(kept))
    return kept


@contextmanager
def counting() -> Iterator[list[int]]:
    """Yield a list that gets the number of characters of each text from which some are removed during the block."""
    counts: list[int] = []
    token = _removed.set(counts)
    try:
        yield counts
    finally:
        _removed.reset(token)
