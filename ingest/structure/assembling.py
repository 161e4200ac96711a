"""Assemble the graph of one document: from a draft to flat rows with ids, in reading order. No database, no file."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ragraph.base.languages import ts_config
from ragraph.errors import DamagedFileError
from ragraph.ingest.common.graph_rows import (
    PARAGRAPH_BREAK,
    DocumentRow,
    Graph,
    NodeRow,
    PageRow,
    PublicationRow,
    RelationRow,
)
from ragraph.ingest.common.ids import node_id, publication_id, relation_id, text_hash
from ragraph.ingest.common.title_matching import match_title
from ragraph.ingest.files.places import name_of
from ragraph.ingest.structure.arrange import arrange, bibliography_marker, looks_like_entry, note_marker
from ragraph.ingest.structure.languages import guess_language
from ragraph.ingest.structure.outline import Item
from ragraph.ingest.structure.references import text_references
from ragraph.schema.enums import ComponentType, ContentNodeType, RelationType

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ragraph.ingest.draft import Draft, DraftNode, DraftRelation, Position

_MOST_PAGES = 1_000_000


def assemble_graph(
    draft: Draft, document: DocumentRow, *, continues: bool = True, tokens: Mapping[str, int] | None = None
) -> Graph:
    """Turn a draft into rows without a tree.

    Args:
        draft: the draft of a reader.
        document: what is known of the file. Language, pages, structure and reader are filled in from the draft. A
            language that is not stated is guessed from the text, if that is clear, and marked as guessed.
        continues: whether to chain the nodes by CONTINUES (source the later node, target the one before it).
        tokens: number of tokens of each text (``texts.tokens_of``); without it the nodes have no count.

    Returns:
        Nodes in the order of the draft, with ``sequence_in_parent_major`` = ``sequence_in_document``, no parent,
        and spans into ``document_text``. Relations of the reader, whose target is set only if it names a node, and
        those that the text states in words (``references.py``). A publication only if the document has the one that
        is made up for a plain file.

        Paragraphs and list items under a bibliography become entries, those under a notes section become notes, if
        they look like it. Left out: relations of a node with itself, with unknown nodes, and repeated ones.

    Raises:
        DamagedFileError: a page number is above 1,000,000.
    """
    drafted = _retyped(draft)
    rows = _nodes(document.id, drafted, tokens or {})
    ids = {node.key: row.id for node, row in zip(drafted, rows, strict=True)}
    stated = list(_leading_to(draft.relations, drafted))
    furniture = {row.key for row in draft.containers if row.type in (ComponentType.HEADER, ComponentType.FOOTER)}
    said = text_references(drafted, stated, furniture)
    relations = _relations(document.id, [*stated, *said], drafted, ids)
    if continues:
        relations += _chain(document.id, rows)
    stated_language = document.language or draft.metadata.language
    language = (
        stated_language
        or guess_language(node.text for node in drafted if node.type in _PROSE)
        # little prose, or prose in capitals: headings, tables and entries tell more
        or guess_language(node.text for node in drafted)
    )
    guessed = {"language": "guessed"} if language and not stated_language else {}
    pages = _pages(draft)
    return Graph(
        document=replace(
            document,
            language=language,
            page_count=len(pages) or None,
            ts_config=ts_config(language),
            structure={"containers": [container.model_dump(mode="json") for container in draft.containers]},
            ingested_with={**document.ingested_with, **draft.made_by, **guessed, "reader": draft.reader},
        ),
        pages=tuple(pages),
        nodes=tuple(rows),
        relations=tuple(relations),
        publication=_publication(draft, document),
    )


def _publication(draft: Draft, document: DocumentRow) -> PublicationRow | None:
    if document.publication_id != publication_id(document.id):
        return None
    found = draft.metadata
    title = found.title or _first_title(draft) or name_of(document.source_uri) or document.id
    return PublicationRow(
        id=document.publication_id,
        title=title,
        abstract=found.abstract,
        authors=", ".join(found.authors) or None,
        publication_date=found.publication_date,
        source=found.source,
        uri=found.uri,
        collection=document.collection,
        tags=tuple(found.tags),
        metadata=_finite(found.extra),
    )


def _first_title(draft: Draft) -> str | None:
    return next((node.text for node in draft.nodes if node.type == ContentNodeType.TITLE and node.text.strip()), None)


def _pages(draft: Draft) -> list[PageRow]:
    """Return the pages from 1 to the last one, including those that the reader does not list."""
    pages = {
        page.page_pdf: PageRow(page.page_pdf, page.page_logical, _number(page.width), _number(page.height), page.doubt)
        for page in draft.pages
    }
    for node in draft.nodes:
        for position in node.positions:
            if position.page_pdf not in pages:
                pages[position.page_pdf] = PageRow(position.page_pdf, position.page_logical)
    last = max(pages, default=0)
    if last > _MOST_PAGES:
        raise DamagedFileError(f"the file claims a page {last}; a document may have {_MOST_PAGES} pages, split it")
    return [pages.get(number, PageRow(number)) for number in range(1, last + 1)]


def _number(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _finite(value: Any) -> Any:
    """Return JSON without NaN and infinities, which PostgreSQL refuses; they become null."""
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value


def node_ids(draft: Draft, document_id: str) -> dict[str, str]:
    """Return the id that each node of a draft has in the store, by its key."""
    drafted = _retyped(draft)
    return {node.key: row.id for node, row in zip(drafted, _nodes(document_id, drafted, {}), strict=True)}


def _retyped(draft: Draft) -> list[DraftNode]:
    """Retype nodes in bibliographies and notes sections. Done before ids are made, because ids depend on the type."""
    nodes = list(draft.nodes)
    titles = [node.text for node in nodes if node.type in _HEADINGS] + [row.title or "" for row in draft.containers]
    patterns = (match_title(title) for title in titles)
    listed_here = any(row.type in _LISTS for row in draft.containers)
    if not listed_here and not any(line is not None and line.type in _LISTS for line in patterns):
        return nodes
    items = [
        Item(
            type=node.type,
            text=node.text,
            level=node.level,
            container=node.container,
            page=min((position.page_pdf for position in node.positions), default=None),
            marker=node.marker,
        )
        for node in draft.nodes
    ]
    root, _ = arrange(items, draft.containers)
    stack = [(top, top.type) for top in root.branches()]
    while stack:
        branch, listed = stack.pop()
        listed = branch.type if branch.type in _LISTS else listed
        for child in branch.children:
            if not isinstance(child, int):
                stack.append((child, listed))
            elif listed in _LISTS and nodes[child].type in _PLAIN:
                nodes[child] = _as_listed(nodes[child], listed)
    return nodes


_PROSE = (ContentNodeType.PARAGRAPH, ContentNodeType.LIST_ITEM, ContentNodeType.BLOCK_QUOTATION, ContentNodeType.STANZA)
_HEADINGS = (ContentNodeType.HEADING, ContentNodeType.SUBHEADING)
_PLAIN = (ContentNodeType.PARAGRAPH, ContentNodeType.LIST_ITEM)
_LISTS = (ComponentType.BIBLIOGRAPHY, ComponentType.NOTES_SECTION)


def _as_listed(node: DraftNode, listed: ComponentType) -> DraftNode:
    if listed == ComponentType.BIBLIOGRAPHY:
        marker = node.marker or bibliography_marker(node.text)
        if node.type == ContentNodeType.LIST_ITEM or marker or looks_like_entry(node.text):
            return node.model_copy(update={"type": ContentNodeType.BIBLIOGRAPHIC_ENTRY, "marker": marker})
        return node
    bullet = node.marker is not None and not any(sign.isalnum() or sign in "*†‡§¶" for sign in node.marker)
    marker = (None if bullet else node.marker) or note_marker(node.text)
    return node.model_copy(update={"type": ContentNodeType.NOTE, "marker": marker}) if marker else node


def _nodes(document_id: str, drafted: Sequence[DraftNode], tokens: Mapping[str, int]) -> list[NodeRow]:
    alike: Counter[tuple[ContentNodeType, str]] = Counter()
    rows: list[NodeRow] = []
    start = 0
    for sequence, node in enumerate(drafted):
        key = (node.type, node.text)
        rows.append(
            NodeRow(
                id=node_id(document_id, node.type, node.text, alike[key]),
                content_node_type=node.type,
                content=node.text,
                content_hash=text_hash(node.text),
                sequence_in_document=sequence,
                sequence_in_parent_major=sequence,
                storage_url=node.storage_url,
                description=node.description,
                embedding_source=node.embedding_source,
                positional_data=_positions(node.positions),
                char_start=start,
                char_end=start + len(node.text),
                data=_data(node),
                token_count=tokens.get(node.text, 0),
            )
        )
        alike[key] += 1
        start += len(node.text) + len(PARAGRAPH_BREAK)
    return rows


def _positions(positions: Sequence[Position]) -> list[dict[str, Any]]:
    """Return positions by page, boxes of a page in reading order: first and last page of a node are its range."""
    rows: list[dict[str, Any]] = []
    for position in sorted(positions, key=lambda found: found.page_pdf):
        row: dict[str, Any] = {"page_pdf": position.page_pdf, "page_logical": position.page_logical}
        box = position.bbox
        if box is not None and all(map(math.isfinite, (box.x1, box.y1, box.x2, box.y2))):
            row["bbox"] = {"x1": box.x1, "y1": box.y1, "x2": box.x2, "y2": box.y2}
        rows.append(row)
    return rows


def _data(node: DraftNode) -> dict[str, Any]:
    own = {
        "level": node.level,
        "container": node.container,
        "anchors": list(node.anchors) or None,
        "marker": node.marker,
    }
    return {
        **(_finite(node.data) if node.data else {}),
        **{name: value for name, value in own.items() if value is not None},
    }


_BY_TARGET = {
    ContentNodeType.BIBLIOGRAPHIC_ENTRY: RelationType.REFERENCES_CITATION,
    ContentNodeType.NOTE: RelationType.REFERENCES_NOTE,
}


def _leading_to(stated: Sequence[DraftRelation], drafted: Sequence[DraftNode]) -> Iterator[DraftRelation]:
    """Yield relations. A plain link to a bibliography entry or a note becomes a reference of that kind."""
    types: dict[str, ContentNodeType] = {}
    for node in drafted:
        for name in (f"key {node.key}", *(f"anchor {anchor}" for anchor in node.anchors)):
            types.setdefault(name, node.type)
    for relation in stated:
        name = f"anchor {relation.anchor}" if relation.target is None else f"key {relation.target}"
        kind = _BY_TARGET.get(types.get(name, ContentNodeType.PARAGRAPH))
        linked = relation.type == RelationType.CROSS_REFERENCES and kind is not None
        yield relation.model_copy(update={"type": kind}) if linked else relation


def _relations(
    document_id: str, relations: Iterable[DraftRelation], drafted: Sequence[DraftNode], ids: dict[str, str]
) -> list[RelationRow]:
    nodes = {node.key: node for node in drafted}
    rows: list[RelationRow] = []
    alike: Counter[tuple[str, RelationType, str | None]] = Counter()
    seen: set[tuple[Any, ...]] = set()
    for stated in relations:
        row = _relation(stated, nodes, ids)
        if row is None:
            continue
        whole = (row.source_node_id, row.relation_type, row.target_node_id, *_marks(row))
        if whole in seen:
            continue
        seen.add(whole)
        key = (row.source_node_id, row.relation_type, row.marker_text)
        rows.append(replace(row, id=relation_id(document_id, *key, alike[key])))
        alike[key] += 1
    return rows


def _marks(row: RelationRow) -> tuple[Any, ...]:
    return (row.marker_text, row.marker_start, row.target_anchor)


def _relation(stated: DraftRelation, nodes: dict[str, DraftNode], ids: dict[str, str]) -> RelationRow | None:
    """Return the row of a relation without its id, or None if nothing in it can be stored or resolved."""
    source = nodes.get(stated.source)
    # the chain is made from the order of the draft; a second chain would branch
    if source is None or stated.type == RelationType.CONTINUES:
        return None
    target = ids.get(stated.target) if stated.target is not None else None
    anchor = stated.anchor or None
    marker = stated.marker or None
    leads_home = target == ids[source.key] or (target is None and anchor is not None and anchor in source.anchors)
    if leads_home or (target is None and anchor is None and marker is None):
        return None
    start = stated.marker_start if marker is not None else None
    return RelationRow(
        id="",
        source_node_id=ids[source.key],
        relation_type=stated.type,
        target_node_id=target,
        marker_text=marker,
        marker_start=start if start is not None and start <= len(source.text) else None,
        target_anchor=anchor,
    )


def _chain(document_id: str, rows: Sequence[NodeRow]) -> list[RelationRow]:
    return [
        RelationRow(
            id=relation_id(document_id, later.id, RelationType.CONTINUES, None, 0),
            source_node_id=later.id,
            relation_type=RelationType.CONTINUES,
            target_node_id=before.id,
        )
        for before, later in pairwise(rows)
    ]
