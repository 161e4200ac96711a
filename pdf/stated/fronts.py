"""Authors and date of a document: what its file states, held against what its first page says."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import TYPE_CHECKING

from ragraph.pdf.patterns import MONTH, MONTHS, NAME_ALONE
from ragraph.pdf.stated.titles import front_letters, front_words, letters_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ragraph.pdf.model import Page

_MONTH = rf"(?P<month>{MONTH})\.?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_LABEL = r"(?:(?:[\w-]+ )?(?:date|dated|issued|published|updated|revised|version of|last updated)[:,]?\s+(?:on\s+)?)?"
_DATES = tuple(
    re.compile(rf"^\W?{_LABEL}{form}\W?$", re.I)
    for form in (
        rf"(?P<day>\d{{1,2}})\s?(?:st|nd|rd|th)?\.?\s(?:of\s)?{_MONTH},?\s{_YEAR}",
        rf"{_MONTH}\s(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s{_YEAR}",
        rf"{_MONTH},?\s{_YEAR}",
        rf"{_YEAR}-(?P<number>\d\d)-(?P<day>\d\d)",
    )
)
"""A line that is a date and nothing else but a word that says so. Days and months in figures alone may be either."""
_LATER = timedelta(days=31)
"""A date further behind the making of the file is that of something to come."""
_ADDRESS = re.compile(r"\s*<[^>]*>|\s*\([^)]*@[^)]*\)")
_NOBODY = re.compile(
    r"^(?:anonymous|unknown|author|user|owner|admin(?:istrator)?|n/?a|none|-+|.*@.*"
    r"|(?:the\s+)?(?:developers?|contributors?|editors?|webmaster|staff|team|scanner|print\s?shop|copy\s?cent(?:er|re))"
    r"|(?:https?://)?(?:[\w-]+\.)+(?:com|org|net|io|co|gov|edu|eu|de|fr|uk|dev|app|ai|info)/?\S*"
    r"|.*\ba\s+division\s+of\b.*|.*\b(?:R\.?\s?R\.?\s)?donnelley\b.*"
    r"|(?:toppan\s+)?merrill\b.*|workiva\b.*|broadridge\b.*|edgar\s*(?:filing|agents?)\b.*|activedisclosure\b.*)$",
    re.I,
)
"""Accounts, roles, addresses of sites, and printers of filings: they made the file, not the document."""

_BODY = re.compile(
    r"\b(?:of|for|department|ministry|office|bureau|institute|university|council|commission|agency|group|inc|ltd|llc)\b",
    re.I,
)
"""A word in the name of a body, which may hold commas and "and"."""


def authors_of(stated: str, pages: Sequence[Page], programs: Iterable[str] = ()) -> list[str]:
    """Return the authors that a file states, without what programs put there: names of accounts, addresses, "user".

    Args:
        stated: what the file states, names parted by semicolons or wide spaces, or full names by commas.
        programs: what the file states of the programs that made it; none of them is an author.
        pages: those that were read; the first ones bear the name of an author.
    """
    names = [name for part in re.split(r";|\s{2,}", stated) for name in _full_names(_ADDRESS.sub("", part).strip())]
    made = [letters_of(program) for program in programs]
    names = [name for name in names if not any(letters_of(name) in program for program in made)]
    # A company publishes; an account is in small letters.
    names = [name for name in names if name and not name.islower() and not NAME_ALONE.search(name)]
    return [name for name in names if not _NOBODY.match(name) and _is_borne(name, pages)]


def _is_borne(name: str, pages: Sequence[Page]) -> bool:
    """Return True if the first pages bear all words of a name, or are images: others made the file, or a template."""
    front, words = front_letters(pages), front_words(pages)
    cased = name.lower() != name.upper()
    return not front or all(letters_of(word) in (words if cased else front) for word in name.split())


def _full_names(text: str) -> list[str]:
    """Return names that commas part; "Smith, Jane" is one, and so is "Department of Health and Human Services"."""
    parts = [part.strip() for part in re.split(r",\s(?:and\s)?|\sand\s|\s&\s", text)]
    if _BODY.search(text) or (len(parts) == 2 and ", " in text):
        return [text]
    return [" ".join(part.split()) for part in parts] if all(" " in part for part in parts) else [text]


def date_of(lines: Iterable[str], created: date | None) -> date | None:
    """Return the date that a document bears, else the one on which its file was made.

    Args:
        lines: of its first page.
        created: what the file states.
    """
    printed = {found for line in lines if (found := _date(line)) is not None}
    sound = [found for found in printed if created is None or found <= created + _LATER]
    return sound[0] if len(printed) == len(sound) == 1 else created


def _date(line: str) -> date | None:
    for form in _DATES:
        if match := form.match(line.strip()):
            parts = match.groupdict()
            month = int(parts["number"]) if parts.get("number") else _month(parts["month"])
            try:
                return date(int(parts["year"]), month, int(parts.get("day") or 1))
            except ValueError:
                return None
    return None


def _month(word: str) -> int:
    """Return the number of a month, from 1, by its first letters."""
    return next(number for number, name in enumerate(MONTHS, 1) if name[:3] == word[:3].lower())
