"""Which kinds of headings stand below others for how they follow each other, whatever their type."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import chain, pairwise
from typing import TYPE_CHECKING, NamedTuple

from ragraph.pdf.furniture.pagenumbers import number_value
from ragraph.pdf.patterns import COUNT, DECIMAL, LABELLED_PARTS, LETTERED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from ragraph.pdf.blocks.looks import Look

Kind = tuple[str, "Look"]
"""How headings are numbered, and their type: ``levels`` gives each pair one level."""

_RUNS = 2
"""Minimum number of times that numbers begin again below headings of a kind, at which they are counted within those."""
_MOSTLY = 0.7
"""Share of the runs of numbers that have a heading of the upper kind before them."""
_SELDOM = 0.1
"""Share of the steps from one number to the next with such a heading between: one is misread."""
_FIRST = 2
"""Value with which a run of numbers begins at most: the heading with the first may not be found."""
_OPENING = 0.5
"""Share of the runs that begin so."""
_DIRECT = (2, 0.6)
"""Headings of a kind, and share of them, that stand right over one of another kind with no text between."""
_STEP = 2
"""By how much a number counts on: the heading between may not be found."""
_LOCAL = 0.35
"""Share of the headings of a document that a run within one section has at most."""
_AROUND = 3
"""Titles without number of which one has such a run."""
_ROUNDING = 0.5
"""Points by which sizes of one type differ."""


class _Item(NamedTuple):
    """A heading: its group, the last part of its number, and whether one is right below it."""

    group: int
    value: int | None
    direct: bool


def put_below(
    levels: dict[Kind, int],
    order: Sequence[Kind],
    texts: Sequence[str],
    direct: Sequence[bool],
    stated: AbstractSet[Kind],
) -> None:
    """Put kinds of headings below those that they are counted within, or that stand right over them.

    Numbers that begin again after each "Article", and go on between two of them, are those of its sections; a title
    over "24." that comes after "23." is that of a part.

    Args:
        levels: of each kind; they change.
        order: kinds of the headings in reading order.
        texts: what each says.
        direct: whether the block after it is a heading, too.
        stated: kinds whose depth is stated; they stay.
    """
    groups = _groups(order)
    items = [
        _Item(groups[kind], _value(kind[0], text), below)
        for kind, text, below in zip(order, texts, direct, strict=True)
    ]
    kinds: dict[int, list[Kind]] = defaultdict(list)
    for kind in dict.fromkeys(order):
        kinds[groups[kind]].append(kind)
    told = {groups[kind] for kind in stated if kind in groups}
    over = Counter((one.group, other.group) for one, other in pairwise(items) if one.direct)
    for lower in (group for group in kinds if group not in told):
        above = _above(items, kinds, over, lower)
        stay = {kind for group in above for kind in kinds[group]}
        for group in sorted(above, key=lambda group: min(levels[kind] for kind in kinds[group])):
            fixed = group in told or kinds[group][0][0] == "none"
            _put(levels, order, kinds[group], kinds[lower], stay, fixed=fixed)
    _put_below_passed(levels, items, {group: own for group, own in kinds.items() if group not in told}, kinds)


def _put_below_passed(
    levels: dict[Kind, int], items: Sequence[_Item], free: Mapping[int, Sequence[Kind]], kinds: Mapping[int, list[Kind]]
) -> None:
    """Put kinds without a number, in type no larger, below numbers that count on over them; ``levels`` change."""
    for inner in (group for group in free if free[group][0][0] == "none"):
        for outer in (group for group in kinds if kinds[group][0][0] != "none"):
            level = max(levels[kind] for kind in kinds[outer])
            smaller = free[inner][0][1].size <= kinds[outer][0][1].size + _ROUNDING
            if smaller and min(levels[kind] for kind in free[inner]) < level and _is_passed(items, inner, outer):
                levels.update(dict.fromkeys(free[inner], level + 1))


def _above(
    items: Sequence[_Item], kinds: Mapping[int, Sequence[Kind]], over: Counter[tuple[int, int]], lower: int
) -> set[int]:
    """Return the groups of headings that those of another one stand below."""
    scheme, look = kinds[lower][0]
    if scheme.startswith("decimal") and scheme != "decimal1":
        return set()  # "1.1" goes where "1" goes
    uppers = [group for group in kinds if group != lower]
    numbered = [group for group in uppers if kinds[group][0][0] != "none"]
    above: set[int] = set()
    for group in uppers:
        count = sum(item.group == group for item in items)
        if _is_right_over(over, group, lower, count) and _may_be_over(kinds[group][0], look):
            above.add(group)
    if scheme == "none":
        return above
    for group in uppers:
        if group not in numbered and _stronger(kinds[group][0][1], look):
            above |= _counted_within(items, [group], lower, bare=True)
    return above | _counted_within(items, numbered, lower)


def _groups(order: Sequence[Kind]) -> dict[Kind, int]:
    """Return kinds by groups: the same numbers in type that differs by rounding, or by capitals where there are any."""
    groups: dict[Kind, int] = {}
    first: list[Kind] = []
    for kind, _ in Counter(order).most_common():
        scheme, look = kind
        for number, (other, like) in enumerate(first):
            numbered = scheme != "none" or like.capitals == look.capitals
            if other == scheme and numbered and like.resembles(look):
                groups[kind] = number
                break
        else:
            groups[kind] = len(first)
            first.append(kind)
    return groups


def _value(scheme: str, text: str) -> int | None:
    """Return the last part of the number of a title."""
    parts = DECIMAL.match(text) or LETTERED.match(text) if scheme.startswith("decimal") else None
    if parts is not None:
        return int(re.findall(r"\d+", parts["number"])[-1])
    parts = LABELLED_PARTS.match(text) if scheme.startswith("named") else None
    if parts is not None:
        return int(parts[1])
    match = COUNT.match(text) if scheme != "none" else None
    if match is None:
        return None
    label = match[1].upper()
    if len(label) == 1 and label.isalpha() and (scheme.lower() == "letter" or label not in "IVX"):
        return ord(label) - ord("A") + 1
    value = number_value(label)
    return value[1] if value else None


def _counted_within(items: Sequence[_Item], uppers: Sequence[int], lower: int, *, bare: bool = False) -> set[int]:
    """Return the kinds within whose headings the numbers of another kind are counted: they begin again below them.

    Args:
        items: the headings.
        uppers: kinds that may be such.
        lower: the kind with the numbers.
        bare: the upper kind has no numbers itself.
    """
    runs, before, inside = _runs_of(items, uppers, lower)
    steps = sum(len(run) - 1 for run in runs)
    leads = Counter(chain(*before))
    least = min(_RUNS, len(runs))
    above = {group for group in uppers if inside[group] <= _SELDOM * steps and leads[group] >= least}
    if not runs or not above or sum(bool(heads & above) for heads in before) < _MOSTLY * len(runs):
        return set()
    opening = sum((items[run[0]].value or 0) <= _FIRST for run in runs)
    if bare and opening < _OPENING * len(runs):
        return set()
    if len(runs) >= _RUNS:
        return above
    one = runs[0] if len(runs[0]) >= _RUNS and opening else []
    return {group for group in above if one and _is_within_one(items, group, one, bare=bare)}


def _runs_of(
    items: Sequence[_Item], uppers: Sequence[int], lower: int
) -> tuple[list[list[int]], list[set[int]], Counter[int]]:
    """Return the runs in which the numbers of a kind count up: the places of the headings.

    Also which upper kinds have a heading right before each run, and how often each has one within runs.
    """
    runs: list[list[int]] = []
    before: list[set[int]] = []
    inside: Counter[int] = Counter()
    since: set[int] = set()
    last: int | None = None
    for at, item in enumerate(items):
        if item.group == lower and item.value is not None:
            if last is None or item.value <= last:
                runs.append([at])
                before.append(since)
            else:
                runs[-1].append(at)
                inside.update(since)
            since, last = set(), item.value
        elif item.group in uppers:
            since = since | {item.group}
    return runs, before, inside


def _is_within_one(items: Sequence[_Item], upper: int, run: Sequence[int], *, bare: bool) -> bool:
    """Return True if a run of numbers stands between one heading and the next of its kind."""
    before = [item for item in items[: run[0]] if item.group == upper]
    after = [item for item in items[run[-1] :] if item.group == upper]
    if not before or not after or run[-1] - run[0] > _LOCAL * len(items):
        return False
    if bare:
        return len(before) + len(after) >= _AROUND
    one, following = before[-1].value, after[0].value
    return one is not None and following in {1, one + 1}


def _is_passed(items: Sequence[_Item], inner: int, outer: int) -> bool:
    """Return True if numbers count on over most titles of another kind, hardly any of which stands right over one."""
    passed = over = 0
    since = 0
    last: int | None = None
    for one, item in pairwise((*items, items[-1])):
        if one.group == outer and one.value is not None:
            passed += since if last is not None and last < one.value <= last + _STEP else 0
            since, last = 0, one.value
        elif one.group == inner:
            since += 1
            over += one.direct and item.group == outer
    count = sum(item.group == inner for item in items)
    return passed >= max(_RUNS, _MOSTLY * count) and over <= _SELDOM * count


def _is_right_over(over: Counter[tuple[int, int]], upper: int, lower: int, count: int) -> bool:
    """Return True if most headings of one kind stand right over such of another, and never below them."""
    mine = over[upper, lower]
    return mine >= max(_DIRECT[0], _DIRECT[1] * count) and over[lower, upper] <= _SELDOM * mine


def _may_be_over(kind: Kind, look: Look) -> bool:
    """Return True if a heading is no small line over a larger title."""
    return kind[0] != "none" or kind[1].size >= look.size - _ROUNDING


def _stronger(look: Look, other: Look) -> bool:
    """Return True if type is larger than another, or of its size and bolder or in capitals."""
    if abs(look.size - other.size) > _ROUNDING:
        return look.size > other.size
    return (look.bold, look.capitals) > (other.bold, other.capitals)


def _put(
    levels: dict[Kind, int],
    order: Sequence[Kind],
    upper: Sequence[Kind],
    lower: Sequence[Kind],
    stay: AbstractSet[Kind],
    *,
    fixed: bool,
) -> None:
    """Put kinds one level below others, and with them what stands below them.

    Args:
        levels: of each kind; they change.
        order: kinds of the headings in reading order.
        upper: kinds that stand above; they rise to the level of the lower ones where they stand below that.
        lower: kinds that are put below them.
        stay: kinds that are not moved with those.
        fixed: the upper ones do not rise.
    """
    top = min(levels[kind] for kind in upper)
    level = min(levels[kind] for kind in lower)
    if level > top:
        return
    if not fixed:
        top = level
        for kind in upper:
            for other in levels:
                if other[1] == kind[1] and other[0] == "none" and levels[other] == levels[kind]:
                    levels[other] = min(levels[other], top)  # "References" beside "V. Results"
            levels[kind] = min(levels[kind], top)
    below: dict[Kind, int] = Counter()
    current = False
    for kind in order:
        if kind in lower:
            current = True
        elif levels[kind] <= level:
            current = False
        elif current:
            below[kind] += 1
    count = Counter(order)
    for kind in [*lower, *(kind for kind, number in below.items() if kind not in stay and 2 * number >= count[kind])]:
        levels[kind] += top + 1 - level
