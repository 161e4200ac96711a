"""However a run of ingesting ends, it says what was done; and what can go on goes on."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import psycopg
import pytest
from forked_python import start_python
from ingest_tools import WordModel, digest, rows, run, statuses
from server_tools import helpers, kill_server, postmasters, wait_until

import ragraph
from ragraph import errors
from ragraph.database import retry
from ragraph.database.connection import Database
from ragraph.database.retry import with_retry
from ragraph.ingest.vectors import maintenance
from ragraph.server import EmbeddedServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ragraph.schema.reports import ProgressEvent

NAMES = ("amur", "loire", "nile", "rhine", "volga")
PAGE = "<html><body><h1>The {0}</h1><p>The {0} is long.</p><p>Boats go down the {0}.</p></body></html>"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    home = tmp_path / "papers"
    home.mkdir()
    for name in NAMES:
        (home / f"{name}.html").write_text(PAGE.format(name))
    return home


class KillingModel(WordModel):
    """Kills the server when it is asked for vectors, once."""

    home: Path | None = None

    def encode_documents(self, texts: Any) -> Any:
        if self.home is not None:
            kill_server(self.home)
            self.home = None
        return super().encode_documents(texts)


def test_a_killed_server_is_started_again_and_the_run_goes_on(
    database: Database, folder: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragraph.database.connection._PROBE_AFTER_S", 0.1)
    calm = run(database, folder)
    model = KillingModel()
    kills = 0

    def kill(event: ProgressEvent) -> None:
        nonlocal kills
        if event.kind == "started" and event.path and event.path.endswith(("loire.html", "volga.html")):
            kills += 1
            kill_server(own_home)

    with ragraph.open(home=own_home) as store:
        model.home = own_home
        report = run(store.database, folder, progress=kill, workers=1, model=model)
        assert kills == 2
        assert model.home is None
        assert report.ok, report
        assert report.warnings == ()
        assert [file.status for file in report.files] == ["added"] * 5
        assert [file.embeddings for file in report.files] == [file.embeddings for file in calm.files]
        assert digest(store.database) == digest(database)
        assert store.check() == []


def test_a_server_that_dies_again_while_it_recovers(folder: Path, own_home: Path) -> None:
    with ragraph.open(home=own_home) as store:
        (data,) = (file.parent for file in own_home.rglob("postmaster.pid"))
        owner = data.stat()
        kill_server(own_home)
        # what recovers is told to restore a file first, and that kills it, once
        with (data / "postgresql.auto.conf").open("a") as file:
            file.write("restore_command = 'rm -f recovery.signal; kill -9 $PPID'\n")
        (data / "recovery.signal").touch()
        os.chown(data / "recovery.signal", owner.st_uid, owner.st_gid)
        with pytest.raises(errors.ServerUnavailableError, match="killed while it started: try again"):
            store.database.revive()
        kill_server(own_home)
        (data / "recovery.signal").touch()
        os.chown(data / "recovery.signal", owner.st_uid, owner.st_gid)
        assert run(store.database, folder, model=None).ok
        assert not (data / "recovery.signal").exists()


@pytest.fixture
def remote(own_home: Path) -> Iterator[tuple[Database, EmbeddedServer]]:
    """A server that the database does not know how to start, as if it were on another machine."""
    with EmbeddedServer(own_home) as server, Database(server.url()) as database:
        yield database, server


def test_a_server_that_stays_away_ends_the_run_with_a_report(
    remote: tuple[Database, EmbeddedServer], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database, server = remote
    monkeypatch.setattr(retry, "PAUSES_S", (0.01, 0.01))
    monkeypatch.setattr("ragraph.database.connection._PROBE_AFTER_S", 0.1)

    def kill(event: ProgressEvent) -> None:
        if event.kind == "finished" and event.done == 2:
            kill_server(server.paths.home)

    with pytest.raises(errors.IngestEndedError, match=r"does not answer.*2 of 5 files were done") as caught:
        run(database, folder, model=None, workers=1, progress=kill)
    report = caught.value.report
    assert isinstance(caught.value.__cause__, errors.ServerUnavailableError)
    assert not report.ok
    assert report.totals["added"] == 2
    assert report.totals["pending"] == 3
    assert report.to_json()["ended"] == str(caught.value)
    # what comes after the files fails as well, and takes no report away
    warnings = maintenance.count_words(database) + maintenance.build_index(database, "words")
    assert len(warnings) == 2
    assert all("does not answer" in warning for warning in warnings)


def test_a_server_that_comes_back_is_waited_for(remote: tuple[Database, EmbeddedServer], folder: Path) -> None:
    database, server = remote

    def kill(event: ProgressEvent) -> None:
        if event.kind == "finished" and event.done == 2:
            kill_server(server.paths.home)
            threading.Timer(0.7, server.start, [False]).start()

    assert run(database, folder, workers=1, progress=kill, model=None).totals["added"] == 5


def test_a_full_disk_ends_the_run_with_a_report(
    database: Database, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ragraph.ingest.storing import registry
    from ragraph.ingest.storing.linking import ingest_draft

    def full(connection: Any, draft: Any, document: Any, **more: Any) -> Any:
        if document.source_uri.endswith("nile.html"):
            connection.execute("DO $$ BEGIN RAISE EXCEPTION 'no space left' USING ERRCODE = 'disk_full'; END $$")
        return ingest_draft(connection, draft, document, **more)

    monkeypatch.setattr(registry, "ingest_draft", full)
    with pytest.raises(errors.IngestEndedError, match="no disk space left") as caught:
        run(database, folder, workers=1)
    assert isinstance(caught.value.__cause__, errors.ServerResourcesError)
    report = caught.value.report
    assert [file.status for file in report.files] == ["added", "added", "pending", "pending", "pending"]
    # the graphs are there, the vectors were to come: the next run makes them
    assert [file.reason for file in report.files[:2]] == ["stored, but some of its vectors are missing"] * 2
    monkeypatch.undo()
    assert run(database, folder).ok
    assert rows(database, "SELECT DISTINCT processing_status::text FROM ragraph.document") == [("completed",)]


def test_a_model_that_breaks_ends_the_run_with_a_report(
    database: Database, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = WordModel()

    def broken(_: Any) -> Any:
        raise TypeError("no such device")

    monkeypatch.setattr(model, "encode_documents", broken)
    with pytest.raises(errors.IngestEndedError, match="TypeError: no such device") as caught:
        run(database, folder, model=model)
    assert caught.value.report.totals["added"] == 5
    assert {file.reason for file in caught.value.report.files} == {"stored, but some of its vectors are missing"}


def test_ctrl_c_ends_the_run_with_a_report(database: Database, folder: Path) -> None:
    def stop(event: ProgressEvent) -> None:
        if event.kind == "finished" and event.done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        run(database, folder, model=None, workers=1, progress=stop)
    assert isinstance(caught.value, errors.IngestInterrupt)
    assert caught.value.report.totals["added"] == 3
    assert caught.value.report.totals["pending"] == 2


def test_files_without_their_vectors_are_counted_as_stored_and_not_as_done(database: Database, folder: Path) -> None:
    def stop(event: ProgressEvent) -> None:
        if event.kind == "stored" and event.path and event.path.endswith("loire.html"):
            raise KeyboardInterrupt

    with pytest.raises(errors.IngestInterrupt) as caught:
        run(database, folder, workers=1, progress=stop)
    report = caught.value.report
    assert "0 of 5 files were done, and 2 stored, of which vectors are missing: run it again" in str(report.ended)
    assert (report.totals["added"], report.totals["pending"]) == (2, 3)
    assert report.totals["nodes"] == 6


@pytest.mark.parametrize("failing", ["count_words", "build_index"])
def test_what_fails_after_the_files_is_a_warning(
    database: Database, folder: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    with database.write() as connection:
        name = {"count_words": "ragraph.ensure_text_statistics", "build_index": "ragraph_private.vector_index_plan"}
        connection.execute(f"ALTER FUNCTION {name[failing]} RENAME TO gone")
    report = run(database, folder)
    assert report.ok
    assert statuses(report) == {f"{name}.html": "added" for name in NAMES}
    (warning,) = report.warnings
    assert "the next run tries again" in warning
    assert "\n" not in warning


def command(
    home: Path, words: Sequence[str], number: int, far_enough: Callable[[ragraph.Store], bool]
) -> subprocess.CompletedProcess[str]:
    """Run a command of ours and send it a signal once the store is so far."""
    environment = {**os.environ, "RAGRAPH_HOME": str(home), "HF_HUB_OFFLINE": "1"}
    environment.pop("RAGRAPH_DATABASE_URL", None)
    process = start_python("from ragraph.faces.cli import main; main()", *words, env=environment)
    try:
        with ragraph.open(home=home, create=False) as store:
            wait_until(lambda: far_enough(store), 240)
        process.send_signal(number)
        output, said = process.communicate(timeout=120)
    finally:
        process.kill()
    return subprocess.CompletedProcess(words, process.wait(), output, said)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_the_command_prints_its_report_when_it_is_ended(own_home: Path, tmp_path: Path, number: int, code: int) -> None:
    papers = tmp_path / "papers"
    papers.mkdir()
    for place in range(2000):  # far more than a quick machine takes before the signal comes
        (papers / f"{place:03}.html").write_text(PAGE.format(f"river {place}"))
    words = ["ingest", str(papers), "--no-embed", "--json", "--workers", "1"]
    done = command(own_home, words, number, lambda store: len(store.documents()) > 1)
    assert done.returncode == code, done.stderr
    report = json.loads(done.stdout)
    assert report["totals"]["added"] > 0
    assert report["totals"]["added"] + report["totals"]["pending"] == 2000
    assert "run it again" in report["ended"]
    assert "Traceback" not in done.stderr
    with ragraph.open(home=own_home) as store:
        assert len(store.documents()) >= report["totals"]["added"]


def test_ctrl_c_while_the_program_is_imported_ends_it_without_a_traceback(tmp_path: Path) -> None:
    program = """
import sys
from ragraph.faces.cli import main
class Printed:
    def find_spec(self, name, *rest):
        print(name, flush=True)
sys.meta_path.insert(0, Printed())
main()
"""
    environment = {**os.environ, "RAGRAPH_HOME": str(tmp_path)}
    command = [sys.executable, "-c", program, "ingest", "paper.md"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        next(line for line in process.stdout if line.strip() == "ragraph.faces.cli.program")
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=120)
    assert said == ""
    assert process.returncode == -signal.SIGINT


def test_a_job_gives_way_to_those_who_search(own_home: Path, tmp_path: Path) -> None:
    papers = tmp_path / "papers"
    papers.mkdir()
    for place in range(200):
        (papers / f"{place:03}.html").write_text(PAGE.format(f"river {place}"))
    environment = {**os.environ, "RAGRAPH_HOME": str(own_home), "RAGRAPH_NICE": ""}
    environment.pop("RAGRAPH_DATABASE_URL", None)
    line = [sys.executable, "-c", "from ragraph.faces.cli import main; main()", "ingest", str(papers), "--no-embed"]
    with subprocess.Popen([*line, "--workers", "1"], stdout=subprocess.DEVNULL, env=environment) as process:
        job = psutil.Process(process.pid)
        wait_until(lambda: job.nice() == 10 and job.children())
        [server] = postmasters(own_home)  # begun by the job, and there for all
        assert server.nice() == 0
        readers = [
            child for child in job.children() if child.pid != server.pid and child not in helpers(own_home, "last")
        ]
        assert {child.nice() for child in readers} <= {10}
        process.send_signal(signal.SIGINT)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_embedding_that_is_ended_says_how_far_it_was(own_home: Path, tmp_path: Path, number: int, code: int) -> None:
    paper = tmp_path / "long.txt"
    paper.write_text("\n\n".join(f"The river {place} rose by {place} feet." for place in range(3000)))
    with ragraph.open(home=own_home) as store:
        store.ingest(paper, model=None)

    def begun(store: ragraph.Store) -> bool:  # where there is a second transaction, the first has been counted
        return rows(store.database, "SELECT count(DISTINCT xmin::text) > 1 FROM ragraph.embedding") == [(True,)]

    done = command(own_home, ["embed", "--backend", "plain"], number, begun)
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    said = re.fullmatch(r"error: ended by \S+; ([\d,]+) of ([\d,]+) vectors were .*: run it again .*\n", done.stderr)
    assert said, done.stderr
    assert 0 < int(said[1].replace(",", "")) < int(said[2].replace(",", ""))


def test_a_deadlock_is_tried_again(database: Database) -> None:
    """Two transactions lock each other's row; PostgreSQL ends one, which does its unit again."""
    with database.write() as connection:
        connection.execute("CREATE TABLE pair (id int PRIMARY KEY, n int)")
        connection.execute("INSERT INTO pair VALUES (1, 0), (2, 0)")
    tries: list[int] = []
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    with psycopg.connect(database.url) as other:
        other.execute("UPDATE pair SET n = n + 1 WHERE id = 2")

        def close() -> None:
            wait_until(lambda: rows(database, waiting) == [(1,)])  # who waits first is the one that is ended
            other.execute("UPDATE pair SET n = n + 1 WHERE id = 1")
            other.commit()

        closer = threading.Thread(target=close)

        def unit() -> None:
            tries.append(1)
            with database.write() as connection:
                connection.execute("UPDATE pair SET n = n + 1 WHERE id = 1")
                connection.execute("UPDATE pair SET n = n + 1 WHERE id = 2")

        closer.start()
        with_retry(database, unit)
        closer.join()
    assert len(tries) == 2
    assert rows(database, "SELECT id, n FROM pair ORDER BY id") == [(1, 2), (2, 2)]
