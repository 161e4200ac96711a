"""The pages for people: the library, a document, a search; all of them work without scripts."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import reduce
from importlib.resources import files
from operator import or_
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Depends, File, Form, HTTPException, Query, Request, UploadFile
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined

import ragraph
from ragraph.base.defaults import DEFAULT_MODE, Mode
from ragraph.base.inline import plain
from ragraph.base.notices import collected
from ragraph.errors import ArgumentError, ModelNotFoundError, NodeNotFoundError
from ragraph.faces.web.api import DocumentId, NodeId, Served, Uploads, attachment, jobs_of
from ragraph.faces.web.asking import may_write, reviewer_of
from ragraph.faces.web.downloads import name_at
from ragraph.faces.web.drawing import around
from ragraph.faces.web.guard import COOKIE, LOGIN, Access
from ragraph.faces.web.inputs import dated, decoded
from ragraph.faces.web.reading import HITS, ZOOMS, State, view
from ragraph.faces.web.text import excerpt, marked, marked_table
from ragraph.faces.web.wording import kind_named, unknown
from ragraph.filters import field
from ragraph.retrieval.parameters import every, number_or_none
from ragraph.schema.display import rating
from ragraph.schema.enums import ContentNodeType
from ragraph.schema.page_labels import page_label

if TYPE_CHECKING:
    from ragraph.faces.web.jobs import Upload
    from ragraph.filters import Filter
    from ragraph.schema.results import DocumentDetails, Hit
    from ragraph.store.store import Store

LISTED = 50
MOST_HITS = 200
"""Maximum number of results of a search on a page; a narrower search finds what is beyond them."""
STYLES = ("apa", "chicago-author-date", "harvard-cite-them-right", "ieee", "modern-language-association", "nature")
_NUMBER = re.compile(r"[+-]?[\d\s.,'\u2019]*\d[\d\s.,'\u2019]*(?:[eE][+-]?\d+)?\s?%?|-+")
"""A number as people write it, or a dash for none; neither is a formula."""
MODES = {Mode.HYBRID: "meaning and words", Mode.VECTOR: "meaning", Mode.TEXT: "words", Mode.GRAPH: "relations too"}

router = APIRouter(default_response_class=HTMLResponse, include_in_schema=False, dependencies=[Depends(decoded)])
writing = APIRouter(default_response_class=HTMLResponse, include_in_schema=False, dependencies=[Depends(decoded)])

_templates = Environment(
    loader=FileSystemLoader(str(files("ragraph.faces.web") / "templates")),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_templates.globals.update(version=ragraph.__version__, styles=STYLES, modes=MODES)
_templates.filters |= {"plain": plain, "excerpt": excerpt, "marked": marked, "marked_table": marked_table}
_templates.filters["file_name"] = name_at
_templates.filters["rating"] = rating
_templates.filters["kind"] = kind_named
_templates.filters["words"] = lambda name: name.replace("_", " ").capitalize()
_templates.filters["part"] = lambda value: quote(str(value), safe="")

Word = Annotated[str | None, Query()]


def page(request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """Return a page from a template."""
    offered = {"write": request.app.state.write and may_write(request), "answers": request.app.state.answers}
    common = {**offered, "notices": collected(), "q": None, "within": None, "mode": None, "search_in": None}
    text = _templates.get_template(template).render({**common, **values})
    return HTMLResponse(text.encode("utf-8", "replace"), status)


def error_page(request: Request, status: int, message: str) -> Response:
    """Return the page for an error, with advice."""
    title = {404: "Not found", 422: "This request is not valid", 503: "The database does not answer"}
    return page(request, "error.html", status, title=title.get(status, "That did not work"), message=message)


@router.get("/")
def library(
    request: Request,
    store: Served,
    title: Word = None,
    collection: Word = None,
    language: Word = None,
    tag: Word = None,
    since: Word = None,
    until: Word = None,
    start: Word = None,
    uploaded: Annotated[list[str] | None, Query()] = None,
) -> Response:
    """Show the documents that match the filters; ``uploaded`` are ids of uploads that are told about."""
    given = {
        "title": title,
        "collection": collection,
        "language": language,
        "tag": tag,
        "since": since,
        "until": until,
    }
    chosen = {name: value for name, value in given.items() if value}
    offset = number_or_none("start", start) or 0
    found = store.documents(
        collection=collection or None, filter=_library_filter(chosen), limit=LISTED + 1, offset=offset
    )
    return page(
        request,
        "library.html",
        documents=found[:LISTED],
        facets=store.facets(),
        chosen=chosen,
        first=offset + 1,
        uploads=[job for job in map(jobs_of(request).get, uploaded or ()) if job],
        **places("/", chosen, offset, len(found) > LISTED),
    )


_SEARCHED = (
    *("q", "within", "document", "section", "mode", "collection", "language", "tag", "type", "since", "until", "k"),
)


@router.get("/search")
def search(
    request: Request,
    store: Served,
    q: Word = None,
    within: Word = None,
    document: Word = None,
    section: Word = None,
    mode: Word = None,
    collection: Word = None,
    language: Word = None,
    tag: Word = None,
    type: Word = None,
    since: Word = None,
    until: Word = None,
    k: Word = None,
) -> Response:
    """Show the results of a search in the store, the best ``k``; a search within a document redirects to its page."""
    for name in request.query_params:
        if name not in _SEARCHED:
            raise unknown(name, _SEARCHED)
    if document and within != "store" and q:
        state = State(document, q=q, within="document", mode=_kept(mode))
        if within == "section" and section:
            state = State(document, section=section, q=q, within=section, mode=_kept(mode))
        return RedirectResponse(state.url(), 303)
    if not (q or "").strip():
        return RedirectResponse("/", 303)
    given = {"collection": collection, "language": language, "tag": tag, "type": type, "since": since, "until": until}
    chosen = {name: value for name, value in given.items() if value}
    years = {name: value for name, value in chosen.items() if name in ("since", "until")}
    most = most_of(k)
    hits, more, trouble = _hits(
        store,
        q or "",
        mode,
        most,
        collection=collection or None,
        languages=language or None,
        tags=tag or None,
        types=type or None,
        filter=_library_filter(years),
    )
    links = [
        State(hit.document_id, q=q, within="store", mode=_kept(mode), k=grown(most)).at(hit.node_id, hit=number)
        for number, hit in enumerate(hits, 1)
    ]
    results = list(zip(hits, links, strict=True))
    shown: dict[str, Any] = {"results": results, "trouble": trouble, "chosen": chosen, "facets": store.facets()}
    asked = {"q": q, **({"mode": mode} if mode else {}), **chosen, "k": most + HITS}
    shown["more"] = f"/search?{urlencode(asked)}#hit-{most + 1}" if more else None
    return page(request, "search.html", q=q, mode=mode, types=ContentNodeType, **shown)


@router.get("/documents/{document}")
def document(
    request: Request,
    store: Served,
    document: DocumentId,
    section: Word = None,
    page_: Annotated[str | None, Query(alias="page")] = None,
    node: Word = None,
    part: Word = None,
    q: Word = None,
    within: Word = None,
    mode: Word = None,
    hit: Word = None,
    style: Word = None,
    zoom: Word = None,
    k: Word = None,
) -> Response:
    """Show a document: outline, text, page, the selected passage, and the results of a search."""
    state = State(
        document,
        section=section or None,
        page=page_ or None,
        node=node or None,
        part=number_or_none("part", part),
        q=q or None,
        within=within or None,
        mode=_kept(mode),
        hit=number_or_none("hit", hit),
        style=style if style in STYLES else None,
        zoom=zoom if zoom in ZOOMS else None,
        k=grown(most_of(k)),
    )
    hits: list[Hit] = []
    trouble, more = None, False
    if state.q:
        hits, more, trouble = _hits(store, state.q, state.mode, state.k or HITS, **_where(state))
        if state.hit and state.hit <= len(hits) and hits[state.hit - 1].node_id != state.node:
            found = hits[state.hit - 1]
            return RedirectResponse(state.at(found.node_id, found.document_id, state.hit), 303)
    shown = view(store, state, hits)
    number = shown.hit or 0
    links = [state.at(found.node_id, found.document_id, place) for place, found in enumerate(hits, 1)]
    return page(
        request,
        "document.html",
        view=shown,
        state=state,
        links=links,
        trouble=trouble,
        more=state.url(k=(state.k or HITS) + HITS) if more else None,
        reviewer=reviewer_of(request, None),
        before=links[number - 2] if number > 1 else None,
        after=links[number] if number < len(links) else None,
        q=state.q,
        within=state.within,
        mode=state.mode,
        search_in=shown,
    )


@router.get("/documents/{document}/exhibits")
def exhibits(request: Request, store: Served, document: DocumentId) -> Response:
    """Show the tables and figures of a document."""
    about = store.document(document).document
    figures = store.nodes(document, type=ContentNodeType.FIGURE)
    labels = {page.page_pdf: page.page_logical for page in store.pages(document)}
    tables = store.tables(document)
    spans = [page_label(table.pages, [labels.get(page) for page in table.pages]) for table in tables]
    found: dict[str, Any] = {
        "tables": [(table, State(document).at(table.node.id), span) for table, span in zip(tables, spans, strict=True)],
        "figures": [(figure, State(document).at(figure.id)) for figure in figures],
    }
    return page(request, "exhibits.html", document=about, **found)


@router.get("/documents/{document}/graph")
def graph(request: Request, store: Served, document: DocumentId, node: Annotated[str, Query()]) -> Response:
    """Draw the graph around a passage: notes, captions, references, and documents that cite each other."""
    return page(request, "graph.html", around=around(store, document, node))


@router.get("/reviews")
def reviews(
    request: Request,
    store: Served,
    document: Word = None,
    collection: Word = None,
    verdict: Word = None,
    start: Word = None,
) -> Response:
    """List reviews of passages, the newest first."""
    given = {"document": document, "collection": collection, "verdict": verdict}
    chosen: dict[str, Any] = {name: value for name, value in given.items() if value}
    offset = number_or_none("start", start) or 0
    found = store.reviews(**chosen, limit=LISTED + 1, offset=offset)
    about = store.document(chosen["document"]).document.title if document else None
    shown = [(review, State(review.document_id).at(review.node_id)) for review in found[:LISTED]]
    place = places("/reviews", chosen, offset, len(found) > LISTED)
    return page(request, "reviews.html", reviews=shown, chosen=chosen, about=about, facets=store.facets(), **place)


@router.get("/documents/{document}/text.md")
@dated
def markdown(store: Served, document: DocumentId) -> Response:
    """Return a document as Markdown, as a download."""
    return _download(store.render(document), "text/markdown", f"{_stem(store, document)}.md")


@router.get("/documents/{document}/tables/{node}.csv")
def table_csv(store: Served, document: DocumentId, node: NodeId) -> Response:
    """Return a table as comma-separated values, as a download."""
    tables = {table.node.id: (number, table) for number, table in enumerate(store.tables(document), 1)}
    if node not in tables:
        raise NodeNotFoundError(f"document {document!r} has no table {node!r}")
    number, found = tables[node]
    inert = replace(found, rows=[[_inert(cell) for cell in row] for row in found.rows])
    return _download(inert.to_csv(), "text/csv", f"{_stem(store, document)}-table-{number}.csv")


@router.get("/docs")
def description(request: Request) -> Response:
    """Describe REST, from the description that programs read; nothing is loaded from elsewhere."""
    told = request.app.openapi()
    calls = [
        {"method": method.upper(), "path": path, **call}
        for path, methods in told["paths"].items()
        for method, call in methods.items()
    ]
    return page(request, "docs.html", calls=calls, schemas=told["components"]["schemas"])


@router.get(LOGIN)
def login_form(request: Request) -> Response:
    """Ask for the token."""
    return page(request, "login.html", wrong=False)


@router.post(LOGIN)
def login(request: Request, token: Annotated[str, Form()] = "") -> Response:
    """Log in a browser that sends the token."""
    access: Access = request.app.state.access
    session = access.log_in(token)
    if session is None:
        return page(request, "login.html", 401, wrong=True)
    answer = RedirectResponse("/", 303)
    encrypted = "https" in (request.url.scheme, request.headers.get("x-forwarded-proto"))
    answer.set_cookie(COOKIE, session, httponly=True, samesite="strict", secure=encrypted)
    return answer


@writing.post("/")
def upload(
    jobs: Uploads, file: Annotated[list[UploadFile], File()], collection: Annotated[str, Form()] = ""
) -> Response:
    """Ingest the files of the form of the library, which a browser without scripts sends; then show the library.

    It shows what became of each file; if all are refused, the first refusal.
    """
    sent: list[Upload] = []
    refused: list[tuple[str | None, ArgumentError]] = []
    for one in file:
        try:
            sent.append(jobs.add(one.file, one.filename, {"collection": collection or "default"}))
        except ArgumentError as error:
            refused.append((one.filename, error))
    if not sent:
        raise refused[0][1]
    sent += [jobs.refused(name or "", str(error)) for name, error in refused]
    return RedirectResponse("/?" + urlencode([("uploaded", job.id) for job in sent]), 303)


@writing.get("/documents/{document}/delete")
def ask_to_delete(request: Request, store: Served, document: DocumentId) -> Response:
    """Ask for confirmation before a document is deleted."""
    _check_writer(request)
    return page(request, "delete.html", document=store.document(document).document)


@writing.post("/documents/{document}/delete")
def delete(store: Served, document: DocumentId) -> Response:
    """Delete a document."""
    store.delete(document)
    return RedirectResponse("/", 303)


@writing.get("/documents/{document}/edit")
def edit_form(request: Request, store: Served, document: DocumentId) -> Response:
    """Show the metadata of a document in a form."""
    _check_writer(request)
    now = _fields(store.document(document))
    return page(request, "edit.html", document=document, fields=now, was=now, trouble=None)


@writing.post("/documents/{document}/edit")
def edit(
    request: Request,
    store: Served,
    document: DocumentId,
    title: Annotated[str, Form()] = "",
    authors: Annotated[str, Form()] = "",
    publication_date: Annotated[str, Form()] = "",
    tags: Annotated[str, Form()] = "",
    collection: Annotated[str, Form()] = "",
    was: Annotated[str, Form()] = "",
) -> Response:
    """Change what was changed in the form; empty fields are emptied, but for title and collection.

    ``was`` has the fields as the form showed them, as JSON. What somebody else changed meanwhile stays. If both changed
    the same field, nothing is saved, and the form tells what it is now.
    """
    now = _fields(store.document(document))
    shown = {**now, **_shown_before(was)}
    given = {"title": title, "authors": authors, "publication_date": publication_date, "tags": tags}
    given = {name: value.strip() for name, value in {**given, "collection": collection}.items()}
    given["tags"] = "\n".join(_lines(tags))
    for name in ("title", "collection"):
        given[name] = given[name] or shown[name]
    changed = [name for name, value in given.items() if value not in (shown[name], now[name])]
    clashes = [name for name in changed if shown[name] != now[name]]
    fields = {name: given[name] if given[name] != shown[name] else now[name] for name in now}
    trouble = None
    if clashes:
        told = "; ".join(f"{name.replace('_', ' ')} is now {'; '.join(_lines(now[name]))!r}" for name in clashes)
        trouble = f"somebody changed this meanwhile: {told}; save again to replace it"
    elif changed:
        changes: Any = {name: given[name] or None for name in changed}
        if "tags" in changed:
            changes["tags"] = _lines(tags)
        try:
            store.update(document, **changes)
        except ArgumentError as error:
            trouble = str(error)
    if trouble:
        return page(request, "edit.html", 422, document=document, fields=fields, was=now, trouble=trouble)
    return RedirectResponse(State(document).url(), 303)


def _check_writer(request: Request) -> None:
    """Refuse a form to whoever may not send it."""
    if not may_write(request):
        raise HTTPException(403, "this token may only read")


def _fields(details: DocumentDetails) -> dict[str, str]:
    """Return the metadata of a document as the form shows it."""
    found = details.document
    return {
        "title": found.title,
        "authors": found.authors or "",
        "publication_date": found.publication_date.isoformat() if found.publication_date else "",
        "tags": "\n".join(details.tags),  # a tag may have commas, but no line breaks
        "collection": found.collection,
    }


def _lines(words: str) -> list[str]:
    """Return the lines of a field of the form that are not empty."""
    return [line.strip() for line in words.splitlines() if line.strip()]


def _shown_before(was: str) -> dict[str, str]:
    """Return the fields that a form was shown with; none if it does not say so."""
    try:
        found = json.loads(was or "{}")
    except ValueError:
        found = None
    return {name: value for name, value in found.items() if isinstance(value, str)} if isinstance(found, dict) else {}


@writing.post("/documents/{document}")
def review(
    request: Request,
    store: Served,
    document: DocumentId,
    node: Annotated[str, Query()],
    verdict: Annotated[str, Form()] = "",
    note: Annotated[str, Form()] = "",
    by: Annotated[str, Form()] = "",
    question: Annotated[str, Form()] = "",
    withdraw: Annotated[str, Form()] = "",
) -> Response:
    """Review the selected passage, or withdraw a review; then show it again."""
    if withdraw:
        store.withdraw_review(document, withdraw)
    else:
        given: Any = verdict
        name = reviewer_of(request, by or None)
        store.review(document, node, given, note or None, by=name, question=question or None)
    return RedirectResponse(f"{request.url.path}?{request.url.query}#passage", 303)


def _stem(store: Store, document: str) -> str:
    """Return the name of the file of a document without its suffix; its id if it has no file."""
    return PurePosixPath(name_at(store.document(document).document.source_uri)).stem or document


def _inert(cell: str) -> str:
    """Return a cell that no spreadsheet takes for a formula: with a quotation mark before it (OWASP, CSV injection)."""
    return f"'{cell}" if cell.startswith(("=", "+", "-", "@", "\t", "\r")) and not _NUMBER.fullmatch(cell) else cell


def _download(text: str, media_type: str, name: str) -> Response:
    return Response(
        text.encode("utf-8", "replace"), media_type=f"{media_type}; charset=utf-8", headers=attachment(name)
    )


def places(path: str, chosen: dict[str, str], offset: int, more: bool) -> dict[str, Any]:
    """Return the addresses of the previous and the next part of a list."""

    def at(place: int) -> str:
        return f"{path}?" + urlencode({**chosen, **({"start": place} if place else {})})

    return {"before": at(max(0, offset - LISTED)) if offset else None, "after": at(offset + LISTED) if more else None}


def titled(words: str) -> Filter:
    """Return the filter for titles that contain some words, in the usual ways of writing capitals."""
    written = dict.fromkeys((words, words.capitalize(), words.title(), words.lower(), words.upper()))
    found: Filter = reduce(or_, (field("title").contains(form) for form in written))
    return found


def _library_filter(chosen: dict[str, str]) -> Filter | None:
    since, until = number_or_none("since", chosen.get("since")), number_or_none("until", chosen.get("until"))
    if since is not None and until is not None and since > until:
        raise ArgumentError(f"the years run from {since:g} back to {until:g}", hint="exchange them")
    return every(
        titled(chosen["title"]) if "title" in chosen else None,
        field("language") == chosen["language"] if "language" in chosen else None,
        field("tags").contains(chosen["tag"]) if "tag" in chosen else None,
        field("year") >= since if since is not None else None,
        field("year") <= until if until is not None else None,
    )


def _where(state: State) -> dict[str, Any]:
    if state.within in (None, "document"):
        return {"document": state.document}
    return {} if state.within == "store" else {"document": state.document, "section": state.within}


def _hits(store: Store, q: str, mode: str | None, most: int, **where: Any) -> tuple[list[Hit], bool, str | None]:
    """Return the best results of a search, whether there may be more to show, or its error."""
    try:
        found = store.search(q, most + 1, mode=_mode(mode), **where)
    except ModelNotFoundError:
        return [], False, without_vectors(store)
    except ArgumentError as error:
        return [], False, str(error)
    return found[:most], len(found) > most and most < MOST_HITS, None


def most_of(k: str | None) -> int:
    """Return the number of results to show."""
    return min(max(number_or_none("k", k) or HITS, HITS), MOST_HITS)


def grown(most: int) -> int | None:
    """Return the number of results for an address, which leaves out the usual one."""
    return most if most > HITS else None


def without_vectors(store: Store) -> str:
    """Return why a search by meaning finds nothing in a store without a model."""
    if not store.documents(limit=1):
        return "The library is empty: add documents first."
    return "No document has vectors yet: run `ragraph embed`, or search by words."


def _mode(given: str | None) -> Any:
    return given or DEFAULT_MODE


def _kept(given: str | None) -> str | None:
    return given if given in set(Mode) and given != DEFAULT_MODE else None
