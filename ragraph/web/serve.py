"""Running the service: which address, who may ask, and telling both."""

from __future__ import annotations

import socket
import webbrowser
from threading import Timer
from typing import TYPE_CHECKING

import uvicorn

from ragraph.errors import ArgumentError
from ragraph.web.app import create_app
from ragraph.web.guard import Access, is_loopback

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ragraph.store import Store

_EVERY = {"", "0.0.0.0", "::"}  # noqa: S104 - to know them, not to bind to them


def serve(
    store: Store,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    token: str | None = None,
    write: bool = False,
    allowed_hosts: Sequence[str] = (),
    open_page: bool = False,
    told: Callable[[str], None] = print,
) -> None:
    """Serve a store until the process is told to end.

    Args:
        store: what to serve.
        host: address to listen at; any but one of this machine alone needs a token.
        port: 0 takes a free one.
        token: what to show; as ``Authorization: Bearer``, or typed into the page.
        write: offer to upload and to delete.
        allowed_hosts: names that others call this machine by.
        open_page: open a browser.
        told: called with the address once it is listened at.

    Raises:
        ArgumentError: the address needs a token, or cannot be listened at.
    """
    if not is_loopback(host) and not token:
        raise ArgumentError(f"{host or 'every address'} can be reached by others: that needs a token", argument="token")
    names = frozenset(name.lower() for name in (host, *allowed_hosts) if name not in _EVERY)
    app = create_app(store, write=write, access=Access(hosts=names, token=token))
    listener = _listen(host, port)
    address = _address(host, listener.getsockname()[1])
    told(address)
    if open_page:
        Timer(0.5, webbrowser.open, [address]).start()
    config = uvicorn.Config(app, log_level="warning", server_header=False, timeout_graceful_shutdown=3)
    uvicorn.Server(config).run(sockets=[listener])


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(128)
    except (OSError, OverflowError) as error:
        listener.close()
        said = error.strerror if isinstance(error, OSError) else str(error)
        raise ArgumentError(
            f"{host}:{port} cannot be listened at: {said}", hint="give another", argument="port"
        ) from None
    return listener


def _address(host: str, port: int) -> str:
    shown = "127.0.0.1" if host in _EVERY else f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}/"
