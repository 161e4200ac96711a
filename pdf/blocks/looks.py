"""How headings look: type, capitals and numbering of a block, as far as headings differ by it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ragraph.pdf.model import Block, line_text
from ragraph.pdf.patterns import (
    DECIMAL,
    LETTER,
    LETTER_PREFIX,
    LETTERED,
    NAMED,
    ORDINAL,
    SCHEMES,
    SMALL_CAPITALS_FONT,
)

if TYPE_CHECKING:
    from ragraph.pdf.model import Style


class Look(NamedTuple):
    """The type a block is set in."""

    size: float
    bold: bool
    italic: bool
    capitals: bool

    def resembles(self, other: Look) -> bool:
        """Return True if two looks are the same but for rounding and capitals."""
        return abs(self.size - other.size) <= 0.5 and self.bold == other.bold and self.italic == other.italic

    def stands_out(self, style: Style) -> bool:
        """Return True if the look differs from the running text as headings do."""
        larger = self.size > 1.07 * style.size + 0.2
        heavier = self.bold and not style.bold and self.size >= 0.88 * style.size
        capitals = self.capitals and self.size >= 0.85 * style.size
        slanted = self.italic and self.size >= 0.97 * style.size
        return larger or heavier or capitals or slanted


def look_of(block: Block) -> Look:
    """Return how a block is set."""
    letters = capital = 0
    for line in block.lines:
        for word in line.words:
            if word.raised:
                continue
            small = bool(SMALL_CAPITALS_FONT.search(word.font.name))
            for character in word.text:
                if character.isalpha():
                    letters += 1
                    capital += small or character.isupper()
    capitals = letters >= 3 and capital > 0.85 * letters
    size = max((round(line.size * 2) / 2 for line in block.lines), default=0.0)
    if capitals:
        # Small capitals are drawn as a large first letter and smaller ones: the large one is the size of the type.
        words = [word for line in block.lines for word in line.words if word.text[:1].isalpha() and not word.raised]
        size = max((round(word.size * 2) / 2 for word in words), default=size)
    return Look(size, block.mean("bold") > 0.6, block.mean("italic") > 0.7, capitals)


def printed(block: Block) -> str:
    """Return the text of a block without raised marks."""
    parts = []
    for line in block.lines:
        words = [word for word in line.words if not word.raised]
        if words:
            parts.append(line_text(words))
    return " ".join(parts)


def scheme_of(text: str) -> str:
    """Return the kind of number a heading begins with: "decimal2", "ROMAN", "named chapter", "none"."""
    match = NAMED.match(text) or ORDINAL.match(text)
    if match:
        return f"named {match['word'].lower()}"
    depth = numbering_depth(text)
    if depth is not None:
        return f"decimal{depth}"
    return next((name for name, pattern in SCHEMES if pattern.match(text)), "none")


def numbering_depth(text: str) -> int | None:
    """Return the depth that a decimal number tells: "4.2.1" is 3; None without one."""
    match = DECIMAL.match(text) or LETTERED.match(text)
    return LETTER_PREFIX.sub("0.", match["number"]).count(".") + 1 if match else None


def normal(text: str) -> str:
    """Return a title for comparison: letters and digits, lower case."""
    return "".join(character for character in text.lower() if character.isalnum())


def letter_count(text: str) -> int:
    """Return the number of letters in a text."""
    return len(LETTER.findall(text))
