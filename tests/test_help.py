"""The help of every command fits 80 columns, and keeps each example on a line of its own."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from typer.main import get_command

from ragraph.faces.cli import app, main

if TYPE_CHECKING:
    from collections.abc import Iterator


def _commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield path, command
    for name, inner in getattr(command, "commands", {}).items():
        yield from _commands(inner, (*path, name))


COMMANDS = dict(_commands(get_command(app)))


def _examples(command: Any) -> list[str]:
    text = inspect.cleandoc(inspect.unwrap(command.callback).__doc__ or "") if command.callback else ""
    found = re.search(r"^Examples?:\n((?:    .+\n?)+)", text, re.MULTILINE)
    return [line.strip() for line in found[1].splitlines()] if found else []


def _help(path: tuple[str, ...], command: Any, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("COLUMNS", "80")
    context = command.make_context("ragraph", [], resilient_parsing=True)
    context.info_name = " ".join(("ragraph", *path))
    return str(command.get_help(context))


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_help_fits_and_keeps_its_examples(path: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    command = COMMANDS[path]
    lines = _help(path, command, monkeypatch).splitlines()
    assert max(map(len, lines)) <= 80
    examples = _examples(command)
    assert examples or not command.callback or hasattr(command, "commands"), "a command shows how it is called"
    for example in examples:
        assert f"    {example}" in lines
        assert "ragraph" in example
    assert not re.search(r"\b_[A-Z]+\b", "\n".join(lines)), "a name of the program, not of an argument"
    assert "\b" not in "".join(lines)
    listed = lines[lines.index("Commands:") + 1 :] if "Commands:" in lines else []
    assert not [line for line in listed if line.endswith("...")], "a command is told in one short sentence"


def test_help_loads_neither_a_driver_nor_what_draws_tables() -> None:
    code = (
        "import sys; sys.argv = ['ragraph', '--help']\nfrom ragraph.faces.cli import main"
        "\ntry:\n    main()\nfinally:\n    "
    )
    code += "print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0
    assert "Start with" in done.stdout
    needless = {"psycopg", "numpy", "pydantic", "rich.markdown", "rich.traceback", "rich.progress", "platformdirs"}
    assert not needless & set(done.stderr.split())


@pytest.mark.parametrize("group", [(), ("db",), ("jobs",), ("models",), ("assets",), ("cluster",)], ids=" ".join)
def test_a_group_without_its_command_prints_the_help(
    group: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["ragraph", *group])
        main()
    assert ended.value.code == 2
    assert re.search(rf"^Usage: .*{' '.join(group)} \[OPTIONS\] COMMAND", capsys.readouterr().err)
