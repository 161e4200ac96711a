"""Methods of ``Store`` for feedback: reviews of passages, and the log of queries."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING, Any, Literal

from psycopg.rows import class_row, dict_row, scalar_row

from ragraph.base.arguments import check_methods, only_text, refusal, texts, whole
from ragraph.base.queries import QUERIES
from ragraph.errors import ArgumentError
from ragraph.schema.feedback import LoggedQuery, QueryLogging, Review
from ragraph.tuning.questions import Question

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.database.connection import Database
    from ragraph.database.runner import QueryRunner
    from ragraph.retrieval.query_log import QueryLog


@check_methods
class StoreFeedback:
    """Methods of ``Store`` for feedback."""

    database: Database
    _ask: QueryRunner
    _queries: QueryLog

    def review(
        self,
        document: str,
        node: str,
        verdict: Literal["right", "wrong", "note"],
        note: str | None = None,
        *,
        by: str | None = None,
        question: str | None = None,
    ) -> str:
        """Record what a person says of a passage; a later review by the same person replaces it.

        Reviews belong to the ids of nodes, so they are kept when the document is ingested again.

        Args:
            document: id of the document.
            node: id of the node.
            verdict: ``right``, ``wrong``, or ``note`` for a remark without a judgement.
            note: a remark.
            by: name of the reviewer; default the role of the database.
            question: the question that the passage was judged for; None for the passage alone.

        Returns:
            The id of the review.

        Raises:
            DocumentNotFoundError, NodeNotFoundError: the document or the node does not exist.
            ArgumentError: another verdict, a note without text, or texts that are too long.
        """
        values = {"document_id": document, "node_id": node, "verdict": verdict, "note": note, "reviewer": by}
        return str(self._write("review_node", {**values, "question": question}))

    def withdraw_review(self, document: str, review: str) -> bool:
        """Remove a review; return False if there is none with this id.

        Args:
            document: id of the document.
            review: id of the review.

        Raises:
            DocumentNotFoundError: the document does not exist.
        """
        return bool(self._write("withdraw_review", {"document_id": document, "review_id": review}))

    def reviews(
        self,
        document: str | None = None,
        node: str | None = None,
        *,
        collection: str | None = None,
        verdict: Literal["right", "wrong", "note"] | None = None,
        question: str | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> list[Review]:
        """Return reviews of passages, the newest first.

        Args:
            document: only of this document.
            node: only of this node.
            collection: only of documents of this collection.
            verdict: only ``right``, ``wrong`` or ``note``.
            question: only for this question; an empty text for reviews of the passage alone.
            limit: maximum number; None for all.
            offset: number of reviews to skip.

        Raises:
            DocumentNotFoundError: the document does not exist.
            ArgumentError: a number is negative.
        """
        values = {"document_id": document, "node_id": node, "collection": collection, "verdict": verdict}
        found: list[Review] = self._ask.rows(
            "list_reviews", class_row(Review), {**values, "question": question, **_part(limit, offset)}
        )
        return found

    def judged_questions(
        self, *, collection: str | None = None, document: str | Sequence[str] | None = None
    ) -> list[Question]:
        """Return the questions that passages were reviewed for, as ``evaluate`` and ``tune`` accept them.

        A passage answers a question if more reviewers call it right than wrong.

        Args:
            collection: only reviews of documents of this collection.
            document: only reviews of these documents: ids.
        """
        values = {"collection": collection, "document_ids": texts("document", document)}
        return [
            Question(
                question=row["question"],
                document=row["document_id"],
                collection=row["collection"],
                passages=tuple(row["passages"]),
            )
            for row in self._ask.rows("judged_questions", dict_row, values)
        ]

    def log_queries(self, collection: str | None = None, *, days: int = 30) -> None:
        """Log the queries of a collection from now on; nothing is logged by default.

        ``search`` and ``context`` log question, options, hits and duration, and so do all interfaces that use them.
        Other programs follow within a minute. A query is logged after its answer, in a transaction of its own. If that
        fails, as on a standby, a ``RagraphNotice`` says so.

        Args:
            collection: name of the collection; None for all queries.
            days: days after which they are deleted; 0 turns the log off, and leaves what was logged.

        Raises:
            ArgumentError: the number of days is not from 0 to 36,500, or the collection is empty.
        """
        self._write("set_query_log", {"collection": "*" if collection is None else collection, "days": days})
        self._queries.look_again()

    def query_logging(self) -> list[QueryLogging]:
        """Return the collections that log queries, by name; ``*`` stands for all queries."""
        return self._ask.rows("query_log_settings", class_row(QueryLogging), {})

    def queries(
        self,
        collection: str | None = None,
        *,
        since: str | date | None = None,
        judged: bool | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> list[LoggedQuery]:
        """Return logged queries, the newest first.

        Args:
            collection: only of this collection; ``*`` for queries of several.
            since: only those asked since this day or moment.
            judged: only questions with passages that were judged (True) or without (False); None for all.
            limit: maximum number; None for all.
            offset: number of queries to skip.

        Raises:
            ArgumentError: a number is negative, or the date is not one.
        """
        values = {"collection": collection, "since": _moment("since", since), "judged": judged}
        found: list[LoggedQuery] = self._ask.rows(
            "list_queries", class_row(LoggedQuery), {**values, **_part(limit, offset)}
        )
        return found

    def forget_queries(self, collection: str | None = None, *, before: str | date | None = None) -> int:
        """Remove logged queries; return how many.

        Args:
            collection: only of this collection; None for all.
            before: only those asked before this day or moment; None for all.

        Raises:
            ArgumentError: the date is not one.
        """
        return int(self._write("forget_queries", {"collection": collection, "before": _moment("before", before)}))

    def _write(self, query: str, values: dict[str, Any]) -> Any:
        with self.database.write() as connection, connection.cursor(row_factory=scalar_row) as cursor, only_text():
            return cursor.execute(QUERIES[query], values).fetchone()


def _part(limit: int | None, offset: int) -> dict[str, int | None]:
    return {"k": None if limit is None else whole("limit", limit), "skip": whole("offset", offset)}


def _moment(name: str, value: str | date | None) -> datetime | None:
    """Return a day or moment with its zone; days begin at midnight UTC.

    Raises:
        ArgumentError: it is not a date.
    """
    if value is None:
        return None
    moment: date
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            advice = "write it as 2026-03-31 or 2026-03-31T12:00"
            raise ArgumentError(f"{name} is {value[:80]!r}", hint=advice) from None
    elif isinstance(value, date):
        moment = value
    else:
        raise refusal(name, "a date, a time, or text as 2026-03-31", value)
    if not isinstance(moment, datetime):
        moment = datetime.combine(moment, time())
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
