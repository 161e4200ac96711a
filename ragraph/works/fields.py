"""The fields of a bibliographic entry, and the normalised forms in which they are compared."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_DASHES = re.compile(r"\s*[‐‑‒–—―−-]+\s*")
_NO_LETTERS = re.compile(r"[\W_]+")
_YEAR = re.compile(r"(?<!\d)(1[4-9]\d\d|20\d\d)(?!\d)")
_DOI = re.compile(r"10\.\d{4,9}/\S+")
_SMALL = re.compile(
    r"(?:the|of|and|for|in|on|an?|to|de|la|les?|du|des|et|der|die|das|und|für|i|e|y|del)", re.IGNORECASE
)
_STRENGTH = ("doi", "pmid", "pmcid", "arxiv", "isbn", "title", "place", "book")
"""Kinds of keys, the most reliable first; must agree with ``key_strength`` in the database. The last kind only marks a
title as that of a book.
"""

_LEAST_TITLE = 12
"""Minimum weight of a title that identifies a work together with year and author, in letters (see ``title_weight``)."""
_DENSE = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """The fields of a parsed entry; None or empty if the entry does not have the field.

    Authors are "Surname, Given" in their order, pages as printed with a hyphen, identifiers without prefix. ``book`` is
    true if the entry has a publisher or an edition and is not part of another work.
    """

    authors: tuple[str, ...] = ()
    year: int | None = None
    title: str | None = None
    container: str | None = None
    volume: str | None = None
    issue: str | None = None
    pages: str | None = None
    doi: str | None = None
    pmid: str | None = None
    pmcid: str | None = None
    arxiv: str | None = None
    isbn: str | None = None
    url: str | None = None
    book: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the fields that are set, in the form stored as JSON."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: list(value) if name == "authors" else value for name, value in values.items() if value}

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Fields:
        """Return the fields that a format states; values without the form of their field are left out."""
        text = {
            name: " ".join(str(values[name]).split())
            for name in ("title", "container", "volume", "issue", "url")
            if values.get(name)
        }
        year = _YEAR.search(str(values.get("year") or ""))
        pages = _DASHES.sub("-", str(values.get("pages") or "")).strip()
        return cls(
            authors=tuple(" ".join(str(name).split()) for name in values.get("authors") or () if str(name).strip()),
            year=int(year[1]) if year else None,
            pages=pages or None,
            doi=clean_doi(values.get("doi")),
            pmid=_digits(values.get("pmid")),
            pmcid=_pmcid(values.get("pmcid")),
            arxiv=clean_arxiv(values.get("arxiv")),
            isbn=clean_isbn(values.get("isbn")),
            book=bool(values.get("book")),
            **text,
        )


def fold(text: str | None) -> str:
    """Return the letters and digits of a text, without accents and case."""
    plain = (text or "").casefold()
    if not plain.isascii():
        plain = unicodedata.normalize("NFKD", plain.replace("ø", "o").replace("ł", "l").replace("æ", "ae"))
    return _NO_LETTERS.sub("", plain)


def title_weight(title: str | None) -> int:
    """Return the number of letters of a title; each Chinese, Japanese or Korean letter counts as three."""
    letters = fold(title)
    return len(letters) + 2 * len(_DENSE.findall(letters))


def surname(author: str) -> str:
    """Return the last word of the surname in "Surname, Given", to compare: other entries omit the words before it."""
    parts = re.sub(r"\b(?:Jr|Sr|II|III|IV)\b\.?", "", author.split(",")[0]).split()
    return fold(parts[-1] if parts else author)


def keys(said: Fields) -> list[str]:
    """Return the keys of the work: entries that share one refer to the same work, unless their fields contradict it.

    Keys are identifiers; the title with year and first author, or with volume and page; volume and page with year and
    first author, or with year and journal. The most reliable come first. The last kind, of a book, identifies nothing
    by itself.
    """
    found = [f"{name}:{getattr(said, name)}" for name in ("doi", "pmid", "pmcid", "arxiv") if getattr(said, name)]
    if said.isbn and not said.container:
        found.append(f"isbn:{said.isbn}")
    title = fold(said.title)[:200]
    weight = title_weight(said.title)
    page = fold((said.pages or "").split("-")[0])
    volume = fold(said.volume)
    first = surname(said.authors[0]) if said.authors else ""
    if first and said.year:
        if weight >= _LEAST_TITLE:
            found.append(f"title:{first}:{said.year}:{title}")
            if said.book or (said.isbn and not said.container):
                found.append(f"book:{first}:{said.year}:{title}")
        if volume and page:
            found.append(f"place:{first}:{said.year}:{volume}:{page}")
    if volume and page:
        if weight >= _LEAST_TITLE:
            found.append(f"title:{volume}:{page}:{title}")
        if said.year and (journal := _journal(said.container)):
            found.append(f"place:{journal}:{said.year}:{volume}:{page}")
    return sorted(set(found), key=lambda key: (_STRENGTH.index(key.partition(":")[0]), key))


def _journal(name: str | None) -> str:
    """Return the initials of a journal's name, which its abbreviation has too."""
    found = [word for word in re.findall(r"[^\W\d_]+", name or "") if not _SMALL.fullmatch(word)]
    if len(found) == 1:
        return fold(found[0]) if found[0].isupper() else fold(found[0])[:4]
    return "".join(fold(word)[:1] for word in found)


def clean_doi(value: object) -> str | None:
    """Return a DOI without prefix, in lower case, or None if the value has none."""
    found = _DOI.search(str(value or ""))
    if found is None:
        return None
    doi = found[0].casefold().rstrip(".,;:'\"”’>]*_")
    while doi.endswith(")") and doi.count("(") < doi.count(")"):
        doi = doi[:-1].rstrip(".,;")
    return doi


def clean_arxiv(value: object) -> str | None:
    """Return the number of an arXiv preprint without its version, or None if the value has none."""
    found = re.search(r"(\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?", str(value or ""))
    return found[1].casefold() if found else None


def clean_isbn(value: object) -> str | None:
    """Return an ISBN as 13 digits, or None if the check digit is wrong."""
    digits = re.sub(r"[^0-9X]", "", str(value or "").upper())
    if len(digits) == 10 and digits[:9].isdigit():
        total = sum((10 - place) * (10 if digit == "X" else int(digit)) for place, digit in enumerate(digits))
        if total % 11:
            return None
        digits = "978" + digits[:9]
        return digits + str(-sum(int(digit) * (1, 3)[place % 2] for place, digit in enumerate(digits)) % 10)
    if len(digits) == 13 and digits.isdigit():
        return digits if sum(int(digit) * (1, 3)[place % 2] for place, digit in enumerate(digits)) % 10 == 0 else None
    return None


def _digits(value: object) -> str | None:
    found = re.search(r"\d{1,9}", str(value or ""))
    return found[0].lstrip("0") or None if found else None


def _pmcid(value: object) -> str | None:
    number = _digits(value)
    return f"pmc{number}" if number else None
