"""Letters that the parser does not know or takes for others, as PDFium reads them.

Some fonts name only a few of their codes, and the parser gives no letter for the others; of some it makes letters of
another script. PDFium looks at the encoding and at the font itself. Of the two, the words are taken that have more
letters of the script of the page.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from typing import TYPE_CHECKING, Any

from ragraph.pdf.model import Word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.model import Page

_UNKNOWN = "\ufffd"
_FOREIGN = 0.05
"""Share of the letters of a page that are of a rarer script than Latin, from which the page is compared."""
_BETTER = 0.5
"""Such letters that PDFium reads on the page, at most, by those of the parser, if PDFium's are taken."""
_INSIDE = 0.25
"""Share of the height of a word that is left out at the top and at the foot, where other lines may reach in."""


def restore_letters(page: Page, document: Any) -> None:
    """Give words with unknown letters, or letters of a script that the page does not show, those that PDFium reads.

    Args:
        page: the page; its words change. One that is cropped or turned is left alone: places are others there.
        document: the file, opened by ``facts.open_pdf``.
    """
    unknown = any(_UNKNOWN in word.text for word in page.words)
    ours = _scripts(word.text for word in page.words if not word.text.isascii())
    foreign = sum(ours.values()) - ours["LATIN"]
    letters = sum(sum(map(str.isalpha, word.text)) for word in page.words) if foreign else 0
    if not unknown and foreign <= _FOREIGN * letters:
        return
    handle = document[page.number - 1]
    text_page = handle.get_textpage()
    try:
        if not page.lies_on(handle):
            return
        theirs = _scripts([text_page.get_text_range()])
        wrong = foreign > _FOREIGN * letters and sum(theirs.values()) - theirs["LATIN"] < _BETTER * foreign
        found = [(word, _restored(page, word, text_page, wrong=wrong)) for word in page.words]
        page.words = [new for _, pieces in found for new in pieces]
        page.restored = sum(pieces[0] is not word for word, pieces in found)
    finally:
        text_page.close()
        handle.close()


def _restored(page: Page, word: Word, text_page: Any, *, wrong: bool) -> Sequence[Word]:
    """Return a word as PDFium reads it, in several words if there are blanks; else the word itself."""
    if _UNKNOWN not in word.text and not (wrong and _is_foreign(word.text)):
        return [word]
    inset = _INSIDE * word.height
    low, high = page.height - word.bottom + inset, page.height - word.top - inset
    text = text_page.get_text_bounded(word.left, low, word.right, high)
    tokens = text.split()
    printable = all(map(str.isprintable, "".join(tokens))) and not any(map(_is_private, "".join(tokens)))
    if not tokens or _UNKNOWN in text or not printable or (wrong and _is_foreign(text)):
        return [word]
    found: list[Word] = []
    step = word.width / (sum(map(len, tokens)) + len(tokens) - 1)
    left = word.left
    for token in tokens:
        new = Word(left, word.top, left + step * len(token), word.bottom, token, word.font)
        new.size, new.unpainted, new.led = word.size, word.unpainted, word.led
        found.append(new)
        left = new.right + step
    return found


def _scripts(texts: Any) -> Counter[str]:
    """Return how many letters beyond ASCII there are of each script."""
    return Counter(
        unicodedata.name(sign, "?").split()[0]
        for text in texts
        for sign in text
        if not sign.isascii() and sign.isalpha()
    )


def _is_foreign(text: str) -> bool:
    """Return True if a text has letters that are not Latin."""
    return any(script != "LATIN" for script in _scripts([text]))


def _is_private(sign: str) -> bool:
    return unicodedata.category(sign) == "Co"
