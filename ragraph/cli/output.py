"""What every command shares: which store to open, how to print, how to fail."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Column

import ragraph

PIPE_WIDTH = 160
"""Columns when the output is not a terminal, so that tables in files and pipes keep their ids whole."""


def _console(*, stderr: bool) -> Console:
    stream = sys.stderr if stderr else sys.stdout
    return Console(stderr=stderr, width=None if stream.isatty() else PIPE_WIDTH, highlight=False, soft_wrap=False)


console = _console(stderr=False)
errors = _console(stderr=True)

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
DocumentArgument = Annotated[str, typer.Argument(metavar="DOC", help="Id of the document; `ragraph list` shows them.")]


@dataclass
class Connection:
    """The store that the options before the command name; unset ones fall back to the environment."""

    url: str | None = None
    home: Path | None = None


connection = Connection()


def open_store(*, create: bool = False) -> ragraph.Store:
    """Open the store of this call; commands that only read do not make a missing one."""
    return ragraph.open(connection.url, home=connection.home, create=create)


def id_column(name: str) -> Column:
    """Return a column of ids: they are copied into the next command, so other columns give way to them."""
    return Column(name, no_wrap=True, min_width=28)


def print_json(value: Any) -> None:
    """Print results, or lists of them, as JSON on standard output."""
    if isinstance(value, list | tuple):
        value = [item.to_json() if hasattr(item, "to_json") else item for item in value]
    elif hasattr(value, "to_json"):
        value = value.to_json()
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def print_error(error: BaseException) -> None:
    """Print an error as one line on standard error; as JSON when the command was asked for JSON."""
    message = " ".join(str(error).split())
    if "--json" in sys.argv:
        sys.stderr.write(json.dumps({"error": type(error).__name__, "message": message}, ensure_ascii=False) + "\n")
    else:
        errors.print(f"[bold red]error:[/] {escape(message)}", soft_wrap=True)


def pages_label(first: int | None, last: int | None) -> str:
    """Return ``3`` or ``3-7``; empty for formats without pages."""
    if first is None:
        return ""
    return str(first) if first == last else f"{first}-{last}"
