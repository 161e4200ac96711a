"""Systems that answer a question: a ranking of items and, for each budget, the text that a reader would get.

A line is prepared once per corpus, and then asked for each question and scope: one document, or all of them.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from bench.retrieval.cache import cache_folder, token_count
from bench.retrieval.metrics import cut
from bench.retrieval.peers import Chunk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from bench.retrieval.data import Corpus, Question

    Cutter = Callable[[Corpus, str], list[Chunk]]

BUDGETS = (512, 1024, 2048)
"""Tokens of context, headings included."""

DEPTH = 60
"""Items ranked per question."""

CHUNKS_VERSION = 1
"""Raised when a cutter changes its pieces, so that cached ones are made again."""


@dataclass(frozen=True)
class Answer:
    """The answer of a line: items best first (id and text), and a context for each of ``BUDGETS``."""

    ranking: list[tuple[str, str]]
    contexts: list[str]


class Line(Protocol):
    """A system that answers questions."""

    name: str

    def items(self, document: str) -> list[tuple[str, str]]:
        """Return id and text of all items of a document."""

    def answer(self, question: Question, *, whole: bool) -> Answer:
        """Return the answer within the question's document or over all of them."""


def contexts(chunks: Iterable[Chunk]) -> list[str]:
    """Return the context made of chunks, best first, for each of ``BUDGETS``; heads count."""
    kept: list[str] = []
    head, tokens = "", 0
    for chunk in chunks:
        texts = [chunk.head, chunk.shown] if chunk.head != head else [chunk.shown]
        head = chunk.head
        kept += texts
        tokens += sum(map(token_count, texts))
        if tokens >= BUDGETS[-1]:
            break
    return cut("\n\n".join(kept), BUDGETS)


def kept_chunks(line: str, corpus: Corpus, document: str, cutter: Cutter) -> list[Chunk]:
    """Return the pieces that others cut of a document, from the disk if they are cached, and cache them otherwise."""
    # docling reads the file itself if it is XML
    source = corpus.files[document].read_bytes() if corpus.files[document].suffix == ".nxml" else b""
    key = hashlib.sha256(f"{line} {CHUNKS_VERSION} {corpus.text(document)}".encode() + source).hexdigest()
    path = cache_folder() / "chunks" / f"{key}.json"
    if path.is_file():
        return [Chunk(*pair) for pair in json.loads(path.read_text(encoding="utf-8"))]
    chunks = cutter(corpus, document)
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps([[chunk.embedded, chunk.shown] for chunk in chunks]), encoding="utf-8")
    return chunks
