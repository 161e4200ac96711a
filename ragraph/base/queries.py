"""The queries of sql/queries/*.sql by name, so that Python never assembles SQL.

A file holds queries under headers ``-- name: some_name``. Comments below a header describe the rows of its query.
Values are bound by name: ``connection.execute(QUERIES["document_by_id"], {"document_id": "dl_x"})``.
"""

from __future__ import annotations

import re
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING, LiteralString, cast

if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.resources.abc import Traversable

_HEADER = re.compile(r"^-- name: *(\S+) *$", re.MULTILINE)
_NAME = re.compile(r"[a-z][a-z0-9_]*")


def _parse(text: str, origin: str) -> dict[str, str]:
    """Split the text of a file into queries by name, without their final semicolons.

    Raises:
        ValueError: SQL before the first header, an invalid name, an empty query, or a duplicate name.
    """
    before, *parts = _HEADER.split(text)
    if any(line.strip() and not line.startswith("--") for line in before.splitlines()):
        raise ValueError(f"{origin}: put a line '-- name: ...' before the first query")
    queries: dict[str, str] = {}
    for name, body in zip(parts[::2], parts[1::2], strict=True):
        query = body.strip().removesuffix(";").rstrip()
        if not _NAME.fullmatch(name) or name in queries:
            raise ValueError(f"{origin}: the name {name} is invalid or a duplicate")
        if all(not line.strip() or line.startswith("--") for line in query.splitlines()):
            raise ValueError(f"{origin}: {name} is empty")
        queries[name] = query
    return queries


def read_queries(*files_: Traversable) -> Mapping[str, LiteralString]:
    """Read queries by name from SQL files of the package, or of a program that benchmarks it.

    Raises:
        ValueError: SQL before the first header, an invalid name, an empty query, or a duplicate name.
    """
    queries: dict[str, str] = {}
    for file in files_:
        found = _parse(file.read_text(encoding="utf-8"), file.name)
        twice = queries.keys() & found.keys()
        if twice:
            raise ValueError(f"{file.name}: {min(twice)} is already in another file")
        queries |= found
    # psycopg accepts literal strings only, so that nobody concatenates values into SQL. The texts read here are files
    # of the package, as fixed as literals in the code, so this is the one place where the cast is right. (mypy treats
    # LiteralString as str and reports the cast as redundant; other checkers need it.)
    return MappingProxyType(cast("dict[str, LiteralString]", queries))  # type: ignore[redundant-cast]


def _packaged() -> list[Traversable]:
    entries = files("ragraph.sql.queries").iterdir()
    return sorted((entry for entry in entries if entry.name.endswith(".sql")), key=lambda entry: entry.name)


QUERIES: Mapping[str, LiteralString] = read_queries(*_packaged())
"""Queries by name, read once at import. An unknown name raises KeyError."""
