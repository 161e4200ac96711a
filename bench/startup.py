"""Processor time of one call of the command line, from start to end of its process.

    python -m bench.startup [--repeats 5] [--documents DIR]

User and system time of the process and of its children. PostgreSQL runs already, so its time is not included.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bench.throwaway import throwaway_store

if TYPE_CHECKING:
    from collections.abc import Sequence

QUERY = "what grants access in the abstract model"
COMMANDS = {
    "--help": ["--help"],
    "list": ["list"],
    "search, mode text": ["search", QUERY, "--mode", "text", "--match", "any"],
    "search, mode vector": ["search", QUERY, "--mode", "vector"],
    "search, mode hybrid": ["search", QUERY, "--mode", "hybrid"],
}
RAGRAPH = (sys.executable, "-c", "from ragraph.faces.cli import main; main()")


def main() -> None:
    """Measure the commands in turn and print the median of each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--documents", type=Path, default=Path("examples/documents"))
    given = parser.parse_args()
    with throwaway_store() as store:
        store.ingest(given.documents)
        times: dict[str, list[float]] = {name: [] for name in COMMANDS}
        for _ in range(given.repeats + 1):
            for name, arguments in COMMANDS.items():
                times[name].append(processor_seconds([*RAGRAPH, *arguments], store.database.url))
    print(f"processor seconds of one call, median of {given.repeats}")
    for name, found in times.items():
        print(f"{name:24}{statistics.median(found[1:]):.2f}")  # the first call filled the caches


def processor_seconds(command: Sequence[str], url: str) -> float:
    """Return user and system time of a command that must succeed."""
    environment = {**os.environ, "RAGRAPH_DATABASE_URL": url}
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
