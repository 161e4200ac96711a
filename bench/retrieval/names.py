"""The document by its names, the passage by the rest: what ragraph does over many documents, as an option of others.

A question over many documents has words that name a document, and words for the passage in it. Words that few of the
documents found hold are taken for names. They count in each piece of the documents that hold them, as if they stood in
its title, and such a document gets a share of them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

FEW = 0.1
"""Part of the documents found that hold a name at most."""

SHARE = 1.0
"""Added to the score of a piece, from 0 to 1, whose document holds all names. The best for others of 0.1, 0.3, 0.6, 1
and 2 on the documents that settings are chosen on; ragraph's own, 0.3, is no better with 1."""


class Names(NamedTuple):
    """The names of a question that a document holds: its words, and their part of the rarity of all names, 0 to 1."""

    words: list[str]
    share: float


NONE = Names([], 0.0)


def names(question: Sequence[str], found: Iterable[tuple[str, Sequence[str]]]) -> Mapping[str, Names]:
    """Return the names that documents hold; documents without any are left out.

    Args:
        question: words of the question.
        found: document and words of each piece found.
    """
    held: dict[str, set[str]] = {}
    for document, words in found:
        held.setdefault(document, set()).update(words)
    holding = {word: sum(word in words for words in held.values()) for word in dict.fromkeys(question)}
    rarity = {
        word: math.log(1 + (len(held) - many + 0.5) / (many + 0.5))
        for word, many in holding.items()
        if 0 < many <= FEW * len(held)
    }
    kept = {document: [word for word in rarity if word in words] for document, words in held.items()}
    return {
        document: Names(words, sum(map(rarity.__getitem__, words)) / sum(rarity.values()))
        for document, words in kept.items()
        if words
    }
