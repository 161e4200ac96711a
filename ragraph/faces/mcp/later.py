"""A store that need not exist yet: an agent's client starts its servers before anything was ingested."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragraph.store.store import Store


class StoreLater:
    """Open a store at the first call that finds one; until then each call raises ``ServerNotFoundError``.

    Args:
        open_store: opens the store.
    """

    def __init__(self, open_store: Callable[[], Store]) -> None:
        self._open = open_store
        self._lock = Lock()
        self._store: Store | None = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        with self._lock:
            if self._store is None:
                self._store = self._open()
        return getattr(self._store, name)

    def close(self) -> None:
        """Close the store if it was opened."""
        if self._store is not None:
            self._store.close()
