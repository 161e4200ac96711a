"""Runs the service on an address."""

from __future__ import annotations

import webbrowser
from threading import Timer
from typing import TYPE_CHECKING

from ragraph.faces.web.app import create_app
from ragraph.faces.web.listening import listen

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Unpack

    from ragraph.faces.web.asking import AuditLog
    from ragraph.faces.web.listening import Demands
    from ragraph.store.store import Store


def serve(
    store: Store,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    token: str | None = None,
    write: bool = False,
    allowed_hosts: Sequence[str] = (),
    ingest_from: Sequence[str] = (),
    open_page: bool = False,
    path: str = "",
    announce: Callable[[str], None] = print,
    log: AuditLog | None = None,
    **demands: Unpack[Demands],
) -> None:
    """Serve a store until the process is stopped.

    Args:
        store: the store.
        host: address to listen on; any address that others can reach needs a token.
        port: 0 for a free one.
        token: required of clients: as ``Authorization: Bearer``, or typed into the page.
        write: also offer to upload and to delete.
        allowed_hosts: names under which others reach this machine.
        ingest_from: hosts that REST may fetch files from, with ``write``.
        open_page: open a browser.
        path: the page to announce and to open, after the address.
        announce: called when the server listens, with the line that says where.
        log: the audit log; default none.
        **demands: ``store_tokens``, ``proxy`` and ``tls`` of ``ragraph.faces.web.listening.listen``.

    Raises:
        ArgumentError: the address needs a token, or the server cannot listen on it.
    """
    listener = listen(host, port, token=token, allowed_hosts=allowed_hosts, **demands)
    app = create_app(store, write=write, access=listener.access, ingest_from=ingest_from, log=log)
    announce(listener.announcement(path))
    if open_page:
        Timer(0.5, webbrowser.open, [listener.address + path]).start()
    listener.run(app)
