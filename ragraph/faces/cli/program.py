"""The program `ragraph`: its commands, and its handling of errors."""

from __future__ import annotations

import inspect
import os
import sys
import warnings
from copy import copy
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer.main import get_command_name

import ragraph
from ragraph.base.extras import OVERWRITTEN
from ragraph.base.terminal import clean
from ragraph.errors import ArgumentError, PageNotFoundError, RagraphNotice, VersionNotFoundError
from ragraph.faces.cli import (
    answer,
    assets,
    backup,
    cite,
    cluster,
    db,
    demo,
    describe,
    doctor,
    embed_query,
    entities,
    evaluate,
    export,
    feedback,
    jobs,
    mcp,
    models,
    read,
    search,
    serve,
    tokens,
    tune,
    update,
    versions,
    works,
)
from ragraph.faces.cli.output import (
    ClickError,
    connection,
    console,
    forget_notices,
    print_click_error,
    print_error,
    tell_notice,
)

if TYPE_CHECKING:
    from typer.models import CommandInfo

app = typer.Typer(
    name="ragraph",
    help=(
        "A graph-structured document store on PostgreSQL.\n\n"
        "\b\n"
        "Start with:\n"
        "  ragraph ingest report.pdf papers/\n"
        "  ragraph list\n"
        "  ragraph search 'a question'"
    ),
    no_args_is_help=True,
    rich_markup_mode=None,  # plain help: rich takes half as long again to load, and breaks lines of examples
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        console.print(f"ragraph {ragraph.__version__}")
        raise typer.Exit


@app.callback()
def options(
    url: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="PostgreSQL 16+ with pgvector; default RAGRAPH_DATABASE_URL, else the embedded server.",
        ),
    ] = None,
    home: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder of the embedded server; default RAGRAPH_HOME, else the user's data."),
    ] = None,
    direct_url: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            envvar="RAGRAPH_DIRECT_URL",
            help="If --url leads to a pooler: the server itself, for backup and restore.",
        ),
    ] = None,
    role: Annotated[
        str | None,
        typer.Option(metavar="ROLE", help="Work as reader, writer, owner (`ragraph db roles`) or another."),
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Options that select the store, before the command."""
    connection.url, connection.home, connection.role = url, home, role
    if direct_url is not None:
        os.environ["RAGRAPH_DIRECT_URL"] = direct_url


def _register() -> None:
    """Register the commands: ours, then those of other packages, ``ragraph.ingest`` among them."""
    found = {entry.name: entry for entry in entry_points(group="ragraph.commands")}  # once each, if installed twice
    for name in sorted(found):
        found[name].load()(app)
    read.register(app)
    search.register(app)
    tune.register(app)
    evaluate.register(app)
    export.register(app)
    backup.register(app)
    describe.register(app)
    entities.register(app)
    works.register(app)
    doctor.register(app)
    demo.register(app)
    embed_query.register(app)
    update.register(app)
    versions.register(app)
    cite.register(app)
    answer.register(app)
    serve.register(app)
    mcp.register(app)
    jobs.register(app)
    app.add_typer(db.app, name="db")
    app.add_typer(jobs.app, name="jobs")
    app.add_typer(models.app, name="models")
    app.add_typer(assets.app, name="assets")
    app.add_typer(entities.app, name="entities")
    app.add_typer(works.app, name="works")
    app.add_typer(cluster.app, name="cluster")
    app.add_typer(tokens.app, name="tokens")
    app.add_typer(tokens.audit, name="audit")
    app.add_typer(feedback.reviews, name="reviews")
    app.add_typer(feedback.queries, name="queries")
    groups = (db.app, jobs.app, models.app, assets.app, entities.app, works.app, cluster.app, tokens.app, tokens.audit)
    for commands in (app, *groups, feedback.reviews, feedback.queries):
        for command in commands.registered_commands:
            command.help = _laid_out(command.callback.__doc__ or "") if command.callback else None


def _laid_out(text: str) -> str:
    """Return the help of a command: examples keep their lines, other text is wrapped by the terminal."""
    laid_out = []
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        head, *lines = (line.strip() for line in paragraph.splitlines())
        examples = head in ("Example:", "Examples:")
        laid_out.append(
            "\n  ".join(["\b", head, *lines]).replace("\n  ", "\n", 1) if examples else " ".join([head, *lines])
        )
    return "\n\n".join(laid_out)


_register()


def main() -> None:
    """Run the command line; exit code 0, 1 for a failed operation, 2 for wrong usage."""
    if not hasattr(ragraph, "RagraphError"):
        sys.exit(f"error: {OVERWRITTEN}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", RagraphNotice)
            warnings.showwarning = tell_notice
            forget_notices()
            _check_arguments(sys.argv[1:])
            sys.exit(_app_of(_first_word(sys.argv[1:]))(standalone_mode=False) or 0)
    except ragraph.RagraphError as error:
        print_error(error)
        missing = isinstance(error, PageNotFoundError | VersionNotFoundError)
        sys.exit(2 if isinstance(error, ArgumentError) and not missing else 1)
    except ClickError as error:
        sys.exit(print_click_error(error))
    except BrokenPipeError:
        sys.stderr.close()  # the reader of the pipe has left, as `head` does
        sys.exit(1)
    except OSError as error:  # a full disk, a missing folder
        print_error(error)
        sys.exit(1)
    except typer.Abort:  # the user answered no
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)


def _first_word(arguments: list[str]) -> str:
    """Return the command that is called; an empty string if an option comes first that ends the program, as --help."""
    rest = iter(arguments)
    for argument in rest:
        if not argument.startswith("-"):
            return argument
        name, equals, _ = argument.partition("=")
        if name not in ("--url", "--home", "--role", "--direct-url"):
            return ""
        if not equals:
            next(rest, None)
    return ""


@cache
def _app_of(name: str) -> typer.Typer:
    """Return the app with one command or group alone; typer takes 0.2 s to build all of them.

    An unknown name gets all: the help lists them, and an error suggests similar ones.
    """
    commands = [found for found in app.registered_commands if _name_of(found) == name]
    groups = [found for found in app.registered_groups if found.name == name]
    if not commands and not groups:
        return app
    only = copy(app)
    only.registered_commands, only.registered_groups = commands, groups
    return only


def _name_of(command: CommandInfo) -> str:
    return command.name or (get_command_name(command.callback.__name__) if command.callback else "")


def _check_arguments(arguments: list[str]) -> None:
    """Raise an error for arguments that are not UTF-8, unless they name an existing file, which may have any name."""
    for number, argument in enumerate(arguments, 1):
        try:
            argument.encode()
        except UnicodeEncodeError:
            if not os.path.lexists(argument):
                raise ArgumentError(
                    f"argument {number}, {clean(argument)!r}, is not UTF-8, and there is no file of this name"
                ) from None
