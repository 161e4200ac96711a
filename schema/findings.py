"""What a look over a store found, a line each, and how large it is."""

from __future__ import annotations

from dataclasses import dataclass

from ragraph.schema.results import Result


@dataclass(frozen=True)
class Finding(Result):
    """One thing that has to be so.

    Attributes:
        what: what was looked at.
        ok: whether it is so.
        detail: what was found, and what to do where it is not so.
    """

    what: str
    ok: bool
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSize(Result):
    """A table: its rows, as the server last counted them, and bytes, those of its indexes apart."""

    table_name: str
    row_count: int
    table_bytes: int
    index_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexSize(Result):
    """An index: how it is made, whether it can be used, how often it was since the server counts, its bytes."""

    index_name: str
    access_method: str
    is_valid: bool
    scans: int
    index_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionTime(Result):
    """A function that searches: how often it was called since the server counts, and how long a call took."""

    function_name: str
    calls: int
    mean_ms: float
    total_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreStats(Result):
    """How large a store is: database, tables and indexes in bytes, the largest first; originals and pictures.

    ``searches`` are the functions that search and make contexts, the one that took most first; null where the server
    does not count them (``track_functions``).
    """

    database_bytes: int
    tables: list[TableSize]
    indexes: list[IndexSize]
    assets: int
    asset_bytes: int
    searches: list[FunctionTime] | None
