"""Arrows between the packages point one way: schema <- ragraph <- ingest."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FORBIDDEN = {
    "schema": ("ragraph.ingest", "ragraph.store", "ragraph.database", "ragraph.server", "ragraph.cli"),
    "sql": ("ragraph",),
    "migrations": ("ragraph.ingest", "ragraph.store", "ragraph.cli"),
    "ragraph": ("ragraph.ingest",),
}
FILES = [(folder, path) for folder in FORBIDDEN for path in sorted((ROOT / folder).rglob("*.py"))]


def _imports(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


@pytest.mark.parametrize(("folder", "path"), FILES, ids=lambda value: value if isinstance(value, str) else value.stem)
def test_no_arrow_points_back(folder: str, path: Path) -> None:
    if path == ROOT / "schema" / "generate.py":
        pytest.skip("a program: it starts a server to dump the schema from it")
    for name in _imports(path):
        for forbidden in FORBIDDEN[folder]:
            assert name != forbidden and not name.startswith(forbidden + "."), f"{path.name} imports {name}"


def test_no_file_is_too_long_to_read_in_one_sitting() -> None:
    folders = ("ragraph", "schema", "ingest", "migrations", "bench", "tests")
    long = {
        str(path.relative_to(ROOT)): lines
        for folder in folders
        for path in (ROOT / folder).rglob("*.py")
        if (lines := len(path.read_text().splitlines())) > 600
    }
    assert long == {}


def test_importing_ragraph_loads_neither_torch_nor_docling() -> None:
    import subprocess
    import sys

    code = "import sys, ragraph, ragraph.cli; print(sorted({'torch', 'docling', 'transformers'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
