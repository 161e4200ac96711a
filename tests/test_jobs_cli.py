"""What the command line says of batch jobs: status, jobs, and trying again what failed."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from command_line import CommandLine
from ingest_tools import one_pool, rows, run
from server_tools import wait_until

from ragraph import Store
from ragraph.database.connection import Database
from ragraph.ingest.cli.progress import _Pace
from ragraph.schema.reports import ProgressEvent

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = "<html><body><h1>The {0}</h1><p>The {0} is long.</p></body></html>"


@pytest.fixture(autouse=True, scope="module")
def shared_pool() -> Iterator[None]:
    with one_pool():
        yield


@pytest.fixture
def ragraph(database_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(database_url, monkeypatch, capsys)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    home = tmp_path / "papers"
    home.mkdir()
    for name in ("nile", "rhine"):
        (home / f"{name}.html").write_text(PAGE.format(name))
    (home / "broken.pdf").write_bytes(b"%PDF-1.4\nnothing")
    return home


def test_a_run_is_a_job_that_says_what_failed(ragraph: CommandLine, folder: Path) -> None:
    ended = ragraph("ingest", str(folder), "--no-embed", "--json")
    assert ended.code == 1
    report = json.loads(ended.out)
    listed = ragraph("jobs", "list")
    assert report["job_id"] in listed.out
    assert "completed" in listed.out
    (job,) = json.loads(ragraph("jobs", "list", "--json").out)
    assert (job["id"], job["files"], job["failed"], job["paths"]) == (report["job_id"], 3, 1, [str(folder)])
    status = ragraph("status")
    assert status.code == 0
    assert "documents: 2 completed" in status.out
    assert "3 files: 0 pending, 0 processing, 2 completed, 1 failed" in status.out
    assert f"failed: {folder}/broken.pdf: " in status.out
    assert "ragraph ingest --retry-failed" in status.out
    said = json.loads(ragraph("status", report["job_id"], "--json").out)
    assert said["documents"] == {"pending": 0, "processing": 0, "completed": 2, "failed": 0}
    assert said["job"]["id"] == report["job_id"]
    assert said["failed"][0]["reason"] in ragraph("jobs", "show", report["job_id"], "--status", "failed").out
    shown = json.loads(ragraph("jobs", "show", report["job_id"], "--json").out)
    assert [file["outcome"] for file in shown["job_files"]] == ["failed", "added", "added"]


def test_a_job_without_files_is_listed_as_any_other(ragraph: CommandLine, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    ragraph("ingest", str(empty), "--no-embed", "--json")
    listed = ragraph("jobs", "list")
    assert listed.code == 0, listed.err
    assert "completed" in listed.out
    (job,) = json.loads(ragraph("jobs", "list", "--json").out)
    assert (job["files"], job["completed"], job["bytes"], job["outcomes"]) == (0, 0, 0, {})
    assert ragraph("jobs", "show", job["id"]).code == 0
    assert ragraph("status").code == 0


def test_what_failed_is_tried_again_and_nothing_else(ragraph: CommandLine, folder: Path) -> None:
    assert ragraph("ingest", str(folder), "--no-embed").code == 1
    (folder / "rhine.html").write_text(PAGE.format("lower rhine"))
    again = json.loads(ragraph("ingest", "--retry-failed", "--no-embed", "--json").out)
    assert [(file["path"], file["status"]) for file in again["files"]] == [(f"{folder}/broken.pdf", "failed")]
    (folder / "broken.pdf").write_text(PAGE.format("mended"))
    assert ragraph("ingest", "--retry-failed", "--no-embed").code == 0
    nothing = ragraph("ingest", "--retry-failed", "--no-embed")
    assert nothing.code == 0
    assert "no files" in nothing.out


def test_a_file_that_was_mended_meanwhile_is_not_tried_again(
    ragraph: CommandLine, folder: Path, database_url: str
) -> None:
    """Also where it was unchanged by then, of which jobs keep no rows else."""
    assert ragraph("ingest", str(folder), "--no-embed").code == 1
    known = json.loads(ragraph("jobs", "list", "--json").out)[0]["id"]
    (folder / "broken.pdf").unlink()
    assert "no such file" in ragraph("ingest", "--retry-failed", "--no-embed").out
    (folder / "broken.pdf").write_text(PAGE.format("mended"))
    with Database(database_url) as database:
        run(database, folder / "broken.pdf", model=None)  # no job
    assert ragraph("ingest", str(folder), "--no-embed").code == 0
    assert json.loads(ragraph("jobs", "list", "--json").out)[0]["id"] != known
    assert "no files" in ragraph("ingest", "--retry-failed", "--no-embed").out


def test_paths_or_what_failed(ragraph: CommandLine, folder: Path) -> None:
    for words in ((), (str(folder), "--retry-failed")):
        ended = ragraph("ingest", *words)
        assert ended.code == 2
        assert "give paths, or --manifest, or --retry-failed" in ended.err


def test_a_job_in_the_background(
    ragraph: CommandLine, folder: Path, database_url: str, recwarn: pytest.WarningsRecorder
) -> None:
    ended = ragraph("ingest", str(folder), "--no-embed", "--detach", "--json")
    assert ended.code == 0
    assert [str(told.message) for told in recwarn] == []  # of a process that runs on, say
    told = json.loads(ended.out)
    with Database(database_url) as database:
        store = Store(database)
        wait_until(lambda: store.job(told["job_id"]).status == "completed", 120)
        assert store.job(told["job_id"]).outcomes == {"added": 2, "failed": 1}
    wait_until(lambda: "2 added, 1 failed" in Path(told["log"]).read_text(), 60)


@pytest.mark.slow
def test_a_folder_is_watched(folder: Path, database_url: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    printed = tmp_path_factory.mktemp("watched") / "printed"
    words = ["--url", database_url, "ingest", str(folder), "--no-embed", "--watch"]
    command = [sys.executable, "-c", "from ragraph.faces.cli import main; main()", *words]
    with (
        Database(database_url) as database,
        printed.open("w") as out,
        subprocess.Popen(command, stdout=out, text=True) as process,
    ):

        def documents() -> int:
            return len(rows(database, "SELECT 1 FROM ragraph.document WHERE processing_status = 'completed'"))

        try:
            wait_until(lambda: documents() == 2, 120)
            (folder / "volga.html").write_text(PAGE.format("volga"))
            wait_until(lambda: documents() == 3, 60)
            wait_until(lambda: "\n1 added" in printed.read_text(), 60)
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=60) == 130
        finally:
            process.kill()
    assert "2 added, 1 failed" in printed.read_text()


def test_the_time_left_counts_what_was_read_and_what_has_vectors() -> None:
    pace = _Pace()
    pace.see(ProgressEvent(kind="found", total=2, bytes_total=1000), 0.0)
    assert pace.left(1.0) is None
    assert pace.rate(1.0) is None
    pace.see(ProgressEvent(kind="stored", total=2, bytes_read=500, bytes_total=1000), 3.0)
    assert pace.left(3.0) is None  # nobody knows how long its vectors take
    assert pace.rate(2.0) == 250
    pace.see(ProgressEvent(kind="embedded", characters_done=100, characters_total=400), 60.0)
    assert pace.left(60.0) is None  # the model was loaded meanwhile
    pace.see(ProgressEvent(kind="embedded", characters_done=200, characters_total=400), 61.0)
    assert pace.left(61.0) == pytest.approx(61.0)  # the other file is as large, and vectors take six seconds
    pace.see(ProgressEvent(kind="stored", path="b", total=2, bytes_read=1000, bytes_total=1000), 62.0)
    pace.see(ProgressEvent(kind="embedded", characters_done=300, characters_total=800), 62.0)
    assert pace.left(62.0) == pytest.approx(5.0)
    assert pace.left(64.0) == pytest.approx(3.0)  # it runs on between events
    assert pace.left(68.0) is None
    pace.see(ProgressEvent(kind="finished", done=2, total=2, bytes_read=1000, bytes_total=1000), 70.0)
    assert pace.left(70.0) == 0


def test_the_time_left_of_files_that_get_no_vectors() -> None:
    pace = _Pace()
    pace.see(ProgressEvent(kind="reading", path="a", total=2, bytes_total=1000, pages_done=5, pages_total=10), 1.0)
    assert pace.left(1.0) is None
    done: dict[str, Any] = {"total": 2, "bytes_total": 1000, "bytes_read": 500, "bytes_done": 500}
    pace.see(ProgressEvent(kind="finished", path="a", done=1, **done), 2.0)
    assert pace.left(2.0) == pytest.approx(2.0)
    pace.see(ProgressEvent(kind="reading", path="b", done=1, pages_done=5, pages_total=10, **done), 3.0)
    assert pace.left(3.0) == pytest.approx(1.0)


def test_the_time_left_of_vectors_alone() -> None:
    pace = _Pace()
    for seconds, done in ((20.0, 100), (21.0, 200)):
        pace.see(ProgressEvent(kind="embedded", characters_done=done, characters_total=400), seconds)
    assert pace.left(21.0) == pytest.approx(2.0)


def test_progress_for_machines(ragraph: CommandLine, folder: Path) -> None:
    ended = ragraph("ingest", str(folder), "--no-embed", "--progress", "json", "--json")
    events = [json.loads(line) for line in ended.err.splitlines()]
    assert events[0]["event"] == "found"
    assert events[0]["total"] == 3
    finished = [event for event in events if event["event"] == "finished"]
    assert [event["done"] for event in finished] == [1, 2, 3]
    assert {event["status"] for event in finished} == {"added", "failed"}
    assert finished[-1]["bytes_done"] == finished[-1]["bytes_total"] > 0
    assert finished[-1]["bytes_per_second"] > 0
    assert finished[-1]["seconds_left"] == 0
    assert next(event["reason"] for event in finished if event["status"] == "failed")
    assert json.loads(ended.out)["files"]


def test_jobs_that_are_not_there(ragraph: CommandLine) -> None:
    assert "no jobs; `ragraph ingest PATH` starts one" in ragraph("jobs", "list").out
    assert ragraph("status").out == "documents: none\n"
    for words in (("jobs", "show"), ("jobs", "cancel"), ("jobs", "resume"), ("status",)):
        ended = ragraph(*words, "job_none")
        assert ended.code == 1
        assert "there is no job 'job_none'" in ended.err
        assert "ragraph jobs list" in ended.err


def test_a_job_is_cancelled_and_gone_on_with(ragraph: CommandLine, folder: Path, database_url: str) -> None:
    assert ragraph("ingest", str(folder), "--no-embed").code == 1
    (job,) = json.loads(ragraph("jobs", "list", "--json").out)
    assert "is completed: there is nothing to cancel" in ragraph("jobs", "cancel", job["id"]).out
    with Database(database_url) as database, database.write() as connection:
        connection.execute("UPDATE ragraph.ingest_job SET status = 'running', heartbeat_at = now() - interval '1 day'")
        connection.execute("UPDATE ragraph.ingest_file SET status = 'pending' WHERE name LIKE '%nile%'")
    interrupted = ragraph("status")
    assert "interrupted" in interrupted.out
    assert f"ragraph jobs resume {job['id']} continues it" in interrupted.out
    assert f"{job['id']} is cancelled" in ragraph("jobs", "cancel", job["id"]).out
    resumed = ragraph("jobs", "resume", job["id"])
    assert resumed.code == 1  # one file had failed
    assert "1 added, 1 unchanged, 1 failed" in resumed.out
    assert json.loads(ragraph("jobs", "list", "--json").out)[0]["status"] == "completed"
