"""What hits and nodes read from their store when a program or a notebook asks them for more."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from psycopg.rows import dict_row

from ragraph.documents.tables import table_of
from ragraph.errors import RagraphError

if TYPE_CHECKING:
    from ragraph.schema.results import Table

_SCALE = 1.0
"""Pixels per point of a page that a notebook shows: 100 kB for a page of text."""


class StoreSource:
    """Reads tables and pages of an open store; a copy of a hit shares it, a pickled hit has none.

    Args:
        store: the store.
    """

    def __init__(self, store: Any) -> None:
        self._store = store

    def __deepcopy__(self, _: Any) -> StoreSource:
        """Return itself: a store is not copied."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Become None in a pickle: another process has no connection."""
        return type(None), ()

    def table(self, document: str, node: str) -> Table | None:
        """Return the table of a node; None if it has none.

        Raises:
            DocumentNotFoundError, NodeNotFoundError: it was deleted meanwhile.
        """
        found = self._store.node(document, node)
        asked = {"document_id": document, "nodes": [node]}
        rows = self._store._ask.rows("tables_of_nodes", dict_row, asked)
        return table_of(found, rows[0]) if rows else None

    def shown_table(self, document: str, node: str) -> Table | None:
        """As ``table``, but None if it cannot be read: the store is closed, or the document is gone."""
        with suppress(RagraphError):
            return self.table(document, node)
        return None

    def places(self, document: str, page: int) -> list[dict[str, Any]]:
        """Return the places of the nodes on a page; an empty list if they cannot be read."""
        with suppress(RagraphError):
            return [place for node in self._store.page(document, page) for place in node.positional_data]
        return []

    def page(self, document: str, page: int) -> tuple[bytes, float, float] | None:
        """Return a page as a JPEG file with its width and height in points; None if it cannot be drawn."""
        try:
            picture = self._store.page_image(document, page, _SCALE)
        except RagraphError:  # it has no picture, the store is closed, or the document is gone
            return None
        return picture.data, picture.width / _SCALE, picture.height / _SCALE
