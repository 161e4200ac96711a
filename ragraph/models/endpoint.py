"""Embedding models behind an endpoint of OpenAI's protocol: OpenAI's own, vLLM, Ollama, TEI and others.

The client is OpenAI's (the extra ``openai``): it tries again after 408, 409, 429 and 5xx and lost connections, waiting
as long as ``Retry-After`` says, else longer each time.
"""

from __future__ import annotations

import os
import re
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ragraph.base import settings
from ragraph.base.extras import install
from ragraph.errors import ArgumentError, EndpointError, ModelError
from ragraph.models.encoding.loaded import short
from ragraph.models.encoding.model import ENDPOINT, EmbeddingModel
from ragraph.schema.enums import Distance

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragraph.models.encoding import Vectors
    from ragraph.models.encoding.loaded import LoadedModel

_LOCATION = re.compile(rf"{ENDPOINT}(?P<model>.+?)(?:@(?P<url>https?://.+))?", re.DOTALL)

_OWN_HOST = "api.openai.com"
_TOKENS = 512
_TEXTS = 128
"""Texts of a request at most."""

_CHARACTERS = 200_000
"""Their characters together, unless one text alone has more; some 50,000 tokens."""

_AT_ONCE = 4
"""Requests that are under way at the same time."""

_RETRIES = 8
_FIRST_RETRIES = 1
"""When the endpoint is asked for the first time: it is likelier not to be there than to have too much to do."""
_TIMEOUT_S = 120.0
_TOO_MUCH = {400, 413, 422}
"""What servers answer where a request has more texts than they take, or one of them is too long."""


def endpoint_location(name: str, base_url: str | None = None) -> str:
    """Return where a model called ``openai:NAME`` is, as a store records it: ``openai:NAME@URL``.

    Raises:
        ArgumentError: the address is none.
    """
    found = _LOCATION.fullmatch(name)
    if found is None:
        raise ArgumentError(f"{name!r} names no model; give openai:NAME, as openai:text-embedding-3-small")
    url = (base_url or found["url"] or settings.embedding_url()).rstrip("/")
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.password:
        raise ArgumentError(f"the address {url!r} is none of an endpoint; give one as http://localhost:11434/v1")
    return f"{ENDPOINT}{found['model']}@{url}"


class EndpointModel(EmbeddingModel):
    """A model behind an endpoint. It states neither its dimensions nor what it reads, so it is asked, and told.

    Args:
        location: as of ``endpoint_location``.
        name: its name in the store; default as the endpoint calls it.
        counter: the model whose tokens texts are counted by.
        query_prefix: put before queries.
        document_prefix: put before texts of the store.
        max_tokens: tokens that it reads; default 512.
        dimensions: length of vectors that it is asked for; default those that it gives.
        own_dimensions: length of those; default it is asked for one.

    Raises:
        EndpointError: as of ``encode_documents``.
    """

    def __init__(
        self,
        location: str,
        *,
        name: str | None,
        counter: LoadedModel,
        query_prefix: str = "",
        document_prefix: str = "",
        max_tokens: int | None = None,
        dimensions: int | None = None,
        own_dimensions: int | None = None,
    ) -> None:
        super().__init__()
        self._called, _, self._url = location.removeprefix(ENDPOINT).rpartition("@")
        self._counter = counter
        self.name = name or self._called
        self.location = location
        self.query_prefix, self.document_prefix = query_prefix, document_prefix
        self.max_tokens = max_tokens or _TOKENS
        self.distance, self.normalized = Distance.COSINE, True
        self.dimensions = own_dimensions or len(self._ask(["dimensions"], retries=_FIRST_RETRIES)[0])
        if dimensions is not None and dimensions != self.dimensions:
            self.truncated_from, self.dimensions = self.dimensions, dimensions
            if own_dimensions is None and len(self._ask(["dimensions"])[0]) != dimensions:
                raise EndpointError(
                    f"{self._url} gives vectors of {self.truncated_from} numbers for {self.name!r}, also where it is"
                    f" asked for {dimensions}; leave them whole"
                )

    @property
    def backend(self) -> str:
        """See ``EmbeddingModel.backend``."""
        return "endpoint"

    @property
    def _tokenizer(self) -> Any:
        return self._counter.tokenizer

    @cached_property
    def _client(self) -> Any:
        try:
            from openai import OpenAI
        except ImportError as error:
            raise ModelError(
                f"the model {self.name!r} is behind an endpoint; install its client: {install('openai')}"
            ) from error
        return OpenAI(base_url=self._url, api_key=self._key(), timeout=_TIMEOUT_S)

    def _key(self) -> str:
        """Return the key; OpenAI's goes nowhere else, whatever address a store has recorded."""
        own = urlsplit(self._url).hostname == _OWN_HOST
        key = os.environ.get("RAGRAPH_EMBEDDING_KEY") or (os.environ.get("OPENAI_API_KEY") if own else None)
        if own and not key:
            raise EndpointError(f"there is no key for {self._url}; set OPENAI_API_KEY, or name another --base-url")
        return key or "none"

    def _compute(self, texts: list[str], *, query: bool) -> Vectors:
        import numpy as np

        batches = list(_batches(texts))
        if len(batches) == 1:
            found = self._ask(batches[0])
        else:
            with ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="ragraph-endpoint") as threads:
                found = [vector for some in threads.map(self._ask, batches) for vector in some]
        if any(len(vector) != self.dimensions for vector in found):
            lengths = sorted({len(vector) for vector in found})
            raise EndpointError(
                f"{self._url} gives vectors of {lengths} numbers for {self.name!r}, not {self.dimensions}"
            )
        vectors = np.asarray(found, dtype=np.float32).reshape(len(texts), self.dimensions)
        unit: Vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.float32(1e-12))
        return unit

    def _ask(self, texts: Sequence[str], *, retries: int = _RETRIES) -> list[list[float]]:
        """Return the vectors of a request; one that has more than the server takes becomes two."""
        import openai

        # what a server makes of an empty text is an error with most
        given = [text if text.strip() else "." for text in texts]
        try:
            client = self._client.with_options(max_retries=retries)
            shorter = {} if self.truncated_from is None else {"dimensions": self.dimensions}
            answer = client.embeddings.create(model=self._called, input=given, encoding_format="float", **shorter)
        except openai.APIStatusError as error:
            if error.status_code in _TOO_MUCH and len(texts) > 1:
                half = len(texts) // 2
                return [*self._ask(texts[:half]), *self._ask(texts[half:])]
            if error.status_code in _TOO_MUCH:
                raise ModelError(
                    f"{self._url} refuses {texts[0][:40]!r}: {short(error)}; if it is too long, lower max_tokens"
                ) from error
            raise EndpointError(self._refused(error)) from error
        except openai.OpenAIError as error:  # no connection, no answer in time, an answer that is none
            raise EndpointError(f"{self._url} gives no vectors: {short(error)}; check the address") from error
        found = [item.embedding for item in sorted(answer.data or (), key=lambda item: item.index)]
        if len(found) != len(texts):
            raise EndpointError(f"{self._url} gives {len(found)} vectors for {len(texts)} texts; use another endpoint")
        return found

    def _refused(self, error: Any) -> str:
        todo = {
            401: "set RAGRAPH_EMBEDDING_KEY to a key that it takes",
            403: "set RAGRAPH_EMBEDDING_KEY to a key that may use the model",
            404: "check the address, which ends in /v1 with most, and the name of the model",
            429: "it was asked again for some time; run again later, what is done stays",
        }.get(error.status_code, "run again once it works, what is done stays")
        return f"{self._url} refuses to embed by {self._called!r}: {short(error)}; {todo}"


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for text in texts:
        if batch and (len(batch) >= _TEXTS or size + len(text) > _CHARACTERS):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += len(text)
    yield batch
