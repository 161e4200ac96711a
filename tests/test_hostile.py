"""The small form of ``make hostile``: files of most formats that are made to harm, taken in beside good ones."""

from __future__ import annotations

import pytest

from bench.hostile.__main__ import FILES, Limits, take_in

NAMES = {
    "bomb.docx": "may be a bomb",
    "entity.docx": "cannot be parsed",
    "types.docx": "the file is not a Word file",
    "far-cell.xlsx": None,
    "package-entity.epub": None,
    "pictures-outside.epub": None,
    "labels-loop.pdf": "the file may be damaged",
    "length-lies.pdf": None,
    "laughs.nxml": "not well-formed",
    "pictures.html": None,
    "notes-loop.md": None,
    "include.rst": None,
    "nested.eml": "too deeply",
    "noise.jpg": "cannot be read",
    "record.json": None,
}
"""What the reason holds; None where the file is taken in."""


@pytest.mark.slow
def test_hostile_files_cost_themselves_alone() -> None:
    assert len(FILES) > 120
    found = take_in(list(NAMES), named=True, limits=Limits(seconds=60))
    assert found.wrong == []
    for name, words in NAMES.items():
        file = found.files[name]
        assert (file["status"] == "failed") == (words is not None), file
        assert words is None or words in file["reason"]
