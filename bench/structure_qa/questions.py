"""The questions, and what all kinds are made with."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import sentencex

if TYPE_CHECKING:
    import random
    from collections import Counter
    from collections.abc import Iterable

SET = Path(__file__).parent / "questions.jsonl"
WORD = re.compile(r"[^\W\d_]{4,}")

Candidate = tuple[str, tuple[str, ...], str, int]
"""Question, answer, title of the section and page that the question names; empty and 0 for others."""


@dataclass(frozen=True)
class StructureQuestion:
    """A question on a document.

    Attributes:
        id: identity.
        kind: ``table``, ``entry``, ``note``, ``section`` or ``page``.
        document: name of the document.
        path: its file, below the folder of the data sets.
        text: the question.
        answer: text of the answer; of a table, its numbers.
        section: title of the section that the question names; empty for others.
        page: page of the file that the question names; 0 for others.
        licence: licence of the document, as it states it.
    """

    id: str
    kind: str
    document: str
    path: str
    text: str
    answer: list[str]
    section: str
    page: int
    licence: str


def load() -> list[StructureQuestion]:
    """Return the questions of the set."""
    return [StructureQuestion(**json.loads(line)) for line in SET.read_text(encoding="utf-8").splitlines()]


def chosen(by: random.Random, candidates: Iterable[Candidate], most: int) -> list[Candidate]:
    """Return at most so many candidates, drawn at random."""
    found = [*dict.fromkeys(candidates)]
    return by.sample(found, min(most, len(found)))


def sentences(text: str) -> list[str]:
    """Return the sentences of an English text."""
    return [sentence.strip() for sentence in sentencex.segment("en", text)]


def words_of(text: str) -> list[str]:
    """Return the words of four letters and more, in lower case."""
    return [word.lower() for word in WORD.findall(text)]


def letters(text: str) -> list[str]:
    """Return the words of a text in lower case, without references in brackets and signs."""
    return "".join(letter if letter.isalnum() else " " for letter in text.lower()).split()


def more_often_elsewhere(sentence: str, place: str, words: dict[str, Counter[str]]) -> list[str]:
    """Return the four longest words of a sentence that another place has more often, in their order.

    Args:
        sentence: a sentence of the place.
        place: a section or a page.
        words: place to its words.

    Returns:
        No words if the sentence has fewer than four of them, or not 80 to 300 letters.
    """
    if not 80 <= len(sentence) <= 300:
        return []
    own = [*dict.fromkeys(words_of(sentence))]
    shared = [
        word
        for word in own
        if 0 < words[place][word] < max((count[word] for other, count in words.items() if other != place), default=0)
    ]
    rare = sorted(shared, key=lambda word: (-len(word), word))[:4]
    return sorted(rare, key=own.index) if len(rare) == 4 else []
