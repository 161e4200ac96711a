"""The commands that examine a store: ``doctor``, ``stats``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer
from rich.table import Table

from ragraph.base.counts import many
from ragraph.faces.cli.output import JsonOption, console, open_store, print_json, shown
from ragraph.faces.cli.steps import print_findings

if TYPE_CHECKING:
    from ragraph.schema.findings import FunctionTime


def register(app: typer.Typer) -> None:
    """Add the commands of this module to the command line."""
    app.command()(doctor)
    app.command()(stats)


def doctor(json: JsonOption = False) -> None:
    """Check the store and its environment.

    Prints a line for each of server, schema, rights, disk, indexes, word statistics, documents, models, originals and
    extras, with advice if something is wrong. Exit code 1 if something is wrong.

    Example:
        ragraph doctor
    """
    with open_store() as store:
        findings = store.doctor()
    if json:
        print_json(findings)
    else:
        print_findings(findings)
    if not all(finding.ok for finding in findings):
        raise typer.Exit(1)


def stats(json: JsonOption = False) -> None:
    """Print the size of the store, and the times of searches.

    The numbers of rows are those last counted by the server. An index that is never used only makes writing slower. The
    server measures searches per function (search_context calls context_sentences) if track_functions is pl.

    Example:
        ragraph stats
    """
    with open_store() as store:
        found = store.stats()
    if json:
        print_json(found)
        return
    tables = Table("Table", box=None, header_style="bold")
    for name in ("Rows", "MB", "Indexes, MB"):
        tables.add_column(name, justify="right")
    for table in found.tables:
        sizes = (f"{table.row_count:,}", f"{table.table_bytes / 1e6:,.1f}", f"{table.index_bytes / 1e6:,.1f}")
        tables.add_row(table.table_name, *sizes)
    console.print(tables)
    indexes = Table("Index", "Method", box=None, header_style="bold")
    for name in ("Scans", "MB"):
        indexes.add_column(name, justify="right")
    for index in found.indexes[:12]:
        name = shown(index.index_name.removeprefix("ragraph.")) + ("" if index.is_valid else " [red](not valid)[/]")
        indexes.add_row(name, index.access_method, f"{index.scans:,}", f"{index.index_bytes / 1e6:,.1f}")
    console.print(indexes)
    console.print(_times(found.searches))
    console.print(
        f"database {found.database_bytes / 1e6:,.1f} MB, {many(found.assets, 'original and picture')} "
        f"{found.asset_bytes / 1e6:,.1f} MB",
        soft_wrap=True,
    )


def _times(searches: list[FunctionTime] | None) -> Table | str:
    """Return the table of search times, or the reason why there is none."""
    if searches is None:
        return "searches are not timed: ALTER DATABASE name SET track_functions = 'pl' (as superuser)"
    table = Table("Searches", box=None, header_style="bold")
    for name in ("Calls", "Mean, ms", "All, s"):
        table.add_column(name, justify="right")
    for search in searches:
        table.add_row(
            search.function_name, f"{search.calls:,}", f"{search.mean_ms:,.1f}", f"{search.total_ms / 1000:,.1f}"
        )
    return table if searches else "no searches yet"
