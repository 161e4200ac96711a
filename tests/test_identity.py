"""Which document a file is: found by its place, its name or its bytes, whatever was done to the files meanwhile."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test
from ingest_tools import by_name, digest, one_pool, rows, run, statuses

from ragraph.ingest.common import ids
from ragraph.ingest.storing.registry import Registry
from ragraph.works.update import update_works

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ragraph.database.connection import Database

PLACES = "SELECT id, source_uri FROM ragraph.document ORDER BY id"


@pytest.fixture(autouse=True, scope="module")
def shared_pool() -> Iterator[None]:
    with one_pool():
        yield


def text(what: str) -> str:
    return f"The {what} runs from the hills to the sea."


def write(path: Path, what: str) -> Path:
    path.write_text(text(what))
    return path


def only(database: Database, path: Path, **options: Any) -> Any:
    (file,) = run(database, path, model=None, **options).files
    return file


def test_ids_are_the_same_on_every_machine(database: Database, tmp_path: Path) -> None:
    for name in ("here", "elsewhere"):
        (tmp_path / name).mkdir()
    first = only(database, write(tmp_path / "here" / "nile.txt", "Nile"))
    sha256 = hashlib.sha256(text("Nile").encode()).hexdigest()
    assert first.document_id == ids.document_id("default", sha256, 0)
    with database.write() as connection:
        connection.execute("SELECT ragraph.delete_document(%s)", [first.document_id])
    assert only(database, write(tmp_path / "elsewhere" / "river.txt", "Nile")).document_id == first.document_id


def test_moved_file_is_the_document_it_was(database: Database, tmp_path: Path) -> None:
    old = write(tmp_path / "old.txt", "Nile")
    before = run(database, old)
    kept = rows(database, "SELECT id, created_at FROM ragraph.embedding")
    new = old.rename(tmp_path / "new.txt")
    after = run(database, new)
    (file,) = after.files
    assert (file.status, file.document_id) == ("moved", before.files[0].document_id)
    assert file.reason == f"was at {old}"
    assert file.nodes == before.files[0].nodes
    assert rows(database, PLACES) == [(file.document_id, new.as_uri())]
    assert rows(database, "SELECT title FROM ragraph.publication") == [("new.txt",)]
    assert rows(database, "SELECT id, created_at FROM ragraph.embedding") == kept
    assert statuses(run(database, new)) == {"new.txt": "unchanged"}


def test_untitled_documents_are_called_by_their_files(database: Database, tmp_path: Path) -> None:
    file = only(database, write(tmp_path / "two words.txt", "Nile"))
    named = [
        "SELECT title FROM ragraph.publication",
        "SELECT c.title FROM ragraph.content_node AS n"
        " CROSS JOIN LATERAL ragraph.node_citation(n.document_id, n.id) AS c",
    ]
    assert [rows(database, statement) for statement in named] == [[("two words.txt",)]] * 2
    for style in ("markdown", "html", "text"):
        ((rendered,),) = rows(database, "SELECT ragraph.render_document(%s, %s)", file.document_id, style)
        assert "file:" not in rendered


def test_moved_and_changed_is_a_new_document(database: Database, tmp_path: Path) -> None:
    first = only(database, write(tmp_path / "old.txt", "Nile"))
    (tmp_path / "old.txt").unlink()
    second = only(database, write(tmp_path / "new.txt", "Blue Nile"))
    assert (second.status, second.document_id != first.document_id) == ("added", True)


def test_documents_whose_files_are_gone_are_named(database: Database, tmp_path: Path) -> None:
    folder, beside = tmp_path / "in", tmp_path / "in2"
    for where in (folder, beside):
        where.mkdir()
        write(where / "old.txt", where.name)
    first = by_name(run(database, folder, model=None))["old.txt"]
    run(database, beside, model=None)
    assert run(database, folder, model=None).gone == ()
    for where in (folder, beside):
        (where / "old.txt").unlink()
    write(folder / "new.txt", "Blue Nile")
    report = run(database, folder, model=None)
    assert [(file.document_id, file.path) for file in report.gone] == [(first.document_id, str(folder / "old.txt"))]
    assert report.to_json()["gone"] == [{"document_id": first.document_id, "path": str(folder / "old.txt")}]
    assert run(database, folder / "new.txt", model=None).gone == ()


def test_copy_is_a_duplicate_until_its_original_goes(database: Database, tmp_path: Path) -> None:
    original = write(tmp_path / "a.txt", "Nile")
    first = only(database, original)
    copy = write(tmp_path / "b.txt", "Nile")
    assert (only(database, copy).status, rows(database, PLACES)) == (
        "duplicate",
        [(first.document_id, original.as_uri())],
    )
    original.unlink()
    moved = only(database, copy)
    assert (moved.status, moved.document_id) == ("moved", first.document_id)


def test_restored_after_another_was_put_there(database: Database, tmp_path: Path) -> None:
    place = write(tmp_path / "a.txt", "Nile")
    first = only(database, place)
    assert only(database, write(place, "Volga")).status == "changed"
    restored = only(database, write(place, "Nile"))
    assert (restored.status, restored.document_id) == ("changed", first.document_id)
    write(place, "Rhine")
    only(database, place)
    # the bytes from which the id was made are back, elsewhere: the id is taken by what became of the document
    other = only(database, write(tmp_path / "b.txt", "Nile"))
    assert other.status == "added"
    sha256 = hashlib.sha256(text("Nile").encode()).hexdigest()
    assert other.document_id == ids.document_id("default", sha256, 1)


def test_swapped_files_stay_what_they_are(database: Database, tmp_path: Path) -> None:
    a, b = write(tmp_path / "a.txt", "Nile"), write(tmp_path / "b.txt", "Volga")
    before = {name: file.document_id for name, file in by_name(run(database, a, b)).items()}
    a.rename(tmp_path / "c")
    b.rename(a)
    (tmp_path / "c").rename(b)
    report = run(database, a, b)
    assert statuses(report) == {"a.txt": "moved", "b.txt": "moved"}
    assert {name: file.document_id for name, file in by_name(report).items()} == {
        "a.txt": before["b.txt"],
        "b.txt": before["a.txt"],
    }
    assert report.totals["embeddings"] == 0
    assert sorted(place for _, place in rows(database, PLACES)) == [a.as_uri(), b.as_uri()]


def test_half_a_swap_is_told_and_mended_by_the_other_half(database: Database, tmp_path: Path) -> None:
    a, b = write(tmp_path / "a.txt", "Nile"), write(tmp_path / "b.txt", "Volga")
    before = by_name(run(database, a, b, model=None))
    write(a, "Volga")
    write(b, "Nile")
    half = only(database, a)
    assert half.reason == f"was at {b}; document {before['a.txt'].document_id} was here before"
    assert dict(rows(database, PLACES))[before["a.txt"].document_id] is None
    assert only(database, b).document_id == before["a.txt"].document_id


def test_one_file_over_another(database: Database, tmp_path: Path) -> None:
    """``cp`` over a document changes it; ``mv`` over it leaves it without a file."""
    a, b = write(tmp_path / "a.txt", "Nile"), write(tmp_path / "b.txt", "Volga")
    before = by_name(run(database, a, b, model=None))
    shutil.copy(b, a)
    assert statuses(run(database, a, b, model=None)) == {"a.txt": "changed", "b.txt": "unchanged"}
    write(a, "Nile")
    run(database, a, b, model=None)
    b.rename(a)
    moved = only(database, a)
    assert (moved.status, moved.document_id) == ("moved", before["b.txt"].document_id)


def test_two_collections_have_two_documents(database: Database, tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "Nile")
    one, two = only(database, path), only(database, path, collection="other")
    assert (one.status, two.status) == ("added", "added")
    assert one.document_id != two.document_id
    path.rename(tmp_path / "b.txt")
    assert only(database, tmp_path / "b.txt", collection="other").document_id == two.document_id
    assert rows(database, "SELECT source_uri FROM ragraph.document WHERE collection = 'default'") == [(path.as_uri(),)]


def test_names_that_were_given_belong_to_their_places(database: Database, tmp_path: Path) -> None:
    a, b = write(tmp_path / "a.txt", "Nile"), write(tmp_path / "b.txt", "Volga")
    only(database, a, document_id="nile")
    only(database, b)
    write(a, "Volga")
    write(b, "Nile")
    report = run(database, a, b, model=None)
    assert statuses(report) == {"a.txt": "changed", "b.txt": "changed"}
    assert by_name(report)["a.txt"].document_id == "nile"
    assert only(database, write(tmp_path / "c.txt", "Nile"), document_id="third").status == "duplicate"
    assert only(database, a.rename(tmp_path / "d.txt"), document_id="nile").status == "moved"


def test_document_of_a_record_that_is_copied_or_renamed(database: Database, tmp_path: Path) -> None:
    record = {"id": "pub_a", "title": "A", "downloadLinks": [{"id": "dl_a"}]}
    (tmp_path / "r.json").write_text(json.dumps([record]))
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        write(tmp_path / name / "dl_a.txt", "Nile")
    report = run(database, tmp_path, model=None)
    assert [file.status for file in report.files] == ["record", "added", "duplicate"]
    assert {file.document_id for file in report.files[1:]} == {"dl_a"}
    shutil.rmtree(tmp_path / "two")
    (tmp_path / "one" / "dl_a.txt").rename(tmp_path / "river.txt")
    assert statuses(run(database, tmp_path, model=None))["river.txt"] == "moved"
    assert rows(database, "SELECT p.title, d.id FROM ragraph.document AS d, ragraph.publication AS p") == [
        ("A", "dl_a")
    ]


def test_links(database: Database, tmp_path: Path) -> None:
    a = write(tmp_path / "a.txt", "Nile")
    (tmp_path / "link.txt").symlink_to(a)
    first = only(database, tmp_path / "link.txt")
    assert rows(database, PLACES) == [(first.document_id, a.as_uri())]
    assert only(database, a).status == "unchanged"
    b = a.rename(tmp_path / "b.txt")
    a.symlink_to(b)  # what is left at the old place is no second file
    assert only(database, b).status == "moved"
    os.link(b, tmp_path / "hard.txt")  # another name of the same file, which is still at the first
    assert only(database, tmp_path / "hard.txt").status == "duplicate"


def test_what_was_not_read_from_this_machine_is_taken_to_be_there(database: Database, tmp_path: Path) -> None:
    first = only(database, write(tmp_path / "a.txt", "Nile"))
    (tmp_path / "a.txt").unlink()
    with database.write() as connection:
        connection.execute("UPDATE ragraph.document SET source_uri = 'https://example.org/nile.txt'")
    file = only(database, write(tmp_path / "b.txt", "Nile"))
    assert (file.status, file.document_id) == ("duplicate", first.document_id)


def test_odd_names_are_found_again(database: Database, tmp_path: Path) -> None:
    first = only(database, write(tmp_path / os.fsdecode(b"od\xff #?%41.txt"), "Nile"))
    assert only(database, write(tmp_path / "copy.txt", "Nile")).status == "duplicate"
    assert rows(database, "SELECT title FROM ragraph.publication") == [("odÿ #?%41.txt",)]
    assert only(database, tmp_path / os.fsdecode(b"od\xff #?%41.txt")).document_id == first.document_id


def test_ids_of_older_stores_stay(database: Database, tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "Nile")
    only(database, path, document_id="dl_0123456789abcdef01234567")  # as if made from the place
    assert only(database, path).document_id == "dl_0123456789abcdef01234567"
    assert only(database, write(path, "Volga")).document_id == "dl_0123456789abcdef01234567"
    moved = only(database, path.rename(tmp_path / "b.txt"))
    assert (moved.status, moved.document_id) == ("moved", "dl_0123456789abcdef01234567")


@pytest.mark.parametrize("workers", [1, 4])
def test_what_depends_on_an_earlier_file_of_the_run_waits_for_it(
    database: Database, tmp_path: Path, workers: int
) -> None:
    """As if files came one by one, however long each is read: b.txt has what a.txt had, and c.txt too."""
    first = only(database, write(tmp_path / "a.txt", "Nile"))
    write(tmp_path / "a.txt", "Volga")
    write(tmp_path / "b.txt", "Nile")
    write(tmp_path / "c.txt", "Nile")
    report = by_name(run(database, tmp_path, model=None, workers=workers))
    assert {name: file.status for name, file in report.items()} == {
        "a.txt": "changed",
        "b.txt": "added",
        "c.txt": "duplicate",
    }
    assert report["a.txt"].document_id == first.document_id
    assert report["c.txt"].document_id == report["b.txt"].document_id


def test_same_bytes_that_cannot_be_read_fail_together(database: Database, tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text("\x01\x02")
    report = by_name(run(database, tmp_path, model=None))
    assert {file.status for file in report.values()} == {"failed"}
    assert report["a.txt"].reason == report["b.txt"].reason


def test_stopped_after_the_move(database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only(database, write(tmp_path / "a.txt", "Nile"))
    moved = (tmp_path / "a.txt").rename(tmp_path / "b.txt")

    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Registry, "complete", stop)
        only(database, moved)
    update_works(database, owed=True)  # which the run that was stopped left
    before = digest(database)
    assert only(database, moved).status == "unchanged"
    assert digest(database) == before


def test_same_bytes_from_several_at_once(database: Database, tmp_path: Path) -> None:
    """The id derives from the bytes, so the key of the table itself refuses a second document."""
    for round_ in range(5):
        names = [write(tmp_path / f"{round_}{name}.txt", f"river {round_}") for name in "abcd"]
        with ThreadPoolExecutor(len(names)) as threads:
            files = list(threads.map(lambda path: only(database, path), names))
        assert sorted(file.status for file in files) == ["added", "duplicate", "duplicate", "duplicate"]
        assert len({file.document_id for file in files}) == 1
    assert rows(database, "SELECT count(*) FROM ragraph.document") == [(5,)]


def test_swaps_from_two_sides_at_once(database: Database, tmp_path: Path) -> None:
    a, b = write(tmp_path / "a.txt", "Nile"), write(tmp_path / "b.txt", "Volga")
    run(database, a, b, model=None)
    for _ in range(5):
        a.rename(tmp_path / "c")
        b.rename(a)
        (tmp_path / "c").rename(b)
        with ThreadPoolExecutor(2) as threads:
            list(threads.map(lambda path: only(database, path), (a, b)))
        run(database, a, b, model=None)
        assert sorted(place for _, place in rows(database, PLACES)) == [a.as_uri(), b.as_uri()]


NAMES = st.sampled_from(["a.txt", "b.txt", "c.txt", "d.txt"])
WORDS = st.sampled_from(["Nile", "Volga", "Rhine"])


@dataclass
class Doc:
    """A document as the model has it."""

    id: str
    word: str
    name: str | None


def test_files_that_come_and_go(database: Database, tmp_path: Path) -> None:
    """Whatever is done to files between runs, the store says of each what a few lines of plain Python say."""
    numbers = itertools.count()

    class Machine(RuleBasedStateMachine):
        @initialize()
        def begin(self) -> None:
            self.collection = f"c{next(numbers)}"
            self.folder = tmp_path / self.collection
            self.folder.mkdir()
            self.disk: dict[str, str] = {}
            self.docs: dict[str, Doc] = {}

        @rule(name=NAMES, word=WORDS)
        def put(self, name: str, word: str) -> None:
            write(self.folder / name, word)
            self.disk[name] = word

        @rule(name=NAMES)
        def remove(self, name: str) -> None:
            if self.disk.pop(name, None):
                (self.folder / name).unlink()

        @rule(name=NAMES, to=NAMES)
        def move(self, name: str, to: str) -> None:
            if name in self.disk and name != to:
                (self.folder / name).rename(self.folder / to)
                self.disk[to] = self.disk.pop(name)

        @rule(one=NAMES, two=NAMES)
        def swap(self, one: str, two: str) -> None:
            if one in self.disk and two in self.disk and one != two:
                (self.folder / one).rename(self.folder / "x")
                (self.folder / two).rename(self.folder / one)
                (self.folder / "x").rename(self.folder / two)
                self.disk[one], self.disk[two] = self.disk[two], self.disk[one]

        @rule(name=NAMES, to=NAMES)
        def copy(self, name: str, to: str) -> None:
            if name in self.disk and name != to:
                shutil.copy(self.folder / name, self.folder / to)
                self.disk[to] = self.disk[name]

        @rule(place=st.integers(0, 3))
        def forget(self, place: int) -> None:
            if self.docs:
                doc = sorted(self.docs)[place % len(self.docs)]
                with database.write() as connection:
                    connection.execute("SELECT ragraph.delete_document(%s)", [doc])
                del self.docs[doc]

        @rule(name=NAMES)
        def ingest_one(self, name: str) -> None:
            if name in self.disk:
                self.ingest([name])

        @rule()
        def ingest_all(self) -> None:
            self.ingest(sorted(self.disk))
            places = {doc.name: doc for doc in self.docs.values() if doc.name}
            for name, word in self.disk.items():
                at_place = places.get(name)
                assert (at_place and at_place.word == word) or word in {doc.word for doc in places.values()}
            again = self.run(sorted(self.disk))
            assert set(again.values()) <= {"unchanged", "duplicate"}

        def run(self, names: list[str]) -> dict[str, str]:
            paths = [self.folder / name for name in names]
            self.report = run(database, *paths, model=None, collection=self.collection)
            return statuses(self.report)

        def ingest(self, names: list[str]) -> None:
            reported = self.run(names)
            files = by_name(self.report)
            for name in names:
                wanted, doc = self.expected(name, files[name].document_id or "")
                assert (reported[name], files[name].document_id) == (wanted, doc), name
            stored = rows(
                database,
                "SELECT d.id, n.content, d.source_uri FROM ragraph.document AS d JOIN ragraph.content_node AS n"
                " ON n.document_id = d.id WHERE d.collection = %s ORDER BY d.id",
                self.collection,
            )
            expected = [
                (doc.id, text(doc.word), (self.folder / doc.name).as_uri() if doc.name else None)
                for _, doc in sorted(self.docs.items())
            ]
            assert stored == expected

        def expected(self, name: str, given: str) -> tuple[str, str]:
            """Do to the model what one file does, and return its status and document."""
            word = self.disk[name]
            here = next((doc for doc in self.docs.values() if doc.name == name), None)
            alike = [doc for _, doc in sorted(self.docs.items()) if doc.word == word]
            if here in alike and here is not None:
                return "unchanged", here.id
            lost = next((doc for doc in alike if doc.name is None or self.disk.get(doc.name) != word), None)
            if lost is not None:
                if here is not None:
                    here.name = None
                lost.name = name
                return "moved", lost.id
            if here is not None:
                here.word = word
                return "changed", here.id
            if alike:
                return "duplicate", alike[0].id
            sha256 = hashlib.sha256(text(word).encode()).hexdigest()
            new = next(
                found
                for n in itertools.count()
                if (found := ids.document_id(self.collection, sha256, n)) not in self.docs
            )
            self.docs[new] = Doc(new, word, name)
            return "added", new

    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=30, stateful_step_count=15, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
    assert rows(database, "SELECT * FROM ragraph.check_store()") == []
