"""Files go in once, and again only where they changed."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
from factories import make_document
from forked_python import start_python
from ingest_tools import WordModel, by_name, digest, dump, one_pool, rows, run, statuses
from lost_answers import LostAnswers
from sheets import write_sheets

from ragraph import Store, errors
from ragraph.database.connection import Database
from ragraph.database.retry import with_retry
from ragraph.ingest.reader_process import isolate
from ragraph.ingest.vectors.embed import Embedder, embed_documents
from ragraph.ingest.vectors.parts import PartSettings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragraph.schema.reports import ProgressEvent

TEXT = """<!DOCTYPE html><html><head><title>The {0} of rivers</title></head><body>
<h1>The {0} of rivers</h1>
<p>Water of the {0} runs from the hills to the sea.</p>
<h2>Floods</h2>
<p>In spring the {0} rises above its banks.</p>
<ul><li>Boats are tied up.</li><li>Cattle are led away.</li></ul>
<h2>Droughts</h2>
<p>In summer the {0} can be crossed on foot.</p>
</body></html>
"""


@pytest.fixture(autouse=True, scope="module")
def shared_pool() -> Iterator[None]:
    with one_pool():
        yield


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    home = tmp_path / "papers"
    home.mkdir()
    for name in ("nile", "rhine", "volga"):
        (home / f"{name}.html").write_text(TEXT.format(name))
    return home


def test_second_time_nothing_is_done(database: Database, folder: Path) -> None:
    first = run(database, folder)
    assert statuses(first) == {"nile.html": "added", "rhine.html": "added", "volga.html": "added"}
    assert [file.path.rsplit("/", 1)[-1] for file in first.files] == ["nile.html", "rhine.html", "volga.html"]
    assert all(file.nodes >= 8 and file.components >= 3 and file.embeddings >= 5 for file in first.files)
    assert rows(database, "SELECT DISTINCT processing_status::text FROM ragraph.document") == [("completed",)]
    before = digest(database)
    second = run(database, folder)
    assert second.ok
    assert set(statuses(second).values()) == {"unchanged"}
    assert second.totals["embeddings"] == 0
    assert second.totals["nodes"] == first.totals["nodes"]
    assert digest(database) == before


def test_tokens_are_counted(database: Database, folder: Path) -> None:
    run(database, folder, model=None)
    found = rows(database, "SELECT content, token_count FROM ragraph.content_node WHERE content LIKE 'Cattle%'")
    assert found == [("Cattle are led away.", 5)] * 3


def test_unchanged_files_are_not_read(database: Database, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(database, folder)

    def no_reading(*_: Any) -> None:
        raise AssertionError("a known file was read")

    monkeypatch.setattr(isolate.ReaderPool, "__init__", lambda self, **_: setattr(self, "read", no_reading))
    assert set(statuses(run(database, folder)).values()) == {"unchanged"}


def test_one_changed_paragraph_costs_one_vector(database: Database, folder: Path) -> None:
    run(database, folder)
    nodes, vectors = (
        "SELECT document_id, id FROM ragraph.content_node ORDER BY 1, 2",
        "SELECT document_id, id, created_at FROM ragraph.embedding ORDER BY 1, 2",
    )
    nodes_before, vectors_before = rows(database, nodes), rows(database, vectors)
    path = folder / "nile.html"
    path.write_text(path.read_text().replace("rises above its banks", "carries mud"))
    report = run(database, folder)
    assert statuses(report) == {"nile.html": "changed", "rhine.html": "unchanged", "volga.html": "unchanged"}
    assert report.totals["embeddings"] == 1
    nodes_after, vectors_after = rows(database, nodes), rows(database, vectors)
    for before, after in ((nodes_before, nodes_after), (vectors_before, vectors_after)):
        assert len(before) == len(after)
        assert len(set(before) & set(after)) == len(before) - 1


def test_changed_heading_embeds_what_stands_below_it_again(database: Database, folder: Path) -> None:
    run(database, folder)
    path = folder / "nile.html"
    path.write_text(path.read_text().replace("Floods", "High water"))
    report = run(database, folder)
    assert by_name(report)["nile.html"].embeddings == 3


def test_same_bytes_are_named_as_duplicates(database: Database, folder: Path) -> None:
    (folder / "again.html").write_text(TEXT.format("nile"))
    report = run(database, folder)
    files = by_name(report)
    assert files["again.html"].status == "added"
    assert files["nile.html"].status == "duplicate"
    assert files["nile.html"].document_id == files["again.html"].document_id
    assert str(files["again.html"].document_id) in (files["nile.html"].reason or "")
    later = folder / "z"
    later.mkdir()
    (later / "copy.html").write_text(TEXT.format("rhine"))
    assert by_name(run(database, later))["copy.html"].document_id == files["rhine.html"].document_id
    assert rows(database, "SELECT count(*) FROM ragraph.document") == [(3,)]
    other = run(database, later, collection="other")
    assert statuses(other) == {"copy.html": "added"}


def test_known_document_follows_its_file_even_to_the_content_of_another(database: Database, folder: Path) -> None:
    run(database, folder)
    (folder / "nile.html").write_text(TEXT.format("rhine"))
    assert statuses(run(database, folder))["nile.html"] == "changed"
    assert set(statuses(run(database, folder)).values()) == {"unchanged"}
    assert rows(database, "SELECT count(*) FROM ragraph.content_node WHERE content LIKE '%nile%'") == [(0,)]


def test_bad_file_costs_itself_alone(database: Database, folder: Path) -> None:
    (folder / "broken.html").write_bytes(b"")
    report = run(database, folder, folder / "missing.html")
    assert not report.ok
    assert report.totals["added"] == 3
    files = by_name(report)
    assert files["broken.html"].status == files["missing.html"].status == "failed"
    assert "no such file" in (files["missing.html"].reason or "")
    assert all("\n" not in (file.reason or "") for file in report.files)


def test_known_document_keeps_its_content_when_its_file_goes_bad(database: Database, folder: Path) -> None:
    run(database, folder)
    before = dump(database, without=["document"])
    path = folder / "nile.html"
    good = path.read_text()
    path.write_text("")
    report = by_name(run(database, folder))["nile.html"]
    assert report.status == "failed"
    assert dump(database, without=["document"]) == before
    state = "SELECT processing_status::text, error_message FROM ragraph.document WHERE id = %s"
    assert rows(database, state, report.document_id) == [("failed", report.reason)]
    path.write_text(good)
    assert statuses(run(database, folder))["nile.html"] == "unchanged"
    assert rows(database, state, report.document_id) == [("completed", None)]
    path.write_text("")
    run(database, folder)
    path.write_text(good.replace("Boats", "Ships"))
    assert statuses(run(database, folder))["nile.html"] == "changed"
    assert rows(database, state, report.document_id) == [("completed", None)]


def test_id_tags_and_collection(database: Database, folder: Path) -> None:
    path = folder / "nile.html"
    report = run(database, path, document_id="dl_nile", collection="rivers", tags=["africa", "long"])
    assert report.files[0].document_id == "dl_nile"
    assert rows(
        database,
        "SELECT d.collection, p.tags, d.source_uri, d.mime_type, d.file_size FROM ragraph.document AS d"
        " JOIN ragraph.publication AS p ON p.id = d.publication_id",
    ) == [("rivers", ["africa", "long"], path.as_uri(), "text/html", path.stat().st_size)]
    # the same file, found in its folder later, is still that document
    assert by_name(run(database, folder, collection="rivers"))["nile.html"].document_id == "dl_nile"
    run(database, path, collection="rivers", tags=["long", "old"])
    tagged = rows(database, "SELECT p.tags FROM ragraph.publication AS p WHERE cardinality(p.tags) > 0")
    assert tagged == [(["africa", "long", "old"],)]
    refused = run(database, path, document_id="dl_nile", collection="elsewhere")
    assert "collection 'rivers'" in (refused.files[0].reason or "")
    with pytest.raises(errors.ArgumentError):
        run(database, folder, document_id="dl_x")


def test_hostile_names_are_data(database: Database, tmp_path: Path) -> None:
    path = tmp_path / 'it\'s 100% "odd"; drop table.html'
    path.write_text(TEXT.format("oder"))
    with database.write() as connection:  # new collections may not be called so; one of an older store is
        make_document(connection, "dl_old", collection="a'b%c")
    report = run(database, path, document_id="dl_'%s\"--", collection="a'b%c", tags=["'); --"])
    assert report.ok, report
    assert statuses(run(database, path, document_id="dl_'%s\"--", collection="a'b%c")) == {path.name: "unchanged"}


def test_graph_first_vectors_later(database: Database, folder: Path) -> None:
    report = run(database, folder, model=None)
    assert report.totals["embeddings"] == 0
    assert rows(database, "SELECT DISTINCT processing_status::text FROM ragraph.document") == [("completed",)]
    model = cast("Any", WordModel())
    done = embed_documents(database, model)
    assert done.documents == 3
    assert done.embeddings == 15
    assert embed_documents(database, model).embeddings == 0
    assert set(statuses(run(database, folder)).values()) == {"unchanged"}
    with pytest.raises(errors.DocumentNotFoundError):
        embed_documents(database, model, ["dl_none"])


def test_a_document_changed_while_its_vectors_are_made(make_database: Any, folder: Path) -> None:
    """Another process takes in a new version between the plan and the vectors: those of the old one are not written."""
    path = folder / "nile.html"
    old, new = path.read_text(), path.read_text().replace("Floods", "High water").replace("Cattle", "Camels")
    with Database(make_database()) as database, Database(make_database()) as other:
        path.write_text(new)
        expected = run(other, path)
        path.write_text(old)
        model = WordModel()
        real = model.encode_documents
        changed: list[int] = []

        def meanwhile(texts: Any) -> Any:
            if not changed:
                changed.append(1)
                path.write_text(new)
                with Database(database.url) as second:
                    assert statuses(run(second, path, model=None)) == {"nile.html": "changed"}
            return real(texts)

        model.encode_documents = meanwhile  # type: ignore[method-assign]
        assert run(database, path, model=model, document_id=expected.files[0].document_id).ok
        assert changed
        state = "SELECT processing_status::text FROM ragraph.document"
        assert rows(database, state) == [("completed",)]
        for table in ("content_node", "embedding"):
            assert dump(database)[table] == dump(other)[table]


def test_models_live_side_by_side(database: Database, folder: Path) -> None:
    first = run(database, folder)
    second = run(database, folder, model=WordModel("second", document_prefix="passage: "))
    assert set(statuses(second).values()) == {"unchanged"}
    assert second.totals["embeddings"] == first.totals["embeddings"]
    count = "SELECT model_name, count(*) FROM ragraph.embedding GROUP BY model_name ORDER BY model_name"
    assert [number for _, number in rows(database, count)] == [first.totals["embeddings"]] * 2


def test_other_settings_replace_the_parts(database: Database, tmp_path: Path) -> None:
    path = tmp_path / "long.html"
    path.write_text(f"<html><body><h1>Title</h1><p>{'The river rises and falls again. ' * 40}</p></body></html>")
    assert run(database, path).totals["embeddings"] == 2
    assert run(database, path, parts=PartSettings("sentence", target=32)).totals["embeddings"] > 5
    parts = rows(database, "SELECT part FROM ragraph.embedding WHERE part > 0 OR char_start = 0 ORDER BY 1")
    assert [part for (part,) in parts] == list(range(len(parts)))
    run(database, path)
    assert len(rows(database, "SELECT id FROM ragraph.embedding")) == 2


def test_stopped_between_graph_and_vectors(database: Database, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Embedder, "_encode", stop)
        run(database, folder)
    state = "SELECT processing_status::text, count(*) FROM ragraph.document GROUP BY 1"
    assert rows(database, state) == [("processing", 3)]
    report = run(database, folder)
    assert set(statuses(report).values()) == {"unchanged"}
    assert report.totals["embeddings"] == 15
    assert rows(database, state) == [("completed", 3)]


def test_deleted_and_taken_in_again(database: Database, folder: Path) -> None:
    run(database, folder)
    before = digest(database)
    for (document_id,) in rows(database, "SELECT id FROM ragraph.document"):
        with database.write() as connection:
            connection.execute("SELECT ragraph.delete_document(%s)", [document_id])
    assert rows(database, "SELECT count(*) FROM ragraph.publication") == [(0,)]
    assert set(statuses(run(database, folder)).values()) == {"added"}
    assert digest(database) == before


def test_text_statistics_follow_what_is_ingested_changed_and_deleted(database: Database, folder: Path) -> None:
    counted = "SELECT sum(nodes) FROM ragraph.text_statistics"
    there = "SELECT count(*) FROM ragraph.content_node"
    left = "SELECT count(*) FROM ragraph.text_change"
    run(database, folder)
    assert rows(database, counted) == rows(database, there) != [(0,)]
    assert rows(database, left) == [(0,)]
    path = folder / "nile.html"
    path.write_text(path.read_text().replace("<p>In summer", "<p>In autumn it rains.</p><p>In summer"))
    run(database, folder)
    assert rows(database, counted) == rows(database, there)
    document_id = by_name(run(database, folder))["rhine.html"].document_id
    Store(database).delete(str(document_id))
    assert rows(database, counted) == rows(database, there)
    # noted by a run that did not get to count, counted by the next
    with database.write() as connection:
        connection.execute("SELECT ragraph.delete_document(id) FROM ragraph.document WHERE id <> %s LIMIT 1", ["x"])
    assert rows(database, left) == [(1,)]
    (folder / "amur.html").write_text(TEXT.format("amur"))
    run(database, folder / "amur.html")
    assert rows(database, counted) == rows(database, there)


def test_two_processes_at_once(database: Database, folder: Path) -> None:
    (folder / "again.html").write_text(TEXT.format("nile"))
    code = (
        "import sys; from pathlib import Path;"
        "from ragraph.database.connection import Database;"
        "from ingest_tools import run\n"
        "with Database(sys.argv[1]) as database:\n"
        "    report = run(database, Path(sys.argv[2]), workers=1)\n"
        "assert report.ok, report\n"
        "print(report.totals['embeddings'])"
    )
    both = [start_python(code, database.url, str(folder), modules=("ingest_tools",)) for _ in range(2)]
    said = [process.communicate(timeout=300) for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert rows(database, "SELECT count(*) FROM ragraph.document WHERE processing_status = 'completed'") == [(3,)]
    written = sum(int(output) for output, _ in said)
    assert rows(database, "SELECT count(*) FROM ragraph.embedding") == [(written,)]
    before = digest(database)
    run(database, folder)
    assert digest(database) == before


def test_lost_connection_repeats_the_unit(database: Database, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ragraph.ingest.storing import registry

    """The server ends the connection in the middle of the first write of every document."""
    from ragraph.ingest.storing.linking import ingest_draft

    ended: set[str] = set()

    def ending(connection: Any, draft: Any, document: Any, **more: Any) -> Any:
        if document.id not in ended:
            ended.add(document.id)
            rows(database, "SELECT pg_terminate_backend(%s)", connection.info.backend_pid)
        return ingest_draft(connection, draft, document, **more)

    monkeypatch.setattr(registry, "ingest_draft", ending)
    report = run(database, folder)
    assert len(ended) == 3
    assert set(statuses(report).values()) == {"added"}


def test_what_was_written_is_told_though_the_answer_to_its_commit_is_lost(database: Database, folder: Path) -> None:
    with LostAnswers(database.url, 1) as proxy, Database(proxy.url) as through:
        report = run(through, folder)
        assert proxy.lost == 1
    assert set(statuses(report).values()) == {"added"}
    assert set(statuses(run(database, folder)).values()) == {"unchanged"}


def test_retry_gives_up_on_what_it_cannot_help(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    from ragraph.database import retry

    monkeypatch.setattr(retry, "PAUSES_S", (0, 0))
    tries: list[int] = []

    def unit() -> None:
        tries.append(1)
        raise errors.ServerUnavailableError("gone")

    with pytest.raises(errors.ServerUnavailableError):
        with_retry(database, unit)
    assert len(tries) == 3

    def broken() -> None:
        tries.append(1)
        raise errors.ConstraintError("broken")

    with pytest.raises(errors.ConstraintError):
        with_retry(database, broken)
    assert len(tries) == 4


def test_progress_is_reported_while_a_batch_is_encoded(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragraph.ingest.vectors.embed._TOLD", 10)
    (tmp_path / "long.txt").write_text("\n\n".join(f"The river {place} is {place} miles long." for place in range(95)))
    events: list[ProgressEvent] = []
    assert run(database, tmp_path / "long.txt", progress=events.append).ok
    embedded = [event for event in events if event.kind == "embedded"]
    assert [event.done for event in embedded] == [*range(10, 95, 10), 95]
    assert {event.total for event in embedded} == {95}
    assert [event.kind for event in events].index("stored") < [event.kind for event in events].index("embedded")


def test_progress_counts_the_pages_of_a_file(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragraph.ingest.jobs.reading_queue._LOOK_S", 0.001)
    write_sheets(tmp_path / "bridges.pdf")
    events: list[ProgressEvent] = []
    assert run(database, tmp_path / "bridges.pdf", progress=events.append).ok
    kinds = [event.kind for event in events]
    assert kinds.index("started") < kinds.index("reading") < kinds.index("stored")
    pages = [event.pages_done for event in events if event.kind == "reading"]
    assert pages == sorted(pages)
    assert {(event.path, event.pages_total) for event in events if event.kind == "reading"} == {(events[1].path, 3)}
    assert pages[-1] == 3


def test_progress_tells_what_happens(database: Database, folder: Path) -> None:
    events: list[ProgressEvent] = []
    threads: set[int] = set()

    def listen(event: ProgressEvent) -> None:
        events.append(event)
        threads.add(threading.get_ident())

    run(database, folder, progress=listen)
    assert events[0].kind == "found"
    assert events[0].total == 3
    assert sum(event.kind == "finished" for event in events) == 3
    last = [event for event in events if event.kind == "embedded"][-1]
    assert last.done == last.total == 15
    assert last.characters_done == last.characters_total > 15
    stored = [event for event in events if event.kind == "stored"]
    assert [event.bytes_read for event in stored] == sorted(event.bytes_read for event in stored)
    assert stored[-1].bytes_total == max(event.bytes_read for event in events) > 0
    assert threads == {threading.get_ident()}


def test_model_that_does_not_fit_is_told_before_anything_is_read(database: Database, folder: Path) -> None:
    run(database, folder, model=WordModel("mine"))
    before = digest(database)
    with pytest.raises(errors.ModelError, match="use another name for this one"):
        run(database, folder, model=WordModel("mine", document_prefix="p: "))
    assert digest(database) == before


def test_model_that_fails_on_one_text_costs_its_document_alone(
    database: Database, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = WordModel("touchy")
    real = model.encode_documents

    def touchy(texts: list[str]) -> Any:
        if any("volga" in text for text in texts):
            raise errors.ModelError("a vector is zero")
        return real(texts)

    monkeypatch.setattr(model, "encode_documents", touchy)
    report = run(database, folder, model=model)
    assert statuses(report) == {"nile.html": "added", "rhine.html": "added", "volga.html": "failed"}
    assert by_name(report)["volga.html"].reason == "a vector is zero"


@pytest.mark.slow
def test_killed_at_random_moments(server_url: str, folder: Path) -> None:
    """The small form of `make bench-kill`, which kills 50 times."""
    command = [sys.executable, "-m", "bench.kill", "--url", server_url, "--moments", "5", "--json", str(folder)]
    root = Path(__file__).parent.parent
    done = subprocess.run(command, capture_output=True, text=True, cwd=root, timeout=500)
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads(done.stdout)
    assert result["kills"] == 5
    assert result["rows_compared"] > 50
