"""Embedding models behind an endpoint with OpenAI's protocol: OpenAI, vLLM, Ollama, TEI and others.

The client is OpenAI's (the extra ``openai``). It retries after 408, 409, 429, 5xx and lost connections, and waits as
long as ``Retry-After`` says, otherwise with exponential backoff.
"""

from __future__ import annotations

import os
import re
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ragraph.base import settings
from ragraph.base.extras import needing
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
"""Maximum number of texts in a request."""

_CHARACTERS = 200_000
"""Maximum number of characters in a request, unless a single text has more; about 50,000 tokens."""

_AT_ONCE = 4
"""Number of simultaneous requests."""

_RETRIES = 8
_FIRST_RETRIES = 1
"""Retries of the first request: a wrong address is likelier than an overloaded endpoint."""
_TIMEOUT_S = 120.0
_TOO_MUCH = {400, 413, 422}
"""Status codes for a request with too many texts or with a text that is too long."""


def endpoint_location(name: str, base_url: str | None = None) -> str:
    """Return the location of a model called ``openai:NAME`` as a store records it: ``openai:NAME@URL``.

    Raises:
        ArgumentError: the name or the address is invalid.
    """
    found = _LOCATION.fullmatch(name)
    if found is None:
        raise ArgumentError(f"{name!r} does not name a model; use openai:NAME, such as openai:text-embedding-3-small")
    url = (base_url or found["url"] or settings.embedding_url()).rstrip("/")
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.password:
        raise ArgumentError(f"{url!r} is not the address of an endpoint; use one such as http://localhost:11434/v1")
    return f"{ENDPOINT}{found['model']}@{url}"


class EndpointModel(EmbeddingModel):
    """A model behind an endpoint.

    The protocol reports neither its dimensions nor its token limit. The dimensions are those of a first vector, and the
    limit is set by the caller.

    Args:
        location: as ``endpoint_location`` returns it.
        name: its name in the store; default its name at the endpoint.
        counter: the model whose tokenizer counts the tokens of texts.
        query_prefix: prefix for queries.
        document_prefix: prefix for texts of the store.
        max_tokens: maximum number of tokens that the model reads; default 512.
        dimensions: length of the vectors requested from the endpoint; default the endpoint's own.
        own_dimensions: length of the vectors that the endpoint returns by default; if None, one request determines it.

    Raises:
        EndpointError: the endpoint fails or returns no vectors, or not of the requested length.
        ModelError: the extra ``openai`` is missing.
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
                    f"{self._url} returns vectors of {self.truncated_from} numbers for {self.name!r} although it was"
                    f" asked for {dimensions}; leave out dimensions"
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
        from openai import OpenAI

        return OpenAI(base_url=self._url, api_key=self._key(), timeout=_TIMEOUT_S)

    def _key(self) -> str:
        """Return the key. OpenAI's key is sent to OpenAI only, whatever address a store has recorded."""
        own = urlsplit(self._url).hostname == _OWN_HOST
        key = os.environ.get("RAGRAPH_EMBEDDING_KEY") or (os.environ.get("OPENAI_API_KEY") if own else None)
        if own and not key:
            raise EndpointError(f"there is no key for {self._url}; set OPENAI_API_KEY, or use another --base-url")
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
                f"{self._url} returns vectors of {lengths} numbers for {self.name!r}, not {self.dimensions}"
            )
        vectors = np.asarray(found, dtype=np.float32).reshape(len(texts), self.dimensions)
        unit: Vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.float32(1e-12))
        return unit

    def _ask(self, texts: Sequence[str], *, retries: int = _RETRIES) -> list[list[float]]:
        """Return the vectors of a request; a request that is too large for the server is split in two."""
        with needing(f"the model {self.name!r}, which is behind an endpoint,", ModelError):
            import openai

        # most servers refuse an empty text
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
        except openai.OpenAIError as error:  # no connection, a timeout, or an invalid response
            raise EndpointError(f"{self._url} returns no vectors: {short(error)}; check the address") from error
        found = [item.embedding for item in sorted(answer.data or (), key=lambda item: item.index)]
        if len(found) != len(texts):
            raise EndpointError(f"{self._url} sent {len(found)} vectors for {len(texts)} texts; use another endpoint")
        return found

    def _refused(self, error: Any) -> str:
        todo = {
            401: "set RAGRAPH_EMBEDDING_KEY to a key that it accepts",
            403: "set RAGRAPH_EMBEDDING_KEY to a key that may use the model",
            404: "check the address, which usually ends in /v1, and the name of the model",
            429: "several retries failed; run again later, finished work is kept",
        }.get(error.status_code, "run again once it works, finished work is kept")
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
