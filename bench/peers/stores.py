"""One peer, in its environment: load rows, build its index, answer questions, and record the costs.

    python bench/peers/stores.py NAME URL FOLDER POSTMASTER

Runs without ragraph. FOLDER has the files of ``Workload.save``; the answer, JSON, is written to FOLDER/NAME.json.
POSTMASTER is the process of the server.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from abc import ABC, abstractmethod
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

try:
    from bench.peers.processor import Spent
except ImportError:  # run as a file, in an environment without ragraph
    from processor import Spent  # type: ignore[import-not-found, no-redef]

if TYPE_CHECKING:
    from collections.abc import Sequence

K = 10
ROUNDS = 3
"""Times that each question is asked: processor time of a search is counted in hundredths of a second."""
TABLE = "peer_{}"
LINKS, CANDIDATES = 16, 64
"""Parameters of HNSW, pgvector's defaults."""


class Peer(ABC):
    """Another store: chunks with metadata, used as its documentation shows."""

    package: str

    def __init__(self, url: str, dimensions: int) -> None:
        self.url = url
        self.dimensions = dimensions

    @abstractmethod
    def documents(self, rows: Sequence[dict[str, Any]], vectors: Sequence[list[float]]) -> Any:
        """Return rows in the form that the peer accepts; not measured."""

    @abstractmethod
    def load(self, documents: Any) -> None:
        """Write them, without an index."""

    @abstractmethod
    def index(self) -> None:
        """Build its HNSW index."""

    @abstractmethod
    def search(self, vector: list[float], where: dict[str, str]) -> list[str]:
        """Return the texts of the nearest rows that have all of these metadata."""


class LangChain(Peer):
    """``PGVectorStore`` with a column for each key of the metadata."""

    package = "langchain-postgres"
    _keys = ("document", "section", "type", "keeps10", "keeps1", "keeps01")

    def __init__(self, url: str, dimensions: int) -> None:
        super().__init__(url, dimensions)
        made = importlib.import_module("langchain_postgres")
        engine = made.PGEngine.from_connection_string(_driver(url, "psycopg"))
        columns = [made.Column(key, "TEXT") for key in self._keys]
        table = TABLE.format("langchain")
        engine.init_vectorstore_table(table, dimensions, metadata_columns=columns, overwrite_existing=True)
        fake = importlib.import_module("langchain_core.embeddings").FakeEmbeddings(size=dimensions)
        self.store = made.PGVectorStore.create_sync(engine, fake, table, metadata_columns=list(self._keys), k=K)

    def documents(self, rows: Sequence[dict[str, Any]], vectors: Sequence[list[float]]) -> Any:
        return [row["text"] for row in rows], vectors, [dict(row["metadata"]) for row in rows]

    def load(self, documents: Any) -> None:
        self.store.add_embeddings(*documents)

    def index(self) -> None:
        made = importlib.import_module("langchain_postgres.v2.indexes")
        self.store.apply_vector_index(made.HNSWIndex(m=LINKS, ef_construction=CANDIDATES))

    def search(self, vector: list[float], where: dict[str, str]) -> list[str]:
        found = self.store.similarity_search_by_vector(vector, k=K, filter=where or None)
        return [item.page_content for item in found]


class LlamaIndex(Peer):
    """``PGVectorStore`` with JSONB, and HNSW built after the load."""

    package = "llama-index-vector-stores-postgres"

    def __init__(self, url: str, dimensions: int) -> None:
        super().__init__(url, dimensions)
        self.store = self._open(None)

    def _open(self, hnsw: dict[str, Any] | None) -> Any:
        made = importlib.import_module("llama_index.vector_stores.postgres")
        return made.PGVectorStore.from_params(
            connection_string=_driver(self.url, "psycopg2"),
            async_connection_string=_driver(self.url, "asyncpg"),
            table_name=TABLE.format("llamaindex"),
            embed_dim=self.dimensions,
            use_jsonb=True,
            hnsw_kwargs=hnsw,
        )

    def documents(self, rows: Sequence[dict[str, Any]], vectors: Sequence[list[float]]) -> Any:
        schema = importlib.import_module("llama_index.core.schema")
        return [
            schema.TextNode(id_=str(row["number"]), text=row["text"], metadata=row["metadata"], embedding=vector)
            for row, vector in zip(rows, vectors, strict=True)
        ]

    def load(self, documents: Any) -> None:
        self.store.add(documents)

    def index(self) -> None:
        hnsw = {"hnsw_m": LINKS, "hnsw_ef_construction": CANDIDATES, "hnsw_ef_search": 40}
        self.store = self._open(hnsw | {"hnsw_dist_method": "vector_cosine_ops"})
        self.store._initialize()

    def search(self, vector: list[float], where: dict[str, str]) -> list[str]:
        types = importlib.import_module("llama_index.core.vector_stores.types")
        filters = [types.MetadataFilter(key=key, value=value) for key, value in where.items()]
        query = types.VectorStoreQuery(
            query_embedding=vector,
            similarity_top_k=K,
            filters=types.MetadataFilters(filters=filters) if filters else None,
        )
        return [node.text for node in self.store.query(query).nodes or []]


class Haystack(Peer):
    """``PgvectorDocumentStore`` with strategy ``hnsw``, which builds its index when it opens a table."""

    package = "pgvector-haystack"

    def __init__(self, url: str, dimensions: int) -> None:
        super().__init__(url, dimensions)
        self.store = self._open(recreate_table=True)

    def _open(self, **options: Any) -> Any:
        made = importlib.import_module("haystack_integrations.document_stores.pgvector")
        secret = importlib.import_module("haystack.utils").Secret.from_token(self.url)
        return made.PgvectorDocumentStore(
            connection_string=secret,
            table_name=TABLE.format("haystack"),
            embedding_dimension=self.dimensions,
            create_extension=False,
            **options,
        )

    def documents(self, rows: Sequence[dict[str, Any]], vectors: Sequence[list[float]]) -> Any:
        made = importlib.import_module("haystack").Document
        return [
            made(id=str(row["number"]), content=row["text"], meta=dict(row["metadata"]), embedding=vector)
            for row, vector in zip(rows, vectors, strict=True)
        ]

    def load(self, documents: Any) -> None:
        self.store.write_documents(documents)

    def index(self) -> None:
        self.store = self._open(
            search_strategy="hnsw", hnsw_index_creation_kwargs={"m": LINKS, "ef_construction": CANDIDATES}
        )
        self.store.count_documents()

    def search(self, vector: list[float], where: dict[str, str]) -> list[str]:
        conditions = [{"field": f"meta.{key}", "operator": "==", "value": value} for key, value in where.items()]
        filters = {"operator": "AND", "conditions": conditions} if conditions else None
        found = self.store._embedding_retrieval(query_embedding=vector, top_k=K, filters=filters)
        return [item.content for item in found]


PEERS: dict[str, type[Peer]] = {"langchain": LangChain, "llamaindex": LlamaIndex, "haystack": Haystack}


def _driver(url: str, driver: str) -> str:
    return url.replace(urlsplit(url).scheme, f"postgresql+{driver}", 1)


def measure(peer: Peer, folder: Path, postmaster: int) -> dict[str, Any]:
    """Load, index and ask; times in seconds, answers as texts."""
    rows = [json.loads(line) for line in (folder / "rows.jsonl").open()]
    questions = np.load(folder / "questions.npy").tolist()
    scopes = json.loads((folder / "scopes.json").read_text())
    documents = peer.documents(rows, np.load(folder / "vectors.npy").tolist())
    with Spent(postmaster) as load:
        peer.load(documents)
    with Spent(postmaster) as index:
        peer.index()
    asked: dict[str, Any] = {}
    for scope, wheres in scopes.items():
        peer.search(questions[0], wheres[0])
        answers, times = [], []
        with Spent(postmaster) as spent:
            for vector, where in [*zip(questions, wheres, strict=True)] * ROUNDS:
                start = time.perf_counter()
                answers.append(peer.search(vector, where))
                times.append(time.perf_counter() - start)
        each = {"client": spent.client / len(times), "server": spent.server / len(times)}
        asked[scope] = {"answers": answers[: len(questions)], "times": times, **each}
    version = metadata.version(peer.package)
    return {
        "name": f"{peer.package} {version}",
        "load": load.clock,
        "load_spent": (load.client, load.server),
        "index": index.clock,
        "index_spent": index.client + index.server,
        "asked": asked,
    }


def main() -> None:
    """Measure the named peer."""
    name, url, folder, postmaster = sys.argv[1:]
    os.environ.setdefault("HAYSTACK_TELEMETRY_ENABLED", "False")
    dimensions = np.load(Path(folder) / "vectors.npy", mmap_mode="r").shape[1]
    figures = measure(PEERS[name](url, dimensions), Path(folder), int(postmaster))
    (Path(folder) / f"{name}.json").write_text(json.dumps(figures))


if __name__ == "__main__":
    main()
