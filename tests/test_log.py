"""The log of jobs: fields with each event, on standard error alone, as text or lines of JSON; silent unless asked."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from ingest_tools import one_pool, run
from typer.testing import CliRunner

from ragraph.base.log import logger, print_log
from ragraph.faces.cli import app
from ragraph.faces.cli.output import worded

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ragraph.database.connection import Database

PAGE = "<html><body><h1>Rivers</h1><p>The {0} is long.</p></body></html>"


@pytest.fixture(autouse=True, scope="module")
def shared_pool() -> Iterator[None]:
    with one_pool():
        yield


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    home = tmp_path / "rivers"
    home.mkdir()
    (home / "nile.html").write_text(PAGE.format("nile"))
    (home / "empty.html").touch()
    return home


def lines(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def test_lines_of_json_name_job_document_stage_and_seconds(database_url: str, folder: Path) -> None:
    words = ["--url", database_url, "ingest", str(folder), "--progress", "none", "--log", "json", "--json"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 1
    report = json.loads(done.stdout)
    told = lines(done.stderr)
    assert {event["job"] for event in told if event["event"] != "reader started"} == {report["job_id"]}
    document = next(file["document_id"] for file in report["files"] if file["status"] == "added")
    stages = {event["stage"]: event for event in told if event["event"] == "stage done" and "file" in event}
    assert set(stages) == {"reading", "writing", "embedding"}
    assert {event["document"] for event in stages.values()} == {document}
    assert all(event["seconds"] >= 0 and event["worker"] and event["timestamp"] for event in stages.values())  # type: ignore[operator]
    failed = [event for event in told if event["event"] == "file failed"]
    assert [(event["level"], event["status"]) for event in failed] == [("warning", "failed")]
    assert "no bytes" in str(failed[0]["reason"])
    assert [event["event"] for event in told if str(event["event"]).startswith("run ")] == ["run started", "run ended"]


def test_text_has_no_control_characters_and_leaves_standard_output_alone(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGRAPH_LOG", "text")
    path = tmp_path / "a\x1b[31mred.html"
    path.write_text(PAGE.format("nile"))
    words = ["--url", database_url, "ingest", str(path), "--no-embed", "--progress", "none"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert "file done" in done.stderr
    assert "stage=reading" in done.stderr
    assert "\x1b" not in done.stderr
    assert "file done" not in done.stdout
    assert "stage=" not in done.stdout


def test_reasons_name_options_where_the_command_line_logs(capsys: pytest.CaptureFixture[str]) -> None:
    said = "reading the file took more memory than the limit; raise {} or split it"
    for words, argument in ((worded, "--memory"), (None, "memory_bytes=")):
        with print_log("json", words):
            logger("ragraph.ingest").warning("file failed", reason=said.format("memory_bytes="))
        assert [line["reason"] for line in lines(capsys.readouterr().err)] == [said.format(argument)]


def test_programs_get_records_with_fields(database: Database, folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="ragraph"):
        report = run(database, folder)
    (record,) = [record for record in caplog.records if record.message == "file done"]
    added = next(file for file in report.files if file.status == "added")
    assert record.name == "ragraph.ingest"
    assert (vars(record)["document"], vars(record)["status"]) == (added.document_id, "added")
    assert "job" not in vars(record)


def test_nothing_is_printed_where_nobody_asked() -> None:
    program = "from ragraph.base.log import logger; logger('ragraph.ingest').warning('file failed', file='a')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"", b"")


def test_other_warnings_are_still_printed() -> None:
    program = "import logging, ragraph.base.log; logging.getLogger('ragraph.server').warning('a folder was opened')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stderr == b"a folder was opened\n"


def test_other_words_are_refused(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGRAPH_LOG", "xml")
    assert CliRunner().invoke(app, ["--url", database_url, "ingest", str(tmp_path)]).exit_code == 2
