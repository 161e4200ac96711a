"""Format counts with their nouns: one document, but two documents."""

from __future__ import annotations

import re

_OTHERS = {"hidden": "hidden", "unreadable": "unreadable", "original and picture": "originals and pictures"}


def many(count: int, what: str) -> str:
    """Return a count with its noun, ``what`` in the singular: "1 entry", "1,200 entries"."""
    return f"{count:,} {what if count == 1 else plural(what)}"


def duration(seconds: float) -> str:
    """Return a duration for people: 0:07, 12:30, 3:05:00."""
    minutes, left = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"


def plural(what: str) -> str:
    """Return the plural of a noun: "entries", "links out of the folder"."""
    if what in _OTHERS:
        return _OTHERS[what]
    head, *rest = re.split(r"(?= (?:to|of|out of|without) )", what, maxsplit=1)
    return "".join([f"{head[:-1]}ies" if re.search("[^aeiou]y$", head) else f"{head}s", *rest])
