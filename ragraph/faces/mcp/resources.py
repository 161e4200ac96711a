"""Documents, sections, pages and figures as resources: ``ragraph://DOC``, ``DOC/SECTION``, ``DOC/pages/5`` ..."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from ragraph.errors import ArgumentError, AssetError
from ragraph.retrieval.pages import page_number
from ragraph.tools.bounds import words_of
from ragraph.tools.reading import ReadingTools

if TYPE_CHECKING:
    from ragraph.schema.pictures import Picture
    from ragraph.store.store import Store

SCHEME = "ragraph://"
MEDIA_TYPE = "text/markdown"
TEMPLATES = {
    "ragraph://{document}": ("A document and its sections", MEDIA_TYPE),
    "ragraph://{document}/{section}": ("The text of a section", MEDIA_TYPE),
    "ragraph://{document}/pages/{page}": ("A page as a picture, or its text if it cannot be drawn", "image/jpeg"),
    "ragraph://{document}/figures/{node}": ("The picture of a figure, or of another passage", "image/png"),
}
_SCALE = 1.5
"""Pixels per point of a page."""
_MOST = 100_000
"""Maximum number of characters of a text; read_section continues it."""


def uri(document: str, section: str | None = None) -> str:
    """Return the address of a document, or of a section of it."""
    return SCHEME + "/".join(quote(part, safe="") for part in (document, section) if part is not None)


def read(store: Store, address: str) -> str | Picture:
    """Return the resource at an address: Markdown, or the picture of a page or figure.

    Raises:
        ArgumentError: it is not an address of a resource, or the document has no such page.
        AssetError: the figure has no picture.
        DocumentNotFoundError, ComponentNotFoundError, NodeNotFoundError: there is nothing of this name.
    """
    parts = [unquote(part) for part in address.removeprefix(SCHEME).split("/")]
    if not address.startswith(SCHEME) or not all(parts):
        parts = []
    match parts:
        case [document]:
            return _document(store, document)
        case [document, section]:
            return _bounded(store.render(document, section=section), "continue with read_section")
        case [document, "pages", page]:
            return _page(store, document, page)
        case [document, "figures", node]:
            return store.figure(document, node, _SCALE)
    raise ArgumentError(
        f"{address!r} is not a resource", hint="give ragraph://DOC, DOC/SECTION, DOC/pages/N or DOC/figures/NODE"
    )


def _page(store: Store, document: str, page: str) -> str | Picture:
    number = page_number(document, page, store.pages(document))
    try:
        return store.page_image(document, number, _SCALE)
    except AssetError:
        return _bounded("\n\n".join(words_of(node) for node in store.page(document, number)), "continue with read_page")


def _document(store: Store, document: str) -> str:
    details = store.document(document)
    known = details.document
    facts = (known.authors, known.publication_date, f"{known.page_count} pages" if known.page_count else None)
    lines = [f"# {known.title}", "", ", ".join(str(fact) for fact in facts if fact), "", details.abstract or ""]
    for entry in ReadingTools(store).outline(document, max_chars=_MOST).sections:
        pages = f" ({entry.pages})" if entry.pages else ""
        title = (entry.title or "").replace("[", "\\[").replace("]", "\\]")
        lines.append(f"{'  ' * (entry.depth - 1)}- [{title}]({uri(document, entry.section_id)}){pages}")
    return _bounded("\n".join(lines).strip() + "\n", "continue with outline")


def _bounded(text: str, rest: str) -> str:
    return text if len(text) <= _MOST else f"{text[:_MOST]}\n\n[… {rest}]\n"
