"""A page of a reader compared with its label: every figure as hits and total."""

from __future__ import annotations

import re
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from bench.structure.labels.model import RAISED
from bench.structure.metrics import Ratio
from bench.structure.strict.items import Item, Notions, letters
from bench.structure.strict.match import GRAPHIC, Places, find, kind_of, spans, types, wanted
from bench.structure.strict.tables import score_tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.structure.labels import Block, Label

COUNTED = {
    "P": "share of the headings found that are headings (precision): all letters of the title, on its page",
    "R": "share of the headings that are found (recall)",
    "F1": "harmonic mean of both",
    "levels": "pairs of headings of a page, both found, whose levels compare correctly: above, below or equal",
    "parents": "headings found directly under the right heading; or under no heading of the page, if that is right",
    "named": "documents that get their title, with or without its subtitle",
    "titles": "titles of documents; wrong titles count too",
    "types": "blocks whose beginning is in a block of the right type",
    "blocks": "blocks of the right type that begin and end in the right places: F1",
    "kept": "blocks whose beginning and end are in the text",
    "order": "pairs of blocks that follow each other in the right order",
    "furniture": "running heads and feet, page numbers, stamps, watermarks and ornaments kept out of the text",
    "numbers": "printed page numbers that are recognised",
    "notes": "notes that are complete and have the type of a note",
    "link P": "marks linked to a note of the page that are linked to the right one (precision)",
    "link R": "marks of notes of the page that are linked to their note (recall)",
    "tables": "tables that are found: F1",
    "rows": "rows of tables whose label and numbers are all right, each in a cell of its own in the right column",
    "heads": "header cells that are in the table, above their column",
    "TEDS": "tables: mean tree edit distance similarity, missed tables count 0",
}
"""Meanings of the columns. Alternatives that a label allows are right, or do not count."""

GIVEN = {
    "ranked": "levels, of pairs of headings that are both found: what is lost here is not lost by missing one",
    "placed": "parents, of headings that are found and whose parent is found, or that have none",
}
"""Figures on relations of found headings; shown only in the terminal."""

Figures = dict[str, Ratio]


def score_page(label: Label, page: int, items: Sequence[Item], notions: Notions) -> Figures:
    """Compare the items of a page with its label.

    Args:
        label: label of the page.
        page: its number in the file, from 1.
        items: items of the page, in reading order.
        notions: abilities of the reader; figures of other things are left out.
    """
    blocks = label.blocks
    places = find(blocks, items)
    figures = _headings(blocks, page, items, places)
    if notions.titles:
        figures |= _titles(blocks, page, items)
    if not notions.blocks:
        if notions.tables and any(block.type == "TABLE" for block in blocks):
            figures |= score_tables(blocks, items).figures
        return _counted(figures)
    tables = score_tables(blocks, items)
    figures |= tables.figures
    figures |= _types(blocks, items, places, tables.paired)
    figures |= _blocks(blocks, page, items, places)
    figures["furniture"] = _furniture(blocks, items)
    if notions.numbers:
        figures["numbers"] = _numbers(blocks, page, items)
    if notions.notes:
        numbers = [number for number, block in enumerate(blocks) if block.type == "NOTE"]
        exact = sum(number in places.exact and items[places.exact[number]].type == "NOTE" for number in numbers)
        figures["notes"] = Ratio(exact, len(numbers))
    if notions.links:
        figures |= _links(blocks, page, items)
    return _counted(figures)


def _counted(figures: Figures) -> Figures:
    return {name: ratio for name, ratio in figures.items() if ratio.total}


def _letters_of(block: Block) -> set[str]:
    return {key.head for key in wanted(block) if key.whole}


def _headings(blocks: Sequence[Block], page: int, items: Sequence[Item], places: Places) -> Figures:
    found = [item for item in items if item.type == "HEADING" and item.pages[0] == page]
    wants = [number for number, block in enumerate(blocks) if block.type == "HEADING"]
    pairs: dict[int, Item] = {}
    free = list(found)
    for number in wants:
        item = next((item for item in free if letters(item.text) in _letters_of(blocks[number])), None)
        if item is not None:
            pairs[number] = item
            free.remove(item)
    # of a type that is as right: neither missed nor invented
    allowed = [block for block in blocks if block.type == "TITLE" or "HEADING" in types(block)]
    extra = [item for item in free if not any(letters(item.text) in _letters_of(block) for block in allowed)]
    missed = [number for number in wants if number not in pairs and not _otherwise(number, blocks, items, places)]
    stated = [number for number in wants if number in pairs or number in missed]
    levels, parents = _levels(blocks, stated, pairs), _parents(blocks, wants, stated, pairs)
    return {
        "P": Ratio(len(pairs), len(pairs) + len(extra)),
        "R": Ratio(len(pairs), len(stated)),
        "levels": levels.all,
        "parents": parents.all,
        "ranked": levels.given,
        "placed": parents.given,
    }


def _otherwise(number: int, blocks: Sequence[Block], items: Sequence[Item], places: Places) -> bool:
    """Return True if a heading is a block of another type that is as right."""
    index = places.exact.get(number)
    return index is not None and kind_of(items[index].type) in types(blocks[number]) - {"HEADING"}


class _Told(NamedTuple):
    """A figure of all headings, and of the found ones only."""

    all: Ratio
    given: Ratio


def _levels(blocks: Sequence[Block], stated: Sequence[int], pairs: dict[int, Item]) -> _Told:
    levelled = [(number, blocks[number].level or 0) for number in stated if blocks[number].level]
    right = both = total = 0
    for (one, upper), (other, lower) in combinations(levelled, 2):
        total += 1
        if one in pairs and other in pairs:
            both += 1
            right += _sign(upper - lower) == _sign((pairs[one].level or 1) - (pairs[other].level or 1))
    return _Told(Ratio(right, total), Ratio(right, both))


def _parents(blocks: Sequence[Block], wants: Sequence[int], stated: Sequence[int], pairs: dict[int, Item]) -> _Told:
    """Count the headings under the right one, if the page shows it: all except the first and those without level."""
    right = both = total = 0
    known = set(map(id, pairs.values()))
    for place, number in enumerate(wants):
        level, before = blocks[number].level, wants[:place]
        if level is None or not before or number not in stated:
            continue
        parent = next((other for other in reversed(before) if (blocks[other].level or 0) < level), None)
        if parent is not None and blocks[parent].level is None:
            continue
        total += 1
        if number in pairs:
            both += parent is None or parent in pairs
            mine = pairs[number].parent
            right += (mine is None or id(mine) not in known) if parent is None else mine is pairs.get(parent, number)
    return _Told(Ratio(right, total), Ratio(right, both))


def _titles(blocks: Sequence[Block], page: int, items: Sequence[Item]) -> Figures:
    wants = [block for block in blocks if block.type == "TITLE"]
    found = [item for item in items if item.type == "TITLE" and item.pages[0] == page]
    right = 0
    for block in wants:
        item = next((item for item in found if letters(item.text) in _letters_of(block)), None)
        if item is not None:
            found.remove(item)
            right += 1
    allowed = [block for block in blocks if "TITLE" in types(block)]
    wrong = sum(not any(letters(item.text) in _letters_of(block) for block in allowed) for item in found)
    return {"titles": Ratio(right, len(wants) + wrong)}


def _types(blocks: Sequence[Block], items: Sequence[Item], places: Places, tables: int) -> Figures:
    right = total = 0
    for number, block in enumerate(blocks):
        if kind_of(block.type.value) == "FURNITURE" or block.type.value in GRAPHIC or not wanted(block):
            continue
        total += 1
        right += number in places.at and kind_of(items[places.at[number][0]].type) in types(block)
    for kind in ("FIGURE", "FORMULA"):
        wants = sum(block.type.value == kind for block in blocks)
        total += wants
        right += min(wants, sum(item.type == kind for item in items))
    wants = sum(block.type == "TABLE" for block in blocks)
    return {"types": Ratio(right + min(tables, wants), total + wants)}


def _blocks(blocks: Sequence[Block], page: int, items: Sequence[Item], places: Places) -> Figures:
    texts = [
        number
        for number, block in enumerate(blocks)
        if kind_of(block.type.value) != "FURNITURE" and block.type.value not in GRAPHIC and wanted(block)
    ]
    right = [n for n in texts if n in places.exact and kind_of(items[places.exact[n]].type) in types(blocks[n])]
    # if a table or furniture is as right as a text, being one is not a miss
    other = [n for n in texts if n not in right and n in places.at and _is_other(blocks[n], items[places.at[n][0]])]
    allowed = {
        places.at[number][0] for number, block in enumerate(blocks) if number in places.at and number not in texts
    }
    made = {
        index
        for index, item in enumerate(items)
        if not item.furniture and item.type not in GRAPHIC and letters(item.text) and index not in allowed
    }
    hits = len(right)
    body = [letters(item.text) for item in items if not item.furniture]
    kept = sum(is_kept(blocks[number], body) for number in texts)
    located = [number for number in texts if number in places.at and number not in other]
    order = [places.at[one] < places.at[two] for one, two in combinations(located, 2)]
    total = len(made) + len(texts) - len(other)
    return {
        "blocks": Ratio(2 * hits, total),
        "kept": Ratio(kept, len(texts)),
        "order": Ratio(sum(order), len(order)),
    }


def _is_other(block: Block, item: Item) -> bool:
    kind = kind_of(item.type)
    return kind in types(block) and (kind == "FURNITURE" or kind in GRAPHIC)


def is_kept(block: Block, body: Sequence[str]) -> bool:
    """Return True if the beginning and the end of a block are in the text."""
    if "FURNITURE" in types(block):
        return True
    return any(
        any(key.head[:60] in text for text in body) and any(key.tail[-40:] in text for text in body)
        for key in wanted(block)
    )


def _furniture(blocks: Sequence[Block], items: Sequence[Item]) -> Ratio:
    kept = total = 0
    body = [block for block in blocks if kind_of(block.type.value) != "FURNITURE"]
    for block in blocks:
        if types(block) == {"FURNITURE"} and letters(block.text):
            total += 1
            kept += not leaks(block, body, items)
    return Ratio(kept, total)


def _numbers(blocks: Sequence[Block], page: int, items: Sequence[Item]) -> Ratio:
    numbers = [block for block in blocks if block.type == "PAGE_NUMBER"]
    told = [item.text for item in items if item.type == "PAGE_NUMBER" and item.pages[0] == page]
    wrong = sum(not any(_same_number(text, block) for block in numbers) for text in told)
    right = sum(any(_same_number(text, block) for text in told) for block in numbers)
    return Ratio(right, len(numbers) + wrong)


def leaks(block: Block, body: Sequence[Block], items: Sequence[Item]) -> bool:
    """Return True if furniture is in the text: as a block, or at an end or in the middle of one."""
    row = letters(RAISED.sub("", block.text))
    if any(item.furniture and row in letters(item.text) for item in items):
        return False
    if any(row in letters(other.text) for other in body if len(row) >= 8):
        return False  # the words of the text are the same
    for item in items:
        if item.furniture or item.type in GRAPHIC:
            continue
        text = letters(item.text)
        if (text == row or (len(row) >= 8 and row in text)) and not any(spans(other, row) for other in body):
            return True
        if len(row) < 8 and not any(spans(other, text) for other in body) and _at_end(block.text, item.text):
            return True
    return False


def _at_end(row: str, text: str) -> bool:
    """Return True if the words of a short row are the first or last of a text."""
    words, few = text.split(), row.split()
    return len(words) > len(few) and (words[: len(few)] == few or words[-len(few) :] == few)


def _same_number(text: str, block: Block) -> bool:
    """Return True if a page number is the printed one, alone or with the text around it ("Page 3 of 9")."""
    first = re.search(r"\d+|\b[ivxlcdm]+\b", block.text, re.I)
    return letters(text) in {letters(block.text), letters(first[0]) if first else ""} - {""}


def _links(blocks: Sequence[Block], page: int, items: Sequence[Item]) -> Figures:
    notes = {block.id: block for block in blocks if block.type == "NOTE"}
    true = [(_mark(mark.mark), notes[mark.note]) for block in blocks for mark in block.marks if mark.note]
    elsewhere = [_mark(mark.mark) for block in blocks for mark in block.marks if mark.note is None]
    total, right, wrong = len(true), 0, 0
    for item in items:
        for link in item.links:
            target = link.target
            if target is None:
                continue
            text = letters(target.text)
            fits = next((pair for pair in true if pair[0] == _mark(link.mark) and _is_note(pair[1], text)), None)
            if fits:
                true.remove(fits)
                right += 1
            elif page in target.pages or (item.pages == (page,) and _mark(link.mark) not in elsewhere):
                wrong += 1
    return {"link P": Ratio(right, right + wrong), "link R": Ratio(right, total)}


def _mark(mark: str) -> str:
    return re.sub(r"[\s^{}()\[\].]", "", mark)


def _is_note(block: Block, text: str) -> bool:
    mark = re.match(r"\^\{([^{}]*)\}|\W*(\w+)", block.text)
    without = letters(mark[1] or mark[2] or "") if mark else ""
    heads = {key.head[:60] for key in wanted(block)}
    heads |= {head.removeprefix(without) for head in heads}
    return any(head and text.startswith(head) for head in heads) or any(
        head and text.removeprefix(without).startswith(head) for head in heads
    )


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
