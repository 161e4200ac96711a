"""Export documents: one line of JSON each, with all rows of their graph and optionally their vectors, or as Markdown.

``ragraph import`` and ``Store.add_many`` ingest the lines with the same ids.
"""

from __future__ import annotations

import json
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from psycopg.rows import dict_row, scalar_row

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ragraph.database.runner import Rows
    from ragraph.schema.results import DocumentDetails

FORMAT = "ragraph/1"
"""Value of the first member of a line, ``format``; another number means another format."""

_PART = ("id", "node_id", "embedding_source", "part", "char_start", "char_end", "content_hash")


def export(rows: Rows, documents: Iterable[str], *, vectors: bool) -> Iterator[str]:
    """Yield a line of JSON for each document; documents deleted meanwhile are skipped."""
    for document in documents:
        for held in rows("export_document", scalar_row, {"document_id": document}):
            line = {"format": FORMAT, **{name: part for name, part in held.items() if part is not None}}
            if vectors:
                line["vectors"] = _vectors(rows, document)
            yield json.dumps(line, ensure_ascii=False, separators=(",", ":"))


def markdown_of(details: DocumentDetails, text: str) -> str:
    """Return the text of a document with its metadata as YAML at the head. JSON is YAML, so its values are JSON."""
    document = details.document
    known = {
        "id": document.id,
        "title": document.title,
        "authors": document.authors,
        "date": document.publication_date and document.publication_date.isoformat(),
        "language": document.language,
        "tags": details.tags,
        "source": document.source_uri,
    }
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in known.items() if value]
    return "\n".join(["---", *lines, "---", "", text.rstrip(), ""])


def _vectors(rows: Rows, document: str) -> list[dict[str, Any]]:
    found = rows("export_vectors", dict_row, {"document_id": document})
    made = []
    for name, group in groupby(found, itemgetter("model_name")):
        (model,) = rows("registered_model", dict_row, {"name": name})
        parts = [{**{column: row[column] for column in _PART}, "vector": json.loads(row["numbers"])} for row in group]
        made.append({"model": model, "parts": parts})
    return made
