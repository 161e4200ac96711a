"""A server with OpenAI's protocol for embeddings, which fails on request."""

from __future__ import annotations

import json
import threading
from collections import deque
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

AXES = ("rain", "snow", "cost", "wind")


class EmbeddingStub:
    """The server: a vector counts the words of ``AXES``, and 1 in a last place.

    Attributes:
        requests: texts of each request that was answered, in the order in which they came.
        keys: what each request was authorised by.
        failures: statuses of the next responses, with their headers.
        most: texts of a request at most; more get 413.
        refused: a word; texts that have it get 400.
        cuts: True to truncate vectors to the length that a request asks for.
    """

    def __init__(self) -> None:
        self.requests: list[list[str]] = []
        self.keys: list[str | None] = []
        self.failures: deque[tuple[int, dict[str, str]]] = deque()
        self.most = 1000
        self.refused: str | None = None
        self.dimensions = len(AXES) + 1
        self.cuts = False
        self.url = ""

    def answer(self, path: str, key: str | None, request: dict[str, Any]) -> tuple[int, dict[str, str], dict[str, Any]]:
        self.keys.append(key)
        if path != "/v1/embeddings" or request["model"] != "counter":
            return 404, {}, {"error": {"message": "there is no such model"}}
        if self.failures:
            status, headers = self.failures.popleft()
            return status, headers, {"error": {"message": f"status {status}"}}
        texts = request["input"]
        if len(texts) > self.most:
            return 413, {}, {"error": {"message": f"{len(texts)} texts are too many"}}
        if self.refused is not None and any(self.refused in text for text in texts):
            return 400, {}, {"error": {"message": "a text is too long"}}
        self.requests.append(texts)
        length = request.get("dimensions") if self.cuts else None
        data = [
            {"object": "embedding", "index": place, "embedding": self.vector(text)[:length]}
            for place, text in enumerate(texts)
        ]
        data.reverse()  # the index says which is which
        return (
            200,
            {},
            {"object": "list", "model": "counter", "data": data, "usage": {"prompt_tokens": 1, "total_tokens": 1}},
        )

    def vector(self, text: str) -> list[float]:
        words = text.lower().replace(".", " ").split()
        return [float(words.count(axis)) for axis in AXES] + [1.0] * (self.dimensions - len(AXES))


@contextmanager
def embedding_stub() -> Iterator[EmbeddingStub]:
    """Run the server on a free port of this machine for the length of the block."""
    stub = EmbeddingStub()
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                status, headers, answer = stub.answer(self.path, self.headers["Authorization"], body)
            data = json.dumps(answer).encode()
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    stub.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield stub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
