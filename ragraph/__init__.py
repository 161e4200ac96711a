"""ragraph: a graph-structured document store on PostgreSQL for retrieval-augmented generation.

import ragraph

with ragraph.open() as store:
    store.ingest(["report.pdf", "papers/"])
    for hit in store.search("cost of adaptation", k=5):
        print(hit.citation, hit.content)
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from ragraph.errors import RagraphError
from ragraph.opening import open  # noqa: A004 - ragraph.open reads as intended and is the contract
from ragraph.schema.context import Context, ContextBlock, ContextPart, SectionHit
from ragraph.schema.results import Citation, Document, DocumentDetails, Hit, Node, RelatedNode, TocEntry, Violation
from ragraph.store import Store

try:
    __version__ = version("ragraph")
except PackageNotFoundError:  # a bare checkout that was never installed
    __version__ = "0+unknown"

__all__ = [
    "Citation",
    "Context",
    "ContextBlock",
    "ContextPart",
    "Document",
    "DocumentDetails",
    "Hit",
    "Node",
    "RagraphError",
    "RelatedNode",
    "SectionHit",
    "Store",
    "TocEntry",
    "Violation",
    "__version__",
    "open",
]
