"""The command that serves the store to agents."""

from __future__ import annotations

import sys
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Annotated, cast

import typer

from ragraph.base.extras import install
from ragraph.errors import RagraphError
from ragraph.faces.cli.output import errors, open_store

if TYPE_CHECKING:
    from ragraph import Store


def register(app: typer.Typer) -> None:
    """Add the command of this module to the command line."""
    app.command()(mcp)


def mcp(
    http: Annotated[bool, typer.Option("--http", help="Over HTTP instead of standard input and output.")] = False,
    host: Annotated[
        str | None,
        typer.Option(help="With --http: address to listen on, default 127.0.0.1; others need --token."),
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="With --http: port, default 8001; 0 for a free one.")
    ] = None,
    token: Annotated[
        str | None, typer.Option(envvar="RAGRAPH_TOKEN", help="With --http: the bearer token required of clients.")
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="With --http: a name under which others reach this machine; may be repeated."
        ),
    ] = None,
    write: Annotated[bool, typer.Option("--write", help="Offer to ingest, change and delete documents.")] = False,
) -> None:
    """Serve the store to agents, by MCP.

    The Model Context Protocol over standard input and output: search, outline, read, follow, cite.

    Examples:
        ragraph mcp
        ragraph mcp --http --port 8001
    """
    if not http and (host is not None or port is not None or allow_host):
        raise typer.BadParameter("--host, --port and --allow-host require --http")
    try:
        from ragraph.faces.mcp.later import StoreLater
        from ragraph.faces.mcp.serve import serve_http, serve_stdio
    except ModuleNotFoundError as error:
        raise RagraphError(f"the package {error.name} is missing", hint=f"install it with: {install('mcp')}") from None
    if not http:
        # A client reports no more than "connection closed" of a server that ends, so the tools answer that there is no
        # store, and find one that is made later.
        if sys.stdin.isatty():  # somebody tries it in a terminal; a client's log stays empty
            errors.print(
                "Serving MCP on standard input and output, for a client that starts this command (stop with Ctrl-C)",
                soft_wrap=True,
            )
        with closing(StoreLater(partial(open_store, create=write))) as store:
            serve_stdio(cast("Store", store), write=write)
        return
    with open_store(create=write) as store:
        serve_http(
            store,
            host="127.0.0.1" if host is None else host,
            port=8001 if port is None else port,
            token=token,
            allowed_hosts=allow_host or (),
            write=write,
            announce=lambda line: errors.print(line, soft_wrap=True),
        )
