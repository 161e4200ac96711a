"""Made-up messages to ``ragraph mcp --write`` over standard input: calls of tools, resources, prompts, and nonsense."""

from __future__ import annotations

import itertools
import json
import os
import select
import subprocess
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import mcp_types as types
from hypothesis import strategies as st

from bench.fuzz.commands import PATIENCE_S, Called
from bench.fuzz.values import JSON, NASTY, TEXTS, fitting
from bench.processes import RAGRAPH
from ragraph import errors
from ragraph.tools.toolbox import READING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from bench.fuzz.library import Library

LONGEST_LINE = 1000
STUCK_S = 60.0
REFUSED = (types.PARSE_ERROR, types.INVALID_REQUEST, types.METHOD_NOT_FOUND, types.INVALID_PARAMS)
"""Codes of what a client did wrong."""
METHODS = ("tools/call", "tools/list", "resources/read", "resources/list", "resources/templates/list", "prompts/get",
           "prompts/list", "ping", "logging/setLevel", "completion/complete", "none/such", "")  # fmt: skip
_FRAME = {"jsonrpc": "2.0"}
_NAMES = frozenset(name for name, value in vars(errors).items() if isinstance(value, type))
_HELLO = {
    "protocolVersion": types.LATEST_PROTOCOL_VERSION,
    "capabilities": {},
    "clientInfo": {"name": "fuzz", "version": "1"},
}
_VALUES = st.one_of(JSON, TEXTS, st.sampled_from((0, 1, -1, 3, 0.5, 2**31, True, None, "text", "hybrid", "bridge")))


@st.composite
def arguments(draw: st.DrawFn, schema: Mapping[str, Any], known: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    """Return the arguments of a call of a tool: those that are needed, some more, right or wrong."""
    needed = [name for name in schema.get("required", ()) if draw(st.integers(0, 19))]
    others = sorted({*schema["properties"], "other"} - set(needed))
    given = {}
    for name in [*needed, *draw(st.lists(st.sampled_from(others), max_size=3, unique=True))]:
        right = fitting(name, known)
        allowed = schema["properties"].get(name, {}).get("enum")
        if allowed:
            right = st.one_of(right, st.sampled_from(allowed))
        given[name] = draw(st.one_of(right, right, right, st.lists(right, max_size=3), _VALUES))
    return given


@st.composite
def addresses(draw: st.DrawFn, known: Mapping[str, Sequence[Any]]) -> str:
    """Return the address of a resource, which there may be."""
    names = ["document", "section", "node", "page"]
    parts = [
        draw(st.one_of(fitting(draw(st.sampled_from(names)), known), TEXTS)) for _ in range(draw(st.integers(0, 2)))
    ]
    between = draw(st.sampled_from(([], ["pages"], ["figures"])))
    parts = [*parts[:1], *between, *parts[1:]]
    return draw(st.sampled_from(("ragraph://", "ragraph://", "ragraph://", "file://", ""))) + "/".join(
        part if draw(st.integers(0, 9)) == 0 else quote(part, safe="", errors="replace") for part in parts
    )


class Tools:
    """Sends messages to a server of the copy of a library, which is a process of its own."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._ids = itertools.count(1)
        self.called = Called()
        self._said = library.folder.parent / "mcp.err"
        self._process: subprocess.Popen[bytes]
        self._read, self._seen = b"", 0
        self._start()
        listed = self._ask("tools/list", {})
        assert listed is not None
        self._tools = {tool["name"]: tool for tool in listed["result"]["tools"]}

    def strategy(self) -> st.SearchStrategy[tuple[str, Any]]:
        """Return messages: a method with its parameters, or an empty method and a whole line."""
        known = self._library.known
        calls = [
            st.tuples(st.just("tools/call"), st.fixed_dictionaries({"name": st.just(name), "arguments": given}))
            for name, tool in self._tools.items()
            for given in [arguments(tool["inputSchema"], known)]
        ]
        asked = st.fixed_dictionaries({"name": st.just("ask"), "arguments": JSON})
        return st.one_of(
            *calls,
            st.tuples(st.just("resources/read"), st.fixed_dictionaries({"uri": addresses(known)})),
            st.tuples(st.just("resources/list"), st.fixed_dictionaries({"cursor": _VALUES})),
            st.tuples(st.just("prompts/get"), asked),
            st.tuples(st.sampled_from(METHODS), JSON),
            st.tuples(st.just(None), st.one_of(st.sampled_from(NASTY), JSON.map(json.dumps), st.text(max_size=30))),
        )

    def __call__(self, call: tuple[str | None, Any]) -> None:
        """Send a message, and note what is wrong."""
        method, given = call
        self.called.calls += 1
        shown = given
        if method is None or not _is_request(given):
            # a line that is no request need not be answered, but the next one must
            line = (
                given
                if method is None
                else json.dumps({**_FRAME, "id": next(self._ids), "method": method, "params": given})
            )
            self._write(" ".join(line.splitlines()))
            method, given = "ping", {}
        answer = self._ask(method, given)
        found = [*self._faults(method, given, answer), *self._told()]
        refused = answer is None or "error" in answer or bool(answer.get("result", {}).get("isError"))
        self.called.codes["refused" if refused else "answered"] += 1
        if self._library.changed():
            reads = method != "tools/call" or given.get("name") in READING
            if refused or reads:
                found.append("a refused call changed the store" if refused else "reading changed the store")
            self._renew()
        elif answer is None or self._process.poll() is not None:
            self._renew()
        name = f"{method} {given.get('name', '')}" if isinstance(given, dict) else method
        for line in found:
            self.called.wrong.setdefault(f"{name.strip()}: {line}", f"{shown!r:.900}\n{answer!r:.600}")

    def close(self) -> None:
        """End the server as a client does: it closes the standard input."""
        self._process.stdin.close()  # type: ignore[union-attr]
        try:
            self._process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.called.wrong.setdefault("the server does not end", "")
            self._process.kill()
            self._process.wait()

    def _faults(self, method: str, given: Any, answer: dict[str, Any] | None) -> Iterator[str]:
        if answer is None:
            yield "no answer" if self._process.poll() is None else f"it ended with {self._process.returncode}"
            return
        if ("error" in answer) == ("result" in answer):
            yield "it is neither a result nor an error"
        elif "error" in answer:
            code, said = answer["error"].get("code"), str(answer["error"].get("message", ""))
            if code not in REFUSED:
                yield f"code {code}: {said[:80]}"
            yield from _no_line(said)
        elif method == "tools/call":
            texts = [item["text"] for item in answer["result"]["content"] if item["type"] == "text"]
            if not answer["result"].get("isError"):
                json.loads(texts[-1])
                return
            if len(texts) != 1 or texts[0].split(":")[0] not in _NAMES:
                yield f"no error of ragraph: {' '.join(texts)[:80]}"
            yield from _no_line(texts[0])

    def _ask(self, method: str, params: Any) -> dict[str, Any] | None:
        """Send a request; return the answer, None if there is none in time."""
        id_ = next(self._ids)
        self._write(json.dumps({**_FRAME, "id": id_, "method": method, "params": params}))
        end = time.monotonic() + STUCK_S
        while (line := self._line(end)) is not None:
            answer = json.loads(line)
            if answer.get("id") == id_:
                found: dict[str, Any] = answer
                return found
        return None

    def _line(self, end: float) -> bytes | None:
        """Return the next line from the server; None if none comes in time, or it has ended."""
        descriptor = self._process.stdout.fileno()  # type: ignore[union-attr]
        while b"\n" not in self._read:
            ready, _, _ = select.select([descriptor], [], [], max(0.0, end - time.monotonic()))
            part = os.read(descriptor, 1 << 16) if ready else b""
            if not part:
                return None
            self._read += part
        line, _, self._read = self._read.partition(b"\n")
        return line

    def _write(self, line: str) -> None:
        try:
            self._process.stdin.write(line.encode("utf-8", "surrogatepass") + b"\n")  # type: ignore[union-attr]
            self._process.stdin.flush()  # type: ignore[union-attr]
        except BrokenPipeError:
            pass  # it has ended, which is noted when no answer comes

    def _told(self) -> list[str]:
        """Return the last line of a traceback that was printed since the last look."""
        with self._said.open(errors="replace") as said:
            said.seek(self._seen)
            new = said.read()
            self._seen = said.tell()
        return [f"traceback {new.strip().splitlines()[-1][:120]}"] if "Traceback" in new else []

    def _start(self) -> None:
        self._read, self._seen = b"", 0
        environment = {
            **os.environ,
            "RAGRAPH_DATABASE_URL": self._library.url,
            "RAGRAPH_HOME": str(self._library.other_home),
        }
        with self._said.open("w") as said:
            self._process = subprocess.Popen(
                [*RAGRAPH, "mcp", "--write"],
                env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said,
            )  # fmt: skip
        assert self._ask("initialize", _HELLO) is not None, self._said.read_text()
        self._write(json.dumps({**_FRAME, "method": "notifications/initialized"}))

    def _renew(self) -> None:
        self.close()
        self._library.renew()
        self._start()


def _is_request(params: Any) -> bool:
    """Return True if the parameters are those of a request: an object in JSON, which has neither NaN nor infinity."""
    try:
        json.dumps(params, allow_nan=False)
    except ValueError:
        return False
    return isinstance(params, dict)


def _no_line(said: str) -> Iterator[str]:
    if not said.strip():
        yield "an error says nothing"
    elif "\n" in said.strip() or len(said) > LONGEST_LINE:
        yield "an error is not one line"
