"""The packaged embedding model in numpy: what all-MiniLM-L6-v2 computes, without torch.

Loading torch and sentence-transformers takes seconds of processor time; a query through this takes hundredths of one.
Texts are laid end to end and not padded, so none pays for the length of another. The vectors are those of
sentence-transformers but for the last digit of float32.
"""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

Array = NDArray[np.float32]

_TOKENS_AT_ONCE = 2048
"""Tokens per pass; what it holds in memory meanwhile is some 60 MB per thread."""

_ROWS = 16
"""Rows of the widest layer that are worked on at once, so that they stay in the processor's cache."""

_DTYPES = {"F32": "<f4", "I64": "<i8"}


class Shape(NamedTuple):
    """Number of layers and of heads in each, and what is added to a variance before it divides."""

    layers: int
    heads: int
    epsilon: float


class Bert:
    """A BERT with mean pooling, whose vectors get length 1. Safe to share between threads.

    Args:
        folder: a sentence-transformers model: ``config.json`` and ``model.safetensors`` of a BERT.

    Attributes:
        shape: as its ``config.json`` says.
        weights: by the names of its file, mapped and not read.
    """

    def __init__(self, folder: Path) -> None:
        stated = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        self.shape = Shape(stated["num_hidden_layers"], stated["num_attention_heads"], stated["layer_norm_eps"])
        with (folder / "model.safetensors").open("rb") as file:
            # private to this process, since OpenVINO shares no memory that cannot be written
            self._mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
        self.weights = _read_safetensors(self._mapped)
        self._threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

    def encode(self, texts: Sequence[Sequence[int]]) -> Array:
        """Return the vectors of texts.

        Args:
            texts: tokens of each text, special ones included, at most as many as the model has positions.

        Returns:
            float32 of shape (len(texts), dimensions), in the order of ``texts``; a text of zero is zero.
        """
        if not len(texts):
            return np.empty((0, self.weights["embeddings.word_embeddings.weight"].shape[1]), dtype=np.float32)
        batches = list(_batches(texts))
        if len(batches) == 1:
            return self._alone(batches[0])
        with ThreadPoolExecutor(self._threads, thread_name_prefix="ragraph-bert") as threads:
            return np.concatenate(list(threads.map(self._alone, batches)))

    def let_go(self) -> None:
        """Give the memory of the weights back to the system; they come from the file again where they are used."""
        if hasattr(mmap, "MADV_DONTNEED"):
            self._mapped.madvise(mmap.MADV_DONTNEED)

    def _alone(self, texts: Sequence[Sequence[int]]) -> Array:
        with _one_matrix_thread():
            return self._forward(texts)

    def _forward(self, texts: Sequence[Sequence[int]]) -> Array:
        lengths = [len(text) for text in texts]
        ends = np.cumsum(lengths)
        places = [slice(end - length, end) for end, length in zip(ends, lengths, strict=True)]
        weights = self.weights
        hidden = weights["embeddings.word_embeddings.weight"][np.concatenate(texts)]
        hidden += weights["embeddings.position_embeddings.weight"][np.concatenate([np.arange(n) for n in lengths])]
        hidden += weights["embeddings.token_type_embeddings.weight"][0]
        hidden = self._normalised(hidden, "embeddings.LayerNorm")
        for layer in range(self.shape.layers):
            name = f"encoder.layer.{layer}"
            seen = self._attention(hidden, places, f"{name}.attention.self")
            seen = self._linear(seen, f"{name}.attention.output.dense") + hidden
            seen = self._normalised(seen, f"{name}.attention.output.LayerNorm")
            wide = _gelu(self._linear(seen, f"{name}.intermediate.dense"))
            hidden = self._linear(wide, f"{name}.output.dense") + seen
            hidden = self._normalised(hidden, f"{name}.output.LayerNorm")
        means = np.stack([hidden[place].mean(axis=0) for place in places])
        lengths_of = np.linalg.norm(means, axis=1, keepdims=True)
        unit: Array = means / np.maximum(lengths_of, np.float32(1e-12))
        return unit

    def _linear(self, rows: Array, name: str) -> Array:
        found: Array = rows @ self.weights[f"{name}.weight"].T
        found += self.weights[f"{name}.bias"]
        return found

    def _normalised(self, rows: Array, name: str) -> Array:
        """Return rows with mean 0 and variance 1, scaled and moved as learned; works in place."""
        rows -= rows.mean(axis=1, keepdims=True)
        variance = np.einsum("ij,ij->i", rows, rows) / np.float32(rows.shape[1])
        rows *= (1 / np.sqrt(variance + np.float32(self.shape.epsilon)))[:, None]
        rows *= self.weights[f"{name}.weight"]
        rows += self.weights[f"{name}.bias"]
        return rows

    def _attention(self, hidden: Array, places: Sequence[slice], name: str) -> Array:
        heads = self.shape.heads
        width = hidden.shape[1] // heads
        query, key, value = (
            self._linear(hidden, f"{name}.{part}").reshape(-1, heads, width) for part in ("query", "key", "value")
        )
        query *= np.float32(width**-0.5)
        seen = np.empty_like(hidden)
        for place in places:
            scores = query[place].transpose(1, 0, 2) @ key[place].transpose(1, 2, 0)
            scores -= scores.max(axis=2, keepdims=True)
            np.exp(scores, out=scores)
            scores /= scores.sum(axis=2, keepdims=True)
            seen[place] = (scores @ value[place].transpose(1, 0, 2)).transpose(1, 0, 2).reshape(-1, hidden.shape[1])
        return seen


_matrix_lock = threading.Lock()
_matrix_users = 0
_matrix_shared: list[tuple[Any, int]] = []
"""Libraries that have one number of threads for the whole process, and what it was before the first user came."""


@contextlib.contextmanager
def _one_matrix_thread() -> Iterator[None]:
    """Keep the library for matrices to one thread of its own: its threads wait for each other in busy loops.

    Enter it in each thread that multiplies. OpenBLAS over OpenMP has a number for each thread, which gets its own back.
    Elsewhere the number is one for the process: the first user sets it, and the last one puts back what was there.
    """
    global _matrix_users
    libraries = _matrix_libraries()
    own = [(library, library.num_threads) for library in libraries if _is_per_thread(library)]
    with _matrix_lock:
        if not _matrix_users:
            _matrix_shared[:] = [(library, library.num_threads) for library in libraries if not _is_per_thread(library)]
        _matrix_users += 1
        _set_threads((library, 1) for library in libraries)
    try:
        yield
    finally:
        with _matrix_lock:
            _matrix_users -= 1
            _set_threads(own)
            if not _matrix_users:
                _set_threads(_matrix_shared)


@cache
def _matrix_libraries() -> list[Any]:
    """Return the controllers of the libraries behind numpy, which is loaded by now."""
    libraries: list[Any] = ThreadpoolController().select(user_api="blas").lib_controllers
    return libraries


def _is_per_thread(library: Any) -> bool:
    return bool(library.internal_api == "openblas" and library.threading_layer == "openmp")


def _set_threads(numbers: Iterable[tuple[Any, int]]) -> None:
    """Set the number of threads of libraries.

    threadpoolctl from 3.7 on leaves a number of the whole process to the first thread that sets it, and does nothing in
    any other until that thread has let go of it. Users of a store come in any thread.
    """
    for library, number in numbers:
        let_go = getattr(library, "clear_controlling_thread", None)
        if let_go is not None:
            let_go(force=True)
        library.set_num_threads(number)
        if let_go is not None:
            let_go(force=True)


def _batches(texts: Sequence[Sequence[int]]) -> Iterator[list[Sequence[int]]]:
    batch: list[Sequence[int]] = []
    tokens = 0
    for text in texts:
        if batch and tokens + len(text) > _TOKENS_AT_ONCE:
            yield batch
            batch, tokens = [], 0
        batch.append(text)
        tokens += len(text)
    yield batch


def _gelu(rows: Array) -> Array:
    """Return x * Phi(x), Phi the normal distribution's; works in place.

    The error function is that of Abramowitz and Stegun, Handbook of Mathematical Functions, 7.1.26: it is off by at
    most 1.5e-7, which is the precision of float32 around 1.
    """
    one, half = np.float32(1), np.float32(0.5)
    p, root = np.float32(0.3275911), np.float32(0.5**0.5)
    a1, a2, a3, a4, a5 = map(np.float32, (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429))
    for start in range(0, len(rows), _ROWS):
        x = rows[start : start + _ROWS]
        size = np.abs(x)
        z = size * root
        t = one / (one + p * z)
        tail = t * (a1 + t * (a2 + t * (a3 + t * (a4 + t * a5)))) * np.exp(-z * z)
        x += size * (one - tail)  # x * erf(x / sqrt(2)) is the same for x and -x
        x *= half
    return rows


def _read_safetensors(mapped: mmap.mmap) -> dict[str, Any]:
    """Return the tensors of a mapped file by name, which are not read: only what is used comes into memory.

    The format: eight bytes for the length of a header in JSON, the header, then the bytes of the tensors
    (https://github.com/huggingface/safetensors#format).
    """
    data = np.frombuffer(mapped, dtype=np.uint8)
    start = 8 + int(data[:8].view("<u8")[0])
    header = json.loads(data[8:start].tobytes())
    header.pop("__metadata__", None)
    return {
        name: data[start + first : start + last].view(_DTYPES[stated["dtype"]]).reshape(stated["shape"])
        for name, stated in header.items()
        for first, last in [stated["data_offsets"]]
    }
