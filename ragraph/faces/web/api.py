"""REST: the results of the command line under ``/api``, in the same JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path as FilePath
from typing import Annotated, Any, Literal
from urllib.parse import quote

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from fastapi.responses import FileResponse, JSONResponse
from pydantic import BaseModel

from ragraph.base.arguments import LARGEST
from ragraph.base.defaults import CONTEXT_HITS, CONTEXT_TOKENS, Strategy
from ragraph.faces.web.asking import asker_of
from ragraph.faces.web.downloads import name_at
from ragraph.faces.web.inputs import JsonObject, dated, decoded, only_known, own_address, search_options
from ragraph.faces.web.jobs import Jobs
from ragraph.retrieval.pages import pages_named
from ragraph.retrieval.parameters import conditions
from ragraph.schema.pictures import Page, Picture
from ragraph.schema.results import (
    Document,
    DocumentDetails,
    ExplainedHits,
    Node,
    RelatedNode,
    Relation,
    Result,
    TocEntry,
)
from ragraph.search import SearchOptions
from ragraph.store.store import Store
from ragraph.tools.bodies import CitationBody
from ragraph.tools.reading import ReadingTools

_EPOCH = datetime.fromtimestamp(0, UTC)


class Failure(BaseModel):
    """Body of every error (RFC 9457): ``error`` is its name in Python, ``message`` one line that says what to do."""

    type: str
    title: str
    status: int
    detail: str
    error: str
    message: str


class HitBody(BaseModel):
    """A search result: the node, its score, its place, and the words that were found."""

    document_id: str
    node_id: str
    node_type: str
    score: float
    relevance: float | None
    ranks: dict[str, int]
    content: str
    title: str
    section_path: list[str]
    pages: list[int]
    logical_pages: list[str]
    boxes: list[JsonObject]
    char_span: list[int]
    excerpt: str
    excerpt_span: list[int]


class ExplainedBody(BaseModel):
    """The results of an explained search, and its steps: part, way, rows looked at and found, milliseconds."""

    hits: list[HitBody]
    steps: list[JsonObject]


class TableBody(BaseModel):
    """A table: its place, its caption, the text of its cells, and the table as HTML."""

    document_id: str
    node_id: str
    caption: str | None
    pages: list[int]
    boxes: list[JsonObject]
    rows: list[list[str]]
    header_rows: int
    spans: list[list[int]]
    html: str


class ContextBody(BaseModel):
    """A context for a language model: its text, the blocks of the text, and these by document."""

    strategy: str
    token_budget: int | None
    tokens: int
    cut: bool
    hits_left_out: int
    confidence: float | None
    text: str
    documents: list[JsonObject]
    blocks: list[JsonObject]


class Rendered(BaseModel):
    """A document, or a part of it, as linear text."""

    document_id: str
    section: str | None
    format: str
    text: str


HITS = 10
"""Default number of hits."""
PROBLEM = "application/problem+json"
"""Media type of errors."""


def failure(status: int, name: str, message: str) -> Failure:
    """Return the body of an error."""
    return Failure(
        type=f"urn:ragraph:error:{name}", title=name, status=status, detail=message, error=name, message=message
    )


def problem(status: int, name: str, message: str) -> Response:
    """Return an error as a response."""
    return JSONResponse(failure(status, name, message).model_dump(), status, media_type=PROBLEM)


def described(error: str) -> dict[str, Any]:
    """Return the description of an error as a response."""
    return {"content": {PROBLEM: {"schema": {"$ref": "#/components/schemas/Failure"}}}, "description": error}


ERRORS: dict[int | str, dict[str, Any]] = {
    403: described("Whoever asks may not do this."),
    404: described("The document, section, page, version, node or model does not exist."),
    422: described("An argument is not valid."),
    503: described("The database does not answer, or no language model is set."),
}
_REFERENCES: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/vnd.citationstyles.csl+json": {}, "application/x-bibtex": {}}},
}
_PICTURE: dict[int | str, dict[str, Any]] = {
    200: {"content": {"image/jpeg": {}, "image/png": {}, "image/gif": {}, "image/webp": {}}},
}

DocumentId = Annotated[str, Path(description="Id of the document.", examples=["dl_nist_sp_800_207"])]
NodeId = Annotated[str, Path(description="Id of the node.")]
Wanted = Annotated[str, Query(description="Words to look for.", examples=["who decides on access"])]
Options = Annotated[SearchOptions, Depends(search_options)]
Scale = Annotated[float, Query(description="Pixels per point, 0.1 to 10.")]


def store_of(request: Request) -> Store:
    """Return the store as whoever asks sees it."""
    return asker_of(request.scope).store


def jobs_of(request: Request) -> Jobs:
    """Return the uploads in progress of whoever asks."""
    jobs: Jobs = request.app.state.jobs
    return jobs.of(asker_of(request.scope))


Served = Annotated[Store, Depends(store_of)]
Uploads = Annotated[Jobs, Depends(jobs_of)]

Limit = Annotated[int, Query(ge=1, description="Maximum number; the header Link names the next ones.")]
Offset = Annotated[int, Query(ge=0, le=LARGEST)]
Some = Annotated[int | None, Query(ge=1, description="Maximum number; default all. The header Link names the next.")]

_CHECKED = [Depends(decoded), Depends(only_known)]
router = APIRouter(prefix="/api", responses=ERRORS, dependencies=_CHECKED)


@router.get("/documents", response_model=list[Document])
def list_documents(
    request: Request,
    store: Served,
    collection: str | None = None,
    filter: Annotated[
        str | None, Query(description="A condition, as JSON.", examples=['{"year": {"$gte": 2020}}'])
    ] = None,
    limit: Limit = 100,
    offset: Offset = 0,
) -> Response:
    """List the documents in the order of ingestion."""
    passing = conditions(filter)

    def load(most: int, begin: int) -> list[Document]:
        return store.documents(collection=collection, filter=passing, limit=most, offset=begin)

    return paged(request, load, limit, offset)


@router.get("/facets")
def facets(store: Served) -> JsonObject:
    """Return the values that documents can be filtered by: collections, languages, tags, dates, keys of metadata."""
    return store.facets()


@router.get("/documents/{document}", response_model=DocumentDetails)
@dated
def show_document(store: Served, document: DocumentId) -> Response:
    """Return the details of a document."""
    return as_json(store.document(document))


@router.get("/documents/{document}/outline", response_model=list[TocEntry])
@dated
def outline(store: Served, document: DocumentId, depth: int | None = None) -> Response:
    """Return the sections, depth first in reading order."""
    return as_json(store.toc(document, depth))


@router.get("/documents/{document}/text")
@dated
def render(
    store: Served,
    document: DocumentId,
    section: Annotated[str | None, Query(description="Id, title or number of a section.")] = None,
    format: Literal["markdown", "html", "text"] = "markdown",
    notes: Literal["after", "section", "none"] = "after",
    page_breaks: bool = False,
    furniture: Annotated[bool, Query(description="Include running heads, running feet and page numbers.")] = False,
) -> Rendered:
    """Return a document, or one section, as clean linear text."""
    shown: dict[str, Any] = {"notes": notes, "page_breaks": page_breaks, "furniture": furniture}
    text = store.render(document, section=section, format=format, **shown)
    return Rendered(document_id=document, section=section, format=format, text=text)


@router.get("/documents/{document}/nodes", response_model=list[Node])
@dated
def nodes(
    request: Request,
    store: Served,
    document: DocumentId,
    section: str | None = None,
    type: Annotated[list[str] | None, Query(description="Only nodes of these types.")] = None,
    page: Annotated[str | None, Query(description="Only this page, as printed or physical, or these: 3-7.")] = None,
    limit: Some = None,
    offset: Offset = 0,
) -> Response:
    """Return the nodes of a document, or of a section, in reading order."""
    on = None if page is None else pages_named(document, page, store.pages(document))
    found = store.nodes(document, section, type=type, page=on)
    return some(request, found, limit, offset)


@router.get("/documents/{document}/tables", response_model=list[TableBody])
@dated
def tables(
    request: Request,
    store: Served,
    document: DocumentId,
    section: str | None = None,
    page: Annotated[str | None, Query(description="Only this page, as printed or physical, or these: 3-7.")] = None,
    limit: Some = None,
    offset: Offset = 0,
) -> Response:
    """Return the tables of a document, or of a section, as rows and columns."""
    on = None if page is None else pages_named(document, page, store.pages(document))
    found = store.tables(document, section, page=on)
    return some(request, found, limit, offset)


@router.get("/documents/{document}/relations", response_model=list[Relation])
@dated
def relations(
    request: Request,
    store: Served,
    document: DocumentId,
    node: Annotated[list[str] | None, Query()] = None,
    limit: Some = None,
    offset: Offset = 0,
) -> Response:
    """Return the relations of a document, or those at some nodes: notes, captions, citations, references."""
    return some(request, store.relations(document, node), limit, offset)


@router.get("/documents/{document}/pages", response_model=list[Page])
@dated
def pages(store: Served, document: DocumentId) -> Response:
    """Return the pages with their printed numbers and sizes in points."""
    return as_json(store.pages(document))


@router.get("/documents/{document}/pages/{page}", response_model=list[Node])
@dated
def page(
    store: Served,
    document: DocumentId,
    page: Annotated[
        str, Path(description="A physical page, several as 3-7, or a printed number.", examples=["5", "3-7", "iii"])
    ],
    logical: Annotated[bool, Query(description="It is a printed number, even if it looks like a page.")] = False,
) -> Response:
    """Return the nodes on a page, or on several, in reading order; an empty list if there are none."""
    wanted = page if logical else pages_named(document, page, store.pages(document))
    return as_json(store.page(document, wanted))


@router.get("/documents/{document}/pages/{page}/image", response_class=Response, responses=_PICTURE)
@dated
def page_image(
    request: Request,
    store: Served,
    document: DocumentId,
    page: int,
    scale: Scale = 2.0,
    format: Literal["jpeg", "png"] = "jpeg",
) -> Response:
    """Return a page as an image; the coordinates of boxes times scale are its pixels."""
    return _picture(store.page_image(document, page, scale, format=format))


@router.get("/documents/{document}/original", response_class=Response)
@dated
def original(store: Served, document: DocumentId) -> Response:
    """Return the file that the document was read from, as a download."""
    found, media_type = store.original(document)
    known = store.document(document).document
    headers = attachment(name_at(known.source_uri) or document)
    if isinstance(found, FilePath):
        # not the time of the file: it is stored once for all tenants, so it would tell that another had it before
        read = (known.processed_at or _EPOCH).astimezone(UTC)
        tag = f'"{quote(document)}-{read.timestamp()}"'
        headers |= {"Last-Modified": format_datetime(read, usegmt=True), "ETag": tag}
        return FileResponse(found, media_type=media_type, headers=headers)
    return Response(found, media_type=media_type, headers=headers)


@router.get("/documents/{document}/nodes/{node}", response_model=Node)
@dated
def node(store: Served, document: DocumentId, node: NodeId) -> Response:
    """Return a node."""
    return as_json(store.node(document, node))


@router.get("/documents/{document}/nodes/{node}/related", response_model=list[RelatedNode])
@dated
def related(
    store: Served,
    document: DocumentId,
    node: NodeId,
    type: Annotated[list[str] | None, Query(description="Only relations of these types.")] = None,
    direction: Literal["out", "in", "both"] = "out",
    hops: int = 1,
) -> Response:
    """Return the nodes that relations lead to, nearest first."""
    return as_json(store.related(document, node, types=type, direction=direction, max_hops=hops))


@router.get("/documents/{document}/nodes/{node}/citation")
@dated
def citation(
    store: Served,
    document: DocumentId,
    node: NodeId,
    style: Annotated[str, Query(description="Name of a CSL style.", examples=["ieee"])] = "apa",
    quote: Annotated[str | None, Query(description="Words of the node; refused if it does not have them.")] = None,
) -> CitationBody:
    """Return the place of a node, or of words in it, and its citation in a style."""
    return ReadingTools(store).cite(document, node, quote, style)


@router.get("/documents/{document}/nodes/{node}/figure", response_class=Response, responses=_PICTURE)
@dated
def figure(store: Served, document: DocumentId, node: NodeId, scale: Scale = 2.0) -> Response:
    """Return the picture of a figure, or of any node with a box on a page."""
    return _picture(store.figure(document, node, scale))


@router.get("/search", response_model=list[HitBody] | ExplainedBody)
@dated
def search(
    store: Served,
    q: Wanted,
    options: Options,
    k: int = HITS,
    explain: Annotated[bool, Query(description="Return hits and steps: the parts of the search, their times.")] = False,
) -> Response:
    """Return the nodes that match best, each with its place."""
    hits = store.search(q, k, explain=explain, **options)
    if not isinstance(hits, ExplainedHits):
        return as_json(hits)
    steps = [step.to_json() for step in hits.steps]
    return JSONResponse({"hits": [hit.to_json() for hit in hits], "steps": steps})


@router.get("/context", response_model=ContextBody)
@dated
def context(
    store: Served,
    q: Wanted,
    options: Options,
    budget: Annotated[int, Query(description="Maximum number of tokens.")] = CONTEXT_TOKENS,
    k: Annotated[
        int | None,
        Query(description=f"Number of hits; default {CONTEXT_HITS} for expand auto and focus, else {HITS}."),
    ] = None,
    expand: Annotated[Strategy, Query(description="How hits get the text that belongs to them.")] = "auto",
    tuned: Annotated[bool, Query(description="Use the ranker of the collection if it has one.")] = True,
    explain: Annotated[bool, Query(description="For expand auto and focus: the scores of sentences.")] = False,
    per_document: Annotated[
        int | None, Query(description="For expand auto and focus: at most this many sentences of each document.")
    ] = None,
) -> Response:
    """Return the text of the store about a question within a budget of tokens, with its headings."""
    number = k if k is not None else CONTEXT_HITS if expand in ("auto", "focus") else HITS
    shown: dict[str, Any] = {"tuned": tuned, "explain": explain, "per_document": per_document}
    return as_json(store.context(q, budget, k=number, strategy=expand, **shown, **options))


@router.get("/references", response_class=Response, responses=_REFERENCES)
def references(
    store: Served,
    document: Annotated[list[str] | None, Query(description="Only these documents; default all.")] = None,
    format: Literal["csl-json", "bibtex"] = "csl-json",
) -> Response:
    """Return the publications for a reference manager."""
    media = "application/vnd.citationstyles.csl+json" if format == "csl-json" else "application/x-bibtex"
    return Response(store.references(document, format=format), media_type=media)


def attachment(name: str) -> dict[str, str]:
    """Return the headers of a download with the name of its file."""
    return {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}"}


def as_json(value: Result | Sequence[Result], status: int = 200) -> Response:
    """Return results in the form that the command line prints."""
    content = value.to_json() if isinstance(value, Result) else [item.to_json() for item in value]
    return JSONResponse(content, status)


def paged(request: Request, load: Callable[[int, int], Sequence[Result]], limit: int, offset: int) -> Response:
    """Return up to ``limit`` results; the header ``Link`` has the addresses of the results before and after (RFC 8288).

    Args:
        request: the request, whose address is changed.
        load: returns the results of a limit and an offset.
        limit: maximum number of results.
        offset: number of results before them; beyond the last one, the results before are the last ones.
    """
    found = load(min(limit + 1, LARGEST), offset)
    response = as_json(found[:limit])
    end = offset if found or not offset else len(load(LARGEST, 0))
    places = {"next": offset + limit} if limit < len(found) else {}
    if end > 0:
        places["prev"] = max(0, end - limit)
    here = own_address(request)
    links = [f'<{here.include_query_params(offset=place)}>; rel="{name}"' for name, place in places.items()]
    if links:
        response.headers["Link"] = ", ".join(links)
    return response


def some(request: Request, found: Sequence[Result], limit: int | None, offset: int) -> Response:
    """Return a part of all results, all of them without a limit; see ``paged``."""
    most = len(found) + 1 if limit is None else limit
    return paged(request, lambda more, begin: found[begin : begin + more], most, offset)


def _picture(picture: Picture) -> Response:
    return Response(picture.data, media_type=picture.media_type, headers={"Cache-Control": "private, max-age=3600"})
