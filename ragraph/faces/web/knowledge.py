"""REST: versions, entities, works, jobs, models and the state of the store, in the JSON of the command line."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Annotated, Any

import anyio
import anyio.to_thread
from fastapi import APIRouter, Depends, Path, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel

from ragraph.errors import ArgumentError
from ragraph.faces.web.api import (
    ERRORS,
    DocumentId,
    HitBody,
    Limit,
    NodeId,
    Offset,
    Options,
    Served,
    Some,
    Uploads,
    Wanted,
    as_json,
    paged,
    some,
)
from ragraph.faces.web.inputs import JsonObject, dated, decoded, only_known
from ragraph.faces.web.jobs import Jobs, Upload
from ragraph.retrieval.parameters import style_name
from ragraph.schema.entities import Entity, EntityRelation, Mention
from ragraph.schema.findings import StoreStats
from ragraph.schema.jobs import Job, JobFile, JobFileStatus
from ragraph.schema.results import Model, Violation
from ragraph.schema.versions import CitationState, NodeChange, Version
from ragraph.schema.works import CoCitedWork, RelatedDocument, Work, WorkEntry

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from anyio import CapacityLimiter

    from ragraph.store.store import Store

_POLL_S = 0.5
"""Seconds between two looks at a job whose events are watched."""

_QUIET_S = 15.0
"""Seconds without an event after which a comment is sent, so that proxies do not close the connection."""

router = APIRouter(prefix="/api", responses=ERRORS, dependencies=[Depends(decoded), Depends(only_known)])


class SectionBody(BaseModel):
    """A section that a search found, with its best nodes."""

    document_id: str
    component_id: str
    component_type: str
    section_path: list[str]
    score: float
    hits: list[HitBody]


EntityName = Annotated[str, Path(description="Name, alias or identity of an entity.")]
Documents = Annotated[list[str] | None, Query(description="Only these documents.")]
JobId = Annotated[str, Path(description="Id of a job.")]


@router.get("/documents/{document}/versions", response_model=list[Version])
def versions(store: Served, document: DocumentId) -> Response:
    """Return the stored versions of a document, oldest first; the last is the live one."""
    return as_json(store.history(document))


@router.get("/documents/{document}/changes", response_model=list[NodeChange])
def changes(
    store: Served,
    document: DocumentId,
    since: Annotated[str | None, Query(description="Version or date; default the one before the live one.")] = None,
    until: Annotated[str | None, Query(description="Version or date; default the live one.")] = None,
    other: Annotated[str | None, Query(description="Another document to compare it with.")] = None,
) -> Response:
    """Return what changed between two versions of a document, or what differs from another document."""
    if other is not None and (since is not None or until is not None):
        raise ArgumentError("other compares live documents", hint="leave out since and until", argument="other")
    return as_json(store.compare(document, other) if other is not None else store.diff(document, since, until))


@router.get("/documents/{document}/nodes/{node}/citation/state", response_model=CitationState)
def citation_state(
    store: Served,
    document: DocumentId,
    node: NodeId,
    version: Annotated[str, Query(description="The cited version or date.", examples=["1"])],
    quote: Annotated[str | None, Query(description="Words of the node then; default all of them.")] = None,
) -> Response:
    """Return whether a citation of an earlier version still stands in the live document, has moved, or is gone."""
    return as_json(store.citation_state(document, node, version, quote))


@router.get("/documents/{document}/cited", response_model=list[WorkEntry])
def cited(request: Request, store: Served, document: DocumentId, limit: Some = None, offset: Offset = 0) -> Response:
    """Return the works that a document cites: its bibliography entries, parsed."""
    return some(request, store.cited_by(document), limit, offset)


@router.get("/documents/{document}/citing", response_model=list[WorkEntry])
def citing(request: Request, store: Served, document: DocumentId, limit: Some = None, offset: Offset = 0) -> Response:
    """Return the bibliography entries of other documents that cite a document."""
    return some(request, store.citing(document), limit, offset)


@router.get("/documents/{document}/co-cited", response_model=list[CoCitedWork])
def co_cited(store: Served, document: DocumentId, limit: int = 20) -> Response:
    """Return the works that others cite together with a document, most often first."""
    return as_json(store.co_cited(document, limit))


@router.get("/documents/{document}/coupled", response_model=list[RelatedDocument])
def coupled(store: Served, document: DocumentId, limit: int = 20) -> Response:
    """Return the documents that cite the same works as a document."""
    return as_json(store.coupled(document, limit))


@router.get("/entities", response_model=list[Entity])
def entities(
    request: Request,
    store: Served,
    name: Annotated[str | None, Query(description="Only entities with this name, alias or identity.")] = None,
    document: Documents = None,
    collection: str | None = None,
    kind: Annotated[list[str] | None, Query(description="Only these kinds: acronym, term, glossary ...")] = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Response:
    """Return the entities that documents mention, the most mentioned first."""

    def load(most: int, begin: int) -> list[Entity]:
        return store.entities(name, document=document, collection=collection, kinds=kind, limit=most, offset=begin)

    return paged(request, load, limit, offset)


@router.get("/entities/{name}", response_model=Entity)
def entity(store: Served, name: EntityName, document: Documents = None) -> Response:
    """Return one entity; of several with a name, the one that some documents mention."""
    return as_json(store.entity(name, document=document))


@router.get("/entities/{name}/mentions", response_model=list[Mention])
def mentions(
    store: Served, name: EntityName, document: Documents = None, collection: str | None = None, limit: int = 100
) -> Response:
    """Return the mentions of an entity, by document in reading order, each with section and page."""
    return as_json(store.mentions(name, document=document, collection=collection, limit=limit))


@router.get("/entities/{name}/relations", response_model=list[EntityRelation])
def entity_relations(store: Served, name: EntityName, document: Documents = None) -> Response:
    """Return what documents state about an entity and another."""
    return as_json(store.entity_relations(name, document=document))


@router.get("/works", response_model=list[Work])
def works(
    request: Request,
    store: Served,
    name: Annotated[str | None, Query(description="Only works with this identity, DOI, PMID or title.")] = None,
    document: Documents = None,
    collection: str | None = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Response:
    """Return the works that documents cite or are, the most cited first."""

    def load(most: int, begin: int) -> list[Work]:
        return store.works(name, document=document, collection=collection, limit=most, offset=begin)

    return paged(request, load, limit, offset)


@router.get("/search/sections", response_model=list[SectionBody])
@dated
def sections(store: Served, q: Wanted, options: Options, k: int = 5, nodes: int = 3) -> Response:
    """Return the sections that answer best, each with its best nodes."""
    return as_json(store.search_sections(q, k, nodes=nodes, **options))


@router.get("/bibliography")
def bibliography(
    store: Served,
    document: Documents = None,
    style: Annotated[str, Query(description="Name of a CSL style.", examples=["ieee"])] = "apa",
) -> list[str]:
    """Return the bibliography entries of documents in a style."""
    return store.bibliography(document, style=style_name(style))


@router.get("/models", response_model=list[Model])
def models(store: Served) -> Response:
    """Return the embedding models of the store."""
    return as_json(store.models())


@router.get("/stats", response_model=StoreStats)
def stats(store: Served) -> Response:
    """Return the size of the store: rows, vectors, bytes of tables and indexes."""
    return as_json(store.stats())


@router.get("/check", response_model=list[Violation])
def check(store: Served, document: Annotated[str | None, Query(description="Only this document.")] = None) -> Response:
    """Return violations of the schema's rules; an empty list if the store is sound."""
    return as_json(store.check(document))


@router.get("/status")
def status(store: Served, uploads: Uploads) -> JsonObject:
    """Return the number of documents by status, and the newest batch job."""
    newest = next(iter(store.jobs(1)), None)
    return {"documents": store.document_statuses(), "job": newest and uploads.shown(newest).to_json()}


@router.get("/jobs", response_model=list[Upload | Job])
def jobs(store: Served, uploads: Uploads, limit: int = 20) -> Response:
    """Return the uploads, then the batch jobs (runs of `ragraph ingest`), the newest first."""
    batches = map(uploads.shown, store.jobs(limit))
    return as_json([*uploads.all(), *batches][:limit])


@router.get("/jobs/{job}", response_model=Upload | Job)
def show_job(store: Served, uploads: Uploads, job: JobId) -> Response:
    """Return the progress of an upload or of a batch job."""
    return as_json(_job(store, uploads, job))


@router.get("/jobs/{job}/files", response_model=list[Upload | JobFile])
def job_files(
    store: Served, uploads: Uploads, job: JobId, status: JobFileStatus | None = None, limit: int = 1000
) -> Response:
    """Return the files of a batch job, in the order of its list; of an upload its one file."""
    upload = uploads.get(job)
    if upload is not None:
        return as_json([upload] if status in (None, upload.status) and limit else [])
    return as_json(store.job_files(job, status, limit))


@router.get("/jobs/{job}/events", response_class=Response, responses={200: {"content": {"text/event-stream": {}}}})
def job_events(request: Request, store: Served, uploads: Uploads, job: JobId) -> Response:
    """Watch an upload or a batch job, as server-sent events: `progress` at each change, then `ended`."""
    first = _job(store, uploads, job).to_json()  # a job that does not exist is an error, not a stream
    few: CapacityLimiter = request.app.state.watching
    return StreamingResponse(_watched(store, uploads, job, first, few), media_type="text/event-stream")


def _job(store: Store, uploads: Jobs, job: str) -> Upload | Job:
    found = uploads.get(job)
    return found if found is not None else uploads.shown(store.job(job))


async def _watched(
    store: Store, uploads: Jobs, job: str, state: dict[str, Any], few: CapacityLimiter
) -> AsyncIterator[str]:
    """Yield the events of a job. Between two looks it has no thread; all looks share those of ``few``."""
    told: dict[str, Any] = {}
    said = time.monotonic()
    while True:
        if _lasting(state) != told:
            told, said = _lasting(state), time.monotonic()
            yield f"event: progress\ndata: {json.dumps(state)}\n\n"
        if state["status"] not in ("waiting", "running"):
            yield f"event: ended\ndata: {json.dumps(state)}\n\n"
            return
        if time.monotonic() - said > _QUIET_S:
            said = time.monotonic()
            yield ": waiting\n\n"
        await anyio.sleep(_POLL_S)
        found: Upload | Job | None = uploads.get(job)
        if found is None:
            found = await anyio.to_thread.run_sync(_job, store, uploads, job, limiter=few)
        state = found.to_json()


def _lasting(state: dict[str, Any]) -> dict[str, Any]:
    """Return a state without what passes by itself: clocks and rates."""
    passing = ("seconds", "seconds_left", "files_per_second", "bytes_per_second", "heartbeat_at", "stage_seconds")
    return {name: value for name, value in state.items() if name not in passing}
