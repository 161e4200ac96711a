"""The texts of a document that are embedded: each node's text under its heading path, in parts a model can read."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ragraph.ingest.common.ids import embedding_id
from ragraph.ingest.vectors.parts import PartSettings, Span, split
from ragraph.models.embedding import load_model
from ragraph.schema.enums import ComponentType, ContentNodeType, EmbeddingSource, RelationType

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ragraph.ingest.common.graph_rows import Graph
    from ragraph.models.embedding import EmbeddingModel

PAGE_BREAK = "[page break]"
PATH_SEPARATOR = " > "

_NOT_EMBEDDED = {
    ContentNodeType.PAGE_NUMBER,
    ContentNodeType.HEADING,
    ContentNodeType.SUBHEADING,
    ContentNodeType.TITLE,
    ContentNodeType.SUBTITLE,
    ContentNodeType.AUTHOR,
}
"""Headings are in the path of the text below them; a vector of their own would give a title as an answer."""

_FURNITURE = {ComponentType.HEADER, ComponentType.FOOTER}
_DRAWN = {ContentNodeType.TABLE, ContentNodeType.FIGURE}
_JOINTS = 2
"""Tokens reserved for what a tokenizer may add between path and text."""

_ATTEMPTS = 4
_UNLESS_TOLD = PartSettings()  # made once, because it checks its fields: too slow for every node


class Source(NamedTuple):
    """A document as the database returns it: rows as dicts of their columns, nodes in reading order."""

    document_id: str
    language: str | None
    components: Sequence[Mapping[str, Any]]
    nodes: Sequence[Mapping[str, Any]]
    captions: Mapping[str, str]


class Part(NamedTuple):
    """A vector that a document should have.

    ``start`` and ``end`` count characters of the node's text that ``source`` names. ``text`` is what the model reads
    after its prefix; ``content_hash`` is the hash of prefix and text.
    """

    id: str
    node_id: str
    source: str
    number: int
    start: int
    end: int
    text: str
    content_hash: str


_OF_COMPONENT = ("id", "component_type", "title", "parent_component_id")
_OF_NODE = ("id", "content_node_type", "content", "description", "embedding_source", "parent_component_id")


def tokens_of(texts: Iterable[str]) -> dict[str, int]:
    """Return the number of tokens of each text, by the tokenizer of the default model."""
    different = list(dict.fromkeys(texts))
    return dict(zip(different, load_model().count_tokens(different), strict=True))


def count_tokens(graph: Graph) -> Graph:
    """Return the graph with the number of tokens of every node."""
    counts = tokens_of(node.content for node in graph.nodes)
    nodes = (replace(node, token_count=counts[node.content]) for node in graph.nodes)
    return replace(graph, nodes=tuple(nodes))


def parts_of(document: Source, model: EmbeddingModel, settings: PartSettings) -> Iterator[Part]:
    """Yield the parts of a document that should be embedded, nodes in reading order, parts in order."""
    paths = _paths(document.components)
    room = model.max_tokens - model.special_tokens - model.count_tokens([model.document_prefix])[0] - _JOINTS
    contexts = _Contexts(model, max(room, 3) // 3)
    usual = settings == _UNLESS_TOLD
    for node in document.nodes:
        kind = ContentNodeType(node["content_node_type"])
        path = paths.get(node["parent_component_id"], "")
        if kind in _NOT_EMBEDDED or path is None:
            continue
        caption = document.captions.get(node["id"], "") if kind in _DRAWN else ""
        source, text = _text(node, kind, caption)
        if not text.replace(PAGE_BREAK, "").strip():
            continue
        context, used = contexts.of("\n".join(filter(None, (path, caption if text is not caption else ""))))
        # no tokenizer makes more tokens than there are bytes, so short texts need no counting
        if usual and len(text.encode()) <= room - used:
            spans = [Span(0, len(text))]
        else:
            spans = _spans(text, context, room - used, model, settings, document.language)
        for number, span in enumerate(spans):
            whole = _embedded(context, text, span)
            yield Part(
                id=embedding_id(document.document_id, node["id"], model.name, source, number),
                node_id=node["id"],
                source=source,
                number=number,
                start=span.start,
                end=span.end,
                text=whole,
                content_hash=hashlib.sha256((model.document_prefix + whole).encode()).hexdigest(),
            )


def source_of(graph: Graph) -> Source:
    """Return a document as the database would return it; only valid if the database does not change its rows."""
    captions: dict[str, list[str]] = {}
    captioned = [row for row in graph.relations if row.relation_type is RelationType.IS_CAPTIONED_BY]
    if captioned:
        by_target: dict[str | None, list[str]] = {}
        for row in captioned:
            by_target.setdefault(row.target_node_id, []).append(row.source_node_id)
        for node in graph.nodes:  # in reading order
            for source in by_target.get(node.id, ()):
                captions.setdefault(source, []).append(node.content)
    return Source(
        graph.document.id,
        graph.document.language,
        [{name: getattr(row, name) for name in _OF_COMPONENT} for row in graph.components],
        [{name: getattr(row, name) for name in _OF_NODE} for row in graph.nodes],
        {source: " ".join(texts) for source, texts in captions.items()},
    )


def _paths(components: Sequence[Mapping[str, Any]]) -> dict[str | None, str | None]:
    """Return the path of titles to each component as one line; None under page furniture. Parents come first."""
    paths: dict[str | None, str | None] = {}
    for component in components:
        above = paths.get(component["parent_component_id"], "")
        if above is None or component["component_type"] in _FURNITURE:
            paths[component["id"]] = None
        else:
            title = " ".join((component["title"] or "").split())
            paths[component["id"]] = PATH_SEPARATOR.join(filter(None, (above, title)))
    return paths


def _text(node: Mapping[str, Any], kind: ContentNodeType, caption: str) -> tuple[str, str]:
    """Return the name of the text of a node that is embedded, and that text.

    A description is best for a table or figure, otherwise its cells; both are put below the caption. A figure without
    either is found by its caption.
    """
    wanted = EmbeddingSource(node["embedding_source"])
    description = (node["description"] or "").strip()
    if description and (wanted is EmbeddingSource.DESCRIPTION or kind in _DRAWN):
        return EmbeddingSource.DESCRIPTION, node["description"]
    if caption and (wanted is EmbeddingSource.CAPTION or not node["content"].strip()):
        return EmbeddingSource.CAPTION, caption
    return EmbeddingSource.TEXT_CONTENT, node["content"]


class _Contexts:
    """Heading paths (with captions) cut to a number of tokens from the left, with the tokens they take."""

    def __init__(self, model: EmbeddingModel, most: int) -> None:
        self._model = model
        self._most = most
        self._known: dict[str, tuple[str, int]] = {"": ("", 0)}

    def of(self, context: str) -> tuple[str, int]:
        if context not in self._known:
            offsets = self._model.token_offsets(context)
            kept = context
            if len(offsets) > self._most:
                kept = context[offsets[-self._most][0] :]
                offsets = offsets[-self._most :]
            self._known[context] = (kept, len(offsets))
        return self._known[context]


def _spans(
    text: str, context: str, room: int, model: EmbeddingModel, settings: PartSettings, language: str | None
) -> list[Span]:
    offsets = model.token_offsets(text)
    spans = split(text, offsets, room, settings, language)
    for _ in range(_ATTEMPTS):
        if len(spans) < 2:
            break
        # words that were cut may need more tokens than before
        counts = model.count_tokens([_embedded(context, text, span) for span in spans])
        excess = max(counts) - (model.max_tokens - model.special_tokens)
        if excess <= 0:
            break
        room = max(room - excess - _JOINTS, room // 2, 1)
        spans = split(text, offsets, room, settings, language)
    return spans


def _embedded(context: str, text: str, span: Span) -> str:
    part = text[span.start : span.end].replace(PAGE_BREAK, "").strip()
    return f"{context}\n{part}" if context else part
