"""ragraph: a graph-structured document store on PostgreSQL for retrieval-augmented generation.

import ragraph

with ragraph.open() as store:
    store.ingest(["report.pdf", "papers/"])
    for hit in store.search("cost of adaptation", k=5):
        print(hit.citation, hit.content)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ragraph.errors import RagraphError

if TYPE_CHECKING:
    from ragraph.schema.context import Context, ContextBlock, ContextDocument, ContextPart, SectionHit
    from ragraph.schema.pictures import Page, Picture
    from ragraph.schema.results import (
        Citation,
        Document,
        DocumentDetails,
        Hit,
        Node,
        RelatedNode,
        Relation,
        Table,
        TocEntry,
        Violation,
    )
    from ragraph.store.async_store import AsyncStore, aopen
    from ragraph.store.opening import open, restore  # noqa: A004 - ragraph.open reads as intended and is the contract
    from ragraph.store.store import Store

    __version__: str

__all__ = [
    "AsyncStore",
    "Citation",
    "Context",
    "ContextBlock",
    "ContextDocument",
    "ContextPart",
    "Document",
    "DocumentDetails",
    "Hit",
    "Node",
    "Page",
    "PathEntry",
    "Picture",
    "RagraphError",
    "RelatedNode",
    "Relation",
    "SectionHit",
    "Store",
    "Table",
    "TocEntry",
    "Violation",
    "__version__",
    "aopen",
    "open",
    "restore",
]

_PLACES = {
    **dict.fromkeys(("open", "restore"), "store.opening"),
    "Store": "store.store",
    **dict.fromkeys(("AsyncStore", "aopen"), "store.async_store"),
    **dict.fromkeys(("Page", "Picture"), "schema.pictures"),
    **dict.fromkeys(("Context", "ContextBlock", "ContextDocument", "ContextPart", "SectionHit"), "schema.context"),
    **dict.fromkeys(
        (
            "Citation",
            "Document",
            "DocumentDetails",
            "Hit",
            "Node",
            "PathEntry",
            "RelatedNode",
            "Relation",
            "Table",
            "TocEntry",
            "Violation",
        ),
        "schema.results",
    ),
}


def __getattr__(name: str) -> Any:
    """Import a public name at its first use, so that printing the help of a program loads no database driver."""
    if name == "__version__":
        from ragraph.base.extras import package_version

        value: Any = package_version()
    elif name in _PLACES:
        value = getattr(import_module(f"ragraph.{_PLACES[name]}"), name)
    else:
        raise AttributeError(f"module 'ragraph' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
