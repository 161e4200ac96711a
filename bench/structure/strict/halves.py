"""Files that rules may be made on, and files for measuring only."""

from __future__ import annotations

import hashlib
import re

SEED = 46
"""The first number that splits each kind of labelled page two to three or better."""
REPOSITORIES = 48
"""The same for pages of public repositories, of which only headings are labelled."""
_YEAR = re.compile(r"_(?:19|20)\d\d.*")


def develops(source: str, file: str) -> bool:
    """Return True if a file is in the half that rules are made on.

    Reports of one company look alike from year to year, so all of them are in one half, by the hash of their name
    before the year. The same holds for the files of one repository. The books are the files that the first rules were
    made on.

    Args:
        source: set of the file: "financebench", "mmlongbench", "cuad", "books", "repositories", "leaflets", "again",
            "fresh", "dp-bench".
        file: path within the set, as in the lists and ``pages.jsonl``.
    """
    if source in {"books", "again"}:
        return True
    if source == "fresh":  # measured only
        return False
    if source == "dp-bench":  # pages of one document may be in both halves, because their document is not known
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
