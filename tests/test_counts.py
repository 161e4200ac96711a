"""Counts in words."""

from __future__ import annotations

import pytest

from ragraph.base.counts import many


@pytest.mark.parametrize(
    ("count", "what", "said"),
    [
        (1, "publication", "1 publication"),
        (2, "publication", "2 publications"),
        (0, "document", "0 documents"),
        (1, "entry", "1 entry"),
        (1200, "entry", "1,200 entries"),
        (2, "link out of the folder", "2 links out of the folder"),
        (2, "hidden", "2 hidden"),
        (3, "original and picture", "3 originals and pictures"),
    ],
)
def test_one_is_counted_as_one(count: int, what: str, said: str) -> None:
    assert many(count, what) == said
