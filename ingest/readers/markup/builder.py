"""Collects the content of a document during a walk, and makes its draft."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ragraph.ingest.draft import Draft, DraftContainer, DraftMetadata, DraftNode, DraftRelation, clean_text
from ragraph.ingest.readers.markup.inline import Inline
from ragraph.schema.enums import ComponentType, ContentNodeType, EmbeddingSource, RelationType

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ragraph.ingest.readers.markup.inline import Mark


@dataclass
class Node:
    """A content node during the walk."""

    key: str
    type: ContentNodeType
    text: str
    container: str | None
    anchors: list[str] = field(default_factory=list)
    level: int | None = None
    marker: str | None = None
    description: str | None = None
    embedding_source: EmbeddingSource = EmbeddingSource.TEXT_CONTENT
    storage_url: str | None = None
    picture: bytes | None = None
    data: dict[str, Any] = field(default_factory=dict)


class DraftBuilder:
    """Nodes, containers and relations in the order of the walk."""

    def __init__(self, reader: str) -> None:
        self._reader = reader
        self._nodes: list[Node] = []
        self._containers: list[DraftContainer] = []
        self._relations: list[DraftRelation] = []
        self._pending: list[str] = []
        self._warnings: list[str] = []
        self.container: str | None = None

    @property
    def nodes(self) -> list[Node]:
        """Return the nodes so far, in reading order."""
        return self._nodes

    @contextmanager
    def inside(self, type: ComponentType, title: str | None = None) -> Iterator[str]:
        """Put everything that is added meanwhile into a new container within the current one."""
        outer = self.container
        try:
            yield self.open(type, title)
        finally:
            self.container = outer

    def open(self, type: ComponentType, title: str | None = None) -> str:
        """Begin a container within the current one and stay in it; return its key."""
        key = f"c{len(self._containers)}"
        self._containers.append(DraftContainer(key=key, type=type, title=title or None, parent=self.container))
        self.container = key
        return key

    @property
    def next_container(self) -> int:
        """Return the number of containers so far."""
        return len(self._containers)

    def first_child(self, parent: str | None, since: int) -> tuple[str, ComponentType] | None:
        """Return key and type of the first container opened directly in ``parent`` after the first ``since``."""
        found = (one for one in self._containers[since:] if one.parent == parent)
        first = next(found, None)
        return (first.key, first.type) if first is not None else None

    def types_around(self) -> set[ComponentType]:
        """Return the types of the containers around the current place."""
        parents = {container.key: container for container in self._containers}
        found, key = set(), self.container
        while key is not None:
            found.add(parents[key].type)
            key = parents[key].parent
        return found

    def pend(self, *anchors: str | None) -> None:
        """Give the next node these anchors, because it is the first of their content."""
        self._pending += [anchor for anchor in anchors if anchor]

    def add(
        self,
        type: ContentNodeType,
        content: Inline | str,
        *,
        anchors: Iterable[str | None] = (),
        **fields: Any,
    ) -> Node:
        """Append a node with its references; ``fields`` are those of ``Node``."""
        inline = content if isinstance(content, Inline) else Inline(str(clean_text(content)))
        node = Node(key=f"n{len(self._nodes)}", type=type, text=inline.text, container=self.container, **fields)
        node.anchors = list(dict.fromkeys([*self._pending, *(anchor for anchor in anchors if anchor)]))
        self._pending = []
        self._nodes.append(node)
        self.relate(node, inline.marks)
        return node

    def relate(self, source: Node, marks: Iterable[Mark]) -> None:
        """Append the references of a node."""
        for mark in marks:
            self._relations.append(
                DraftRelation(
                    source=source.key,
                    type=mark.type,
                    target=mark.target,
                    anchor=mark.anchor,
                    marker=mark.marker,
                    marker_start=mark.start,
                )
            )

    def link(self, source: Node, type: RelationType, target: Node, marker: str | None = None) -> None:
        """Append a relation between two nodes of the draft."""
        self._relations.append(DraftRelation(source=source.key, type=type, target=target.key, marker=marker))

    def caption(self, source: Node, target: Node) -> None:
        """Make ``target`` the caption of ``source``; a figure is then embedded by its caption."""
        self.link(source, RelationType.IS_CAPTIONED_BY, target)
        if source.type is ContentNodeType.FIGURE:
            source.embedding_source = EmbeddingSource.CAPTION

    def referenced(self, anchors: Iterable[str], sources: set[str] | None = None) -> bool:
        """Return True if a relation so far names one of the anchors, from one of the sources if given."""
        names = set(anchors)
        return any(r.anchor in names and (sources is None or r.source in sources) for r in self._relations)

    def wanted_anchors(self) -> set[str]:
        """Return the anchors that relations name and no node has yet."""
        known = {anchor for node in self._nodes for anchor in node.anchors}
        return {relation.anchor for relation in self._relations if relation.anchor} - known

    def warn(self, line: str) -> None:
        """Add a warning about content that could not be read; the same line only once."""
        if line not in self._warnings:
            self._warnings.append(line)

    def build(self, metadata: DraftMetadata) -> Draft:
        """Return the draft, without empty containers."""
        if self._pending and self._nodes:
            self._nodes[-1].anchors += [name for name in self._pending if name not in self._nodes[-1].anchors]
        parents = {container.key: container.parent for container in self._containers}
        used: set[str] = set()
        for node in self._nodes:
            key = node.container
            while key is not None and key not in used:
                used.add(key)
                key = parents[key]
        return Draft(
            reader=self._reader,
            metadata=metadata,
            containers=[container for container in self._containers if container.key in used],
            nodes=[DraftNode(**vars(node)) for node in self._nodes],
            relations=self._relations,
            warnings=self._warnings,
        )
