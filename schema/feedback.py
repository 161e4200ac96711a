"""Results about feedback: reviews of passages, and logged queries."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ragraph.schema.results import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Review(Result):
    """What a person says of a passage.

    ``verdict`` is right, wrong or note. ``question`` is the question that the passage was judged for, and empty for the
    passage alone. ``content`` is the text of the passage; None if an ingest has removed it since.
    """

    document_id: str
    review_id: str
    node_id: str
    verdict: str
    note: str | None
    reviewer: str
    question: str
    reviewed_at: datetime
    title: str
    content: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedQuery(Result):
    """A logged query.

    ``kind`` is search or context. ``options`` are its scope, mode and k. ``hits`` have ``document_id``, ``node_id`` and
    ``score``, best first. ``seconds`` is its duration. ``collection`` is the one of the query or of all its hits, else
    ``*``. ``reviews`` counts the passages judged right or wrong for this question.
    """

    query_id: str
    kind: str
    question: str
    options: dict[str, Any]
    hits: list[dict[str, Any]]
    seconds: float | None
    asked_at: datetime
    collection: str
    reviews: int


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryLogging(Result):
    """A collection that logs queries, ``*`` for all queries, and the days after which they are deleted."""

    collection: str
    days: int
