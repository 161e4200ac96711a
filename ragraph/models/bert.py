"""The packaged embedding model, all-MiniLM-L6-v2, and that of the extra ``multilingual``, in numpy without torch.

Loading torch and sentence-transformers takes seconds of processor time; a query with this module takes hundredths of a
second. Texts are concatenated and not padded, so a short text costs no more beside a long one. The vectors equal those
of sentence-transformers except for the last digit of float32.
"""

from __future__ import annotations

import contextlib
import json
import mmap
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from ragraph.base.system import processors

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

Array = NDArray[np.float32]

_TOKENS_AT_ONCE = 2048
"""Maximum number of tokens in a batch; a batch takes some 60 MB of memory per thread."""

_ROWS = 16
"""Number of rows of the widest layer that are computed at a time, so that they stay in the processor's cache."""

_DTYPES = {"F16": "<f2", "F32": "<f4", "I64": "<i8"}


class Shape(NamedTuple):
    """Number of layers, number of heads in each, and the epsilon added to a variance before dividing by it."""

    layers: int
    heads: int
    epsilon: float


class Bert:
    """A BERT with mean pooling whose vectors have length 1. Threads may share it.

    Args:
        folder: a sentence-transformers model: ``config.json`` and ``model.safetensors`` of a BERT.

    Attributes:
        shape: read from ``config.json``.
        weights: tensors by their names in the file, mapped into memory and not read.
    """

    def __init__(self, folder: Path) -> None:
        stated = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        self.shape = Shape(stated["num_hidden_layers"], stated["num_attention_heads"], stated["layer_norm_eps"])
        with (folder / "model.safetensors").open("rb") as file:
            # mapped copy-on-write, because OpenVINO cannot share read-only memory
            self._mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
        self.weights = _read_safetensors(self._mapped)
        self._threads = processors()

    def encode(self, texts: Sequence[Sequence[int]]) -> Array:
        """Return the vectors of texts.

        Args:
            texts: token ids of each text with special tokens; no more than the model has positions.

        Returns:
            float32 of shape (len(texts), dimensions), in the order of ``texts``. A vector of length 0 stays zero.
        """
        if not len(texts):
            return np.empty((0, self.weights["embeddings.word_embeddings.weight"].shape[1]), dtype=np.float32)
        batches = list(_batches(texts))
        if len(batches) == 1:
            return self._alone(batches[0])
        with ThreadPoolExecutor(self._threads, thread_name_prefix="ragraph-bert") as threads:
            return np.concatenate(list(threads.map(self._alone, batches)))

    def release_weights(self) -> None:
        """Return the memory of the weights to the system; they are read from the file again when used."""
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
        words = weights["embeddings.word_embeddings.weight"][np.concatenate(texts)]
        hidden = words.astype(np.float32, copy=False)
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
        """Return rows with mean 0 and variance 1, scaled and shifted by learned weights; works in place."""
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
"""Libraries whose number of threads applies to the whole process, with the number before the first user."""


@contextlib.contextmanager
def _one_matrix_thread() -> Iterator[None]:
    """Limit the matrix library to one thread, because its own threads wait for each other in busy loops.

    To be entered in each thread that multiplies. OpenBLAS over OpenMP has a number for each thread, which is restored
    in that thread. Other libraries have one number for the process: the first user sets it, and the last one restores
    it.
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
    """Return the controllers of the libraries behind numpy, which must be loaded."""
    libraries: list[Any] = ThreadpoolController().select(user_api="blas").lib_controllers
    return libraries


def _is_per_thread(library: Any) -> bool:
    return bool(library.internal_api == "openblas" and library.threading_layer == "openmp")


def _set_threads(numbers: Iterable[tuple[Any, int]]) -> None:
    """Set the number of threads of libraries.

    From threadpoolctl 3.7 on, the first thread that sets a number for the whole process controls it. Calls from any
    other thread do nothing until that thread releases control. A store may be used from any thread, so control is
    released.
    """
    for library, number in numbers:
        release = getattr(library, "clear_controlling_thread", None)
        if release is not None:
            release(force=True)
        library.set_num_threads(number)
        if release is not None:
            release(force=True)


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
    """Return x * Phi(x), where Phi is the distribution function of the normal distribution; works in place.

    The error function is that of Abramowitz and Stegun, Handbook of Mathematical Functions, 7.1.26. Its error is at
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
    """Return the tensors of a mapped safetensors file by name; pages are read only when used.

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
