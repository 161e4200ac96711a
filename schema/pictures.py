"""Pictures of pages and figures, and what is kept of them."""

from __future__ import annotations

from dataclasses import dataclass, field

from ragraph.schema.results import Result


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
