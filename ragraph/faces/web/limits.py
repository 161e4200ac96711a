"""A limit on the bytes of a request, by what it declares and by what arrives, so that no body fills memory or disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES = 1 << 20
"""Maximum number of bytes of a request without a file: questions, filters, forms."""


class BodyLimit:
    """ASGI middleware that refuses to read a body that is too large; the answer has status 413.

    Args:
        app: the application, which turns ``HTTPException`` into an answer.
        larger: the limits in bytes of paths that take more than ``MOST_BYTES``, with advice for larger bodies.
    """

    def __init__(self, app: ASGIApp, larger: Mapping[str, tuple[int, str]] | None = None) -> None:
        self._app = app
        self._larger = larger or {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, with a body that ends with an error if it is too large."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        most, advice = self._larger.get(scope["path"], (MOST_BYTES, "send less"))
        refused = HTTPException(413, f"the request has more than {most // 1024**2:,} MiB; {advice}")
        declared = Headers(scope=scope).get("content-length", "")
        size = int(declared) if declared.isascii() and declared.isdigit() else 0

        async def send_closing(message: Message) -> None:
            if size > most and message["type"] == "http.response.start":
                # otherwise the server would receive the rest of the body, to use the connection again
                MutableHeaders(scope=message)["Connection"] = "close"
            await send(message)

        async def receive_limited() -> Message:
            nonlocal size
            if size > most:
                raise refused
            message = await receive()
            if not declared:
                size += len(message.get("body", b""))
                if size > most:
                    raise refused
            return message

        await self._app(scope, receive_limited, send_closing)
