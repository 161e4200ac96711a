"""The part of the store's face that writes: documents in, changed and out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragraph.base.arguments import check_methods, refusal
from ragraph.base.defaults import CURRENT_MODEL
from ragraph.base.queries import QUERIES
from ragraph.documents.exporting import export
from ragraph.documents.updating import CITED_BY, update
from ragraph.errors import IngestError
from ragraph.store.intake import add, delete, embed, ingest
from ragraph.store.reading import StoreReading

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Unpack

    from ragraph.database.connection import Database
    from ragraph.documents.assets import Assets
    from ragraph.documents.updating import DocumentChanges
    from ragraph.schema.reports import EmbedReport, FileReport, IngestReport
    from ragraph.schema.results import DocumentDetails
    from ragraph.store.ingest_options import IngestOptions


@check_methods
class StoreWriting(StoreReading):
    """Methods of ``Store``."""

    database: Database
    assets: Assets | None

    def ingest(self, paths: str | Path | Iterable[str | Path], **options: Unpack[IngestOptions]) -> IngestReport:
        """Take in files, folders and publication records; what is known and unchanged is left alone.

        Args:
            paths: files, folders (searched recursively), publication records (JSON), patterns such as ``x/**/*.pdf``;
                addresses such as ``s3://bucket/papers/``, as texts (extra ``remote``).
            **options: as ``ragraph.store.ingest_options.IngestOptions`` describes them: ``collection``, ``tags``,
                ``document_id``, ``keep`` (False keeps no originals), ``images``, ``model`` (None embeds nothing),
                ``backend``, ``base_url``, ``max_tokens``, ``options`` (``ragraph.ingest.readers.ReadOptions``:
                password, layout and OCR of PDF files), ``workers``, ``timeout_s``, ``memory_bytes``, ``progress``,
                ``job`` (True writes the run down as a batch job: see ``jobs``), ``lease_s``; and ``ray``, the address
                of a Ray cluster whose nodes share the job (``ragraph.ingest.jobs.on_ray.ingest_on_ray``; extra
                ``ray``).

        Returns:
            A report per file: added, changed, moved, unchanged, duplicate or failed (with the reason). A file that
            fails leaves the store as it was and does not stop the others.

        Raises:
            ArgumentError: a path is empty.
        """
        return ingest(self.database, paths, options, self.assets)

    def add(self, draft: Any, **options: Any) -> FileReport:
        """Take in a document that a program has already; known and unchanged it is left alone.

        Args:
            draft: ``ragraph.ingest.draft.DraftDocument``, or the same as a mapping or JSON.
            **options: as of ``add_many``.

        Raises:
            ArgumentError: what is given is no draft.
            IngestError: the draft breaks a rule; the store is as it was.
        """
        if not isinstance(draft, dict | str | bytes) and not hasattr(draft, "model_dump"):
            raise refusal("draft", "a DraftDocument, a mapping or JSON", draft)
        report = self.add_many([draft], **options).files[0]
        if report.status == "failed":
            raise IngestError(report.reason or "")
        return report

    def add_many(self, drafts: Iterable[Any], **options: Any) -> IngestReport:
        """Take in documents that a program has already, one at a time as they come, by the rules of ingestion.

        Args:
            drafts: as of ``add``; a generator is fine.
            **options: as of ``adding.add_drafts``: ``collection``, ``model`` (None embeds nothing),
                ``backend``, ``base_url``, ``max_tokens``, ``parts``.

        Returns:
            A report per draft: added, changed, unchanged or failed (with the reason).
        """
        return add(self.database, drafts, options)

    def export(
        self,
        *,
        document: str | Sequence[str] | None = None,
        collection: str | None = None,
        vectors: bool = True,
    ) -> Iterator[str]:
        """Give documents as lines of JSON, one at a time, which ``add_many`` of another store takes in as they were.

        With all rows and ids of their graph, what was set by hand and the vectors of every model; without originals.

        Args:
            document: only these: ids; those that are not there are left out.
            collection: only this one.
            vectors: False leaves the vectors to ``embed``.
        """
        found = self.documents(document=document, collection=collection)
        return export(self._ask.rows, [item.id for item in found], vectors=vectors)

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
        **options: Any,
    ) -> EmbedReport:
        """Embed what has no current vector under a model; models live side by side.

        Args:
            model: its name in the store, name or folder of a sentence-transformers model, or ``openai:NAME`` for one
                behind an endpoint of OpenAI's protocol.
            documents: id of a document, or ids of several; default all.
            name: its name in the store; default the recorded one, else its own.
            query_prefix: put before queries; default the recorded one, else the model's own.
            document_prefix: the same for texts of the store.
            backend: what computes the vectors, as of ``embedding.ModelOptions``; default ``RAGRAPH_BACKEND``,
                else the first that is faster here and finds the same neighbours.
            base_url: address of the endpoint; default ``RAGRAPH_EMBEDDING_URL``, else OpenAI's.
            max_tokens: tokens that the model behind it reads; default 512.
            **options: as of ``ragraph.ingest.vectors.embed.embed_documents``: ``progress``.

        Raises:
            ModelError: the model cannot be loaded, or differs from what the store registered under its name.
        """
        prefixes = {"query_prefix": query_prefix, "document_prefix": document_prefix}
        naming = {"name": name, **prefixes, "backend": backend, "base_url": base_url, "max_tokens": max_tokens}
        return embed(self.database, model, documents, naming, options)

    def update(self, document: str, **changes: Unpack[DocumentChanges]) -> DocumentDetails:
        """Change what is known of a document, or the collection it is in; ingesting again leaves what was changed.

        Args:
            document: id of the document.
            **changes: fields as ``ragraph.documents.updating.DocumentChanges`` describes them: ``title``, ``authors``,
                ``abstract``, ``citation``, ``publication_date``, ``source``, ``source_url``, ``uri``, ``metadata``,
                ``tags``, ``add_tags``, ``remove_tags``, ``language``, ``description``, ``version``, ``download_url``,
                ``collection``. None empties one.

        Returns:
            What the store knows of the document now.

        Raises:
            ArgumentError: a field that does not exist, a value that it does not take, a collection that cannot be
                called so or has the same bytes already.
            DocumentNotFoundError: there is no such document.
        """
        update(self.database, document, changes)
        if changes.keys() & CITED_BY:
            from ragraph.works.update import update_works  # only here: its patterns take a while to compile

            with self.database.read() as connection:
                found = connection.execute(QUERIES["works_of_publication"], {"document_id": document}).fetchall()
            update_works(self.database, [name for (name,) in found])
        return self.document(document)

    def delete(self, document: str) -> None:
        """Delete a document with everything derived from it, and its original unless another document has the same.

        Raises:
            DocumentNotFoundError: there is no such document.
        """
        delete(self.database, document, self.assets)
