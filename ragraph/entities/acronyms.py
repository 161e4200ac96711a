"""Acronyms and the long forms that a text gives for them.

The algorithm is that of Schwartz and Hearst, A Simple Algorithm for Identifying Abbreviation Definitions in Biomedical
Text (Pacific Symposium on Biocomputing 2003). It is extended by nested brackets, plurals (RCTs), and lists of
abbreviations as they occur under tables (BMI, body mass index; CI, confidence interval).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_LONGEST_SHORT = 12
_MOST_BRACKETS = 600
"""Longest text between two brackets that is read, in characters."""
_PAIRS = {"(": ")", "[": "]"}
_QUOTES = "\"'“”‘’«»„"
_NO_SHORT = re.compile(
    r"[IVX]+|[A-Z]?\d+[A-Za-z]?|[A-Z]\.|[A-Z][a-z]{3,}"
    r"|(?:[Ff]igs?|[Tt]ables?|[Pp]arts?|[Gg]roups?|[Aa]rm|[Ss]tage|[Pp]hase|[Ss]tep|[Pp]anel|[Bb]ox|Gruppe)\b.*"
)
"""Not an acronym: numbers, a capitalised name or word, and labels of groups, figures and the like."""
_SENTENCE_END = re.compile(r"[.!?]\s+(?=[A-Z])|[;:]\s|\n\n")
_NOT_AFTER = re.compile(r"\b(?:vs|e\.g|i\.e|cf|Dr|St|approx|al|no|Fig|[A-Z])$")
_GREEK = str.maketrans("αβγδεκλμπσφχψωΑΒΓΔΩ", "abgdeklmpsfcpoABGDO")
"""Greek letters as the first letters of their names: TNF-α, tumour necrosis factor alpha."""
_SMALL_WORDS = "a an and as at by de des du et for from für in la le of on or the to und von with y"
_SMALL = frozenset(_SMALL_WORDS.split())
_CITED = re.compile(r"\s*\[\d[\d\s,–-]*\]$")
"""A citation after a long form."""
_NEXT = re.compile(r",\s*(?:[A-Z][\w-]*[A-Z0-9]\b|[A-Z]{2,})")
"""The next short form of a list separated by commas."""
_BOUND = re.compile(r"(?:and|or|to|of|in|by|with|from|as|for|on|at)\s", re.IGNORECASE)
"""Words with which no long form begins."""
_IN_LIST = re.compile(
    r"^\s*(?:abbreviations?(?: used)?\s*[:.]\s*)?(?P<short>[^\s,=:;()]{2,12}(?: [^\s,=:;()]{1,10})?)"
    r"\s*(?:,|=|:|[–—-](?=\s)|\bindicates?\b|\bdenotes?\b|\bstands? for\b|\bmeans\b)\s*"
    r"(?P<long>\w[^=;]{2,120}?)\s*[.,]?\s*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Definition:
    """A short form with its long form, and the positions of both."""

    short: str
    long: str
    short_start: int
    long_start: int


def is_short_form(text: str) -> bool:
    """Return True if a text may be an acronym: at most 2 words, 2 to 12 characters, one a capital, no sign first."""
    return (
        2 <= len(text) <= _LONGEST_SHORT
        and len(text.split()) <= 2
        and text[0].isalnum()
        and any(letter.isupper() for letter in text)
        and not any(sign in text for sign in '=<>≤≥%@±,;:()[]\\"“”')
        and not _NO_SHORT.fullmatch(text)
    )


def find_acronyms(text: str) -> Iterator[Definition]:
    """Yield the acronyms that a text defines, in the order of their brackets, then those of lists."""
    for start, end in _brackets(text):
        yield from _around(text, start, end)
    yield from _listed(text)


def _brackets(text: str) -> list[tuple[int, int]]:
    """Return the positions of opening and closing brackets, nested ones included."""
    open_: list[int] = []
    found = []
    for match in re.finditer(r"[()\[\]]", text):
        sign = match[0]
        if sign in _PAIRS:
            open_.append(match.start())
        elif open_ and _PAIRS[text[open_[-1]]] == sign:
            start = open_.pop()
            if match.start() - start <= _MOST_BRACKETS:
                found.append((start, match.start()))
    return sorted(found)


def _around(text: str, start: int, end: int) -> Iterator[Definition]:
    inside = text[start + 1 : end]
    before = text[max(0, start - 400) : start]
    offset = start - len(before)
    # the text of the bracket up to a comma, a semicolon or another bracket: (RR; 95% CI), (CI 1.2)
    head = re.split(r"[,;(\[]|\s(?:or|and|hereafter|see)\s", inside, maxsplit=1)[0]
    short = head.strip().strip(_QUOTES).strip()
    if is_short_form(short):
        place = start + 1 + inside.index(short)
        found = _best_long_form(short, _candidate(before, short))
        if found is not None:
            at = _place_of(before, found, short)
            yield Definition(short, found, place, offset + at)
            return
    # both in the bracket: (Barthel Index, BI), (FI, fluorescence intensity)
    parts = [part.strip() for part in inside.split(",")]
    for one, other in (parts, parts[::-1]) if len(parts) == 2 else ():
        if is_short_form(one) and _best_long_form(one, other) == other:
            yield Definition(one, other, start + 1 + inside.rindex(one), start + 1 + inside.rindex(other))
            return
    # the other way round: WHO (World Health Organization)
    word = re.search(r"([^\s(\[,;]+)\s*$", before)
    if word is None:
        return
    short = word[1].strip(_QUOTES)
    long = re.split(r"[;(\[]|,\s", inside, maxsplit=1)[0].strip().strip(_QUOTES)
    if is_short_form(short) and len(long.split()) >= 2 and len(long) > len(short):
        found = _best_long_form(short, long)
        if found is not None and long.startswith(found):
            yield Definition(
                short, found, offset + word.start(1) + word[1].index(short), start + 1 + inside.index(found)
            )


def _place_of(before: str, long: str, short: str) -> int:
    return before.rindex(long)


def _candidate(before: str, short: str) -> str:
    """Return the text that may have the long form: at most min(n + 5, 2 n) words of the sentence before the bracket."""
    cut = 0
    for match in _SENTENCE_END.finditer(before):
        if not (match[0][0] == "." and _NOT_AFTER.search(before[: match.start()])):
            cut = match.end()
    letters = sum(map(str.isalnum, short))
    words = list(re.finditer(r"\S+", before[cut:]))[-min(letters + 5, letters * 2) :]
    found = before[cut + words[0].start() :].rstrip().rstrip(_QUOTES + ",").rstrip() if words else ""
    return _CITED.sub("", found)


def _best_long_form(short: str, candidate: str) -> str | None:
    """Return the long form at the end of a text, or None; it has each sign of the short form in order."""
    plural = short[-1] == "s" and len(short) > 2 and not short.islower()  # RCTs, from trials
    found = _by_initials(short[:-1] if plural else short, candidate) or _match(short, candidate)
    if found is None and short[-1] == "s" and len(short) > 2:
        found = _match(short[:-1], candidate)
    if found is None:
        return None
    words = found.split()
    letters = sum(map(str.isalnum, short))
    if (
        len(found) <= len(short)
        or len(words) > min(letters + 5, letters * 2)
        or short.casefold() in re.findall(r"[^\s(),;]+", found.casefold())
        or _counts(short, words)
        or _scattered(short, found)
        or found.count("(") != found.count(")")
        or found.count("[") != found.count("]")
        or not any(map(str.isalpha, found))
        or "@" in found
        or _BOUND.match(found)
        or _strays(short, words)
    ):
        return None
    return found


def _strays(short: str, words: list[str]) -> bool:
    """Return True if a long form that begins with an acronym has more words than the short form has letters left.

    "CT angiography" is CTA; "LS and systolic strain rate" is not LSR, although it has the letters.
    """
    first = words[0].rstrip(",")
    known = len(first) >= 2 and first.isupper() and short.upper().startswith(first)
    return known and len(words) - 1 > sum(map(str.isalnum, short[len(first) :]))


def _counts(short: str, words: list[str]) -> bool:
    """Return True if a long form names things numbered like the short form: ID013 is not the meaning of ID010."""
    shape = re.sub(r"\d+", "0", short)
    return shape != short and any(re.sub(r"\d+", "0", word.strip(",.;()")) == shape for word in words)


def _scattered(short: str, found: str) -> bool:
    """Return True if fewer than half the letters of the short form begin a word of a long form of 3 or more words."""
    parts = [part for part in re.split(r"[\s\-‐‑–/]+", found.translate(_GREEK).lower()) if part]
    letters = [sign for sign in short.translate(_GREEK).lower() if sign.isalpha()]
    if len(found.split()) < 3 or len(letters) < 3:
        return False
    common = [0] * (len(parts) + 1)
    for sign in letters:  # the longest common subsequence
        row = [0]
        for place, part in enumerate(parts):
            row.append(common[place] + 1 if part[0] == sign else max(row[place], common[place + 1]))
        common = row
    return 2 * common[-1] < len(letters)


def _by_initials(short: str, candidate: str) -> str | None:
    """Return the words at the end of a text whose first letters, small words aside, form the short form; or None."""
    letters = short.translate(_GREEK).lower()
    if len(letters) < 3 or not letters.isalpha():
        return None
    parts = list(re.finditer(r"[^\s\-‐‑–/]+", candidate))
    at, place = len(parts) - 1, len(letters) - 1
    while at >= 0 and place >= 0:
        word = candidate[parts[at].start() : parts[at].end()].translate(_GREEK).lower().lstrip("(" + _QUOTES)
        if word[:1] == letters[place] and not (word in _SMALL and _waits(candidate, parts, at, letters[place])):
            place -= 1
        elif word not in _SMALL:
            return None
        at -= 1
    if place >= 0:
        return None
    start = parts[at + 1].start()
    return candidate[start:].strip().lstrip(_QUOTES) if start == 0 or candidate[start - 1].isspace() else None


def _waits(candidate: str, parts: list[re.Match[str]], at: int, letter: str) -> bool:
    """Return True if the word before a small one has the same initial: the T of TTF is time, in time to failure."""
    return at > 0 and candidate[parts[at - 1].start()].lower() == letter


def _match(short: str, candidate: str) -> str | None:
    short, plain = short.translate(_GREEK), candidate.translate(_GREEK).lower()
    at = len(candidate) - 1
    for place in range(len(short) - 1, -1, -1):
        sign = short[place].lower()
        if not sign.isalnum():
            continue
        while at >= 0 and (plain[at] != sign or (place == 0 and at > 0 and candidate[at - 1].isalnum())):
            at -= 1
        if at < 0:
            return None
        at -= 1
    # back to the beginning of the word, across hyphens
    start = max(candidate.rfind(space, 0, at + 1) for space in " \n\t\u00a0") + 1
    found = candidate[start:].strip().lstrip(_QUOTES)
    return found.lstrip("([") if found.count("(") != found.count(")") or found.count("[") != found.count("]") else found


def _listed(text: str) -> Iterator[Definition]:
    """Yield the entries of a list: at least two parts between semicolons, or lines, that begin with a short form."""
    for divider in (r";|(?<=[a-z])\.(?=\s|$)|\n", r"\.\s|\n"):
        parts = [(match.start(), match[0]) for match in re.finditer(rf"(?:(?!{divider}).)+", text, re.DOTALL)]
        listed = [found for start, part in parts if (found := _entry(start, part))]
        if len(listed) >= 2 or (listed and len(parts) == 1):
            yield from listed
            return


def _entry(start: int, part: str) -> Definition | None:
    match = _IN_LIST.match(part)
    if match is None or not is_short_form(match["short"]):
        return None
    long = match["long"].strip()
    found = _best_long_form(match["short"], long)
    if found is None or found != long or _NEXT.search(long):
        return None
    return Definition(match["short"], long, start + match.start("short"), start + match.start("long"))
