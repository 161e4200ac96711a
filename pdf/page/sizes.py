"""Sizes of type in points.

The boxes of docling-parse are as high as the font says its letters may be, so that 12 points of one font are
higher than 14 of another. PDFium knows the sizes; matching both per font gives the factor between them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from ragraph.pdf.page.flat import flat_fonts, join_letters, set_height, size_of
from ragraph.pdf.page.fontfacts import FontFacts, font_facts, sizes_at
from ragraph.pdf.page.fontnames import name_fonts
from ragraph.pdf.page.letterboxes import ink_fonts, set_type_box
from ragraph.pdf.patterns import FONT_FAMILY

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from ragraph.pdf.model import Font, Page, Word

_USUAL_FACTOR = 0.88
"""Size of type by height of the box, of most fonts: for those that PDFium does not know."""
_FACTORS = (0.4, 3.0)
"""Height of box by size of type, of any font at all: fonts of symbols may claim two and a half times their size."""
_SAME = 0.03
"""Share of a size by which what a factor makes of a height differs from it at most."""
_RARE = 0.02
"""Share of the objects of a font, below which a size is rare: objects are lines or single cells, and say no more."""
_MAX_PAGES = 24
"""Pages on which PDFium is asked for sizes: each takes time, and fonts come back."""


def set_sizes(pages: list[Page], document: Any) -> None:
    """Set the size of every word, in points rounded to a tenth; fonts that misstate their height get that of type.

    Args:
        pages: the pages; their words change.
        document: the file, opened by ``facts.open_pdf``.
    """
    name_fonts(pages, document)
    heights, richest = _used(pages)
    # The page on which a font is used most tells its size best.
    common = sorted(richest, key=lambda font: (-sum(heights[font].values()), font.name))
    wanted = list(dict.fromkeys(richest[font][1] for font in common))[:_MAX_PAGES]
    known = font_facts(document, sorted(wanted))
    shapes = {}
    sized: dict[Font, dict[float, float]] = {font: {} for font in heights}
    for font, found in heights.items():
        facts = known.get(font.name)
        factor = box_factor(found, facts.sizes if facts else None)
        shapes[font] = (factor, _feet(facts, factor))
    flat = flat_fonts(pages)
    inked = ink_fonts(word for page in pages for word in page.words)
    inked |= {font for font in heights if _is_like(font, inked, heights[font], known.get(font.name))}
    inked -= flat
    for page in pages:
        exact = _exact(page, document, inked | flat)
        for word in page.words:
            if word.font in flat or word.font in inked:
                facts = known.get(word.font.name)
                stated = facts.sizes if facts else None
                if word.font in flat:
                    set_height(word, size_of(word, stated, exact.get(id(word))), page)
                else:
                    set_type_box(word, stated, exact.get(id(word)))
                    word.bottom = min(word.bottom, page.height)
            else:
                factor, feet = shapes[word.font]
                of_height = sized[word.font]
                if word.size not in of_height:
                    of_height[word.size] = round(word.size / factor, 1)
                word.size = of_height[word.size]
                _trim(word, factor, feet)
        if flat:
            page.words = join_letters(page.words, flat)
        for word in page.sideways:
            facts = known.get(word.font.name)
            word.size = (
                size_of(word, facts.sizes if facts else None, None)
                if word.font in flat
                else round(word.width / shapes[word.font][0], 1)
            )


def _used(pages: Sequence[Page]) -> tuple[dict[Font, Counter[float]], dict[Font, tuple[int, int]]]:
    """Return the letters of each font by the height of their words, and most letters on a page, with its number.

    Words set sideways get their size.
    """
    heights: dict[Font, Counter[float]] = defaultdict(Counter)
    richest: dict[Font, tuple[int, int]] = {}
    for page in pages:
        count: Counter[Font] = Counter()
        for word in page.sideways:
            word.size = word.width
        for word in (*page.words, *page.sideways):
            heights[word.font][round(word.size, 2)] += len(word.text)
            count[word.font] += len(word.text)
        for font, letters in count.items():
            if letters > richest.get(font, (0, 0))[0]:
                richest[font] = (letters, page.number)
    return heights, richest


def _is_like(font: Font, inked: AbstractSet[Font], heights: Counter[float], facts: FontFacts | None) -> bool:
    """Return True if a font of few words is drawn as another of its family: boxes of ink, more heights than sizes."""
    family = FONT_FAMILY.match(font.name)
    kin = family is not None and any(other.name.startswith(family[0]) for other in inked)
    return kin and facts is not None and len(heights) > 2 * len(facts.sizes)


def _exact(page: Page, document: Any, fonts: AbstractSet[Font]) -> dict[int, float]:
    """Return the sizes that PDFium knows of words in some fonts, by ``id``; a page set upright is left to the ink."""
    words = [word for word in page.words if word.font in fonts] if page.turn is None else []
    if not words:
        return {}
    middles = [(word.middle_x, page.height - word.middle_y) for word in words]
    found = sizes_at(document, page.number, middles)
    return {id(word): size for word, size in zip(words, found, strict=True) if size is not None}


def _feet(facts: FontFacts | None, factor: float) -> float | None:
    """Return how far below the baseline the boxes of a font reach, per point of size; None if that is not known."""
    if facts is None or abs(facts.ascent - facts.descent - factor) > 0.04:
        return None
    return -facts.descent


def _trim(word: Word, factor: float, feet: float | None) -> None:
    """Cut the box of a word down to the room that letters take; fonts of symbols claim far more."""
    if factor < 1.05:
        return
    if feet is None:
        slack = (factor - 0.95) * word.size / 2
        word.top, word.bottom = word.top + slack, word.bottom - slack
        return
    baseline = word.bottom - feet * word.size
    word.top = max(word.top, baseline - 0.75 * word.size)
    word.bottom = min(word.bottom, baseline + 0.22 * word.size)


def _agreement(heights: Counter[float], sizes: Counter[float], factor: float) -> float:
    """Return which share of heights a factor explains by some size; by one that hardly occurs, it explains little.

    Where a document has many sizes, a wrong factor may lead from the heights of the text to sizes of a few footnotes.
    """
    explained = 0.0
    for height, count in heights.items():
        near = min(sizes, key=lambda size: abs(height / factor - size))
        if abs(height / factor - near) <= _SAME * near:
            explained += count * min(1.0, sizes[near] / sizes.total() / _RARE)
    return explained / heights.total()


def box_factor(heights: Counter[float], sizes: Counter[float] | None) -> float:
    """Return height of box by size of type: the quotient that explains most heights by sizes in use.

    Args:
        heights: of the boxes of a font in points, by how many letters.
        sizes: that PDFium knows of it in points, by how many objects; None if it knows none.
    """
    if not sizes:
        return _USUAL_FACTOR
    best, best_score = _USUAL_FACTOR, -1.0
    for height, _ in heights.most_common(4):
        for size, _ in sizes.most_common(6):
            factor = height / size
            if not _FACTORS[0] <= factor <= _FACTORS[1]:
                continue
            score = _agreement(heights, sizes, factor)
            # Of factors that explain as much, the one that pairs the most frequent height with the most frequent size.
            score += 1e-3 * heights[height] / heights.total() + 1e-4 * sizes[size] / sizes.total()
            if score > best_score:
                best, best_score = factor, score
    return best
