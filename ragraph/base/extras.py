"""The extras of the package: which there are, and which are installed."""

from __future__ import annotations

import importlib.util

EXTRAS = {
    "answer": ("pydantic_ai",),
    "haystack": ("haystack",),
    "langchain": ("langchain_core",),
    "layout": ("rapid_layout", "onnxruntime"),
    "llamaindex": ("llama_index.core",),
    "mcp": ("mcp",),
    "ocr": ("rapidocr", "onnxruntime"),
    "onnx": ("onnx",),
    "openai": ("openai",),
    "openvino": ("openvino",),
    "otel": ("opentelemetry.sdk",),
    "parquet": ("pyarrow",),
    "ray": ("ray",),
    "remote": ("s3fs",),
    "spacy": ("spacy",),
    "web": ("fastapi",),
}
"""The extras of the package, with the modules that each brings."""


def extra_there(name: str) -> bool:
    """Return True if all modules of an extra of ``EXTRAS`` are installed; they are not imported."""
    return name in EXTRAS and all(map(_is_there, EXTRAS[name]))


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # the package above it is missing
        return False
