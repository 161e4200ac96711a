"""The command line: the same store, the same results, in the terminal.

``main`` runs it, ``app`` is the typer application. Both are defined in ``program``, which collects the commands of this
and of other packages. It is loaded when one of them is accessed, so that any module here, and any that adds commands,
can be imported first.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ragraph.faces.cli.program import app, main

__all__ = ["app", "main"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(import_module("ragraph.faces.cli.program"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
