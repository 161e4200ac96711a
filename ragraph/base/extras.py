"""The extras of the package: which there are, and which are installed."""

from __future__ import annotations

import importlib.metadata
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

DISTRIBUTION = "ragraph-store"
"""Name of the package for pip; ``ragraph`` on PyPI is another project, which also installs a package ``ragraph``."""

OVERWRITTEN = (
    "the other project called ragraph is installed over this one: run `pip uninstall ragraph`, "
    f"then `pip install --force-reinstall --no-deps {DISTRIBUTION}`"
)
"""What the command line prints if ``ragraph/__init__.py`` is that of the other project."""


def install(*extras: str) -> str:
    """Return the command that installs extras of the package."""
    return f"pip install '{DISTRIBUTION}[{','.join(extras)}]'"


def package_version() -> str:
    """Return the version of the installed package; ``0+unknown`` in a checkout that was never installed."""
    try:
        return importlib.metadata.version(DISTRIBUTION)
    except importlib.metadata.PackageNotFoundError:
        return "0+unknown"


def extra_there(name: str) -> bool:
    """Return True if all modules of an extra of ``EXTRAS`` are installed; they are not imported."""
    return name in EXTRAS and all(map(_is_there, EXTRAS[name]))


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # the package above it is missing
        return False
