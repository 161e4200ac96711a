"""The commands for embedding models: ``ragraph models``."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from ragraph.base.counts import many
from ragraph.base.defaults import CURRENT_MODEL
from ragraph.faces.cli.output import JsonOption, console, errors, open_store, print_json, print_prose, shown
from ragraph.schema.enums import IndexKind

if TYPE_CHECKING:
    from ragraph.schema.results import Model

app = typer.Typer(help="Embedding models of the store.", no_args_is_help=True)

_KINDS = (
    "Content of its index: halfvec, all numbers of a vector, or bit, only their signs: smaller, but slower to search."
)
NameArgument = Annotated[str, typer.Argument(metavar="MODEL", help="Its name in the store, or its location.")]


@app.callback()
def models() -> None:
    """Embedding models of the store: list, add, fill, switch, index, measure, drop."""


@app.command("list")
def list_models(json: JsonOption = False) -> None:
    """List the models of the store.

    With the number of complete documents, and the model used by default.

    Example:
        ragraph models list
    """
    with open_store() as store:
        found = store.models()
    if json:
        print_json(found)
        return
    if not found:
        console.print("no models; the first `ragraph ingest` registers one")
        return
    table = Table(box=None, pad_edge=False)
    table.add_column("Model", overflow="fold")
    table.add_column("Used")
    for column in ("Dimensions", "Vectors", "Documents"):
        table.add_column(column, justify="right")
    table.add_column("Index")
    for model in found:
        table.add_row(
            shown(model.name),
            "yes" if model.current else "",
            f"{model.dimensions:,}",
            f"{model.vectors:,}",
            f"{model.complete:,} of {model.documents:,}",
            _index(model),
        )
    console.print(table)


@app.command()
def add(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL", help="Folder, name on the hub, openai:NAME, or multilingual for the model of that extra."
        ),
    ],
    name: Annotated[str | None, typer.Option(help="Its name in the store; default its own.")] = None,
    query_prefix: Annotated[str | None, typer.Option(help="Prefix of queries; default as stated by the model.")] = None,
    document_prefix: Annotated[
        str | None, typer.Option(help="Prefix of texts; default as stated by the model.")
    ] = None,
    base_url: Annotated[str | None, typer.Option(metavar="URL", help="Endpoint of openai:NAME.")] = None,
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Maximum number of tokens of openai:NAME.")] = None,
    dimensions: Annotated[
        int | None,
        typer.Option(
            min=1, help="Truncate vectors to this many numbers, if the model states that it was trained for that."
        ),
    ] = None,
    unstated: Annotated[
        bool, typer.Option("--unstated", help="Truncate them although the model does not state it.")
    ] = False,
    index: Annotated[IndexKind, typer.Option(help=_KINDS)] = IndexKind.HALFVEC,
    json: JsonOption = False,
) -> None:
    """Register a model in addition to the existing ones.

    Nothing is embedded yet.

    Example:
        ragraph models add multilingual
        ragraph models add ./e5 --name e5 --query-prefix 'query: '
        ragraph models add ./mrl --name mrl-256 --dimensions 256
    """
    with open_store() as store:
        added = store.add_model(
            model,
            name=name,
            query_prefix=query_prefix,
            document_prefix=document_prefix,
            base_url=base_url,
            max_tokens=max_tokens,
            dimensions=dimensions,
            unstated=unstated,
            index_kind=index.value,
        )
    if json:
        print_json(added)
        return
    print_prose(f"{shown(added.name)} is registered; embed with it: `ragraph models fill {shown(added.name)}`")


@app.command()
def index(
    model: NameArgument,
    kind: Annotated[IndexKind, typer.Argument(metavar="KIND", help=_KINDS)],
    json: JsonOption = False,
) -> None:
    """Set the kind of vector index of a model, and build it.

    Searches use the existing index until the new one is built. The candidates from either are ranked by the full
    vectors. A store with fewer than 10,000 vectors has no index.

    Example:
        ragraph models index all-MiniLM-L6-v2 bit
    """
    with open_store() as store:
        found = store.index_model(model, kind.value)
    if json:
        print_json(found)
        return
    when = "" if found.indexed else ", once there are enough vectors for an index"
    print_prose(f"the index of {shown(found.name)} holds {found.index_kind} vectors{when}")


@app.command()
def measure(
    model: Annotated[str, typer.Argument(metavar="[MODEL]", help="Its name in the store; default the one used.")] = (
        CURRENT_MODEL
    ),
    json: JsonOption = False,
) -> None:
    """Measure how many candidates searches read from a vector index.

    Searches use the smallest number of candidates that finds 0.99 of the nearest vectors. `ragraph ingest` measures
    after it has built an index, and when an index has grown by half.

    Example:
        ragraph models measure
    """
    with open_store() as store:
        found = store.measure_index(model)
    if json:
        print_json(found)
    elif found.ef_search is None:
        print_prose(f"{shown(found.name)} has no index; all vectors are compared")
    else:
        print_prose(f"searches under {shown(found.name)} use its index: {_index(found)}")


def _index(model: Model) -> str:
    """Return the kind of an index, and its measured values."""
    if not model.indexed:
        return ""
    if model.ef_search is None or model.index_recall is None:
        return model.index_kind
    return f"{model.index_kind}, {model.ef_search:,} candidates find {math.floor(1000 * model.index_recall) / 1000:.3f}"


@app.command()
def fill(
    model: NameArgument,
    backend: Annotated[str | None, typer.Option(help="Encoder backend, as for `ragraph embed`.")] = None,
    json: JsonOption = False,
) -> None:
    """Embed texts that have no vectors of a model.

    Meanwhile searches continue with the model in use.

    Example:
        ragraph models fill e5
    """
    with open_store() as store:
        report = store.embed(model, backend=backend)
        filled = next(item for item in store.models() if item.name == report.model)
    if json:
        print_json(filled)
        return
    for warning in report.warnings:
        errors.print(f"[yellow]warning:[/] {shown(warning)}", soft_wrap=True)
    complete = f"{filled.complete:,} of {many(filled.documents, 'document')} complete"
    print_prose(f"{many(report.embeddings, 'vector')} under {shown(filled.name)}, {report.seconds:.1f} s; {complete}")


@app.command()
def switch(
    model: NameArgument,
    partial: Annotated[bool, typer.Option("--partial", help="Even if documents have no vectors of it.")] = False,
    json: JsonOption = False,
) -> None:
    """Make searches and ingestion use a model.

    It is the default from now on. Refused if documents have no vectors of it. Running processes switch at their next
    call. Other models are retained, so that switching back is as quick.

    Example:
        ragraph models switch e5
    """
    with open_store() as store:
        found = store.switch_model(model, partial=partial)
    if json:
        print_json(found)
    else:
        print_prose(f"searches use {shown(found.name)}")


@app.command()
def drop(model: NameArgument, json: JsonOption = False) -> None:
    """Remove a model with its vectors.

    Also removes its index. The model in use cannot be removed.

    Example:
        ragraph models drop all-MiniLM-L6-v2
    """
    with open_store() as store:
        dropped = store.drop_model(model)
    if json:
        print_json(dropped)
    else:
        print_prose(f"{shown(dropped.name)} was removed with {many(dropped.vectors, 'vector')}")
