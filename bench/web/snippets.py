"""Compare readers with the labels of another reader's authors: ``python -m bench.web.snippets FOLDER [--readers R]``.

``FOLDER`` is ``tests`` of a checkout of https://github.com/adbar/trafilatura. For each page, ``evaldata.json`` has
snippets of its text and snippets around it: menus, lists of other articles, comments, and often the title, captions and
bylines, which we keep. Pages that are held out in ``pages.jsonl`` are left out. The hash of the file name selects the
half that was used while rules were made.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import logging
import re
from pathlib import Path
from typing import NamedTuple

from bench.web.pages import pages
from bench.web.readers import READERS

_MARKUP = re.compile(r"[\[\]*_`\\|#]")


class Counts(NamedTuple):
    """Snippets of the text that were found, their total, and the same for those around it."""

    found: int
    text: int
    leaked: int
    around: int


def main() -> None:
    """Print a line for each reader and half."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="tests of a checkout of trafilatura")
    parser.add_argument("--readers", nargs="+", default=["ragraph", "trafilatura"], choices=list(READERS))
    given = parser.parse_args()
    logging.disable(logging.CRITICAL)
    print("| pages | reader | precision | recall | F1 | leaked | worst pages: lost more than half |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for half in ("developed", "held out"):
        for reader in given.readers:
            counted = count(given.folder, reader, half)
            found, text, leaked, around = (sum(each) for each in zip(*counted, strict=True))
            precision, recall = found / max(found + leaked, 1), found / max(text, 1)
            f1 = 2 * precision * recall / max(precision + recall, 1e-9)
            lost = sum(2 * one.found < one.text for one in counted)
            scores = f"{precision:.3f} | {recall:.3f} | {f1:.3f} | {leaked} of {around} | {lost}"
            print(f"| {half}: {len(counted)} | {reader} | {scores} |")


def count(folder: Path, reader: str, half: str) -> list[Counts]:
    """Return what a reader finds and leaks on each page of a half."""
    kept = {one.origin.rsplit("/", 1)[-1] for one in pages() if one.half == "held out"}
    counted = []
    for page in json.loads((folder / "evaldata.json").read_text()).values():
        path = next(
            (at for at in (folder / "eval" / page["file"], folder / "cache" / page["file"]) if at.exists()), None
        )
        if path is None or page["file"] in kept or _half(page["file"]) != half:
            continue
        text = _plain(READERS[reader](path).text)
        found, leaked = (sum(_plain(one) in text for one in page[key]) for key in ("with", "without"))
        counted.append(Counts(found, len(page["with"]), leaked, len(page["without"])))
    return counted


def _half(name: str) -> str:
    return "developed" if hashlib.sha256(name.encode()).digest()[-1] % 4 < 2 else "held out"


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", _MARKUP.sub("", text))


if __name__ == "__main__":
    main()
