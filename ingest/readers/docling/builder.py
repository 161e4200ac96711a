"""A draft that grows node by node, with marks turned into relations; shared by several readers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ragraph.ingest.draft import (
    Draft,
    DraftContainer,
    DraftMetadata,
    DraftNode,
    DraftPage,
    DraftRelation,
    Position,
)
from ragraph.ingest.readers.docling.marks import Decoded, Mark, Marks
from ragraph.schema.enums import ComponentType, ContentNodeType, EmbeddingSource, RelationType

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_PLAIN = frozenset(
    {ContentNodeType.TITLE, ContentNodeType.SUBTITLE, ContentNodeType.HEADING, ContentNodeType.SUBHEADING,
     ContentNodeType.CODE, ContentNodeType.FORMULA, ContentNodeType.PAGE_NUMBER, ContentNodeType.TABLE,
     ContentNodeType.FIGURE}
)  # fmt: skip
_NUMBERED = frozenset({ContentNodeType.TITLE, ContentNodeType.HEADING, ContentNodeType.SUBHEADING})
_MAY_BE_EMPTY = frozenset({ContentNodeType.FIGURE, ContentNodeType.TABLE})


class DraftBuilder:
    """Collects nodes, containers and relations in reading order.

    Args:
        reader: name and version, as in ``Draft.reader``.
        marks: the marks that the texts may contain; a new set by default.
    """

    def __init__(self, reader: str, marks: Marks | None = None) -> None:
        self.reader = reader
        self.marks = marks or Marks()
        self.metadata = DraftMetadata()
        self.pages: list[DraftPage] = []
        self.nodes: list[DraftNode] = []
        self.containers: dict[str, DraftContainer] = {}
        self.relations: list[DraftRelation] = []
        self.warnings: list[str] = []
        self._keys: set[str] = set()
        self._known: set[str] = set()
        self._anchors: list[str] = []

    def key(self, wish: str) -> str:
        """Return the wished key, with a number added if a node has it already."""
        key, count = wish, 1
        while key in self._keys:
            count += 1
            key = f"{wish}/{count}"
        return key

    def container(self, key: str, type: ComponentType, title: str | None = None, parent: str | None = None) -> str:
        """Add a container, unless one with this key exists; return its key. Empty ones are removed in the end."""
        if key not in self.containers:
            title = self.marks.strip(title).strip() if title else None
            self.containers[key] = DraftContainer(key=key, type=type, title=title or None, parent=parent)
        return key

    def node(
        self,
        wish: str,
        type: ContentNodeType,
        text: str = "",
        *,
        container: str | None = None,
        level: int | None = None,
        marker: str | None = None,
        anchors: Iterable[str] = (),
        positions: Sequence[Position] = (),
        description: str | None = None,
        data: dict[str, Any] | None = None,
        picture: Any = None,
    ) -> str | None:
        """Add a node and the relations its marks state; return its key, or None if there was nothing to add.

        A text of white space makes no node; its anchors go to the next one. Marks of kind "type" in the text override
        ``type``, for readers that know better than the converter. Marks of kind "within" put the node, and neighbours
        with the same mark, into a container of that type; those with a label, its number and title with a colon
        between, are nested, the outermost first. A mark of kind "number" is the printed number of the
        node: the marker of a list item, the beginning of a heading.
        """
        stated = {flag.kind: flag for flag in self._flags(text)}
        flags = {name: flag.value for name, flag in stated.items()}
        known = flags.get("type")
        kind = ContentNodeType(known) if known else type
        if "number" in flags and kind is ContentNodeType.LIST_ITEM:
            marker, data = flags["number"], {**(data or {}), "ordered": True}
        elif "number" in flags and kind in _NUMBERED and self.marks.strip(text).strip():
            text = f"{flags['number']}{stated['number'].label}{text.lstrip()}"
        if known and kind is ContentNodeType.FIGURE:
            text, description = "", self.marks.strip(text)
        decoded = self.marks.decode(text, plain=kind in _PLAIN)
        self._anchors += [name for name in (*decoded.anchors, *anchors) if name]
        description = description.strip() if description else None
        if not decoded.text and not (kind in _MAY_BE_EMPTY and (kind is ContentNodeType.FIGURE or data)):
            return None
        key = self.key(wish)
        self._keys.add(key)
        source = EmbeddingSource.TEXT_CONTENT
        if description and kind in _MAY_BE_EMPTY:
            source = EmbeddingSource.DESCRIPTION
        if "within" in flags and stated["within"].label:
            container = self._nested([flag for flag in self._flags(text) if flag.kind == "within"], container)
        elif "within" in flags:
            container = self._run_of(ComponentType(flags["within"]), container)
        is_heading = kind in {ContentNodeType.HEADING, ContentNodeType.SUBHEADING}
        self.nodes.append(
            DraftNode(
                key=key,
                type=kind,
                text=decoded.text,
                level=max(level, 1) if level is not None and is_heading else None,
                container=container,
                anchors=list(dict.fromkeys(self._anchors)),
                marker=marker,
                positions=list(positions),
                description=description,
                embedding_source=source,
                data=data or {},
                picture=picture,
            )
        )
        self._anchors = []
        self._relate(key, decoded)
        return key

    def table(
        self,
        wish: str,
        rows: list[list[str]],
        *,
        header_rows: int = 0,
        limit: int = 200,
        data: dict[str, Any] | None = None,
        **more: Any,
    ) -> list[str]:
        """Add the rows of a table as one TABLE node, or as several of ``limit`` rows; return their keys.

        A further part has only its own rows. The header rows are in its data as "header", for a program that shows it
        alone, so no text is stored twice.
        """
        rows = [row for row in rows if row]
        while rows and not any(self.marks.strip(cell).strip() for cell in rows[-1]):
            rows.pop()
        if not rows:
            return []
        keys = []
        plain = [[self.marks.strip(cell).strip() for cell in row] for row in rows]
        links: list[list[Any]] = [
            [row, column, address]
            for row, cells in enumerate(rows)
            for column, cell in enumerate(cells)
            for address in self.marks.links(cell)
        ]
        for start in range(0, len(rows), limit):
            text = "\n".join(" | ".join(" ".join(cell.split()) for cell in row) for row in rows[start : start + limit])
            own: dict[str, Any] = {"cells": plain[start : start + limit], "header_rows": 0 if start else header_rows}
            if start:
                own |= {"header": plain[:header_rows], "first_row": start}
            own |= {name: value for name, value in (data or {}).items() if name != "spans" or len(rows) <= limit}
            if inside := [[row - start, *rest] for row, *rest in links if start <= row < start + limit]:
                own["links"] = inside
            key = self.node(wish, ContentNodeType.TABLE, text, data=own, **more)
            keys += [key] if key else []
        return keys

    def aside(self, wish: str, type: ContentNodeType, text: str = "", **more: Any) -> list[DraftNode]:
        """Do the same as ``node``, but return the node to be placed later, in a list of one node or none."""
        before = len(self.nodes)
        self.node(wish, type, text, **more)
        made = self.nodes[before:]
        del self.nodes[before:]
        return made

    def place_notes(self, notes: list[DraftNode], following: Mapping[str, list[DraftNode]] | None = None) -> None:
        """Put each note right after the node that refers to it; unreferenced ones, and those in a container, last.

        Args:
            notes: the notes.
            following: further nodes of notes, by the key of their first one, behind which they are put.
        """
        further = following or {}
        waiting = {note.key: note for note in notes if note.container is None}
        by_anchor = {anchor: note.key for note in waiting.values() for anchor in note.anchors}
        calls: dict[str, list[str]] = {}
        for relation in self.relations:
            key = by_anchor.get(relation.anchor or "")
            if relation.type is RelationType.REFERENCES_NOTE and key:
                calls.setdefault(relation.source, []).append(key)
        placed: list[DraftNode] = []

        def place(node: DraftNode) -> None:
            stack = [node]
            while stack:
                current = stack.pop()
                placed.append(current)
                called = [waiting.pop(key) for key in dict.fromkeys(calls.get(current.key, [])) if key in waiting]
                stack += [note.model_copy(update={"container": node.container}) for note in reversed(called)]
                stack += reversed(further.get(current.key, []))

        for node in [*self.nodes, *(note for note in notes if note.container is not None)]:
            place(node)
        for note in notes:
            if note.key in waiting:
                place(waiting.pop(note.key))
        self.nodes = placed

    def relate(
        self, source: str, type: RelationType, *, target: str | None = None, anchor: str | None = None,
        marker: str | None = None, start: int | None = None,
    ) -> None:  # fmt: skip
        """Add a relation, if it is not there yet."""
        relation = DraftRelation(
            source=source, type=type, target=target, anchor=anchor, marker=marker, marker_start=start
        )
        if (known := relation.model_dump_json()) not in self._known:
            self._known.add(known)
            self.relations.append(relation)

    def retype(self, index: int, type: ContentNodeType) -> None:
        """Change the type of the node at this index of the draft."""
        self.nodes[index] = self.nodes[index].model_copy(update={"type": type})

    def describe(self, descriptions: Mapping[str, str]) -> None:
        """Describe figures, by their keys, in words that the file states; own descriptions stay."""
        for index, node in enumerate(self.nodes):
            if (words := descriptions.get(node.key)) and not node.description:
                update = {"description": words, "embedding_source": EmbeddingSource.DESCRIPTION}
                self.nodes[index] = node.model_copy(update=update)

    def draft(self) -> Draft:
        """Return the draft, without empty containers."""
        used: set[str] = set()
        for node in self.nodes:
            key = node.container
            while key is not None and key not in used:
                used.add(key)
                key = self.containers[key].parent
        known = {page.page_pdf for page in self.pages}
        missing = {place.page_pdf for node in self.nodes for place in node.positions} - known
        pages = sorted([*self.pages, *(DraftPage(page_pdf=page) for page in missing)], key=lambda page: page.page_pdf)
        keys = {node.key for node in self.nodes}
        relations = [relation for relation in self.relations if relation.target is None or relation.target in keys]
        metadata = self.metadata
        title = next((node.text for node in self.nodes if node.type is ContentNodeType.TITLE), None)
        if metadata.title is None and title:
            metadata = metadata.model_copy(update={"title": title})
        authors = [node.text for node in self.nodes if node.type is ContentNodeType.AUTHOR]
        if not metadata.authors and authors:
            metadata = metadata.model_copy(update={"authors": authors})
        return Draft(
            reader=self.reader,
            metadata=metadata,
            pages=pages,
            containers=[container for key, container in self.containers.items() if key in used],
            nodes=self.nodes,
            relations=[relation for relation in relations if relation.source in keys],
            warnings=list(dict.fromkeys(self.warnings)),
        )

    def _run_of(self, type: ComponentType, parent: str | None) -> str:
        """Return the container of this type that has the previous node, or else a new one."""
        last = self.containers.get(self.nodes[-1].container or "") if self.nodes else None
        if last is not None and last.type is type and last.parent == parent:
            return last.key
        return self.container(f"{type.value.lower()}/{len(self.nodes)}", type, None, parent)

    def _nested(self, marks: list[Mark], inner: str | None) -> str:
        """Return the container of a node within those of labelled marks; a list around it is put into them."""
        around: list[str] = []
        for mark in dict.fromkeys(marks):
            number, _, title = (mark.label or "").partition(":")
            parent = around[-1] if around else None
            around.append(self.container(f"{mark.value.lower()}/{number}", ComponentType(mark.value), title, parent))
        if inner is None:
            return around[-1]
        top = inner
        while (parent := self.containers[top].parent) is not None:
            top = parent
        if top not in around:
            self.containers[top] = self.containers[top].model_copy(update={"parent": around[-1]})
        return inner

    def _flags(self, text: str) -> list[Any]:
        return [] if text.isascii() else self.marks.decode(text, plain=True).flags

    def _relate(self, key: str, decoded: Decoded) -> None:
        found = [(place, RelationType.REFERENCES_NOTE, place.mark.label) for place in decoded.notes]
        for place in decoded.references:
            cites = place.mark.kind == "cite"
            found.append(
                (
                    place,
                    RelationType.REFERENCES_CITATION if cites else RelationType.CROSS_REFERENCES,
                    place.text or None,
                )
            )
        for place, kind, marker in sorted(found, key=lambda entry: entry[0].start):
            self.relate(key, kind, anchor=place.mark.value or None, marker=marker, start=place.start)
