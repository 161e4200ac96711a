"""A reading compared with the truth: every figure as hits and total, so that files can be added up."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from bench.structure.outlines import levels_right, match, parents_right, similar, tree_similarity
from bench.structure.tex import plain
from bench.structure.truth import squash

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bench.structure.reading import Heading, Reading
    from bench.structure.truth import Truth


class Ratio(NamedTuple):
    """Hits and total."""

    hits: float
    total: float

    @property
    def value(self) -> float | None:
        """Return hits by total, or None if the total is 0."""
        return self.hits / self.total if self.total else None


_RUNS = re.compile(r"\d+|\D+")
METRICS = {
    "P": "share of the headings found that are headings of the truth (precision)",
    "R": "share of the headings of the truth that are found (recall)",
    "F1": "harmonic mean of both",
    "levels": "headings of the truth found at the level of their depth; any increasing map of "
    "depths to levels is accepted",
    "parents": "headings of the truth found under the right heading",
    "tree": "tree edit similarity of the outline: 1 - distance / headings of the larger one",
    "notes": "footnotes or side notes of the truth that are notes",
    "linked": "notes of these that a mark in the text links to",
    "pages": "pages whose printed number is right",
    "recall": "words of the pages that are read; letters and digits are compared apart, because marks of notes touch "
    "words",
    "precision": "words read that are on the pages",
    "order": "words in reading order, without notes and furniture: normalised indel similarity",
    "furniture": "lines that recur at the edges of pages and are left out of the body",
    "captions": "captions linked to a figure or table",
    "TEDS": "tables: mean tree edit distance similarity, missed tables count 0",
}
"""Meanings of the columns; a dash if the truth does not state it, or the reader does not support it."""


@dataclass
class Scores:
    """The figures of one file, or of several added up."""

    ratios: dict[str, Ratio] = field(default_factory=dict)
    pages: int = 0
    seconds: float = 0.0
    files: int = 0
    failed: int = 0

    def add(self, other: Scores) -> None:
        """Add another file."""
        for name, ratio in other.ratios.items():
            known = self.ratios.get(name, Ratio(0, 0))
            self.ratios[name] = Ratio(known.hits + ratio.hits, known.total + ratio.total)
        self.pages += other.pages
        self.seconds += other.seconds
        self.files += other.files
        self.failed += other.failed

    def value(self, name: str) -> float | None:
        """Return a figure from 0 to 1, or None if it is missing."""
        if name != "F1":
            return self.ratios[name].value if name in self.ratios else None
        precision, recall = self.value("P"), self.value("R")
        if recall is None:
            return None
        return 2 * (precision or 0) * recall / ((precision or 0) + recall) if recall else 0.0


def score(reading: Reading, truth: Truth, title: str) -> Scores:
    """Compare a reading with the truth.

    Args:
        reading: the reader's result for the file.
        truth: the content of the file.
        title: title of the document; headings that repeat it do not count.
    """
    scores = Scores(pages=len(truth.page_texts), seconds=reading.seconds, files=1, failed=bool(reading.failed))
    ratios = scores.ratios
    if truth.headings is not None:
        ratios |= _headings(truth.headings, headings_found(reading, truth.headings, title))
    if truth.notes:
        ratios |= _notes(reading, truth.notes)
    if truth.labels and reading.labels is not None:
        right = sum(reading.labels.get(page) == label for page, label in truth.labels.items())
        ratios["pages"] = Ratio(right, len(truth.labels))
    ratios |= _text(reading, truth)
    if truth.furniture:
        ratios["furniture"] = Ratio(len(truth.furniture) - len(leaked(reading, truth)), len(truth.furniture))
    if truth.captions and reading.captions is not None:
        ratios["captions"] = Ratio(_captions(reading, truth.captions), len(truth.captions))
    if truth.tables:
        from bench.teds import score_tables

        rows = score_tables(reading.tables, truth.tables).rows
        ratios["TEDS"] = Ratio(sum(row.teds for row in rows), len(rows))
    return scores


def headings_found(reading: Reading, truth: Sequence[Heading], title: str) -> list[Heading]:
    """Return the headings of a reading; its titles only if the truth has them as headings."""
    found = list(reading.headings)
    for place, heading in reversed(reading.titles):
        if any(similar(heading.title, other.title) for other in truth):
            found.insert(place, heading)
    wanted = any(similar(title, other.title) for other in truth)
    return [heading for heading in found if wanted or not title or not similar(heading.title, title)]


def _headings(truth: Sequence[Heading], found: Sequence[Heading]) -> dict[str, Ratio]:
    pairs = match(truth, found)
    size = max(len(truth), len(found))
    return {
        "P": Ratio(len(pairs), len(found)),
        "R": Ratio(len(pairs), len(truth)),
        "levels": Ratio(levels_right(truth, found, pairs), len(truth)),
        "parents": Ratio(parents_right(truth, found, pairs), len(truth)),
        "tree": Ratio(size * tree_similarity(truth, found), size),
    }


def _notes(reading: Reading, truth: Sequence[str]) -> dict[str, Ratio]:
    """Return the notes found and linked, each note of the reading counted once."""
    if reading.notes is None:
        return {}
    known = [plain(note.text) for note in reading.notes]
    place = found = linked = 0
    used: set[int] = set()
    for note in truth:
        wanted = plain(note)[:30]
        # usually in order; notes in margins may come in another one
        places = [*range(place, min(place + 40, len(known))), *range(len(known))]
        at = next((index for index in places if index not in used and wanted and wanted in known[index]), None)
        if at is not None:
            place = at + 1
            used.add(at)
            found += 1
            linked += bool(reading.notes[at].linked)
    ratios = {"notes": Ratio(found, len(truth))}
    if reading.links:
        ratios["linked"] = Ratio(linked, len(truth))
    return ratios


def _text(reading: Reading, truth: Truth) -> dict[str, Ratio]:
    """Return recall and precision of words against the pages, and the similarity of their order."""
    from rapidfuzz.distance import Indel

    ours, theirs = Counter(_words(piece.text for piece in reading.pieces)), Counter(_words(truth.page_texts))
    common = sum((ours & theirs).values())
    body = _words(piece.text for piece in reading.pieces if piece.role == "body")
    wanted = _words(truth.order)
    longer = max(len(wanted), 1)
    order = Indel.normalized_similarity(body, wanted) if wanted else 0.0
    ratios = {
        "recall": Ratio(common, sum(theirs.values())),
        "precision": Ratio(common, sum(ours.values())),
        "order": Ratio(order * longer, longer),
    }
    return ratios if wanted else {}


def _words(texts: Iterable[str]) -> list[str]:
    """Return the words of texts, letters separate from digits, so that a note mark touching its word is not a loss."""
    return [part for text in texts for word in text.split() for part in _RUNS.findall(squash(word))]


def leaked(reading: Reading, truth: Truth) -> list[tuple[int, str]]:
    """Return the rows of furniture in the body, as page and text."""
    blocks: dict[int, list[str]] = defaultdict(list)
    furniture: dict[int, list[str]] = defaultdict(list)
    for piece in reading.pieces:
        for page in piece.pages:
            (furniture if piece.role == "furniture" else blocks)[page].append(squash(piece.text))
    found = []
    for page, text in truth.furniture:
        row = squash(text)
        if len(row) >= 8 and row in furniture[page]:
            continue  # the words of the body are the same: "President", or the title that the page header repeats
        whole = squash(truth.page_texts[page - 1]).count(row) if len(row) >= 8 else 1
        if row in blocks[page] or (len(row) >= 8 and sum(block.count(row) for block in blocks[page]) >= whole > 0):
            found.append((page, text))
    return found


def _captions(reading: Reading, truth: Sequence[tuple[str, str, int]]) -> int:
    """Return the number of captions of the truth that are captions of a graphic of their kind."""
    free = list(reading.captions or ())
    right = 0
    for text, kind, page in truth:
        wanted = squash(text)
        for caption in free:
            near = not page or abs(caption.page - page) <= 1
            if near and caption.bound == kind and (squash(caption.text)[: len(wanted)] == wanted):
                right += 1
                free.remove(caption)
                break
    return right
