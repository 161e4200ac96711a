"""What extractors read and give: nodes, and the entities, mentions and relations in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class NodeText:
    """A node to read: ``sections`` are the titles above it, outermost first, ``components`` what these are."""

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
    """Something that is named.

    Attributes:
        kind: what it is, in the words of the extractor.
        name: what it is called.
        aliases: what else it is called in these nodes.
        spans: where.
        shared: whether another document that uses the name means the same.
    """

    kind: str
    name: str
    aliases: list[str] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    shared: bool = True


@dataclass(frozen=True, slots=True)
class FoundRelation:
    """What a node says of two entities: places in the list of entities, and the words that say so."""

    source: int
    target: int
    type: str
    node_id: str
    quote: str


@dataclass(slots=True)
class Found:
    """What an extractor found in some nodes of one document."""

    entities: list[FoundEntity] = field(default_factory=list)
    relations: list[FoundRelation] = field(default_factory=list)


class Extractor(Protocol):
    """Finds entities; a package offers one by an entry point of the group ``ragraph.extractors``.

    The entry point names a function that takes what follows the colon of ``name:argument``, or None, and gives one.

    Attributes:
        name: as it is recorded with what it finds, with the model where there is one.
        version: another one reads all documents anew.
        batch: nodes that it is given at once; 0 = all of a document, which is read anew when one of them changed.
    """

    name: str
    version: str
    batch: int

    def extract(self, nodes: Sequence[NodeText]) -> Found:
        """Return what these nodes of one document, in reading order, name."""
        ...
