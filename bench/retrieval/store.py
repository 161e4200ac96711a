"""The documents of a corpus in a store of ragraph that outlives the run, with vectors from the cache."""

from __future__ import annotations

import hashlib
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, cast

from psycopg.rows import dict_row

import ragraph
from bench.retrieval.cache import cache_folder
from ragraph import schema
from ragraph.base.queries import QUERIES
from ragraph.ingest.vectors.parts import PartSettings
from ragraph.ingest.vectors.texts import Source, parts_of
from ragraph.models.embedding import DEFAULT_MODEL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from bench.retrieval.cache import CachedModel
    from bench.retrieval.data import Corpus
    from ragraph import Store
    from ragraph.models.embedding import EmbeddingModel


@contextmanager
def kept_store(model: str = DEFAULT_MODEL) -> Iterator[Store]:
    """Yield a store on an embedded server of its own; each version of the schema and each model has its own store."""
    dump = Path(schema.__file__).with_name("ragraph.sql").read_bytes()
    version = f"store-{hashlib.sha256(dump).hexdigest()[:12]}"
    folder = cache_folder() / (version if model == DEFAULT_MODEL else f"{version}-{model}")
    with ragraph.open(home=folder) as store:
        yield store


def ingest(store: Store, corpus: Corpus, model: CachedModel) -> dict[str, str]:
    """Ingest the documents of a corpus, each corpus as a separate collection; known ones are skipped.

    Returns:
        Id of each document in the store, by key.
    """
    return ingest_files(store, corpus.files, corpus.name, model)


def ingest_files(store: Store, files: Mapping[str, Path], collection: str, model: CachedModel) -> dict[str, str]:
    """Ingest files by key; known ones are skipped.

    Returns:
        Id of each document in the store, by key.

    Raises:
        RuntimeError: one of them cannot be read.
    """
    keys = {str(path.resolve()): key for key, path in files.items()}
    report = store.ingest(list(files.values()), collection=collection, model=cast("EmbeddingModel", model), workers=2)
    ids = {keys[str(Path(file.path).resolve())]: file.document_id for file in report.files if file.document_id}
    missing = files.keys() - ids.keys()
    if missing:
        reasons = [f"{Path(file.path).name}: {file.reason}" for file in report.files if not file.document_id]
        raise RuntimeError(f"{collection}: {len(missing)} files failed: {'; '.join(reasons)[:500]}")
    if model.name != DEFAULT_MODEL:
        store.switch_model(str(model.name))
    return ids


def bare_parts(store: Store, document_id: str, model: CachedModel) -> list[str]:
    """Return the parts of a document as they are embedded, but without the titles of the sections around them."""
    names = {"document_id": document_id, "model_name": model.name}
    with store.database.read() as connection, connection.cursor(row_factory=dict_row) as cursor:
        components = cursor.execute(QUERIES["embed_components"], names).fetchall()
        nodes = cursor.execute(QUERIES["embed_nodes"], names).fetchall()
        captions = {row["source_node_id"]: row["caption"] for row in cursor.execute(QUERIES["embed_captions"], names)}
    untitled = [{**component, "title": None} for component in components]
    source = Source(document_id, None, untitled, nodes, captions)
    return [part.text for part in parts_of(source, cast("EmbeddingModel", model), PartSettings())]
