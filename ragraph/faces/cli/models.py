"""The commands about embedding models: ``ragraph models``."""

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

_KINDS = "What its index holds of a vector: halfvec, all numbers, or bit, their signs: smaller, and slower to search."
NameArgument = Annotated[str, typer.Argument(metavar="MODEL", help="Its name in the store, or its place.")]


@app.callback()
def models() -> None:
    """Embedding models of the store: list, add, fill, switch, index, measure, drop."""


@app.command("list")
def list_models(json: JsonOption = False) -> None:
    """List the models of the store.

    How far each is filled, and which one is used unless told.

    Example:
        ragraph models list
    """
    with open_store() as store:
        found = store.models()
    if json:
        print_json(found)
        return
    if not found:
        console.print("no models; the first `ragraph ingest` records one")
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
    model: Annotated[str, typer.Argument(metavar="MODEL", help="Folder, name on the hub, or openai:NAME.")],
    name: Annotated[str | None, typer.Option(help="Its name in the store; default its own.")] = None,
    query_prefix: Annotated[str | None, typer.Option(help="Put before queries; default as the model states.")] = None,
    document_prefix: Annotated[str | None, typer.Option(help="Put before texts; default as the model states.")] = None,
    base_url: Annotated[str | None, typer.Option(metavar="URL", help="Endpoint of openai:NAME.")] = None,
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Tokens that openai:NAME reads.")] = None,
    dimensions: Annotated[
        int | None, typer.Option(min=1, help="Cut its vectors to so many numbers, if it states that it was trained so.")
    ] = None,
    unstated: Annotated[bool, typer.Option("--unstated", help="Cut them though it does not state it.")] = False,
    index: Annotated[IndexKind, typer.Option(help=_KINDS)] = IndexKind.HALFVEC,
    json: JsonOption = False,
) -> None:
    """Record a model beside those there are.

    Nothing is embedded yet.

    Example:
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
    print_prose(f"{shown(added.name)} is recorded; `ragraph models fill {shown(added.name)}` embeds with it")


@app.command()
def index(
    model: NameArgument,
    kind: Annotated[IndexKind, typer.Argument(metavar="KIND", help=_KINDS)],
    json: JsonOption = False,
) -> None:
    """Say what the vector index of a model holds, and build it.

    Searches use the one that is there until it is built, and rank what either finds by the whole vectors. Stores of
    fewer than 10,000 vectors have none.

    Example:
        ragraph models index all-MiniLM-L6-v2 bit
    """
    with open_store() as store:
        found = store.index_model(model, kind.value)
    if json:
        print_json(found)
        return
    when = "" if found.indexed else ", once there are vectors enough for one"
    print_prose(f"the index of {shown(found.name)} holds {found.index_kind} vectors{when}")


@app.command()
def measure(
    model: Annotated[str, typer.Argument(metavar="[MODEL]", help="Its name in the store; default the one used.")] = (
        CURRENT_MODEL
    ),
    json: JsonOption = False,
) -> None:
    """Measure how far searches look through a vector index.

    They look at the least number of candidates that finds 0.99 of what is nearest. `ragraph ingest` does it after it
    built an index, and when one has grown by half.

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
    """Say what an index holds, and how it was measured."""
    if not model.indexed:
        return ""
    if model.ef_search is None or model.index_recall is None:
        return model.index_kind
    return f"{model.index_kind}, {model.ef_search:,} candidates find {math.floor(1000 * model.index_recall) / 1000:.3f}"


@app.command()
def fill(
    model: NameArgument,
    backend: Annotated[str | None, typer.Option(help="What computes the vectors, as of `ragraph embed`.")] = None,
    json: JsonOption = False,
) -> None:
    """Embed with a model what lacks vectors of it.

    Searches go on with the model that they use.

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
    partial: Annotated[bool, typer.Option("--partial", help="Though documents lack vectors of it.")] = False,
    json: JsonOption = False,
) -> None:
    """Have searches and ingestion use a model.

    From now on, unless told another. Refused while documents lack vectors of it. Processes that run go over with their
    next call. The other models stay, so switching back is as quick.

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

    And with its index; not the one that is used.

    Example:
        ragraph models drop all-MiniLM-L6-v2
    """
    with open_store() as store:
        dropped = store.drop_model(model)
    if json:
        print_json(dropped)
    else:
        print_prose(f"{shown(dropped.name)} is gone with {many(dropped.vectors, 'vector')}")
