"""Results about pages, pictures and stored assets."""

from __future__ import annotations

from dataclasses import dataclass, field

from ragraph.schema.results import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Result):
    """A physical page: number from 1, printed label, and size in points; bounding boxes are in the same frame.

    ``doubt`` says how likely a reader would find a fault in what was read of it, from 0 to 1; None where its reader
    does not weigh that, or an older version read the file.
    """

    page_pdf: int
    page_logical: str | None
    width: float | None
    height: float | None
    doubt: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """An image file: its bytes, MIME type (``image/jpeg`` ...), width and height in pixels."""

    data: bytes = field(repr=False)
    media_type: str
    width: int
    height: int

    def _repr_mimebundle_(self, **_: object) -> dict[str, bytes]:
        return {self.media_type: self.data}


@dataclass(frozen=True, slots=True, kw_only=True)
class AssetReport(Result):
    """Report of ``clean_assets``: place, number of assets kept, removed assets, and their bytes."""

    root: str
    kept: int
    removed: list[str]
    bytes_removed: int
