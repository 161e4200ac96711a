"""Results about pages, pictures and stored assets."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ragraph.schema import display
from ragraph.schema.results import Result, Shown

if TYPE_CHECKING:
    from ragraph.schema.results import Source


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


class Pages(Shown[Page]):
    """The pages of a document; a notebook shows them as a table, and the first ones with the boxes of their nodes."""

    source: Source | None = None
    document: str | None = None

    def _repr_html_(self) -> str:
        return display.pages(self, self.source, self.document)


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
