"""Methods of ``Store`` for earlier versions of documents."""

from __future__ import annotations

import re
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, NoReturn, cast

from psycopg.rows import dict_row, scalar_row, tuple_row

from ragraph.base.arguments import check_methods
from ragraph.base.queries import QUERIES
from ragraph.database.driver import translate_errors
from ragraph.database.words import count_words
from ragraph.documents.assets import assets_of, release
from ragraph.errors import (
    ArgumentError,
    NodeNotFoundError,
    QuoteNotFoundError,
    RagraphError,
    StoreClosedError,
    VersionNotFoundError,
)
from ragraph.schema.versions import CitationState, NodeChange, Version
from ragraph.store.differences import by_content, compared, diff, section_paths
from ragraph.store.intake import from_ingester

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import LiteralString, Self

    import psycopg

    from ragraph.database.connection import Database
    from ragraph.database.runner import QueryRunner
    from ragraph.documents.assets import Assets


class _Past:
    """Acts as a database that has one document in an earlier version; everything is read in one transaction."""

    def __init__(self, url: str, connection: psycopg.Connection[Any], document: str, version: int) -> None:
        self.url = url
        self.ended = False
        self._connection = connection
        values = {"document_id": document, "version": version}
        told = connection.cursor(row_factory=dict_row).execute(QUERIES["read_as_of"], values).fetchone()
        if told and told["on_cluster"]:
            raise ArgumentError(
                "a store on a cluster cannot be read as of a version: see what changed with diff, or"
                " restore the version"
            )
        names = connection.cursor(row_factory=scalar_row).execute(QUERIES["past_names"]).fetchall()
        self.queries = _PastQueries(names)

    def check_usable(self) -> None:
        """Do nothing: the transaction is open."""

    def retry_once(self, unit: Callable[[], Any]) -> Any:
        """Return the result of a unit of work; once its transaction is lost, it cannot be repeated."""
        return unit()

    @contextmanager
    def read(self) -> Iterator[psycopg.Connection[Any]]:
        """Return the connection; a failed statement leaves its transaction usable.

        Raises:
            StoreClosedError: the block of ``as_of`` has ended, and the connection may be another's.
        """
        if self.ended:
            raise StoreClosedError("the block of as_of has ended: read what its hits and tables hold within it")
        with translate_errors(self.url), self._connection.transaction():
            yield self._connection

    def rows(
        self, statement: LiteralString, parameters: Mapping[str, Any], row_factory: Any, *, prepare: bool | None
    ) -> list[Any]:
        """Return the rows of a statement; see ``Database.rows``."""
        with self.read() as connection, connection.cursor(row_factory=row_factory) as cursor:
            return cursor.execute(statement, parameters, prepare=prepare).fetchall()

    def write(self) -> NoReturn:
        """Raise ArgumentError."""
        raise ArgumentError("an earlier version cannot be changed: change the store itself, or use restore_version")


class _PastQueries(dict[str, str]):
    """Queries by name, rewritten to the schema that shows documents in an earlier version."""

    def __init__(self, names: list[str]) -> None:
        super().__init__()
        self._live = re.compile(rf"\bragraph(?:_private)?\.({'|'.join(names)})\b(?!\.)")

    def __missing__(self, query: str) -> str:
        return self.setdefault(query, self._live.sub(r"ragraph_past.\1", QUERIES[query]))


@check_methods
class StoreVersions:
    """Methods of ``Store`` for versions."""

    database: Database
    assets: Assets | None
    _ask: QueryRunner

    def keep_versions(self, collection: str = "default", keep: int | None = None) -> None:
        """Keep earlier versions of the documents of a collection from now on.

        Args:
            collection: name of the collection.
            keep: maximum number of versions of each document; None for all, 0 for none. Existing versions stay until
                the document changes, or ``prune_versions`` is called.

        Raises:
            ArgumentError: the number is negative.
        """
        if keep is not None and keep < 0:
            raise ArgumentError("keep is a number from 0, or None for all")
        query = "keep_no_versions" if keep == 0 else "keep_versions"
        with self.database.write() as connection:
            connection.execute(QUERIES[query], {"collection": collection, "keep": keep})

    def history(self, document: str) -> list[Version]:
        """Return the stored versions of a document, oldest first; the last one is the live version.

        Args:
            document: id of the document.

        Raises:
            DocumentNotFoundError: the document does not exist.
        """
        rows = self._ask.rows("history", dict_row, {"document_id": document})
        if not rows:
            self._ask.rows("check_document", tuple_row, {"document_id": document})
        return [Version(**row, live=row["superseded_at"] is None) for row in rows]

    def diff(self, document: str, since: int | str | date | None = None, until: int | str | date | None = None) -> list[
        NodeChange
    ]:  # fmt: skip
        """Return the changes of a document's nodes between two versions, in reading order.

        Args:
            document: id of the document.
            since: the earlier version, by number or date; None for the one before the live version.
            until: the later version; None for the live one.

        Raises:
            DocumentNotFoundError: the document does not exist.
            VersionNotFoundError: a version is not stored.
        """
        last = self.history(document)[-1].version
        earlier = self._number(document, since if since is not None else max(1, last - 1))
        later = self._number(document, until if until is not None else last)
        graph_of = from_ingester("past").version_graph
        with self.database.read() as connection:
            graphs = [graph_of(connection, document, n) for n in (earlier, later)]
        return diff(*graphs)

    def compare(self, document: str, other: str) -> list[NodeChange]:
        """Return the differences of two documents, in the reading order of the second one.

        Nodes of equal type and text are the same node, whatever their ids. A changed node is paired with one of its
        type at the same place, if they share half of their words. The comparison in the other direction has the same
        pairs.

        Args:
            document: id of a document, such as a draft or another edition.
            other: id of the document to compare it with.

        Returns:
            The changes that turn the first document into the second: ``added`` is only in the second, ``removed`` only
            in the first. ``node_id`` is the id in the second document, and for ``removed`` that in the first.

        Raises:
            DocumentNotFoundError: one of the documents does not exist.
        """
        graph_of = from_ingester("past").version_graph
        with self.database.read() as connection:
            (then, old), (now, new) = (by_content(graph_of(connection, name, None)) for name in (document, other))
        return [
            replace(change, node_id=(old if change.change == "removed" else new)[change.node_id])
            for change in compared(then, now, turned=document > other)
        ]

    @contextmanager
    def as_of(self, document: str, version: int | str | date) -> Iterator[Self]:
        """Open a document in an earlier version, as a store that has it alone; all methods that read work.

        It needs only the right to read and blocks nobody. All reads in the block see one state. Publications, entities
        and word statistics are current, and so are the vectors of nodes that still exist.

        Args:
            document: id of the document.
            version: number as in ``history``, or a moment; a date such as ``2026-03-31`` means its end.

        Yields:
            The store.

        Raises:
            DocumentNotFoundError: the document does not exist.
            VersionNotFoundError: the version is not stored.
            ArgumentError: the store is on a cluster.
        """
        number = self._number(document, version)
        with self.database.read() as connection:
            made: Any = type(self)
            past = _Past(self.database.url, connection, document, number)
            try:
                yield cast("Self", made(past, assets=self.assets))
            finally:
                past.ended = True

    def restore_version(self, document: str, version: int | str | date) -> int:
        """Restore an earlier version of a document; its current state becomes a version, if versions are kept.

        The next ingest of its file finds a difference and ingests it again. Changed nodes keep their old vectors until
        ``embed`` computes new ones.

        Args:
            document: id of the document.
            version: number or moment, as in ``as_of``.

        Returns:
            The number of the new live version.

        Raises:
            DocumentNotFoundError: the document does not exist.
            VersionNotFoundError: the version is not stored.
        """
        number = self._number(document, version)
        if number != self.history(document)[-1].version:
            with self.database.write() as connection:
                from_ingester("past").put_back(connection, document, number)
            count_words(self.database)
            from ragraph.works.update import update_works  # imported here because its patterns take a while to compile

            update_works(self.database, [document])
        return self.history(document)[-1].version

    def prune_versions(self, document: str, keep: int = 0) -> int:
        """Remove the oldest versions of a document for good, with originals that nothing else names.

        Args:
            document: id of the document.
            keep: number of earlier versions to keep.

        Returns:
            The number of versions removed.

        Raises:
            DocumentNotFoundError: the document does not exist.
            ArgumentError: the number is negative.
        """
        if keep < 0:
            raise ArgumentError("keep is a number from 0")
        self.history(document)
        with self.database.write() as connection, connection.cursor(row_factory=scalar_row) as cursor:
            connection.execute(QUERIES["ingest_lock"], {"document_id": document})
            before = assets_of(connection, document)
            row = cursor.execute(QUERIES["prune_versions"], {"document_id": document, "keep": keep}).fetchone()
            unnamed = before - assets_of(connection, document)
        if self.assets is not None:
            with suppress(RagraphError):  # the rows are deleted; clean_assets removes what remains
                release(self.database, self.assets, sorted(unnamed), warn=True)
        return int(row or 0)

    def citation_state(
        self, document: str, node: str, version: int | str | date, quote: str | None = None
    ) -> CitationState:
        """Return whether a citation of an earlier version still holds in the live document.

        Args:
            document: id of the document.
            node: id of the cited node.
            version: the cited version, by number or date.
            quote: words of the node; None for all of them.

        Raises:
            DocumentNotFoundError, NodeNotFoundError: the document, or the node in that version, does not exist.
            QuoteNotFoundError: the node did not have the words.
            VersionNotFoundError: the version is not stored.
        """
        number = self._number(document, version)
        graph_of = from_ingester("past").version_graph
        with self.database.read() as connection:
            then, now = (graph_of(connection, document, n) for n in (number, None))
        cited = next((row for row in then.nodes if row.id == node), None)
        if cited is None:
            raise NodeNotFoundError(f"version {number} of {document} has no node {node!r}")
        words = _spaced_once(cited.content if quote is None else quote)
        if words not in _spaced_once(cited.content):
            raise QuoteNotFoundError(f"version {number} of node {node} does not have these words")
        paths, live = section_paths(then), section_paths(now)
        # ids of nodes with equal text show only their order, so any of them under these headings is the cited one
        same = [row.id for row in now.nodes if live[row.id] == paths[node] and row.content == cited.content]
        if same:
            found = node if node in same else same[0]
            return CitationState(version=number, state="stands", node_id=found, section=live[found])
        having = [row.id for row in now.nodes if words and words in _spaced_once(row.content)]
        having.sort(key=lambda name: (name != node, live[name] != paths[node]))
        if node in live or having:
            found = node if node in live else having[0]
            return CitationState(version=number, state="moved", node_id=found, section=live[found])
        return CitationState(version=number, state="gone", node_id=None, section=paths[node])

    def erased(self, document: str) -> dict[str, int]:
        """Return the number of rows of each table that name a document; an empty dict if it was deleted."""
        return dict(self._ask.rows("rows_of_document", tuple_row, {"document_id": document}))

    def _number(self, document: str, version: int | str | date) -> int:
        kept = self.history(document)
        if isinstance(version, str) and version.isdecimal():
            version = int(version)
        if isinstance(version, int):
            if version not in (item.version for item in kept):
                numbers = ", ".join(str(item.version) for item in kept)
                raise VersionNotFoundError(f"version {version} of {document} is not kept; there are {numbers}")
            return version
        moment = _moment(version)
        found = next((item for item in kept if item.superseded_at is None or item.superseded_at > moment), kept[-1])
        if found.ingested_at is not None and found.ingested_at > moment:
            raise VersionNotFoundError(
                f"nothing is kept of {document} as it was then; its oldest version is {found.version}"
            )
        return found.version


def _moment(given: str | date) -> datetime:
    try:
        if isinstance(given, str):
            given = date.fromisoformat(given) if len(given) <= len("2026-03-31") else datetime.fromisoformat(given)
    except ValueError:
        raise ArgumentError(f"{given!r} is neither the number of a version nor a date such as 2026-03-31") from None
    if not isinstance(given, datetime):
        given = datetime(given.year, given.month, given.day, 23, 59, 59, 999_999, tzinfo=UTC)
    return given if given.tzinfo else given.replace(tzinfo=UTC)


def _spaced_once(text: str) -> str:
    return " ".join(text.split())
