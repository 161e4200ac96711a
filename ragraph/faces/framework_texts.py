"""Texts that a framework writes into a collection and searches there: common parts of the document stores.

A text is a document of the store with one node, or with several if it is longer than a node may be. Its id is the
document's id, its metadata are those of the publication. All frameworks write alike, so what one has written another
can read.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, cast

from psycopg.rows import dict_row, scalar_row

from ragraph.base.arguments import refusal, several, whole
from ragraph.base.arguments import text as checked_text
from ragraph.base.arguments import texts as checked_texts
from ragraph.base.defaults import CURRENT_MODEL
from ragraph.database.runner import QueryRunner
from ragraph.errors import ArgumentError, DocumentNotFoundError, IngestError
from ragraph.faces.framework_filters import plain
from ragraph.faces.frameworks import found_of
from ragraph.retrieval.scope import Scope
from ragraph.retrieval.search import nearest_vectors, search_by_vector

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ragraph.faces.frameworks import StoreSource
    from ragraph.filters import Filter
    from ragraph.retrieval.scope import ScopeOptions
    from ragraph.schema.results import Hit
    from ragraph.search import SearchOptions

READER = "framework/1"
"""Reader of documents that were written as one text; others are neither overwritten nor deleted."""

_MOST = 100_000
"""Maximum nodes that a search looks at for k distinct texts."""

_TITLE = 200
"""Maximum characters of a title that is made of the text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A text with its id and metadata.

    Attributes:
        id: id of the document; ``DOCUMENT/NODE`` for a node of another document of the collection.
        text: the text.
        metadata: metadata as JSON values.
    """

    id: str
    text: str
    metadata: dict[str, Any] = field(default_factory=dict)


class Texts:
    """The texts of a collection.

    Args:
        source: returns the store.
        collection: name of the collection.
        model: embedding model for writing and searching; its name in the store, or its place.

    Raises:
        ArgumentError: the collection is no name, or the model no text.
    """

    def __init__(self, source: StoreSource, collection: str, model: str | None = None) -> None:
        if not checked_text("collection", collection).strip():
            raise ArgumentError("the collection has no name", hint="leave it out for 'default'")
        if model is not None:
            checked_text("model", model)
        self._source = source
        self._collection = collection
        self._model = CURRENT_MODEL if model is None else model

    def write(self, texts: Sequence[Text]) -> None:
        """Write texts; a known id gets the new text and metadata, and nothing is done if they are the same.

        Raises:
            ArgumentError: an id is that of a document that was not written as a text of this collection; or an id or
                a text is no text, or metadata are no mapping. Nothing is written then.
            IngestError: a text could not be written, for example because it is empty; the others are.
        """
        if not texts:
            return
        for text in texts:
            if not isinstance(text.id, str):
                raise refusal("an id", "text", text.id)
            if not isinstance(text.text, str):
                raise refusal(f"the text {text.id!r}", "text", text.text)
            if not isinstance(text.metadata, dict):
                raise refusal(f"the metadata of {text.id!r}", "a mapping", text.metadata)
        others = self._rows("documents_of_others", scalar_row, [text.id for text in texts])
        if others:
            said = f"{others[0]!r} is the id of a document that was not written as a text of {self._collection!r}"
            raise ArgumentError(said, hint="use another id")
        report = self._source().add_many(map(_draft, texts), collection=self._collection, model=self._model)
        files = zip(texts, report.files, strict=True)
        if failed := [(text.id, file.reason) for text, file in files if file.status == "failed"]:
            first = f"{failed[0][0]}: {failed[0][1]}"
            raise IngestError(f"{len(failed)} of {len(texts)} texts could not be written; {first}")

    def read(self, ids: Sequence[str] | None = None) -> list[Text]:
        """Return the texts with these ids, or all, in the order in which they were written; unknown ids are ignored."""
        rows = self._rows("texts_of_program", dict_row, ids)
        return [Text(id=row["id"], text=row["full_text"] or "", metadata=row["metadata"]) for row in rows]

    def filtered(self, filter: Filter | None) -> list[Text]:
        """Return the texts that pass a filter, in the order in which they were written; all of them for None."""
        return self.read(None if filter is None else self._source().filter_documents(filter))

    def count(self) -> int:
        """Return the number of texts."""
        return int(self._rows("count_texts_of_program", scalar_row)[0])

    def delete(self, ids: Sequence[str] | None = None) -> int:
        """Delete the texts with these ids, or all, and return their number; other documents stay."""
        deleted = 0
        for text in self.read(ids):
            try:
                self._source().delete(text.id)
            except DocumentNotFoundError:  # deleted by somebody else meanwhile
                continue
            deleted += 1
        return deleted

    def search(self, query: str, k: int, options: Mapping[str, Any]) -> list[tuple[Text, Hit]]:
        """Return the texts of the collection, and nodes of its files, that answer a query best, best first.

        Args:
            query: the query in words.
            k: maximum number of texts and nodes. A text counts once, by its best part.
            options: other options of ``Store.search``; None is ignored.

        Returns:
            Each text in full, with the hit of its best part.

        Raises:
            ArgumentError, ModelNotFoundError, DocumentNotFoundError, ComponentNotFoundError: as for ``Store.search``.
        """
        told = {"model": self._model, **_told(options), "collection": self._collection}
        return self._distinct(lambda most: self._source().search(query, most, **cast("SearchOptions", told)), k)

    def search_by_vector(self, vector: Iterable[float], k: int, options: Mapping[str, Any]) -> list[tuple[Text, Hit]]:
        """Return the texts of the collection, and nodes of its files, nearest to a vector, best first; see ``search``.

        Args:
            vector: the vector of a query under the model of these texts.
            k: as in ``search``.
            options: where to search, as in ``Store.search``, and ``model``; None is ignored.

        Raises:
            ArgumentError, ModelNotFoundError: as for ``ragraph.retrieval.search.search_by_vector``.
            TypeError: an option is none of a scope.
        """
        told = _told(options)
        model, numbers = told.pop("model", self._model), list(several("the vector", "a list of numbers", vector))
        scope = Scope.of(**cast("ScopeOptions", {**told, "collection": self._collection}))
        return self._distinct(lambda most: search_by_vector(self._run.rows, numbers, most, scope, model=model), k)

    def vectors_of(self, hits: Sequence[Hit], vector: Sequence[float], model: str | None = None) -> list[Any]:
        """Return for each hit the vector of its node nearest to that of the query; None if deleted."""
        return nearest_vectors(self._run.rows, hits, vector, model or self._model)

    def embed_query(self, query: str, model: str | None = None) -> list[float]:
        """Return the vector of a query under the model of these texts; see ``Store.embed_query``."""
        return self._source().embed_query(query, model or self._model)

    def _distinct(self, search: Callable[[int], Sequence[Hit]], k: int) -> list[tuple[Text, Hit]]:
        """Return k texts with the best hit of each, from searches for more nodes until there are as many."""
        if not self._rows("collection_has_documents", scalar_row):
            return []  # without a warning that nothing is called like this: texts may come later
        most = whole("k", k)
        while True:
            hits = search(most)
            ours = {text.id: text for text in self.read([hit.document_id for hit in hits])}
            found: dict[str, tuple[Text, Hit]] = {}
            for hit in hits:
                text = _text(hit, ours.get(hit.document_id))
                found.setdefault(text.id, (text, hit))
            if len(found) >= k or len(hits) < most or most >= _MOST:
                return list(found.values())[:k]
            most = min(most * 4, _MOST)

    @property
    def _run(self) -> QueryRunner:
        return QueryRunner(self._source().database)

    def _rows(self, query: str, row_factory: Any, ids: Sequence[str] | None = None) -> list[Any]:
        names = {"collection": self._collection, "reader": READER, "document_ids": checked_texts("ids", ids)}
        return self._run.rows(query, row_factory, names)


def relevance(hit: Hit) -> float:
    """Return how relevant a hit is, from 0 to 1: ``Hit.relevance``, or in mode ``vector`` the cosine similarity.

    A negative similarity counts as 0.

    Raises:
        ArgumentError: neither is known, because the mode is another one and the model not the default one.
    """
    if hit.relevance is not None:
        return hit.relevance
    if hit.ranks.keys() != {"vector"}:
        raise ArgumentError("the relevance of this mode and model is not known", hint="use mode 'vector'")
    return min(max(hit.score, 0.0), 1.0)


def new_id() -> str:
    """Return an id for a text that comes without one."""
    return str(uuid.uuid4())


def _told(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _draft(text: Text) -> dict[str, Any]:
    known = plain(text.metadata)
    source = known.get("source") if isinstance(known.get("source"), str) else None
    title = known.get("title") or (source and PurePath(source).name) or " ".join(text.text.split())[:_TITLE]
    return {
        "id": text.id,
        "reader": READER,
        "source_uri": source,
        "metadata": {"title": str(title), "extra": known},
        "nodes": [{"key": "text", "type": "PARAGRAPH", "text": text.text}],
    }


def _text(hit: Hit, ours: Text | None) -> Text:
    """Return a hit as the text that was written, or with its place in a document of the collection."""
    if ours is not None:
        return ours
    found = found_of(hit)
    return Text(id=found.id, text=found.text, metadata=found.metadata)
