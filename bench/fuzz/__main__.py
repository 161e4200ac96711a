"""Call one face of ragraph with made-up arguments, fitting and wrong ones, over a small store.

    python -m bench.fuzz commands --minutes 15
    python -m bench.fuzz methods --minutes 15
    python -m bench.fuzz service --minutes 15
    python -m bench.fuzz tools --minutes 15

The faces are: every command of the command line; every method of a store; every request of ``ragraph serve --write``,
its pages too; every message of ``ragraph mcp --write``. Commands, service and tools are processes of their own.

Nothing but the documented may happen: exit codes 0, 1 and 2, of which 2 comes with one line; errors of ragraph's own
classes in one line; statuses and bodies that the service describes; codes of the protocol. There may be no traceback,
no failure of the server, no call that does not end. What is refused leaves all rows, indexes and originals as
they were. A call that changes the store is followed by a new copy of it. Exit code 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, Phase, given, seed, settings

from bench.fuzz.commands import Commands
from bench.fuzz.library import Library
from bench.fuzz.methods import Methods
from bench.fuzz.service import Service
from bench.fuzz.tools import Tools

if TYPE_CHECKING:
    from collections.abc import Callable

FACES: dict[str, Callable[[Library], Any]] = {
    "commands": Commands,
    "methods": Methods,
    "service": Service,
    "tools": Tools,
}
AT_ONCE = 200
"""Calls between two looks at the clock."""


def main() -> None:
    """Run the command; exit code 1 if anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=tuple(FACES))
    parser.add_argument("--minutes", type=float, default=15.0)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    with Library() as library:
        os.chdir(library.folder.parent)
        os.environ["RAGRAPH_HOME"] = str(library.other_home)
        caller = FACES[options.what](library)
        end = time.monotonic() + options.minutes * 60
        turn = 0
        while time.monotonic() < end:
            _call(caller, options.seed + turn, end)
            turn += 1
            print(f"{caller.called.calls} calls, {len(caller.called.wrong)} wrong", file=sys.stderr, flush=True)
        caller.close()
    for name, how in sorted(caller.called.wrong.items()):
        print(f"wrong: {name}\n    {how}")
    print(", ".join(f"{name} {number}" for name, number in caller.called.codes.most_common()))
    print(f"{caller.called.calls} calls, {len(caller.called.wrong)} wrong, seed {options.seed}")
    sys.exit(1 if caller.called.wrong else 0)


def _call(caller: Any, number: int, end: float) -> None:
    """Make up calls, and call them until time is up."""

    @seed(number)
    @settings(
        max_examples=AT_ONCE, phases=[Phase.generate], deadline=None, database=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(caller.strategy())
    def each(call: Any) -> None:
        if time.monotonic() < end:
            before = set(caller.called.wrong)
            caller(call)
            for name in caller.called.wrong.keys() - before:
                print(f"wrong: {name}\n    {caller.called.wrong[name]}", file=sys.stderr, flush=True)

    each()


if __name__ == "__main__":
    main()
