"""The part of the store's face that is about entities: what documents name, and where."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from psycopg.rows import class_row

from ragraph.base.arguments import check_methods, refusal, texts, whole
from ragraph.base.queries import QUERIES
from ragraph.database.rows import mention_row
from ragraph.errors import ArgumentError
from ragraph.schema.entities import Entity, EntityRelation

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ragraph.database.connection import Database
    from ragraph.database.runner import QueryRunner
    from ragraph.entities.found import Extractor
    from ragraph.schema.entities import ExtractReport, Mention


@check_methods
class StoreEntities:
    """Methods of ``Store``."""

    database: Database
    _ask: QueryRunner

    def entities(
        self,
        name: str | None = None,
        *,
        document: str | Sequence[str] | None = None,
        collection: str | None = None,
        kinds: str | Sequence[str] | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> list[Entity]:
        """Return what documents name, the most mentioned first; one entity for all that means the same.

        Args:
            name: only what is called so: a name, an alias or an identity; several may be.
            document: only what these name: ids; counts are theirs.
            collection: only of this one.
            kinds: ``acronym``, ``term``, ``glossary``, ``index``, or labels of a model.
            limit: how many at most.
            offset: how many to pass over.

        Raises:
            EntityNotFoundError: nothing is called so.
            ArgumentError: a number is negative.
        """
        for what, number in (("limit", limit), ("offset", offset)):
            if number is not None and whole(what, number) < 0:
                raise ArgumentError(f"{what} is {number}; give 0 or more")
        values = {
            **self._entity_scope(name, document, collection),
            "kinds": texts("kinds", kinds),
            "k": limit,
            "skip": offset,
        }
        found = self._ask.rows("list_entities", class_row(Entity), values)
        return self._or_tell(found, document, collection)

    def entity(self, name: str) -> Entity:
        """Return the one entity that is called so.

        Raises:
            EntityNotFoundError: nothing is.
            ArgumentError: several are; give the identity of one.
        """
        found = self.entities(name)
        if len(found) > 1:
            several = ", ".join(f"{entity.name!r} {entity.identity}" for entity in found[:5])
            raise ArgumentError(f"{name!r} names {len(found)} entities; give the identity of one: {several}")
        return found[0]

    def mentions(
        self,
        name: str,
        *,
        document: str | Sequence[str] | None = None,
        collection: str | None = None,
        limit: int | None = None,
    ) -> list[Mention]:
        """Return where an entity is mentioned, by document in reading order, each with section and page.

        Args:
            name: a name, an alias or an identity.
            document: only in these: ids.
            collection: only in this one.
            limit: how many at most.

        Raises:
            EntityNotFoundError: nothing is called so.
        """
        values = {**self._entity_scope(name, document, collection), "k": limit}
        return self._or_tell(self._ask.rows("entity_mentions", mention_row, values), document, collection)

    def entity_relations(
        self, name: str, *, document: str | Sequence[str] | None = None, collection: str | None = None
    ) -> list[EntityRelation]:
        """Return what documents say of an entity and another, each with the words that say so.

        Raises:
            EntityNotFoundError: nothing is called so.
        """
        values = self._entity_scope(name, document, collection)
        found: list[EntityRelation] = self._ask.rows("entity_relations", class_row(EntityRelation), values)
        return self._or_tell(found, document, collection)

    def extract_entities(
        self,
        extractor: str | Extractor = "definitions",
        document: str | Sequence[str] | None = None,
        *,
        collection: str | None = None,
        again: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> ExtractReport:
        """Let an extractor read the nodes that it has not read, and keep what they name. Cut off, it goes on there.

        Args:
            extractor: ``definitions`` (what documents define themselves, no model), ``spacy:NAME``, ``gliner:NAME``,
                ``llm`` or ``llm:MODEL``, one that a package offers, or one that was made
                (``ragraph.entities.found.Extractor``).
            document: only these: ids.
            collection: only this one.
            again: also what it has read before.
            progress: told how many documents are done, and of how many.

        Raises:
            ArgumentError: there is no such extractor.
            ModelError, AnswerError: its model is not there, or fails; what was read before that is kept.
            DocumentNotFoundError: there is no such document.
        """
        from ragraph.entities.extract import extract_entities, load_extractor

        documents = texts("document", document)
        for name in documents or ():
            with self.database.read() as connection:
                connection.execute(QUERIES["require_document"], {"document_id": name})
        if isinstance(extractor, str):
            extractor = load_extractor(extractor)
        elif not hasattr(extractor, "extract"):
            raise refusal("extractor", "the name of an extractor, or one", extractor)
        return extract_entities(
            self.database, extractor, documents, collection=collection, again=again, progress=progress
        )

    def merge_entities(self, names: Sequence[str]) -> str:
        """Say that entities are one, by name, alias or identity; return the identity that they share from now on.

        Raises:
            EntityNotFoundError: nothing is called so.
            ArgumentError: fewer than two.
        """
        return str(self._write("merge_entities", {"entities": texts("names", names)}))

    def split_entity(self, name: str, document: str) -> str:
        """Say that what a document calls so is another entity than elsewhere; return its own identity.

        Raises:
            DocumentNotFoundError, EntityNotFoundError: there is no such document, or it names nothing so.
        """
        return str(self._write("split_entity", {"entity": name, "document_id": document}))

    def reset_entities(self, name: str) -> int:
        """Take back what ``merge_entities`` and ``split_entity`` said of an entity; return how many rows changed.

        Raises:
            EntityNotFoundError: nothing is called so.
        """
        return int(self._write("reset_entities", {"entity": name}))

    def _write(self, query: str, values: dict[str, Any]) -> Any:
        with self.database.write() as connection:
            row = connection.execute(QUERIES[query], values).fetchone()
        return row[0] if row else None

    def _or_tell(self, found: list[Any], document: str | Sequence[str] | None, collection: str | None) -> list[Any]:
        """Return what was found; where that is nothing, tell what of the scope is not there."""
        if not found:
            self._ask.warn_unknown(document, collection)
        return found

    @staticmethod
    def _entity_scope(name: str | None, document: str | Sequence[str] | None, collection: str | None) -> dict[str, Any]:
        return {"entity": name, "document_ids": texts("document", document), "collection": collection}
