"""Several processes take in the same files: each document once, none twice, none left, whoever stops or dies."""

from __future__ import annotations

import signal
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from ingest_tools import WordModel, digest, one_pool, rows, run, statuses
from job_process import JobProcess
from server_tools import wait_until

from ragraph import Store, errors
from ragraph.database.connection import Database
from ragraph.errors import ServerUnavailableError
from ragraph.ingest.files import leases
from ragraph.ingest.files.leases import JobLeases

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Connection = psycopg.Connection[tuple[Any, ...]]

NAMES = ("amur", "loire", "nile", "rhine", "volga", "yukon")
PAGE = "<html><body><h1>The {0}</h1><p>The {0} is long.</p><p>Boats go down the {0}.</p></body></html>"


@pytest.fixture(autouse=True, scope="module")
def shared_pool() -> Iterator[None]:
    with one_pool():
        yield


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    home = tmp_path / "papers"
    home.mkdir()
    for name in NAMES:
        (home / f"{name}.html").write_text(PAGE.format(name))
    return home


@pytest.fixture
def calm(make_database: Callable[..., str], folder: Path) -> str:
    """What a run without a job gives."""
    with Database(make_database()) as database:
        run(database, folder)
        return digest(database)


def outcomes(database: Database, job_id: str) -> dict[str, str | None]:
    found = rows(database, "SELECT name, outcome FROM ragraph.ingest_file WHERE job_id = %s", job_id)
    return {name.rsplit("/", 1)[-1].removesuffix(".html"): outcome for name, outcome in found}


def newest(database: Database) -> str:
    ((job_id,),) = rows(database, "SELECT id FROM ragraph.ingest_job ORDER BY created_at DESC LIMIT 1")
    return str(job_id)


def none_is_held(database: Database) -> bool:
    return rows(database, "SELECT 1 FROM ragraph.ingest_lease WHERE expires_at IS NOT NULL") == []


def test_a_run_as_a_job_gives_what_a_run_gives(database: Database, folder: Path, calm: str) -> None:
    report = run(database, folder, job=True)
    assert report.ok
    assert set(statuses(report).values()) == {"added"}
    assert digest(database) == calm
    assert report.job_id is not None
    store = Store(database)
    job = store.job(report.job_id)
    assert (job.status, job.files, job.completed, job.failed, job.pending) == ("completed", 6, 6, 0, 0)
    assert job.outcomes == {"added": 6}
    assert job.bytes == job.bytes_done == sum(file.stat().st_size for file in folder.iterdir())
    assert job.paths == [str(folder)]
    assert set(job.stage_seconds) == {"reading", "writing", "embedding"}
    assert [file.status for file in store.job_files(job.id)] == ["completed"] * 6
    assert none_is_held(database)


def test_the_time_of_a_batch_is_shared_among_its_files(
    database: Database, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else each file would count the time that it waits for the texts of the others."""
    now = [0.0]

    class SlowModel(WordModel):
        def encode_documents(self, texts: Any) -> Any:
            now[0] += 10
            return super().encode_documents(texts)

    monkeypatch.setattr("ragraph.ingest.vectors.embed.time", SimpleNamespace(monotonic=lambda: now[0]))
    report = run(database, folder, job=True, model=SlowModel())
    assert Store(database).job(str(report.job_id)).stage_seconds["embedding"] == 10


def test_files_taken_without_an_answer_are_taken_again(
    database: Database, folder: Path, calm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found by make chaos: an answer of claim_files was lost, and the process kept leases that it did not know of."""
    ask = leases._Line.ask
    lost: list[Any] = []

    def asked(line: Any, query: str, names: Any) -> Any:
        answer = ask(line, query, names)
        if query == "claim_files" and len(lost) < 2:
            lost.append(answer)
            raise ServerUnavailableError("the connection was cut")
        return answer

    monkeypatch.setattr(leases._Line, "ask", asked)
    report = run(database, folder, job=True, workers=1)
    assert report.ok
    assert set(statuses(report).values()) == {"added"}
    assert lost[0]
    assert lost[1]
    assert digest(database) == calm
    assert none_is_held(database)


def test_what_was_unchanged_is_counted_and_leaves_no_rows(database: Database, folder: Path) -> None:
    run(database, folder, job=True)
    (folder / "nile.html").write_text(PAGE.format("blue nile"))
    report = run(database, folder, job=True)
    assert report.job_id is not None
    assert outcomes(database, report.job_id) == {"nile": "changed"}
    job = Store(database).job(report.job_id)
    assert (job.files, job.completed, job.outcomes) == (6, 6, {"changed": 1, "unchanged": 5})


def test_a_run_without_a_job_leaves_no_rows(database: Database, folder: Path) -> None:
    assert run(database, folder).job_id is None
    assert rows(database, "SELECT 1 FROM ragraph.ingest_job UNION ALL SELECT 1 FROM ragraph.ingest_lease") == []


def test_two_jobs_over_the_same_files_share_the_work(
    database: Database, database_url: str, folder: Path, calm: str
) -> None:
    """Each file is written by one of them, and known to the other."""
    reports = []

    def take_in() -> None:
        with Database(database_url) as own:
            reports.append(run(own, folder, job=True))

    threads = [threading.Thread(target=take_in) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    one, other = map(statuses, reports)
    assert all({one[name], other[name]} == {"added", "unchanged"} for name in one), (one, other)
    assert digest(database) == calm
    assert none_is_held(database)


def test_two_processes_of_one_job_report_all_files(database: Database, database_url: str, folder: Path) -> None:
    first = JobProcess(database_url, folder, "written", str(int(signal.SIGSTOP)), "loire.html", lease_s=60)
    first.wait_stopped()
    job_id = newest(database)
    second = JobProcess(database_url, job_id)
    wait_until(lambda: outcomes(database, job_id)["yukon"] == "added", 120)
    reports = [first.go_on(), second.report()]
    for report in reports:
        assert [file["status"] for file in report["files"]] == ["added"] * 6
    assert Store(database).job(job_id).status == "completed"


@pytest.mark.slow
@pytest.mark.parametrize("step", ["reading", "writing", "embedding"])
def test_a_process_that_is_stopped_beyond_its_lease(
    database: Database, database_url: str, folder: Path, calm: str, step: str
) -> None:
    """Another goes on, even where the first has a transaction open; and the first, back again, writes no more."""
    stopped = JobProcess(database_url, folder, step, str(int(signal.SIGSTOP)), "nile.html")
    stopped.wait_stopped()
    job_id = newest(database)
    report = JobProcess(database_url, job_id).report()
    assert report["ok"], report
    assert [file["status"] for file in report["files"] if file["status"] not in ("added", "unchanged")] == []
    assert digest(database) == calm
    before = rows(database, "SELECT sum(fence), count(*) FROM ragraph.ingest_lease")
    late = stopped.go_on()
    assert late["ok"], late
    assert {file["status"] for file in late["files"]} <= {"added", "unchanged"}
    assert digest(database) == calm
    assert rows(database, "SELECT sum(fence), count(*) FROM ragraph.ingest_lease") == before
    assert Store(database).job(job_id).status == "completed"
    assert none_is_held(database)


@pytest.mark.slow
@pytest.mark.parametrize("step", ["writing", "written"])
def test_a_process_that_is_killed(database: Database, database_url: str, folder: Path, calm: str, step: str) -> None:
    JobProcess(database_url, folder, step, str(int(signal.SIGKILL)), "nile.html").wait_killed()
    store = Store(database)
    job_id = newest(database)
    wait_until(lambda: store.job(job_id).status == "interrupted", 60)
    assert store.job(job_id).processing
    report = JobProcess(database_url, job_id).report()
    assert report["ok"], report
    assert {file["status"] for file in report["files"]} <= {"added", "unchanged"}
    assert digest(database) == calm
    assert none_is_held(database)
    assert store.job(job_id).status == "completed"


def test_nobody_waits_for_a_process_of_this_machine_that_is_no_more(
    database: Database, database_url: str, folder: Path
) -> None:
    """Started again after ``kill -9``, a run does not wait for the lease of the first, here an hour long."""
    killed = JobProcess(database_url, folder, "written", str(int(signal.SIGKILL)), "nile.html", lease_s=3600)
    killed.wait_killed()
    report = run(database, folder, job=True)
    assert report.ok
    assert none_is_held(database)


def test_a_lease_of_a_process_that_lives_is_waited_for(database: Database, database_url: str, folder: Path) -> None:
    stopped = JobProcess(database_url, folder, "reading", str(int(signal.SIGSTOP)), "nile.html", lease_s=3600)
    stopped.wait_stopped()
    leases = JobLeases(database, newest(database))
    leases.free_dead()
    assert not none_is_held(database)
    leases.close(None)
    assert stopped.go_on()["ok"]
    assert none_is_held(database)


def test_a_job_that_ended_early_goes_on(database: Database, folder: Path, calm: str) -> None:
    def interrupt(event: Any) -> None:
        if event.kind == "finished" and event.done == 2:
            raise KeyboardInterrupt

    with pytest.raises(errors.IngestInterrupt) as caught:
        run(database, folder, job=True, progress=interrupt, workers=1, model=None)
    report = caught.value.report
    assert report.job_id is not None
    assert report.totals["added"] == 2
    assert report.totals["pending"] == 4
    store = Store(database)
    job = store.job(report.job_id)
    assert (job.status, job.completed, job.pending, job.processing) == ("ended", 2, 4, 0)
    assert job.error_message == "interrupted"
    assert none_is_held(database)
    again = store.resume_job(report.job_id)
    assert again.ok
    assert [file.status for file in again.files] == ["added"] * 6
    assert store.job(report.job_id).status == "completed"
    run(database, folder)  # for the vectors
    assert digest(database) == calm


def test_a_job_that_is_cancelled_ends(database: Database, folder: Path) -> None:
    store = Store(database)

    def cancel(event: Any) -> None:
        if event.kind == "finished" and event.done == 1:
            store.cancel_job(newest(database))

    with pytest.raises(errors.IngestEndedError, match="the job was cancelled") as caught:
        run(database, folder, job=True, progress=cancel, workers=1, model=None, lease_s=0.4)
    assert caught.value.report.totals["pending"]
    job_id = newest(database)
    assert store.job(job_id).status == "cancelled"
    assert none_is_held(database)
    assert store.resume_job(job_id).ok
    assert store.job(job_id).status == "completed"


def test_a_file_is_counted_once(database: Database, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a sign of life asks how many are left between the end of a file and its being counted."""
    ask = JobLeases._ask
    done: list[int] = []

    def ask_and_look(leases: JobLeases, query: str, names: Any) -> list[dict[str, Any]]:
        answer = ask(leases, query, names)
        if query == "finish_file":
            leases.look()
        return answer

    def count(event: Any) -> None:
        if event.kind == "finished":
            done.append(event.done)

    monkeypatch.setattr(JobLeases, "_ask", ask_and_look)
    assert run(database, folder, job=True, progress=count, workers=1, model=None).ok
    assert done == [1, 2, 3, 4, 5, 6]


def test_records_come_before_the_files_they_describe(connection: Connection) -> None:
    connection.execute("INSERT INTO ragraph.ingest_job (id, collection, lease_seconds) VALUES ('job_a', 'c', 60)")
    connection.execute(
        "INSERT INTO ragraph.ingest_file (job_id, source_uri, collection, place, name, record)"
        " SELECT 'job_a', 'file:///' || n, 'c', n, n, n = 2 FROM generate_series(0, 3) AS n"
    )

    def claim(holder: str) -> list[int]:
        statement = "SELECT place FROM ragraph.claim_files('job_a', %s, 2)"
        return [place for (place,) in connection.execute(statement, [holder])]

    assert claim("one") == [2]
    assert claim("two") == []
    row = connection.execute("SELECT ragraph.finish_file('job_a', 'file:///2', 'c', 'one', 1, 'record')").fetchone()
    assert row == (True,)
    assert claim("two") == [0, 1]
    assert claim("one") == [3]


def test_an_older_fence_is_refused(connection: Connection) -> None:
    connection.execute("INSERT INTO ragraph.ingest_job (id, collection, lease_seconds) VALUES ('job_a', 'c', 60)")
    connection.execute(
        "INSERT INTO ragraph.ingest_file (job_id, source_uri, collection, place, name, record)"
        " VALUES ('job_a', 'file:///x', 'c', 0, 'x', false)"
    )
    claim = "SELECT fence FROM ragraph.claim_files('job_a', %s)"
    assert connection.execute(claim, ["one"]).fetchall() == [(1,)]
    connection.execute("SELECT ragraph.check_lease('c', 'file:///x', 'one', 1)")
    assert connection.execute(claim, ["two"]).fetchall() == []
    connection.execute("UPDATE ragraph.ingest_lease SET expires_at = now() - interval '1 second'")
    connection.execute("SELECT ragraph.check_lease('c', 'file:///x', 'one', 1)")  # nobody took it yet
    assert connection.execute(claim, ["two"]).fetchall() == [(2,)]
    for holder, fence in (("one", 1), ("one", 2), ("two", 1)):
        with pytest.raises(psycopg.Error) as raised, connection.transaction():
            connection.execute("SELECT ragraph.check_lease('c', 'file:///x', %s, %s)", [holder, fence])
        assert raised.value.sqlstate == "RG010"
    finish = "SELECT ragraph.finish_file('job_a', 'file:///x', 'c', %s, %s, 'added')"
    assert connection.execute(finish, ["one", 1]).fetchone() == (False,)
    assert connection.execute("SELECT status FROM ragraph.ingest_file").fetchone() == ("processing",)
    assert connection.execute(finish, ["two", 2]).fetchone() == (True,)
    assert connection.execute("SELECT status FROM ragraph.ingest_file").fetchone() == ("completed",)
    with pytest.raises(psycopg.Error) as raised, connection.transaction():
        connection.execute("SELECT ragraph.check_lease('c', 'file:///x', 'two', 2)")
    assert raised.value.sqlstate == "RG010"


def test_a_process_does_not_take_again_what_it_has(connection: Connection) -> None:
    """It was stopped, its lease has run out, and nobody else was there."""
    connection.execute("INSERT INTO ragraph.ingest_job (id, collection, lease_seconds) VALUES ('job_a', 'c', 60)")
    connection.execute(
        "INSERT INTO ragraph.ingest_file (job_id, source_uri, collection, place, name, record)"
        " VALUES ('job_a', 'file:///x', 'c', 0, 'x', false)"
    )
    claim = "SELECT fence FROM ragraph.claim_files('job_a', %s)"
    assert connection.execute(claim, ["one"]).fetchall() == [(1,)]
    connection.execute("UPDATE ragraph.ingest_lease SET expires_at = now() - interval '1 second'")
    assert connection.execute(claim, ["one"]).fetchall() == []
    assert connection.execute(claim, ["two"]).fetchall() == []
    connection.execute("SELECT ragraph.check_lease('c', 'file:///x', 'one', 1)")


def test_a_sign_of_life_does_not_take_back_what_is_lost(connection: Connection) -> None:
    connection.execute("INSERT INTO ragraph.ingest_job (id, collection, lease_seconds) VALUES ('job_a', 'c', 60)")
    connection.execute(
        "INSERT INTO ragraph.ingest_file (job_id, source_uri, collection, place, name, record)"
        " VALUES ('job_a', 'file:///x', 'c', 0, 'x', false)"
    )
    claim = "SELECT fence FROM ragraph.claim_files('job_a', %s)"
    connection.execute(claim, ["one"])
    connection.execute("UPDATE ragraph.ingest_lease SET expires_at = now() - interval '1 second'")
    connection.execute(claim, ["two"])
    before = connection.execute("SELECT * FROM ragraph.ingest_lease").fetchall()
    renew = "SELECT * FROM ragraph.renew_leases('job_a', 'one', '{\"file:///x\": \"writing\"}')"
    assert connection.execute(renew).fetchall() == [("running", 1)]
    assert connection.execute("SELECT * FROM ragraph.ingest_lease").fetchall() == before
    assert connection.execute("SELECT stage FROM ragraph.ingest_file").fetchone() == (None,)
    connection.execute(renew.replace("'one'", "'two'"))
    assert connection.execute("SELECT stage FROM ragraph.ingest_file").fetchone() == ("writing",)
    assert connection.execute("SELECT ragraph.release_leases('job_a', 'one')").fetchone() == (0,)
    assert connection.execute("SELECT ragraph.release_leases('job_a', 'two')").fetchone() == (1,)
    assert connection.execute("SELECT status FROM ragraph.ingest_file").fetchone() == ("pending",)


def test_who_is_not_there_is_named(database: Database, folder: Path) -> None:
    store = Store(database)
    job_id = run(database, folder, job=True, model=None).job_id
    assert job_id is not None
    with pytest.raises(errors.JobNotFoundError, match=rf"'{job_id}x'; did you mean '{job_id}'\?"):
        store.job(f"{job_id}x")
    with pytest.raises(errors.JobNotFoundError, match=r"store\.jobs\(\)"):
        store.resume_job("nothing")
    with pytest.raises(errors.ArgumentError, match="status 'done' is not pending, processing, completed or failed"):
        store.job_files(job_id, "done")  # type: ignore[arg-type]


def test_a_failed_file_is_written_down_with_its_reason(database: Database, folder: Path) -> None:
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4\nnothing")
    report = run(database, folder, job=True, model=WordModel())
    assert not report.ok
    assert report.job_id is not None
    store = Store(database)
    job = store.job(report.job_id)
    assert (job.status, job.failed, job.completed) == ("completed", 1, 6)
    (failed,) = store.job_files(report.job_id, "failed")
    assert failed.name.endswith("broken.pdf")
    assert failed.reason
