"""A job on a Ray cluster: shared by its nodes, and as it would be without, also when a node is killed in the middle."""

from __future__ import annotations

import json
import logging
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest
from server_tools import wait_until

import ragraph
from ragraph.errors import ArgumentError, IngestError
from ragraph.ingest.jobs import on_ray

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from ragraph import Store
    from ragraph.schema.reports import ProgressEvent

ray = pytest.importorskip("ray", reason="the extra ray")
cluster_utils = pytest.importorskip("ray.cluster_utils", reason="the extra ray")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # Ray's own, in its threads too
]
PAGE = "<html><head><title>{0}</title></head><body><h1>{0}</h1>{1}</body></html>"
ROOM = {"num_cpus": 1, "object_store_memory": 80_000_000}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two nodes on this machine, each with a processor."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        started = cluster_utils.Cluster(initialize_head=True, head_node_args=ROOM)
        try:
            started.add_node(**ROOM)
            yield started
        finally:
            started.shutdown()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    papers = tmp_path_factory.mktemp("papers")
    for place in range(40):
        body = "".join(f"<p>Of river {place} it is said for the {line}th time.</p>" for line in range(12))
        (papers / f"{place:02}.html").write_text(PAGE.format(f"River {place}", body))
    (papers / "broken.pdf").write_bytes(b"%PDF-1.7 and no more")
    return papers


class Content(NamedTuple):
    """What a store holds, without what tells when and by whom rows were written."""

    documents: list[Any]
    parts: list[Any]
    vectors: np.ndarray


def content(store: Store) -> Content:
    """Return documents with a digest of their nodes, and what has a vector beside these vectors, in the same order."""
    with store.database.read() as connection:
        documents = connection.execute(
            "SELECT d.id, d.processing_status, count(n.id),"
            " md5(string_agg(n.id || n.content, '|' ORDER BY n.sequence_in_document))"
            " FROM ragraph.document AS d LEFT JOIN ragraph.content_node AS n ON n.document_id = d.id GROUP BY d.id"
        ).fetchall()
        embeddings = connection.execute(
            "SELECT e.document_id, e.node_id, e.part, e.embedding_vector::real[] FROM ragraph.embedding AS e"
            " ORDER BY e.document_id, e.node_id, e.part"
        ).fetchall()
    return Content(sorted(documents), [row[:3] for row in embeddings], np.array([row[3] for row in embeddings]))


def assert_alike(found: Content, expected: Content) -> None:
    """Compare all but the last bits of vectors: a node of Ray multiplies with as many threads as it has processors."""
    assert found.documents == expected.documents
    assert found.parts == expected.parts
    np.testing.assert_allclose(found.vectors, expected.vectors, atol=1e-5)


@pytest.fixture(scope="module")
def expected(folder: Path, make_shared_database: Callable[[], str]) -> Content:
    with ragraph.open(make_shared_database()) as store:
        store.ingest(folder)
        return content(store)


@pytest.fixture
def store(own_home: Path) -> Iterator[Store]:
    with ragraph.open(home=own_home) as opened:
        yield opened


def test_the_nodes_share_the_job(cluster: Any, folder: Path, store: Store, expected: Content, tmp_path: Path) -> None:
    events: list[ProgressEvent] = []
    report = store.ingest(folder, ray=cluster.address, progress=events.append)
    assert {key: report.totals[key] for key in ("added", "failed")} == {"added": 40, "failed": 1}
    assert report.totals["nodes"] == sum(row[2] for row in expected.documents)
    assert_alike(content(store), expected)
    assert [event.done for event in events] == list(range(42))  # found, and one for each file
    assert {event.path for event in events[1:]} == {file.path for file in report.files}
    assert report.job_id is not None
    assert store.job(report.job_id).status == "completed"
    assert store.check() == []
    assert len(list((tmp_path / "home" / "assets").rglob("*"))) > 40
    again = store.ingest(folder, ray=cluster.address)
    assert {key: again.totals[key] for key in ("unchanged", "failed")} == {"unchanged": 40, "failed": 1}


@pytest.fixture
def third(cluster: Any) -> Iterator[Any]:
    """A third node; on each a process has loaded what a task needs, else the other two are done before it begins."""

    def load() -> None:  # within, since nodes cannot import this file
        from ragraph.models.embedding import load_model

        load_model().encode_documents(["rivers"])

    node = cluster.add_node(**ROOM)
    ray.init(address=cluster.address, log_to_driver=False, logging_level=logging.ERROR)
    try:
        on_each = [ray.remote(load).options(**slot.resources()) for slot in on_ray._slots(ray, None)]
        assert len(on_each) == 3
        ray.get([task.remote() for task in on_each])
        yield node
    finally:
        ray.shutdown()


def test_a_node_is_killed_in_the_middle(
    cluster: Any, third: Any, store: Store, database_url: str, tmp_path: Path
) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    for place in range(240):  # enough for the third to come while the others are at it
        (folder / f"{place:03}.html").write_text(PAGE.format(f"Brook {place}", f"<p>It is {place} feet deep.</p>"))
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 and no more")
    with ragraph.open(database_url) as plain:
        plain.ingest(folder)
        expected = content(plain)

    def kill() -> int:
        wait_until(lambda: (jobs := store.jobs()) and jobs[0].completed >= 5 and jobs[0].workers == 3, 120)
        completed = store.jobs()[0].completed
        cluster.remove_node(third, allow_graceful=False)
        return completed

    with ThreadPoolExecutor(1) as killer:
        killing = killer.submit(kill)
        report = store.ingest(folder, ray=cluster.address, lease_s=3)
        assert killing.result() < 240  # the node was lost, and in the middle
    # what the lost node had written, and had not yet said so, is found unchanged
    assert report.totals["added"] + report.totals.get("unchanged", 0) == 240
    assert report.totals["failed"] == 1
    assert_alike(content(store), expected)
    assert store.check() == []


def test_an_interrupted_run_gives_its_files_back(cluster: Any, store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for place in range(400):
        (folder / f"{place:03}.html").write_text(PAGE.format(f"Lake {place}", "<p>It is deep.</p>"))
    words = [sys.executable, "-c", "from ragraph.faces.cli import main; main()", "--home", str(tmp_path / "home")]
    command = [*words, "ingest", str(folder), "--no-embed", "--ray", cluster.address, "--json"]
    lost = cluster.add_node(**{**ROOM, "num_cpus": 0})  # does nothing; that it was lost is printed
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            wait_until(lambda: (jobs := store.jobs()) and jobs[0].completed >= 3, 120)
            cluster.remove_node(lost, allow_graceful=False)
            process.send_signal(signal.SIGINT)
            output, said = process.communicate(timeout=120)
        finally:
            process.kill()
    assert process.returncode == 130, said
    assert "Traceback" not in said
    report = json.loads(output)
    assert report["totals"]["pending"] > 0
    (job,) = store.jobs()
    wait_until(lambda: store.job(job.id).processing == 0)  # the tasks release their files when they are told to end
    store.resume_job(job.id, ray=cluster.address)
    assert store.job(job.id).completed == 400


def test_no_cluster_answers(folder: Path, database_url: str) -> None:
    with ragraph.open(database_url) as store:
        with pytest.raises(IngestError, match=r"no Ray cluster answers at 127\.0\.0\.1:1: .*ray start --head"):
            store.ingest(folder, ray="127.0.0.1:1")
        assert store.jobs() == []


def test_nodes_that_cannot_reach_the_database(store: Store) -> None:
    slots = [on_ray._Slot("node", "another-machine", 1, 0)]
    with pytest.raises(ArgumentError, match="nodes another-machine"):
        on_ray._reachable(store.database, slots)


@pytest.mark.parametrize(
    ("workers", "cpus", "slots"), [(None, 1, [1]), (None, 16, [4] * 4), (2, 5, [2, 2]), (8, 3, [3])]
)
def test_tasks_by_processors(workers: int | None, cpus: int, slots: list[int]) -> None:
    class Nodes:
        def nodes(self) -> list[dict[str, Any]]:
            resources = {"CPU": float(cpus), "GPU": 1.0}
            dead = {"NodeID": "b", "NodeManagerHostname": "h", "Alive": False, "Resources": {"CPU": 9.0}}
            return [{"NodeID": "a", "NodeManagerHostname": "h", "Alive": True, "Resources": resources}, dead]

    found = on_ray._slots(Nodes(), workers)
    assert [slot.cores for slot in found] == slots
    assert sum(slot.gpus for slot in found) == pytest.approx(1)
