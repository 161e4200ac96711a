"""The life of a file in a run, each step that leads to another once, against a real store."""

from __future__ import annotations

import json
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from ingest_tools import WordModel

from ragraph.errors import DamagedFileError, EndpointError
from ragraph.ingest.files.discover import Found
from ragraph.ingest.files.leases import Lease
from ragraph.ingest.files.places import Places
from ragraph.ingest.jobs.conflicts import Conflicts
from ragraph.ingest.jobs.file_life import FileLife
from ragraph.ingest.jobs.file_state import NEXT, FileState, Step
from ragraph.ingest.jobs.reports import Reports
from ragraph.ingest.jobs.request import IngestRequest
from ragraph.ingest.jobs.work import Listed
from ragraph.ingest.readers import ReadOptions, reader_for
from ragraph.ingest.storing.registry import Registry
from ragraph.ingest.vectors import embed
from ragraph.ingest.vectors.embed import Embedder

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragraph.database.connection import Database
    from ragraph.models.embedding import EmbeddingModel
    from ragraph.schema.reports import ProgressEvent

PAGE = "<html><title>{0}</title><body><h1>The {0}</h1><p>Water of the {0} runs to the sea.</p></body></html>"
RECORD = {"id": "pub_nile", "title": "The Nile", "downloadLinks": [{"id": "dl_nile"}]}

FOUND, FETCHING, WAITING, READING = Step.FOUND, Step.FETCHING, Step.WAITING, Step.READING
STORED, EMBEDDING, REPORTED, TAKEN_OVER = Step.STORED, Step.EMBEDDING, Step.REPORTED, Step.TAKEN_OVER


@dataclass(eq=False)
class Watched(FileState):
    """A file that notes the steps it was at."""

    steps: list[Step] = field(default_factory=lambda: [FOUND])

    def move_to(self, step: Step) -> None:
        super().move_to(step)
        self.steps.append(step)


class Desk:
    """One run over files that a test takes from step to step."""

    def __init__(self, database: Database, folder: Path, model: EmbeddingModel | None = None) -> None:
        self.database, self.folder, self.model = database, folder, model
        self.begun = 0
        self.events: list[ProgressEvent] = []
        self.conflicts = Conflicts()
        request = IngestRequest(model=model)
        work, places = Listed([]), Places(request.limits)
        registry = cache(lambda name: Registry(database, name, (), model, request.options, request.parts, places))
        self.life = FileLife(
            request,
            work,
            database=database,
            registry=registry,
            places=places,
            conflicts=self.conflicts,
            reports=Reports(work, self.events.append, lambda document_id: self.life.counts(document_id)),
        )
        if model is not None:
            self.life.embed_with(partial(Embedder, database, model, request.parts))

    def file(self, name: str, text: str | None = None, **what: Any) -> Watched:
        """Write a page about a river, or another text, and find it; what is there stays without a text."""
        path = self.folder / name
        if text is not None:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text if text.startswith("{") else PAGE.format(text))
        self.begun += 1
        return Watched(self.begun, Found(path, name, **what), 0.0)

    def earlier(self, *files: Watched, embeds: bool = True) -> None:
        """Take files in as an earlier run did."""
        Desk(self.database, self.folder, self.model if embeds else None).take_in(*files)

    def look_up(self, *files: Watched) -> None:
        for file in files:
            self.life.look_up(file)

    def read(self, *files: Watched) -> None:
        """Read files, as a process of readers does, and store them."""
        for file in files:
            path = file.found.path
            self.life.read(file, given(reader_for(path).read(path, ReadOptions())))

    def take_in(self, *files: Watched) -> None:
        for file in files:
            self.look_up(file)
            if file.step is READING:
                self.read(file)
        self.conflicts.reading_is_over()
        self.life.embed_rest()

    def fetch(self, file: Watched) -> None:
        """Have a file copied, which is there already."""
        file.move_to(FETCHING)
        self.life.fetched(file, given(file.found.path))

    def outcome(self, file: Watched) -> tuple[str, str | None]:
        (event,) = (event for event in self.events if event.file and event.path == file.found.shown)
        assert event.file is not None
        return event.file.status, event.file.reason


def given(value: Any) -> Future[Any]:
    future: Future[Any] = Future()
    if isinstance(value, BaseException):
        future.set_exception(value)
    else:
        future.set_result(value)
    return future


def lost(file: Watched) -> None:
    """Have another process take a file over."""
    file.found = replace(file.found, lease=Lease("default", file.found.uri, "somebody who is gone", 1))


def new(desk: Desk) -> Watched:
    file = desk.file("nile.html", "nile")
    desk.take_in(file)
    assert desk.outcome(file) == ("added", None)
    return file


def unchanged(desk: Desk) -> Watched:
    desk.earlier(desk.file("nile.html", "nile"))
    file = desk.file("nile.html")
    desk.take_in(file)
    assert desk.outcome(file) == ("unchanged", None)
    return file


def without_vectors(desk: Desk) -> Watched:
    """Of an earlier run that embedded nothing."""
    desk.earlier(desk.file("nile.html", "nile"), embeds=False)
    file = desk.file("nile.html")
    desk.look_up(file)
    return file


def missing(desk: Desk) -> Watched:
    file = desk.file("none.html", missing=True)
    desk.take_in(file)
    assert desk.outcome(file) == ("failed", "there is no such file or folder")
    return file


def unreadable(desk: Desk) -> Watched:
    file = desk.file("nile.html", "nile")
    desk.look_up(file)
    desk.life.read(file, given(DamagedFileError("the file is damaged")))
    assert desk.outcome(file) == ("failed", "the file is damaged")
    return file


def same_bytes(desk: Desk) -> Watched:
    first, second = desk.file("a.html", "nile"), desk.file("b.html", "nile")
    desk.look_up(first, second)
    desk.read(first)
    desk.conflicts.reading_is_over()
    desk.look_up(second)
    assert desk.outcome(second)[0] == "duplicate"
    return second


def waits_and_is_read(desk: Desk) -> Watched:
    first, second = desk.file("a.html", "nile"), desk.file("b.html", "nile")
    desk.look_up(first, second)
    desk.life.read(first, given(MemoryError()))
    second.found.path.write_text(PAGE.format("rhine"))
    desk.conflicts.reading_is_over()
    desk.take_in(second)
    return second


def waits_and_is_known(desk: Desk) -> Watched:
    """Its name is the id of a document whose file is being read: it could have been that one."""
    named = {"id": "dl_nile"}
    desk.earlier(desk.file("dl_nile.html", "rhine"), desk.file("a.html", "nile", entry=named))
    first, second = desk.file("a.html", "volga", entry=named), desk.file("dl_nile.html")
    desk.look_up(first, second)
    desk.read(first)
    desk.conflicts.reading_is_over()
    desk.take_in(second)
    assert desk.outcome(second) == ("unchanged", None)
    return second


def waits_and_is_lost(desk: Desk) -> Watched:
    first, second = desk.file("a.html", "nile"), desk.file("b.html", "nile")
    desk.look_up(first, second)
    desk.conflicts.reading_is_over()
    second.found.path.unlink()
    lost(second)
    desk.look_up(second)
    return second


def fetched_and_read(desk: Desk) -> Watched:
    file = desk.file("nile.html", "nile", address="https://example.org/nile.html")
    desk.fetch(file)
    desk.read(file)
    desk.life.embed_rest()
    assert desk.outcome(file) == ("added", None)
    return file


def fetched_and_known(desk: Desk) -> Watched:
    desk.earlier(desk.file("nile.html", "nile", address="https://example.org/nile.html"))
    file = desk.file("nile.html", address="https://example.org/nile.html")
    desk.fetch(file)
    return file


def fetched_and_waits(desk: Desk) -> Watched:
    first = desk.file("a.html", "nile")
    desk.look_up(first)
    second = desk.file("b.html", "nile", address="https://example.org/b.html")
    desk.fetch(second)
    return second


def not_fetched(desk: Desk) -> Watched:
    file = desk.file("nile.html", address="https://example.org/nile.html")
    file.move_to(FETCHING)
    file.copy = desk.folder / "copy"
    file.copy.mkdir()
    desk.life.fetched(file, given(OSError("the server is gone")))
    assert desk.outcome(file) == ("failed", "the server is gone")
    assert not file.copy.exists()
    return file


def fetched_and_lost(desk: Desk) -> Watched:
    file = desk.file("nile.json", json.dumps(RECORD), record=True, address="https://example.org/nile.json")
    lost(file)
    desk.fetch(file)
    return file


def record(desk: Desk) -> Watched:
    file = desk.file("nile.json", json.dumps(RECORD), record=True)
    desk.look_up(file)
    assert desk.outcome(file) == ("record", "added: 1 publication, 1 document")
    return file


def record_lost(desk: Desk) -> Watched:
    file = desk.file("nile.json", json.dumps(RECORD), record=True)
    lost(file)
    desk.look_up(file)
    return file


def lost_while_read(desk: Desk) -> Watched:
    file = desk.file("nile.html", "nile")
    desk.look_up(file)
    lost(file)
    file.target = replace(file.identified, found=file.found)
    desk.read(file)
    return file


def lost_once_stored(desk: Desk) -> Watched:
    desk.earlier(desk.file("nile.html", "nile"))
    file = desk.file("nile.html")
    lost(file)
    desk.look_up(file)
    return file


def lost_while_embedded(desk: Desk) -> Watched:
    file = desk.file("nile.html", "nile")
    desk.look_up(file)
    desk.read(file)
    lost(file)
    desk.life.embed_rest()
    return file


LIVES: dict[Callable[[Desk], Watched], tuple[Step, ...]] = {
    new: (FOUND, READING, STORED, EMBEDDING, REPORTED),
    unchanged: (FOUND, STORED, REPORTED),
    without_vectors: (FOUND, STORED, EMBEDDING),
    missing: (FOUND, REPORTED),
    unreadable: (FOUND, READING, REPORTED),
    same_bytes: (FOUND, WAITING, REPORTED),
    waits_and_is_read: (FOUND, WAITING, READING, STORED, EMBEDDING, REPORTED),
    waits_and_is_known: (FOUND, WAITING, STORED, REPORTED),
    waits_and_is_lost: (FOUND, WAITING, TAKEN_OVER),
    fetched_and_read: (FOUND, FETCHING, READING, STORED, EMBEDDING, REPORTED),
    fetched_and_known: (FOUND, FETCHING, STORED, REPORTED),
    fetched_and_waits: (FOUND, FETCHING, WAITING),
    not_fetched: (FOUND, FETCHING, REPORTED),
    fetched_and_lost: (FOUND, FETCHING, TAKEN_OVER),
    record: (FOUND, REPORTED),
    record_lost: (FOUND, TAKEN_OVER),
    lost_while_read: (FOUND, READING, TAKEN_OVER),
    lost_once_stored: (FOUND, STORED, TAKEN_OVER),
    lost_while_embedded: (FOUND, READING, STORED, EMBEDDING, TAKEN_OVER),
}


@pytest.mark.parametrize("live", LIVES, ids=lambda live: live.__name__)
def test_a_life(database: Database, tmp_path: Path, live: Callable[[Desk], Watched]) -> None:
    desk = Desk(database, tmp_path, WordModel())
    file = live(desk)
    assert tuple(file.steps) == LIVES[live]
    reported = [event.path for event in desk.events if event.file and event.path == file.found.shown]
    assert len(reported) == (file.step is REPORTED)


def test_each_step_that_may_follow_another_does_above() -> None:
    assert {pair for steps in LIVES.values() for pair in pairwise(steps)} == {
        (step, after) for step, following in NEXT.items() for after in following
    }


@pytest.mark.parametrize("step", Step)
def test_no_other_step_follows(tmp_path: Path, step: Step) -> None:
    for after in set(Step) - NEXT[step]:
        with pytest.raises(AssertionError, match=f"nile is {step}, which {after} does not follow"):
            FileState(0, Found(tmp_path, "nile"), 0.0, step=step).move_to(after)


def test_without_a_model_a_file_is_done_once_it_is_stored(database: Database, tmp_path: Path) -> None:
    desk = Desk(database, tmp_path)
    file = desk.file("nile.html", "nile")
    desk.take_in(file)
    assert file.steps == [FOUND, READING, STORED, REPORTED]


def test_two_files_of_one_document(database: Database, tmp_path: Path) -> None:
    desk = Desk(database, tmp_path)
    first, second = (desk.file(f"{name}.html", name, entry={"id": "dl_river"}) for name in ("nile", "rhine"))
    desk.look_up(first)
    desk.conflicts.reading_is_over()
    desk.look_up(second)
    assert second.steps == [FOUND, REPORTED]
    reason = "document 'dl_river' is already read from nile.html in this run; keep one file per document"
    assert desk.outcome(second) == ("failed", reason)


def test_another_run_stores_the_copy_of_a_file_while_it_is_read(database: Database, tmp_path: Path) -> None:
    """A file that turns out a copy holds its document no longer: its own file is known, and not refused."""
    desk = Desk(database, tmp_path, WordModel())
    first, second = desk.file("a.html", "nile"), desk.file("b.html", "nile")
    desk.look_up(first, second)
    desk.earlier(desk.file("b.html"))
    desk.read(first)
    desk.conflicts.reading_is_over()
    desk.take_in(second)
    assert desk.outcome(first)[0] == "duplicate"
    assert desk.outcome(second) == ("unchanged", None)


def test_a_file_is_reported_once_though_its_vectors_fail(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Failing(WordModel):
        def encode_documents(self, texts: Any) -> Any:
            raise EndpointError("no endpoint answers")

    desk = Desk(database, tmp_path, Failing())
    monkeypatch.setattr(embed, "BATCH", 1)
    file = without_vectors(desk)
    desk.life.embed_rest()
    assert file.steps == [FOUND, STORED, EMBEDDING, REPORTED]
    assert desk.outcome(file) == ("failed", "no endpoint answers")
