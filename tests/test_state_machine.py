"""A store and a model of it in Python, led through the same steps in any order: both must tell the same.

``RAGRAPH_STATE_MACHINE=500x50`` takes 500 examples of up to 50 steps (``make state-machine``); otherwise there are few.
"""

from __future__ import annotations

import itertools
import os
import threading
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import psutil
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
    run_state_machine_as_test,
)
from ingest_tools import WordModel, one_pool, statuses

import ragraph
from bench.processes import server_processes
from ragraph import errors, server

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragraph.schema.reports import IngestReport

EXAMPLES, STEPS = map(int, os.environ.get("RAGRAPH_STATE_MACHINE", "5x12").split("x"))
ENDINGS = ("md", "html", "txt")
_numbers = itertools.count(1)


@dataclass
class Document:
    """What is known of a document: the words that it holds and held, its title if somebody gave one."""

    word: str
    title: str | None = None
    old: list[str] = field(default_factory=list)


class StoreMachine(RuleBasedStateMachine):
    """Files in a folder, a collection of a store, and what should be in it."""

    home: Path
    """Of the embedded server, which is this test's own, since its backends are killed."""

    files = Bundle("files")

    @initialize()
    def begin(self) -> None:
        self.store = ragraph.open(home=self.home)
        self.kept = TemporaryDirectory(prefix="ragraph-machine-")
        self.folder = Path(self.kept.name) / "files"
        self.folder.mkdir()
        self.collection = f"c{next(_numbers)}"
        self.documents: dict[str, Document] = {}
        self.places: dict[str, str] = {}
        """Documents by the names of their files."""
        self.saved: tuple[Path, dict[str, Document]] | None = None

    def teardown(self) -> None:
        if hasattr(self, "store"):
            for document in self.store.documents(collection=self.collection):
                self.store.delete(document.id)
            assert self.store.documents(collection=self.collection) == []
            assert self.store.check() == []
            self.store.close()
            self.kept.cleanup()

    # -- steps -------------------------------------------------------------------------------------------

    @rule(target=files, ending=st.sampled_from(ENDINGS))
    def add(self, ending: str) -> str:
        name = f"file{next(_numbers)}.{ending}"
        word = self._write(name)
        self._ingest(name, "added")
        self._now_holds(name, word)
        return name

    @rule(target=files, endings=st.lists(st.sampled_from(ENDINGS), min_size=2, max_size=4))
    def add_some(self, endings: list[str]) -> Any:
        words = {name: self._write(name) for name in (f"file{next(_numbers)}.{ending}" for ending in endings)}
        assert set(statuses(self._ingest_all()).values()) <= {"added", "unchanged", "duplicate"}
        for name, word in words.items():
            self._now_holds(name, word)
        return multiple(*words)

    @rule(name=files)
    def change(self, name: str) -> None:
        document_id = self.places[name]
        word = self._write(name)
        self._ingest(name, "changed")
        assert self._found(word) == [document_id]
        document = self.documents[document_id]
        document.old.append(document.word)
        document.word = word

    @rule(target=files, name=consumes(files))
    def move(self, name: str) -> str:
        new = f"moved{next(_numbers)}{Path(name).suffix}"
        (self.folder / name).rename(self.folder / new)
        self._ingest(new, "moved")
        self.places[new] = self.places.pop(name)
        return new

    @rule(name=files)
    def copy(self, name: str) -> None:
        copied = self.folder / f"copy{next(_numbers)}{Path(name).suffix}"
        copied.write_bytes((self.folder / name).read_bytes())
        self._ingest(copied.name, "duplicate")
        copied.unlink()

    @rule()
    def again(self) -> None:
        assert set(statuses(self._ingest_all()).values()) <= {"unchanged"}

    @rule(name=consumes(files))
    def delete(self, name: str) -> None:
        (self.folder / name).unlink()
        document_id = self.places.pop(name)
        self.store.delete(document_id)
        word = self.documents.pop(document_id).word
        assert self._found(word) == []
        with pytest.raises(errors.DocumentNotFoundError):
            self.store.document(document_id)

    @rule(name=files, title=st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1))
    def entitle(self, name: str, title: str) -> None:
        self.store.update(self.places[name], title=title)
        self.documents[self.places[name]].title = title

    @rule(name=files)
    def crash(self, name: str) -> None:
        """Kill a backend, which restarts the server, and go on at once."""
        self._kill_a_backend()
        assert self._found(self.documents[self.places[name]].word) == [self.places[name]]

    @rule(name=files, after=st.floats(0, 0.3))
    def crash_while_changing(self, name: str, after: float) -> None:
        """Kill a backend in the middle of an ingestion; done once more, all is as if it had not been."""
        document_id = self.places[name]
        word = self._write(name)
        killer = threading.Timer(after, self._kill_a_backend)
        killer.start()
        with suppress(errors.RagraphError):
            self._ingest_all()
        killer.join()
        assert set(statuses(self._ingest_all()).values()) <= {"unchanged", "changed"}
        assert self._found(word) == [document_id]
        document = self.documents[document_id]
        document.old.append(document.word)
        document.word = word

    @precondition(lambda self: self.saved is None)
    @rule()
    def back_up(self) -> None:
        path = Path(self.kept.name) / "store.backup"
        self.store.backup(path, originals=False)
        self.saved = path, deepcopy(self.documents)

    @precondition(lambda self: self.saved is not None)
    @rule()
    def restore(self) -> None:
        """Bring the backup back, and delete what the files of today are not about; then they come in again."""
        assert self.saved is not None
        path, documents = self.saved
        self.saved = None
        self.store.close()
        ragraph.restore(path, home=self.home, replace=True)
        path.unlink()
        self.store = ragraph.open(home=self.home)
        there = {document.id: document for document in self.store.documents(collection=self.collection)}
        assert there.keys() == documents.keys()
        for document_id, document in documents.items():
            assert self._found(document.word) == [document_id]
            self.store.delete(document_id)
        words = {name: self.documents[document_id].word for name, document_id in self.places.items()}
        self._ingest_all()
        self.documents.clear()
        for name, word in words.items():
            self._now_holds(name, word)

    # -- what always holds -------------------------------------------------------------------------------

    @invariant()
    def the_same_documents(self) -> None:
        if hasattr(self, "store"):
            there = {document.id: document for document in self.store.documents(collection=self.collection)}
            assert there.keys() == self.documents.keys()
            for document_id, document in self.documents.items():
                if document.title is not None:
                    assert there[document_id].title == document.title

    @invariant()
    def the_same_words(self) -> None:
        if hasattr(self, "store"):
            for document_id, document in self.documents.items():
                assert self._found(document.word) == [document_id]
                for old in document.old[-2:]:
                    assert self._found(old) == []

    @invariant()
    def no_rule_is_broken(self) -> None:
        if hasattr(self, "store"):
            assert self.store.check() == []

    # -- ways --------------------------------------------------------------------------------------------

    def _write(self, name: str) -> str:
        """Write a file with a word that is nowhere else, and one that is everywhere."""
        word = f"wort{next(_numbers)}"
        texts = {
            "md": f"# Title\n\nEverywhere it stands.\n\n## Part\n\nHere is {word}.\n",
            "html": f"<html><body><h1>Title</h1><p>Everywhere it stands.</p><p>Here is {word}.</p></body></html>",
            "txt": f"Title\n\nEverywhere it stands.\n\nHere is {word}.\n",
        }
        (self.folder / name).write_text(texts[name.rpartition(".")[2]])
        return word

    def _ingest_all(self) -> IngestReport:
        return self.store.ingest(self.folder, collection=self.collection, model=WordModel(), workers=1)

    def _ingest(self, name: str, status: str) -> None:
        report = self._ingest_all()
        assert report.ok
        told = statuses(report)
        assert told.pop(name) == status
        assert set(told.values()) <= {"unchanged"}

    def _now_holds(self, name: str, word: str) -> None:
        (document_id,) = self._found(word)
        assert document_id not in self.documents
        self.documents[document_id] = Document(word)
        self.places[name] = document_id

    def _found(self, word: str) -> list[str]:
        """Documents in which a word is found."""
        return [hit.document_id for hit in self.store.search(word, mode="text", collection=self.collection)]

    def _kill_a_backend(self) -> None:
        with suppress(psutil.Error, IndexError):
            server_processes(self.home)[-1].kill()


@pytest.fixture
def home() -> Iterator[Path]:
    with TemporaryDirectory(prefix="ragraph-test-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        try:
            yield Path(folder) / "home"
        finally:
            server.stop(Path(folder) / "home")


@pytest.mark.slow
@pytest.mark.timeout(0 if "RAGRAPH_STATE_MACHINE" in os.environ else 600)
def test_a_store_and_its_model_tell_the_same(home: Path) -> None:
    machine = type("Machine", (StoreMachine,), {"home": home})
    with one_pool():
        run_state_machine_as_test(
            machine,
            settings=settings(
                max_examples=EXAMPLES,
                stateful_step_count=STEPS,
                deadline=None,
                phases=[Phase.generate],  # what crashes need not crash again, and each try takes seconds
                report_multiple_bugs=False,
                suppress_health_check=list(HealthCheck),
                derandomize="RAGRAPH_STATE_MACHINE" not in os.environ,
            ),
        )
