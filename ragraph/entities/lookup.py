"""Entities looked up: by name, with where they are mentioned and what is said of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from psycopg.rows import class_row

from ragraph.base.arguments import texts
from ragraph.database.rows import mention_row
from ragraph.schema.entities import Entity, EntityRelation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.database.runner import QueryRunner
    from ragraph.schema.entities import Mention


class Entities:
    """What documents name; the methods are those of ``Store``, which describes them."""

    def __init__(self, runner: QueryRunner) -> None:
        self._ask = runner

    def entities(
        self,
        name: str | None,
        document: str | Sequence[str] | None,
        collection: str | None,
        kinds: str | Sequence[str] | None,
        limit: int | None,
        offset: int,
    ) -> list[Entity]:
        """See ``Store.entities``."""
        values = {**self._where(name, document, collection), "kinds": texts("kinds", kinds), "k": limit, "skip": offset}
        return self._told(self._ask.rows("list_entities", class_row(Entity), values), document, collection)

    def mentions(
        self, name: str, document: str | Sequence[str] | None, collection: str | None, limit: int | None
    ) -> list[Mention]:
        """See ``Store.mentions``."""
        values = {**self._where(name, document, collection), "k": limit}
        return self._told(self._ask.rows("entity_mentions", mention_row, values), document, collection)

    def relations(
        self, name: str, document: str | Sequence[str] | None, collection: str | None
    ) -> list[EntityRelation]:
        """See ``Store.entity_relations``."""
        values = self._where(name, document, collection)
        return self._told(self._ask.rows("entity_relations", class_row(EntityRelation), values), document, collection)

    def _told(self, found: list[Any], document: str | Sequence[str] | None, collection: str | None) -> list[Any]:
        """Return what was found; where that is nothing, tell what of the scope is not there."""
        if not found:
            self._ask.tell_unknown(document, collection)
        return found

    @staticmethod
    def _where(name: str | None, document: str | Sequence[str] | None, collection: str | None) -> dict[str, Any]:
        return {"entity": name, "document_ids": texts("document", document), "collection": collection}
