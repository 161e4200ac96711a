"""Parts of the sources, of which each is judged by what the others teach."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def fold_of(name: str, folds: int) -> int:
    """Return the number, from 0, of the part that a source or a file is in, by the digest of its name."""
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) % folds


def folds_by_size(sizes: Mapping[str, int], folds: int) -> dict[str, int]:
    """Return the number, from 0, of the part that each source is in, the parts as large as each other, nearly.

    The largest sources are put first, each to the smallest part so far.

    Args:
        sizes: what each source counts; of those that count alike the first one comes first.
        folds: number of the parts.
    """
    load, found = [0] * folds, dict[str, int]()
    for name, size in sorted(sizes.items(), key=lambda item: -item[1]):
        found[name] = load.index(min(load))
        load[found[name]] += size
    return found
