"""What the reader makes of a page and why: its blocks with boxes, types, levels and claims, as a list and drawn."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ragraph.base.extras import needing
from ragraph.errors import ArgumentError, IngestError
from ragraph.ingest.readers.pdf.drafting import TYPES
from ragraph.ingest.readers.pdf.reader import named_worst, pdf_options
from ragraph.pdf.analysis import analyse
from ragraph.pdf.model import Kind
from ragraph.pdf.stated.facts import open_pdf

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from PIL.Image import Image

    from ragraph.ingest.readers import ReadOptions
    from ragraph.pdf.model import Block, Page

SCALE = 2.0
"""Pixels per point of a drawn page."""
_LETTERS = 7.0
"""Size of the labels in points."""
_COLOURS = {
    Kind.TITLE: "#b00020",
    Kind.HEADING: "#d04000",
    Kind.TABLE: "#0060c0",
    Kind.FIGURE: "#7030a0",
    Kind.CAPTION: "#a05090",
    Kind.NOTE: "#008080",
    Kind.LIST_ITEM: "#107030",
    Kind.CONTENTS: "#107030",
    Kind.ENTRY: "#807000",
    Kind.CODE: "#404040",
    Kind.FORMULA: "#404040",
}
_FURNITURE = "#909090"
_PLAIN = "#3060ff"


@dataclass(frozen=True)
class Explained:
    """A block as it stands on a page.

    Attributes:
        order: place in the reading order of the page, from 1; None for running heads, feet and page numbers.
        type: of the node that it becomes; HEADER or FOOTER of running heads and feet.
        level: of a heading, from 1.
        box: left, top, right and bottom edge in points from the upper left corner of the page as it is shown.
        text: as printed; of a block that goes on over pages all of it.
        claims: of a heading, what speaks for it, with the level that it says, if any; of a table, whether a model does.
        odds: log-odds that it is a heading, of what was weighed; from ``claims.ENOUGH`` on it is one.
        fault: how likely a reader would find a fault in it, from 0 to 1: of a table in itself, else in the page.
    """

    order: int | None
    type: str
    level: int | None
    box: tuple[float, float, float, float]
    text: str
    claims: dict[str, int | None]
    odds: float | None
    fault: float | None

    def to_json(self) -> dict[str, Any]:
        """Return the fields as plain values."""
        return asdict(self)


class ExplainedPage(NamedTuple):
    """A page of a file.

    Attributes:
        blocks: furniture first, then in reading order.
        doubt: how likely a reader would find a fault in what was read of the page, from 0 to 1.
        worst: the pages of the file that are likely read wrong, in words; empty if none is.
    """

    blocks: list[Explained]
    doubt: float | None
    worst: str


@needing("reading PDF files", IngestError)
def explain(path: Path, page: int, options: ReadOptions) -> ExplainedPage:
    """Return what is on a page. The whole file is read for it.

    Args:
        path: of a PDF file.
        page: its number, from 1.
        options: as for reading.

    Raises:
        ArgumentError: the file has no such page.
        IngestError: there is no such file, it cannot be read, or the extra ``ingest`` is missing.
    """
    if not path.is_file():
        raise IngestError(f"{path} is no file; give the path of a PDF file")
    pages = analyse(path, **pdf_options(replace(options, pages=None))).pages
    if not 1 <= page <= len(pages):
        raise ArgumentError(f"{path.name} has pages 1 to {len(pages)}, no page {page}")
    shown = pages[page - 1]
    found = [_explained(block, shown, None, box) for block in shown.furniture for _, box in block.parts]
    here = [(block, box) for other in pages for block in other.blocks for number, box in block.parts if number == page]
    found += [_explained(block, shown, order, box) for order, (block, box) in enumerate(here, 1)]
    return ExplainedPage(found, shown.doubt, named_worst(pages))


@needing("drawing a page", IngestError)
def draw(path: Path, page: int, blocks: Sequence[Explained], password: str | None = None) -> Image:
    """Return a page as an image, every block framed, with its place, type, level, claims and odds beside it.

    Args:
        path: of a PDF file.
        page: its number, from 1.
        blocks: those of ``explain``.
        password: opens the file if it is encrypted.

    Raises:
        IngestError: the extra ``ingest`` is missing.
    """
    from PIL import ImageDraw, ImageFont

    file = open_pdf(path, password)
    try:
        image: Image = file[page - 1].render(scale=SCALE).to_pil().convert("RGB")
    finally:
        file.close()
    pen = ImageDraw.Draw(image)
    font = ImageFont.load_default(_LETTERS * SCALE)
    for block in blocks:
        left, top, right, bottom = (SCALE * edge for edge in block.box)
        colour = _colour(block)
        pen.rectangle((left - 2, top - 2, right + 2, bottom + 2), outline=colour, width=2)
        label = label_of(block)
        # Above the right end of the frame, where lines of text hardly stand; within the page.
        _, _, wide, high = pen.textbbox((0, 0), label, font=font)
        at = (max(0, min(right, image.width - 2) - wide), max(0, top - high - 3))
        pen.rectangle((at[0] - 2, at[1], at[0] + wide + 2, at[1] + high + 2), fill=colour)
        pen.text(at, label, fill="white", font=font)
    return image


def label_of(block: Explained) -> str:
    """Return what is written on the frame of a block: "3 HEADING 2: outline 2, type, +4.1"."""
    parts = [str(block.order)] if block.order is not None else []
    parts.append(block.type if block.level is None else f"{block.type} {block.level}")
    why = [name if level is None else f"{name} {level}" for name, level in block.claims.items()]
    why += [f"{block.odds:+.1f}"] if block.odds is not None else []
    return " ".join(parts) + (f": {', '.join(why)}" if why else "")


def _explained(block: Block, page: Page, order: int | None, box: tuple[float, float, float, float]) -> Explained:
    shown = page.turn.box(box) if page.turn else box
    group = block.group if block.kind is not Kind.PAGE_NUMBER else None
    return Explained(
        order=order,
        type=TYPES[block.kind].value if group is None else group.upper(),
        level=block.level if block.kind is Kind.HEADING else None,
        box=(round(shown[0], 2), round(shown[1], 2), round(shown[2], 2), round(shown[3], 2)),
        text=block.text,
        claims=dict(block.claims) if block.kind in {Kind.HEADING, Kind.TABLE} else {},
        odds=None if block.odds is None else round(block.odds, 2),
        fault=page.doubt if block.doubt is None else block.doubt,
    )


def _colour(block: Explained) -> str:
    if block.order is None:
        return _FURNITURE
    return next((colour for kind, colour in _COLOURS.items() if TYPES[kind].value == block.type), _PLAIN)
