"""What a single block must be to be taken for a heading, whatever the rest of the document looks like."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.pdf.blocks.looks import Look, letter_count, printed, scheme_of
from ragraph.pdf.patterns import (
    BULLET,
    CAPTION,
    CLOSING_WORDS,
    FILLED_IN,
    FULL_STOP,
    GOES_ON,
    INDEX_ENTRY,
    LABEL_ONLY,
    LEADER,
    NAME_ALONE,
    NO_TITLE,
    NO_TITLE_START,
    PERSONS,
    REACHED_AT,
    RELEASE,
    SENTENCE_WITHIN,
    SITE_ALONE,
    SOURCE,
    STATEMENT,
    SYLLABIC,
    TITLE_NUMBER,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.model import Block, Page, Style

_LONGEST = 240
"""Characters of a title at most: longer ones are paragraphs."""

_LARGER = 1.07
"""Size, against the running text, from which a title is larger."""
_DISPLAYED = 1.18
"""The same, from which what begins like the source of a figure, or is a site alone, is a title: they are hardly set
larger."""
_PLAIN = 80
"""Characters of a title that its type hardly tells at most."""
_LEAST = 3
"""Letters of the longest word of a title at least; shorter ones are initials."""
_SAID_AGAIN = 3
"""Words from which it tells that each stands there twice."""
_PERSONS = 24
"""Words among which names of persons are looked for at most: a line has no more, and ways to part them are many."""
_CAPITAL = 0.6
"""Share of the long words of a title that begin with a capital, where few do not."""
_IN_FIELD = 0.6
"""Share of a block that lies in a field of a form at least, if it was filled in there."""
_NAME = 6
"""Words of the name of a company at most."""
_MATH = 0.25
"""Share of its letters in type of formulas at most."""
_BEGINNINGS = (CAPTION, BULLET, NO_TITLE_START, STATEMENT, CLOSING_WORDS, INDEX_ENTRY)
_PARTS = (LEADER, NO_TITLE, FILLED_IN, SENTENCE_WITHIN, REACHED_AT)
_SOURCES = (SOURCE, SITE_ALONE)
"""What no title begins with, what none holds, and what none begins with that is hardly set larger."""


def may_be_heading(block: Block, look: Look, style: Style, *, stopped: bool = False) -> bool:
    """Return True if the words of a block can be those of a heading: few, no sentence, no formula, no list item.

    Args:
        block: of the kind text.
        look: the type it is set in.
        style: the running style of the document.
        stopped: titles of the document end with a full stop, which tells nothing then.
    """
    text = printed(block)
    if not text or block.length > _LONGEST or len(block.lines) > 4:
        return False
    if _is_something_else(block, text, displayed=look.size > _DISPLAYED * style.size):
        return False
    numbered = scheme_of(text) != "none" or bool(LABEL_ONLY.match(text))
    if block.mean("math") > _MATH or (not numbered and _is_part(text)):
        return False
    words = TITLE_NUMBER.sub("", text).replace(" ", "")
    if letter_count(words) < 0.5 * len(words) and not _is_release(text, look, style):
        return False
    if not _may_end_so(block, text, look, stopped or numbered):
        return False
    if look.size > _LARGER * style.size or look.bold or look.capitals:
        return numbered or text[-1:] != "." or len(block.lines) <= 2
    slanted = look.italic and mostly_capital(text.split())
    return len(block.lines) == 1 and (slanted or block.length < _PLAIN)


def _is_something_else(block: Block, text: str, *, displayed: bool) -> bool:
    """Return True if a text is a note, a caption, an item, a field or a sentence; or, if not displayed, a source."""
    first = block.lines[0].words[0]
    return (
        (first.raised and first.text.isdecimal())
        or any(pattern.match(text) for pattern in (*_BEGINNINGS, *(() if displayed else _SOURCES)))
        or any(pattern.search(text) for pattern in _PARTS)
        or _is_repeating(text)
    )


def _is_part(text: str) -> bool:
    """Return True if a text is initials, or begins within a sentence."""
    first = next((character for character in text if character.isalpha()), "")
    return first.islower() or max(map(_letters, text.split())) < _LEAST


def _may_end_so(block: Block, text: str, look: Look, stopped: bool) -> bool:
    """Return True if a title may end as a text does: with a full stop if others do, or if its type or words tell it."""
    strong = look.capitals or (look.bold and len(block.lines) == 1 and len(text.split()) <= 8)
    return text[-1:] not in ",;。；，、" and (text[-1:] != "." or stopped or strong or _titled(text))


def _is_release(text: str, look: Look, style: Style) -> bool:
    """Return True if a text that stands out is the number of a release, perhaps with a date, as in change logs."""
    return look.stands_out(style) and bool(RELEASE.match(TITLE_NUMBER.sub("", text).strip()))


def ends_sentence(block: Block) -> bool:
    """Return True if a block is the end of a sentence that began before it."""
    text = printed(block)
    return bool(GOES_ON.match(text)) and bool(FULL_STOP.search(text))


def is_signature(block: Block, page: Page, column: float) -> bool:
    """Return True if a block stands at the right edge of the text, as names under a preface do."""
    at_edge = block.left > 0.5 * page.width and block.right > column - 0.03 * page.width and len(block.lines) == 1
    # At the left edge of the right one of two columns stand its headings.
    return at_edge and not any(len(other.lines) > 2 and abs(other.left - block.left) < 12 for other in page.blocks)


def is_name(block: Block) -> bool:
    """Return True if a block is the name of a company, or of a kind of publication."""
    text = printed(block)
    return len(text.split()) <= _NAME and bool(NAME_ALONE.search(text))


def is_filled_in(block: Block, page: Page) -> bool:
    """Return True if a block stands in a field of a form."""
    return page.turn is None and any(box.holds(block, _IN_FIELD) for box in page.fields)


def is_persons(text: str) -> bool:
    """Return True if a text is the names of several persons and nothing else."""
    return len(text.split()) <= _PERSONS and bool(PERSONS.match(text))


def is_field(block: Block) -> bool:
    """Return True if a line is a label in bold with a colon and its value in plain type ("Author: Jane Roe")."""
    words = [word for line in block.lines for word in line.words if not word.raised]
    strong = next((at for at, word in enumerate(words) if not word.font.bold), len(words))
    ends = 0 < strong < len(words) and words[strong - 1].text[-1:] in ":?"
    return ends and not any(word.font.bold for word in words[strong:])


def _letters(text: str) -> int:
    """Count letters; signs that are half a word count as two: "目录" is a title."""
    return letter_count(text) + len(SYLLABIC.findall(text))


def _is_repeating(text: str) -> bool:
    """Return True if a text says the same words again and again, as labels of charts side by side do."""
    words = [word.lower() for word in text.split() if letter_count(word) > 1]
    return len(words) >= _SAID_AGAIN and 2 * len(set(words)) <= len(words)


def _titled(text: str) -> bool:
    """Return True if a text that ends with a full stop is set like a title: few words, or capitals in front."""
    words = [word for word in text.split() if word[:1].isalpha()]
    return len(words) <= 8 and mostly_capital(words)


def mostly_capital(words: Sequence[str]) -> bool:
    """Return True if most of the long ones among words begin with a capital, as they do in titles."""
    long = [word for word in words if len(word) > 3 and word[0].isalpha()]
    return bool(long) and sum(word[0].isupper() for word in long) >= _CAPITAL * len(long)
