"""Every module of the package can be the first that a program imports."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
# Each module is imported with what others made loaded, and nothing of ours but the packages it is in, which Python
# imports before it in any case. So all of ours are imported, dropped, and imported one at a time. That is done within
# one process: a fork for each takes longer than most imports. Collections skip what others made, which stays.
PROGRAM = """
import gc, importlib, sys
names = sys.argv[1:]
def drop_ours():
    for name in [name for name in sys.modules if name.split(".")[0] == "ragraph"]:
        del sys.modules[name]
for name in names:
    importlib.import_module(name)
drop_ours()
gc.collect()
gc.freeze()
for name in names:
    try:
        importlib.import_module(name)
        print(name, flush=True)
    except BaseException as error:
        print(f"{name}: {error!r}", flush=True)
    drop_ours()
"""


def _modules() -> list[str]:
    paths = [
        path.relative_to(ROOT)
        for folder in ("ragraph", "ingest", "pdf", "schema")
        for path in (ROOT / folder).rglob("*.py")
    ]
    names = {path.with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__") for path in paths}
    return sorted(name if name.startswith("ragraph") else f"ragraph.{name}" for name in names)


@pytest.mark.slow  # five hundred imports, each of what the module needs of ours
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
