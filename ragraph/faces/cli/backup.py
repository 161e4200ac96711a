"""The commands for the safety of a store: ``backup``, ``restore``, ``verify``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import ragraph
from ragraph.base.counts import duration, many
from ragraph.faces.cli.output import JsonOption, connection, console, errors, open_store, print_json, shown
from ragraph.faces.cli.steps import held_rows, step_shown


def register(app: typer.Typer) -> None:
    """Add the commands of this module to the command line."""
    for command in (backup, restore, verify):
        app.command()(command)


def backup(
    file: Annotated[Path, typer.Argument(help="The file to write: a zip file, readable only by its owner.")],
    no_originals: Annotated[bool, typer.Option("--no-originals", help="Leave out stored originals.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing file.")] = False,
    json: JsonOption = False,
) -> None:
    """Write the complete store into a file, while it is used.

    The file holds the state at one moment: documents, graph, vectors, rights, originals. `ragraph restore` restores it,
    also on another version of PostgreSQL.

    Example:
        ragraph backup library.ragraph
    """
    with open_store() as store, step_shown() as told:
        report = store.backup(file, originals=not no_originals, overwrite=overwrite, progress=told)
    if json:
        print_json(report)
        return
    for asset in report.missing:
        errors.print(f"[yellow]warning:[/] the original {asset} is missing", soft_wrap=True)
    console.print(
        f"{held_rows(report.rows)} and {many(report.originals, 'original')} in {shown(str(file))} "
        f"({report.bytes / 1e6:,.1f} MB, {duration(report.seconds)})",
        soft_wrap=True,
    )


def restore(
    file: Annotated[Path, typer.Argument(help="A file that `ragraph backup` wrote.")],
    replace: Annotated[bool, typer.Option("--replace", help="Drop the content of the store first.")] = False,
    json: JsonOption = False,
) -> None:
    """Restore a store from a backup, into an empty one.

    Restores all of it or nothing, and compares every row with the backup. Give the new store by --home or --url.

    Example:
        ragraph --home ./new restore library.ragraph
    """
    with step_shown() as told:
        report = ragraph.restore(file, connection.url, home=connection.home, replace=replace, progress=told)
    if json:
        print_json(report)
        return
    for warning in report.warnings:
        errors.print(f"[yellow]warning:[/] {shown(warning)}", soft_wrap=True)
    console.print(
        f"{held_rows(report.rows)} and {many(report.originals, 'original')} restored, equal to the backup "
        f"({duration(report.seconds)})",
        soft_wrap=True,
    )


def verify(
    against: Annotated[Path | None, typer.Option(metavar="FILE", help="A backup to compare the store with.")] = None,
    json: JsonOption = False,
) -> None:
    """Check the store: rules, originals, indexes.

    Exit code 1 if a rule is violated, an original is missing or damaged, or the store differs from the backup.

    Example:
        ragraph verify --against library.ragraph
    """
    with open_store() as store, step_shown() as told:
        report = store.verify(against, progress=told)
    if json:
        print_json({"ok": report.ok, **report.to_json()})
    else:
        console.print(f"{held_rows(report.rows)}, {many(report.originals, 'original')}", soft_wrap=True)
        for line in report.differences:
            console.print(f"[red]differs:[/] {shown(line)}", soft_wrap=True)
        for asset in report.damaged:
            console.print(f"[red]missing or damaged:[/] {asset}", soft_wrap=True)
        if report.violations:
            console.print(f"[red]{many(report.violations, 'violation')} of the model:[/] ragraph check", soft_wrap=True)
        for index in report.recall:
            console.print(
                f"{shown(index.model)}: recall {index.recall:.3f} of {index.queries:,} searches", soft_wrap=True
            )
        console.print("[green]Sound.[/]" if report.ok else "[red]Not sound.[/]")
    if not report.ok:
        raise typer.Exit(1)
