"""Input and output of extractors: nodes, and the entities, mentions and relations found in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class NodeText:
    """A node to read: ``sections`` are the titles above it, outermost first, ``components`` the types above it."""

    id: str
    type: str
    content: str
    sections: tuple[str, ...] = ()
    components: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Span:
    """A place in the content of a node, in characters from 0, the end exclusive."""

    node_id: str
    start: int
    end: int
    defines: bool = False


@dataclass(slots=True)
class FoundEntity:
    """A named entity.

    Attributes:
        kind: kind of entity, in the words of the extractor.
        name: its name.
        aliases: other names for it in these nodes.
        spans: its mentions.
        shared: True if the same name means the same entity in other documents.
    """

    kind: str
    name: str
    aliases: list[str] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    shared: bool = True


@dataclass(frozen=True, slots=True)
class FoundRelation:
    """A relation of two entities: their positions in the list of entities, and the words of the node that state it."""

    source: int
    target: int
    type: str
    node_id: str
    quote: str


@dataclass(slots=True)
class Found:
    """The results of an extractor for some nodes of one document."""

    entities: list[FoundEntity] = field(default_factory=list)
    relations: list[FoundRelation] = field(default_factory=list)


class Extractor(Protocol):
    """Finds entities; a package offers an extractor by an entry point of the group ``ragraph.extractors``.

    The entry point names a function that accepts the argument after the colon of ``name:argument``, or None, and
    returns an extractor.

    Attributes:
        name: recorded with the results, together with the name of the model if there is one.
        version: a new one makes all documents be read again.
        batch: number of nodes per call; 0 for all nodes of a document, which is then read again if one of them changes.
    """

    name: str
    version: str
    batch: int

    def extract(self, nodes: Sequence[NodeText]) -> Found:
        """Return the entities that these nodes of one document name; nodes are in reading order."""
        ...
