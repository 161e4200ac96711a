"""Build the tree of components from flat nodes, without the database."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from ragraph.ingest.common.graph_rows import PARAGRAPH_BREAK, ComponentRow, Graph, NodeRow
from ragraph.ingest.common.ids import component_id
from ragraph.ingest.draft import DraftContainer
from ragraph.ingest.structure.arrange import arrange
from ragraph.ingest.structure.outline import FURNITURE, Branch, Item

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ragraph.schema.enums import ComponentType


def stated_containers(graph: Graph) -> list[DraftContainer]:
    """Return the containers that the format stated, as stored in ``document.structure``."""
    return [DraftContainer.model_validate(container) for container in graph.document.structure.get("containers", [])]


def _item(node: NodeRow) -> Item:
    return Item(
        type=node.content_node_type,
        text=node.content,
        level=node.data.get("level"),
        container=node.data.get("container"),
        page=node.positional_data[0]["page_pdf"] if node.positional_data else None,
        marker=node.data.get("marker"),
        placed=node.sequence_in_parent_minor is not None,
    )


def build_tree(graph: Graph) -> Graph:
    """Make the components of a document and assign every node to one.

    The top is FRONT_MATTER, BODY_MATTER and BACK_MATTER, the first and last only if they have content. Headings nest
    by level, whatever the steps; containers that the format states are used as stated. The type of a component comes
    from its title and place (``common.title_matching``). Page headers and footers are children of the matter of their
    page.

    Args:
        graph: nodes in reading order; existing components are replaced.

    Returns:
        The graph with components (parents first, in order), parents, dense sequences and spans; ids of nodes and
        relations do not change. Footnotes stay where they are: ``sequence_document`` in the database moves them behind
        the text that refers to them, after ``resolve_relations``. Footnotes that it has already moved (they have a
        minor number) stay there.
    """
    root, footnotes = arrange([_item(node) for node in graph.nodes], stated_containers(graph))
    maker = _Rows(graph.document.id, graph.nodes, footnotes)
    maker.take(root.branches())
    return replace(graph, components=maker.components(), nodes=tuple(maker.nodes))


_DEEP = 100
"""Depth that components may have however many there are; no document that people read is deeper."""

_MOST_STEPS = 5_000_000
"""Maximum of depth times components. Functions in the database walk from each component to the top."""


class _Rows:
    """Turns branches into rows, depth first, without recursion, because depth may be in thousands.

    What nests deeper than ``_DEEP`` and ``_MOST_STEPS`` allow is put into the component of that depth.
    """

    def __init__(self, document_id: str, source: Sequence[NodeRow], footnotes: dict[int, list[int]]) -> None:
        self.document_id = document_id
        self.source = source
        self.footnotes = footnotes
        self.nodes: list[NodeRow] = []
        self._chars = 0
        self._made: list[ComponentRow] = []
        self._counts: Counter[tuple[ComponentType, str]] = Counter()

    def take(self, tops: Iterable[Branch]) -> None:
        tops = list(tops)
        deepest = max(_DEEP, _MOST_STEPS // max(sum(map(_branches, tops)), 1))
        # (branch or index, parent's number in _made or -1, major, minor)
        stack: list[tuple[Branch | int, int, int, int | None]] = []
        stack.extend((top, -1, major, None) for major, top in enumerate(tops))
        stack.reverse()
        while stack:
            child, parent, major, minor = stack.pop()
            if isinstance(child, int):
                self._take_node(self.source[child], self._made[parent].id, major, None)
                for order, note in enumerate(self.footnotes.get(child, ()), start=1):
                    self._take_node(self.source[note], self._made[parent].id, major, order)
                continue
            number = self._take_branch(child, parent, major, minor)
            places: list[tuple[Branch | int, int, int, int | None]] = []
            at = -1
            for inner in child.children if self._made[number].depth < deepest else _leaves(child):
                if isinstance(inner, Branch) and inner.type in FURNITURE:
                    places.append((inner, number, max(at, 0), inner.level))
                else:
                    at += 1
                    places.append((inner, number, at, None))
            stack.extend(reversed(places))

    def _take_node(self, node: NodeRow, parent: str, major: int, minor: int | None) -> None:
        start, self._chars = self._chars, self._chars + len(node.content) + len(PARAGRAPH_BREAK)
        # all fields named: ``dataclasses.replace`` takes five times as long, for each node
        self.nodes.append(
            NodeRow(
                id=node.id,
                content_node_type=node.content_node_type,
                content=node.content,
                content_hash=node.content_hash,
                sequence_in_document=len(self.nodes),
                sequence_in_parent_major=major,
                sequence_in_parent_minor=minor,
                parent_component_id=parent,
                storage_url=node.storage_url,
                description=node.description,
                embedding_source=node.embedding_source,
                positional_data=node.positional_data,
                char_start=start,
                char_end=start + len(node.content),
                data=node.data,
                token_count=node.token_count,
            )
        )

    def _take_branch(self, branch: Branch, parent: int, major: int, minor: int | None) -> int:
        above = self._made[parent] if parent >= 0 else None
        alike = (branch.type, branch.title or "")
        self._made.append(
            ComponentRow(
                id=component_id(self.document_id, branch.type, branch.title, self._counts[alike]),
                component_type=branch.type,
                title=branch.title,
                parent_component_id=above.id if above else None,
                depth=above.depth + 1 if above else 0,
                sequence_in_parent_major=major,
                sequence_in_parent_minor=minor,
            )
        )
        self._counts[alike] += 1
        return len(self._made) - 1

    def components(self) -> tuple[ComponentRow, ...]:
        """Return the rows with pages and intervals, collected from the leaves upwards."""
        spans: dict[str, tuple[int, int]] = {}
        pages: dict[str, tuple[int, int]] = {}
        for node in self.nodes:
            key = node.parent_component_id or ""
            _widen(spans, key, (node.sequence_in_document, node.sequence_in_document))
            if node.positional_data:
                _widen(pages, key, (node.positional_data[0]["page_pdf"], node.positional_data[-1]["page_pdf"]))
        for row in reversed(self._made):
            for known in (spans, pages):
                if row.parent_component_id is not None and row.id in known:
                    _widen(known, row.parent_component_id, known[row.id])
        rows = []
        for row in self._made:
            first, last = spans.get(row.id, (None, None))
            rows.append(replace(row, page_range=pages.get(row.id), first_sequence=first, last_sequence=last))
        return tuple(rows)


def _branches(branch: Branch) -> int:
    """Return the number of branches in a branch, itself included."""
    count = 0
    stack: list[Branch | int] = [branch]
    while stack:
        one = stack.pop()
        if isinstance(one, Branch):
            count += 1
            stack.extend(one.children)
    return count


def _leaves(branch: Branch) -> Iterator[int]:
    """Yield the nodes of a branch in order, whatever they are nested in."""
    stack = list(reversed(branch.children))
    while stack:
        child = stack.pop()
        if isinstance(child, Branch):
            stack.extend(reversed(child.children))
        else:
            yield child


def _widen(known: dict[str, tuple[int, int]], key: str, more: tuple[int, int]) -> None:
    have = known.get(key, more)
    known[key] = (min(have[0], more[0]), max(have[1], more[1]))
