"""Quotes, dashes and signs as they are printed.

docling-parse hands out straight quotes and plain hyphens for typographic ones. PDFium keeps them: the words of
a page are matched with PDFium's, and those that differ in such characters alone take PDFium's. Of some fonts whose
letters are coded as on a Mac it hands out what the codes mean elsewhere, "Õ" for an apostrophe.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from ragraph.pdf.patterns import NUMBER_AT_EDGE

if TYPE_CHECKING:
    from ragraph.pdf.model import Page

_PLAIN = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′", "'"),
        **dict.fromkeys("“”„‟″", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        "…": "...",
    }
)  # fmt: skip
_CHANGED = frozenset("'\"-.")
_MAC = {code: bytes([code]).decode("mac_roman") for code in range(0xA0, 0x100)}
"""What codes from 160 on are on a Mac."""
_UNKNOWN, _LEAST_KNOWN = "\ufffd", 2
"""What the parser puts for a letter that it does not know, and how many of a word it must know for it to be found."""
_CODED = frozenset(map(chr, _MAC))


def restore_typography(page: Page, document: Any) -> None:
    """Give the words of a page the quotes and dashes that PDFium reads, and letters that are coded as on a Mac.

    A word is changed only if all of PDFium's words like it on the page agree, or if both sides have as many and
    they can be taken in turn.

    Args:
        page: the page; its words change.
        document: the file, opened by ``facts.open_pdf``.
    """
    every = (*page.words, *page.sideways, *page.slanted)
    words = [word for word in every if not _CHANGED.isdisjoint(word.text)]
    coded = [word for word in every if not _CODED.isdisjoint(word.text)]
    unknown = [word for word in every if _UNKNOWN in word.text]
    if not words and not coded and not unknown:
        return
    text_page = document[page.number - 1].get_textpage()
    text = text_page.get_text_range()
    text_page.close()
    for word in unknown:
        word.text = _known(word.text, text)
    if text.isascii():
        return
    for word in coded:
        meant = word.text.translate(_MAC)
        if word.text not in text and meant in text:
            word.text = meant
    printed = _by_plain(text)
    ours = Counter(word.text for word in words)
    turn: Counter[str] = Counter()
    for word in words:
        plain, tokens = word.text, printed.get(word.text, [])
        if len(set(tokens)) == 1:
            word.text = tokens[0]
        elif tokens and len(tokens) == ours[plain]:
            word.text = tokens[turn[plain]]
            turn[plain] += 1


def _by_plain(text: str) -> dict[str, list[str]]:
    """Return the words of a page with quotes and dashes, by what they are with plain ones, in their order."""
    printed: dict[str, list[str]] = defaultdict(list)
    for token in text.split():
        plain = token.translate(_PLAIN)
        if plain != token or not _CHANGED.isdisjoint(token):
            printed[plain].append(token)
            # The mark of a note at either end is a word of its own on our side.
            bare = NUMBER_AT_EDGE.sub("", plain)
            if bare and bare != plain:
                start = plain.index(bare)
                printed[bare].append(token[start : start + len(bare)] if len(token) == len(plain) else bare)
    return printed


def _known(word: str, text: str) -> str:
    """Return the one word of a text that has all letters of a word that are known at their places; else the word."""
    if sum(map(str.isalnum, word)) < _LEAST_KNOWN:
        return word
    shape = r"\S".join(map(re.escape, word.split(_UNKNOWN)))
    found = set(filter(str.isprintable, re.findall(rf"(?<!\S){shape}(?!\S)", text)))
    return found.pop() if len(found) == 1 else word
