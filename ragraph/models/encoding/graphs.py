"""Encoders that compute the whole model, with pooling, as one graph of OpenVINO or onnxruntime.

The graph is traced once from the sentence-transformers model and stored in ``RAGRAPH_HOME``, so that later runs load
neither torch nor sentence-transformers. A model that cannot be traced raises an error, and the trial in ``choice.py``
rejects a graph that was traced wrong. The packaged model's OpenVINO graph is built from its weights each time
(``bert_graph.py``), which needs no torch, no file and little memory.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ragraph.models.encoding.bert_graph import bert_graph
from ragraph.models.encoding.packing import in_batches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ragraph.models.encoding import Vectors
    from ragraph.models.encoding.loaded import LoadedModel

    Compute = Callable[[Any, Any], Any]
    """Computes vectors from token ids and attention mask, both int64 of shape (texts, tokens)."""

INPUTS = ("input_ids", "attention_mask")
OUTPUT = "sentence_embedding"

_STEP = 8
"""The number of tokens of a batch is padded to a multiple of this."""


class _Library(Protocol):
    """A library that runs graphs: the name of its file, how to export and how to load it."""

    file: str

    def export(self, model: Any, example: tuple[Any, Any], path: Path) -> None: ...

    def load(self, model: LoadedModel, folder: Path, precision: str) -> Compute: ...


class GraphEncoder:
    """A model as a graph.

    Args:
        model: the model.
        library: ``openvino`` or ``onnx``.
        precision: ``f32`` or ``bf16``.
        folder: folder in which the graph is stored.

    Raises:
        ImportError: the library is not installed.
        Exception: the model cannot be traced, or the library cannot load the graph; any class of the library.
    """

    def __init__(self, model: LoadedModel, library: str, precision: str, folder: Path) -> None:
        self.name = f"{library}/{precision}"
        self._model = model
        self._compute = LIBRARIES[library].load(model, folder / library, precision)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """See ``Encoder.encode``."""
        tokens = self._model.token_ids(texts)

        def compute(batch: list[int]) -> Vectors:
            longest = max(len(tokens[place]) for place in batch) or 1
            # libraries compile code for each new shape, so padding limits the number of shapes
            ids = np.zeros((len(batch), min(-(-longest // _STEP) * _STEP, self._model.max_tokens)), dtype=np.int64)
            mask = np.zeros_like(ids)
            for row, place in enumerate(batch):
                ids[row, : len(tokens[place])] = tokens[place]
                mask[row, : len(tokens[place])] = 1
            vectors = np.asarray(self._compute(ids, mask), dtype=np.float32)
            if self._model.normalized:
                vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.float32(1e-12))
            return vectors

        found = in_batches([max(len(ids), 1) for ids in tokens], compute)
        if self._model.packaged:
            self._model.bert.release_weights()  # libraries have copied the weights in a layout that suits the processor
        return found


class _OpenVino:
    file = "model.xml"

    def export(self, model: Any, example: tuple[Any, Any], path: Path) -> None:
        import openvino

        openvino.save_model(openvino.convert_model(model, example_input=example), path, compress_to_fp16=False)

    def load(self, model: LoadedModel, folder: Path, precision: str) -> Compute:
        import openvino

        core = openvino.Core()
        if precision == "bf16" and "BF16" not in core.get_property("CPU", "OPTIMIZATION_CAPABILITIES"):
            raise ValueError("the processor only emulates bf16, 30 times as slowly; use openvino/f32")
        options = {"INFERENCE_PRECISION_HINT": precision, "PERFORMANCE_HINT": "LATENCY"}
        graph = bert_graph(model.bert) if model.packaged else _graph_file(model, self, folder)
        request = core.compile_model(graph, "CPU", options).create_infer_request()
        # copied, because the next inference reuses this memory
        return lambda ids, mask: request.infer([ids, mask])[0].copy()


class _Onnx:
    file = "model.onnx"

    def export(self, model: Any, example: tuple[Any, Any], path: Path) -> None:
        import onnx  # noqa: F401 -- fails early, before torch takes seconds
        import torch

        axes = {**{name: {0: "texts", 1: "tokens"} for name in INPUTS}, OUTPUT: {0: "texts"}}
        torch.onnx.export(
            model, example, str(path), input_names=list(INPUTS), output_names=[OUTPUT], dynamic_axes=axes, dynamo=False
        )

    def load(self, model: LoadedModel, folder: Path, precision: str) -> Compute:
        import onnxruntime

        if precision != "f32":
            raise ValueError(f"onnx computes in f32, not in {precision}")
        session = onnxruntime.InferenceSession(_graph_file(model, self, folder), providers=["CPUExecutionProvider"])
        return lambda ids, mask: session.run(None, dict(zip(INPUTS, (ids, mask), strict=True)))[0]


LIBRARIES: dict[str, _Library] = {"openvino": _OpenVino(), "onnx": _Onnx()}
"""Libraries by the name of the backend, which is also the name of the extra."""


def _graph_file(model: LoadedModel, library: _Library, folder: Path) -> Path:
    """Return the file of the graph; create it if missing.

    If another process creates the folder first, that one is used.
    """
    if (folder / library.file).is_file():
        return folder / library.file
    if _is_table(model):  # checked here, because torch takes seconds to load before the trace fails
        raise ValueError("it looks vectors of words up in a table, which is no graph")
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        with _tracing(model) as (module, example):
            library.export(module, example, made / library.file)
        with contextlib.suppress(OSError):
            made.rename(folder)
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return folder / library.file


def _is_table(model: LoadedModel) -> bool:
    """Return True if the model is a static embedding, which takes offsets of texts and no attention mask."""
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
        modules = json.loads((model.folder / "modules.json").read_text(encoding="utf-8"))
        return any(str(module["type"]).rpartition(".")[2] == "StaticEmbedding" for module in modules)
    return False


@contextlib.contextmanager
def _tracing(model: LoadedModel) -> Iterator[tuple[Any, tuple[Any, Any]]]:
    """Prepare a model for tracing.

    Yields:
        The model as a module from two tensors to one, and an example of the two tensors.
    """
    import torch

    transformer = model.transformer
    if transformer.device.type != "cpu":
        raise ValueError("graphs are made and run on the processor; there is a graphics card")

    class Whole(torch.nn.Module):  # defined here, after torch was imported
        def __init__(self) -> None:
            super().__init__()
            self.transformer = transformer

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            return self.transformer({"input_ids": input_ids, "attention_mask": attention_mask})[OUTPUT]

    example = torch.ones(2, 8, dtype=torch.int64)
    with warnings.catch_warnings(), torch.inference_mode(), _silent():
        # warnings about values that a trace takes as constant; the trial detects errors
        warnings.simplefilter("ignore")
        yield Whole().eval(), (example, torch.ones_like(example))


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """Keep log messages of transformers off the terminal during tracing."""
    from transformers.utils import logging

    level = logging.get_verbosity()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(level)
