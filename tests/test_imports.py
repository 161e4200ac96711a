"""Every module of the package can be the first that a program imports."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
# Each process begins with what others made loaded, and nothing of ours: a fork of one that has imported all of it, and
# dropped ours. What alembic runs itself is no module that somebody imports.
PROGRAM = """
import gc, importlib, os, sys
names = sys.argv[1:]
for name in names:
    importlib.import_module(name)
for name in [name for name in sys.modules if name.split(".")[0] == "ragraph"]:
    del sys.modules[name]
gc.disable()
for name in names:
    child = os.fork()
    if not child:
        try:
            importlib.import_module(name)
        except BaseException as error:
            print(f"{name}: {error!r}", flush=True)
        os._exit(0)
    os.waitpid(child, 0)
print("all were tried")
"""


def _modules() -> list[str]:
    paths = [
        path.relative_to(ROOT) for folder in ("ragraph", "ingest", "schema") for path in (ROOT / folder).rglob("*.py")
    ]
    names = {path.with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__") for path in paths}
    return sorted(name if name.startswith("ragraph") else f"ragraph.{name}" for name in names)


@pytest.mark.slow  # four hundred processes, each of which imports what it needs of ours
def test_any_module_may_be_imported_first() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM, *_modules()], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == ["all were tried"], done.stderr[-2000:]


@pytest.mark.parametrize("module", ["ragraph.ingest.command", "ragraph.cli.jobs", "ragraph.cli.program", "ragraph.cli"])
def test_a_module_of_commands_may_be_imported_before_the_command_line(module: str) -> None:
    code = f"import {module}; from ragraph.cli import app, main; print(callable(app), callable(main))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "True True\n", done.stderr
