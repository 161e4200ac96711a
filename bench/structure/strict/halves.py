"""Which files the rules may be made on, and which only measure them."""

from __future__ import annotations

import hashlib
import re

SEED = 46
"""The first number by which each kind of labelled page falls two to three or better on both sides."""
REPOSITORIES = 48
"""The same for pages of public repositories, whose headings alone are labelled."""
_YEAR = re.compile(r"_(?:19|20)\d\d.*")


def develops(source: str, file: str) -> bool:
    """Say whether a file is of the half that rules are made on.

    Reports of one company look alike from year to year, so all of them are on one side, by the hash of what their
    names say before the year. So are the files of one repository. The books are the files that the first rules were
    made on.

    Args:
        source: set of the file: "financebench", "mmlongbench", "cuad", "books", "repositories", "leaflets", "again",
            "fresh", "dp-bench".
        file: path within the set, as the lists and ``pages.jsonl`` have it.
    """
    if source in {"books", "again"}:
        return True
    if source == "fresh":  # measured only
        return False
    if source == "dp-bench":  # pages of one document may be on both sides: nothing says which they are
        return _even(f"dpbench {file}")
    if source in {"repositories", "leaflets"}:
        owner, name, *_ = file.split("/")
        if source == "leaflets":  # a third was set aside
            return _hash(f"aside {owner}/{name}") % 3 != 0
        return _even(f"half {REPOSITORIES} {owner}/{name}")
    family = _YEAR.sub("", file.removeprefix("pdfs/")) if source == "financebench" else file
    return _even(f"half {SEED} {family}")


def _even(text: str) -> bool:
    return _hash(text) % 2 == 0


def _hash(text: str) -> int:
    return int(hashlib.sha256(text.encode()).hexdigest(), 16)
