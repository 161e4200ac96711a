"""Results as HTML, as notebooks show them; all text from documents is escaped."""

from __future__ import annotations

from base64 import b64encode
from html import escape
from typing import TYPE_CHECKING, Any

from ragraph.schema.page_labels import between, label_of_places

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_PICTURES = 3
"""Maximum number of pages that a list of hits shows: each adds some 100 kB to the notebook."""

_WIDTH = 480
"""Width of a page in pixels."""

_TEXT = 600
"""Maximum number of characters of a passage."""


def facts(document: Any, details: Any = None) -> str:
    """Return a document as a list of what is known of it."""
    known = {
        "authors": document.authors,
        "published": document.publication_date,
        "id": document.id,
        "collection": document.collection,
        "language": document.language,
        "file": document.source_uri,
        "pages": document.page_count,
        "nodes": document.nodes,
        "status": document.error_message or document.processing_status.value,
    }
    if details is not None:
        known |= {"tags": ", ".join(details.tags), "words": details.words, "abstract": details.abstract}
    rows = "".join(_row((name, value), "th") for name, value in known.items() if value not in (None, ""))
    return f"<table><caption>{escape(document.title)}</caption>{rows}</table>"


def documents(found: Iterable[Any]) -> str:
    """Return documents as a table."""
    head = _row(("title", "authors", "published", "id", "collection", "pages", "nodes"), "th", every=True)
    rows = "".join(
        _row((one.title, one.authors, one.publication_date, one.id, one.collection, one.page_count, one.nodes))
        for one in found
    )
    return f"<table>{head}{rows}</table>"


def contents(entries: Iterable[Any]) -> str:
    """Return sections as a table of contents, indented by depth."""
    rows = "".join(
        f'<tr><td style="text-align:left;padding-left:{1 + 1.5 * entry.depth}em">'
        f"{escape(entry.title or entry.component_type.value.lower())}</td>"
        f"<td>{between([page for page in (entry.first_page, entry.last_page) if page])}</td>"
        f"<td>{escape(between(entry.logical_pages))}</td>"
        f"<td><code>{escape(entry.component_id)}</code></td></tr>"
        for entry in entries
    )
    return f"<table>{_row(('section', 'pages', 'printed', 'id'), 'th', every=True)}{rows}</table>"


def table(found: Any) -> str:
    """Return a table with its caption and pages."""
    pages = label_of_places(found.node.positional_data)
    where = f", {escape(pages)}" if pages else ""
    return f"<p><b>{escape(found.caption or 'Table')}</b>{where}</p>{found.to_html()}"


def hits(found: Sequence[Any]) -> str:
    """Return hits, the first ones on their pages."""
    shown = []
    room = _PICTURES
    for number, one in enumerate(found, 1):
        picture = _on_its_page(one, one._source) if room else ""
        room -= bool(picture)
        shown.append(f"<li value='{number}'>{_passage(one, one._source)}{picture}</li>")
    return f"<ol>{''.join(shown)}</ol>" if shown else "<p>no hits</p>"


def hit(found: Any, source: Any) -> str:
    """Return a hit with its place, on its page if that can be drawn."""
    return _passage(found, source) + _on_its_page(found, source)


def section(found: Any) -> str:
    """Return a section with the hits in it."""
    path = escape(" > ".join(found.section_path))
    return f"<p><b>{path}</b> <small>score {found.score:.3f}</small></p>{hits(found.hits)}"


def citation(found: Any) -> str:
    """Return a citation with its excerpt."""
    return f"{escape(str(found))}<blockquote>{escape(found.excerpt)}</blockquote>"


def context(found: Any) -> str:
    """Return a context: each block under its headings, with the places of its parts."""
    blocks = []
    for block in found.blocks:
        places = dict.fromkeys(str(citation) for citation in block.citations)
        blocks.append(
            f"<p><b>{escape(' > '.join([block.title, *block.section_path]))}</b></p>"
            f'<blockquote style="white-space:pre-wrap">{escape(block.text)}</blockquote>'
            f"<p><small>{escape('; '.join(places))}</small></p>"
        )
    room = "" if found.token_budget is None else f" of {found.token_budget:,}"
    return f"{''.join(blocks)}<p><small>{found.tokens:,}{room} tokens</small></p>"


def answer(found: Any) -> str:
    """Return an answer with its citations, and what is missing."""
    cited = "".join(f"<li>{citation(one)}</li>" for one in found.citations)
    missing = "" if found.sufficient else f"<p><b>The store is not sufficient:</b> {escape(found.missing or '')}</p>"
    return f"<p><b>{escape(found.question)}</b></p><p>{escape(found.text)}</p><ol>{cited}</ol>{missing}"


def pages(found: Sequence[Any], source: Any, document: str | None) -> str:
    """Return pages as a table, and the first ones with the boxes of their nodes."""
    drawn = [
        _page(source, document, one.page_pdf, source.places(document, one.page_pdf))
        for one in found[:_PICTURES]
        if source is not None and document is not None
    ]
    rows = "".join(_row((one.page_pdf, one.page_logical, one.width, one.height, one.doubt)) for one in found)
    head = _row(("page", "label", "width", "height", "doubt"), "th", every=True)
    return f"{''.join(drawn)}<table>{head}{rows}</table>"


def nodes(found: Sequence[Any], source: Any, asked: tuple[int | None, int | None] = (None, None)) -> str:
    """Return nodes as a table, and with a source the first of their pages that were asked for, with their boxes."""
    rows = "".join(_row((one.content_node_type.value, _cut(one.content), one.id)) for one in found)
    listed = f"<table>{_row(('type', 'text', 'id'), 'th', every=True)}{rows}</table>"
    if source is None:
        return listed
    places = [place for one in found for place in one.positional_data if place.get("page_pdf")]
    first, last = asked
    every = sorted({place["page_pdf"] for place in places})
    numbers = [number for number in every if (first or 0) <= number <= (last or number)][:_PICTURES]
    return "".join(_page(source, found[0].document_id, number, places) for number in numbers) + listed


def rating(found: Any) -> str:
    """Return the number to show beside a hit, with its name: its relevance where that is known, else its score."""
    return f"score {found.score:.3f}" if found.relevance is None else f"relevance {found.relevance:.2f}"


def _passage(found: Any, source: Any) -> str:
    drawn = source is not None and found.node_type.value == "TABLE"
    grid = source.shown_table(found.document_id, found.node_id) if drawn else None
    text = (
        grid.to_html() if grid is not None and grid.rows else f"<blockquote>{escape(_cut(found.content))}</blockquote>"
    )
    return f"<p><b>{escape(str(found.citation))}</b> <small>{rating(found)}</small></p>{text}"


def _on_its_page(found: Any, source: Any) -> str:
    boxes = found.citation.boxes
    if source is None or not boxes or not boxes[0].get("page_pdf"):
        return ""
    return _page(source, found.document_id, boxes[0]["page_pdf"], boxes)


def _page(source: Any, document: str, page: int, places: Iterable[dict[str, Any]]) -> str:
    """Return the picture of a page with boxes; empty if it cannot be drawn."""
    drawn = source.page(document, page)
    if drawn is None:
        return ""
    data, width, height = drawn
    boxes = "".join(
        f'<div style="position:absolute;border:2px solid #d62828;left:{100 * box["x1"] / width:.2f}%;'
        f"top:{100 * box['y1'] / height:.2f}%;width:{100 * (box['x2'] - box['x1']) / width:.2f}%;"
        f'height:{100 * (box["y2"] - box["y1"]) / height:.2f}%"></div>'
        for place in places
        if place.get("page_pdf") == page and (box := place.get("bbox"))
    )
    return (
        f'<div style="position:relative;width:{_WIDTH}px;max-width:100%"><img alt="page {page}" style="width:100%"'
        f' src="data:image/jpeg;base64,{b64encode(data).decode()}">{boxes}</div>'
    )


def _row(cells: Sequence[Any], first: str = "td", *, every: bool = False) -> str:
    parts = []
    for number, cell in enumerate(cells):
        tag = first if every or not number else "td"
        parts.append(f'<{tag} style="text-align:left">{escape("" if cell is None else str(cell))}</{tag}>')
    return f"<tr>{''.join(parts)}</tr>"


def _cut(text: str) -> str:
    return text if len(text) <= _TEXT else text[:_TEXT].rsplit(" ", 1)[0] + " …"
