"""Row factories of psycopg, one for each type of result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from psycopg.rows import dict_row

from ragraph.schema.context import ContextPart
from ragraph.schema.entities import Mention
from ragraph.schema.enums import ComponentType, ContentNodeType, DocumentType, ProcessingStatus, RelationType
from ragraph.schema.results import Citation, Document, Hit, Node, PathEntry, RelatedNode, Relation, TocEntry

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from psycopg import Cursor

AROUND_CHARS = 80
"""Characters of text shown on each side of a mention."""

EXCERPT_CHARS = 400
"""Maximum length of an excerpt in characters; a longer one is cut between words."""

_ENUMS: dict[str, Callable[[str], Any]] = {
    "component_type": ComponentType,
    "content_node_type": ContentNodeType,
    "processing_status": ProcessingStatus,
    "relation_type": RelationType,
}


def _factory(make: Callable[[dict[str, Any]], Any]) -> Callable[[Cursor[Any]], Callable[[Sequence[Any]], Any]]:
    def for_cursor(cursor: Cursor[Any]) -> Callable[[Sequence[Any]], Any]:
        as_dict = dict_row(cursor)
        return lambda values: make(as_dict(values))

    return for_cursor


def _pick(kind: type[Any], row: dict[str, Any]) -> dict[str, Any]:
    """Return the columns that the type has as a field, enums as members."""
    names = kind.__dataclass_fields__  # fields() would collect them again for each row
    return {name: _ENUMS[name](value) if name in _ENUMS else value for name, value in row.items() if name in names}


def _document(row: dict[str, Any]) -> Document:
    return Document(**{**_pick(Document, row), "type": DocumentType(row["type"])})


def _node(row: dict[str, Any]) -> Node:
    return Node(**_pick(Node, row))


def _related(row: dict[str, Any]) -> RelatedNode:
    return RelatedNode(node=_node(row), **_pick(RelatedNode, row))


def _citation(row: dict[str, Any], span: tuple[int, int] | None = None) -> Citation:
    """Return the citation of a row.

    Args:
        row: the columns of the query.
        span: start and end of the excerpt, in characters of the document; the whole node if None.
    """
    content: str = row["content"]
    base: int = row["char_start"]
    start, end = span or (base, base + len(content))
    if end - start > EXCERPT_CHARS:
        cut = base + content.rfind(" ", start - base, start - base + EXCERPT_CHARS)
        end = cut if cut > start else start + EXCERPT_CHARS
    return Citation(**_pick(Citation, row), excerpt=content[start - base : end - base], excerpt_span=(start, end))


def _hit(row: dict[str, Any]) -> Hit:
    whole = (row["char_start"], row["char_start"] + len(row["content"]))
    span = whole if row["part_start"] is None else (row["part_start"], row["part_end"])
    return Hit(
        document_id=row["document_id"],
        node_id=row["node_id"],
        node_type=ContentNodeType(row["content_node_type"]),
        score=row["score"],
        content=row["content"],
        citation=_citation(row, span),
        span=None if span == whole else span,
        ranks=row["ranks"],
        scores=row.get("scores") or {},
        relevance=row.get("relevance"),
        entities=row.get("entities") or [],
    )


def _mention(row: dict[str, Any]) -> Mention:
    """Return the mention of a row. Its excerpt is the mention with the surrounding text, cut between words."""
    content: str = row["content"]
    start, end = row["mention_start"], row["mention_end"]
    first, last = max(0, start - AROUND_CHARS), min(len(content), end + AROUND_CHARS)
    if first and (space := content.find(" ", first, start)) >= 0:
        first = space + 1
    if last < len(content) and (space := content.rfind(" ", end, last)) >= 0:
        last = space
    base = row["char_start"]
    citation = _citation(row, (base + first, base + last))
    return Mention(**_pick(Mention, row | {"char_start": start, "char_end": end, "citation": citation}))


def _context_part(row: dict[str, Any]) -> tuple[dict[str, Any], ContextPart]:
    base = row["char_start"]
    start, end = row["part_start"], row["part_end"]
    part = ContextPart(
        **{
            **_pick(ContextPart, row),
            "node_type": ContentNodeType(row["content_node_type"]),
            "char_start": start,
            "char_end": end,
            "text": row["content"][start - base : end - base] or row["description"] or "",
            "before": "",
            "citation": _citation(row, (start, end)),
        }
    )
    return row, part


document_row = _factory(_document)
quote_row = _factory(
    lambda row: Citation(
        **_pick(Citation, row),
        excerpt=row["verbatim"],
        excerpt_span=(row["quote_start"], row["quote_end"]),
        excerpt_pieces=[(piece.lower, piece.upper) for piece in row["pieces"]] if len(row["pieces"]) > 1 else [],
    )
)
details_row = _factory(lambda row: row)
toc_row = _factory(lambda row: TocEntry(**_pick(TocEntry, row)))
path_row = _factory(lambda row: PathEntry(**_pick(PathEntry, row)))
node_row = _factory(_node)
related_row = _factory(_related)
relation_row = _factory(lambda row: Relation(**_pick(Relation, row)))
citation_row = _factory(_citation)
hit_row = _factory(_hit)
mention_row = _factory(_mention)
context_row = _factory(_context_part)
