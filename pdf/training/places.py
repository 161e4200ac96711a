"""What the places are worth where the layout model that votes sees tables, on files that state theirs.

    python -m ragraph.pdf.training.places --pdfs PDFS [--pdfs PRINTED] --cache DIR

Tables of the files of ``tables.jsonl`` are found three times: by rules, by rules and votes on what they refused, and
with places that are seen, too. Printed are, by source, the stated tables that are found (six tenths of the words that
either has), and tables where words are stated to be something else. Tables that only lay out a page do not count.
"""

from __future__ import annotations

import argparse
import pickle
import zlib
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from ragraph.errors import IngestError
from ragraph.pdf import passes
from ragraph.pdf.model import Kind
from ragraph.pdf.page.parse import parse_pages
from ragraph.pdf.stated import packaged, tags
from ragraph.pdf.stated.facts import Facts, open_pdf, read_facts
from ragraph.pdf.stated.votes import seen_tables
from ragraph.pdf.tables import finding
from ragraph.pdf.training.reading import kept_in, listed, places
from ragraph.pdf.training.tables import _lays_out

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ragraph.pdf.model import Block, Word

_SAME = 0.6
"""Minimum share of the words of a found and a stated table that are in both, at which they are one."""
_PART = 0.15
"""The same for a table that is a part of it, or has more than it."""
_KNOWN = 0.85
"""Share of the words of a table of which the file must say what they are, to call it false."""
WAYS = ("rules", "votes", "places")


def main() -> None:
    """Print what is found in each way."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pdfs", type=Path, action="append", required=True, help="folder of files, by SHA-256")
    parser.add_argument("--cache", type=Path, required=True, help="folder for what was read and seen")
    chosen = parser.parse_args()
    model = packaged.model_file()
    if model is None:
        raise SystemExit(f"no layout model: {packaged.INSTALL}")
    count: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    found_at = {name: path for folder in chosen.pdfs for name, path in places(folder).items()}
    for file in listed("tables.jsonl"):
        path = found_at.get(file["sha256"][:16])
        if path is not None:
            kept = _kept(path, tuple(file["pages"]), model, chosen.cache)
            for way in WAYS if kept else ():
                count[file["source"]] += _judged(kept, way)
            count[file["source"]]["", "files"] += bool(kept)
    total: Counter[tuple[str, str]] = sum(count.values(), Counter())
    for source, found in [*sorted(count.items()), ("all", total)]:
        ways = "  ".join(f"{way} {' '.join(str(found[way, what]) for what in _WHAT)}" for way in WAYS)
        print(f"{source[:40]:40} {found['', 'files']:3} files {found[WAYS[0], 'stated']:4} tables  {ways}")
    print("of each way:", ", ".join(_WHAT))


_WHAT = ("found", "part", "false", "other")


def _kept(path: Path, window: tuple[int, int], model: Path, cache: Path) -> bytes:
    """Return what was read and seen of a file, pickled; nothing if its tags are not used."""
    kept = kept_in(cache) / "places" / f"{path.stem}.z"
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        try:
            read = _read(path, window, model)
        except IngestError:
            read = None
        kept.write_bytes(zlib.compress(pickle.dumps(read), 1))
    raw = zlib.decompress(kept.read_bytes())
    return raw if pickle.loads(raw) else b""


def _read(path: Path, window: tuple[int, int], model: Path) -> dict[str, Any] | None:
    file = open_pdf(path, None)
    try:
        read = list(parse_pages(path, None, window))
        work = passes.Work(path.name, read, Facts(read_facts(file).page_count), file, False)
        passes.run(work, passes.PREPARING)
        passes.check_text(work)
        passes.set_frames(work)
        passes.set_fields(work)
        drawn = [(page.images, page.drawings) for page in read]
        if not tags.state_tags(read, file).used:
            return None
        regions = {page.number: page.regions for page in read}
        for page, (images, drawings) in zip(read, drawn, strict=True):
            page.regions, page.images, page.drawings = [], images, drawings
        passes.set_direction(work)
        seen = {}
        for page in read:
            if not page.failed and page.turn is None:
                sheet = file[page.number - 1]
                picture = packaged.draw(sheet)
                seen[page.number] = packaged.sightings(picture, page.width, page.height, model)
                sheet.close()
    finally:
        file.close()
    work.file = None
    for step in passes.ANALYSING:
        if step.run is passes.make_tables:
            break
        step.run(work)
    return {"work": work, "regions": regions, "seen": seen}


def _judged(raw: bytes, way: str) -> Counter[tuple[str, str]]:
    """Return how many tables are right, by what they are."""
    read = pickle.loads(raw)
    work, regions, seen = read["work"], read["regions"], read["seen"]
    for page in work.pages:
        page.seen = seen.get(page.number, []) if way != "rules" else []
    names = [step.run for step in passes.ANALYSING]
    steps = names[names.index(passes.make_tables) : names.index(passes.set_order)]
    places = seen_tables if way == "places" else lambda page: []
    with patch.object(finding, "seen_tables", places):
        for step in steps:
            step(work)
    tabled = any(region.kind is Kind.TABLE for found in regions.values() for region in found)
    count: Counter[tuple[str, str]] = Counter()
    for page in work.pages:
        if page.number not in seen:
            continue
        stated, known = [], set()
        for region in regions[page.number]:
            words = _names(word for word in page.words if region.box.holds(word.box, 0.5))
            lays_out = region.kind is Kind.TABLE and _lays_out(region.grid.texts() if region.grid else None)
            if region.kind is Kind.TABLE and not lays_out:
                stated.append(words)
            if not lays_out:
                known |= words
        count[way, "stated"] += len(stated)
        for table in (block for block in page.blocks if block.kind is Kind.TABLE):
            count[way, _what(table, stated, known, tabled=tabled)] += 1
    return count


def _what(table: Block, stated: Sequence[set[Any]], known: set[Any], *, tabled: bool) -> str:
    mine = _names(word for line in table.lines for word in line.words)
    best = max((len(mine & words) / max(len(mine | words), 1) for words in stated), default=0.0)
    if best >= _PART:
        return "found" if best >= _SAME else "part"
    return "false" if tabled and len(mine & known) > _KNOWN * len(mine) else "other"


def _names(words: Iterable[Word]) -> set[Any]:
    return {(round(word.left), round(word.top), word.text) for word in words}


if __name__ == "__main__":
    main()
