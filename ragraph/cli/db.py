"""Commands for the database under the store: `ragraph db ...`.

What they work with is imported by the command that runs: the help of all others must not wait for it.
"""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragraph import settings
from ragraph.cli.output import JsonOption, connection, errors, print_json
from ragraph.cli.steps import held_rows, step_shown
from ragraph.errors import ServerError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragraph.places import Place

app = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Make, upgrade, reach and stop the database under the store."
)


@app.command()
def init(json: JsonOption = False) -> None:
    """Make the store.

    That is the embedded server's data folder, the database, its schema. Again it changes nothing.

    Example:
        ragraph --home ./store db init
    """
    _upgrade(create=True, json=json)


@app.command()
def upgrade(
    server: Annotated[
        int | None, typer.Option(metavar="VERSION", help="Move an embedded store to this PostgreSQL: 18.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Bring the schema and functions of the store up to this version.

    With --server, move an embedded store to another PostgreSQL first: nobody else may use it meanwhile, and the old
    data folder stays beside the new one.

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

    The embedded server runs on until `ragraph db stop`. For a copy of the store see `ragraph backup`: a pg_dump of
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
    show: Annotated[bool, typer.Option("--print", help="Print the SQL, for whoever administers the server.")] = False,
    json: JsonOption = False,
) -> None:
    """Make roles for the store: owner, writer, reader.

    They are called ragraph_owner, ragraph_writer and ragraph_reader, and get the rights that each needs. The owner has
    tables and functions, the writer ingests, the reader reads, a minute at most, and makes nothing. None can log in:
    `GRANT ragraph_reader TO somebody`. Work as one by --role. Run it again after an upgrade.

    Examples:
        ragraph db roles
        ragraph --role reader search "a question"
        ragraph db roles --print | psql "$ADMIN_URL"
    """
    from ragraph.roles import OWNER, READER, WRITER, make_roles, roles_sql

    if show:
        typer.echo(roles_sql())
        return
    with _opened(create=False) as (place, embedded, _):
        make_roles(place if embedded is None else embedded.url(role="postgres"))
    if json:
        print_json({"roles": [OWNER, WRITER, READER]})
    else:
        typer.echo(f"{OWNER}, {WRITER} and {READER} have what they need: work as one by --role writer or --role reader")


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
        # psql takes our place and our hold on the server, so that it gets the keys and signals of the terminal itself
        # an error is its line and its hint: the stack of functions that raised it says nothing to a user
        own = ["-v", "SHOW_CONTEXT=never", "-d", make_conninfo("", **parameters)]
        os.execve(program, [program, *own, *context.args], environment)  # noqa: S606


@app.command()
def stop(json: JsonOption = False) -> None:
    """Stop the embedded server now, even if other programs use it. What is committed stays.

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
    """The URL of the store's database; the embedded server runs meanwhile if it is there."""
    with _opened(create=False) as (place, *_):
        yield place


@contextmanager
def _opened(*, create: bool) -> Iterator[Place]:
    """The place of the store that the command line names; the schema may be missing."""
    from ragraph.places import reached

    with reached(connection.url, connection.home, create=create, role=connection.role) as place:
        yield place


def _move(version: int, *, json: bool) -> None:
    if connection.url or (settings.database_url() and not connection.home):
        raise ServerError("this store is not on the embedded server: upgrade its PostgreSQL where it runs")
    from ragraph.opening import upgrade_server

    with step_shown() as told:
        report = upgrade_server(version, home=connection.home, progress=told)
    if json:
        print_json({"moved": report is not None, "server": version})
    elif report is None:
        typer.echo(f"the store is on PostgreSQL {version} already")
    else:
        typer.echo(f"{held_rows(report.rows)} moved to PostgreSQL {version}, equal to what was there")


def _upgrade(*, create: bool, json: bool) -> None:
    from ragraph import migrate

    with _opened(create=create) as (place, *_):
        changed = migrate.upgrade(place)
        revision = migrate.current(place)
    if json:
        print_json({"changed": changed, "revision": revision})
    else:
        typer.echo(f"the schema is at {revision}" + (", upgraded now" if changed else ", nothing to do"))
