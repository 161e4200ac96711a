"""A server with OpenAI's chat protocol that returns the replies prepared by the test."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any


class Calls(list[tuple[str, dict[str, Any]]]):
    """Tools that the model calls, with their arguments."""


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Reply = dict[str, Any] | Calls | int | Callable[[dict[str, Any]], dict[str, Any] | Calls]


class StubModel:
    """The server: the requests in order, and the replies that are left.

    A reply is the arguments of the output tool, calls of other tools, a function of the request that gives either, or
    an HTTP status.
    """

    def __init__(self, *replies: Reply) -> None:
        self.replies = list(replies)
        self.requests: list[dict[str, Any]] = []
        self.url = ""

    def prompt(self, number: int) -> str:
        """Return the complete content of a request as one text."""
        return "\n".join(str(message.get("content")) for message in self.requests[number]["messages"])

    def reply(self, request: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        self.requests.append(request)
        reply = self.replies.pop(0) if self.replies else 500
        if callable(reply):
            reply = reply(request)
        if isinstance(reply, int):
            return reply, {"error": {"message": f"status {reply}", "type": "stub"}}
        if not isinstance(reply, Calls):
            offered = [tool["function"]["name"] for tool in request["tools"]]
            (output,) = offered if len(offered) == 1 else [name for name in offered if name.startswith("final_result")]
            reply = Calls([(output, reply)])
        made = [
            {
                "id": f"call_{len(self.requests)}_{number}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments)},
            }
            for number, (name, arguments) in enumerate(reply)
        ]
        message = {"role": "assistant", "content": None, "tool_calls": made}
        return 200, {
            "id": "stub",
            "object": "chat.completion",
            "created": 0,
            "model": request["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        }


@contextmanager
def stub_model(*replies: Reply) -> Iterator[StubModel]:
    """Run the server on a free port of this machine for the length of the block."""
    stub = StubModel(*replies)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.path != "/v1/chat/completions":
                self.send_error(404)
                return
            status, answer = stub.reply(json.loads(body))
            data = json.dumps(answer).encode()
            self.send_response(status)
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
