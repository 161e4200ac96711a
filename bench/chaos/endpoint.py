"""An embedding endpoint with OpenAI's protocol that computes nothing: its vectors are hashes."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from bench.stores import HashModel

if TYPE_CHECKING:
    from collections.abc import Iterator


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
        vectors = HashModel().encode_documents(texts).tolist()
        data = [{"object": "embedding", "index": place, "embedding": vector} for place, vector in enumerate(vectors)]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        answer = json.dumps({"object": "list", "model": "hashes", "data": data, "usage": usage}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: Any) -> None:
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: Any) -> None:
        """Ignore clients that were killed."""


@contextmanager
def embedding_endpoint() -> Iterator[str]:
    """Serve on a free port during the block; yield the address."""
    service = _Server(("127.0.0.1", 0), _Handler)
    threading.Thread(target=service.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{service.server_port}/v1"
    finally:
        service.shutdown()
        service.server_close()
