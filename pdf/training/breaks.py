"""Learn where a block ends between two lines, from tagged files and outlines, and judge it on other sources.

    python -m ragraph.pdf.training.breaks --pdfs PDFS [--cache DIR] [--judge]

Two lines, one below the other in a column, are one block if one element of the tree holds both, two if not; a line
whose letters an entry of the outline names is a heading, apart from what is above and below it. Nothing else that a
file leaves unsaid is a lesson. Without --judge the weights of all files are written into the reader. With it, five
times the sources are parted, the weights of four parts judge the fifth, beside the rules.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import ragraph.pdf.blocks as rooms
from bench.structure.strict.items import letters
from ragraph.pdf import passes
from ragraph.pdf.blocks.assembly import neighbours, rule_blocks
from ragraph.pdf.blocks.breaks import NAMES, SURE, may_part, measure
from ragraph.pdf.model import Kind, shared_height, shared_width
from ragraph.pdf.patterns import SENTENCE_END
from ragraph.pdf.stated import tags
from ragraph.pdf.stated.tag_content import APART
from ragraph.pdf.stated.tag_tree import is_tagged, read_tagged_page
from ragraph.pdf.training.folds import folds_by_size
from ragraph.pdf.training.reading import kept, listed, options, places, read_pages
from ragraph.pdf.training.writing import write_trees

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from ragraph.pdf.model import Box, Line, Page, Style, Word
    from ragraph.pdf.stated.facts import Facts
    from ragraph.pdf.stated.tag_tree import Element, TaggedPage
    from ragraph.pdf.training.reading import Open

_PAGES, _LATER = (1, 20), (8, 18)
"""Pages that are read of a tagged file, and of one with an outline alone that is longer: books begin with their
contents."""
_TAGGED, _OUTLINED = 14, 4
"""Files of one source that are learnt from at most, of those with tags and of those with an outline alone."""
_ROWS = 250
"""Pairs of a file, joined and cut, that are learnt from at most."""
_LEAST = 30
"""Minimum number of pairs at which a file counts less for each of them: its weight grows with their square root."""
_FOLDS = 5
_TITLE_LINES = 5
"""Lines of a title that an outline names at most."""
_WHOLE = 0.8
"""Share of the letters of a line that one element holds, for the line to be of it."""
_WITHIN = 0.3
"""Share of a word that lies in the content of an element, for the word to be of it."""
_BY_LINE, _BY_PAGE = 0.2, 0.3
"""Minimum share of lines that go on in mid-sentence and are tagged apart, and of sentences that begin behind a blank
line and are tagged with what is above, at which the paragraphs of a file are not believed."""
_GRAPHIC = frozenset({Kind.TABLE, Kind.FIGURE, Kind.CONTENTS, Kind.FORMULA})
_INNER = frozenset({"P", "H1", "H2", "H3", "H4", "H5", "H6", "Div"})
_LABEL = re.compile(r"^(chapter|part|appendix|section)?[0-9]+")


class Place(NamedTuple):
    """Where a line belongs: element of its page, paragraph within that, and the kind of the element."""

    element: int
    inner: int
    kind: Kind


@dataclass
class Read:
    """The lines of a file that no table, figure or contents page takes, and what is stated of them.

    Attributes:
        style: the running style.
        pages: lines of each page.
        places: of these lines, None where nothing is stated.
        covered: share of the text that the tags cover; None where an outline is the truth.
    """

    style: Style
    pages: list[list[Line]]
    places: list[list[Place | None]]
    covered: float | None

    def place_of(self) -> dict[int, Place]:
        """Return the places by the ``id`` of their lines."""
        lines = (line for page in self.pages for line in page)
        places = (place for page in self.places for place in page)
        return {id(line): place for line, place in zip(lines, places, strict=True) if place is not None}


class Pairs(NamedTuple):
    """Pairs of lines of a file: features, truth (1 cut, 0 joined, -1 not known), what the rules do, and headings."""

    source: str
    values: NDArray[Any]
    truth: NDArray[Any]
    joined: NDArray[Any]
    heading: NDArray[Any]


def main() -> None:
    """Learn, and write or judge."""
    chosen = options(__doc__).parse_args()
    files = list(_files(chosen.pdfs, chosen.cache))
    print(f"{len(files)} files of {len({pairs.source for pairs in files})} sources")
    if chosen.judge:
        _judge(files)
    else:
        write_trees(_learn(files), NAMES, Path(rooms.__file__).parent / "breaks.npz")


def _files(pdfs: Path, cache: Path) -> Iterator[Pairs]:
    items, there = listed("files.jsonl"), places(pdfs)
    left_out: Counter[str] = Counter()
    for item in [*_drawn(items, _TAGGED, tagged=True), *_drawn(items, _OUTLINED, tagged=False)]:
        path = there.get(item["sha256"][:16])
        read = kept(cache, path, f"{path.stem}.lines", partial(_read, path, item)) if path else None
        why = "not read" if read is None else _doubt(read)
        left_out[why] += 1
        if read is not None and not why:
            pairs = _pairs(read, item["source"])
            if len(pairs.truth):
                yield pairs
    print("files left out:", {why: count for why, count in left_out.items() if why})


def _drawn(items: Sequence[dict[str, Any]], most: int, *, tagged: bool) -> list[dict[str, Any]]:
    """Draw files of each source, so that none says more than its share."""
    by_source: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for item in items:
        if item["tags"] == tagged:
            by_source[item["source"]].append(item)
    order = random.Random(0)
    for files in by_source.values():
        order.shuffle(files)
    return [file for files in by_source.values() for file in files[:most]]


def _read(path: Path, item: dict[str, Any]) -> Read:
    span = _PAGES if item["tags"] or item["pages"] <= _PAGES[1] else _LATER
    work, (words, covered, facts) = read_pages(path, span, passes.make_blocks, _stated)
    pages = work.pages
    lines = [sorted(page.free, key=lambda line: (line.top, line.left)) for page in pages]
    if item["tags"]:
        return Read(work.style, lines, [[_place_of(line, words) for line in of] for of in lines], covered)
    named = [_named(of, [entry.title for entry in facts.outline if entry.page == page.number])
             for page, of in zip(pages, lines, strict=True)]  # fmt: skip
    return Read(work.style, lines, named, None)


def _stated(opened: Open) -> tuple[dict[int, Place], float, Facts]:
    """Return the places of words by ``id``, the share of the text that tags cover, and what the file says of itself."""
    words: dict[int, Place] = {}
    if not is_tagged(opened.file):
        return words, 1.0, opened.facts
    tagged = {page.number: read_tagged_page(opened.file, page.number) for page in opened.pages if not page.failed}
    for page in opened.pages:
        known = tagged.get(page.number)
        if known is not None and page.turn is None:
            words |= _words_of(page, known)
    return words, tags._covered(opened.file, tagged), opened.facts


def _words_of(page: Page, known: TaggedPage) -> dict[int, Place]:
    """Return the places of words, by ``id``: the element whose content covers most of it."""
    pieces = [
        (Place(index, inner, part.kind), box)
        for index, part in enumerate(tags._parts(known))
        for inner, box in (_inner(part.element, known) if part.kind not in _GRAPHIC else [(0, b) for b in part.boxes])
    ]
    found: dict[int, Place] = {}
    for word in page.words:
        share, place = max(((_share(word, box), place) for place, box in pieces), default=(0.0, None))
        if place is not None and share > _WITHIN:
            found[id(word)] = place
    return found


def _share(word: Word, box: Box) -> float:
    wide = shared_width(word, box)
    high = shared_height(word, box)
    if wide <= 0 or high <= 0:
        return 0.0
    return wide * high / max(word.width * word.height, 1e-6)


def _inner(element: Element, known: TaggedPage) -> list[tuple[int, Box]]:
    """Return the text of an element with the number of the paragraph within it, 0 outside of any."""
    found: list[tuple[int, Box]] = []
    count = 0

    def walk(at: Element, inner: int) -> None:
        nonlocal count
        for kid in at.kids:
            if isinstance(kid, int):
                found.extend((inner, piece.box) for piece in known.marked(kid) if piece.text)
            elif kid.role in _INNER:
                count += 1
                walk(kid, count)
            elif kid.role not in APART:
                walk(kid, inner)

    walk(element, 0)
    return found


def _place_of(line: Line, words: dict[int, Place]) -> Place | None:
    held: Counter[Place] = Counter()
    for word in line.words:
        if id(word) in words:
            held[words[id(word)]] += len(word.text)
    if not held:
        return None
    place, count = held.most_common(1)[0]
    return place if count > _WHOLE * sum(len(word.text) for word in line.words) else None


def _named(lines: Sequence[Line], titles: Sequence[str]) -> list[Place | None]:
    """Return the places of the lines of a page: headings that the outline names, and others, each by itself."""
    near = neighbours(lines)
    named: dict[int, Place] = {}
    for index, entry in enumerate(titles):
        title = _LABEL.sub("", letters(entry))
        for line in lines if title else ():
            run: list[Line] = []
            text, at = "", line
            while id(at) not in named and _LABEL.sub("", text) != title and len(run) < _TITLE_LINES:
                run.append(at)
                text += letters(at.text)
                if id(at) not in near.below:
                    break
                at = near.below[id(at)]
            if _LABEL.sub("", text) == title:
                named |= {id(part): Place(index + 1, 0, Kind.HEADING) for part in run}
                break
    if not named:
        return [None] * len(lines)
    return [named.get(id(line), Place(0, number, Kind.TEXT)) for number, line in enumerate(lines)]


def _doubt(read: Read) -> str:
    """Return why the tags of a file are no lesson; "" if they are."""
    if read.covered is None:
        return ""
    if read.covered < tags._COVERED:
        return "tags cover too little"
    places = read.place_of()
    on = cut = begun = glued = 0
    for lines in read.pages:
        near = neighbours(lines)
        for lower in lines:
            upper = near.above.get(id(lower))
            one, other = places.get(id(upper)), places.get(id(lower))
            if upper is None or one is None or other is None or {one.kind, other.kind} & _GRAPHIC:
                continue
            usual = max(read.style.pitch * lower.size / read.style.size, 1.05 * lower.size)
            step, apart = lower.bottom - upper.bottom, one.element != other.element
            ended = bool(SENTENCE_END.search(upper.text))
            if upper.length > 30 and lower.text[:1].islower() and not ended and step < 1.15 * usual:
                on += 1
                cut += apart
            if 1.5 * usual < step < 4 * usual and ended and lower.text[:1].isupper():
                begun += 1
                glued += not apart
    if on >= 5 and cut > _BY_LINE * on:
        return "a paragraph for each line"
    return "a paragraph over several" if begun >= 4 and glued > _BY_PAGE * begun else ""


def _pairs(read: Read, source: str) -> Pairs:
    places = read.place_of()
    rows, truth, joined, heading = [], [], [], []
    for lines in read.pages:
        near = neighbours(lines)
        block = {id(line): index for index, part in enumerate(rule_blocks(lines, near, read.style)) for line in part}
        for lower in lines:
            upper = near.above.get(id(lower))
            if upper is None or lower.bottom - upper.bottom > 6 * lower.size:
                continue
            row = measure(upper, lower, near, read.style)
            if row is None:
                continue
            one, other = places.get(id(upper)), places.get(id(lower))
            rows.append(row)
            truth.append(_truth(one, other))
            joined.append(block[id(upper)] == block[id(lower)] and may_part(upper, lower, row))
            heading.append(any(place is not None and place.kind is Kind.HEADING for place in (one, other)))
    values = np.array(rows, dtype=np.float32).reshape(len(rows), len(NAMES))
    return Pairs(source, values, np.array(truth), np.array(joined, dtype=bool), np.array(heading, dtype=bool))


def _truth(one: Place | None, other: Place | None) -> int:
    if one is None or other is None or {one.kind, other.kind} <= _GRAPHIC:
        return -1
    if one.element != other.element:
        return 1
    return 0 if one.inner == other.inner else -1


def _learn(files: Sequence[Pairs]) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    generator = np.random.default_rng(0)
    values, truth, weights = [], [], []
    for pairs in files:
        known = max(int((pairs.truth >= 0).sum()), _LEAST)
        for wanted in (0, 1):
            rows = np.flatnonzero(pairs.truth == wanted)
            taken = generator.permutation(rows)[:_ROWS]
            values.append(pairs.values[taken])
            truth.append(pairs.truth[taken])
            weights.append(np.full(len(taken), len(rows) / max(len(taken), 1) * known**-0.5))
    weight = np.concatenate(weights)
    model = HistGradientBoostingClassifier(
        max_iter=80, max_leaf_nodes=12, learning_rate=0.12, min_samples_leaf=30, l2_regularization=5.0,
        max_features=0.5, early_stopping=False, random_state=0,
    )  # fmt: skip
    return model.fit(np.concatenate(values), np.concatenate(truth), sample_weight=weight / weight.mean())


def _judge(files: Sequence[Pairs]) -> None:
    size: Counter[str] = Counter()
    for pairs in files:
        size[pairs.source] += int((pairs.truth >= 0).sum() ** 0.5)
    folds = folds_by_size(size, _FOLDS)
    found: dict[float, Counter[str]] = defaultdict(Counter)
    rules: Counter[str] = Counter()
    for fold in range(_FOLDS):
        model = _learn([pairs for pairs in files if folds[pairs.source] != fold])
        for pairs in (pairs for pairs in files if folds[pairs.source] == fold):
            odds, cut, one = model.decision_function(pairs.values), pairs.truth == 1, pairs.truth == 0
            rules["joined"] += int((cut & pairs.joined).sum())
            rules["joined, heading"] += int((cut & pairs.joined & pairs.heading).sum())
            rules["cut"] += int((one & ~pairs.joined).sum())
            for limit in (0.0, 1.0, 2.0, SURE, 4.0):
                sure = pairs.joined & (odds > limit)
                found[limit]["right"] += int((sure & cut).sum())
                found[limit]["right, heading"] += int((sure & cut & pairs.heading).sum())
                found[limit]["wrong"] += int((sure & one).sum())
                found[limit]["wrong, heading"] += int((sure & one & pairs.heading).sum())
    print("rules, wrong:", dict(rules))
    for limit, counts in found.items():
        print(f"cut from {limit}:", dict(counts))


if __name__ == "__main__":
    main()
