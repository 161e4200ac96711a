"""The explain command: what the reader finds on a page of a PDF, and why."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Column, Table

from ragraph.errors import RagraphError
from ragraph.faces.cli.output import JsonOption, console, is_narrow, print_json, shown
from ragraph.ingest.readers import Layout, ReadOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.ingest.readers.pdf.explaining import Explained

_WORDS = 60
"""Maximum characters of a block that are shown."""


def explain(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A PDF file.")],
    page: Annotated[int, typer.Option(min=1, help="Its physical page, from 1.")] = 1,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="PNG", help="Draw the page with its blocks to this file.")
    ] = None,
    password: Annotated[str | None, typer.Option(help="Opens an encrypted PDF.", envvar="RAGRAPH_PASSWORD")] = None,
    ocr: Annotated[bool, typer.Option("--ocr/--no-ocr", help="Recognise pages that are images.")] = True,
    layout: Annotated[Layout, typer.Option(help="See `ragraph ingest`.")] = "auto",
    json: JsonOption = False,
) -> None:
    """Show what the reader finds on a page of a PDF, and why.

    Each block in reading order with type, level and box in points. For headings the evidence (outline, tags, contents,
    numbering, layout, type) and its log-odds, for other lines the odds alone. For tables "layout" if a layout model
    that votes sees one. Then how likely the page was read wrong, from 0 to 1, and the worst pages of the file. Needs no
    store.

    Examples:
        ragraph explain report.pdf --page 12
        ragraph explain report.pdf --page 12 --out page12.png
    """
    from ragraph.ingest.readers.pdf import explaining

    blocks, doubt, worst = explaining.explain(file, page, ReadOptions(password=password, ocr=ocr, layout=layout))
    if out is not None:
        try:
            explaining.draw(file, page, blocks, password).save(out, "PNG")
        except OSError as error:
            why = error.strerror or error
            raise RagraphError(f"{out} cannot be written: {why}", hint="give --out another file") from error
    if json:
        print_json(blocks)
        return
    _show(blocks)
    if doubt is not None:
        console.print(f"Likely read wrong: this page {doubt:.2f}; the worst pages: {worst or 'none'}", soft_wrap=True)
    if out is not None:
        console.print(f"Drawn to {escape(str(out))}.")
    elif not blocks:
        console.print(f"Nothing is printed on page {page}.")


def _show(blocks: Sequence[Explained]) -> None:
    from ragraph.ingest.readers.pdf.explaining import label_of

    narrow = is_narrow()
    table = Table(Column("Block"), Column("Text", ratio=1 if narrow else None), box=None, pad_edge=False, expand=narrow)
    if not narrow:
        table.add_column("Left", justify="right")
        table.add_column("Top", justify="right")
        table.add_column("Right", justify="right")
        table.add_column("Bottom", justify="right")
    for block in blocks:
        edges = () if narrow else tuple(f"{edge:.0f}" for edge in block.box)
        text = block.text if len(block.text) <= _WORDS else f"{block.text[: _WORDS - 3]}..."
        table.add_row(label_of(block), shown(text), *edges)
    console.print(table)
