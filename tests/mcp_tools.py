"""Clients of ``ragraph mcp``: the SDK's, over standard input and output and over HTTP; and the server of the latter."""

from __future__ import annotations

import os
import sys
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
from web_tools import running

from ragraph.faces.mcp.serve import PATH, http_app
from ragraph.faces.web.guard import Access
from ragraph.faces.web.listening import listen

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

    from mcp import Client

    from ragraph import Store
    from ragraph.faces.web.asking import AuditLog

RAGRAPH = str(Path(sys.executable).parent / "ragraph")


@contextmanager
def mcp_served(
    store: Store, *, access: Access | None = None, write: bool = False, log: AuditLog | None = None
) -> Iterator[str]:
    """Serve a store over HTTP; yield the address."""
    listener = listen("127.0.0.1", 0)
    app = http_app(store, access=access or Access(hosts=frozenset()), write=write, log=log)
    with running(app, listener):
        yield listener.address.rstrip("/") + PATH


def environment(url: str) -> dict[str, str]:
    """Return the environment of a client's command."""
    return {**os.environ, "RAGRAPH_DATABASE_URL": url}


@asynccontextmanager
async def stdio_client(url: str, *options: str) -> AsyncIterator[Client]:
    """Start ``ragraph mcp`` on a store and connect to it over standard input and output."""
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client as connect

    parameters = StdioServerParameters(command=RAGRAPH, args=["mcp", *options], env=environment(url))
    async with Client(connect(parameters)) as client:
        yield client


def with_client(target: Any, function: Callable[[Client], Awaitable[Any]]) -> Any:
    """Run a function with a client of the SDK and return its result; the target is an address or a server object."""
    from mcp import Client

    async def run() -> Any:
        async with Client(target) as client:
            return await function(client)

    return anyio.run(run)
