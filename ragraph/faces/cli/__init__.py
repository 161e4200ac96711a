"""The command line: the same store, the same results, in the terminal.

``main`` runs it, ``app`` is the typer application. Both are defined in ``program``, which collects the commands of this
and of other packages. It is loaded when one of them is accessed, so that any module here, and any that adds commands,
can be imported first.
"""

from __future__ import annotations

import signal
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ragraph.faces.cli.program import app

__all__ = ["app", "main"]


def main() -> None:
    """Run the command line; exit code 0, 1 for a failed operation, 2 for wrong usage, 130 after Ctrl-C."""
    # Ctrl-C ends the program without a traceback while it is being imported, when nothing has begun
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    program = import_module("ragraph.faces.cli.program")
    signal.signal(signal.SIGINT, before)
    program.main()


def __getattr__(name: str) -> Any:
    if name == "app":
        return import_module("ragraph.faces.cli.program").app
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
