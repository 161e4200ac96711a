"""The embedding models of a store: each is recorded when it is first used, and loaded from its record ever after."""

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
    """Return the models of a store, in the order they came in."""
    with database.read() as connection, connection.cursor(row_factory=dict_row) as cursor:
        return [*cursor.execute(QUERIES["embedding_models"]).fetchall()]


def current_model(records: Sequence[Record]) -> str:
    """Return the name of the model that the store was switched to last; before that, the packaged one's."""
    switched = [record for record in records if record["switched_at"] is not None]
    return str(max(switched, key=lambda record: record["switched_at"])["name"]) if switched else DEFAULT_MODEL


def find_record(records: Sequence[Record], name_or_folder: str) -> Record | None:
    """Return the record of a model that is called by its name in the store, its folder or its name on the hub.

    Args:
        records: all models of the store.
        name_or_folder: what the user calls it. A name in the store goes before a place; ``CURRENT_MODEL`` is the
            one that the store was switched to.

    Raises:
        ModelError: it was recorded from this place under several names.
    """
    found = _called(records, name_or_folder)
    if len(found) > 1:
        names = ", ".join(str(record["name"]) for record in found)
        raise ModelError(f"the store knows {name_or_folder!r} under several names; give one of {names}")
    return found[0] if found else None


def _called(records: Sequence[Record], name_or_folder: str) -> list[Record]:
    """Return the record of this name in the store, or else all that were made from this place."""
    if name_or_folder == CURRENT_MODEL:
        name_or_folder = current_model(records)
    if found := [record for record in records if record["name"] == name_or_folder]:
        return found
    folder = Path(name_or_folder).expanduser()
    location = str(folder.resolve()) if is_folder(folder) else name_or_folder
    found = [record for record in records if record["location"] == location]
    if not found and name_or_folder.startswith(ENDPOINT):  # wherever its endpoint is
        found = [record for record in records if (record["location"] or "").startswith(f"{name_or_folder}@")]
    return found


def require_record(records: Sequence[Record], name_or_folder: str) -> Record:
    """Return the record of a model, as ``find_record``.

    Raises:
        ModelNotFoundError: the store has no such model.
        ModelError: it was recorded from this place under several names.
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
    """Return a model of the store as it was recorded, or with the prefixes given.

    Raises:
        ModelError: what it was recorded from is gone, or cannot be loaded.
    """
    name, location = record["name"], record["location"]
    if _gone(location):
        raise ModelError(
            f"model {name!r} was loaded from {location}, which is gone",
            hint="put it back, or embed with its new folder under the same name",
        )
    return load_model(location or DEFAULT_MODEL, name=name, **_as_recorded(record, how))


def load_for(
    records: Sequence[Record],
    name_or_folder: str = CURRENT_MODEL,
    *,
    name: str | None = None,
    **how: Unpack[ModelOptions],
) -> EmbeddingModel:
    """Return a model to embed with: as it is recorded if the store has it, else as it states itself.

    Args:
        records: all models of the store.
        name_or_folder: as of ``load_model``, or its name in the store.
        name: its name in the store; default the recorded one, else its own.
        **how: as of ``load_model``; what is not given is taken from the record.

    Raises:
        ModelError: as of ``load_model``; or what it was recorded from is gone.
    """
    place = current_model(records) if name_or_folder == CURRENT_MODEL else name_or_folder
    if place.startswith(ENDPOINT) and how.get("base_url"):
        place = endpoint_location(place, how.pop("base_url"))
    if name is not None:
        found = _called(records, place)
        named = next((record for record in records if record["name"] == name), None)
        if named in found:
            return load_recorded(named, **how)
        # another name for the model, or another place for the name: registering it compares the two
        place = (found[0]["location"] or DEFAULT_MODEL) if found else place
        return load_model(place, name=name, **_as_recorded(named, how))
    record = find_record(records, place)
    if record is None:
        return load_model(place, name=name, **how)
    return load_recorded(record, **how)


def no_signs(name: str) -> ModelError:
    """Return the error for a model whose vectors an index cannot tell apart by their signs."""
    said = f"model {name!r} is made for the Euclidean distance, which the signs of vectors do not tell"
    return ModelError(said, hint="keep its index as halfvec")


def register_model(
    connection: psycopg.Connection[Any], model: EmbeddingModel, index_kind: IndexKind = IndexKind.HALFVEC
) -> None:
    """Record a model in the store, or compare it with the record.

    A model whose recorded folder is gone may come from another one: the record then names that.

    Args:
        connection: in a transaction that may write.
        model: the model.
        index_kind: what its vector index is to hold, if it is new to the store.

    Raises:
        ModelError: another model is registered under this name, and the line says in what they differ; or the index
            cannot hold that.
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
        "truncated_from": getattr(model, "truncated_from", None),  # a model of one's own need not say
    }
    if model.name == CURRENT_MODEL:
        raise ModelError(
            f"{CURRENT_MODEL!r} is what the model is called that a store was switched to",
            hint="give this one another name by",
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
            f"the store knows another model as {model.name!r}: {differences}",
            hint="give this one a name of its own by",
            argument="name",
        )


def record_model(connection: psycopg.Connection[Any], stated: Mapping[str, Any]) -> Record:
    """Record a model unless one is there under its name, and return what is recorded.

    Args:
        connection: in a transaction that may write.
        stated: the columns of ``ragraph.embedding_model`` that a model states of itself.

    Raises:
        ModelError: the role is a tenant, who may use models and record none.
    """
    with connection.cursor(row_factory=dict_row) as cursor:
        known = cursor.execute(QUERIES["registered_model"], stated).fetchone()
        if known is None:  # looked for first: a tenant may not even propose what is there
            try:
                cursor.execute(QUERIES["register_model"], stated)
            except psycopg.errors.InsufficientPrivilege as error:
                if "row-level security" not in str(error):
                    raise
                raise ModelError(
                    f"the store has no model {stated['name']!r}, and a tenant records none: all would use it",
                    hint="let the store's owner do it: `ragraph models add`",
                ) from error
            known = cursor.execute(QUERIES["registered_model"], stated).fetchone()
    if known is None:
        raise ModelError(f"model {stated['name']!r} could not be registered; run again")
    return known


def _as_recorded(record: Record | None, how: ModelOptions) -> ModelOptions:
    """Return how to load a model: as told, where nothing is told as it is recorded."""
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
    if (record["location"] or "").startswith(ENDPOINT):  # other models state these themselves
        known["max_tokens"] = known.get("max_tokens") or record["max_tokens"]
        known["own_dimensions"] = record["truncated_from"] or record["dimensions"]
    return known


def _gone(location: str | None) -> bool:
    """Whether a model was recorded from a folder, and the folder is not there."""
    return location is not None and Path(location).is_absolute() and not Path(location).is_dir()
