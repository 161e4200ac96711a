"""Headings of pages of public repositories, labelled by eye from pictures: see README.md in the folder above."""

from __future__ import annotations

from pathlib import Path

from bench.structure.labels.model import Label, Page
from bench.structure.labels.model import pages as pages_in

HERE = Path(__file__).parent
SETS = {"repositories": HERE, "leaflets": HERE / "leaflets", "again": HERE / "again", "fresh": HERE / "fresh"}
"""Folders of the sets that were drawn: of several kinds of documents, of leaflets and manuals alone, further pages
to develop on, most of them of the lists that the hundred pages come from, and pages that are measured only."""


def pages(name: str = "repositories") -> list[Page]:
    """Return the pages of a set, in the order of their numbers; of files of repositories they name the commit."""
    return pages_in(SETS[name])


def labels(name: str = "repositories") -> dict[str, Label]:
    """Return titles and headings of each page by its number; other blocks only where they may be read as headings."""
    lines = (SETS[name] / "labels.jsonl").read_text(encoding="utf-8").splitlines()
    return {label.number: label for label in map(Label.model_validate_json, lines)}
