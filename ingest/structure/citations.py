"""Citations in running text: "[3, 5–7]" and "(Smith and Jones, 2020)", linked to the entries of the bibliography.

A citation gets no link if its entry is missing or if several entries fit equally well.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_BRACKETED = re.compile(r"\[(?P<inside>[^\[\]\n]{1,80})\](?!\()")
_SERIES = re.compile(r"(\d{1,4})\s?[-–—]\s?(\d{1,4})")
_LONGEST_SERIES = 40
_LABEL = re.compile(r"^\s*(?:\[(?P<bracketed>[^\]\[]{1,24})\]|\(?(?P<plain>\d{1,4})[.)](?=\s))\s*")
_YEAR = r"(?:1[4-9]|20)\d\d"
_YEARS = re.compile(rf"(?<![\d\w/-])(?P<year>{_YEAR}[a-z]?|n\.\s?d\.)(?![\d\w])")
_YEAR_ONLY = re.compile(rf"(?<!\d)(?P<year>{_YEAR}[a-z]?)(?!\d)|(?P<none>n\.\s?d\.)")
_INITIALS = r"(?:[A-Z]\.[\s-]?)*"
_NAME = r"[^\W\d_a-z][^\W\d_]+(?:[-'’‐][^\W\d_]+)*"
_PARTICLES = r"(?:(?:van|von|vom|zu|de|del|della|der|den|di|da|dos|du|la|le|el|al|bin|ibn|ten|ter|st\.)\s+|[dDlL]['’])*"
_FIRST = re.compile(rf"^\W*{_INITIALS}\s*(?P<name>(?i:{_PARTICLES}){_NAME})")
# "World Bank. 2019.", "European Commission (2018)", "Organisation for Economic Co-operation (OECD). 2020."
_BODY = re.compile(r"^\W*(?P<name>[^\W\d_a-z][\w&'’ -]{2,80}?)\s*(?:\((?P<short>[A-Z][A-Za-z]{1,9})\))?\s*[.(:,]")
_ET_AL = r"et\s+al\.?|and\s+others|and\s+colleagues|u\.\s?a\.|y\s+otros|e\s+outros"
_MORE = (
    rf"(?:(?:,?\s+(?:{_ET_AL}))"
    rf"|(?:,\s+{_PARTICLES}{_NAME}){{0,4}},?\s+(?:and|&|und|et|y|e)\s+{_INITIALS}{_PARTICLES}{_NAME})?"
)
_BEFORE_YEAR = re.compile(
    rf"(?P<more>{_MORE})\.?(?:['’]s)?(?:,?\s+in\s+press)?[,;:]?\s*"
    rf"(?P<earlier>[(\[]?(?:\s*{_YEAR}[a-z]?(?:[,:]\s*(?:pp?\.\s*)?[\d–-]+)?\s*[,;]\s*)*)[(\[]?$"
)
_MONTHS = re.compile(
    r"january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|winter"
    r"|fall",
    re.I,
)
_REACH = 240
"""Characters before a year in which its authors are searched."""


@dataclass
class Entries:
    """The entries of a document: keys by printed label, and authors with keys by year."""

    by_label: dict[str, list[str]] = field(default_factory=dict)
    by_year: dict[str, list[_Work]] = field(default_factory=dict)

    def add(self, key: str, marker: str | None, text: str) -> None:
        """Add an entry: key, marker as printed if it has one, and text."""
        label = _LABEL.match(text)
        printed = marker or (label and (label["bracketed"] or label["plain"])) or ""
        if plain_label(printed):
            self.by_label.setdefault(plain_label(printed), []).append(key)
        head = text[label.end() :] if label else text
        years = list(_YEAR_ONLY.finditer(head))
        for match in years:
            year = "n.d." if match["none"] else match["year"]
            # notes with a full citation begin as its entry does
            whole = head[: match.start()].strip(" (,.:;") if match is years[0] else ""
            names = (whole, *_names(head)) if 10 < len(whole) < _REACH else _names(head)
            work = _Work(key, names, head[: max(match.start(), 40)].lower(), match is years[0])
            self.by_year.setdefault(year, []).append(work)


@dataclass(frozen=True)
class _Work:
    """An entry under one of the years in it; ``first`` if that is the first one."""

    key: str
    names: tuple[str, ...]
    head: str
    first: bool


def plain_label(label: str) -> str:
    """Return a label for comparison: "[SP 800-63]", "sp 800-63" and "SP800-63" are equal."""
    return re.sub(r"(?<=[^\W\d_])\s+(?=\d)", "", re.sub(r"\s+", " ", label.strip("[]().,: \t"))).lower()


def _names(head: str) -> tuple[str, ...]:
    """Return the names by which the text may refer to the authors of an entry."""
    names = []
    first = _FIRST.match(head)
    if first:
        names.append(first["name"])
    body = _BODY.match(head)
    if body and " " in body["name"] and not re.search(r"\b[A-Z]$", body["name"]):
        names.append(body["name"].strip())
    if body and body["short"]:
        names.append(body["short"])
    return tuple(dict.fromkeys(names))


def by_label(text: str, entries: Entries) -> Iterator[tuple[str, str, int]]:
    """Yield key of the entry, marker as printed and its start for citations in brackets: "[22]", "[3, 5-7]"."""
    for match in _BRACKETED.finditer(text):
        inside, offset = match["inside"], match.start("inside")
        whole = entries.by_label.get(plain_label(inside), [])
        if len(whole) == 1:
            yield whole[0], match.group(), match.start()
            continue
        for part in re.finditer(r"[^,;]+", inside):
            label = part.group().strip()
            start = offset + part.start() + len(part.group()) - len(part.group().lstrip())
            for name in _each(label):
                found = entries.by_label.get(plain_label(name), [])
                if len(found) == 1:
                    yield found[0], label, start


def _each(label: str) -> Iterable[str]:
    """Return the labels of one item of a list: "5–7" is 5, 6 and 7. "12, p. 3" has been split before."""
    series = _SERIES.fullmatch(label)
    if series is None:
        return [re.sub(r"^(?:see|cf\.?|e\.g\.?,?)\s+", "", label, flags=re.I)]
    first, last = int(series[1]), int(series[2])
    return map(str, range(first, last + 1)) if first < last <= first + _LONGEST_SERIES else ()


def by_author(text: str, entries: Entries) -> Iterator[tuple[str, str, int]]:
    """Yield key of the entry, marker as printed and its start for citations by author and year."""
    for match in _YEARS.finditer(text):
        year = re.sub(r"\s", "", match["year"])
        works = entries.by_year.get(year) or entries.by_year.get(
            year.rstrip("abcdefghij") if year[0] != "n" else "", []
        )
        if not works:
            continue
        left = text[max(match.start() - _REACH, 0) : match.start()]
        found: dict[str, tuple[tuple[int, int, bool], str, int]] = {}
        for work in works:
            fit = _fits(left, work)
            if fit is not None:
                start, (length, alike) = fit
                score = (length, alike, work.first)
                if work.key not in found or score > found[work.key][0]:
                    found[work.key] = (score, work.key, match.start() - len(left) + start)
        best = max((score for score, _, _ in found.values()), default=None)
        chosen = [(key, start) for score, key, start in found.values() if score == best]
        if len(chosen) == 1:
            key, start = chosen[0]
            yield key, _marker(text, start, match.end()), start


def _fits(left: str, work: _Work) -> tuple[int, tuple[int, int]] | None:
    """Return where the authors of a work begin in the words before a year, and how well they fit, or None."""
    best: tuple[int, tuple[int, int]] | None = None
    for name in work.names:
        for match in re.finditer(rf"(?<![\w-]){re.escape(name)}(?![\w-])", left, re.I):
            if match.group()[:1].islower() and not name[:1].islower():
                continue
            rest = _BEFORE_YEAR.match(left, match.end())
            if rest is None:
                continue
            bare = not rest["more"] and not rest["earlier"].strip() and left[-1:] not in "(["
            if _MONTHS.fullmatch(name) and bare:
                continue
            others = [
                re.sub(r"['’]s$", "", word.lower()) for word in re.findall(_NAME, re.sub(_ET_AL, "", rest["more"]))
            ]
            if any(other not in work.head for other in others):
                continue
            several = bool(re.search(r",.*,|\band\b|&|\bund\b|\bet al", work.head))
            alike = (bool(rest["more"]) == several) + (len(others) > 0)
            score = (len(name), alike)
            if best is None or score > best[1]:
                best = (match.start(), score)
    return best


def _marker(text: str, start: int, end: int) -> str:
    """Return the citation as printed, with the bracket after the year if it opens within the citation."""
    marker = text[start:end]
    closing = text[end : end + 1]
    opened = marker.count("(") > marker.count(")") if closing == ")" else marker.count("[") > marker.count("]")
    return marker + closing if closing and closing in ")]" and opened else marker
