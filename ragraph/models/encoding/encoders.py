"""Create encoders by name, check which are installed, and locate the files that they cache."""

from __future__ import annotations

import hashlib
import importlib.util
from typing import TYPE_CHECKING

from ragraph.base import settings
from ragraph.base.extras import install
from ragraph.errors import ArgumentError, ModelError
from ragraph.models.encoding.graphs import LIBRARIES, GraphEncoder
from ragraph.models.encoding.loaded import short
from ragraph.models.encoding.plain import NumpyEncoder, TorchEncoder

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.models.encoding import Encoder
    from ragraph.models.encoding.loaded import LoadedModel

BACKENDS = {
    "openvino": ("openvino/bf16", "openvino/f32"),
    "torch": ("torch/bf16", "torch/f32"),
    "onnx": ("onnx/f32",),
}
"""Encoders of each backend, the faster first. If one is exact enough, those after it are not tried.

OpenVINO comes first: with the default model it takes less memory than torch and a third of its time (`make
bench-encode`).
"""


def make_encoder(name: str, model: LoadedModel) -> Encoder:
    """Return an encoder by name.

    Raises:
        ModelError: its library is not installed, or cannot compute the model.
    """
    library, _, precision = name.partition("/")
    if library == "numpy":
        return NumpyEncoder(model)
    if library == "torch":
        return TorchEncoder(model, precision)
    try:
        return GraphEncoder(model, library, precision, folder_of(model))
    except ImportError as error:
        raise ModelError(f"the backend {library} is not installed ({short(error)})", hint=_install(library)) from error
    except Exception as error:  # errors of torch, which traces the model, and of the library
        raise ModelError(f"{library} cannot compute the model {model.name!r}: {short(error)}") from error


def check_backend(backend: str) -> str:
    """Return the name of a backend if it can be used.

    Args:
        backend: ``auto``, ``plain``, one of ``BACKENDS``, or one of their encoders, such as ``openvino/f32``.

    Raises:
        ArgumentError: the name is unknown, or its library is not installed.
    """
    known = [*BACKENDS, *(name for names in BACKENDS.values() for name in names)]
    if backend not in ("auto", "plain", *known):
        raise ArgumentError(f"backend {backend!r} is not known; use auto, plain, {', '.join(known)}")
    library = backend.partition("/")[0]
    if library in LIBRARIES and not is_installed(library):
        raise ArgumentError(f"the backend {library} is not installed", hint=_install(library))
    return backend


def folder_of(model: LoadedModel) -> Path:
    """Return the folder in RAGRAPH_HOME for the cached files of a model: its graphs and the chosen encoders."""
    digest = hashlib.sha256()
    for file in sorted(file for file in model.folder.rglob("*") if file.is_file()):
        stat = file.stat()
        digest.update(f"{file.relative_to(model.folder)} {stat.st_size} {stat.st_mtime_ns}\n".encode())
    return settings.home() / "encoders" / digest.hexdigest()[:16]


def is_installed(library: str) -> bool:
    """Return True if the library of a backend is installed."""
    modules = {"onnx": ("onnxruntime", "onnx")}.get(library, (library,))
    return all(importlib.util.find_spec(name) is not None for name in modules)


def _install(library: str) -> str:
    return f"install it: {install(library)}"
