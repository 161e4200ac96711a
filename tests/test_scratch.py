"""Temporary folders of processes that were killed are removed by whoever makes the next one."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from ragraph.base.scratch import ScratchFolder

HOLDER = """
import sys
from ragraph.base.scratch import ScratchFolder
folder = ScratchFolder(sys.argv[1])
(folder.path / "some.txt").write_text("text")
print(folder.path, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


def _holder() -> tuple[subprocess.Popen[str], Path]:
    command = [sys.executable, "-c", HOLDER, "read"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def test_folders_of_killed_processes_go_and_those_of_living_ones_stay(temporary: Path) -> None:
    process, folder = _holder()
    with process:
        with ScratchFolder("read") as own:
            assert {folder, own.path} == set(temporary.iterdir())
        assert list(temporary.iterdir()) == [folder]
        process.kill()
    assert (folder / "some.txt").exists()
    with ScratchFolder("fetched") as own:  # of another kind, which each run makes
        assert list(temporary.iterdir()) == [own.path]
    assert list(temporary.iterdir()) == []


def test_what_is_no_such_folder_stays(temporary: Path) -> None:
    outside = temporary / "outside"
    outside.mkdir()
    (temporary / "ragraph-read-made").mkdir()  # as another process has just made it
    (temporary / "ragraph-read-file").touch()
    (temporary / "ragraph-read-link").symlink_to(outside)
    before = set(temporary.iterdir())
    ScratchFolder("read").remove()
    assert set(temporary.iterdir()) == before
