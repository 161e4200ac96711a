"""A proxy to a server's socket that can cut connections in the middle of a transfer."""

from __future__ import annotations

import selectors
import socket
import struct
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Self

_BLOCK = 8192
_RESET = struct.pack("ii", 1, 0)


class Proxy:
    """Listens on a port of this machine, and connects clients to a socket in the file system."""

    def __init__(self, target: Path) -> None:
        self._target = target
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._left: int | None = None
        self._open = 0
        self.port: int = self._listener.getsockname()[1]

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.cut(0)
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def cut(self, after: int) -> bool:
        """Reset all connections once they have transferred this many more bytes; return True if there are any."""
        self._left = after
        return self._open > 0

    def heal(self) -> None:
        """Stop cutting connections."""
        self._left = None

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._carry, args=(client,), daemon=True).start()

    def _carry(self, client: socket.socket) -> None:
        self._open += 1
        try:
            with client, socket.socket(socket.AF_UNIX) as server, suppress(OSError):
                server.connect(str(self._target))
                self._pump(client, server)
                for end in (client, server):
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        finally:
            self._open -= 1

    def _pump(self, client: socket.socket, server: socket.socket) -> None:
        other = {client: server, server: client}
        with selectors.DefaultSelector() as selector:
            for end in other:
                selector.register(end, selectors.EVENT_READ)
            while True:
                for key, _ in selector.select(0.1):
                    end = client if key.fileobj is client else server
                    content = end.recv(_BLOCK)
                    if not content:
                        return
                    if self._left is not None:
                        self._left -= len(content)
                        if self._left < 0:
                            other[end].sendall(content[: self._left])
                            return
                    other[end].sendall(content)
                if self._left is not None and self._left <= 0:
                    return
