"""Earlier versions under kills, two writers at once, backups, entities and many edits."""

from __future__ import annotations

import signal
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from forked_python import run_python
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_versions import ID, take_in

import ragraph

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from conftest import MakeDatabase

    from ragraph import Store

STATES = [
    "# One\nAlpha (AL) wolves hunt.\nBeta testers test.\n# Two\nGamma rays shine.",
    "# One\nNews.\nAlpha (AL) wolves hunt.\n# Two\nGamma rays shine on.",
    "# Zero\nNothing.\n# Two\nBeta testers test.\nGamma rays shine.",
]

KILLED_AT = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
import psycopg
import ragraph
from test_versions import ID, take_in

url, text, wanted = sys.argv[2], sys.argv[3], int(sys.argv[4])
execute, told = psycopg.Cursor.execute, 0

def counted(self, *given, **named):
    global told
    told += 1
    if told == wanted:
        os.kill(os.getpid(), signal.SIGKILL)
    return execute(self, *given, **named)

with ragraph.open(url) as store:
    psycopg.Cursor.execute = counted
    if text == "restore":
        store.restore_version(ID, 1)
    elif text == "prune":
        store.prune_versions(ID)
    else:
        take_in(store, text)
    print(told)
"""


@pytest.fixture
def store(make_database: MakeDatabase) -> Iterator[Store]:
    with ragraph.open(make_database()) as opened:
        opened.keep_versions()
        yield opened


@pytest.mark.slow
def test_a_kill_leaves_what_was_or_what_is_new(store: Store, request: pytest.FixtureRequest) -> None:
    """Whatever is done is killed at statements all through; each time all versions are as they were, or one is more."""
    for text in STATES[:2]:
        take_in(store, text)
    was = [_rendered(store, item.version) for item in store.history(ID)]
    for what in (STATES[2], "restore", "prune"):
        steps = 0
        for killed_at in (3, 7, 11, 16, 22, 30, 0):
            done = run_python(KILLED_AT, str(request.path.parent), store.database.url, what, str(killed_at))
            now = [_rendered(store, item.version) for item in store.history(ID)]
            assert store.check() == []
            if done.returncode == -signal.SIGKILL:
                steps += 1
                assert now == was, f"{what} killed at {killed_at}"
            else:
                assert done.returncode == 0, done.stderr
                break
        assert steps > 1 or what == "prune"
        assert now != was
        was = now


def test_two_that_write_at_once_make_versions_one_after_the_other(store: Store, make_database: MakeDatabase) -> None:
    take_in(store, STATES[0])
    renders = {_rendered_as(make_database, text) for text in STATES}

    def write(turn: int) -> None:
        with ragraph.open(store.database.url) as own:
            for number in range(6):
                take_in(own, STATES[(number + turn) % 3])

    with ThreadPoolExecutor() as pool:
        list(pool.map(write, range(2)))
    versions = store.history(ID)
    assert [item.version for item in versions] == list(range(1, len(versions) + 1))
    assert len(versions) > 3
    told = [_rendered(store, item.version) for item in versions]
    assert set(told) <= renders
    assert all(one != other for one, other in pairwise(told))
    assert store.check() == []


def test_entities_of_nodes_that_come_back_come_back(store: Store) -> None:
    take_in(store, STATES[0])
    store.extract_entities()
    first = _mentions(store)
    assert first
    take_in(store, STATES[2])
    store.extract_entities()
    assert _mentions(store) != first
    store.restore_version(ID, 1)
    store.extract_entities()
    assert _mentions(store) == first
    assert store.check() == []


def test_a_version_is_complete_though_its_file_failed_before_it_changed(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "notes.md"
    for text in ("# One\n\nAlpha.\n", "", "# One\n\nBeta.\n"):
        file.write_text(text)
        report = store.ingest(file, document_id=ID, model=None)
        assert (report.files[0].status == "failed") == (text == "")
    with store.as_of(ID, 1) as past:
        assert past.document(ID).document.processing_status == "completed"
    store.restore_version(ID, 1)
    assert store.document(ID).document.processing_status == "completed"
    assert store.check() == []


def test_a_backup_holds_versions(store: Store, make_database: MakeDatabase, tmp_path: Path) -> None:
    for text in STATES:
        take_in(store, text)
    was = [_rendered(store, version) for version in (1, 2, 3)]
    store.backup(tmp_path / "store.ragraph")
    url = make_database(schema=False)
    ragraph.restore(tmp_path / "store.ragraph", url)
    with ragraph.open(url, upgrade=False) as other:
        assert [_rendered(other, version) for version in (1, 2, 3)] == was
        assert other.restore_version(ID, 1) == 4
        assert other.render(ID) == was[0]
        assert other.verify().ok


LINES = st.lists(
    st.sampled_from(["# One", "# Two", "Alpha.", "Beta.", "Alpha. Beta.", "Gamma."]), min_size=1, max_size=8
)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drafts=st.lists(LINES, min_size=2, max_size=5), quoted=st.booleans())
def test_a_citation_says_what_became_of_its_words(store: Store, drafts: list[list[str]], quoted: bool) -> None:
    """Of each node of each version: it stands under its headings, or its words stand elsewhere, or nowhere."""
    held: dict[int, list[tuple[str, str, list[str]]]] = {}
    for draft in drafts:
        take_in(store, "\n".join(draft))
        held[store.history(ID)[-1].version] = _placed(store)
    now = _placed(store)
    for version, nodes in held.items():
        for node, content, path in nodes:
            words = content.split()[0] if quoted and content else content
            found = store.citation_state(ID, node, version, words if quoted else None)
            same = [other for other in now if other[1:] == (content, path)]
            having = [other for other in now if words in other[1]]
            assert found.state == ("stands" if same else "moved" if having else "gone")
            if found.state != "gone":
                assert (found.node_id, found.section) in [(other[0], other[2]) for other in same or having]
    store.delete(ID)


def _placed(store: Store) -> list[tuple[str, str, list[str]]]:
    titles = {entry.component_id: store.path(ID, entry.component_id) for entry in store.toc(ID)}
    paths = {name: [step.title for step in path if step.title] for name, path in titles.items()}
    return [(node.id, node.content, paths.get(node.parent_component_id or "", [])) for node in store.nodes(ID)]


def _rendered(store: Store, version: int) -> str:
    with store.as_of(ID, version) as past:
        return past.render(ID)


def _rendered_as(make_database: MakeDatabase, text: str) -> str:
    with ragraph.open(make_database()) as other:
        take_in(other, text)
        return other.render(ID)


def _mentions(store: Store) -> list[Any]:
    with store.database.read() as connection:
        return connection.execute(
            "SELECT e.name, m.node_id, m.char_start, m.surface FROM ragraph.mention m JOIN ragraph.entity e"
            " ON e.document_id = m.document_id AND e.id = m.entity_id ORDER BY 1, 2, 3"
        ).fetchall()
