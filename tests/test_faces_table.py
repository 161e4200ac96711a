"""The table of interfaces in docs/reference/faces.md: what it names exists, and what exists is in it."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from typer.main import get_command

import ragraph
from ragraph import haystack, langchain, llamaindex
from ragraph.faces.cli import app
from ragraph.faces.web.app import create_app
from ragraph.tools.reading import ReadingTools
from ragraph.tools.toolbox import READING, WRITING
from ragraph.tools.writing import WritingTools

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "reference" / "faces.md").read_text()
COLUMNS = ("Python", "SQL", "command line", "REST", "MCP", "browser", "frameworks")
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line.startswith("| ")]
REASONS = set(re.findall(r"^- \*\*(\w)\*\*", PAGE, re.MULTILINE))
_NO_STORE: Any = None  # no call is made
SERVICE: Any = create_app(_NO_STORE, write=True)


def _named(column: str) -> set[str]:
    place = COLUMNS.index(column) + 1
    return {name for row in ROWS[2:] for name in re.findall(r"`([^`]+)`", row[place])}


def _commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Yield each command with the function that it runs."""
    for name, inner in command.commands.items():
        if hasattr(inner, "commands"):
            yield from _commands(inner, (*path, name))
        else:
            yield " ".join((*path, name)), inner.callback


METHODS = {
    f"store.{name}" for name, _ in inspect.getmembers(ragraph.Store, inspect.isfunction) if not name.startswith("_")
}
CALLS = {
    f"{method.upper()} {path.removeprefix('/api')}"
    for path, methods in SERVICE.openapi()["paths"].items()
    for method in methods
}
FUNCTIONS = {
    found.lower()
    for path in (ROOT / "sql" / "functions").glob("*.sql")
    for found in re.findall(r"create or replace (?:function|procedure) ragraph\.(\w+)", path.read_text(), re.IGNORECASE)
}


def test_each_row_has_each_column_with_names_or_a_reason() -> None:
    assert tuple(ROWS[0][1:]) == COLUMNS
    for row in ROWS[2:]:
        assert len(row) == len(COLUMNS) + 1, row
        for cell in row[1:]:
            assert re.fullmatch(r"`[^`]+`(, `[^`]+`)*", cell) or cell in REASONS, (row[0], cell)


@pytest.mark.parametrize(
    ("column", "there"),
    [
        ("Python", METHODS | {"ragraph.open", "ragraph.aopen", "ragraph.restore", "hit.table"}),
        ("command line", {name for name, _ in _commands(get_command(app))}),
        ("REST", CALLS),
        ("MCP", {*READING, *WRITING}),
    ],
)
def test_what_there_is_is_in_the_table(column: str, there: set[str]) -> None:
    assert _named(column) == there


def test_what_there_is_but_not_reached_for_is_named_below_the_table() -> None:
    below = PAGE.partition("Not in the table:")[2]
    assert below
    left_out = set(re.findall(r"`([^`]+)`", below))
    pages = {path for path in _routes() if path and not path.startswith(("/api", "GET ", "POST "))}
    classes = {name for module in (langchain, llamaindex, haystack) for name in module.__all__}
    there = FUNCTIONS | {path for path in pages if " " not in path} | classes
    named = _named("SQL") | _named("browser") | _named("frameworks")
    assert named & left_out == set()
    assert named | left_out == there


ELSEWHERE = {
    *(("Open a store, close it", f"db {word}") for word in ("init", "url", "stop", "psql")),  # they need no open store
    *(("Ingest files", f"POST /documents{rest}") for rest in ("", "/from-url")),  # the queue of uploads calls it
    ("Cancel and resume jobs", "POST /jobs/{job}/resume"),  # the queue of uploads calls it
    ("Details of a document", "list_documents"),
    ("Tables as rows, CSV, HTML, data frames", "read_section"),  # they are in its text
    ("Linear text", "read_section"),
    ("Evaluate and tune", "judge"),
}
"""What calls the method of its row by a function of its own."""


@pytest.mark.parametrize("row", ROWS[2:], ids=lambda row: row[0])
def test_what_a_row_names_does_what_the_row_says(row: list[str]) -> None:
    """What a command, call or tool runs uses a method of its row."""
    python = {name.rpartition(".")[2] for name in re.findall(r"`([^`]+)`", row[1])}
    uses = re.compile(rf"\.({'|'.join(sorted(python))})\b")
    tools = {**vars(ReadingTools), **vars(WritingTools)}
    for column, functions in ((3, dict(_commands(get_command(app)))), (4, _routes()), (5, tools)):
        for name in re.findall(r"`([^`]+)`", row[column]) if python else ():
            found = uses.search(_source(inspect.unwrap(functions[name]), set()))
            assert bool(found) != ((row[0], name) in ELSEWHERE), name


def _source(function: Any, seen: set[str]) -> str:
    """Return the source of a function with that of the private ones of its module that it calls."""
    text = inspect.getsource(function)
    for name in set(re.findall(r"(?<![\w.])_\w+(?=\()", text)) - seen:
        seen.add(name)
        called = getattr(function, "__globals__", {}).get(name)
        text += _source(called, seen) if inspect.isfunction(called) else ""
    return text


def _routes() -> dict[str, Any]:
    """Return what the addresses run, by path, and by method and path; some versions of FastAPI nest routes."""
    found: dict[str, Any] = {}
    waiting = list(SERVICE.routes)
    while waiting:
        route = waiting.pop()
        path = getattr(route, "path", "")
        found[path] = run = getattr(route, "endpoint", None)
        found |= {f"{method} {path.removeprefix('/api')}": run for method in getattr(route, "methods", None) or ()}
        for name in ("routes", "original_router"):
            inner = getattr(route, name, None)
            waiting += list(getattr(inner, "routes", inner if isinstance(inner, list) else []) or [])
    return found
