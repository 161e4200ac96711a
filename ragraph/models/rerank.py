"""Reranking: a cross-encoder reads the query together with each hit and reorders the hits.

Any sentence-transformers CrossEncoder works, by hub name or folder (Nogueira & Cho 2019, "Passage Re-ranking with
BERT"). It is slower than a search by orders of magnitude, so it reads only the best hits.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragraph.base.extras import needing
from ragraph.errors import ArgumentError, ModelError, first_line
from ragraph.models.embedding import is_folder
from ragraph.models.encoding.loaded import quiet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.schema.results import Hit


class Reranker:
    """A cross-encoder. Threads may share it; scoring is serialised.

    Attributes:
        name: hub name or folder that it was loaded from.
        batch_size: number of pairs scored at a time.
    """

    def __init__(self, model: Any, *, name: str, batch_size: int = 32) -> None:
        self.name = name
        self.batch_size = batch_size
        self._model = model
        self._lock = threading.Lock()

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return how well each text answers the query, in the order of ``texts``; higher is better.

        Texts longer than the model's limit are cut. The scale is the model's own.

        Raises:
            ModelError: the model fails, or does not return one finite number for each pair.
        """
        import numpy as np

        if not texts:
            return []
        pairs = [(query, text) for text in texts]
        try:
            with self._lock:
                found = self._model.predict(
                    pairs, batch_size=self.batch_size, show_progress_bar=False, convert_to_numpy=True
                )
        except Exception as error:
            raise ModelError(f"reranker {self.name!r} fails: {first_line(error)}; try another model") from error
        scores = np.asarray(found, dtype=np.float64)
        if scores.shape != (len(texts),) or not np.isfinite(scores).all():
            raise ModelError(
                f"reranker {self.name!r} returned scores of shape {scores.shape}, not one finite number for each text;"
                " use a cross-encoder with one label"
            )
        return [float(score) for score in scores]

    def rerank(self, query: str, hits: Sequence[Hit], k: int | None = None) -> list[Hit]:
        """Return the hits in the order of the cross-encoder, best first, with its scores; ties keep their order.

        It reads the section path and the text of each node, cut at the model's limit.

        Args:
            query: the search query.
            hits: the hits of a search.
            k: number of hits to return; None for all.

        Raises:
            ArgumentError: the query is empty, or k is below 1.
            ModelError: the model fails.
        """
        if not query.strip():
            raise ArgumentError("the query is empty; say what to look for")
        if k is not None and k < 1:
            raise ArgumentError(f"k is {k}; ask for at least one node")
        scores = self.scores(query, [_text(hit) for hit in hits])
        best = sorted(zip(scores, hits, strict=True), key=lambda pair: -pair[0])
        return [replace(hit, score=score) for score, hit in best[:k]]


@lru_cache(maxsize=2)
def load_reranker(name_or_folder: str, *, batch_size: int = 32) -> Reranker:
    """Load a cross-encoder by hub name (``cross-encoder/ms-marco-MiniLM-L6-v2``) or folder; two stay loaded.

    Raises:
        ModelError: it does not exist or cannot be loaded.
    """
    _require(name_or_folder)
    with needing("a reranker", ModelError):
        from sentence_transformers import CrossEncoder

    try:
        model = CrossEncoder(name_or_folder)
    except Exception as error:
        raise ModelError(
            f"reranker {name_or_folder!r} cannot be loaded: {first_line(error)};"
            " give the folder of a sentence-transformers CrossEncoder, or a hub name and unset HF_HUB_OFFLINE"
        ) from error
    return Reranker(model, name=name_or_folder, batch_size=batch_size)


def _require(name_or_folder: str) -> None:
    """Check that a reranker exists, before importing the libraries that load it takes seconds.

    Raises:
        ModelError: there is no folder of this name with a model, and the hub has none or cannot be reached.
    """
    hint = "give the folder of a sentence-transformers CrossEncoder, or its name on the hub"
    folder = Path(name_or_folder).expanduser()
    if is_folder(folder):
        if not (folder / "config.json").is_file():
            raise ModelError(f"folder {name_or_folder!r} has no reranker: no config.json", hint=hint)
        return
    if not name_or_folder.strip() or name_or_folder.startswith((".", "/", "~")) or name_or_folder.count("/") > 1:
        raise ModelError(f"there is no folder {name_or_folder!r} with a reranker", hint=hint)
    from huggingface_hub import hf_hub_download

    with quiet():
        try:
            hf_hub_download(name_or_folder, "config.json")
        except Exception as error:  # classes of the hub, of HTTP libraries and of the file system
            raise ModelError(
                f"no folder {name_or_folder!r}, and the hub provides no such reranker", hint=hint
            ) from error


def _text(hit: Hit) -> str:
    path = " > ".join(hit.citation.section_path)
    return f"{path}\n{hit.content}" if path else hit.content
