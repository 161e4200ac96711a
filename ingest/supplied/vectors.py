"""Vectors that come with a draft: check them, and write them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ragraph.errors import ArgumentError, ModelNotFoundError
from ragraph.ingest.vectors.embed import Embedder
from ragraph.ingest.vectors.texts import parts_of, source_of
from ragraph.models.embedding import DEFAULT_MODEL, load_model
from ragraph.models.registry import load_recorded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ragraph.database.connection import Database
    from ragraph.ingest.common.graph_rows import Graph
    from ragraph.ingest.draft import Draft
    from ragraph.ingest.vectors.parts import PartSettings
    from ragraph.ingest.vectors.texts import Part
    from ragraph.models.embedding import EmbeddingModel, Vectors
    from ragraph.models.registry import Record

    Given = Mapping[str, Mapping[str, Vectors]]
    """Vectors by model and node."""


class Filled(NamedTuple):
    """All vectors of a document under a model."""

    model: EmbeddingModel
    rows: Sequence[tuple[Part, Vectors]]


class _Named(NamedTuple):
    model: EmbeddingModel
    embedder: Embedder


class Embedders:
    """The embedders of a run: that of its model, and those for vectors that drafts bring along.

    Args:
        database: the store.
        records: the models of the store.
        model: model that encodes texts; None encodes nothing.
        parts: how long texts are cut.
    """

    def __init__(
        self, database: Database, records: Sequence[Record], model: EmbeddingModel | None, parts: PartSettings
    ) -> None:
        self._database = database
        self._records = {str(record["name"]): record for record in records}
        self._parts = parts
        self._all: dict[str, _Named] = {}
        if model is not None:
            self._all[model.name] = _Named(model, Embedder(database, model, parts))

    def __iter__(self) -> Iterator[Embedder]:
        return (named.embedder for named in self._all.values())

    def __getitem__(self, name: str) -> Embedder:
        return self._all[name].embedder

    def read(self, draft: Draft) -> Given:
        """Return the vectors of a draft by model and key of their node, of length 1 if the model's are.

        Raises:
            ModelNotFoundError: the store has no such model.
            ArgumentError: a vector has another length than those of its model, is zero, or exceeds float32.
        """
        found: dict[str, dict[str, Vectors]] = {}
        with np.errstate(over="ignore", invalid="ignore"):
            for node in draft.nodes:
                for name, numbers in node.vectors.items():
                    found.setdefault(name, {})[node.key] = self._vector(self._model(name), node.key, numbers)
        return found

    def _vector(self, model: EmbeddingModel, key: str, numbers: Sequence[float]) -> Vectors:
        if len(numbers) != model.dimensions:
            right = model.dimensions
            raise ArgumentError(
                f"the vector of node {key!r} has {len(numbers)} numbers; those of {model.name!r} have {right}"
            )
        vector: Vectors = np.asarray(numbers, dtype=np.float32)
        length = np.sqrt(vector.dot(vector))  # in float32, as numpy.linalg.norm gives it, in a third of the time
        if not 0 < length < np.inf and not (np.isfinite(vector).all() and vector.any()):
            raise ArgumentError(f"the vector of node {key!r} is zero, or has numbers that float32 does not hold")
        return vector / length if model.normalized and length else vector

    def filled(self, graph: Graph, wanted: Iterable[str], given: Given) -> tuple[Filled, ...] | None:
        """Return all vectors of a new document; None if some still have to be encoded.

        Args:
            graph: its rows as they will be stored.
            wanted: models of which it needs vectors.
            given: vectors that came with it, by model and node.
        """
        if any(name not in given for name in wanted):
            return None
        source = source_of(graph)
        found = []
        for name in wanted:
            model, embedder = self._all[name]
            own = given[name]
            parts = list(parts_of(source, model, self._parts))
            if not embedder.only_given and any(part.node_id not in own for part in parts):
                return None
            rows = [(part, own[part.node_id]) for part in parts if part.node_id in own]
            found.append(Filled(model, rows))
        return tuple(found)

    def _model(self, name: str) -> EmbeddingModel:
        if name not in self._all:
            if record := self._records.get(name):
                model = load_recorded(record)
            elif name == DEFAULT_MODEL:
                model = load_model()
            else:
                known = f"; it has {', '.join(self._records)}" if self._records else ""
                raise ModelNotFoundError(
                    f"the draft has vectors of {name!r}, a model that the store does not know{known}",
                    hint="add it first: `ragraph models add`, or store.embed(model)",
                )
            self._all[name] = _Named(model, Embedder(self._database, model, self._parts, only_given=True))
        return self._all[name].model
