"""Access: checks hosts, origins and tokens before anything else, and sets headers that restrict what pages load."""

from __future__ import annotations

import hashlib
import ipaddress
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, RedirectResponse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

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


def is_loopback(host: str) -> bool:
    """Return True if an address is reachable only from this machine."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass
class Access:
    """Requirements on requests.

    Args:
        hosts: names allowed in the ``Host`` header besides those of this machine. If the server is reachable by others,
            IP addresses are allowed too: no foreign name can resolve to them in the header.
        token: required of clients, or None; only its hash is stored.
    """

    hosts: frozenset[str]
    token: str | None = field(default=None, repr=False)
    _sessions: set[str] = field(default_factory=set, repr=False)

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
        return self.token is not None

    def opens(self, token: str) -> bool:
        """Return True if this is the token."""
        return self.token is not None and secrets.compare_digest(_hash(token), self.token)

    def session(self) -> str:
        """Return the value of a new cookie that represents the token."""
        value = secrets.token_urlsafe(32)
        self._sessions.add(_hash(value))
        return value

    def admits(self, authorization: str, cookie: str) -> bool:
        """Return True if a request has the token, or a cookie that represents it."""
        if self.token is None:
            return True
        kind, _, shown = authorization.partition(" ")
        return (kind.lower() == "bearer" and self.opens(shown.strip())) or _hash(cookie) in self._sessions


class Guard:
    """ASGI middleware that refuses foreign hosts and origins, requires the token, and adds the headers.

    Args:
        app: the application to guard.
        access: the requirements.
        pages: True if there are pages, so that a browser without the token is sent to the login page.
    """

    def __init__(self, app: ASGIApp, access: Access, *, pages: bool = True) -> None:
        self._app = app
        self._access = access
        self._pages = pages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or pass it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        refused = self._refused(scope)
        await (refused or self._app)(scope, receive, send_guarded)

    def _refused(self, scope: Scope) -> ASGIApp | None:
        headers = Headers(scope=scope)
        host, path = headers.get("host", ""), scope["path"]
        if not self._access.knows_host(host):
            return _refusal(421, "this server does not serve that host; start it with --allow-host NAME")
        origin = headers.get("origin")
        # "null" comes from sandboxed frames; a browser sends an origin with every request that may change something
        if (origin is not None and _split(origin).netloc != host) or headers.get("sec-fetch-site") == "cross-site":
            own_link = scope["method"] == "GET" and headers.get("sec-fetch-mode") == "navigate" and origin is None
            if not own_link:
                return _refusal(403, "requests from other sites are refused")
        is_open = self._pages and path.startswith(_OPEN)
        if not is_open and not self._access.admits(
            headers.get("authorization", ""), _cookie(headers.get("cookie", ""))
        ):
            if path.startswith("/api/") or not self._pages:
                return _refusal(401, "send the token: Authorization: Bearer TOKEN", {"WWW-Authenticate": "Bearer"})
            return RedirectResponse(LOGIN, 303)
        return None


def _refusal(status: int, message: str, headers: dict[str, str] | None = None) -> JSONResponse:
    body = {"type": "urn:ragraph:error:AccessError", "title": "AccessError", "status": status, "detail": message}
    named = {**body, "error": "AccessError", "message": message}
    return JSONResponse(named, status, headers=headers, media_type="application/problem+json")


def _split(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:  # an unmatched bracket: not a valid address
        return SplitResult("", "", "", "", "")


def _cookie(header: str) -> str:
    for part in header.split(";"):
        name, _, value = part.strip().partition("=")
        if name == COOKIE:
            return value
    return ""


def _hash(value: str) -> str:
    return hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()
