"""The page that a text names: its number in the file, the number printed on it, or both as results show them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragraph.base.arguments import refusal, text
from ragraph.base.notices import warn
from ragraph.errors import PageNotFoundError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.schema.pictures import Page

_LONGEST, _MOST = 1000, 2**31 - 1
"""Characters of a label, and number of a page, at most."""
_SEVERAL = re.compile(r"([0-9]{1,9})[-\u2013]([0-9]{1,9})")
_LABEL = re.compile(r"(?:p\. ?)?(?P<printed>.+) \((?P<physical>[0-9]{1,9})\)")
"""A page as results show it: ``p. 9 (18)``."""


def page_named(
    document: str, given: str, pages: Sequence[Page], *, printed: bool = False, tell: bool = True
) -> int | str:
    """Return the page that a text names, for ``Store.page``: an int for a physical page, else the printed label.

    A number can be a physical page and also be printed on another one. It is the physical page then, or the printed one
    if ``printed``, and a notice names the other one. A number that is only one of them is taken as that one.

    Args:
        document: id of the document.
        given: the text.
        pages: the pages of the document.
        printed: a number that can be both is the printed one.
        tell: issue that notice.

    Raises:
        PageNotFoundError: the document has no such page.
        ArgumentError: the text can be no label.
    """
    given = text("page", given)
    if not given.strip() or len(given) > _LONGEST or (given.isdecimal() and int(given) > _MOST):
        raise refusal("page", "a number, or the label printed on a page", given)
    physical = {page.page_pdf: page for page in pages}
    if not any(page.page_logical == given for page in pages):
        given = given.removeprefix("p. ")  # as results show a page whose two numbers are the same
    labelled = next((page for page in pages if page.page_logical == given), None)
    numbered = physical.get(int(given)) if re.fullmatch("[0-9]{1,9}", given) else _shown(given, physical)
    if labelled is None and numbered is None:
        raise no_such_page(document, given, pages)
    if labelled is None or numbered is None or labelled is numbered:
        return numbered.page_pdf if numbered is not None else given
    if tell and printed:
        warn(f"the page printed {given!r} is page {labelled.page_pdf} of the file; page {given} of the file is another")
    elif tell:
        warn(f"this is page {given} of the file; the page printed {given!r} is page {labelled.page_pdf} of the file")
    return given if printed else numbered.page_pdf


def pages_named(document: str, given: str, pages: Sequence[Page]) -> int | str | tuple[int, int]:
    """As ``page_named``, or the first and last of several physical pages for 3-7, unless it is the label of one page.

    Raises:
        PageNotFoundError: the document has no such page.
    """
    several = _SEVERAL.fullmatch(given)
    if several is None or any(page.page_logical == given for page in pages):
        return page_named(document, given, pages)
    return int(several[1]), int(several[2])


def page_number(document: str, given: str, pages: Sequence[Page], *, tell: bool = True) -> int:
    """As ``page_named``, as physical page: the first one of those with a printed label.

    Raises:
        PageNotFoundError: the document has no such page.
    """
    named = page_named(document, given, pages, tell=tell)
    return named if isinstance(named, int) else next(page.page_pdf for page in pages if page.page_logical == named)


def has_page(page: int | str | tuple[int | None, int | None], pages: Sequence[Page]) -> bool:
    """Return True if there is a physical page, a printed one, or any page of a range."""
    if isinstance(page, str):
        return any(one.page_logical == page for one in pages)
    first, last = page if isinstance(page, tuple) else (page, page)
    return any((first is None or first <= one.page_pdf) and (last is None or one.page_pdf <= last) for one in pages)


def no_such_page(
    document: str, page: int | str | tuple[int | None, int | None], pages: Sequence[Page]
) -> PageNotFoundError:
    """Return the error for a page that a document does not have, with its pages, and the page printed so."""
    if isinstance(page, tuple):
        said = f"pages from {page[0] or 1}" + (f" to {page[1]}" if page[1] is not None else "")
    else:
        said = f"page {page if str(page).isdecimal() else repr(page)}"[:85]
    hint = "its format has no pages; read it by section"
    if pages:
        hint = f"its pages are {pages[0].page_pdf} to {pages[-1].page_pdf}"
        printed = next((one for one in pages if one.page_logical == str(page)), None)
        hint += f", and page {printed.page_pdf} is printed {str(page)!r}" if printed is not None else ""
        labels = [one.page_logical for one in pages if one.page_logical]
        hint += f", printed {labels[0]} to {labels[-1]}" if printed is None and isinstance(page, str) and labels else ""
    return PageNotFoundError(f"document {document!r} has no {said}", hint=hint)


def _shown(given: str, physical: dict[int, Page]) -> Page | None:
    """Return the page of a label as results show it, with both its numbers."""
    label = _LABEL.fullmatch(given)
    page = physical.get(int(label["physical"])) if label is not None else None
    return page if label is not None and page is not None and page.page_logical == label["printed"] else None
