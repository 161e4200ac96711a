"""Drafts, for ``Store.add_many``, of documents that docling has already converted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.ingest.common.ids import document_id
from ragraph.ingest.draft import DraftDocument
from ragraph.ingest.readers.docling.document import draft_of
from ragraph.ingest.readers.docling.reader import DoclingJsonReader

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from docling_core.types.doc import DoclingDocument


def drafts(documents: Iterable[DoclingDocument], *, collection: str = "default") -> Iterator[DraftDocument]:
    """Yield a draft for each document, one at a time: its tree, tables, captions, pages and boxes.

    The name and bytes of its file give the id. So a file that is converted differently is the same document, and
    different files with one name are not. Without an origin the content gives the id.

    Args:
        documents: documents of docling, as its converter returns them.
        collection: collection they will be stored in; part of their ids.
    """
    reader = f"{DoclingJsonReader.name}/{DoclingJsonReader.version}"
    for document in documents:
        draft = draft_of(document, reader)
        origin = document.origin
        own = f"{origin.filename} {origin.binary_hash}" if origin else None
        yield DraftDocument(
            **dict(draft),
            id=None if own is None else document_id(collection, own, 0),
            source_uri=str(origin.uri or origin.filename) if origin else None,
        )
