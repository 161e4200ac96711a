"""The tools that change the store; offered only if requested."""

from __future__ import annotations

from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

from pydantic import Field

from ragraph.errors import ArgumentError
from ragraph.tools.bodies import Changed, Deleted, Ingested, Taken
from ragraph.tools.reading import OneDocument

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragraph.documents.updating import DocumentChanges
    from ragraph.schema.reports import ProgressEvent
    from ragraph.tools.readable import Writable

tell: ContextVar[Callable[[ProgressEvent], None] | None] = ContextVar("tell", default=None)
"""Called with events of a long call; set by the face that can pass them on."""

_NAMED = 200
"""Maximum number of files listed in a result; failed ones come first."""


class WritingTools:
    """The tools that change a store; a model is given their names, arguments and descriptions."""

    def __init__(self, store: Writable) -> None:
        self._store = store

    def ingest(
        self,
        paths: Annotated[list[str], Field(description="Files or folders on the machine of the store.", min_length=1)],
        collection: Annotated[str, Field(description="Collection to ingest them into.")] = "default",
        tags: Annotated[list[str] | None, Field(description="Tags to add to them.")] = None,
    ) -> Ingested:
        """Ingest files and folders; known and unchanged files are skipped."""
        # paths and never addresses: the author of a call must not decide what this machine connects to
        report = self._store.ingest(
            [Path(path) for path in paths], collection=collection, tags=tags or [], progress=tell.get()
        )
        files = sorted(report.files, key=lambda file: file.status != "failed")
        return Ingested(
            files=[
                Taken(path=file.path, status=file.status, document_id=file.document_id, reason=file.reason)
                for file in files[:_NAMED]
            ],
            left_out=max(0, len(files) - _NAMED),
        )

    def update(
        self,
        document: OneDocument,
        title: Annotated[str | None, Field(description="Title of the publication.")] = None,
        authors: Annotated[str | None, Field(description="Its authors, comma separated.")] = None,
        publication_date: Annotated[str | None, Field(description="As 2024-12-31.")] = None,
        language: Annotated[str | None, Field(description="Language of the document: en, pt-BR.")] = None,
        collection: Annotated[str | None, Field(description="Collection to move the document to.")] = None,
        add_tags: Annotated[list[str] | None, Field(description="Tags to add.")] = None,
        remove_tags: Annotated[list[str] | None, Field(description="Tags to remove.")] = None,
        metadata: Annotated[
            dict[str, Any] | None, Field(description="Keys to set in its metadata; null removes one.")
        ] = None,
    ) -> Changed:
        """Change the metadata of a document, or the collection it is in."""
        given = {
            "title": title,
            "authors": authors,
            "publication_date": publication_date,
            "language": language,
            "collection": collection,
            "add_tags": add_tags,
            "remove_tags": remove_tags,
            "metadata": metadata,
        }
        changes = cast("DocumentChanges", {name: value for name, value in given.items() if value is not None})
        if not changes:
            raise ArgumentError("there is nothing to change", hint="give title, add_tags or another field")
        return Changed(document=self._store.update(document, **changes).to_json())

    def delete(self, document: OneDocument) -> Deleted:
        """Delete a document with everything derived from it; this cannot be undone."""
        self._store.delete(document)
        return Deleted(deleted=document)
