"""Whether the title that a file states is one: programs write names of files and numbers there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragraph.pdf.patterns import FILE_TITLE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.model import Page

_FIRST = 3
"""A title stands on the cover, the title page or the page after."""
_ENOUGH = 20
"""Words on the first pages, at least, that a title can be looked for among; covers may be images."""


def stated_title(stated: str, pages: Sequence[Page], printed: str = "") -> str | None:
    """Return the title that a file states, if it is none of a file and its words stand on the first pages.

    What is stated gives way to what is printed, unless it is that, or more: templates and names of files are stated
    too.

    Args:
        stated: what the file states; "" for nothing.
        pages: those that were read; where the first ones are not among them, or are images, nothing can be looked up.
        printed: the title on the first pages; "" if there is none.
    """
    title = stated.strip()
    if not title or FILE_TITLE.match(title) or letters_of(printed) not in letters_of(title):
        return None
    front = _front(pages)
    if not front:
        return title
    known = set(_words(front.casefold()))
    if all(word in known for word in _words(title.casefold())):
        return title
    # Words that are divided, or set letter by letter.
    return title if letters_of(title) in letters_of(front) else None


def front_letters(pages: Sequence[Page]) -> str:
    """Return the letters of the first pages as one; "" where there are too few words to look something up in."""
    return letters_of(_front(pages))


def front_words(pages: Sequence[Page]) -> set[str]:
    """Return the words of the first pages, by their letters."""
    return {letters_of(word.text) for page in pages if page.number <= _FIRST for word in page.words}


def _front(pages: Sequence[Page]) -> str:
    """Return the words of the first pages; "" where they are too few to look something up in."""
    first = [word.text for page in pages if page.number <= _FIRST for word in page.words]
    return " ".join(first) if len(first) >= _ENOUGH else ""


def letters_of(text: str) -> str:
    """Return letters and digits of a text, in lower case, as one word."""
    return "".join(_words(text.casefold()))


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text)
