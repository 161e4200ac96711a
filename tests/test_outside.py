"""What no store takes, by every way in: one error by one name from Python, command line, REST and MCP."""

from __future__ import annotations

import http.client
import json
import subprocess
from contextlib import closing
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from command_line import CommandLine
from needed import needed
from sample_library import BOOK
from web_tools import served

from ragraph.errors import ArgumentError

mcp_tools = needed("mcp_tools", "mcp", "RAGRAPH_NODE")

from ragraph.faces.mcp.wire import mended  # noqa: E402 - after the extra is known to be there

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ragraph import Store

NO_TEXT = {"NUL": "a\0b", "half of a pair": "a\ud800b", "empty": "", "1 MB": "x" * 1_000_000}
HUGE = {"2**70": 2**70, "-2**70": -(2**70)}

TABLE: list[tuple[str, str, Any]] = [
    *((argument, label, value) for argument in ("query", "document", "node") for label, value in NO_TEXT.items()),
    *(("section", label, value) for label, value in NO_TEXT.items()),
    *(("quote", label, value) for label, value in NO_TEXT.items()),
    *(("collection", label, value) for label, value in NO_TEXT.items() if label != "empty"),
    *(("k", label, value) for label, value in HUGE.items()),
    *(("page", label, value) for label, value in {**NO_TEXT, "2**70": 2**70}.items()),
]
"""Argument, what is wrong with its value, and the value."""


def arguments(argument: str, value: Any) -> dict[str, Any]:
    """Return the arguments of a tool of the same call, by whatever face."""
    if argument in ("query", "k", "collection"):
        return {"query": "rent", "mode": "text", argument: value}
    if argument == "section":
        return {"query": "rent", "mode": "text", "document": BOOK, "section": value}
    if argument == "document":
        return {"document": value}
    if argument == "page":
        return {"document": BOOK, "page": value}
    return {"document": BOOK, "node": "cn_x", argument: value}


TOOLS = {"document": "outline", "page": "read_page", "node": "cite", "quote": "cite"}


@pytest.fixture(scope="module")
def node(library: Store) -> str:
    return library.nodes(BOOK)[5].id


@pytest.fixture(scope="module")
def site(library: Store) -> Iterator[str]:
    with served(library) as url:
        yield url


@pytest.fixture(scope="module")
def agent(library_url: str) -> Iterator[Callable[[str, dict[str, Any]], dict[str, Any]]]:
    """A function that calls a tool of ``ragraph mcp``, in JSON of its own: clients of Python send no half of a pair."""
    command = [mcp_tools.RAGRAPH, "mcp"]
    with subprocess.Popen(
        command, env=mcp_tools.environment(library_url), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        count = 0

        def ask(method: str, params: dict[str, Any]) -> dict[str, Any]:
            nonlocal count
            count += 1
            assert server.stdin is not None
            assert server.stdout is not None
            server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": count, "method": method, "params": params}) + "\n")
            server.stdin.flush()
            answer: dict[str, Any] = json.loads(server.stdout.readline())
            assert answer["id"] == count
            return answer

        info = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        ask("initialize", info)
        server.stdin.write(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}) + "\n")
        yield lambda name, given: ask("tools/call", {"name": name, "arguments": given})
        server.stdin.close()
        assert server.wait(60) == 0


@pytest.fixture
def command(library_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(library_url, monkeypatch, capsys)


def by_python(store: Store, argument: str, given: dict[str, Any]) -> Any:
    if argument == "document":
        return store.toc(given["document"])
    if argument == "page":
        return store.page(BOOK, given["page"])
    if argument in ("node", "quote"):
        return (
            store.quote(BOOK, given["node"], given["quote"]) if argument == "quote" else store.cite(BOOK, given["node"])
        )
    return store.search(**given)


def by_command(argument: str, given: dict[str, Any]) -> list[str]:
    if argument == "document":
        return ["toc", "--json", "--", given["document"]]
    if argument == "page":
        return ["page", "--json", "--", BOOK, str(given["page"])]
    if argument in ("node", "quote"):
        quoted = ["--quote", given["quote"]] if argument == "quote" else []
        return ["cite", "--json", *quoted, "--", BOOK, given["node"]]
    options = {"k": "-k"}
    named = [
        part
        for name, value in given.items()
        if name != "query"
        for part in (options.get(name, f"--{name}"), str(value))
    ]
    return ["search", "--json", *named, "--", given["query"]]


def by_rest(argument: str, given: dict[str, Any]) -> str:
    def part(value: Any) -> str:
        return quote(str(value).encode("utf-8", "surrogatepass"), safe="")

    if argument == "document":  # an empty part of a path is another path
        return f"/api/search?q=rent&mode=text&document={part(given['document'])}"
    if argument == "page":
        return f"/api/documents/{BOOK}/pages/{part(given['page']) or '%20'}"
    if argument in ("node", "quote"):
        words = f"?quote={part(given['quote'])}" if argument == "quote" else ""
        return f"/api/documents/{BOOK}/nodes/{part(given['node']) or '%20'}/citation{words}"
    named = {"q" if name == "query" else name: value for name, value in given.items()}
    return "/api/search?" + "&".join(f"{name}={part(value)}" for name, value in named.items())


def got(site: str, path: str) -> tuple[int, bytes]:
    """Return status and body; httpx and others refuse addresses of a megabyte themselves."""
    with closing(http.client.HTTPConnection(site.removeprefix("http://"), timeout=60)) as connection:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read()


@pytest.mark.parametrize(("argument", "label", "value"), TABLE, ids=[f"{row[0]}-{row[1]}" for row in TABLE])
def test_what_no_store_takes_is_one_error_by_every_way_in(
    library: Store,
    command: CommandLine,
    site: str,
    agent: Callable[[str, dict[str, Any]], dict[str, Any]],
    node: str,
    argument: str,
    label: str,
    value: Any,
) -> None:
    given = arguments(argument, value)
    if argument == "quote":
        given["node"] = node
    with pytest.raises(ArgumentError) as raised:
        by_python(library, argument, given)
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 900

    ended = command(*by_command(argument, given))
    assert ended.code == 2, ended
    assert json.loads(ended.err)["error"] == "ArgumentError"

    status, body = got(site, by_rest(argument, given))
    assert status == 422, body[:500]
    assert json.loads(body)["error"] == "ArgumentError"

    result = agent(TOOLS.get(argument, "search"), given)["result"]
    assert result["isError"]
    (content,) = result["content"]
    assert content["text"].startswith("ArgumentError: ")
    assert "\n" not in content["text"]


@pytest.mark.parametrize(
    ("message", "read"),
    [
        (rb'{"a": "\ud83d\ude00 \u00e9"}', rb'{"a": "\ud83d\ude00 \u00e9"}'),
        (rb'{"a": "\ud83d"}', rb'{"a": "\u0000"}'),
        (rb'{"a": "\uDE00\uD83D"}', rb'{"a": "\u0000\u0000"}'),
        (rb'{"a": "\ud83d\ud83d\ude00"}', rb'{"a": "\u0000\ud83d\ude00"}'),
        (rb'{"a": "\\ud83d"}', rb'{"a": "\\ud83d"}'),
        (rb'{"a": "\\\ud83d"}', rb'{"a": "\\\u0000"}'),
        (b"no JSON \xff \\", b"no JSON \xff \\"),
    ],
)
def test_only_halves_of_pairs_are_taken_out_of_messages(message: bytes, read: bytes) -> None:
    assert mended(message) == read
