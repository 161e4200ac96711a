"""Methods of ``Store`` that ingest, change, export and delete documents."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from psycopg.rows import scalar_row

from ragraph.base.arguments import check_methods, refusal, texts
from ragraph.base.defaults import CURRENT_MODEL
from ragraph.base.queries import QUERIES
from ragraph.database.words import count_words
from ragraph.documents.exporting import export, markdown_of
from ragraph.documents.updating import CITED_BY, update
from ragraph.errors import ArgumentError, IngestError, RagraphError
from ragraph.filters import parse, passes_all
from ragraph.store.intake import add, delete, embed, ingest
from ragraph.store.reading import StoreReading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Unpack

    from ragraph.database.connection import Database
    from ragraph.documents.assets import Assets
    from ragraph.documents.updating import DocumentChanges
    from ragraph.filters import Filter
    from ragraph.schema.reports import EmbedReport, FileReport, IngestReport, ProgressEvent
    from ragraph.schema.results import DocumentDetails
    from ragraph.store.ingest_options import AddOptions, IngestOptions
    from ragraph.store.intake import Given


@check_methods
class StoreWriting(StoreReading):
    """Methods of ``Store`` for writing."""

    database: Database
    assets: Assets | None

    def ingest(self, paths: Given | Iterable[Given], **options: Unpack[IngestOptions]) -> IngestReport:
        """Ingest files, folders and publication records; unchanged files are skipped.

        Args:
            paths: files, folders (searched recursively), publication records (JSON), patterns such as ``x/**/*.pdf``,
                or addresses such as ``s3://bucket/papers/`` as strings (extra ``remote``). Also the content of a file
                as bytes, which needs ``name``, or a binary file object, whose own name is used.
            **options: see ``ragraph.store.ingest_options.IngestOptions``: ``name``, ``collection``, ``tags``,
                ``document_id``,
                ``charset``, ``keep`` (False to store no originals), ``images``, ``model`` (None to store no vectors),
                ``backend``, ``base_url``, ``max_tokens``, ``options`` (``ragraph.ingest.readers.ReadOptions``:
                password, layout and OCR of PDF files), ``workers``, ``timeout_s``, ``memory_bytes``, ``progress``,
                ``job`` (True to record the run as a batch job, see ``jobs``), ``lease_s``; and ``ray``, the address of
                a Ray cluster whose nodes share the job (``ragraph.ingest.jobs.on_ray.ingest_on_ray``; extra ``ray``).

        Returns:
            A report for each file: added, changed, moved, unchanged, duplicate or failed (with the reason). A file that
            fails leaves the store unchanged and does not stop the others.

        Raises:
            ArgumentError: a path is empty, bytes have no name, contents have the same name, a file object cannot be
                read, or an option does not exist or has a wrong value. Nothing is ingested then.
        """
        return ingest(self.database, paths, options, self.assets)

    def add(self, draft: Any, **options: Unpack[AddOptions]) -> FileReport:
        """Ingest one document made by a program; if the store has it unchanged, it is skipped.

        Args:
            draft: ``ragraph.ingest.draft.DraftDocument``, or the same as a mapping or JSON.
            **options: as in ``add_many``.

        Raises:
            ArgumentError: the argument is not a draft.
            IngestError: the draft breaks a rule; the store is unchanged.
        """
        if not isinstance(draft, dict | str | bytes) and not hasattr(draft, "model_dump"):
            raise refusal("draft", "a DraftDocument, a mapping or JSON", draft)
        report = self.add_many([draft], **options).files[0]
        if report.status == "failed":
            raise IngestError(report.reason or "")
        return report

    def add_many(self, drafts: Iterable[Any], **options: Unpack[AddOptions]) -> IngestReport:
        """Ingest documents made by a program, one at a time as they come, by the rules of ingestion.

        Args:
            drafts: drafts as in ``add``; a generator is fine.
            **options: see ``ragraph.store.ingest_options.AddOptions``: ``collection``, ``model`` (None to store no
                vectors), ``backend``,
                ``base_url``, ``max_tokens``, ``parts``.

        Returns:
            A report for each draft: added, changed, unchanged or failed (with the reason).
        """
        return add(self.database, drafts, options)

    def export(
        self,
        *,
        document: str | Sequence[str] | None = None,
        collection: str | None = None,
        vectors: bool = True,
    ) -> Iterator[str]:
        """Yield documents as lines of JSON, which ``add_many`` of another store ingests unchanged.

        They include all rows and ids of their graph, fields set by hand and the vectors of every model, but no
        originals.

        Args:
            document: only these documents: ids.
            collection: only documents of this collection.
            vectors: False to leave out vectors; ``embed`` computes them again.

        Raises:
            DocumentNotFoundError: a document does not exist.
        """
        self._details(texts("document", document) or [])  # raises if one does not exist
        found = self.documents(document=document, collection=collection)
        return export(self._ask.rows, [item.id for item in found], vectors=vectors)

    def export_markdown(
        self,
        folder: str | Path,
        *,
        document: str | Sequence[str] | None = None,
        collection: str | None = None,
    ) -> list[Path]:
        """Write documents as Markdown files ``FOLDER/COLLECTION/ID.md``, with their metadata as YAML at the head.

        Args:
            folder: the folder, made if it is missing; files of the same names are replaced.
            document: only these documents: ids.
            collection: only documents of this collection.

        Returns:
            The files, in the order of ingestion.

        Raises:
            ArgumentError: a file cannot be written there.
            DocumentNotFoundError: a document does not exist; nothing was written.
        """
        self._details(texts("document", document) or [])  # raises if one does not exist
        written = []
        for item in self.documents(document=document, collection=collection):
            place = Path(folder) / quote(item.collection, safe=" ") / f"{quote(item.id, safe='')}.md"
            text = markdown_of(self.document(item.id), self.render(item.id))
            try:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(text, encoding="utf-8", errors="replace")
            except OSError as error:
                raise ArgumentError(f"{place} cannot be written: {error.strerror}", hint="name a folder") from error
            written.append(place)
        return written

    def embed(
        self,
        model: str = CURRENT_MODEL,
        documents: str | Sequence[str] | None = None,
        *,
        name: str | None = None,
        query_prefix: str | None = None,
        document_prefix: str | None = None,
        backend: str | None = None,
        base_url: str | None = None,
        max_tokens: int | None = None,
        progress: Callable[[ProgressEvent], None] | None = None,
        settings: Any = None,
    ) -> EmbedReport:
        """Embed the texts that have no current vector of a model; a store may have several models.

        Args:
            model: its name in the store, name or folder of a sentence-transformers model, or ``openai:NAME`` for a
                model behind an endpoint with OpenAI's protocol.
            documents: id of a document, or ids of several; None for all.
            name: its name in the store; default the recorded name, else its own.
            query_prefix: prefix of queries; default the recorded one, else the model's own.
            document_prefix: prefix of texts of the store; default the recorded one, else the model's own.
            backend: encoder backend, as in ``embedding.ModelOptions``; default ``RAGRAPH_BACKEND``, else the first that
                is faster here and finds the same neighbours.
            base_url: address of the endpoint; default ``RAGRAPH_EMBEDDING_URL``, else OpenAI's.
            max_tokens: maximum number of tokens that the model behind it reads; default 512.
            progress: called in this thread with events ``embedded``.
            settings: ``ragraph.ingest.vectors.parts.PartSettings``: length of the chunks that are embedded.

        Raises:
            ModelError: the model cannot be loaded, or differs from the store's record of its name.
        """
        prefixes = {"query_prefix": query_prefix, "document_prefix": document_prefix}
        naming = {"name": name, **prefixes, "backend": backend, "base_url": base_url, "max_tokens": max_tokens}
        return embed(self.database, model, documents, naming, progress, settings)

    def update(self, document: str, **changes: Unpack[DocumentChanges]) -> DocumentDetails:
        """Change the metadata of a document, or its collection; later ingests keep what was changed.

        Args:
            document: id of the document.
            **changes: fields, see ``ragraph.documents.updating.DocumentChanges``: ``title``, ``authors``, ``abstract``,
                ``citation``, ``publication_date``, ``source``, ``source_url``, ``uri``, ``metadata``, ``tags``,
                ``add_tags``, ``remove_tags``, ``language``, ``description``, ``version``, ``download_url``,
                ``collection``. None empties a field.

        Returns:
            The new metadata of the document.

        Raises:
            ArgumentError: a field does not exist, a value is invalid, or a collection has an invalid name or already
                has a document with the same bytes.
            DocumentNotFoundError: the document does not exist.
        """
        update(self.database, document, changes)
        if changes.keys() & CITED_BY:
            from ragraph.works.update import update_works  # imported here because its patterns take a while to compile

            with self.database.read() as connection:
                found = connection.execute(QUERIES["works_of_publication"], {"document_id": document}).fetchall()
            update_works(self.database, [name for (name,) in found])
        return self.document(document)

    def delete(
        self,
        document: str | Sequence[str] | None = None,
        *,
        filter: Filter | Mapping[str, Any] | None = None,
        collection: str | None = None,
    ) -> list[str]:
        """Delete documents with everything derived from them, and originals that no other document has.

        Documents that are attached to one of them go with it: attachments of a mail, files in a PDF.

        Each document is deleted in a transaction of its own. If one cannot be deleted, those before it are gone.

        Args:
            document: id of a document, or ids of several.
            filter: delete the documents that pass it, as in ``filter_documents``; with ``document``, only of these.
            collection: delete only documents of this collection; alone, all of them.

        Returns:
            The ids of the deleted documents.

        Raises:
            DocumentNotFoundError: a document does not exist; none was deleted.
            ArgumentError: neither a document, a filter nor a collection is named, or the filter is invalid.
        """
        if document is None and filter is None and collection is None:
            raise ArgumentError("delete needs a document, a filter or a collection", hint="name one of them")
        if document is None and collection is None and filter is not None and passes_all(parse(filter)):
            raise ArgumentError("every document passes an empty filter", hint="name a condition or a collection")
        names = texts("document", document)
        for name in names or ():
            self._ask.rows("require_document", scalar_row, {"document_id": name})
        if names is None or filter is not None or collection is not None:
            names = [item.id for item in self.documents(document=names, filter=filter, collection=collection)]
        names = list(dict.fromkeys(names))
        gone: dict[str, None] = {}
        try:
            for name in names:
                if name not in gone:  # attached to a document before it
                    gone.update(dict.fromkeys(delete(self.database, name, self.assets)))
        finally:
            with suppress(RagraphError):  # the next change of the store does it
                count_words(self.database)  # also those of a deletion that was cut off
        return list(gone)
