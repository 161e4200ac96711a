"""The wheel holds every file of ours and nothing else; an editable install would hide a forgotten package."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from ragraph.faces.cli import demo
from ragraph.faces.web.pages import STYLES

ROOT = Path(__file__).parent.parent
SOURCES = ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE", "examples/documents")
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
        [
            "git",
            "ls-files",
            "--",
            "pyproject.toml",
            "setup.py",
            "MANIFEST.in",
            "examples/documents",
            "README.md",
            "LICENSE",
            *FOLDERS,
        ],
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
            and folder in FOLDERS
            and not name.startswith("pdf/training/")  # learns weights from files that nobody installs
            and not rest.endswith(".mako")
            and rest.endswith(
                (
                    ".py",
                    ".pyi",
                    ".sql",
                    ".md",
                    "py.typed",
                    ".html",
                    ".css",
                    ".js",
                    ".svg",
                    ".npz",
                    "titles.json",
                    "weights.json",
                )
            )
        ):
            expected.add(f"{FOLDERS[folder]}/{rest}")
    ours = [name for name in wheel if ".dist-info/" not in name and not name.startswith("ragraph/packed/")]
    assert {name for name in ours if not name.endswith(".mako")} == expected
    assert "ragraph/migrations/script.py.mako" in wheel


def test_wheel_puts_nothing_else_into_site_packages(wheel: list[str]) -> None:
    assert {name.partition("/")[0] for name in wheel if ".dist-info/" not in name} == {"ragraph"}


def test_wheel_holds_the_default_model_the_styles_of_the_page_and_the_demo(wheel: list[str]) -> None:
    packed = {name.removeprefix("ragraph/packed/") for name in wheel if name.startswith("ragraph/packed/")}
    assert {"model/config.json", "model/model.safetensors", "model/modules.json", "model/tokenizer.json"} <= packed
    assert {f"demo/{name}" for name in demo.FILES} <= packed
    assert {name for name in packed if name.startswith("styles/")} == {f"styles/{name}.csl" for name in STYLES}
