"""The export command: documents as lines of JSON, or as a Parquet file."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import Annotated

import typer

from ragraph.faces.cli.output import open_store


def register(app: typer.Typer) -> None:
    """Add the command of this module to the command line."""
    app.command()(export)


def export(
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Write into a file instead of standard output; *.parquet too."
        ),
    ] = None,
    document: Annotated[list[str] | None, typer.Option(help="Only this document; may be repeated.")] = None,
    collection: Annotated[str | None, typer.Option(help="Only this collection.")] = None,
    no_vectors: Annotated[bool, typer.Option("--no-vectors", help="Leave out the vectors.")] = False,
) -> None:
    """Write documents as lines of JSON, or as rows of Parquet.

    Each document is a line, or a row in a file called *.parquet. `ragraph import` ingests them unchanged, with ids,
    relations and vectors. Originals are not included.

    Examples:
        ragraph export -o library.jsonl --no-vectors
        ragraph export -o library.parquet --collection wiki
        ragraph export --collection wiki | gzip > wiki.jsonl.gz
    """
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
