"""Other pipelines on the same files, each run in a process of its own: ``python -m bench.end_to_end.pipelines``.

It reads the paths from a JSON file. For each file it writes the text of its chunks and the part that the model read.
"""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import ragraph
from ragraph.ingest.draft import DraftDocument, DraftMetadata, DraftNode
from ragraph.models.embedding import SentenceModel, load_model
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

READS = 254
"""Tokens of a text that the default model reads, without those for its beginning and end."""
_BATCH = 32
_DOCTYPE = (
    b'<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) Journal Archiving DTD v1.2//EN" "JATS-archivearticle1.dtd">'
)


class Chunk(NamedTuple):
    """A piece of a file.

    Attributes:
        file: path of its file.
        text: its complete text.
    """

    file: str
    text: str


def main() -> None:
    """Run the named pipeline."""
    name, given, out = sys.argv[1:]
    files = [Path(path) for path in json.loads(Path(given).read_text())]
    chunks = [*PIPELINES[name](files)]
    tokenizer = _transformer().tokenizer
    found: dict[str, dict[str, list[str]]] = {str(path): {"text": [], "read": []} for path in files}
    for chunk in chunks:
        found[chunk.file]["text"].append(chunk.text)
        ends = tokenizer(chunk.text, add_special_tokens=False, return_offsets_mapping=True)["offset_mapping"]
        found[chunk.file]["read"].append(chunk.text[: ends[READS - 1][1]] if len(ends) > READS else chunk.text)
    Path(out).write_text(json.dumps({"vectors": len(chunks), "files": found}))


def _transformer() -> Any:
    return cast("SentenceModel", load_model(backend="plain"))._ready.transformer


def llama_index(files: list[Path], size: int) -> Iterable[Chunk]:
    """LlamaIndex's IngestionPipeline: pypdf, text of pages and markup, SentenceSplitter, the same model, no store.

    Its vectors stay in memory, which costs nothing. The splitter counts with the model's own tokenizer, with
    LlamaIndex's default overlap in proportion.
    """
    from llama_index.core.base.embeddings.base import BaseEmbedding
    from llama_index.core.ingestion import IngestionPipeline
    from llama_index.core.node_parser import SentenceSplitter
    from llama_index.core.schema import Document

    transformer = _transformer()

    class Embedding(BaseEmbedding):  # type: ignore[misc]
        """The work of llama-index-embeddings-huggingface, without its download."""

        def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
            return cast("list[list[float]]", transformer.encode(texts, batch_size=_BATCH).tolist())

        def _get_text_embedding(self, text: str) -> list[float]:
            return self._get_text_embeddings([text])[0]

        def _get_query_embedding(self, query: str) -> list[float]:
            return self._get_text_embedding(query)

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return self._get_text_embedding(query)

    splitter = SentenceSplitter(
        chunk_size=size,
        chunk_overlap=size * 200 // 1024,
        tokenizer=lambda text: transformer.tokenizer(text, add_special_tokens=False)["input_ids"],
    )
    pipeline = IngestionPipeline(transformations=[splitter, Embedding(embed_batch_size=_BATCH)])
    documents = [Document(text=text, metadata={}, doc_id=str(path)) for path in files for text in _plain_texts(path)]
    return [Chunk(str(node.ref_doc_id), node.get_content()) for node in pipeline.run(documents=documents)]


def _plain_texts(path: Path) -> list[str]:
    """Return the text that LlamaIndex's file readers extract: PDF pages by pypdf, text of markup and DOCX."""
    if path.suffix.lower() == ".pdf":
        import pypdf

        return [page.extract_text() for page in pypdf.PdfReader(path).pages]
    if path.suffix.lower() in (".nxml", ".html", ".xhtml"):
        from bs4 import BeautifulSoup

        return [BeautifulSoup(path.read_bytes(), "lxml").get_text("\n", strip=True)]
    if path.suffix.lower() == ".docx":
        from bench.end_to_end.files import visible_text

        return [visible_text(path)]
    return [path.read_text(encoding="utf-8", errors="replace")]


def docling(files: list[Path]) -> Iterable[Chunk]:
    """Docling's converter and HybridChunker, into a ragraph store of its own: a document of chunks as paragraphs."""
    from docling.datamodel.base_models import ConversionStatus
    from docling.document_converter import DocumentConverter
    from docling_core.transforms.chunker.hybrid_chunker import HybridChunker
    from docling_core.transforms.chunker.tokenizer.huggingface import HuggingFaceTokenizer

    tokenizer = HuggingFaceTokenizer(tokenizer=_transformer().tokenizer, max_tokens=READS)
    chunker = HybridChunker(tokenizer=tokenizer)
    converter = DocumentConverter()
    made: list[Chunk] = []

    def drafts() -> Iterable[DraftDocument]:
        for path in files:
            result = converter.convert(_for_docling(path), raises_on_error=False)
            if result.status is not ConversionStatus.SUCCESS:
                print(f"docling cannot read {path.name}: {result.status.value}", file=sys.stderr)
                continue
            texts = [chunker.contextualize(chunk) for chunk in chunker.chunk(result.document)]
            made.extend(Chunk(str(path), text) for text in texts)
            yield DraftDocument(
                metadata=DraftMetadata(title=path.stem),
                nodes=[
                    DraftNode(key=f"c{place}", type=ContentNodeType.PARAGRAPH, text=text)
                    for place, text in enumerate(texts)
                ],
            )

    with ragraph.open() as store:
        report = store.add_many(drafts())
    for file in report.files:
        if file.status == "failed":  # docling finds no text in some
            print(f"{file.path}: {file.reason}", file=sys.stderr)
    return made


def _for_docling(path: Path) -> Any:
    """Return a file in a form that docling recognises: articles by their ending and a DOCTYPE, which few files have."""
    from docling.datamodel.base_models import DocumentStream

    if path.suffix.lower() != ".nxml":
        return path
    content = re.sub(rb"<!DOCTYPE[^>]*>", b"", path.read_bytes(), count=1)
    content = content[: content.index(b"<article")] + _DOCTYPE + content[content.index(b"<article") :]
    return DocumentStream(name=path.with_suffix(".xml").name, stream=io.BytesIO(content))


PIPELINES: dict[str, Callable[[list[Path]], Iterable[Chunk]]] = {
    "llama_index_256": lambda files: llama_index(files, READS),
    "llama_index_1024": lambda files: llama_index(files, 1024),
    "docling": docling,
}

if __name__ == "__main__":
    main()
