"""What runs leave undone of works is known in the store: whoever comes next does it, and until then check names it."""

from __future__ import annotations

import signal
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from factories import insert, make_node
from ingest_tools import run
from job_process import JobProcess
from server_tools import wait_until
from test_works import KIM, SMITH, SMITH_AGAIN, broken, fill, state

import ragraph
from ragraph.database import migrate
from ragraph.database.connection import Database
from ragraph.documents.updating import update
from ragraph.errors import IngestEndedError
from ragraph.ingest.jobs import finishing
from ragraph.ingest.storing.linking import load_graph
from ragraph.ingest.storing.write import rewrite
from ragraph.ingest.vectors import maintenance
from ragraph.works.update import update_works

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from ragraph import Store

    Connection = psycopg.Connection[tuple[Any, ...]]
    MakeDatabase = Callable[..., str]

RULE = "citations of a document are resolved"
NAMES = ("Amur", "Loire", "Nile", "Rhine", "Volga", "Weser")
ARTICLE = """<article><front><article-meta><article-id pub-id-type="doi">10.5555/{own}</article-id>
<title-group><article-title>The course of the {name} through its valley</article-title></title-group>
<pub-date><year>2001</year></pub-date></article-meta></front><body><p>The {name} is long.</p></body>
<back><ref-list><title>References</title>
<ref id="r1"><mixed-citation>Rill C. On brooks and how they run. J Water. 2001;3:10-2.</mixed-citation></ref>
<ref id="r2"><element-citation><article-title>The course of the {other} through its valley</article-title>
<year>2001</year><pub-id pub-id-type="doi">10.5555/{other}</pub-id></element-citation></ref>
<ref id="r3"><mixed-citation>Beck D. What the {name} carries to the sea. J Silt. 1999;7:1-9.</mixed-citation></ref>
</ref-list></back></article>"""


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    home = tmp_path / "papers"
    home.mkdir()
    for name, other in zip(NAMES, (*NAMES[1:], NAMES[0]), strict=True):
        (home / f"{name}.nxml").write_text(ARTICLE.format(name=name, own=name, other=other))
    return home


@pytest.fixture
def connection(database_url: str) -> Iterator[Connection]:
    with psycopg.connect(database_url, autocommit=True) as opened:
        yield opened


def works(url: str) -> list[Any]:
    """All rows of works, all links between documents, and who owes anything."""
    with psycopg.connect(url) as connection:
        entries = connection.execute("SELECT * FROM ragraph.work_entry ORDER BY document_id, id").fetchall()
        edges = connection.execute("SELECT * FROM ragraph.document_relation ORDER BY document_id, id").fetchall()
        owing = connection.execute("SELECT id FROM ragraph.document WHERE works_owed IS NOT NULL").fetchall()
    return [*entries, *edges, *owing]


@pytest.fixture
def undisturbed(make_database: MakeDatabase, papers: Path) -> list[Any]:
    url = make_database()
    with Database(url) as database:
        assert run(database, papers).ok
    found = works(url)
    assert len(found) == 5 * len(NAMES)  # of each the document, three entries and a link
    return found


def owing(store: Store) -> set[str | None]:
    """The documents of which check says that their works are owed."""
    return {found.document_id for found in store.check() if found.rule == RULE}


def owed(connection: Connection) -> dict[str, list[str]]:
    return dict(connection.execute("SELECT id, works_owed FROM ragraph.document WHERE works_owed IS NOT NULL"))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("resumed", [False, True], ids=["again", "resumed"])
def test_what_a_run_that_is_cut_off_leaves_the_next_one_does(
    store: Store, database_url: str, papers: Path, undisturbed: list[Any], number: int, resumed: bool
) -> None:
    cut = JobProcess(database_url, papers, "written", str(int(number)), "Rhine.nxml", embeds=False)
    cut.process.communicate(timeout=240)
    assert cut.process.returncode != 0
    done = {item.id for item in store.documents() if item.processing_status == "completed"}
    assert 0 < len(done) < len(NAMES)
    assert owing(store) == done
    if resumed:
        (job,) = store.jobs()
        assert store.resume_job(job.id).ok
    else:
        assert run(store.database, papers, model=None).ok
    assert works(database_url) == undisturbed
    assert store.check() == []


def test_a_run_that_takes_nothing_in_does_what_is_left(
    store: Store, connection: Connection, database_url: str, papers: Path, undisturbed: list[Any],
    monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    def die(*_: object, **__: object) -> None:
        raise RuntimeError

    with monkeypatch.context() as patch:
        patch.setattr(maintenance, "update_works", die)
        with pytest.raises(IngestEndedError):
            run(store.database, papers)
    assert len(owing(store)) == len(NAMES)
    (found,) = (finding for finding in store.doctor() if finding.what == "works")
    assert not found.ok
    assert found.detail.startswith("works cited by 6 documents are not matched yet: `ragraph works --update`")
    report = run(store.database, papers)
    assert report.totals["unchanged"] == len(NAMES)
    assert works(database_url) == undisturbed
    assert owing(store) == set()
    (found,) = (finding for finding in store.doctor() if finding.what == "works")
    assert found.ok


def test_a_run_that_takes_nothing_in_counts_the_words_that_are_left(
    store: Store, connection: Connection, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object, **__: object) -> None:
        raise RuntimeError

    changes = "SELECT count(*) FROM ragraph.text_change"
    with monkeypatch.context() as patch:
        patch.setattr(finishing, "count_words", die)
        with pytest.raises(IngestEndedError):
            run(store.database, papers)
    assert connection.execute(changes).fetchone() == (len(NAMES),)
    assert run(store.database, papers).totals["unchanged"] == len(NAMES)
    assert connection.execute(changes).fetchone() == (0,)


@pytest.mark.parametrize("by", ["ingest", "add", "update"])
def test_a_store_that_an_older_version_left_so_is_healed(
    store: Store, connection: Connection, database_url: str, papers: Path, undisturbed: list[Any], by: str
) -> None:
    assert run(store.database, papers).ok
    ids = sorted(item.id for item in store.documents())
    connection.execute("DELETE FROM ragraph.document_relation WHERE document_id = any(%s)", [ids[:2]])
    connection.execute("DELETE FROM ragraph.document_relation WHERE target_document_id = any(%s)", [ids[:2]])
    connection.execute("DELETE FROM ragraph.work_entry WHERE document_id = any(%s)", [ids[:2]])
    third = "DELETE FROM ragraph.work_entry WHERE document_id = %s AND node_id IS NOT NULL"
    connection.execute(third, [ids[2]])
    connection.execute("DELETE FROM ragraph.document_relation WHERE document_id = %s", [ids[2]])
    assert owing(store) == set(ids[:3])  # whatever brought it about
    migrate.downgrade(database_url, "0017")
    migrate.upgrade(database_url)
    assert set(owed(connection)) == owing(store) == set(ids[:3])
    if by == "ingest":
        assert run(store.database, papers).totals["unchanged"] == len(NAMES)
    elif by == "add":
        store.add({"id": "dl_other", "nodes": [{"key": "p", "type": "PARAGRAPH", "text": "Rain."}]}, model=None)
        store.delete("dl_other")
    else:
        store.update_works()
    assert works(database_url) == undisturbed
    assert store.check() == []


def test_what_goes_while_others_work_out_works_is_done_later(store: Store, connection: Connection) -> None:
    fill(connection, "dl_a", [SMITH, KIM])
    fill(connection, "dl_b", [SMITH_AGAIN, KIM])
    fill(connection, "dl_c", [SMITH_AGAIN])
    update_works(store.database)
    assert owed(connection) == {}
    before = state(connection)

    def rewrite_shorter() -> None:
        with psycopg.connect(connection.info.dsn) as other:
            other.execute("SELECT ragraph_private.lock_works('default')")
            with store.database.write() as writing, writing.transaction():
                graph = load_graph(writing, "dl_a")
                rewrite(writing, _without_entries(graph))
        connection.execute("UPDATE ragraph.document SET processing_status = 'completed'")

    rewrite_shorter()
    assert "doi" not in str(owed(connection))  # Smith's has none
    assert any(name.startswith("title:") for name in owed(connection)["dl_a"])
    assert owing(store) == {"dl_a"}
    assert broken(store)  # dl_b means by a key that nobody else has
    update_works(store.database, owed=True)
    assert owed(connection) == {}
    assert broken(store) == set()

    for place, text in enumerate([SMITH, KIM]):
        _put(connection, "dl_a", place, text)
    update_works(store.database)
    assert state(connection) == before
    rewrite_shorter()
    store.delete("dl_a")  # takes along what it owes
    assert broken(store) == set()


def _without_entries(graph: Any) -> Any:
    return replace(graph, nodes=(), relations=(), components=())


def _put(connection: Connection, document: str, place: int, text: str) -> None:
    make_node(connection, document, f"cn_{place}", place, content=text, content_node_type="BIBLIOGRAPHIC_ENTRY")


def test_a_document_that_moves_leaves_nothing_owed_behind(store: Store, connection: Connection) -> None:
    fill(connection, "dl_a", [SMITH, KIM])
    fill(connection, "dl_b", [SMITH_AGAIN, KIM])
    update_works(store.database)
    with psycopg.connect(connection.info.dsn) as other:
        other.execute("SELECT ragraph_private.lock_works('default')")
        moving = threading.Thread(target=store.update, args=["dl_a"], kwargs={"collection": "elsewhere"})
        moving.start()
        waits = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
        wait_until(lambda: connection.execute(waits).fetchone() != (0,))
    moving.join()
    assert broken(store) == set()
    assert owing(store) == set()


def test_what_others_cite_a_publication_by_counts_for_all_of_its_documents(
    store: Store, connection: Connection
) -> None:
    fill(connection, "dl_a", [SMITH])
    fill(connection, "dl_tea", [])
    insert(
        connection, "document", id="dl_tea_too", publication_id="pub_tea", type="MAIN", processing_status="completed"
    )
    update_works(store.database)
    said = {"title": "Tea", "authors": "Anna B. Smith", "publication_date": "2010-01-01"}
    update(store.database, "dl_tea", said)  # type: ignore[arg-type] # and no more, as if it was cut off
    assert owing(store) == {"dl_tea", "dl_tea_too"}
    store.update("dl_tea", title="Effects of tea on sleep in adults")
    assert owing(store) == set()
    assert broken(store) == set()
    edges = "SELECT target_document_id FROM ragraph.document_relation ORDER BY 1"
    assert connection.execute(edges).fetchall() == [("dl_tea",), ("dl_tea_too",)]


def test_a_document_that_is_being_written_is_waited_for_last(store: Store, connection: Connection) -> None:
    for name in ("dl_a", "dl_b", "dl_c"):
        fill(connection, name, [SMITH])
    with psycopg.connect(connection.info.dsn) as other:
        other.execute("UPDATE ragraph.document SET works_owed = '{}' WHERE id = 'dl_a'")
        working = threading.Thread(target=update_works, args=[store.database], kwargs={"owed": True})
        working.start()
        wait_until(lambda: set(owed(connection)) == {"dl_a"})
        node = 'UPDATE ragraph.content_node SET data = \'{"ids": {"doi": "10.1000/TEA"}}\' WHERE document_id = \'dl_a\''
        other.execute(node)
    working.join()
    assert owed(connection) == {}
    said = "SELECT doi FROM ragraph.work_entry WHERE document_id = 'dl_a' AND node_id IS NOT NULL"
    assert connection.execute(said).fetchall() == [("10.1000/tea",)]


def test_a_version_put_back_has_its_works(store: Store, tmp_path: Path, connection: Connection) -> None:
    store.keep_versions()
    file = tmp_path / "Nile.nxml"
    file.write_text(ARTICLE.format(name="Nile", own="Nile", other="Rhine"))
    (document,) = (item.document_id for item in store.ingest(file, model=None).files)
    entries = "SELECT node_id, identity FROM ragraph.work_entry WHERE document_id = %s ORDER BY 1"
    assert document is not None
    before = connection.execute(entries, [document]).fetchall()
    file.write_text(file.read_text().replace("On brooks and how they run", "Wells"))
    assert store.ingest(file, model=None).totals["changed"] == 1
    assert connection.execute(entries, [document]).fetchall() != before
    store.restore_version(document, 1)
    assert connection.execute(entries, [document]).fetchall() == before
    assert store.check() == []


def test_what_is_owed_is_found_by_an_index(connection: Connection) -> None:
    statement = "SELECT id FROM ragraph.document WHERE works_owed IS NOT NULL AND processing_status = 'completed'"
    with connection.transaction():
        connection.execute("SET LOCAL enable_seqscan = off")
        plan = connection.execute(f"EXPLAIN {statement}").fetchall()
    assert "document_works_owed_idx" in str(plan)


def test_an_export_says_nothing_of_it(store: Store, connection: Connection, make_database: MakeDatabase) -> None:
    fill(connection, "dl_a", [SMITH])
    update_works(store.database)
    (line,) = store.export()
    assert "works_owed" not in str(line)
    with ragraph.open(make_database()) as other:
        other.add(line)
        assert owing(other) == set()
        assert [item.title for item in other.cited_by("dl_a")] == [item.title for item in store.cited_by("dl_a")]
