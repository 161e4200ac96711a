"""Levels of headings: stated ones first, then decimal numbers, then type and order of appearance."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from ragraph.ingest.readers.pdf.layout import Block, Kind
from ragraph.ingest.readers.pdf.looks import Look, printed, scheme_of

if TYPE_CHECKING:
    from collections.abc import Sequence

_DEEPEST = 9
_TOP = ("named part", "named book", "named volume", "named teil", "named partie", "named parte", "named period")


def set_levels(found: Sequence[Block], looks: dict[int, Look], stated: dict[int, int | None], firm: set[int]) -> None:
    """Make blocks headings and set their level.

    Args:
        found: the headings in reading order; they change.
        looks: their type, by id of the block.
        stated: depth by id of the block, from outline and contents pages.
        firm: ids of the blocks whose depth the outline states; that of contents pages, read from indents, is a vote.
    """
    kinds = {id(block): (scheme_of(printed(block)), looks[id(block)]) for block in found}
    votes: dict[tuple[str, Look], Counter[int]] = defaultdict(Counter)
    by_look: dict[Look, Counter[int]] = defaultdict(Counter)
    for block in found:
        depth = stated.get(id(block))
        if depth is not None:
            votes[kinds[id(block)]][depth] += 1
            by_look[looks[id(block)]][depth] += 1
    levels = _levels([kinds[id(block)] for block in found], votes, by_look)
    for block in found:
        block.kind = Kind.HEADING
        kind = kinds[id(block)]
        depth = stated.get(id(block))
        if id(block) not in firm and depth is not None and votes[kind][levels[kind]] >= 0.6 * sum(votes[kind].values()):
            depth = levels[kind]
        block.level = min(depth or levels[kind], _DEEPEST)


def _levels(
    order: list[tuple[str, Look]],
    votes: dict[tuple[str, Look], Counter[int]],
    by_look: dict[Look, Counter[int]],
) -> dict[tuple[str, Look], int]:
    """Return the level of each pair of numbering and look.

    Args:
        order: the pairs of all headings in reading order.
        votes: stated depths per pair.
        by_look: stated depths per look, whatever the numbering.
    """
    kinds = list(dict.fromkeys(order))
    count = Counter(order)
    for kind in kinds:
        # One vote among many of a kind is more likely a title that two headings share.
        if sum(votes[kind].values()) < min(2, 0.25 * count[kind]):
            votes[kind].clear()
    levels: dict[tuple[str, Look], int] = {}
    chapter = _chapter_level(kinds, votes)
    for scheme, look in kinds:
        if votes[scheme, look]:
            levels[scheme, look] = _most(votes[scheme, look])
        elif scheme.startswith("decimal"):
            levels[scheme, look] = int(scheme[7:]) + chapter
        elif by_look[look] and scheme == "none":
            levels[scheme, look] = _most(by_look[look])
    deepest = 0
    for group in _groups(kinds):
        base = deepest
        for scheme, look in group:
            if (scheme, look) in levels:
                continue
            known = [levels[other] for other in group if other in levels and _peer(other[0])]
            if (scheme == "none" or scheme.startswith("named")) and known:
                levels[scheme, look] = min(known)
            elif scheme in _TOP:
                levels[scheme, look] = 1
            else:
                inner = [levels[other] for other in group if other in levels]
                levels[scheme, look] = max([base, *inner]) + 1
        deepest = max([deepest, *(levels[kind] for kind in group)])
    return levels


def _chapter_level(kinds: Sequence[tuple[str, Look]], votes: dict[tuple[str, Look], Counter[int]]) -> int:
    """Return how many levels stand above headings with one number: parts over numbered chapters."""
    named = {scheme for scheme, _ in kinds if scheme.startswith("named")}
    tops = sum(scheme in _TOP for scheme in named)
    return 1 if tops and len(named) > tops else 0


def _peer(scheme: str) -> bool:
    return scheme == "decimal1" or scheme.startswith("named") or scheme == "none"


def _groups(kinds: list[tuple[str, Look]]) -> list[list[tuple[str, Look]]]:
    """Return the pairs in groups of like look, the strongest first; in a group in order of appearance."""
    groups: list[list[tuple[str, Look]]] = []
    ranked = sorted(kinds, key=lambda kind: (-kind[1].size, -kind[1].bold, -kind[1].capitals, kind[1].italic))
    for kind in ranked:
        if groups and groups[-1][0][1].resembles(kind[1]) and groups[-1][0][1].capitals == kind[1].capitals:
            groups[-1].append(kind)
        else:
            groups.append([kind])
    place = {kind: index for index, kind in enumerate(kinds)}
    # Numbered headings first: an unnumbered one takes the level of its numbered peers.
    return [sorted(group, key=lambda kind: (kind[0] == "none", place[kind])) for group in groups]


def _most(counter: Counter[int]) -> int:
    return min(counter.items(), key=lambda item: (-item[1], item[0]))[0]
