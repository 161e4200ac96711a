"""``ragraph serve``: what it refuses, in one line, and that it tells where it is."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from ragraph.faces.web.listening import listen

RAGRAPH = str(Path(sys.executable).parent / "ragraph")


def _refused(url: str, *options: str) -> str:
    done = subprocess.run([RAGRAPH, "--url", url, "serve", *options], capture_output=True, text=True, timeout=120)
    assert done.returncode == 2, done
    assert "Traceback" not in done.stderr
    return " ".join(done.stderr.split())


def test_an_address_that_others_reach_needs_a_token(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAGRAPH_TOKEN", raising=False)
    for host in ("0.0.0.0", "::", "192.0.2.1"):
        assert "needs a token; --token" in _refused(database_url, "--host", host)


def test_a_port_that_is_taken_is_told(database_url: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        said = _refused(database_url, "--port", str(taken.getsockname()[1]))
    assert "cannot listen on" in said
    assert said.endswith("give another --port")


def test_it_says_where_it_is_and_ends_when_told(library_url: str) -> None:
    command = [RAGRAPH, "--url", library_url, "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            found = re.search(r"http://127\.0\.0\.1:\d+/", server.stdout.readline())
            assert found
            assert "Library" in httpx.get(found[0], timeout=60).text
        finally:
            server.terminate()
        assert server.wait(60) in (0, -15, 143)


def test_one_line_says_who_reaches_it() -> None:
    for options, line in (
        ({}, r"^Serving at http://127\.0\.0\.1:\d+/ \(stop with Ctrl-C\)$"),
        (
            {"host": "0.0.0.0"},
            r"^Serving at http://127\.0\.0\.1:\d+/, and for others, with a token, under no name y",
        ),
        (
            {"host": "0.0.0.0", "allowed_hosts": ["lib.example.org"]},
            r"^Serving at http://127\.0\.0\.1:\d+/, and for others, with a token, under lib\.example\.org \(stop",
        ),
    ):
        listener = listen(**{"host": "127.0.0.1", "port": 0, "token": "x", **options})  # type: ignore[arg-type]
        listener.socket.close()
        assert re.match(line, listener.announcement()), listener.announcement()
