"""Match headings against the table in ``titles``: to which part of a document does a heading belong?"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from ragraph.ingest.common.titles import HAN, LABEL, NUMBER, ORDINAL, PATTERNS, Pattern


def _regex(line: Pattern) -> str:
    titles = "|".join(f"(?:{titles})" for titles in line.titles.values())
    for name, pattern in (("number", NUMBER), ("label", LABEL), ("han", HAN), ("ordinal", ORDINAL)):
        titles = titles.replace(f"<{name}>", pattern)
    return titles


_COMPILED = tuple((re.compile(_regex(line)), line) for line in PATTERNS)
_MARKUP = re.compile(r"[*_`]+|\[([^\]]*)\]\([^)]*\)|<[^>]+>")
_NUMBERING = re.compile(
    r"(?:§\s*)?(?:\d+(?:\.\d+)*[.):]?|[A-Z](?:\.\d+)+[.):]?|[IVXLC]+[.):]?|[A-Za-z][.)])[\s\u2002-\u200b]+(?=\S)"
    r"|(?:[一二三四五六七八九十百]+|\d+)[、．]\s*(?=\S)|[（(](?:[一二三四五六七八九十百]+|\d+)[）)]\s*(?=\S)"
)
_LONGEST = 200


def plain_title(title: str) -> str:
    """Return a title as the table compares it: no Markdown, numbering, case or closing punctuation, single spaces."""
    text = unicodedata.normalize("NFC", _MARKUP.sub(lambda found: found.group(1) or "", title))
    text = _NUMBERING.sub("", " ".join(text.split()), count=1) if _NUMBERING.match(text.strip()) else text
    return " ".join(text.split()).lower().strip(" .:;,–—-·。：；，、")


@lru_cache(maxsize=4096)
def match_title(title: str) -> Pattern | None:
    """Return the table row that a title matches, or None. Titles over 200 characters match no row."""
    if not title or len(title) > _LONGEST:
        return None
    text = plain_title(title)
    return next((line for pattern, line in _COMPILED if pattern.fullmatch(text)), None)
