"""The commands for tokens of the service and for its audit log: ``ragraph tokens``, ``ragraph audit``."""

from __future__ import annotations

import json as json_
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.table import Table

from ragraph.base.counts import many
from ragraph.errors import ArgumentError, RagraphError
from ragraph.faces.cli.db import administered
from ragraph.faces.cli.output import JsonOption, console, print_json, shown

if TYPE_CHECKING:
    from ragraph.schema.access import AccessToken, AuditEvent

_Kind = Literal["reader", "writer", "admin"]
_MIB = 1024 * 1024

_NAMED = 3
"""Maximum number of documents that a line of the list names."""

app = typer.Typer(help="Tokens of the service: who may use it.", no_args_is_help=True)
audit = typer.Typer(help="The audit log: who read and changed what.", no_args_is_help=True)

_Since = Annotated[str | None, typer.Option(metavar="DATE", help="Only from this date on: 2026-11-28, or with a time.")]
_Token = Annotated[str | None, typer.Option(metavar="NAME", help="Only of this token or user.")]
_Document = Annotated[str | None, typer.Option(metavar="ID", help="Only about this document.")]


@app.callback()
def tokens() -> None:
    """Tokens of the service: who may use it, and what each sees (`ragraph serve --tokens`)."""


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="Name of the token, or with --sign-in the user as the proxy sends it.")],
    role: Annotated[_Kind, typer.Option("--role", help="reader; writer also changes; admin does so everywhere.")],
    collection: Annotated[
        list[str] | None, typer.Option(help="A collection that it sees; '*' for all; may be repeated.")
    ] = None,
    tenant: Annotated[
        str | None, typer.Option(metavar="ROLE", help="Instead: an existing tenant, with all that it sees.")
    ] = None,
    expires: Annotated[int | None, typer.Option(metavar="DAYS", min=1, help="Days until it expires.")] = None,
    per_minute: Annotated[int | None, typer.Option(metavar="N", min=1, help="Requests a minute; usual 600.")] = None,
    upload: Annotated[
        int | None, typer.Option(metavar="MIB", min=0, help="MiB of uploads a day; usual 10,240.")
    ] = None,
    concurrent: Annotated[int | None, typer.Option(metavar="N", min=1, help="Requests at a time; usual 16.")] = None,
    sign_in: Annotated[bool, typer.Option("--sign-in", help="A user that a proxy signs in; makes no secret.")] = False,
    json: JsonOption = False,
) -> None:
    """Create a token and show it once.

    It works as a PostgreSQL role of its own, or as its tenant, so that row-level security holds for each request.
    `ragraph db roles` and `ragraph db tenants on` come first.

    Examples:
        ragraph tokens create desk --role reader --collection contracts --expires 90
        ragraph tokens create acme-bot --role writer --tenant acme
    """
    from ragraph.database.tokens import Limits, create_token

    limits = Limits(per_minute, None if upload is None else upload * _MIB, concurrent)
    with administered() as place:
        scope: dict[str, Any] = {"collections": collection or (), "tenant": tenant}
        made = create_token(place, name, role, **scope, days=expires, limits=limits, signs_in=sign_in)
    if json:
        print_json({"name": name, "id": made.id, "token": made.token})
    elif made.token is None:
        console.print(f"{shown(name)} may sign in as {role}", soft_wrap=True)
    else:
        typer.echo(made.token)


@app.command("list")
def list_tokens(json: JsonOption = False) -> None:
    """List the tokens; their secrets are not stored.

    Example:
        ragraph tokens list
    """
    from ragraph.database.tokens import tokens as all_tokens

    with administered() as place:
        found = all_tokens(place)
    if json:
        print_json(found)
        return
    if not found:
        console.print("no tokens; `ragraph tokens create NAME` makes one")
        return
    table = Table(box=None, pad_edge=False)
    for column in ("Name", "Role", "Sees", "Expires"):
        table.add_column(column)
    for token in found:
        table.add_row(shown(token.name), token.kind, shown(_sight(token)), _expiry(token))
    console.print(table)


@app.command()
def revoke(
    name: Annotated[str, typer.Argument(help="Name of the token or user.")],
    json: JsonOption = False,
) -> None:
    """Revoke a token: the service refuses it from the next request on.

    Example:
        ragraph tokens revoke desk
    """
    from ragraph.database.tokens import revoke_token

    with administered() as place:
        revoked = revoke_token(place, name)
    if not revoked:
        raise RagraphError(f"there is no token {name!r}", hint="`ragraph tokens list` lists them")
    if json:
        print_json({"name": name, "revoked": True})
    else:
        console.print(f"revoked {shown(name)}", soft_wrap=True)


@audit.callback()
def audit_log() -> None:
    """The audit log: who read and changed what (`ragraph serve --audit`)."""


@audit.command("list")
def list_events(
    since: _Since = None,
    token: _Token = None,
    document: _Document = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="Maximum number of lines, the newest.")] = 100,
    json: JsonOption = False,
) -> None:
    """List lines of the audit log, the newest last.

    Example:
        ragraph audit list --token desk --since 2026-11-01
    """
    from ragraph.database.tokens import audit_events

    with administered() as place:
        found = audit_events(place, since=_moment(since), token=token, document=document, most=limit)
    if json:
        print_json(found)
        return
    if not found:
        console.print("no lines; `ragraph serve --audit require` writes them")
        return
    table = Table(box=None, pad_edge=False)
    for column in ("Time", "Who", "Action", "Status", "Documents"):
        table.add_column(column)
    for event in found:
        table.add_row(*(shown(cell) for cell in _cells(event)))
    console.print(table)


@audit.command()
def export(
    since: _Since = None,
    token: _Token = None,
    document: _Document = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File to write; default: print.")] = None,
) -> None:
    """Write the audit log as JSON Lines, the oldest line first.

    Example:
        ragraph audit export --since 2026-11-01 -o november.jsonl
    """
    from ragraph.database.tokens import audit_events

    with administered() as place:
        found = audit_events(place, since=_moment(since), token=token, document=document)
    text = "".join(json_.dumps(event.to_json(), ensure_ascii=False) + "\n" for event in found)
    if output is None:
        typer.echo(text, nl=False)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ArgumentError(f"cannot write {output}: {error.strerror}", hint="name another file") from None
    console.print(f"{many(len(found), 'line')} written to {shown(str(output))}", soft_wrap=True)


@audit.command()
def prune(
    older_than: Annotated[int, typer.Option("--older-than", metavar="DAYS", min=0, help="Age in days.")],
    json: JsonOption = False,
) -> None:
    """Remove old lines of the audit log.

    Only the owner of the store may.

    Example:
        ragraph audit prune --older-than 365
    """
    from ragraph.database.tokens import prune_audit

    with administered() as place:
        removed = prune_audit(place, older_than)
    if json:
        print_json({"removed": removed})
    else:
        typer.echo(f"removed {many(removed, 'line')}")


def _moment(since: str | None) -> datetime | None:
    """Return a date or time of an option, in UTC unless it names a zone."""
    if since is None:
        return None
    try:
        moment = datetime.fromisoformat(since)
    except ValueError:
        raise ArgumentError(f"since is {since[:40]!r}", hint="write it as 2026-11-28 or 2026-11-28T09:30") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _sight(token: AccessToken) -> str:
    return f"as {token.tenant}" if token.tenant else ", ".join(token.collections)


def _expiry(token: AccessToken) -> str:
    if token.expires_at is None:
        return "never"
    return f"{token.expires_at:%Y-%m-%d}" + (" (expired)" if token.expired else "")


def _cells(event: AuditEvent) -> tuple[str, ...]:
    more = event.document_count - _NAMED
    named = ", ".join(event.documents[:_NAMED]) + (f" and {more} more" if more > 0 else "")
    status = "begun" if event.status is None else str(event.status)
    return f"{event.at:%Y-%m-%d %H:%M:%S}", event.token_name or "", event.action, status, named
