"""Listens on an address: which addresses need a token, and which hosts are allowed."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import uvicorn

from ragraph.errors import ArgumentError
from ragraph.faces.web.guard import Access, is_loopback

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.types import ASGIApp

_ADDRESS = 4 * 1024 * 1024
"""Maximum number of bytes of an address and headers."""
_EVERY = {"", "0.0.0.0", "::"}  # noqa: S104 - to know them, not to bind to them


@dataclass(frozen=True)
class Listener:
    """A listening socket, its address, and the requirements on requests."""

    socket: socket.socket
    address: str
    access: Access
    host: str = "127.0.0.1"

    def announcement(self, path: str = "") -> str:
        """Return the line that reports where the server is, and who reaches it.

        Args:
            path: after the address.
        """
        where = f"Serving at {self.address}{path}"
        if self.host in _EVERY:
            names = ", ".join(sorted(self.access.hosts)) or "no name yet: add --allow-host NAME"
            where += f", and for others, with the token, under {names}"
        return f"{where} (stop with Ctrl-C)"

    def run(self, app: ASGIApp) -> None:
        """Serve an application until the process is stopped."""
        uvicorn.Server(config(app)).run(sockets=[self.socket])


def config(app: ASGIApp, **options: Any) -> uvicorn.Config:
    """Return the configuration of the HTTP server; the size limit lets us answer too long addresses with an error."""
    common = {"log_level": "warning", "server_header": False, "timeout_graceful_shutdown": 3}
    return uvicorn.Config(app, http="h11", h11_max_incomplete_event_size=_ADDRESS, **{**common, **options})


def listen(host: str, port: int, *, token: str | None = None, allowed_hosts: Sequence[str] = ()) -> Listener:
    """Listen on an address.

    Args:
        host: any address that others can reach needs a token.
        port: 0 for a free one.
        token: required of clients.
        allowed_hosts: names under which others reach this machine.

    Raises:
        ArgumentError: the address needs a token, or the server cannot listen on it.
    """
    if not is_loopback(host) and not token:
        raise ArgumentError(f"{host or 'every address'} can be reached by others and needs a token", argument="token")
    names = frozenset(name.lower() for name in (host, *allowed_hosts) if name not in _EVERY)
    access = Access(hosts=names, token=token)
    bound = _bind(host, port)
    return Listener(bound, _address(host, bound.getsockname()[1]), access, host)


def _bind(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sets TCP_NODELAY on accepted sockets only if the protocol is named; without it answers wait for the client
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(128)
    except (OSError, OverflowError) as error:
        listener.close()
        said = error.strerror if isinstance(error, OSError) else str(error)
        raise ArgumentError(f"cannot listen on {host}:{port}: {said}", hint="give another", argument="port") from None
    return listener


def _address(host: str, port: int) -> str:
    shown = "127.0.0.1" if host in _EVERY else f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}/"
