"""What the store gives of entities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragraph.schema.results import Result

if TYPE_CHECKING:
    from ragraph.schema.results import Citation


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity(Result):
    """What documents name, one for all that means the same; ``identity`` names it for good."""

    identity: str
    name: str
    kinds: list[str]
    aliases: list[str]
    documents: int
    mentions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention(Result):
    """A place where an entity is named.

    ``char_start`` and ``char_end`` count the content of the node, the excerpt of the citation is the words around;
    ``defines`` says that the document defines it there, ``rule`` why it is this entity: name, alias, own or hand.
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
    """What a document says of two entities, and the words that say so."""

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
    """What ``extract_entities`` did.

    ``documents`` were looked at, ``read`` had nodes to read, ``nodes`` of them; ``entities``, ``mentions`` and
    ``relations`` are what these documents have now by this extractor; of ``refused`` relations the node does not say
    the quote.
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
