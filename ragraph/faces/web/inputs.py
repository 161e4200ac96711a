"""Converts query strings of HTTP requests into arguments of the store."""

from __future__ import annotations

import inspect
import re
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, cast, get_origin
from urllib.parse import quote, unquote, unquote_to_bytes

from fastapi import Query, Request
from starlette.datastructures import URL

from ragraph.errors import ArgumentError
from ragraph.faces.web.wording import unknown
from ragraph.retrieval.parameters import gathered, one_document, text_of
from ragraph.search import SEARCH_PARAMETERS

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.datastructures import ImmutableMultiDict
    from starlette.types import ASGIApp, Receive, Scope, Send

    from ragraph.retrieval.parameters import Parameter
    from ragraph.search import SearchOptions
    from ragraph.store.store import Store

R = TypeVar("R")

_AS_OF = inspect.Parameter(
    "as_of",
    inspect.Parameter.KEYWORD_ONLY,
    default=None,
    annotation=Annotated[
        str | None,
        Query(description="The document as of this version or date; .../versions lists them.", examples=["1"]),
    ],
)


_SLASH = "\ue02f"
"""Stands in paths for a slash within an id: routes divide a path at its slashes after they were decoded."""


class Slashes:
    """ASGI middleware that keeps escaped slashes (``%2F``) apart from those that divide the path."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        raw = scope.get("raw_path") or b""
        if b"%2f" in raw.lower():
            told = re.sub(b"%2f", quote(_SLASH).encode(), raw.partition(b"?")[0], flags=re.IGNORECASE)
            scope["path"] = unquote(told.decode("ascii", "replace"))
        await self._app(scope, receive, send)


def decoded(request: Request) -> None:
    """Give the parts of the path their slashes, and refuse escapes that are not UTF-8.

    The server library would replace such escapes by other characters. FastAPI runs what a router depends on before it
    reads the path for the route.

    Raises:
        ArgumentError: an escape is not UTF-8.
    """
    for part in (request.scope.get("raw_path") or b"", request.scope["query_string"]):
        text_of("the address", unquote_to_bytes(part))
    parts = request.path_params
    request.scope["path_params"] = {name: value.replace(_SLASH, "/") for name, value in parts.items()}


def own_address(request: Request) -> URL:
    """Return the path and the query of a request, with the escapes that it came with."""
    raw = (request.scope.get("raw_path") or quote(request.scope["path"]).encode()).partition(b"?")[0]
    return URL(quote(raw, safe="/%:@!$&'()*+,;=~") + "?" + request.scope["query_string"].decode("latin-1"))


async def only_known(request: Request) -> None:
    """Raise an error for parameters or fields of a form that a route does not have, or has once and got several times.

    Ignored, they would silently not restrict the result, or a file would silently not be ingested.

    Raises:
        ArgumentError: there is one.
    """
    route = request.scope["route"]
    told = request.app.openapi()
    described = told["paths"].get(route.path_format, {}).get(request.method.lower(), {})
    known = {
        parameter["name"]: parameter["schema"]
        for parameter in described.get("parameters", [])
        if parameter["in"] == "query"
    }
    _check_known(request.query_params, known)
    form = described.get("requestBody", {}).get("content", {}).get("multipart/form-data")
    if form is not None:
        body = told["components"]["schemas"][form["schema"]["$ref"].rpartition("/")[2]]
        _check_known(await request.form(), body["properties"])


def _check_known(given: ImmutableMultiDict[str, Any], known: dict[str, Any]) -> None:
    for name in given:
        if name not in known:
            raise unknown(name, list(known))
        if len(given.getlist(name)) > 1 and not _is_list(known[name]):
            raise ArgumentError(f"{name} is given twice; give it once")


def _is_list(schema: dict[str, Any]) -> bool:
    return any(kind.get("type") == "array" for kind in (schema, *schema.get("anyOf", ())))


def search_options(**values: Any) -> SearchOptions:
    """Return where and how to search; the dependency of routes that search.

    Raises:
        ArgumentError: a value does not have the right form.
    """
    said = {
        item.public_name: values[item.public_name]
        for item in SEARCH_PARAMETERS
        if values[item.public_name] != item.default
    }
    return cast("SearchOptions", gathered(SEARCH_PARAMETERS, said))


def _query(parameter: Parameter) -> inspect.Parameter:
    """Return a parameter of a query string. An unknown node type is refused by the store, which lists the types."""
    kind = parameter.values if get_origin(parameter.values) is Literal else str
    example: Any = [parameter.example] if parameter.form.several else parameter.example
    options: dict[str, Any] = {"examples": [example]} if parameter.example else {}
    if parameter.form.several:
        kind = list[kind]  # type: ignore[valid-type]
    return inspect.Parameter(
        parameter.public_name,
        inspect.Parameter.KEYWORD_ONLY,
        default=parameter.default,
        annotation=Annotated[
            kind if parameter.default is not None else kind | None, Query(description=parameter.described, **options)
        ],
    )


search_options.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
    [_query(parameter) for parameter in SEARCH_PARAMETERS]
)


def dated(route: Callable[..., R]) -> Callable[..., R]:
    """Give a route that reads one document the parameter ``as_of``: it then reads an earlier version.

    The version is open while the route runs. A dependency would keep its connection while the answer is sent.

    Args:
        route: it takes ``store``, and ``document`` or ``options`` of a search, which must name one document.
    """
    own = inspect.signature(route, eval_str=True)

    @wraps(route)
    def run(*, store: Store, as_of: str | None = None, **given: Any) -> R:
        if as_of is None:
            return route(store=store, **given)
        named = given["document"] if "document" in given else given["options"].get("document")
        with store.as_of(one_document(named), as_of) as then:
            return route(store=then, **given)

    flat = [parameter.replace(kind=parameter.KEYWORD_ONLY) for parameter in own.parameters.values()]
    run.__signature__ = own.replace(parameters=[*flat, _AS_OF])  # type: ignore[attr-defined]
    return run


JsonObject = dict[str, Any]
