"""The tools that read: lists, outline, search, sections, pages, related passages, citations, pictures.

``max_chars`` limits the text; the cursor of the result continues a longer one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from ragraph.base.arguments import text
from ragraph.errors import ArgumentError
from ragraph.retrieval.pages import page_named
from ragraph.retrieval.parameters import conditions, style_name
from ragraph.schema.enums import FURNITURE, ContentNodeType, RelationType
from ragraph.schema.pictures import Picture
from ragraph.search import SearchOptions
from ragraph.tools.bodies import (
    Block,
    CitationBody,
    ContextText,
    Documents,
    EntityBody,
    Entry,
    Found,
    Hits,
    Listed,
    Outline,
    PageImage,
    PageText,
    Passage,
    Place,
    Text,
    Tie,
    Ties,
)
from ragraph.tools.bounds import (
    between,
    boxed,
    chars_of,
    cursor_of,
    pages_of,
    passages_from,
    shortened,
    span_of,
    words_of,
)
from ragraph.tools.scope import dated, description, searching

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragraph.schema.results import Node, TocEntry
    from ragraph.tools.readable import Readable

CHARS = 12_000
_DOCUMENTS = 200
"""Maximum number of documents in one answer of ``outline``."""
_SECTIONS = 30
"""Maximum number of sections of a document among the contents of the library; its own outline has all of them."""
_PART = 300
"""Minimum number of characters per passage if several passages share the limit."""

OneDocument = Annotated[str, Field(description="Id of a document.")]
OneNode = Annotated[str, Field(description="Id of a passage.")]
Collection = Annotated[str | None, Field(description=description("collection"))]
Condition = Annotated[dict[str, Any] | str | None, Field(description=description("filter"))]
Chars = Annotated[int, Field(description="Characters at most.")]
Cursor = Annotated[str | None, Field(description="next_cursor of the last result.")]


class ReadingTools:
    """The tools that read from a store; a model is given their names, arguments and descriptions."""

    def __init__(self, store: Readable) -> None:
        self._store = store

    def list_documents(
        self,
        collection: Collection = None,
        filter: Condition = None,
        limit: Annotated[int, Field(description="Up to 200 documents.")] = 50,
        cursor: Cursor = None,
    ) -> Documents:
        """List the documents of the store: ids, titles, authors, dates."""
        most, offset = between("limit", limit, 1, 200), cursor_of(cursor)[0]
        found = self._store.documents(collection=collection, filter=conditions(filter), limit=most + 1, offset=offset)
        listed = [
            Listed(
                document_id=item.id,
                title=item.title,
                authors=item.authors,
                publication_date=item.publication_date.isoformat() if item.publication_date else None,
                collection=item.collection,
                language=item.language,
                mime_type=item.mime_type,
                pages=item.page_count,
            )
            for item in found[:most]
        ]
        return Documents(documents=listed, next_cursor=str(offset + most) if len(found) > most else None)

    @dated
    def outline(
        self,
        document: Annotated[str | None, Field(description="Id; without it, the library.")] = None,
        depth: Annotated[int | None, Field(description="Up to this level; 1 is the top.")] = None,
        max_chars: Chars = CHARS,
        cursor: Cursor = None,
    ) -> Outline:
        """Show the table of contents of a document: sections with ids, titles and pages; or the documents."""
        room, first = chars_of(max_chars), cursor_of(cursor)[0]
        most = 100 if depth is None else between("depth", depth, 1, 100)
        if document is None:
            return self._contents(1 if depth is None else most, room, first)
        title = self._store.document(document).document.title
        sections: list[Entry] = []
        following: str | None = None
        shown = [(entry, level) for entry, level in _titled(self._store.toc(document)) if level <= most]
        for place, (entry, level) in enumerate(shown[first:], first):
            room -= len(entry.title or "") + 60
            if room < 0 and sections:
                following = str(place)
                break
            sections.append(_entry(entry, level))
        return Outline(document_id=document, title=title, sections=sections, next_cursor=following)

    def _contents(self, depth: int, room: int, first: int) -> Outline:
        """Return the documents of the store as an outline, with their sections as far as the depth asks for."""
        found = self._store.documents(limit=_DOCUMENTS + 1, offset=first)
        entries: list[Entry] = []
        following: str | None = None
        for place, item in enumerate(found):
            pages = span_of(1, item.page_count) if item.page_count else ""
            made = [Entry(section_id=item.id, title=item.title, type="DOCUMENT", depth=1, pages=pages)]
            toc = self._store.toc(item.id) if depth > 1 else []
            shown = [(entry, level) for entry, level in _titled(toc) if level < depth]
            made += [_entry(entry, level + 1) for entry, level in shown[:_SECTIONS]]
            room -= sum(len(one.title or "") + 60 for one in made)
            if entries and (room < 0 or place == _DOCUMENTS):
                following = str(first + place)
                break
            entries += made
        return Outline(document_id=None, title="Library", sections=entries, next_cursor=following)

    @dated
    @searching
    def search(
        self,
        query: Annotated[str, Field(description='Words to look for; "a phrase" and -without are supported.')],
        k: Annotated[int, Field(description="Up to 100 passages.")] = 10,
        *,
        options: SearchOptions,
        max_chars: Chars = CHARS,
    ) -> Hits:
        """Find passages in the store, or within documents, sections or pages; best first, each with its place."""
        room = chars_of(max_chars)
        hits = self._store.search(query, between("k", k, 1, 100), **options) if self._filled() else []
        share = max(_PART, room // max(1, len(hits)))
        found = []
        for hit in hits:
            words, cut = shortened(hit.content if len(hit.content) <= share else hit.citation.excerpt, share)
            found.append(
                Found(
                    document_id=hit.document_id,
                    node_id=hit.node_id,
                    type=hit.node_type.value,
                    score=hit.score,
                    relevance=hit.relevance,
                    source=str(hit.citation),
                    section_path=hit.citation.section_path,
                    pages=hit.citation.pages,
                    text=words,
                    published=hit.citation.publication_date and hit.citation.publication_date.isoformat(),
                    cut=cut or len(words) < len(hit.content),
                )
            )
        return Hits(hits=found)

    @dated
    @searching
    def context(
        self,
        query: Annotated[str, Field(description="A question, in words.")],
        budget: Annotated[int, Field(description="Up to 20,000 tokens of text.")] = 2000,
        *,
        options: SearchOptions,
    ) -> ContextText:
        """Get the text of the store about a question, within a budget of tokens: the sentences that are about it."""
        most = between("budget", budget, 50, 20_000)
        if not self._filled():
            text("query", query)
            return ContextText(blocks=[], tokens=0, hits_left_out=0)
        found = self._store.context(query, most, **options)
        blocks = []
        for block in found.blocks:
            path = " > ".join([block.title, *block.section_path])
            source = f"{path}, {block.page_label}" if block.page_label else path
            blocks.append(
                Block(
                    document_id=block.document_id,
                    source=source,
                    pages=block.pages,
                    node_ids=block.node_ids,
                    text=block.text,
                )
            )
        return ContextText(blocks=blocks, tokens=found.tokens, hits_left_out=found.hits_left_out)

    @dated
    def read_section(
        self,
        document: OneDocument,
        section: Annotated[
            str | None,
            Field(description="Id, title or number, as of outline; omit it for the whole document."),
        ] = None,
        max_chars: Chars = CHARS,
        cursor: Cursor = None,
    ) -> Text:
        """Read a section with everything below it, or a complete document, passage by passage in reading order."""
        room, start = chars_of(max_chars), cursor_of(cursor)
        nodes = self._text_of(document, self._store.nodes(document, section))
        passages, following = passages_from(nodes, room, start)
        path = self._path(document, passages)
        return Text(document_id=document, section_path=path, passages=passages, next_cursor=following)

    @dated
    def read_page(
        self,
        document: OneDocument,
        page: Annotated[int | str, Field(description='Physical page from 1, or text as printed: "9".')],
        max_chars: Chars = CHARS,
        cursor: Cursor = None,
    ) -> PageText:
        """Read a page passage by passage, by its physical or its printed number."""
        room, start = chars_of(max_chars), cursor_of(cursor)
        pages = self._store.pages(document)
        wanted = page_named(document, text("page", str(page)), pages, printed=isinstance(page, str))
        here = next(item for item in pages if wanted in (item.page_pdf, item.page_logical))
        nodes = self._store.page(document, wanted)
        passages, following = passages_from(self._text_of(document, nodes), room, start)
        return PageText(
            document_id=document,
            section_path=self._path(document, passages),
            passages=passages,
            next_cursor=following,
            page=here.page_pdf,
            printed=here.page_logical,
            page_count=len(pages),
            doubt=here.doubt,
        )

    @dated
    def follow(
        self,
        document: OneDocument,
        node: OneNode,
        relation: Annotated[
            str | list[str] | None,
            Field(description=f"Only {', '.join(RelationType)}."),
        ] = None,
        direction: Annotated[
            Literal["out", "in", "both"], Field(description="out: what it refers to; in: what refers to it.")
        ] = "both",
        hops: Annotated[int, Field(description="Up to 5 relations away.")] = 1,
        max_chars: Chars = CHARS,
    ) -> Ties:
        """Follow the relations of a passage in both directions: notes, captions, sources, other sections."""
        room, most = chars_of(max_chars), between("hops", hops, 1, 5)
        ways: tuple[Literal["out", "in"], ...] = ("out", "in") if direction == "both" else (direction,)
        reached = [
            (way, item)
            for way in ways
            for item in self._store.related(document, node, types=relation, direction=way, max_hops=most)
        ]
        shown = reached[: max(1, room // _PART)]
        share = max(_PART, room // max(1, len(shown)))
        ties = []
        for way, item in shown:
            words, cut = shortened(words_of(item.node), share)
            ties.append(
                Tie(
                    relation=item.relation_type.value,
                    direction=way,
                    marker=item.marker_text,
                    hops=item.hop,
                    node_id=item.node.id,
                    type=item.node.content_node_type.value,
                    pages=pages_of(item.node),
                    text=words,
                    cut=cut,
                )
            )
        return Ties(document_id=document, node_id=node, related=ties, left_out=len(reached) - len(shown))

    def entity(
        self,
        name: Annotated[str, Field(description="Name, alias or identity: an acronym, a term, a person.")],
        document: Annotated[str | None, Field(description="Only mentions in this document.")] = None,
        limit: Annotated[int, Field(description="Up to 100 mentions.")] = 10,
    ) -> EntityBody:
        """Look up an acronym, term or name: what it stands for, and where documents define and mention it."""
        found, most = self._store.entity(text("name", name), document=document), between("limit", limit, 1, 100)
        mentions = sorted(
            self._store.mentions(found.identity, document=document), key=lambda mention: not mention.defines
        )
        places = [
            Place(
                document_id=mention.document_id,
                node_id=mention.node_id,
                source=str(mention.citation),
                text=mention.citation.excerpt,
                defines=mention.defines,
            )
            for mention in mentions[:most]
        ]
        return EntityBody(
            name=found.name,
            identity=found.identity,
            kinds=found.kinds,
            aliases=found.aliases,
            documents=found.documents,
            mentions=found.mentions,
            places=places,
            left_out=len(mentions) - len(places),
        )

    @dated
    def cite(
        self,
        document: OneDocument,
        node: OneNode,
        quote: Annotated[
            str | None, Field(description="Words copied from the passage; refused if it does not contain them.")
        ] = None,
        style: Annotated[str, Field(description="Name of a CSL style: apa, ieee, chicago-author-date ...")] = "apa",
    ) -> CitationBody:
        """Cite a passage, or words of it: section, pages and boxes, and the citation in a style."""
        cited = self._store.cite(document, node) if quote is None else self._store.quote(document, node, quote)
        printed = self._store.format_citations([cited], style=style_name(text("style", style)))
        return CitationBody(citation=cited.to_json(), inline=printed.inline[0], bibliography=printed.bibliography)

    @dated
    def page_image(
        self,
        document: OneDocument,
        page: Annotated[int, Field(description="Physical page, from 1.")],
        highlight: Annotated[
            list[str] | None, Field(description="Ids of up to 100 passages to draw a box around.")
        ] = None,
        scale: Annotated[float, Field(description="Pixels per point, 0.2 to 4.")] = 1.5,
    ) -> tuple[PageImage, Picture]:
        """Look at a page as it was printed: layout, figures, tables."""
        between("scale", scale, 0.2, 4)
        marked = list(dict.fromkeys(highlight or []))
        if len(marked) > 100:
            raise ArgumentError(f"{len(marked)} passages are to be highlighted", hint="give at most 100")
        picture = self._store.page_image(document, page, scale)
        boxes: list[dict[str, float]] = []
        drawn = []
        for node in marked:
            places = [
                place["bbox"]
                for place in self._store.cite(document, node).boxes
                if place.get("bbox") and place["page_pdf"] == page
            ]
            boxes += places
            drawn += [node] if places else []
        if boxes:
            picture = boxed(picture, boxes, scale)
        shown = PageImage(
            document_id=document,
            page=page,
            width=picture.width,
            height=picture.height,
            media_type=picture.media_type,
            highlighted=drawn,
        )
        return shown, picture

    def _filled(self) -> bool:
        """Return True if the store has documents; an empty store has no model to search with either."""
        return bool(self._store.documents(limit=1))

    def _text_of(self, document: str, nodes: Sequence[Node]) -> list[Node]:
        """Return the nodes of the text: without running heads, running feet and page numbers."""
        furniture = {entry.component_id for entry in self._store.toc(document) if entry.component_type in FURNITURE}
        return [
            node
            for node in nodes
            if node.parent_component_id not in furniture and node.content_node_type is not ContentNodeType.PAGE_NUMBER
        ]

    def _path(self, document: str, passages: Sequence[Passage]) -> list[str]:
        return self._store.cite(document, passages[0].node_id).section_path if passages else []


def _entry(entry: TocEntry, depth: int) -> Entry:
    return Entry(
        section_id=entry.component_id,
        title=entry.title,
        type=entry.component_type.value,
        depth=depth,
        pages=span_of(entry.first_page, entry.last_page),
    )


def _titled(entries: Sequence[TocEntry]) -> Iterator[tuple[TocEntry, int]]:
    """Yield the sections that have a title, each with its depth among those, from 1."""
    around: list[bool] = []
    for entry in entries:
        del around[entry.depth :]
        titled = bool(entry.title) and entry.component_type not in FURNITURE
        around.append(titled)
        if titled:
            yield entry, sum(around)
