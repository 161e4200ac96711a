"""Which files the rules may be made on, and which only measure them."""

from __future__ import annotations

import hashlib
import re

SEED = 46
"""The first number by which each kind of labelled page falls two to three or better on both sides."""
_YEAR = re.compile(r"_(?:19|20)\d\d.*")


def develops(source: str, file: str) -> bool:
    """Say whether a file is of the half that rules are made on.

    Reports of one company look alike from year to year, so all of them are on one side, by the hash of what their
    names say before the year. The books are the files that the first rules were made on.

    Args:
        source: set of the file: "financebench", "mmlongbench", "cuad", "books".
        file: path within the set, as the lists and ``pages.jsonl`` have it.
    """
    if source == "books":
        return True
    family = _YEAR.sub("", file.removeprefix("pdfs/")) if source == "financebench" else file
    return int(hashlib.sha256(f"half {SEED} {family}".encode()).hexdigest(), 16) % 2 == 0
