"""Queries are read from their files by name, and every one of them can be planned by the server."""

from __future__ import annotations

import pytest

from ragraph.base.queries import QUERIES, _parse


def test_queries_come_by_name_without_their_semicolon() -> None:
    text = "-- about the file\n\n-- name: one\n-- what it gives\nSELECT 1;\n\n-- name: two\nSELECT ';';\n"
    assert _parse(text, "x.sql") == {"one": "-- what it gives\nSELECT 1", "two": "SELECT ';'"}


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1;",
        "SELECT 0;\n-- name: one\nSELECT 1;",
        "-- name: one\nSELECT 1;\n-- name: one\nSELECT 2;",
        "-- name: One\nSELECT 1;",
        "-- name: one\n-- only a comment\n",
    ],
)
def test_odd_files_are_refused(text: str) -> None:
    if text == "SELECT 1;":
        text = text + "\n"
    with pytest.raises(ValueError, match=r"x\.sql"):
        _parse(text, "x.sql")


def test_names_are_fixed() -> None:
    assert "schema_state" in QUERIES
    with pytest.raises(KeyError):
        QUERIES["no_such_query"]
    with pytest.raises(TypeError):
        QUERIES["schema_state"] = "SELECT 1"  # type: ignore[index]
