"""Terms that a document defines for itself: "X" means ..., (the "X"), and the unquoted heads of definitions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_OPEN, _CLOSE = r"(?:[\"“„«]|‘‘|``|'')", r"(?:[\"”“»]|’’|'')"
_TERM = rf"{_OPEN}\s*(?P<{{0}}>[^\"“”„«»\n]{{{{1,100}}}}?)\s*,?\s*{_CLOSE}"
QUOTED = re.compile(_TERM.format("term"))
_BETWEEN = (
    r"(?:\s*,)?(?:\s+(?:of|with respect to)\s[^\"“”.;]{1,80}?)?(?:\s*\([^()]{0,80}\))?(?:\s*,[^,\"“”.;]{0,80},)?\s*"
)
_MEANS = re.compile(
    rf"{_BETWEEN}(?:(?:and|or|,)\s*(?:the\s+)?{_OPEN}[^\"“”]{{1,100}}{_CLOSE}{_BETWEEN})*"
    r"(?:(?:shall|will|may|when used [^,;.\"“”]{0,60}|as used [^,;.\"“”]{0,60}|in (?:this|the) [^,;.\"“”]{0,60}|,)\s*)*"
    r"(?:(?:collectively|each|also|only|either|both)\s+)?"
    r"(?:means?\b|ha(?:s|ve)\s+the\s+(?:respective\s+)?meanings?\b|refers?\s+to\b|(?:is|are|be)\s+defined\b|includes?\b"
    r"|(?:is|are)\s+(?:deemed|used)\b|has\s+the\s+definition|mean\s+and\s+include|shall\s+be\b|:\s)",
    re.IGNORECASE,
)
_CALLED = re.compile(
    r"(?:\b(?:called|known|named|termed|designated|styled|defined\s+as|referred\s+to|identified)\b(?:\s+(?:herein|hereinafter|hereafter"
    r"|collectively|individually|together|as|to|in|this|Agreement|sometimes|the|a|an|each|and|,))*\s*"
    r"|\b(?:hereinafter|hereafter|herein)\b[\s,:]*(?:(?:the|a|an|as|each|collectively|individually|,)\s*)*)$",
    re.IGNORECASE,
)
_LIGHT_WORDS = """
    the a an each collectively individually together hereinafter hereafter herein referred to as called or and such any
    with all this its sometimes jointly severally in respectively both also for purposes of agreement hereof known
    defined being either every one singularly are is be may which shall will that these those our we us you your
    from time on date it separately said by section capacity aggregate other party parties company amended
"""
_LIGHT = frozenset(_LIGHT_WORDS.split())
_UNQUOTED = re.compile(
    r"^\s*(?:\(?(?:[0-9]+(?:\.[0-9]+)*|[a-z]{1,4}|[A-Z])[.)]*\s+)?"
    r"(?P<term>[A-Z][\w&/’'-]*(?:\s+(?:[A-Z0-9][\w&/’'-]*|of|and|the|for|or|to|in)){0,6})"
    r"\s*(?:[:–—-]\s*)?(?:shall\s+)?(?:means?\b|has\s+the\s+meaning|shall\s+have\s+the\s+meaning)"
)
_DOTTED = re.compile(r"(?:[A-Z]\.\s?){2,}")
_NAMED = re.compile(r"(?:^|[\s,(])(?:the|an?|each|this)\s+$", re.IGNORECASE)
_SPOKEN_OF = re.compile(r"\b(?:defined|meaning|pursuant|under|see|in|of|by|as|to)\s+(?:the|an?)\s+$", re.IGNORECASE)
_ELSEWHERE = re.compile(
    r"\b(?:defined|set forth|used|given|described)\s+in\s+(?:(?:the|an?|this|that)\s+)?$", re.IGNORECASE
)
_LONGEST_BRACKET = 400


class Term(NamedTuple):
    """A term and its position."""

    name: str
    start: int


def is_term(text: str) -> bool:
    """Return True if a text may be a defined term: up to nine words with a letter, and with a capital or a digit."""
    return (
        0 < len(text.split()) <= 9
        and any(map(str.isalpha, text))
        and any(sign.isupper() or sign.isdigit() for sign in text)
        and (not text.endswith((".", "?", "!", ";")) or _DOTTED.fullmatch(text) is not None)
    )


def find_terms(text: str) -> Iterator[Term]:
    """Yield the terms that a text defines, in the order of their positions."""
    depth = _bracket_starts(text)
    quoted = list(QUOTED.finditer(text))
    for match in quoted:
        if not is_term(match["term"]):
            continue
        if (
            (_MEANS.match(text, match.end()) and _begins(text, match.start()))
            or _CALLED.search(text, max(0, match.start() - 120), match.start())
            or _in_light_bracket(text, match, depth[match.start()], quoted)
        ):
            yield Term(" ".join(match["term"].split()), match.start("term"))
    if (head := _UNQUOTED.match(text)) and head["term"] not in ("This", "It", "That", "Which"):
        yield Term(" ".join(head["term"].split()), head.start("term"))


def _begins(text: str, start: int) -> bool:
    """Return True if a definition can begin at a quotation; a text may also talk about the words "X" means."""
    return not re.search(r"\b(?:of|by|a|an|with|from|under|to)\s+$", text[max(0, start - 12) : start], re.IGNORECASE)


def _bracket_starts(text: str) -> list[int]:
    """Return for each character the position of the bracket around it, or -1."""
    starts, open_ = [], [-1]
    for place, sign in enumerate(text):
        starts.append(open_[-1])
        if sign == "(":
            open_.append(place)
        elif sign == ")" and len(open_) > 1:
            open_.pop()
    return starts


def _in_light_bracket(text: str, match: re.Match[str], start: int, quoted: list[re.Match[str]]) -> bool:
    """Return True if only terms and words such as the, each or called come before a quotation in its bracket."""
    if start < 0 or match.start() - start > _LONGEST_BRACKET:
        return False
    before = text[start + 1 : match.start()]
    for other in reversed(quoted):
        if start < other.start() < match.start():
            before = before[: other.start() - start - 1] + " " + before[other.end() - start - 1 :]
    if _ELSEWHERE.search(before):
        return False
    if _NAMED.search(before) and text[match.end() : match.end() + 1] == ")" and not _SPOKEN_OF.search(before):
        return True  # (such amount, the "Threshold")
    words = re.findall(r"[^\W\d_]+", before.lower())
    return len(words) <= 12 and all(word in _LIGHT for word in words)
