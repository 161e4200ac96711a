"""Access: checks hosts, origins and tokens before anything else, and sets headers that restrict what pages load.

The guard puts the store as the asker sees it into the scope of a request (``asking``). Routes and tools have no other.
"""

from __future__ import annotations

import hashlib
import ipaddress
import math
import secrets
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

import anyio.to_thread
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, RedirectResponse

from ragraph.errors import RagraphError
from ragraph.faces.web.asking import Asker, AuditError, AuditLog, Tokens, set_asker
from ragraph.faces.web.quota import Quotas

if TYPE_CHECKING:
    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from ragraph.faces.web.quota import Quota
    from ragraph.schema.access import KnownToken
    from ragraph.store.store import Store

COOKIE = "ragraph"
LOGIN = "/login"

_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # with "no-referrer", forms would send an origin of null
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_OPEN = (LOGIN, "/static/", "/healthz")
_READS = ("GET", "HEAD", "OPTIONS")
_OF_ADMINS = ("/api/stats", "/api/queries")
"""Paths that tell of the whole store: sizes of tables, numbers of searches, questions of others."""
_MOST_SESSIONS = 10_000
"""Maximum number of browsers that are logged in; the oldest has to log in again."""
PROOF = "x-ragraph-proxy-secret"
"""Header with the secret that a proxy shares with the service."""


def is_loopback(host: str) -> bool:
    """Return True if an address is reachable only from this machine."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True)
class Proxy:
    """A proxy that signs users in.

    Args:
        addresses: IP addresses that its requests come from.
        secret: what it sends in the header ``X-Ragraph-Proxy-Secret``; only its hash is stored.
        header: header with the name of the user.
    """

    addresses: frozenset[str]
    secret: str = field(repr=False)
    header: str = "x-forwarded-email"

    def __post_init__(self) -> None:
        object.__setattr__(self, "secret", _hash(self.secret))

    def user(self, scope: Scope, headers: Headers) -> str | None:
        """Return the user that the proxy signed in; None if the request is not from the proxy, or names no user."""
        peer = (scope.get("client") or ("",))[0]
        shown, names = headers.getlist(PROOF), headers.getlist(self.header)
        if peer not in self.addresses or len(shown) != 1 or len(names) != 1:
            return None
        return names[0].strip() if secrets.compare_digest(_hash(shown[0]), self.secret) else None


@dataclass
class Access:
    """Requirements on requests.

    Args:
        hosts: names allowed in the ``Host`` header besides those of this machine. If the server is reachable by others,
            IP addresses are allowed too: no foreign name can resolve to them in the header.
        token: one token for everything that the service offers, or None; only its hash is stored.
        store_tokens: True if the tokens of the store are required (``ragraph tokens``).
        proxy: a proxy that signs users in, besides the tokens of the store.
    """

    hosts: frozenset[str]
    token: str | None = field(default=None, repr=False)
    store_tokens: bool = False
    proxy: Proxy | None = None
    tokens: Tokens | None = field(default=None, init=False, repr=False)
    _sessions: OrderedDict[str, str] = field(default_factory=OrderedDict, repr=False)

    def __post_init__(self) -> None:
        self.token = _hash(self.token) if self.token else None

    def knows_host(self, host: str) -> bool:
        """Return True if a host is ours: a foreign page may make its own name resolve to our address."""
        name = (_split(f"//{host}").hostname or "").lower()
        if is_loopback(name) or name in self.hosts:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return self.token is not None or self.store_tokens

    def log_in(self, token: str) -> str | None:
        """Return the value of a new cookie that represents a token; None if there is no such token."""
        if self.tokens is not None:
            known = self.tokens.shown(token)
            return self._session(known.id) if known is not None and known.is_current else None
        return self._session("") if self._opens(token) else None

    def admits(self, headers: Headers) -> bool:
        """Return True if a request has the one token, or a cookie that represents it, or if none is needed."""
        if self.token is None:
            return True
        return self._opens(_bearer(headers)) or _hash(_cookie(headers)) in self._sessions

    def identified(self, scope: Scope, headers: Headers) -> KnownToken | None:
        """Return the token of the store that a request has: as bearer token, by a cookie, or by a proxy's word.

        Raises:
            ServerError: the database does not answer.
        """
        if self.tokens is None:
            return None
        if shown := _bearer(headers):
            return self.tokens.shown(shown)
        user = self.proxy.user(scope, headers) if self.proxy else None
        if user is not None:
            return self.tokens.user(user)
        known = self._sessions.get(_hash(_cookie(headers)))
        return self.tokens.again(known) if known else None

    def _opens(self, token: str) -> bool:
        return self.token is not None and secrets.compare_digest(_hash(token), self.token)

    def _session(self, id: str) -> str:
        value = secrets.token_urlsafe(32)
        self._sessions[_hash(value)] = id
        while len(self._sessions) > _MOST_SESSIONS:
            self._sessions.popitem(last=False)
        return value


class Guard:
    """ASGI middleware that finds out who asks, refuses what they may not ask, and adds the headers.

    Args:
        app: the application to guard.
        store: the store.
        access: the requirements.
        log: the audit log.
        pages: True if there are pages, so that a browser without the token is sent to the login page, and each request
            is a line of the audit log; False if the application writes the lines itself.
    """

    def __init__(
        self, app: ASGIApp, store: Store, access: Access, log: AuditLog | None = None, *, pages: bool = True
    ) -> None:
        self._app = app
        self._store = store
        self._access = access
        self._log = log or AuditLog(store)
        self._pages = pages
        self._quotas = Quotas()
        if access.store_tokens:
            access.tokens = Tokens(store)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or pass it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if self._pages and scope["method"] == "HEAD":  # the server leaves out the body
            scope = {**scope, "method": "GET"}

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        headers = Headers(scope=scope)
        refused = self._refused(scope, headers)
        if refused is not None:
            await refused(scope, receive, send_guarded)
        elif self._pages and scope["path"].startswith(_OPEN):
            await self._app(scope, receive, send_guarded)
        else:
            await self._pass_on(scope, headers, receive, send_guarded)

    async def _pass_on(self, scope: Scope, headers: Headers, receive: Receive, send: Send) -> None:
        address = (scope.get("client") or (None,))[0]
        try:
            token = await anyio.to_thread.run_sync(self._access.identified, scope, headers)
        except RagraphError:
            await _refusal(scope, 503, "the database does not answer")(scope, receive, send)
            return
        if self._access.tokens is not None:
            if refused := self._refused_token(scope, headers, token):
                if token is not None:
                    await self._log_refusal(scope, token, address, refused)
                await refused(scope, receive, send)
                return
            assert token is not None  # noqa: S101 - for the type checker
            noted: set[str] = set()
            asker = Asker(self._access.tokens.seen_by(token, noted), self._log, token, address, noted)
        elif self._access.admits(headers):
            asker = Asker(self._store, self._log, None, address)
        else:
            await self._unknown(scope, headers)(scope, receive, send)
            return
        set_asker(scope, asker)
        if token is None:
            await self._audited(scope, receive, send, asker)
            return
        quota = self._quotas.of(token)
        if refused := _limited(scope, headers, quota):
            await refused(scope, receive, send)
            return
        quota.running += 1
        try:
            await self._audited(scope, _counting(headers, receive, quota), send, asker)
        finally:
            quota.running -= 1

    def _refused(self, scope: Scope, headers: Headers) -> ASGIApp | None:
        """Return the answer to a request for another host, or from another site."""
        host = headers.get("host", "")
        if not self._access.knows_host(host):
            return _refusal(scope, 421, "this server does not serve that host; start it with --allow-host NAME")
        if "content-length" in headers and "transfer-encoding" in headers:  # it arrives in parts, however long it says
            return _refusal(scope, 400, "a body has a length or comes in parts, not both")
        origin = headers.get("origin")
        # "null" comes from sandboxed frames; a browser sends an origin with every request that may change something
        if (origin is not None and _split(origin).netloc != host) or headers.get("sec-fetch-site") == "cross-site":
            own_link = scope["method"] == "GET" and headers.get("sec-fetch-mode") == "navigate" and origin is None
            if not own_link:
                return _refusal(scope, 403, "requests from other sites are refused")
        return None

    async def _log_refusal(self, scope: Scope, token: KnownToken, address: str | None, refused: Response) -> None:
        asker = Asker(self._store, self._log, token, address)
        with suppress(AuditError):  # the request is refused already
            action = f"{scope['method']} {scope['path']}"
            await anyio.to_thread.run_sync(asker.audit, action, refused.status_code)

    def _refused_token(self, scope: Scope, headers: Headers, token: KnownToken | None) -> Response | None:
        """Return the answer to a request with no token of the store, or with one that may not do what it asks for."""
        if token is None or not token.is_current:
            return self._unknown(scope, headers)
        if not token.confined:
            return _refusal(scope, 503, "tenants are off, so this token cannot be limited to its collections")
        if self._pages and token.kind == "reader" and scope["method"] not in _READS:
            return _refusal(scope, 403, "this token may only read")
        if self._pages and token.kind != "admin" and scope["path"] in _OF_ADMINS:
            return _refusal(scope, 403, "only an admin may see this")
        return None

    def _unknown(self, scope: Scope, headers: Headers) -> Response:
        if self._access.proxy and self._access.proxy.user(scope, headers) is not None:
            return _refusal(scope, 403, "you may not use this service; ask who runs it")
        if scope["path"].startswith("/api/") or not self._pages:
            said = "send a valid token: Authorization: Bearer TOKEN"
            return _refusal(scope, 401, said, {"WWW-Authenticate": "Bearer"})
        return RedirectResponse(LOGIN, 303)

    async def _audited(self, scope: Scope, receive: Receive, send: Send, asker: Asker) -> None:
        """Pass a request on; write its line before the answer begins, and before a change begins."""
        if asker.log.mode == "off" or not self._pages:
            await self._app(scope, receive, send)
            return
        query = scope["query_string"].decode("latin-1")
        written, refused = -1, False

        async def write(status: int | None, action: str) -> None:
            nonlocal written
            written = len(asker.noted)
            await anyio.to_thread.run_sync(asker.audit, action, status, query)

        async def send_audited(message: Message) -> None:
            nonlocal refused
            if message["type"] == "http.response.start":
                try:
                    await write(message["status"], _action(scope))
                except AuditError as error:
                    refused = True
                    await _refusal(scope, 503, str(error))(scope, receive, send)
            if not refused:
                await send(message)

        if scope["method"] not in _READS:
            try:
                await write(None, f"{scope['method']} {scope['path']}")
            except AuditError as error:
                await _refusal(scope, 503, str(error))(scope, receive, send)
                return
        await self._app(scope, receive, send_audited)
        if len(asker.noted) > written and not refused:  # of answers that are sent while they are made
            try:
                await write(200, f"{_action(scope)} (end)")
            except AuditError:
                return  # the log of the service has the reason; the answer is sent


def _action(scope: Scope) -> str:
    """Return the method and the route of a request; the path if no route has it."""
    route = scope.get("route")
    return f"{scope['method']} {getattr(route, 'path', None) or scope['path']}"


def _limited(scope: Scope, headers: Headers, quota: Quota) -> Response | None:
    """Return the answer to a request that is one too many, or too large; else count it."""
    if quota.running >= quota.concurrent:
        return _too_many(scope, f"this token has {quota.concurrent} requests running; wait for one", 1.0)
    if wait := quota.requests.take(1):
        said = f"this token may send {quota.requests.capacity:.0f} requests a minute; wait"
        return _too_many(scope, said, wait)
    declared = _declared(headers)
    if declared > quota.bytes.capacity:
        most = quota.bytes.capacity / 1024**2
        return _refusal(scope, 413, f"this token may upload {most:,.0f} MiB a day; send less")
    if declared and (wait := quota.bytes.take(declared)):
        return _too_many(scope, "this token has uploaded what it may a day; wait", wait)
    return None


def _counting(headers: Headers, receive: Receive, quota: Quota) -> Receive:
    """Return a function that receives a body; one without a declared length is counted as it arrives."""
    if "content-length" in headers:
        return receive

    async def receive_counted() -> Message:
        message = await receive()
        if wait := quota.bytes.take(len(message.get("body", b""))):
            after = {"Retry-After": str(math.ceil(wait)), "Connection": "close"}
            raise HTTPException(429, "this token has uploaded what it may a day; wait", after)
        return message

    return receive_counted


def _declared(headers: Headers) -> int:
    size = headers.get("content-length", "")
    return int(size) if size.isascii() and size.isdigit() else 0


def _too_many(scope: Scope, message: str, wait: float) -> JSONResponse:
    return _refusal(scope, 429, message, {"Retry-After": str(math.ceil(wait))})


def _bearer(headers: Headers) -> str:
    kind, _, shown = headers.get("authorization", "").partition(" ")
    return shown.strip() if kind.lower() == "bearer" else ""


def _refusal(scope: Scope, status: int, message: str, headers: dict[str, str] | None = None) -> JSONResponse:
    if scope["method"] not in _READS:  # otherwise the server would receive a body that nobody reads
        headers = {**(headers or {}), "Connection": "close"}
    body = {"type": "urn:ragraph:error:AccessError", "title": "AccessError", "status": status, "detail": message}
    named = {**body, "error": "AccessError", "message": message}
    return JSONResponse(named, status, headers=headers, media_type="application/problem+json")


def _split(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:  # an unmatched bracket: not a valid address
        return SplitResult("", "", "", "", "")


def _cookie(headers: Headers) -> str:
    for part in headers.get("cookie", "").split(";"):
        name, _, value = part.strip().partition("=")
        if name == COOKIE:
            return value
    return ""


def _hash(value: str) -> str:
    return hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()
