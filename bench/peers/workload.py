"""The input of all stores: rows of documents with vectors, and questions with scopes and their exact answers."""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.synthetic import WORDS, make_vectors
from ragraph.ingest.draft import DraftDocument, DraftMetadata, DraftNode
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

DIMENSIONS = 384
K = 10
SHARES = {"keeps10": 0.1, "keeps1": 0.01, "keeps01": 0.001}
"""Keys of metadata, and the share of the documents that have them, as exactly as documents allow."""

_LENGTHS = (50, 200, 1000)
"""Nodes of documents: a third of the store's nodes is in documents of each length."""

_SECTION = 50
_RARE_EVERY = 10
MARK = re.compile(r"\bn(\d+)\b")
"""Number of a row, at the start of its text."""


@dataclass(frozen=True)
class Row:
    """A node with text, as a chunk of the peers."""

    text: str
    metadata: dict[str, str]


@dataclass(frozen=True)
class Workload:
    """Documents as drafts and as rows; ``vectors`` belongs to ``rows``, ``questions`` to the rounds."""

    drafts: list[DraftDocument]
    rows: list[Row]
    vectors: NDArray[np.float32]
    questions: NDArray[np.float32]
    scopes: dict[str, list[dict[str, str]]]

    def exact(self, where: dict[str, str], question: int) -> set[int]:
        """Return the numbers of the rows nearest to a question among those with all of these metadata."""
        kept = np.array([where.items() <= row.metadata.items() for row in self.rows])
        numbers = np.flatnonzero(kept)
        near = np.argsort(-(self.vectors[numbers] @ self.questions[question]), kind="stable")[:K]
        return {int(number) for number in numbers[near]}

    def save(self, folder: Path) -> None:
        """Write the files that the peers need."""
        np.save(folder / "vectors.npy", self.vectors)
        np.save(folder / "questions.npy", self.questions)
        with (folder / "rows.jsonl").open("w") as file:
            for number, row in enumerate(self.rows):
                file.write(json.dumps({"number": number, "text": row.text, "metadata": row.metadata}) + "\n")
        (folder / "scopes.json").write_text(json.dumps(self.scopes))


def make_workload(nodes: int, questions: int) -> Workload:
    """Return documents of about this many nodes together, and this many questions for each scope."""
    drafts: list[DraftDocument] = []
    rows: list[Row] = []
    lengths = _document_lengths(nodes)
    having = _shares(lengths)
    for number, length in enumerate(lengths):
        keys = [key for key, documents in having.items() if number in documents]
        drafts.append(_document(number, length, keys, rows))
    choose = random.Random(1)
    sections = [row for row in rows if row.metadata["type"] == "PARAGRAPH"]
    picked = choose.choices(sections, k=questions)
    scopes: dict[str, list[dict[str, str]]] = {
        "a document": [{"document": row.metadata["document"]} for row in picked],
        "a section": [{key: row.metadata[key] for key in ("document", "section")} for row in picked],
        "a type in a section": [{key: row.metadata[key] for key in ("document", "section", "type")} for row in picked],
        "whole store": [{} for _ in picked],
        "documents, 10 %": [{"keeps10": "yes"} for _ in picked],
        "documents, 1 %": [{"keeps1": "yes"} for _ in picked],
        "documents, 0.1 %": [{"keeps01": "yes"} for _ in picked],
        "a type, 10 %": [{"type": "BLOCK_QUOTATION"} for _ in picked],
    }
    vectors = make_vectors(1, len(rows), DIMENSIONS)
    return Workload(drafts, rows, vectors, make_vectors(10_000_019, questions, DIMENSIONS), scopes)


def _document_lengths(nodes: int) -> list[int]:
    lengths: list[int] = []
    while sum(lengths) < nodes:
        longest = _LENGTHS[-1]
        lengths += [length for length in _LENGTHS for _ in range(longest // length)]
    while sum(lengths) > nodes:
        lengths.pop(random.Random(len(lengths)).randrange(len(lengths)))
    return lengths


def _shares(lengths: list[int]) -> dict[str, set[int]]:
    """Return the documents with each key: random ones, until they have the share of the nodes."""
    having: dict[str, set[int]] = {}
    for key, share in SHARES.items():
        order = random.Random(key).sample(range(len(lengths)), len(lengths))
        wanted = share * sum(lengths)
        chosen: set[int] = set()
        for number in order:
            if sum(lengths[item] for item in chosen) + lengths[number] <= max(wanted, min(lengths)):
                chosen.add(number)
        having[key] = chosen
    return having


def _document(number: int, length: int, keys: list[str], rows: list[Row]) -> DraftDocument:
    """Return a document: a heading, then paragraphs, every tenth of them a quotation."""
    words = random.Random(number)
    extra = {"number": str(number), **dict.fromkeys(keys, "yes")}
    nodes: list[DraftNode] = []
    section = ""
    for place in range(length):
        if place % _SECTION == 0:
            section = f"Section {number}.{place}"
            nodes.append(DraftNode(key=str(place), type=ContentNodeType.HEADING, text=section, level=1))
            continue
        kind = ContentNodeType.BLOCK_QUOTATION if place % _RARE_EVERY == 1 else ContentNodeType.PARAGRAPH
        text = f"n{len(rows)} " + " ".join(words.choices(WORDS, k=30))
        nodes.append(DraftNode(key=str(place), type=kind, text=text))
        metadata = {"document": f"dl_bench_{number:06}", "section": section, "type": kind.value}
        rows.append(Row(text, metadata | dict.fromkeys(keys, "yes")))
    about = DraftMetadata(title=f"Synthetic document {number}", language="en", extra=extra)
    return DraftDocument(id=f"dl_bench_{number:06}", metadata=about, reader="synthetic/1", nodes=nodes)


def number_of(text: str) -> int:
    """Return the number of the row of a text, with or without headings before it."""
    return int(MARK.findall(text)[-1])


def parameters(values: dict[str, str]) -> dict[str, Any]:
    """Return a scope as keyword arguments of ``Store.search``; the section is named by its title."""
    taken: dict[str, Any] = {name: values[name] for name in ("document", "section") if name in values}
    if "type" in values:
        taken["types"] = [values["type"]]
    kept = {key: value for key, value in values.items() if key in SHARES}
    return taken | ({"filter": kept} if kept else {})
