"""The export command: documents as lines of JSON, as a Parquet file, or as Markdown files."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from ragraph.base.counts import many
from ragraph.faces.cli.output import console, open_store, shown_path


def register(app: typer.Typer) -> None:
    """Add the command of this module to the command line."""
    app.command()(export)


def export(
    folder: Annotated[
        Path | None, typer.Argument(metavar="[DIR]", help="For --format markdown: the folder to write into.")
    ] = None,
    format: Annotated[
        Literal["json", "markdown"], typer.Option(help="Lines of JSON to import again, or a Markdown file for each.")
    ] = "json",
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="A file, *.parquet too; - or none for standard output."),
    ] = None,
    document: Annotated[list[str] | None, typer.Option(help="Only this document; may be repeated.")] = None,
    collection: Annotated[str | None, typer.Option(help="Only this collection.")] = None,
    no_vectors: Annotated[bool, typer.Option("--no-vectors", help="Leave out the vectors.")] = False,
) -> None:
    """Write documents as JSON lines, Parquet or Markdown.

    Each document is a line, or a row in a file called *.parquet. `ragraph import` ingests them unchanged, with ids,
    relations and vectors. Originals are not included. Markdown is for reading: DIR/COLLECTION/ID.md, with title,
    authors, date and tags at its head.

    Examples:
        ragraph export -o library.jsonl --no-vectors
        ragraph export -o library.parquet --collection wiki
        ragraph export --collection wiki | gzip > wiki.jsonl.gz
        ragraph export --format markdown library/
    """
    if format == "markdown":
        if folder is None or output is not None or no_vectors:
            raise typer.BadParameter("--format markdown takes a folder, and neither --output nor --no-vectors")
        with open_store() as store:
            files = store.export_markdown(folder, document=document or None, collection=collection)
        console.print(f"{many(len(files), 'file')} in {shown_path(str(folder))}")
        return
    if folder is not None:
        raise typer.BadParameter("a folder is for --format markdown; use -o FILE")
    if output == Path("-"):
        output = None
    with open_store() as store, contextlib.ExitStack() as stack:
        lines = store.export(document=document or None, collection=collection, vectors=not no_vectors)
        if output is not None and output.suffix == ".parquet":
            from ragraph.store.intake import from_ingester

            from_ingester("parquet").write_parquet(lines, output)
            return
        file = sys.stdout.buffer if output is None else stack.enter_context(output.open("wb"))
        for line in lines:
            file.write(line.encode() + b"\n")
        file.flush()
