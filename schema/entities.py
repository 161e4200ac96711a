"""Results about entities."""

from __future__ import annotations

from dataclasses import dataclass

from ragraph.schema.results import Citation, Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity(Result):
    """An entity that documents mention, one for all names of the same meaning; ``identity`` is its permanent id."""

    identity: str
    name: str
    kinds: list[str]
    aliases: list[str]
    documents: int
    mentions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention(Result):
    """A mention of an entity.

    ``char_start`` and ``char_end`` are positions in the content of the node; the excerpt of the citation has the words
    around them. ``defines`` is True if the document defines the entity there. ``rule`` says why it is this entity:
    name, alias, own or hand.
    """

    identity: str
    document_id: str
    node_id: str
    char_start: int
    char_end: int
    surface: str
    defines: bool
    rule: str
    citation: Citation


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityRelation(Result):
    """A statement of a document about two entities, with the words of the statement."""

    document_id: str
    node_id: str
    source_name: str
    target_name: str
    relation_type: str
    quote: str
    char_start: int
    char_end: int
    extractor: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractReport(Result):
    """Report of ``extract_entities``.

    ``documents`` were checked, ``read`` of them had ``nodes`` to read. ``entities``, ``mentions`` and ``relations`` are
    what these documents now have from this extractor. ``refused`` relations had a quote that the node does not contain.
    """

    extractor: str
    version: str
    documents: int
    read: int
    nodes: int
    entities: int
    mentions: int
    relations: int
    refused: int
    seconds: float
