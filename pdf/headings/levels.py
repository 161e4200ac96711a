"""Levels of headings: stated ones first, then numbers, then type and order of appearance."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

from ragraph.pdf.blocks.looks import Look, numbering_depth, printed, scheme_of
from ragraph.pdf.headings.nesting import put_below
from ragraph.pdf.model import Block, Kind, in_runs
from ragraph.pdf.patterns import CONTENTS_TITLE, ENDS_IN_NOUGHT, FIRST_NUMBER, LABELLED, SINGLE_LETTER

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

_DEEPEST = 9
"""Levels are counted to here; what stands deeper stands on this one."""
_TOP = ("named part", "named book", "named volume", "named teil", "named partie", "named parte", "named period")
_STEP = 2
"""By how much numbers count on: the heading between two may not be found."""
_FEW = 2
"""Titles without number for each one with a number, up to which they are on its level if set alike."""
_LISTED = 0.15
"""Share of the headings of a kind whose depth has to be stated."""
_AGREED = 0.6
"""Share of the stated depths of headings of a kind that are one, for it to be that of all."""
_COUNTED = 3
"""Minimum number of numbers behind one word, from 1 on, at which the word is a label."""
_DISPLAYED = (16.0, 0.1)
"""Minimum points at which sizes of type are fitted to their place; share by which those of one level differ then."""
_SIZES = 3
"""Minimum number of sizes at which type is fitted to its place; two of them are two levels."""
_SEVERAL = 2
"""Minimum number of times that each of two sizes comes back at which they are two levels."""
_LARGER = 0.8
"""Points by which type is larger, not by rounding."""
_APART = 0.6
"""Points by which type is told from type of the same size: more than looks that resemble each other differ by."""


def set_levels(
    found: Sequence[Block],
    looks: dict[int, Look],
    stated: dict[int, int | None],
    firm: set[int],
    plain: AbstractSet[int] = frozenset(),
    settings: Mapping[int, int] | None = None,
    direct: AbstractSet[int] = frozenset(),
) -> None:
    """Make blocks headings and set their level.

    No level is left out on the way down: a heading stands one level below the one it belongs to. One without a number
    that runs into its paragraph stands below those on lines of their own, whatever its type.

    Args:
        found: the headings in reading order; they change.
        looks: their type, by id of the block.
        stated: depth by id of the block, from outline and contents pages.
        firm: ids of the blocks whose depth the outline states; that of contents pages, read from indents, is a vote.
        plain: ids of the numbered titles that are set like the running text.
        settings: of headings that stand above (1) or below (-1) others of their look, by id (``headings.setting``).
        direct: ids of the headings whose next block is a heading, too.
    """
    whole = found
    run_in = _run_in(found, looks, stated, firm)
    inner = {id(block) for block in run_in}
    found = [block for block in found if id(block) not in inner]
    texts = [printed(block) for block in found]
    looks = _set_apart(_usual_looks(whole, looks), settings or {})
    schemes = _without_lone(texts, schemes_of(texts))
    kinds = {id(block): (scheme, looks[id(block)]) for block, scheme in zip(found, schemes, strict=True)}
    votes = _votes(found, kinds, stated)
    by_scheme: dict[str, Counter[int]] = defaultdict(Counter)
    for (scheme, _), depths in votes.items():
        by_scheme[scheme] += depths
    order = [kinds[id(block)] for block in found]
    below = _start_again(found, texts, schemes, looks) or _below_unnumbered(found, schemes, plain)
    levels = _levels(order, votes, _chapters(texts, schemes), below=below)
    put_below(levels, order, texts, [id(block) in direct for block in found], {kind for kind in votes if votes[kind]})
    for block in found:
        kind = kinds[id(block)]
        depths = by_scheme[kind[0]] if id(block) in firm else votes[kind]
        own = None if _is_of_kind(kind, levels[kind], depths, firm=id(block) in firm) else stated.get(id(block))
        block.kind, block.level = Kind.HEADING, own or levels[kind]
    _set_run_in(run_in, looks, max((block.level or 1 for block in found), default=0))
    _close_gaps(whole, [printed(block) for block in whole], firm)


def _is_of_kind(kind: tuple[str, Look], level: int, depths: Counter[int], *, firm: bool) -> bool:
    """Return True if a heading has the level of its kind, whatever depth is stated for it alone.

    A single entry of an outline may be put wrongly; numbers of which most are put alike stand alike.

    Args:
        kind: of the heading.
        level: of the kind.
        depths: that are stated for the kind; where the depth is firm, for all of its kind of number.
        firm: the outline states its depth.
    """
    if firm:
        return bool(_parts(kind)) and _agree(depths, level)
    return kind[0].startswith(("decimal", "named")) or _agree(depths, level)


def _votes(
    found: Sequence[Block], kinds: Mapping[int, tuple[str, Look]], stated: Mapping[int, int | None]
) -> dict[tuple[str, Look], Counter[int]]:
    """Return how many headings of each kind are stated to have which depth."""
    votes: dict[tuple[str, Look], Counter[int]] = defaultdict(Counter)
    for block in found:
        depth = stated.get(id(block))
        if depth is not None:
            votes[kinds[id(block)]][depth] += 1
    return votes


def _run_in(
    found: Sequence[Block], looks: dict[int, Look], stated: dict[int, int | None], firm: AbstractSet[int]
) -> list[Block]:
    """Return the titles without a number that run into their paragraph and whose depth is not stated.

    A contents page that names a few of them by chance, as it does where it tells what a section is about, states none.
    """
    bare = [block for block in found if block.rest is not None and scheme_of(printed(block)) == "none"]
    kinds = {id(block): (looks[id(block)].bold, looks[id(block)].italic) for block in bare}
    like = Counter(kinds.values())
    told = Counter(kind for key, kind in kinds.items() if key in stated)
    return [
        block
        for block in bare
        if id(block) not in stated
        or (id(block) not in firm and told[kinds[id(block)]] < _AGREED * like[kinds[id(block)]])
    ]


def _set_run_in(run_in: Sequence[Block], looks: dict[int, Look], deepest: int) -> None:
    """Set the level of titles without a number that run into their paragraph: below all that stand alone, by type."""
    ranked = sorted({looks[id(block)] for block in run_in}, key=lambda look: (-look.bold, -look.capitals, look.italic))
    for block in run_in:
        block.kind = Kind.HEADING
        look = looks[id(block)]
        place = next(at for at, other in enumerate(ranked) if (other.bold, other.italic) == (look.bold, look.italic))
        block.level = min(deepest + 1 + place, _DEEPEST)


def schemes_of(texts: Sequence[str]) -> list[str]:
    """Return the kind of number of each heading; "C." and "I." are letters or Roman by what went before.

    "4.0" is a number of one part, if no other heading has that ("4", "Chapter 4").
    """
    schemes: list[str] = []
    letter = ""
    alone = {match[1] for text in texts if (match := FIRST_NUMBER.match(text)) and scheme_of(text) != "decimal2"}
    for text in texts:
        scheme = scheme_of(text)
        nought = ENDS_IN_NOUGHT.match(text)
        if nought and nought[1] not in alone:
            scheme = "decimal1"
        single = SINGLE_LETTER.match(text)
        if single and scheme in {"ROMAN", "LETTER"}:
            follows = bool(letter) and ord(single[1]) == ord(letter) + 1
            # No list of headings runs to a hundred; "I.", "V." and "X." are Roman unless a letter leads up to them.
            scheme = "LETTER" if follows or single[1] not in "IVX" else "ROMAN"
            if scheme == "LETTER":
                letter = single[1]
        schemes.append(scheme)
    return _with_labels(texts, schemes)


def _with_labels(texts: Sequence[str], schemes: list[str]) -> list[str]:
    """Name the titles that begin with one word and numbers that count up by one: "Step 1", "Step 2"."""
    numbers: dict[str, list[int]] = defaultdict(list)
    matches = [LABELLED.match(text) if scheme == "none" else None for text, scheme in zip(texts, schemes, strict=True)]
    for match in matches:
        if match:
            numbers[match[1].lower()].append(int(match[2]))
    counts = {word for word, values in numbers.items() if len(values) >= _COUNTED and _count_up(values)}
    return [
        f"named {match[1].lower()}" if match and match[1].lower() in counts else scheme
        for match, scheme in zip(matches, schemes, strict=True)
    ]


def _without_lone(texts: Sequence[str], schemes: list[str]) -> list[str]:
    """Return the schemes without numbers that do not count on, as in "5 year vision", where all have one part."""
    if any(scheme.startswith("decimal") and scheme != "decimal1" for scheme in schemes):
        return schemes  # where there is "3.1", "1 Introduction" is of those, though "2" and "3" are not found
    numbers = [
        (at, match[1])
        for at, (text, scheme) in enumerate(zip(texts, schemes, strict=True))
        if scheme == "decimal1" and (match := FIRST_NUMBER.match(text)) and match[1].isdecimal()
    ]
    counted = set()
    for (one, value), (other, following) in pairwise(numbers):
        if int(value) < int(following) <= int(value) + _STEP:
            counted |= {one, other}
    lone = {at for at, _ in numbers if at not in counted}
    return ["none" if at in lone else scheme for at, scheme in enumerate(schemes)]


def _count_up(values: Sequence[int]) -> bool:
    """Return True if each number is the next one, or a first one again."""
    return values[0] == 1 and all(new in {1, old + 1} for old, new in pairwise(values)) and max(values) >= _COUNTED


def _usual_looks(found: Sequence[Block], looks: dict[int, Look]) -> dict[int, Look]:
    """Return the looks of headings as they are meant.

    One that is in capitals for its words alone ("NATO") has that of its like; large ones of several sizes that hardly
    differ have that of most of them, as their size is fitted to the place. Sizes that come back are chosen.
    """
    count = Counter(looks[id(block)] for block in found)
    usual: dict[Look, Look] = {}
    for look, number in count.items():
        plain = look._replace(capitals=False)
        usual[look] = plain if look.capitals and number < 0.25 * count[plain] else look
    times = Counter(usual[looks[id(block)]] for block in found)
    meant: dict[Look, Look] = {}
    for look, number in times.most_common():
        near = {other for other in times if _is_about(look, other)}
        fitted = _is_fitted([usual[looks[id(block)]].size for block in found if usual[looks[id(block)]] in near])
        alike = (other for other in meant.values() if fitted and other in near and min(number, times[other]) < _SEVERAL)
        meant[look] = next(alike, look)
    return {id(block): meant[usual[looks[id(block)]]] for block in found}


def _is_fitted(sizes: Sequence[float]) -> bool:
    """Return True if sizes of headings in reading order come without order, not from level to level.

    Levels begin with the highest, and none is left out on the way down.
    """
    ranked = sorted(set(sizes), reverse=True)
    place = [ranked.index(size) for size in sizes]
    return len(ranked) >= _SIZES and (place[0] > 0 or any(lower - upper > 1 for upper, lower in pairwise(place)))


def _is_about(look: Look, other: Look) -> bool:
    """Return True if looks are the same large type but for a size that hardly differs."""
    size = max(look.size, other.size)
    alike = look._replace(size=size) == other._replace(size=size)
    return alike and size >= _DISPLAYED[0] and abs(look.size - other.size) <= _DISPLAYED[1] * size


def _set_apart(looks: dict[int, Look], settings: Mapping[int, int]) -> dict[int, Look]:
    """Return the looks with those that are set apart on the page as another type, a little larger or smaller."""
    return {
        key: look._replace(size=look.size + _APART * settings[key]) if key in settings else look
        for key, look in looks.items()
    }


def _chapters(texts: Sequence[str], schemes: Sequence[str]) -> str | None:
    """Return the kind of named headings whose numbers lead the decimal ones: "Chapter 4" over "4.2"."""
    leads: dict[str, set[str]] = defaultdict(set)
    inner: set[str] = set()
    for text, scheme in zip(texts, schemes, strict=True):
        match = FIRST_NUMBER.match(text)
        if match and scheme.startswith("named") and scheme not in _TOP:
            leads[scheme].add(match[1].upper())
        elif match and scheme.startswith("decimal") and (numbering_depth(text) or 0) > 1:
            inner.add(match[1].upper())
    best = max(leads, key=lambda scheme: len(leads[scheme] & inner), default=None)
    return best if best is not None and len(leads[best] & inner) >= 2 else None


def _close_gaps(found: Sequence[Block], texts: Sequence[str], firm: set[int]) -> None:
    """Let every heading stand one level below the one it belongs to, and nothing below the title of a contents list."""
    above: list[int] = []
    listing = False
    for index, (block, text) in enumerate(zip(found, texts, strict=True)):
        level = block.level or 1
        if listing and above and level > above[-1]:
            above.pop()
        listing = bool(CONTENTS_TITLE.match(text)) and index + 1 < len(found)
        while above and above[-1] >= level:
            above.pop()
        above.append(level)
        if id(block) not in firm:
            block.level = min(len(above), _DEEPEST)


def _levels(
    order: list[tuple[str, Look]],
    votes: dict[tuple[str, Look], Counter[int]],
    chapters: str | None,
    *,
    below: bool,
) -> dict[tuple[str, Look], int]:
    """Return the level of each pair of numbering and look.

    Args:
        order: the pairs of all headings in reading order.
        votes: stated depths per pair.
        chapters: the kind of named headings over the decimal ones.
        below: decimal numbers start anew below larger headings.
    """
    kinds = list(dict.fromkeys(order))
    count = Counter(order)
    _drop_few(votes, count)
    stated = _base(kinds, votes)
    leading = [kind for kind in kinds if kind[0] == chapters]
    told = sum((votes[kind] for kind in leading), Counter())
    base = max(stated, 2 if below else 1, _most(told) if told else 0)
    type_tells = below and not stated
    levels = _known_levels(kinds, votes, count)
    levels |= dict.fromkeys(leading, base)
    if not type_tells:
        levels |= {kind: base + _parts(kind) - 1 for kind in kinds if _parts(kind)}
    deepest = 0
    for group in _groups(kinds):
        numbers = min(filter(None, map(_parts, group)), default=0)
        if type_tells and numbers:
            # Numbers that start again below titles in larger type stand below all of those.
            base, type_tells = max(deepest + 2 - numbers, 2), False
        for kind in group:
            if kind not in levels and _parts(kind):
                levels[kind] = base + _parts(kind) - 1
            elif kind not in levels:
                known = {other: levels[other] for other in group if other in levels}
                levels[kind] = _by_peers(kind, known, count, deepest)
        deepest = max([deepest, *(levels[kind] for kind in group)])
    return levels


def _agree(depths: Counter[int], level: int) -> bool:
    """Return True if most of the stated depths are a level, or none is stated."""
    return depths[level] >= _AGREED * depths.total()


def _parts(kind: tuple[str, Look]) -> int:
    """Return of how many parts the decimal numbers of a kind are; 0 if it has none."""
    return int(kind[0][7:]) if kind[0].startswith("decimal") else 0


def _known_levels(
    kinds: Sequence[tuple[str, Look]],
    votes: Mapping[tuple[str, Look], Counter[int]],
    count: Mapping[tuple[str, Look], int],
) -> dict[tuple[str, Look], int]:
    """Return the stated level of kinds without decimal numbers; of those without any, also that of their look."""
    levels: dict[tuple[str, Look], int] = {}
    for kind in (kind for kind in kinds if not _parts(kind)):
        of_look: Counter[int] = sum((votes[other] for other in kinds if other[1] == kind[1]), Counter())
        if votes[kind]:
            levels[kind] = _most(votes[kind])
        elif of_look and kind[0] == "none" and count[kind] <= of_look.total():
            levels[kind] = _most(of_look)
    return levels


def _drop_few(votes: dict[tuple[str, Look], Counter[int]], count: Counter[tuple[str, Look]]) -> None:
    """Drop the stated depths of kinds that have few.

    One among many of a kind is more likely a title that two headings share, and contents that list headings of a kind
    list most of them.
    """
    for kind, number in count.items():
        if votes[kind].total() < max(min(2, 0.25 * number), _LISTED * number):
            votes[kind].clear()


def _by_peers(
    kind: tuple[str, Look],
    levels: Mapping[tuple[str, Look], int],
    count: Counter[tuple[str, Look]],
    start: int,
) -> int:
    """Return the level of a kind without decimal numbers, by the levels of its group that are known."""
    scheme = kind[0]
    peers = [other for other in levels if _peer(other[0])]
    if any(other[0] == "named item" for other in peers):
        peers = [other for other in peers if other[0] not in _TOP]
    if peers and (scheme == "none" or scheme.startswith("named")):
        known = [levels[other] for other in peers]
        many = scheme == "none" and count[kind] > _FEW * sum(count[other] for other in peers)
        # Many without a number between few with one are not their peers, though set alike; nor are notes.
        return max(known) + 1 if many or scheme == "named note" else min(known)
    if scheme in _TOP:
        return 1
    if scheme == "named item":
        return 1 + any(other in _TOP for other, _ in count)
    return max([start, *levels.values()]) + 1


def _base(kinds: Sequence[tuple[str, Look]], votes: dict[tuple[str, Look], Counter[int]]) -> int:
    """Return the level of headings with one number: as stated for most decimal ones, else below parts, else 0."""
    stated: Counter[int] = Counter()
    for scheme, look in kinds:
        if parts := _parts((scheme, look)):
            for depth, number in votes[scheme, look].items():
                stated[depth - parts + 1] += number
    named = {scheme for scheme, _ in kinds if scheme.startswith("named")}
    tops = sum(scheme in _TOP for scheme in named)
    if stated and _most(stated) >= 1:
        above = sum((votes[kind] for kind in kinds if kind[0] in _TOP), Counter())
        # Indents of contents that put parts and the numbers below them alike are not to be believed.
        return max(_most(stated), _most(above) + 1 if above else 1)
    return 2 if tops and len(named) > tops else 0


def _start_again(found: Sequence[Block], texts: Sequence[str], schemes: Sequence[str], looks: dict[int, Look]) -> bool:
    """Return True if single numbers start anew at 1 below headings in larger type: those stand above them."""
    largest = 0.0
    last = again = 0
    for block, text, scheme in zip(found, texts, schemes, strict=True):
        look = looks[id(block)]
        if scheme != "decimal1":
            largest = max(largest, look.size if scheme in {"none", "ROMAN", "LETTER"} else 0.0)
            continue
        match = FIRST_NUMBER.match(text)
        value = int(match[1]) if match and match[1].isdecimal() else 0
        again += value <= last and value == 1 and largest > look.size + _LARGER
        last, largest = value, 0.0
    return again > 0


def _below_unnumbered(found: Sequence[Block], schemes: Sequence[str], plain: AbstractSet[int]) -> bool:
    """Return True if single numbers in the type of the text begin below a title without number, which is above them."""
    first = next((at for at, scheme in enumerate(schemes) if scheme == "decimal1"), 0)
    return first > 0 and id(found[first]) in plain and schemes[first - 1] == "none"


def _peer(scheme: str) -> bool:
    return scheme in {"decimal1", "none", "ROMAN"} or (scheme.startswith("named") and scheme != "named note")


def _groups(kinds: list[tuple[str, Look]]) -> list[list[tuple[str, Look]]]:
    """Return the pairs in groups of like look, the strongest first; in a group in order of appearance."""
    ranked = sorted(kinds, key=lambda kind: (-kind[1].size, -kind[1].bold, -kind[1].capitals, kind[1].italic))
    groups = in_runs(ranked, lambda group, kind: _is_like(group[0][1], kind[1]))
    place = {kind: index for index, kind in enumerate(kinds)}
    # Numbered headings first: an unnumbered one takes the level of its numbered peers.
    return [sorted(group, key=lambda kind: (kind[0] == "none", place[kind])) for group in groups]


def _is_like(look: Look, other: Look) -> bool:
    return look.resembles(other) and look.capitals == other.capitals


def _most(counter: Counter[int]) -> int:
    return min(counter.items(), key=lambda item: (-item[1], item[0]))[0]
