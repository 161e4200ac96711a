"""The context that an expansion gives: blocks of text, each with where it comes from."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Any

from ragraph.schema.enums import ComponentType, ContentNodeType
from ragraph.schema.results import Citation, Hit, Result


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextPart(Result):
    """A stretch of a node in a context.

    Attributes:
        role: ``hit``, or what it is to the hit that brought it: ``node`` (the rest of the hit's own node),
            ``sentence``, ``caption``, ``captioned``, ``note``, ``noted`` (the text that a note belongs to), ``before``,
            ``after``, ``section``, ``supplement``, ``cross_reference``, ``citation``, ``pagerank``.
        of_node_id: the hit that brought it; its own node for a hit.
        score: of that hit; for a section that was merged, the mean of its hits; None if the hit had none.
        hop: relations between the hit and this node; 0 if none was followed.
        char_start: start in the text of the document, in characters from 0.
        char_end: end of it, exclusive.
        text: its words; for a figure without words its description.
        before: what stands between it and the part before: white space, or the sign that text is left out.
        tokens: of its words, counted by the tokenizer of the default embedding model.
        cut: whether the hit was too long for the budget and ends early.
        citation: where it stands; the excerpt is its beginning.
        why: what it got for what, which add up to its score, where that was asked for; None for what is no sentence.
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
        head: lines above the text in the context: the title, in the first block of a document, and the path.
        parts: what it holds.
        tokens: of the text, its head and the signs for gaps.
    """

    document_id: str
    title: str
    section_path: list[str]
    head: list[str]
    parts: tuple[ContextPart, ...]
    tokens: int

    @property
    def text(self) -> str:
        """The text of the block; a line with an ellipsis where some is left out."""
        return "".join(part.before + part.text for part in self.parts)

    @property
    def spans(self) -> list[tuple[int, int]]:
        """Spans in the text of the document, ascending; what follows on each other is one."""
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
        """A citation for each part."""
        return [part.citation for part in self.parts]

    @property
    def pages(self) -> list[int]:
        """Physical pages from 1, ascending."""
        return sorted({page for citation in self.citations for page in citation.pages})

    @property
    def page_label(self) -> str:
        """Pages as a reader quotes them; empty without pages."""
        labels = {
            page: label
            for citation in self.citations
            for page, label in zip(
                citation.pages,
                citation.logical_pages if len(citation.logical_pages) == len(citation.pages) else citation.pages,
                strict=True,
            )
        }
        if not labels:
            return ""
        first, last = labels[min(labels)], labels[max(labels)]
        return f"p. {first}" if first == last else f"pp. {first}-{last}"

    @property
    def boxes(self) -> list[dict[str, Any]]:
        """Boxes of the nodes, in points, origin top left."""
        return list({id_: box for part in self.parts for id_, box in _boxes(part)}.values())

    @property
    def score(self) -> float | None:
        """The best score of its parts."""
        return max((part.score for part in self.parts if part.score is not None), default=None)

    def to_json(self) -> dict[str, Any]:
        """Return the block in the form the command line prints."""
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
    """What one document says in a context.

    Attributes:
        title: title of the publication.
        authors: as the publication names them.
        citation: how the publication says that it is to be cited.
        blocks: in reading order.
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
        """Who said it and when, in one line; empty where neither is known."""
        year = f"({self.publication_date.year})" if self.publication_date else ""
        return " ".join(part for part in (self.authors, year) if part)

    def to_json(self) -> dict[str, Any]:
        """Return the document in the form the command line prints, without its blocks."""
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
    """Hits with what belongs to them, ready to be read.

    Attributes:
        strategy: how it was put together.
        token_budget: how many tokens it may have; None = no limit.
        tokens: how many it has: text, heading paths, titles and signs for gaps.
        blocks: in order of documents by their best hit, and of reading within each.
        hits_left_out: hits that the budget had no room for.
    """

    strategy: str
    token_budget: int | None
    tokens: int
    blocks: tuple[ContextBlock, ...]
    hits_left_out: int

    @property
    def text(self) -> str:
        """The whole context: for each document its title, for each block the path of headings and the text."""
        return "\n\n".join(
            "\n".join([*block.head, "", block.text]) if block.head else block.text for block in self.blocks
        )

    def __str__(self) -> str:
        """Return the text."""
        return self.text

    @property
    def citations(self) -> list[Citation]:
        """A citation for each part, in the order of the text."""
        return [citation for block in self.blocks for citation in block.citations]

    @property
    def documents(self) -> list[ContextDocument]:
        """What each document says, with who said it, side by side, in the order of the text."""
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
        """Whether not even the best hit fitted, and ends early."""
        return any(part.cut for block in self.blocks for part in block.parts)

    def to_json(self) -> dict[str, Any]:
        """Return the context in the form the command line prints."""
        return {
            "strategy": self.strategy,
            "token_budget": self.token_budget,
            "tokens": self.tokens,
            "cut": self.cut,
            "hits_left_out": self.hits_left_out,
            "text": self.text,
            "documents": [document.to_json() for document in self.documents],
            "blocks": [block.to_json() for block in self.blocks],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionHit(Result):
    """A section that a search found, by the nodes found in it.

    Attributes:
        document_id: its document.
        component_id: the section; what ``section=`` of a search, and ``render`` take.
        component_type: chapter, section, abstract ...
        section_path: titles down to it, outermost first.
        score: higher is better; comparable within one search.
        hits: the nodes found in it, best first.
    """

    document_id: str
    component_id: str
    component_type: ComponentType
    section_path: list[str]
    score: float
    hits: tuple[Hit, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the section in the form the command line prints."""
        return {
            "document_id": self.document_id,
            "component_id": self.component_id,
            "component_type": self.component_type.value,
            "section_path": self.section_path,
            "score": self.score,
            "hits": [hit.to_json() for hit in self.hits],
        }
