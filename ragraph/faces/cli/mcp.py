"""The command that serves the store to agents."""

from __future__ import annotations

import sys
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

from ragraph.base.extras import install
from ragraph.errors import RagraphError
from ragraph.faces.cli.output import errors, open_store
from ragraph.faces.cli.serve import audit_log, demands

if TYPE_CHECKING:
    from ragraph import Store


def register(app: typer.Typer) -> None:
    """Add the command of this module to the command line."""
    app.command()(mcp)


def mcp(
    http: Annotated[bool, typer.Option("--http", help="Over HTTP instead of standard input and output.")] = False,
    host: Annotated[
        str | None,
        typer.Option(help="With --http: address to listen on, default 127.0.0.1; others need a token."),
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
    tokens: Annotated[
        bool,
        typer.Option("--tokens", help="With --http: require a token of `ragraph tokens`, each with its own rights."),
    ] = False,
    audit: Annotated[
        Literal["off", "warn", "require"],
        typer.Option(
            envvar="RAGRAPH_AUDIT",
            help="With --http: log who read and changed what; if a line cannot be written, warn or refuse.",
        ),
    ] = "off",
    audit_queries: Annotated[
        bool, typer.Option("--audit-queries", help="With --http: log the words of queries too.")
    ] = False,
    tls_cert: Annotated[
        str | None, typer.Option(metavar="FILE", help="With --http: certificate chain in PEM, to encrypt by itself.")
    ] = None,
    tls_key: Annotated[
        str | None, typer.Option(metavar="FILE", help="With --http: key of the certificate in PEM.")
    ] = None,
    proxy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="IP",
            help="With --http and --tokens: a proxy that signs users in (RAGRAPH_PROXY_SECRET); may be repeated.",
        ),
    ] = None,
    proxy_header: Annotated[
        str, typer.Option(metavar="NAME", help="With --http: header in which the proxy names the user.")
    ] = "X-Forwarded-Email",
) -> None:
    """Serve the store to agents, by MCP.

    The Model Context Protocol over standard input and output: search, outline, read, follow, cite.

    Examples:
        ragraph mcp
        ragraph mcp --http --port 8001
    """
    if not http and (host is not None or port is not None or allow_host or tokens or tls_cert or tls_key or proxy):
        raise typer.BadParameter("--host, --port, --allow-host, --tokens, --tls-cert and --proxy require --http")
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
            log=audit_log(store, audit, queries=audit_queries),
            **demands(tokens=tokens, proxy=proxy, header=proxy_header, cert=tls_cert, key=tls_key),
        )
