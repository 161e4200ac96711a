"""Vectors of the packaged model, computed once for all processes of a run: those of one book take 15 s."""

from __future__ import annotations

import fcntl
import pickle
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ragraph.models.bert import Bert

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


@contextmanager
def known_vectors(file: Path) -> Iterator[None]:
    """Read vectors that another process computed from a file, and add new ones to it.

    The first process computes them while the next wait, so each is computed by the model itself, once.
    """
    with file.with_suffix(".lock").open("w") as lock, pytest.MonkeyPatch.context() as patch:
        fcntl.flock(lock, fcntl.LOCK_EX)
        known: dict[tuple[int, ...], Any] = pickle.loads(file.read_bytes()) if file.exists() else {}
        encode = Bert.encode

        def encode_new(model: Bert, texts: Sequence[Sequence[int]]) -> Any:
            new = [text for text in texts if tuple(text) not in known]
            if not texts or len(new) == len(texts):
                vectors = encode(model, texts)
                known.update(zip(map(tuple, texts), vectors, strict=True))
                return vectors
            known.update(zip(map(tuple, new), encode(model, new), strict=True))
            return np.stack([known[tuple(text)] for text in texts])

        patch.setattr(Bert, "encode", encode_new)
        yield
        file.write_bytes(pickle.dumps(known))
