"""Score readers on pages: ``python -m bench.web [--set S] [--half H] [--readers R ...] [--pages] [--write FILE]``."""

from __future__ import annotations

import argparse
import logging
import warnings
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from bench.web.metrics import Score, score, truth
from bench.web.pages import SETS, fetched, pages
from bench.web.readers import READERS, Reading

if TYPE_CHECKING:
    from collections.abc import Iterable

_START, _END = "<!-- made by make bench-web: {} -->", "<!-- end -->"


def main() -> None:
    """Print a line per kind with several pages and half, and their sum; with ``--pages`` one per page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--set", choices=SETS, default=SETS[0])
    parser.add_argument("--readers", nargs="+", default=list(READERS), choices=list(READERS))
    parser.add_argument("--half", choices=["developed", "held out", "both"], default="both")
    parser.add_argument("--pages", action="store_true")
    parser.add_argument("--write", type=Path)
    given = parser.parse_args()
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    scores: dict[tuple[str, str], dict[str, list[Score]]] = defaultdict(lambda: defaultdict(list))
    for page in pages(given.set):
        if given.half not in ("both", page.half):
            continue
        path = fetched(page)
        true = truth(path, page.truth)
        for reader in given.readers:
            try:
                reading = READERS[reader](path)
            except Exception as error:  # a reader that fails has read nothing
                print(f"{reader} failed on {page.page}: {error}")
                reading = Reading([], "")
            found = score(reading, true)
            for group in (page.kind, "all"):
                scores[group, page.half][reader].append(found)
            if given.pages:
                print(page.page, page.kind, page.half, reader, *line([found]))
    lines = ["| pages | reader | headings F1 | levels | furniture leaked, worst page | main text lost, worst page |"]
    lines.append("| --- | --- | --- | --- | --- | --- |")
    for (group, half), readers in sorted(scores.items(), key=lambda item: (item[0][1], item[0][0] == "all", item[0])):
        for reader, found_ in readers.items():
            if len(found_) < 2:
                continue
            lines.append(f"| {group}, {half}: {len(found_)} | {reader} | {' | '.join(line(found_))} |")
    table = "\n".join(lines)
    print(table)
    if given.write:
        text = given.write.read_text()
        start = _START.format(given.set)
        before, rest = text.split(start)
        given.write.write_text(f"{before}{start}\n\n{table}\n\n{_END}{rest.partition(_END)[2]}")


def line(scores: Iterable[Score]) -> list[str]:
    """Return means over pages: F1 of headings, levels right of those found, share leaked and lost with the worst."""
    every = list(scores)
    f1 = [2 * one.found / (one.stated + one.true) if one.stated + one.true else 1.0 for one in every]
    found = [one for one in every if one.found]
    levels = sum(one.level for one in found) / max(sum(one.found for one in found), 1)
    leaked = [one.leaked / one.words if one.words else 0.0 for one in every]
    lost = [one.lost / one.main if one.main else 0.0 for one in every]
    shares = [f"{sum(some) / len(some):.2%}, {max(some):.1%}" for some in (leaked, lost)]
    return [f"{sum(f1) / len(f1):.3f}", f"{levels:.3f}" if found else "-", *shares]


if __name__ == "__main__":
    main()
