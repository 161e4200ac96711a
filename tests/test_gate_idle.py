"""Conditions of the PDF reader that never decide anything are found by counting."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bench.gate.idle import idle

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    ("kind", "true", "false", "expected"),
    [
        ("if", 0, 3, True),
        ("if", 3, 0, False),
        ("and", 3, 0, True),
        ("and", 0, 3, False),
        ("or", 0, 3, True),
        ("or", 3, 1, False),
        ("or", 0, 0, False),
    ],
)
def test_a_condition_is_idle_if_it_never_decides(kind: str, true: int, false: int, expected: bool) -> None:
    assert idle(kind, true, false) is expected


@pytest.mark.slow
def test_the_command_counts_over_a_file() -> None:
    file = ROOT / "tests" / "golden" / "invoice.pdf"
    command = [sys.executable, "-m", "bench.gate.idle", str(file), "--module", "ragraph.pdf.headings.contents"]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    assert printed[-1].endswith("conditions never decide anything on 2 pages of 1 files")
    assert all(line.startswith("headings.contents:") for line in printed[:-1])
