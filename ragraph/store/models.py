"""The part of the store's face that is about embedding models: which there are, and which one is used unless told."""

from __future__ import annotations

import warnings
from functools import partial
from typing import TYPE_CHECKING

import psycopg
from psycopg import sql
from psycopg.rows import dict_row, scalar_row

from ragraph.base.arguments import check_methods, refusal
from ragraph.base.defaults import CURRENT_MODEL
from ragraph.base.queries import QUERIES
from ragraph.database.connection import connect
from ragraph.database.driver import translate_errors
from ragraph.errors import ConstraintError, ModelError, RagraphNotice
from ragraph.models.registry import current_model, load_for, no_signs, recorded_models, register_model, require_record
from ragraph.schema.enums import IndexKind
from ragraph.schema.results import Model
from ragraph.store.intake import from_ingester

if TYPE_CHECKING:
    from typing import Literal

    from ragraph.database.connection import Database
    from ragraph.database.runner import QueryRunner


@check_methods
class StoreModels:
    """Methods of ``Store``."""

    database: Database
    _ask: QueryRunner

    def models(self) -> list[Model]:
        """Return the embedding models of the store with how far each is filled, in the order they came in."""
        rows = self._ask.rows("model_list", dict_row, {})
        current = current_model(rows)
        return [Model(**row, current=row["name"] == current) for row in rows]

    def add_model(
        self,
        model: str,
        *,
        name: str | None = None,
        query_prefix: str | None = None,
        document_prefix: str | None = None,
        base_url: str | None = None,
        max_tokens: int | None = None,
        dimensions: int | None = None,
        unstated: bool = False,
        index_kind: Literal["halfvec", "bit"] = "halfvec",
    ) -> Model:
        """Record an embedding model beside those there are; ``embed(name)`` fills it.

        Args:
            model: as of ``embed``.
            name: as of ``embed``, like all that follow.
            query_prefix: put before queries.
            document_prefix: put before texts of the store.
            base_url: address of an endpoint.
            max_tokens: tokens that the model behind it reads.
            dimensions: length that its vectors are cut to, with length 1 again, where the model states that it was
                trained so (Matryoshka); an endpoint is asked for vectors of this length.
            unstated: cut them though the model does not state it.
            index_kind: as of ``index_model``; of a model that is there already it stays as it is.

        Raises:
            ModelError: the model cannot be loaded, its vectors may not be cut so, the store knows another one under
                its name, or its vectors cannot be indexed so.
        """
        kind = _kind(index_kind)
        loaded = load_for(
            self.database.retry_once(lambda: recorded_models(self.database)),
            model,
            name=name,
            query_prefix=query_prefix,
            document_prefix=document_prefix,
            base_url=base_url,
            max_tokens=max_tokens,
            dimensions=dimensions,
            unstated=unstated,
        )

        def register() -> None:
            with self.database.write() as connection:
                register_model(connection, loaded, kind)

        self.database.retry_once(register)
        return next(item for item in self.models() if item.name == loaded.name)

    def index_model(self, model: str, index_kind: Literal["halfvec", "bit"]) -> Model:
        """Say what the vector index of a model holds, and build it if there are vectors enough for one.

        What searches find by it is ranked by the whole vectors, whatever it holds. Others read and write meanwhile;
        searches use the index that is there until the new one is. One that cannot be built now is told of by a
        ``RagraphNotice`` and built by the next run that embeds.

        Args:
            model: its name in the store, or its place.
            index_kind: ``halfvec``, all numbers in half precision, or ``bit``, their signs alone: the index is smaller
                and built sooner, and searches of the whole store take longer.

        Raises:
            ModelNotFoundError: the store has no such model.
            ModelError: signs do not tell distances of a model that is made for the Euclidean one.
        """
        kind, name = _kind(index_kind), self._named(model)

        def set_kind() -> None:
            with self.database.write() as connection:
                try:
                    connection.execute(QUERIES["set_index_kind"], {"model_name": name, "index_kind": kind.value})
                except psycopg.errors.CheckViolation:
                    raise no_signs(name) from None

        self.database.retry_once(set_kind)
        for warning in from_ingester("maintenance").build_index(self.database, name):
            warnings.warn(warning, RagraphNotice, stacklevel=2)
        return next(item for item in self.models() if item.name == name)

    def measure_index(self, model: str = CURRENT_MODEL) -> Model:
        """Measure how far searches of the whole store have to look through the vector index of a model.

        What is nearest to 200 questions, made of vectors of the store, is found by comparing all vectors; searches then
        look at the least number of candidates that finds 0.99 of it, from the next call on. Runs that build an index do
        so, and those that find it grown by half; this does it at once. All vectors are read twice, then searches are
        made for two minutes at most. A caller's own number wins: ``SET ragraph.ef_search = 400``.

        Args:
            model: its name in the store, or its place.

        Returns:
            The model, with ``ef_search``, ``index_recall`` and ``measured_vectors``, which are None without an index.

        Raises:
            ModelNotFoundError: the store has no such model.
        """
        name = self._named(model)
        for warning in from_ingester("maintenance").measure_index(self.database, name):
            warnings.warn(warning, RagraphNotice, stacklevel=2)
        return next(item for item in self.models() if item.name == name)

    def switch_model(self, model: str, *, partial: bool = False) -> Model:
        """Have searches and ingestion use a model unless told another; from the next call on, in every process.

        Nothing is removed, so switching back is as quick.

        Args:
            model: its name in the store, or its place.
            partial: switch though documents lack vectors of it; searches by meaning do not find these.

        Raises:
            ModelNotFoundError: the store has no such model.
            ModelError: documents lack vectors of it.
        """
        name = self._named(model)

        def switch() -> None:
            with self.database.write() as connection, connection.cursor(row_factory=dict_row) as cursor:
                if not partial:
                    rows = cursor.execute(QUERIES["model_list"]).fetchall()
                    row = next((row for row in rows if row["name"] == name), None)
                    if row and row["complete"] < row["documents"]:
                        lacking = row["documents"] - row["complete"]
                        raise ModelError(
                            f"{lacking:,} of {row['documents']:,} documents lack vectors under {name!r}",
                            hint="fill it first: store.embed(name)",
                        )
                cursor.execute(QUERIES["switch_model"], {"model_name": name})

        self.database.retry_once(switch)
        return next(item for item in self.models() if item.name == name)

    def drop_model(self, model: str) -> Model:
        """Remove a model with its vectors and its index, document by document, while others read and write.

        Args:
            model: its name in the store, or its place.

        Returns:
            What it was.

        Raises:
            ModelNotFoundError: the store has no such model.
            ModelError: it is the one that the store was switched to, or something embeds with it at the same time.
        """
        name = self._named(model)
        was = next(item for item in self.models() if item.name == name)
        if was.current:
            raise ModelError(f"searches use {name!r}", hint="switch to another model first: store.switch_model(name)")
        names = {"model_name": name}
        with translate_errors(self.database.url), connect(self.database.url, autocommit=True) as connection:
            for (index,) in connection.execute(QUERIES["vector_indexes_of"], names).fetchall():
                drop = sql.SQL("DROP INDEX CONCURRENTLY IF EXISTS ragraph.{}")
                connection.execute(drop.format(sql.Identifier(index)))
        for document in self._ask.rows("documents_of_model", scalar_row, names):
            self.database.retry_once(partial(self._forget, name, document))

        def delete() -> None:
            try:
                with self.database.write() as connection:
                    connection.execute(QUERIES["delete_model"], names)
            except ConstraintError:
                raise ModelError(f"something embeds with {name!r} at the same time", hint="wait for it") from None

        self.database.retry_once(delete)
        return was

    def _named(self, model: str) -> str:
        return str(require_record(self.database.retry_once(lambda: recorded_models(self.database)), model)["name"])

    def _forget(self, name: str, document: str) -> None:
        names = {"model_name": name, "document_id": document}
        with self.database.write() as connection:
            connection.execute(QUERIES["lock_embed_document"], names)
            connection.execute(QUERIES["delete_vectors_of_model"], names)
            connection.execute(QUERIES["forget_model_of"], names)


def _kind(index_kind: str) -> IndexKind:
    try:
        return IndexKind(index_kind)
    except ValueError:
        raise refusal("index_kind", " or ".join(IndexKind), index_kind) from None
