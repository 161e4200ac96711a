"""The lines of others: flat chunks of LangChain and LlamaIndex, and the tree of PageIndex."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bench.retrieval.metrics import cut
from bench.retrieval.peers import langchain_recursive, llamaindex_sentences
from bench.retrieval.rankers import Ranker
from bench.structure_qa.books import page_texts
from bench.structure_qa.make import plain_text
from bench.structure_qa.questions import letters

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from bench.retrieval.cache import CachedModel
    from bench.structure.peers import Peers
    from bench.structure_qa.questions import StructureQuestion

    Line = Callable[[StructureQuestion], str | None]

BUDGET = 1024
"""Tokens of context."""

DEPTH = 40
"""Pieces that are enough to fill it."""


@dataclass(frozen=True)
class Piece:
    """A text with its place.

    Attributes:
        text: what is ranked and returned.
        pages: pages of the file, from 1; none for a text without pages.
        titles: titles above it, its own last.
    """

    text: str
    pages: range = range(0)
    titles: tuple[str, ...] = ()


def others(files: Mapping[str, Path], model: CachedModel, peers: Peers | None) -> dict[str, Line]:
    """Return the lines of others.

    Args:
        files: document to its file.
        model: makes the vectors.
        peers: runs PageIndex on the PDF files; None leaves its line out.
    """
    texts = {name: plain_text(path) for name, path in files.items()}
    pages = {name: page_texts(path) for name, path in files.items() if path.suffix == ".pdf"}
    within = {
        name: [
            Piece(piece, range(number, number + 1))
            for number, text in enumerate(pages.get(name, [texts[name]]), 1)
            for piece in langchain_recursive(text)
        ]
        for name in files
    }
    lines = {
        "LangChain, 1000/200": _line({name: _pieces(langchain_recursive(text)) for name, text in texts.items()}, model),
        "LangChain, 1000/200, cut within pages, the page as filter": _line(within, model),
        "LlamaIndex, 256/50": _line({name: _pieces(llamaindex_sentences(text)) for name, text in texts.items()}, model),
    }
    if peers is not None:
        peers.prepare("pageindex", [files[name] for name in pages], tagged=False)
        trees = {name: peers.result("pageindex", files[name], tagged=False) for name in pages}
        branches = {name: [*_branches(tree["tree"], pages[name])] for name, tree in trees.items() if tree is not None}
        lines["PageIndex, the sections of its tree"] = _line(branches, model)
    return lines


def _pieces(texts: Sequence[str]) -> list[Piece]:
    return [Piece(text) for text in texts]


def _branches(nodes: Sequence[dict[str, Any]], pages: Sequence[str], above: tuple[str, ...] = ()) -> list[Piece]:
    """Return the titles of a tree without titles below them, with the text of their pages."""
    found = []
    for node in nodes:
        titles = (*above, str(node["title"]))
        below = _branches(node.get("nodes", ()), pages, titles)
        first, last = int(node["start_index"]), int(node["end_index"])
        text = "\n".join([titles[-1], *pages[first - 1 : last]])
        found.extend(below or [Piece(text, range(first, last + 1), titles)])
    return found


def _line(pieces: dict[str, list[Piece]], model: CachedModel) -> Line:
    """Return what ranks pieces by BM25 and vectors together, within the page or section that a question names."""
    ranker = Ranker({name: [piece.text for piece in found] for name, found in pieces.items()}, model, "both")

    def line(question: StructureQuestion) -> str | None:
        found = pieces.get(question.document)
        if found is None:
            return None
        best = [found[ranked.place] for ranked in ranker.ranked(question.text, question.document, len(found))]
        if question.page:
            best = [piece for piece in best if not piece.pages or question.page in piece.pages]
        wanted = letters(question.section)
        named = [piece for piece in best if wanted and any(letters(title) == wanted for title in piece.titles)]
        return cut("\n\n".join(piece.text for piece in (named or best)[:DEPTH]), [BUDGET])[0]

    return line
