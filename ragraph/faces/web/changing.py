"""REST that changes the store: uploads, ingestion by URL, metadata, versions, jobs; offered with ``--write``."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, File, Form, Query, Request, Response, UploadFile
from pydantic import BaseModel, ConfigDict, Field

from ragraph.base.defaults import Attachments
from ragraph.errors import ArgumentError
from ragraph.faces.web.api import ERRORS, DocumentId, Served, Uploads, as_json
from ragraph.faces.web.downloads import Download
from ragraph.faces.web.inputs import decoded, only_known
from ragraph.faces.web.jobs import Upload
from ragraph.retrieval.parameters import conditions
from ragraph.schema.jobs import Job
from ragraph.schema.results import DocumentDetails
from ragraph.store.ingest_options import IngestOptions
from ragraph.store.intake import from_ingester

router = APIRouter(
    prefix="/api", responses=ERRORS, tags=["writing"], dependencies=[Depends(decoded), Depends(only_known)]
)


class Ingesting(BaseModel):
    """How a file is ingested: those options of `ragraph ingest` that name no file or model of the server."""

    model_config = ConfigDict(extra="forbid")

    collection: str = "default"
    id: str | None = Field(default=None, description="Id of the document; default from its bytes.")
    keep_versions: str | None = Field(
        default=None,
        pattern=r"^(all|[0-9]{1,9})$",
        coerce_numbers_to_str=True,
        description="Number of earlier versions to store of each document, or all. It stays with the collection.",
    )
    charset: str | None = Field(
        default=None, description="Character set of a text file, as windows-1250; auto to find it again."
    )
    password: str | None = Field(default=None, description="Opens an encrypted PDF file.")
    layout: Literal["auto", "rules", "model"] = Field(
        default="auto", description="How the structure of a PDF file is found."
    )
    ocr: bool = Field(default=True, description="Recognise the text of pages that are images.")
    hidden: bool = Field(default=False, description="Store what files hide from people too.")
    attachments: Attachments = Field(default="documents", description="What becomes of attachments.")
    mapping: str | None = Field(
        default=None,
        description="Text of a mapping file: which fields of records, or elements of XML, are what.",
    )
    strict: float | None = Field(
        default=None, description="Fail if more than this share of the letters is unaccounted, 0 to 1."
    )

    def options(self, tags: list[str]) -> IngestOptions:
        """Return the options of ``Store.ingest``.

        Raises:
            ArgumentError: one is not valid.
        """
        read = from_ingester("ingest").ReadOptions(**self.model_dump(include=_READ))
        return {"collection": self.collection, "tags": tags, "document_id": self.id, "options": read}


_READ = {"charset", "password", "layout", "ocr", "hidden", "attachments", "mapping", "strict"}
"""Options that readers take, by the names of ``ragraph.ingest.readers.ReadOptions``."""


class Address(Ingesting):
    """A file to fetch and ingest."""

    url: str = Field(description="https://... or http://... on a host that the service was started with.")
    tags: list[str] = []


class Sent(Ingesting):
    """A file to ingest."""

    file: Annotated[UploadFile, File(description="The file to ingest.")]
    tag: list[str] = []


class Changes(BaseModel):
    """Fields to change; null empties one, and what is left out stays."""

    model_config = ConfigDict(extra="forbid")

    title: str | None = None
    authors: str | None = Field(default=None, description="Comma separated.")
    abstract: str | None = None
    citation: str | None = None
    publication_date: str | None = Field(default=None, description="As 2024-12-31.")
    source: str | None = None
    source_url: str | None = None
    uri: str | None = None
    metadata: dict[str, Any] | None = None
    tags: list[str] | None = None
    add_tags: list[str] = []
    remove_tags: list[str] = []
    language: str | None = None
    description: str | None = None
    version: str | None = None
    download_url: str | None = None
    collection: str | None = None


class Gone(BaseModel):
    """Ids of deleted documents."""

    deleted: list[str]


class Restored(BaseModel):
    """A document and the number of its new live version."""

    document: str
    version: int


@router.post("/documents", status_code=202, response_model=Upload)
def upload(jobs: Uploads, sent: Annotated[Sent, Form(media_type="multipart/form-data")]) -> Response:
    """Ingest a file; the response has the id of the job."""
    return as_json(jobs.add(sent.file.file, sent.file.filename, sent.options(sent.tag), sent.keep_versions), 202)


@router.post("/documents/from-url", status_code=202, response_model=Upload)
def ingest_url(request: Request, jobs: Uploads, address: Address) -> Response:
    """Fetch a file and ingest it; its host must be one that `ragraph serve --ingest-from HOST` names.

    The job fetches the file, a few at a time; if that takes more than ten minutes, it fails.
    """
    download = Download(address.url, request.app.state.ingest_from)
    return as_json(jobs.fetch(download, address.options(address.tags), address.keep_versions), 202)


@router.patch("/documents/{document}", response_model=DocumentDetails)
def update(store: Served, document: DocumentId, changes: Changes) -> Response:
    """Change the metadata of a document, or its collection; later ingests keep what was changed."""
    given: Any = changes.model_dump(exclude_unset=True)
    if not given:
        raise ArgumentError("there is nothing to change", hint="name title, add_tags or another field")
    return as_json(store.update(document, **given))


@router.delete("/documents", response_model=Gone)
def delete_documents(
    store: Served,
    filter: Annotated[str | None, Query(description="A condition, as JSON.")] = None,
    collection: str | None = None,
) -> Gone:
    """Delete the documents that pass a filter, or all of a collection."""
    return Gone(deleted=store.delete(filter=conditions(filter), collection=collection))


@router.delete("/documents/{document}")
def delete_document(store: Served, document: DocumentId) -> dict[str, str]:
    """Delete a document with everything derived from it."""
    store.delete(document)
    return {"deleted": document}


@router.post("/documents/{document}/versions/{version}/restore", response_model=Restored)
def restore_version(store: Served, document: DocumentId, version: str) -> Restored:
    """Restore an earlier version of a document, by its number or a date."""
    return Restored(document=document, version=store.restore_version(document, version))


@router.post("/jobs/{job}/cancel", response_model=Upload | Job)
def cancel_job(store: Served, uploads: Uploads, job: str) -> Response:
    """Cancel an upload that waits, or a batch job; ingested files stay."""
    cancelled = uploads.cancel(job)
    if cancelled is not None:
        return as_json(cancelled)
    batch = store.cancel_job(job)
    uploads.stop(job)
    return as_json(batch)


@router.post("/jobs/{job}/resume", status_code=202, response_model=Job)
def resume_job(uploads: Uploads, job: str) -> Response:
    """Resume a batch job in the service, with its own options; files that are done stay done."""
    return as_json(uploads.resume(job), 202)
