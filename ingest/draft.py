"""What a reader hands over: the draft of a document, in the file's own terms and in reading order.

A draft is plain data that travels as JSON from the reader's process to the ingester, so it is also the
one gate where text is cleaned: NUL bytes, lone surrogates and other control characters, which neither
UTF-8 nor PostgreSQL can hold, never get past it.
"""

from __future__ import annotations

import re
from array import array
from datetime import date
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    FiniteFloat,
    PlainSerializer,
    WrapValidator,
)
from pydantic_core import PydanticCustomError

from ragraph.base.labels import check_id, clean_tag
from ragraph.errors import ArgumentError
from ragraph.schema.enums import ComponentType, ContentNodeType, EmbeddingSource, RelationType

if TYPE_CHECKING:
    from collections.abc import Callable

_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


def clean_text(value: Any) -> Any:
    """Return text without what PostgreSQL refuses; line ends become line feeds; other values pass as they are."""
    if not isinstance(value, str):
        return value
    return _CONTROL.sub("", value.replace("\r\n", "\n").replace("\r", "\n").replace("\x0c", "\n"))


def _clean_json(value: Any) -> Any:
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, list | tuple):
        return [_clean_json(item) for item in value]
    if isinstance(value, dict):
        return {clean_text(key): _clean_json(item) for key, item in value.items()}
    return value


def _told(check: Callable[[str], str]) -> Callable[[str], str]:
    """Return a check of a name whose refusal pydantic reports with the place."""

    def checked(value: str) -> str:
        try:
            return check(value)
        except ArgumentError as error:
            raise PydanticCustomError("name", "{told}", {"told": str(error)}) from None

    return checked


CleanText = Annotated[str, BeforeValidator(clean_text)]
"""Text that PostgreSQL takes."""

GivenId = Annotated[CleanText, AfterValidator(_told(check_id))]
"""What somebody calls a document or a publication."""

Tag = Annotated[CleanText, AfterValidator(_told(clean_tag))]
"""A label of a publication."""

CleanJson = Annotated[dict[str, Any], BeforeValidator(_clean_json)]
"""A JSON object whose strings PostgreSQL takes."""


def _numbers(value: Any) -> Any:
    """Arrays as lists; pairs of name and numbers, which Parquet has for maps, as a mapping."""
    if isinstance(value, list) and all(isinstance(item, tuple) and len(item) == 2 for item in value):
        value = dict(value)
    if not isinstance(value, dict):
        return value
    return {name: item.tolist() if hasattr(item, "tolist") else item for name, item in value.items()}


def _packed(value: Any, whole: Callable[[Any], list[float]]) -> array[float]:
    return array("d", whole(value))


def _plain(value: Any) -> list[float]:
    """Numbers that a copy or an assignment put in place of the array do as well."""
    return [float(number) for number in value]


Numbers = Annotated[list[FiniteFloat], WrapValidator(_packed), PlainSerializer(_plain, return_type=list[float])]
"""Numbers as an ``array.array``: a quarter of the memory of a list, and numpy reads it without looking at each."""

GivenVectors = Annotated[dict[CleanText, Numbers], BeforeValidator(_numbers)]
"""Vectors by the name of their model; arrays of numpy do as well."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Box(_Model):
    """A rectangle on a page in points, origin top left, ``x1 <= x2`` and ``y1 <= y2``."""

    x1: float
    y1: float
    x2: float
    y2: float


class Position(_Model):
    """One place of a node: a page, counted from 1, and a box on it if the format knows one."""

    page_pdf: int = Field(ge=1)
    page_logical: CleanText | None = None
    bbox: Box | None = None


class DraftPage(_Model):
    """A physical page: number from 1, label if the file states one, size in points."""

    page_pdf: int = Field(ge=1)
    page_logical: CleanText | None = None
    width: float | None = None
    height: float | None = None


class DraftContainer(_Model):
    """A container that the format itself states: a section, list, box, header, bibliography ...

    ``parent`` is the key of the container around it, null at the top. Formats that only have headings
    state none for sections; stage two makes those from the headings.
    """

    key: CleanText
    type: ComponentType
    title: CleanText | None = None
    parent: CleanText | None = None


class DraftNode(_Model):
    """A content node. Drafts list them in reading order.

    Attributes:
        key: name of the node within the draft, unique; relations refer to it.
        type: what the node is.
        text: its text, inline markup (bold, italic, links) as markdown; markers of notes that are set as
            superscripts are left out and kept on the relation, bracketed markers stay in the text.
        level: of a HEADING or SUBHEADING, its level from 1, if the format states or implies one.
        container: key of the innermost container stated by the format; null at the top.
        anchors: names by which the format refers to the node (XML ids, HTML ids, bookmarks).
        marker: of a note, list item or bibliographic entry, its own marker or number as printed ("1", "[22]", "a.");
            of a title the sign in front of it ("☐").
        positions: pages and boxes, in reading order; empty for formats without pages.
        description: description of a table or figure in words (alt text).
        embedding_source: which of its texts is embedded.
        storage_url: where its binary content is.
        vectors: of the node, by the name of a model that the store has; what a program has computed already, as
            ``array.array``. A node that the model reads in parts has its vector at each of them.
        picture: of a figure, the image that the format holds: bytes, or one of Pillow; not part of the draft as JSON.
        data: what the type needs beyond text: ``{"cells": [[...], ...]}`` of a table, ``{"language": ...}`` of code,
            ``{"ordered": true, "depth": 2}`` of a list item. A table may have ``"header_rows": 1`` and, of cells that
            span others, ``"spans": [[row, column, rows, columns], ...]``, from 0; the places that a cell covers are
            empty. level, container, anchors and marker join it when stored.
    """

    key: CleanText
    type: ContentNodeType
    text: CleanText = ""
    level: int | None = Field(default=None, ge=1)
    container: CleanText | None = None
    anchors: list[CleanText] = []
    marker: CleanText | None = None
    positions: list[Position] = []
    description: CleanText | None = None
    embedding_source: EmbeddingSource = EmbeddingSource.TEXT_CONTENT
    storage_url: CleanText | None = None
    data: CleanJson = {}
    vectors: GivenVectors = {}
    picture: Any = Field(default=None, exclude=True, repr=False)


class DraftRelation(_Model):
    """An edge as the format states it.

    ``target`` is the key of a node of the draft where the reader knows it, else ``anchor`` is the name of
    the target (``DraftNode.anchors``), else both are null and stage two resolves it by ``marker``.
    ``marker_start`` is the place of the marker in the text of the source, in characters from 0.
    """

    source: CleanText
    type: RelationType
    target: CleanText | None = None
    anchor: CleanText | None = None
    marker: CleanText | None = None
    marker_start: int | None = Field(default=None, ge=0)


class DraftMetadata(_Model):
    """What the file says of itself; fills the publication where no record does."""

    title: CleanText | None = None
    abstract: CleanText | None = None
    authors: list[CleanText] = []
    publication_date: date | None = None
    language: CleanText | None = None
    source: CleanText | None = None
    uri: CleanText | None = None
    extra: CleanJson = {}


class Draft(_Model):
    """A document as a reader sees it.

    Attributes:
        reader: name and version of the reader, for example ``jats/1``; another version reads the file again.
        nodes: content nodes in reading order, page furniture (running heads, page numbers) included where stated,
            inside containers of type HEADER or FOOTER.
        containers: those the format states, parents before children.
        relations: edges the format states.
        pages: physical pages, empty for formats without.
        warnings: one line each, shown to the user: what the reader could not take over.
        made_by: engines that worked on the file, with what they say of their work; kept in ``document.ingested_with``.
            ``lacks`` names extras whose absence left something unread: with them the file is read again.
    """

    reader: CleanText
    made_by: CleanJson = {}
    metadata: DraftMetadata = DraftMetadata()
    pages: list[DraftPage] = []
    containers: list[DraftContainer] = []
    nodes: list[DraftNode] = []
    relations: list[DraftRelation] = []
    warnings: list[CleanText] = []


class DraftDocument(Draft):
    """A draft that a program makes, and the document that it becomes; what ``Store.add`` takes.

    Attributes:
        id: of the document, which the program chooses; None derives it from the draft, so that the same draft is the
            same document and another one another.
        reader: what made the draft; kept with the document. Another one, or another draft, writes it again.
        tags: labels of its publication.
        source_uri: where its content comes from.
    """

    reader: CleanText = "program"
    id: GivenId | None = None
    tags: list[Tag] = []
    source_uri: CleanText | None = None
