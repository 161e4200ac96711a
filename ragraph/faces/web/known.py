"""Pages of what documents name, of the versions of a document, and of what its reader doubts."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import HTMLResponse

from ragraph.base.defaults import LIKELY
from ragraph.errors import EntityNotFoundError
from ragraph.faces.accounts import account_lines
from ragraph.faces.web.api import DocumentId, Served
from ragraph.faces.web.inputs import decoded
from ragraph.faces.web.knowledge import EntityName
from ragraph.faces.web.pages import LISTED, Word, page, places
from ragraph.faces.web.reading import State
from ragraph.retrieval.parameters import number_or_none
from ragraph.schema.page_labels import page_label

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragraph.schema.entities import Entity, Mention
    from ragraph.schema.results import Table

MENTIONS = 200
"""Maximum number of mentions of an entity on its page."""

router = APIRouter(default_response_class=HTMLResponse, include_in_schema=False, dependencies=[Depends(decoded)])


@router.get("/entities")
def entities(
    request: Request, store: Served, name: Word = None, collection: Word = None, start: Word = None
) -> Response:
    """List the entities that documents name, the most mentioned first."""
    offset = number_or_none("start", start) or 0
    found: list[Entity] = []
    with suppress(EntityNotFoundError):
        found = store.entities(name or None, collection=collection or None, limit=LISTED + 1, offset=offset)
    chosen = {key: value for key, value in {"name": name, "collection": collection}.items() if value}
    place = places("/entities", chosen, offset, len(found) > LISTED)
    shown: dict[str, Any] = {"entities": found[:LISTED], "chosen": chosen, "facets": store.facets()}
    return page(request, "entities.html", **shown, **place)


@router.get("/entities/{name}")
def entity(request: Request, store: Served, name: EntityName) -> Response:
    """Show where documents define and mention an entity, and what they state about it and others."""
    found = store.entity(name)
    mentions = store.mentions(found.identity, limit=MENTIONS + 1)
    relations = store.entity_relations(found.identity)
    return page(
        request,
        "entity.html",
        entity=found,
        mentions=[(one, _words(one), State(one.document_id).at(one.node_id)) for one in mentions[:MENTIONS]],
        more=len(mentions) > MENTIONS,
        relations=[(one, State(one.document_id).at(one.node_id)) for one in relations[:MENTIONS]],
    )


def _words(mention: Mention) -> str:
    """Return the words around a mention, with "…" where the passage goes on."""
    cited = mention.citation
    start, end = cited.excerpt_span
    before, after = ("… " if start > cited.char_start else ""), (" …" if end < cited.char_end else "")
    return before + cited.excerpt + after


@router.get("/documents/{document}/versions")
def versions(
    request: Request,
    store: Served,
    document: DocumentId,
    since: Annotated[int | None, Query()] = None,
    until: Annotated[int | None, Query()] = None,
) -> Response:
    """List the versions of a document, and what changed between two of them."""
    found = store.history(document)
    changes = None
    if since is not None:
        live = until is None or until == found[-1].version
        changes = [
            (change, State(document).at(change.node_id) if live and change.change != "removed" else None)
            for change in store.diff(document, since, until)
        ]
    about = store.document(document).document
    return page(
        request,
        "versions.html",
        document=about,
        versions=list(zip([None, *found], found, strict=False)),
        between=(since, until or found[-1].version),
        changes=changes,
    )


@router.get("/documents/{document}/doubts")
def doubts(request: Request, store: Served, document: DocumentId) -> Response:
    """Tell what became of the letters of the file, and which pages, tables and values were likely read wrong."""
    details = store.document(document)
    every = store.pages(document)
    labels = {sheet.page_pdf: sheet.page_logical for sheet in every}
    likely = [sheet for sheet in every if (sheet.doubt or 0) >= LIKELY]
    if likely:  # not those that were left unread: they have no nodes, and warnings name them
        read = {place["page_pdf"] for node in store.nodes(document) for place in node.positional_data}
        likely = [sheet for sheet in likely if sheet.page_pdf in read]
    worst = sorted(likely, key=lambda sheet: -(sheet.doubt or 0))
    sheets = [
        (State(document).url(page=str(sheet.page_pdf)), page_label([sheet.page_pdf], [sheet.page_logical]), sheet.doubt)
        for sheet in worst[:LISTED]
    ]
    doubted = [
        (
            table,
            State(document).at(table.node.id),
            page_label(table.pages, [labels.get(number) for number in table.pages]),
            _number(table.node.data.get("fault")),
            list(_cells(table)),
        )
        for table in store.tables(document)
        if table.node.data.get("doubt") or (_number(table.node.data.get("fault")) or 0) >= LIKELY
    ]
    account = list(account_lines(details.ingested_with))
    return page(request, "doubts.html", document=details.document, account=account, sheets=sheets, tables=doubted)


def _number(value: object) -> float | None:
    """Return a value that is a number; any program may have supplied it."""
    return float(value) if isinstance(value, int | float) else None


def _cells(table: Table) -> Iterator[tuple[int, int, str]]:
    """Yield row and column, from 1, and text of each value in doubt that the table has."""
    for row, column in table.node.data.get("doubt") or ():
        if row < len(table.rows) and column < len(table.rows[row]):
            yield row + 1, column + 1, table.rows[row][column]
