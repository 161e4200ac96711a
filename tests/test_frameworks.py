"""The frameworks are extras: nothing imports them but who asks for them, and who lacks one is told which to install."""

from __future__ import annotations

import subprocess
import sys

import pytest

EXTRAS = [("langchain", "langchain_core"), ("llamaindex", "llama_index"), ("haystack", "haystack")]


@pytest.mark.parametrize(("module", "package"), EXTRAS)
def test_a_framework_that_is_missing_is_named_with_its_extra(module: str, package: str) -> None:
    program = f"import sys; sys.modules[{package!r}] = None; import ragraph.{module}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    said = done.stderr.strip().splitlines()[-1]
    assert done.returncode == 1
    assert said.startswith("ModuleNotFoundError: the package ")
    assert said.endswith(f"is missing; install it with: pip install 'ragraph-store[{module}]'")


def test_ragraph_and_its_command_line_import_no_framework() -> None:
    packages = {package for _, package in EXTRAS}
    program = "import sys, ragraph.store.store, ragraph.faces.cli, ragraph.ingest.jobs.start; "
    program += f"print({packages!r} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
