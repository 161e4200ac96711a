"""The application: routes, errors and access."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager, suppress
from functools import partial
from importlib.resources import files
from threading import Thread
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.routing import Match
from starlette.staticfiles import StaticFiles

import ragraph
from ragraph.base.notices import collect
from ragraph.errors import (
    AccessError,
    AnswerError,
    ArgumentError,
    AssetError,
    ComponentNotFoundError,
    DocumentNotFoundError,
    EntityNotFoundError,
    JobNotFoundError,
    ModelNotFoundError,
    NodeNotFoundError,
    PageNotFoundError,
    QuoteNotFoundError,
    RagraphError,
    ServerError,
    VersionNotFoundError,
    WorkNotFoundError,
)
from ragraph.faces.web import answers, api, changing, feedback, knowledge, known, limits, pages, repeats, side
from ragraph.faces.web.guard import Access, Guard
from ragraph.faces.web.inputs import Slashes
from ragraph.faces.web.jobs import MOST_BYTES, Jobs
from ragraph.faces.web.limits import BodyLimit
from ragraph.faces.web.talks import Talks
from ragraph.faces.web.wording import worded

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Collection

    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from ragraph.faces.web.asking import AuditLog
    from ragraph.store.store import Store

NOTICES = "Ragraph-Notices"
"""Header of a response with notices, such as a tag that no document has, as a JSON list of texts."""

_HEADER = 3000
"""Maximum number of bytes of the header with notices: proxies allow 4 to 8 kB for all headers of a response."""

_WATCHING = 2
"""Maximum number of threads that look up jobs for all clients that watch one."""

_STATUS: tuple[tuple[type[RagraphError], int], ...] = (
    (PageNotFoundError, 404),
    (VersionNotFoundError, 404),
    (ArgumentError, 422),
    (QuoteNotFoundError, 422),
    (DocumentNotFoundError, 404),
    (ComponentNotFoundError, 404),
    (NodeNotFoundError, 404),
    (EntityNotFoundError, 404),
    (WorkNotFoundError, 404),
    (JobNotFoundError, 404),
    (ModelNotFoundError, 404),
    (AssetError, 404),
    (AnswerError, 503),  # only raised if no model is configured
    (AccessError, 403),
    (ServerError, 503),
)


def create_app(
    store: Store,
    *,
    write: bool = False,
    access: Access | None = None,
    ingest_from: Collection[str] = (),
    log: AuditLog | None = None,
) -> FastAPI:
    """Return the application that serves a store; the caller closes the store.

    Args:
        store: the store.
        write: also offer to upload and to delete.
        access: hosts and tokens; default only this machine, without a token.
        ingest_from: hosts that files may be fetched from, as ``example.org`` or ``example.org:8080``.
        log: the audit log; default none.
    """

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        app.state.watching = anyio.CapacityLimiter(_WATCHING)
        app.state.health = anyio.CapacityLimiter(1)
        Thread(target=_warm, args=(store,), daemon=True).start()
        yield
        app.state.jobs.close()

    app = _Described(
        title="ragraph",
        version=ragraph.__version__,
        description="A graph-structured document store: documents, their sections, pages and relations, and search.",
        openapi_url="/api/openapi.json",
        docs_url=None,  # they load scripts from other sites
        redoc_url=None,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,  # names of functions in generated clients
        lifespan=life,
    )
    # the store itself is in no state: routes have the one that the guard gives to a request (api.store_of)
    app.state.jobs = Jobs()
    app.state.talks = Talks()
    app.state.write = write
    app.state.ingest_from = frozenset(host.lower() for host in ingest_from)
    app.state.answers = answers.can_answer()
    app.state.access = access or Access(hosts=frozenset())
    app.add_route("/healthz", partial(_health, store), include_in_schema=False)
    app.include_router(api.router)
    app.include_router(knowledge.router)
    app.include_router(feedback.router)
    if write:
        app.include_router(changing.router)
        app.include_router(feedback.writing)
        app.include_router(pages.writing)
    app.include_router(answers.router)
    app.include_router(pages.router)
    app.include_router(side.router)
    app.include_router(known.router)
    app.mount("/static", StaticFiles(directory=str(files("ragraph.faces.web") / "static")))
    app.add_exception_handler(RagraphError, _failed)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _refused)
    app.add_middleware(Slashes)
    app.add_middleware(_Noticing)
    app.add_middleware(repeats.Repeats)
    uploads = dict.fromkeys(("/", "/api/documents"), (MOST_BYTES + limits.MOST_BYTES, "ingest the file on the server"))
    app.add_middleware(BodyLimit, larger=uploads if write else None)
    app.add_middleware(Guard, store=store, access=app.state.access, log=log)
    return app


class _Described(FastAPI):
    """The application; its description has what FastAPI does not know of.

    That is the body of errors, once, so that generated clients have one class of it, and the header of ``Repeats``.
    """

    def openapi(self) -> dict[str, Any]:
        if self.openapi_schema is None:  # each request asks for it, to check its parameters
            told = super().openapi()
            told["components"]["schemas"].setdefault("Failure", api.Failure.model_json_schema())
            for methods in told["paths"].values():
                for method in methods.keys() & {name.lower() for name in repeats.METHODS}:
                    methods[method].setdefault("parameters", []).append(repeats.PARAMETER)
                    methods[method]["responses"].setdefault("409", api.described(repeats.CONFLICT))
        return super().openapi()


class _Noticing:
    """ASGI middleware that puts notices of the store into a header, and onto pages (``pages.page``)."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request while collecting notices."""
        with collect() as said:

            async def send_noticed(message: Message) -> None:
                if said and message["type"] == "http.response.start":
                    MutableHeaders(scope=message)[NOTICES] = _header(said)
                await send(message)

            await self._app(scope, receive, send_noticed)


def _header(said: list[str]) -> str:
    """Return notices as a JSON list in ASCII, as headers require; those that do not fit are counted."""
    told = len(said)
    while told and len(json.dumps(said[:told])) > _HEADER:
        told -= 1
    more = [f"... and {len(said) - told} more"] if told < len(said) else []
    return json.dumps([*said[:told], *more])


async def _health(store: Store, request: Request) -> Response:
    """Return, without a token, that the service and its database work; 503 if the database does not.

    It has a thread of its own, so that it answers while requests have all others.
    """

    def ask() -> None:
        with store.database.read() as connection:
            connection.execute("SELECT 1")

    await anyio.to_thread.run_sync(ask, limiter=request.app.state.health)
    return JSONResponse({"status": "ok"})


def _warm(store: Store) -> None:
    """Load the default model before it is needed; without a model, text searches still work."""
    with suppress(RagraphError):
        store.embed_query("warm")


def _failed(request: Request, error: Exception) -> Response:
    status = next((status for kind, status in _STATUS if isinstance(error, kind)), 500)
    said = worded(error, api=_is_api(request)) if isinstance(error, RagraphError) else str(error)
    return _answer(request, status, type(error).__name__, said)


def _invalid(request: Request, error: Exception) -> Response:
    first: dict[str, Any] = error.errors()[0] if isinstance(error, RequestValidationError) else {}
    name = str(first.get("loc", ("",))[-1])
    said = {
        "missing": f"{name} is missing",
        "extra_forbidden": f"there is no field {name!r} here",
        "json_invalid": f"the body is not JSON ({first.get('ctx', {}).get('error', '')})",
    }
    if first.get("loc") == ("body",) and "json" not in request.headers.get("content-type", ""):
        said["model_attributes_type"] = "the body is not read as JSON: send it with Content-Type: application/json"
    told = said.get(str(first.get("type")), f"{name}: {first.get('msg', 'is not valid')}")
    more = "; /docs describes what each address takes" if _is_api(request) else ""
    return _answer(request, 422, "ArgumentError", told + more)


def _refused(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    if status == 400:  # the framework cannot decode the body
        told = f"the body is not what its Content-Type says, {request.headers.get('content-type', 'which is missing')}"
        return _answer(request, 422, "ArgumentError", told)
    detail = str(error.detail) if isinstance(error, HTTPException) else ""
    said = {404: f"there is nothing at this address{_with_write(request)}", 405: _not_allowed(request)}
    answer = _answer(request, status, "HttpError", said.get(status, detail))
    if isinstance(error, HTTPException) and error.headers:
        answer.headers.update(error.headers)
    if status == 405:
        answer.headers["Allow"] = ", ".join(_allowed(request))
    return answer


def _allowed(request: Request) -> list[str]:
    """Return the methods that the address of a request has, in the order of the alphabet."""
    methods: set[str] = set()
    waiting = list(request.app.routes)
    while waiting:
        route = waiting.pop()
        matched, _ = route.matches(request.scope) if hasattr(route, "matches") else (Match.NONE, None)
        if matched is not Match.NONE:
            methods |= set(getattr(route, "methods", None) or ())
        waiting += list(getattr(getattr(route, "original_router", None), "routes", None) or ())
    return sorted(methods)


def _with_write(request: Request) -> str:
    """Return what to do about an address that only a service has that may write; empty for any other."""
    routes = [] if request.app.state.write else [*changing.router.routes, *feedback.writing.routes]
    there = any(route.matches(request.scope)[0] is Match.FULL for route in routes)
    return "; only a service that was started with --write has it" if there else ""


def _not_allowed(request: Request) -> str:
    methods = " and ".join(_allowed(request)) or "no method"
    more = "" if request.app.state.write else "; start the service with --write for those that change documents"
    return f"this address has {methods}, not {request.method[:20]}{more}"


def _is_api(request: Request) -> bool:
    return request.url.path == "/api" or request.url.path.startswith("/api/")


def _answer(request: Request, status: int, name: str, message: str) -> Response:
    message = " ".join(message.split()).encode("utf-8", "replace").decode()
    if _is_api(request):
        return api.problem(status, name, message)
    return pages.error_page(request, status, message)
