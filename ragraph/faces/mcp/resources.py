"""Documents and sections as resources: ``ragraph://DOC`` describes a document, ``ragraph://DOC/SECTION`` is a text."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from ragraph.errors import ArgumentError
from ragraph.tools.reading import ReadingTools

if TYPE_CHECKING:
    from ragraph.store.store import Store

SCHEME = "ragraph://"
TEMPLATES = {
    "ragraph://{document}": "A document and its sections",
    "ragraph://{document}/{section}": "The text of a section",
}
MEDIA_TYPE = "text/markdown"
_MOST = 100_000
"""Maximum number of characters of a text; read_section continues it."""


def uri(document: str, section: str | None = None) -> str:
    """Return the address of a document, or of a section of it."""
    return SCHEME + "/".join(quote(part, safe="") for part in (document, section) if part is not None)


def read(store: Store, address: str) -> str:
    """Return the resource at an address, as Markdown.

    Raises:
        ArgumentError: it is not an address of a resource.
        DocumentNotFoundError, ComponentNotFoundError: there is no such document or section.
    """
    document, slash, section = address.removeprefix(SCHEME).partition("/")
    if not address.startswith(SCHEME) or not document or (slash and not section):
        raise ArgumentError(f"{address!r} is not a resource", hint="give ragraph://DOC or ragraph://DOC/SECTION")
    if slash:
        return _bounded(store.render(unquote(document), section=unquote(section)), "continue with read_section")
    return _document(store, unquote(document))


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
