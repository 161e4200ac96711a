"""Idempotency keys: a write that is sent again with its key gets the first answer and is not done twice."""

from __future__ import annotations

import json
import re
from collections import OrderedDict
from dataclasses import dataclass, field
from hashlib import sha256
from threading import Lock
from typing import TYPE_CHECKING, Any

from starlette.datastructures import Headers, MutableHeaders

from ragraph.faces.web.api import problem
from ragraph.faces.web.asking import asker_of

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_KEPT = 1000
"""Maximum number of keys; the oldest is forgotten. They are not kept over a restart of the service."""

_LONGEST = 255
"""Maximum number of characters of a key."""

METHODS = ("POST", "PATCH", "DELETE")

PARAMETER: dict[str, Any] = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "A request that is sent again with its key is done once, and gets the first answer.",
    "schema": {"type": "string", "minLength": 1, "maxLength": _LONGEST},
}
"""The header, for the description of the service."""

CONFLICT = "The request with this Idempotency-Key is not done yet."


class _Body:
    """The digest of a body, without the boundary between the parts of a form, which clients draw anew each time."""

    def __init__(self, headers: Headers) -> None:
        stated = re.search(r'boundary="?([^";]+)', headers.get("content-type", ""))
        self._boundary = stated[1].encode() if stated else b""
        self._hash = sha256()
        self._rest = b""

    def add(self, message: Message) -> None:
        """Add a part of the body."""
        received = self._rest + message.get("body", b"")
        while self._boundary and (place := received.find(self._boundary)) >= 0:
            self._hash.update(received[:place])
            received = received[place + len(self._boundary) :]
        end = max(len(received) - max(len(self._boundary) - 1, 0), 0)  # a boundary may have begun there
        self._hash.update(received[:end])
        self._rest = received[end:]

    def digest(self) -> bytes:
        """Return the digest of what was added."""
        whole = self._hash.copy()
        whole.update(self._rest)
        return whole.digest()


@dataclass
class _Kept:
    request: tuple[str, str, bytes]
    body: _Body
    messages: list[Message] = field(default_factory=list)
    done: bool = False


async def _digest(receive: Receive, headers: Headers) -> bytes:
    """Read a body, and return its digest."""
    body = _Body(headers)
    more = True
    while more:
        message = await receive()
        more = message["type"] == "http.request" and message.get("more_body", False)
        body.add(message)
    return body.digest()


class Repeats:
    """ASGI middleware that answers a repeated write under ``/api`` from memory; header ``Idempotency-Key``.

    A key that is used for another request, or with another body, is refused with 422, one whose request still runs
    with 409. Failures of the service are not kept, so that they can be repeated.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._kept: OrderedDict[tuple[str, str], _Kept] = OrderedDict()
        self._lock = Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or repeat its answer."""
        writes = scope["type"] == "http" and scope["method"] in METHODS and scope["path"].startswith("/api/")
        headers = Headers(scope=scope) if writes else None
        key = headers.get("idempotency-key") if headers is not None else None
        if key is None or headers is None:
            await self._app(scope, receive, send)
            return
        if not 0 < len(key) <= _LONGEST:
            said = f"Idempotency-Key has {len(key)} characters; use 1 to {_LONGEST}"
            await problem(422, "ArgumentError", said)(scope, receive, send)
            return
        request = (scope["method"], scope["path"], scope["query_string"])
        name = asker_of(scope).id, key
        with self._lock:
            known = self._kept.get(name)
            if known is None:
                kept = self._kept[name] = _Kept(request, _Body(headers))
                while len(self._kept) > _KEPT:
                    self._kept.popitem(last=False)
        if known is not None:
            if known.request != request or (known.done and await _digest(receive, headers) != known.body.digest()):
                said = "this Idempotency-Key was used for another request; use a new one"
                await problem(422, "ArgumentError", said)(scope, receive, send)
            elif not known.done:
                said = "the request with this Idempotency-Key is not done yet; wait for it"
                await problem(409, "HttpError", said)(scope, receive, send)
            else:
                for message in known.messages:
                    await send(message)
            return

        async def receive_kept() -> Message:
            message = await receive()
            if message["type"] == "http.request":
                kept.body.add(message)
            return message

        async def send_kept(message: Message) -> None:
            kept.messages.append(message)
            await send(message)

        try:
            await self._app(scope, receive_kept, send_kept)
            status = kept.messages[0]["status"] if kept.messages else 500
            kept.done = status < 500
            if kept.done:
                first = dict(kept.messages[0])
                first["headers"] = list(first.get("headers", ()))
                MutableHeaders(raw=first["headers"])["Idempotent-Replayed"] = json.dumps(True)
                kept.messages[0] = first
        finally:
            if not kept.done:
                with self._lock:
                    self._kept.pop(name, None)
