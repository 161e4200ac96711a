"""Runs the command line within the test's own process; returns the output and exit code of `ragraph ...`."""

from __future__ import annotations

import functools
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
import typer.main
import typer.testing

from ragraph.faces.cli import main

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def built_once() -> Iterator[None]:
    """Build the tree of commands once for all calls in this process; building it takes longer than most commands.

    A call does not change it, and no test adds a command.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer.main, "get_command", functools.cache(typer.main.get_command))
        patch.setattr(typer.testing, "_get_command", typer.main.get_command)
        yield


@dataclass(frozen=True)
class Ended:
    """Result of a command: its exit code and its output."""

    code: int
    out: str
    err: str


class CommandLine:
    """Runs commands on one store; a traceback is a failure of the test, since nothing here catches it."""

    def __init__(self, url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch, self._capsys = monkeypatch, capsys
        monkeypatch.setenv("RAGRAPH_DATABASE_URL", url)

    def __call__(self, *arguments: str) -> Ended:
        self._monkeypatch.setattr(sys, "argv", ["ragraph", *arguments])
        self._capsys.readouterr()
        try:
            main()
            code = 0
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 1 if ended.code else 0
        printed = self._capsys.readouterr()
        return Ended(code, printed.out, printed.err)
