"""Listens on an address: which addresses need a token, and which hosts are allowed."""

from __future__ import annotations

import socket
import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict

import uvicorn

from ragraph.errors import ArgumentError
from ragraph.faces.web.guard import Access, is_loopback

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.types import ASGIApp

    from ragraph.faces.web.guard import Proxy

_ADDRESS = 4 * 1024 * 1024
"""Maximum number of bytes of an address and headers."""
_EVERY = {"", "0.0.0.0", "::"}  # noqa: S104 - to know them, not to bind to them


class Demands(TypedDict, total=False):
    """Further requirements of ``listen``."""

    store_tokens: bool
    proxy: Proxy | None
    tls: tuple[str, str] | None


@dataclass(frozen=True)
class Listener:
    """A listening socket, its address, and the requirements on requests."""

    socket: socket.socket
    address: str
    access: Access
    host: str = "127.0.0.1"
    tls: tuple[str, str] | None = None

    def announcement(self, path: str = "") -> str:
        """Return the line that reports where the server is, and who reaches it.

        Args:
            path: after the address.
        """
        where = f"Serving at {self.address}{path}"
        if self.host in _EVERY:
            names = ", ".join(sorted(self.access.hosts)) or "no name yet: add --allow-host NAME"
            where += f", and for others, with a token, under {names}"
        return f"{where} (stop with Ctrl-C)"

    def run(self, app: ASGIApp) -> None:
        """Serve an application until the process is stopped."""
        certificate = {"ssl_certfile": self.tls[0], "ssl_keyfile": self.tls[1]} if self.tls else {}
        uvicorn.Server(config(app, **certificate)).run(sockets=[self.socket])


def config(app: ASGIApp, **options: Any) -> uvicorn.Config:
    """Return the configuration of the HTTP server; the size limit lets us answer too long addresses with an error."""
    # without proxy_headers, which would replace the address of a proxy by what a request says
    common = {"log_level": "warning", "server_header": False, "timeout_graceful_shutdown": 3, "proxy_headers": False}
    return uvicorn.Config(app, http="h11", h11_max_incomplete_event_size=_ADDRESS, **{**common, **options})


def listen(
    host: str,
    port: int,
    *,
    token: str | None = None,
    allowed_hosts: Sequence[str] = (),
    store_tokens: bool = False,
    proxy: Proxy | None = None,
    tls: tuple[str, str] | None = None,
) -> Listener:
    """Listen on an address.

    Args:
        host: any address that others can reach needs tokens.
        port: 0 for a free one.
        token: one token for everything, required of clients.
        allowed_hosts: names under which others reach this machine.
        store_tokens: require the tokens of the store instead.
        proxy: a proxy that signs users in, with ``store_tokens``.
        tls: files of a certificate chain and of its key, in PEM.

    Raises:
        ArgumentError: the address needs a token, both kinds of tokens are named, the certificate cannot be used, or the
            server cannot listen on the address.
    """
    if not is_loopback(host) and not token and not store_tokens:
        raise ArgumentError(f"{host or 'every address'} can be reached by others and needs a token", argument="token")
    if token and store_tokens:
        raise ArgumentError("name one token, or require those of the store, not both", argument="token")
    if proxy is not None and not store_tokens:
        raise ArgumentError("users of a proxy need the tokens of the store", hint="add --tokens", argument="proxy")
    if tls is not None:
        _check_certificate(*tls)
    names = frozenset(name.lower() for name in (host, *allowed_hosts) if name not in _EVERY)
    access = Access(hosts=names, token=token, store_tokens=store_tokens, proxy=proxy)
    bound = _bind(host, port)
    return Listener(bound, _address(host, bound.getsockname()[1], "https" if tls else "http"), access, host, tls)


def _check_certificate(chain: str, key: str) -> None:
    def no_password() -> str:
        raise ArgumentError(f"the key {key} has a password", hint="store it without one", argument="tls_key")

    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(chain, key, no_password)
    except OSError as error:  # ssl.SSLError is one
        said = error.strerror or error
        raise ArgumentError(f"cannot use the certificate {chain} with {key}: {said}", argument="tls_cert") from None


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


def _address(host: str, port: int, scheme: str) -> str:
    shown = "127.0.0.1" if host in _EVERY else f"[{host}]" if ":" in host else host
    return f"{scheme}://{shown}:{port}/"
