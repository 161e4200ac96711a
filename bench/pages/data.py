"""Questions on PDF files with the pages that answer them: financebench and MMLongBench-Doc.

We may not pass on the files; ``WHERE`` says where to get them. Only the documents of the lists in
``$RAGRAPH_DATA/wild`` are used. The rest of both sets is left for evaluation by others.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

WHERE = (
    "Fetch the files that wild/financebench.txt of the data sets lists, and data/financebench_open_source.jsonl, from "
    "github.com/patronus-ai/financebench into WILD/financebench, those of wild/mmlongbench.txt and data/samples.json "
    "from github.com/mayubo2333/MMLongBench-Doc into WILD/mmlongbench, and give --wild WILD"
)

FINANCE = "Financial report"
"""Kind of document, as MMLongBench-Doc names it, of all files of financebench."""

SOURCES = {
    "Pure-text (Plain-text)": "text",
    "Table": "table",
    "Chart": "figure",
    "Figure": "figure",
    "Generalized-text (Layout)": "layout",
}
"""Kinds of evidence of MMLongBench-Doc, and their names here."""

NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
LONG = 2
"""Minimum digits of a number that is searched for, because "3" is everywhere."""


@dataclass(frozen=True)
class PageQuestion:
    """A question on a document.

    Attributes:
        document: file name.
        kind: kind of the document.
        pages: pages with the evidence, from 1.
        sources: kinds of evidence: ``text``, ``table``, ``figure``, ``layout``.
        numbers: numbers of the evidence (financebench), or of the answer (MMLongBench-Doc), without those in the
            question.
    """

    id: str
    text: str
    document: str
    kind: str
    pages: frozenset[int]
    sources: frozenset[str]
    numbers: frozenset[str]


@dataclass(frozen=True)
class Pages:
    """Files by name, and the questions on them."""

    files: dict[str, Path]
    questions: tuple[PageQuestion, ...]


def wild(folder: Path, lists: Path | None = None) -> Pages:
    """Return the files and questions of both sets.

    Args:
        folder: folder with ``financebench/pdfs``, ``financebench/data``, ``mmlongbench/data``.
        lists: folder of ``financebench.txt`` and ``mmlongbench.txt``: only files named there are used; None uses all
            files in ``folder``.

    Raises:
        FileNotFoundError: with ``WHERE``, if the files are missing.
    """
    finance, many = folder / "financebench", folder / "mmlongbench"
    asked = finance / "data" / "financebench_open_source.jsonl", many / "data" / "samples.json"
    if not all(path.is_file() for path in asked):
        raise FileNotFoundError(WHERE)
    listed = _listed(lists) if lists else None
    found = [*sorted((finance / "pdfs").glob("*.pdf")), *sorted((many / "data" / "documents").glob("*.pdf"))]
    files = {path.name: path for path in found if listed is None or path.name in listed}
    questions = [question for question in (*_finance(asked[0]), *_many(asked[1])) if question.document in files]
    documents = {question.document for question in questions}
    return Pages({name: path for name, path in files.items() if name in documents}, tuple(questions))


def development(pages: Pages) -> frozenset[str]:
    """Return the names of every second file by hash, of each set and kind of document, for choosing settings."""
    kinds = {question.document: question.kind for question in pages.questions}
    chosen: set[str] = set()
    for kind in sorted(set(kinds.values())):
        names = sorted((name for name in pages.files if kinds[name] == kind), key=_hash)
        chosen.update(names[::2])
    return frozenset(chosen)


def numbers(text: str) -> set[str]:
    """Return the numbers of a text, without the commas of thousands, that have at least ``LONG`` digits."""
    found = (number.replace(",", "") for number in NUMBER.findall(text))
    return {number for number in found if sum(map(str.isdigit, number)) >= LONG}


def _finance(path: Path) -> list[PageQuestion]:
    questions = []
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        evidence = row["evidence"]
        held = set().union(*(numbers(piece["evidence_text"]) for piece in evidence)) - numbers(row["question"])
        questions.append(
            PageQuestion(
                id=row["financebench_id"],
                text=row["question"],
                document=f"{row['doc_name']}.pdf",
                kind=FINANCE,
                pages=frozenset(piece["evidence_page_num"] + 1 for piece in evidence),
                sources=frozenset({"table"} if any(map(_tabular, evidence)) else {"text"}),
                numbers=frozenset(held),
            )
        )
    return questions


def _tabular(piece: dict[str, Any]) -> bool:
    """Return True if a passage of financebench comes from a table: a fifth of its words or more are numbers."""
    words = piece["evidence_text"].split()
    return sum(bool(NUMBER.search(word)) for word in words) * 5 >= len(words)


def _many(path: Path) -> list[PageQuestion]:
    questions = []
    for place, row in enumerate(json.loads(path.read_text(encoding="utf-8"))):
        pages = frozenset(ast.literal_eval(row["evidence_pages"]))
        if not pages:
            continue  # not answerable, by intent
        questions.append(
            PageQuestion(
                id=f"mmlongbench:{place}",
                text=row["question"],
                document=row["doc_id"],
                kind=row["doc_type"],
                pages=pages,
                sources=frozenset(SOURCES[source] for source in ast.literal_eval(row["evidence_sources"])),
                numbers=frozenset(numbers(str(row["answer"])) - numbers(row["question"])),
            )
        )
    return questions


def _listed(folder: Path) -> set[str]:
    paths = [folder / "financebench.txt", folder / "mmlongbench.txt"]
    lines = [line.strip() for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
    return {Path(line).name for line in lines if line.endswith(".pdf")}


def _hash(name: str) -> str:
    return hashlib.sha256(f"pages:{name}".encode()).hexdigest()
