"""Runs the server over standard input and output, or over HTTP."""

from __future__ import annotations

from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING, cast

import anyio
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings

from ragraph.errors import RagraphError
from ragraph.faces.mcp.server import create_server
from ragraph.faces.mcp.wire import Mended, standard_input
from ragraph.faces.web.asking import asker_of
from ragraph.faces.web.guard import Guard
from ragraph.faces.web.listening import listen

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Unpack

    from starlette.types import ASGIApp, Receive, Scope, Send

    from ragraph.faces.web.asking import AuditLog
    from ragraph.faces.web.guard import Access
    from ragraph.faces.web.listening import Demands
    from ragraph.store.store import Store

PATH = "/mcp"


def serve_stdio(store: Store, *, write: bool = False) -> None:
    """Serve a store over standard input and output until the client leaves; all other output goes to stderr.

    Args:
        store: the store.
        write: also offer the tools that change it.
    """
    server = create_server(store, write=write)

    async def run() -> None:
        stdin = cast("anyio.AsyncFile[str]", standard_input())
        async with stdio_server(stdin) as (read, write_):
            Thread(target=_warm, args=(store,), daemon=True).start()
            await server.run(read, write_, server.create_initialization_options())

    anyio.run(run)


def serve_http(
    store: Store,
    *,
    host: str = "127.0.0.1",
    port: int = 8001,
    token: str | None = None,
    write: bool = False,
    allowed_hosts: Sequence[str] = (),
    announce: Callable[[str], None] = print,
    log: AuditLog | None = None,
    **demands: Unpack[Demands],
) -> None:
    """Serve a store over streamable HTTP until the process is stopped.

    Args:
        store: the store.
        host: address to listen on; any address that others can reach needs a token.
        port: 0 for a free one.
        token: required of clients, as ``Authorization: Bearer``.
        write: also offer the tools that change it.
        allowed_hosts: names under which others reach this machine.
        announce: called when the server listens, with the line that says where.
        log: the audit log; default none.
        **demands: ``store_tokens``, ``proxy`` and ``tls`` of ``ragraph.faces.web.listening.listen``.

    Raises:
        ArgumentError: the address needs a token, or the server cannot listen on it.
    """
    listener = listen(host, port, token=token, allowed_hosts=allowed_hosts, **demands)
    Thread(target=_warm, args=(store,), daemon=True).start()
    announce(listener.announcement(PATH.lstrip("/")))
    listener.run(http_app(store, access=listener.access, write=write, log=log))


def http_app(store: Store, *, access: Access, write: bool = False, log: AuditLog | None = None) -> ASGIApp:
    """Return the application that serves a store over streamable HTTP at ``PATH``."""
    # hosts, origins and tokens are checked by the same guard as in `ragraph serve`
    unguarded = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    app = create_server(store, write=write).streamable_http_app(streamable_http_path=PATH, transport_security=unguarded)
    return Guard(Mended(_Owned(app)), store, access, log, pages=False)


class _Owned:
    """ASGI middleware that tells the SDK whose request it is, so that a session serves only the token that began it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] == "http" and (id_ := asker_of(scope).id):
            scope["user"] = AuthenticatedUser(AccessToken(token="", client_id=id_, scopes=[]))
        await self._app(scope, receive, send)


def _warm(store: Store) -> None:
    """Load the default model before it is needed; without a model, text searches still work."""
    with suppress(RagraphError):
        store.embed_query("warm")
