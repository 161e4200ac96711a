"""The store as a LangChain vector store, a retriever, and a tool for agents; needs ``ragraph-store[langchain]``."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

try:
    from langchain_core.callbacks import (
        AsyncCallbackManagerForRetrieverRun,
        CallbackManagerForRetrieverRun,
        Callbacks,
    )
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.tools import BaseTool, StructuredTool, ToolException
    from langchain_core.vectorstores import VectorStore
    from langchain_core.vectorstores.utils import maximal_marginal_relevance
except ModuleNotFoundError as error:
    from ragraph.faces.frameworks import missing

    raise missing("langchain", error) from None
from pydantic import ConfigDict, Field, InstanceOf, PrivateAttr, create_model

from ragraph.errors import ArgumentError, StoreError
from ragraph.faces.framework_drafts import Piece, drafts_of
from ragraph.faces.framework_filters import of_langchain
from ragraph.faces.framework_texts import Text, Texts, new_id, relevance
from ragraph.faces.frameworks import RetrieverOptions, StoreSource, check, find, types_of
from ragraph.search import Weights
from ragraph.store.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Self, Unpack

    from langchain_core.embeddings import Embeddings

    from ragraph.filters import Filter
    from ragraph.schema.results import Hit

__all__ = ["RagraphRetriever", "RagraphVectorStore", "drafts", "search_tool"]

_DESCRIPTION = (
    "Search a library of documents. Returns passages, each with its title, section and pages, and with the id of its "
    "document in front of the slash, to look further within it."
)


def _field(option: str) -> str:
    """Return the retriever's name of an option; ``tags`` is already LangChain's name for tags of its traces."""
    return "document_tags" if option == "tags" else option


if TYPE_CHECKING:
    _Options = BaseRetriever
else:
    # the search itself checks filters
    _kinds = types_of(RetrieverOptions, Weights=InstanceOf[Weights], Filter=Any)
    _fields = {_field(option): (kind, None) for option, kind in _kinds.items()}
    _Options = create_model("_Options", __base__=BaseRetriever, **_fields)


class RagraphRetriever(_Options):
    """Searches a store: ``RagraphRetriever(store=store, k=5, document="dl_x", section="3.1").invoke("a question")``.

    A document is a node, with the hit and its citation as metadata: pages, bounding boxes, section path. With
    ``expand`` it is a block of a context. Options passed to ``invoke`` override those of the retriever.

    Attributes:
        store: an open store, which stays open.
        url: database to open if no store is set; None as in ``ragraph.open``.

    The options of ``ragraph.faces.frameworks.RetrieverOptions`` are fields too, None by default: ``k``, ``mode``,
    ``expand``, ``token_budget``, ``document``, ``section``, ``pages``, ``filter`` and the others of ``Store.search``.
    ``tags`` is called ``document_tags``, because ``tags`` is LangChain's name for tags of its traces.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    store: InstanceOf[Store] | None = Field(default=None, exclude=True, repr=False)
    url: str | None = Field(default=None, exclude=True, repr=False)

    _source: StoreSource = PrivateAttr()

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            store: Store | None = None,
            url: str | None = None,
            document_tags: str | Sequence[str] | None = None,
            name: str | None = None,
            metadata: dict[str, Any] | None = None,
            **options: Unpack[RetrieverOptions],
        ) -> None: ...

        def __getattr__(self, name: str) -> Any: ...

    def model_post_init(self, context: Any, /) -> None:
        """Check the options; the store is opened at the first search."""
        self._source = StoreSource(self.store, self.url)
        check(self._options({}))

    def _options(self, given: dict[str, Any]) -> dict[str, Any]:
        """Return the options of a search; those of this call override the retriever's.

        Raises:
            TypeError: an option does not exist.
        """
        names = {name: _field(name) for name in RetrieverOptions.__annotations__}
        if unknown := given.keys() - names.values():
            raise TypeError(f"the retriever has no option {min(unknown)!r}; use one of {', '.join(names.values())}")
        return {name: given.get(field, getattr(self, field)) for name, field in names.items()}

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **options: Any
    ) -> list[Document]:
        return [
            Document(id=found.id, page_content=found.text, metadata=found.metadata)
            for found in find(self._source(), query, self._options(options))
        ]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **options: Any
    ) -> list[Document]:
        return await asyncio.to_thread(
            self._get_relevant_documents, query, run_manager=run_manager.get_sync(), **options
        )


class RagraphVectorStore(VectorStore):
    """A collection of a store as a vector store: ``RagraphVectorStore(store, collection="notes").add_texts([...])``.

    Each text is a document of the store, under its id, and found as a whole. Searches cover all of the collection. A
    node of a file that was ingested into it has the id ``DOCUMENT/NODE`` and the metadata of ``RagraphRetriever``. Only
    texts are overwritten and deleted, never such files. The store embeds the texts itself. Asynchronous methods run in
    threads.

    Args:
        store: an open store, which stays open.
        url: database to open if no store is set; None as in ``ragraph.open``.
        collection: collection to write to and to search in.
        model: embedding model, by its name in the store or its place; None for the current one.

    Raises:
        ArgumentError: an argument has a wrong type, or the collection no name.
    """

    def __init__(
        self,
        store: Store | None = None,
        *,
        url: str | None = None,
        collection: str = "default",
        model: str | None = None,
    ) -> None:
        self._texts = Texts(StoreSource(store, url), collection, model)

    @classmethod
    def from_texts(
        cls,
        texts: list[str],
        embedding: Embeddings | None = None,
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        **options: Any,
    ) -> Self:
        """Return a vector store to which texts have been added.

        Args:
            texts: as in ``add_texts``.
            embedding: None, because the store embeds texts by a model of its own.
            metadatas: as in ``add_texts``.
            ids: as in ``add_texts``.
            **options: arguments of the class: ``store``, ``url``, ``collection``, ``model``.

        Raises:
            ArgumentError: an embedding is set.
        """
        if embedding is not None:
            raise ArgumentError("the store embeds texts itself", hint="pass embedding=None, and model= to choose one")
        made = cls(**options)
        made.add_texts(texts, metadatas, ids=ids)
        return made

    def add_texts(
        self,
        texts: Iterable[str],
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: Sequence[str | None] | None = None,
        **kwargs: Any,
    ) -> list[str]:
        """Write texts and return their ids; of a known id, what changed is written and embedded.

        Args:
            texts: the texts; none may be empty.
            metadatas: metadata of each text. Values that JSON does not have become text.
            ids: id of each text; None for a new one.
            **kwargs: none.

        Raises:
            ArgumentError: there are more or fewer metadata or ids than texts, one of them has a wrong type, or an id is
                that of a document that was not written as a text of this collection. Nothing is written then.
            IngestError: a text is empty, or an id is invalid; the other texts are written.
        """
        if kwargs:
            raise TypeError(f"add_texts has no argument {min(kwargs)!r}")
        given = list(texts)
        for what, those in (("metadatas", metadatas), ("ids", ids)):
            if those and len(those) != len(given):
                raise ArgumentError(f"{len(given)} texts have {len(those)} {what}", hint="pass one for each text")
        rows = zip(given, metadatas or [{}] * len(given), ids or [None] * len(given), strict=True)
        made = [Text(id=name or new_id(), text=text, metadata=metadata) for text, metadata, name in rows]
        self._texts.write(made)
        return [text.id for text in made]

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        """Return the texts with these ids, in the order of the ids; unknown ids are left out."""
        found = {text.id: text for text in self._texts.read(ids)}
        return [_document(found[name]) for name in ids if name in found]

    def delete(self, ids: Sequence[str] | None = None, **kwargs: Any) -> bool:
        """Delete the texts with these ids, or all texts of the collection; return True. Unknown ids are ignored."""
        if kwargs:
            raise TypeError(f"delete has no argument {min(kwargs)!r}")
        self._texts.delete(ids)
        return True

    def similarity_search(self, query: str, k: int = 4, **options: Any) -> list[Document]:
        """Return the k texts that answer a query best, best first; see ``similarity_search_with_score``."""
        return [_document(text) for text, _ in self._search(query, k, **options)]

    def similarity_search_with_score(
        self,
        query: str,
        k: int = 4,
        filter: Filter | Mapping[str, Any] | None = None,
        **options: Any,
    ) -> list[tuple[Document, float]]:
        """Return the k texts that answer a query best, best first, with their scores.

        A long text counts once, by its best part. Of ingested files in the collection single nodes are found.

        Args:
            query: the query in words.
            k: number of texts.
            filter: condition on metadata, ``{"year": {"$gte": 2020}}`` (``faces.framework_filters.of_langchain``), or
                one of ``ragraph.filters``.
            **options: of ``Store.search``: ``mode``, here ``vector`` by default, ``document``, ``types``, ``pages``
                and others, except ``collection``.

        Returns:
            Documents and scores, higher is better: cosine similarities in mode ``vector``.

        Raises:
            ArgumentError, ModelNotFoundError, DocumentNotFoundError, ComponentNotFoundError: as for ``Store.search``.
        """
        return [(_document(text), hit.score) for text, hit in self._search(query, k, filter=filter, **options)]

    def similarity_search_by_vector(self, embedding: list[float], k: int = 4, **kwargs: Any) -> list[Document]:
        """Return the k texts nearest to a vector, best first.

        Args:
            embedding: the vector of a query under the model of the store, as ``Store.embed_query`` returns it.
            k: number of texts.
            **kwargs: ``filter`` as in ``similarity_search_with_score``, and ``document``, ``types``, ``pages`` and
                other options of a scope.

        Raises:
            ArgumentError: the vector is not one of this model, or an option is invalid.
            ModelNotFoundError: as for ``Store.search``.
        """
        return [_document(text) for text, _ in self._near(embedding, k, **kwargs)]

    def max_marginal_relevance_search(
        self, query: str, k: int = 4, fetch_k: int = 20, lambda_mult: float = 0.5, **kwargs: Any
    ) -> list[Document]:
        """Return k of the texts that answer a query best, which differ from each other.

        Args:
            query: the query in words.
            k: number of texts.
            fetch_k: number of texts that they are chosen from.
            lambda_mult: 1 for the best, 0 for those that differ most.
            **kwargs: as in ``similarity_search_by_vector``.

        Raises:
            ArgumentError, ModelError, ModelNotFoundError: as for ``Store.search``.
        """
        vector = self._texts.embed_query(query, kwargs.get("model"))
        return self.max_marginal_relevance_search_by_vector(vector, k, fetch_k, lambda_mult, **kwargs)

    def max_marginal_relevance_search_by_vector(
        self, embedding: list[float], k: int = 4, fetch_k: int = 20, lambda_mult: float = 0.5, **kwargs: Any
    ) -> list[Document]:
        """Return k of the texts nearest to a vector, which differ; see ``max_marginal_relevance_search``."""
        import numpy as np  # as LangChain's function does

        near = self._near(embedding, max(fetch_k, k), **kwargs)
        every = self._texts.vectors_of([hit for _, hit in near], embedding, kwargs.get("model"))
        # what was deleted since the search has no vector
        found = [(text, own) for (text, _), own in zip(near, every, strict=True) if own is not None]
        vectors = [own for _, own in found]
        chosen = maximal_marginal_relevance(np.array(embedding), vectors, lambda_mult, k) if vectors else []
        return [_document(found[place][0]) for place in chosen]

    def _near(self, vector: list[float], k: int, filter: Any = None, **options: Any) -> list[tuple[Text, Hit]]:
        if "collection" in options:
            raise TypeError("the collection is that of the vector store")
        if options.pop("mode", "vector") != "vector":
            raise ArgumentError("a search by a vector is in mode 'vector'", hint="leave mode out")
        return self._texts.search_by_vector(vector, k, {**options, "filter": of_langchain(filter)})

    def _similarity_search_with_relevance_scores(
        self, query: str, k: int = 4, **options: Any
    ) -> list[tuple[Document, float]]:
        return [(_document(text), relevance(hit)) for text, hit in self._search(query, k, **options)]

    async def _asimilarity_search_with_relevance_scores(
        self, query: str, k: int = 4, **options: Any
    ) -> list[tuple[Document, float]]:
        return await asyncio.to_thread(self._similarity_search_with_relevance_scores, query, k, **options)

    def _search(self, query: str, k: int, filter: Any = None, **options: Any) -> list[tuple[Text, Hit]]:
        if "collection" in options:
            raise TypeError("the collection is that of the vector store")
        return self._texts.search(query, k, {"mode": "vector", **options, "filter": of_langchain(filter)})


def search_tool(
    retriever: RagraphRetriever, *, name: str = "search_documents", description: str = _DESCRIPTION
) -> BaseTool:
    """Return a tool with which an agent searches, within the scope of the retriever.

    The agent passes a query and, unless the retriever sets them, a document, one of its sections, and pages. It cannot
    change what the retriever sets. The content of a result is text with citations, the artifact the documents.

    Args:
        retriever: the retriever to search with.
        name: name of the tool.
        description: description of the tool for the agent.
    """
    fields: dict[str, Any] = {"query": (str, Field(description="What to look for, in words."))}
    if retriever.document is None:
        fields["document"] = (str | None, Field(default=None, description="Only in this document: its id."))
    if retriever.section is None:
        about = "Only within this section of the document: its number, title or id."
        fields["section"] = (str | None, Field(default=None, description=about))
    if retriever.pages is None:
        fields["first_page"] = (int | None, Field(default=None, description="Only from this page on, from 1."))
        fields["last_page"] = (int | None, Field(default=None, description="Only up to this page."))

    def search(query: str, callbacks: Callbacks = None, **chosen: Any) -> tuple[str, list[Document]]:
        try:
            return _told(retriever.invoke(query, {"callbacks": callbacks}, **_narrowed(chosen)))
        except StoreError as error:  # the agent may correct its call
            raise ToolException(str(error)) from error

    async def asearch(query: str, callbacks: Callbacks = None, **chosen: Any) -> tuple[str, list[Document]]:
        try:
            return _told(await retriever.ainvoke(query, {"callbacks": callbacks}, **_narrowed(chosen)))
        except StoreError as error:
            raise ToolException(str(error)) from error

    return StructuredTool.from_function(
        func=search,
        coroutine=asearch,
        name=name,
        description=description,
        args_schema=create_model("SearchDocuments", **fields),
        response_format="content_and_artifact",
        handle_tool_error=True,
    )


def drafts(documents: Iterable[Document]) -> Iterator[dict[str, Any]]:
    """Yield drafts for ``Store.add_many`` from the documents of loaders: one draft for each source, with its pages.

    Consecutive documents with the same ``source`` become one draft. ``page``, which loaders count from 0, is its page.
    Pass documents from a loader, not from a splitter, because the store makes its own chunks.

    Args:
        documents: documents, consumed one at a time.
    """
    pieces = (
        Piece(
            source=document.metadata.get("source"),
            text=document.page_content,
            page=page + 1 if isinstance(page := document.metadata.get("page"), int) else None,
            label=document.metadata.get("page_label"),
            metadata={name: value for name, value in document.metadata.items() if name not in ("page", "page_label")},
        )
        for document in documents
    )
    return drafts_of(pieces, "langchain")


def _document(text: Text) -> Document:
    return Document(id=text.id, page_content=text.text, metadata=text.metadata)


def _narrowed(chosen: dict[str, Any]) -> dict[str, Any]:
    pages = chosen.pop("first_page", None), chosen.pop("last_page", None)
    options = {name: value for name, value in chosen.items() if value is not None}
    return options if pages == (None, None) else {**options, "pages": pages}


def _told(documents: Sequence[Document]) -> tuple[str, list[Document]]:
    texts = [
        f"[{number}] {found.metadata['citation']} ({found.id})\n{found.page_content}"
        for number, found in enumerate(documents, 1)
    ]
    return "\n\n".join(texts) or "Nothing found.", list(documents)
