"""``ragraph mcp`` by clients of the protocol's own SDK: over standard input and output, and over HTTP."""

from __future__ import annotations

import base64
import io
import json
import re
import subprocess
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import httpx
import pytest
from needed import needed
from PIL import Image
from sample_library import BOOK, GUIDE
from sheets import SHEETS

import ragraph
from ragraph.faces.web.guard import Access

mcp_tools = needed("mcp_tools", "mcp", "RAGRAPH_NODE")

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp import Client

    from ragraph import Store

READING = {
    *("list_documents", "outline", "search", "context", "read_section", "read_page", "follow", "cite", "page_image"),
    "entity",
}
ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def address(paged_library: Store) -> Iterator[str]:
    with mcp_tools.mcp_served(paged_library) as url:
        yield url


def calls(store: Store) -> dict[str, dict[str, Any]]:
    """Return arguments for each tool that reads."""
    relation = store.relations(BOOK)[0]
    node = store.search("keeper", 1, document=SHEETS, mode="text")[0].node_id
    return {
        "list_documents": {"limit": 2},
        "outline": {"document": BOOK},
        "search": {"query": "a toll at the bridge", "k": 3},
        "context": {"query": "a toll at the bridge", "budget": 200},
        "read_section": {"document": SHEETS, "section": "2"},
        "read_page": {"document": SHEETS, "page": 2},
        "follow": {"document": BOOK, "node": relation.source_node_id},
        "cite": {"document": SHEETS, "node": node, "quote": "A toll was taken"},
        "page_image": {"document": SHEETS, "page": 2, "highlight": [node], "scale": 1},
    }


async def look_at_everything(client: Client, store: Store) -> None:
    listed = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(listed) == READING
    for tool in listed.values():
        assert tool.annotations is not None
        assert (tool.annotations.read_only_hint, tool.annotations.destructive_hint) == (True, None)
    for name, arguments in calls(store).items():
        result = await client.call_tool(name, arguments)
        assert not result.is_error, (name, result.content)
        content: list[Any] = list(result.content)
        *pictures, text = content
        assert json.loads(text.text)
        assert result.structured_content is None, "results are told once"
        if name == "page_image":
            with Image.open(io.BytesIO(base64.b64decode(pictures[0].data))) as image:
                assert image.size == (420, 595)
        else:
            assert pictures == []
    refused = await client.call_tool("search", {"query": "\0"})
    assert refused.is_error
    assert refused.content[0].text.startswith("ArgumentError: query has a character that is not text")  # type: ignore[union-attr]


def test_every_tool_over_standard_input_and_output(paged_library_url: str, paged_library: Store) -> None:
    async def run() -> None:
        async with mcp_tools.stdio_client(paged_library_url) as client:
            await look_at_everything(client, paged_library)

    anyio.run(run)


def test_every_tool_over_http(address: str, paged_library: Store) -> None:
    mcp_tools.with_client(address, lambda client: look_at_everything(client, paged_library))


def test_nothing_but_the_protocol_is_on_standard_output(library_url: str) -> None:
    def line(id: int, method: str, **params: Any) -> str:
        return json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}) + "\n"

    info = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    asked = line(1, "initialize", **info)
    asked += json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}) + "\n"
    asked += line(2, "tools/call", name="search", arguments={"query": "rent", "k": 1})
    asked += line(3, "tools/call", name="search", arguments={"query": "", "k": 2**70})
    with subprocess.Popen(
        [mcp_tools.RAGRAPH, "mcp"],
        env=mcp_tools.environment(library_url),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(asked)
        server.stdin.flush()
        answers = [json.loads(server.stdout.readline()) for _ in range(3)]
        server.stdin.close()
        assert server.stdout.read() == ""
        assert server.wait(60) == 0
        assert server.stderr is not None
        assert "Traceback" not in server.stderr.read()
    by_id = {answer["id"]: answer["result"] for answer in answers}
    assert by_id[1]["serverInfo"]["name"] == "ragraph"
    assert json.loads(by_id[2]["content"][0]["text"])["hits"]
    assert by_id[3]["isError"]


def test_documents_and_sections_are_resources(address: str, paged_library: Store) -> None:
    async def look(client: Client) -> None:
        listed = (await client.list_resources()).resources
        assert [item.name for item in listed] == [item.id for item in paged_library.documents()]
        outline = (await client.read_resource(f"ragraph://{BOOK}")).contents[0].text  # type: ignore[union-attr]
        links = re.findall(r"\]\((ragraph://\S+)\)", outline)
        assert len(links) > 3
        section = links[1].rpartition("/")[2]
        text = (await client.read_resource(links[1])).contents[0].text  # type: ignore[union-attr]
        assert text == paged_library.render(BOOK, section=section)
        templates = (await client.list_resource_templates()).resource_templates
        parts = ("{document}", "{document}/{section}", "{document}/pages/{page}", "{document}/figures/{node}")
        assert {item.uri_template for item in templates} == {f"ragraph://{part}" for part in parts}
        page = (await client.read_resource(f"ragraph://{SHEETS}/pages/2")).contents[0]
        with Image.open(io.BytesIO(base64.b64decode(page.blob))) as image:  # type: ignore[union-attr]
            assert image.format == "JPEG"
        node = paged_library.search("toll", 1, document=SHEETS, mode="text")[0].node_id
        figure = (await client.read_resource(f"ragraph://{SHEETS}/figures/{node}")).contents[0]
        with Image.open(io.BytesIO(base64.b64decode(figure.blob))) as image:  # type: ignore[union-attr]
            assert image.width > 10
        for wrong in (
            "ragraph://nope",
            f"ragraph://{BOOK}/nope",
            "ragraph://",
            "file:///etc/passwd",
            "ragraph://%00",
            f"ragraph://{SHEETS}/pages/99",
        ):
            with pytest.raises(Exception, match=r"^\w+Error: [^\n]+$"):
                await client.read_resource(wrong)

    mcp_tools.with_client(address, look)


def test_the_prompt_names_the_question(address: str) -> None:
    async def look(client: Client) -> None:
        assert [prompt.name for prompt in (await client.list_prompts()).prompts] == ["ask"]
        prompt = await client.get_prompt("ask", {"question": "Who takes the toll?", "document": SHEETS})
        text = prompt.messages[0].content.text  # type: ignore[union-attr]
        assert "Who takes the toll?" in text
        assert SHEETS in text
        with pytest.raises(Exception, match="it needs a question"):
            await client.get_prompt("ask", {})

    mcp_tools.with_client(address, look)


def test_twenty_calls_at_once(address: str, paged_library: Store) -> None:
    async def look(client: Client) -> None:
        found: list[Any] = []

        async def ask(number: int) -> None:
            name, arguments = list(calls_made.items())[number % len(calls_made)]
            found.append(await client.call_tool(name, arguments))

        async with anyio.create_task_group() as group:
            for number in range(20):
                group.start_soon(ask, number)
        assert len(found) == 20
        assert not any(result.is_error for result in found)

    calls_made = calls(paged_library)
    mcp_tools.with_client(address, look)


def test_ids_may_have_slashes_and_spaces(own_library: Store, tmp_path: Path) -> None:
    path = tmp_path / "a b.md"
    path.write_text("# Bridges\n\n## Of stone\n\nA bridge that nobody crosses is a monument.\n")
    name = "x/y z%2F?#é"
    assert own_library.ingest(path, document_id=name).ok

    async def look(client: Client) -> None:
        result = await client.call_tool("read_section", {"document": name})
        assert "monument" in str(result.content)
        listed = {item.name: item.uri for item in (await client.list_resources()).resources}
        text = (await client.read_resource(listed[name])).contents[0].text  # type: ignore[union-attr]
        (link,) = re.findall(r"\]\((ragraph://\S+)\)", text)
        section = (await client.read_resource(link)).contents[0].text  # type: ignore[union-attr]
        assert "monument" in section

    with mcp_tools.mcp_served(own_library) as url:
        mcp_tools.with_client(url, look)


def test_only_write_offers_to_change(own_library: Store, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Bridges\n\n## Of stone\n\nA bridge that nobody crosses is a monument.\n")

    async def look(client: Client) -> None:
        listed = {tool.name: tool.annotations for tool in (await client.list_tools()).tools}
        assert set(listed) == READING | {"ingest", "update", "delete"}
        hints = {name: (found.read_only_hint, found.destructive_hint) for name, found in listed.items() if found}
        assert hints["ingest"] == (False, False)
        assert hints["delete"] == (False, True)
        taken = await client.call_tool("ingest", {"paths": [str(tmp_path / "a.md")]})
        (file,) = json.loads(taken.content[0].text)["files"]  # type: ignore[union-attr]
        assert file["status"] == "added"
        await client.call_tool("delete", {"document": file["document_id"]})
        gone = await client.call_tool("outline", {"document": file["document_id"]})
        assert gone.is_error

    async def try_it(client: Client) -> None:
        with pytest.raises(Exception, match="there is no tool 'delete'"):
            await client.call_tool("delete", {"document": GUIDE})

    with mcp_tools.mcp_served(own_library, write=True) as url:
        mcp_tools.with_client(url, look)
    with mcp_tools.mcp_served(own_library) as url:
        mcp_tools.with_client(url, try_it)
    assert own_library.document(GUIDE)


def test_an_ingestion_tells_its_progress(own_library: Store, tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.md").write_text(f"# Bridge {number}\n")
    told = []

    async def tell(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    async def ingest(client: Client) -> None:
        await client.call_tool("ingest", {"paths": [str(tmp_path)]}, progress_callback=tell)

    with mcp_tools.mcp_served(own_library, write=True) as url:
        mcp_tools.with_client(url, ingest)
    assert told[-1][:2] == (3, 3)


def test_a_failure_of_ours_is_one_line_and_no_traceback(database_url: str) -> None:
    store = ragraph.open(database_url)
    with mcp_tools.mcp_served(store) as url:
        store.close()

        async def look(client: Client) -> None:
            result = await client.call_tool("list_documents", {})
            assert result.is_error
            assert result.content[0].text.startswith("StoreClosedError: ")  # type: ignore[union-attr]

        mcp_tools.with_client(url, look)


def test_hosts_origins_and_tokens_are_asked_for(library: Store) -> None:
    access = Access(hosts=frozenset({"library.example"}), token="open sesame")
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    sent = {"Accept": "application/json, text/event-stream"}
    with mcp_tools.mcp_served(library, access=access) as url:

        def status(**headers: str) -> int:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            return httpx.post(url, json=ping, headers=sent | named).status_code

        assert status() == 401
        assert status(Authorization="Bearer no") == 401
        assert status(Authorization="Bearer open sesame", Host="evil.example") == 421
        assert status(Authorization="Bearer open sesame", Origin="http://evil.example") == 403
        assert status(Authorization="Bearer open sesame", Host="library.example") < 401
        for path in ("/login", "/static/x", "/"):
            assert httpx.get(url.removesuffix("/mcp") + path).status_code == 401


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--port", "1"], "require --http"),
        (["--http", "--host", "0.0.0.0"], "needs a token; --token"),
        (["--http", "--port", "70000"], "65535"),
    ],
)
def test_wrong_use_of_the_command(database_url: str, options: list[str], said: str) -> None:
    command = [mcp_tools.RAGRAPH, "mcp", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=mcp_tools.environment(database_url))
    assert done.returncode == 2
    assert done.stdout == ""
    assert said in " ".join(done.stderr.split())


def test_the_record_for_registries_is_that_of_this_version() -> None:
    record = json.loads((ROOT / "server.json").read_text())
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    (package,) = record["packages"]
    assert {record["version"], package["version"]} == {version}
    assert package["runtimeArguments"][0]["value"] == f"ragraph-store[mcp]=={version}"
    assert f"mcp-name: {record['name']}" in (ROOT / "README.md").read_text()
    assert len(record["description"]) <= 100
