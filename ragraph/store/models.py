"""Methods of ``Store`` for embedding models: list, add, index, measure, switch and drop."""

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
    """Methods of ``Store`` for embedding models."""

    database: Database
    _ask: QueryRunner

    def models(self) -> list[Model]:
        """Return the embedding models of the store with their progress, in the order of their registration."""
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
        """Record a further embedding model in the store; ``embed(name)`` then computes its vectors.

        Args:
            model: as in ``embed``.
            name: as in ``embed``.
            query_prefix: prefix of queries.
            document_prefix: prefix of texts of the store.
            base_url: address of an endpoint.
            max_tokens: maximum number of tokens that the model behind the endpoint reads.
            dimensions: length that its vectors are cut to and normalised again, if the model states that it was trained
                for it (Matryoshka). An endpoint is asked for vectors of this length.
            unstated: cut them although the model does not state it.
            index_kind: as in ``index_model``; an existing model keeps its kind.

        Raises:
            ModelError: the model cannot be loaded, its vectors may not be cut like that, the store has another model of
                its name, or its distance does not fit the index kind.
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
        """Set the content of a model's vector index, and build the index if there are enough vectors.

        Candidates from the index are always ranked by the full vectors. Others keep reading and writing, and searches
        use the old index until the new one is ready. An index that cannot be built now is reported with a
        ``RagraphNotice`` and built by the next run that embeds.

        Args:
            model: its name in the store, or its place.
            index_kind: ``halfvec`` for all numbers in half precision, or ``bit`` for their signs alone. A ``bit`` index
                is smaller and built faster, but searches of the whole store take longer.

        Raises:
            ModelNotFoundError: the store has no such model.
            ModelError: the model is made for the Euclidean distance, which signs cannot rank by.
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
        """Measure how many candidates searches of the whole store must compare in a model's vector index.

        The nearest vectors to 200 queries, made of vectors of the store, are computed exactly. From the next call on,
        searches use the smallest number of candidates that finds 0.99 of them. Runs that build an index measure it too,
        and so do runs that find it grown by half; this method measures at once. It reads all vectors twice and then
        searches for two minutes at most. A setting of the session takes precedence: ``SET ragraph.ef_search = 400``.

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
        """Make a model the default of searches and ingestion, from the next call on and in every process.

        Nothing is removed, so switching back is as quick.

        Args:
            model: its name in the store, or its place.
            partial: switch although documents have no vectors of it; vector searches do not find these documents.

        Raises:
            ModelNotFoundError: the store has no such model.
            ModelError: documents have no vectors of it.
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
            The removed model.

        Raises:
            ModelNotFoundError: the store has no such model.
            ModelError: the store was switched to it, or another process is embedding with it.
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
                raise ModelError(f"another process is embedding with {name!r}", hint="wait until it ends") from None

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
