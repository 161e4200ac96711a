"""Documents that docling converted already, as drafts for ``Store.add_many``."""

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
    """Give a draft for each document, one at a time as they come: its tree, tables, captions, pages and boxes.

    Name and bytes of its file give the id, so a file that is converted otherwise is the same document, and files of one
    name are not; without an origin the content gives the id.

    Args:
        documents: of docling, as its converter gives them.
        collection: where they will go; part of their ids.
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
