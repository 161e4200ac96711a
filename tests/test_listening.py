"""How the services listen: the page and REST as the tools for agents, all by one function."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import httpx
import pytest
from starlette.responses import PlainTextResponse
from web_tools import running

from ragraph.errors import ArgumentError
from ragraph.faces.web.listening import listen

if TYPE_CHECKING:
    import uvicorn


def _undelayed(server: uvicorn.Server) -> list[bool]:
    """Return for each accepted connection whether what is written to it goes out at once."""
    accepted = [connection.transport.get_extra_info("socket") for connection in server.server_state.connections]
    return [bool(one.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)) for one in accepted]


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_an_answer_does_not_wait_until_the_client_has_acknowledged_its_head(host: str) -> None:
    try:
        listener = listen(host, 0)
    except ArgumentError as error:
        if host == "127.0.0.1":
            raise
        pytest.skip(f"this machine has no IPv6: {error}")
    with running(PlainTextResponse("so"), listener) as server, httpx.Client(base_url=listener.address) as client:
        for _ in range(2):  # a connection that is kept
            assert client.get("/").text == "so"
        assert _undelayed(server) == [True]
