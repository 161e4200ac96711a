"""Vectors that come with a draft: whose they are, whether they fit, and what writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ragraph.embedding import DEFAULT_MODEL, load_model
from ragraph.errors import ArgumentError, ModelNotFoundError
from ragraph.ingest.embed import Embedder
from ragraph.ingest.stage_one import node_ids
from ragraph.models import load_recorded

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ragraph.database import Database
    from ragraph.embedding import EmbeddingModel, Vectors
    from ragraph.ingest.draft import Draft
    from ragraph.ingest.parts import PartSettings
    from ragraph.models import Record

    Given = Mapping[str, Mapping[str, Vectors]]
    """Vectors by model and node."""


class _Named(NamedTuple):
    model: EmbeddingModel
    embedder: Embedder


class Embedders:
    """What writes the vectors of a run: those that its model makes, and those that drafts bring along.

    Args:
        database: the store.
        records: its models.
        model: what texts are encoded with; None encodes nothing.
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

    def check(self, draft: Draft) -> None:
        """Have a writer for every model that a draft has vectors of.

        Raises:
            ModelNotFoundError: the store has no such model.
            ArgumentError: a vector is of another length than those of its model, zero, or beyond float32.
        """
        for node in draft.nodes:
            for name, numbers in node.vectors.items():
                length = self._model(name).dimensions
                if len(numbers) != length:
                    raise ArgumentError(
                        f"the vector of node {node.key!r} has {len(numbers)} numbers; those of {name!r} have {length}"
                    )
                with np.errstate(over="ignore"):
                    vector = np.asarray(numbers, dtype=np.float32)
                if not (np.isfinite(vector).all() and vector.any()):
                    raise ArgumentError(
                        f"the vector of node {node.key!r} is zero, or has numbers that float32 does not hold"
                    )

    def given(self, draft: Draft, document_id: str) -> Given:
        """Return the vectors of a draft by model and node of the store, of length 1 where the model's are."""
        if not any(node.vectors for node in draft.nodes):
            return {}
        ids = node_ids(draft, document_id)
        found: dict[str, dict[str, Vectors]] = {}
        for node in draft.nodes:
            for name, numbers in node.vectors.items():
                vector = np.asarray(numbers, dtype=np.float32)
                if self._model(name).normalized and (length := float(np.linalg.norm(vector))):
                    vector = vector / np.float32(length)
                found.setdefault(name, {})[ids[node.key]] = vector
        return found

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
