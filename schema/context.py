"""The result of an expansion: a context of text blocks with their citations."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Any

from ragraph.schema import display
from ragraph.schema.enums import ComponentType, ContentNodeType
from ragraph.schema.page_labels import page_label
from ragraph.schema.results import Citation, Hit, Result, Shown


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextPart(Result):
    """A part of a node in a context.

    Attributes:
        role: ``hit``, or its relation to the hit that brought it: ``node`` (the rest of the hit's own node),
            ``sentence``, ``caption``, ``captioned``, ``note``, ``noted`` (the text that a note belongs to), ``before``,
            ``after``, ``section``, ``supplement``, ``cross_reference``, ``citation``, ``pagerank``.
        of_node_id: the hit that brought it; its own node for a hit.
        score: score of that hit, or of the hits of a merged section their mean; None if the hit has no score.
        hop: number of relations between the hit and this node; 0 if none was followed.
        char_start: start in the text of the document, in characters from 0.
        char_end: end, exclusive.
        text: its text; for a figure without text its description.
        before: text between the previous part and this one: white space, or the sign for text that is left out.
        tokens: number of tokens of its text, counted by the tokenizer of the default embedding model.
        cut: True if the hit was too long for the budget and ends early.
        citation: its citation; the excerpt is its beginning.
        why: scores by feature, which add up to its score, if requested; None for a part that is not a sentence.
    """

    node_id: str
    node_type: ContentNodeType
    role: str
    of_node_id: str
    score: float | None
    hop: int
    char_start: int
    char_end: int
    text: str
    before: str = field(repr=False)
    tokens: int
    cut: bool
    citation: Citation = field(repr=False)
    why: dict[str, float] | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextBlock(Result):
    """Text under one heading, in reading order.

    Attributes:
        title: title of the publication.
        section_path: titles of the sections around the text, outermost first.
        head: lines above the text in the context: the path, and in the first block of a document its title.
        parts: the parts of the text.
        tokens: number of tokens of the text, its head and the signs for gaps.
    """

    document_id: str
    title: str
    section_path: list[str]
    head: list[str]
    parts: tuple[ContextPart, ...]
    tokens: int

    @property
    def text(self) -> str:
        """The text of the block, with a line with an ellipsis for each gap."""
        return "".join(part.before + part.text for part in self.parts)

    @property
    def spans(self) -> list[tuple[int, int]]:
        """Spans in the text of the document, ascending; adjacent parts are one span."""
        spans: list[tuple[int, int]] = []
        for part in self.parts:
            if spans and not part.before.strip():
                spans[-1] = (spans[-1][0], part.char_end)
            else:
                spans.append((part.char_start, part.char_end))
        return spans

    @property
    def node_ids(self) -> list[str]:
        """Ids of the nodes, each once, in reading order."""
        return list(dict.fromkeys(part.node_id for part in self.parts))

    @property
    def citations(self) -> list[Citation]:
        """The citation of each part."""
        return [part.citation for part in self.parts]

    @property
    def pages(self) -> list[int]:
        """Physical pages from 1, ascending."""
        return sorted({page for citation in self.citations for page in citation.pages})

    @property
    def page_label(self) -> str:
        """Pages as a reader cites them, as of ``Citation``; empty without pages."""
        labels = {
            page: label
            for citation in self.citations
            if len(citation.logical_pages) == len(citation.pages)
            for page, label in zip(citation.pages, citation.logical_pages, strict=True)
        }
        return page_label(self.pages, [labels.get(page) for page in self.pages])

    @property
    def boxes(self) -> list[dict[str, Any]]:
        """Bounding boxes of the nodes, in points, origin top left."""
        return list({id_: box for part in self.parts for id_, box in _boxes(part)}.values())

    @property
    def score(self) -> float | None:
        """The highest score of its parts, or None."""
        return max((part.score for part in self.parts if part.score is not None), default=None)

    def to_json(self) -> dict[str, Any]:
        """Return the block in the format that the command line prints."""
        return {
            "document_id": self.document_id,
            "title": self.title,
            "section_path": self.section_path,
            "text": self.text,
            "tokens": self.tokens,
            "score": self.score,
            "char_spans": [list(span) for span in self.spans],
            "pages": self.pages,
            "page_label": self.page_label,
            "boxes": self.boxes,
            "parts": [
                {
                    "node_id": part.node_id,
                    "node_type": part.node_type.value,
                    "role": part.role,
                    "of_node_id": part.of_node_id,
                    "score": part.score,
                    "hop": part.hop,
                    "char_span": [part.char_start, part.char_end],
                    "tokens": part.tokens,
                    "cut": part.cut,
                    "pages": part.citation.pages,
                    **({} if part.why is None else {"why": part.why}),
                }
                for part in self.parts
            ],
        }


def _boxes(part: ContextPart) -> list[tuple[tuple[str, int], dict[str, Any]]]:
    return [((part.node_id, number), box) for number, box in enumerate(part.citation.boxes)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextDocument(Result):
    """The blocks of one document in a context.

    Attributes:
        title: title of the publication.
        authors: authors as in the publication record.
        citation: citation in the publisher's words.
        blocks: blocks in reading order.
    """

    document_id: str
    title: str
    authors: str | None
    publication_date: date | None
    citation: str | None
    uri: str | None
    blocks: tuple[ContextBlock, ...]

    @property
    def source(self) -> str:
        """Authors and year in one line; empty if neither is known."""
        year = f"({self.publication_date.year})" if self.publication_date else ""
        return " ".join(part for part in (self.authors, year) if part)

    def to_json(self) -> dict[str, Any]:
        """Return the document in the format that the command line prints, without its blocks."""
        return {
            "document_id": self.document_id,
            "title": self.title,
            "authors": self.authors,
            "publication_date": self.publication_date and self.publication_date.isoformat(),
            "citation": self.citation,
            "uri": self.uri,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Context(Result):
    """Hits with related text, ready to be read.

    Attributes:
        strategy: the strategy that made it.
        token_budget: maximum number of tokens; None for no limit.
        tokens: number of tokens of text, heading paths, titles and signs for gaps.
        blocks: blocks ordered by the best hit of their document, and within a document by reading order.
        hits_left_out: number of hits that did not fit into the budget.
        confidence: how likely the documents answer the question, from 0 to 1; 0 if nothing was found. None if the hits
            were supplied, in modes ``vector`` and ``graph``, and for other models than the default one.
    """

    strategy: str
    token_budget: int | None
    tokens: int
    blocks: tuple[ContextBlock, ...]
    hits_left_out: int
    confidence: float | None = None

    @property
    def text(self) -> str:
        """The whole context: the title of each document, and for each block the path of headings and the text."""
        return "\n\n".join(
            "\n".join([*block.head, "", block.text]) if block.head else block.text for block in self.blocks
        )

    def __str__(self) -> str:
        """Return the text."""
        return self.text

    def _repr_html_(self) -> str:
        return display.context(self)

    @property
    def citations(self) -> list[Citation]:
        """The citation of each part, in the order of the text."""
        return [citation for block in self.blocks for citation in block.citations]

    @property
    def documents(self) -> list[ContextDocument]:
        """The blocks by document, with the document's metadata, in the order of the text."""
        of: dict[str, list[ContextBlock]] = {}
        for block in self.blocks:
            of.setdefault(block.document_id, []).append(block)
        return [
            ContextDocument(
                document_id=document,
                title=first.title,
                authors=first.authors,
                publication_date=first.publication_date,
                citation=first.citation,
                uri=first.uri,
                blocks=tuple(blocks),
            )
            for document, blocks in of.items()
            for first in (blocks[0].citations[0],)
        ]

    @property
    def cut(self) -> bool:
        """True if not even the best hit fitted, so that it ends early."""
        return any(part.cut for block in self.blocks for part in block.parts)

    def to_json(self) -> dict[str, Any]:
        """Return the context in the format that the command line prints."""
        return {
            "strategy": self.strategy,
            "token_budget": self.token_budget,
            "tokens": self.tokens,
            "cut": self.cut,
            "hits_left_out": self.hits_left_out,
            "confidence": self.confidence,
            "text": self.text,
            "documents": [document.to_json() for document in self.documents],
            "blocks": [block.to_json() for block in self.blocks],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionHit(Result):
    """A section found by a search, with the nodes found in it.

    Attributes:
        document_id: id of its document.
        component_id: id of the section, for ``section=`` of a search and for ``render``.
        component_type: chapter, section, abstract ...
        section_path: titles of the sections down to it, outermost first.
        score: higher is better; comparable within one search.
        hits: the nodes found in it, best first.
    """

    document_id: str
    component_id: str
    component_type: ComponentType
    section_path: list[str]
    score: float
    hits: tuple[Hit, ...]

    def _repr_html_(self) -> str:
        return display.section(self)

    def to_json(self) -> dict[str, Any]:
        """Return the section in the format that the command line prints."""
        return {
            "document_id": self.document_id,
            "component_id": self.component_id,
            "component_type": self.component_type.value,
            "section_path": self.section_path,
            "score": self.score,
            "hits": [hit.to_json() for hit in self.hits],
        }


class SectionHits(Shown[SectionHit]):
    """Sections, best first; a notebook shows each with its hits."""

    def _repr_html_(self) -> str:
        return "".join(display.section(found) for found in self) or "<p>no sections</p>"
