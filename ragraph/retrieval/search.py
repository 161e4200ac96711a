"""Search: from a query and a scope to hits, in one round trip."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeVar

from psycopg.rows import dict_row, scalar_row

from ragraph.base import notices
from ragraph.base.arguments import number, refusal, several, text, texts
from ragraph.base.defaults import Mode
from ragraph.database.rows import hit_row
from ragraph.errors import ArgumentError, ModelError, ModelNotFoundError
from ragraph.models.registry import current_model, load_recorded, require_record
from ragraph.retrieval.naming import components_named
from ragraph.search import Weights

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ragraph.database.runner import Rows
    from ragraph.models.embedding import EmbeddingModel
    from ragraph.models.encoding import Vectors
    from ragraph.models.registry import Record
    from ragraph.retrieval.scope import Scope
    from ragraph.schema.results import Hit


T = TypeVar("T")

_TOKEN = re.compile(r'(-*)(?:"([^"]*)"?|([^\s"]+))')
"""A word or phrase, and the minus signs before it."""

_NUMBER = re.compile("[$€£¥]?[.,]?[0-9]")
"""The beginning of a number, to which a minus belongs."""


class KnownModels:
    """The models of a store as of the last search, so that the next search need not query them first.

    The search itself compares them with the current ones (``ragraph_private.model_as_known``). Threads share it.

    Attributes:
        records: records of the models; None before the first search.
        loaded: names of the models loaded since.
    """

    def __init__(self) -> None:
        self.records: Sequence[Record] | None = None
        self.loaded: set[str] = set()

    @property
    def stamp(self) -> str | None:
        """The version of the records, which the database compares with its own."""
        return str(self.records[0]["stamp"]) if self.records else None

    def read(self, rows: Rows) -> Sequence[Record]:
        """Return the records; query them the first time."""
        records = self.records
        if records is None:
            records = self.records = rows("embedding_models", dict_row, {})
        return records

    def retry_if_changed(self, search: Callable[[], T]) -> T:
        """Return the result of a search; repeat it once if the models have changed."""
        remembered = self.records is not None
        try:
            return search()
        except (ModelNotFoundError, ModelError):  # the model's recorded folder may have changed meanwhile
            self.records = None
            self.loaded.clear()
            if not remembered:
                raise
            return search()


def search(
    rows: Rows,
    query: str,
    k: int,
    scope: Scope,
    *,
    mode: str,
    model: str,
    match: str = "all",
    weights: Weights | None = None,
    boost: str | Sequence[str] | None = None,
    min_relevance: float | None = None,
    known: KnownModels | None = None,
) -> list[Hit]:
    """Return the k best nodes of a scope; see ``Store.search``, and ``arguments`` for ``known``."""
    chosen, parameters = arguments(
        rows,
        query,
        k,
        scope,
        mode=mode,
        model=model,
        match=match,
        weights=weights,
        boost=boost,
        min_relevance=min_relevance,
        known=known,
    )
    names = {Mode.TEXT: "search_text", Mode.VECTOR: "search_vector"}
    return rows(names.get(chosen, "search_hybrid"), hit_row, parameters)


def search_by_vector(rows: Rows, vector: Iterable[float], k: int, scope: Scope, *, model: str) -> list[Hit]:
    """Return the k nodes of a scope that are nearest to a vector, best first; no model is loaded.

    Args:
        rows: runs queries.
        vector: the vector of a query under the model, as ``Store.embed_query`` returns it; any iterable of numbers.
        k: number of nodes.
        scope: where to search.
        model: name or place of the model.

    Raises:
        ArgumentError: the vector is not as long as those of the model, is zero, or has something else than numbers.
        ModelNotFoundError: the store has no such model.
    """
    import numpy as np

    record = require_record(rows("embedding_models", dict_row, {}), model)
    numbers = [number("the vector", value) for value in several("the vector", "a list of numbers", vector)]
    if len(numbers) != record["dimensions"]:
        said = f"the vector has {len(numbers)} dimensions, those of {record['name']!r} have {record['dimensions']}"
        raise ArgumentError(said, hint="encode the query by that model: store.embed_query(text)")
    if not any(numbers):
        raise ArgumentError("the vector is zero, and has no direction")
    names = {"model_name": record["name"], "models_stamp": None, "query": "", "k": k}
    asked = scope.asked(_components(rows, scope))
    return rows("search_vector", hit_row, {**names, "scope": asked, "query_vector": np.array(numbers, np.float32)})


def nearest_vectors(rows: Rows, hits: Sequence[Hit], vector: Sequence[float], model: str) -> list[Vectors | None]:
    """Return for each hit the vector of its node that is nearest to that of the query: a long node has several.

    Nearest is the one with the highest cosine similarity, whether vectors are normalised or not.

    Args:
        rows: runs queries.
        hits: hits in mode ``vector``.
        vector: the vector of the query.
        model: name or place of the model.

    Returns:
        One-dimensional arrays of ``dimensions`` floats, in the order of the hits; None for a hit whose node or vectors
        were deleted meanwhile.
    """
    import numpy as np

    name = str(require_record(rows("embedding_models", dict_row, {}), model)["name"])
    ids = {"document_ids": [hit.document_id for hit in hits], "node_ids": [hit.node_id for hit in hits]}
    found: dict[tuple[str, str], list[Vectors]] = {}
    for row in rows("vectors_of_nodes", dict_row, {"model_name": name, **ids}):
        kept = row["embedding_vector"]
        own = np.asarray(kept.to_numpy() if hasattr(kept, "to_numpy") else kept, np.float32)
        found.setdefault((row["document_id"], row["node_id"]), []).append(own)
    query = np.asarray(vector, np.float32)

    def nearness(own: Vectors) -> float:
        return float(own @ query) / (float(np.linalg.norm(own)) or 1.0)

    return [max(found.get((hit.document_id, hit.node_id), ()), key=nearness, default=None) for hit in hits]


def arguments(
    rows: Rows,
    query: str,
    k: int,
    scope: Scope,
    *,
    mode: str,
    model: str,
    match: str = "all",
    weights: Weights | None = None,
    boost: str | Sequence[str] | None = None,
    min_relevance: float | None = None,
    known: KnownModels | None = None,
) -> tuple[Mode, dict[str, Any]]:
    """Return the search mode and the arguments of the database function, including the vector of the query.

    Mode ``text`` loads no model, and its ``query_vector`` is None.

    Args:
        rows: runs queries.
        query: the query in words.
        k: number of nodes.
        scope: where to search.
        mode: search mode.
        model: name or place of the model.
        match: for mode ``text``: ``all`` or ``any``.
        weights: weights of the methods.
        boost: names of entities.
        min_relevance: minimum relevance of hits; None for no minimum.
        known: models as of the last search, updated by this one. ``KnownModels.retry_if_changed`` repeats a search if
            they changed.

    Raises:
        ArgumentError: an argument is invalid.
        ModelNotFoundError, ModelError: as for ``load_model_of``.
    """
    chosen = mode_of(mode)
    for name, value in (("model", model), ("match", match)):
        text(name, value)
    if not query.strip():
        raise ArgumentError("the query is empty; say what to look for")
    if match != "all" and chosen is not Mode.TEXT:
        raise ArgumentError(f"match is for mode 'text', not {mode!r}")
    if weights is not None and not isinstance(weights, Weights):
        raise refusal("weights", "ragraph.search.Weights", weights)
    if weights is not None and chosen in (Mode.TEXT, Mode.VECTOR):
        raise ArgumentError(f"weights are for modes 'hybrid' and 'graph', not {mode!r}")
    boosted = texts("boost", boost)
    if boosted is not None and chosen in (Mode.TEXT, Mode.VECTOR):
        raise ArgumentError(f"boost is for modes 'hybrid' and 'graph', not {mode!r}")
    if min_relevance is not None:
        number("min_relevance", min_relevance)
        if chosen is Mode.VECTOR:
            raise ArgumentError("min_relevance is not for mode 'vector', whose hits have no relevance")
    parameters: dict[str, Any] = {
        "query": query,
        "min_relevance": min_relevance,
        "k": k,
        "match": match,
        "scope": scope.asked(_components(rows, scope)),
        "models_stamp": None if known is None else known.stamp,
    }
    if chosen is Mode.TEXT:
        return chosen, parameters | {"query_vector": None, "model_name": "", "models_stamp": None}
    encoder = load_model_of(rows, model, parameters, known)
    parameters |= {"query_vector": encoder.encode_query(sought(query)), "model_name": encoder.name}
    return chosen, parameters | (weights or Weights()).parameters(chosen) | {"boosted": boosted}


def mode_of(mode: str) -> Mode:
    """Return the search mode of this name.

    Raises:
        ArgumentError: there is none.
    """
    text("mode", mode)
    try:
        return Mode(mode)
    except ValueError:
        raise ArgumentError(f"mode {mode!r} is not known; use {', '.join(Mode)}") from None


def sought(query: str) -> str:
    """Return the part of a query that says what to look for: without the words and phrases after a minus.

    The database reads a query in the same way (``ragraph_private.without_excluded``). A query that only excludes is
    returned unchanged.
    """
    if "-" not in query:
        return query
    return _TOKEN.sub(lambda token: "" if _is_excluded(token) else token[0], query).strip() or query


def _is_excluded(token: re.Match[str]) -> bool:
    minus, phrase, word = token.groups()
    return bool(minus) and (phrase is not None or (bool(word.strip("-")) and not _NUMBER.match(word)))


def _components(rows: Rows, scope: Scope) -> list[str] | None:
    if scope.sections is None:
        return None
    # a scope with sections always has documents
    return components_named(rows, scope.documents or (), scope.sections)


def name_of(rows: Rows, mode: str, model: str) -> str | None:
    """Return the stored name of the model of a search; None for mode ``text``, which uses none."""
    if mode == Mode.TEXT:
        return None
    return str(require_record(rows("embedding_models", dict_row, {}), model)["name"])


def load_model_of(
    rows: Rows, name: str, scope: Mapping[str, Any] | None = None, known: KnownModels | None = None
) -> EmbeddingModel:
    """Load a model of the store by its name or place, with its recorded prefixes.

    Args:
        rows: runs queries.
        name: name or place of the model.
        scope: arguments of a search, checked first, because loading a model takes seconds.
        known: the models of the store as of an earlier search.

    Raises:
        ModelNotFoundError: the store has no such model, or is empty; nothing was loaded.
        ModelError: its recorded folder is missing, or it cannot be loaded.
        DocumentNotFoundError, ComponentNotFoundError, ArgumentError: the scope names what does not exist.
    """
    known = known or KnownModels()
    try:
        records = known.read(rows)
        record = require_record(records, name)
    except ModelNotFoundError:
        if scope is not None:
            rows("check_scope", dict_row, scope)
        (empty,) = rows("store_is_empty", scalar_row, {})
        if empty:
            raise ModelNotFoundError(
                "the store is empty: ingest documents first, with `ragraph ingest PATH` or store.ingest(paths)"
            ) from None
        raise
    name = str(record["name"])
    if scope is not None and record["location"] is not None and name not in known.loaded:
        rows("check_scope", dict_row, scope)
    if name != current_model(records):
        _warn_if_incomplete(rows, name)
    model = load_recorded(record)
    known.loaded.add(name)
    return model


def _warn_if_incomplete(rows: Rows, name: str) -> None:
    """Warn if a model lacks vectors of some documents.

    This is not checked for the model that the store was switched to: it was complete then, and later documents get its
    vectors.
    """
    (row,) = rows("model_lacks", dict_row, {"model_name": name})
    if row["lacks"]:
        said = f"the model {name!r} lacks vectors of some documents, so searches with it do not find these"
        notices.warn(said, python="store.models() says how many, store.embed(name) fills it")
