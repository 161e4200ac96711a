"""Methods of ``Store`` for entities: what documents name, and where."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from psycopg.rows import class_row

from ragraph.base.arguments import check_methods, refusal, texts, whole
from ragraph.base.queries import QUERIES
from ragraph.database.rows import mention_row
from ragraph.errors import ArgumentError, EntityNotFoundError
from ragraph.schema.entities import Entity, EntityRelation

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ragraph.database.connection import Database
    from ragraph.database.runner import QueryRunner
    from ragraph.entities.found import Extractor
    from ragraph.schema.entities import ExtractReport, Mention


@check_methods
class StoreEntities:
    """Methods of ``Store`` for entities."""

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
        """Return the entities that documents mention, the most mentioned first.

        Names with the same meaning are one entity. If there is none, a document or collection that does not exist is
        reported with a warning.

        Args:
            name: only entities with this name, alias or identity; there may be several.
            document: only entities that these documents mention: ids. Counts are for these documents.
            collection: only entities of this collection.
            kinds: ``acronym``, ``term``, ``glossary``, ``index``, or labels of a model.
            limit: maximum number of entities; None for all.
            offset: number of entities to skip.

        Raises:
            EntityNotFoundError: no entity has this name.
            ArgumentError: a number is negative.
        """
        for what, number in (("limit", limit), ("offset", offset)):
            if number is not None and whole(what, number) < 0:
                raise ArgumentError(f"{what} is {number}; use 0 or more")
        values = {
            **self._entity_scope(name, document, collection),
            "kinds": texts("kinds", kinds),
            "k": limit,
            "skip": offset,
        }
        found = self._ask.rows("list_entities", class_row(Entity), values)
        return self._or_warn(found, document, collection)

    def entity(self, name: str, *, document: str | Sequence[str] | None = None) -> Entity:
        """Return the one entity with a name, alias or identity.

        Args:
            name: the name, alias or identity.
            document: only an entity that these documents mention: ids. Counts are for these documents.

        Raises:
            EntityNotFoundError: no entity has this name, or these documents do not mention it.
            ArgumentError: several entities have it; use an identity instead.
        """
        found = self.entities(name, document=document)
        if not found:
            raise EntityNotFoundError(f"no document of these mentions {name!r}", hint=EntityNotFoundError.look)
        if len(found) > 1:
            several = ", ".join(f"{entity.name!r} {entity.identity}" for entity in found[:5])
            raise ArgumentError(f"{name!r} names {len(found)} entities; use the identity of one: {several}")
        return found[0]

    def mentions(
        self,
        name: str,
        *,
        document: str | Sequence[str] | None = None,
        collection: str | None = None,
        limit: int | None = None,
    ) -> list[Mention]:
        """Return the mentions of an entity, by document in reading order, each with section and page.

        Args:
            name: a name, an alias or an identity.
            document: only mentions in these documents: ids.
            collection: only mentions in this collection.
            limit: maximum number of mentions; None for all.

        Raises:
            EntityNotFoundError: no entity has this name.
        """
        values = {**self._entity_scope(name, document, collection), "k": limit}
        return self._or_warn(self._ask.rows("entity_mentions", mention_row, values), document, collection)

    def entity_relations(
        self, name: str, *, document: str | Sequence[str] | None = None, collection: str | None = None
    ) -> list[EntityRelation]:
        """Return what documents state about an entity and another, each statement with its words.

        Args:
            name: a name, an alias or an identity.
            document: only statements in these documents: ids.
            collection: only statements in this collection.

        Raises:
            EntityNotFoundError: no entity has this name.
        """
        values = self._entity_scope(name, document, collection)
        found: list[EntityRelation] = self._ask.rows("entity_relations", class_row(EntityRelation), values)
        return self._or_warn(found, document, collection)

    def extract_entities(
        self,
        extractor: str | Extractor = "definitions",
        document: str | Sequence[str] | None = None,
        *,
        collection: str | None = None,
        again: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> ExtractReport:
        """Run an extractor on the nodes that it has not read, and store the entities it finds.

        An interrupted run continues with the next call.

        Args:
            extractor: ``definitions`` (terms that documents define, without a model), ``spacy:NAME``, ``gliner:NAME``,
                ``llm`` or ``llm:MODEL``, one that a package provides, or an object
                (``ragraph.entities.found.Extractor``).
            document: only these documents: ids.
            collection: only this collection.
            again: also nodes that it has read before.
            progress: called with the number of finished documents and the number of all.

        Raises:
            ArgumentError: the extractor does not exist.
            ModelError, AnswerError: its model is missing or fails; what was read before that is stored.
            DocumentNotFoundError: a document does not exist.
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
        """Declare that entities are one, by name, alias or identity.

        Args:
            names: two or more names, aliases or identities.

        Returns:
            The identity that they share from now on.

        Raises:
            EntityNotFoundError: no entity has one of these names.
            ArgumentError: fewer than two entities.
        """
        return str(self._write("merge_entities", {"entities": texts("names", names)}))

    def split_entity(self, name: str, document: str) -> str:
        """Declare that a name means another entity in one document than elsewhere.

        Args:
            name: a name, an alias or an identity.
            document: id of the document.

        Returns:
            The new identity of the entity in this document.

        Raises:
            DocumentNotFoundError, EntityNotFoundError: the document does not exist, or does not mention the entity.
        """
        return str(self._write("split_entity", {"entity": name, "document_id": document}))

    def reset_entities(self, name: str) -> int:
        """Undo ``merge_entities`` and ``split_entity`` for an entity.

        Args:
            name: a name, an alias or an identity.

        Returns:
            The number of rows changed.

        Raises:
            EntityNotFoundError: no entity has this name.
        """
        return int(self._write("reset_entities", {"entity": name}))

    def _write(self, query: str, values: dict[str, Any]) -> Any:
        with self.database.write() as connection:
            row = connection.execute(QUERIES[query], values).fetchone()
        return row[0] if row else None

    def _or_warn(self, found: list[Any], document: str | Sequence[str] | None, collection: str | None) -> list[Any]:
        """Return the rows; if there are none, warn about documents or a collection that do not exist."""
        if not found:
            self._ask.warn_unknown(document, collection)
        return found

    @staticmethod
    def _entity_scope(name: str | None, document: str | Sequence[str] | None, collection: str | None) -> dict[str, Any]:
        return {"entity": name, "document_ids": texts("document", document), "collection": collection}
