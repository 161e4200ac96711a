"""Jobs give way to whoever searches meanwhile."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from ragraph.base import settings
from ragraph.errors import ArgumentError

_SAY = (
    "import os; from ragraph.ingest.common.priority import give_way; give_way(); "
    "print(os.getpriority(os.PRIO_PROCESS, 0))"
)


def _priority(nice: str) -> int:
    environment = {**os.environ, "RAGRAPH_NICE": nice}
    said = subprocess.run([sys.executable, "-c", _SAY], env=environment, capture_output=True, text=True, check=True)
    return int(said.stdout)


def test_jobs_give_way_unless_told_otherwise() -> None:
    own = os.getpriority(os.PRIO_PROCESS, 0)
    assert _priority("") == max(own, 10)
    assert _priority("15") == max(own, 15)
    assert _priority("0") == own


@pytest.mark.parametrize("value", ["20", "-1", "low"])
def test_what_is_no_priority_is_told(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("RAGRAPH_NICE", value)
    with pytest.raises(ArgumentError, match="from 0 to 19"):
        settings.nice()
