"""The commands for earlier versions of documents: history, diff, restore-version, prune."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from ragraph.faces.cli.output import (
    DocumentArgument,
    JsonOption,
    console,
    errors,
    open_store,
    print_json,
    print_prose,
    shown,
)

_SIGNS = {"added": "+", "removed": "-", "changed": "~", "moved": ">"}


def register(app: typer.Typer) -> None:
    """Add the commands of this module to the command line."""
    for command in (history, diff, prune):
        app.command()(command)
    app.command("restore-version")(restore_version)


def history(document: DocumentArgument, json: JsonOption = False) -> None:
    """List the versions of a document, oldest first.

    The last is the live one.

    Example:
        ragraph history dl_213
    """
    with open_store() as store:
        versions = store.history(document)
    if json:
        print_json(versions)
        return
    table = Table("Version", "Taken in", "Superseded", "SHA-256", "Bytes", box=None, pad_edge=False)
    for item in versions:
        taken, gone = (f"{when:%Y-%m-%d %H:%M}" if when else "" for when in (item.ingested_at, item.superseded_at))
        own = "" if item.live else str(item.bytes)
        table.add_row(str(item.version), taken, gone or "live", (item.sha256 or "")[:12], own)
    console.print(table)


def diff(
    document: DocumentArgument,
    since: Annotated[
        str | None, typer.Option("--from", metavar="VERSION|DATE", help="Default: the version before the live one.")
    ] = None,
    until: Annotated[
        str | None, typer.Option("--to", metavar="VERSION|DATE", help="Default: the live version.")
    ] = None,
    other: Annotated[
        str | None, typer.Option("--with", metavar="DOC", help="Another document to compare it with, not a version.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Show what changed between versions, or documents.

    + added, - removed, ~ changed, > moved.

    Examples:
        ragraph diff dl_213
        ragraph diff dl_213 --with dl_214
        ragraph diff dl_213 --from 1 --to 2026-03-31
    """
    if other is not None and (since is not None or until is not None):
        raise typer.BadParameter("--with compares live documents; leave out --from and --to")
    with open_store() as store:
        changes = store.compare(document, other) if other is not None else store.diff(document, since, until)
    if json:
        print_json(changes)
        return
    section: list[str] | None = None
    for item in changes:
        if item.section != section:
            section = item.section
            print_prose(f"[cyan]{shown(' > '.join(section)) or '(no section)'}[/]")
        console.print(f"{_SIGNS[item.change]} {item.change} {item.node_type} [dim]{item.node_id}[/]")
        if item.before is not None and item.before != item.after:
            print_prose(f"  - {escape(item.before)}")
        if item.after is not None:
            print_prose(f"  + {escape(item.after)}" if item.before != item.after else f"  {escape(item.after)}")
    if not changes:
        console.print("Nothing has changed." if other is None else "They have the same text.")


def restore_version(
    document: DocumentArgument,
    version: Annotated[str, typer.Argument(metavar="VERSION|DATE", help="As listed by `ragraph history`.")],
    json: JsonOption = False,
) -> None:
    """Restore a document to a version.

    The present state becomes an earlier version.

    Example:
        ragraph restore-version dl_213 1
    """
    with open_store() as store:
        number = store.restore_version(document, version)
    if json:
        print_json({"document": document, "version": number})
        return
    console.print(f"{escape(document)} is restored to {escape(version)}; this is version {number}.")
    errors.print(
        "Changed nodes still have their old vectors: run `ragraph embed` to embed them again.",
        soft_wrap=not errors.is_terminal,
    )


def prune(
    document: DocumentArgument,
    keep: Annotated[int, typer.Option(min=0, help="Number of earlier versions to retain, the newest.")] = 0,
    json: JsonOption = False,
) -> None:
    """Remove the oldest versions of a document permanently.

    Example:
        ragraph prune dl_213 --keep 3
    """
    with open_store() as store:
        pruned = store.prune_versions(document, keep)
    if json:
        print_json({"document": document, "pruned": pruned})
        return
    console.print(f"{pruned} versions of {escape(document)} removed.")
