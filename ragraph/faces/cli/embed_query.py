"""The embed-query command: vectors for searches in SQL."""

from __future__ import annotations

from typing import Annotated

import typer

from ragraph.base.defaults import CURRENT_MODEL
from ragraph.faces.cli.output import JsonOption, open_store, print_json


def register(app: typer.Typer) -> None:
    """Add the command of this module to the command line."""
    app.command("embed-query")(embed_query)


def embed_query(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="Words to look for.")],
    model: Annotated[str, typer.Option(help="Embedding model, by its name in the store.")] = CURRENT_MODEL,
    json: JsonOption = False,
) -> None:
    """Print the vector of a query, for searches in SQL.

    Example:
        ragraph db psql -v q="$(ragraph embed-query 'trust zones')"
    """
    with open_store() as store:
        vector = store.embed_query(text, model)
        if model == CURRENT_MODEL:
            model = next(known.name for known in store.models() if known.current)
    if json:
        print_json({"model": model, "dimensions": len(vector), "vector": vector})
    else:
        typer.echo("[" + ",".join(f"{value:.9g}" for value in vector) + "]")
