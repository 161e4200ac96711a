"""Errors on a page, in words, for fixing them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.structure.strict.items import Item, letters
from bench.structure.strict.match import GRAPHIC, find, kind_of, types, wanted
from bench.structure.strict.score import is_kept, leaks
from bench.structure.strict.tables import laid_on

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bench.structure.labels import Block, Label
    from bench.structure.strict.signs import Changed

_WIDTH = 70


def misses(label: Label, page: int, items: Sequence[Item], changed: Changed) -> Iterator[str]:
    """Yield a line for each error on a page."""
    places = find(label.blocks, items)
    body = [block for block in label.blocks if kind_of(block.type.value) != "FURNITURE"]
    texts = [letters(item.text) for item in items if not item.furniture]
    for number, block in enumerate(label.blocks):
        if types(block) == {"FURNITURE"}:
            if letters(block.text) and leaks(block, body, items):
                yield f"furniture in the text: {_short(block.text)}"
        elif block.type.value not in GRAPHIC and wanted(block):
            at = places.at.get(number)
            item = items[at[0]] if at else None
            if item is None or kind_of(item.type) not in types(block):
                yield f"{_name(block)} is {item.type if item else 'not found'}: {_short(block.text)}"
            elif number not in places.exact:
                yield f"{_name(block)} begins or ends elsewhere: {_short(block.text)} | {_short(item.text)}"
            elif block.type == "HEADING":
                parent = _short(item.parent.text if item.parent else "-")
                yield f"    ok {_name(block)} {block.level}, read {item.level} under {parent}: {_short(block.text)}"
            if not is_kept(block, texts):
                yield f"    not in the text: {_short(block.text)}"
    exact = {places.exact[number] for number in places.exact}
    for index, item in enumerate(items):
        if index not in exact and not item.furniture and letters(item.text) and item.type != "TABLE":
            yield f"made of nothing: {item.type} {_short(item.text)}"
    yield from _tables(body, items)
    if changed.lost or changed.added:
        yield f"numbers lost {dict(changed.lost)}, added {dict(changed.added)}"


def heading_misses(label: Label, page: int, items: Sequence[Item]) -> Iterator[str]:
    """Yield a line for each heading of a page and how it is read, and for each invented one."""
    places = find(label.blocks, items)
    for number, block in enumerate(label.blocks):
        if block.type.value not in {"HEADING", "TITLE"}:
            continue
        at = places.exact.get(number, places.at.get(number, (None,))[0])
        item = None if at is None else items[at]
        if item is None or item.type not in types(block) or number not in places.exact:
            there = item.type if item else "not found"
            yield f"{_name(block)} is {there}: {_short(block.text)} | {_short(item.text if item else '')}"
        else:
            parent = _short(item.parent.text if item.parent else "-")
            yield f"    ok {_name(block)} {block.level}, read {item.level} under {parent}: {_short(block.text)}"
    known = {key.head for block in label.blocks if "HEADING" in types(block) | {block.type} for key in wanted(block)}
    for item in items:
        if item.type == "HEADING" and item.pages[0] == page and letters(item.text) not in known:
            yield f"made of nothing: {item.level} {_short(item.text)}"


def _tables(body: Sequence[Block], items: Sequence[Item]) -> Iterator[str]:
    for number, (truth, made) in enumerate(laid_on(body, items), 1):
        if made is None:
            yield f"table {number} not found: {' | '.join(truth.grid[-1])[:_WIDTH]}"
            continue
        for row in range(truth.head_rows, len(truth.grid)):
            if not made.is_right(row):
                there = made.grid[made.rows[row]] if row in made.rows else []
                yield f"table {number} row: {truth.grid[row]} read {there}"
        for text, columns in truth.heads():
            if not made.has_head(text, columns):
                yield f"table {number} head not inside: {text}"


def _name(block: Block) -> str:
    return block.type.value + (" (run in)" if block.run_in else "")


def _short(text: str) -> str:
    text = text.replace("\n", " ")
    return text if len(text) <= _WIDTH else f"{text[:45]} ... {text[-20:]}"
