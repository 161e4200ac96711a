"""The commands for stored originals: ``ragraph assets clean``."""

from __future__ import annotations

from typing import Annotated

import typer

from ragraph.base.counts import many
from ragraph.faces.cli.output import JsonOption, console, open_store, print_json

app = typer.Typer(help="Originals of documents, pictures of figures.", no_args_is_help=True)


@app.callback()
def assets() -> None:
    """Originals of documents, pictures of figures."""


@app.command()
def clean(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Remove nothing, only report.")] = False,
    json: JsonOption = False,
) -> None:
    """Remove originals and pictures that nothing refers to any more.

    For example after interrupted runs. Requires a role that sees all documents: if tenants are on, the owner of the
    store.

    Example:
        ragraph assets clean --dry-run
    """
    with open_store() as store:
        report = store.clean_assets(dry_run=dry_run)
    if json:
        print_json(report)
        return
    done = "would be removed" if dry_run else "removed"
    console.print(
        f"{many(len(report.removed), 'file')} {done} ({report.bytes_removed / 1e6:,.1f} MB), "
        f"{report.kept:,} kept in {report.root}",
        soft_wrap=True,
    )
