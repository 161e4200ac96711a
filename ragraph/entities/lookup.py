"""Entities looked up: by name, with where they are mentioned and what is said of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from psycopg.rows import class_row

from ragraph.arguments import texts
from ragraph.rows import mention_row
from ragraph.schema.entities import Entity, EntityRelation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.runner import QueryRunner
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
        return self._ask.rows("list_entities", class_row(Entity), values)

    def mentions(
        self, name: str, document: str | Sequence[str] | None, collection: str | None, limit: int | None
    ) -> list[Mention]:
        """See ``Store.mentions``."""
        values = {**self._where(name, document, collection), "k": limit}
        return self._ask.rows("entity_mentions", mention_row, values)

    def relations(
        self, name: str, document: str | Sequence[str] | None, collection: str | None
    ) -> list[EntityRelation]:
        """See ``Store.entity_relations``."""
        return self._ask.rows("entity_relations", class_row(EntityRelation), self._where(name, document, collection))

    @staticmethod
    def _where(name: str | None, document: str | Sequence[str] | None, collection: str | None) -> dict[str, Any]:
        return {"entity": name, "document_ids": texts("document", document), "collection": collection}
