"""Files that lie elsewhere: behind http, in an object store, in fsspec's memory; and patterns of paths here."""

from __future__ import annotations

import json
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from command_line import CommandLine
from ingest_tools import by_name, one_pool, rows, run, statuses
from server_tools import wait_until

from ragraph import Store
from ragraph.ingest.files.discover import find_files
from ragraph.ingest.reader_process.preflight import Limits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragraph.database.connection import Database

PAGE = "<html><body><h1>The {0}</h1><p>The {0} is long.</p></body></html>"


@pytest.fixture(autouse=True, scope="module")
def shared_pool() -> Iterator[None]:
    with one_pool():
        yield


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    home = tmp_path / "papers"
    for name in ("nile.html", "deep/rhine.html", "deep/.hidden.html", "deep/notes.xyz"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(PAGE.format(Path(name).stem))
    return home


@pytest.fixture
def ragraph(database_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(database_url, monkeypatch, capsys)


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None: ...


@pytest.fixture
def web(folder: Path) -> Iterator[str]:
    pytest.importorskip("aiohttp")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture
def bucket(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    pytest.importorskip("s3fs")
    moto = pytest.importorskip("moto.server")
    import fsspec
    import s3fs

    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
    s3fs.S3FileSystem.clear_instance_cache()
    files = fsspec.filesystem("s3")
    files.mkdir("library")
    files.put(str(folder), "library/papers", recursive=True)
    yield "s3://library/papers"
    files.rm("library", recursive=True)  # what the servers of a process hold outlives them
    s3fs.S3FileSystem.clear_instance_cache()
    server.stop()


def test_a_file_of_a_web_server(database: Database, web: str, folder: Path) -> None:
    (file,) = run(database, f"{web}/nile.html").files  # type: ignore[arg-type]
    assert (file.status, file.path) == ("added", f"{web}/nile.html")
    assert rows(database, "SELECT source_uri FROM ragraph.document") == [(f"{web}/nile.html",)]
    assert run(database, f"{web}/nile.html").files[0].status == "unchanged"  # type: ignore[arg-type]
    (folder / "nile.html").write_text(PAGE.format("blue nile"))
    assert run(database, f"{web}/nile.html").files[0].status == "changed"  # type: ignore[arg-type]
    (gone,) = run(database, f"{web}/none.html").files  # type: ignore[arg-type]
    assert (gone.status, gone.reason) == ("failed", f"there is no file at {web}/none.html")
    assert Store(database).check() == []


def test_a_file_of_a_web_server_that_is_too_large(database: Database, web: str, folder: Path) -> None:
    (folder / "nile.html").write_bytes(b"x" * 5000)
    (file,) = run(database, f"{web}/nile.html", limits=Limits(file_bytes=4000)).files  # type: ignore[arg-type]
    assert file.status == "failed"
    assert "more than 4,000 bytes" in str(file.reason)


def test_a_folder_of_an_object_store(database: Database, bucket: str) -> None:
    report = run(database, bucket, job=True)  # type: ignore[arg-type]
    assert statuses(report) == {"nile.html": "added", "rhine.html": "added"}
    assert by_name(report)["rhine.html"].path == f"{bucket}/deep/rhine.html"
    assert report.job_id is not None
    job = Store(database).job(report.job_id)
    assert job.paths == [bucket]
    assert job.bytes == sum(len(PAGE.format(name)) for name in ("nile", "rhine"))
    again = run(database, f"{bucket}/**/*.html", f"{bucket}/deep/rhine.html")  # type: ignore[arg-type]
    assert statuses(again)["rhine.html"] == "unchanged"
    assert len(rows(database, "SELECT 1 FROM ragraph.document")) == 2 + (".hidden.html" in statuses(again))


def test_the_command_line_takes_addresses(
    ragraph: CommandLine, web: str, bucket: str, database: Database, database_url: str
) -> None:
    """Typer makes a ``Path`` of whatever a ``list[Path]`` has, also after a parser: ``//`` becomes ``/``."""
    ended = ragraph("ingest", f"{web}/nile.html", bucket, "--no-embed", "--json")
    report = json.loads(ended.out)
    # the file of the bucket is the one of the web server
    assert [(file["path"], file["status"]) for file in report["files"]] == [
        (f"{web}/nile.html", "added"),
        (f"{bucket}/deep/rhine.html", "added"),
        (f"{bucket}/nile.html", "duplicate"),
    ]
    assert ended.code == 0
    left = ragraph("ingest", f"{web}/deep/rhine.html", "--collection", "other", "--no-embed", "--detach", "--json")
    store = Store(database)
    wait_until(lambda: store.job(json.loads(left.out)["job_id"]).status == "completed", 120)
    (job, _) = store.jobs()
    assert (job.paths, job.outcomes) == ([f"{web}/deep/rhine.html"], {"added": 1})


def test_what_cannot_be_reached_is_a_failed_file(database: Database) -> None:
    for address, said in (("nosuch://x/y.html", "nosuch"), ("http://127.0.0.1:9/x.html", "127.0.0.1:9")):
        (file,) = run(database, address).files  # type: ignore[arg-type]
        assert file.status == "failed"
        assert said in str(file.reason)
        assert "\n" not in str(file.reason)


def test_a_path_is_never_taken_for_an_address(database: Database) -> None:
    """So that whoever gives a Path, as the service does, connects to nothing."""
    (file,) = run(database, Path("http://127.0.0.1:9/x.html")).files
    assert file.reason == "there is no such file or folder"


def test_patterns(folder: Path) -> None:
    def found(pattern: str) -> list[str]:
        return [file.path.name for file in find_files([pattern]).files]

    assert found(f"{folder}/*.html") == ["nile.html"]
    assert found(f"{folder}/**/*.html") == ["rhine.html", "nile.html"]
    assert found(f"{folder}/de*") == ["rhine.html"]
    assert found(folder.as_uri() + "/nile.html") == ["nile.html"]
    (missing,) = find_files([f"{folder}/*.pdf"]).files
    assert missing.missing
    (folder / "odd[1].html").write_text("x")
    assert found(f"{folder}/odd[1].html") == ["odd[1].html"]
