"""Export documents, one line of JSON each: all rows of their graph, and optionally their vectors.

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

FORMAT = "ragraph/1"
"""Value of the first member of a line, ``format``; another number means another format."""

_PART = ("id", "node_id", "embedding_source", "part", "char_start", "char_end", "content_hash")


def export(rows: Rows, documents: Iterable[str], *, vectors: bool) -> Iterator[str]:
    """Yield a line of JSON for each document; documents deleted meanwhile are skipped."""
    for document in documents:
        for held in rows("export_document", scalar_row, {"document_id": document}):
            line = {"format": FORMAT, **held}
            if vectors:
                line["vectors"] = _vectors(rows, document)
            yield json.dumps(line, ensure_ascii=False, separators=(",", ":"))


def _vectors(rows: Rows, document: str) -> list[dict[str, Any]]:
    found = rows("export_vectors", dict_row, {"document_id": document})
    made = []
    for name, group in groupby(found, itemgetter("model_name")):
        (model,) = rows("registered_model", dict_row, {"name": name})
        parts = [{**{column: row[column] for column in _PART}, "vector": json.loads(row["numbers"])} for row in group]
        made.append({"model": model, "parts": parts})
    return made
