"""The draft of a document: what a reader returns, in the terms of the file and in reading order.

A draft is plain data that travels as JSON from the reader's process to the ingesting one. It is also the one place
where text is cleaned: NUL bytes, lone surrogates and other control characters are removed here, because neither UTF-8
nor PostgreSQL can hold them.
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
from ragraph.base.unseen_characters import without_unseen
from ragraph.errors import ArgumentError
from ragraph.schema.enums import ComponentType, ContentNodeType, EmbeddingSource, RelationType

if TYPE_CHECKING:
    from collections.abc import Callable

_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


def clean_text(value: Any) -> Any:
    """Return text without characters that PostgreSQL refuses or nobody sees, with line feeds as line ends.

    Other values are returned unchanged.
    """
    if not isinstance(value, str):
        return value
    value = without_unseen(value)
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
    """Return a check of a name whose error pydantic reports with the place."""

    def checked(value: str) -> str:
        try:
            return check(value)
        except ArgumentError as error:
            raise PydanticCustomError("name", "{told}", {"told": str(error)}) from None

    return checked


CleanText = Annotated[str, BeforeValidator(clean_text)]
"""Text that PostgreSQL accepts."""

GivenId = Annotated[CleanText, AfterValidator(_told(check_id))]
"""Id of a document or a publication that a user or a record chose."""

Tag = Annotated[CleanText, AfterValidator(_told(clean_tag))]
"""Label of a publication."""

CleanJson = Annotated[dict[str, Any], BeforeValidator(_clean_json)]
"""JSON object whose strings PostgreSQL accepts."""


def _numbers(value: Any) -> Any:
    """Return arrays as lists, and a list of pairs (Parquet's form of a map) as a mapping."""
    if isinstance(value, list) and all(isinstance(item, tuple) and len(item) == 2 for item in value):
        value = dict(value)
    if not isinstance(value, dict):
        return value
    return {name: item.tolist() if hasattr(item, "tolist") else item for name, item in value.items()}


def _packed(value: Any, whole: Callable[[Any], list[float]]) -> array[float]:
    return array("d", whole(value))


def _plain(value: Any) -> list[float]:
    """Return numbers as floats; a copy or an assignment may have replaced the array by another sequence."""
    return [float(number) for number in value]


Numbers = Annotated[list[FiniteFloat], WrapValidator(_packed), PlainSerializer(_plain, return_type=list[float])]
"""Numbers as an ``array.array``: a quarter of the memory of a list, and numpy reads it without a look at each one."""

GivenVectors = Annotated[dict[CleanText, Numbers], BeforeValidator(_numbers)]
"""Vectors by the name of their model; numpy arrays are accepted."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Box(_Model):
    """A rectangle on a page in points, origin top left, ``x1 <= x2`` and ``y1 <= y2``."""

    x1: float
    y1: float
    x2: float
    y2: float


class Position(_Model):
    """One place of a node: a page, counted from 1, and a box on it if the format has one."""

    page_pdf: int = Field(ge=1)
    page_logical: CleanText | None = None
    bbox: Box | None = None


class DraftPage(_Model):
    """A physical page: number from 1, label if the file states one, size in points.

    ``doubt`` says how likely a reader would find a fault in what was read of it; null where that was not weighed.
    """

    page_pdf: int = Field(ge=1)
    page_logical: CleanText | None = None
    width: float | None = None
    height: float | None = None
    doubt: float | None = Field(default=None, ge=0, le=1)


class DraftContainer(_Model):
    """A container that the format itself states: a section, list, box, header ...

    ``parent`` is the key of the enclosing container, null at the top. Formats that only have headings state no
    sections; those are made from the headings later.
    """

    key: CleanText
    type: ComponentType
    title: CleanText | None = None
    parent: CleanText | None = None


class DraftNode(_Model):
    """A content node. Drafts list nodes in reading order.

    Attributes:
        key: name of the node within the draft, unique; relations refer to it.
        type: type of the node.
        text: its text, with inline markup (bold, italic, links) as Markdown. Superscript note markers are left out and
            stored on the relation; bracketed markers stay in the text.
        level: level of a HEADING or SUBHEADING from 1, if the format states or implies one.
        container: key of the innermost container stated by the format; null at the top.
        anchors: names by which the format refers to the node (XML ids, HTML ids, bookmarks).
        marker: printed marker or number of a note, list item or bibliography entry ("1", "[22]", "a."); of a title the
            sign in front of it ("☐").
        positions: pages and boxes, in reading order; empty for formats without pages.
        description: description of a table or figure in words (alt text).
        embedding_source: which of its texts is embedded.
        storage_url: where its binary content is.
        vectors: vectors of the node that a program computed, by the name of a model of the store, as ``array.array``.
            If the model reads the node in parts, each part gets this vector.
        picture: image of a figure that the format holds: bytes, or a Pillow image. Not part of the draft as JSON.
        data: data of the type beyond text: ``{"cells": [[...], ...]}`` of a table, ``{"language": ...}`` of code,
            ``{"ordered": true, "depth": 2}`` of a list item. A table may have ``"header_rows": 1``. It lists cells
            that span others in ``"spans": [[row, column, rows, columns], ...]``, from 0; the covered places are
            empty. Links of its cells are in ``"links": [[row, column, address], ...]``. level, container, anchors and
            marker are added when it is stored.
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
    """A relation as the format states it.

    ``target`` is the key of a node of the draft if the reader knows it. Otherwise ``anchor`` is the name of the target
    (``DraftNode.anchors``). If both are null, the target is resolved by ``marker`` when the document is stored.
    ``marker_start`` is the offset of the marker in the text of the source, in characters from 0.
    """

    source: CleanText
    type: RelationType
    target: CleanText | None = None
    anchor: CleanText | None = None
    marker: CleanText | None = None
    marker_start: int | None = Field(default=None, ge=0)


class DraftMetadata(_Model):
    """Metadata that the file states; it fills the publication if no record does."""

    title: CleanText | None = None
    abstract: CleanText | None = None
    authors: list[CleanText] = []
    publication_date: date | None = None
    language: CleanText | None = None
    source: CleanText | None = None
    uri: CleanText | None = None
    tags: list[CleanText] = []
    extra: CleanJson = {}


class Draft(_Model):
    """A document as a reader returns it.

    Attributes:
        reader: name and version of the reader, for example ``jats/1``; another version reads the file again.
        nodes: content nodes in reading order. Page furniture (headers, footers, page numbers) is included if the file
            states it, inside containers of type HEADER or FOOTER.
        containers: containers that the format states, parents before children.
        relations: relations that the format states.
        pages: physical pages, empty for formats without pages.
        warnings: one line for each thing that the reader could not read; shown to the user.
        made_by: engines that worked on the file and their details, stored in ``document.ingested_with``. ``lacks``
            names missing extras that left something unread; once they are installed, the file is read again.
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
    """A draft made by a program, and the document it becomes; the argument of ``Store.add``.

    Attributes:
        id: id of the document, chosen by the program. None derives it from the draft: the same draft is then the same
            document, and another draft another one.
        reader: what made the draft; stored with the document. With another reader or draft it is written again.
        tags: labels of its publication.
        source_uri: where its content comes from.
    """

    reader: CleanText = "program"
    id: GivenId | None = None
    tags: list[Tag] = []
    source_uri: CleanText | None = None
