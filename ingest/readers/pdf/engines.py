"""The layout engines that can be chosen: our rules alone, or docling's layout model beneath them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from ragraph.errors import IngestError

if TYPE_CHECKING:
    from ragraph.ingest.readers.pdf.layout import Page

ENGINES = ("auto", "rules", "model")


class LayoutEngine(Protocol):
    """Says what it sees on pages; the assembly is the same whichever ran."""

    name: str

    def state_regions(self, pages: list[Page], document: Any) -> None:
        """Add to ``Page.regions`` what the engine sees.

        Args:
            pages: with words; they change.
            document: the file, opened by ``facts.open_pdf``.
        """


class Rules:
    """Adds nothing: all is left to the rules."""

    name = "rules"

    def state_regions(self, pages: list[Page], document: Any) -> None:
        """See ``LayoutEngine``."""


def choose(layout: str) -> LayoutEngine:
    """Return the engine of a name.

    Raises:
        IngestError: there is no such engine, or what it needs is not on this machine.
    """
    if layout not in ENGINES:
        raise IngestError(f"layout {layout!r} is not known; take one of {', '.join(ENGINES)}")
    return Rules()
