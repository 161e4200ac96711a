"""How others cut a document, each with its own classes, with sizes that the same embedding model can read.

All of them get the plain text of the document. docling's chunker gets docling's own reading of the file if docling
supports the format, else a document of the paragraphs of the plain text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import sentencex

from ragraph.models.embedding import load_model

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from bench.retrieval.data import Corpus
    from ragraph.models.embedding import Vectors

WINDOW, WINDOW_OVERLAP = 256, 51
"""Tokens; 51 is 20 %."""

CHARACTERS, CHARACTERS_OVERLAP = 1000, 200
"""The most usual sizes for LangChain's splitter, in characters."""

SENTENCES, SENTENCES_OVERLAP = 256, 50
"""LlamaIndex's defaults, 1,024 and 200 tokens, reduced by the same factor to what the model can read."""

HIERARCHY = (2048, 512, 128)
"""LlamaIndex's defaults in tokens; only the smallest are embedded, and the model can read them."""


SHORTEST = 60
"""Characters; shorter sentences are joined with the next, because "3.6 Fees." means nothing alone."""


@dataclass(frozen=True)
class Chunk:
    """A piece of a document.

    Attributes:
        embedded: text for the model and BM25.
        shown: text that is returned.
        head: text returned above it, once for consecutive pieces with the same one.
    """

    embedded: str
    shown: str
    head: str = ""

    def titled(self, title: str) -> Chunk:
        """Return the same under the title of its document."""
        return Chunk(f"{title}\n{self.embedded}", self.shown, title)


def fixed_windows(text: str) -> list[str]:
    """Return windows of ``WINDOW`` tokens that overlap."""
    offsets = load_model().token_offsets(text)
    found = []
    for start in range(0, len(offsets), WINDOW - WINDOW_OVERLAP):
        end = min(start + WINDOW, len(offsets))
        found.append(text[offsets[start][0] : offsets[end - 1][1]])
        if end == len(offsets):
            break
    return found


def langchain_recursive(text: str) -> list[str]:
    """Return the pieces of LangChain's RecursiveCharacterTextSplitter."""
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter(chunk_size=CHARACTERS, chunk_overlap=CHARACTERS_OVERLAP)
    return list(splitter.split_text(text))


def llamaindex_sentences(text: str) -> list[str]:
    """Return the pieces of LlamaIndex's SentenceSplitter."""
    from llama_index.core.node_parser import SentenceSplitter

    splitter = SentenceSplitter(chunk_size=SENTENCES, chunk_overlap=SENTENCES_OVERLAP, tokenizer=_tokens)
    return list(splitter.split_text(text))


def sentences(text: str) -> list[str]:
    """Return the sentences of a text in order, by sentencex; nltk's, tried too, gave weaker results."""
    found: list[str] = []
    waiting = ""
    for piece in sentencex.segment("en", text):
        waiting = f"{waiting} {piece.strip()}".strip()
        if len(waiting) >= SHORTEST:
            found.append(waiting)
            waiting = ""
    return [*found, waiting] if waiting else found


def plain(cutter: Callable[[str], list[str]]) -> Callable[[Corpus, str], list[Chunk]]:
    """Return a cutter of documents for a cutter of texts."""
    return lambda corpus, document: [Chunk(piece, piece) for piece in cutter(corpus.text(document)) if piece.strip()]


def docling_chunks(corpus: Corpus, document: str) -> list[Chunk]:
    """Return the pieces of docling's HybridChunker, each under its headings, as docling embeds and returns them."""
    chunker = _docling_chunker()
    pieces = chunker.chunk(_docling_document(corpus, document))
    return [Chunk(text, text) for text in map(chunker.contextualize, pieces) if text.strip()]


def docling_bare_chunks(corpus: Corpus, document: str) -> list[Chunk]:
    """Return the same pieces, embedded under their headings and returned without them."""
    chunker = _docling_chunker()
    pieces = chunker.chunk(_docling_document(corpus, document))
    return [Chunk(chunker.contextualize(piece), piece.text) for piece in pieces if piece.text.strip()]


class AutoMerging:
    """LlamaIndex's AutoMergingRetriever over the leaves of its HierarchicalNodeParser, for one document.

    The leaves are ranked by our vectors; merging and its scores are LlamaIndex's own.
    """

    def __init__(self, text: str) -> None:
        from llama_index.core import Document, StorageContext
        from llama_index.core.node_parser import HierarchicalNodeParser, SentenceSplitter, get_leaf_nodes
        from llama_index.core.storage.docstore import SimpleDocumentStore

        sizes = {
            f"size_{size}": SentenceSplitter(chunk_size=size, chunk_overlap=_overlap(size), tokenizer=_tokens)
            for size in HIERARCHY
        }
        parser = HierarchicalNodeParser.from_defaults(node_parser_ids=list(sizes), node_parser_map=sizes)
        nodes = parser.get_nodes_from_documents([Document(text=text)])
        store = SimpleDocumentStore()
        store.add_documents(nodes)
        self._storage = StorageContext.from_defaults(docstore=store)
        self._leaves = get_leaf_nodes(nodes)

    @cached_property
    def leaves(self) -> list[str]:
        """Return the texts of the leaves."""
        return [str(leaf.get_content()) for leaf in self._leaves]

    def retrieve(self, scores: Mapping[int, float]) -> list[tuple[str, float]]:
        """Return the merged nodes of the best leaves (their indices in ``leaves``, with scores), best first."""
        from llama_index.core.base.base_retriever import BaseRetriever
        from llama_index.core.retrievers import AutoMergingRetriever
        from llama_index.core.schema import NodeWithScore

        found = [NodeWithScore(node=self._leaves[place], score=score) for place, score in scores.items()]

        class Ranked(BaseRetriever):  # type: ignore[misc]
            def _retrieve(self, query_bundle: Any) -> list[NodeWithScore]:
                return found

        merging = AutoMergingRetriever(Ranked(), self._storage, verbose=False)
        return [(item.node.get_content(), float(item.score or 0)) for item in merging.retrieve("ranked before")]


def best(vectors: Vectors, query: Vectors, k: int) -> list[int]:
    """Return the places of the k vectors nearest to a query, best first, ties by place."""
    order: list[int] = np.argsort(-(vectors @ query), kind="stable")[:k].tolist()
    return order


def _overlap(size: int) -> int:
    # LlamaIndex's own default for every level
    return min(20, size // 2)


def _tokens(text: str) -> Sequence[Any]:
    return load_model().token_offsets(text)


@cache
def _docling_chunker() -> Any:
    from docling_core.transforms.chunker.hybrid_chunker import HybridChunker
    from docling_core.transforms.chunker.tokenizer.huggingface import HuggingFaceTokenizer
    from transformers import PreTrainedTokenizerFast

    model = load_model()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=model._tokenizer)
    return HybridChunker(tokenizer=HuggingFaceTokenizer(tokenizer=tokenizer, max_tokens=model.max_tokens - 2))


@cache
def _docling_document(corpus: Corpus, document: str) -> Any:
    from docling_core.types.doc import DoclingDocument
    from docling_core.types.doc.labels import DocItemLabel

    path = corpus.files[document]
    if path.suffix == ".nxml":
        from docling.backend.xml.jats_backend import JatsDocumentBackend
        from docling.datamodel.base_models import InputFormat
        from docling.datamodel.document import InputDocument

        source = InputDocument(path_or_stream=path, format=InputFormat.XML_JATS, backend=JatsDocumentBackend)
        return source._backend.convert()
    made = DoclingDocument(name=document)
    for paragraph in re.split(r"\n\s*\n", corpus.text(document)):
        if paragraph.strip():
            made.add_text(label=DocItemLabel.PARAGRAPH, text=paragraph.strip())
    return made
