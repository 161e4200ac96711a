"""What comes in over HTTP: words of a query string as the arguments that the store takes."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import unquote_to_bytes

from fastapi import Query, Request

from ragraph.faces.web.wording import unknown
from ragraph.retrieval.parameters import conditions, day, page_range, text_of
from ragraph.retrieval.scope import ScopeOptions


def only_text(request: Request) -> None:
    """Refuse an address whose escapes are no UTF-8: the server beneath would put other characters in their place.

    Raises:
        ArgumentError: they are not.
    """
    for part in (request.scope.get("raw_path") or b"", request.scope["query_string"]):
        text_of("the address", unquote_to_bytes(part))


def only_known(request: Request) -> None:
    """Refuse parameters that a route does not take: passed over, they would narrow nothing and nobody would know.

    Raises:
        ArgumentError: there is one.
    """
    route = request.scope["route"]
    described = request.app.openapi()["paths"].get(route.path_format, {}).get(request.method.lower(), {})
    known = [parameter["name"] for parameter in described.get("parameters", []) if parameter["in"] == "query"]
    for name in request.query_params:
        if name not in known:
            raise unknown(name, known)


def scope_options(
    document: Annotated[list[str] | None, Query(description="Only these documents: ids.")] = None,
    section: Annotated[list[str] | None, Query(description="Only these sections: id, title or number.")] = None,
    type: Annotated[list[str] | None, Query(description="Only nodes of these types.", examples=[["TABLE"]])] = None,
    pages: Annotated[str | None, Query(description="Only on these physical pages.", examples=["3-40"])] = None,
    collection: Annotated[str | None, Query(description="Only this collection.")] = None,
    tag: Annotated[list[str] | None, Query(description="Only publications with one of these tags.")] = None,
    language: Annotated[list[str] | None, Query(description="Only documents in these languages.")] = None,
    author: Annotated[list[str] | None, Query(description="Only publications whose authors contain these.")] = None,
    after: Annotated[str | None, Query(description="Published then or later.", examples=["2020-01-01"])] = None,
    before: Annotated[str | None, Query(description="Published then or earlier.", examples=["2024-12-31"])] = None,
    filter: Annotated[
        str | None,
        Query(description="A condition on documents, as JSON.", examples=['{"year": {"$gte": 2020}}']),
    ] = None,
) -> ScopeOptions:
    """Return where to look, as ``ragraph.retrieval.scope.ScopeOptions``; the dependency of what searches.

    Raises:
        ArgumentError: a range or a date that is none, a filter that is no JSON.
    """
    return {
        "document": document or None,
        "section": section or None,
        "types": type or None,
        "pages": page_range(pages),
        "collection": collection,
        "tags": tag or None,
        "languages": language or None,
        "published": (day("after", after), day("before", before)) if after or before else None,
        "filter": conditions(filter, author),
    }


JsonObject = dict[str, Any]
