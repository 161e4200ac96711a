"""The name of the package for pip; ``ragraph`` on PyPI is another project, which nothing here may install."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from ragraph.base.extras import DISTRIBUTION, OVERWRITTEN, install

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = "|".join(PROJECT["optional-dependencies"])
AS_DISTRIBUTION = re.compile(
    rf"""(?<![\w/.-])ragraph\\?\[(?:{EXTRAS})\b   # ragraph[web], also in a pattern
      | (?:pip[ ]install|uvx|uv[ ]tool[ ]install|pipx[ ]install)\b[^\n`#]*[ '"]ragraph(?![\w/.-])
      | \bversion\(["']ragraph["']\)
      | pypi\.org/project/ragraph(?![\w-])
      """,
    re.VERBOSE,
)
READ = (".md", ".py", ".toml", ".json", ".yaml", ".yml", ".sql", ".html", "Makefile", "Dockerfile", "run")


def test_the_package_has_one_name() -> None:
    assert PROJECT["name"] == DISTRIBUTION
    (package,) = json.loads((ROOT / "server.json").read_text())["packages"]
    assert package["identifier"] == DISTRIBUTION
    assert install("web", "mcp") == f"pip install '{DISTRIBUTION}[web,mcp]'"


def test_nothing_installs_the_other_project() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    found = []
    for name in listed.stdout.splitlines():
        if name.endswith(READ) and name != "tests/test_distribution.py" and (ROOT / name).is_file():
            for number, line in enumerate((ROOT / name).read_text(errors="replace").splitlines(), 1):
                if AS_DISTRIBUTION.search(line):
                    found.append(f"{name}:{number}: {line.strip()}")
    assert found == []


def test_the_command_reports_that_the_other_project_lies_over_it() -> None:
    program = (
        "import sys, types, ragraph; other = types.ModuleType('ragraph'); other.__path__ = ragraph.__path__;"
        "sys.modules['ragraph'] = other; from ragraph.faces.cli.program import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, f"error: {OVERWRITTEN}\n")
