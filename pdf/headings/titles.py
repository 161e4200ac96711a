"""Which lines of the first pages are the title: what speaks for each is weighed, with weights learnt from first pages.

``titles.json`` holds a weight for each of ``NAMES`` and the minimum sum of lines that are a title;
``ragraph.pdf.training.titles`` makes it. The sums are log-odds of one line against the others, and against none.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from ragraph.pdf.blocks.looks import Look, letter_count, normal, printed
from ragraph.pdf.headings.candidates import is_name, is_persons, may_be_heading
from ragraph.pdf.model import Block, Kind, around
from ragraph.pdf.patterns import CONTENTS_TITLE, INSTITUTION, KIND_OF_DOCUMENT, OPENING_TITLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from ragraph.pdf.model import Box, Page, Style

_LONGEST = 300
"""Characters of a title at most."""
_LINES = 7
"""Lines of a title at most."""
_CENTRED = 0.06
"""Share of the width of a page by which the middle of a centred line is off at most."""
_LARGER = 0.2
"""Logarithm of the size, in that of the running text, from which type is displayed."""
_SERIES = 3
"""Short lines set alike at an edge, no larger than that, which are titles of parts, none of them the whole's,
unless it names a kind of document."""
_SAME = 0.25
"""Points by which sizes of one type differ at most."""
_SURE = 0.5
"""Log-odds by which another line, or none, must be above what rules choose."""
_FREE = 0.5
"""Log-odds by which a line must be above none where rules choose nothing."""
_SMALLER = 0.4
"""Points by which a line is set smaller or larger than its neighbour at least."""
_PART = 6
"""Minimum number of letters at which a name is looked for in others."""
_SAID = 4
"""Pages, from the first, whose paragraphs may say what the document is called."""
_BEGINNING = 300
"""Letters of a first paragraph in which it does."""
NAMES = (
    *("second_page", "cover", "size", "against_largest", "largest", "rank", "lead"),
    *("bold", "italic", "capitals", "underlined", "centred", "width", "top", "top_squared", "first", "above", "place"),
    *("one_word", "words", "long", "lines", "letters", "few_letters", "white_above", "white_below"),
    *("stops", "colon", "small", "digits", "address", "persons", "name", "institution", "kind", "kind_last"),
    *("opening", "furniture", "said", "said_first", "alike"),
    *("heading", "beside", "under_text", "with_text", "over_text", "over_smaller", "under_larger"),
    *("short_alike", "series", "initials", "landscape", "largest_cover", "first_text", "kind_first"),
    *("institution_alone", "ruled_largest", "ruled_centred", "ruled_named", "unruled", "panel"),
)
"""What is measured of the lines that may be the title, in the order of the weights."""


class Candidate(NamedTuple):
    """Blocks that follow each other and may be the title together.

    Attributes:
        page: that they stand on.
        blocks: in reading order.
        text: of all of them.
        row: what is measured of them, in the order of ``NAMES``.
        ruled: whether rules choose one of the blocks.
    """

    page: Page
    blocks: tuple[Block, ...]
    text: str
    row: tuple[float, ...]
    ruled: bool


class Ruled(NamedTuple):
    """What rules choose.

    Attributes:
        rule: that chooses: "largest", "centred" or "named"; "panel", if the largest line is one of several panels and
            no title therefore; "none".
        block: the title; ``None`` for the last two.
    """

    rule: str
    block: Block | None


class Document(NamedTuple):
    """What is known of the whole.

    Attributes:
        pages: with blocks in reading order.
        looks: of the open blocks, by ``id``.
        style: the running style.
        opening: numbers of the first pages that hold a title rather than text.
        ruled: what rules choose.
        is_next: says of two blocks whether they are lines of one title.
        is_paragraph: says of a block whether it is running text.
    """

    pages: Sequence[Page]
    looks: dict[int, Look]
    style: Style
    opening: AbstractSet[int]
    ruled: Ruled
    is_next: Callable[[Block, Block], bool]
    is_paragraph: Callable[[Block], bool]


class _Around(NamedTuple):
    """What stands around the candidates of a page, and in the document."""

    place: int
    page: Page
    groups: list[list[Block]]
    sizes: list[float]
    paragraphs: list[Block]
    counts: Counter[Look]
    short: Counter[Look]
    furniture: str
    said: list[str]


def candidates(document: Document) -> list[Candidate]:
    """Return what may be the title on the first two pages, measured."""
    found: list[Candidate] = []
    for about in _around(document):
        for blocks, size in zip(about.groups, about.sizes, strict=True):
            text = " ".join(printed(block) for block in blocks)
            ruled = any(block is document.ruled.block for block in blocks)
            row = _measure(blocks, text, size, about, document) if ruled or _is_short(blocks, text, document) else {}
            if ruled or (row and row["series"] < math.log(_SERIES)):
                found.append(Candidate(about.page, tuple(blocks), text, tuple(row[name] for name in NAMES), ruled))
    return found


def _is_short(blocks: Sequence[Block], text: str, document: Document) -> bool:
    """Return True if blocks are no more text than a title has, and none of them a paragraph."""
    few = 2 < len(text) <= _LONGEST and sum(len(block.lines) for block in blocks) <= _LINES
    return few and letter_count(text) > 1 and not any(document.is_paragraph(block) for block in blocks)


def _around(document: Document) -> Iterator[_Around]:
    """Yield what stands around the candidates of each of the first two pages, and in the document."""
    pages, looks = document.pages, document.looks
    single = [block for page in pages for block in page.blocks if id(block) in looks and len(block.lines) == 1]
    short = Counter(looks[id(block)] for block in single if printed(block)[-1:].isalpha())
    furniture = " ".join(normal(printed(block)) for page in pages for block in page.furniture)
    told = [block for page in pages[:_SAID] for block in page.blocks if block.kind is Kind.TEXT]
    said = [normal(block.text) for block in told if len(block.lines) > 1 and block.length > _BEGINNING / 3]
    for place, page in enumerate(pages[:2]):
        groups = _groups(page, document)
        sizes = [max(looks[id(block)].size for block in blocks) for blocks in groups]
        paragraphs = [block for block in page.blocks if document.is_paragraph(block)]
        yield _Around(place, page, groups, sizes, paragraphs, Counter(looks.values()), short, furniture, said)


def best(found: Sequence[Candidate]) -> Candidate | None:
    """Return what rules choose or, where weights are sure of it, another line or none."""
    if not found:
        return None
    weights, least = read_weights()
    sums = [math.fsum(weight * value for weight, value in zip(weights, one.row, strict=True)) for one in found]
    at = choose(sums, next((place for place, one in enumerate(found) if one.ruled), None), least)
    return None if at is None else found[at]


def choose(
    sums: Sequence[float], ruled: int | None, least: float, sure: float = _SURE, free: float = _FREE
) -> int | None:
    """Return the place of the title among candidates; ``None`` for no title.

    Args:
        sums: log-odds of each.
        ruled: place of what rules choose; ``None`` for nothing.
        least: log-odds of no title.
        sure: by how much another one, or none, must be above what rules choose.
        free: by how much one must be above none where rules choose nothing.
    """
    at = max(range(len(sums)), key=sums.__getitem__)
    if ruled is None:
        return at if sums[at] - least > free else None
    if max(sums[at], least) - sums[ruled] <= sure:
        return ruled
    return at if sums[at] > least else None


@lru_cache(maxsize=1)
def read_weights() -> tuple[tuple[float, ...], float]:
    """Return the weights in the order of ``NAMES``, and the sum that is enough.

    Raises:
        ValueError: they were learnt of other features.
    """
    data = json.loads(files(__package__).joinpath("titles.json").read_text(encoding="utf-8"))
    if tuple(data["weights"]) != NAMES:
        raise ValueError("titles.json was learnt from other features than are measured; learn it anew")
    return tuple(map(float, data["weights"].values())), float(data["least"])


def _groups(page: Page, document: Document) -> list[list[Block]]:
    """Return the blocks of a page, those together that are lines of one title."""
    groups: list[list[Block]] = []
    for block in page.blocks:
        if id(block) not in document.looks or block.kind is not Kind.TEXT or block.rest is not None:
            groups.append([])
        elif groups and groups[-1] and document.is_next(groups[-1][-1], block):
            groups[-1].append(block)
        else:
            groups.append([block])
    return [group for group in groups if group]


def _measure(blocks: Sequence[Block], text: str, size: float, about: _Around, document: Document) -> dict[str, float]:
    """Return what is measured of a candidate by name."""
    page, style, look = about.page, document.style, document.looks[id(blocks[0])]
    box = around([line for block in blocks for line in block.lines])
    row = _type(size, look, about, document) | _place(blocks, box, size, about) | _words(text)
    name = normal(text)
    part = len(name) >= _PART
    row |= {
        "cover": page.number in document.opening,
        "underlined": blocks[0].mean("underlined") > 0.6,
        "lines": sum(len(block.lines) for block in blocks) / _LINES,
        "name": is_name(blocks[0]),
        "furniture": part and name in about.furniture,
        "said": part and any(name in said for said in about.said),
        "said_first": part and any(name in said[:_BEGINNING] for said in about.said[:2]),
        "heading": may_be_heading(blocks[0], look, style),
    }
    at = page.place_of(blocks[0])
    after = page.blocks[at + len(blocks)] if at + len(blocks) < len(page.blocks) else None
    before = page.blocks[at - 1] if at else None
    row |= {
        "place": math.log1p(at),
        "over_text": after is not None and document.is_paragraph(after),
        "over_smaller": _size(after, document) < size - _SMALLER,
        "under_larger": before is not None
        and id(before) in document.looks
        and _size(before, document) > size + _SMALLER,
        "largest_cover": row["largest"] * row["cover"],
        "first_text": row["first"] * row["with_text"],
        "kind_first": row["kind"] * row["first"],
        "institution_alone": row["institution"] * (1 - row["kind"]),
        "series": row["short_alike"] * (1 - row["centred"]) * (1 - row["kind"]) * (row["size"] < _LARGER),
    }
    rule, ruled = document.ruled.rule, any(block is document.ruled.block for block in blocks)
    row |= {f"ruled_{name}": ruled and rule == name for name in ("largest", "centred", "named")}
    row |= {"unruled": rule == "none", "panel": rule == "panel"}
    return {name: float(value) for name, value in row.items()}


def _size(block: Block | None, document: Document) -> float:
    """Return the size of the type of an open block; endless for others."""
    return document.looks[id(block)].size if block is not None and id(block) in document.looks else math.inf


def _type(size: float, look: Look, about: _Around, document: Document) -> dict[str, float]:
    largest = max(about.sizes)
    smaller = max((other for other in about.sizes if other < size - _SAME), default=document.style.size)
    is_largest = size >= largest - _SAME
    return {
        "size": min(math.log(max(size, 1) / max(document.style.size, 1)), 1.5),
        "against_largest": math.log(max(size, 1) / max(largest, 1)),
        "largest": is_largest,
        "rank": min(len({other for other in about.sizes if other > size}), 6) / 6,
        "lead": min(math.log(max(size, 1) / max(smaller, 1)), 0.7) if is_largest else 0.0,
        "bold": look.bold,
        "italic": look.italic,
        "capitals": look.capitals,
        "alike": math.log(max(about.counts[look], 1)),
        "short_alike": math.log(max(about.short[look], 1)),
    }


def _place(blocks: Sequence[Block], box: Box, size: float, about: _Around) -> dict[str, float]:
    page, own = about.page, {id(block) for block in blocks}
    above = [block.bottom for block in page.blocks if block.bottom <= box.top + 2]
    below = [block.top for block in page.blocks if block.top >= box.bottom - 2]
    return {
        "second_page": about.place == 1,
        "centred": abs(box.left + box.right - page.width) < _CENTRED * page.width,
        "width": box.width / page.width,
        "top": box.top / page.height,
        "top_squared": (box.top / page.height) ** 2,
        "first": not above,
        "above": math.log1p(len(above)),
        "white_above": min((box.top - max(above, default=0.0)) / max(size, 1), 5) / 5,
        "white_below": min((min(below, default=page.height) - box.bottom) / max(size, 1), 5) / 5,
        "beside": any(
            id(block) not in own and block.top < box.bottom and block.bottom > box.top for block in page.blocks
        ),
        "under_text": any(block.top < box.top for block in about.paragraphs),
        "with_text": bool(about.paragraphs),
        "landscape": page.width > page.height,
    }


def _words(text: str) -> dict[str, float]:
    words, letters = text.split(), letter_count(text)
    return {
        "one_word": len(words) == 1,
        "words": math.log(len(words)),
        "long": len(words) > 18,
        "letters": math.log1p(letters),
        "few_letters": letters < 5,
        "stops": text[-1:] in ".;,",
        "colon": text.endswith(":"),
        "small": next((sign for sign in text if sign.isalpha()), "A").islower(),
        "digits": sum(sign.isdigit() for sign in text) / len(text),
        "address": any(part in text for part in ("@", "www.", "http")),
        "persons": is_persons(text),
        "institution": bool(INSTITUTION.search(text)),
        "kind": bool(KIND_OF_DOCUMENT.search(text)),
        "kind_last": bool(KIND_OF_DOCUMENT.search(words[-1])),
        "opening": bool(OPENING_TITLE.match(text) or CONTENTS_TITLE.match(text)),
        "initials": sum(word[:1].isupper() for word in words) / len(words),
    }
