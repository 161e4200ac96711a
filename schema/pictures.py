"""Pictures of pages and figures, and what is kept of them."""

from __future__ import annotations

from dataclasses import dataclass, field

from ragraph.schema.results import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Result):
    """A physical page: its number from 1, the one printed on it, its size in points; boxes are in the same frame."""

    page_pdf: int
    page_logical: str | None
    width: float | None
    height: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """An image as a file holds it: its bytes, their type (``image/jpeg`` ...), width and height in pixels."""

    data: bytes = field(repr=False)
    media_type: str
    width: int
    height: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AssetReport(Result):
    """What ``clean_assets`` did: where, how many are kept, which were removed, and the bytes of those."""

    root: str
    kept: int
    removed: list[str]
    bytes_removed: int
