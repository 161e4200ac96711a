"""The commands that serve the store to browsers and programs: serve, and open, which shows one document."""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import quote

import typer

from ragraph.base import settings
from ragraph.base.extras import install
from ragraph.errors import ArgumentError, RagraphError
from ragraph.faces.cli.output import DocumentArgument, console, open_store
from ragraph.retrieval.pages import page_number

if TYPE_CHECKING:
    from ragraph.faces.web.asking import AuditLog
    from ragraph.faces.web.listening import Demands
    from ragraph.store.store import Store

_SECRET = 16
"""Minimum number of characters of the secret that a proxy shares with the service."""


def register(app: typer.Typer) -> None:
    """Add the command of this module to the command line."""
    app.command()(serve)
    app.command("open")(open_document)


def serve(
    host: Annotated[
        str, typer.Option(help="Address to listen on; any address that others can reach needs a token.")
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
    ingest_from: Annotated[
        list[str] | None,
        typer.Option(metavar="HOST", help="With --write: a host that REST may fetch files from; may be repeated."),
    ] = None,
    tokens: Annotated[
        bool, typer.Option("--tokens", help="Require a token of `ragraph tokens`, each with its own rights.")
    ] = False,
    audit: Annotated[
        Literal["off", "warn", "require"],
        typer.Option(
            envvar="RAGRAPH_AUDIT",
            help="Log who read and changed what; if a line cannot be written: warn, or refuse the request.",
        ),
    ] = "off",
    audit_queries: Annotated[bool, typer.Option("--audit-queries", help="Log the words of queries too.")] = False,
    tls_cert: Annotated[
        str | None, typer.Option(metavar="FILE", help="Certificate chain in PEM, to encrypt by itself.")
    ] = None,
    tls_key: Annotated[str | None, typer.Option(metavar="FILE", help="Key of the certificate in PEM.")] = None,
    proxy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="IP", help="With --tokens: a proxy that signs users in (RAGRAPH_PROXY_SECRET); may be repeated."
        ),
    ] = None,
    proxy_header: Annotated[
        str, typer.Option(metavar="NAME", help="Header in which the proxy names the user.")
    ] = "X-Forwarded-Email",
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Serve pages for a browser, and REST for programs.

    The library, documents with their outline, search, and each passage marked on its page; REST is under /api.

    Examples:
        ragraph serve --open
        ragraph serve --host 0.0.0.0 --token "$TOKEN" --allow-host lib.example.org
        ragraph serve --tokens --tls-cert library.pem --tls-key library.key
    """
    run = _runner()
    from ragraph.base.log import print_log  # here: the help prints without what it needs

    with print_log(settings.log()), open_store(create=write) as store:
        run(
            store,
            host=host,
            port=port,
            token=token,
            allowed_hosts=allow_host or (),
            write=write,
            ingest_from=ingest_from or (),
            open_page=open_page,
            announce=lambda line: console.print(line, soft_wrap=True),
            log=audit_log(store, audit, queries=audit_queries),
            **demands(tokens=tokens, proxy=proxy, header=proxy_header, cert=tls_cert, key=tls_key),
        )


def open_document(
    document: DocumentArgument,
    page: Annotated[str | None, typer.Option(metavar="N", help="A physical page, or one as printed.")] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; default a free one.")] = 0,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Print the address, and open no browser.")] = False,
) -> None:
    """Show a document in the browser, on one of its pages.

    It serves the store to this machine alone, until Ctrl-C.

    Examples:
        ragraph open dl_213
        ragraph open dl_213 --page 18
    """
    run = _runner()
    from ragraph.base.log import print_log

    with print_log(settings.log()), open_store() as store:
        store.document(document)
        path = f"documents/{quote(document, safe='')}"
        path += f"?page={page_number(document, page, store.pages(document))}" if page is not None else ""
        run(
            store,
            port=port,
            open_page=not no_browser,
            path=path,
            announce=lambda line: console.print(line, soft_wrap=True),
        )


def audit_log(store: Store, mode: Literal["off", "warn", "require"], *, queries: bool) -> AuditLog:
    """Return the audit log of a service.

    Raises:
        ServerError: the store has no role for the service.
    """
    from ragraph.faces.web.asking import AuditLog

    return AuditLog(store, mode, queries=queries)


def demands(*, tokens: bool, proxy: list[str] | None, header: str, cert: str | None, key: str | None) -> Demands:
    """Return further requirements on requests, from the options of a command.

    Raises:
        ArgumentError: a file of the certificate is missing, or a proxy has no address or no secret.
    """
    from ragraph.faces.web.guard import Proxy

    if (cert is None) != (key is None):
        raise ArgumentError("a certificate needs its key", hint="give both --tls-cert and --tls-key")
    trusted = None
    if proxy:
        secret = settings.proxy_secret()
        if secret is None or len(secret) < _SECRET:
            raise ArgumentError(
                f"RAGRAPH_PROXY_SECRET has fewer than {_SECRET} characters", hint="set it here and in the proxy"
            )
        for address in proxy:
            try:
                ip_address(address)
            except ValueError:
                raise ArgumentError(f"{address!r} is no IP address", hint="name the proxy by its address") from None
        trusted = Proxy(frozenset(proxy), secret, header.lower())
    return {"store_tokens": tokens, "proxy": trusted, "tls": (cert, key) if cert and key else None}


def _runner() -> Any:
    try:
        from ragraph.faces.web.serve import serve as run
    except ModuleNotFoundError as error:
        raise RagraphError(f"the package {error.name} is missing", hint=f"install it with: {install('web')}") from None
    return run
