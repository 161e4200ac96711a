"""What depends on the operating system is in one module, and its fallbacks work."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from ragraph.base import system
from ragraph.ingest.common import memory
from ragraph.models.embedding import load_model

ROOT = Path(__file__).parent.parent
SYSTEM = re.compile(
    r"^\s*(?:import|from) (?:fcntl|pwd|resource|termios)\b|sched_getaffinity|['\"]/proc/|killpg|prctl|mallopt\("
    r"|[gs]etxattr"
)
APART = {
    "ragraph/base/system.py",
    "ragraph/server/watch.py",  # a program that imports nothing of ragraph, so that it starts at once
}


def test_no_other_module_calls_the_system() -> None:
    found = [
        f"{name}:{number}"
        for folder in ("ragraph", "ingest", "pdf")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if (name := path.relative_to(ROOT).as_posix()) not in APART
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if SYSTEM.search(line)
    ]
    assert found == []


def test_elsewhere_than_on_linux_there_are_fallbacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system, "LINUX", False)
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    assert system.processors() == (os.cpu_count() or 1)
    assert system.processor_description() == []
    assert system.process_namespace() is None
    system.lower_limit("memory", 1)  # else this process would fail from here on
    memory.keep_little()
    memory.give_back()
    assert len(load_model().encode_query("text")) == 384


def test_a_lock_is_held_by_one_open_file(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    one, other = (os.open(path, os.O_RDWR | os.O_CREAT) for _ in range(2))
    try:
        assert system.try_lock(one)
        assert not system.try_lock(other)
        assert not system.try_lock(other, system.SHARED)
        os.close(one)
        assert system.try_lock(other, system.SHARED)
    finally:
        os.close(other)


def test_a_group_that_has_ended_is_no_error() -> None:
    system.kill_group(2**22 + 1)
