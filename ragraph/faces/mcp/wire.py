"""Replaces single surrogates in JSON: some clients write them (``JSON.stringify``), but text cannot contain them.

The SDK cannot read a message with one, and over standard input never answers it. Therefore each is replaced by a NUL
before the message is read; the tools refuse a NUL with an error that names it.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, BinaryIO

import anyio.to_thread

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)"
)
_MOST = 16 * 1024 * 1024
"""Maximum number of bytes of a body that is checked; the SDK refuses longer ones."""


def mended(message: bytes) -> bytes:
    """Return a message in JSON, of the same length, with a NUL for each single surrogate."""
    if b"\\u" not in message:
        return message
    return _ESCAPE.sub(lambda found: rb"\u0000" if found["half"] else found[0], message)


class Lines:
    """Messages that arrive line by line; invalid UTF-8 is replaced, as in the SDK."""

    def __init__(self, source: BinaryIO) -> None:
        self._source = source

    async def __aiter__(self) -> AsyncIterator[str]:
        """Yield the lines until the other side closes."""
        while line := await anyio.to_thread.run_sync(self._source.readline, abandon_on_cancel=True):
            yield mended(line).decode("utf-8", "replace")


def standard_input() -> Lines:
    """Return the lines of standard input, which is empty from then on for child processes and libraries."""
    private = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return Lines(os.fdopen(private, "rb"))


class Mended:
    """ASGI middleware that replaces single surrogates in the bodies of requests."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        body, message = b"", await receive()
        while message["type"] == "http.request":
            body += message.get("body", b"")
            if not message.get("more_body") or len(body) > _MOST:
                break
            message = await receive()
        read = {**message, "body": mended(body)} if message["type"] == "http.request" else message
        waiting: list[Message] = [read]

        async def given() -> Message:
            return waiting.pop() if waiting else await receive()

        await self._app(scope, given, send)
