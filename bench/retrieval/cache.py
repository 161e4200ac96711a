"""Vectors cached on disk, so that a text is encoded once per machine, whichever line needs it."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ragraph.models.embedding import DEFAULT_MODEL, EmbeddingModel, load_model

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ragraph.models.embedding import Vectors

BATCH = 1024
"""Texts encoded between two writes."""


def cache_folder() -> Path:
    """Return the folder that outlives runs: ``RAGRAPH_BENCH_CACHE``, else one in the system's temporary folder."""
    folder = Path(os.environ.get("RAGRAPH_BENCH_CACHE") or Path(tempfile.gettempdir()) / "ragraph-bench-retrieval")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


class CachedModel:
    """An embedding model, by default the packaged one, with a cache of encoded texts.

    It replaces an ``EmbeddingModel``; everything else is delegated to the model.
    """

    def __init__(
        self, folder: Path, progress: Callable[[int, int], None] | None = None, model: str = DEFAULT_MODEL
    ) -> None:
        self._model: EmbeddingModel = load_model(model)
        self._progress = progress
        self._connection = sqlite3.connect(folder / f"vectors-{self._model.name}.sqlite", timeout=60)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("CREATE TABLE IF NOT EXISTS vector (hash BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID")

    def __getattr__(self, name: str) -> object:
        return getattr(self._model, name)

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """Return the result of ``EmbeddingModel.encode_documents``: float32 of shape (len(texts), dimensions)."""
        keys = [hashlib.sha256(text.encode()).digest() for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if not self._known(key)}
        # texts of similar length share a batch, so that little time is spent on padding
        todo = sorted(missing, key=lambda key: len(missing[key]))
        for start in range(0, len(todo), BATCH):
            batch = todo[start : start + BATCH]
            vectors = self._model.encode_documents([missing[key] for key in batch])
            self._keep(batch, vectors)
            if self._progress:
                self._progress(start + len(batch), len(todo))
        if not keys:
            return np.empty((0, self._model.dimensions), dtype=np.float32)
        return np.stack([self._read(key) for key in keys])

    def encode_query(self, text: str) -> Vectors:
        """Return the vector of a query, float32 of shape (dimensions,)."""
        key = hashlib.sha256(f"query: {text}".encode()).digest()
        if not self._known(key):
            self._keep([key], [self._model.encode_query(text)])
        return self._read(key)

    def _keep(self, keys: Sequence[bytes], vectors: Iterable[Vectors]) -> None:
        rows = [(key, vector.tobytes()) for key, vector in zip(keys, vectors, strict=True)]
        with self._connection:
            self._connection.executemany("INSERT OR REPLACE INTO vector VALUES (?, ?)", rows)

    def _known(self, key: bytes) -> bool:
        return self._connection.execute("SELECT 1 FROM vector WHERE hash = ?", (key,)).fetchone() is not None

    def _read(self, key: bytes) -> Vectors:
        row = self._connection.execute("SELECT value FROM vector WHERE hash = ?", (key,)).fetchone()
        return np.frombuffer(row[0], dtype=np.float32)


@cache
def token_count(text: str) -> int:
    """Return the number of tokens of a text in the embedding model, which counts for every line of the benchmark."""
    return load_model().count_tokens([text])[0]
