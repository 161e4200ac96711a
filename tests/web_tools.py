"""A service of the tests: the real server on a free port, in a thread of the test's process."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import uvicorn

from ragraph.faces.web.app import create_app
from ragraph.faces.web.listening import config, listen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.types import ASGIApp

    from ragraph import Store
    from ragraph.faces.web.listening import Listener


@contextmanager
def served(store: Store, **options: Any) -> Iterator[str]:
    """Serve a store on 127.0.0.1; yield the address, without a slash at its end."""
    listener = listen("127.0.0.1", 0)
    with running(create_app(store, **options), listener):
        yield listener.address.rstrip("/")


@contextmanager
def running(app: ASGIApp, listener: Listener) -> Iterator[uvicorn.Server]:
    """Run an application as ``Listener.run`` does, in a thread."""
    started = threading.Event()

    class Server(uvicorn.Server):
        async def startup(self, sockets: Any = None) -> None:
            await super().startup(sockets)
            started.set()

    certificate = {"ssl_certfile": listener.tls[0], "ssl_keyfile": listener.tls[1]} if listener.tls else {}
    server = Server(config(app, log_level="error", timeout_graceful_shutdown=1, **certificate))
    thread = threading.Thread(target=lambda: server.run(sockets=[listener.socket]))
    thread.start()
    try:
        assert started.wait(60)
        yield server
    finally:
        server.should_exit = True
        thread.join(60)
        listener.socket.close()
