"""Bibliographic styles recognised by special characters: GOST (title // journal), Chinese and Japanese styles."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_SLASHES = re.compile(r"\s//\s")
_YEAR = re.compile(r"(?<!\d)(?:1[4-9]\d\d|20\d\d)(?!\d)")
_GOST_VOLUME = re.compile(r"(?<!\w)(?:Т|T|Vol|V|Bd)\.\s?(\d{1,4})")
_GOST_ISSUE = re.compile(r"(?<!\w)(?:№|(?:No|Вып|Iss|N)\.)\s?(\d{1,4}(?:[-–/]\d{1,4})?)")
_GOST_PAGES = re.compile(r"(?<!\w)(?:[СC]|pp?|P|S)\.\s?(\d{1,6}(?:\s?[-–—]\s?\d{1,6})?)(?=\D*$)")
_EAST = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_WIDE = {ord(wide): f"{narrow} " for wide, narrow in zip("．，：；。、", ".,:;.,", strict=True)}
_TYPE = re.compile(r"\s*\[[A-Z]{1,2}(?:/[A-Z]{1,2})?\]")
"""Type of a work after its title, in Chinese entries: [J] for a journal article, [M] for a book."""
_PARTED = re.compile(rf"\.\s*(?=[^\W\d]|[《『「]|\d+[^\W\d_])|\.(?={_EAST.pattern})")
_BRACKETED = re.compile(
    r"^(?P<authors>[^「」《》『』]{0,120}?)[\s,.:]*(?:「(?P<article>[^」]+)」|[『《](?P<book>[^』》]+)[』》])"
)
_CONTAINER = re.compile(r"[『《](?P<name>[^』》]+)[』》]")
_VOLUME = re.compile(
    r"(?:(?<![\d(])(?P<volume>\d{1,4})\s?\((?P<issue>[^()]{1,12})\)|第?(?P<kan>\d{1,4})\s?[巻卷권](?:\s?第?(?P<go>\d{1,4})\s?[号號期호])?"
    r"|(?:19|20)\d\d[,;]\s?(?:[Vv]ol\.?\s?)?(?P<plain>\d{1,4})(?=\s?[:,]))"
)
_NUMBER = re.compile(r"\bno\.\s?(\d{1,4})")
_PAGES = re.compile(r"(?:[:,]\s?(?:pp?\.?\s?)?|\bpp?\.?\s?)(\d{1,6}(?:\s?[-–~]\s?\d{1,6})?)(?=\s?(?:[頁页쪽.,;(]|$))")
_NAMES = re.compile(r"[,;・]\s?")


def parse_style(text: str, authors_of: Callable[[str], tuple[list[str], int]]) -> dict[str, object] | None:
    """Return the fields of an entry in one of these styles, or None for another style.

    Args:
        text: plain text without number and identifiers.
        authors_of: returns the authors at the beginning of a text, and the position where they end.
    """
    if (slashes := _SLASHES.search(text)) is not None and _YEAR.search(text, slashes.end()):
        return _gost(text[: slashes.start()], text[slashes.end() :], authors_of)
    letters = sum(map(str.isalpha, text))
    if 2 * len(_EAST.findall(text)) > letters:
        return _east(text)
    return None


def _gost(head: str, tail: str, authors_of: Callable[[str], tuple[list[str], int]]) -> dict[str, object]:
    """Return the fields of ``Authors. Title / responsible // Journal. – Year. – Т. 12, № 3. – С. 45–67``."""
    authors, end = authors_of(head)
    title = head[end:].split(" / ")[0].strip(" .,:;")
    year = _YEAR.search(tail)
    container = re.split(r"\.\s?[-–—]\s|[.,]\s(?=(?:1[4-9]|20)\d\d)|\s[-–—]\s", tail, maxsplit=1)[0]
    said: dict[str, object] = {"authors": authors, "title": title, "container": container.strip(" .,")}
    found = {"volume": _GOST_VOLUME, "issue": _GOST_ISSUE, "pages": _GOST_PAGES}
    said |= {name: match[1] for name, pattern in found.items() if (match := pattern.search(tail))}
    return said | ({"year": year[0]} if year else {})


def _east(text: str) -> dict[str, object] | None:
    """Return the fields of ``authors. title[J]. journal, year, volume(issue): pages`` and similar forms."""
    plain = " ".join(unicodedata.normalize("NFKC", text.translate(_WIDE)).split())
    said: dict[str, object] = {}
    if (found := _BRACKETED.match(plain)) is not None:
        authors, title, rest = found["authors"], found["article"] or found["book"], plain[found.end() :]
        if found["article"] and (container := _CONTAINER.search(rest)):
            said["container"], rest = container["name"], rest[container.end() :]
    else:
        parts = _PARTED.split(plain, maxsplit=2)
        colon = re.match(r"(?P<names>[^\d:.]{2,60}):\s(?P<title>[^.]{4,})", parts[0])
        if colon is not None:
            authors, title, rest = colon["names"], colon["title"], plain[len(parts[0]) + 1 :].lstrip()
        elif len(parts) == 3:
            authors, title, rest = parts
        else:
            return None
    names = _NAMES.split(_YEAR.sub("", authors).strip(" .,:;()"))
    said["authors"] = [name for name in names if name]
    said["title"] = _TYPE.sub("", title).strip(" .,")
    if years := _YEAR.findall(plain):
        said["year"] = years[-1] if re.search(r"\d{4}\W*$", plain) else years[0]
    if (volume := _VOLUME.search(rest)) is not None:
        said["volume"] = volume["volume"] or volume["kan"] or volume["plain"]
        issue = volume["issue"] or volume["go"] or ((number := _NUMBER.search(rest)) and number[1])
        said |= {"issue": issue} if issue else {}
        said.setdefault("container", re.split(r"[,.]|\s?\d|\(|第", rest, maxsplit=1)[0].strip(" .,:") or None)
    if (pages := _PAGES.search(rest, volume.end() if volume else 0)) is not None:
        said["pages"] = pages[1].replace("~", "-")
    return said
