"""ragraph in the terms of the peers: drafts with vectors, the index, and ``store.search`` with a given vector."""

from __future__ import annotations

import time
from array import array
from typing import TYPE_CHECKING, Any
from unittest import mock

import numpy as np

from bench.peers.processor import Spent
from bench.peers.stores import ROUNDS
from bench.peers.workload import DIMENSIONS, number_of, parameters
from bench.synthetic import SyntheticModel
from ragraph.ingest.supplied import adding
from ragraph.ingest.vectors import maintenance
from ragraph.retrieval import search as searching
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bench.peers.workload import Workload
    from ragraph import Store
    from ragraph.ingest.draft import DraftDocument


class GivenModel(SyntheticModel):
    """A model with known vectors: of texts by the number in them, of queries by the query itself."""

    name = "given"

    def __init__(self, workload: Workload) -> None:
        super().__init__(DIMENSIONS)
        self._workload = workload

    def encode_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of the rows of these texts."""
        found: NDArray[np.float32] = self._workload.vectors[[number_of(text) for text in texts]]
        return found

    def encode_query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a question, which is asked by its number."""
        found: NDArray[np.float32] = self._workload.questions[int(text)]
        return found


def measure(store: Store, workload: Workload, postmaster: int) -> dict[str, Any]:
    """Return seconds and answers as ``stores.measure`` does; vectors are given, everything else is the default."""
    model = GivenModel(workload)
    builds: list[Spent] = []
    build = maintenance.build_index

    def timed_build(*arguments: Any) -> tuple[str, ...]:
        with Spent(postmaster) as spent:
            warnings = build(*arguments)
        builds.append(spent)
        return warnings

    drafts = _with_vectors(workload)
    with mock.patch.object(adding, "build_index", timed_build), Spent(postmaster) as load:
        report = store.add_many(drafts, model=model)
    store.switch_model(GivenModel.name)
    failed = [item.reason for item in report.files if item.status != "added"]
    if failed or report.warnings:
        raise SystemExit(f"not loaded: {[*failed, *report.warnings][0]}")
    asked: dict[str, Any] = {}
    with mock.patch.object(searching, "load_recorded", lambda _record: model):
        for scope, wheres in workload.scopes.items():
            calls = [parameters(where) for where in wheres]
            _search(store, 0, calls[0])
            answers, times = [], []
            with Spent(postmaster) as spent:
                for number, where in [*enumerate(calls)] * ROUNDS:
                    start = time.perf_counter()
                    hits = _search(store, number, where)
                    times.append(time.perf_counter() - start)
                    answers.append([hit.content for hit in hits])
            each = {"client": spent.client / len(times), "server": spent.server / len(times)}
            asked[scope] = {"answers": answers[: len(calls)], "times": times, **each}
    client, server = (sum(getattr(item, part) for item in builds) for part in ("client", "server"))
    indexing = sum(item.clock for item in builds)
    return {
        "name": "ragraph",
        "load": load.clock - indexing,
        "load_spent": (load.client - client, load.server - server),
        "index": indexing,
        "index_spent": client + server,
        "asked": asked,
    }


def _with_vectors(workload: Workload) -> list[DraftDocument]:
    """Return the drafts with the vectors of their rows, as from a program that embedded its texts itself."""
    drafts = []
    for draft in workload.drafts:
        nodes = []
        for node in draft.nodes:
            vectors = {}
            if node.type is not ContentNodeType.HEADING:
                vectors = {GivenModel.name: array("d", workload.vectors[number_of(node.text)])}
            nodes.append(node.model_copy(update={"vectors": vectors}))
        drafts.append(draft.model_copy(update={"nodes": nodes}))
    return drafts


def _search(store: Store, number: int, where: dict[str, Any]) -> list[Any]:
    return store.search(str(number), mode="vector", model=GivenModel.name, **where)
