"""One draft of several: the parts of a message or mailbox, each with its keys and pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ragraph.ingest.draft import Draft, DraftContainer, DraftMetadata, DraftNode, DraftPage, DraftRelation
from ragraph.schema.enums import ComponentType, ContentNodeType

if TYPE_CHECKING:
    from collections.abc import Iterable

_HEADINGS = (ContentNodeType.HEADING, ContentNodeType.SUBHEADING)
_DEEPEST = 9


class Joining:
    """Collects the drafts.

    Args:
        reader: name and version of the reader.

    Attributes:
        nodes: nodes so far; the caller may add its own.
        containers: containers so far.
    """

    def __init__(self, reader: str) -> None:
        self._reader = reader
        self.nodes: list[DraftNode] = []
        self.containers: list[DraftContainer] = []
        self._relations: list[DraftRelation] = []
        self._pages: list[DraftPage] = []
        self._warnings: list[str] = []
        self._count = 0

    def add(self, draft: Draft, title: str | None = None) -> None:
        """Append a draft.

        Args:
            draft: its title becomes a heading, because the whole has another one.
            title: title of the section that holds it; None = it goes on the text, without pages.
        """
        prefix, self._count = str(self._count), self._count + 1
        within, deeper = None, int(title is not None)
        shift = max((page.page_pdf for page in self._pages), default=0)

        def own(key: str | None) -> str | None:
            return None if key is None else f"{prefix}:{key}"

        def anchor(name: str) -> str:
            return name if title is None else f"{prefix}:{name}"

        if title is not None:
            within = f"{prefix}:"
            self.containers.append(DraftContainer(key=within, type=ComponentType.SECTION, title=title))
            self.nodes.append(
                DraftNode(key=f"{prefix}:title", type=ContentNodeType.HEADING, level=1, text=title, container=within)
            )
            self._pages += [page.model_copy(update={"page_pdf": page.page_pdf + shift}) for page in draft.pages]
        self.containers += [
            row.model_copy(update={"key": own(row.key), "parent": own(row.parent) or within})
            for row in draft.containers
        ]
        related = {row.source for row in draft.relations}
        for node in draft.nodes:
            if (
                title is not None
                and node.type is ContentNodeType.TITLE
                and node.text == title
                and node.key not in related
            ):
                continue  # it is the heading above
            changed: dict[str, Any] = {
                "key": own(node.key),
                "container": own(node.container) or within,
                "anchors": list(map(anchor, node.anchors)),
                "positions": [place.model_copy(update={"page_pdf": place.page_pdf + shift}) for place in node.positions]
                if title is not None
                else [],
            }
            if node.type is ContentNodeType.TITLE:
                changed |= {"type": ContentNodeType.HEADING, "level": 1 + deeper}
            elif node.type in _HEADINGS and node.level is not None:
                changed |= {"level": min(node.level + deeper, _DEEPEST)}
            self.nodes.append(node.model_copy(update=changed))
        self._relations += [
            row.model_copy(
                update={
                    "source": own(row.source),
                    "target": own(row.target),
                    "anchor": None if row.anchor is None else anchor(row.anchor),
                }
            )
            for row in draft.relations
        ]
        self._warnings += [f"{title}: {line}" if title else line for line in draft.warnings]

    def draft(self, metadata: DraftMetadata, warnings: Iterable[str] = ()) -> Draft:
        """Return the whole, with metadata and further warnings."""
        return Draft(
            reader=self._reader,
            metadata=metadata,
            pages=self._pages,
            containers=self.containers,
            nodes=self.nodes,
            relations=self._relations,
            warnings=list(dict.fromkeys([*self._warnings, *warnings])),
        )
