"""The commands that serve the store to browsers and programs: serve, and open, which shows one document."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote

import typer

from ragraph.base import settings
from ragraph.base.extras import install
from ragraph.errors import ArgumentError, RagraphError
from ragraph.faces.cli.output import DocumentArgument, console, open_store
from ragraph.retrieval.parameters import page_or_label


def register(app: typer.Typer) -> None:
    """Add the command of this module to the command line."""
    app.command()(serve)
    app.command("open")(open_document)


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
    ingest_from: Annotated[
        list[str] | None,
        typer.Option(metavar="HOST", help="With --write: a host that REST may fetch files from; may be repeated."),
    ] = None,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Serve pages for a browser, and REST for programs.

    The library, documents with their outline, search, and each passage marked on its page; REST is under /api.

    Examples:
        ragraph serve --open
        ragraph serve --host 0.0.0.0 --token "$TOKEN" --allow-host lib.example.org
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
        on = None if page is None else page_or_label(page)
        if on is not None and not store.page(document, on):
            raise ArgumentError(f"document {document!r} has no page {page}", hint="`ragraph show` has their number")
        store.document(document)
        path = f"documents/{quote(document, safe='')}" + (f"?page={quote(page, safe='')}" if page is not None else "")
        run(
            store,
            port=port,
            open_page=not no_browser,
            path=path,
            announce=lambda line: console.print(line, soft_wrap=True),
        )


def _runner() -> Any:
    try:
        from ragraph.faces.web.serve import serve as run
    except ModuleNotFoundError as error:
        raise RagraphError(f"the package {error.name} is missing", hint=f"install it with: {install('web')}") from None
    return run
