"""The commands for the database of the store: `ragraph db ...`.

Their dependencies are imported by the command that runs, so that the help of other commands need not wait for them.
"""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragraph.base import settings
from ragraph.base.notices import warn
from ragraph.errors import ServerError
from ragraph.faces.cli.output import JsonOption, connection, console, errors, print_json, shown
from ragraph.faces.cli.steps import held_rows, step_shown, words_shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragraph.store.places import Place


class Switch(StrEnum):
    """On or off."""

    ON = "on"
    OFF = "off"


class Precision(StrEnum):
    """Precision of stored vectors."""

    FULL = "full"
    HALF = "half"


class Right(StrEnum):
    """Rights of a role on a collection."""

    READ = "read"
    WRITE = "write"


app = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Create, upgrade and stop the database of the store."
)


@app.command()
def init(json: JsonOption = False) -> None:
    """Create the store.

    Creates the data folder of the embedded server, the database and its schema. A second run changes nothing.

    Example:
        ragraph --home ./store db init
    """
    _upgrade(create=True, json=json)


@app.command()
def upgrade(
    server: Annotated[
        int | None, typer.Option(metavar="VERSION", help="Move an embedded store to this version of PostgreSQL: 18.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Upgrade the schema and functions of the store to this version.

    With --server, an embedded store is first moved to another version of PostgreSQL. Nobody else may use it meanwhile,
    and the old data folder stays beside the new one.

    Examples:
        ragraph --url postgresql://user@host/library db upgrade
        ragraph --home ./store db upgrade --server 18
    """
    if server is not None:
        _move(server, json=json)
        return
    _upgrade(create=False, json=json)


@app.command()
def url(json: JsonOption = False) -> None:
    """Print the URL for psql, SQLAlchemy and other programs.

    The embedded server keeps running until `ragraph db stop`. To copy the store use `ragraph backup`: a pg_dump of
    another version refuses the server.

    Example:
        psql "$(ragraph db url)"
    """
    with _opened(create=False) as (place, embedded, _):
        if embedded is not None:
            embedded.hold()
            errors.print("the server keeps running until: ragraph db stop", soft_wrap=True)
        if json:
            print_json({"url": place})
        else:
            typer.echo(place)


@app.command()
def roles(
    show: Annotated[bool, typer.Option("--print", help="Print the SQL, for the administrator of the server.")] = False,
    json: JsonOption = False,
) -> None:
    """Create roles for the store: owner, writer, reader, service.

    The roles ragraph_owner, ragraph_writer and ragraph_reader get the rights that each needs. The owner has tables and
    functions, the writer ingests. The reader reads, for at most a minute per statement, and creates nothing.
    ragraph_service is for `ragraph serve --tokens`. None of them can log in: `GRANT ragraph_reader TO somebody`. Use
    --role to work as one. Run the command again after an upgrade.

    Examples:
        ragraph db roles
        ragraph --role reader search "a question"
        ragraph db roles --print | psql "$ADMIN_URL"
    """
    from ragraph.database.roles import OWNER, READER, SERVICE, WRITER, make_roles, roles_sql

    if show:
        typer.echo(roles_sql())
        return
    with administered() as place:
        make_roles(place)
    if json:
        print_json({"roles": [OWNER, WRITER, READER, SERVICE]})
    else:
        typer.echo(
            f"{OWNER}, {WRITER}, {READER} and {SERVICE} have their rights: work as one by --role writer or"
            " --role reader"
        )


@app.command()
def tenants(
    state: Annotated[Switch | None, typer.Argument(help="New state; default: print the present one.")] = None,
    json: JsonOption = False,
) -> None:
    """Restrict roles to the collections granted to them.

    Row-level security enforces this on every table, for every program that connects as such a role. `ragraph db grant`
    makes grants; they are retained when tenants are off. The owner of the store is granted all collections at first, so
    let applications connect as roles of their own. Superusers bypass row-level security.

    Examples:
        ragraph db tenants on
        ragraph db tenants
    """
    from ragraph.database.tenants import collection_grants, switch_tenants, tenants_on

    with administered() as place:
        if state is not None:
            switch_tenants(place, on=state is Switch.ON)
        on, grants = tenants_on(place), collection_grants(place)
    if json:
        print_json({"tenants": on, "grants": [grant.to_json() for grant in grants]})
    elif on:
        typer.echo("on: each role sees the collections granted to it; ragraph db grants lists them")
    else:
        typer.echo("off: every role with the right to read sees all collections")


@app.command()
def grant(
    role: Annotated[str, typer.Argument(help="Role of PostgreSQL; reader, writer, owner are those of db roles.")],
    collection: Annotated[str, typer.Argument(help="Collection, which need not exist yet; '*' for all.")],
    right: Annotated[Right, typer.Argument(help="The right to grant.")] = Right.READ,
    create: Annotated[
        bool, typer.Option("--create", help="Create the role if it is missing: without login, for --role.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Let a role read a collection, or also write to it.

    It has no effect before `ragraph db tenants on`.

    Examples:
        ragraph db grant alice contracts read
        ragraph db grant acme acme write --create
        ragraph --role acme ingest ./acme --collection acme
    """
    from ragraph.database.tenants import grant_collection

    with administered() as place:
        grant_collection(place, role, collection, write=right is Right.WRITE, create=create)
    if json:
        print_json({"role": role, "collection": collection, "right": right.value})
    else:
        console.print(f"{shown(role)} may {right.value} {_called(collection)}", soft_wrap=True)


@app.command()
def revoke(
    role: Annotated[str, typer.Argument(help="Role of PostgreSQL.")],
    collection: Annotated[str | None, typer.Argument(help="Collection; default: all that were granted.")] = None,
    json: JsonOption = False,
) -> None:
    """Revoke grants of a role.

    Examples:
        ragraph db revoke alice contracts
        ragraph db revoke alice
    """
    from ragraph.database.tenants import revoke_collection

    with administered() as place:
        revoked = revoke_collection(place, role, collection)
    if json:
        print_json({"role": role, "revoked": revoked})
    else:
        told = (
            f"{revoked} revoked from {shown(role)}"
            if revoked
            else f"{shown(role)} had no grants: see ragraph db grants"
        )
        console.print(told, soft_wrap=True)


@app.command()
def grants(json: JsonOption = False) -> None:
    """List which role sees which collection.

    Example:
        ragraph db grants
    """
    from ragraph.database.tenants import collection_grants

    with administered() as place:
        found = collection_grants(place)
    if json:
        print_json(found)
        return
    if not found:
        typer.echo("no grants; make one with ragraph db grant ROLE COLLECTION")
    for item in found:
        gone = "" if item.role_exists else " (the role does not exist)"
        right = Right.WRITE if item.may_write else Right.READ
        console.print(f"{shown(item.role_name)}  {_called(item.collection)}  {right.value}{gone}", soft_wrap=True)


@app.command()
def vectors(
    precision: Annotated[
        Precision | None, typer.Argument(help="New precision; default: print the present one.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Store vectors in half or in full precision.

    Half precision takes 2 bytes a number instead of 4. Only for the owner of the store. Nobody else can search by
    vectors meanwhile, because they are rewritten and their indexes built again. The digits that are lost do not come
    back with `full`. Refused if a number is greater than 65,504, and on a cluster.

    Examples:
        ragraph db vectors half
        ragraph db vectors
    """
    from ragraph.database.precision import half_vectors, store_vectors

    with database_url() as place:
        changed = precision is not None and store_vectors(place, half=precision is Precision.HALF)
        now = Precision.HALF if half_vectors(place) else Precision.FULL
    if json:
        print_json({"vectors": now.value, "changed": changed})
    else:
        done = "" if precision is None else ", changed now" if changed else ", nothing to do"
        typer.echo(f"vectors are stored in {now.value} precision{done}")


@app.command(
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": ["--help"]}
)
def psql(context: typer.Context) -> None:
    """Open psql on the store; all further arguments go to psql.

    Examples:
        ragraph db psql
        ragraph db psql -c "SELECT * FROM ragraph.check_store()"
    """
    from psycopg.conninfo import conninfo_to_dict, make_conninfo

    from ragraph.server.binaries import DEFAULT_VERSION, find_binaries

    with _opened(create=False) as (place, embedded, _):
        parameters = conninfo_to_dict(place)
        environment = dict(os.environ)
        if password := parameters.pop("password", None):
            environment["PGPASSWORD"] = str(password)  # arguments can be read by every user of the machine
        if embedded is not None:
            program = str(Path(embedded.program("psql")))
            embedded.keep_on_exec()
        else:
            program = shutil.which("psql") or find_binaries(DEFAULT_VERSION).program("psql")
        # psql replaces this process and takes over our lock on the server, so that it gets the keys and signals of the
        # terminal; errors show their line and hint only, because the functions that raised them mean nothing to a user
        own = ["-v", "SHOW_CONTEXT=never", "-d", make_conninfo("", **parameters)]
        os.execve(program, [program, *own, *context.args], environment)  # noqa: S606


@app.command()
def stop(json: JsonOption = False) -> None:
    """Stop the embedded server now, even if other programs use it. Committed data stays.

    Example:
        ragraph db stop
    """
    if connection.url or (settings.database_url() and not connection.home):
        raise ServerError("this store is not on the embedded server: stop its PostgreSQL where it runs")
    from ragraph import server

    home = connection.home or settings.home()
    stopped = server.stop(home)
    if json:
        print_json({"home": str(home), "stopped": stopped})
    else:
        typer.echo(f"stopped the server of {home}" if stopped else f"no server was running in {home}")


@contextmanager
def database_url() -> Iterator[str]:
    """Yield the URL of the store's database; the embedded server, if there is one, runs meanwhile."""
    with _opened(create=False) as (place, *_):
        yield place


@contextmanager
def administered() -> Iterator[str]:
    """Yield the URL of the store's database, on the embedded server as its administrator."""
    with _opened(create=False) as (place, embedded, _):
        yield place if embedded is None else embedded.url(role="postgres")


def _called(collection: str) -> str:
    return "all collections" if collection == "*" else shown(collection)


@contextmanager
def _opened(*, create: bool) -> Iterator[Place]:
    """Yield the location of the store named on the command line; the schema may be missing."""
    from ragraph.store.places import reached

    with reached(connection.url, connection.home, create=create, role=connection.role) as place:
        yield place


def _move(version: int, *, json: bool) -> None:
    if connection.url or (settings.database_url() and not connection.home):
        raise ServerError("this store is not on the embedded server: upgrade its PostgreSQL where it runs")
    from ragraph.store.opening import upgrade_server

    with step_shown() as told:
        report = upgrade_server(version, home=connection.home, progress=told)
    if json:
        print_json({"moved": report is not None, "server": version})
    elif report is None:
        typer.echo(f"the store is already on PostgreSQL {version}")
    else:
        typer.echo(f"{held_rows(report.rows)} moved to PostgreSQL {version}, equal to the original")


def _upgrade(*, create: bool, json: bool) -> None:
    from ragraph.database import migrate

    with _opened(create=create) as (place, *_), words_shown() as told:
        changed = migrate.upgrade(place, told)
        revision = migrate.current(place)
        lost = migrate.words_lost(place) if changed else None
    if lost:
        warn(lost)
    if json:
        print_json({"changed": changed, "revision": revision})
    else:
        typer.echo(f"the schema is at {revision}" + (", upgraded now" if changed else ", nothing to do"))
