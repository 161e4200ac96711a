"""Headings that run into their paragraph ("2.1. Scope. This part ..."), cut off as blocks of their own."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from ragraph.pdf.blocks.looks import look_of, numbering_depth
from ragraph.pdf.headings.forced import forced_titles
from ragraph.pdf.headings.series import numbered_titles
from ragraph.pdf.model import Block, Kind, Line
from ragraph.pdf.patterns import (
    NO_RUN_IN,
    OPENING_TITLE,
    OPENS_SENTENCE,
    RUN_IN_CLOSE,
    RUN_IN_END,
    RUN_IN_LAST,
    SINGLE_NUMBER,
    STATEMENT,
    STEP,
    THREE_LETTERS,
    TITLE_START,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ragraph.pdf.model import Page, Style, Word

_LONGEST = 120
"""Characters of a title within a paragraph at most."""
_SECTIONS = 3
"""Numbers that count on before they are believed to be those of sections."""
_SERIES = 2
"""Paragraphs that begin with words in one strong type before those are taken for titles, where they bear no number."""
_LEAST = 40
"""Characters of a paragraph that may begin with a title."""
_WORDS = 12
"""Words of a title without a number at most."""
_LABELS = 3
"""Minimum number of paragraphs that begin with the same words, at which those are a label."""
_GAP = (0.7, 2.2)
"""Widths of the gap behind a title without a sign at its end, per point of size: more than a blank, less than a tab."""
_PARAGRAPH = 3
"""Lines of a paragraph with such a title at least."""
_LINES = 2
"""Lines of a title that stands alone at most."""
_FIRST = 4
"""Words of a paragraph among which one in capitals is, where it begins with a title in capitals."""
_SAME_SIZE = 0.5
"""Points by which words of one title differ in size at most, as measured."""


def cut_run_ins(pages: Sequence[Page], style: Style) -> None:
    """Cut titles off the paragraphs that they begin: in heavier, slanted or underlined type, or in a numbered series.

    A title ends with a full stop or colon; one with a decimal number also where the type changes to that of the
    paragraph. Numbers of one part ("3.") begin items of lists, too: they count where they run on through the whole
    document, as sections do. Titles in the type of the text are cut off where they are a series
    (``headings.series``), those without a number if several paragraphs begin so, or with a line that ends before its
    time (``headings.forced``). Whether they are headings is weighed later; ``join_run_ins`` restores the paragraphs of
    the others. A title with a colon or full stop within is not cut.

    Args:
        pages: with blocks of known kinds; they change.
        style: the running style of the document.
    """
    titles = {id(block): _title(block, style) for page in pages for block in page.blocks if _may_be_cut(block)}
    single = _sections(pages, titles, style)
    plain = numbered_titles(pages)
    strong = _strong_titles(pages, style)
    forced = forced_titles(pages)
    for page in pages:
        blocks: list[Block] = []
        for block in page.blocks:
            title = titles.get(id(block), 0)
            if not title or (numbering_depth(block.text) == 1 and not single):
                title = plain.get(id(block), 0) or strong.get(id(block), 0) or forced.get(id(block), 0)
            if not title or title == sum(len(line.words) for line in block.lines) or _is_title(block, title, style):
                blocks.append(block)
                continue
            upper, lower = _cut(block.lines, _with_marks(block, title))
            rest = Block(page.number, lower, region=block.region)
            blocks += [Block(page.number, upper, region=block.region, rest=rest), rest]
            for other in page.blocks:
                other.goes_on = rest if other.goes_on is block else other.goes_on
        page.blocks = blocks


def join_run_ins(page: Page) -> None:
    """Put beginnings that were cut off and are no headings back in front of the rest of their paragraph."""
    for block in list(page.blocks):
        rest, block.rest = block.rest, None
        if rest is None or block.kind is not Kind.TEXT or rest.kind is not Kind.TEXT:
            continue
        first = [*block.lines[-1].words, *rest.lines[0].words]
        one = abs(block.lines[-1].bottom - rest.lines[0].bottom) < 0.3 * rest.lines[0].size
        lines = [*block.lines[:-1], Line(first), *rest.lines[1:]] if one else [*block.lines, *rest.lines]
        page.unite(rest, block, lines)


def _may_be_cut(block: Block) -> bool:
    return _is_open(block) and numbering_depth(block.text) is not None


def _is_title(block: Block, count: int, style: Style) -> bool:
    """Return True if a whole block is a title: its words go on in the same strong type ("2.1 Types: The Basics")."""
    if len(block.lines) > _LINES or block.length > _LONGEST or not look_of(block).stands_out(style):
        return False
    words = [word for line in block.lines for word in line.words if not word.raised]
    last = words[min(count, len(words)) - 1]
    return all(
        word.font.bold == last.font.bold
        and word.font.italic == last.font.italic
        and abs(word.size - last.size) < _SAME_SIZE
        for word in words[count:]
    )


def _is_open(block: Block) -> bool:
    # A raised number is the mark of a note, which may begin with the term that it explains in bold.
    return block.kind is Kind.TEXT and bool(block.lines) and not block.lines[0].words[0].raised


def _strong_titles(pages: Sequence[Page], style: Style) -> dict[int, int]:
    """Return how many words of a block are its title, by ``id``, where they stand out and end with a sign or a gap.

    Of every type there are several, but for what opens a paper ("Abstract"). Words that come back are labels
    ("Explanation."), and so are those of statements ("Lemma 2."); names in bold begin bibliographic entries.
    """
    found: dict[int, tuple[int, str, str]] = {}
    for page in pages:
        for block in page.blocks:
            # Items with single numbers begin with words in bold, too: ``_sections`` tells those that are sections.
            if not _is_open(block) or block.length < _LEAST or numbering_depth(block.text) == 1:
                continue
            words = [word for line in block.lines for word in line.words]
            for name, strong in _strong(block, style):
                count = _run(words, strong, labelled=True)
                text = " ".join(word.text for word in words[:count])
                if 0 < count < len(words) and _is_run_in(text, block, words, count):
                    found[id(block)] = count, name, text
                    break
    types = Counter(name for _, name, _ in found.values())
    texts = Counter(text for _, _, text in found.values())
    return {
        key: count
        for key, (count, name, text) in found.items()
        if (types[name] >= _SERIES or OPENING_TITLE.match(text)) and texts[text] < _LABELS and not STATEMENT.match(text)
    }


def _is_run_in(text: str, block: Block, words: Sequence[Word], count: int) -> bool:
    """Return True if the first words of a block are set and ended as a title before a sentence is."""
    title = TITLE_START.sub("", text)
    return bool(
        count <= _WORDS
        and (RUN_IN_CLOSE.search(text) or _is_set_off(block, words, count))
        and title[:1].isupper()
        and THREE_LETTERS.search(title)
        and OPENS_SENTENCE.match(words[count].text)
        and not NO_RUN_IN.match(text)
        and not STEP.match(text)
    )


def _is_set_off(block: Block, words: Sequence[Word], count: int) -> bool:
    """Return True if a wide gap, of no table, parts the first words of a paragraph from the others on their line."""
    first = block.lines[0]
    if count >= len(first.words) or len(block.lines) < _PARAGRAPH:
        return False
    gap = words[count].left - words[count - 1].right
    full = first.right > block.right - 2 * first.size
    return full and _GAP[0] * first.size < gap < _GAP[1] * first.size


def _strong(block: Block, style: Style) -> list[tuple[str, Callable[[Word], bool]]]:
    """Return the types that a title may be set in within a block, which as a whole is set in none of them."""
    types: list[tuple[str, Callable[[Word], bool]]] = []
    if block.mean("bold") < 0.6 and not style.bold:
        types.append(("bold", lambda word: word.font.bold))
    if block.mean("underlined") < 0.6:
        types.append(("underlined", lambda word: word.underlined))
    if block.mean("italic") < 0.6:
        types.append(("italic", lambda word: word.font.italic))
    beginning = block.lines[0].words[:_FIRST]
    if any(len(word.text) > 2 and word.text.isupper() for word in beginning) and not look_of(block).capitals:
        types.append(("capitals", lambda word: word.text == word.text.upper()))
    return types


def _sections(pages: Sequence[Page], titles: dict[int, int], style: Style) -> bool:
    """Return True if single numbers before titles, run in or not, never start again: those are sections, not items."""
    values: list[int] = []
    for page in pages:
        for block in page.blocks:
            match = SINGLE_NUMBER.match(block.text) if _may_be_cut(block) else None
            if match and (titles.get(id(block)) or block.mean("bold") > style.bold + 0.6):
                values.append(int(match[1]))
    return len(values) >= _SECTIONS and all(one < other for one, other in pairwise(values))


def _title(block: Block, style: Style) -> int:
    """Return the number of words that make up the title in front of a paragraph; 0 if there is none."""
    if block.mean("bold") > 0.6 or block.mean("italic") > 0.6:
        return 0
    words = [word for line in block.lines for word in line.words]
    for strong in (
        lambda word: word.font.bold and not style.bold,
        lambda word: word.font.italic,
        lambda word: word.underlined,
    ):
        count = _run(words, strong)
        text = " ".join(word.text for word in words[:count])
        ended = RUN_IN_END.search(text) or (count < len(words) and words[count].text[:1].isupper())
        if 1 < count < len(words) and len(text) <= _LONGEST and ended and THREE_LETTERS.search(text):
            return count
    return 0


def _run(words: list[Word], strong: Callable[[Word], bool], *, labelled: bool = False) -> int:
    """Return how many words from the first on are set in the strong type; the number itself may be plain.

    With ``labelled``, a letter or word in front may be plain, too ("(a)", "Section 2.1").
    """
    count = 0
    plain = 0
    if labelled:
        label = TITLE_START.match(" ".join(word.text for word in words[:3]))
        plain = len(label[0].split()) if label else 0
    for index, word in enumerate(words):
        numbered = index == 0 and any(c.isdigit() for c in word.text)
        if not strong(word) and not numbered and index >= plain:
            # The full stop behind an underlined title is hardly ever underlined.
            ends = count > plain and index == count and RUN_IN_LAST.match(word.text) is not None
            return count + ends
        count = index + 1
    return count if count > plain else 0


def _with_marks(block: Block, count: int) -> int:
    """Return the number of words of a title with the marks of notes right behind it, which are no begin of a note."""
    words = [word for line in block.lines for word in line.words]
    while count < len(words) - 1 and words[count].raised:
        count += 1
    return count


def _cut(lines: list[Line], count: int) -> tuple[list[Line], list[Line]]:
    """Return the lines up to a number of words, and the lines after them."""
    upper: list[Line] = []
    for index, line in enumerate(lines):
        if count > len(line.words):
            upper.append(line)
            count -= len(line.words)
            continue
        upper.append(Line(line.words[:count]) if count < len(line.words) else line)
        rest = [Line(line.words[count:])] if count < len(line.words) else []
        return upper, [*rest, *lines[index + 1 :]]
    return upper, []
