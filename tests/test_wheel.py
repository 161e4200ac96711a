"""The wheel holds every file of ours and nothing else; an editable install would hide a forgotten package."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = {"ragraph": "ragraph", "schema": "ragraph/schema", "ingest": "ragraph/ingest", "sql": "ragraph/sql"}
FOLDERS |= {"migrations": "ragraph/migrations", "pdf": "ragraph/pdf"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    source = tmp_path_factory.mktemp("source")
    for name in _tracked():
        target = source / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((ROOT / name).read_bytes())
    built = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(built), str(source)]
    subprocess.run(command, check=True, capture_output=True, cwd=built)
    (path,) = built.glob("*.whl")
    return zipfile.ZipFile(path).namelist()


def _tracked() -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files", "--", "pyproject.toml", "README.md", "LICENSE", *FOLDERS],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return listed.stdout.splitlines()


def test_wheel_holds_all_files_and_nothing_else(wheel: list[str]) -> None:
    expected = set()
    for name in _tracked():
        folder, slash, rest = name.partition("/")
        if (
            slash
            and not name.startswith("pdf/training/")  # learns weights from files that nobody installs
            and not rest.endswith(".mako")
            and rest.endswith((".py", ".sql", ".md", "py.typed", ".html", ".css", ".js", ".svg", ".npz", "titles.json"))
        ):
            expected.add(f"{FOLDERS[folder]}/{rest}")
    held = {name for name in wheel if ".dist-info/" not in name and not name.endswith(".mako")}
    assert held == expected
    assert "ragraph/migrations/script.py.mako" in wheel


def test_wheel_puts_nothing_else_into_site_packages(wheel: list[str]) -> None:
    assert {name.partition("/")[0] for name in wheel if ".dist-info/" not in name} == {"ragraph"}
