"""Pages as a reader cites them, the same in every interface: ``p. 9 (18)``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def page_label(pages: Sequence[int], labels: Sequence[str | None]) -> str:
    """Return pages as ``p. 9 (18)`` or ``pp. 9–10 (18–19)``; empty without pages. See ``page_numbers``."""
    return f"{'p.' if pages[0] == pages[-1] else 'pp.'} {page_numbers(pages, labels)}" if pages else ""


def page_numbers(pages: Sequence[int], labels: Sequence[str | None]) -> str:
    """Return pages as they are printed, with the physical ones in parentheses if they differ: ``9 (18)``.

    Args:
        pages: physical pages from 1, ascending.
        labels: their printed numbers, in the same order; without all of them only physical pages are named.
    """
    if not pages:
        return ""
    physical, named = between(pages), printed_numbers(pages, labels)
    return named if named == physical else f"{named} ({physical})"


def printed_numbers(pages: Sequence[int], labels: Sequence[str | None]) -> str:
    """Return pages as they are printed, without the physical ones: ``9–10``. See ``page_numbers``."""
    printed = [label for label in labels if label]
    return between(printed if len(printed) == len(pages) else pages)


def label_of_places(places: Iterable[dict[str, Any]]) -> str:
    """Return the pages of positions, such as ``positional_data`` of a node, as ``p. 9 (18)``."""
    labels = {place["page_pdf"]: place.get("page_logical") for place in places if place.get("page_pdf")}
    pages = sorted(labels)
    return page_label(pages, [labels[page] for page in pages])


def between(names: Sequence[int | str]) -> str:
    """Return the first and the last of pages as ``9–10``, one page as ``9``; empty without pages."""
    if not names:
        return ""
    return str(names[0]) if names[0] == names[-1] else f"{names[0]}\u2013{names[-1]}"
