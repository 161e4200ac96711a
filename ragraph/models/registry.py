"""The embedding models of a store: each is recorded at its first use and loaded from its record afterwards."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg.rows import dict_row

from ragraph.base.defaults import CURRENT_MODEL
from ragraph.base.queries import QUERIES
from ragraph.errors import ModelError, ModelNotFoundError
from ragraph.models.embedding import DEFAULT_MODEL, EmbeddingModel, is_folder, load_model
from ragraph.models.encoding.model import ENDPOINT
from ragraph.models.endpoint import endpoint_location
from ragraph.schema.enums import Distance, IndexKind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Unpack

    from ragraph.database.connection import Database
    from ragraph.models.embedding import ModelOptions

    Record = Mapping[str, Any]
    """A row of ``ragraph.embedding_model``."""


def recorded_models(database: Database) -> list[Record]:
    """Return the models of a store, in the order of their registration."""
    with database.read() as connection, connection.cursor(row_factory=dict_row) as cursor:
        return [*cursor.execute(QUERIES["embedding_models"]).fetchall()]


def current_model(records: Sequence[Record]) -> str:
    """Return the name of the model that the store was last switched to, or of the packaged model."""
    switched = [record for record in records if record["switched_at"] is not None]
    return str(max(switched, key=lambda record: record["switched_at"])["name"]) if switched else DEFAULT_MODEL


def find_record(records: Sequence[Record], name_or_folder: str) -> Record | None:
    """Return the record of a model by its name in the store, its folder or its name on the hub; None if there is none.

    Args:
        records: all models of the store.
        name_or_folder: the name or place. A name in the store takes precedence over a place. ``CURRENT_MODEL`` is the
            model that the store was switched to.

    Raises:
        ModelError: several models were recorded from this place.
    """
    found = _called(records, name_or_folder)
    if len(found) > 1:
        names = ", ".join(str(record["name"]) for record in found)
        raise ModelError(f"the store has {name_or_folder!r} under several names; use one of {names}")
    return found[0] if found else None


def _called(records: Sequence[Record], name_or_folder: str) -> list[Record]:
    """Return the record with this name in the store, or else all records with this place."""
    if name_or_folder == CURRENT_MODEL:
        name_or_folder = current_model(records)
    if found := [record for record in records if record["name"] == name_or_folder]:
        return found
    folder = Path(name_or_folder).expanduser()
    location = str(folder.resolve()) if is_folder(folder) else name_or_folder
    found = [record for record in records if record["location"] == location]
    if not found and name_or_folder.startswith(ENDPOINT):  # at any address
        found = [record for record in records if (record["location"] or "").startswith(f"{name_or_folder}@")]
    return found


def require_record(records: Sequence[Record], name_or_folder: str) -> Record:
    """Return the record of a model, as ``find_record``.

    Raises:
        ModelNotFoundError: the store has no such model.
        ModelError: several models were recorded from this place.
    """
    record = find_record(records, name_or_folder)
    if record is None:
        known = ", ".join(str(row["name"]) for row in records)
        unsaid = name_or_folder == CURRENT_MODEL
        wanted = current_model(records) if unsaid else name_or_folder
        others = f"; the store has {known}" if known else ""
        if known and unsaid:
            others += "; name it, or make it the one in use: store.switch_model(name)"
        raise ModelNotFoundError(
            f"nothing is embedded under the model {wanted!r}{others}",
            hint="" if known else "embed with it first: store.embed(model)",
        )
    return record


def load_recorded(record: Record, **how: Unpack[ModelOptions]) -> EmbeddingModel:
    """Load a model of the store as it was recorded; ``how`` overrides the record.

    Raises:
        ModelError: its recorded folder is missing, or it cannot be loaded.
    """
    name, location = record["name"], record["location"]
    if _gone(location):
        raise ModelError(
            f"model {name!r} was loaded from {location}, which no longer exists",
            hint="restore the folder, or embed with its new folder under the same name",
        )
    return load_model(location or DEFAULT_MODEL, name=name, **_as_recorded(record, how))


def load_for(
    records: Sequence[Record],
    name_or_folder: str = CURRENT_MODEL,
    *,
    name: str | None = None,
    **how: Unpack[ModelOptions],
) -> EmbeddingModel:
    """Load a model for embedding: as recorded if the store has it, else with its own settings.

    Args:
        records: all models of the store.
        name_or_folder: as in ``load_model``, or its name in the store.
        name: its name in the store; default the recorded name, else its own.
        **how: as in ``load_model``; options that are not set are taken from the record.

    Raises:
        ModelError: as in ``load_model``, or its recorded folder is missing.
    """
    place = current_model(records) if name_or_folder == CURRENT_MODEL else name_or_folder
    if place.startswith(ENDPOINT) and how.get("base_url"):
        place = endpoint_location(place, how.pop("base_url"))
    if name is not None:
        found = _called(records, place)
        named = next((record for record in records if record["name"] == name), None)
        if named in found:
            return load_recorded(named, **how)
        # a new name for this model, or another place for this name: registration compares the two
        place = (found[0]["location"] or DEFAULT_MODEL) if found else place
        return load_model(place, name=name, **_as_recorded(named, how))
    record = find_record(records, place)
    if record is None:
        return load_model(place, name=name, **how)
    return load_recorded(record, **how)


def no_signs(name: str) -> ModelError:
    """Return the error for a model whose distance a ``bit`` index, which has the signs of vectors, cannot rank by."""
    said = f"model {name!r} is made for the Euclidean distance, which an index of signs cannot rank by"
    return ModelError(said, hint="keep its index as halfvec")


def register_model(
    connection: psycopg.Connection[Any], model: EmbeddingModel, index_kind: IndexKind = IndexKind.HALFVEC
) -> None:
    """Record a model in the store, or compare it with its record.

    If the recorded folder is missing and the model comes from another one, the record is changed to that.

    Args:
        connection: in a transaction that may write.
        model: the model.
        index_kind: content of its vector index, if the model is new to the store.

    Raises:
        ModelError: another model has this name (the message lists the differences), or the index kind does not fit.
    """
    stated: dict[str, Any] = {
        "name": model.name,
        "location": model.location,
        "dimensions": model.dimensions,
        "distance": model.distance.value,
        "max_tokens": model.max_tokens,
        "query_prefix": model.query_prefix,
        "document_prefix": model.document_prefix,
        "normalized": model.normalized,
        "truncated_from": getattr(model, "truncated_from", None),  # a caller's own model need not have it
    }
    if model.name == CURRENT_MODEL:
        raise ModelError(
            f"{CURRENT_MODEL!r} stands for the model that a store was switched to",
            hint="use another name by",
            argument="name",
        )
    if index_kind == IndexKind.BIT and model.distance is Distance.L2:
        raise no_signs(model.name)
    known = record_model(connection, {**stated, "index_kind": index_kind.value})
    different = [field for field, value in stated.items() if known[field] != value]
    if different == ["location"] and model.location and _gone(known["location"]):
        connection.execute(QUERIES["move_model"], {"name": model.name, "location": model.location})
    elif different:
        differences = "; ".join(f"{field} {known[field]!r}, now {stated[field]!r}" for field in different)
        raise ModelError(
            f"the store has another model named {model.name!r}: {differences}",
            hint="use another name for this one by",
            argument="name",
        )


def record_model(connection: psycopg.Connection[Any], stated: Mapping[str, Any]) -> Record:
    """Record a model unless the store has one of its name, and return the record.

    Args:
        connection: in a transaction that may write.
        stated: columns of ``ragraph.embedding_model`` with the model's own settings.

    Raises:
        ModelError: the role is a tenant, which may use models but not record them.
    """
    with connection.cursor(row_factory=dict_row) as cursor:
        known = cursor.execute(QUERIES["registered_model"], stated).fetchone()
        if known is None:  # queried first, because a tenant may not even insert a conflicting row
            try:
                cursor.execute(QUERIES["register_model"], stated)
            except psycopg.errors.InsufficientPrivilege as error:
                if "row-level security" not in str(error):
                    raise
                raise ModelError(
                    f"the store has no model {stated['name']!r}, and a tenant cannot add one: all would share it",
                    hint="let the store's owner add it: `ragraph models add`",
                ) from error
            known = cursor.execute(QUERIES["registered_model"], stated).fetchone()
    if known is None:
        raise ModelError(f"model {stated['name']!r} could not be registered; run again")
    return known


def _as_recorded(record: Record | None, how: ModelOptions) -> ModelOptions:
    """Return the options for loading a model; those that are not set are taken from its record."""
    known: ModelOptions = {**how}
    if record is None:
        return known
    if known.get("query_prefix") is None:
        known["query_prefix"] = record["query_prefix"]
    if known.get("document_prefix") is None:
        known["document_prefix"] = record["document_prefix"]
    if record["truncated_from"] is not None:
        known["dimensions"] = known.get("dimensions") or record["dimensions"]
        known["unstated"] = known.get("unstated") or known["dimensions"] == record["dimensions"]
    if (record["location"] or "").startswith(ENDPOINT):  # other models have these settings in their files
        known["max_tokens"] = known.get("max_tokens") or record["max_tokens"]
        known["own_dimensions"] = record["truncated_from"] or record["dimensions"]
    return known


def _gone(location: str | None) -> bool:
    """Return True if a model was recorded from a folder that does not exist any more."""
    return location is not None and Path(location).is_absolute() and not Path(location).is_dir()
