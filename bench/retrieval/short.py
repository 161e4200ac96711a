"""Short questions, made from documents: what an abbreviation means, and two words that stand side by side.

People marked evidence for long questions only. A short one asks with few words, and the passage that answers it may
have no more than one of these. So relevance is fitted on both.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from bench.retrieval.data import Question

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.retrieval.data import Corpus

KINDS = ABBREVIATIONS, WORDS = "abbreviations", "two words"

_INTRODUCED = re.compile(r"\b((?:[A-Za-z][\w-]+ ){2,5})\([“\"]?([A-Z]{2,5})[”\"]?\)")
"""Words, and an abbreviation of capital letters in parentheses behind them."""

_WORDINGS = (
    "What does {short} stand for?",
    "what is {short}",
    "{short} meaning",
    "what is meant by {name}",
)

_OF_DOCUMENT = 3
"""Abbreviations of a document, by hash."""

_PAIRS = 6
"""Pairs of words of a document, by hash."""

_PLAIN = re.compile(r"[a-z]{5,}")
_RARE = 3
"""Maximum occurrences of a pair in its document."""


class Short(NamedTuple):
    """A short question, its kind, and a pattern that documents without an answer do not match."""

    question: Question
    kind: str
    pattern: str


def questions(corpus: Corpus) -> Iterator[Short]:
    """Yield the short questions of all documents; the evidence is the name of the abbreviation, or the words."""
    for document in corpus.texts:
        text = " ".join(corpus.text(document).split())
        for short, name in _some(introduced(text), _OF_DOCUMENT):
            for number, wording in enumerate(_WORDINGS):
                asked = wording.format(short=short, name=name.lower())
                question = Question(f"{document}:{short}:{number}", asked, document, (name,))
                yield Short(question, ABBREVIATIONS, rf"\b{short}\b")
        for words, _ in _some(pairs(text), _PAIRS):
            yield Short(Question(f"{document}:{words}", words, document, (words,)), WORDS, rf"(?i)\b{words}\b")


def introduced(text: str) -> dict[str, str]:
    """Return the names of the abbreviations that a text introduces: "institutional review board (IRB)".

    The first letters of the words, also of those that a hyphen joins, must be those of the abbreviation.
    """
    found: dict[str, str] = {}
    for words, short in _INTRODUCED.findall(text):
        name = words.split()
        while len(name) > 1 and len(_first_letters(name[1:])) >= len(short):
            del name[0]
        if _first_letters(name) == short:
            found.setdefault(short, " ".join(name))
    return found


def pairs(text: str) -> dict[str, int]:
    """Return pairs of longer words side by side that are rare in a text, with their numbers."""
    words = text.split()
    found = Counter(
        f"{one} {other}" for one, other in pairwise(words) if _PLAIN.fullmatch(one) and _PLAIN.fullmatch(other)
    )
    return {pair: count for pair, count in found.items() if count <= _RARE}


def _some(found: dict[str, Any], most: int) -> list[tuple[str, Any]]:
    """Return so many entries, by the hash of their keys."""
    return sorted(found.items(), key=lambda entry: hashlib.sha256(entry[0].encode()).hexdigest())[:most]


def _first_letters(words: list[str]) -> str:
    return "".join(part[0] for word in words for part in word.split("-") if part).upper()
