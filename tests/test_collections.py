"""Which document a file is once documents were moved to other collections, whatever is ingested into which."""

from __future__ import annotations

import hashlib
import itertools
import json
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from factories import make_document
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test
from ingest_tools import by_name, one_pool, rows, run, statuses

from ragraph.base.queries import QUERIES
from ragraph.documents.updating import update
from ragraph.errors import ArgumentError
from ragraph.ingest.common import ids

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ragraph.database.connection import Database

STORED = "SELECT collection, id, source_uri FROM ragraph.document ORDER BY collection, id"
CHECK = "SELECT rule FROM ragraph.check_store()"


@pytest.fixture(autouse=True, scope="module")
def shared_pool() -> Iterator[None]:
    with one_pool():
        yield


def text(what: str) -> str:
    return f"The {what} runs from the hills to the sea."


def sha256(what: str) -> str:
    return hashlib.sha256(text(what).encode()).hexdigest()


def write(path: Path, what: str) -> Path:
    path.write_text(text(what))
    return path


def only(database: Database, path: Path, collection: str | None = None, **options: Any) -> Any:
    given = options if collection is None else {**options, "collection": collection}
    (file,) = run(database, path, model=None, **given).files
    return file


def told(database: Database, path: Path, collection: str | None = None, **options: Any) -> tuple[str, str | None]:
    file = only(database, path, collection, **options)
    return file.status, file.document_id


@pytest.fixture
def moved(database: Database, tmp_path: Path) -> tuple[str, Path]:
    """A document that was ingested into the default collection and moved to "archive", and its file."""
    path = write(tmp_path / "a.txt", "Nile")
    name = only(database, path).document_id
    update(database, name, {"collection": "archive"})
    return name, path


def test_its_file_is_still_its_file(database: Database, moved: tuple[str, Path], tmp_path: Path) -> None:
    name, path = moved
    file = only(database, path)
    assert (file.status, file.document_id) == ("unchanged", name)
    assert file.reason == "in the collection 'archive', where somebody moved it"
    assert told(database, path, "archive") == ("unchanged", name)
    assert told(database, write(tmp_path / "copy.txt", "Nile")) == ("duplicate", name)
    (tmp_path / "copy.txt").unlink()
    path = path.rename(tmp_path / "b.txt")
    assert told(database, path) == ("moved", name)
    assert told(database, write(path, "Volga")) == ("changed", name)
    assert rows(database, "SELECT content FROM ragraph.content_node") == [(text("Volga"),)]
    assert told(database, path, "archive") == ("unchanged", name)
    assert rows(database, STORED) == [("archive", name, path.as_uri())]
    assert rows(database, CHECK) == []


def test_other_collections_get_documents_of_their_own(database: Database, moved: tuple[str, Path]) -> None:
    name, path = moved
    status, other = told(database, path, "third")
    assert (status, other != name) == ("added", True)
    assert told(database, path) == ("unchanged", name)
    assert told(database, path, "third") == ("unchanged", other)
    assert {(collection, place) for collection, _, place in rows(database, STORED)} == {
        ("archive", path.as_uri()),
        ("third", path.as_uri()),
    }


def test_another_file_in_its_place(database: Database, moved: tuple[str, Path], tmp_path: Path) -> None:
    name, path = moved
    path.rename(tmp_path / "b.txt")
    write(path, "Volga")
    report = by_name(run(database, tmp_path / "b.txt", path, model=None))
    assert (report["b.txt"].status, report["b.txt"].document_id) == ("moved", name)
    assert (report["a.txt"].status, report["a.txt"].document_id != name) == ("added", True)
    assert [collection for collection, *_ in rows(database, STORED)] == ["archive", "default"]


def test_a_collection_that_it_only_passed_through_gets_the_file(database: Database, moved: tuple[str, Path]) -> None:
    name, path = moved
    update(database, name, {"collection": "default"})
    assert only(database, path).reason is None
    assert told(database, path, "archive")[0] == "added"


def test_a_collection_that_took_it_in_does_not_get_it_back(database: Database, moved: tuple[str, Path]) -> None:
    name, path = moved
    assert told(database, path, "archive") == ("unchanged", name)
    update(database, name, {"collection": "default"})
    assert told(database, path, "archive") == ("unchanged", name)
    assert told(database, path) == ("unchanged", name)


def test_a_second_document_is_made_on_purpose(database: Database, moved: tuple[str, Path]) -> None:
    name, path = moved
    assert told(database, path, document_id="dl_second") == ("added", "dl_second")
    for _ in range(2):
        assert told(database, path) == ("unchanged", "dl_second")
        assert only(database, path, "archive").document_id == name
    assert rows(database, STORED) == [("archive", name, path.as_uri()), ("default", "dl_second", path.as_uri())]
    with pytest.raises(ArgumentError, match=r"already has the bytes of .*, as 'dl_second'; delete one of the two$"):
        update(database, name, {"collection": "default"})


def test_a_document_with_a_name_is_moved(database: Database, tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "Nile")
    only(database, path, document_id="nile")
    update(database, "nile", {"collection": "archive"})
    assert told(database, path, document_id="nile") == ("unchanged", "nile")
    assert told(database, write(path, "Volga"), document_id="nile") == ("changed", "nile")
    failed = only(database, path, "third", document_id="nile")
    assert (failed.status, failed.reason) == (
        "failed",
        "document 'nile' is in the collection 'archive'; give collection= to match",
    )
    path.write_bytes(b"\x00\x01")
    assert told(database, path, document_id="nile") == ("failed", "nile")


def test_documents_of_a_record_are_moved(database: Database, tmp_path: Path) -> None:
    record = tmp_path / "r.json"
    links = [{"id": "dl_one"}, {"id": "dl_two"}]
    record.write_text(json.dumps([{"id": "pub_a", "title": "A", "downloadLinks": links}]))
    write(tmp_path / "dl_one.txt", "Nile")
    run(database, tmp_path, model=None)
    for name in ("dl_one", "dl_two"):  # with the last of them goes the publication
        update(database, name, {"collection": "archive"})
        report = run(database, tmp_path, model=None)
        assert [(file.status, file.reason) for file in report.files if file.status == "record"] == [
            ("record", "unchanged: 1 publication, 2 documents")
        ]
        assert statuses(report)["dl_one.txt"] == "unchanged"
    write(tmp_path / "dl_two.txt", "Volga")
    assert told(database, tmp_path / "dl_two.txt") == ("added", "dl_two")
    assert {collection for collection, *_ in rows(database, STORED)} == {"archive"}
    assert rows(database, "SELECT id, collection FROM ragraph.publication") == [("pub_a", "archive")]
    assert "is in the collection 'archive'" in only(database, record, "third").reason


def test_a_file_that_is_gone_is_named(database: Database, moved: tuple[str, Path], tmp_path: Path) -> None:
    name, path = moved
    path.unlink()
    write(tmp_path / "b.txt", "Volga")
    assert [file.document_id for file in run(database, tmp_path, model=None).gone] == [name]


def test_documents_of_one_file_do_not_come_together(database: Database, tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "Nile")
    one, two = told(database, path)[1] or "", told(database, path, "other")[1] or ""
    with pytest.raises(ArgumentError, match=f"'other' already has the bytes of '{one}', as '{two}'"):
        update(database, one, {"collection": "other"})
    assert told(database, write(path, "Volga")) == ("changed", one)
    with pytest.raises(ArgumentError, match=f"'other' already has the file of '{one}', as '{two}'"):
        update(database, one, {"collection": "other"})
    assert [collection for collection, *_ in rows(database, STORED)] == ["default", "other"]


def waits(database: Database) -> bool:
    return bool(rows(database, "SELECT 1 FROM pg_catalog.pg_locks WHERE locktype = 'advisory' AND NOT granted"))


@pytest.mark.parametrize("lock", ["lock_content", "lock_place"])
def test_a_move_waits_for_whoever_takes_in_the_same_file(database: Database, tmp_path: Path, lock: str) -> None:
    path = write(tmp_path / "a.txt", "Nile")
    name = only(database, path).document_id
    with ThreadPoolExecutor(1) as thread:
        with database.write() as connection:
            connection.execute(QUERIES[lock], {"sha256": sha256("Nile"), "source_uri": path.as_uri()})
            make_document(connection, "dl_other", collection="archive")
            changed = {"lock_content": ("sha256", sha256("Nile")), "lock_place": ("source_uri", path.as_uri())}[lock]
            connection.execute(f"UPDATE ragraph.document SET {changed[0]} = %s WHERE id = 'dl_other'", changed[1:])
            moving = thread.submit(update, database, name, {"collection": "archive"})
            while not waits(database) and not moving.done():
                time.sleep(0.01)
        with pytest.raises(ArgumentError, match=r"already has the .*, as 'dl_other'"):
            moving.result(60)
    assert rows(database, "SELECT collection FROM ragraph.document WHERE id = %s", name) == [("default",)]


def test_a_move_looks_again_when_the_file_has_changed_before_it_was_locked(database: Database, tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "Nile")
    name = only(database, path).document_id
    only(database, write(tmp_path / "b.txt", "Volga"), "archive")
    with ThreadPoolExecutor(1) as thread:
        with database.write() as connection:
            connection.execute(QUERIES["lock_document"], {"document_id": name})
            connection.execute("UPDATE ragraph.document SET sha256 = %s WHERE id = %s", [sha256("Volga"), name])
            moving = thread.submit(update, database, name, {"collection": "archive"})
            while not waits(database) and not moving.done():
                time.sleep(0.01)
        with pytest.raises(ArgumentError, match="has the bytes"):
            moving.result(60)


def test_moving_and_ingesting_at_once(database: Database, tmp_path: Path) -> None:
    for round_ in range(6):
        path = write(tmp_path / f"{round_}.txt", f"river {round_}")
        name = only(database, path).document_id

        def move(name: str = name) -> None:
            with suppress(ArgumentError):  # the others were first
                update(database, name, {"collection": "archive"})

        with ThreadPoolExecutor(3) as threads:
            done = [threads.submit(move)]
            done += [threads.submit(only, database, path, where) for where in ("archive", "default")]
            assert [future.exception() for future in done] == [None] * 3
        assert {only(database, path, where).status for where in ("archive", "default")} == {"unchanged"}
    assert rows(database, CHECK) == []


def test_the_same_bytes_twice_are_found(database: Database, tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "Nile")
    one, two = sorted(told(database, path, where)[1] or "" for where in ("default", "other"))
    with database.write() as connection:
        connection.execute(QUERIES["update_collection"], {"document_id": two, "collection": "default"})
        connection.execute(QUERIES["update_collection"], {"document_id": one, "collection": "default"})
    found = [
        (two, "a file is one document of a collection", f"'{one}' has the same bytes; delete one of the two"),
        (
            two,
            "a place has one document of a collection",
            f"'{one}' was read from {path.as_uri()} too; delete one of the two",
        ),
    ]
    assert rows(database, "SELECT document_id, rule, detail FROM ragraph.check_store()") == found
    for name in (one, two):
        assert rows(database, "SELECT document_id, rule, detail FROM ragraph.check_document(%s)", name) == found


def test_files_that_have_come_to_say_the_same_are_two(database: Database, tmp_path: Path) -> None:
    a, b = write(tmp_path / "a.txt", "Nile"), write(tmp_path / "b.txt", "Volga")
    run(database, a, b, model=None)
    assert told(database, write(a, "Volga"))[0] == "changed"
    assert rows(database, CHECK) == []


NAMES = st.sampled_from(["a.txt", "b.txt", "c.txt"])
WORDS = st.sampled_from(["Nile", "Volga", "Rhine"])
COLLECTIONS = st.sampled_from(["default", "papers", "archive"])


@dataclass
class Doc:
    """A document as the model has it."""

    id: str
    word: str
    name: str | None
    collection: str
    into: list[str] = field(default_factory=list)


def test_files_and_documents_that_move(database: Database, tmp_path: Path) -> None:
    """Whatever is done to files, and to documents by hand, the store says what a few lines of plain Python say."""
    numbers = itertools.count()

    class Machine(RuleBasedStateMachine):
        @initialize()
        def begin(self) -> None:
            self.folder = tmp_path / str(next(numbers))
            self.folder.mkdir()
            self.disk: dict[str, str] = {}
            self.docs: dict[str, Doc] = {}
            with database.write() as connection:
                connection.execute("SELECT ragraph.delete_document(d.id) FROM ragraph.document AS d")

        @rule(name=NAMES, word=WORDS)
        def put(self, name: str, word: str) -> None:
            write(self.folder / name, word)
            self.disk[name] = word

        @rule(name=NAMES)
        def remove(self, name: str) -> None:
            if self.disk.pop(name, None):
                (self.folder / name).unlink()

        @rule(name=NAMES, to=NAMES)
        def rename(self, name: str, to: str) -> None:
            if name in self.disk and name != to:
                (self.folder / name).rename(self.folder / to)
                self.disk[to] = self.disk.pop(name)

        @rule(place=st.integers(0, 3))
        def forget(self, place: int) -> None:
            if self.docs:
                name = sorted(self.docs)[place % len(self.docs)]
                with database.write() as connection:
                    connection.execute("SELECT ragraph.delete_document(%s)", [name])
                del self.docs[name]

        @rule(place=st.integers(0, 3), to=COLLECTIONS)
        def move(self, place: int, to: str) -> None:
            if not self.docs:
                return
            doc = self.docs[sorted(self.docs)[place % len(self.docs)]]
            there = [other for other in self.docs.values() if other.collection == to and other is not doc]
            stands = [other.id for other in there if other.word == doc.word or (doc.name and other.name == doc.name)]
            if stands:
                with pytest.raises(ArgumentError, match="already has the"):
                    update(database, doc.id, {"collection": to})
            else:
                update(database, doc.id, {"collection": to})
                doc.collection = to
            self.compare()

        @rule(name=NAMES, into=COLLECTIONS)
        def ingest_one(self, name: str, into: str) -> None:
            if name in self.disk:
                self.ingest([name], into)

        @rule(into=COLLECTIONS)
        def ingest_all(self, into: str) -> None:
            self.ingest(sorted(self.disk), into)
            found = rows(database, "SELECT id, source_uri, sha256 FROM ragraph.document WHERE collection = %s", into)
            for _, place, stored in found:
                name = place.rsplit("/", 1)[-1] if place else None
                assert name not in self.disk or stored == sha256(self.disk[name])
            before = self.stored()
            again = self.run(sorted(self.disk), into)
            assert set(again.values()) <= {"unchanged", "duplicate"}
            assert self.stored() == before

        def run(self, names: list[str], into: str) -> dict[str, str]:
            given = {} if into == "default" else {"collection": into}
            self.report = run(database, *(self.folder / name for name in names), model=None, **given)
            return statuses(self.report)

        def ingest(self, names: list[str], into: str) -> None:
            reported = self.run(names, into)
            files = by_name(self.report)
            for name in names:
                wanted = self.expected(name, into)
                assert (reported[name], files[name].document_id) == wanted, (name, into)
            self.compare()

        def compare(self) -> None:
            expected = [
                (
                    doc.id, doc.collection, text(doc.word), (self.folder / doc.name).as_uri() if doc.name else None,
                    doc.into,
                )
                for _, doc in sorted(self.docs.items())
            ]  # fmt: skip
            assert self.stored() == expected
            assert rows(database, "SELECT * FROM ragraph_private.check_files(NULL)") == []

        def stored(self) -> list[tuple[Any, ...]]:
            return rows(
                database,
                "SELECT d.id, d.collection, n.content, d.source_uri, d.ingested_into FROM ragraph.document AS d"
                " JOIN ragraph.content_node AS n ON n.document_id = d.id AND n.collection = d.collection ORDER BY d.id",
            )

        def expected(self, name: str, into: str) -> tuple[str, str]:
            """Do to the model what one file does, and return its status and document."""
            word = self.disk[name]
            known = [doc for doc in self.docs.values() if into in (doc.collection, *doc.into)]
            known.sort(key=lambda doc: (doc.collection != into, doc.id))
            alike = [doc for doc in known if doc.word == word]
            here = sorted((doc for doc in known if doc.name == name), key=lambda doc: doc.collection != into)
            doc, status = (here[0], "unchanged") if here else (None, "")
            if doc is None or doc.word != word:
                elsewhere = [other for other in alike if other.name != name]
                lost = next((other for other in elsewhere if not other.name or self.disk.get(other.name) != word), None)
                if lost is not None:
                    doc, status = lost, "moved"
                elif doc is not None:
                    doc.word, status = word, "changed"
                elif alike:
                    return "duplicate", alike[0].id
                else:
                    wanted = (ids.document_id(into, sha256(word), n) for n in itertools.count())
                    doc = Doc(next(found for found in wanted if found not in self.docs), word, name, into)
                    self.docs[doc.id], status = doc, "added"
            if status in ("changed", "moved"):
                for other in self.docs.values():
                    shared = other.collection in (into, doc.collection)
                    shared |= doc.collection != into and into in other.into
                    if other is not doc and other.name == name and shared:
                        other.name = None
            doc.name = name
            if into not in doc.into:
                doc.into.append(into)
            return status, doc.id

    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=40, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
    assert rows(database, CHECK) == []
