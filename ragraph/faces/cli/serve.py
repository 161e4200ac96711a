"""The command that serves the store to browsers and programs."""

from __future__ import annotations

from typing import Annotated

import typer

from ragraph.base import settings
from ragraph.base.extras import install
from ragraph.errors import RagraphError
from ragraph.faces.cli.output import console, open_store


def register(app: typer.Typer) -> None:
    """Add the command of this module to the command line."""
    app.command()(serve)


def serve(
    host: Annotated[
        str, typer.Option(help="Address to listen on; any address that others can reach needs --token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 for a free one.")] = 8000,
    token: Annotated[
        str | None,
        typer.Option(envvar="RAGRAPH_TOKEN", help="Token required of others: typed into the page, or as bearer token."),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A name under which others reach this machine; may be repeated."),
    ] = None,
    write: Annotated[bool, typer.Option("--write", help="Offer to upload and to delete documents.")] = False,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Serve pages for a browser, and REST for programs.

    The library, documents with their outline, search, and each passage marked on its page; REST is under /api.

    Examples:
        ragraph serve --open
        ragraph serve --host 0.0.0.0 --token "$TOKEN" --allow-host lib.example.org
    """
    try:
        from ragraph.faces.web.serve import serve as run
    except ModuleNotFoundError as error:
        raise RagraphError(f"the package {error.name} is missing", hint=f"install it with: {install('web')}") from None
    from ragraph.base.log import print_log  # here: the help prints without what it needs

    with print_log(settings.log()), open_store(create=write) as store:
        run(
            store,
            host=host,
            port=port,
            token=token,
            allowed_hosts=allow_host or (),
            write=write,
            open_page=open_page,
            announce=lambda line: console.print(line, soft_wrap=True),
        )
