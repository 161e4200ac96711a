"""Every module of the package can be the first that a program imports."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
# Each module is imported in a process that has what others made loaded, and nothing of ours but the packages it is in,
# which Python imports before it in any case: a fork of the one that has imported these. What they import too needs no
# fork. The first process has imported all of ours, and dropped it. What alembic runs itself is no module that somebody
# imports.
PROGRAM = """
import gc, importlib, os, sys
names = sys.argv[1:]
for name in names:
    importlib.import_module(name)
for name in [name for name in sys.modules if name.split(".")[0] == "ragraph"]:
    del sys.modules[name]
gc.disable()
def try_those_in(package):
    for name in names:
        if name.rpartition(".")[0] != package:
            continue
        if name in sys.modules:
            print(name, flush=True)
            try_those_in(name)
        elif child := os.fork():
            os.waitpid(child, 0)
        else:
            try:
                importlib.import_module(name)
                print(name, flush=True)
                try_those_in(name)
            except BaseException as error:
                print(f"{name}: {error!r}", flush=True)
            os._exit(0)
try_those_in("")
"""


def _modules() -> list[str]:
    paths = [
        path.relative_to(ROOT)
        for folder in ("ragraph", "ingest", "pdf", "schema")
        for path in (ROOT / folder).rglob("*.py")
    ]
    names = {path.with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__") for path in paths}
    return sorted(name if name.startswith("ragraph") else f"ragraph.{name}" for name in names)


@pytest.mark.slow  # four hundred processes, each of which imports what it needs of ours
def test_any_module_may_be_imported_first() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM, *_modules()], capture_output=True, text=True, check=False)
    assert sorted(done.stdout.splitlines()) == _modules(), done.stderr[-2000:]


@pytest.mark.parametrize(
    "module", ["ragraph.ingest.cli.command", "ragraph.faces.cli.jobs", "ragraph.faces.cli.program", "ragraph.faces.cli"]
)
def test_a_module_of_commands_may_be_imported_before_the_command_line(module: str) -> None:
    code = f"import {module}; from ragraph.faces.cli import app, main; print(callable(app), callable(main))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "True True\n", done.stderr
