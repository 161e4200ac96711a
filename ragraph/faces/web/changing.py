"""REST that changes the store: uploads, ingestion by URL, metadata, versions, jobs; offered with ``--write``."""

from __future__ import annotations

from typing import Annotated, Any, Union

from fastapi import APIRouter, Depends, File, Form, Query, Request, Response, UploadFile
from pydantic import BaseModel, ConfigDict, Field

from ragraph.errors import ArgumentError
from ragraph.faces.web.api import ERRORS, DocumentId, Served, Uploads, as_json
from ragraph.faces.web.downloads import Download
from ragraph.faces.web.inputs import decoded, only_known
from ragraph.faces.web.jobs import Upload
from ragraph.retrieval.parameters import conditions
from ragraph.schema.jobs import Job
from ragraph.schema.results import DocumentDetails

router = APIRouter(
    prefix="/api", responses=ERRORS, tags=["writing"], dependencies=[Depends(decoded), Depends(only_known)]
)


class Address(BaseModel):
    """A file to fetch and ingest."""

    model_config = ConfigDict(extra="forbid")

    url: str = Field(description="https://... or http://... on a host that the service was started with.")
    collection: str = "default"
    tags: list[str] = []


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
def upload(
    jobs: Uploads,
    file: Annotated[UploadFile, File(description="The file to ingest.")],
    collection: Annotated[str, Form()] = "default",
    tag: Annotated[Union[list[str], None], Form()] = None,  # noqa: UP007 - as FastAPI reads forms
    charset: Annotated[
        Union[str, None],  # noqa: UP007
        Form(description="Character set of a text file, as windows-1250; auto to find it again."),
    ] = None,
) -> Response:
    """Ingest a file; the response has the id of the job."""
    return as_json(jobs.add(file.file, file.filename, collection, tag or [], charset or None), 202)


@router.post("/documents/from-url", status_code=202, response_model=Upload)
def ingest_url(request: Request, jobs: Uploads, address: Address) -> Response:
    """Fetch a file and ingest it; its host must be one that `ragraph serve --ingest-from HOST` names.

    The job fetches the file, a few at a time; if that takes more than ten minutes, it fails.
    """
    download = Download(address.url, request.app.state.ingest_from)
    return as_json(jobs.fetch(download, address.collection, address.tags), 202)


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
