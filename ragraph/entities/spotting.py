"""Finds known names in texts: word by word, the longest name first, in time linear in the length of the text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_WORD = re.compile(r"[^\W_]+", re.UNICODE)
_JOINT = re.compile(r"[\s\-‐‑–'’/&.,_]{0,3}")


class Spotted(NamedTuple):
    """A name that was found: the number of its meaning, and its position."""

    value: int
    start: int
    end: int


class Names:
    """Names to look for, each with the number of its meaning."""

    def __init__(self) -> None:
        self._by_first: dict[str, list[tuple[list[str], str | None, int]]] = {}

    def add(self, name: str, value: int, *, exact: bool) -> None:
        """Add a name: with ``exact`` including its capitals and signs, else by its words in any case."""
        words = [match[0].casefold() for match in _WORD.finditer(name)]
        if words:
            words[-1] = _singular(words[-1])
            forms = [words]
            if exact and _singular(words[-1] + "s") != words[-1]:  # ICUs, which looks like Latin
                forms.append([*words[:-1], words[-1] + "s"])
            for form in forms:
                self._by_first.setdefault(form[0], []).append((form, name if exact else None, value))

    def ready(self) -> None:
        """Sort the names, the longest first."""
        for names in self._by_first.values():
            names.sort(key=lambda name: (-len(name[0]), -len(name[1] or ""), name[2]))

    def spot(self, text: str) -> Iterator[Spotted]:
        """Yield the names in a text, in order; of nested names only the longest, of one name all its values."""
        words = [(match[0].casefold(), match.start(), match.end()) for match in _WORD.finditer(text)]
        place = 0
        while place < len(words):
            known = self._by_first.get(words[place][0], ()) or self._by_first.get(_singular(words[place][0]), ())
            taken = 0
            span: tuple[int, int] | None = None
            for wanted, exact, value in known:
                if span is not None and len(wanted) < taken:
                    break
                at = _matches(text, words, place, wanted, exact)
                if at is None or (span is not None and at != span):
                    continue
                yield Spotted(value, *at)
                span, taken = at, len(wanted)
            place += taken or 1


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 2 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def _matches(
    text: str, words: list[tuple[str, int, int]], place: int, wanted: list[str], exact: str | None
) -> tuple[int, int] | None:
    last = place + len(wanted) - 1
    if last >= len(words) or _singular(words[last][0]) != wanted[-1]:
        return None
    for number, word in enumerate(wanted[:-1]):
        if words[place + number][0] != word or not _JOINT.fullmatch(
            text, words[place + number][2], words[place + number + 1][1]
        ):
            return None
    start, end = words[place][1], words[last][2]
    if exact is None:
        return start, end
    # with its signs: C++, E-selectin; and a plural s
    start -= next((n for n, sign in enumerate(exact) if sign.isalnum()), 0)
    form = " ".join(text[max(start, 0) : max(start, 0) + len(exact) + 1].split())
    plain = " ".join(exact.split())
    for name in (plain + "s", plain, plain.removesuffix("s")):
        if start >= 0 and form.startswith(name) and not (len(form) > len(name) and form[len(name)].isalnum()):
            stop = start + len(name)
            return (start, max(stop, end) if text[start:end].startswith(name) else stop)
    return None
