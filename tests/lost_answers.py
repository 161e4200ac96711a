"""A proxy before a server that loses the answers to commits: it cuts the connection instead."""

from __future__ import annotations

import selectors
import socket
import struct
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from psycopg.conninfo import conninfo_to_dict, make_conninfo

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

_BLOCK = 65536
_RESET = struct.pack("ii", 1, 0)


class Messages:
    """One direction of a connection, cut into the messages of PostgreSQL's protocol.

    Args:
        untyped: number of messages at the beginning without a byte for their type: the startup message of a client.
    """

    def __init__(self, untyped: int) -> None:
        self._untyped = untyped
        self._rest = b""

    def read(self, content: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Yield type (empty if it has none) and body of each message that these bytes complete."""
        self._rest += content
        while True:
            typed = 0 if self._untyped else 1
            if len(self._rest) < typed + 4:
                return
            (length,) = struct.unpack_from("!I", self._rest, typed)
            end = typed + length
            if len(self._rest) < end:
                return
            message, self._rest = self._rest[:end], self._rest[end:]
            self._untyped -= 1 - typed
            yield message[:typed], message[typed + 4 :]


def statement(kind: bytes, body: bytes) -> bytes:
    """Return the statement in a message of a client (Query, Parse), or empty bytes."""
    if kind == b"Q":
        return body.rstrip(b"\0").strip()
    return body.split(b"\0", 2)[1].strip() if kind == b"P" else b""


class LostAnswers:
    """Cuts connections once the server has answered the COMMIT of a transaction in which something was copied.

    Args:
        url: of the server.
        count: number of commits to lose.

    Attributes:
        url: of the server through this proxy.
        lost: number of answers lost so far.
    """

    def __init__(self, url: str, count: int) -> None:
        self._server = conninfo_to_dict(url)
        self._left = count
        self.lost = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        port = self._listener.getsockname()[1]
        self.url = make_conninfo(url, host="127.0.0.1", port=port, sslmode="disable", gssencmode="disable")

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._carry, args=(client,), daemon=True).start()

    def _carry(self, client: socket.socket) -> None:
        host, port = str(self._server["host"]), int(self._server.get("port") or 5432)
        with client, suppress(OSError):
            if host.startswith("/"):
                server = socket.socket(socket.AF_UNIX)
                server.connect(f"{host}/.s.PGSQL.{port}")
            else:
                server = socket.create_connection((host, port))
            with server:
                self._pump(client, server)

    def _pump(self, client: socket.socket, server: socket.socket) -> None:
        asked, answered = Messages(1), Messages(0)
        copied = committing = False
        with selectors.DefaultSelector() as selector:
            for end in (client, server):
                selector.register(end, selectors.EVENT_READ)
            while True:
                for key, _ in selector.select():
                    end = client if key.fileobj is client else server
                    content = end.recv(_BLOCK)
                    if not content:
                        return
                    if end is client:
                        for text in (statement(*message) for message in asked.read(content)):
                            copied = copied or text.startswith(b"COPY ")
                            if text in {b"COMMIT", b"ROLLBACK"}:
                                committing = committing or (copied and text == b"COMMIT")
                                copied = False
                        server.sendall(content)
                        continue
                    for kind, tag in answered.read(content):
                        if kind != b"C" or tag not in {b"COMMIT\0", b"ROLLBACK\0"}:
                            continue
                        if committing and tag == b"COMMIT\0" and self._left > 0:
                            self._left -= 1
                            self.lost += 1
                            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
                            return
                        committing = False
                    client.sendall(content)
