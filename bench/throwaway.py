"""A store on an embedded server of its own that is gone afterwards."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import ragraph
from ragraph import server

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def throwaway_store() -> Iterator[ragraph.Store]:
    """Give an empty store in a temporary folder; its server is stopped before the folder goes."""
    with tempfile.TemporaryDirectory(prefix="ragraph-", ignore_cleanup_errors=True) as folder:
        try:
            with ragraph.open(home=folder) as store:
                yield store
        finally:
            server.stop(Path(folder))
