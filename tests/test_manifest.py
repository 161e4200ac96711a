"""Manifests: files with what is known of them, one a line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from ingest_tools import one_pool, rows, run, statuses

from ragraph import Store
from ragraph.errors import ArgumentError
from ragraph.ingest.jobs.request import IngestRequest
from ragraph.ingest.jobs.start import plan_job

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ragraph.database.connection import Database

PAGE = "<html><body><h1>The {0}</h1><p>The {0} is long.</p></body></html>"


@pytest.fixture(autouse=True, scope="module")
def shared_pool() -> Iterator[None]:
    with one_pool():
        yield


def write(folder: Path, *lines: Any) -> Path:
    for name in ("nile", "rhine", "volga"):
        (folder / f"{name}.html").write_text(PAGE.format(name))
    manifest = folder / "list.jsonl"
    manifest.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    return manifest


LINES = (
    {"path": "nile.html", "id": "dl_nile", "tags": ["long"], "metadata": {"grade": 3}},
    {"path": "rhine.html", "collection": "archive"},
    "",
    {"path": "volga.html", "record": {"id": "pub_v", "title": "The Volga", "downloadLinks": [{"id": "dl_volga"}]}},
)
FOUND = """
    SELECT d.id LIKE 'dl_%%', d.collection, p.tags, p.metadata -> 'grade', p.title
    FROM ragraph.document d JOIN ragraph.publication p ON p.id = d.publication_id ORDER BY d.source_uri
"""


@pytest.mark.parametrize("planned", [False, True])
def test_each_file_gets_what_the_manifest_says(database: Database, tmp_path: Path, planned: bool) -> None:
    manifest = write(tmp_path, *LINES)
    if planned:  # from the rows of the job
        job_id = plan_job(database, IngestRequest(manifest=manifest, model=None, tags=("all",)))
        manifest.unlink()
        report = Store(database).resume_job(job_id)
    else:
        report = run(database, manifest=manifest, model=None, tags=["all"])
    assert statuses(report) == dict.fromkeys(("nile.html", "rhine.html", "volga.html"), "added")
    assert [file.document_id for file in report.files][::2] == ["dl_nile", "dl_volga"]
    assert rows(database, FOUND) == [
        (True, "default", ["all", "long"], 3, "The nile"),
        (True, "archive", ["all"], None, "The rhine"),
        (True, "default", ["all"], None, "The Volga"),
    ]
    again = run(database, manifest=write(tmp_path, *LINES), model=None)
    assert set(statuses(again).values()) == {"unchanged"}
    assert Store(database).check() == []


def test_metadata_that_somebody_set_stays(database: Database, tmp_path: Path) -> None:
    manifest = write(tmp_path, LINES[0])
    run(database, manifest=manifest, model=None)
    Store(database).update("dl_nile", metadata={"grade": 1})
    run(database, manifest=manifest, model=None)
    assert rows(database, "SELECT metadata -> 'grade' FROM ragraph.publication") == [(1,)]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (("nonsense",), "line 1 of .*: Invalid JSON"),
        (({"path": "nile.html"}, {"path": "./nile.html"}), "line 2 of .*: .*nile.html is listed twice"),
        (({"path": "a", "id": "x"}, {"path": "b", "id": "x"}), "line 2 of .*: the id 'x' is that of line 1 already"),
        (({"id": "x"},), "line 1 of .*: give a path or a url"),
        (({"path": "a", "url": "s3://b/c"},), "line 1 of .*: give a path or a url"),
        (({"url": "a"},), "line 1 of .*: 'a' is no URL; give a path"),
        (({"path": "a", "name": "b"},), "line 1 of .*: name: Extra inputs"),
        (({"path": "a", "id": "-b"},), "line 1 of .*cannot be the id"),
        (({"path": "a", "record": {"id": "p", "title": "t"}},), "line 1 of .*: give the id of the document"),
    ],
)
def test_a_manifest_with_a_mistake_is_refused_whole(
    database: Database, tmp_path: Path, lines: tuple[Any, ...], said: str
) -> None:
    with pytest.raises(ArgumentError, match=said):
        run(database, manifest=write(tmp_path, *lines), model=None)
    assert rows(database, "SELECT 1 FROM ragraph.document UNION ALL SELECT 1 FROM ragraph.ingest_job") == []


def test_a_manifest_that_is_not_named_so_is_none(database: Database, tmp_path: Path) -> None:
    manifest = write(tmp_path, *LINES)
    report = run(database, tmp_path, model=None)
    assert "list.jsonl" not in statuses(report)
    run(database, manifest, model=None)  # it is then a file of records, and what they name is not read
    assert statuses(run(database, manifest, model=None)) == {"list.jsonl": "unchanged"}


def test_a_file_that_is_not_there_is_a_failed_file(database: Database, tmp_path: Path) -> None:
    (file,) = run(database, manifest=write(tmp_path, {"path": "none.html"}), model=None).files
    assert (file.status, file.reason) == ("failed", "there is no such file or folder")
