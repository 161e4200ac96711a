"""Commands for a store on several machines: `ragraph cluster ...`."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.table import Table

from ragraph.faces.cli.db import database_url
from ragraph.faces.cli.output import JsonOption, console, print_json
from ragraph.faces.cli.steps import print_findings

app = typer.Typer(help="Spread the store over a Citus cluster.", no_args_is_help=True)


@app.callback()
def cluster() -> None:
    """The store on several machines."""


@app.command()
def check(json: JsonOption = False) -> None:
    """Say whether the store can be distributed.

    What has to be so before it, and what to do where it is not. Changes nothing. Exit code 1 where
    something is missing.

    Example:
        ragraph --url postgresql://user@host/library cluster check
    """
    from ragraph.database import cluster as the_cluster

    with database_url() as url:
        findings = the_cluster.check(url)
    if json:
        print_json(findings)
    else:
        print_findings(findings)
    if not all(finding.ok for finding in findings):
        raise typer.Exit(1)


@app.command()
def distribute(
    shards: Annotated[
        int | None,
        typer.Option(
            min=1, help="Pieces that documents go into, about the cores of all workers; by default two a node."
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Spread the store over the nodes of the cluster.

    With all that it holds; again it changes nothing. Documents go into shards by their id, each with all that hangs
    on it; what belongs to all goes to every node. Build vector indexes afterwards (`ragraph embed`).

    Example:
        ragraph --url postgresql://user@host/library cluster distribute --shards 16
    """
    from ragraph.database import cluster as the_cluster

    with database_url() as url:
        changed = the_cluster.distribute(url, shards)
    if json:
        print_json({"changed": changed})
    else:
        console.print("the store is distributed now" if changed else "the store was distributed before; nothing to do")


@app.command()
def status(json: JsonOption = False) -> None:
    """Show how each table lies on the cluster.

    Distributed, reference or local; its shards, and its size on all nodes.

    Example:
        ragraph --url postgresql://user@host/library cluster status
    """
    from ragraph.database import cluster as the_cluster

    with database_url() as url:
        tables = the_cluster.status(url)
    if json:
        print_json(tables)
        return
    shown = Table("Table", "Lies", box=None, header_style="bold", pad_edge=False)
    shown.add_column("Shards", justify="right")
    shown.add_column("Size", justify="right")
    for table in tables:
        shown.add_row(table.table_name, table.kind, str(table.shards or "-"), f"{table.bytes / 1e6:,.1f} MB")
    console.print(shown)
