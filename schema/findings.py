"""Findings of ``Store.doctor``, one line each, and sizes of a store."""

from __future__ import annotations

from dataclasses import dataclass

from ragraph.schema.results import Result


@dataclass(frozen=True)
class Finding(Result):
    """The result of one check.

    Attributes:
        what: what was checked.
        ok: True if it is in order.
        detail: what was found, and advice if it is not in order.
    """

    what: str
    ok: bool
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSize(Result):
    """A table: number of rows as last estimated by the server, and bytes without and of its indexes."""

    table_name: str
    row_count: int
    table_bytes: int
    index_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexSize(Result):
    """An index: access method, validity, number of scans since the server's statistics began, and bytes."""

    index_name: str
    access_method: str
    is_valid: bool
    scans: int
    index_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionTime(Result):
    """A search function: number of calls since the server's statistics began, and time of a call."""

    function_name: str
    calls: int
    mean_ms: float
    total_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreStats(Result):
    """Size of a store: database, tables and indexes in bytes, the largest first; originals and pictures.

    ``searches`` are the functions for searches and contexts, the one with most time first; None if the server does not
    track functions (``track_functions``).
    """

    database_bytes: int
    tables: list[TableSize]
    indexes: list[IndexSize]
    assets: int
    asset_bytes: int
    searches: list[FunctionTime] | None
