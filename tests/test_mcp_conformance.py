"""The protocol's own conformance suite and the command line of its inspector, run against ``ragraph mcp``.

They need Node 22 and two npm packages, which ``make node`` installs. Where those are missing the tests are skipped,
unless RAGRAPH_NODE says ``required``, as .ci/run does: then they fail.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from needed import needed
from test_mcp import READING, calls

mcp_tools = needed("mcp_tools", "mcp", "RAGRAPH_NODE")

if TYPE_CHECKING:
    from ragraph import Store

ROOT = Path(__file__).parent.parent
NODE = ROOT / ".node"
EXPECTED_FAILURES = Path(__file__).parent / "mcp_expected_failures.yml"
GREEN = {
    "2025-11-25": {
        *("server-initialize", "ping", "tools-list", "resources-list", "prompts-list", "server-sse-multiple-streams"),
        *("dns-rebinding-protection", "server-session-lifecycle"),
    },
    "2026-07-28": {
        *("tools-list", "resources-list", "prompts-list", "server-sse-multiple-streams", "dns-rebinding-protection"),
        *("caching", "http-header-validation", "sep-2164-resource-not-found"),
    },
}
"""Scenarios that have to pass, by the revision of the protocol."""


@pytest.fixture(scope="module", autouse=True)
def installed() -> None:
    if not (NODE / ".installed").exists():
        if os.environ.get("RAGRAPH_NODE") == "required":
            pytest.fail("Node 22 and its packages are not there; run: make node")
        pytest.skip("Node 22 and its packages are not there; make node installs them")


def run(*command: str) -> subprocess.CompletedProcess[str]:
    program, *arguments = command
    environment = {**os.environ, "PATH": f"{NODE / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(
        [str(NODE / "node_modules" / ".bin" / program), *arguments],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


@pytest.mark.parametrize("revision", GREEN)
def test_the_server_conforms_to_the_protocol(paged_library: Store, revision: str) -> None:
    with mcp_tools.mcp_served(paged_library) as url:
        options = ["--requirements", revision, "--expected-failures", str(EXPECTED_FAILURES)]
        done = run("conformance", "server", "--url", url, *options)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    ended = dict(re.findall(r"^(?:\S+) ([\w-]+): (\d+ passed, \d+ failed)", done.stdout, re.MULTILINE))
    assert GREEN[revision] <= ended.keys()
    for scenario in GREEN[revision]:
        passed, failed = re.findall(r"\d+", ended[scenario])
        assert int(passed) > 0, scenario
        assert int(failed) == 0, scenario


def test_the_reasons_stand_beside_the_expected_failures() -> None:
    named = set()
    for line in EXPECTED_FAILURES.read_text().splitlines():
        if line.lstrip().startswith("- "):
            assert re.search(r"- [\w-]+ +# \S+", line), line
            named.add(line.split()[1])
    assert not named & (GREEN["2025-11-25"] | GREEN["2026-07-28"])


def inspected(url: str, *options: str) -> Any:
    variables = {"RAGRAPH_DATABASE_URL": url, "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
    named = [part for name, value in variables.items() for part in ("-e", f"{name}={value}")]
    done = run(
        "mcp-inspector",
        "--cli",
        "--format",
        "json",
        "-q",
        "--connect-timeout",
        "60000",
        *named,
        *options,
        "--",
        mcp_tools.RAGRAPH,
        "mcp",
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return json.loads(done.stdout)["result"]


def test_the_inspector_lists_and_calls_every_tool(paged_library_url: str, paged_library: Store) -> None:
    listed = {tool["name"]: tool for tool in inspected(paged_library_url, "--method", "tools/list")["tools"]}
    assert set(listed) == READING
    for name, arguments in calls(paged_library).items():
        jsonschema.validate(arguments, listed[name]["inputSchema"])
        options = ["--method", "tools/call", "--tool-name", name, "--tool-args-json", json.dumps(arguments)]
        result = inspected(paged_library_url, *options)
        assert not result.get("isError"), result
        assert json.loads(result["content"][-1]["text"])


def test_the_inspector_finds_nothing_to_complain_of_in_the_schemas(paged_library_url: str) -> None:
    variables = ["-e", f"RAGRAPH_DATABASE_URL={paged_library_url}"]
    done = run(
        "mcp-inspector", "--cli", *variables, "--method", "tools/list", "--strict", "--", mcp_tools.RAGRAPH, "mcp"
    )
    assert done.returncode == 0, done.stderr
