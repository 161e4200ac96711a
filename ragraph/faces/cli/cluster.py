"""The commands for a store on several machines: `ragraph cluster ...`."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.table import Table

from ragraph.faces.cli.db import database_url
from ragraph.faces.cli.output import JsonOption, console, print_json
from ragraph.faces.cli.steps import print_findings

app = typer.Typer(help="Distribute the store over a Citus cluster.", no_args_is_help=True)


@app.callback()
def cluster() -> None:
    """The store on several machines."""


@app.command()
def check(json: JsonOption = False) -> None:
    """Check whether the store can be distributed.

    Prints the requirements, and what to do about those that are not met. Changes nothing. Exit code 1 if a requirement
    is not met.

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
        typer.Option(min=1, help="Number of shards, about the number of cores of all workers; default two per node."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Distribute the store over the nodes of the cluster.

    Moves all of its content; a second run changes nothing. Documents are assigned to shards by their id, each with all
    its rows; shared tables are copied to every node. Build vector indexes afterwards (`ragraph embed`).

    Example:
        ragraph --url postgresql://user@host/library cluster distribute --shards 16
    """
    from ragraph.database import cluster as the_cluster

    with database_url() as url:
        changed = the_cluster.distribute(url, shards)
    if json:
        print_json({"changed": changed})
    else:
        console.print("the store is distributed now" if changed else "the store is already distributed; nothing to do")


@app.command()
def status(json: JsonOption = False) -> None:
    """Show the state of each table on the cluster.

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
