"""Letters that the parser does not know or takes for others, as PDFium reads them.

Some fonts name only a few of their codes, and the parser gives no letter for the others; of some it makes letters of
another script. PDFium looks at the encoding and at the font itself. Of the two, the words are taken that have more
letters of the script of the page. A font whose letters PDFium alone takes for Greek, or another script, is that. A word
that mixes Latin letters with those of another script is taken as PDFium reads it, if that is one script.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ragraph.pdf.model import Word

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragraph.pdf.model import Font, Page

_UNKNOWN = "\ufffd"
_FOREIGN = 0.05
"""Share of the letters of a page that are of a rarer script than Latin, from which the page is compared."""
_BETTER = 0.5
"""Such letters that PDFium reads on the page, at most, by those of the parser, if PDFium's are taken."""
_ASKED, _ENOUGH = 4, 3
"""Words of a font that PDFium is asked about, at most, and letters that they have, at least."""
_INSIDE = 0.25
"""Share of the height of a word that is left out at the top and at the foot, where other lines may reach in."""


def restore_letters(pages: Sequence[Page], document: Any) -> None:
    """Give words with unknown letters, or letters of a script that the page does not show, those that PDFium reads.

    Args:
        pages: of the file; their words change. One that is cropped or turned is left alone: places are others there.
        document: the file, opened by ``facts.open_pdf``.
    """
    named = _fonts_of_another_script(pages, document)
    for page in pages:
        _restore(page, document, named)


def _restore(page: Page, document: Any, named: set[Font]) -> None:
    """Do so for a page.

    Args:
        page: the page; its words change.
        document: the file.
        named: fonts whose letters the parser takes for Latin ones.
    """
    ours = _scripts(word.text for word in page.words if not word.text.isascii())
    foreign = sum(ours.values()) - ours["LATIN"]
    letters = sum(sum(map(str.isalpha, word.text)) for word in page.words) if foreign else 0
    unknown = any(_UNKNOWN in word.text or word.font in named or _is_mixed(word.text) for word in page.words)
    if not unknown and foreign <= _FOREIGN * letters:
        return
    with _text_of(page, document) as text_page:
        if text_page is None:
            return
        theirs = _scripts([text_page.get_text_range()])
        wrong = foreign > _FOREIGN * letters and sum(theirs.values()) - theirs["LATIN"] < _BETTER * foreign
        found: list[Word] = []
        for word in page.words:
            is_wrong = wrong and _is_foreign(word.text)
            is_unread = _UNKNOWN in word.text or word.font in named
            is_mixed = _is_mixed(word.text) and not is_unread
            if is_unread or is_wrong or is_mixed:
                tokens = _tokens(page, word, text_page)
                if word.font in named:  # the sign of micro is a letter there
                    tokens = [unicodedata.normalize("NFKC", token) for token in tokens]
                read = "".join(tokens)
                kept = is_wrong and _is_foreign(read)
                kept |= is_mixed and (_is_mixed(read) or len(read) != len(word.text))
                found += [word] if kept or not tokens else _words(word, tokens)
            else:
                found.append(word)
            page.restored += found[-1] is not word
        page.words = found


@contextmanager
def _text_of(page: Page, document: Any) -> Iterator[Any]:
    """Open the text of a page as PDFium reads it; None if the page is cropped or turned."""
    handle = document[page.number - 1]
    try:
        if not page.lies_on(handle):
            yield None
            return
        text_page = handle.get_textpage()
        try:
            yield text_page
        finally:
            text_page.close()
    finally:
        handle.close()


def _fonts_of_another_script(pages: Sequence[Page], document: Any) -> set[Font]:
    """Return the fonts whose first words are Latin for the parser and of another script for PDFium.

    Fonts of TeX for Greek and Cyrillic name their letters without a table of Unicode; the parser takes the codes.
    """
    asked: dict[Font, list[str]] = {}
    for page in pages:
        words: dict[Font, list[Word]] = {}
        for word in page.words:
            if (
                len(asked.get(word.font, ())) < _ASKED
                and sum(map(str.isalpha, word.text)) > 1
                and word.text.isprintable()
            ):
                words.setdefault(word.font, []).append(word)
        if not words:
            continue
        with _text_of(page, document) as text_page:
            for font, some in words.items() if text_page else ():
                for word in some[:_ASKED]:
                    theirs = "".join(_tokens(page, word, text_page))
                    asked.setdefault(font, []).append("" if _is_foreign(word.text) else theirs)
    return {
        font
        for font, texts in asked.items()
        if all(map(_is_of_another_script, texts)) and sum(map(len, texts)) >= _ENOUGH
    }


def _is_of_another_script(text: str) -> bool:
    """Return True if a text has letters, all of one script, which is not Latin."""
    scripts = _scripts([unicodedata.normalize("NFKC", text)])
    return len(scripts) == 1 and "LATIN" not in scripts and not any(sign.isascii() and sign.isalpha() for sign in text)


def _tokens(page: Page, word: Word, text_page: Any) -> list[str]:
    """Return what PDFium reads in the place of a word; empty if it knows no letters there either."""
    inset = _INSIDE * word.height
    low, high = page.height - word.bottom + inset, page.height - word.top - inset
    text = text_page.get_text_bounded(word.left, low, word.right, high)
    tokens: list[str] = text.split()
    is_read = _UNKNOWN not in text and all(token.isprintable() and not any(map(_is_private, token)) for token in tokens)
    return tokens if is_read else []


def _words(word: Word, tokens: Sequence[str]) -> list[Word]:
    """Return words with the texts that PDFium reads in the place of one, side by side."""
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


def _is_mixed(text: str) -> bool:
    """Return True if a text has letters of another script beside Latin ones; accents set as letters are of none."""
    letters = "".join(sign for sign in text if sign.isalpha() and unicodedata.category(sign) != "Lm")
    return _is_foreign(letters) and any(sign.isascii() for sign in letters)


def _is_private(sign: str) -> bool:
    return unicodedata.category(sign) == "Co"
