"""The analysed pages as a draft: nodes with boxes, page furniture in its containers, relations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ragraph.ingest.draft import (
    Box as DraftBox,
)
from ragraph.ingest.draft import (
    Draft,
    DraftContainer,
    DraftMetadata,
    DraftNode,
    DraftPage,
    DraftRelation,
    Position,
    clean_text,
)
from ragraph.pdf.model import Block, Kind
from ragraph.pdf.stated.bylines import authors_on
from ragraph.pdf.stated.facts import language_of
from ragraph.pdf.stated.fronts import authors_of, date_of
from ragraph.pdf.stated.parties import cited_title
from ragraph.pdf.stated.titles import stated_title
from ragraph.pdf.text import Mark, block_text, grid_text
from ragraph.schema.enums import ComponentType, ContentNodeType, EmbeddingSource, RelationType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.base.hyphens import Vocabulary
    from ragraph.pdf.model import Page
    from ragraph.pdf.notes.marks import NoteMark
    from ragraph.pdf.stated.facts import Facts

TYPES = {
    Kind.TEXT: ContentNodeType.PARAGRAPH,
    Kind.HEADING: ContentNodeType.HEADING,
    Kind.TITLE: ContentNodeType.TITLE,
    Kind.LIST_ITEM: ContentNodeType.LIST_ITEM,
    Kind.CAPTION: ContentNodeType.CAPTION,
    Kind.NOTE: ContentNodeType.NOTE,
    Kind.TABLE: ContentNodeType.TABLE,
    Kind.FIGURE: ContentNodeType.FIGURE,
    Kind.FORMULA: ContentNodeType.FORMULA,
    Kind.CODE: ContentNodeType.CODE,
    Kind.ENTRY: ContentNodeType.BIBLIOGRAPHIC_ENTRY,
    Kind.CONTENTS: ContentNodeType.LIST_ITEM,
    Kind.SIDE: ContentNodeType.PARAGRAPH,
    Kind.HEADER: ContentNodeType.PARAGRAPH,
    Kind.FOOTER: ContentNodeType.PARAGRAPH,
    Kind.PAGE_NUMBER: ContentNodeType.PAGE_NUMBER,
}
"""The type of the node that a block becomes."""
_DESCRIBED = {Kind.FIGURE, Kind.TABLE, Kind.FORMULA}
_LISTED = {Kind.LIST_ITEM, Kind.CONTENTS}
_AROUND_LABEL = "[]().,: "
"""Signs around a label that are no part of it."""


class _Drafter:
    """Collects the nodes page by page."""

    def __init__(self, pages: list[Page], facts: Facts, marks: Sequence[NoteMark], vocabulary: Vocabulary) -> None:
        self.pages, self.facts, self.vocabulary = pages, facts, vocabulary
        self.size = {page.number: _size(page) for page in pages}
        self.turns = {page.number: page.turn for page in pages}
        self.doubts = {page.number: page.doubt for page in pages}
        self.containers: list[DraftContainer] = []
        self.nodes: list[DraftNode] = []
        self.relations: list[DraftRelation] = []
        self.keys: dict[int, str] = {}
        self.marks: dict[int, list[NoteMark]] = {}
        for mark in marks:
            self.marks.setdefault(id(mark.word), []).append(mark)
        self.found: list[tuple[str, NoteMark, int]] = []
        self.numbered: dict[str, int] = {}

    def run(self) -> None:
        """Add everything in reading order."""
        items = around = frame = None
        for page in self.pages:
            self._furniture(page, Kind.HEADER)
            for block in page.blocks:
                if block.frame != frame:
                    frame, items = block.frame, None
                    around = self._container(f"box-{page.number}", ComponentType.TEXT_BOX) if frame else None
                if block.kind in _LISTED:
                    items = items or self._container(f"list-{page.number}", ComponentType.LIST, around)
                elif block.kind not in {Kind.NOTE, Kind.FIGURE, Kind.CAPTION, Kind.SIDE}:
                    items = None
                container = items if block.kind in _LISTED else around
                if block.kind is Kind.SIDE and frame is None:
                    container = self._container(f"box-{page.number}", ComponentType.TEXT_BOX)
                self._node(block, container)
            self._furniture(page, Kind.FOOTER)
        self._relate()

    def _container(self, wish: str, type: ComponentType, parent: str | None = None) -> str:
        count = self.numbered[wish] = self.numbered.get(wish, 0) + 1
        key = wish if count == 1 else f"{wish}-{count}"
        self.containers.append(DraftContainer(key=key, type=type, parent=parent))
        return key

    def _furniture(self, page: Page, kind: Kind) -> None:
        blocks = [block for block in page.furniture if block.group == kind.value]
        if not blocks:
            return
        matter = ComponentType.HEADER if kind is Kind.HEADER else ComponentType.FOOTER
        key = self._container(f"{kind.value}-{page.number}", matter)
        for block in sorted(blocks, key=lambda block: (round(block.top / 4), block.left)):
            self._node(block, key)

    def _node(self, block: Block, container: str | None) -> None:
        left_out = self._left_out(block)
        text, marks = block_text(block, self.vocabulary, left_out)
        if not text and left_out:  # a mark or a number alone, whose text is blacked out
            text, _ = block_text(block, self.vocabulary)
        text = clean_text(text)
        data: dict[str, Any] = {}
        if block.kind is Kind.TABLE and block.grid is not None:
            cells, text, marks = grid_text(block.grid, self.vocabulary, left_out)
            data = {"cells": cells, "header_rows": block.grid.header_rows}
            if block.grid.doubts:
                data["doubt"] = [list(place) for place in block.grid.doubts]
            if block.grid.spans:
                data["spans"] = [[*place, *size] for place, size in sorted(block.grid.spans.items())]
        if not text and block.kind is not Kind.FIGURE:
            return
        if block.comment is not None:
            author = {"author": block.comment.author} if block.comment.author else {}
            data["comment"] = {"kind": block.comment.kind, **author}
        if block.kind is Kind.HEADING and block.claims:
            data["claims"] = block.claims
        # a table has its own; what goes over pages that of the worst
        doubts = [block.doubt] if block.doubt is not None else [self.doubts[page] for page, _ in block.parts]
        data |= {"fault": max(known)} if (known := [doubt for doubt in doubts if doubt is not None]) else {}
        description = block.region.description if block.region is not None and block.kind in _DESCRIBED else None
        number = self.numbered["node"] = self.numbered.get("node", 0) + 1
        key = f"p{block.page}-{number}"
        self.keys[id(block)] = key
        self.nodes.append(
            DraftNode(
                key=key,
                type=TYPES[block.kind],
                text=text,
                level=block.level if block.kind is Kind.HEADING else None,
                container=container,
                marker=block.marker,
                positions=[self._position(page, box) for page, box in block.parts],
                description=description,
                embedding_source=EmbeddingSource.DESCRIPTION if description else EmbeddingSource.TEXT_CONTENT,
                data=data,
            )
        )
        self._note_marks(key, marks)

    def _left_out(self, block: Block) -> set[int]:
        """Return the words of a block that are not text: marks of notes, its own marker."""
        out = {id(word) for line in block.lines for word in line.words if id(word) in self.marks}
        first = block.lines[0].words[0] if block.lines else None
        if first is not None and block.marker and block.kind in {Kind.NOTE, Kind.LIST_ITEM, Kind.ENTRY}:
            words = block.lines[0].words
            marker, label = "".join(block.marker.split()).strip(_AROUND_LABEL), ""
            for word in words[:-1] or words:
                label += word.text
                if marker.startswith(label.strip(_AROUND_LABEL)) or label == block.marker:
                    out.add(id(word))
                if label.strip(_AROUND_LABEL) == marker:
                    break
        return out

    def _note_marks(self, key: str, marks: Sequence[Mark]) -> None:
        for start, word in marks:
            self.found += [(key, mark, start) for mark in self.marks.get(id(word), ())]

    def _relate(self) -> None:
        for source, mark, start in self.found:
            entry = mark.note.kind is Kind.ENTRY
            self._relation(
                source,
                RelationType.REFERENCES_CITATION if entry else RelationType.REFERENCES_NOTE,
                self.keys.get(id(mark.note)),
                mark.label,
                start,
            )
        for block in (block for page in self.pages for block in page.blocks):
            if block.about is not None and id(block.about) in self.keys and id(block) in self.keys:
                self._relation(self.keys[id(block.about)], RelationType.REFERENCES_NOTE, self.keys[id(block)])
            if block.caption is not None and id(block) in self.keys and id(block.caption) in self.keys:
                self._relation(self.keys[id(block)], RelationType.IS_CAPTIONED_BY, self.keys[id(block.caption)])

    def _relation(
        self, source: str, kind: RelationType, target: str | None, marker: str | None = None, start: int | None = None
    ) -> None:
        self.relations.append(DraftRelation(source=source, type=kind, target=target, marker=marker, marker_start=start))

    def _position(self, page: int, box: tuple[float, float, float, float]) -> Position:
        width, height = self.size[page]
        turn = self.turns[page]
        left, top, right, bottom = turn.box(box) if turn else box
        placed = DraftBox(
            x1=round(min(max(left, 0.0), width), 2),
            y1=round(min(max(top, 0.0), height), 2),
            x2=round(min(max(right, 0.0), width), 2),
            y2=round(min(max(bottom, 0.0), height), 2),
        )
        return Position(page_pdf=page, page_logical=self._label(page), bbox=placed)

    def _label(self, page: int) -> str | None:
        labels = self.facts.labels
        return (labels[page - 1] or None) if page <= len(labels) else None


def _size(page: Page) -> tuple[float, float]:
    """Return width and height of a page as the file has it."""
    return (page.turn.width, page.turn.height) if page.turn else (page.width, page.height)


def make_draft(
    reader: str,
    pages: list[Page],
    facts: Facts,
    marks: Sequence[NoteMark],
    vocabulary: Vocabulary,
    warnings: list[str],
    made_by: dict[str, Any],
) -> Draft:
    """Return the draft of the analysed pages.

    Args:
        reader: name and version of the reader.
        pages: with furniture and blocks in reading order.
        facts: what the file says of itself.
        marks: the marks of notes found in the text.
        vocabulary: of the document, for hyphenation.
        warnings: lines for the user.
        made_by: the engines that worked on the file.
    """
    drafter = _Drafter(pages, facts, marks, vocabulary)
    drafter.run()
    labels = facts.labels
    return Draft(
        reader=reader,
        metadata=_metadata(
            facts,
            pages,
            language_of(facts.language, (word.text for page in pages for word in page.words)),
        ),
        pages=[
            DraftPage(
                page_pdf=page.number,
                page_logical=(labels[page.number - 1] or None) if page.number <= len(labels) else None,
                width=round(_size(page)[0], 2) or None,
                height=round(_size(page)[1], 2) or None,
                doubt=page.doubt,
            )
            for page in pages
        ],
        containers=drafter.containers,
        nodes=drafter.nodes,
        relations=drafter.relations,
        warnings=warnings,
        made_by=made_by,
    )


def _metadata(facts: Facts, pages: Sequence[Page], language: str | None) -> DraftMetadata:
    stated = facts.metadata
    first = pages[0] if pages and pages[0].number == 1 else None
    blocks = [*first.blocks, *first.furniture] if first is not None else []
    printed = next((block.text for page in pages for block in page.blocks if block.kind is Kind.TITLE), "")
    title = stated_title(stated.get("Title", ""), pages, printed)
    cited = cited_title(title or printed, pages)
    programs = (stated.get("Creator", ""), stated.get("Producer", ""))
    authors: list[str] = []
    if cited is None:  # a company or parties are behind a form or a contract, and no author
        authors = authors_on(pages) or authors_of(stated.get("Author", ""), pages, programs)
    return DraftMetadata(
        title=cited or title,
        authors=authors,
        publication_date=date_of((line.text for block in blocks for line in block.lines), facts.created),
        language=language,
        extra={key: stated[key] for key in ("Subject", "Keywords", "Creator", "Producer") if stated.get(key)},
    )
