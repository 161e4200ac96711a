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
from ragraph.tools.toolbox import READING, WRITING

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


def _commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
    for name, inner in command.commands.items():
        if hasattr(inner, "commands"):
            yield from _commands(inner, (*path, name))
        else:
            yield " ".join((*path, name))


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
        ("command line", set(_commands(get_command(app)))),
        ("REST", CALLS),
        ("MCP", {*READING, *WRITING}),
    ],
)
def test_what_there_is_is_in_the_table(column: str, there: set[str]) -> None:
    assert _named(column) == there


def test_what_the_table_names_exists() -> None:
    assert _named("SQL") - FUNCTIONS == set()
    assert _named("browser") - _addresses() == set()
    kinds = {name for module in (langchain, llamaindex, haystack) for name in dir(module)}
    assert _named("frameworks") - kinds == set()


def _addresses() -> set[str]:
    """Return the addresses of pages; some versions of FastAPI nest the routes of a router."""
    found: set[str] = set()
    waiting = list(SERVICE.routes)
    while waiting:
        route = waiting.pop()
        found.add(getattr(route, "path", ""))
        for name in ("routes", "original_router"):
            inner = getattr(route, name, None)
            waiting += list(getattr(inner, "routes", inner if isinstance(inner, list) else []) or [])
    return found
