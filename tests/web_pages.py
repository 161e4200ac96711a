"""Web pages for the tests: a text, a function that reads a page, and one that returns its visible text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.html.reader import HtmlReader
from ragraph.schema.enums import ComponentType as C

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft

PROSE = (
    "A weir is a low dam across a river. It raises the level of the water above it, so that a mill below has a fall to "
    "work with, and it lets what is too much pass over its crest. "
)


def read_page(folder: Path, body: str, title: str = "Weirs - Rivers") -> Draft:
    """Read a page with this body and title; its file is written into the folder."""
    path = folder / "page.html"
    path.write_text(f"<!doctype html><html><head><title>{title}</title></head><body>{body}</body></html>")
    return HtmlReader().read(path, ReadOptions())


def shown(draft: Draft) -> list[str]:
    """Return the texts that are not in a header or footer."""
    beside: dict[str | None, bool] = {None: False}
    for one in draft.containers:
        beside[one.key] = one.type in (C.HEADER, C.FOOTER) or beside[one.parent]
    return [one.text for one in draft.nodes if not beside[one.container]]
