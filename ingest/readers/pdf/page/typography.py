"""Quotes and dashes as they are printed.

docling-parse hands out straight quotes and plain hyphens for typographic ones. PDFium keeps them: the words of
a page are matched with PDFium's, and those that differ in such characters alone take PDFium's.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from ragraph.ingest.readers.pdf.patterns import NUMBER_AT_EDGE

if TYPE_CHECKING:
    from ragraph.ingest.readers.pdf.model import Page

_PLAIN = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′", "'"),
        **dict.fromkeys("“”„‟″", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        "…": "...",
    }
)  # fmt: skip
_CHANGED = frozenset("'\"-.")


def restore_typography(page: Page, document: Any) -> None:
    """Give the words of a page the quotes and dashes that PDFium reads.

    A word is changed only if all of PDFium's words like it on the page agree, or if both sides have as many and
    they can be taken in turn.

    Args:
        page: the page; its words change.
        document: the file, opened by ``facts.open_pdf``.
    """
    words = [word for word in page.words if not _CHANGED.isdisjoint(word.text)]
    if not words:
        return
    text_page = document[page.number - 1].get_textpage()
    text = text_page.get_text_range()
    text_page.close()
    printed: dict[str, list[str]] = defaultdict(list)
    if text.isascii():
        return
    for token in text.split():
        plain = token.translate(_PLAIN)
        if plain != token or not _CHANGED.isdisjoint(token):
            printed[plain].append(token)
            # The mark of a note at either end is a word of its own on our side.
            bare = NUMBER_AT_EDGE.sub("", plain)
            if bare and bare != plain:
                start = plain.index(bare)
                printed[bare].append(token[start : start + len(bare)] if len(token) == len(plain) else bare)
    ours: dict[str, int] = defaultdict(int)
    for word in words:
        ours[word.text] += 1
    turn: dict[str, int] = defaultdict(int)
    for word in words:
        tokens = printed.get(word.text)
        if not tokens:
            continue
        plain = word.text
        if len(set(tokens)) == 1:
            word.text = tokens[0]
        elif len(tokens) == ours[plain]:
            word.text = tokens[turn[plain]]
            turn[plain] += 1
