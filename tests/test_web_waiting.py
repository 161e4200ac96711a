"""Requests that wait keep no thread from others: watchers of jobs, slow hosts, answers of a language model."""

from __future__ import annotations

import json
import tempfile
import threading
import time
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from forked_python import start_python
from web_tools import running, served

from ragraph.errors import ArgumentError
from ragraph.faces.web.app import create_app
from ragraph.faces.web.downloads import Download
from ragraph.faces.web.jobs import _copy
from ragraph.faces.web.listening import listen

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ragraph import Store

MANY = 45
"""More than the 40 threads of the service."""


def test_watchers_of_jobs_keep_no_thread(own_library: Store) -> None:
    gate = threading.Event()
    listener = listen("127.0.0.1", 0)
    app = create_app(own_library, write=True)
    app.state.jobs._thread.submit(gate.wait)  # so that uploads wait
    unlimited = httpx.Limits(max_connections=None)
    client = httpx.Client(base_url=listener.address.rstrip("/"), timeout=20, limits=unlimited)
    with running(app, listener), ExitStack() as stack:
        stack.callback(gate.set)
        stack.enter_context(client)
        job = client.post("/api/documents", files={"file": ("a.md", b"# Of tolls\n\nA toll is taken.\n")}).json()
        path = f"/api/jobs/{job['id']}/events"
        streams = [stack.enter_context(client.stream("GET", path)) for _ in range(MANY)]
        assert client.get("/healthz").json() == {"status": "ok"}
        assert client.get("/api/documents").status_code == 200
        assert [item["id"] for item in client.get("/api/jobs").json()] == [job["id"]]
        gate.set()
        for stream in streams:
            *_, last = [line for line in stream.iter_lines() if line.startswith("data: ")]
            assert json.loads(last.removeprefix("data: "))["status"] == "added"


def interrupted(store: Store, folder: Path) -> str:
    """Ingest three files of which one is not done, and return the job; nobody works on it."""
    for number in range(3):
        (folder / f"{number}.md").write_text(f"# Bridge {number}\n\nA toll.\n")
    store.ingest(folder, model=None, job=True)
    job = store.jobs()[0].id
    with store.database.write() as connection:
        connection.execute("UPDATE ragraph.ingest_job SET status = 'running', heartbeat_at = now() - interval '1 day'")
        connection.execute("UPDATE ragraph.ingest_file SET status = 'pending' WHERE name LIKE '%2.md'")
    (last,) = store.documents(filter={"title": "Bridge 2"})
    store.delete(last.id)
    return job


def test_a_resumed_job_that_waits_is_shown_and_cancelled(
    own_library: Store, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    gate = threading.Event()
    listener = listen("127.0.0.1", 0)
    app = create_app(own_library, write=True)
    jobs = app.state.jobs
    jobs._resuming.submit(gate.wait)  # so that resumed jobs wait
    job = interrupted(own_library, tmp_path)
    path = f"/api/jobs/{job}"
    with running(app, listener), ExitStack() as stack:
        stack.callback(gate.set)
        client = stack.enter_context(httpx.Client(base_url=listener.address.rstrip("/"), timeout=20))
        assert client.get(path).json()["status"] == "interrupted"
        assert client.post(f"{path}/resume").json()["status"] == "running"
        assert client.get(path).json()["status"] == "running"
        assert client.get("/api/jobs").json()[0]["status"] == "running"
        assert client.get("/api/status").json()["job"]["status"] == "running"
        assert client.post(f"{path}/cancel").json()["status"] == "cancelled"
        waited = threading.Event()
        jobs._resuming.submit(waited.wait)
        gate.set()
        assert client.get(path).json()["status"] == "cancelled"
        assert client.post(f"{path}/resume").json()["status"] == "running"
        with client.stream("GET", f"{path}/events") as stream:
            waited.set()
            *_, last = [line for line in stream.iter_lines() if line.startswith("data: ")]
        assert json.loads(last.removeprefix("data: "))["status"] == "completed"
        assert own_library.documents(filter={"title": "Bridge 2"})
        jobs._resuming.submit(bool).result(20)  # its thread is done with it
        with own_library.database.write() as connection:
            connection.execute("UPDATE ragraph.ingest_job SET status = 'ended', asked = asked || '{\"options\": 5}'")
        assert client.post(f"{path}/resume").status_code == 202
        end = time.monotonic() + 20
        while client.get(path).json()["status"] == "running":
            assert time.monotonic() < end
            time.sleep(0.05)
    assert f"{job} was resumed and failed" in caplog.text


@pytest.mark.parametrize("before", ["running", "cancelled"])
def test_a_job_that_waits_to_be_resumed_is_cancelled_by_the_command_line(
    own_library: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str
) -> None:
    gate = threading.Event()
    listener = listen("127.0.0.1", 0)
    app = create_app(own_library, write=True)
    app.state.jobs._resuming.submit(gate.wait)  # so that resumed jobs wait
    job = interrupted(own_library, tmp_path)
    if before == "cancelled":
        own_library.cancel_job(job)
    monkeypatch.setenv("RAGRAPH_DATABASE_URL", own_library.database.url)
    with running(app, listener), ExitStack() as stack:
        stack.callback(gate.set)
        client = stack.enter_context(httpx.Client(base_url=listener.address.rstrip("/"), timeout=20))
        path = f"/api/jobs/{job}"
        assert client.post(f"{path}/resume").json()["status"] == "running"
        assert own_library.job(job).status == "running"
        said = start_python("from ragraph.faces.cli import main; main()", "jobs", "cancel", job).communicate(timeout=60)
        assert client.get(path).json()["status"] == "cancelled", said
        gate.set()
        app.state.jobs._resuming.submit(bool).result(20)  # its turn has come
        assert client.get(path).json()["status"] == "cancelled"
        assert own_library.documents(filter={"title": "Bridge 2"}) == []
        assert client.post(f"{path}/resume").json()["status"] == "running"
        app.state.jobs._resuming.submit(bool).result(20)
        assert client.get(path).json()["status"] == "completed"
        assert own_library.documents(filter={"title": "Bridge 2"})


class _Slow(BaseHTTPRequestHandler):
    """A host that sends a byte now and then, without end; its headers too under /headers, and too few under /short."""

    def do_GET(self) -> None:
        if self.path == "/short.md":
            self.send_response(200)
            self.send_header("Content-Length", "100")
            self.end_headers()
            self.wfile.write(b"# Of tolls\n")
            return
        self.wfile.write(b"HTTP/1.1 200 OK\r\n")
        if self.path != "/headers.md":
            self.wfile.write(b"\r\n")
        try:
            while True:
                self.wfile.write(b"#")
                time.sleep(0.1)
        except OSError:
            pass

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def slow_host() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Slow) as site:
        site.daemon_threads = True
        site.block_on_close = False
        threading.Thread(target=site.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{site.server_address[1]}"
        site.shutdown()


def test_slow_hosts_keep_no_request_waiting(own_library: Store) -> None:
    with (
        slow_host() as place,
        served(own_library, write=True, ingest_from=[place]) as url,
        httpx.Client(base_url=url, timeout=20) as client,
    ):
        jobs = [client.post("/api/documents/from-url", json={"url": f"http://{place}/a.md"}) for _ in range(MANY)]
        assert {answer.status_code for answer in jobs} == {202}
        assert client.get("/healthz").status_code == 200
        upload = client.post("/api/documents", files={"file": ("a.md", b"# Of tolls\n\nA toll is taken.\n")}).json()
        while (found := client.get(f"/api/jobs/{upload['id']}").json())["status"] in ("waiting", "running"):
            time.sleep(0.05)
        assert found["status"] == "added"
        while not (steps := [job["id"] for job in client.get("/api/jobs?limit=99").json() if job["step"]]):
            time.sleep(0.05)
        assert len(steps) <= 4
        for job in [*steps, jobs[-1].json()["id"]]:
            assert client.post(f"/api/jobs/{job}/cancel").json()["status"] == "cancelled"
        assert client.get(f"/api/jobs/{steps[0]}").json()["status"] == "cancelled"


@pytest.mark.parametrize("path", ["body.md", "headers.md"])
def test_a_download_ends_in_time_however_slow_the_host(tmp_path: Path, path: str) -> None:
    with slow_host() as place, pytest.raises(ArgumentError, match=r"0\.5 seconds are the most"):
        Download(f"http://{place}/{path}", [place], seconds=0.5).save(tmp_path, _copy)


def test_a_file_that_ends_early_is_not_ingested(tmp_path: Path) -> None:
    with slow_host() as place, pytest.raises(ArgumentError, match="ended 89 bytes early"):
        Download(f"http://{place}/short.md", [place]).save(tmp_path, _copy)


def test_uploads_that_wait_when_the_service_ends_leave_nothing(
    own_library: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with served(own_library, write=True) as address:
        for number in range(6):
            file = {"file": (f"{number}.md", f"# Number {number}\n\nA text of it.\n".encode())}
            assert httpx.post(f"{address}/api/documents", files=file, timeout=60).status_code == 202
    assert list(tmp_path.glob("ragraph-upload-*")) == []
