"""A service of the tests: the real server on a free port, in a thread of the test's process."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import uvicorn

from ragraph.web.app import create_app
from ragraph.web.listening import config

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragraph import Store


@contextmanager
def served(store: Store, **options: Any) -> Iterator[str]:
    """Serve a store on 127.0.0.1; give the address, without a slash at its end."""
    started = threading.Event()

    class Server(uvicorn.Server):
        async def startup(self, sockets: Any = None) -> None:
            await super().startup(sockets)
            started.set()

    settings = config(create_app(store, **options), port=0, log_level="error", timeout_graceful_shutdown=1)
    server = Server(settings)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        assert started.wait(60)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(60)
